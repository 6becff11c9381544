//! What happened when a sequence ran.
//!
//! In: nothing. Out: [`Observation`] and its parts, as the supervisor hands them to the search.
//! Failing user code is an outcome like any other, never an error.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::name::ClassName;
use crate::sequence::StepId;
use crate::state::{StateHash, StoredState};
use crate::text::JavaString;

/// Index of an edge probe, the same in every worker of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ProbeId(pub u32);

/// What a step gave, as far as it can be shown without its heap.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Value {
    Void,
    Null,
    Boolean(bool),
    Byte(i8),
    Char(u16),
    Short(i16),
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
    /// At most the configured number of units, and how long it really is.
    String {
        text: JavaString,
        length: u32,
    },
    /// Run-time class in binary form (`java.util.ArrayList`).
    Object {
        class: ClassName,
    },
    /// Class as `[I` or `[Ljava/lang/String;`.
    Array {
        class: ClassName,
        length: u32,
    },
}

/// One stack frame.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Frame {
    pub class: ClassName,
    pub method: String,
    /// `None` where the class has no line numbers.
    pub line: Option<u32>,
}

/// An exception that left a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thrown {
    pub class: ClassName,
    pub message: Option<JavaString>,
    pub cause: Option<ClassName>,
    /// The innermost frames, at most the configured number.
    pub frames: Vec<Frame>,
}

/// Why a step was not run at all. Match without `_`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Refusal {
    /// Class, member or descriptor that this JVM does not know.
    Unresolved(String),
    /// The argument's run-time class is no subtype of the parameter's.
    ArgumentType { argument: u8, wanted: String, found: ClassName },
    /// `null` where a receiver or a primitive is needed.
    NullReceiver,
    /// An earlier step has no value because it threw.
    MissingArgument { argument: u8 },
    /// A stored state that cannot be rebuilt.
    CannotRestore(String),
    /// A stub that cannot be defined.
    CannotStub(String),
}

/// What one step did. Match without `_`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum StepOutcome {
    Returned(Value),
    Threw(Thrown),
    Refused(Refusal),
}

/// How a worker ended. Match without `_`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum DeathCause {
    /// Exit code of the process.
    Exited(i32),
    /// Signal number: a native crash, or the kernel.
    Signalled(i32),
    /// We killed it because it did not answer.
    Unresponsive(Duration),
    /// It closed or broke the pipe.
    Protocol(String),
}

/// How a sequence ended. Match without `_`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum End {
    /// Every step ran; with `past_exceptions` some may have thrown.
    Completed,
    /// Stopped at the first step that threw.
    Threw(StepId),
    /// Stopped at a step that could not be run.
    Refused(StepId),
    /// The step used up its limit and was stopped inside the JVM.
    TimedOut(StepId),
    /// Memory ran out or the stack overflowed: a result that depends on the machine.
    Exhausted(StepId),
    /// The worker died in this step, alone in its batch.
    Died { step: Option<StepId>, cause: DeathCause },
}

/// What the code under test tried that a test must not do. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum TaintKind {
    Exit,
    Process,
    FileWrite,
    Network,
    Threads,
    Stdin,
    NativeLibrary,
    Display,
    /// Never forbidden: it shows what else is on the machine, and whoever deletes all that lies in a folder begins so.
    Listing,
    /// Never forbidden either: whether a file is there, and what it is.
    Asking,
}

/// A forbidden attempt; its sequence is never extended nor emitted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Taint {
    pub step: StepId,
    pub kind: TaintKind,
    /// The path, host or method.
    pub detail: String,
}

/// What the code changed outside its objects, and that was put back as far as it can be. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Leak {
    SystemProperties,
    Locale,
    TimeZone,
    StandardStreams,
    SecurityProviders,
    Statics,
    ThreadLocals,
    Interrupt,
    /// It made, changed or deleted files that are no temporary files, listed such a folder, or asked for what may or may not be there.
    Files,
    /// It started threads.
    Threads,
}

impl Leak {
    /// Whether a test that does this makes others fail, leaves something behind or depends on when threads run. Static fields and thread-locals
    /// are no such thing: caches are made of them.
    pub fn outlasts_a_test(self) -> bool {
        match self {
            Leak::SystemProperties
            | Leak::Locale
            | Leak::TimeZone
            | Leak::StandardStreams
            | Leak::SecurityProviders
            | Leak::Interrupt
            | Leak::Files
            | Leak::Threads => true,
            Leak::Statics | Leak::ThreadLocals => false,
        }
    }
}

