//! Trees as indented text.
//!
//! In: a [`Tree`], or two of them. Out: lines for people, bounded in depth, width and number of elements.
//! An object that is shown twice gets a number, `#1`, at its first place, and is only that number afterwards.

use std::collections::{HashMap, HashSet};

use crate::text::JavaString;
use crate::tree::diff::{Change, diff, join, named};
use crate::tree::{Label, NodeId, Shown, Sort, Tree, View, short};

/// Bounds of what is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderOptions {
    pub view: View,
    /// Levels below the roots.
    pub depth: u32,
    /// Elements of an array, a collection or a map.
    pub elements: u32,
    /// Columns; strings are cut, and what fits on a line is put on one.
    pub width: u32,
}

impl Default for RenderOptions {
    fn default() -> Self {
        RenderOptions { view: View::Content, depth: 8, elements: 20, width: 100 }
    }
}

/// Deepest tree that is shown, whatever the options say.
const DEEPEST: u32 = 64;
/// Columns of a value named in passing.
const SUMMARY: usize = 60;

/// A whole state.
pub fn render(tree: &Tree, options: &RenderOptions) -> String {
    let mut renderer = Renderer::new(tree, options);
    let depth = options.depth.min(DEEPEST);
    match tree.roots() {
        [root] => renderer.value("", 0, *root, depth),
        roots => {
            for (at, root) in roots.iter().enumerate() {
                renderer.value(&format!("[{at}]: "), 0, *root, depth);
            }
        }
    }
    renderer.out
}

/// A state, with marks where it differs from an earlier one: `~` changed, `+` new, `-` gone. What did not change is
/// summed up. Empty if nothing did. Where the content of collections does not show the difference, their fields do.
pub fn render_changes(before: &Tree, after: &Tree, options: &RenderOptions) -> String {
    let mut options = options.clone();
    let mut changes = diff(before, after, options.view);
    if changes.is_empty() && options.view == View::Content {
        options.view = View::Fields;
        changes = diff(before, after, View::Fields);
    }
    if changes.is_empty() {
        return String::new();
    }
    let marks = Marks::new(&changes);
    let mut renderer = Renderer::new(after, &options);
    let depth = options.depth.min(DEEPEST);
    match after.roots() {
        [root] => renderer.marked("", 0, "", *root, &marks, depth),
        roots => {
            for (at, root) in roots.iter().enumerate() {
                let path = format!("[{at}]");
                renderer.marked(&format!("{path}: "), 0, &path, *root, &marks, depth);
            }
        }
    }
    renderer.gone("", 0, &marks);
    renderer.out
}

/// A value in a few words.
pub(super) fn summary(tree: &Tree, id: NodeId, view: View) -> String {
    let (class, sort, parts) = match tree.shown(id, view) {
        Shown::Leaf(word) => return cut(&word, SUMMARY),
        Shown::Text(text) => return cut_text(&text, SUMMARY),
        Shown::Parts { class, sort, parts } => (class, sort, parts),
    };
    if let Some(line) = inline(tree, &short(&class), sort, &parts, view, SUMMARY) {
        return line;
    }
    format!("{}{}", short(&class), size(sort, &parts))
}

fn size(sort: Sort, parts: &[(Label, NodeId)]) -> String {
    let content = parts.iter().filter(|(label, _)| !matches!(label, Label::Field(_))).count();
    match (sort, content) {
        (Sort::Fields, _) => String::new(),
        (Sort::Elements, 1) => " (1 element)".into(),
        (Sort::Elements, count) => format!(" ({count} elements)"),
        (Sort::Entries, 1) => " (1 entry)".into(),
        (Sort::Entries, count) => format!(" ({count} entries)"),
    }
}

/// All on one line, if no part has parts and it fits.
fn inline(
    tree: &Tree,
    head: &str,
    sort: Sort,
    parts: &[(Label, NodeId)],
    view: View,
    room: usize,
) -> Option<String> {
    let leaf = |id: NodeId| match tree.shown(id, view) {
        Shown::Leaf(word) => Some(word),
        Shown::Text(text) => Some(text.to_string()),
        Shown::Parts { .. } => None,
    };
    let (open, close) = if sort == Sort::Elements { ('[', ']') } else { ('{', '}') };
    if parts.is_empty() {
        return Some(if sort == Sort::Fields { head.to_owned() } else { format!("{head} {open}{close}") });
    }
    let mut line = format!("{head} {open}");
    for (at, (label, id)) in parts.iter().enumerate() {
        if at > 0 {
            line += ", ";
        }
        match label {
            Label::Field(name) => line += &format!("{name}: "),
            Label::Index(_) => {}
            Label::Key(key) => line += &format!("{} → ", leaf(*key)?),
        }
        line += &leaf(*id)?;
        if line.len() > 4 * room {
            return None;
        }
    }
    line.push(close);
    (line.chars().count() <= room).then_some(line)
}

