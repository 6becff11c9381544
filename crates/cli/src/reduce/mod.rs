//! `probat reduce`: what the tests of a suite add to each other.
//!
//! In: compiled tests, the classes they test. Out: assessment, a minimal suite, a selection, an order; told, and written on demand.
//!
//! ```text
//! args ─▶ subject (class path, JUnit, plan) ─▶ launch (plain, then recorded) ─▶ judge ─▶ report, files
//! ```

mod args;
mod calls;
mod launch;
mod mutants;
mod output;
mod report;
mod source;
mod subject;
mod watch;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use probat_model::{ClassName, Literal};
use probat_protocol::{RecordingSpec, WorkerConfig};
use probat_reduce::{
    Minimal, Problem, ProblemKind, Suite, Technique, Test, assess, includes, minimise, prioritise, select,
};
use probat_supervisor::discovery::Jvm;

pub use args::ReduceArgs;

use crate::args::{Format, JvmArgs};
use crate::exit::Exit;
use crate::explore::round;
use crate::failure::{Failure, print, print_json};
use crate::java;
use args::TechniqueChoice;
use launch::{Killers, Ran, Shown};
use report::{ByState, EqualsReport, Ordered, ProblemReport, Quality, Report, SCHEMA, TechniqueReport};
use subject::Subject;

/// Runs the command.
pub fn run(args: &ReduceArgs) -> Result<Exit, Failure> {
    let work = tempfile::Builder::new().prefix("probat-reduce-").tempdir().map_err(|error| {
        Failure::new(Exit::Missing, format!("cannot make a temporary folder: {error}"))
            .hint("point TMPDIR to a directory you may write to")
    })?;
    let jvm = java::choose(args.jvm.java_home.as_deref())?;
    let subject = subject::find(args, &jvm, work.path())?;
    let techniques = techniques(args);
    let mut killers = Killers::unloadable(&subject.unloadable);
    let entry = subject.entry;
    let shown = Shown { what: "running the tests", all: None };
    let plain = launch::run(&plain(&subject), entry, &subject.tests, shown, &mut killers)?;
    if plain.interrupted {
        return Err(stopped_early());
    }
    if plain.suite.tests.is_empty() && plain.suite.problems.is_empty() {
        if let Some(failure) = subject.why_no_tests(&args.tests) {
            return Err(failure);
        }
        let said = plain.said.trim();
        let said = if said.is_empty() { String::new() } else { format!("; JUnit says:\n{said}") };
        return Err(Failure::new(
            Exit::Nothing,
            format!("there are no tests in `{}`{said}", args.tests.display()),
        )
        .hint("`--tests` is a folder with compiled test classes, such as target/test-classes, or a jar"));
    }
    killers.add_hung(&plain.suite, entry);
    let config = recording(args, &subject, &techniques);
    let existing = match &subject.existing {
        Some(path) => Some(launch::run(
            &config,
            entry,
            path,
            Shown { what: "recording the existing tests", all: None },
            &mut Killers::unloadable(&subject.unloadable),
        )?),
        None => None,
    };
    if existing.as_ref().is_some_and(|existing| existing.interrupted) {
        return Err(stopped_early());
    }
    let all = Some(plain.suite.tests.len() + plain.suite.problems.len());
    let shown = Shown { what: "recording the tests", all };
    let recorded = launch::run(&config, entry, &subject.tests, shown, &mut killers)?;
    let mut report = gather(args, &subject, &techniques, &plain, &recorded, existing.as_ref());
    if args.mutants && !recorded.interrupted {
        report.mutants = Some(mutants::count(&trial(args, &subject, &jvm, &recorded, &report, work.path()))?);
    }
    if let Some(folder) = &args.output {
        report.files = output::write(&report, folder)?;
        if let Some(from) = &args.source {
            report.source = Some(copies(&subject, &jvm, &report, from, folder, work.path())?);
        }
    }
    match args.format {
        Format::Text => print(&report::render(&report))?,
        Format::Json => print_json(&report)?,
    }
    let is_bad = report.problems.iter().any(|problem| problem.kind != "skipped");
    Ok(match (report.complete, is_bad) {
        (false, _) => Exit::Interrupted,
        (true, true) => Exit::Found,
        (true, false) => Exit::Fine,
    })
}

/// Ctrl-C before any test of the suite was recorded.
fn stopped_early() -> Failure {
    Failure::new(Exit::Interrupted, "stopped before the tests were recorded, so there is nothing to tell yet")
}

fn trial<'a>(
    args: &ReduceArgs,
    subject: &'a Subject,
    jvm: &Jvm,
    recorded: &Ran,
    report: &'a Report,
    work: &'a Path,
) -> mutants::Trial<'a> {
    let tests = recorded.suite.tests.iter().filter_map(|test| Some(includes(&test.id)?.0));
    let tests: BTreeSet<String> = tests.collect();
    mutants::Trial {
        java: jvm.home.join("bin/java"),
        class_path: &subject.config.class_path,
        classes: &subject.classes,
        tests: tests.into_iter().collect(),
        kept: &report.kept,
        offline: args.offline,
        work,
    }
}

