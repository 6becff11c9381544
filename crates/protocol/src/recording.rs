//! Recording what test code does with the classes under test.
//!
//! In: which classes, which representations of states (spec 000 §2.2). Out: [`RecordingSpec`] down with the configuration, and
//! [`RecordEvent`]s in a file of the worker's scratch directory, since they outlive a worker that dies and may be many.

use std::io::{self, Read};

use probat_model::{ClassName, StateHash};
use serde::{Deserialize, Serialize};

use crate::message::{MessageError, decode_message, encode_message};

/// Name of the file in scratch.
pub const RECORDING_FILE: &str = "recording.probat";

/// What to record.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RecordingSpec {
    /// Classes whose methods report entry and exit, sorted by name.
    pub classes: Vec<RecordedClass>,
    /// The class through which JUnit's launcher tells of tests.
    pub listener: Option<Listener>,
    /// Represent states by sequences of calls, too.
    pub sequences: bool,
    /// Represent objects by the first that they equal, too.
    pub pairwise: bool,
    /// Represent objects by what their `equals` reads, too.
    pub monitor: bool,
    /// Tokens of states that are read for one test.
    pub tokens_per_test: u64,
    /// Note primitives and strings that are passed.
    pub arguments: bool,
}

/// A class under test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedClass {
    pub class: ClassName,
    /// Number of its first method; the others follow in class file order.
    pub first: u32,
    pub methods: Vec<RecordedMethod>,
    /// It or a class above it, other than `Object`, declares `equals(Object)`.
    pub has_equals: bool,
}

/// A method of a class under test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedMethod {
    /// As it stands in the class file, `<init>` for constructors.
    pub name: String,
    /// Static fields that decide what it does.
    pub statics: Vec<StaticField>,
}

/// A static field.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct StaticField {
    pub class: ClassName,
    pub name: String,
    pub descriptor: String,
}

/// Numbers of the listener's methods.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listener {
    pub class: ClassName,
    pub first: u32,
    pub started: u32,
    pub finished: u32,
    pub skipped: u32,
}

/// How a test ended. Match without `_`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum TestEnd {
    Passed,
    /// What was thrown.
    Failed(String),
    /// An assumption did not hold.
    Aborted(String),
    /// It was stopped because it used up its time.
    Stopped,
}

/// A call that test code made: what went in, in each representation asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CallSeen {
    pub method: u32,
    /// The rooted heap.
    pub whole_state: StateHash,
    pub whole_seq: Option<StateHash>,
    pub modifying_seq: Option<StateHash>,
    pub monitor_equals: Option<StateHash>,
    pub pairwise_equals: Option<StateHash>,
}

/// Something recorded, in the order it happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum RecordEvent {
    /// A test, or with `is_test` false a container of tests, begins.
    Started {
        id: String,
        name: String,
        is_test: bool,
    },
    /// The distinct calls of a test, in order of first occurrence, written when it ends.
    Calls {
        calls: Vec<CallSeen>,
        /// How many there were.
        all: u64,
        /// States too large to read, each unlike every other.
        large: u64,
        /// Later calls were not looked at any more, and stand for something no other test does.
        cut_off: bool,
        /// Calls on threads that are not recorded.
        elsewhere: u64,
        /// Methods that an exception left, and its class.
        threw: Vec<(u32, ClassName)>,
        /// Edges hit, if edges are probed.
        edges: Vec<u32>,
    },
    Finished {
        id: String,
        end: TestEnd,
    },
    Skipped {
        id: String,
        name: String,
        reason: String,
    },
    /// How a state in sequence form reads.
    Text {
        state: StateHash,
        text: String,
    },
    /// Two objects that break the contract of `equals`, as they read.
    Unequal {
        class: ClassName,
        rule: String,
        left: String,
        right: String,
    },
    /// A class whose objects stand for their whole states where `equals` was asked for.
    ByState {
        class: ClassName,
        reason: String,
    },
    /// Primitive values, strings and boxes that were passed: method, parameter, literal.
    Argument {
        method: u32,
        parameter: u32,
        literal: probat_model::Literal,
    },
}

/// One event as it stands in the file: its length, then its bytes.
pub fn encode_event(event: &RecordEvent, out: &mut Vec<u8>) {
    let bytes = encode_message(event);
    out.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    out.extend_from_slice(&bytes);
}

/// A file that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    #[error(transparent)]
    Read(#[from] io::Error),
    #[error(transparent)]
    Message(#[from] MessageError),
}

/// All whole events of a file; one cut off by the death of the worker is left out.
pub fn read_events(mut file: impl Read) -> Result<Vec<RecordEvent>, RecordingError> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let mut events = Vec::new();
    let mut rest = bytes.as_slice();
    while let Some((length, after)) = rest.split_first_chunk::<4>() {
        let length = u32::from_le_bytes(*length) as usize;
        let Some((event, after)) = after.split_at_checked(length) else { break };
        events.push(decode_message(event)?);
        rest = after;
    }
    Ok(events)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_read_back_up_to_the_cut() {
        let event = RecordEvent::Finished { id: "[a]".into(), end: TestEnd::Failed("x".into()) };
        let mut bytes = Vec::new();
        encode_event(&event, &mut bytes);
        encode_event(&event, &mut bytes);
        assert_eq!(read_events(bytes.as_slice()).unwrap(), [event.clone(), event.clone()]);
        bytes.pop();
        assert_eq!(read_events(bytes.as_slice()).unwrap(), [event]);
    }
}
