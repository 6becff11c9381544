//! What went wrong in the code under test, one entry per callable and kind.
//!
//! In: candidates and how they failed. Out: for each kind of failure of each callable the shortest sequence known.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use probat_model::{ClassName, Contract, DeathCause, Step, Thrown, Violation};

use crate::catalogue::{Callable, CallableId};
use crate::types::Hierarchy;

/// What went wrong. Match without `_`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum FailureKind {
    Contract(Contract),
    /// An exception the user counts as an error, or any undeclared one in robustness testing.
    Exception(ClassName),
    TimedOut,
    Exhausted,
    Died,
    /// It asked for the JVM to end, which was not let happen.
    Exits,
}

/// The shortest sequence known that fails in this way at this callable.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    pub callable: CallableId,
    pub kind: FailureKind,
    pub steps: Vec<Step>,
    pub violation: Option<Violation>,
    /// The exception, where one is the failure.
    pub thrown: Option<Thrown>,
    pub death: Option<DeathCause>,
    /// How often it was seen.
    pub times: u32,
    /// Steps executed in the whole search when it was first seen.
    pub after_steps: u64,
}

/// Which exceptions are failures.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FaultConfig {
    /// These and their subclasses (spec 001 row 14).
    pub exceptions: Vec<ClassName>,
    /// Every exception that the method does not declare: no precondition is assumed (spec 001 §2.3).
    pub robust: bool,
}

impl FaultConfig {
    /// Whether an exception that left a callable counts as a failure.
    pub fn is_fault(&self, callable: &Callable, class: &ClassName, hierarchy: &dyn Hierarchy) -> bool {
        if self.exceptions.is_empty() && !self.robust {
            return false;
        }
        let above = hierarchy.supertypes(class);
        let is_one_of = |all: &[ClassName]| all.iter().any(|one| one == class || above.contains(one));
        is_one_of(&self.exceptions) || (self.robust && !is_one_of(&callable.throws))
    }
}

/// A failure about to be noted.
#[derive(Debug)]
pub(super) struct Sighting<'a> {
    pub callable: CallableId,
    pub kind: FailureKind,
    pub steps: &'a [Step],
    pub violation: Option<Violation>,
    pub thrown: Option<Thrown>,
    pub death: Option<DeathCause>,
    pub after_steps: u64,
}

/// A failure that an earlier call than the last is to blame for.
#[derive(Debug, Clone, PartialEq)]
pub struct Blame {
    /// As it was noted.
    pub callable: CallableId,
    pub kind: FailureKind,
    pub culprit: CallableId,
    /// The steps that end in the culprit, and what they break.
    pub steps: Vec<Step>,
    pub violation: Violation,
}

/// All failures.
#[derive(Debug, Default)]
pub(super) struct Failures {
    all: BTreeMap<(CallableId, FailureKind), Failure>,
    /// If set, the first sequence with as many steps is told, not the shortest: whoever measures shortening wants long ones.
    least_steps: Option<usize>,
}

impl Failures {
    pub fn new(least_steps: Option<usize>) -> Self {
        Failures { all: BTreeMap::new(), least_steps }
    }

    pub fn iter(&self) -> impl Iterator<Item = &Failure> {
        self.all.values()
    }

    /// Moves a failure to who is to blame; what that one is known for already is counted together.
    pub fn blame(&mut self, one: Blame) {
        let Some(moved) = self.all.remove(&(one.callable, one.kind.clone())) else { return };
        let moved =
            Failure { callable: one.culprit, steps: one.steps, violation: Some(one.violation), ..moved };
        match self.all.entry((one.culprit, one.kind)) {
            Entry::Vacant(free) => {
                free.insert(moved);
            }
            Entry::Occupied(mut taken) => {
                let known = taken.get_mut();
                known.times += moved.times;
                known.after_steps = known.after_steps.min(moved.after_steps);
                if moved.steps.len() < known.steps.len() {
                    (known.steps, known.violation) = (moved.steps, moved.violation);
                }
            }
        }
    }

    pub fn note(&mut self, seen: Sighting<'_>) {
        let key = (seen.callable, seen.kind.clone());
        let known = self.all.entry(key).or_insert_with(|| Failure {
            callable: seen.callable,
            kind: seen.kind,
            steps: seen.steps.to_vec(),
            violation: seen.violation.clone(),
            thrown: seen.thrown.clone(),
            death: seen.death,
            times: 0,
            after_steps: seen.after_steps,
        });
        known.times += 1;
        let is_better = match self.least_steps {
            None => seen.steps.len() < known.steps.len(),
            Some(least) => known.steps.len() < least && seen.steps.len() >= least,
        };
        if is_better {
            known.steps = seen.steps.to_vec();
            known.violation = seen.violation;
            known.thrown = seen.thrown;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probat_model::OperationId;

    fn lengths(least: Option<usize>, seen: &[usize]) -> usize {
        let mut failures = Failures::new(least);
        for &length in seen {
            let steps = vec![Step { operation: OperationId(0), args: Default::default() }; length];
            failures.note(Sighting {
                callable: CallableId(0),
                kind: FailureKind::TimedOut,
                steps: &steps,
                violation: None,
                thrown: None,
                death: None,
                after_steps: 1,
            });
        }
        let told: Vec<usize> = failures.iter().map(|failure| failure.steps.len()).collect();
        told[0]
    }

    #[test]
    fn the_shortest_is_told_or_the_first_that_is_long_enough() {
        assert_eq!(lengths(None, &[5, 3, 9]), 3);
        assert_eq!(lengths(Some(4), &[2, 9, 5]), 9);
        assert_eq!(lengths(Some(4), &[2, 3]), 2);
    }
}
