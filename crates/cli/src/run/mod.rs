//! `probat run`: a script in, what it did out.
//!
//! In: a script, a class path, a JVM. Out: a [`report::Report`] as text or JSON. The script runs once with everything
//! observed; with `--edges` its beginnings run too, so that each line can be credited with the branches it opened.

mod edges;
mod gather;
mod plan;
mod report;
mod text;
mod tree;

use std::io::Read;
use std::path::Path;

use probat_model::{Observation, ProbeId, Sequence};
use probat_protocol::{
    Hello, Item, Limits, Observe, Reset, Rule, SandboxSpec, Setting, Values, WorkerConfig,
};
use probat_script::Script;
use probat_supervisor::discovery::Jvm;
use probat_supervisor::{Fleet, FleetConfig, FleetError, ProbeTable};

use crate::args::{Format, JvmArgs, ResetChoice, RunArgs};
use crate::exit::Exit;
use crate::failure::{Failure, message, print, print_json, show, warn};
use crate::fleet;
use crate::java;
use crate::library::Library;
use crate::progress::Progress;
use gather::Seen;
use report::{Coverage, EndSeen, JavaSeen, Report, SCHEMA, SandboxSeen};

/// Above so many lines edges are credited to the whole script only.
const MOST_BEGINNINGS: usize = 500;

/// Runs the command.
pub fn run(args: &RunArgs) -> Result<Exit, Failure> {
    let text = read(&args.file)?;
    let name = if args.file == Path::new("-") { "<stdin>".into() } else { args.file.display().to_string() };
    let jvm = java::choose(args.jvm.java_home.as_deref())?;
    let library = Library::open(&jvm.home, &args.jvm.classpath)?;
    let script = resolve(&name, &text, &library)?;
    if script.sequence.is_empty() {
        return Err(Failure::new(Exit::Nothing, format!("`{name}` has no steps"))
            .hint("write one per line, such as `n = Integer.parseInt(\"5\")`"));
    }
    let probes = if args.edges {
        let _progress = Progress::start("numbering branches");
        edges::probes(&library, &script, &args.instrument)?
    } else {
        ProbeTable::default()
    };
    warn_of_newer(&library);
    let mut fleet = start(args, &jvm, &library, &probes)?;
    let report = execute(args, &name, &text, &script, &probes, &jvm, &mut fleet)?;
    match args.format {
        Format::Text => print(&text::render(&report))?,
        Format::Json => print_json(&report)?,
    }
    Ok(exit_of(&report))
}

fn read(file: &Path) -> Result<String, Failure> {
    let fail = |error: std::io::Error| {
        let failure = Failure::new(Exit::BadInput, format!("cannot read `{}`: {error}", file.display()));
        match error.kind() {
            std::io::ErrorKind::InvalidData => failure.hint("a script is UTF-8 text"),
            std::io::ErrorKind::IsADirectory => failure.hint("name a file, or `-` for standard input"),
            _ => failure.hint("`probat run --help` shows what a script looks like"),
        }
    };
    if file == Path::new("-") {
        let mut text = String::new();
        return std::io::stdin().lock().read_to_string(&mut text).map(|_| text).map_err(fail);
    }
    std::fs::read_to_string(file).map_err(fail)
}

/// Reads the script; its errors are shown where they are.
pub fn resolve(name: &str, text: &str, library: &Library) -> Result<Script, Failure> {
    match probat_script::read(text, library) {
        Ok(script) => {
            for note in &script.notes {
                show(&note.render(name, text));
            }
            Ok(script)
        }
        Err(problems) => {
            for problem in &problems {
                show(&format!("{}\n", problem.render(name, text)));
            }
            for line in library.damaged() {
                message("note", &line);
            }
            let many =
                if problems.len() == 1 { "1 error".into() } else { format!("{} errors", problems.len()) };
            Err(Failure::new(Exit::BadInput, format!("{many} in `{name}`, nothing was run")))
        }
    }
}

fn warn_of_newer(library: &Library) {
    for line in library.newer() {
        warn(&format!("{line}; trying it all the same"));
    }
}

fn start(args: &RunArgs, jvm: &Jvm, library: &Library, probes: &ProbeTable) -> Result<Fleet, Failure> {
    let mut config = worker_config(&args.jvm, jvm, library)?;
    config.limits.call_cpu = args.time_limit_per_call;
    config.limits.call_wall = args.time_limit_per_call * 3;
    config.instrumentation = probes.instrumentation.clone();
    let mut fleet = FleetConfig::new(config);
    fleet.workers = usize::from(args.workers);
    fleet.config.prints = args.show_output;
    fleet.quarantine_after = None;
    fleet::start(fleet)
}

/// What every command tells its workers.
pub fn worker_config(args: &JvmArgs, jvm: &Jvm, library: &Library) -> Result<WorkerConfig, Failure> {
    Ok(WorkerConfig {
        libjvm: jvm.libjvm.clone(),
        java_home: jvm.home.clone(),
        jvm_options: args.jvm_options.clone(),
        class_path: library.jvm_class_path()?,
        check_jni: args.check_jni,
        assertions: true,
        limits: Limits::default(),
        // The fleet gives every worker a directory of its own.
        sandbox: SandboxSpec { kernel: !args.no_sandbox, scratch: Default::default() },
        instrumentation: Default::default(),
        initialise: Vec::new(),
        rules: Rule::defaults(),
        contracts: Vec::new(),
        unchecked: Vec::new(),
        setting: Setting::Fixed,
        prints: false,
    })
}

