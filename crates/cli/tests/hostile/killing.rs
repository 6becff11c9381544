//! Workers killed from outside, and what is left when a fleet is gone.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use probat_model::DeathCause;

use crate::common::corpus::CORPUS;
use crate::common::survive::{calm_items, expected};
use crate::common::{Bed, jvms};

fn kill(pid: u32) {
    let done = Command::new("sh").args(["-c", &format!("kill -9 {pid}")]).status().unwrap();
    assert!(done.success());
}

/// Tries to kill workers in the middle of their work.
const ATTEMPTS: usize = 20;

/// All results come, and none of the steps that happened to run is blamed for good.
#[test]
fn a_worker_killed_from_outside_costs_nothing() {
    for jvm in jvms::full() {
        let mut bed = Bed::on(jvm);
        bed.config.workers = 2;
        let (calm, expected) = (calm_items(&mut bed), expected(&bed));
        let rounds = 60;
        let many: Vec<_> = (0..rounds).flat_map(|_| calm.iter().cloned()).collect();
        let mut fleet = bed.start();
        // Workers that are done before they are killed are missed by the next items only.
        for _ in 0..ATTEMPTS {
            fleet.submit(&bed.table, many.clone()).unwrap();
            fleet.submit(&bed.table, many.clone()).unwrap();
            fleet.pids().into_iter().for_each(kill);
            for _ in 0..2 {
                let (_, seen) = fleet.collect().unwrap();
                for round in seen.chunks(calm.len()) {
                    assert_eq!(round, expected.as_slice(), "{}: {:#?}", bed.label(), fleet.stats());
                }
                assert_eq!(seen.len(), rounds * calm.len());
            }
            if fleet.stats().death_count > 0 {
                break;
            }
        }
        let stats = fleet.stats();
        assert!(stats.death_count >= 1 && stats.quarantined.is_empty(), "{stats:#?}");
        assert!(stats.deaths.iter().all(|death| death.cause == DeathCause::Signalled(9)), "{stats:#?}");
    }
}

#[test]
fn nothing_is_left_of_a_fleet_that_is_dropped() {
    let temp = tempfile::tempdir().unwrap();
    let mut bed = Bed::on(jvms::newest());
    bed.config.workers = 2;
    bed.config.temp = Some(temp.path().into());
    let busy: Vec<_> = (0..4).map(|_| bed.item(|s| s.call("Loops.endless", &[]))).collect();
    let mut fleet = bed.start();
    fleet.submit(&bed.table, busy).unwrap();
    let pids = fleet.pids();
    assert_eq!(pids.len(), 2);
    drop(fleet);
    for pid in pids {
        assert!(!Path::new(&format!("/proc/{pid}")).exists(), "{pid} lives on");
    }
    assert_eq!(std::fs::read_dir(temp.path()).unwrap().count(), 0);
}

/// The processes that this one started and that live.
fn children(pid: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let told = tasks.map(|task| fs::read_to_string(task.path().join("children")).unwrap_or_default());
    told.flat_map(|told| told.split(' ').filter_map(|pid| pid.parse().ok()).collect::<Vec<u32>>()).collect()
}

/// Looks again and again until there is an answer.
#[track_caller]
fn wait_for<T>(what: &str, look: impl Fn() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Runs a script that never ends, in a process of its own.
fn endless_run() -> Child {
    let mut child = Command::new(env!("CARGO_BIN_EXE_probat"))
        .args(["run", "--time-limit-per-call", "600s", "--java-home"])
        .arg(&jvms::newest().home)
        .arg("--classpath")
        .arg(&CORPUS.folder)
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"hostile.Loops.catching()\n").unwrap();
    child
}

#[test]
fn workers_do_not_outlive_a_supervisor_that_is_killed() {
    let mut supervisor = endless_run();
    let pid = supervisor.id();
    let worker = wait_for("no worker was started", || children(pid).first().copied());
    // Starting takes much less: with this much CPU time used, the worker is in the loop and looks at no pipe.
    let busy = || {
        let stat = fs::read_to_string(format!("/proc/{worker}/stat")).ok()?;
        let ticks: u64 = stat.rsplit(')').next()?.split(' ').nth(12)?.parse().ok()?;
        (ticks > 300).then_some(())
    };
    wait_for("the worker is not busy", busy);
    kill(pid);
    supervisor.wait().unwrap();
    let gone = || (!Path::new(&format!("/proc/{worker}")).exists()).then_some(());
    wait_for("the worker lives on", gone);
}
