//! Candidates that call other members on a receiver that one candidate makes anyway.
//!
//! In: a candidate, and what is known of who leaves receivers alone. Out: the same, followed by others that begin alike. Which members are called
//! goes by the weights that all draws go by.

use probat_model::Observation;

use super::{Campaign, Draft, key};
use crate::assemble::Candidate;
use crate::catalogue::CallableId;
use crate::pool::PoolValue;
use crate::stems::{SHORTEST, Stem};
use crate::strategy::{Inputs, Pruning};

impl Campaign<'_> {
    /// Adds a candidate, and others on its receiver where what leads to that is worth running once for all of them. One that may change the
    /// receiver runs alone before the others.
    pub(super) fn with_siblings(&mut self, mut candidate: Candidate, drawn: &mut Vec<Draft>, size: usize) {
        let shared = self.shared_by(&candidate);
        let is_calm = self.members.is_calm(candidate.callable);
        if let (Some((_, stem)), true) = (shared, is_calm) {
            candidate.stem = Stem::Leads(stem);
        }
        let mut leader = is_calm.then_some(drawn.len());
        drawn.push(Draft::Try(candidate));
        let Some((receiver, stem)) = shared else { return };
        let members = self.members.calm_on(receiver.ty, &self.catalogue.types);
        let room = size.saturating_sub(drawn.len());
        for _ in 0..self.config.assemble.followers.min(room).min(2 * members.len()) {
            let weights = members.iter().map(|&member| self.schedule.weight(member));
            let Some(chosen) = self.rng.weighted(weights) else { break };
            let mut assembler = self.assembler(members[chosen]);
            assembler.receiver = Some(receiver);
            let Ok(sibling) = assembler.candidate() else { continue };
            let begins_alike = sibling.steps.len() > usize::from(stem);
            if begins_alike
                && self.is_gathered(sibling.callable, &sibling.steps)
                && self.run.insert(key(&sibling.steps))
            {
                let stem = if leader.is_some() { Stem::Follows(stem) } else { Stem::Leads(stem) };
                leader.get_or_insert(drawn.len());
                drawn.push(Draft::Try(self.with_interests(Candidate { stem, ..sibling })));
            }
        }
        if let Some(at) = leader.filter(|at| drawn.len() == at + 1)
            && let Draft::Try(alone) = &mut drawn[at]
        {
            alone.stem = Stem::None;
        }
    }

    /// The receiver that others may be called on, and how many steps lead to it.
    fn shared_by(&self, candidate: &Candidate) -> Option<(PoolValue, u16)> {
        let config = &self.config;
        let by_state = config.strategy.pruning == Pruning::State && config.strategy.inputs == Inputs::Eager;
        let is_watched = config.past_exceptions || !self.visitors.is_empty() || config.strategy.watch_all;
        let receiver = candidate.receiver.filter(|_| by_state && !is_watched)?;
        let stem = self.store.length(receiver.sequence);
        (stem >= SHORTEST).then_some((receiver, stem as u16))
    }

    /// Whether a member was looked at often enough and never seen to change its receiver.
    pub fn is_calm(&self, callable: CallableId) -> bool {
        self.members.is_calm(callable)
    }

    /// Learns whether a call left its receiver as it was, and takes the look before the call from what was seen. What is stored of the receiver would
    /// not do: what it shares with all others of its kind, such as caches, was perhaps in another state then.
    pub(super) fn note_calm(&mut self, candidate: &Candidate, seen: &mut Observation) {
        let Some(receiver) = candidate.receiver.filter(|_| candidate.is_weighed) else { return };
        if seen.states.is_empty() {
            return;
        }
        let before = seen.states.remove(0);
        let Some(at) = candidate.touched.iter().position(|&step| step == receiver.step) else { return };
        if let (Some(before), Some(after)) = (before, seen.states.get(at).and_then(Option::as_ref)) {
            let is_changed = before.truncated || after.truncated || after.hash != before.hash;
            self.members.note(candidate.callable, is_changed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{LINES, counter, plain};
    use super::*;
    use crate::assemble::AssembleConfig;
    use crate::campaign::CampaignConfig;
    use crate::fake::V;
    use probat_model::Operation;
    use probat_protocol::Item;

    /// Runs a search on a counter that can also be read and compared; answers the rounds and the steps executed.
    fn rounds(followers: usize) -> (Vec<Vec<Candidate>>, u64, String) {
        let (mut catalogue, mut fake) = counter();
        fake.add(&mut catalogue, &LINES, "Counter", "get", "()I", |heap, args| {
            Ok(V::Int(heap.int(&args[0], 0)))
        });
        fake.add(&mut catalogue, &LINES, "Counter", "isBelow", "(I)Z", |heap, args| {
            let V::Int(than) = args[1] else { panic!() };
            Ok(V::Bool(heap.int(&args[0], 0) < than))
        });
        let config = plain(1);
        let assemble = AssembleConfig { followers, ..config.assemble };
        let mut campaign = Campaign::new(catalogue, &LINES, CampaignConfig { assemble, ..config });
        let mut all = Vec::new();
        for _ in 0..60 {
            let round = campaign.round();
            let items: Vec<Item> = round.iter().map(|draft| campaign.item(draft)).collect();
            let stems = round.iter().map(|draft| draft.stem().steps());
            assert!(items.iter().map(|item| item.stem).eq(stems));
            let seen = items.iter().map(|item| fake.observe(&campaign.catalogue.operations, item)).collect();
            let tried = round.iter().filter_map(|draft| match draft {
                Draft::Try(candidate) => Some(candidate.clone()),
                _ => None,
            });
            all.push(tried.collect());
            campaign.absorb(round, seen);
        }
        let calm = (0..campaign.catalogue.callables.len() as u32).map(crate::catalogue::CallableId);
        let calm = calm.filter(|&member| campaign.members.is_calm(member)).map(|member| {
            match campaign.catalogue.operations.get(campaign.catalogue.callable(member).operation) {
                Operation::Call { name, .. } => name.clone(),
                other => panic!("{other:?}"),
            }
        });
        let calm = calm.collect::<Vec<_>>().join(" ");
        (all, campaign.totals().steps, calm)
    }

    #[test]
    fn those_that_follow_begin_as_the_one_that_leads() {
        let (rounds, steps, calm) = rounds(4);
        assert_eq!(calm, "get isBelow", "the others change the counter");
        let (mut followers, mut executed) = (0, 0);
        for round in &rounds {
            for pair in round.windows(2) {
                let Stem::Follows(stem) = pair[1].stem else { continue };
                followers += 1;
                let shared = usize::from(stem);
                assert!(matches!(pair[0].stem, Stem::Leads(of) | Stem::Follows(of) if of == stem));
                assert_eq!(pair[0].steps[..shared], pair[1].steps[..shared]);
                assert!(shared >= SHORTEST && pair[1].steps.len() > shared);
            }
            let all = round.iter().map(|one| one.steps.len() as u64 - u64::from(one.stem.saved()));
            executed += all.sum::<u64>();
        }
        assert!(followers > 20, "{followers}");
        assert_eq!(steps, executed, "what is not run again is not counted again");
    }

    #[test]
    fn without_followers_everyone_is_run_alone() {
        let (rounds, ..) = rounds(0);
        assert!(rounds.iter().flatten().all(|one| one.stem.saved() == 0));
    }
}
