//! What end-to-end tests share: JVMs, the compiled corpus, sequences by name, and fleets of the real binary.
//!
//! In: the JVMs of this machine, the Java sources in `tests/corpus`. Out: observations of sequences run on them.
//! Judges nothing but one thing: that calm sequences give what they always give.

#![allow(dead_code, reason = "each test binary uses a part of this")]
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as expected")]

pub mod bed;
pub mod corpus;
pub mod jvms;
pub mod script;
pub mod survive;

pub use bed::Bed;
pub use script::{Arg, Script};
pub use survive::{Survived, survive, survive_on};
