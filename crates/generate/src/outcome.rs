//! What came of a run.
//!
//! In: nothing. Out: [`Outcome`], text and numbers only: where files go and what is said of them is the caller's business.

use std::time::Duration;

use probat_model::{ClassName, Operation};
use probat_search::campaign::{Failure, FailureKind, Seeded, Totals};
use probat_search::relevance_table::RelevanceTable;
use probat_survey::Untestable;

use crate::explain::Unreached;
use crate::hunt::HuntEnd;
use crate::phase::Phase;
use crate::shard::Found;
use crate::simplify::Simplification;
use crate::size::LeftOut;
use crate::triage::{Doubt, Likelihood};
use crate::verify::Dropped;

/// A file to write.
#[derive(Debug, Clone)]
pub struct OutFile {
    pub subject: ClassName,
    /// Internal form, `com/acme`.
    pub package: String,
    /// Simple name of the test class, or of the test where each has a file.
    pub name: String,
    /// `java`, or `probat` for a script.
    pub extension: &'static str,
    pub source: String,
    pub tests: usize,
    /// Whether its tests fail.
    pub fails: bool,
    /// `member kind` of the failure it is a program for, if it is no test.
    pub shows: Option<String>,
}

/// How much of a class under test is covered.
#[derive(Debug, Clone)]
pub struct ClassReport {
    pub class: ClassName,
    /// By the tests handed out.
    pub covered: u32,
    /// By the search.
    pub reached: u32,
    pub edges: u32,
    /// Something in it can be called, and nothing was in the time given.
    pub is_skipped: bool,
}

/// A member no sequence called to the end.
#[derive(Debug, Clone)]
pub struct Untested {
    pub member: Operation,
    pub reason: String,
}

/// What went wrong in the code under test.
#[derive(Debug, Clone)]
pub struct FailureReport {
    pub member: Operation,
    pub failure: Failure,
    pub likelihood: Likelihood,
    /// What speaks against its being a bug.
    pub doubts: Vec<Doubt>,
    /// Other members and kinds of failure that have the same cause.
    pub also: Vec<(Operation, FailureKind)>,
    /// The calls in one line of source, if they have any.
    pub reproduction: Option<String>,
}

/// What came of a run.
#[derive(Debug)]
pub struct Outcome {
    pub files: Vec<OutFile>,
    pub classes: Vec<ClassReport>,
    /// One per cause, the strongest first.
    pub failures: Vec<FailureReport>,
    pub untestable: Vec<Untestable>,
    pub untested: Vec<Untested>,
    pub dropped: Vec<Dropped>,
    /// Tests that were found but never finished, for want of time.
    pub left_out: usize,
    /// Tests that add too little for their length.
    pub left_out_for_size: LeftOut,
    /// Sequences of an earlier run that were run again.
    pub resumed: usize,
    /// What was found, where it is to be merged.
    pub found: Option<Found>,
    /// Members whose tests behaved differently in a fresh JVM.
    pub unstable: Vec<Operation>,
    pub totals: Totals,
    pub states: usize,
    /// Members under test.
    pub members: usize,
    /// Calls executed, by how many calls came before them in their sequence.
    pub depths: Vec<u64>,
    /// The table of relevance, where one was to be made.
    pub relevance: Option<RelevanceTable>,
    /// How much shorter long failures got, where that was measured.
    pub simplification: Option<Simplification>,
    /// The last of what the code printed during the search, where that was asked for.
    pub printed: Option<String>,
    /// What became of the sequences of the user.
    pub seeded: Vec<Seeded>,
    pub end: HuntEnd,
    /// Whether the tests were compiled and run.
    pub verified: bool,
    /// How long each phase took.
    pub times: Vec<(Phase, Duration)>,
    pub fleet: probat_supervisor::FleetStats,
    /// Where the time of the search went.
    pub profile: Profile,
    /// Branches that no test takes, where they were to be explained.
    pub unreached: Option<Vec<Unreached>>,
}

/// Where the time of a search went.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Profile {
    /// By the clock.
    pub searched: Duration,
    /// Of that, how long the search waited for results.
    pub waited: Duration,
    /// CPU time of this process, pipes included, and of all workers, the start of their JVMs included.
    pub own_cpu: Duration,
    pub worker_cpu: Duration,
    pub workers: usize,
}
