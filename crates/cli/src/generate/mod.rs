//! `probat generate`: a jar in, tests worth keeping out.
//!
//! In: what the user points at. Out: test files, a report, a summary. The search itself is in the `generate` crate; here the
//! user's words become a job, and its outcome becomes files that never replace what the user wrote.
//!
//! ```text
//! args ─▶ subject (project, JVM, classes, JUnit) ─▶ job, watched by live ─▶ write ─▶ gather ─▶ summary or JSON
//! ```

mod args;
mod budget;
mod compare;
mod config;
mod contracts;
pub mod explain;
mod failures;
mod former;
mod gather;
mod known;
mod list;
mod live;
mod marker;
mod merge;
mod missing;
pub mod numbers;
mod options;
mod places;
mod relevance;
mod report;
mod reproduce;
mod seeds;
mod shard;
mod subject;
mod summary;
mod technique;
pub mod trial;
mod write;

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

use probat_generate::{Job, JobError, Outcome, Shards, Unfinished, VerifyError, code_of};
use probat_supervisor::WorkerCommand;

use args::FrameworkChoice;
pub use args::GenerateArgs;
pub use merge::{MergeArgs, run as merge};
pub use subject::failure as project_failure;

use crate::args::Format;
use crate::exit::Exit;
use crate::failure::{Failure, chain, message, print, show};
use crate::fleet;
use budget::{Budget, budget, top_level_classes};
use gather::Facts;
use known::Known;
use live::Live;
use marker::Owner;
use numbers::{plural, seconds};
use places::{Places, places};
use report::{FileState, FileWritten, Report};
use subject::Subject;
use write::{WriteError, Written};

/// Runs the command.
pub fn run(args: &GenerateArgs) -> Result<Exit, Failure> {
    conduct(args, None)
}

/// Searches and writes what was found; or, given what shards found, writes that.
fn conduct(args: &GenerateArgs, merged: Option<Shards>) -> Result<Exit, Failure> {
    let mut args = config::with_file(args)?;
    let base_seed = args.seed;
    args.seed = args.shard.map_or(base_seed, |shard| shard.seed(base_seed));
    let args = &args;
    // From here on an interrupt leaves time to tidy up.
    let stop = probat_os::signals::stop_flag().ok();
    let is_stopped = || stop.is_some_and(|flag| flag.load(Relaxed));
    let work = tempfile::Builder::new().prefix("probat-generate-").tempdir().map_err(|error| {
        Failure::new(Exit::Missing, format!("cannot make a temporary folder: {error}"))
            .hint("point TMPDIR to a directory you may write to")
    })?;
    let found = subject::find(args, work.path(), stop);
    if is_stopped() {
        return Err(Failure::new(
            Exit::Interrupted,
            "interrupted before the search began: nothing was written",
        ));
    }
    let subject = found?;
    let places = places(args, &subject.project);
    if !args.list {
        places::check(&places)?;
    }
    let mut known = Known::read(&places.known_failures).map_err(|error| write_failure(&error, 0))?;
    let budget = budget(args, &subject.targets);
    if args.list {
        let options = options::options(args, &subject, &budget, &known)?;
        return list::run(&subject, &options.survey, args.format);
    }
    match &merged {
        Some(shards) => check_code(shards, &subject)?,
        None => announce(&subject, &budget),
    }
    let mut live = Live::new(budget, false);
    let mut job = job(args, &subject, &budget, &known, work.path())?;
    match &merged {
        Some(shards) => replay(&mut job, shards),
        None => begin(&mut job, args, &places)?,
    }
    let (outcome, broken) = std::thread::scope(|threads| {
        let former = former::begin(threads, &job, &places.tests, subject.framework);
        let outcome = search(&job, &mut live, &budget, stop);
        (outcome, former.and_then(former::end))
    });
    let mut outcome = outcome?;
    if let (Some(path), Some(table)) = (&args.technique.relevance_table, &outcome.relevance) {
        write::replace(path, &relevance::text(table)).map_err(|error| write_failure(&error, 0))?;
    }
    let steps = gather::steps(&outcome, &live);
    let left = match args.shard {
        Some(choice) => shard::shards(choice, base_seed, steps, &subject, &mut outcome),
        None => merged.clone(),
    };
    let how = match &merged {
        Some(shards) => merge::how(shards, &mut outcome),
        None => reproduce::in_short(&args.what, &args.classpath, &args.technique.contracts, args.seed, steps),
    };
    let files = write_files(&outcome, &places, args.seed, &how)
        .map_err(|failure| kept_all_the_same(failure, &places))?;
    let facts = Facts {
        args,
        subject: &subject,
        outcome: &outcome,
        live: &live,
        places: &places,
        known: &known,
        contracts: &job.options.contracts,
        seeds: seeds::used(&job.options.seeds, &outcome.seeded),
        interrupted: is_stopped(),
        files,
        broken,
    };
    let mut report = gather::report(facts);
    if let Some(shards) = &merged {
        merge::complete(&mut report, shards, &outcome);
    }
    if let Some(shards) = &left {
        shard::write(&places.report, shards).map_err(|error| write_failure(&error, report.files.len()))?;
    }
    let json = serde_json::to_string_pretty(&report).expect("a report has only plain data") + "\n";
    write::replace(&places.report, &json).map_err(|error| write_failure(&error, report.files.len()))?;
    // It is all written now. A file that is not there was not needed.
    let _ = std::fs::remove_file(&places.unfinished);
    accept(args, &report, &mut known, &places)?;
    match args.format {
        Format::Text => print(&summary::render(&report))?,
        Format::Json => print(&json)?,
    }
    Ok(exit_of(args, &report))
}

