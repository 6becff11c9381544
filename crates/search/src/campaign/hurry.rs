//! Endless calls cost as much as thousands of others, so nobody waits for them as long as they may take.
//!
//! In: candidates, and those that were stopped in a hurry. Out: who is hurried, and who runs again with all the time there is.
//! Only a call that was not hurried is reported as one that does not end.

use probat_model::StepId;

use super::{Campaign, Draft};
use crate::assemble::Candidate;
use crate::stems::Stem;

/// How often calls of one operation get a second chance.
const CHANCES: u32 = 2;

/// Sequences that are run for each second chance: one that comes to nothing takes as long as hundreds to ten thousands of others.
const SEQUENCES_PER_CHANCE: u64 = 2_000;

/// Second chances that come before that.
const FREE_CHANCES: u64 = 4;

impl Campaign<'_> {
    /// Whether a draft is given up sooner than it may be.
    pub(super) fn is_hurried(&self, draft: &Draft) -> bool {
        match draft {
            Draft::Try(candidate) => self.config.hurry && !candidate.is_unhurried,
            Draft::Ask(_) | Draft::Seed(_) | Draft::Meet(_) => false,
        }
    }

    /// Has a candidate that was stopped in a hurry run again, if the call it was stopped in has chances left.
    pub(super) fn gets_second_chance(&mut self, candidate: &Candidate, step: StepId) -> bool {
        let Some(stopped) = candidate.steps.get(usize::from(step.0)) else { return false };
        let is_due = self.chances_given < FREE_CHANCES + self.totals.sequences / SEQUENCES_PER_CHANCE;
        let chances = self.second_chances.entry(stopped.operation).or_default();
        if *chances >= CHANCES || !is_due {
            return false;
        }
        *chances += 1;
        self.chances_given += 1;
        self.resumed.push_back(Candidate { is_unhurried: true, stem: Stem::None, ..candidate.clone() });
        true
    }

    /// A call that did not end when it had all the time there is gets no more of that.
    pub(super) fn was_not_hurried(&mut self, candidate: &Candidate, step: StepId) {
        if let Some(stopped) = candidate.steps.get(usize::from(step.0)) {
            self.second_chances.insert(stopped.operation, CHANCES);
        }
    }
}
