//! What can be asked of an outcome, each with a message that shows all of it.

use probat_model::{DeathCause, End, Leak, Observation, StepId, StepOutcome, TaintKind, Thrown, Value};

use crate::common::Survived;

impl Survived {
    /// The exception that ended the sequence.
    #[track_caller]
    pub fn thrown(&self) -> &Thrown {
        match self.seen.steps.last() {
            Some((step, StepOutcome::Threw(thrown))) if self.seen.end == End::Threw(*step) => thrown,
            _ => panic!("{self:#?}"),
        }
    }

    /// It ended with an exception of this class.
    #[track_caller]
    pub fn threw(&self, class: &str) {
        assert_eq!(self.thrown().class.as_internal(), class, "{self:#?}");
    }

    /// Every step ran, and the last gave this.
    #[track_caller]
    pub fn gave(&self, value: &Value) {
        assert_eq!(self.seen.end, End::Completed, "{self:#?}");
        assert_eq!(last_value(&self.seen), Some(value), "{self:#?}");
    }

    /// It tried what is forbidden: this kind, these words, in its last step.
    #[track_caller]
    pub fn tainted(&self, kind: TaintKind, detail: &str) {
        let found = self.seen.taints.iter().any(|taint| taint.kind == kind && taint.detail.contains(detail));
        assert!(found, "no {kind:?} of `{detail}` in {self:#?}");
    }

    #[track_caller]
    pub fn untainted(&self) {
        assert_eq!(self.seen.taints, [], "{self:#?}");
    }

    /// It left this changed, and it was put back.
    #[track_caller]
    pub fn leaked(&self, leak: Leak) {
        assert!(self.seen.leaks.contains(&leak), "no {leak:?} in {self:#?}");
    }

    /// The worker lives on: none died, none was replaced.
    #[track_caller]
    pub fn same_worker(&self) {
        assert_eq!((self.stats.death_count, self.stats.spent, self.stats.starts), (0, 0, 1), "{self:#?}");
    }

    /// The worker answered, and then asked to be replaced.
    #[track_caller]
    pub fn replaced(&self) {
        assert_eq!((self.stats.death_count, self.stats.spent, self.stats.starts), (0, 1, 2), "{self:#?}");
    }

    /// The step was stopped from outside; its worker went on, or asked to be replaced if it could not.
    #[track_caller]
    pub fn timed_out(&self, step: u16) {
        assert_eq!(self.seen.end, End::TimedOut(StepId(step)), "{self:#?}");
        assert_eq!(self.stats.death_count, 0, "{self:#?}");
        assert!(matches!((self.stats.spent, self.stats.starts), (0, 1) | (1, 2)), "{self:#?}");
    }

    /// The worker died of it, twice: among others, and alone. Both deaths name the call.
    #[track_caller]
    pub fn died(&self, step: u16, culprit: &str, cause: impl Fn(&DeathCause) -> bool) {
        let End::Died { step: Some(StepId(at)), cause: told } = &self.seen.end else { panic!("{self:#?}") };
        assert!(*at == step && cause(told), "{self:#?}");
        assert_eq!(self.stats.death_count, 2, "{self:#?}");
        for death in &self.stats.deaths {
            let named = death.culprit.as_ref().unwrap_or_else(|| panic!("{self:#?}"));
            assert_eq!((named.item, named.description.as_str()), (3, culprit), "{self:#?}");
            assert!(cause(&death.cause), "{self:#?}");
        }
        let confirmed: Vec<bool> = self.stats.deaths.iter().map(|death| death.confirmed).collect();
        assert_eq!(confirmed, [false, true], "{self:#?}");
    }
}

/// What the last step gave.
pub fn last_value(seen: &Observation) -> Option<&Value> {
    match seen.steps.last() {
        Some((_, StepOutcome::Returned(value))) => Some(value),
        _ => None,
    }
}
