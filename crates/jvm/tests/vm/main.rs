//! Runs every case on every JDK found, plain and under `-Xcheck:jni`, each in a process of its own.
//!
//! In: JDKs from `JAVA_HOME`, `java` on the path, `/usr/lib/jvm/*` and the directories in `PROBAT_TEST_JDKS`; words on
//! the command line select cases by name. Out: a line per case, and a count.
//! A case fails when its process ends badly, or when the VM complained about our use of JNI.

#![allow(clippy::print_stdout, reason = "the parent reads what a case prints")]
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
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use probat_jvm::{Env, Hooks, NoHooks, Vm, VmOptions, find_library};

/// What a case's process must do.
#[derive(Debug)]
pub enum Ends {
    /// Run to its end.
    Normally,
    /// Abort, having written this.
    Aborting(&'static str),
    /// Not get a VM, for a reason that begins with this.
    WithoutVm(&'static str),
}

/// One case.
#[derive(Debug)]
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

/// One run of a case: the name to print, the case, the VM, and how to start it.
type Run = (String, Case, PathBuf, &'static str);

fn run_all(words: &[&String]) -> ExitCode {
    let mut out = std::io::stdout().lock();
    let runs = runs(words);
    if jdk::homes().is_empty() {
        writeln!(out, "no JDK found: set JAVA_HOME or PROBAT_TEST_JDKS").unwrap();
        return ExitCode::FAILURE;
    }
    let next = AtomicUsize::new(0);
    let (send, receive) = mpsc::channel();
    let (mut passed, mut failed) = (0, 0);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            let (runs, next, send) = (&runs, &next, send.clone());
            scope.spawn(move || {
                while let Some((name, case, library, mode)) = runs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    send.send((name, judge(case, &spawn(case, library, mode)))).unwrap();
                }
            });
        }
        drop(send);
        for (name, judgement) in receive {
            match judgement {
                Ok(()) => passed += 1,
                Err(_) => failed += 1,
            }
            let line = judgement.map_or_else(|reason| format!("FAILED\n{reason}"), |()| "ok".into());
            writeln!(out, "test {name} ... {line}").unwrap();
        }
    });
    writeln!(out, "{passed} passed, {failed} failed").unwrap();
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn runs(words: &[&String]) -> Vec<Run> {
    let mut runs = Vec::new();
    for home in jdk::homes() {
        let library = find_library(&home).unwrap();
        let label = jdk::version(&home);
        for mode in ["plain", "strict"] {
            for case in cases() {
                let name = format!("{label}::{mode}::{}", case.name);
                if words.is_empty() || words.iter().any(|word| name.contains(word.as_str())) {
                    runs.push((name, case, library.clone(), mode));
                }
            }
        }
    }
    runs
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
    let text =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let complaint = |what: &str| Err(format!("{what} ({}):\n{text}", output.status));
    if text.contains("WARNING in native method") || text.contains("FATAL ERROR in native method") {
        return complaint("the VM complained");
    }
    match case.ends {
        Ends::Normally | Ends::WithoutVm(_) if output.status.success() && text.contains("case ended") => {
            Ok(())
        }
        Ends::Normally | Ends::WithoutVm(_) => complaint("the case failed"),
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
        match (Vm::create(options), case.ends) {
            (Err(error), Ends::WithoutVm(words)) => assert!(error.to_string().starts_with(words), "{error}"),
            (created, _) => {
                let (vm, mut attached) = created.unwrap();
                (case.run)(vm, &mut attached.env());
            }
        }
    };
    let thread = std::thread::Builder::new().name("jvm".into()).stack_size(16 << 20).spawn(body).unwrap();
    let ended = thread.join().is_ok();
    if ended {
        println!("case ended");
    }
    std::process::exit(i32::from(!ended))
}
