//! Workers on real JVMs: sequences in, observations out, on every JDK found, plain and under `-Xcheck:jni`.
//!
//! In: JDKs from `JAVA_HOME`, `java` on the path, `/usr/lib/jvm/*` and the directories in `PROBAT_TEST_JDKS`; words on
//! the command line select cases by name, and `speed` measures. Out: a line per case, and a count.
//! This executable is supervisor and worker both, since the worker's half must export the JVM's agent.

#![allow(clippy::unwrap_used, reason = "a test ends where something is not as expected")]
#![allow(clippy::print_stdout, reason = "a test without harness reports itself")]

mod bed;
mod jdk;
mod limits;
mod observing;
mod operations;
mod speed;
mod state;
mod stems;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use bed::Bed;
use probat_jvm::{find_library, keep_agent};

/// One case: its name, and what it does with workers of its own.
pub type Case = (&'static str, fn(&Bed));

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args.first().map(String::as_str) == Some(bed::WORKER) {
        assert_ne!(keep_agent(), 0);
        return probat_worker::main();
    }
    let words: Vec<&String> = args.iter().filter(|arg| !arg.starts_with('-')).collect();
    run_all(&words)
}

fn run_all(words: &[&String]) -> ExitCode {
    let (mut passed, mut failed) = (0, 0);
    let classes = tempfile::tempdir().unwrap();
    let wanted = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(word.as_str()));
    let homes = jdk::homes();
    let compiler = homes.iter().find(|home| home.join("bin/javac").is_file()).expect("a JDK with a compiler");
    jdk::compile(compiler, classes.path());
    let classes = classes.path().to_path_buf();
    for home in &homes {
        let library = find_library(home).unwrap();
        let label = jdk::label(home);
        if words.iter().any(|word| *word == "speed") {
            let bed = Bed {
                label: label.clone(),
                home: home.clone(),
                library,
                classes: classes.clone(),
                strict: false,
            };
            println!("{label}: {}", speed::measure(&bed));
            passed += 1;
            continue;
        }
        for strict in [false, true] {
            let (label, home) = (label.clone(), home.clone());
            let bed = Bed { label, home, library: library.clone(), classes: classes.clone(), strict };
            let mode = if strict { "strict" } else { "plain" };
            for (name, case) in cases() {
                let full = format!("{}::{mode}::{name}", bed.label);
                if !wanted(&full) {
                    continue;
                }
                let done = catch_unwind(AssertUnwindSafe(|| case(&bed)));
                println!("test {full} ... {}", if done.is_ok() { "ok" } else { "FAILED" });
                *(if done.is_ok() { &mut passed } else { &mut failed }) += 1;
            }
        }
    }
    println!("{passed} passed, {failed} failed");
    if failed == 0 && passed > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn cases() -> Vec<Case> {
    [operations::cases(), observing::cases(), state::cases(), limits::cases(), stems::cases()].concat()
}
