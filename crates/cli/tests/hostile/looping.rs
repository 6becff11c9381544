//! Calls that do not end.

use std::time::Duration;

use probat_model::DeathCause;

use probat_supervisor::discovery::Jvm;

use crate::common::{Bed, survive, survive_in};

fn impatient(jvm: &'static Jvm) -> Bed {
    Bed::on(jvm).impatient()
}

#[test]
fn an_endless_loop_is_stopped() {
    survive(|s| s.call("Loops.endless", &[]), |it| it.timed_out(0));
}

/// The loop can only be ended with its worker, and is tried once more alone before it is blamed.
#[test]
fn an_endless_loop_that_catches_everything_dies_with_its_worker() {
    survive(
        |s| s.call("Loops.catching", &[]),
        |it| {
            let limit = Duration::from_millis(4300);
            it.died(0, "hostile.Loops.catching()", |cause| *cause == DeathCause::Unresponsive(limit));
        },
    );
}

#[test]
fn sleep_is_stopped_by_the_clock_on_the_wall() {
    survive_in(impatient, |s| s.call("Loops.sleeping", &[]), |it| it.timed_out(0));
}

#[test]
fn parking_is_stopped_by_the_clock_on_the_wall() {
    survive_in(impatient, |s| s.call("Loops.parked", &[]), |it| it.timed_out(0));
}

#[test]
fn two_threads_that_wait_for_each_other_are_stopped_with_their_worker() {
    survive_in(
        impatient,
        |s| s.call("Threads.deadlock", &[]),
        |it| it.died(0, "hostile.Threads.deadlock()", |cause| matches!(cause, DeathCause::Unresponsive(_))),
    );
}

/// The step is the one that loops, not the first.
#[test]
fn the_step_that_loops_is_named() {
    survive(
        |s| {
            s.call("Calm.next", &[]);
            s.call("Loops.endless", &[])
        },
        |it| it.timed_out(1),
    );
}
