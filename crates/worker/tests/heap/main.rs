//! States of real objects, on every JDK found, plain and under `-Xcheck:jni`; each case in a process of its own.
//!
//! In: JDKs from `JAVA_HOME`, `java` on the path, `/usr/lib/jvm/*` and the directories in `PROBAT_TEST_JDKS`; words on
//! the command line select cases by name. Out: a line per case, and a count.
//! One of the JDKs must have a compiler, since the objects are made by Java code.

#![allow(clippy::unwrap_used, reason = "a test ends where something is not as expected")]
#![allow(clippy::print_stdout, reason = "a case tells the process that judges it what it saw")]

mod bed;
mod canonical;
mod jdk;
mod rebuilt;
mod speed;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};

use bed::Bed;
use probat_jvm::{NoHooks, Vm, VmOptions, find_library, keep_agent};

/// One case: its name, and what it does in a process of its own.
pub type Case = (&'static str, fn(&mut Bed<'_, '_>));

fn cases() -> Vec<Case> {
    [canonical::cases(), rebuilt::cases()].concat()
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, name, library, mode, classes] = &args[..]
        && flag == "--child"
    {
        child(name, Path::new(library), mode, classes);
    }
    let words: Vec<&String> = args.iter().filter(|arg| !arg.starts_with('-')).collect();
    run_all(&words)
}

fn run_all(words: &[&String]) -> ExitCode {
    let mut out = std::io::stdout().lock();
    let (mut passed, mut failed) = (0, 0);
    let classes = tempfile::tempdir().unwrap();
    let mut report = |name: &str, outcome: Result<(), String>| match outcome {
        Ok(()) => {
            passed += 1;
            writeln!(out, "test {name} ... ok").unwrap();
        }
        Err(reason) => {
            failed += 1;
            writeln!(out, "test {name} ... FAILED\n{reason}").unwrap();
        }
    };
    let wanted = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(word.as_str()));
    let homes = jdk::homes();
    jdk::compile(&homes, classes.path());
    for home in &homes {
        let library = find_library(home).unwrap();
        let label = home.to_string_lossy();
        let run = |name: &str, mode: &str| spawn(name, &library, mode, classes.path());
        for mode in ["plain", "strict"] {
            for (name, _) in cases() {
                let full = format!("{label}::{mode}::{name}");
                if wanted(&full) {
                    report(&full, judge(&run(name, mode)).map(|_| ()));
                }
            }
        }
        let full = format!("{label}::two_processes_agree");
        if wanted(&full) {
            report(&full, canonical::agree(&run("digest", "plain"), &run("digest", "skewed")));
        }
        if words.iter().any(|word| *word == "speed") {
            report(&format!("{label}::speed\n{}", judge(&run("speed", "plain")).unwrap()), Ok(()));
        }
    }
    writeln!(out, "{passed} passed, {failed} failed").unwrap();
    if failed == 0 && passed > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn spawn(name: &str, library: &Path, mode: &str, classes: &Path) -> Output {
    let scratch = tempfile::tempdir().unwrap();
    Command::new(std::env::current_exe().unwrap())
        .args(["--child", name, library.to_str().unwrap(), mode, classes.to_str().unwrap()])
        .current_dir(scratch.path())
        .env_remove("JAVA_TOOL_OPTIONS")
        .output()
        .unwrap()
}

/// What a case printed, if it ended well and the VM did not complain about our use of JNI.
fn judge(output: &Output) -> Result<String, String> {
    let (printed, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let complains = ["WARNING in native method", "FATAL ERROR in native method", "WARNING: JNI local refs"];
    let complained = complains.iter().any(|words| printed.contains(words) || said.contains(words));
    match printed.split_once("case ended\n") {
        Some((printed, _)) if output.status.success() && !complained => Ok(printed.into()),
        _ => Err(format!("{}:\n{printed}{said}", output.status)),
    }
}

/// Runs one case in this process.
fn child(name: &str, library: &Path, mode: &str, classes: &str) -> ! {
    let known = cases().into_iter().find(|case| case.0 == name).map(|case| case.1);
    let case = known.unwrap_or_else(|| match name {
        "digest" => canonical::digest,
        "speed" => speed::measure,
        other => panic!("no case {other}"),
    });
    let (library, mode) = (PathBuf::from(library), mode.to_owned());
    let mut arguments =
        vec!["-XX:+UseSerialGC".into(), "-Xmx512m".into(), format!("-Djava.class.path={classes}")];
    if mode == "strict" {
        arguments.push("-Xcheck:jni".into());
    }
    let body = move || {
        assert_ne!(keep_agent(), 0);
        let options = VmOptions { library, arguments, hooks: Box::new(NoHooks), panic_fd: 2 };
        let (vm, mut attached) = Vm::create(options).unwrap();
        Bed::lay(vm, &mut attached.env(), &mode, case);
    };
    let thread = std::thread::Builder::new().name("jvm".into()).stack_size(16 << 20).spawn(body).unwrap();
    let ended = thread.join().is_ok();
    if ended {
        println!("case ended");
    }
    std::process::exit(i32::from(!ended))
}
