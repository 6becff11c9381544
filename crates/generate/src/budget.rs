//! How a time limit is shared out.
//!
//! In: the options of a run, and how fast its code is. Out: what the search may take, and what it leaves for finishing and checking tests. Slow code
//! takes long in everything that comes after a search too, so that more is left for that. With a step limit no clock decides anything.

use std::time::Duration;

use crate::hunt::{HuntLimits, InFlight, Plateau};
use crate::options::JobOptions;
use crate::pace::{cost_of, tests_in};
use crate::verify::reserve;

/// The share of the time that checking tests may take.
const CHECKS: f64 = 0.25;

/// The shares of the time that shortening tests, adding assertions and judging failures take: where code is fast, and at most.
const FINISHING: f64 = 0.15;
const MOST_FINISHING: f64 = 0.35;

/// The share that finishing gets however late the search ended: what was found is worth some time.
const LEAST_FINISHING: f64 = 0.1;

/// Of the time for finishing, what is for tests that pass; the rest is for judging failures.
const PASSING: f64 = 0.8;

/// Tests that are finished, at most, before those that come next are hardly worth writing.
const TESTS: usize = 600;

/// Runs that finishing a test takes, and those that checking it takes.
const FINISHING_RUNS: u32 = 36;
const CHECKING_RUNS: u32 = 4;

/// What comes after a search, and has time kept for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Afterwards {
    /// What checking each test takes, and how much is kept for that at most.
    pub checking_each: Duration,
    pub most_checking: Duration,
    /// How much is kept for finishing tests, at least and at most.
    pub least_finishing: Duration,
    pub most_finishing: Duration,
}

impl Afterwards {
    /// The time to keep after a search that found so many tests, in runs that took so long each.
    pub fn time(&self, tests: usize, run: Duration) -> Duration {
        let count = u32::try_from(tests).unwrap_or(u32::MAX);
        let checking = self.checking_each.saturating_mul(count).min(self.most_checking);
        let finishing = run.saturating_mul(runs(tests));
        checking + finishing.clamp(self.least_finishing, self.most_finishing.max(self.least_finishing))
    }
}

/// Runs that so many tests take until they are written.
fn runs(tests: usize) -> u32 {
    (FINISHING_RUNS + CHECKING_RUNS) * tests.min(TESTS) as u32
}

/// Time kept for checking as many tests.
pub(crate) fn kept_for_checks(options: &JobOptions, tests: usize) -> Duration {
    if !options.verify {
        return Duration::ZERO;
    }
    let most = options.time().mul_f64(CHECKS);
    match options.size.most_lines() {
        Some(lines) => reserve(tests).min(most).min(reserve(0) + cost_of(lines)),
        None => reserve(tests).min(most),
    }
}

/// Tests that can be checked in the time kept for it. Of more than that, only what is worth its lines is, unless all is wanted.
pub(crate) fn room(options: &JobOptions) -> usize {
    let is_bounded = options.size.most_lines().is_some();
    if options.step_limit.is_some() || !options.verify || options.campaign.keep_all || is_bounded {
        return usize::MAX;
    }
    tests_in(options.time().mul_f64(CHECKS))
}

/// Search gets what finishing and verification will not need.
pub(crate) fn hunt_limits(options: &JobOptions, spent: Duration) -> HuntLimits {
    let in_flight = InFlight::of(&options.campaign);
    if options.search_only {
        let time = options.step_limit.is_none().then_some(options.time_limit);
        let (steps, plateau) = (options.step_limit, options.plateau);
        return HuntLimits { time, afterwards: Afterwards::default(), steps, plateau, in_flight };
    }
    let total = options.time();
    let fixed = kept_for_checks(options, 0);
    HuntLimits {
        // A step limit alone decides where it is given, so that the same steps are run on any machine.
        time: options.step_limit.is_none().then_some(total.saturating_sub(fixed + spent)),
        afterwards: Afterwards {
            checking_each: reserve(1).saturating_sub(reserve(0)),
            most_checking: kept_for_checks(options, usize::MAX).saturating_sub(fixed),
            least_finishing: total.mul_f64(FINISHING),
            most_finishing: total.mul_f64(MOST_FINISHING),
        },
        steps: options.step_limit,
        plateau: if options.step_limit.is_none() { options.plateau } else { Plateau::Never },
        in_flight,
    }
}

/// What finishing may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Finishing {
    /// Tests that pass.
    pub passing: Duration,
    /// Those, and judging failures.
    pub all: Duration,
}

/// The time for finishing as many tests when so much is left for everything, where runs took so long each.
pub(crate) fn finishing(options: &JobOptions, left: Duration, tests: usize, run: Duration) -> Finishing {
    let rerun = run.saturating_mul(CHECKING_RUNS * tests.min(TESTS) as u32);
    let checks = kept_for_checks(options, tests) + rerun.min(left / 4);
    let all = left.saturating_sub(checks).max(options.time().mul_f64(LEAST_FINISHING));
    Finishing { passing: all.mul_f64(PASSING), all }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> JobOptions {
        JobOptions { time_limit: Duration::from_secs(100), ..JobOptions::default() }
    }

    #[test]
    fn slow_code_leaves_more_time_for_what_comes_after_the_search() {
        let limits = hunt_limits(&options(), Duration::from_secs(5));
        let kept = |run| limits.afterwards.time(2_000, Duration::from_micros(run));
        assert_eq!(kept(1), kept(100), "fast is fast");
        assert!(kept(1) < kept(1_000) && kept(1_000) < kept(100_000));
        let search = limits.time.unwrap() - kept(100_000);
        assert!(search > Duration::from_secs(45), "{search:?}");
    }

    #[test]
    fn a_search_that_ended_late_leaves_something_for_its_tests() {
        let ms = Duration::from_millis;
        let late = finishing(&options(), Duration::ZERO, 500, ms(1));
        assert_eq!((late.passing, late.all), (Duration::from_secs(8), Duration::from_secs(10)));
        let early = finishing(&options(), Duration::from_secs(40), 500, ms(1));
        assert!(early.all > Duration::from_secs(20) && early.passing < early.all, "{early:?}");
        let slow = finishing(&options(), Duration::from_secs(40), 500, ms(10));
        assert!(slow.all < early.all, "checking slow tests takes longer");
    }

    #[test]
    fn with_a_step_limit_no_clock_decides() {
        let limits = hunt_limits(&JobOptions { step_limit: Some(10), ..options() }, Duration::ZERO);
        assert_eq!((limits.time, limits.steps, limits.plateau), (None, Some(10), Plateau::Never));
    }
}
