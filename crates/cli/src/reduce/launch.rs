//! Runs a suite under JUnit's launcher, inside a worker, and reads what was recorded.
//!
//! In: a worker's configuration with a recording, a place with tests. Out: a [`Suite`] and how long it took. A test that hangs for good
//! or ends its JVM is told by name and left out of the next try.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use probat_model::{ClassName, End, JavaString, Observation, OperationTable, Sequence, StepOutcome, Value};
use probat_protocol::{Item, Observe, RECORDING_FILE, Reset, Values, WorkerConfig, read_events};
use probat_reduce::{Problem, ProblemKind, Suite, includes};
use probat_supervisor::{Fleet, FleetConfig, FleetError};

use super::calls::{console_call, interface_call};
use super::watch::Watch;
use crate::exit::Exit;
use crate::failure::{Failure, chain};
use crate::fleet;
use crate::progress::Progress;

/// Tests that may kill the run before it is given up.
const KILLERS: usize = 20;

/// Where the launcher's result class stands: it has moved between releases.
const RESULTS: [&str; 2] =
    ["org/junit/platform/console/options/CommandResult", "org/junit/platform/console/command/CommandResult"];

/// How JUnit is started. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    /// By its console launcher.
    Console,
    /// By the launcher's own interface, which is what a project has without the console; `true` if it can leave out single methods.
    Interface(bool),
}

/// A run that ended, or was ended.
#[derive(Debug)]
pub struct Ran {
    pub suite: Suite,
    pub took: Duration,
    /// Processor time of the workers from the start of the tests.
    pub cpu: Duration,
    /// Ctrl-C ended it.
    pub interrupted: bool,
    pub java_version: String,
    /// What the launcher printed first.
    pub said: String,
}

/// Tests that are left out: those known to hang or to end their JVM, and classes that cannot be loaded.
#[derive(Debug, Clone, Default)]
pub struct Killers(Vec<Problem>);

impl Killers {
    /// Tests that were stopped are not waited for again, where single methods can be left out.
    pub fn add_hung(&mut self, suite: &Suite, entry: Entry) {
        if entry == Entry::Interface(false) {
            return;
        }
        let hung = suite.problems.iter().filter(|problem| {
            // The other runs of a method with parameters may be well.
            problem.kind == ProblemKind::Hung && problem.id.contains("/[method:")
        });
        for problem in hung {
            if !self.0.iter().any(|known| known.id == problem.id) {
                self.0.push(problem.clone());
            }
        }
    }

    /// Patterns of methods and of classes to leave out, as JUnit takes them.
    pub fn patterns(&self) -> (Vec<String>, Vec<String>) {
        let (mut methods, mut classes) = (Vec::new(), Vec::new());
        for killer in &self.0 {
            match includes(&killer.id) {
                // JUnit looks at names without their parameters.
                Some((class, Some(method))) => methods.push(format!("\\Q{class}#{method}\\E")),
                Some((class, None)) => classes.push(format!("\\Q{class}\\E")),
                None => {}
            }
        }
        (methods, classes)
    }

    /// Classes to leave out where single methods cannot be.
    pub fn classes(&self) -> Vec<String> {
        let classes = self.0.iter().filter_map(|killer| Some(includes(&killer.id)?.0));
        classes.map(|class| format!("\\Q{class}\\E")).collect()
    }

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

/// What a run is called while it is shown, and how many tests it has, if that is known.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'a> {
    pub what: &'a str,
    pub all: Option<usize>,
}

/// Runs all tests at a place but the killers, who may become more.
pub fn run(
    config: &WorkerConfig,
    entry: Entry,
    tests: &Path,
    shown: Shown<'_>,
    killers: &mut Killers,
) -> Result<Ran, Failure> {
    let mut restarts = 0;
    loop {
        let starting = Progress::start(shown.what);
        let mut settings = FleetConfig::new(config.clone());
        settings.workers = 1;
        // The watchdog inside the worker knows when a test began; from outside a suite looks like one long call.
        settings.margin = Duration::from_secs(24 * 3600);
        settings.quarantine_after = None;
        let mut fleet = fleet::start(settings)?;
        drop(starting);
        let mut watch = Watch::new(shown.what, shown.all, fleet.scratch());
        let _progress = Progress::watching(move || watch.look());
        let java_version = fleet.hello().java_version.clone();
        let (start, cpu_before) = (Instant::now(), fleet.stats().worker_cpu);
        let seen = launch(&mut fleet, entry, tests, killers);
        let took = start.elapsed();
        let cpu = fleet.stats().worker_cpu.saturating_sub(cpu_before);
        let mut suite = recorded(fleet.scratch())?;
        let seen = match seen {
            Ok(seen) => seen,
            // What was recorded until then is on disk.
            Err(FleetError::Stopped) => {
                suite.problems.extend(killers.0.iter().cloned());
                return Ok(Ran { suite, took, cpu, interrupted: true, java_version, said: String::new() });
            }
            Err(error) => return Err(fleet::failure(&error)),
        };
        let ended = seen.end == End::Completed;
        if ended || suite.unfinished.is_none() {
            let was_stopped = suite.problems.iter().any(|problem| problem.kind == ProblemKind::Hung);
            if !ended && !was_stopped {
                return Err(broken(&seen));
            }
            suite.problems.extend(killers.0.iter().cloned());
            let said = said(&seen);
            return Ok(Ran { suite, took, cpu, interrupted: false, java_version, said });
        }
        let Some((id, name)) = suite.unfinished.take() else { return Err(broken(&seen)) };
        restarts += 1;
        if restarts > KILLERS || killers.0.iter().any(|known| known.id == id) {
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
    fleet: &mut Fleet,
    entry: Entry,
    tests: &Path,
    killers: &Killers,
) -> Result<Observation, FleetError> {
    let mut table = OperationTable::new();
    let calls: Vec<Sequence> = match entry {
        Entry::Console => {
            RESULTS.iter().map(|result| console_call(&mut table, tests, killers, result)).collect()
        }
        Entry::Interface(by_method) => vec![interface_call(&mut table, tests, killers, by_method)],
    };
    let mut last = None;
    for sequence in calls {
        let observe = Observe { values: Values::Last, ..Observe::default() };
        let item = Item { sequence, observe, reset: Reset::None, past_exceptions: false, ..Item::default() };
        let seen = fleet.run(&table, vec![item])?.pop();
        let seen = seen.expect("one item has one observation");
        let is_elsewhere = matches!(seen.end, End::Refused(_));
        last = Some(seen);
        if !is_elsewhere {
            break;
        }
    }
    Ok(last.expect("there is at least one place to look"))
}

/// What the last worker recorded.
fn recorded(scratch: &Path) -> Result<Suite, Failure> {
    let missing = |why: String| Failure::new(Exit::Missing, format!("there is no recording: {why}"));
    let path = newest(scratch).ok_or_else(|| missing("the worker wrote none".into()))?;
    let file = File::open(&path).map_err(|error| missing(error.to_string()))?;
    let events = read_events(file).map_err(|error| missing(chain(&error)))?;
    Ok(Suite::of(events))
}

/// The recording written last: a worker that dies is followed by another, and the later one ran what is to be judged.
pub fn newest(scratch: &Path) -> Option<PathBuf> {
    let mut files = Vec::new();
    find(scratch, &mut files);
    files.into_iter().max_by_key(|path| fs::metadata(path).and_then(|file| file.modified()).ok())
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
