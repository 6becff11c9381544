//! The share of a round that goes to laws between objects.
//!
//! In: what [`Pairs`] arranges. Out: meetings to run, and candidates that show what was broken in one.

use probat_model::Observation;

use super::{Campaign, Draft, FIRST_ROUNDS, key};
use crate::pairs::{Makings, Meeting};

/// Meetings are at most one in so many of a round, whatever share of the steps is left for them.
const ROUND: usize = 16;

impl Campaign<'_> {
    /// Candidates that were asked for by meetings, and new meetings.
    pub(super) fn draw_meetings(&mut self, drawn: &mut Vec<Draft>, size: usize) {
        while drawn.len() < size
            && let Some(candidate) = self.pairs.as_mut().and_then(|pairs| pairs.next_candidate())
        {
            if self.run.insert(key(&candidate.steps))
                && self.is_gathered(candidate.callable, &candidate.steps)
            {
                drawn.push(Draft::Try(candidate));
            }
        }
        let Some(pairs) = self.pairs.as_mut().filter(|_| self.rounds > FIRST_ROUNDS) else { return };
        let mut makings = Makings { catalogue: &mut self.catalogue, store: &self.store, pool: &self.pool };
        for _ in 0..(size / ROUND).min(size.saturating_sub(drawn.len())) {
            match pairs.next_meeting(self.totals.steps, &mut makings) {
                Some(meeting) => drawn.push(Draft::Meet(meeting)),
                None => break,
            }
        }
    }

    /// Learns which laws were broken.
    pub(super) fn met(&mut self, meeting: Meeting, seen: &Observation) {
        self.totals.meetings += 1;
        self.totals.steps += meeting.steps.len() as u64;
        if let Some(pairs) = &mut self.pairs {
            pairs.saw(meeting, seen, &mut self.catalogue);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{LINES, plain, run};
    use super::super::{CampaignConfig, FailureKind};
    use crate::assemble::AssembleConfig;
    use crate::catalogue::Catalogue;
    use crate::fake::{Fake, Heap, V};
    use probat_model::Contract;

    /// Two numbers that are compared as tens and ones, and hashed otherwise.
    fn numbers() -> (Catalogue, Fake) {
        fn worth(heap: &mut Heap, of: &V) -> i64 {
            i64::from(heap.int(of, 0)) * 10 + i64::from(heap.int(of, 1))
        }
        let (mut catalogue, mut fake) = (Catalogue::new(), Fake::new(&[]));
        fake.add(&mut catalogue, &LINES, "Number", "new", "(II)V", |heap, args| {
            heap.at(&args[0]).fields = args[1..].to_vec();
            Ok(V::Void)
        });
        fake.add(&mut catalogue, &LINES, "Number", "equals", "(Ljava/lang/Object;)Z", |heap, args| {
            let is_one = matches!(&args[1], V::Ref(at) if heap.0[*at].class == "Number");
            Ok(V::Bool(is_one && worth(heap, &args[0]) == worth(heap, &args[1])))
        });
        fake.add(&mut catalogue, &LINES, "Number", "hashCode", "()I", |heap, args| {
            Ok(V::Int(heap.int(&args[0], 0).wrapping_mul(31).wrapping_add(heap.int(&args[0], 1))))
        });
        (catalogue, fake)
    }

    fn finds(seed: u64, pairs: bool) -> bool {
        let config = plain(seed);
        // How many meetings there are goes by the steps; what stands beside them shall not matter here.
        let assemble = AssembleConfig { followers: 0, ..config.assemble };
        let (campaign, _) = run(numbers(), CampaignConfig { pairs, assemble, ..config }, 100);
        assert_eq!(campaign.totals().meetings > 0, pairs);
        campaign.failures().any(|failure| failure.kind == FailureKind::Contract(Contract::EqualsHashCode))
    }

    #[test]
    fn objects_made_alike_show_what_is_rare_among_others() {
        let found = |pairs| (0..10).filter(|&seed| finds(seed, pairs)).count();
        assert_eq!(found(true), 10);
        // In three times as many rounds those without find it, too.
        assert!(found(false) <= 7);
    }

    #[test]
    fn what_shows_it_makes_the_two_objects_and_compares_them() {
        let (campaign, _) = run(numbers(), plain(1), 120);
        let found = campaign
            .failures()
            .find(|failure| failure.kind == FailureKind::Contract(Contract::EqualsHashCode))
            .unwrap();
        // Two numbers and a constructor, twice, and the comparison.
        assert_eq!((found.steps.len(), found.violation.as_ref().unwrap().steps.len()), (7, 2));
    }

    #[test]
    fn meetings_take_a_small_share_of_the_steps() {
        let rounds = |pairs| run(numbers(), CampaignConfig { pairs, ..plain(3) }, 200).0.totals();
        let totals = rounds(true);
        // Eight objects of three steps and their array.
        assert!(totals.meetings * 25 <= totals.steps / 20 + 25, "{totals:?}");
        assert_eq!(rounds(true), totals, "the seed decides");
        assert_eq!(rounds(false).meetings, 0);
    }
}
