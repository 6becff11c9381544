//! Instrumentation: small passes that look at a method's code and collect insertions.
//!
//! In: a class and what to watch. Out: the class with inserted code that reports to `java/lang/$Probat`.
//! Every pass sees the code as it was read and adds to one list of [`Edits`], which is carried out at the end.
//! No pass adds a member to a class, so all of them also serve retransformation of loaded classes.

mod arrays;
pub mod comparisons;
mod constructor;
mod context;
pub mod edges;
mod edit;
mod entry_exit;
pub mod fields;
mod flow;
pub mod guards;
mod instrument;
mod member;
mod outermost;
mod reads;
mod statics;

pub use context::PassError;
pub use edit::Edits;
pub use instrument::{InstrumentError, Instrumented, PassSet, instrument};
pub use member::{Member, Members, PROBAT, push_int};
pub use outermost::Outermost;
pub use statics::DIRTY_STATICS;

#[cfg(test)]
mod tests;
