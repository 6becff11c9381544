//! `probat bench explore`: how far exploration gets on the structures of Xie's study.
//!
//! In: a JDK, a time limit per structure. Out: states per second with both ways of reaching a state again, bytes per state, and the
//! largest bound finished in the time and memory given, beside the figures of the study (2005).

mod report;
mod subjects;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use clap::Args;
use probat_analysis::World;
use probat_explore::{Choices, Explorer, MethodFilter, Options, Pool, Pools, Strategy, plan};
use probat_model::{ClassName, OperationTable};
use probat_protocol::WorkerConfig;

use crate::args::{Format, JvmArgs};
use crate::exit::Exit;
use crate::explore::drive::{Bounds, Done, drive};
use crate::explore::live::Live;
use crate::explore::{Source, plan_failure, start_fleet};
use crate::failure::{Failure, print, print_json};
use crate::java;
use crate::library::Library;
use crate::run::worker_config;
use report::{Far, Report, SCHEMA, SubjectReport, Way};
use subjects::{SUBJECTS, Subject};

/// States per second and the largest bound that is finished, on six small data structures.
///
/// For each, the bound rises until a run does not finish in the time and memory given; these runs choose the faster way of reaching
/// a state again themselves, as `probat explore` does. Both ways (running its calls, putting a snapshot back) are measured at one bound.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probat bench explore
  probat bench explore --subject TreeMap --time-each 10s
  probat bench explore --format json")]
pub struct BenchExploreArgs {
    #[command(flatten)]
    pub jvm: JvmArgs,
    /// How results are printed
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
    /// How long one run may take
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = crate::duration::parse)]
    pub time_each: Duration,
    /// Only this structure, such as BinSearchTree; may be repeated
    #[arg(long = "subject", value_name = "NAME")]
    pub subjects: Vec<String>,
    /// JVMs that work at once (default: one per core)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub workers: Option<u16>,
}

/// Memory for states.
const MEMORY: usize = 2_000_000_000;

/// Runs the command.
pub fn run(args: &BenchExploreArgs) -> Result<Exit, Failure> {
    let chosen = chosen(&args.subjects)?;
    let jvm = java::choose(args.jvm.java_home.as_deref())?;
    let folder = tempfile::tempdir()
        .map_err(|error| Failure::new(Exit::Missing, format!("no room for temporary files: {error}")))?;
    compile(&jvm.home, folder.path())?;
    let library = Library::open(&jvm.home, &folder.path().display().to_string())?;
    let bench = Bench {
        library: &library,
        config: worker_config(&args.jvm, &jvm, &library)?,
        workers: args.workers.map_or_else(crate::explore::cores, usize::from),
        time: args.time_each,
    };
    let mut subjects = Vec::new();
    for subject in chosen {
        subjects.push(bench.subject(subject)?);
        if probat_os::signals::stop_flag().is_ok_and(|stop| stop.load(std::sync::atomic::Ordering::Relaxed)) {
            break;
        }
    }
    let report = Report {
        schema: SCHEMA,
        java_version: jvm.version.text.clone(),
        workers: bench.workers,
        seconds_each: args.time_each.as_secs_f64(),
        subjects,
    };
    match args.format {
        Format::Text => print(&report::render(&report))?,
        Format::Json => print_json(&report)?,
    }
    Ok(Exit::Fine)
}

fn chosen(words: &[String]) -> Result<Vec<&'static Subject>, Failure> {
    if words.is_empty() {
        return Ok(SUBJECTS.iter().collect());
    }
    let find = |word: &String| {
        SUBJECTS.iter().find(|subject| subject.name == word).ok_or_else(|| {
            let names: Vec<&str> = SUBJECTS.iter().map(|subject| subject.name).collect();
            Failure::new(Exit::BadInput, format!("there is no subject `{word}`"))
                .hint(format!("there are {}", names.join(", ")))
        })
    };
    words.iter().map(find).collect()
}

/// Compiles the structures that are not the JDK's own.
fn compile(home: &Path, folder: &Path) -> Result<(), Failure> {
    let missing = |why: String| {
        Failure::new(Exit::Missing, format!("the structures to explore cannot be compiled: {why}"))
            .hint("name a JDK with a compiler with `--java-home`")
    };
    let mut files = Vec::new();
    for subject in &SUBJECTS {
        let Some(source) = subject.source else { continue };
        let file = folder.join(format!("{}.java", subject.name));
        std::fs::write(&file, source).map_err(|error| missing(error.to_string()))?;
        files.push(file);
    }
    let mut javac = Command::new(home.join("bin/javac"));
    let done = javac.args(["-nowarn", "-d"]).arg(folder).args(files).output();
    match done {
        Ok(done) if done.status.success() => Ok(()),
        Ok(done) => Err(missing(String::from_utf8_lossy(&done.stderr).into_owned())),
        Err(error) => Err(missing(error.to_string())),
    }
}

struct Bench<'a> {
    library: &'a Library,
    config: WorkerConfig,
    workers: usize,
    time: Duration,
}

impl Bench<'_> {
    fn subject(&self, subject: &Subject) -> Result<SubjectReport, Failure> {
        let mut ways = Vec::new();
        for strategy in [Strategy::Rerun, Strategy::Restore] {
            let done = self.explore(subject, subject.compared_at, Some(strategy))?;
            ways.push(Way::of(strategy, subject.compared_at, &done));
        }
        let mut farthest = None;
        for bound in subject.compared_at.. {
            let done = self.explore(subject, bound, None)?;
            if done.exploration.ended_by.is_some() {
                break;
            }
            let too_slow_next = done.took * 2 > self.time;
            farthest = Some(Far::of(bound, &done));
            if too_slow_next {
                break;
            }
        }
        Ok(SubjectReport {
            subject: subject.name,
            study_bound: subject.study.0,
            study_states: subject.study.1,
            study_seconds: subject.study.2,
            ways,
            farthest,
        })
    }

    /// Without a strategy, the run chooses.
    fn explore(&self, subject: &Subject, bound: u16, strategy: Option<Strategy>) -> Result<Done, Failure> {
        let class = ClassName::internal(subject.class);
        let first = subject.first;
        let range = format!("int={first}..{}", first + i32::from(bound) - 1);
        let mut pools = vec![range];
        pools.extend(subject.pool.map(str::to_owned));
        let pools = pools.iter().map(|text| Pool::parse(text).expect("written here")).collect();
        let methods = subject.methods.iter().map(|name| MethodFilter::parse(name).expect("written here"));
        let choices = Choices { methods: methods.collect(), ..Choices::default() };
        let source = Source(self.library);
        let mut world = World::new(&source);
        let mut table = OperationTable::new();
        let plan = plan(&mut world, &class, &choices, &mut Pools::new(pools), &mut table);
        let plan = plan.map_err(|error| plan_failure(&error))?;
        let mut fleet = start_fleet(&self.config, self.workers, &class)?;
        let stop = fleet.config().stop;
        let bounds = Bounds { bound, time: self.time, memory: MEMORY };
        let mut live = Live::new(&format!("{} with {bound} calls", subject.name));
        live.expect_limits();
        let options = Options {
            most_bytes: MEMORY,
            may_change: strategy.is_none(),
            ..Options::unlimited(bound, strategy.unwrap_or(Strategy::Rerun))
        };
        drive(Explorer::new(plan, table, options), &mut fleet, &bounds, stop, &mut live)
    }
}
