//! `probat bench generate` end to end, with the real compiler, JUnit and JaCoCo.
//!
//! In: `PROBAT_TEST_MAVEN=1`, which allows Maven to fetch JUnit and JaCoCo, and the shop of `tests/corpus`. Out: the report. Without the variable
//! nothing is run.

#![allow(clippy::unwrap_used, reason = "a test ends where something is not as expected")]

mod shop;

use shop::{Bed, maven};

#[test]
fn a_written_suite_is_measured_by_tools_that_are_not_ours() {
    if !maven() {
        return;
    }
    let bed = Bed::with_shop();
    let args = ["bench", "generate", "classes", "--time-limit", "5m", "--format", "json", "--keep", "kept"];
    let run = bed.probat(&[&args[..], &["--", "--step-limit", "30000"]].concat());
    run.expect(0, &[]);
    let report = run.json();
    let subject = &report["subjects"][0];
    let measured = &subject["ours"][0]["measured"];
    assert_eq!(measured["uncompilable"].as_array().unwrap().len(), 0, "{report:#}");
    assert_eq!(measured["runs"].as_array().unwrap().len(), 3);
    assert!(measured["tests"].as_u64().unwrap() > 10, "{report:#}");
    let branch = &measured["branch"];
    assert!(branch["covered"].as_u64().unwrap() * 2 > branch["all"].as_u64().unwrap(), "{report:#}");
    let sum: u64 = measured["packages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["branch"]["all"].as_u64().unwrap())
        .sum();
    assert_eq!(sum, branch["all"].as_u64().unwrap(), "spec 004 row R22");
    assert!(bed.at("kept/subject1/seed1/tests").is_dir());

    let again = bed.probat(&args);
    again.expect(2, &["is there already", "--keep"]);
}

#[test]
fn what_cannot_be_measured_is_said() {
    let bed = Bed::empty();
    bed.probat(&["bench", "generate", "nowhere.jar", "--time-limit", "5s"]).expect(2, &["nowhere.jar"]);
    bed.probat(&["bench", "generate", "--seeds", "0"]).expect(2, &["--seeds"]);
}

/// Ctrl-C reaches the whole group of processes, and ends the run, not one subject of it.
#[test]
fn an_interrupt_ends_the_run() {
    use std::io::{BufRead, BufReader};
    use std::os::unix::process::CommandExt;
    if !maven() {
        return;
    }
    let bed = Bed::with_shop();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_probat"));
    command.args(["bench", "generate", "classes", "classes", "--time-limit", "10m"]);
    command.current_dir(bed.at(".")).env("JAVA_HOME", &bed.jdk.home).process_group(0);
    command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::piped());
    let mut running = command.spawn().unwrap();
    let mut heard = String::new();
    let mut lines = BufReader::new(running.stderr.take().unwrap()).lines();
    while !heard.contains("measuring: ") {
        heard.push_str(&lines.next().expect("it ended by itself").unwrap());
    }
    let group = format!("-{}", running.id());
    assert!(std::process::Command::new("kill").args(["-INT", "--", &group]).status().unwrap().success());
    for line in lines {
        heard.push_str(&line.unwrap());
    }
    assert_eq!(running.wait().unwrap().code(), Some(130), "{heard}");
    assert_eq!(heard.matches("measuring: ").count(), 1, "{heard}");
}
