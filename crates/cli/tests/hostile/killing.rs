//! Workers killed from outside, and what is left when a fleet is gone.

use std::path::Path;
use std::process::Command;

use probat_model::DeathCause;

use crate::common::survive::{calm_items, expected};
use crate::common::{Bed, jvms};

fn kill(pid: u32) {
    let done = Command::new("sh").args(["-c", &format!("kill -9 {pid}")]).status().unwrap();
    assert!(done.success());
}

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
        fleet.submit(&bed.table, many.clone()).unwrap();
        fleet.submit(&bed.table, many).unwrap();
        fleet.pids().into_iter().for_each(kill);
        for _ in 0..2 {
            let (_, seen) = fleet.collect().unwrap();
            for round in seen.chunks(calm.len()) {
                assert_eq!(round, expected.as_slice(), "{}: {:#?}", bed.label(), fleet.stats());
            }
            assert_eq!(seen.len(), rounds * calm.len());
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