/// Which paths changed, and which lead to them.
struct Marks<'a> {
    at: HashMap<&'a str, &'a Change>,
    /// Paths of things that are gone, by the path of what held them.
    gone: HashMap<&'a str, Vec<&'a Change>>,
    leading: HashSet<&'a str>,
}

impl<'a> Marks<'a> {
    fn new(changes: &'a [Change]) -> Self {
        let (mut at, mut gone, mut leading) = (HashMap::new(), HashMap::<_, Vec<_>>::new(), HashSet::new());
        for change in changes {
            let path = &*change.path;
            let ends = path.char_indices().filter(|(_, c)| matches!(c, '.' | '[')).map(|(end, _)| end);
            leading.extend(ends.map(|end| &path[..end]));
            leading.insert("");
            if change.after.is_none() {
                gone.entry(holder(path)).or_default().push(change);
            } else {
                at.insert(path, change);
            }
        }
        Marks { at, gone, leading }
    }
}

/// The path without its last step.
fn holder(path: &str) -> &str {
    let mut depth = 0;
    let mut quoted = false;
    for (at, c) in path.char_indices().rev() {
        match c {
            '"' => quoted = !quoted,
            ']' if !quoted => depth += 1,
            '[' if !quoted => depth -= 1,
            _ => {}
        }
        if depth == 0 && !quoted && matches!(c, '.' | '[') {
            return &path[..at];
        }
    }
    ""
}

struct Renderer<'a> {
    tree: &'a Tree,
    options: &'a RenderOptions,
    /// Objects that are shown twice, with their number once they have one.
    shared: HashMap<NodeId, Option<u32>>,
    numbers: u32,
    out: String,
}

impl<'a> Renderer<'a> {
    fn new(tree: &'a Tree, options: &'a RenderOptions) -> Self {
        let shared = shared(tree, options.view);
        Renderer { tree, options, shared, numbers: 0, out: String::new() }
    }

