//! Says early that a bound will not be reached.
//!
//! In: levels found so far, the speed until now, limits. Out: one warning with the number reached and how to go on. Guesses that levels
//! keep growing as the last ones did; says nothing before four levels and half a second have been seen, or three levels and two seconds.

use std::time::Duration;

use probat_explore::{Explorer, Level};

use super::drive::Bounds;
use super::live::Live;
use crate::generate::numbers::{count, plural, seconds};

/// Looks ahead once per level until it has warned.
#[derive(Debug)]
pub struct Forecast {
    bounds: Bounds,
    levels: usize,
    told: bool,
}

/// A guess is not worth much earlier.
const SETTLE: Duration = Duration::from_millis(500);

/// Levels that say how growth changes; with one less, the constructors' own level is among those compared, and only a level that takes
/// long says enough.
const LEVELS: usize = 4;
const SETTLE_BY_FEW: Duration = Duration::from_secs(2);

impl Forecast {
    pub fn new(bounds: Bounds) -> Self {
        Forecast { bounds, levels: 0, told: false }
    }

    /// Warns if the rest will not fit.
    pub fn look(&mut self, explorer: &Explorer, elapsed: Duration, live: &mut Live) {
        let levels = explorer.levels();
        if self.told || levels.len() == self.levels || elapsed < SETTLE {
            return;
        }
        if levels.len() <= LEVELS && elapsed < SETTLE_BY_FEW {
            return;
        }
        self.levels = levels.len();
        // The last level has only begun.
        let Some(ahead) = levels.split_last().and_then(|(_, whole)| ahead(whole, self.bounds.bound)) else {
            return;
        };
        let now = explorer.progress();
        let per_second = now.tests as f64 / elapsed.as_secs_f64();
        let needed = ahead.tests / per_second.max(1.0);
        let bytes = ahead.states * (now.bytes as f64 / now.states.max(1) as f64);
        let (time, memory) = (needed > self.bounds.time.as_secs_f64(), bytes > self.bounds.memory as f64);
        if !time && !memory {
            return;
        }
        self.told = true;
        let what = if time {
            format!("more than {}", seconds(self.bounds.time))
        } else {
            "more memory than allowed".into()
        };
        live.warn(&format!(
            "all sequences of {} take {what}: {} states are found with {}, the last of which made {:.1} times as many; {:.0e} in the end\n\
             hint: a bound of {} fits; or give fewer values with `--pool`, fewer `--methods`, or more with `--time-limit` and `--memory-limit`",
            plural(u64::from(self.bounds.bound), "call"),
            count(now.states),
            plural(levels.len() as u64 - 2, "call"),
            ahead.growth,
            ahead.states,
            fitting(levels, &self.bounds, per_second),
        ));
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Ahead {
    growth: f64,
    /// In the end.
    states: f64,
    tests: f64,
}

/// What finished levels promise for a bound: growth changes from level to level as it did last, but never rises.
fn ahead(whole: &[Level], bound: u16) -> Option<Ahead> {
    let [.., earlier, before, last] = whole else { return None };
    if whole.len() < LEVELS - 1 || [earlier, before, last].iter().any(|level| level.states == 0) {
        return None;
    }
    let growth = last.states as f64 / before.states as f64;
    let decay = (growth / (before.states as f64 / earlier.states as f64)).min(1.0);
    let (mut states, mut tests): (f64, f64) = whole.iter().fold((0.0, 0.0), |(states, tests), level| {
        (states + level.states as f64, tests + level.tests as f64)
    });
    let calls = last.tests as f64 / before.states as f64;
    let (mut level, mut next) = (last.states as f64, growth * decay);
    for _ in whole.len()..=usize::from(bound) {
        tests += level * calls;
        level *= next;
        next *= decay;
        states += level;
    }
    Some(Ahead { growth, states, tests })
}

/// The largest bound that fits by the same guess.
fn fitting(levels: &[Level], bounds: &Bounds, per_second: f64) -> u16 {
    let whole = &levels[..levels.len() - 1];
    let fits = |bound: &u16| {
        ahead(whole, *bound)
            .is_some_and(|ahead| ahead.tests / per_second.max(1.0) <= bounds.time.as_secs_f64())
    };
    (1..bounds.bound).rev().find(fits).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(states: u64, tests: u64) -> Level {
        Level { states, tests, ..Level::default() }
    }

    #[test]
    fn levels_are_taken_to_grow_as_they_did() {
        let whole = [level(1, 0), level(5, 10), level(25, 50), level(125, 250)];
        let list = ahead(&whole, 5).unwrap();
        assert_eq!((list.growth, list.states), (5.0, 156.0 + 625.0 + 3125.0));
        assert_eq!(list.tests, 310.0 + 1250.0 + 6250.0);
        let tree = [level(1, 0), level(9, 18), level(72, 162), level(420, 1296)];
        let tree = ahead(&tree, 9).unwrap();
        assert!((30_000.0..150_000.0).contains(&tree.states), "51,822 in the end, guessed {}", tree.states);
    }

    #[test]
    fn too_little_is_no_ground_for_a_guess() {
        assert_eq!(ahead(&[level(1, 0), level(5, 10)], 9), None);
        assert_eq!(ahead(&[level(1, 0), level(5, 10), level(25, 50), level(0, 250)], 9), None);
    }
}
