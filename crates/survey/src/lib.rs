//! From class files to what a search can do.
//!
//! In: a [`World`](probat_analysis::World) of classes, the classes under test, where their probes are. Out: a
//! [`Catalogue`](probat_search::catalogue::Catalogue), the classes that cannot be tested and why, and the answers that printing
//! source needs ([`SourceScope`]). No I/O: classes come through the world's source.
//!
//! ```text
//! targets ─▶ callables, bodies ─▶ wanted types ─▶ helpers, factories, stand-ins ─▶ wanted types … until nothing new
//! ```

mod bodies;
mod clues;
pub mod contracts;
mod declared;
mod demand;
mod generics;
mod helpers;
mod home;
mod lineage;
mod scope;
mod stand;
mod survey;
mod wavering;

pub use clues::Clues;
pub use lineage::Lineage;
pub use scope::SourceScope;
pub use survey::{Probes, Survey, SurveyOptions, Untestable, survey};
