//! `probat minimize`: a test class with failing tests in, shorter tests that fail in the same way out.
//!
//! In: a source file, a class path, a JVM with a compiler. Out: a new source file and a report. The user's file is never touched, and
//! tests that are not straight-line are named and left as they are.

mod args;
mod java;
mod parts;
mod shrink;
mod trial;

use std::fs;
use std::path::{Path, PathBuf};

use probat_generate::Compiler;
use probat_model::{ClassName, OperationTable};
use probat_project::{JUnitKind, Tools, find_junit};
use probat_supervisor::FleetConfig;
use probat_supervisor::discovery::Jvm;
use serde::Serialize;

pub use args::MinimizeArgs;

use crate::args::Format;
use crate::exit::Exit;
use crate::failure::{Failure, print, print_json};
use crate::fleet;
use crate::generate::project_failure;
use crate::java::choose;
use crate::library::Library;
use crate::progress::Progress;
use crate::run::worker_config;
use java::{Statement, TestClass};
use shrink::shrink;
use trial::{Bench, Ended, SameFailure, body};

const SCHEMA: u32 = 1;

#[derive(Debug, Serialize)]
struct Report {
    schema: u32,
    file: String,
    /// Where the shorter class is; none if nothing became shorter.
    output: Option<String>,
    tests: Vec<TestReport>,
    /// Compilations, and methods run.
    waves: usize,
    runs: usize,
}

#[derive(Debug, Serialize)]
struct TestReport {
    test: String,
    state: State,
    /// Why it is left alone.
    reason: Option<String>,
    /// What it throws, and the method that raised it.
    exception: Option<String>,
    raised_by: Option<String>,
    statements_before: Option<usize>,
    statements_after: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum State {
    /// It has fewer or simpler statements.
    Shorter,
    /// It fails and cannot be made shorter.
    Minimal,
    Passes,
    LeftAlone,
}

/// Runs the command.
pub fn run(args: &MinimizeArgs) -> Result<Exit, Failure> {
    let source = fs::read_to_string(&args.file).map_err(|error| {
        Failure::new(Exit::BadInput, format!("cannot read `{}`: {error}", args.file.display()))
            .hint("name the source of a test class, such as `CartTest.java`")
    })?;
    let class = java::read(&source).map_err(|why| {
        Failure::new(Exit::BadInput, format!("`{}` cannot be minimised: {why}", args.file.display()))
            .hint("straight-line tests of one class are: declarations, calls, assignments, assertions")
    })?;
    check_names(args, &class)?;
    let work = tempfile::Builder::new()
        .prefix("probat-minimize-")
        .tempdir()
        .map_err(|error| Failure::new(Exit::Missing, format!("cannot make a temporary folder: {error}")))?;
    let mut bench = bench(args, &source, &class, work.path())?;
    let mut shorter: Vec<(std::ops::Range<usize>, Vec<Statement>)> = Vec::new();
    let mut tests = Vec::new();
    for test in &class.tests {
        if args.tests.is_empty() || args.tests.contains(&test.name) {
            let _progress = Progress::start("trying shorter tests");
            tests.push(minimize(test, &mut bench, &mut shorter)?);
        }
    }
    let output = write(args, &source, &class, &shorter)?;
    let report = Report {
        schema: SCHEMA,
        file: args.file.display().to_string(),
        output: output.map(|path| path.display().to_string()),
        tests,
        waves: bench.waves,
        runs: bench.runs,
    };
    match args.format {
        Format::Text => print(&render(&report))?,
        Format::Json => print_json(&report)?,
    }
    let fails = |one: &TestReport| matches!(one.state, State::Shorter | State::Minimal);
    Ok(if report.tests.iter().any(fails) { Exit::Fine } else { Exit::Nothing })
}

fn check_names(args: &MinimizeArgs, class: &TestClass) -> Result<(), Failure> {
    for wanted in &args.tests {
        if !class.tests.iter().any(|test| test.name == *wanted) {
            let all: Vec<&str> = class.tests.iter().map(|test| test.name.as_str()).take(10).collect();
            let text = format!("class `{}` has no test `{wanted}`", class.name);
            return Err(Failure::new(Exit::BadInput, text).hint(format!("it has: {}", all.join(", "))));
        }
    }
    Ok(())
}

fn bench<'a>(
    args: &MinimizeArgs,
    source: &'a str,
    class: &'a TestClass,
    work: &Path,
) -> Result<Bench<'a>, Failure> {
    let jvm = choose(args.jvm.java_home.as_deref())?;
    let javac = jvm.home.join("bin/javac");
    if !javac.is_file() {
        let text = format!("`{}` has no compiler, so no candidate could be tried", jvm.home.display());
        return Err(Failure::new(Exit::Missing, text).hint("name a JDK with `--java-home`"));
    }
    let classes = work.join("classes");
    fs::create_dir_all(&classes).map_err(|error| {
        Failure::new(Exit::Missing, format!("cannot write `{}`: {error}", classes.display()))
    })?;
    let mut paths: Vec<PathBuf> = vec![classes.clone()];
    paths.extend(probat_classpath::split(&args.jvm.classpath));
    let kind = if source.contains("org.junit.jupiter") { JUnitKind::JUnit5 } else { JUnitKind::JUnit4 };
    let mut library = open(&jvm, &paths)?;
    // Who has JUnit on the class path needs no other.
    if source.contains("org.junit") && !library.classes.contains(&annotation(kind)) {
        let _progress = Progress::start("looking for JUnit");
        let tools = Tools::of_this_machine(args.offline);
        let junit =
            find_junit(&tools, kind, &args.junit_jars, &[], work).map_err(|error| project_failure(&error))?;
        paths.extend(junit.jars);
        library = open(&jvm, &paths)?;
    }
    let config = worker_config(&args.jvm, &jvm, &library)?;
    let compiler = Compiler {
        javac,
        class_path: config.class_path.clone(),
        release: None,
        preview: false,
        lines: false,
    };
    let fleet = fleet::start(FleetConfig { workers: 1, ..FleetConfig::new(config) })?;
    Ok(Bench {
        source,
        class,
        compiler,
        fleet,
        work: work.to_owned(),
        classes,
        waves: 0,
        runs: 0,
        table: OperationTable::new(),
    })
}

