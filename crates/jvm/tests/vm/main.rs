//! Runs every case on every JDK found, plain and under `-Xcheck:jni`, each in a process of its own.
//!
//! In: JDKs from `JAVA_HOME`, `java` on the path, `/usr/lib/jvm/*` and the directories in `PROBAT_TEST_JDKS`; words on
//! the command line select cases by name. Out: a line per case, and a count.
//! A case fails when its process ends badly, or when the VM complained about our use of JNI.

#![allow(clippy::unwrap_used, reason = "a test ends where something is not as expected")]

mod assemble;
mod calls;
mod classes;
mod data;
mod heap;
mod jdk;
mod lifecycle;
mod natives;
mod threads;
mod throwables;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};

use probat_jvm::{Env, Hooks, NoHooks, Vm, VmOptions, find_library};

/// What a case's process must do.
pub enum Ends {
    /// Run to its end.
    Normally,
    /// Abort, having written this.
    Aborting(&'static str),
}

/// One case.
pub struct Case {
    pub name: &'static str,
    pub options: &'static [&'static str],
    pub hooks: fn() -> Box<dyn Hooks>,
    pub ends: Ends,
    pub run: fn(Vm, &mut Env<'_>),
}

impl Case {
    /// A case without hooks or options.
    pub const fn plain(name: &'static str, run: fn(Vm, &mut Env<'_>)) -> Case {
        Case { name, options: &[], hooks: || Box::new(NoHooks), ends: Ends::Normally, run }
    }
}

fn cases() -> Vec<Case> {
    let all = [
        lifecycle::cases(),
        calls::cases(),
        classes::cases(),
        data::cases(),
        heap::cases(),
        natives::cases(),
        threads::cases(),
        throwables::cases(),
    ];
    all.into_iter().flatten().collect()
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, name, library, strict] = &args[..]
        && flag == "--child"
    {
        child(name, Path::new(library), strict == "strict");
    }
    let words: Vec<&String> = args.iter().filter(|arg| !arg.starts_with('-')).collect();
    run_all(&words)
}

fn run_all(words: &[&String]) -> ExitCode {
    let mut out = std::io::stdout().lock();
    let homes = jdk::homes();
    let (mut passed, mut failed) = (0, 0);
    for home in &homes {
        let library = find_library(home).unwrap();
        let label = home.file_name().unwrap().to_string_lossy();
        for mode in ["plain", "strict"] {
            for case in cases() {
                let name = format!("{label}::{mode}::{}", case.name);
                if !words.is_empty() && !words.iter().any(|word| name.contains(word.as_str())) {
                    continue;
                }
                match judge(&case, &spawn(&case, &library, mode)) {
                    Ok(()) => {
                        passed += 1;
                        writeln!(out, "test {name} ... ok").unwrap();
                    }
                    Err(reason) => {
                        failed += 1;
                        writeln!(out, "test {name} ... FAILED\n{reason}").unwrap();
                    }
                }
            }
        }
    }
    if homes.is_empty() {
        failed += 1;
        writeln!(out, "no JDK found: set JAVA_HOME or PROBAT_TEST_JDKS").unwrap();
    }
    writeln!(out, "{passed} passed, {failed} failed").unwrap();
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn spawn(case: &Case, library: &Path, mode: &str) -> Output {
    let scratch = tempfile::tempdir().unwrap();
    Command::new(std::env::current_exe().unwrap())
        .args(["--child", case.name, library.to_str().unwrap(), mode])
        .current_dir(scratch.path())
        .env_remove("JAVA_TOOL_OPTIONS")
        .output()
        .unwrap()
}

fn judge(case: &Case, output: &Output) -> Result<(), String> {
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let complaint = |what: &str| Err(format!("{what} ({}):\n{text}", output.status));
    if text.contains("WARNING in native method") || text.contains("FATAL ERROR in native method") {
        return complaint("the VM complained");
    }
    match case.ends {
        Ends::Normally if output.status.success() && text.contains("case ended") => Ok(()),
        Ends::Normally => complaint("the case failed"),
        Ends::Aborting(words) if !output.status.success() && text.contains(words) => Ok(()),
        Ends::Aborting(_) => complaint("the case did not abort as expected"),
    }
}

/// Runs one case in this process.
fn child(name: &str, library: &Path, strict: bool) -> ! {
    let case = cases().into_iter().find(|case| case.name == name).unwrap();
    let library = PathBuf::from(library);
    let body = move || {
        let mut arguments: Vec<String> = case.options.iter().map(|option| (*option).into()).collect();
        arguments.extend(["-XX:+UseSerialGC".into(), "-Xmx64m".into()]);
        if strict {
            arguments.push("-Xcheck:jni".into());
        }
        let options = VmOptions { library, arguments, hooks: (case.hooks)(), panic_fd: 2 };
        let (vm, mut attached) = Vm::create(options).unwrap();
        (case.run)(vm, &mut attached.env());
    };
    let thread = std::thread::Builder::new().name("jvm".into()).stack_size(16 << 20).spawn(body).unwrap();
    let ended = thread.join().is_ok();
    if ended {
        writeln!(std::io::stdout(), "case ended").unwrap();
    }
    std::process::exit(i32::from(!ended))
}
