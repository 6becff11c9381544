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

#[cfg(test)]
mod tests {
    use super::super::tests::{LINES, counter, plain};
    use super::super::{CampaignConfig, FailureKind};
    use super::*;
    use probat_model::{End, Observation, Operation};
    use probat_protocol::Item;

    /// Searches where `down` takes longer than a hurried call may; with `ends` it does end. How often it ran unhurried, and whether it was reported.
    fn search(ends: bool) -> (usize, bool) {
        let (catalogue, mut fake) = counter();
        let config = CampaignConfig { hurry: true, ..plain(1) };
        let mut campaign = Campaign::new(catalogue, &LINES, config);
        let mut unhurried = 0;
        for _ in 0..40 {
            let round = campaign.round();
            let items: Vec<Item> = round.iter().map(|draft| campaign.item(draft)).collect();
            let mut seen: Vec<Observation> = Vec::new();
            for item in &items {
                let table = &campaign.catalogue.operations;
                let is_down = |operation: &Operation| matches!(operation, Operation::Call { name, .. } if name == "down");
                let steps = item.sequence.steps();
                let down = steps.iter().position(|step| is_down(table.get(step.operation)));
                unhurried += usize::from(!item.is_hurried && down.is_some());
                let one = fake.observe(table, item);
                seen.push(match down {
                    Some(at) if item.is_hurried || !ends => {
                        Observation { end: End::TimedOut(StepId(at as u16)), ..one }
                    }
                    _ => one,
                });
            }
            campaign.absorb(round, seen);
        }
        let is_told = campaign.failures().any(|failure| failure.kind == FailureKind::TimedOut);
        (unhurried, is_told)
    }

    #[test]
    fn what_was_stopped_in_a_hurry_gets_a_second_chance_before_it_is_reported() {
        assert_eq!(search(true), (CHANCES as usize, false));
        assert_eq!(search(false), (1, true));
    }
}
