//! Pipes, waiting for several of them, and waking a thread that waits.
//!
//! In: descriptors. Out: which of them have something to read.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::eventfd::{EfdFlags, EventFd};
use nix::unistd::pipe2;

/// Both ends of a new pipe.
#[derive(Debug)]
pub struct Pipe {
    pub read: OwnedFd,
    pub write: OwnedFd,
}

/// Makes a pipe with a buffer of about `capacity` bytes, or the default where that much is not allowed.
pub fn pipe(capacity: usize) -> io::Result<Pipe> {
    let (read, write) = pipe2(OFlag::O_CLOEXEC)?;
    if let Ok(capacity) = i32::try_from(capacity) {
        // Only speed is lost when an unprivileged user has used up the pages allowed for pipes.
        let _ = fcntl(&write, FcntlArg::F_SETPIPE_SZ(capacity));
    }
    Ok(Pipe { read, write })
}

/// Waits until one of the descriptors can be read (or its other end is closed) or the time is over.
///
/// Returns which can; all `false` means the time is over.
pub fn wait_readable<const N: usize>(fds: [BorrowedFd<'_>; N], timeout: Duration) -> io::Result<[bool; N]> {
    let end = Instant::now() + timeout;
    let mut polled = fds.map(|fd| PollFd::new(fd, PollFlags::POLLIN));
    loop {
        let left = end.saturating_duration_since(Instant::now());
        // Rounded up, so that a wait for less than a millisecond is not a busy loop.
        let millis = left.as_micros().div_ceil(1000).min(i32::MAX as u128) as i32;
        let timeout = PollTimeout::try_from(millis).unwrap_or(PollTimeout::MAX);
        match poll(&mut polled, timeout) {
            Err(Errno::EINTR) => {}
            Err(e) => return Err(e.into()),
            Ok(_) => return Ok(polled.map(|fd| fd.revents().is_some_and(|events| !events.is_empty()))),
        }
    }
}

/// Wakes a thread that waits in [`wait_readable`]; stays readable until [`clear`](Self::clear).
#[derive(Debug)]
pub struct Waker {
    event: File,
}

impl Waker {
    pub fn new() -> io::Result<Self> {
        let event = EventFd::from_flags(EfdFlags::EFD_CLOEXEC | EfdFlags::EFD_NONBLOCK)?;
        Ok(Waker { event: File::from(OwnedFd::from(event)) })
    }

    pub fn wake(&self) {
        // Fails only when the counter is full, and then the waiter is awake anyway.
        let _ = (&self.event).write(&1u64.to_ne_bytes());
    }

    pub fn clear(&self) {
        // Fails only when there is nothing to clear.
        let _ = (&self.event).read(&mut [0; 8]);
    }
}

impl AsFd for Waker {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.event.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_readable_one_is_named() {
        let (quiet, loud) = (pipe(4096).unwrap(), pipe(4096).unwrap());
        let waker = Waker::new().unwrap();
        let ready =
            || wait_readable([quiet.read.as_fd(), loud.read.as_fd(), waker.as_fd()], Duration::ZERO).unwrap();
        assert_eq!(ready(), [false, false, false]);
        File::from(loud.write.try_clone().unwrap()).write_all(b"x").unwrap();
        assert_eq!(ready(), [false, true, false]);
        waker.wake();
        waker.wake();
        assert_eq!(ready(), [false, true, true]);
        waker.clear();
        assert_eq!(ready(), [false, true, false]);
    }

    #[test]
    fn a_closed_end_is_readable() {
        let Pipe { read, write } = pipe(4096).unwrap();
        drop(write);
        assert_eq!(wait_readable([read.as_fd()], Duration::from_secs(60)).unwrap(), [true]);
    }
}
