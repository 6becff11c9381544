//! The states found, each with the shortest way to it.
//!
//! In: hashes in the order they are found. Out: numbers for them, parents, depths, and, where it is kept, what every call led to.
//! A state is its 128-bit hash; the way to it is followed backwards through parents, so a state costs the same at any depth.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use probat_model::StateHash;
use rustc_hash::FxHasher;

/// Number of a state, in the order they were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// What a call on a state led to. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    State(NodeId),
    /// An exception.
    Threw,
    /// No state: stopped, exhausted, died, or not the same twice.
    Broken,
    /// Not tried.
    Unknown,
}

/// A hash without the alignment of a 128-bit number, which would cost twelve bytes each.
type Key = [u32; 4];

fn key(hash: StateHash) -> Key {
    let number = hash.0;
    [number as u32, (number >> 32) as u32, (number >> 64) as u32, (number >> 96) as u32]
}

const THREW: u32 = u32::MAX;
const BROKEN: u32 = u32::MAX - 1;
const UNKNOWN: u32 = u32::MAX - 2;

/// Every state found.
#[derive(Debug, Default)]
pub struct Nodes {
    ids: HashMap<Key, u32, BuildHasherDefault<FxHasher>>,
    /// Parent; for a state made by a constructor, `u32::MAX`.
    parents: Vec<u32>,
    /// The call from the parent, or the constructor.
    actions: Vec<u16>,
    depths: Vec<u16>,
    /// Per state that was expanded, per call; empty if nobody asked to keep it.
    targets: Vec<u32>,
    calls: usize,
}

impl Nodes {
    /// `calls` is the number of calls tried on each state.
    pub fn new(calls: usize) -> Self {
        Nodes { calls, ..Nodes::default() }
    }

    pub fn len(&self) -> usize {
        self.parents.len()
    }

    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// The state of a hash; `true` if it was not known. `None` as hash is a state unlike every other.
    pub fn enter(&mut self, hash: Option<StateHash>, parent: Option<NodeId>, action: u16) -> (NodeId, bool) {
        let next = self.parents.len() as u32;
        if let Some(hash) = hash {
            let known = *self.ids.entry(key(hash)).or_insert(next);
            if known != next {
                return (NodeId(known), false);
            }
        }
        self.parents.push(parent.map_or(u32::MAX, |parent| parent.0));
        self.actions.push(action);
        self.depths.push(parent.map_or(0, |parent| self.depths[parent.0 as usize] + 1));
        (NodeId(next), true)
    }

    /// Whether a state was found before.
    pub fn contains(&self, hash: StateHash) -> bool {
        self.ids.contains_key(&key(hash))
    }

    /// Calls from the constructor.
    pub fn depth(&self, node: NodeId) -> u16 {
        self.depths[node.0 as usize]
    }

    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        let parent = self.parents[node.0 as usize];
        (parent != u32::MAX).then_some(NodeId(parent))
    }

    /// The constructor, then the calls, that lead to a state.
    pub fn path(&self, node: NodeId) -> (u16, Vec<u16>) {
        let mut calls = Vec::new();
        let mut at = node;
        while let Some(parent) = self.parent(at) {
            calls.push(self.actions[at.0 as usize]);
            at = parent;
        }
        calls.reverse();
        (self.actions[at.0 as usize], calls)
    }

    /// The call that led to a state from its parent, or its constructor.
    pub fn action(&self, node: NodeId) -> u16 {
        self.actions[node.0 as usize]
    }

    /// Keeps what a call on a state led to.
    pub fn link(&mut self, node: NodeId, call: u16, target: Target) {
        let place = node.0 as usize * self.calls + usize::from(call);
        if self.targets.len() <= place {
            self.targets.resize((node.0 as usize + 1) * self.calls, UNKNOWN);
        }
        self.targets[place] = match target {
            Target::State(node) => node.0,
            Target::Threw => THREW,
            Target::Broken => BROKEN,
            Target::Unknown => UNKNOWN,
        };
    }

    /// What a call on a state led to, if that was kept.
    pub fn target(&self, node: NodeId, call: u16) -> Target {
        match self.targets.get(node.0 as usize * self.calls + usize::from(call)) {
            None | Some(&UNKNOWN) => Target::Unknown,
            Some(&THREW) => Target::Threw,
            Some(&BROKEN) => Target::Broken,
            Some(&node) => Target::State(NodeId(node)),
        }
    }

    /// Whether every call was tried on a state.
    pub fn is_expanded(&self, node: NodeId) -> bool {
        (0..self.calls).all(|call| self.target(node, call as u16) != Target::Unknown)
    }

    /// Bytes in use, as the allocator sees them.
    pub fn bytes(&self) -> usize {
        // A table keeps at most seven of eight places, and a byte of control for each.
        let places = (self.ids.capacity() * 8 / 7).next_power_of_two();
        places * (size_of::<Key>() + size_of::<u32>() + 1)
            + self.parents.capacity() * 4
            + self.actions.capacity() * 2
            + self.depths.capacity() * 2
            + self.targets.capacity() * 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_way_to_a_state_is_kept() {
        let mut nodes = Nodes::new(2);
        let (root, _) = nodes.enter(Some(StateHash(1)), None, 0);
        let (one, is_new) = nodes.enter(Some(StateHash(2)), Some(root), 1);
        assert!(is_new);
        assert_eq!(nodes.enter(Some(StateHash(1)), Some(one), 0), (root, false));
        let (two, _) = nodes.enter(Some(StateHash(3)), Some(one), 0);
        assert_eq!(nodes.path(two), (0, vec![1, 0]));
        assert_eq!((nodes.depth(root), nodes.depth(two), nodes.len()), (0, 2, 3));
    }

    #[test]
    fn hashes_differ_in_every_part() {
        let mut nodes = Nodes::new(1);
        for bit in [0, 40, 70, 127] {
            assert!(nodes.enter(Some(StateHash(1 << bit)), None, 0).1);
        }
        assert!(nodes.enter(None, None, 0).1);
        assert!(nodes.enter(None, None, 0).1);
    }

    #[test]
    fn targets_are_kept_where_they_are_told() {
        let mut nodes = Nodes::new(2);
        let (root, _) = nodes.enter(Some(StateHash(1)), None, 0);
        assert_eq!(nodes.target(root, 1), Target::Unknown);
        nodes.link(root, 1, Target::Threw);
        assert!(!nodes.is_expanded(root));
        nodes.link(root, 0, Target::State(root));
        assert_eq!((nodes.target(root, 0), nodes.target(root, 1)), (Target::State(root), Target::Threw));
        assert!(nodes.is_expanded(root));
    }
}
