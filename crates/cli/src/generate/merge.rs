//! `probat merge`: what several runs found, as one suite and one report.
//!
//! In: folders with the results of shards. Out: the tests, files and report that `generate` would have written, had one run found it all. Every
//! sequence is run again; tests are chosen, shortened, checked and written as those of one run are. Runs are a set: the order in which
//! they are named, naming one twice, or naming what was merged before along with its parts changes nothing.

use std::path::PathBuf;

use clap::{Args, Parser};
use probat_generate::{Outcome, Run, ShardError, Shards};
use probat_supervisor::describe;

use super::args::GenerateArgs;
use super::numbers::plural;
use super::report::{EndOfSearch, Merged, MergedRun, MoreTime, Report};
use super::shard::{FILE, ShardChoice};
use crate::args::{Cli, Command, Format};
use crate::exit::Exit;
use crate::failure::{Failure, message, warn};

/// Put the results of several runs of `generate --shard` together.
///
/// The sequences that the shards found worth a test are run again, and tests are chosen, checked and written as those of one run. Failures with one
/// cause are one failure, their counts added. The result can be merged again, with its own shards or with others.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct MergeArgs {
    /// Folders that shards wrote into, or files `probat-shard`
    #[arg(value_name = "SHARD", required = true)]
    pub shards: Vec<PathBuf>,
    /// Where tests go, as for `generate`
    #[arg(long, short = 'o', value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Where tests go that fail because the code breaks a rule, as for `generate`
    #[arg(long, value_name = "DIR")]
    pub failing_output: Option<PathBuf>,
    /// Write tests without compiling or running them
    #[arg(long)]
    pub unverified: bool,
    /// The jar `junit-platform-console-standalone` to check tests with, if Maven cannot get it; may be repeated
    #[arg(long = "junit-jar", value_name = "JAR")]
    pub junit_jars: Vec<PathBuf>,
    /// The JDK to use; otherwise JAVA_HOME, then `java` on PATH, then the usual folders
    #[arg(long, value_name = "DIR")]
    pub java_home: Option<PathBuf>,
    /// JVMs that work at once (default: one per core)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub workers: Option<u16>,
    /// Keep Maven and Gradle from using the network
    #[arg(long)]
    pub offline: bool,
    /// Note the failures found as known
    #[arg(long)]
    pub accept: bool,
    /// How the result is printed
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
    /// What is tested and how, as for `generate`, where that is spelled differently here than it was for the shards
    #[arg(last = true, value_name = "WHAT")]
    pub words: Vec<String>,
}

const EXAMPLES: &str = "\
Examples:
  for i in 1 2 3 4; do probat generate app.jar --shard $i/4 --output shard-$i; done
  probat merge shard-* --output probat-tests
  # a merge can be merged
  probat merge probat-tests later/shard-* --output all
  # the code lies elsewhere on this machine
  probat merge shard-* -- build/app.jar --classpath 'libs/*'

Exit codes: as of `generate`.";

/// Runs the command.
pub fn run(args: &MergeArgs) -> Result<Exit, Failure> {
    let shards = join(read(&args.shards)?, !args.words.is_empty())?;
    tell_missing(&shards);
    let generate = arguments(args, &shards)?;
    super::conduct(&generate, Some(shards))
}

/// What there is; what is not there is said.
fn read(paths: &[PathBuf]) -> Result<Vec<(PathBuf, Shards)>, Failure> {
    let mut all = Vec::new();
    for path in paths {
        let file = if path.is_dir() { path.join(FILE) } else { path.clone() };
        if !file.exists() {
            warn(&format!("there is no `{}`: what that shard found is missing", file.display()));
            continue;
        }
        let found = Shards::read(&file).map_err(|error| unreadable(&error))?;
        all.push((file, found));
    }
    if all.is_empty() {
        let text = "none of the shards named has left a result";
        let hint = format!("`probat generate … --shard 1/4 --output DIR` leaves `DIR/{FILE}`");
        return Err(Failure::new(Exit::BadInput, text).hint(hint));
    }
    Ok(all)
}

