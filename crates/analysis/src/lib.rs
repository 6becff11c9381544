//! What can be known of classes without running them.
//!
//! In: decoded classes. Out: hierarchy and members, control flow, call graph, field access, effects, literals.
//! Does no I/O and starts no JVM: classes come through a trait. Everything listed is in a fixed order.

pub mod abstracts;
pub mod bits;
pub mod callgraph;
pub mod cfg;
pub mod decision;
pub mod declared;
pub mod dynamic;
pub mod effects;
pub mod fields;
pub mod flow;
pub mod graph;
mod heap;
pub mod hierarchy;
mod known;
pub mod links;
pub mod literals;
pub mod members;
pub mod nondeterminism;
pub mod places;
pub mod reach;
pub mod world;

pub use world::{
    Class, ClassId, ClassSource, Field, FieldId, Member, Method, MethodId, Presence, Symbol, World,
};