fn open(jvm: &Jvm, paths: &[PathBuf]) -> Result<Library, Failure> {
    let joined = std::env::join_paths(paths).map_err(|_| {
        Failure::new(Exit::BadInput, "a path on the class path holds a `:`, which separates paths there")
    })?;
    Library::open(&jvm.home, &joined.to_string_lossy())
}

/// What tests are marked with.
fn annotation(kind: JUnitKind) -> ClassName {
    ClassName::internal(match kind {
        JUnitKind::JUnit5 => "org/junit/jupiter/api/Test",
        JUnitKind::JUnit4 => "org/junit/Test",
    })
}

/// Makes one test shorter.
fn minimize(
    test: &java::TestMethod,
    bench: &mut Bench<'_>,
    shorter: &mut Vec<(std::ops::Range<usize>, Vec<Statement>)>,
) -> Result<TestReport, Failure> {
    let mut report = TestReport {
        test: test.name.clone(),
        state: State::LeftAlone,
        reason: None,
        exception: None,
        raised_by: None,
        statements_before: None,
        statements_after: None,
    };
    let statements = match &test.statements {
        Ok(statements) => statements,
        Err(why) => {
            report.reason = Some(why.clone());
            return Ok(report);
        }
    };
    // The shortest beginning that fails ends with the statement that does.
    let beginnings: Vec<String> = (1..=statements.len()).map(|count| body(&statements[..count])).collect();
    let ended = bench.run(&beginnings)?;
    let failing = ended.iter().position(|one| *one != Ended::Passed);
    let (Some(failing), Some(Ended::Threw { class, at, message })) =
        (failing, failing.map(|at| ended[at].clone()))
    else {
        (report.state, report.reason) = match failing {
            None => (State::Passes, None),
            Some(_) => (State::LeftAlone, Some("it does not compile or does not come to an end".into())),
        };
        return Ok(report);
    };
    report.exception = Some(class.to_string());
    report.raised_by = at.clone();
    let failure = Ended::Threw { class, at, message };
    let found = shrink(statements[..=failing].to_vec(), &mut SameFailure { bench, failure })?;
    report.statements_before = Some(statements.len());
    report.statements_after = Some(found.len());
    report.state = if found == *statements { State::Minimal } else { State::Shorter };
    if report.state == State::Shorter {
        shorter.push((test.body.clone(), found));
    }
    Ok(report)
}

/// Writes the class with its shorter tests; nothing if there are none.
fn write(
    args: &MinimizeArgs,
    source: &str,
    class: &TestClass,
    shorter: &[(std::ops::Range<usize>, Vec<Statement>)],
) -> Result<Option<PathBuf>, Failure> {
    if shorter.is_empty() {
        return Ok(None);
    }
    let mut text = String::with_capacity(source.len());
    let mut done = 0;
    for (range, statements) in shorter {
        text.push_str(&source[done..range.start]);
        text.push_str(&format!("\n{}    ", body(statements)));
        done = range.end;
    }
    text.push_str(&source[done..]);
    let folder = args.output.join(class.package.replace('.', "/"));
    let path = folder.join(format!("{}.java", class.name));
    if is_same_file(&path, &args.file) {
        let text = format!("`{}` is the file to be minimised, which is never changed", path.display());
        return Err(Failure::new(Exit::BadInput, text).hint("name another folder with `--output`"));
    }
    let failed = |error: std::io::Error| {
        Failure::new(Exit::Missing, format!("cannot write `{}`: {error}", path.display()))
            .hint("name a folder you may write to with `--output`")
    };
    fs::create_dir_all(&folder).map_err(failed)?;
    fs::write(&path, text).map_err(failed)?;
    Ok(Some(path))
}

fn is_same_file(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

fn render(report: &Report) -> String {
    let mut out = String::new();
    for test in &report.tests {
        let failure = match (&test.exception, &test.raised_by) {
            (Some(exception), Some(method)) => format!(" ({exception} from {method})"),
            (Some(exception), None) => format!(" ({exception} of the test itself)"),
            (None, _) => String::new(),
        };
        let (before, after) = (test.statements_before.unwrap_or(0), test.statements_after.unwrap_or(0));
        let line = match test.state {
            State::Shorter if before == after => format!("{before} statements, simpler ones{failure}"),
            State::Shorter => format!("{before} → {after} statements{failure}"),
            State::Minimal => format!("{before} statements, none can go{failure}"),
            State::Passes => "passes".into(),
            State::LeftAlone => format!("left alone: {}", test.reason.as_deref().unwrap_or("not understood")),
        };
        out.push_str(&format!("{}: {line}\n", test.test));
    }
    match &report.output {
        Some(path) => out.push_str(&format!(
            "\nWritten to {path} ({} runs in {} compilations).\n",
            report.runs, report.waves
        )),
        None => out.push_str("\nNothing became shorter, so nothing is written.\n"),
    }
    out
}
