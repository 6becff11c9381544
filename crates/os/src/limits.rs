//! Bounds the kernel keeps for a worker, and its ties to its parent.
//!
//! In: [`ProcessLimits`]. Out: the limits in force, or which could not be set.
//! Sets no limit on address space: a JVM reserves far more than it uses.

use std::io;
use std::time::Duration;

use nix::sys::prctl;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::signal::Signal;
use nix::unistd::{getuid, setsid};

/// Upper bounds for the calling process. No core file is ever written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessLimits {
    /// Largest file it may write.
    pub file_bytes: u64,
    /// Descriptors it may have open.
    pub open_files: u64,
    /// CPU time after which the kernel kills it, whatever it does; a last resort.
    pub cpu: Option<Duration>,
    /// Processes and threads of this user. Counted over the whole user, so it is left alone for root.
    pub processes: Option<u64>,
}

/// A limit that is not in force.
#[derive(Debug, thiserror::Error)]
#[error("cannot limit {what}")]
pub struct LimitError {
    pub what: &'static str,
    #[source]
    pub source: io::Error,
}

/// Sets the limits; those that cannot be set are returned, the others are in force.
pub fn apply(limits: &ProcessLimits) -> Vec<LimitError> {
    let mut wanted = vec![
        ("core files", Resource::RLIMIT_CORE, 0),
        ("the size of files", Resource::RLIMIT_FSIZE, limits.file_bytes),
        ("open files", Resource::RLIMIT_NOFILE, limits.open_files),
    ];
    if let Some(cpu) = limits.cpu {
        wanted.push(("CPU time", Resource::RLIMIT_CPU, cpu.as_secs().max(1)));
    }
    if let (Some(processes), false) = (limits.processes, getuid().is_root()) {
        wanted.push(("processes", Resource::RLIMIT_NPROC, processes));
    }
    wanted
        .into_iter()
        .filter_map(|(what, resource, limit)| {
            lower(resource, limit).err().map(|source| LimitError { what, source })
        })
        .collect()
}

/// Lowers both bounds; a hard bound that is lower already stays.
fn lower(resource: Resource, limit: u64) -> io::Result<()> {
    let (_, hard) = getrlimit(resource)?;
    let limit = limit.min(hard);
    Ok(setrlimit(resource, limit, limit)?)
}

/// Has the kernel kill this process when the thread that started it ends.
///
/// The tie is to the *thread*: a supervisor must start workers on a thread that outlives them.
pub fn die_with_parent() -> io::Result<()> {
    Ok(prctl::set_pdeathsig(Signal::SIGKILL)?)
}

/// Leaves the terminal's session, so that Ctrl-C reaches only the supervisor. Fine to call when already done.
pub fn new_session() {
    // Fails only for a process that already leads its group, which is the wanted state.
    let _ = setsid();
}

/// Makes this process the first the kernel ends when memory runs out.
pub fn first_to_go() -> io::Result<()> {
    std::fs::write("/proc/self/oom_score_adj", "1000")
}
