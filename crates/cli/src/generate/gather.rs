//! From what a job found to the report.
//!
//! In: the job's outcome, what was seen of its growth, what became of the files. Out: [`Report`]. Decides nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use probat_generate::{
    DropReason, Dropped, Effort, HuntEnd, HuntProgress, Outcome, Phase, Simplification, Simplified,
    failure_key,
};
use probat_model::UserContract;
use probat_supervisor::describe;

use super::args::GenerateArgs;
use super::explain::explained;
use super::failures;
use super::known::Known;
use super::live::Live;
use super::missing::Missing;
use super::numbers::{plural, seconds};
use super::places::Places;
use super::report::{
    BrokenTest, ClassCovered, DroppedTest, EffortTaken, EndOfSearch, FailureFound, FailureShortened,
    FileWritten, Group, JavaUsed, LeftOutForSize, MissingDependency, MoreTime, PhaseTime, Report, SCHEMA,
    SearchProfile, SeedUsed, SimplificationFound, Totals,
};
use super::reproduce;
use super::subject::Subject;

/// All that a report is made of.
pub struct Facts<'a> {
    pub args: &'a GenerateArgs,
    pub subject: &'a Subject,
    pub outcome: &'a Outcome,
    pub live: &'a Live,
    pub places: &'a Places,
    pub known: &'a Known,
    pub contracts: &'a [UserContract],
    pub seeds: Vec<SeedUsed>,
    pub interrupted: bool,
    pub files: Vec<FileWritten>,
    pub broken: Option<Vec<BrokenTest>>,
}

/// Puts it together.
pub fn report(facts: Facts<'_>) -> Report {
    let Facts { args, subject, outcome, live, places, known, contracts, seeds, interrupted, files, broken } =
        facts;
    let end = end_of(outcome.end, interrupted);
    let step_limit = steps(outcome, live);
    Report {
        schema: SCHEMA,
        probat: env!("CARGO_PKG_VERSION"),
        what: args.what.clone(),
        java: JavaUsed {
            home: subject.jvm.home.display().to_string(),
            version: subject.jvm.version.text.clone(),
        },
        seed: args.seed,
        step_limit,
        command: reproduce::command(std::env::args().skip(1), args.seed, step_limit),
        end,
        more_time: more_time(end, live),
        verified: outcome.verified,
        errors_only: args.errors_only,
        junit: subject.junit.as_ref().map(|junit| junit.from),
        output: places.tests.display().to_string(),
        tests: outcome.files.iter().filter(|file| !file.fails).map(|file| file.tests).sum(),
        failing_output: places.failing.display().to_string(),
        failing_tests: outcome.files.iter().filter(|file| file.fails).map(|file| file.tests).sum(),
        totals: totals(outcome),
        classes: classes(outcome),
        failures: failures::all(&outcome.failures, contracts, known)
            .into_iter()
            .map(|found| FailureFound {
                after_seconds: rounded(live.time_of(found.after_steps)),
                source: source_of(&files, &found),
                ..found
            })
            .collect(),
        files,
        no_longer_pass: broken,
        untested: groups(outcome.untested.iter().map(|one| (one.reason.clone(), describe(&one.member)))),
        untestable: groups(
            outcome.untestable.iter().map(|one| (one.reason.to_string(), one.class.to_string())),
        ),
        skipped: skipped(outcome),
        dropped: outcome.dropped.iter().map(dropped).collect(),
        left_out: outcome.left_out,
        left_out_for_size: LeftOutForSize {
            tests: outcome.left_out_for_size.tests,
            branches: outcome.left_out_for_size.edges.len(),
        },
        resumed: outcome.resumed,
        shard: args.shard.map(|shard| shard.to_string()),
        merged: None,
        unstable: outcome.unstable.iter().map(describe).collect(),
        simplification: outcome.simplification.as_ref().map(simplification),
        printed: outcome.printed.clone(),
        seeds,
        explain: outcome.unreached.as_deref().map(explained),
        profile: Some(profile(&outcome.profile)),
        missing: subject.missing.iter().map(missing).collect(),
        seconds: outcome
            .times
            .iter()
            .map(|(phase, time)| PhaseTime { phase: name(*phase), seconds: rounded(*time) })
            .collect(),
    }
}

/// The program for a failure that ends the JVM.
fn source_of(files: &[FileWritten], found: &FailureFound) -> Option<String> {
    let shown = format!("{} {}", found.member, found.kind);
    files.iter().find(|file| file.shows.as_ref() == Some(&shown)).map(|file| file.path.clone())
}

