//! Starts workers, feeds them, limits them, replaces them when they die, and finds out who killed them.
//!
//! In: sequences with what to observe of them ([`Item`](probat_protocol::Item)). Out: observations in submission order.
//! Holds no JVM and no unsafe code: whatever a worker does, this side survives it.

mod board;
mod config;
mod crash_log;
mod describe;
pub mod discovery;
mod fleet;
mod lane;
mod launch;
mod ledger;
mod probes;
mod scratch;
mod stats;
mod tail;
mod wire;

pub use config::{FleetConfig, WorkerCommand};
pub use describe::describe;
pub use fleet::{Fleet, FleetError, StartError, Ticket};
pub use probes::{ProbeTable, ProbedEdge, ProbedMethod, ProbedSite, SiteKind, plan_probes};
pub use scratch::ScratchError;
pub use stats::{Culprit, Death, FleetStats, MAX_DEATHS, Quarantined, in_words};
