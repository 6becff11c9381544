//! Endless calls cost as much as thousands of others, so nobody waits for them as long as they may take.
//!
//! In: candidates, and those that were stopped in a hurry. Out: who is hurried, and who runs again with all the time there is.
//! Only a call that was not hurried is reported as one that does not end.

use super::{Campaign, Draft};
use crate::assemble::Candidate;
use crate::stems::Stem;

/// How often calls of one member get a second chance.
const CHANCES: u32 = 3;

impl Campaign<'_> {
    /// Whether a draft is given up sooner than it may be.
    pub(super) fn is_hurried(&self, draft: &Draft) -> bool {
        match draft {
            Draft::Try(candidate) => self.config.hurry && !candidate.is_unhurried,
            Draft::Ask(_) | Draft::Seed(_) | Draft::Meet(_) => false,
        }
    }

    /// Has a candidate that was stopped in a hurry run again, if its member has chances left.
    pub(super) fn gets_second_chance(&mut self, candidate: &Candidate) -> bool {
        let chances = self.second_chances.entry(candidate.callable).or_default();
        if *chances >= CHANCES {
            return false;
        }
        *chances += 1;
        self.resumed.push_back(Candidate { is_unhurried: true, stem: Stem::None, ..candidate.clone() });
        true
    }

    /// A member that did not end when it had all the time there is gets no more of that.
    pub(super) fn was_not_hurried(&mut self, candidate: &Candidate) {
        self.second_chances.insert(candidate.callable, CHANCES);
    }
}
