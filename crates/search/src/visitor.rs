//! Who watches a search without taking part in it (spec 001 §2.15, row 35).
//!
//! In: every sequence the search runs, and what was seen of it. Out: lines of comment for written tests. A visitor decides nothing: with or
//! without it the search is the same. To add one, implement [`Visitor`] and hand it to [`Campaign::visit`](crate::campaign::Campaign::visit).

use probat_model::{Observation, Operation, OperationId, OperationTable, Step, StepId, StepOutcome};
use rustc_hash::FxHashMap;

/// Watches sequences run.
pub trait Visitor {
    /// A sequence is about to be run. A limit may still keep it from that.
    fn before(&mut self, table: &OperationTable, steps: &[Step]);

    /// A sequence was run. Told in the order the search learns from them, whatever the number of workers.
    fn after(&mut self, table: &OperationTable, steps: &[Step], seen: &Observation);

    /// Lines to write above a test of these steps, without slashes.
    fn remarks(&self, table: &OperationTable, steps: &[Step]) -> Vec<String>;
}

/// Counts calls: how often the search made the last call of a test, and how often that threw.
#[derive(Debug, Default)]
pub struct CallCounter {
    counts: FxHashMap<OperationId, Count>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Count {
    calls: u64,
    threw: u64,
}

impl Visitor for CallCounter {
    fn before(&mut self, _: &OperationTable, _: &[Step]) {}

    fn after(&mut self, table: &OperationTable, steps: &[Step], seen: &Observation) {
        for (at, outcome) in &seen.steps {
            let Some(step) = steps.get(usize::from(at.0)) else { continue };
            if called(table, steps, *at).is_none() {
                continue;
            }
            let count = self.counts.entry(step.operation).or_default();
            match outcome {
                StepOutcome::Returned(_) => count.calls += 1,
                StepOutcome::Threw(_) => {
                    count.calls += 1;
                    count.threw += 1;
                }
                StepOutcome::Refused(_) => {}
            }
        }
    }

    fn remarks(&self, table: &OperationTable, steps: &[Step]) -> Vec<String> {
        let last = (0..steps.len()).rev().find_map(|at| called(table, steps, StepId(at as u16)));
        let Some((operation, name)) = last else { return Vec::new() };
        let Some(Count { calls, threw }) = self.counts.get(&operation).copied() else { return Vec::new() };
        let times = |count: u64| if count == 1 { "1 time".to_owned() } else { format!("{count} times") };
        let threw = if threw == 0 { "never threw".to_owned() } else { format!("threw {}", times(threw)) };
        vec![format!("{name} was called {} in the search and {threw}.", times(calls))]
    }
}

/// The call a step is, and its name.
fn called(table: &OperationTable, steps: &[Step], at: StepId) -> Option<(OperationId, String)> {
    let operation = steps.get(usize::from(at.0))?.operation;
    match table.get(operation) {
        Operation::Call { name, .. } | Operation::CallStatic { name, .. } => Some((operation, name.clone())),
        Operation::Construct { class, .. } => Some((operation, format!("new {class}"))),
        _ => None,
    }
}
