//! Code that loops, exits, exhausts, crashes, floods and deletes, run by the real binary on real JVMs.
//!
//! Each case is one hostile sequence among calm ones in the same batch. It must end as said here, the culprit must be
//! named, and the calm sequences must give exactly what they give without it.

#![allow(clippy::unwrap_used, reason = "a test ends where something is not as expected")]

#[path = "../common/mod.rs"]
mod common;

mod exhausting;
mod exiting;
mod garbage;
mod initialisers;
mod judge;
mod killing;
mod looping;
mod objects;
mod outside;
mod shared_state;
mod streams;
mod threads;
