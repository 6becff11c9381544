//! The same tests run both ways.
//!
//! In: a search. Out: a sample of its next tests as items that run calls again, and as items that put snapshots back; whether both ended alike.
//! Measures nothing and chooses nothing: that is the caller's and `choice`'s.

use std::collections::BTreeMap;

use probat_model::{ClassName, End, Observation, StateHash, StepOutcome};
use probat_protocol::Item;

use crate::explorer::{Batch, Explorer, Strategy};
use crate::nodes::NodeId;

impl Explorer {
    /// So many tests can be had at once.
    pub fn has_sample(&self, size: usize) -> bool {
        let calls = self.plan.calls.len();
        let above = |node: &u32| self.nodes.depth(NodeId(*node)) < self.options.bound;
        let states = (self.next.0..self.nodes.len() as u32).take_while(above).take(size + 1).count();
        // Of the first state, some calls may have been made.
        self.constructors_sent && states.saturating_sub(1) * calls >= size
    }

    /// The next tests, running calls again.
    pub fn sample(&mut self, size: usize) -> Option<Batch> {
        self.batch_by(size, Strategy::Rerun)
    }

    /// Items that take a snapshot of every state that a sample makes calls on.
    pub fn snapshots_for(&self, sample: &Batch) -> Vec<Item> {
        let take = |node| {
            let steps = self.way(node);
            let receiver = self.receiver(node, &steps);
            self.item(steps, receiver, true)
        };
        nodes_of(sample).into_iter().map(take).collect()
    }

    /// A sample with its snapshots put back instead; `None` if a state has none. Only one of the two is to be absorbed.
    pub fn with_snapshots(&mut self, sample: &Batch, taken: Vec<Observation>) -> Option<Batch> {
        let mut bases = BTreeMap::new();
        for (node, taken) in nodes_of(sample).into_iter().zip(taken) {
            let snapshot = taken.states.into_iter().next().flatten()?.stored?;
            bases.insert(node, [self.restoring(snapshot)]);
        }
        let mut twin = Batch { items: Vec::new(), tests: Vec::new() };
        for test in &sample.tests {
            self.push(*test, bases.get(&test.node?)?, Strategy::Restore, &mut twin);
        }
        Some(twin)
    }
}

impl Batch {
    /// The same tests ended in the same way, whichever way their states were reached.
    pub fn agrees(&self, seen: &[Observation], other: &Batch, other_seen: &[Observation]) -> bool {
        let ends = |batch: &Batch, seen: &[Observation]| -> Vec<Ended> {
            batch.items.iter().zip(seen).map(|(item, seen)| ended(item, seen)).collect()
        };
        self.tests == other.tests && ends(self, seen) == ends(other, other_seen)
    }
}

/// The states that a batch makes calls on, in order.
fn nodes_of(batch: &Batch) -> Vec<NodeId> {
    let mut nodes: Vec<NodeId> = batch.tests.iter().filter_map(|test| test.node).collect();
    nodes.dedup();
    nodes
}

/// How a test ended, without where.
#[derive(Debug, PartialEq, Eq)]
enum Ended {
    /// `None` is a state too large to compare.
    State(Option<StateHash>),
    Threw(Option<ClassName>),
    Broken,
}

fn ended(item: &Item, seen: &Observation) -> Ended {
    let last = item.sequence.len() as u16 - 1;
    match (&seen.end, seen.states.first()) {
        _ if !seen.taints.is_empty() => Ended::Broken,
        (End::Completed, Some(Some(state))) => Ended::State((!state.truncated).then_some(state.hash)),
        (End::Threw(step), _) if step.0 == last => Ended::Threw(match seen.steps.last() {
            Some((_, StepOutcome::Threw(thrown))) => Some(thrown.class.clone()),
            _ => None,
        }),
        _ => Ended::Broken,
    }
}
