//! Starts one worker process with its pipes and heartbeat in place.
//!
//! In: a [`WorkerCommand`]. Out: [`Launched`]. The calling thread must outlive the worker, which asks the kernel to die with it.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;

use probat_os::heartbeat::{Heartbeat, HeartbeatReader};
use probat_os::pipe::pipe;
use probat_os::process::{Child, Program, spawn};
use probat_os::worker_end::{DOWN, HEARTBEAT, UP};

use crate::config::WorkerCommand;

/// Room in the pipes for a few batches, so that neither side waits for the other to wake.
const PIPE_BYTES: usize = 1 << 20;
/// What the code under test prints needs no more room than any pipe has.
pub(crate) const OUTPUT_BYTES: usize = 64 << 10;

/// A process that runs, and our ends of what it holds.
#[derive(Debug)]
pub(crate) struct Launched {
    pub child: Child,
    pub down: File,
    pub up: File,
    /// Its descriptors 1 and 2.
    pub output: File,
    pub heartbeat: HeartbeatReader,
}

pub(crate) fn launch(command: &WorkerCommand) -> io::Result<Launched> {
    let (down, up, output) = (pipe(PIPE_BYTES)?, pipe(PIPE_BYTES)?, pipe(OUTPUT_BYTES)?);
    let memory = Heartbeat::create()?;
    let nothing = File::open("/dev/null")?;
    let child = spawn(&Program {
        path: &command.program,
        args: &command.args,
        environment: &command.environment,
        descriptors: &[
            (nothing.as_fd(), 0),
            (output.write.as_fd(), 1),
            (output.write.as_fd(), 2),
            (down.read.as_fd(), DOWN),
            (up.write.as_fd(), UP),
            (memory.as_fd(), HEARTBEAT),
        ],
    })?;
    // Our copies of the worker's ends close here, so that its death ends the pipes.
    Ok(Launched {
        child,
        down: down.write.into(),
        up: up.read.into(),
        output: output.read.into(),
        heartbeat: memory.reader(),
    })
}
