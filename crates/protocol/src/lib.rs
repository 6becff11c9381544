//! Messages between the supervisor and its workers.
//!
//! Two pipes, one per direction, carry frames: length (4 bytes, little end first), kind (1 byte), payload.
//! What is sent once ([`WorkerConfig`], operations, [`Hello`], [`Farewell`]) is `postcard`; what is sent for every
//! sequence ([`batch`], [`results`]) has a flat encoding of its own that both sides handle without allocation.
//! A worker keeps no knowledge of the search: a batch carries whole sequences and what to observe of them.

pub mod batch;
pub mod config;
pub mod frame;
pub mod message;
pub mod recording;
pub mod results;
mod rules;
mod wire;

pub use batch::{BatchReader, Item, ItemBuffer, Observe, Reset, StateRequest, Values, encode_batch};
pub use config::{
    ClassProbes, Farewell, Guard, Hello, Instrumentation, Limits, Rule, SandboxReport, SandboxSpec, Setting,
    WorkerConfig,
};
pub use frame::{Frame, FrameError, FrameKind, read_frame, write_frame};
pub use message::{MessageError, decode_message, encode_message};
pub use recording::{
    CallSeen, Listener, RECORDING_FILE, RecordEvent, RecordedClass, RecordedMethod, RecordingError,
    RecordingSpec, StaticField, TestEnd, encode_event, read_events,
};
pub use results::{ResultWriter, decode_results};
pub use wire::WireError;
