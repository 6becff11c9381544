//! `probat bench generate`: what the written suites are worth, measured with tools that are not ours.
//!
//! In: subjects. Out: per subject and seed what `generate` did, and what javac, JUnit and JaCoCo say of its suite; beside it the same of a
//! peer where one is given. `generate` is run as a user runs it, as a process of its own.
//!
//! ```text
//! subject ─▶ probat generate (child) ─▶ sources ─┐
//!         └▶ peer (child) ─▶ sources ────────────┴▶ measure ─▶ report
//! ```

mod ablation;
mod args;
mod explain;
mod report;
mod subject;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use probat_measure::{MeasureError, Measured, PeerJob, Suite, Tools, measure, run_peer};
use serde_json::Value;

pub use args::{BenchGenerateArgs, words};

use super::child;
use crate::args::Format;
use crate::exit::Exit;
use crate::failure::{Failure, message, print, print_json, warn};
use crate::java;
use crate::progress::Progress;
use report::{Ours, Peer, Report, SubjectReport};
use subject::Subject;

/// Runs the command.
pub fn run(args: &BenchGenerateArgs) -> Result<Exit, Failure> {
    let named: Vec<&str> = match args.subjects.as_slice() {
        [] => args::SUBJECTS.to_vec(),
        some => some.iter().map(String::as_str).collect(),
    };
    if args.ablation && !args.measured {
        return ablation::run(args, &named, None);
    }
    let jvm = java::choose(args.java_home.as_deref())?;
    if !jvm.home.join("bin/javac").is_file() {
        let text = format!("`{}` has no compiler", jvm.home.display());
        return Err(Failure::new(Exit::Missing, text).hint("name a JDK with `--java-home`"));
    }
    let temporary = tempfile::Builder::new().prefix("probat-bench-").tempdir().map_err(|error| {
        Failure::new(Exit::Missing, format!("cannot make a temporary folder: {error}"))
            .hint("point TMPDIR to a directory you may write to")
    })?;
    let work = args.keep.clone().unwrap_or_else(|| temporary.path().to_owned());
    let work = std::path::absolute(&work).unwrap_or(work);
    let tools = subject::tools(&jvm, &work, args.mutants)?;
    if args.ablation {
        return ablation::run(args, &named, Some(&mut measured(args, &tools, &work)));
    }
    // An interrupt ends the whole run; what was measured before is shown.
    let stop = probat_os::signals::stop_flag().ok();
    let is_stopped = || stop.is_some_and(|flag| flag.load(Relaxed));
    let mut subjects = Vec::new();
    for (at, text) in named.iter().enumerate() {
        let bench =
            Bench { args, tools: &tools, work: work.join(format!("subject{}", at + 1)), options: &[] };
        match bench.subject(text) {
            Ok(measured) => subjects.push(measured),
            Err(failure) if !is_stopped() && failure.exit != Exit::Interrupted => return Err(failure),
            Err(_) => {
                message("note", &format!("interrupted while measuring {text}"));
                break;
            }
        }
        if is_stopped() {
            break;
        }
    }
    let is_cut_off = subjects.len() < named.len();
    if is_cut_off && subjects.is_empty() {
        return Ok(Exit::Interrupted);
    }
    let report = Report::new(args, &jvm.version.text, subjects);
    match args.format {
        Format::Text => print(&report::render(&report))?,
        Format::Json => print_json(&report)?,
    }
    Ok(match (is_cut_off, report.is_sound()) {
        (true, _) => Exit::Interrupted,
        (false, true) => Exit::Fine,
        (false, false) => Exit::Bug,
    })
}

/// What JaCoCo says of suites written with other options, each in a folder of its own.
fn measured<'a>(
    args: &'a BenchGenerateArgs,
    tools: &'a Tools,
    work: &'a Path,
) -> impl FnMut(&str, usize, &[String], u64) -> Result<f64, Failure> + 'a {
    move |text, number, options, seed| {
        let name = if options.is_empty() { "all".to_owned() } else { options.join("").replace("--", "") };
        let work = work.join(format!("subject{}", number + 1)).join(name);
        let subject = subject::find(text, &work, tools.release)?;
        let ours = Bench { args, tools, work, options }.ours(&subject, seed)?;
        Ok(ours.measured.branch.percent())
    }
}