fn copies(
    subject: &Subject,
    jvm: &Jvm,
    report: &Report,
    from: &Path,
    folder: &Path,
    work: &Path,
) -> Result<source::Copies, Failure> {
    let problems = report.problems.iter().map(|problem| problem.id.as_str());
    source::copy(&source::Plan {
        source: from,
        into: &folder.join("source"),
        redundant: &report.redundant,
        others: report.kept.iter().chain(&report.not_recorded).map(String::as_str).chain(problems).collect(),
        above: &subject.above,
        javac: jvm.home.join("bin/javac"),
        class_path: &subject.config.class_path,
        work,
    })
}

/// Values that tests pass to the methods of some classes, in the order they were seen.
pub fn harvest(
    jvm: &JvmArgs,
    tests: &Path,
    junit_jars: &[PathBuf],
    classes: &[ClassName],
) -> Result<Vec<Literal>, Failure> {
    let args = ReduceArgs {
        jvm: jvm.clone(),
        tests: tests.to_owned(),
        existing: None,
        classes: classes.iter().map(ToString::to_string).collect(),
        by: TechniqueChoice::WholeState,
        techniques: Vec::new(),
        ignored_fields: Vec::new(),
        time_limit_per_test: Duration::from_secs(30),
        token_limit_per_test: u64::MAX,
        junit_jars: junit_jars.to_vec(),
        offline: false,
        source: None,
        mutants: false,
        output: None,
        format: Format::Json,
    };
    let work = tempfile::tempdir()
        .map_err(|error| Failure::new(Exit::Missing, format!("cannot make a temporary folder: {error}")))?;
    let found = java::choose(jvm.java_home.as_deref())?;
    let subject = subject::find(&args, &found, work.path())?;
    let mut config = recording(&args, &subject, &[Technique::WholeState]);
    if let Some(spec) = &mut config.instrumentation.recording {
        spec.arguments = true;
    }
    let ran = launch::run(
        &config,
        subject.entry,
        &subject.tests,
        Shown { what: "recording the tests", all: None },
        &mut Killers::unloadable(&subject.unloadable),
    )?;
    if ran.interrupted {
        return Err(Failure::new(Exit::Interrupted, "stopped while the tests were recorded"));
    }
    let mut values: Vec<Literal> = Vec::new();
    for (_, _, literal) in ran.suite.arguments {
        if !values.contains(&literal) {
            values.push(literal);
        }
    }
    Ok(values)
}

/// What is assessed; what the suite is reduced by is always among it.
fn techniques(args: &ReduceArgs) -> Vec<Technique> {
    let chosen = args.techniques.iter().chain([&args.by]).map(|choice| choice.technique());
    let chosen: BTreeSet<Technique> = chosen.collect();
    chosen.into_iter().collect()
}

/// Only told of tests, nothing recorded.
fn plain(subject: &Subject) -> WorkerConfig {
    let listener = subject.plan.spec.listener.clone();
    let mut config = subject.config.clone();
    config.instrumentation = Default::default();
    config.instrumentation.recording = Some(RecordingSpec { listener, ..RecordingSpec::default() });
    config
}

fn recording(args: &ReduceArgs, subject: &Subject, techniques: &[Technique]) -> WorkerConfig {
    let mut config = subject.config.clone();
    let mut spec = subject.plan.spec.clone();
    spec.sequences =
        techniques.contains(&Technique::WholeSeq) || techniques.contains(&Technique::ModifyingSeq);
    spec.tokens_per_test = args.token_limit_per_test;
    spec.pairwise = techniques.contains(&Technique::PairwiseEquals);
    spec.monitor = techniques.contains(&Technique::MonitorEquals);
    config.instrumentation.recording = Some(spec);
    // A test that just ends in time without recording must do so with it.
    config.limits.call_cpu *= RECORDED;
    config.limits.call_wall *= RECORDED;
    config
}

/// Times longer that a test may take when it is recorded.
const RECORDED: u32 = 4;