    fn line(&mut self, indent: usize, text: &str) {
        self.out.push_str(&" ".repeat(indent));
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn room(&self, indent: usize, label: &str) -> usize {
        (self.options.width as usize).saturating_sub(indent + label.chars().count()).max(16)
    }

    /// What to write instead of an object that was shown, or the mark it bears from now on.
    fn number(&mut self, id: NodeId) -> Result<String, String> {
        match self.shared.get_mut(&id) {
            None => Ok(String::new()),
            Some(Some(number)) => Err(format!("#{number}")),
            Some(place) => {
                self.numbers += 1;
                *place = Some(self.numbers);
                Ok(format!(" #{}", self.numbers))
            }
        }
    }

    fn value(&mut self, label: &str, indent: usize, id: NodeId, depth: u32) {
        let room = self.room(indent, label);
        let (class, sort, parts) = match self.tree.shown(id, self.options.view) {
            Shown::Leaf(word) => {
                let again = self.number(id).unwrap_or_else(|number| format!(" {number}"));
                return self.line(indent, &format!("{label}{}{again}", cut(&word, room)));
            }
            Shown::Text(text) => return self.line(indent, &format!("{label}{}", cut_text(&text, room))),
            Shown::Parts { class, sort, parts } => (class, sort, parts),
        };
        let mark = match self.number(id) {
            Ok(mark) => mark,
            Err(number) => return self.line(indent, &format!("{label}{number}")),
        };
        let head = format!("{}{mark}", short(&class));
        let (few, view) = (parts.len() <= self.options.elements as usize, self.options.view);
        if let Some(line) = inline(self.tree, &head, sort, &parts, view, room).filter(|_| few) {
            return self.line(indent, &format!("{label}{line}"));
        }
        let more = if depth == 0 { " …" } else { "" };
        self.line(indent, &format!("{label}{head}{}{more}", size(sort, &parts)));
        if depth > 0 {
            self.parts(indent + 2, &parts, sort, depth - 1);
        }
    }

    fn parts(&mut self, indent: usize, parts: &[(Label, NodeId)], sort: Sort, depth: u32) {
        let most = if sort == Sort::Fields { usize::MAX } else { self.options.elements as usize };
        for (at, (label, id)) in parts.iter().take(most).enumerate() {
            match label {
                Label::Field(name) => self.value(&format!("{name}: "), indent, *id, depth),
                Label::Index(at) => self.value(&format!("[{at}]: "), indent, *id, depth),
                Label::Key(key) => match self.short_key(*key) {
                    Some(key) => self.value(&format!("{key} → "), indent, *id, depth),
                    None => {
                        self.line(indent, &format!("entry {at}"));
                        self.value("key: ", indent + 2, *key, depth.saturating_sub(1));
                        self.value("value: ", indent + 2, *id, depth.saturating_sub(1));
                    }
                },
            }
        }
        if parts.len() > most {
            self.line(indent, &format!("… {} more", parts.len() - most));
        }
    }

    /// A key that can stand before its value: one that is not shown anywhere else, and fits.
    fn short_key(&self, key: NodeId) -> Option<String> {
        match self.tree.shown(key, self.options.view) {
            Shown::Leaf(word) => Some(cut(&word, SUMMARY)),
            Shown::Text(text) => Some(cut_text(&text, SUMMARY)),
            Shown::Parts { class, sort, parts } if !self.shared.contains_key(&key) => {
                inline(self.tree, &short(&class), sort, &parts, self.options.view, SUMMARY / 2)
            }
            Shown::Parts { .. } => None,
        }
    }

    fn marked(&mut self, label: &str, indent: usize, path: &str, id: NodeId, marks: &Marks<'_>, depth: u32) {
        let room = self.room(indent + 2, label);
        if let Some(change) = marks.at.get(path) {
            let after = change.after.as_deref().unwrap_or_default();
            let text = match &change.before {
                Some(before) => format!("~ {label}{before} → {after}"),
                None => format!("+ {label}{after}"),
            };
            return self.line(indent, &cut(&text, room + label.len() + 2));
        }
        let (class, sort, parts) = match self.tree.shown(id, self.options.view) {
            Shown::Parts { class, sort, parts } if marks.leading.contains(path) && depth > 0 => {
                (class, sort, parts)
            }
            _ => {
                let text = summary(self.tree, id, self.options.view);
                return self.line(indent, &format!("  {label}{}", cut(&text, room)));
            }
        };
        self.line(indent, &format!("  {label}{}{}", short(&class), size(sort, &parts)));
        let mut unchanged = 0;
        for ((label, id), (name, _)) in parts.iter().zip(named(self.tree, &parts, self.options.view)) {
            let path = join(path, &name);
            let touched = marks.at.contains_key(&*path) || marks.leading.contains(&*path);
            if !touched && sort != Sort::Fields {
                unchanged += 1;
                continue;
            }
            self.unchanged(indent + 2, &mut unchanged);
            let text = match label {
                Label::Field(name) => format!("{name}: "),
                Label::Index(_) | Label::Key(_) => format!("{name}: "),
            };
            let key_path = format!("{path}.key");
            if let Label::Key(key) = label
                && (marks.at.contains_key(&*key_path) || marks.leading.contains(&*key_path))
            {
                self.marked(&format!("{name}.key: "), indent + 2, &key_path, *key, marks, depth - 1);
            }
            self.marked(&text, indent + 2, &path, *id, marks, depth - 1);
        }
        self.unchanged(indent + 2, &mut unchanged);
        if !path.is_empty() {
            self.gone(path, indent + 2, marks);
        } else if self.tree.roots().len() == 1 {
            self.gone("", indent + 2, marks);
        }
    }

    fn unchanged(&mut self, indent: usize, count: &mut usize) {
        if *count > 0 {
            self.line(indent, &format!("  … {count} unchanged"));
            *count = 0;
        }
    }

    fn gone(&mut self, path: &str, indent: usize, marks: &Marks<'_>) {
        let already = path.is_empty() && indent == 0 && self.tree.roots().len() == 1;
        for change in marks.gone.get(path).into_iter().flatten().filter(|_| !already) {
            let name = change.path[path.len()..].trim_start_matches('.');
            let before = change.before.as_deref().unwrap_or_default();
            self.line(indent, &format!("- {name}: {before}"));
        }
    }
}

/// Objects that a view shows at two places.
fn shared(tree: &Tree, view: View) -> HashMap<NodeId, Option<u32>> {
    let (mut seen, mut shared) = (HashSet::new(), HashMap::new());
    let mut work: Vec<NodeId> = tree.roots().iter().rev().copied().collect();
    while let Some(id) = work.pop() {
        if tree.has_identity(id) && !seen.insert(id) {
            shared.insert(id, None);
            continue;
        }
        if let Shown::Parts { parts, .. } = tree.shown(id, view) {
            for (label, id) in parts.iter().rev() {
                work.push(*id);
                if let Label::Key(key) = label {
                    work.push(*key);
                }
            }
        }
    }
    shared
}

/// At most `room` columns, with a sign where something is missing.
fn cut(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    let mut out: String = text.chars().take(room.saturating_sub(1)).collect();
    out.push('…');
    out
}

/// A literal of at most about `room` columns, and how long the string really is where it was cut.
fn cut_text(text: &JavaString, room: usize) -> String {
    let length = text.units().len();
    // An escape takes up to six columns, so not more units than columns are worth printing.
    let head = JavaString::from_units(&text.units()[..length.min(room)]).to_string();
    if length <= room && head.chars().count() <= room.max(16) {
        return head;
    }
    let note = format!("…\" ({length} units)");
    let kept: String = head.chars().take(room.saturating_sub(note.chars().count()).max(4)).collect();
    format!("{}{note}", kept.trim_end_matches('"').trim_end_matches('\\'))
}
