//! What to run: steps whose arguments are results of earlier steps.
//!
//! In: operations. Out: [`OperationTable`] and [`Sequence`], the latter checked against the former.
//! Never says how a sequence is chosen or run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::operation::{Operation, OperationId};

/// Position of a step in its sequence, and the name of its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct StepId(pub u16);

/// An operation whose arguments are results of earlier steps.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Step {
    pub operation: OperationId,
    pub args: SmallVec<[StepId; 4]>,
}

/// Steps in the order they run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Sequence {
    steps: Vec<Step>,
}

/// The longest sequence a [`StepId`] can address.
pub const MAX_STEPS: usize = u16::MAX as usize;

impl Sequence {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    pub fn len(&self) -> usize {
        self.steps.len()
    }

    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Appends a step and returns the name of its result.
    ///
    /// Refuses a wrong number of arguments, an argument that is no earlier step or has no result,
    /// and a sequence grown past [`MAX_STEPS`]. Types are the caller's duty; the worker checks them again.
    pub fn push(
        &mut self,
        table: &OperationTable,
        operation: OperationId,
        args: impl IntoIterator<Item = StepId>,
    ) -> Result<StepId, SequenceError> {
        let args: SmallVec<[StepId; 4]> = args.into_iter().collect();
        check_args(table, &self.steps, operation, &args)?;
        if self.steps.len() >= MAX_STEPS {
            return Err(SequenceError::TooLong);
        }
        let id = StepId(self.steps.len() as u16);
        self.steps.push(Step { operation, args });
        Ok(id)
    }

    /// Takes steps built elsewhere, after the checks [`push`](Self::push) makes.
    pub fn from_steps(table: &OperationTable, steps: Vec<Step>) -> Result<Self, SequenceError> {
        if steps.len() > MAX_STEPS {
            return Err(SequenceError::TooLong);
        }
        for (at, step) in steps.iter().enumerate() {
            check_args(table, &steps[..at], step.operation, &step.args)?;
        }
        Ok(Sequence { steps })
    }

    /// Appends all of `other`, renumbered; returns the offset added to its step ids.
    pub fn append(&mut self, other: &Sequence) -> Result<u16, SequenceError> {
        if self.steps.len() + other.steps.len() > MAX_STEPS {
            return Err(SequenceError::TooLong);
        }
        let offset = self.steps.len() as u16;
        self.steps.extend(other.steps.iter().map(|step| Step {
            operation: step.operation,
            args: step.args.iter().map(|arg| StepId(arg.0 + offset)).collect(),
        }));
        Ok(offset)
    }
}

fn check_args(
    table: &OperationTable,
    earlier: &[Step],
    operation: OperationId,
    args: &[StepId],
) -> Result<(), SequenceError> {
    let wanted = table.arity(operation);
    if args.len() != wanted {
        return Err(SequenceError::Arity { wanted, given: args.len() });
    }
    for &arg in args {
        let step = earlier.get(usize::from(arg.0)).ok_or(SequenceError::NotEarlier(arg))?;
        if !table.has_result(step.operation) {
            return Err(SequenceError::NoResult(arg));
        }
    }
    Ok(())
}

/// Why a step cannot be appended.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SequenceError {
    #[error("operation takes {wanted} arguments, {given} given")]
    Arity { wanted: usize, given: usize },
    #[error("argument {0:?} is no earlier step")]
    NotEarlier(StepId),
    #[error("argument {0:?} is a step without result")]
    NoResult(StepId),
    #[error("a sequence holds at most {MAX_STEPS} steps")]
    TooLong,
}

/// All operations known so far; ids never change and equal operations share one.
#[derive(Debug, Default, Clone)]
pub struct OperationTable {
    operations: Vec<Operation>,
    shapes: Vec<(u32, bool)>,
    ids: BTreeMap<Operation, OperationId>,
}

impl OperationTable {
    pub fn new() -> Self {
        Self::default()
    }

    /// The id of an operation, added if it is new.
    pub fn intern(&mut self, operation: Operation) -> OperationId {
        if let Some(&id) = self.ids.get(&operation) {
            return id;
        }
        let id =
            OperationId(u32::try_from(self.operations.len()).expect("fewer operations than bytes of memory"));
        self.shapes.push((operation.arity() as u32, operation.result().is_some()));
        self.operations.push(operation.clone());
        self.ids.insert(operation, id);
        id
    }

    pub fn get(&self, id: OperationId) -> &Operation {
        &self.operations[id.0 as usize]
    }

    pub fn arity(&self, id: OperationId) -> usize {
        self.shapes[id.0 as usize].0 as usize
    }

    pub fn has_result(&self, id: OperationId) -> bool {
        self.shapes[id.0 as usize].1
    }

    pub fn len(&self) -> usize {
        self.operations.len()
    }

    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// The operations added since there were `from` of them: what a worker has not been told yet.
    pub fn since(&self, from: usize) -> &[Operation] {
        &self.operations[from..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::name::{ClassName, MethodDescriptor};
    use crate::operation::Literal;

    fn table() -> (OperationTable, OperationId, OperationId, OperationId) {
        let mut table = OperationTable::new();
        let class = ClassName::internal("java/util/ArrayList");
        let five = table.intern(Operation::Literal(Literal::Int(5)));
        let new = table.intern(Operation::Construct {
            class: class.clone(),
            descriptor: MethodDescriptor::parse("(I)V").unwrap(),
        });
        let clear = table.intern(Operation::Call {
            class,
            name: "clear".into(),
            descriptor: MethodDescriptor::parse("()V").unwrap(),
            interface: false,
        });
        (table, five, new, clear)
    }

    #[test]
    fn arguments_are_results_of_earlier_steps() {
        let (table, five, new, clear) = table();
        let mut seq = Sequence::new();
        let n = seq.push(&table, five, []).unwrap();
        let list = seq.push(&table, new, [n]).unwrap();
        let cleared = seq.push(&table, clear, [list]).unwrap();
        assert_eq!(seq.push(&table, new, []), Err(SequenceError::Arity { wanted: 1, given: 0 }));
        assert_eq!(seq.push(&table, new, [StepId(9)]), Err(SequenceError::NotEarlier(StepId(9))));
        assert_eq!(seq.push(&table, clear, [cleared]), Err(SequenceError::NoResult(cleared)));
        assert_eq!(seq.len(), 3);
    }

    #[test]
    fn appending_renumbers() {
        let (table, five, new, _) = table();
        let mut one = Sequence::new();
        let n = one.push(&table, five, []).unwrap();
        one.push(&table, new, [n]).unwrap();
        let mut two = one.clone();
        assert_eq!(two.append(&one), Ok(2));
        assert_eq!(two.steps()[3].args.as_slice(), [StepId(2)]);
    }

    #[test]
    fn equal_operations_share_an_id() {
        let (mut table, five, ..) = table();
        assert_eq!(table.intern(Operation::Literal(Literal::Int(5))), five);
        assert_eq!(table.since(1).len(), 2);
    }
}
