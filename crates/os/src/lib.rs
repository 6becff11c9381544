//! What probat needs of Linux, behind a small safe interface.
//!
//! In: plain requests (start this program, share this memory, forbid that). Out: owned handles and reports.
//! Knows nothing of JVMs, sequences or the protocol; decides no policy beyond the sandbox's list of calls.
//!
//! Order in a worker: [`worker_end::take`], [`limits`], [`sandbox::apply`], and only then the JVM, because the
//! restrictions bind the calling thread and the threads it starts.

pub mod clock;
pub mod disk;
pub mod heartbeat;
pub mod limits;
pub mod pipe;
pub mod process;
pub mod sandbox;
pub mod signals;
pub mod worker_end;

pub use worker_end::exit_now;
