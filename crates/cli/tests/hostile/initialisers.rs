//! Class initialisers that throw, hang and exit.

use probat_model::{End, StepId, TaintKind};

use crate::common::{Bed, jvms, survive, survive_on};

#[test]
fn an_initialiser_that_throws_is_an_exception_every_time() {
    for jvm in jvms::full() {
        let mut bed = Bed::on(jvm);
        let item = bed.item(|s| s.call("InitThrows.value", &[]));
        let first = survive_on(&mut bed, item.clone());
        first.threw("java/lang/ExceptionInInitializerError");
        assert_eq!(first.thrown().cause.as_ref().unwrap().as_internal(), "java/lang/IllegalStateException");
        // A JVM says something else the second time; a worker must not.
        let again = bed.run(vec![item.clone(), item.clone(), item]);
        assert_eq!(again, [first.seen.clone(), first.seen.clone(), first.seen], "{}", bed.label());
    }
}

#[test]
fn an_initialiser_that_hangs_is_stopped() {
    survive(|s| s.call("InitHangs.value", &[]), |it| it.timed_out(0));
}

#[test]
fn an_initialiser_that_exits_is_intercepted() {
    survive(
        |s| s.call("InitExits.value", &[]),
        |it| {
            it.threw("java/lang/ExceptionInInitializerError");
            it.tainted(TaintKind::Exit, "");
            assert_eq!(it.stats.death_count, 0, "{it:#?}");
        },
    );
}

/// The initialiser runs in the middle of a call, not because a step names its class.
#[test]
fn an_initialiser_that_fails_inside_a_call_fails_alike_every_time() {
    for jvm in jvms::full() {
        let mut bed = Bed::on(jvm);
        let item = bed.item(|s| s.call("Inner.throwing", &[]));
        let first = survive_on(&mut bed, item.clone());
        first.threw("java/lang/ExceptionInInitializerError");
        let again = bed.run(vec![item.clone(), item.clone(), item]);
        assert_eq!(again, [first.seen.clone(), first.seen.clone(), first.seen], "{}", bed.label());
    }
}

#[test]
fn an_initialiser_that_hangs_inside_a_call_is_stopped() {
    survive(|s| s.call("Inner.hanging", &[]), |it| it.timed_out(0));
}

/// What was stopped inside an initialiser is not left half initialised for the next sequence.
#[test]
fn an_initialiser_that_was_stopped_hangs_again() {
    for jvm in jvms::full() {
        let mut bed = Bed::on(jvm);
        let item = bed.item(|s| s.call("Inner.hanging", &[]));
        for seen in bed.run(vec![item.clone(), item]) {
            assert_eq!(seen.end, End::TimedOut(StepId(0)), "{}: {seen:?}", bed.label());
        }
    }
}

/// Classes named at the start are initialised before the first sequence, whatever they do.
#[test]
fn hostile_initialisers_at_the_start_leave_a_worker_that_stands() {
    for jvm in jvms::full() {
        let mut bed = Bed::on(jvm);
        let names = ["InitThrows", "InitExits", "Calm"];
        bed.config.config.initialise = names.map(|name| crate::common::corpus::CORPUS.class(name)).to_vec();
        let item = bed.item(|s| s.call("InitThrows.value", &[]));
        let hello = bed.start().hello().clone();
        let failed: Vec<&str> = hello.uninitialised.iter().map(|(class, _)| class.simple()).collect();
        assert_eq!(failed, ["InitThrows", "InitExits"], "{}: {hello:?}", bed.label());
        let seen = survive_on(&mut bed, item).seen;
        assert_eq!(seen.end, End::Threw(StepId(0)), "{}: {seen:?}", bed.label());
    }
}