fn unreadable(error: &ShardError) -> Failure {
    let failure = Failure::caused(Exit::BadInput, error);
    match error {
        ShardError::Version { .. } => failure.hint("run all shards and the merge with one version of probat"),
        ShardError::Damaged(_) => failure.hint("copy it again, or leave this shard out"),
        ShardError::Foreign(_) => failure.hint(format!("name a folder that holds `{FILE}`, or such a file")),
        ShardError::Read { .. } => failure,
    }
}

/// All runs in one; those of another campaign are refused.
fn join(all: Vec<(PathBuf, Shards)>, is_told: bool) -> Result<Shards, Failure> {
    let mut all = all.into_iter();
    let (first, mut joined) = all.next().expect("there is one at least");
    for (file, shards) in all {
        let differ = |what: &str| {
            format!("`{}` and `{}` are results of different {what}", first.display(), file.display())
        };
        if shards.code != joined.code {
            return Err(Failure::new(Exit::BadInput, differ("code"))
                .hint("merge only shards of the same classes: build once and hand the same jar to all"));
        }
        if shards.words != joined.words && !is_told {
            let words = |of: &Shards| of.words.join(" ");
            return Err(Failure::new(Exit::BadInput, differ("commands"))
                .hint(format!("one tested `{}`, the other `{}`", words(&joined), words(&shards)))
                .hint("if only the places differ, say after `--` what is tested and how"));
        }
        let clash = shards.runs.iter().find_map(|run| {
            let of_one = |known: &&Run| known.base_seed == run.base_seed && known.of != run.of;
            joined.runs.iter().find(of_one).map(|known| (known.of, run.of))
        });
        if let Some((here, there)) = clash {
            let text = differ("campaigns");
            return Err(Failure::new(Exit::BadInput, text)
                .hint(format!("one is of {here} shards, the other of {there}, with the same seed")));
        }
        joined.join(shards);
    }
    Ok(joined)
}

/// Shards of the campaign that are not there.
fn missing(shards: &Shards) -> Vec<ShardChoice> {
    let mut campaigns: Vec<(u64, u16)> = shards.runs.iter().map(|run| (run.base_seed, run.of)).collect();
    campaigns.dedup();
    let is_there =
        |seed: u64, index: u16| shards.runs.iter().any(|run| (run.base_seed, run.index) == (seed, index));
    campaigns
        .into_iter()
        .flat_map(|(seed, of)| (1..=of).map(move |index| (seed, ShardChoice { index, of })))
        .filter(|(seed, choice)| !is_there(*seed, choice.index))
        .map(|(_, choice)| choice)
        .collect()
}

fn tell_missing(shards: &Shards) {
    let missing = missing(shards);
    if !missing.is_empty() {
        let named: Vec<String> = missing.iter().map(ToString::to_string).collect();
        let verb = if missing.len() == 1 { "is" } else { "are" };
        warn(&format!("shard {} {verb} missing; merged is what there is", named.join(", ")));
    }
    let twice = shards.runs.windows(2).find(|two| {
        (two[0].base_seed, two[0].of, two[0].index) == (two[1].base_seed, two[1].of, two[1].index)
    });
    if let Some([run, _]) = twice {
        let choice = ShardChoice { index: run.index, of: run.of };
        warn(&format!("shard {choice} was run twice, with different results; both count"));
    }
}

