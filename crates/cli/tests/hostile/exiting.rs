//! Calls that end the JVM, or try to.

use probat_model::{DeathCause, TaintKind};

use crate::common::survive;

#[test]
fn exit_is_intercepted() {
    survive(
        |s| s.call("Exits.exit", &[]),
        |it| {
            it.threw("java/lang/SecurityException");
            it.tainted(TaintKind::Exit, "");
            it.same_worker();
            assert_eq!(it.thrown().frames[0].class.as_internal(), "java/lang/Runtime", "{it:#?}");
        },
    );
}

#[test]
fn halt_is_intercepted() {
    survive(
        |s| s.call("Exits.halt", &[]),
        |it| {
            it.threw("java/lang/SecurityException");
            it.tainted(TaintKind::Exit, "");
            it.same_worker();
        },
    );
}

#[test]
fn exit_by_reflection_is_intercepted() {
    survive(
        |s| s.call("Exits.reflective", &[]),
        |it| {
            it.threw("java/lang/reflect/InvocationTargetException");
            let cause = it.thrown().cause.as_ref().map(|cause| cause.as_internal());
            assert_eq!(cause, Some("java/lang/SecurityException"), "{it:#?}");
            it.tainted(TaintKind::Exit, "");
            it.same_worker();
        },
    );
}

/// A program that swallows the refusal still has tried.
#[test]
fn an_exit_whose_refusal_is_swallowed_taints_all_the_same() {
    survive(
        |s| s.call("Exits.swallowed", &[]),
        |it| {
            it.gave(&probat_model::Value::Int(1));
            it.tainted(TaintKind::Exit, "");
            it.same_worker();
        },
    );
}

/// The hook would run when the JVM ends, but it never ends that way.
#[test]
fn a_shutdown_hook_that_hangs_hangs_nobody() {
    survive(
        |s| s.call("Exits.hangingHook", &[]),
        |it| {
            it.threw("java/lang/SecurityException");
            it.tainted(TaintKind::Exit, "");
        },
    );
}

#[test]
fn a_native_crash_kills_one_worker_and_names_the_call() {
    survive(
        |s| s.call("Crash.unsafeWrite", &[]),
        |it| {
            let crash = |cause: &DeathCause| matches!(cause, DeathCause::Signalled(6 | 11));
            it.died(0, "hostile.Crash.unsafeWrite()", crash);
            let frame = it.stats.deaths[0].crash.as_deref().unwrap_or_else(|| panic!("{it:#?}"));
            assert!(frame.contains("libjvm.so") || frame.contains("Unsafe"), "{frame}");
        },
    );
}