fn simplification(of: &Simplification) -> SimplificationFound {
    let effort = |of: &Effort| EffortTaken { runs: of.runs, seconds: rounded(of.time) };
    let shortened = |one: &Simplified| FailureShortened {
        member: describe(&one.member),
        kind: failure_key(&one.kind),
        found: one.found,
        removed: one.removed,
        replaced: one.replaced,
        ddmin: one.ddmin,
    };
    SimplificationFound {
        failures: of.failures.iter().map(shortened).collect(),
        short: of.short,
        unrepeated: of.unrepeated,
        removal: effort(&of.removal),
        replacement: effort(&of.replacement),
        ddmin: effort(&of.ddmin),
    }
}

/// The step limit that repeats the run.
pub fn steps(outcome: &Outcome, live: &Live) -> u64 {
    live.last().map_or(outcome.totals.steps, |last| last.steps).max(1)
}

fn end_of(end: HuntEnd, interrupted: bool) -> EndOfSearch {
    match end {
        _ if interrupted => EndOfSearch::Interrupted,
        // Stopped without a signal: the clock did it.
        HuntEnd::Time | HuntEnd::Stopped => EndOfSearch::Time,
        HuntEnd::Steps => EndOfSearch::Steps,
        HuntEnd::Plateau => EndOfSearch::Plateau,
        HuntEnd::Exhausted => EndOfSearch::Exhausted,
    }
}

/// Below this share of what is covered, an estimated gain is not worth the time.
const WORTH: usize = 200;

fn more_time(end: EndOfSearch, live: &Live) -> MoreTime {
    let elapsed = live.last().map_or(Duration::ZERO, |last| last.elapsed);
    outlook(end, live.last(), live.growth().of_last_doubling(elapsed))
}

/// Whether more time would help, from where the search stood at its end and what the second half of it brought.
fn outlook(end: EndOfSearch, last: Option<&HuntProgress>, second_half: usize) -> MoreTime {
    let elapsed = last.map_or(Duration::ZERO, |last| last.elapsed);
    let barren = last.map_or(Duration::ZERO, |last| last.barren);
    let covered = last.map_or(0, |last| last.edges);
    let open = last.map(|last| (last.of_edges as usize).saturating_sub(last.edges));
    let expected_branches = second_half.min(open.unwrap_or(second_half));
    let helps = match end {
        _ if open == Some(0) && covered > 0 => false,
        EndOfSearch::Exhausted | EndOfSearch::Plateau | EndOfSearch::Merged => false,
        EndOfSearch::Time | EndOfSearch::Steps | EndOfSearch::Interrupted => {
            covered == 0 || expected_branches * WORTH > covered
        }
    };
    let nothing_new = format!("nothing new for {}", seconds(barren));
    let words = match (end, helps) {
        (EndOfSearch::Exhausted, _) => "no: every call that can be built was tried".into(),
        (_, false) if open == Some(0) && covered > 0 => "hardly: every branch was reached".into(),
        (EndOfSearch::Plateau, _) => format!("unlikely: {nothing_new} of {}", seconds(elapsed)),
        (_, false) if barren < Duration::from_secs(1) => "unlikely: little that was new came lately".into(),
        (_, false) => format!("unlikely: {nothing_new}, and few came before"),
        (_, true) if expected_branches == 0 => "yes: the search had hardly begun".into(),
        (_, true) => {
            let gain = plural(expected_branches as u64, "more branch");
            format!("yes: as much again would reach about {gain}")
        }
    };
    MoreTime { helps, expected_branches, barren_seconds: rounded(barren), words }
}

fn totals(outcome: &Outcome) -> Totals {
    let totals = &outcome.totals;
    Totals {
        sequences: totals.sequences,
        steps: totals.steps,
        legal: totals.legal,
        threw: totals.threw,
        refused: totals.refused,
        stopped: totals.stopped,
        tainted: totals.tainted,
        states: outcome.states,
        calls_by_depth: outcome.depths.clone(),
        branches_covered: outcome.classes.iter().map(|class| u64::from(class.covered)).sum(),
        branches_reached: outcome.classes.iter().map(|class| u64::from(class.reached)).sum(),
        branches: outcome.classes.iter().map(|class| u64::from(class.edges)).sum(),
        jvms_started: outcome.fleet.starts,
        jvms_replaced: outcome.fleet.spent_because.clone(),
        jvms_died: outcome.fleet.death_count,
    }
}

