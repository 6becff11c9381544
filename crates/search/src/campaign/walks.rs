//! Random walks: sequences that are made longer call by call, until one fails (spec 001 §2.2).
//!
//! In: callables drawn, and what became of the longer sequences. Out: candidates that go on with a walk, or begin one where none is waiting.
//! As many walks are under way as there are runs in flight, so that none waits for another; each is a walk of its own.

use super::{Campaign, Draft};
use crate::assemble::{Candidate, NoCandidate};
use crate::catalogue::CallableId;
use crate::pool::PoolValue;
use crate::strategy::Inputs;

/// Draws for one candidate.
const DRAWS: usize = 4;

/// Draws for one more call of a walk: few members can be called with what one walk holds.
const DRAWS_OF_WALK: usize = 64;

impl Campaign<'_> {
    /// How many callables are drawn for one candidate, at most.
    pub(super) fn draws(&self) -> usize {
        match self.config.strategy.inputs {
            Inputs::Walk => DRAWS_OF_WALK,
            Inputs::Eager
            | Inputs::Actions
            | Inputs::Recommended { .. }
            | Inputs::TopDown { .. }
            | Inputs::Components => DRAWS,
        }
    }

    /// Lets the next walk go on with a call, if it has what that takes.
    pub(super) fn walk_on(&mut self, callable: CallableId, drawn: &mut Vec<Draft>) {
        match self.gathered(callable) {
            Ok(candidate) => {
                self.walks.pop_front();
                drawn.extend(self.unless_run_before(candidate).map(Draft::Try));
            }
            Err(why) => {
                if why == NoCandidate::TooLong {
                    self.walks.pop_front();
                }
                self.unassembled(callable, why);
            }
        }
    }

    /// Keeps a walk whose last call was legal, so that it goes on.
    pub(super) fn keep_walking(&mut self, candidate: &Candidate, values: &[PoolValue]) {
        let sequence = self.keep(candidate, values);
        self.walks.push_back(sequence);
    }
}
