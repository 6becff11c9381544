//! What `probat generate` writes, compiled and run as a person would: the real binary, a real JVM, the real JUnit launcher.
//!
//! Where the launcher is not there, what is written is still looked at; it is compiled and run only with it.

#![allow(clippy::unwrap_used, reason = "a test ends where something is not as expected")]

mod shop;

use std::fs;
use std::path::PathBuf;

use shop::{Bed, Run, launcher, sources};

/// `probat generate` on the classes of the bed, the same on every machine.
fn generate(bed: &Bed, output: &str, steps: &str, more: &[&str]) -> Run {
    let jar = launcher().map(|jar| jar.display().to_string());
    let mut args = vec!["classes", "--seed", "1", "--workers", "1", "--step-limit", steps];
    args.extend(["--format", "json", "--output", output]);
    match &jar {
        Some(jar) => args.extend(["--junit-jar", jar]),
        None => args.push("--unverified"),
    }
    args.extend(more);
    bed.generate(&args)
}

fn text_of(bed: &Bed, folder: &str) -> String {
    sources(&bed.at(folder)).iter().map(|path| fs::read_to_string(path).unwrap()).collect()
}

/// Compiles what was written and runs it under the launcher; nothing without one.
fn run_written(bed: &Bed, folder: &str) -> Option<Run> {
    let jar = launcher()?;
    let into = format!("{folder}-classes");
    let path: Vec<PathBuf> = vec![bed.at("classes"), jar.clone()];
    bed.compile_with(&sources(&bed.at(folder)), &into, &path, None);
    Some(bed.run_junit(&jar, &[bed.at("classes"), bed.at(&into)], &bed.at(&into)))
}

/// A lock that remembers failed tries.
const LOCK: &str = "package lock;
public class Lock {
    private int failed;
    public void open(int code) { if (code != 4711) { failed++; throw new IllegalArgumentException(\"wrong code\"); } failed = 0; }
    public boolean isBlocked() { if (failed >= 2) { return true; } return false; }
}";

/// spec 001 row 38
#[test]
fn tests_go_on_past_exceptions() {
    let bed = Bed::empty();
    bed.compile_text("lock/Lock.java", LOCK, "classes");
    let plain = generate(&bed, "plain", "4000", &[]);
    plain.expect(0, &[]);
    assert!(!text_of(&bed, "plain").contains("isBlocked_returnsTrue"), "it takes a call that threw");
    let past = generate(&bed, "past", "4000", &["--past-exceptions"]);
    past.expect(0, &[]);
    let text = text_of(&bed, "past");
    let test = text.split("@Test").find(|test| test.contains("assertTrue(lock.isBlocked())"));
    let test = test.unwrap_or_else(|| panic!("{text}"));
    assert_eq!(test.matches("} catch (IllegalArgumentException expected").count(), 2, "{test}");
    assert!(test.find("} catch").unwrap() < test.find("isBlocked()").unwrap(), "{test}");
    assert_eq!(test.matches("fail(").count(), 2, "{test}");
    if let Some(run) = run_written(&bed, "past") {
        assert_eq!(past.json()["verified"], true);
        run.expect(0, &["0 tests failed"]);
    }
}
