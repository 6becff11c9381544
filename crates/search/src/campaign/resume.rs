//! Sequences that an earlier search found worth keeping.
//!
//! In: sequences, each with the call it is there for. Out: candidates that are run before others are drawn, and judged like any.

use probat_model::{Operation, OperationTable, Step, Type};
use smallvec::SmallVec;

use super::{Campaign, Draft, key};
use crate::assemble::Candidate;
use crate::catalogue::CallableId;

impl Campaign<'_> {
    /// Has a sequence run again that ends with a call under test; false if there is no such call any more.
    pub fn resume(&mut self, table: &OperationTable, call: &Operation, steps: &[Step]) -> bool {
        let Some(callable) = self.called(call) else { return false };
        let steps: Vec<Step> = steps
            .iter()
            .map(|step| Step {
                operation: self.catalogue.operations.intern(table.get(step.operation).clone()),
                args: step.args.clone(),
            })
            .collect();
        let gives_object = |step: &Step| {
            let result = self.catalogue.operations.get(step.operation).result();
            result.as_ref().is_some_and(Type::is_reference)
        };
        let Some(last) = steps.len().checked_sub(1) else { return false };
        let touched: SmallVec<[u16; 6]> =
            (0..steps.len()).filter(|&at| gives_object(&steps[at])).map(|at| at as u16).collect();
        if self.run.insert(key(&steps)) {
            self.resumed.push_back(Candidate {
                callable,
                parts: SmallVec::new(),
                tail: 0,
                call: last as u16,
                steps,
                touched,
                attempt: None,
                sites: Vec::new(),
                substituted: false,
            });
        }
        true
    }

    /// What is to be run again, as much as there is room for.
    pub(super) fn draw_resumed(&mut self, drawn: &mut Vec<Draft>, size: usize) {
        while drawn.len() < size
            && let Some(candidate) = self.resumed.pop_front()
        {
            drawn.push(Draft::Try(self.with_sites(candidate)));
        }
    }

    fn called(&self, call: &Operation) -> Option<CallableId> {
        let callables = self.catalogue.callables.iter().enumerate();
        let found = callables
            .filter(|(_, callable)| callable.owner.is_some())
            .find(|(_, callable)| self.catalogue.operations.get(callable.operation) == call)?;
        Some(CallableId(found.0 as u32))
    }
}
