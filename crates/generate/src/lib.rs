//! The main job: from a class path to tests worth keeping.
//!
//! In: classes under test, a running [`Fleet`](probat_supervisor::Fleet), limits. Out: test classes that compiled and passed in fresh JVMs.
//!
//! ```text
//! survey ─▶ hunt (rounds against the clock) ─▶ finish (shorten, observe twice, assert) ─▶ source ─▶ javac ─▶ JUnit, twice ─▶ files
//! ```
//!
//! Technique lives in `search`, text in `emit`, processes in `supervisor`; this crate holds the clock and the order of things.

mod account;
mod blame;
mod change;
mod compile;
mod crash;
mod deadly;
mod executor;
mod expect;
mod explain;
mod failing;
mod fickle;
mod finish;
mod hunt;
mod job;
mod junit;
mod naming;
mod observers;
mod pace;
mod plain;
mod preview;
mod printed;
mod scripts;
mod shard;
mod simplify;
mod size;
mod split;
mod suite;
mod together;
mod triage;
mod unfinished;
mod verify;

pub use compile::{CompileError, Compiler, Diagnostic, compile};
pub use executor::FleetExecutor;
pub use explain::{Dead, Illegal, NotWritten, Uncalled, Unreached, Why};
pub use failing::{failure_key, known_key, user_contract};
pub use finish::{Finish, Finished};
pub use hunt::{HuntEnd, HuntLimits, HuntProgress, Hunted, InFlight, Plateau, hunt};
pub use job::{
    Annotate, ClassReport, FailureReport, Java, Job, JobError, JobOptions, Kinds, OutFile, Outcome, Phase,
    Profile, SeedSequence, TableUse, Untested, Watch, run,
};
pub use junit::{JUnitError, JUnitRun, Verdict, run_junit};
pub use plain::test_item;
pub use preview::FirstTest;
pub use probat_emit::contract_in_words;
pub use shard::{Counts, Found, Kind, Run, Seen, ShardError, Shards, code_of, shard_seed};
pub use simplify::{Effort, Simplification, Simplified};
pub use size::{LeftOut, Size};
pub use suite::{Purpose, SuiteFile, group};
pub use triage::{Doubt, Likelihood};
pub use unfinished::{Unfinished, UnfinishedError};
pub use verify::{DropReason, Dropped, Verification, VerifyError};