/// A contract of `java.lang.Object` or friends, or one of the user. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Contract {
    EqualsReflexive,
    EqualsNull,
    EqualsSymmetric,
    EqualsThrows,
    HashCodeThrows,
    HashCodeConsistent,
    EqualsHashCode,
    ToStringThrows,
    ToStringNull,
    CompareToReflexive,
    CompareToAntisymmetric,
    CompareToEquals,
    CloneThrows,
    CloneSame,
    CloneClass,
    CloneEquals,
    /// Of an iterator.
    IteratorNext,
    /// Of a new iterator of a collection.
    IterableNext,
    CollectionSize,
    CollectionEmpty,
    CollectionArray,
    CollectionIterator,
    MapSize,
    MapEmpty,
    NullPointer,
    AssertionError,
    /// Index in the list of the user's contracts of this run.
    User(u16),
}

/// Contracts that are switched off together. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ContractFamily {
    Equals,
    HashCode,
    ToString,
    CompareTo,
    Clone,
    Iterator,
    Collection,
    NullPointer,
    Assertion,
}

/// A contract seen broken on the values of these steps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Violation {
    pub contract: Contract,
    pub steps: Vec<StepId>,
    pub thrown: Option<Thrown>,
}

/// State of some values after a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateSeen {
    pub hash: StateHash,
    /// How many tokens it has.
    pub tokens: u32,
    /// Above the token limit: unlike every other state.
    pub truncated: bool,
    /// Kept whole, if that was asked for.
    pub stored: Option<StoredState>,
}

/// One side of a comparison. Match without `_`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Operand {
    /// An integer, or the bits of a double where the site compares floating numbers.
    Bits(i64),
    /// At most the configured number of units.
    Text(JavaString),
    Null,
    Object {
        class: ClassName,
    },
}

/// What was compared with what, at a place the search had asked about.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Compared {
    /// Number of the place, the same in every worker of a run.
    pub site: u32,
    pub left: Operand,
    pub right: Operand,
}

/// All that was seen of one sequence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    pub end: End,
    /// Outcomes of the steps asked for, in order, ending where the sequence ended.
    pub steps: Vec<(StepId, StepOutcome)>,
    /// Probes hit, ascending; empty if not asked for.
    pub edges: Vec<ProbeId>,
    /// In the order of the requests; `None` where the step was not reached.
    pub states: Vec<Option<StateSeen>>,
    pub violations: Vec<Violation>,
    pub taints: Vec<Taint>,
    pub leaks: Vec<Leak>,
    /// The first comparisons at the places asked for, each once.
    pub compared: Vec<Compared>,
    pub slow: Slow,
}

impl Observation {
    /// What became of a step, if it was reached and is reported.
    pub fn outcome(&self, step: StepId) -> Option<&StepOutcome> {
        let at = self.steps.binary_search_by_key(&step, |(step, _)| *step).ok()?;
        Some(&self.steps[at].1)
    }

    /// What a step gave.
    pub fn value(&self, step: StepId) -> Option<&Value> {
        match self.outcome(step)? {
            StepOutcome::Returned(value) => Some(value),
            StepOutcome::Threw(_) | StepOutcome::Refused(_) => None,
        }
    }

    /// What a step threw.
    pub fn thrown(&self, step: StepId) -> Option<&Thrown> {
        match self.outcome(step)? {
            StepOutcome::Threw(thrown) => Some(thrown),
            StepOutcome::Returned(_) | StepOutcome::Refused(_) => None,
        }
    }

    /// Whether a test can be made of the sequence: it tried nothing that is forbidden, and others do not notice that it ran.
    pub fn is_harmless(&self) -> bool {
        self.taints.is_empty() && self.outlasting().is_none()
    }

    /// Something that it leaves behind, if no test may.
    pub fn outlasting(&self) -> Option<Leak> {
        self.leaks.iter().copied().find(|leak| leak.outlasts_a_test())
    }
}

/// Whether a sequence took longer than its limit for that. How long it took is no part of what was seen: all are equal.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct Slow(pub bool);

impl PartialEq for Slow {
    fn eq(&self, _: &Slow) -> bool {
        true
    }
}
