//! The tests themselves; each is a fact about a fleet.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

use probat_model::{DeathCause, OperationTable};
use probat_supervisor::{Fleet, FleetConfig, FleetError, ScratchError, StartError};

use super::{check, children, config, fleet, items, words};

pub const ALL: &[(&str, fn())] = &[
    ("results_keep_their_order_with_1_2_and_4_workers", order),
    ("tickets_are_collected_in_order", tickets),
    ("a_crash_names_its_step_and_spares_the_others", crash),
    ("an_exit_is_told_with_its_code", exit),
    ("a_hang_is_found_by_the_heartbeat", hang),
    ("a_stuck_worker_names_its_step", stuck),
    ("a_closed_pipe_is_a_death", close),
    ("garbage_on_the_pipe_is_a_death", garbage),
    ("a_flood_on_descriptor_1_does_no_harm", flood),
    ("full_pipes_in_both_directions_do_not_block", full_pipes),
    ("a_spent_worker_is_replaced_without_blame", spent),
    ("a_worker_killed_from_outside_costs_nothing", killed_outside),
    ("an_idle_worker_killed_is_replaced_when_needed", killed_idle),
    ("results_are_the_same_with_any_number_of_workers", same_with_any_number),
    ("an_operation_that_kills_is_quarantined", quarantine),
    ("a_worker_that_cannot_start_says_why", refuse),
    ("a_worker_that_dies_at_once_shows_its_last_lines", die),
    ("a_worker_that_never_answers_is_given_up", mute),
    ("a_missing_program_is_named", missing),
    ("a_fleet_that_breaks_keeps_what_was_found", breaks),
    ("an_unwritable_temporary_directory_is_named", unwritable),
    ("a_stop_flag_ends_the_wait", stop),
    ("another_table_is_refused", other_table),
    ("nothing_is_left_after_drop", nothing_left),
];

fn order() {
    let scripts: Vec<String> = (0..1000).map(|n| format!("ok {n}")).collect();
    let expected: Vec<String> = (0..1000).map(|n| n.to_string()).collect();
    for workers in [1, 2, 4] {
        let mut fleet = fleet(workers, 7);
        let mut table = OperationTable::new();
        let items = items(&mut table, &scripts);
        assert_eq!(words(&fleet.run(&table, items).expect("results")), expected);
        let stats = fleet.stats();
        assert_eq!((stats.starts, stats.death_count, stats.items), (workers as u64, 0, 1000));
        assert!(stats.bytes_down > 0 && stats.bytes_up > 0);
    }
}

fn tickets() {
    let mut fleet = fleet(2, 4);
    let mut table = OperationTable::new();
    assert!(matches!(fleet.collect(), Err(FleetError::Nothing)));
    let mut sent = Vec::new();
    for round in 0..5 {
        // The first is the slowest, and every round brings operations the workers have not met.
        let scripts = [format!("slow {}", 40 - round * 10), format!("ok {round}")];
        let items = items(&mut table, &scripts);
        sent.push(fleet.submit(&table, items).expect("a ticket"));
    }
    let last = items(&mut table, &["ok 99"]);
    assert_eq!(words(&fleet.run(&table, last).expect("results")), ["99"]);
    for (round, ticket) in sent.into_iter().enumerate() {
        let (collected, seen) = fleet.collect().expect("results");
        assert_eq!((collected, words(&seen)), (ticket, vec!["done".to_string(), round.to_string()]));
    }
}

fn crash() {
    for workers in [1, 2] {
        let mut fleet = fleet(workers, 8);
        check(
            &mut fleet,
            &["ok 1", "ok 2", "ok 3; abort; ok 4", "ok 5", "ok 6"],
            &["1", "2", "died@1: killed by SIGABRT", "5", "6"],
        );
        let stats = fleet.stats();
        let told: Vec<_> = stats.deaths.iter().map(|death| (death.to_string(), death.confirmed)).collect();
        let text = "killed by SIGABRT in `\"abort\"`".to_string();
        assert_eq!(told, [(text.clone(), false), (text, true)]);
        assert_eq!(stats.deaths[1].culprit.as_ref().map(|culprit| culprit.item), Some(2));
    }
}

