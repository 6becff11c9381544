//! How a fleet is set up.
//!
//! In: choices of the caller. Out: [`FleetConfig`] with defaults that suit one machine.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use probat_protocol::WorkerConfig;

/// Which program a worker is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerCommand {
    pub program: PathBuf,
    pub args: Vec<OsString>,
    /// The whole environment of a worker.
    pub environment: Vec<(OsString, OsString)>,
}

/// Variables that would change what JVM, locale or display the code under test meets.
const FOREIGN: [&str; 7] = [
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "CLASSPATH",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "LC_ALL",
];

/// A JVM reads names of files in the encoding of its locale; classes may be named with any letters.
const LOCALE: (&str, &str) = ("LC_ALL", "C.UTF-8");

impl Default for WorkerCommand {
    /// This very program, with the hidden subcommand `worker`, in our environment less what would reach into the JVM.
    fn default() -> Self {
        let foreign = |name: &OsString| FOREIGN.iter().any(|foreign| name == foreign);
        WorkerCommand {
            // The running file itself, even if a newer one has taken its place on disk.
            program: "/proc/self/exe".into(),
            args: vec!["worker".into()],
            environment: std::env::vars_os()
                .filter(|(name, _)| !foreign(name))
                .chain([(LOCALE.0.into(), LOCALE.1.into())])
                .collect(),
        }
    }
}

/// Everything a [`Fleet`](crate::Fleet) is started with.
#[derive(Debug, Clone)]
pub struct FleetConfig {
    pub worker_command: WorkerCommand,
    /// Workers that have something to do at once.
    pub workers: usize,
    /// So many JVMs share the work in a fixed way, however many work at once, so that each runs the same items in the same order; `None`: as many as
    /// there are workers, and whoever is free takes the next.
    pub lanes: Option<usize>,
    /// Sent to every worker; its scratch directory is replaced by one of the fleet's own.
    pub config: WorkerConfig,
    /// Most items in a batch; small rounds use smaller batches so that all workers have some.
    pub batch_size: usize,
    /// Batches a worker may have waiting or unanswered at once.
    pub in_flight: usize,
    /// After how many deaths an operation is no longer run; `None` runs it for ever.
    pub quarantine_after: Option<u32>,
    /// How long a worker may take to stand without showing any progress.
    pub start_timeout: Duration,
    /// How long a busy worker may be silent beyond its own limits for a call before it is killed.
    pub margin: Duration,
    /// Bytes of what workers print that are kept, per worker.
    pub output_bytes: usize,
    /// Where the run's scratch directories are made; `None` means the system's place for temporary files.
    pub temp: Option<PathBuf>,
    /// When it becomes true, waiting for results ends with an error.
    pub stop: Option<&'static AtomicBool>,
}

impl FleetConfig {
    /// The defaults, with as many workers as this machine has cores.
    pub fn new(config: WorkerConfig) -> Self {
        FleetConfig {
            worker_command: WorkerCommand::default(),
            workers: std::thread::available_parallelism().map_or(1, usize::from),
            lanes: None,
            config,
            batch_size: 128,
            in_flight: 3,
            quarantine_after: Some(3),
            start_timeout: Duration::from_secs(60),
            margin: Duration::from_secs(2),
            output_bytes: 16 << 10,
            temp: None,
            stop: None,
        }
    }

    /// How long a busy worker may go without a beat.
    pub(crate) fn silence(&self) -> Duration {
        let limits = &self.config.limits;
        limits.call_wall.max(limits.call_cpu) + limits.grace + self.margin
    }
}
