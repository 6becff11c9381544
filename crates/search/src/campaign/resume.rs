//! Sequences that an earlier search found worth keeping.
//!
//! In: sequences, each with the call it is there for. Out: candidates that are run before others are drawn, and judged like any.

use probat_model::{Operation, OperationTable, Step};

use super::{Campaign, Draft, key};

impl Campaign<'_> {
    /// Has a sequence run again that ends with a call under test; false if there is no such call any more.
    pub fn resume(&mut self, table: &OperationTable, call: &Operation, steps: &[Step]) -> bool {
        let operation = self.catalogue.operations.intern(call.clone());
        let Some(callable) = self.catalogue.under_test(operation).filter(|_| !steps.is_empty()) else {
            return false;
        };
        let steps = self.adopted(table, steps);
        if self.run.insert(key(&steps)) {
            let candidate = self.given(callable, steps);
            self.resumed.push_back(candidate);
        }
        true
    }

    /// What is to be run again, as much as there is room for.
    pub(super) fn draw_resumed(&mut self, drawn: &mut Vec<Draft>, size: usize) {
        while drawn.len() < size
            && let Some(candidate) = self.resumed.pop_front()
        {
            drawn.push(Draft::Try(self.with_interests(candidate)));
        }
    }
}
