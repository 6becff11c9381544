//! What differs between two states, as paths.
//!
//! In: two trees of, say, one object before and after a call. Out: changes in the order of the later tree's parts.
//! Objects are matched by the paths that lead to them, so aliasing that changed shows as a change.

use std::collections::HashMap;
use std::fmt;

use crate::tree::render::summary;
use crate::tree::{Label, NodeId, Shown, Sort, Tree, View};

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// From the root: `items[2].size`, `map["k"]`; empty for the root itself.
    pub path: String,
    /// What was there; `None` where there was nothing.
    pub before: Option<String>,
    /// What is there now; `None` where it is gone.
    pub after: Option<String>,
}

/// Prints as `path: before → after`, `+ path: after`, `- path: before`.
impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = if self.path.is_empty() { String::new() } else { format!("{}: ", self.path) };
        match (&self.before, &self.after) {
            (Some(before), Some(after)) => write!(f, "{path}{before} → {after}"),
            (None, Some(after)) => write!(f, "+ {path}{after}"),
            (Some(before), None) => write!(f, "- {path}{before}"),
            (None, None) => f.write_str(&path),
        }
    }
}

/// The differences between two states; empty for equal ones.
pub fn diff(before: &Tree, after: &Tree, view: View) -> Vec<Change> {
    let mut differ = Differ {
        before,
        after,
        view,
        partners: HashMap::new(),
        reverse: HashMap::new(),
        places: HashMap::new(),
        steps: vec![(PathId(0), String::new())],
        changes: Vec::new(),
    };
    let parts = |tree: &Tree| -> Vec<(String, NodeId)> {
        let single = tree.roots().len() == 1;
        let name = |at| if single { String::new() } else { format!("[{at}]") };
        tree.roots().iter().enumerate().map(|(at, &id)| (name(at), id)).collect()
    };
    let mut work = Vec::new();
    differ.align(PathId(0), parts(before), parts(after), &mut work);
    while let Some(task) = work.pop() {
        match task {
            Task::Compare(path, left, right) => differ.compare(path, left, right, &mut work),
            Task::Report(path, left, right) => differ.report(path, left, right),
        }
    }
    differ.changes
}

/// A path: an index into the steps taken, each of which knows the one before. The first is the root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PathId(u32);

enum Task {
    Compare(PathId, NodeId, NodeId),
    Report(PathId, Option<NodeId>, Option<NodeId>),
}

struct Differ<'a> {
    before: &'a Tree,
    after: &'a Tree,
    view: View,
    /// Which objects were matched, in both directions.
    partners: HashMap<NodeId, NodeId>,
    reverse: HashMap<NodeId, NodeId>,
    /// Where matched objects were met first, by their nodes in the later tree.
    places: HashMap<NodeId, PathId>,
    /// Paths share their beginnings, since those of a long list would fill the memory.
    steps: Vec<(PathId, String)>,
    changes: Vec<Change>,
}

