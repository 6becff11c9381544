//! The fleet as the search sees it.
//!
//! In: items. Out: observations in order.

use probat_model::{Observation, OperationTable};
use probat_protocol::Item;
use probat_search::executor::Executor;
use probat_supervisor::{Fleet, FleetError};

/// Runs items on a fleet.
#[derive(Debug)]
pub struct FleetExecutor<'f>(pub &'f mut Fleet);

impl Executor for FleetExecutor<'_> {
    type Error = FleetError;

    fn run(&mut self, table: &OperationTable, items: Vec<Item>) -> Result<Vec<Observation>, FleetError> {
        if items.is_empty() { Ok(Vec::new()) } else { self.0.run(table, items) }
    }
}
