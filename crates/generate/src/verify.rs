//! Only what compiles and passes twice is handed out.
//!
//! In: test classes. Out: their sources without the tests a compiler or a fresh JVM objected to, and the objections. Of tests that are
//! written to fail, those that fail twice are handed out.
//! The two runs differ in order (one begins with JUnit's own), time, time zone, language, hash codes, memory and whether assertions are enabled; each is two rounds in one JVM. Both
//! happen in workers, under the same guards as the search, with a class path as users have it. Against the
//! clock, tests are checked in batches, the most useful first; what was checked in time is handed out.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use probat_emit::{Framework, Scope, Style};
use probat_model::{ClassName, ProbeId, Step};
use probat_search::catalogue::Catalogue;
use probat_supervisor::{Fleet, FleetConfig, StartError};

use crate::compile::CompileError;
use crate::crash::drop_deadly;
use crate::job::Job;
use crate::junit::{JUnitError, JUnitRun, Order, run_junit};
use crate::outcome::OutFile;
use crate::pace::Pace;
use crate::phase::Phase;
use crate::plain::run_plain;
use crate::printed::{FileId, Printed, Remedy};
use crate::resident::Workshop;
use crate::suite::SuiteFile;
use crate::workers::{Hashes, compiler_config, junit_config};

/// A test that is not handed out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dropped {
    /// `com.acme.CartProbatTest.add_returnsTrue`.
    pub test: String,
    pub reason: DropReason,
    /// What the compiler or the test said.
    pub detail: String,
    /// Edges it takes.
    pub edges: Vec<ProbeId>,
    /// The steps of a test that was to fail, and passed in a fresh JVM.
    pub passed: Option<Vec<Step>>,
}

/// Why a test is not handed out. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DropReason {
    /// It has no source form.
    Unprintable,
    /// The compiler refuses it.
    Uncompilable,
    /// It behaved differently in a fresh JVM.
    Unstable,
    /// There was no time left to check it.
    Unchecked,
}

/// What is left.
#[derive(Debug, Default)]
pub struct Verification {
    pub files: Vec<OutFile>,
    pub dropped: Vec<Dropped>,
    /// Edges that the tests handed out take.
    pub edges: BTreeSet<ProbeId>,
    pub verified: bool,
}

