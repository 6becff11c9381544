//! Sequences by name.
//!
//! In: calls such as `Outside.deleteFile` of the corpus, with literals and earlier steps as arguments.
//! Out: [`Item`]s. Descriptors are looked up in the class files, so tests need not spell them.

use probat_model::{
    ClassName, Literal, MethodDescriptor, Operation, OperationTable, Sequence, StateHash, StepId,
    StoredState, Type,
};
use probat_protocol::{Item, Observe, Reset, StateRequest, Values};

use super::corpus::CORPUS;

/// An argument: a literal, or what an earlier step gave.
#[derive(Debug, Clone)]
pub enum Arg {
    Step(StepId),
    Literal(Literal),
}

impl From<StepId> for Arg {
    fn from(step: StepId) -> Self {
        Arg::Step(step)
    }
}

impl From<&str> for Arg {
    fn from(text: &str) -> Self {
        Arg::Literal(Literal::String(text.into()))
    }
}

impl From<i32> for Arg {
    fn from(value: i32) -> Self {
        Arg::Literal(Literal::Int(value))
    }
}

/// Builds one sequence.
#[derive(Debug)]
pub struct Script<'t> {
    pub table: &'t mut OperationTable,
    pub sequence: Sequence,
}

impl<'t> Script<'t> {
    pub fn new(table: &'t mut OperationTable) -> Self {
        Script { table, sequence: Sequence::new() }
    }

    /// Any operation.
    #[track_caller]
    pub fn op(&mut self, operation: Operation, args: &[Arg]) -> StepId {
        let args: Vec<StepId> = args
            .iter()
            .map(|arg| match arg {
                Arg::Step(step) => *step,
                Arg::Literal(literal) => self.op(Operation::Literal(literal.clone()), &[]),
            })
            .collect();
        let id = self.table.intern(operation);
        self.sequence.push(self.table, id, args).unwrap()
    }

    pub fn literal(&mut self, value: impl Into<Arg>) -> StepId {
        match value.into() {
            Arg::Step(step) => step,
            Arg::Literal(literal) => self.op(Operation::Literal(literal), &[]),
        }
    }

    pub fn null(&mut self, class: &str) -> StepId {
        self.op(Operation::Literal(Literal::Null(Type::class(class))), &[])
    }

    /// `Class.method(args)` of the corpus; a receiver is the first argument.
    #[track_caller]
    pub fn call(&mut self, method: &str, args: &[Arg]) -> StepId {
        let (class, name) = method.rsplit_once('.').unwrap();
        let declared = CORPUS.method(class, name, args.len());
        let (class, name, descriptor, interface) =
            (declared.class, name.into(), declared.descriptor, declared.interface);
        let operation = if declared.is_static {
            Operation::CallStatic { class, name, descriptor, interface }
        } else {
            Operation::Call { class, name, descriptor, interface }
        };
        self.op(operation, args)
    }

    /// `new Class(args)` of the corpus.
    #[track_caller]
    pub fn construct(&mut self, class: &str, args: &[Arg]) -> StepId {
        let declared = CORPUS.method(class, "<init>", args.len());
        self.op(Operation::Construct { class: declared.class, descriptor: declared.descriptor }, args)
    }

    /// `java/util/ArrayList.add(Ljava/lang/Object;)Z` or `java/util/ArrayList.<init>()V`.
    #[track_caller]
    pub fn jdk(&mut self, method: &str, args: &[Arg]) -> StepId {
        let (class, rest) = method.split_once('.').unwrap();
        let (name, descriptor) = rest.split_at(rest.find('(').unwrap());
        let descriptor = MethodDescriptor::parse(descriptor).unwrap();
        let class = ClassName::internal(class);
        let operation = if name == "<init>" {
            Operation::Construct { class, descriptor }
        } else if descriptor.params.len() == args.len() {
            Operation::CallStatic { class, name: name.into(), descriptor, interface: false }
        } else {
            Operation::Call { class, name: name.into(), descriptor, interface: false }
        };
        self.op(operation, args)
    }

    /// An object graph rebuilt.
    pub fn restore(&mut self, state: &StoredState) -> StepId {
        self.op(Operation::Restore(state.clone()), &[])
    }

    /// The item: every value and all edges reported, fields put back, stopping at an exception.
    pub fn item(self) -> Item {
        Item {
            sequence: self.sequence,
            observe: Observe { values: Values::All, edges: true, ..Observe::default() },
            reset: Reset::Fields,
            past_exceptions: false,
            ..Item::default()
        }
    }

    /// The item, with the state of some steps at its end.
    pub fn item_with_state(self, roots: &[StepId]) -> Item {
        let after = (self.sequence.len() - 1) as u16;
        let mut item = self.item();
        item.observe.states.push(StateRequest { after, roots: roots.to_vec(), stored: true });
        item
    }
}

/// The state an item asked for first.
#[track_caller]
pub fn first_state(seen: &probat_model::Observation) -> &StoredState {
    let state = seen.states.first().and_then(Option::as_ref).unwrap_or_else(|| panic!("no state: {seen:?}"));
    assert!(!state.truncated);
    state.stored.as_ref().unwrap()
}

/// The hash of the state an item asked for first.
#[track_caller]
pub fn first_hash(seen: &probat_model::Observation) -> StateHash {
    seen.states.first().and_then(Option::as_ref).unwrap_or_else(|| panic!("no state: {seen:?}")).hash
}