fn exit() {
    let mut fleet = fleet(1, 8);
    check(
        &mut fleet,
        &["exit 7", "ok 1", "exit 0", "ok 2"],
        &["died@0: exited with code 7", "1", "died@0: exited with code 0", "2"],
    );
}

fn hang() {
    let mut fleet = fleet(1, 8);
    check(&mut fleet, &["ok 1", "ok 2; hang", "ok 3"], &["1", "died@1: no answer within 1s", "3"]);
}

fn stuck() {
    let mut fleet = fleet(1, 8);
    check(&mut fleet, &["ok 1", "ok 2; stuck", "ok 3"], &["1", "died@1: no answer within 500ms", "3"]);
}

fn close() {
    let mut fleet = fleet(1, 8);
    let died = "died@0: broke the protocol: it closed its pipe but did not end";
    check(&mut fleet, &["ok 1", "close", "ok 3"], &["1", died, "3"]);
}

fn garbage() {
    let mut fleet = fleet(2, 8);
    // The worker may be steps further when it is found out, so only the item is sure.
    let garbage = "died@?: broke the protocol: a frame of 4008636142 bytes is larger than any we send";
    let nonsense = "died@?: broke the protocol: malformed payload at byte 0";
    check(&mut fleet, &["ok 1", "garbage", "ok 2", "nonsense", "ok 3"], &["1", garbage, "2", nonsense, "3"]);
}

fn flood() {
    let mut fleet = fleet(1, 8);
    check(&mut fleet, &["ok 1", "flood 20000000; ok 2", "ok 3"], &["1", "2", "3"]);
    let stats = fleet.stats();
    assert_eq!((stats.bytes_printed, stats.death_count), (20_000_000, 0));
    assert_eq!(fleet.output_tail(), "z".repeat(16 << 10));
}

fn full_pipes() {
    // Answers and requests of several pipes' length each, all in flight at once.
    let long = "x".repeat(3_000_000);
    let mut fleet =
        Fleet::start(FleetConfig { batch_size: 1, in_flight: 8, ..config(1, "stand") }).expect("a fleet");
    let mut table = OperationTable::new();
    for round in 0..4 {
        let request = format!("await /dev/null/{long}{round}");
        let scripts = [format!("ok {round}; huge 2000000"), request, "huge 3000000".into()];
        let items = items(&mut table, &scripts);
        fleet.submit(&table, items).expect("a ticket");
    }
    for _ in 0..4 {
        let (_, seen) = fleet.collect().expect("results");
        assert_eq!(words(&seen), ["2000000 units", "-7", "3000000 units"]);
    }
    assert_eq!(fleet.stats().death_count, 0);
}

fn spent() {
    for workers in [1, 2] {
        let mut fleet = fleet(workers, 8);
        check(
            &mut fleet,
            &["ok 1", "spent", "ok 2", "spent", "ok 3"],
            &["1", "TimedOut(StepId(0))", "2", "TimedOut(StepId(0))", "3"],
        );
        let stats = fleet.stats();
        assert_eq!((stats.spent, stats.death_count), (2, 0));
    }
}

fn kill(pid: u32) {
    let pid = nix::unistd::Pid::from_raw(pid as i32);
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL).expect("our child is there");
}

fn killed_outside() {
    let folder = tempfile::tempdir().expect("a directory");
    let marker = folder.path().join("marker");
    let patient =
        FleetConfig { batch_size: 8, margin: std::time::Duration::from_secs(600), ..config(1, "stand") };
    let mut fleet = Fleet::start(patient).expect("a fleet");
    let mut table = OperationTable::new();
    let wait = format!("await {}", marker.display());
    let items = items(&mut table, &["ok 1", "ok 2", &wait, "ok 4"]);
    fleet.submit(&table, items).expect("a ticket");
    while !fleet.output_tail().contains("waiting to be killed") {
        std::thread::yield_now();
    }
    fleet.pids().into_iter().for_each(kill);
    let (_, seen) = fleet.collect().expect("results");
    assert_eq!(words(&seen), ["1", "2", "-7", "4"]);
    let stats = fleet.stats();
    assert_eq!((stats.deaths.len(), &stats.deaths[0].cause), (1, &DeathCause::Signalled(9)));
    assert!(!stats.deaths[0].confirmed && stats.quarantined.is_empty());
}

