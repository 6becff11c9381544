//! `probat doctor`: what is there, what is in force, and what to do about the rest.
//!
//! In: the machine, and the JVM named if any. Out: checks as text or JSON; exit code 5 if probat cannot work.
//! Starts one worker, because only that shows which protection the kernel really gives.

mod checks;

use std::fmt::Write;

use probat_model::{ClassName, Literal, MethodDescriptor, Operation, OperationTable, Sequence};
use probat_protocol::{Hello, Item, Limits, Rule, SandboxSpec, Setting, WorkerConfig};
use probat_supervisor::discovery::{Found, Jvm, Places, discover, discover_all};
use probat_supervisor::{Fleet, FleetConfig};
use serde::Serialize;

use crate::args::{DoctorArgs, Format};
use crate::exit::Exit;
use crate::failure::{Failure, print, print_json};
use crate::fleet;
use crate::progress::Progress;
use checks::{Check, Status};

/// Grows when a key changes its meaning or goes.
const SCHEMA: u32 = 1;

/// Everything found out.
#[derive(Debug, Serialize)]
struct Report {
    schema: u32,
    probat: &'static str,
    /// Whether probat can work.
    usable: bool,
    checks: Vec<Check>,
    jvms: Vec<JvmSeen>,
    /// Places that have no JVM for us, and why.
    rejected: Vec<String>,
    /// Guards this JVM has no method for.
    missing_guards: Vec<String>,
}

#[derive(Debug, Serialize)]
struct JvmSeen {
    home: String,
    version: String,
    found_in: String,
    has_compiler: bool,
    chosen: bool,
}

/// Runs the command.
pub fn run(args: &DoctorArgs) -> Result<Exit, Failure> {
    let report = {
        let _progress = Progress::start("looking around");
        examine(args)
    };
    match args.format {
        Format::Text => print(&render(&report))?,
        Format::Json => print_json(&report)?,
    }
    Ok(if report.usable { Exit::Fine } else { Exit::Missing })
}

fn examine(args: &DoctorArgs) -> Report {
    let places = Places::of_this_machine(args.java_home.clone());
    let found = discover_all(&places);
    let chosen = discover(&places).map_err(|error| crate::failure::chain(&error));
    let mut checks = checks::jvm(chosen.as_ref().map_err(String::clone), &found);
    let mut missing_guards = Vec::new();
    if let Ok(jvm) = &chosen {
        checks.push(checks::compiler(jvm, &found));
        let started = try_worker(jvm, !args.no_sandbox);
        checks.push(checks::worker(started.as_ref().map_err(String::clone)));
        if let Ok(hello) = &started {
            checks.extend(checks::sandbox(hello, !args.no_sandbox));
            missing_guards = hello
                .missing_guards
                .iter()
                .map(|guard| format!("{}: {}", guard.method, guard.reason))
                .collect();
        }
        checks.push(checks::limits(&Limits::default()));
    }
    checks.push(checks::temporary_files(&checks::temporary_place()));
    checks.push(checks::maven());
    Report {
        schema: SCHEMA,
        probat: env!("CARGO_PKG_VERSION"),
        usable: checks.iter().all(|check| check.status != Status::Missing),
        jvms: jvms(&found, chosen.as_ref().ok()),
        rejected: found.rejected.iter().map(ToString::to_string).collect(),
        checks,
        missing_guards,
    }
}

fn jvms(found: &Found, chosen: Option<&Jvm>) -> Vec<JvmSeen> {
    let seen = |jvm: &Jvm| JvmSeen {
        home: jvm.home.display().to_string(),
        version: jvm.version.text.clone(),
        found_in: jvm.found_in.clone(),
        has_compiler: jvm.has_compiler,
        chosen: chosen.is_some_and(|chosen| chosen.home == jvm.home),
    };
    found.jvms.iter().map(seen).collect()
}

/// Starts a worker and has it make one call.
fn try_worker(jvm: &Jvm, kernel: bool) -> Result<Hello, String> {
    let config = WorkerConfig {
        libjvm: jvm.libjvm.clone(),
        java_home: jvm.home.clone(),
        jvm_options: Vec::new(),
        class_path: Vec::new(),
        check_jni: false,
        assertions: true,
        limits: Limits::default(),
        sandbox: SandboxSpec { kernel, scratch: Default::default() },
        instrumentation: Default::default(),
        initialise: Vec::new(),
        rules: Rule::defaults(),
        contracts: Vec::new(),
        unchecked: Vec::new(),
        setting: Setting::Fixed,
        prints: false,
    };
    let mut settings = FleetConfig::new(config);
    settings.workers = 1;
    let mut fleet = fleet::start(settings).map_err(|failure| failure.message)?;
    one_call(&mut fleet)?;
    Ok(fleet.hello().clone())
}

fn one_call(fleet: &mut Fleet) -> Result<(), String> {
    let mut table = OperationTable::new();
    let number = table.intern(Operation::Literal(Literal::Int(1)));
    let call = table.intern(Operation::CallStatic {
        class: ClassName::internal("java/lang/Integer"),
        name: "toString".into(),
        descriptor: MethodDescriptor::parse("(I)Ljava/lang/String;").expect("a descriptor"),
        interface: false,
    });
    let mut sequence = Sequence::new();
    let pushed = sequence.push(&table, number, []).and_then(|one| sequence.push(&table, call, [one]));
    pushed.expect("one argument for one parameter");
    let seen =
        fleet.run(&table, vec![Item { sequence, ..Item::default() }]).map_err(|error| error.to_string())?;
    match seen.first().map(|seen| &seen.end) {
        Some(probat_model::End::Completed) => Ok(()),
        other => Err(format!("a worker stands, but a simple call ended with {other:?}")),
    }
}

fn render(report: &Report) -> String {
    let mut out = format!("probat {}\n", report.probat);
    for check in &report.checks {
        let _ = writeln!(out, "{:<8} {:<16} {}", check.status.word(), check.name, check.detail);
        if let Some(hint) = &check.hint {
            let _ = writeln!(out, "{:<25} hint: {hint}", "");
        }
    }
    let _ = writeln!(out, "{}", verdict(report));
    out
}

fn verdict(report: &Report) -> String {
    let warnings = report.checks.iter().filter(|check| check.status == Status::Warning).count();
    match (report.usable, warnings) {
        (false, _) => "probat cannot work here".into(),
        (true, 0) => "everything is there".into(),
        (true, 1) => "probat works; 1 thing could be better".into(),
        (true, many) => format!("probat works; {many} things could be better"),
    }
}
