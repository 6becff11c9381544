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
mod alone;
mod blame;
mod budget;
mod change;
mod compile;
mod crash;
mod deadline;
mod deadly;
mod executor;
mod expect;
mod explain;
mod failing;
mod fickle;
mod finish;
mod former;
mod hunt;
mod job;
mod junit;
mod naming;
mod observers;
mod options;
mod outcome;
mod pace;
mod phase;
mod plain;
mod preview;
mod printed;
mod resident;
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
mod workers;
mod wrap_up;

pub use budget::Afterwards;
pub use compile::{CompileError, Compiler, Diagnostic, compile};
pub use executor::FleetExecutor;
pub use explain::{Dead, Illegal, NotWritten, Uncalled, Unreached, Why};
pub use failing::{failure_key, known_key, user_contract};
pub use finish::{Finish, Finished};
pub use former::{Broken, Former, FormerFile, test_class_of};
pub use hunt::{HuntEnd, HuntLimits, HuntProgress, Hunted, InFlight, Plateau, hunt};
pub use job::{Job, JobError, run};
pub use junit::{JUnitError, JUnitRun, Order, Verdict, run_junit};
pub use options::{Annotate, Java, JobOptions, Kinds, SeedSequence, TableUse};
pub use outcome::{ClassReport, FailureReport, OutFile, Outcome, Profile, Untested};
pub use phase::{Phase, Watch};
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
