//! Runs a suite under JUnit's launcher, inside a worker, and reads what was recorded.
//!
//! In: a worker's configuration with a recording, a place with tests. Out: a [`Suite`] and how long it took. A test that hangs for good
//! or ends its JVM is told by name and left out of the next try.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use probat_model::{
    ClassName, End, JavaString, Literal, MethodDescriptor, Observation, Operation, OperationTable, Sequence,
    StepId, StepOutcome, Type, Value,
};
use probat_protocol::{Item, Observe, RECORDING_FILE, Reset, Values, WorkerConfig, read_events};
use probat_reduce::{Problem, ProblemKind, Suite, includes};
use probat_supervisor::FleetConfig;

use crate::exit::Exit;
use crate::failure::{Failure, chain};
use crate::fleet;
use crate::progress::Progress;

/// Tests that may kill the run before it is given up.
const KILLERS: usize = 20;

/// Where the launcher's result class stands: it has moved between releases.
const RESULTS: [&str; 2] =
    ["org/junit/platform/console/options/CommandResult", "org/junit/platform/console/command/CommandResult"];

/// A finished run.
#[derive(Debug)]
pub struct Ran {
    pub suite: Suite,
    pub took: Duration,
    pub java_version: String,
    /// What the launcher printed first.
    pub said: String,
}

/// Tests that are left out: those known to hang or to end their JVM, and classes that cannot be loaded.
#[derive(Debug, Clone, Default)]
pub struct Killers(Vec<Problem>);

impl Killers {
    /// Classes that cannot be loaded, and the class they lack.
    pub fn unloadable(classes: &[(ClassName, ClassName)]) -> Killers {
        let problem = |(class, missing): &(ClassName, ClassName)| Problem {
            id: format!("[class:{class}]"),
            name: class.to_string(),
            kind: ProblemKind::Unloadable,
            detail: format!("class `{missing}` is not on the class path"),
        };
        Killers(classes.iter().map(problem).collect())
    }
}

/// Runs all tests at a place but the killers, who may become more.
pub fn run(config: &WorkerConfig, tests: &Path, what: &str, killers: &mut Killers) -> Result<Ran, Failure> {
    loop {
        let _progress = Progress::start(what);
        let mut settings = FleetConfig::new(config.clone());
        settings.workers = 1;
        // The watchdog inside the worker knows when a test began; from outside a suite looks like one long call.
        settings.margin = Duration::from_secs(24 * 3600);
        settings.quarantine_after = None;
        let mut fleet = fleet::start(settings)?;
        let java_version = fleet.hello().java_version.clone();
        let start = Instant::now();
        let seen = launch(&mut fleet, tests, killers)?;
        let took = start.elapsed();
        let mut suite = recorded(fleet.scratch())?;
        let ended = seen.end == End::Completed;
        if ended || suite.unfinished.is_none() {
            let was_stopped = suite.problems.iter().any(|problem| problem.kind == ProblemKind::Hung);
            if !ended && !was_stopped {
                return Err(broken(&seen));
            }
            suite.problems.extend(killers.0.iter().cloned());
            let said = said(&seen);
            return Ok(Ran { suite, took, java_version, said });
        }
        let Some((id, name)) = suite.unfinished.take() else { return Err(broken(&seen)) };
        if killers.0.iter().filter(|known| known.kind != ProblemKind::Unloadable).count() == KILLERS
            || killers.0.iter().any(|known| known.id == id)
        {
            return Err(broken(&seen));
        }
        let (kind, detail) = match &seen.end {
            End::TimedOut(_) => (ProblemKind::Hung, "it did not end, and could not be stopped".to_owned()),
            End::Died { cause, .. } => (ProblemKind::Died, format!("the JVM ended: {cause:?}")),
            other => (ProblemKind::Died, format!("the run ended: {other:?}")),
        };
        killers.0.push(Problem { id, name, kind, detail });
    }
}

/// What the launcher printed: the result of the last step.
fn said(seen: &Observation) -> String {
    match seen.steps.last() {
        Some((_, StepOutcome::Returned(Value::String { text, .. }))) => text.to_lossy(),
        _ => String::new(),
    }
}

