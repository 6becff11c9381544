//! How everything that needs a JVM sees it.
//!
//! In: items. Out: observations, in the same order. The supervisor's fleet is one; tests bring their own.

use probat_model::{Observation, OperationTable};
use probat_protocol::Item;

/// Runs items.
pub trait Executor {
    type Error;

    /// One observation per item, in order.
    fn run(&mut self, table: &OperationTable, items: Vec<Item>) -> Result<Vec<Observation>, Self::Error>;
}