/// Why nothing can be said.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    #[error(transparent)]
    Compile(#[from] CompileError),
    #[error("cannot start a JVM for the tests")]
    Start(#[from] StartError),
    #[error(transparent)]
    JUnit(#[from] JUnitError),
}

/// Rounds of compiling in which single tests are dropped: a compiler tells of one kind of error only when the earlier kinds are gone. After them
/// whole files are.
const ROUNDS: usize = 6;

/// Runs of the whole suite until nothing in it fails.
const CONFIRMATIONS: usize = 4;

/// What verification needs besides the suite.
pub(crate) struct Verifier<'a> {
    pub job: &'a Job<'a>,
    pub catalogue: &'a Catalogue,
    pub scope: &'a dyn Scope,
    pub style: &'a Style,
    /// When everything should be done; without one, everything is checked.
    pub deadline: Option<Instant>,
}

/// Prints, compiles, runs and drops until all that is left does what it is written for.
pub(crate) fn verify(
    with: &Verifier<'_>,
    suite: Vec<SuiteFile>,
    enter: &mut dyn FnMut(Phase),
) -> Result<Verification, VerifyError> {
    let job = with.job;
    let mut printed = Printed::new(&with.catalogue.operations, with.scope, with.style, suite);
    let is_plain = job.options.framework == Framework::Java;
    let can_run = is_plain || !job.junit.is_empty();
    let compiler = job.java.javac.as_ref().filter(|_| job.options.verify && can_run);
    let Some(javac) = compiler else {
        let files = printed.files();
        return Ok(Verification { files, edges: printed.edges(), dropped: printed.dropped, verified: false });
    };
    let class_path = job.class_path.iter().chain(&job.junit).cloned().collect();
    let mut workshop = Workshop::new(job.java.compiler(javac, class_path), compiler_config(job));
    let mut waiting = printed.by_worth();
    let mut pace = Pace::default();
    let (mut batches, mut is_changed) = (0, false);
    for number in 0.. {
        let batch = next_batch(&mut printed, &mut waiting, &pace, with.deadline);
        if batch.is_empty() {
            break;
        }
        let lines = batch.iter().map(|&file| printed.lines(file)).sum();
        let start = Instant::now();
        let folder = job.work.join(format!("batch{number}"));
        let first = Round { remedy: Remedy::AnotherForm, hashes: Hashes::Usual };
        let mut open = check(job, &mut workshop, &mut printed, &batch, &folder, first, enter)?;
        pace.learn(lines, start.elapsed());
        (batches, is_changed) = (batches + 1, is_changed || !open.is_empty());
        // Methods that fell apart and files that lost tests on which others may depend, then cases that are written without type arguments.
        for (count, remedy) in [(1, Remedy::AnotherForm), (2, Remedy::Split)] {
            if !open.is_empty() {
                let folder = job.work.join(format!("batch{number}-{count}"));
                let round = Round { remedy, hashes: Hashes::Usual };
                open = check(job, &mut workshop, &mut printed, &open, &folder, round, enter)?;
            }
        }
    }
    for file in waiting {
        printed.drop_file(file, DropReason::Unchecked, "the time was up");
    }
    if is_changed || batches > 1 {
        confirm(with, &mut workshop, &mut printed, enter)?;
    }
    let files = printed.files();
    Ok(Verification { files, edges: printed.edges(), dropped: printed.dropped, verified: true })
}

/// Runs all that is left together until nothing fails: a method that fell apart or got another form was checked beside a few others, and may leave
/// behind what makes tests of other files fail. However late it is, what fails is not written.
fn confirm(
    with: &Verifier<'_>,
    workshop: &mut Workshop,
    printed: &mut Printed<'_>,
    enter: &mut dyn FnMut(Phase),
) -> Result<(), VerifyError> {
    for round in 1..=CONFIRMATIONS {
        let is_late = with.deadline.is_some_and(|deadline| deadline <= Instant::now());
        let remedy = if is_late || round == CONFIRMATIONS { Remedy::Drop } else { Remedy::Split };
        let all = printed.passing();
        let folder = with.job.work.join(format!("all{round}"));
        let again = Round { remedy, hashes: Hashes::Others };
        let is_clean = check(with.job, workshop, printed, &all, &folder, again, enter)?.is_empty();
        if is_clean || remedy == Remedy::Drop {
            break;
        }
    }
    Ok(())
}

/// Takes as many files as there is time for, and for running them all once more.
fn next_batch(
    printed: &mut Printed<'_>,
    waiting: &mut Vec<FileId>,
    pace: &Pace,
    deadline: Option<Instant>,
) -> Vec<FileId> {
    let all: usize = waiting.iter().map(|&file| printed.lines(file)).sum();
    let room = match deadline {
        Some(deadline) => pace.room(deadline.saturating_duration_since(Instant::now()), all),
        None => all,
    };
    let mut lines = 0;
    let mut count = 0;
    while count < waiting.len() && lines < room {
        lines += printed.lines(waiting[count]);
        count += 1;
    }
    waiting.drain(..count).collect()
}

/// Compiles and runs one batch; gives the files in which tests got another form, which have to be checked once more. A batch that ends its JVM is halved
/// until it is known whose tests do.
fn check(
    job: &Job<'_>,
    workshop: &mut Workshop,
    printed: &mut Printed<'_>,
    batch: &[FileId],
    folder: &Path,
    round: Round,
    enter: &mut dyn FnMut(Phase),
) -> Result<Vec<FileId>, VerifyError> {
    enter(Phase::Compiling);
    let classes = folder.join("classes");
    let count = compile_batch(workshop, printed, batch, &folder.join("sources"), &classes)?;
    if count == 0 {
        return Ok(Vec::new());
    }
    enter(Phase::Running);
    let plain = (job.options.framework == Framework::Java).then(|| printed.names(batch));
    match run_twice(job, &classes, plain.as_deref(), round.hashes) {
        Ok(runs) => Ok(printed.drop_surprising(runs, round.remedy)),
        // One of the tests takes the JVM along, or all memory: JUnit goes on after anything but that.
        Err(VerifyError::JUnit(JUnitError::Launcher(why))) => match batch {
            [file] => {
                printed.drop_file(
                    *file,
                    DropReason::Unstable,
                    &format!("a run of its class did not end: {why}"),
                );
                Ok(Vec::new())
            }
            _ => {
                let (one, two) = batch.split_at(batch.len() / 2);
                let mut open = check(job, workshop, printed, one, &folder.join("1"), round, enter)?;
                open.extend(check(job, workshop, printed, two, &folder.join("2"), round, enter)?);
                Ok(open)
            }
        },
        Err(error) => Err(error),
    }
}

/// One run of tests in two JVMs.
#[derive(Debug, Clone, Copy)]
struct Round {
    remedy: Remedy,
    hashes: Hashes,
}

/// Compiles until the compiler has no objections; gives the number of files.
fn compile_batch(
    workshop: &mut Workshop,
    printed: &mut Printed<'_>,
    batch: &[FileId],
    sources: &Path,
    classes: &Path,
) -> Result<usize, VerifyError> {
    let mut said = String::new();
    for round in 0..2 * ROUNDS {
        let files = printed.write(batch, sources)?;
        if files.is_empty() {
            return Ok(0);
        }
        // After an error the compiler writes no more classes; those it wrote before need no second time.
        let open: Vec<_> =
            files.iter().filter(|(_, path)| !is_compiled(path, sources, classes)).cloned().collect();
        if open.is_empty() {
            return Ok(files.len());
        }
        let paths: Vec<_> = open.iter().map(|(_, path)| path.clone()).collect();
        match workshop.compile(&paths, classes) {
            Ok(found) if found.is_empty() => return Ok(files.len()),
            Ok(found) if round < ROUNDS => printed.drop_uncompilable(&files, &found),
            Ok(found) => {
                said = found[0].message.clone();
                printed.drop_objectionable(&files, &found);
            }
            Err(CompileError::Unexplained(_)) => drop_deadly(workshop, printed, open, classes)?,
            Err(error) => return Err(error.into()),
        }
    }
    // It objects to something that is not ours.
    batch.iter().for_each(|&file| printed.drop_file(file, DropReason::Uncompilable, &said));
    Ok(0)
}

/// Whether a source has its class file. One that the compiler objected to never has.
fn is_compiled(source: &Path, sources: &Path, classes: &Path) -> bool {
    source.strip_prefix(sources).is_ok_and(|name| classes.join(name).with_extension("class").exists())
}

/// Both runs at once: each is a process of its own.
fn run_twice(
    job: &Job<'_>,
    classes: &Path,
    plain: Option<&[(ClassName, String)]>,
    hashes: Hashes,
) -> Result<[JUnitRun; 2], VerifyError> {
    let run = |config: FleetConfig, backwards: bool| -> Result<JUnitRun, VerifyError> {
        let mut fleet = Fleet::start(config)?;
        match plain {
            Some(tests) => Ok(run_plain(&mut fleet, tests, backwards).map_err(JUnitError::from)?),
            None => {
                let first = if backwards { Order::Random(2) } else { Order::Usual };
                Ok(run_junit(&mut fleet, classes, &[first, Order::Random(if backwards { 4 } else { 3 })])?)
            }
        }
    };
    let run = &run;
    let [usual, other] = [false, true].map(|other| junit_config(job, classes.to_owned(), other, hashes));
    let (one, two) = std::thread::scope(|threads| {
        let one = threads.spawn(move || run(usual, false));
        let two = run(other, true);
        (one.join(), two)
    });
    let one = one.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    Ok([one?, two?])
}

/// What a search should leave for checking the tests it has found so far.
pub(crate) fn reserve(tests: usize) -> Duration {
    crate::pace::fixed_cost() + crate::pace::cost_per_test() * u32::try_from(tests).unwrap_or(u32::MAX)
}
