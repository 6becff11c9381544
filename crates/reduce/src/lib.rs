//! What tests add to each other (spec 000 §2.2): assessment, minimal suite, selection, order.
//!
//! In: class files to plan a recording; the events of recorded runs. Out: for each representation of states, which tests make calls
//! that no other test makes. Runs nothing and reads no files.
//!
//! - `plan`: what to record. `suite`: tests with their calls, from events. `technique`: when two calls are equal.
//! - `judge`: assessment, minimal suite, selection, order.

mod judge;
mod plan;
mod source;
mod suite;
mod technique;

pub use judge::{Assessment, Minimal, Ranked, assess, minimise, prioritise, select};
pub use plan::{LISTENER, Planned, plan};
pub use source::{SourceMethod, Thinned, without_methods};
pub use suite::{Problem, ProblemKind, Selected, Suite, Test, UnequalPair, includes, selected};
pub use technique::{Execution, Technique};