fn execute(
    args: &RunArgs,
    name: &str,
    text: &str,
    script: &Script,
    probes: &ProbeTable,
    jvm: &Jvm,
    fleet: &mut Fleet,
) -> Result<Report, Failure> {
    let (states, watches) = plan::watches(script, args.states);
    let item = Item {
        sequence: script.sequence.clone(),
        observe: Observe {
            values: Values::All,
            edges: args.edges,
            contracts: !args.no_contracts,
            states,
            ..Observe::default()
        },
        reset: reset(args.reset),
        past_exceptions: args.past_exceptions,
        ..Item::default()
    };
    let observation = one(fleet, script, item)?;
    let seen = Seen { text, script, watches: &watches, observation: observation.as_ref() };
    let mut lines = seen.lines();
    let taken = match (&observation, args.edges) {
        (Some(observation), true) => {
            let beginnings = beginnings(args, script, observation, fleet)?;
            gather::add_edges(&mut lines, &beginnings, probes)
        }
        _ => 0,
    };
    let coverage = args.edges.then(|| coverage(probes, taken));
    Ok(Report {
        schema: SCHEMA,
        probat: env!("CARGO_PKG_VERSION"),
        file: name.to_owned(),
        java: java_seen(jvm, fleet.hello()),
        sandbox: sandbox_seen(fleet.hello(), args.jvm.no_sandbox),
        end: seen.end(),
        taints: seen.taints(),
        leaks: seen.leaks(),
        violations: seen.violations(),
        deaths: fleet.stats().deaths.iter().map(ToString::to_string).collect(),
        output: args.show_output.then(|| fleet.output_tail()),
        coverage,
        lines,
    })
}

fn coverage(probes: &ProbeTable, taken: usize) -> Coverage {
    Coverage { classes: probes.instrumentation.classes.len(), edges: probes.edges().len(), taken }
}

fn reset(choice: ResetChoice) -> Reset {
    match choice {
        ResetChoice::Fields => Reset::Fields,
        ResetChoice::Loader => Reset::Loader,
        ResetChoice::None => Reset::None,
    }
}

/// Runs one item; `None` if Ctrl-C came first.
fn one(fleet: &mut Fleet, script: &Script, item: Item) -> Result<Option<Observation>, Failure> {
    let _progress = Progress::start("running the script");
    match fleet.run(&script.table, vec![item]) {
        Ok(found) => Ok(found.into_iter().next()),
        Err(FleetError::Stopped) => Ok(None),
        Err(error) => Err(fleet::failure(&error)),
    }
}

/// The edges of the script up to each line that was reached.
fn beginnings(
    args: &RunArgs,
    script: &Script,
    whole: &Observation,
    fleet: &mut Fleet,
) -> Result<Vec<(usize, Vec<ProbeId>)>, Failure> {
    let reached = whole.steps.last().map_or(0, |(step, _)| step.0 + 1);
    let ran = script
        .lines
        .iter()
        .enumerate()
        .filter(|(_, line)| !line.steps.is_empty() && line.steps.start < reached);
    let ran: Vec<usize> = ran.map(|(at, _)| at).collect();
    let Some(&last) = ran.last() else { return Ok(Vec::new()) };
    let ended_well = matches!(whole.end, probat_model::End::Completed | probat_model::End::Threw(_));
    if ran.len() > MOST_BEGINNINGS || !ended_well {
        return Ok(vec![(last, whole.edges.clone())]);
    }
    let _progress = Progress::start("crediting branches to lines");
    let items = ran.iter().map(|&at| Item {
        sequence: beginning(script, script.lines[at].steps.end),
        observe: Observe { values: Values::None, edges: true, ..Observe::default() },
        reset: reset(args.reset),
        past_exceptions: args.past_exceptions,
        ..Item::default()
    });
    match fleet.run(&script.table, items.collect()) {
        Ok(found) => Ok(ran.into_iter().zip(found.into_iter().map(|seen| seen.edges)).collect()),
        Err(FleetError::Stopped) => Ok(vec![(last, whole.edges.clone())]),
        Err(error) => Err(fleet::failure(&error)),
    }
}

/// The first so many steps.
fn beginning(script: &Script, steps: u16) -> Sequence {
    let kept = script.sequence.steps()[..usize::from(steps)].to_vec();
    Sequence::from_steps(&script.table, kept).expect("a beginning of a sequence is one")
}

fn java_seen(jvm: &Jvm, hello: &Hello) -> JavaSeen {
    JavaSeen {
        home: jvm.home.display().to_string(),
        version: hello.java_version.clone(),
        vendor: hello.java_vendor.clone(),
    }
}

fn sandbox_seen(hello: &Hello, unwanted: bool) -> SandboxSeen {
    let sandbox = &hello.sandbox;
    let missing = match unwanted {
        true => vec!["switched off by --no-sandbox".into()],
        false => fleet::missing_protection(hello),
    };
    SandboxSeen { landlock: sandbox.landlock, seccomp: sandbox.seccomp, guards: sandbox.guards, missing }
}

fn exit_of(report: &Report) -> Exit {
    let broken = !report.violations.is_empty() || !report.taints.is_empty();
    let threw = report.lines.iter().any(|line| {
        matches!(line.outcome, report::OutcomeSeen::Threw { .. } | report::OutcomeSeen::Refused { .. })
    });
    match report.end {
        EndSeen::Interrupted => Exit::Interrupted,
        EndSeen::Completed if !broken && !threw => Exit::Fine,
        _ => Exit::Found,
    }
}
