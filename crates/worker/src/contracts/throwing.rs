//! Exceptions that are the fault of the code, not of its caller (spec 001 §2.5, §2.6).

use probat_model::{Contract, StepId, Thrown, Violation};

use crate::stubs;

/// What an exception that left a step says. A `NullPointerException` is a violation only when no call of the sequence
/// was given null; one that a stub of ours threw is nobody's fault.
pub fn verdict(step: StepId, thrown: &Thrown, saw_null: bool) -> Option<Violation> {
    let from_stub =
        thrown.frames.first().is_some_and(|frame| frame.class.simple().starts_with(stubs::PREFIX));
    let contract = match thrown.class.as_internal() {
        "java/lang/AssertionError" => Contract::AssertionError,
        "java/lang/NullPointerException" if !saw_null => Contract::NullPointer,
        _ => return None,
    };
    (!from_stub).then(|| Violation { contract, steps: vec![step], thrown: Some(thrown.clone()) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use probat_model::{ClassName, Frame};

    fn thrown(class: &str, at: &str) -> Thrown {
        let frame = Frame { class: ClassName::internal(at), method: "m".into(), line: None };
        Thrown { class: ClassName::internal(class), message: None, cause: None, frames: vec![frame] }
    }

    #[test]
    fn null_pointers_count_only_without_null_inputs() {
        let npe = thrown("java/lang/NullPointerException", "a/B");
        assert_eq!(verdict(StepId(1), &npe, false).map(|found| found.contract), Some(Contract::NullPointer));
        assert_eq!(verdict(StepId(1), &npe, true), None);
    }

    #[test]
    fn assertions_always_count_and_other_exceptions_never() {
        let failed = thrown("java/lang/AssertionError", "a/B");
        assert_eq!(
            verdict(StepId(0), &failed, true).map(|found| found.contract),
            Some(Contract::AssertionError)
        );
        assert_eq!(verdict(StepId(0), &thrown("java/lang/IllegalStateException", "a/B"), false), None);
    }

    #[test]
    fn what_a_stub_throws_is_nobodys_fault() {
        let npe = thrown("java/lang/NullPointerException", "a/Probat$Stub00");
        assert_eq!(verdict(StepId(0), &npe, false), None);
    }
}
