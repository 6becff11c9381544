//! Which callables change what they are given.
//!
//! In: for each run whose receiver and arguments were looked at, whether one was in a new state. Out: whether to look at them the next time.
//! Reading a state often costs more than the call. A getter that left its receiver alone a few dozen times is looked at now and then only, and every
//! time again as soon as it surprises. What a call gives is always looked at; that is not decided here.

use crate::catalogue::CallableId;

/// Looks in a row that may come to nothing before fewer are taken.
const PATIENCE: u32 = 32;

/// From then on one run in so many is looked at.
const SELDOM: u32 = 8;

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
    by_callable: Vec<Habit>,
}

impl Habits {
    pub fn new(callables: usize) -> Self {
        Habits { by_callable: vec![Habit::default(); callables] }
    }

    /// Whether the next run of a callable shall tell what became of its receiver and arguments.
    pub fn looks(&mut self, callable: CallableId) -> bool {
        let Some(habit) = self.by_callable.get_mut(callable.0 as usize) else { return true };
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
    pub fn note(&mut self, callable: CallableId, is_new: bool) {
        if let Some(habit) = self.by_callable.get_mut(callable.0 as usize) {
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
        for _ in 0..PATIENCE {
            assert!(habits.looks(getter));
            habits.note(getter, false);
        }
        let looks = (0..10 * SELDOM).filter(|_| habits.looks(getter)).count();
        assert_eq!(looks, 10);
        assert!(habits.looks(setter), "each has habits of its own");
        habits.note(getter, true);
        assert!((0..PATIENCE).all(|_| habits.looks(getter)));
    }
}
