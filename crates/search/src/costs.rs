//! Which operations make a sequence take long.
//!
//! In: the steps of sequences that ran, and whether each took long. Out: whether a sequence took long because of an operation that does so most of the
//! time. One measurement says little: classes are loaded, the machine is busy. What an operation is known for does not hang on single ones, so that
//! equal runs come to equal ends unless it always takes about as long as the limit.

use probat_model::{OperationTable, Step};

use crate::relevance::is_call;

/// Slow sequences that an operation was part of before it is known for it: more than there are workers that load classes, as a rule.
const PATIENCE: u32 = 6;

/// Of so many uses, all but one have to be slow.
const OF: u32 = 4;

/// How an operation fared.
#[derive(Debug, Clone, Copy, Default)]
struct Cost {
    uses: u32,
    slow: u32,
}

impl Cost {
    fn is_dear(self) -> bool {
        self.slow >= PATIENCE && self.slow * OF >= self.uses * (OF - 1)
    }
}

/// Counts by operation.
#[derive(Debug, Default)]
pub struct Costs {
    by_operation: Vec<Cost>,
}

impl Costs {
    /// Takes note of a sequence; whether it was slow, as sequences with one of its calls are.
    pub fn note(&mut self, table: &OperationTable, steps: &[Step], is_slow: bool) -> bool {
        if self.by_operation.len() < table.len() {
            self.by_operation.resize(table.len(), Cost::default());
        }
        let mut is_known = false;
        for (at, step) in steps.iter().enumerate() {
            let is_again = steps[..at].iter().any(|earlier| earlier.operation == step.operation);
            if is_again || !is_call(table.get(step.operation)) {
                continue;
            }
            let cost = &mut self.by_operation[step.operation.0 as usize];
            cost.uses += 1;
            cost.slow += u32::from(is_slow);
            is_known |= cost.is_dear();
        }
        is_slow && is_known
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probat_model::{ClassName, MethodDescriptor, Operation, OperationId};

    fn steps(operations: &[u32]) -> Vec<Step> {
        let step = |&id: &u32| Step { operation: OperationId(id), args: Default::default() };
        operations.iter().map(step).collect()
    }

    #[test]
    fn an_operation_is_known_by_what_it_mostly_does() {
        let mut table = OperationTable::new();
        for class in ["Dear", "Cheap"] {
            let descriptor = MethodDescriptor::parse("()V").unwrap();
            table.intern(Operation::Construct { class: ClassName::internal(class), descriptor });
        }
        let mut costs = Costs::default();
        let (both, cheap) = (steps(&[0, 1]), steps(&[1, 1]));
        for _ in 0..20 {
            assert!(!costs.note(&table, &cheap, false));
        }
        let first: Vec<bool> = (0..8).map(|_| costs.note(&table, &both, true)).collect();
        assert_eq!(first, [false, false, false, false, false, true, true, true], "the first say little");
        assert!(!costs.note(&table, &cheap, true), "it was something else");
        assert!(!costs.note(&table, &both, false), "not this time");
        assert!(costs.note(&table, &both, true));
        for _ in 0..9 {
            assert!(!costs.note(&table, &both, false));
        }
        assert!(!costs.note(&table, &both, true), "no longer");
    }
}