/// Where a search begins, and what it leaves if it is killed.
fn begin(job: &mut Job<'_>, args: &GenerateArgs, places: &Places) -> Result<(), Failure> {
    job.options.resume = earlier(args, places)?.into_iter().collect();
    job.options.unfinished = Some(places.unfinished.clone());
    job.options.keep_found = args.shard.is_some();
    Ok(())
}

/// Has a job run what shards found, all of it and nothing else.
fn replay(job: &mut Job<'_>, shards: &Shards) {
    job.options.resume = shards.runs.iter().map(|run| run.found.sequences.clone()).collect();
    job.options.campaign.resumed_only = true;
    job.options.step_limit = Some(u64::MAX);
}

/// Shards of other code than what is here would give tests that fail.
fn check_code(shards: &Shards, subject: &Subject) -> Result<(), Failure> {
    if code_of(&subject.library.classes, &subject.targets) == shards.code {
        merge::announce(shards, &subject.jvm.version.text);
        return Ok(());
    }
    let words = shards.words.join(" ");
    Err(Failure::new(Exit::BadInput, format!("the code here is not what the shards tested: `{words}`")).hint(
        "merge with the jar or classes that the shards were given; if they lie elsewhere, say so after `--`",
    ))
}

/// What a run that was killed left behind, if it is wanted.
fn earlier(args: &GenerateArgs, places: &Places) -> Result<Option<Unfinished>, Failure> {
    let path = &places.unfinished;
    if !args.resume {
        if path.exists() {
            let text = format!("an earlier run was cut off: `--resume` goes on from {}", path.display());
            message("note", &text);
        }
        return Ok(None);
    }
    match Unfinished::read(path) {
        Ok(found) => Ok(Some(found)),
        Err(error) => Err(Failure::new(Exit::BadInput, chain(&error))
            .hint("without `--resume` the search begins anew; a run leaves this file only if it was killed")),
    }
}

fn announce(subject: &Subject, budget: &Budget) {
    let classes = plural(top_level_classes(&subject.targets) as u64, "class");
    let limit = match budget.steps {
        Some(steps) => plural(steps, "step"),
        None => seconds(budget.time),
    };
    message("testing", &format!("{classes} on Java {} for {limit}", subject.jvm.version.text));
}

fn job<'a>(
    args: &GenerateArgs,
    subject: &'a Subject,
    budget: &Budget,
    known: &Known,
    work: &std::path::Path,
) -> Result<Job<'a>, Failure> {
    let mut options = options::options(args, subject, budget, known)?;
    let seeds = seeds::read(&args.technique.seed_sequences, &subject.library)?;
    options.campaign.literals.seeds.extend(seeds.literals);
    options.seeds = seeds.sequences;
    options.relevance = relevance::wanted(args.technique.relevance_table.as_deref())?;
    Ok(Job {
        classes: &subject.library.classes,
        targets: subject.targets.clone(),
        class_path: subject.class_path.clone(),
        java: subject.java.clone(),
        junit: subject.junit.as_ref().map(|junit| junit.jars.clone()).unwrap_or_default(),
        scripts: match subject.framework {
            FrameworkChoice::Text => Some(&subject.library),
            FrameworkChoice::JUnit5 | FrameworkChoice::JUnit4 | FrameworkChoice::Java => None,
        },
        work: work.to_owned(),
        worker_command: WorkerCommand::default(),
        options,
    })
}

