//! Which callables change what they are given, and which give something new.
//!
//! In: for each run that was looked at, whether what it was given, or what it gave, was in a new state. Out: whether to look there the next time.
//! Reading a state often costs more than the call. A getter that left its receiver alone a few dozen times, or gave what was known already, is looked
//! at now and then only, and every time again as soon as it surprises.

use crate::catalogue::CallableId;

/// Looks in a row that may come to nothing before fewer are taken.
const PATIENCE: u32 = 32;

/// From then on one run in so many is looked at.
const SELDOM: u32 = 8;

/// Where to look. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Receiver and arguments.
    Given,
    /// What the call gave.
    Result,
}

#[derive(Debug, Clone, Copy, Default)]
struct Habit {
    /// Looks in a row without a new state.
    barren: u32,
    /// Runs since the last look.
    skipped: u32,
}

/// What is known of each callable.
#[derive(Debug, Default)]
pub struct Habits {
    by_callable: Vec<[Habit; 2]>,
}

impl Habits {
    pub fn new(callables: usize) -> Self {
        Habits { by_callable: vec![[Habit::default(); 2]; callables] }
    }

    fn habit(&mut self, callable: CallableId, side: Side) -> Option<&mut Habit> {
        self.by_callable.get_mut(callable.0 as usize).map(|habits| &mut habits[side as usize])
    }

    /// Whether the next run of a callable shall tell the states of one side.
    pub fn looks(&mut self, callable: CallableId, side: Side) -> bool {
        let Some(habit) = self.habit(callable, side) else { return true };
        if habit.barren < PATIENCE {
            return true;
        }
        habit.skipped += 1;
        if habit.skipped < SELDOM {
            return false;
        }
        habit.skipped = 0;
        true
    }

    /// What a look brought.
    pub fn note(&mut self, callable: CallableId, side: Side, is_new: bool) {
        if let Some(habit) = self.habit(callable, side) {
            habit.barren = if is_new { 0 } else { habit.barren.saturating_add(1) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_changes_nothing_is_looked_at_seldom_until_it_does() {
        let (mut habits, getter, setter) = (Habits::new(2), CallableId(0), CallableId(1));
        for side in [Side::Given, Side::Result] {
            for _ in 0..PATIENCE {
                assert!(habits.looks(getter, side));
                habits.note(getter, side, false);
            }
            let looks = (0..10 * SELDOM).filter(|_| habits.looks(getter, side)).count();
            assert_eq!(looks, 10);
            assert!(habits.looks(setter, side), "each has habits of its own");
        }
        habits.note(getter, Side::Given, true);
        assert!((0..PATIENCE).all(|_| habits.looks(getter, Side::Given)));
        assert!(!habits.looks(getter, Side::Result), "the other side did not surprise");
    }
}
