//! Bounded-exhaustive exploration by concrete states (spec 000 §2.3).
//!
//! In: a class, argument values, a bound. Out: every state that so many calls can reach, one shortest way to each, and every
//! call made on every state; as numbers, as a graph, as tests.
//! Runs nothing itself: it hands out items and takes observations, so it is tested without a JVM.
//!
//! - `pool`: argument values, by type or by parameter, as a user writes them.
//! - `plan`: the constructors and calls of a class with all their arguments.
//! - `explorer`: the breadth-first search; `nodes`: the states found; `choice`, `compare`: whether calls are run again or snapshots put back.
//! - `graph`, `svg`: the states as a picture. `tests`: the calls on them as tests.

mod choice;
mod compare;
mod explorer;
mod graph;
mod nodes;
mod plan;
mod pool;
mod svg;
mod tests;

pub use choice::{Bar, Chooser, Trial};
pub use explorer::{Batch, Broken, Exploration, Explorer, Level, Limit, Options, Progress, Strategy, Threw};
pub use graph::{Graph, GraphEdge, GraphNode, dot, graph};
pub use nodes::{NodeId, Nodes, Target};
pub use plan::{Action, Choices, MethodFilter, Plan, PlanError, Skipped, plan};
pub use pool::{Argument, Key, Pool, PoolError, Pools, default_values};
pub use svg::svg;
pub use tests::{ExploredTest, explored_tests};

#[cfg(test)]
mod search_tests;
