//! Generation of sequences: what to try next, what to keep of it.
//!
//! In: a [`Catalogue`](catalogue::Catalogue) of what can be called, and observations of what was run. Out: items to run, and the archive
//! of sequences worth a test. No I/O, no clock, no global randomness: a campaign is driven from outside, round by round, and the
//! same seed and the same observations give the same rounds.

pub mod archive;
pub mod assemble;
pub mod batch;
pub mod campaign;
pub mod catalogue;
mod costs;
pub mod ddmin;
pub mod distance;
mod earnings;
pub mod equality;
pub mod executor;
#[cfg(test)]
mod fake;
pub mod feedback;
mod habits;
pub mod homes;
pub mod length;
pub mod literals;
pub mod minimize;
pub mod novelty;
pub mod pairs;
pub mod pool;
pub mod relevance;
pub mod relevance_table;
pub mod replace;
pub mod rng;
pub mod schedule;
pub mod shrink;
pub mod spell;
pub mod stems;
pub mod store;
pub mod strategy;
pub mod substitute;
mod suspicion;
pub mod tally;
pub mod types;
pub mod visitor;