/// One subject in work.
struct Bench<'a> {
    args: &'a BenchGenerateArgs,
    tools: &'a Tools,
    work: PathBuf,
    /// For `generate`, beside those of the user.
    options: &'a [String],
}

impl Bench<'_> {
    fn subject(&self, text: &str) -> Result<SubjectReport, Failure> {
        let subject = subject::find(text, &self.work, self.tools.release)?;
        let mut ours = Vec::new();
        for seed in 1..=self.args.seeds {
            message("measuring", &format!("{text}, seed {seed}"));
            ours.push(self.ours(&subject, seed)?);
        }
        let peer = match &self.args.peer_classpath {
            Some(path) => Some(self.peer(&subject, path)?),
            None => None,
        };
        Ok(SubjectReport::new(text, subject.classes.len(), ours, peer))
    }

    fn ours(&self, subject: &Subject, seed: u64) -> Result<Ours, Failure> {
        let folder = self.work.join(format!("seed{seed}"));
        let tests = folder.join("tests");
        fresh(&folder)?;
        let start = Instant::now();
        let said = {
            let _progress = Progress::start("generating tests");
            self.generate(subject, seed, &tests)?
        };
        let wall = start.elapsed();
        let _progress = Progress::start("compiling and running them");
        let measured = self.measure(subject, &tests, &folder)?;
        Ok(Ours::new(seed, wall, &said, measured))
    }

    /// As a user would.
    fn generate(&self, subject: &Subject, seed: u64, tests: &Path) -> Result<Value, Failure> {
        let limit = format!("{}ms", self.args.time_limit.as_millis());
        let mut options: Vec<OsString> = vec!["--time-limit".into(), limit.into(), "--seed".into()];
        options.extend([seed.to_string().into(), "--output".into(), tests.into()]);
        options.extend(["--java-home".into(), self.tools.java_home.clone().into()]);
        options.extend(self.args.explain.then(|| OsString::from("--explain")));
        options.extend(self.args.options.iter().chain(self.options).map(OsString::from));
        child::generate(&subject.text, &subject.words, &options)
    }

    fn peer(&self, subject: &Subject, path: &str) -> Result<Peer, Failure> {
        message("measuring", &format!("{}, the peer", subject.text));
        let _progress = Progress::start("running the peer");
        let folder = self.work.join("peer");
        fresh(&folder)?;
        let job = PeerJob {
            peer_class_path: path,
            class_path: &subject.class_path,
            classes: &subject.classes,
            time: self.args.time_limit,
            seed: 1,
        };
        let run = run_peer(self.tools, &job, &folder).map_err(|error| failure(&error))?;
        if let Some(trouble) = &run.trouble {
            warn(&format!("the peer {trouble}"));
        }
        let measured = self.measure(subject, &run.sources, &folder)?;
        Ok(Peer { run, measured })
    }

    fn measure(&self, subject: &Subject, sources: &Path, folder: &Path) -> Result<Measured, Failure> {
        std::fs::create_dir_all(sources).map_err(|error| unwritable(sources, &error))?;
        let counts = |class: &probat_model::ClassName| subject.counts(class);
        let suite =
            Suite { sources, subject: &subject.jar, class_path: &subject.class_path, counts: &counts };
        measure(self.tools, &suite, &folder.join("measured")).map_err(|error| failure(&error))
    }
}

/// A folder with nothing of an earlier run in it.
fn fresh(folder: &Path) -> Result<(), Failure> {
    if folder.exists() {
        let text = format!("`{}` is there already", folder.display());
        return Err(Failure::new(Exit::BadInput, text).hint("name an empty folder with `--keep`"));
    }
    std::fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))
}

fn unwritable(folder: &Path, error: &std::io::Error) -> Failure {
    Failure::new(Exit::Missing, format!("cannot make `{}`: {error}", folder.display()))
}

fn failure(error: &MeasureError) -> Failure {
    Failure::caused(Exit::Missing, error)
}

/// How long one run of a suite may take.
const PATIENCE: Duration = Duration::from_secs(300);
