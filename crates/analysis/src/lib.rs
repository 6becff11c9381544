//! What can be known of classes without running them.
//!
//! In: decoded classes. Out: hierarchy and members, control flow, call graph, field access, effects, literals.
//! Does no I/O and starts no JVM: classes come through a trait. Everything listed is in a fixed order.

pub mod cfg;
pub mod graph;
