//! Instrumentation: small passes that look at a method's code and collect insertions.
//!
//! In: a class and what to watch. Out: the class with inserted code that reports to `java/lang/$Probat`.
//! Every pass sees the code as it was read and adds to one list of [`Edits`], which is carried out at the end.
//! No pass adds a member to a class, so all of them also serve retransformation of loaded classes.

pub mod edges;
mod edit;
mod instrument;
mod member;

pub use edit::Edits;
pub use instrument::{InstrumentError, Instrumented, PassSet, instrument};
pub use member::{Member, Members, PROBAT, push_int};
