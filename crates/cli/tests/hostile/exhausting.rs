//! Calls that use up stack or memory.

use probat_model::{End, StepId};

use crate::common::{Survived, survive};

#[track_caller]
fn exhausted(it: &Survived) {
    assert_eq!(it.seen.end, End::Exhausted(StepId(it.seen.steps.len() as u16)), "{it:#?}");
    assert_eq!(it.stats.death_count, 0, "{it:#?}");
}

#[test]
fn deep_recursion_overflows_the_stack_and_nothing_else() {
    survive(
        |s| s.call("Stack.deep", &[0.into()]),
        |it| {
            exhausted(it);
            it.same_worker();
        },
    );
}

#[test]
fn recursion_through_finally_is_stopped() {
    survive(
        |s| s.call("Stack.throughFinally", &[]),
        |it| {
            // Every frame that is stopped calls again: the stop may end it, or only the worker's end does.
            let named = it.stats.deaths.iter().all(|death| {
                death.culprit.as_ref().is_some_and(|it| it.description == "hostile.Stack.throughFinally()")
            });
            assert!(named, "{it:#?}");
            assert!(
                matches!(it.seen.end, End::TimedOut(_) | End::Died { step: Some(StepId(0)), .. }),
                "{it:#?}"
            );
        },
    );
}

#[test]
fn heap_that_runs_out_is_free_again_afterwards() {
    survive(|s| s.call("Memory.heap", &[]), exhausted);
}

#[test]
fn direct_memory_that_runs_out_costs_the_worker_but_no_result() {
    survive(
        |s| s.call("Memory.direct", &[]),
        |it| {
            exhausted(it);
            it.replaced();
        },
    );
}

#[test]
fn an_array_that_fits_nowhere_is_refused_by_the_jvm() {
    survive(|s| s.call("Memory.hugeArray", &[]), exhausted);
}

/// A step of our own, not a call: the worker itself asks the JVM for the memory.
#[test]
fn an_array_step_that_fits_nowhere_is_exhausted_too() {
    use probat_model::{Operation, Type};
    survive(|s| s.op(Operation::NewArray { element: Type::Long }, &[(i32::MAX - 8).into()]), exhausted);
}

#[test]
fn memory_that_runs_out_and_is_caught_is_an_ordinary_result() {
    use probat_model::Value;
    survive(|s| s.call("Memory.caught", &[]), |it| it.gave(&Value::Int(1)));
}

/// Reflection wraps what its target throws, and the stack has overflowed all the same.
#[test]
fn recursion_through_reflection_is_exhausted_too() {
    survive(
        |s| s.call("Stack.reflective", &[]),
        |it| {
            exhausted(it);
            it.same_worker();
        },
    );
}