/// The arguments of `generate` that the merged result is written with.
fn arguments(args: &MergeArgs, shards: &Shards) -> Result<GenerateArgs, Failure> {
    let words = if args.words.is_empty() { &shards.words } else { &args.words };
    let mut all: Vec<String> = ["probat", "generate"].map(str::to_owned).to_vec();
    all.extend(words.iter().cloned());
    let parsed = Cli::try_parse_from(&all).map_err(|error| {
        let said = error.to_string();
        let first = said.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
        Failure::new(Exit::BadInput, format!("`generate` does not take these words: {first}"))
    })?;
    let Command::Generate(mut generate) = parsed.command else {
        return Err(Failure::new(Exit::BadInput, "only results of `generate` can be merged"));
    };
    generate.output.clone_from(&args.output);
    generate.failing_output.clone_from(&args.failing_output);
    generate.junit_jars.clone_from(&args.junit_jars);
    generate.java_home.clone_from(&args.java_home);
    generate.workers = args.workers;
    generate.unverified = args.unverified;
    generate.offline = args.offline;
    generate.accept = args.accept;
    generate.format = args.format;
    generate.seed = shards.runs.iter().map(|run| run.base_seed).min().unwrap_or(generate.seed);
    // Shown while it runs; the job itself runs all there is.
    generate.step_limit =
        Some(shards.runs.iter().map(|run| run.found.sequences.size().1).sum::<u64>().max(1));
    Ok(*generate)
}

/// What is said before it starts.
pub fn announce(shards: &Shards, java: &str) {
    let sequences: u64 = shards.runs.iter().map(|run| run.found.sequences.size().0 as u64).sum();
    let (runs, sequences) = (plural(shards.runs.len() as u64, "run"), plural(sequences, "sequence"));
    message("merging", &format!("{runs} with {sequences} worth a test, on Java {java}"));
}

/// Gives failures the counts of all runs; and what is said in a failing test of how it was found.
pub fn how(shards: &Shards, outcome: &mut Outcome) -> String {
    outcome.failures.iter_mut().for_each(|failure| shards.recount(failure));
    let runs = plural(shards.runs.len() as u64, "run");
    format!("Found by: probat generate {} --shard, merged from {runs}", shards.words.join(" "))
}

/// The report of a merge: what was counted comes from the runs, and nothing in it depends on how fast the merge was.
pub fn complete(report: &mut Report, shards: &Shards, outcome: &Outcome) {
    let counts = shards.counts();
    report.totals = super::report::Totals {
        sequences: counts.sequences,
        steps: counts.steps,
        legal: counts.legal,
        threw: counts.threw,
        refused: counts.refused,
        stopped: counts.stopped,
        tainted: counts.tainted,
        states: shards.states(),
        calls_by_depth: counts.depths,
        jvms_started: counts.jvms_started,
        jvms_replaced: counts.jvms_replaced,
        jvms_died: counts.jvms_died,
        ..report.totals.clone()
    };
    if report.end != EndOfSearch::Interrupted {
        report.end = EndOfSearch::Merged;
    }
    let words = "not known of merged runs; more shards may".to_owned();
    report.more_time = MoreTime { helps: false, expected_branches: 0, barren_seconds: 0.0, words };
    report.command = format!("probat merge … --output {}, of the runs in the report", report.output);
    report.step_limit = counts.steps;
    report.resumed = 0;
    // Times differ from run to run, and the same merge gives the same bytes.
    report.seconds.clear();
    report.profile = None;
    report.failures.iter_mut().for_each(|failure| failure.after_seconds = 0.0);
    report.merged = Some(Merged {
        runs: shards.runs.iter().map(|run| merged_run(run, shards)).collect(),
        missing: missing(shards).iter().map(ToString::to_string).collect(),
        sequences: outcome.resumed,
        not_seen_again: shards
            .not_among(&outcome.failures)
            .iter()
            .map(|seen| describe(&seen.member))
            .collect(),
    });
}

fn merged_run(run: &Run, shards: &Shards) -> MergedRun {
    let words = shards.words.iter().map(|word| super::reproduce::quoted(word)).collect::<Vec<_>>().join(" ");
    MergedRun {
        shard: ShardChoice { index: run.index, of: run.of }.to_string(),
        seed: run.seed,
        step_limit: run.step_limit,
        sequences: run.counts.sequences,
        command: format!("probat generate {words} --seed {} --step-limit {}", run.seed, run.step_limit),
    }
}