fn broken(seen: &Observation) -> Failure {
    let detail = match seen.steps.last() {
        Some((_, StepOutcome::Threw(thrown))) => {
            let message = thrown.message.as_ref().map(JavaString::to_lossy).unwrap_or_default();
            format!("{}: {message}", thrown.class)
        }
        Some((_, StepOutcome::Refused(refusal))) => format!("{refusal:?}"),
        _ => format!("{:?}", seen.end),
    };
    Failure::new(Exit::Missing, format!("the JUnit launcher did not finish: {detail}"))
        .hint("is everything that the tests need on `--classpath`?")
        .hint("name another launcher with `--junit-jar`")
}

fn launch(
    fleet: &mut probat_supervisor::Fleet,
    tests: &Path,
    killers: &Killers,
) -> Result<Observation, Failure> {
    let mut table = OperationTable::new();
    let mut last = None;
    for result in RESULTS {
        let sequence = launcher_call(&mut table, tests, killers, result);
        let observe = Observe { values: Values::Last, ..Observe::default() };
        let item = Item { sequence, observe, reset: Reset::None, past_exceptions: false };
        let seen = fleet.run(&table, vec![item]).map_err(|error| fleet::failure(&error))?.pop();
        let seen = seen.expect("one item has one observation");
        let is_elsewhere = matches!(seen.end, End::Refused(_));
        last = Some(seen);
        if !is_elsewhere {
            break;
        }
    }
    Ok(last.expect("there is at least one place to look"))
}

/// `ConsoleLauncher.run(writer, writer, new String[] {…})`.
fn launcher_call(table: &mut OperationTable, tests: &Path, killers: &Killers, result: &str) -> Sequence {
    let mut words = vec![
        "execute".to_owned(),
        "--disable-banner".into(),
        "--details=none".into(),
        "--include-classname=.*".into(),
        format!("--scan-class-path={}", tests.display()),
    ];
    for killer in &killers.0 {
        match includes(&killer.id) {
            Some((class, Some(method))) => {
                words.push(format!("--exclude-methodname=\\Q{class}#{method}\\E.*"))
            }
            Some((class, None)) => words.push(format!("--exclude-classname=\\Q{class}\\E")),
            None => {}
        }
    }
    let mut sequence = Sequence::new();
    let mut push = |operation: Operation, args: &[StepId]| {
        let id = table.intern(operation);
        sequence.push(table, id, args.iter().copied()).expect("written here")
    };
    let construct = |class: &str, descriptor: &str| Operation::Construct {
        class: ClassName::internal(class),
        descriptor: MethodDescriptor::parse(descriptor).expect("written here"),
    };
    let text = push(construct("java/io/StringWriter", "()V"), &[]);
    let writer = push(construct("java/io/PrintWriter", "(Ljava/io/Writer;)V"), &[text]);
    let words: Vec<StepId> = words
        .iter()
        .map(|word| push(Operation::Literal(Literal::String(word.as_str().into())), &[]))
        .collect();
    let element = Type::class("java/lang/String");
    let array = push(Operation::ArrayOf { element, length: words.len() as u32 }, &words);
    let descriptor = format!("(Ljava/io/PrintWriter;Ljava/io/PrintWriter;[Ljava/lang/String;)L{result};");
    let run = Operation::CallStatic {
        class: ClassName::internal("org/junit/platform/console/ConsoleLauncher"),
        name: "run".into(),
        descriptor: MethodDescriptor::parse(&descriptor).expect("written here"),
        interface: false,
    };
    push(run, &[writer, writer, array]);
    let said = Operation::Call {
        class: ClassName::internal("java/io/StringWriter"),
        name: "toString".into(),
        descriptor: MethodDescriptor::parse("()Ljava/lang/String;").expect("written here"),
        interface: false,
    };
    push(said, &[text]);
    sequence
}

/// What the last worker recorded.
fn recorded(scratch: &Path) -> Result<Suite, Failure> {
    let mut files = Vec::new();
    find(scratch, &mut files);
    let missing = |why: String| Failure::new(Exit::Missing, format!("there is no recording: {why}"));
    // A worker that dies is followed by another; the later one ran what is to be judged.
    let newest =
        files.into_iter().max_by_key(|path| fs::metadata(path).and_then(|file| file.modified()).ok());
    let path = newest.ok_or_else(|| missing("the worker wrote none".into()))?;
    let file = File::open(&path).map_err(|error| missing(error.to_string()))?;
    let events = read_events(file).map_err(|error| missing(chain(&error)))?;
    Ok(Suite::of(events))
}

fn find(below: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(below) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() && !path.is_symlink() {
            find(&path, found);
        } else if path.to_string_lossy().ends_with(RECORDING_FILE) {
            found.push(path);
        }
    }
}
