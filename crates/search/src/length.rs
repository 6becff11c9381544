//! How long a sequence is as source.
//!
//! In: steps. Out: about how many lines a test of them takes, in parts of a line. Literals and lambdas are written where they are used;
//! a stand-in is written out method by method.

use probat_model::{Operation, OperationTable, Step};

/// Parts of a line.
pub const LINE: u32 = 4;

/// Lines that a method of a stand-in takes, with the blank line before the next.
const METHOD_LINES: u32 = 5;

/// The length of a sequence.
pub fn written(table: &OperationTable, steps: &[Step]) -> u32 {
    steps.iter().map(|step| of(table.get(step.operation))).sum()
}

fn of(operation: &Operation) -> u32 {
    match operation {
        Operation::Literal(_) => 1,
        Operation::Stub(spec) if spec.is_interface && spec.methods.len() == 1 => LINE,
        Operation::Stub(spec) => LINE * (2 + METHOD_LINES * spec.methods.len() as u32),
        _ => LINE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probat_model::{ClassName, Literal, MethodDescriptor, StubBehaviour, StubMethod, StubSpec};

    #[test]
    fn a_stand_in_is_as_long_as_its_methods() {
        let mut table = OperationTable::new();
        let method = |name: &str| StubMethod {
            name: name.into(),
            descriptor: MethodDescriptor::parse("()V").unwrap(),
            behaviour: StubBehaviour::Default,
        };
        let stub = |methods: Vec<StubMethod>| {
            Operation::Stub(StubSpec {
                of: ClassName::internal("p/I"),
                is_interface: true,
                constructor: None,
                captures: Vec::new(),
                methods,
            })
        };
        let mut length = |operation: Operation| {
            let operation = table.intern(operation);
            written(&table, &[Step { operation, args: Default::default() }])
        };
        let lambda = length(stub(vec![method("a")]));
        let class = length(stub(vec![method("a"), method("b")]));
        assert!(length(Operation::Literal(Literal::Int(1))) < lambda);
        assert!(10 * lambda < class, "{lambda} {class}");
    }
}
