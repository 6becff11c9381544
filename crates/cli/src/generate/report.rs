//! The result of a run as data.
//!
//! In: what the job found and what became of the files. Out: [`Report`], printed as JSON or turned into a summary. The guide
//! documents every key.

use std::collections::BTreeMap;

use serde::Serialize;

use super::compare::Difference;
use super::explain::Explained;

/// Raised when a key changes its meaning or goes away.
pub const SCHEMA: u32 = 1;

/// Everything worth knowing about a run.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    pub schema: u32,
    pub probat: &'static str,
    /// As given on the command line.
    pub what: Vec<String>,
    pub java: JavaUsed,
    pub seed: u64,
    /// With the seed, repeats this run.
    pub step_limit: u64,
    /// The command that repeats this run.
    pub command: String,
    pub end: EndOfSearch,
    pub more_time: MoreTime,
    /// Whether every test was compiled and passed twice.
    pub verified: bool,
    /// Whether only tests that fail were wanted.
    #[serde(skip)]
    pub errors_only: bool,
    /// Where JUnit came from.
    pub junit: Option<&'static str>,
    pub output: String,
    /// Tests that pass.
    pub tests: usize,
    /// Where tests are that fail because the code breaks a rule.
    pub failing_output: String,
    pub failing_tests: usize,
    pub totals: Totals,
    pub classes: Vec<ClassCovered>,
    pub files: Vec<FileWritten>,
    /// Tests of an earlier run that fail now; none of them were run again if it is null.
    pub no_longer_pass: Option<Vec<BrokenTest>>,
    pub failures: Vec<FailureFound>,
    /// Members no test calls, by reason.
    pub untested: Vec<Group>,
    /// Classes no test can call, by reason.
    pub untestable: Vec<Group>,
    /// Classes that were not tried in the time given.
    pub skipped: Vec<String>,
    pub dropped: Vec<DroppedTest>,
    /// Tests that were found but not finished, for want of time.
    pub left_out: usize,
    /// Tests that would add too little for their length, and what that is.
    pub left_out_for_size: LeftOutForSize,
    /// Members whose tests behaved differently in a fresh JVM and were dropped.
    pub unstable: Vec<String>,
    /// Sequences of a run that was killed, which this one began with.
    pub resumed: usize,
    /// Which of several runs it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shard: Option<String>,
    /// The runs it was merged from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merged: Option<Merged>,
    /// How much shorter long failures got.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simplification: Option<SimplificationFound>,
    /// The last of what the code printed, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub printed: Option<String>,
    /// Scripts the search began with.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub seeds: Vec<SeedUsed>,
    pub missing: Vec<MissingDependency>,
    pub seconds: Vec<PhaseTime>,
    pub profile: Option<SearchProfile>,
    /// Why branches were not reached, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<Explained>,
}

impl Report {
    /// Only failures were looked for, and there are none.
    pub fn is_clean(&self) -> bool {
        self.errors_only && self.failing_tests == 0 && self.failures.is_empty() && self.totals.sequences > 0
    }
}

/// Where the time of the search went.
#[derive(Debug, Clone, Serialize)]
pub struct SearchProfile {
    pub workers: usize,
    /// By the clock, and how much of it the search waited for workers.
    pub seconds: f64,
    pub waiting_seconds: f64,
    /// CPU time of probat itself, pipes included, and of the workers with the start of their JVMs.
    pub own_cpu_seconds: f64,
    pub worker_cpu_seconds: f64,
    /// Share of the cores that workers could have used and did not.
    pub idle_share: f64,
}

#[derive(Debug, Clone, Serialize)]
pub struct JavaUsed {
    pub home: String,
    pub version: String,
}

/// Why the search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum EndOfSearch {
    Time,
    Steps,
    Plateau,
    Exhausted,
    Interrupted,
    /// There was none: several runs were merged.
    Merged,
}

/// Whether more time would help.
#[derive(Debug, Clone, Serialize)]
pub struct MoreTime {
    pub helps: bool,
    /// Branches that as much time again would bring, estimated.
    pub expected_branches: usize,
    /// Seconds since the last new branch.
    pub barren_seconds: f64,
    pub words: String,
}

#[derive(Debug, Clone, Serialize)]
pub struct Totals {
    pub sequences: u64,
    pub steps: u64,
    pub legal: u64,
    pub threw: u64,
    pub refused: u64,
    pub stopped: u64,
    pub tainted: u64,
    pub states: usize,
    /// Calls that came first in their sequence, second, and so on; the last number counts all deeper ones.
    pub calls_by_depth: Vec<u64>,
    /// By the tests written.
    pub branches_covered: u64,
    /// By the search.
    pub branches_reached: u64,
    pub branches: u64,
    pub jvms_started: u64,
    /// Why JVMs were replaced although they had not died, and how often.
    pub jvms_replaced: BTreeMap<String, u64>,
    pub jvms_died: u64,
}

