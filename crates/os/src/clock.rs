//! CPU time of this process and of chosen threads.
//!
//! In: nothing, or the thread that asks. Out: [`Duration`]s of CPU time used. Wall time is `std::time::Instant`'s.

use std::io;
use std::time::Duration;

use nix::libc;
use nix::time::{ClockId, clock_gettime};

/// CPU time this process has used, all threads together.
pub fn process_cpu() -> Duration {
    clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).map(Duration::from).unwrap_or_default()
}

/// CPU time the calling thread has used.
pub fn thread_cpu() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map(Duration::from).unwrap_or_default()
}

/// CPU clock of one thread, readable from others: how a watchdog measures the thread it watches.
#[derive(Debug, Clone, Copy)]
pub struct ThreadCpuClock {
    clock: ClockId,
}

impl ThreadCpuClock {
    /// The clock of the calling thread.
    pub fn of_this_thread() -> io::Result<Self> {
        let mut clock: libc::clockid_t = 0;
        // SAFETY: takes no argument and cannot fail.
        let thread = unsafe { libc::pthread_self() };
        // SAFETY: the calling thread is alive, and `clock` is a valid place for the result.
        let error = unsafe { libc::pthread_getcpuclockid(thread, &mut clock) };
        match error {
            0 => Ok(ThreadCpuClock { clock: ClockId::from_raw(clock) }),
            code => Err(io::Error::from_raw_os_error(code)),
        }
    }

    /// CPU time the thread has used; `None` once it has ended.
    pub fn now(&self) -> Option<Duration> {
        clock_gettime(self.clock).ok().map(Duration::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn a_thread_is_measured_from_outside_until_it_ends() {
        let (send, receive) = mpsc::channel();
        let (finish, wait) = mpsc::channel::<()>();
        let worker = std::thread::spawn(move || {
            let target = thread_cpu() + Duration::from_millis(20);
            while thread_cpu() < target {
                std::hint::black_box(0u64);
            }
            send.send(ThreadCpuClock::of_this_thread().unwrap()).unwrap();
            let _ = wait.recv();
        });
        let clock = receive.recv().unwrap();
        let used = clock.now().unwrap();
        assert!(used >= Duration::from_millis(20), "{used:?}");
        assert!(process_cpu() >= used);
        drop(finish);
        worker.join().unwrap();
        assert_eq!(clock.now(), None);
    }
}
