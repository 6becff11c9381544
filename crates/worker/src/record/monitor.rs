//! Objects as far as their `equals` looks at them (spec 000 §2.2: MonitorEquals).
//!
//! In: the inputs of a call. Out: a hash of what their `equals` reads, aliases included, the same for states that differ only in what
//! it does not read. All is a function of states, so each state is looked at once. What cannot be watched stands for its whole state:
//! objects of classes without an `equals` of their own or whose copies are not equal, fields of classes that are not recorded, and objects
//! of which nothing was seen to be read (reflection reads unseen).

use std::collections::BTreeMap;
use std::rc::Rc;

use probat_jvm::{Env, Global, Ref, Value};
use probat_model::tree::{Node, NodeId, Tree};
use probat_model::{ClassName, StateHash};
use probat_protocol::RecordEvent;
use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::xxh3_128;

use super::journal::Journal;
use super::reads::{Mask, Parts, Reads, Unseen};
use super::recorder::Root;
use crate::heap::StateReader;
use crate::shared::Shared;

/// What is known of `equals` of the classes recorded.
#[derive(Debug)]
pub struct Monitor {
    reads: Reads,
    with_equals: FxHashSet<ClassName>,
    recorded: FxHashSet<ClassName>,
    /// By the state of an object; `None` where all counts.
    masks: FxHashMap<StateHash, Option<Rc<Mask>>>,
    /// By the state of all inputs.
    known: FxHashMap<StateHash, StateHash>,
    told: FxHashSet<ClassName>,
}

/// What a recorder works with.
pub struct Surroundings<'a> {
    pub reader: &'a mut StateReader,
    pub shared: &'a Shared,
    pub journal: &'a mut Journal,
}

impl Monitor {
    pub fn new(reads: Reads, with_equals: FxHashSet<ClassName>, recorded: FxHashSet<ClassName>) -> Self {
        let (masks, known, told) = (FxHashMap::default(), FxHashMap::default(), FxHashSet::default());
        Monitor { reads, with_equals, recorded, masks, known, told }
    }

