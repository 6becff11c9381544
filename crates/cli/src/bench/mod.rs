//! `probat bench exec`: how fast sequences run, from compiled Java to the whole pipeline.
//!
//! In: a JVM, a class path, how long to measure. Out: calls per second by way of running, measured in turns so that a
//! slow moment of the machine hits all of them, and how they compare with what is wanted.

pub mod baselines;
mod child;
mod commons;
pub mod explore;
pub mod minimize;
mod mix;
mod pipeline;
pub mod raw;
mod report;
pub mod suite;
mod wide;

use std::path::Path;
use std::time::Duration;

use probat_classpath::Origin;
use probat_model::ClassName;
use probat_protocol::WorkerConfig;
use probat_supervisor::{FleetConfig, plan_probes};

use crate::args::{BenchExecArgs, Format, RawMode};
use crate::exit::Exit;
use crate::failure::{Failure, print, print_json};
use crate::fleet;
use crate::java;
use crate::library::Library;
use crate::progress::Progress;
use crate::run::worker_config;
use mix::Mix;
use pipeline::Piped;
use report::{Cpu, MixSeen, Report, SCHEMA, Speeds, median, per_call};

/// A class that only commons-lang3 has.
const COMMONS: &str = "org/apache/commons/lang3/StringUtils";

/// Runs the command.
pub fn exec(args: &BenchExecArgs) -> Result<Exit, Failure> {
    let jvm = java::choose(args.jvm.java_home.as_deref())?;
    let mut notes = Vec::new();
    let library = library(args, &jvm.home, &mut notes)?;
    let with_commons = library.classes.contains(&ClassName::internal(COMMONS));
    let mut mix = Mix::new(&library, with_commons)?;
    if args.jvm.check_jni {
        notes.push("measured with -Xcheck:jni, which is slow".into());
    }
    let scratch = tempfile::tempdir()
        .map_err(|error| Failure::new(Exit::Missing, format!("no room for temporary files: {error}")))?;
    let config = worker_config(&args.jvm, &jvm, &library)?;
    widen(&mut mix, &library, &config)?;
    let observed = observed_config(&config, &library, &mix);
    let raw = raw::config(&config, scratch.path());
    let ways = Ways { mix: &mix, config: &config, observed: &observed, raw: &raw, time: args.time_each };
    let mut turns = Turns::default();
    for round in 1..=args.rounds {
        let _progress = Progress::start(&format!("measuring, round {round} of {}", args.rounds));
        turns.add(&ways)?;
    }
    let report = turns.report(&mix, args.rounds, jvm.version.text.clone(), libraries(&library), notes);
    match args.format {
        Format::Text => print(&report::render(&report))?,
        Format::Json => print_json(&report)?,
    }
    Ok(Exit::Fine)
}

/// Adds many methods that are called a few times each.
fn widen(mix: &mut Mix, library: &Library, config: &WorkerConfig) -> Result<(), Failure> {
    let _progress = Progress::start("looking for methods to call");
    let mut fleet = fleet::start(FleetConfig::new(config.clone()))?;
    wide::add(mix, library, &mut |table, items| {
        fleet.run(table, items).map_err(|error| fleet::failure(&error))
    })
}

/// The class path given, with commons-lang3 added if it can be had.
fn library(args: &BenchExecArgs, home: &Path, notes: &mut Vec<String>) -> Result<Library, Failure> {
    let library = Library::open(home, &args.jvm.classpath)?;
    if library.classes.contains(&ClassName::internal(COMMONS)) {
        return Ok(library);
    }
    match commons::find() {
        Ok(jar) => {
            let mut path = args.jvm.classpath.clone();
            if !path.is_empty() {
                path.push(':');
            }
            path.push_str(&jar.display().to_string());
            Library::open(home, &path)
        }
        Err(why) => {
            notes.push(format!("without commons-lang3: {why}; only the JDK's classes were measured"));
            Ok(library)
        }
    }
}

