//! The vocabulary every part of probat speaks: names, operations, sequences, states and outcomes.
//!
//! Plain data with the checks that keep it consistent. No I/O, no JVM, no class files.

pub mod name;
pub mod operation;
pub mod outcome;
pub mod sequence;
pub mod state;
pub mod text;
pub mod tree;
pub mod user_contract;
pub mod word;

pub use name::{ClassName, DescriptorError, MethodDescriptor, Type};
pub use operation::{Literal, Operation, OperationId, StubBehaviour, StubMethod, StubSpec};
pub use outcome::{
    Compared, Contract, ContractFamily, DeathCause, End, Frame, Leak, Observation, Operand, ProbeId, Refusal,
    Slow, StateSeen, StepOutcome, Taint, TaintKind, Thrown, Value, Violation,
};
pub use sequence::{OperationTable, Sequence, SequenceError, Step, StepId};
pub use state::{ClassLayout, Slot, StateHash, StoredState};
pub use text::JavaString;
pub use user_contract::{JudgedCall, Judges, Target, UserContract};
