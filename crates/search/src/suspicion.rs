//! Which stored sequences make calls run out of time or memory.
//!
//! In: the parts of sequences that had to be stopped. Out: parts to use no more. An iterator without end is made in no time and stops whoever walks it; the
//! method that walked it is not to blame. Whether a part is, shows in how many of its uses end so; what is built on a suspect starts as one.
//! The same holds for stand-ins, which are made anew each time, and for calls that make values on demand: one that waits for what never comes would be
//! made for every sequence that wants its result.

use probat_model::OperationId;
use rustc_hash::FxHashMap;

use crate::store::SequenceId;

/// Stops before a part is suspected.
const PATIENCE: u32 = 2;

/// A part is given up unless more than so many of its uses come on each stop. A stop costs as much as some thousand sequences; of all sequences one in
/// some hundreds is stopped, so that a part that is there by chance is hardly ever given up.
const USES_PER_STOP: u32 = 40;

/// The same for stand-ins. A stop costs as much as some thousand sequences, and a simpler stand-in takes the place of one that is shunned.
const STAND_USES_PER_STOP: u32 = 200;

/// Counts by part, and by stand-in.
#[derive(Debug, Default)]
pub struct Suspicion {
    stops: FxHashMap<SequenceId, u32>,
    stands: FxHashMap<OperationId, Stand>,
}

/// How a stand-in fared.
#[derive(Debug, Clone, Copy, Default)]
struct Stand {
    uses: u32,
    stops: u32,
}

impl Suspicion {
    /// A part was there when a sequence was stopped. If it is suspect, it should be given up unless it was used more often than the answer says.
    pub fn note(&mut self, part: SequenceId) -> Option<u32> {
        let stops = self.stops.entry(part).or_default();
        *stops += 1;
        (*stops >= PATIENCE).then_some(*stops * USES_PER_STOP)
    }

    /// A new sequence is as suspect as the worst of its parts, and gets one more chance.
    pub fn inherit(&mut self, sequence: SequenceId, parts: &[SequenceId]) {
        let worst = parts.iter().filter_map(|part| self.stops.get(part)).max().copied();
        if let Some(worst) = worst {
            self.stops.insert(sequence, worst.min(PATIENCE - 1));
        }
    }

    /// A stand-in was part of a sequence, or a sequence was stopped in this call.
    pub fn used(&mut self, stand: OperationId, is_stopped: bool) {
        let counts = self.stands.entry(stand).or_default();
        counts.uses += 1;
        counts.stops += u32::from(is_stopped);
    }

    /// An operation that is known for something was part of another sequence.
    pub fn used_again(&mut self, operation: OperationId) {
        if let Some(counts) = self.stands.get_mut(&operation) {
            counts.uses += 1;
        }
    }

    /// Whether a stand-in, or a call that makes a value on demand, costs more than it brings.
    pub fn is_shunned(&self, stand: OperationId) -> bool {
        let counts = self.stands.get(&stand).copied().unwrap_or_default();
        counts.stops >= PATIENCE && counts.uses < counts.stops.saturating_mul(STAND_USES_PER_STOP)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stand_in_is_shunned_while_too_many_of_its_uses_are_stopped() {
        let (mut suspicion, stand) = (Suspicion::default(), OperationId(3));
        suspicion.used(stand, true);
        assert!(!suspicion.is_shunned(stand), "once is no habit");
        suspicion.used(stand, true);
        assert!(suspicion.is_shunned(stand) && !suspicion.is_shunned(OperationId(4)));
        (0..2 * STAND_USES_PER_STOP).for_each(|_| suspicion.used(stand, false));
        assert!(!suspicion.is_shunned(stand), "it is of use");
    }

    #[test]
    fn what_is_built_on_a_suspect_gets_one_chance() {
        let mut suspicion = Suspicion::default();
        let [a, b, c, d] = [0, 1, 2, 3].map(SequenceId);
        assert_eq!(
            [suspicion.note(a), suspicion.note(a), suspicion.note(a)],
            [None, Some(2 * USES_PER_STOP), Some(3 * USES_PER_STOP)]
        );
        suspicion.inherit(b, &[a]);
        suspicion.inherit(c, &[b, d]);
        assert_eq!(
            [suspicion.note(b), suspicion.note(c), suspicion.note(d)],
            [Some(2 * USES_PER_STOP), Some(2 * USES_PER_STOP), None]
        );
    }
}