fn gather(
    args: &ReduceArgs,
    subject: &Subject,
    techniques: &[Technique],
    plain: &Ran,
    recorded: &Ran,
    existing: Option<&Ran>,
) -> Report {
    let by = args.by.technique();
    let suite = &recorded.suite;
    let judged: Minimal = match existing {
        Some(existing) => select(&existing.suite.tests, &suite.tests, by),
        None => minimise(&suite.tests, by),
    };
    let ids = |which: &[usize]| which.iter().map(|&at| suite.tests[at].id.clone()).collect::<Vec<String>>();
    let kept = judged.kept.iter().map(|&at| &suite.tests[at]);
    // What existing tests do is done with or without the new ones.
    let older: &[Test] = existing.map_or(&[], |existing| &existing.suite.tests);
    let lost = |problem: &Problem| matches!(problem.kind, ProblemKind::Hung | ProblemKind::Died);
    let is_comparable = !recorded.interrupted && !suite.problems.iter().any(lost);
    Report {
        schema: SCHEMA,
        java_version: recorded.java_version.clone(),
        classes: subject.classes.len(),
        tests: suite.tests.len(),
        complete: !recorded.interrupted,
        not_recorded: not_recorded(&plain.suite, suite),
        by: by.name(),
        techniques: techniques.iter().map(|&technique| assessed(&suite.tests, technique)).collect(),
        kept: ids(&judged.kept),
        redundant: ids(&judged.redundant),
        order: prioritise(&suite.tests, by)
            .into_iter()
            .map(|ranked| Ordered { id: suite.tests[ranked.test].id.clone(), new: ranked.new })
            .collect(),
        without_calls: suite.tests.iter().filter(|test| test.calls.is_empty()).count(),
        problems: suite.problems.iter().map(problem).collect(),
        equals: suite
            .unequal
            .iter()
            .map(|pair| EqualsReport {
                class: pair.class.to_string(),
                rule: pair.rule.clone(),
                left: pair.left.clone(),
                right: pair.right.clone(),
            })
            .collect(),
        compared_by_state: suite
            .by_state
            .iter()
            .map(|(class, reason)| ByState { class: class.to_string(), reason: reason.clone() })
            .collect(),
        existing: existing.map(|existing| existing.suite.tests.len()),
        before: quality(older.iter().chain(&suite.tests)),
        after: quality(older.iter().chain(kept)),
        mutants: None,
        source: None,
        calls: suite.calls,
        too_large: suite.large,
        cut_off: suite.cut_off.clone(),
        calls_elsewhere: suite.elsewhere,
        used_threads: suite.used_threads.clone(),
        static_inputs: subject.plan.has_statics,
        changed_by_recording: changed(&plain.suite, suite),
        seconds: round(recorded.took.as_secs_f64()),
        seconds_plain: round(plain.took.as_secs_f64()),
        slowdown: is_comparable
            .then(|| round(recorded.took.as_secs_f64() / plain.took.as_secs_f64().max(1e-3))),
        cpu_seconds: round(recorded.cpu.as_secs_f64()),
        cpu_seconds_plain: round(plain.cpu.as_secs_f64()),
        cpu_slowdown: is_comparable
            .then(|| round(recorded.cpu.as_secs_f64() / plain.cpu.as_secs_f64().max(1e-3))),
        files: Vec::new(),
    }
}

fn assessed(tests: &[Test], technique: Technique) -> TechniqueReport {
    let found = assess(tests, technique);
    TechniqueReport {
        technique: technique.name(),
        states: found.states,
        executions: found.executions,
        tests: found.tests,
        redundant: found.redundant,
        redundant_percent: round(found.redundant as f64 * 100.0 / found.tests.max(1) as f64),
    }
}

fn problem(problem: &probat_reduce::Problem) -> ProblemReport {
    ProblemReport {
        id: problem.id.clone(),
        name: problem.name.clone(),
        kind: match problem.kind {
            ProblemKind::Failed => "failed",
            ProblemKind::Hung => "hung",
            ProblemKind::Skipped => "skipped",
            ProblemKind::Died => "died",
            ProblemKind::Unloadable => "unloadable",
        },
        detail: problem.detail.clone(),
    }
}

fn quality<'t>(tests: impl Iterator<Item = &'t Test>) -> Quality {
    let tests: Vec<&Test> = tests.collect();
    let edges: BTreeSet<u32> = tests.iter().flat_map(|test| test.edges.iter().copied()).collect();
    let threw: BTreeSet<_> = tests.iter().flat_map(|test| test.threw.iter()).collect();
    Quality { tests: tests.len(), edges: edges.len(), exceptions: threw.len() }
}

/// Tests that ran without recording and did not come to their end with it, as after Ctrl-C.
fn not_recorded(plain: &Suite, recorded: &Suite) -> Vec<String> {
    let ended = ended(recorded);
    let tests = plain.tests.iter().map(|test| &test.id);
    tests.filter(|id| !ended.contains(id.as_str())).cloned().collect()
}

fn ended(suite: &Suite) -> BTreeSet<&str> {
    let problems = suite.problems.iter().map(|problem| problem.id.as_str());
    suite.tests.iter().map(|test| test.id.as_str()).chain(problems).collect()
}

/// Tests that ended in both runs and passed in one of them only.
fn changed(plain: &Suite, recorded: &Suite) -> Vec<String> {
    let passed = |suite: &Suite| suite.tests.iter().map(|test| test.id.clone()).collect::<BTreeSet<String>>();
    let both: BTreeSet<&str> = ended(plain).intersection(&ended(recorded)).copied().collect();
    let (plain, recorded) = (passed(plain), passed(recorded));
    plain.symmetric_difference(&recorded).filter(|id| both.contains(id.as_str())).cloned().collect()
}
