//! Which way of reaching states again is used, where nobody says.
//!
//! In: what both ways took for the same tests. Out: the way to go on with, and why. Knows no clock: the caller measures.
//! What is found does not depend on it, since both ways lead to the same states; where they do not, calls are run again.

use std::time::Duration;

use crate::explorer::Strategy;

/// Tests before both ways are first compared: a JVM that has just started tells nothing.
const FIRST: u64 = 2_000;

/// Where tests are slow, so many are enough once they took [`SLOW`].
const FIRST_SLOW: u64 = 128;
const SLOW: Duration = Duration::from_millis(500);

/// Tests in a sample, at least and at most; and of slow ones.
const SAMPLE: (u64, u64) = (64, 2_048);
const SAMPLE_SLOW: usize = 16;

/// Of the tests so far, a sample is one in so many. It is run six times each time the number of tests, or their time, has doubled.
const PART: u64 = 128;

/// Snapshots must be faster by so much to be worth their memory, and calls to be worth a change back.
const MARGIN: f64 = 1.1;

/// Both ways, measured on the same tests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trial {
    /// Tests before it.
    pub after: u64,
    /// Calls of the deepest of its tests.
    pub depth: u16,
    /// Tests that were run both ways.
    pub sample: usize,
    pub rerun: Duration,
    pub restore: Duration,
    /// The way that was gone on with.
    pub chosen: Strategy,
}

/// Why snapshots are not put back whatever they cost. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bar {
    /// A call on a snapshot did not do what it did on the object itself.
    Differs,
    /// The snapshots took the memory that they may take.
    Memory,
}

/// Compares the two ways now and then.
#[derive(Debug, Clone, PartialEq)]
pub struct Chooser {
    pub trials: Vec<Trial>,
    pub bar: Option<Bar>,
    current: Strategy,
    /// When it is time again: at so many tests, or after so long.
    next: (u64, Duration),
}

impl Default for Chooser {
    fn default() -> Self {
        Chooser { trials: Vec::new(), bar: None, current: Strategy::Rerun, next: (FIRST, SLOW) }
    }
}

impl Chooser {
    /// The way to use now.
    pub fn current(&self) -> Strategy {
        self.current
    }

    /// How many tests to compare both ways on after so many tests and so long; `None` if it is not yet time.
    pub fn sample(&self, tests: u64, elapsed: Duration) -> Option<usize> {
        if self.bar.is_some() {
            None
        } else if tests >= self.next.0 {
            Some((tests / PART).clamp(SAMPLE.0, SAMPLE.1) as usize)
        } else {
            (tests >= FIRST_SLOW && elapsed >= self.next.1).then_some(SAMPLE_SLOW)
        }
    }

    /// Takes what was measured.
    pub fn learn(&mut self, after: u64, depth: u16, sample: usize, rerun: Duration, restore: Duration) {
        let faster = |this: Duration, that: Duration| this.as_secs_f64() * MARGIN < that.as_secs_f64();
        self.current = match self.current {
            Strategy::Rerun if faster(restore, rerun) => Strategy::Restore,
            Strategy::Restore if faster(rerun, restore) => Strategy::Rerun,
            stays => stays,
        };
        self.trials.push(Trial { after, depth, sample, rerun, restore, chosen: self.current });
    }

    /// Says when both ways are compared next; now so many tests have taken so long.
    pub fn postpone(&mut self, tests: u64, elapsed: Duration) {
        self.next = (2 * tests.max(FIRST / 2), 2 * elapsed.max(SLOW / 2));
    }

    /// From now on, calls are run again.
    pub fn forbid(&mut self, bar: Bar) {
        self.bar = Some(bar);
        self.current = Strategy::Rerun;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::ZERO;

    fn after(trials: &[(u64, u64)]) -> Strategy {
        let mut chooser = Chooser::default();
        for &(rerun, restore) in trials {
            let tests = chooser.next.0;
            let sample = chooser.sample(tests, NOW).expect("it is time");
            assert_eq!(chooser.sample(tests - 1, NOW), None);
            let micros = Duration::from_micros;
            chooser.learn(tests, 3, sample, micros(rerun), micros(restore));
            chooser.postpone(tests, NOW);
        }
        assert_eq!(chooser.trials.len(), trials.len());
        chooser.current()
    }

    #[test]
    fn the_faster_way_is_used() {
        assert_eq!(after(&[]), Strategy::Rerun);
        assert_eq!(after(&[(100, 300)]), Strategy::Rerun);
        assert_eq!(after(&[(300, 100)]), Strategy::Restore);
        // Deeper states may cost otherwise.
        assert_eq!(after(&[(100, 300), (300, 100)]), Strategy::Restore);
        assert_eq!(after(&[(300, 100), (100, 300)]), Strategy::Rerun);
    }

    #[test]
    fn a_small_difference_changes_nothing() {
        assert_eq!(after(&[(105, 100)]), Strategy::Rerun);
        assert_eq!(after(&[(300, 100), (100, 105)]), Strategy::Restore);
    }

    #[test]
    fn measuring_stays_a_small_part_of_the_work() {
        for micros in [1, 1_000, 100_000] {
            let mut chooser = Chooser::default();
            let mut run = 0;
            for tests in 0..1_000_000 {
                let elapsed = Duration::from_micros(tests * micros);
                if let Some(sample) = chooser.sample(tests, elapsed) {
                    run += 6 * sample as u64;
                    chooser.learn(tests, 0, sample, Duration::ZERO, Duration::ZERO);
                    chooser.postpone(tests, elapsed);
                    assert!(run < tests, "{run} of {tests}");
                }
            }
            assert!((9..20).contains(&chooser.trials.len()), "{}", chooser.trials.len());
            assert!(run < 60_000, "{run} of a million");
        }
    }

    #[test]
    fn slow_tests_are_measured_before_there_are_many() {
        let chooser = Chooser::default();
        assert_eq!(chooser.sample(FIRST_SLOW, SLOW), Some(SAMPLE_SLOW));
        assert_eq!(chooser.sample(FIRST_SLOW - 1, SLOW), None);
    }

    #[test]
    fn what_is_forbidden_is_not_measured_again() {
        let mut chooser = Chooser::default();
        chooser.learn(2_000, 3, 64, Duration::from_secs(3), Duration::from_secs(1));
        chooser.forbid(Bar::Differs);
        assert_eq!((chooser.current(), chooser.sample(1 << 40, SLOW)), (Strategy::Rerun, None));
    }
}
