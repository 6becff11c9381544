//! Sequences that the user gives the search to begin with (spec 004 row R18).
//!
//! In: sequences over an operation table of their own. Out: what they made, in the pool, before anything else is tried. A sequence that
//! does not run to its end gives nothing, and is remembered with the reason. None becomes a test by itself.

use probat_model::{End, Observation, OperationTable, Sequence, Step, Type};
use smallvec::SmallVec;

use super::Campaign;
use crate::assemble::Candidate;
use crate::catalogue::CallableId;

/// What became of a sequence of the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seeded {
    /// It was not run yet.
    Waiting,
    /// So many of its values serve from now on.
    Gave(usize),
    /// It ended in this way, or tried something forbidden.
    Failed(Option<End>),
}

/// A sequence of the user on its way.
#[derive(Debug, Clone)]
pub struct Seed {
    pub(super) index: usize,
    pub(super) candidate: Candidate,
}

impl Campaign<'_> {
    /// Has a sequence run before anything else, and what it makes serve as components.
    pub fn plant(&mut self, table: &OperationTable, sequence: &Sequence) {
        let index = self.seeded.len();
        let steps = self.adopted(table, sequence.steps());
        if steps.is_empty() {
            self.seeded.push(Seeded::Gave(0));
            return;
        }
        let candidate = self.given(CallableId(0), steps);
        self.seeded.push(Seeded::Waiting);
        self.waiting.push(Seed { index, candidate });
    }

    /// Steps over another table, over that of the catalogue.
    pub(super) fn adopted(&mut self, table: &OperationTable, steps: &[Step]) -> Vec<Step> {
        let operations = &mut self.catalogue.operations;
        let adopt = |step: &Step| Step {
            operation: operations.intern(table.get(step.operation).clone()),
            args: step.args.clone(),
        };
        steps.iter().map(adopt).collect()
    }

    /// A candidate that was not assembled here: all objects in it are new.
    pub(super) fn given(&self, callable: CallableId, steps: Vec<Step>) -> Candidate {
        let gives_object = |step: &Step| {
            let result = self.catalogue.operations.get(step.operation).result();
            result.as_ref().is_some_and(Type::is_reference)
        };
        let touched = (0..steps.len()).filter(|&at| gives_object(&steps[at])).map(|at| at as u16).collect();
        Candidate {
            callable,
            parts: SmallVec::new(),
            tail: 0,
            call: steps.len() as u16 - 1,
            steps,
            touched,
            attempt: None,
            sites: Vec::new(),
            substituted: false,
            receiver: None,
            is_unhurried: false,
            is_weighed: false,
            stem: Default::default(),
        }
    }

    /// What became of the sequences of the user, in the order they were planted.
    pub fn seeded(&self) -> &[Seeded] {
        &self.seeded
    }

    /// Keeps what a sequence of the user made.
    pub(super) fn sprout(&mut self, seed: Seed, seen: &Observation) {
        let Seed { index, candidate } = seed;
        self.totals.sequences += 1;
        self.totals.steps += candidate.steps.len() as u64;
        self.seeded[index] = if seen.end != End::Completed || !seen.is_harmless() {
            Seeded::Failed(Some(seen.end.clone()).filter(|end| *end != End::Completed))
        } else {
            self.totals.legal += 1;
            let before = self.pool.states();
            self.extend(candidate, seen, false);
            Seeded::Gave(self.pool.states() - before)
        };
    }
}
