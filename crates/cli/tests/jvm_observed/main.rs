//! What workers tell of code known by heart, on real JVMs: edges, states, stubs, and the same of all of them.

#![allow(clippy::unwrap_used, reason = "a test ends where something is not as expected")]

#[path = "../common/mod.rs"]
mod common;

mod edges;
mod greeting;
mod sameness;
mod smoke;
mod states;
mod stubs;