/// What there was no time for, most branches first.
fn skipped(outcome: &Outcome) -> Vec<String> {
    let mut all: Vec<_> = outcome.classes.iter().filter(|class| class.is_skipped).collect();
    all.sort_by_key(|class| (std::cmp::Reverse(class.edges), class.class.clone()));
    all.into_iter().map(|class| class.class.to_string()).collect()
}

/// By name; classes without branches say nothing.
fn classes(outcome: &Outcome) -> Vec<ClassCovered> {
    outcome
        .classes
        .iter()
        .filter(|class| class.edges > 0)
        .map(|class| ClassCovered {
            class: class.class.to_string(),
            branches_covered: class.covered,
            branches: class.edges,
        })
        .collect()
}

/// The largest group first.
pub fn groups(all: impl Iterator<Item = (String, String)>) -> Vec<Group> {
    let mut by_reason: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (reason, member) in all {
        by_reason.entry(reason).or_default().push(member);
    }
    let mut groups: Vec<Group> =
        by_reason.into_iter().map(|(reason, members)| Group { reason, members }).collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.members.len()));
    groups
}

fn dropped(one: &Dropped) -> DroppedTest {
    let reason = match one.reason {
        DropReason::Unprintable => "has no source form",
        DropReason::Uncompilable => "does not compile",
        DropReason::Unstable => "failed in a fresh JVM",
        DropReason::Unchecked => "not checked in time",
    };
    DroppedTest { test: one.test.clone(), reason, detail: one.detail.clone() }
}

fn missing(one: &Missing) -> MissingDependency {
    MissingDependency {
        class: one.class.to_string(),
        stops: one.stops.iter().map(ToString::to_string).collect(),
        named_by: one.named_by,
    }
}

/// Where the time of the search went.
fn profile(profile: &probat_generate::Profile) -> SearchProfile {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let most = profile.searched.as_secs_f64() * profile.workers.min(cores) as f64;
    let busy = profile.worker_cpu.as_secs_f64() / most.max(1e-3);
    SearchProfile {
        workers: profile.workers,
        seconds: rounded(profile.searched),
        waiting_seconds: rounded(profile.waited),
        own_cpu_seconds: rounded(profile.own_cpu),
        worker_cpu_seconds: rounded(profile.worker_cpu),
        idle_share: ((1.0 - busy).clamp(0.0, 1.0) * 100.0).round() / 100.0,
    }
}

fn name(phase: Phase) -> &'static str {
    match phase {
        Phase::Reading => "reading",
        Phase::Starting => "starting",
        Phase::Searching => "searching",
        Phase::Finishing => "finishing",
        Phase::Judging => "judging",
        Phase::Compiling => "compiling",
        Phase::Running => "running",
        Phase::Explaining => "explaining",
    }
}

fn rounded(time: Duration) -> f64 {
    (time.as_secs_f64() * 100.0).round() / 100.0
}

/// `3 tests for 2 classes`.
pub fn what_was_written(report: &Report) -> String {
    let tests = plural(report.tests as u64, "test");
    let passing = report.files.iter().filter(|file| !file.fails);
    let subjects: BTreeSet<&str> = passing.map(|file| file.class.as_str()).collect();
    let classes = plural(subjects.len() as u64, "class");
    format!("{tests} for {classes}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(end: EndOfSearch, edges: usize, of_edges: u32, second_half: usize, words: &str) {
        let last = HuntProgress {
            elapsed: Duration::from_secs(10),
            sequences: 900,
            steps: 4_000,
            legal: 800,
            states: 60,
            edges,
            of_edges,
            failures: 0,
            barren: Duration::from_secs(4),
        };
        assert_eq!(outlook(end, Some(&last), second_half).words, words);
        let just_now = HuntProgress { barren: Duration::ZERO, ..last };
        let words = outlook(end, Some(&just_now), second_half).words;
        assert!(!words.contains("0s,"), "{words}");
    }

    #[test]
    fn no_more_branches_are_promised_than_there_are() {
        let helps = "yes: as much again would reach about";
        check(EndOfSearch::Time, 40, 90, 20, &format!("{helps} 20 more branches"));
        check(EndOfSearch::Steps, 4, 5, 4, &format!("{helps} 1 more branch"));
        check(EndOfSearch::Steps, 7, 7, 3, "hardly: every branch was reached");
        check(EndOfSearch::Plateau, 7, 7, 0, "hardly: every branch was reached");
        check(EndOfSearch::Time, 900, 1_000, 1, "unlikely: nothing new for 4s, and few came before");
        check(EndOfSearch::Time, 0, 90, 0, "yes: the search had hardly begun");
    }
}