impl Differ<'_> {
    fn step(&mut self, from: PathId, name: String) -> PathId {
        self.steps.push((from, name));
        PathId(self.steps.len() as u32 - 1)
    }

    fn text(&self, path: PathId) -> String {
        let mut names = Vec::new();
        let mut at = path;
        while at != PathId(0) {
            let (before, name) = &self.steps[at.0 as usize];
            names.push(&**name);
            at = *before;
        }
        names.iter().rev().fold(String::new(), |path, name| join(&path, name))
    }

    fn compare(&mut self, path: PathId, left: NodeId, right: NodeId, work: &mut Vec<Task>) {
        let (shown_left, shown_right) =
            (self.before.shown(left, self.view), self.after.shown(right, self.view));
        if self.before.has_identity(left) && self.after.has_identity(right) {
            match (self.partners.get(&left), self.reverse.get(&right)) {
                (Some(&partner), _) if partner == right => return,
                (None, None) => {
                    self.partners.insert(left, right);
                    self.reverse.insert(right, left);
                    self.places.insert(right, path);
                }
                _ => return self.aliased(path, left, right),
            }
        }
        match (&shown_left, &shown_right) {
            (
                Shown::Parts { class, sort, parts },
                Shown::Parts { class: other, sort: other_sort, parts: others },
            ) if class == other && sort == other_sort => {
                let (left, right) =
                    (named(self.before, parts, self.view), named(self.after, others, self.view));
                let keys = complex_keys(parts, &left, others, &right, *sort);
                self.align(path, left, right, work);
                for (name, left, right) in keys {
                    let key = self.step(path, format!("{name}.key"));
                    work.push(Task::Compare(key, left, right));
                }
            }
            // Two enum constants of one simple name are shown alike, but are not.
            (shown, other) if shown == other && self.is_one_value(left, right) => {}
            _ => self.report(path, Some(left), Some(right)),
        }
    }

    fn is_one_value(&self, left: NodeId, right: NodeId) -> bool {
        self.before.has_identity(left) || self.before.node(left) == self.after.node(right)
    }

    /// Matches parts by name: those of both are compared, others reported.
    fn align(
        &mut self,
        path: PathId,
        left: Vec<(String, NodeId)>,
        right: Vec<(String, NodeId)>,
        work: &mut Vec<Task>,
    ) {
        let mut gone: HashMap<&str, NodeId> = left.iter().map(|(name, id)| (&**name, *id)).collect();
        let mut tasks = Vec::new();
        for (name, id) in right {
            let partner = gone.remove(&*name);
            let path = self.step(path, name);
            match partner {
                Some(partner) => tasks.push(Task::Compare(path, partner, id)),
                None => tasks.push(Task::Report(path, None, Some(id))),
            }
        }
        for (name, id) in left.iter().filter(|(name, _)| gone.contains_key(&**name)) {
            tasks.push(Task::Report(self.step(path, name.clone()), Some(*id), None));
        }
        work.extend(tasks.into_iter().rev());
    }

    fn report(&mut self, path: PathId, before: Option<NodeId>, after: Option<NodeId>) {
        self.changes.push(Change {
            path: self.text(path),
            before: before.map(|id| summary(self.before, id, self.view)),
            after: after.map(|id| summary(self.after, id, self.view)),
        });
    }

    /// One of the two objects was matched with another before.
    fn aliased(&mut self, path: PathId, left: NodeId, right: NodeId) {
        let known = |id: Option<&NodeId>| {
            let place = self.text(*id.and_then(|id| self.places.get(id))?);
            Some(if place.is_empty() { "same as the root".to_owned() } else { format!("same as {place}") })
        };
        let before = known(self.partners.get(&left));
        let after = known(Some(&right)).filter(|_| self.reverse.contains_key(&right));
        self.changes.push(Change {
            path: self.text(path),
            before: before.or_else(|| Some(format!("another {}", summary(self.before, left, self.view)))),
            after: after.or_else(|| Some(format!("another {}", summary(self.after, right, self.view)))),
        });
    }
}

/// Parts under the names that paths use. Equal names are told apart by counting.
pub(super) fn named(tree: &Tree, parts: &[(Label, NodeId)], view: View) -> Vec<(String, NodeId)> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    let mut out = Vec::with_capacity(parts.len());
    for (label, id) in parts {
        let name = match label {
            Label::Field(name) => format!(".{name}"),
            Label::Index(at) => format!("[{at}]"),
            Label::Key(key) => format!("[{}]", summary(tree, *key, view)),
        };
        let count = counts.entry(name.clone()).or_default();
        *count += 1;
        out.push((if *count > 1 { format!("{name}#{count}") } else { name }, *id));
    }
    out
}

pub(super) fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.trim_start_matches('.').to_owned() } else { format!("{path}{name}") }
}

/// Keys that have parts of their own, of entries both sides have.
fn complex_keys(
    left: &[(Label, NodeId)],
    left_names: &[(String, NodeId)],
    right: &[(Label, NodeId)],
    right_names: &[(String, NodeId)],
    sort: Sort,
) -> Vec<(String, NodeId, NodeId)> {
    if sort != Sort::Entries {
        return Vec::new();
    }
    let keys: HashMap<&str, NodeId> = left
        .iter()
        .zip(left_names)
        .filter_map(|((label, _), (name, _))| match label {
            Label::Key(key) => Some((&**name, *key)),
            Label::Field(_) | Label::Index(_) => None,
        })
        .collect();
    let matched = right.iter().zip(right_names).filter_map(|((label, _), (name, _))| match label {
        Label::Key(key) => Some((name.clone(), *keys.get(&**name)?, *key)),
        Label::Field(_) | Label::Index(_) => None,
    });
    matched.collect()
}
