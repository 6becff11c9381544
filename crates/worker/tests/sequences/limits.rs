//! Code that does not behave: limits, guards, threads, exhaustion.

use std::time::Duration;

use probat_model::{ClassName, End, Leak, OperationTable, StepId, StepOutcome, TaintKind, Value};
use probat_protocol::{Farewell, Item, Setting};

use crate::Case;
use crate::bed::{Answer, Bed, Script, Worker, one_call};
use crate::operations::values;

pub fn cases() -> Vec<Case> {
    vec![
        ("endless_steps_are_stopped", endless_steps_are_stopped),
        ("what_cannot_be_stopped_is_given_up", what_cannot_be_stopped_is_given_up),
        ("exhaustion_is_no_result", exhaustion_is_no_result),
        ("attempts_are_refused_and_told", attempts_are_refused_and_told),
        ("scratch_may_be_written", scratch_may_be_written),
        ("threads_are_counted", threads_are_counted),
        (
            "tasks_of_the_common_pool_end_with_their_sequence",
            tasks_of_the_common_pool_end_with_their_sequence,
        ),
        ("a_stop_that_something_catches_costs_no_jvm", a_stop_that_something_catches_costs_no_jvm),
        ("other_threads_read_the_real_clock", other_threads_read_the_real_clock),
        ("floods_do_no_harm", floods_do_no_harm),
        ("what_fails_by_itself_costs_no_jvm", what_fails_by_itself_costs_no_jvm),
        ("hostile_exceptions_are_survived", hostile_exceptions_are_survived),
        ("initialisers_at_the_start", initialisers_at_the_start),
        ("contracts_are_watched_too", contracts_are_watched_too),
    ]
}

fn run(bed: &Bed, method: &str, descriptor: &str) -> Answer {
    run_in(bed.worker(), method, descriptor)
}

fn run_in(mut worker: Worker, method: &str, descriptor: &str) -> Answer {
    let mut table = OperationTable::new();
    let fine = one_call(&mut table, "fixture/Subject.next", "()I");
    let item = one_call(&mut table, method, descriptor);
    let mut answer = worker.run(&table, &[fine.clone(), item, fine]);
    assert_eq!(values(&answer.seen[0]), [&Value::Int(1)], "results before it are safe");
    answer.seen.remove(0);
    answer
}

fn spent(answer: &Answer) -> &str {
    match &answer.farewell {
        Some(Farewell::Spent(why)) => why,
        other => panic!("{other:?} after {:?}", answer.seen),
    }
}

fn endless_steps_are_stopped(bed: &Bed) {
    for method in ["spin", "sleep"] {
        let answer = run_in(bed.impatient_worker(), &format!("fixture/Hostile.{method}"), "()V");
        assert_eq!(answer.seen[0].end, End::TimedOut(StepId(0)), "{method}");
        assert_eq!((answer.seen.len(), &answer.farewell), (2, &None), "the worker goes on");
    }
}

fn what_cannot_be_stopped_is_given_up(bed: &Bed) {
    for method in ["spinCatching", "throughFinally", "deadlock"] {
        let answer = run_in(bed.impatient_worker(), &format!("fixture/Hostile.{method}"), "()V");
        assert_eq!(answer.seen.len(), 0, "{method}: {:?}", answer.seen);
        let stuck = Farewell::Stuck { item: 1, step: StepId(0) };
        assert_eq!(answer.farewell, Some(stuck), "{method}");
    }
}

fn exhaustion_is_no_result(bed: &Bed) {
    let answer = run(bed, "fixture/Hostile.recurse", "()V");
    assert_eq!(answer.seen[0].end, End::Exhausted(StepId(0)));
    assert_eq!((answer.seen.len(), &answer.farewell), (2, &None), "the worker goes on");
    let answer = run(bed, "fixture/Hostile.exhaust", "()V");
    assert_eq!(answer.seen[0].end, End::Exhausted(StepId(0)));
    assert_eq!((answer.seen.len(), &answer.farewell), (2, &None), "what held the memory is gone");
}

fn what_fails_by_itself_costs_no_jvm(bed: &Bed) {
    let answer = run(bed, "fixture/Hostile.recurseBesideAFailure", "()V");
    assert_eq!(answer.seen[0].end, End::Exhausted(StepId(0)));
    // Older ones do not say why a class failed to initialise.
    if !bed.label.starts_with("java-11") {
        assert_eq!((answer.seen.len(), &answer.farewell), (2, &None), "the worker goes on");
    }
}

fn attempts_are_refused_and_told(bed: &Bed) {
    for (method, descriptor, kind) in [
        ("exit", "()V", TaintKind::Exit),
        ("halt", "()V", TaintKind::Exit),
        ("exec", "()V", TaintKind::Process),
        ("delete", "()V", TaintKind::FileWrite),
        ("connect", "()V", TaintKind::Network),
        ("stdin", "()I", TaintKind::Stdin),
    ] {
        let answer = run(bed, &format!("fixture/Hostile.{method}"), descriptor);
        let seen = &answer.seen[0];
        assert_eq!(answer.farewell, None, "{method}");
        assert_eq!(seen.end, End::Threw(StepId(0)), "{method}: {seen:?}");
        assert_eq!(
            seen.taints.first().map(|taint| (taint.step, taint.kind)),
            Some((StepId(0), kind)),
            "{method}"
        );
        let StepOutcome::Threw(thrown) = &seen.steps[0].1 else { panic!("{seen:?}") };
        assert_eq!(thrown.class.as_internal(), "java/lang/SecurityException", "{method}: {thrown:?}");
        assert_ne!(thrown.frames[0].class.as_internal(), "java/lang/$Probat");
    }
}