    /// The entry state of a call; `whole` is that of all inputs.
    pub fn entry(
        &mut self,
        env: &mut Env<'_>,
        with: &mut Surroundings<'_>,
        whole: StateHash,
        roots: &[Root<'_>],
    ) -> StateHash {
        if let Some(&known) = self.known.get(&whole) {
            return known;
        }
        let masks: Vec<Option<Rc<Mask>>> = roots.iter().map(|root| self.mask(env, with, root)).collect();
        let seen = if masks.iter().all(Option::is_none) { None } else { self.seen(env, with, roots, &masks) };
        let seen = seen.unwrap_or(whole);
        self.known.insert(whole, seen);
        seen
    }

    fn seen(
        &self,
        env: &mut Env<'_>,
        with: &mut Surroundings<'_>,
        roots: &[Root<'_>],
        masks: &[Option<Rc<Mask>>],
    ) -> Option<StateHash> {
        let values: Vec<Value<'_>> = roots.iter().map(|root| root.value).collect();
        let read = with.reader.linearise(env, &values).ok()?;
        if read.truncated {
            return None;
        }
        let tree = Tree::of(&with.reader.stored()).ok()?;
        let masks: Vec<Option<&Mask>> = masks.iter().map(|mask| mask.as_deref()).collect();
        Some(StateHash(xxh3_128(&seen_part(&tree, &masks, &|class| self.recorded.contains(class))?)))
    }

    /// What `equals` of an input reads.
    fn mask(&mut self, env: &mut Env<'_>, with: &mut Surroundings<'_>, root: &Root<'_>) -> Option<Rc<Mask>> {
        let Value::Object(Some(object)) = root.value else { return None };
        if !root.is_object {
            return None;
        }
        if let Some(known) = self.masks.get(&root.hash) {
            return known.clone();
        }
        let mask = self.watch(env, with, object).map(Rc::new);
        self.masks.insert(root.hash, mask.clone());
        mask
    }

    fn watch(&mut self, env: &mut Env<'_>, with: &mut Surroundings<'_>, object: Ref<'_>) -> Option<Mask> {
        let class = env.object_class(object);
        let name = env.class_name(class.get(), 500).ok().map(|name| ClassName::binary(&name));
        env.delete(class);
        let name = name?;
        if !self.with_equals.contains(&name) {
            if self.recorded.contains(&name) {
                self.tell(with, name, "it has no `equals` of its own");
            }
            return None;
        }
        let read = with.reader.linearise(env, &[Value::Object(Some(object))]).ok()?;
        if read.truncated {
            return None;
        }
        let stored = with.reader.stored();
        let watched = env.with_frame(64, |env| {
            let Surroundings { reader, shared, .. } = with;
            let mut copy = || {
                shared.with_loader(|loader| {
                    match reader.restore(env, loader.map(Global::get), &stored).ok()?.first() {
                        Some(Value::Object(Some(copy))) => Some(*copy),
                        _ => None,
                    }
                })
            };
            let (left, right) = (copy()?, copy()?);
            Some(self.reads.of_equals(env, with.reader, left, right))
        });
        match watched.ok().flatten() {
            Some(Ok(mask)) => Some(mask),
            Some(Err(Unseen::CopiesDiffer)) => {
                self.tell(with, name, "its `equals` does not take a copy for equal");
                None
            }
            Some(Err(Unseen::TooMany)) | None => None,
        }
    }

    fn tell(&mut self, with: &mut Surroundings<'_>, class: ClassName, reason: &str) {
        if self.told.insert(class.clone()) {
            with.journal.event(&RecordEvent::ByState { class, reason: reason.into() });
        }
    }
}

/// What shows of a node.
#[derive(Debug, Clone)]
enum Shown {
    All,
    Parts { parts: Parts, whole_arrays: bool },
}

/// What the masks of the roots show of a state, as bytes; `None` where that cannot be said.
fn seen_part(
    tree: &Tree,
    masks: &[Option<&Mask>],
    is_recorded: &dyn Fn(&ClassName) -> bool,
) -> Option<Vec<u8>> {
    let mut shown: BTreeMap<NodeId, Shown> = BTreeMap::new();
    for (&root, mask) in tree.roots().iter().zip(masks) {
        for (number, node) in numbered(tree, root)?.into_iter().enumerate() {
            let parts = mask.and_then(|mask| Some((mask.objects.get(&(number as u32))?, mask.whole_arrays)));
            let next = match parts {
                Some((parts, whole_arrays)) => Shown::Parts { parts: parts.clone(), whole_arrays },
                None => Shown::All,
            };
            let joined = match (shown.remove(&node), next) {
                (None, next) => next,
                (
                    Some(Shown::Parts { parts: mut all, whole_arrays }),
                    Shown::Parts { parts, whole_arrays: other },
                ) => {
                    all.fields.extend(parts.fields);
                    all.elements.extend(parts.elements);
                    Shown::Parts { parts: all, whole_arrays: whole_arrays || other }
                }
                _ => Shown::All,
            };
            shown.insert(node, joined);
        }
    }
    Some(written(tree, &shown, is_recorded))
}

/// Objects in the order in which a state of this root alone numbers them; `None` if it holds a table, whose order depends on the rest.
fn numbered(tree: &Tree, root: NodeId) -> Option<Vec<NodeId>> {
    let (mut order, mut met, mut open) = (Vec::new(), FxHashSet::default(), vec![root]);
    while let Some(id) = open.pop() {
        match tree.node(id) {
            Node::Table { .. } | Node::Truncated => return None,
            Node::Object { fields, .. } if met.insert(id) => {
                order.push(id);
                open.extend(fields.iter().rev().map(|field| field.value));
            }
            Node::Array { elements, .. } if met.insert(id) => {
                order.push(id);
                open.extend(elements.iter().rev());
            }
            Node::Opaque { .. } if met.insert(id) => order.push(id),
            _ => {}
        }
    }
    Some(order)
}

/// Something to write.
enum Next {
    Node(NodeId),
    Hidden,
}

fn written(
    tree: &Tree,
    shown: &BTreeMap<NodeId, Shown>,
    is_recorded: &dyn Fn(&ClassName) -> bool,
) -> Vec<u8> {
    let mut out = Vec::new();
    let mut numbers: FxHashMap<NodeId, usize> = FxHashMap::default();
    let mut open: Vec<Next> = tree.roots().iter().rev().map(|&root| Next::Node(root)).collect();
    while let Some(next) = open.pop() {
        let Next::Node(id) = next else {
            out.extend_from_slice(b"?;");
            continue;
        };
        let node = tree.node(id);
        if !matches!(node, Node::Object { .. } | Node::Array { .. } | Node::Opaque { .. }) {
            out.extend_from_slice(format!("{node:?};").as_bytes());
            continue;
        }
        if let Some(number) = numbers.get(&id) {
            out.extend_from_slice(format!("@{number};").as_bytes());
            continue;
        }
        numbers.insert(id, numbers.len());
        let show = shown.get(&id).unwrap_or(&Shown::All);
        match node {
            Node::Object { class, fields } => {
                out.extend_from_slice(format!("{class}{{").as_bytes());
                open.extend(fields.iter().rev().map(|field| match show {
                    Shown::Parts { parts, .. }
                        if is_recorded(&field.declared_in) && !parts.fields.contains(&field.name) =>
                    {
                        Next::Hidden
                    }
                    _ => Next::Node(field.value),
                }));
            }
            Node::Array { class, elements } => {
                out.extend_from_slice(format!("{class}[{}]", elements.len()).as_bytes());
                open.extend(elements.iter().enumerate().rev().map(|(at, &element)| match show {
                    Shown::Parts { parts, whole_arrays: false } if !parts.elements.contains(&(at as u32)) => {
                        Next::Hidden
                    }
                    _ => Next::Node(element),
                }));
            }
            other => out.extend_from_slice(format!("{other:?};").as_bytes()),
        }
    }
    out
}
