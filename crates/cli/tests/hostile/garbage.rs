//! Finalizers and cleaners that never end.

use probat_model::Value;

use crate::common::survive;

#[test]
fn a_finalizer_that_never_ends_holds_up_nobody() {
    survive(
        |s| s.call("Garbage.drop", &[]),
        |it| {
            it.gave(&Value::Int(1));
            assert_eq!(it.stats.death_count, 0, "{it:#?}");
        },
    );
}

#[test]
fn a_cleaner_that_never_ends_holds_up_nobody() {
    survive(
        |s| s.call("Garbage.dropCleaned", &[]),
        |it| {
            it.gave(&Value::Int(1));
            assert_eq!(it.stats.death_count, 0, "{it:#?}");
        },
    );
}