/// Runs the job. Ctrl-C and a time limit beside a step limit end its search, not what comes after.
fn search(
    job: &Job<'_>,
    live: &mut Live,
    budget: &Budget,
    flag: Option<&'static AtomicBool>,
) -> Result<Outcome, Failure> {
    let start = Instant::now();
    let told = AtomicBool::new(false);
    let stop = || {
        let signalled = flag.is_some_and(|flag| flag.load(Relaxed));
        if signalled && !told.swap(true, Relaxed) {
            live::tell_stop();
        }
        signalled || (budget.steps.is_some() && budget.is_time_said && start.elapsed() >= budget.time)
    };
    let outcome = probat_generate::run(job, live, &stop);
    live.end();
    outcome.map_err(|error| job_failure(&error))
}

fn job_failure(error: &JobError) -> Failure {
    match error {
        JobError::Start(start) => fleet::start_failure(start),
        JobError::Fleet(fleet) => fleet::failure(fleet),
        JobError::Verify(VerifyError::Start(start)) => fleet::start_failure(start),
        JobError::Verify(_) => Failure::caused(Exit::Missing, error)
            .hint("`--unverified` writes the tests all the same, without compiling or running them"),
        JobError::Release(_) => Failure::caused(Exit::Missing, error)
            .hint("is the JDK whole? `probat doctor` lists those found, `--java-home` names another"),
        JobError::Table { .. } => Failure::new(Exit::BadInput, chain(error))
            .hint("delete the file of `--relevance-table` to have it made anew"),
        JobError::Nothing(_) => Failure::new(Exit::Nothing, chain(error))
            .hint("public and package-private members of named classes can be tested; is this the right class path?"),
    }
}

/// Writes every file; the first that cannot be written ends it, and those before it stay.
fn write_files(
    outcome: &Outcome,
    places: &Places,
    seed: u64,
    how: &str,
) -> Result<Vec<FileWritten>, Failure> {
    let mut written: Vec<FileWritten> = Vec::new();
    for file in &outcome.files {
        let path = places.of(file);
        let source = if file.fails { marker::second_line(&file.source, how) } else { file.source.clone() };
        let done = write::write_source(&path, &marker::mark(&source, seed))
            .map_err(|error| write_failure(&error, written.len()))?;
        let (path, state, difference) = match done {
            Written::New => (path, FileState::New, None),
            Written::Unchanged => (path, FileState::Unchanged, None),
            Written::Replaced(difference) => (path, FileState::Replaced, Some(difference)),
            Written::Beside { path, owner: Owner::Edited | Owner::Ours } => {
                (path, FileState::BesideEdited, None)
            }
            Written::Beside { path, owner: Owner::Foreign } => (path, FileState::BesideForeign, None),
        };
        written.push(FileWritten {
            path: path.display().to_string(),
            class: file.subject.to_string(),
            tests: file.tests,
            fails: file.fails,
            state,
            difference,
            shows: file.shows.clone(),
        });
    }
    Ok(written)
}

/// A search is not lost because its tests found no room.
fn kept_all_the_same(failure: Failure, places: &Places) -> Failure {
    match places.unfinished.exists() {
        true => failure.hint(format!(
            "what was found is kept in `{}`: the same command with `--resume` begins with it",
            places.unfinished.display()
        )),
        false => failure,
    }
}

fn write_failure(error: &WriteError, before: usize) -> Failure {
    let text = format!("cannot write `{}`: {}", error.path.display(), error.source);
    let failure = Failure::new(Exit::Missing, text);
    let failure = match error.source.kind() {
        std::io::ErrorKind::StorageFull => {
            failure.hint("free some space, or name another folder with `--output`")
        }
        _ => failure.hint("name a folder you may write to with `--output`"),
    };
    match before {
        0 => failure,
        files => failure.hint(format!("{} written before it are kept", plural(files as u64, "file"))),
    }
}

/// With `--accept`, notes what was found.
fn accept(args: &GenerateArgs, report: &Report, known: &mut Known, places: &Places) -> Result<(), Failure> {
    if !args.accept {
        return Ok(());
    }
    let keys = report.failures.iter().flat_map(|failure| &failure.keys);
    let failures = keys.map(|(member, kind)| (member.as_str(), kind.as_str()));
    let added = known
        .accept(&places.known_failures, failures)
        .map_err(|error| write_failure(&error, report.files.len()))?;
    show(&format!("accepted {} in {}\n", plural(added as u64, "failure"), places.known_failures.display()));
    Ok(())
}

fn exit_of(args: &GenerateArgs, report: &Report) -> Exit {
    let found = report.failures.iter().any(|failure| failure.is_suspect && !failure.known);
    if report.end == report::EndOfSearch::Interrupted {
        Exit::Interrupted
    } else if found && !args.accept {
        Exit::Found
    } else if report.tests + report.failing_tests == 0 && !report.is_clean() {
        Exit::Nothing
    } else {
        Exit::Fine
    }
}
