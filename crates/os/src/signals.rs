//! Ctrl-C for the command line, and faults for workers.
//!
//! In: SIGINT and SIGTERM. Out: a flag that says a stop is wanted; the second signal ends the process at once.
//! In a worker the handlers that Rust installs for stack overflow give way to the JVM's.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use nix::libc;
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};

static STOP: AtomicBool = AtomicBool::new(false);

/// Installs the handlers and returns the flag they set.
pub fn stop_flag() -> io::Result<&'static AtomicBool> {
    let action = SigAction::new(SigHandler::Handler(on_signal), SaFlags::SA_RESTART, SigSet::empty());
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        // SAFETY: the handler touches one atomic and calls `_exit`, both allowed in a signal handler.
        unsafe { sigaction(signal, &action) }?;
    }
    Ok(&STOP)
}

/// Takes back the handlers of memory faults that Rust's runtime installed.
///
/// A JVM that finds handlers passes faults of the code under test on to them, and they end the process without a word;
/// left alone with a fault, it writes a log that names the frame. To be called before the JVM is created.
pub fn release_faults() {
    let default = SigAction::new(SigHandler::SigDfl, SaFlags::empty(), SigSet::empty());
    for signal in [Signal::SIGSEGV, Signal::SIGBUS] {
        // SAFETY: the default action is no handler, so nothing of ours can run in one. Where it fails the handlers stay.
        let _ = unsafe { sigaction(signal, &default) };
    }
}

extern "C" fn on_signal(signal: libc::c_int) {
    if STOP.swap(true, Relaxed) {
        crate::exit_now(128 + signal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nix::sys::signal::raise;

    #[test]
    fn the_first_signal_only_sets_the_flag() {
        let flag = stop_flag().unwrap();
        assert!(!flag.load(Relaxed));
        raise(Signal::SIGTERM).unwrap();
        assert!(flag.load(Relaxed));
        flag.store(false, Relaxed);
    }
}
