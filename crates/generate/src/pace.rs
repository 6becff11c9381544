//! How much can still be checked.
//!
//! In: how long batches of source took. Out: the size of the next one. The first guess is for an ordinary machine; a batch that was
//! measured replaces it. Sizes are lines: compiling is most of the work, and tests differ much in length.

use std::time::Duration;

/// What checking costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pace {
    /// Starting a compiler and JVMs.
    fixed: f64,
    per_line: f64,
    measured: bool,
}

/// Seconds on an ordinary machine.
const FIXED: f64 = 4.0;
const PER_LINE: f64 = 0.0008;

/// The share of these that running everything together once more takes.
const CONFIRMING: f64 = 0.2;

/// Lines of an ordinary test, and of a short one.
const LINES: f64 = 15.0;
const SHORT_LINES: usize = 5;

/// A guess may be wrong by this much.
const DOUBT: f64 = 1.5;

/// Lines of a first batch that is checked however late it is.
const FIRST: usize = 3_000;

/// Batches smaller than this are not worth starting JVMs.
const LEAST: usize = 300;

impl Default for Pace {
    fn default() -> Self {
        Pace { fixed: FIXED, per_line: PER_LINE, measured: false }
    }
}

/// What a search should leave for each test it has found.
pub(crate) fn cost_per_test() -> Duration {
    Duration::from_secs_f64(PER_LINE * (1.0 + CONFIRMING) * LINES * DOUBT)
}

/// What it should leave for so many lines, besides what it leaves in any case.
pub(crate) fn cost_of(lines: usize) -> Duration {
    Duration::from_secs_f64(PER_LINE * (1.0 + CONFIRMING) * lines as f64 * DOUBT)
}

/// What a search should leave in any case.
pub(crate) fn fixed_cost() -> Duration {
    Duration::from_secs_f64(FIXED * (1.0 + CONFIRMING) * DOUBT)
}

/// How many tests can be checked in a time. Those of a first batch may all be short; if they are not, the most useful of them are checked.
pub(crate) fn tests_in(time: Duration) -> usize {
    let left = time.as_secs_f64() / DOUBT / (1.0 + CONFIRMING) - FIXED;
    (left.max(0.0) / (PER_LINE * LINES)) as usize + FIRST / SHORT_LINES
}

impl Pace {
    /// Of `waiting` lines, how many to check next, so that there is time to run everything once more. Something is always checked first, even when time is out.
    pub fn room(&self, left: Duration, waiting: usize) -> usize {
        let left = left.as_secs_f64() / (1.0 + CONFIRMING);
        let doubt = if self.measured { 1.0 } else { DOUBT };
        // All at once, if that is likely to fit: what waits for a second batch pays for JVMs again.
        if self.fixed + self.per_line * waiting as f64 <= left {
            return waiting;
        }
        // An unmeasured machine shows with what fits for sure how fast it is.
        let room = ((left / doubt - self.fixed) / self.per_line).max(0.0) as usize;
        if !self.measured {
            return room.max(FIRST).min(waiting);
        }
        if room < LEAST { 0 } else { room.min(waiting) }
    }

    /// Learns from a batch. Starting takes about as long as a small batch itself.
    pub fn learn(&mut self, lines: usize, took: Duration) {
        let took = took.as_secs_f64();
        let ordinary = FIXED + PER_LINE * lines as f64;
        let slower = took / ordinary;
        *self = Pace { fixed: FIXED * slower, per_line: PER_LINE * slower, measured: true };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_machine_checks_fewer_tests() {
        let mut pace = Pace::default();
        let all = 20_000;
        assert_eq!(pace.room(Duration::from_secs(60), all), all, "there is time for all");
        assert_eq!(pace.room(Duration::ZERO, all), FIRST, "something is always checked");
        pace.learn(FIRST, Duration::from_secs(30));
        let room = pace.room(Duration::from_secs(40), all);
        assert!(0 < room && room < all, "{room}");
        assert_eq!(pace.room(Duration::from_secs(2), all), 0);
    }

    #[test]
    fn a_search_leaves_what_checking_takes() {
        let time = fixed_cost() + cost_per_test() * 2_000 + Duration::from_millis(1);
        let (tests, pace) = (tests_in(time), Pace::default());
        assert!(tests >= 2_000, "{tests}");
        let lines = 2_000 * LINES as usize;
        assert_eq!(pace.room(time, lines), lines);
    }
}