fn killed_idle() {
    let mut fleet = fleet(2, 8);
    check(&mut fleet, &["ok 1"], &["1"]);
    let before = fleet.pids();
    assert_eq!(before.len(), 2);
    before.iter().copied().for_each(kill);
    while fleet.stats().death_count < 2 {
        std::thread::yield_now();
    }
    let mut table = OperationTable::new();
    let items = items(&mut table, &["ok 1", "ok 2", "ok 3"]);
    assert_eq!(words(&fleet.run(&table, items).expect("results")), ["1", "2", "3"]);
    assert!(fleet.pids().iter().all(|pid| !before.contains(pid)));
    assert!(fleet.stats().deaths.iter().all(|death| death.culprit.is_none()));
}

/// What a killing mix gives must not depend on how many workers share it.
fn same_with_any_number() {
    let mut scripts = Vec::new();
    for n in 0..60 {
        scripts.push(match n % 10 {
            3 => "ok 1; abort".to_string(),
            6 => "exit 3; ok 1".to_string(),
            8 => "spent".to_string(),
            _ => format!("ok {n}"),
        });
    }
    let run = |workers: usize| {
        let mut fleet = fleet(workers, 4);
        let mut table = OperationTable::new();
        let items = items(&mut table, &scripts);
        let seen = fleet.run(&table, items).expect("results");
        (seen, fleet.stats().quarantined)
    };
    let alone = run(1);
    assert_eq!(alone.1.len(), 2);
    for workers in [2, 4] {
        assert_eq!(run(workers), alone, "{workers} workers");
    }
}

fn quarantine() {
    let mut fleet = fleet(1, 2);
    let scripts = ["abort"; 6];
    check(&mut fleet, &scripts, &["died@0: killed by SIGABRT"; 6]);
    let stats = fleet.stats();
    // Three culprits, each seen twice; the other three were never run.
    assert_eq!((stats.death_count, stats.refused_items), (6, 3));
    let quarantined = &stats.quarantined[0];
    assert_eq!((quarantined.description.as_str(), quarantined.deaths), ("\"abort\"", 3));

    let lenient = FleetConfig { batch_size: 2, quarantine_after: None, ..config(1, "stand") };
    let mut fleet = Fleet::start(lenient).expect("a fleet");
    check(&mut fleet, &scripts, &["died@0: killed by SIGABRT"; 6]);
    assert_eq!((fleet.stats().death_count, fleet.stats().quarantined.len()), (12, 0));
}

fn refuse() {
    let error = Fleet::start(config(2, "refuse")).expect_err("it refuses");
    assert_eq!(error.to_string(), "the worker cannot start: no JVM here\n  first line\n  second line");
}

fn die() {
    let error = Fleet::start(config(1, "die")).expect_err("it dies");
    assert_eq!(
        error.to_string(),
        "the worker ended before it was ready: exited with code 1\n  Error occurred during initialization of VM"
    );
}

fn mute() {
    let impatient = FleetConfig { start_timeout: std::time::Duration::from_millis(200), ..config(1, "mute") };
    let error = Fleet::start(impatient).expect_err("it says nothing");
    assert_eq!(error.to_string(), "the worker ended before it was ready: no answer within 200ms");
}

fn missing() {
    let mut config = config(1, "stand");
    config.worker_command.program = "/nonexistent/probat".into();
    let error = Fleet::start(config).expect_err("there is no such program");
    assert!(matches!(error, StartError::Launch { .. }));
    assert_eq!(error.to_string(), "cannot start the worker `/nonexistent/probat`");
}