fn libraries(library: &Library) -> Vec<String> {
    let mut names = vec!["java.base".to_owned()];
    names.extend(library.classes.path.entries().iter().filter_map(|entry| match &entry.origin {
        Origin::Jar(path) => path.file_name().map(|name| name.to_string_lossy().into_owned()),
        _ => None,
    }));
    names
}

/// With probes in the class path's classes, or, where there are none, in the JDK's that the mix calls.
fn observed_config(config: &WorkerConfig, library: &Library, mix: &Mix) -> WorkerConfig {
    let path = library.classes.path.iter().filter(|class| !class.shadowed).map(|class| class.name.clone());
    let mut names: Vec<ClassName> = path.collect();
    if names.is_empty() {
        names = mix.classes().into_iter().filter(|name| name.package() == "java/util").collect();
    }
    let classes = names.into_iter().filter_map(|name| {
        let found = library.classes.find(&name).ok().flatten()?;
        Some((name, found.bytes))
    });
    let mut observed = config.clone();
    observed.instrumentation = plan_probes(classes).instrumentation;
    observed
}

/// Everything needed to measure each way once.
struct Ways<'a> {
    mix: &'a Mix,
    config: &'a WorkerConfig,
    observed: &'a WorkerConfig,
    raw: &'a WorkerConfig,
    time: Duration,
}

/// Calls per second and CPU per call, round by round.
#[derive(Default)]
struct Turns {
    speeds: [Vec<f64>; 6],
    search: [Vec<f64>; 6],
    worker: [Vec<f64>; 6],
}

const NAMES: [&str; 6] =
    ["java_loop", "raw_jni", "pipeline", "pipeline_observed", "pipeline_two_workers", "reflection"];

impl Turns {
    fn add(&mut self, ways: &Ways<'_>) -> Result<(), Failure> {
        for (at, mode) in [(0, RawMode::JavaLoop), (1, RawMode::RawJni), (5, RawMode::Reflection)] {
            let measured = raw::start(mode, ways.time, ways.raw, ways.mix)?;
            self.speeds[at].push(measured.calls as f64 / measured.wall.as_secs_f64());
            self.worker[at].push(per_call(measured.cpu, measured.calls));
        }
        let piped = [(2, ways.config, 1, false), (3, ways.observed, 1, true), (4, ways.config, 2, false)];
        for (at, config, workers, observed) in piped {
            let Piped { calls, wall, search_cpu, worker_cpu } =
                pipeline::measure(config, workers, observed, ways.mix, ways.time)?;
            self.speeds[at].push(calls as f64 / wall.as_secs_f64());
            self.search[at].push(per_call(search_cpu, calls));
            self.worker[at].push(per_call(worker_cpu, calls));
        }
        Ok(())
    }

    fn report(
        self,
        mix: &Mix,
        rounds: u16,
        java: String,
        libraries: Vec<String>,
        notes: Vec<String>,
    ) -> Report {
        let [java_loop, raw_jni, pipeline, observed, two_workers, reflection] = self.speeds.map(median);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let cpu = NAMES.into_iter().zip(self.search).zip(self.worker).map(|((name, search), worker)| Cpu {
            name,
            search_ns_per_call: (!search.is_empty()).then(|| median(search)),
            worker_ns_per_call: median(worker),
        });
        Report {
            schema: SCHEMA,
            java_loop,
            raw_jni,
            pipeline,
            pipeline_observed: observed,
            pipeline_two_workers: two_workers,
            reflection,
            ratios: report::ratios(&Speeds { raw_jni, pipeline, observed, two_workers, reflection }, cores),
            cpu: cpu.collect(),
            mix: MixSeen {
                sequences: mix.sequences.len(),
                steps: mix.sequences.first().map_or(0, |sequence| sequence.len()),
                calls: mix.calls(),
                operations: mix.table.len(),
                libraries,
            },
            java,
            cores,
            rounds,
            notes,
        }
    }
}
