//! Threads: too many of them, and those left behind.

use probat_model::{TaintKind, Value};

use crate::common::{Bed, survive, survive_in};

#[test]
fn a_thread_bomb_meets_a_limit() {
    survive(
        |s| s.call("Threads.bomb", &[]),
        |it| {
            it.threw("java/lang/SecurityException");
            it.tainted(TaintKind::Threads, "");
        },
    );
}

#[test]
fn threads_that_spin_on_cost_the_worker_but_no_result() {
    survive(
        |s| s.call("Threads.spins", &[]),
        |it| {
            it.gave(&Value::Void);
            it.replaced();
        },
    );
}

/// They sleep again after an interrupt.
#[test]
fn threads_that_sleep_on_are_stopped() {
    survive(
        |s| s.call("Threads.leftBehind", &[]),
        |it| {
            it.gave(&Value::Void);
            it.same_worker();
        },
    );
}

#[test]
fn a_pool_that_wakes_by_itself_is_shut_down() {
    survive(
        |s| s.call("Threads.scheduledPool", &[]),
        |it| {
            it.gave(&Value::Int(3));
            it.same_worker();
        },
    );
}

#[test]
fn a_timer_left_behind_is_stopped() {
    survive(
        |s| s.call("Threads.timer", &[]),
        |it| {
            it.gave(&Value::Int(5));
            it.same_worker();
        },
    );
}

#[test]
fn a_pool_left_behind_at_rest_costs_nothing() {
    survive(
        |s| s.call("Threads.pool", &[]),
        |it| {
            it.gave(&Value::Int(2));
            it.same_worker();
        },
    );
}

#[test]
fn threads_that_end_cost_nothing() {
    survive(
        |s| s.call("Threads.joined", &[]),
        |it| {
            it.gave(&Value::Int(4));
            it.untainted();
            it.same_worker();
        },
    );
}

/// The stop goes to the thread of the step, which waits for one that cannot be stopped.
#[test]
fn a_thread_that_loops_while_its_step_waits_is_left_with_its_worker() {
    survive_in(|jvm| Bed::on(jvm).impatient(), |s| s.call("Threads.joinsEndless", &[]), |it| it.timed_out(0));
}