#[derive(Debug, Clone, Serialize)]
pub struct ClassCovered {
    pub class: String,
    pub branches_covered: u32,
    pub branches: u32,
}

/// A test of an earlier run that fails now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BrokenTest {
    pub class: String,
    pub test: String,
    /// The statement it stops at.
    pub was: Option<String>,
    /// What it says.
    pub says: String,
}

/// What became of one file.
#[derive(Debug, Clone, Serialize)]
pub struct FileWritten {
    pub path: String,
    pub class: String,
    pub tests: usize,
    /// Whether its tests fail.
    pub fails: bool,
    pub state: FileState,
    /// Against the file that was there.
    pub difference: Option<Difference>,
    /// `member kind` of the failure it is a program for.
    #[serde(skip)]
    pub shows: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileState {
    New,
    Unchanged,
    Replaced,
    /// Beside a file of ours that was edited.
    BesideEdited,
    /// Beside a file that is not ours.
    BesideForeign,
}

/// One failure per cause.
#[derive(Debug, Clone, Serialize)]
pub struct FailureFound {
    /// From 1, the strongest first.
    pub rank: usize,
    /// `likely`, `possible` or `unlikely` to be a bug.
    pub likelihood: &'static str,
    pub member: String,
    pub kind: &'static str,
    /// The contract of the user that was broken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contract: Option<String>,
    /// How it and those with the same cause are noted as known: members and kinds.
    #[serde(skip)]
    pub keys: Vec<(String, String)>,
    /// The rule that was broken.
    pub rule: String,
    /// Why it may be a bug.
    pub why: &'static str,
    /// What speaks against it.
    pub doubts: Vec<&'static str>,
    /// How often it was seen.
    pub times: u32,
    /// Steps executed when it was first seen, and the seconds of search that took.
    pub after_steps: u64,
    pub after_seconds: f64,
    /// Accepted before.
    pub known: bool,
    /// Broken rules and dead JVMs; time and memory can run out for good reason.
    pub is_suspect: bool,
    /// What was thrown, with its stack.
    pub thrown: Vec<String>,
    /// Other members it was seen through.
    pub also: Vec<String>,
    /// The calls in one line of Java.
    pub reproduction: Option<String>,
    /// A program that makes the calls, where they end the JVM.
    pub source: Option<String>,
}

/// What was merged.
#[derive(Debug, Clone, Serialize)]
pub struct Merged {
    pub runs: Vec<MergedRun>,
    /// Shards that were not there.
    pub missing: Vec<String>,
    /// Sequences of the shards that were run again.
    pub sequences: usize,
    /// Members with failures that a shard saw and the merge did not.
    pub not_seen_again: Vec<String>,
}

#[derive(Debug, Clone, Serialize)]
pub struct MergedRun {
    pub shard: String,
    pub seed: u64,
    pub step_limit: u64,
    pub sequences: u64,
    /// The command that repeats its search.
    pub command: String,
}

/// How much shorter long failures got, in calls.
#[derive(Debug, Clone, Serialize)]
pub struct SimplificationFound {
    pub failures: Vec<FailureShortened>,
    /// Failures of too few calls.
    pub short: usize,
    /// Failures that did not happen again.
    pub unrepeated: usize,
    pub removal: EffortTaken,
    pub replacement: EffortTaken,
    pub ddmin: EffortTaken,
}

/// Calls of one failure: as found, after removal, after replacement too, and after delta debugging instead.
#[derive(Debug, Clone, Serialize)]
pub struct FailureShortened {
    pub member: String,
    pub kind: &'static str,
    pub found: usize,
    pub removed: usize,
    pub replaced: usize,
    pub ddmin: usize,
}

#[derive(Debug, Clone, Serialize)]
pub struct EffortTaken {
    pub runs: usize,
    pub seconds: f64,
}

/// What became of a script the search began with.
#[derive(Debug, Clone, Serialize)]
pub struct SeedUsed {
    pub file: String,
    /// Objects of it that served as components.
    pub values: usize,
    /// Why there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// Things that share a reason.
#[derive(Debug, Clone, Serialize)]
pub struct Group {
    pub reason: String,
    pub members: Vec<String>,
}

#[derive(Debug, Clone, Serialize)]
pub struct DroppedTest {
    pub test: String,
    pub reason: &'static str,
    /// What the compiler or the test said.
    pub detail: String,
}

#[derive(Debug, Clone, Serialize)]
pub struct MissingDependency {
    pub class: String,
    /// Classes under test that cannot be loaded without it.
    pub stops: Vec<String>,
    pub named_by: usize,
}

#[derive(Debug, Clone, Serialize)]
pub struct PhaseTime {
    pub phase: &'static str,
    pub seconds: f64,
}

/// What is not written for its size.
#[derive(Debug, Clone, Serialize)]
pub struct LeftOutForSize {
    pub tests: usize,
    /// Branches that no test takes for it.
    pub branches: usize,
}
