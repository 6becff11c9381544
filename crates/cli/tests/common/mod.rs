//! What end-to-end tests share: JVMs, the compiled corpus, sequences by name, and fleets of the real binary.
//!
//! In: the JVMs of this machine, the Java sources in `tests/corpus`. Out: observations of sequences run on them.
//! Judges nothing but one thing: that calm sequences give what they always give.

#![allow(dead_code, unused_imports, reason = "each test binary uses a part of this")]
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as expected")]

pub mod bed;
pub mod corpus;
pub mod jvms;
pub mod mix;
pub mod script;
pub mod survive;

pub use bed::Bed;
pub use script::{Arg, Script};
// Every test binary uses its own part of this.
#[allow(unused_imports)]
pub use survive::{Survived, survive, survive_in, survive_on};
