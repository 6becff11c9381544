//! How long finishing may take, and what fits into it.
//!
//! In: the time there is, and how long the tests finished so far took. Out: whether it is late, how many tests come next, and how long they may be
//! shortened. Without a time limit nothing here looks at a clock.

use std::time::{Duration, Instant};

/// The share of the time of a few tests that shortening them may take; the rest is for assertions.
const SHORTENING: f64 = 0.6;

/// Tests that the time is shared out among, at most: whatever comes behind them is hardly written.
const WORTHY: usize = 400;

/// How long somebody who asked to stop may wait for tests to be finished.
const PATIENCE: Duration = Duration::from_secs(5);

/// Tests that are finished together.
pub(crate) const CHUNK: usize = 200;
const FIRST_CHUNK: usize = 32;

/// How long finishing may take.
pub(crate) struct Deadline<'s> {
    pub start: Instant,
    /// None: as long as it takes.
    pub time: Option<Duration>,
    /// Asked to stop.
    pub stop: &'s dyn Fn() -> bool,
}

impl Deadline<'_> {
    /// Whether a share of the time is over. Who asks to stop waits a little for what was found.
    pub fn is_late(&self, share: f64) -> bool {
        let time = if (self.stop)() { Some(self.time.unwrap_or(PATIENCE).min(PATIENCE)) } else { self.time };
        time.is_some_and(|time| self.start.elapsed() > time.mul_f64(share))
    }

    /// Tests that are finished together at first: few against the clock, because fresh JVMs load classes for them, which can take long.
    pub fn first_chunk(&self) -> usize {
        if self.time.is_some() { FIRST_CHUNK } else { CHUNK }
    }

    /// How many after as many took so long: what fits into the time that is left.
    pub fn next_chunk(&self, done: usize, took: Duration) -> usize {
        let Some(time) = self.time else { return CHUNK };
        let left = time.saturating_sub(self.start.elapsed());
        let fitting = left.as_secs_f64() / took.as_secs_f64().max(1e-6) * done as f64;
        (fitting as usize).clamp(FIRST_CHUNK, CHUNK)
    }

    /// Whether some of the tests that wait were shortened for as long as they may be, asked from now on.
    pub fn part(&self, count: usize, waiting: usize) -> impl Fn() -> bool {
        let start = Instant::now();
        let time = self.time.map(|time| share(time.saturating_sub(start - self.start), count, waiting));
        move || self.is_late(1.0) || time.is_some_and(|time| start.elapsed() > time)
    }
}

/// The time for shortening some of the tests that wait.
fn share(left: Duration, count: usize, waiting: usize) -> Duration {
    let share = count as f64 / waiting.min(WORTHY).max(count) as f64;
    left.mul_f64(share * SHORTENING)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn against_the_clock_few_tests_are_finished_at_first_and_then_what_fits() {
        let stop = || false;
        let clock = |time| Deadline { start: Instant::now(), time, stop: &stop };
        let endless = clock(None);
        assert_eq!((endless.first_chunk(), endless.next_chunk(200, Duration::from_secs(50))), (CHUNK, CHUNK));
        assert!(!endless.part(1, 1)());
        let hour = clock(Some(Duration::from_secs(3600)));
        assert_eq!(hour.first_chunk(), FIRST_CHUNK);
        assert_eq!(hour.next_chunk(FIRST_CHUNK, Duration::from_secs(1)), CHUNK);
        let half = hour.next_chunk(50, Duration::from_secs(1800));
        assert!((90..=100).contains(&half), "{half}");
        assert_eq!(hour.next_chunk(FIRST_CHUNK, Duration::from_secs(7200)), FIRST_CHUNK);
    }

    #[test]
    fn time_is_shared_out_among_those_that_may_be_written() {
        let hundred = Duration::from_secs(100);
        assert_eq!(share(hundred, 40, 40), Duration::from_secs(60));
        assert_eq!(share(hundred, 40, 80), Duration::from_secs(30));
        assert_eq!(share(hundred, 40, 400), share(hundred, 40, 40_000), "the last are not worth waiting for");
    }
}
