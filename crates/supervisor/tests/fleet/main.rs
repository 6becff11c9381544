//! A fleet with real processes: order, deaths, culprits, floods, and nothing left behind.
//!
//! The test starts itself as a scripted worker, so no JDK is needed.

#![allow(clippy::print_stdout)]

mod fake_worker;
mod tests;

use std::fs;
use std::panic::catch_unwind;
use std::process::ExitCode;
use std::time::Duration;

use probat_model::{End, Literal, Observation, Operation, OperationTable, Sequence, StepOutcome, Value};
use probat_protocol::{Instrumentation, Item, Limits, SandboxSpec, Setting, WorkerConfig};
use probat_supervisor::{Fleet, FleetConfig, WorkerCommand, in_words};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().collect();
    match args.get(1).map(String::as_str) {
        Some("fake-worker") => fake_worker::main(&args[2]),
        Some("measure") => {
            tests::measure();
            ExitCode::SUCCESS
        }
        filter => run(filter.filter(|word| !word.starts_with('-'))),
    }
}

fn run(filter: Option<&str>) -> ExitCode {
    let chosen = tests::ALL.iter().filter(|(name, _)| filter.is_none_or(|word| name.contains(word)));
    let (mut passed, mut failed) = (0, 0);
    for (name, test) in chosen {
        // Whatever a test does, its workers must be gone afterwards.
        let result = catch_unwind(|| {
            test();
            assert_eq!(children(), [0; 0], "processes left behind");
        });
        println!("test {name} ... {}", if result.is_ok() { "ok" } else { "FAILED" });
        *(if result.is_ok() { &mut passed } else { &mut failed }) += 1;
    }
    println!("{passed} passed, {failed} failed");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Processes whose parent is this one, dead ones not yet reaped included.
fn children() -> Vec<u32> {
    let own = std::process::id().to_string();
    let processes = fs::read_dir("/proc").expect("a process list").flatten();
    let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter(|pid| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        // The name in parentheses may hold anything; the parent is the second word after it.
        let after = stat.rsplit_once(')').map_or("", |(_, after)| after);
        after.split_whitespace().nth(1) == Some(&own)
    })
    .collect()
}

/// A fleet of scripted workers with short limits.
fn config(workers: usize, mode: &str) -> FleetConfig {
    let limits = Limits {
        call_cpu: Duration::from_millis(300),
        call_wall: Duration::from_millis(300),
        grace: Duration::from_millis(200),
        ..Limits::default()
    };
    let config = WorkerConfig {
        libjvm: "/nonexistent/libjvm.so".into(),
        java_home: "/nonexistent".into(),
        jvm_options: Vec::new(),
        class_path: Vec::new(),
        check_jni: false,
        assertions: false,
        limits,
        sandbox: SandboxSpec { kernel: false, scratch: "/nonexistent".into() },
        instrumentation: Instrumentation::default(),
        initialise: Vec::new(),
        rules: Vec::new(),
        contracts: Vec::new(),
        unchecked: Vec::new(),
        setting: Setting::Fixed,
        prints: false,
    };
    FleetConfig {
        worker_command: WorkerCommand {
            args: vec!["fake-worker".into(), mode.into()],
            ..WorkerCommand::default()
        },
        workers,
        margin: Duration::from_millis(500),
        start_timeout: Duration::from_secs(30),
        ..FleetConfig::new(config)
    }
}

fn fleet(workers: usize, batch_size: usize) -> Fleet {
    Fleet::start(FleetConfig { batch_size, ..config(workers, "stand") }).expect("a fleet of fake workers")
}

/// Items from texts; the steps of an item are separated by semicolons.
fn items(table: &mut OperationTable, scripts: &[impl AsRef<str>]) -> Vec<Item> {
    let mut item = |text: &str| {
        let mut sequence = Sequence::new();
        for step in text.split("; ") {
            let operation = table.intern(Operation::Literal(Literal::String(step.into())));
            sequence.push(table, operation, []).expect("a literal takes no arguments");
        }
        Item { sequence, ..Item::default() }
    };
    scripts.iter().map(|text| item(text.as_ref())).collect()
}

/// What came of an item, in a word.
fn word(seen: &Observation) -> String {
    match &seen.end {
        End::Completed => match seen.steps.last() {
            Some((_, StepOutcome::Returned(Value::Int(value)))) => value.to_string(),
            Some((_, StepOutcome::Returned(Value::String { length, .. }))) => format!("{length} units"),
            _ => "done".into(),
        },
        End::Died { step, cause } => {
            let step = step.map_or("?".into(), |step| step.0.to_string());
            format!("died@{step}: {}", in_words(cause))
        }
        other => format!("{other:?}"),
    }
}

fn words(seen: &[Observation]) -> Vec<String> {
    seen.iter().map(word).collect()
}

/// Runs scripts on a fleet and compares what came of them.
#[track_caller]
fn check(fleet: &mut Fleet, scripts: &[&str], expected: &[&str]) {
    let mut table = OperationTable::new();
    let items = items(&mut table, scripts);
    assert_eq!(words(&fleet.run(&table, items).expect("results")), expected);
}
