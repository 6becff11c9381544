//! What a call changed.
//!
//! In: what observers say of the receiver after the call, and the same asked without the call. Out: which of them are worth asserting: those that
//! answer otherwise now. Where nothing did, one stays if nothing else is asserted.

use probat_model::{Observation, Step, StepId, StepOutcome, Value};

/// Observers asserted of a receiver at most.
const MOST: usize = 3;

/// Observers of a receiver, asked before and after.
#[derive(Debug, Default)]
pub(crate) struct Compared {
    /// The steps up to the call, then the observers; empty if there is nothing to compare.
    pub before: Vec<Step>,
    /// Each observer there, and after the call.
    pub pairs: Vec<(StepId, StepId)>,
}

impl Compared {
    /// Adds an observer that is asked after the call.
    pub fn ask(&mut self, before_call: &[Step], asked: &Step, after: StepId) {
        if self.before.is_empty() {
            self.before = before_call.to_vec();
        }
        self.pairs.push((StepId(self.before.len() as u16), after));
        self.before.push(asked.clone());
    }

    /// Observers after the call that say nothing of it. `is_told` where something else is asserted.
    pub fn dull(&self, before: Option<&Observation>, after: &Observation, is_told: bool) -> Vec<StepId> {
        let Some(before) = before else { return Vec::new() };
        let is_changed = |(was, is): &(StepId, StepId)| said(before, *was) != said(after, *is);
        let changed: Vec<StepId> =
            self.pairs.iter().filter(|pair| is_changed(pair)).map(|(_, is)| *is).take(MOST).collect();
        let spared = if changed.is_empty() && !is_told { 1 } else { 0 };
        self.pairs.iter().map(|(_, is)| *is).filter(|is| !changed.contains(is)).skip(spared).collect()
    }
}

/// Through text, so that a NaN agrees with itself.
fn said(seen: &Observation, step: StepId) -> Option<String> {
    match seen.outcome(step)? {
        StepOutcome::Returned(Value::Void) => None,
        outcome => Some(format!("{outcome:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probat_model::{End, OperationId, Slow};

    /// What steps gave, by their numbers.
    fn seen(values: &[(u16, i32)]) -> Observation {
        let steps = values.iter().map(|&(at, value)| (StepId(at), StepOutcome::Returned(Value::Int(value))));
        Observation {
            end: End::Completed,
            steps: steps.collect(),
            edges: Vec::new(),
            states: Vec::new(),
            violations: Vec::new(),
            taints: Vec::new(),
            leaks: Vec::new(),
            compared: Vec::new(),
            slow: Slow::default(),
        }
    }

    /// Two observers of the object of step 0, asked after the call of step 1.
    fn compared() -> Compared {
        let step = |operation: u32, args: &[u16]| Step {
            operation: OperationId(operation),
            args: args.iter().map(|&arg| StepId(arg)).collect(),
        };
        let mut compared = Compared::default();
        compared.ask(&[step(0, &[])], &step(2, &[0]), StepId(2));
        compared.ask(&[step(0, &[])], &step(3, &[0]), StepId(3));
        compared
    }

    #[test]
    fn an_observer_that_says_the_same_as_before_is_dull() {
        let (compared, before) = (compared(), seen(&[(1, 0), (2, 5)]));
        assert_eq!(compared.before.len(), 3);
        let after = seen(&[(2, 1), (3, 5)]);
        assert_eq!(compared.dull(Some(&before), &after, false), [StepId(3)]);
    }

    #[test]
    fn where_nothing_changed_one_stays_if_nothing_else_is_asserted() {
        let (compared, before, after) = (compared(), seen(&[(1, 0), (2, 5)]), seen(&[(2, 0), (3, 5)]));
        assert_eq!(compared.dull(Some(&before), &after, false), [StepId(3)]);
        assert_eq!(compared.dull(Some(&before), &after, true), [StepId(2), StepId(3)]);
    }
}
