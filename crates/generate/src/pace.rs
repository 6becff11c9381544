//! How many tests can still be checked.
//!
//! In: how long batches of tests took. Out: the size of the next one. The first guess is for an ordinary machine; a batch that was
//! measured replaces it.

use std::time::Duration;

/// What checking costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pace {
    /// Starting a compiler and JVMs.
    fixed: f64,
    per_test: f64,
    measured: bool,
}

/// Seconds on an ordinary machine.
const FIXED: f64 = 2.5;
const PER_TEST: f64 = 0.006;

/// A guess may be wrong by this much.
const DOUBT: f64 = 2.0;

/// Tests of a first batch when time is short.
const FIRST: usize = 300;

/// Batches smaller than this are not worth starting JVMs.
const LEAST: usize = 25;

impl Default for Pace {
    fn default() -> Self {
        Pace { fixed: FIXED, per_test: PER_TEST, measured: false }
    }
}

/// What a search should leave for each test it has found.
pub(crate) fn cost_per_test() -> Duration {
    Duration::from_secs_f64(PER_TEST)
}

/// What a search should leave in any case.
pub(crate) fn fixed_cost() -> Duration {
    Duration::from_secs_f64(FIXED)
}

impl Pace {
    /// Of `waiting` tests, how many to check next. Something is always checked first, even when time is out.
    pub fn room(&self, left: Duration, waiting: usize) -> usize {
        let left = left.as_secs_f64();
        let doubt = if self.measured { 1.0 } else { DOUBT };
        if (self.fixed + self.per_test * waiting as f64) * doubt <= left {
            return waiting;
        }
        if !self.measured {
            return FIRST.min(waiting);
        }
        let room = ((left - self.fixed) / self.per_test).max(0.0) as usize;
        if room < LEAST { 0 } else { room.min(waiting) }
    }

    /// Learns from a batch. Starting takes about as long as a small batch itself.
    pub fn learn(&mut self, tests: usize, took: Duration) {
        let took = took.as_secs_f64();
        let ordinary = FIXED + PER_TEST * tests as f64;
        let slower = took / ordinary;
        *self = Pace { fixed: FIXED * slower, per_test: PER_TEST * slower, measured: true };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_machine_checks_fewer_tests() {
        let mut pace = Pace::default();
        assert_eq!(pace.room(Duration::from_secs(60), 1000), 1000, "there is time for all");
        assert_eq!(pace.room(Duration::ZERO, 1000), FIRST, "something is always checked");
        pace.learn(FIRST, Duration::from_secs(30));
        let room = pace.room(Duration::from_secs(40), 1000);
        assert!(0 < room && room < 1000, "{room}");
        assert_eq!(pace.room(Duration::from_secs(2), 1000), 0);
    }
}