fn breaks() {
    let mut fleet =
        Fleet::start(FleetConfig { batch_size: 1, ..config(1, "once") }).expect("the first stands");
    let mut table = OperationTable::new();
    let items = items(&mut table, &["ok 1", "ok 2", "exit 9", "ok 4"]);
    fleet.submit(&table, items).expect("a ticket");
    let error = fleet.collect().expect_err("no second worker stands");
    let text = "workers failed 3 times in a row; the last: the worker cannot start: only once";
    assert_eq!(error.to_string(), text);
    let found = fleet.salvage();
    let found: Vec<_> = found[0].1.iter().map(|seen| seen.as_ref().map(super::word)).collect();
    assert_eq!(found, [Some("1".into()), Some("2".into()), None, None]);
    assert!(matches!(fleet.collect(), Err(FleetError::Nothing)));
}

fn unwritable() {
    let folder = tempfile::tempdir().expect("a directory");
    let missing = folder.path().join("missing");
    let error =
        Fleet::start(FleetConfig { temp: Some(missing), ..config(1, "stand") }).expect_err("no place");
    assert!(matches!(error, StartError::Scratch(ScratchError::Unwritable { .. })), "{error}");
}

fn stop() {
    static STOP: AtomicBool = AtomicBool::new(false);
    let patient =
        FleetConfig { margin: std::time::Duration::from_secs(600), stop: Some(&STOP), ..config(1, "stand") };
    let mut fleet = Fleet::start(patient).expect("a fleet");
    let mut table = OperationTable::new();
    let items = items(&mut table, &["hang"]);
    fleet.submit(&table, items).expect("a ticket");
    STOP.store(true, Relaxed);
    assert!(matches!(fleet.collect(), Err(FleetError::Stopped)));
}

fn other_table() {
    let mut fleet = fleet(1, 8);
    check(&mut fleet, &["ok 1", "ok 2"], &["1", "2"]);
    let error = fleet.submit(&OperationTable::new(), Vec::new()).expect_err("a smaller table");
    assert!(matches!(error, FleetError::OtherTable { given: 0, known: 2 }));
}

fn nothing_left() {
    let folder = tempfile::tempdir().expect("a directory");
    let place = FleetConfig { temp: Some(folder.path().into()), ..config(4, "stand") };
    let mut fleet = Fleet::start(place).expect("a fleet");
    let mut table = OperationTable::new();
    let items = items(&mut table, &["hang", "abort", "ok 1", "flood 100000000"]);
    fleet.submit(&table, items).expect("a ticket");
    let pids = fleet.pids();
    assert_eq!((pids.len(), children().len()), (4, 4));
    assert!(fleet.scratch().starts_with(fs::canonicalize(folder.path()).expect("a path")));
    assert!(fleet.scratch().join("worker-3").is_dir());
    drop(fleet);
    assert_eq!(children(), [0; 0]);
    assert!(pids.iter().all(|pid| !fs::exists(format!("/proc/{pid}")).expect("a process list")));
    assert_eq!(fs::read_dir(folder.path()).expect("still there").count(), 0);
}

/// Prints what a sequence costs this side: `cargo test --release --test fleet -- measure`.
pub fn measure() {
    let mut table = OperationTable::new();
    let script: Vec<String> = (0..20).map(|n| format!("ok {n}")).collect();
    let script = script.join("; ");
    for workers in [1, 2] {
        let mut fleet = fleet(workers, 128);
        let (rounds, size) = (200, 1024);
        let mut making = std::time::Duration::ZERO;
        let start = Instant::now();
        for round in 0..rounds + 2 {
            if round < rounds {
                let clock = probat_os::clock::thread_cpu();
                let items = items(&mut table, &vec![&script; size]);
                making += probat_os::clock::thread_cpu() - clock;
                fleet.submit(&table, items).expect("a ticket");
            }
            if round >= 2 {
                fleet.collect().expect("results");
            }
        }
        let wall = start.elapsed();
        let stats = fleet.stats();
        let each = |time: std::time::Duration| time.as_secs_f64() * 1e6 / f64::from(rounds) / size as f64;
        println!(
            "{workers} workers: {:.2} us per sequence, supervisor {:.2} us (of it {:.2} making items), workers {:.2} us",
            each(wall),
            each(stats.supervisor_cpu),
            each(making),
            each(stats.worker_cpu),
        );
    }
}
