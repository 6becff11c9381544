//! Finalizers and cleaners that would never end: when they ran would be up to the JVM, so they do not run at all.

use probat_model::Value;

use crate::common::survive;

#[test]
fn a_finalizer_that_never_ends_holds_up_nobody() {
    survive(
        |s| s.call("Garbage.drop", &[]),
        |it| {
            it.gave(&Value::Int(1));
            it.same_worker();
        },
    );
}

#[test]
fn a_cleaner_that_never_ends_holds_up_nobody() {
    survive(
        |s| s.call("Garbage.dropCleaned", &[]),
        |it| {
            it.gave(&Value::Int(1));
            it.same_worker();
        },
    );
}

#[test]
fn a_cleaner_that_is_called_cleans() {
    survive(
        |s| s.call("Garbage.cleaned", &[]),
        |it| {
            it.gave(&Value::Int(1));
            it.same_worker();
        },
    );
}
