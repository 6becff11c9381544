//! The worker's end of what the supervisor hands it.
//!
//! In: three descriptors at fixed numbers. Out: owned files at high private numbers, so that code under test which
//! writes to descriptor 1 or 2, or guesses at small numbers, cannot reach the protocol.

use std::fs::File;
use std::io;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use nix::libc;

use crate::heartbeat::HeartbeatWriter;
use crate::process::duplicate;

/// The worker reads batches here.
pub const DOWN: RawFd = 3;
/// The worker writes results here.
pub const UP: RawFd = 4;
/// Shared memory for the heartbeat.
pub const HEARTBEAT: RawFd = 5;

/// Where the private numbers begin.
const PRIVATE: RawFd = 700;

/// What a worker talks to its supervisor through.
#[derive(Debug)]
pub struct WorkerEnd {
    pub down: File,
    pub up: File,
    pub heartbeat: HeartbeatWriter,
}

/// Takes the descriptors over. To be called first of all in a worker; fails when they are not there and when called
/// twice. Descriptors that leaked in from whoever started probat are closed.
pub fn take() -> io::Result<WorkerEnd> {
    static TAKEN: AtomicBool = AtomicBool::new(false);
    if TAKEN.swap(true, Relaxed) {
        return Err(io::Error::other("the worker's descriptors are already taken"));
    }
    let [down, up, heartbeat] = [DOWN, UP, HEARTBEAT].map(own);
    let (down, up, heartbeat) = (down?, up?, heartbeat?);
    close_strays();
    Ok(WorkerEnd {
        down: File::from(to_private(down)?),
        up: File::from(to_private(up)?),
        heartbeat: HeartbeatWriter::from_descriptor(to_private(heartbeat)?)?,
    })
}

fn own(fd: RawFd) -> io::Result<OwnedFd> {
    // SAFETY: asks for the flags of a number; harmless whatever the number is.
    if unsafe { libc::fcntl(fd, libc::F_GETFD) } < 0 {
        return Err(io::Error::new(
            io::ErrorKind::NotFound,
            format!("descriptor {fd} is not open: a worker is started by probat itself, not by hand"),
        ));
    }
    // SAFETY: it is open, and by the contract of `take` (first of all, only once) nobody else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Moves a descriptor up; the low number is closed.
fn to_private(fd: OwnedFd) -> io::Result<OwnedFd> {
    // Where fewer descriptors are allowed than that, any number but the fixed ones will do.
    duplicate(&fd, PRIVATE).or_else(|_| duplicate(&fd, HEARTBEAT + 1))
}

fn close_strays() {
    let first = HEARTBEAT as u32 + 1;
    // SAFETY: a system call on integers. By the contract of `take` this process has opened nothing yet. Where the
    // kernel lacks the call, strays stay open, as in any program.
    unsafe { libc::syscall(libc::SYS_close_range, first, u32::MAX, 0) };
}

/// Ends the process at once: no destructors, no exit handlers, no waiting for threads of the JVM.
pub fn exit_now(code: i32) -> ! {
    // SAFETY: `_exit` has no precondition and does not return.
    unsafe { libc::_exit(code) }
}