fn scratch_may_be_written(bed: &Bed) {
    let answer = run(bed, "fixture/Hostile.writeInScratch", "()Ljava/lang/String;");
    assert_eq!(answer.seen[0].taints, []);
    assert_eq!(values(&answer.seen[0]), [&Value::String { text: "text".into(), length: 4 }]);
}

fn threads_are_counted(bed: &Bed) {
    let answer = run(bed, "fixture/Hostile.joinThread", "()I");
    assert_eq!((values(&answer.seen[0]), &answer.farewell), (vec![&Value::Int(5)], &None));
    let answer = run(bed, "fixture/Hostile.leaveThread", "()V");
    assert_eq!(answer.seen[0].end, End::Completed);
    assert_eq!((answer.seen.len(), &answer.farewell), (2, &None), "it was stopped in its sleep");
    let answer = run(bed, "fixture/Hostile.leaveSpinner", "()V");
    assert_eq!(answer.seen[0].end, End::Completed);
    assert!(spent(&answer).contains("spinner"));
    let answer = run(bed, "fixture/Hostile.bomb", "()V");
    assert!(
        answer.seen[0].taints.iter().any(|taint| taint.kind == TaintKind::Threads),
        "{:?}",
        answer.seen[0]
    );
}

fn tasks_of_the_common_pool_end_with_their_sequence(bed: &Bed) {
    let answer = run(bed, "fixture/Hostile.busyPool", "()V");
    assert_eq!(answer.seen[0].end, End::Completed);
    assert!(answer.seen[0].leaks.contains(&Leak::Threads), "{:?}", answer.seen[0]);
    assert_eq!((answer.seen.len(), &answer.farewell), (2, &None), "the task was stopped");
    let answer = run(bed, "fixture/Hostile.stubbornPool", "()V");
    assert!(answer.seen[0].leaks.contains(&Leak::Threads), "{:?}", answer.seen[0]);
    assert!(spent(&answer).contains("commonPool"), "{answer:?}");
    let patient = bed.worker_with(|config| {
        config.limits.call_cpu = Duration::from_millis(200);
        config.limits.call_wall = Duration::from_secs(600);
    });
    let answer = run_in(patient, "fixture/Hostile.waitForPool", "()V");
    assert_eq!(answer.seen[0].end, End::TimedOut(StepId(0)), "what it waits for uses the time it has");
}

fn a_stop_that_something_catches_costs_no_jvm(bed: &Bed) {
    for (method, descriptor) in [("swallow", "()I"), ("waitForEver", "()V")] {
        let answer = run_in(bed.impatient_worker(), &format!("fixture/Hostile.{method}"), descriptor);
        assert_eq!(answer.seen[0].end, End::TimedOut(StepId(0)), "{method}");
        assert_eq!((answer.seen.len(), &answer.farewell), (2, &None), "{method}: the worker goes on");
    }
}

/// Threads of the JDK wait for moments that they take from the clock: with one that is behind they would never wait.
fn other_threads_read_the_real_clock(bed: &Bed) {
    let worker = bed.worker_with(|config| config.setting = Setting::Still);
    let answer = run_in(worker, "fixture/Hostile.otherClock", "()J");
    let [Value::Long(ahead)] = values(&answer.seen[0])[..] else { panic!("{:?}", answer.seen[0]) };
    assert!(*ahead > 365 * 24 * 3_600_000, "{ahead}");
}

fn floods_do_no_harm(bed: &Bed) {
    let answer = run(bed, "fixture/Hostile.flood", "()V");
    assert_eq!((answer.seen.len(), &answer.farewell), (2, &None));
    assert_eq!(answer.seen[0].end, End::Completed, "{:?}", answer.seen[0]);
}

fn hostile_exceptions_are_survived(bed: &Bed) {
    let answer = run(bed, "fixture/Hostile.evil", "()Ljava/lang/RuntimeException;");
    let StepOutcome::Threw(thrown) = &answer.seen[0].steps[0].1 else { panic!("{:?}", answer.seen) };
    assert_eq!(thrown.class.as_internal(), "fixture/Hostile$Evil");
    assert_eq!((&thrown.message, thrown.frames[0].method.as_str()), (&None, "evil"));
}

fn initialisers_at_the_start(bed: &Bed) {
    let class = |name: &str| ClassName::internal(&format!("fixture/{name}"));
    let worker = bed.worker_with(|config| {
        config.initialise =
            ["Subject", "BadInit", "ExitInit", "SpinInit", "NoSuch", "Lazy"].map(class).to_vec();
        config.limits.call_cpu = Duration::from_millis(300);
        config.limits.grace = Duration::from_secs(20);
    });
    let hello = worker.hello.as_ref().unwrap();
    let failed: Vec<&str> = hello.uninitialised.iter().map(|(class, _)| class.simple()).collect();
    assert_eq!(failed, ["BadInit", "ExitInit", "SpinInit", "NoSuch"]);
    assert!(hello.uninitialised[0].1.contains("IllegalStateException"), "{:?}", hello.uninitialised);
    assert!(hello.sandbox.guards);
    worker.finish();
}

fn contracts_are_watched_too(bed: &Bed) {
    let mut table = OperationTable::new();
    let mut script = Script::new(&mut table);
    script.new_object("fixture/SpinEquals", "()V", []);
    let mut item: Item = script.item();
    item.observe.contracts = true;
    let answer = bed.impatient_worker().run(&table, &[item.clone(), item]);
    let ends: Vec<&End> = answer.seen.iter().map(|seen| &seen.end).collect();
    assert_eq!(ends, [&End::TimedOut(StepId(0)); 2]);
    assert_eq!(answer.farewell, None, "the stop came out of `equals`, so the worker goes on");
}
