//! How the JVMs of a run are set up.
//!
//! In: a job. Out: configurations of fleets: for the search, for a second look in other surroundings, for JUnit.

use std::path::PathBuf;
use std::time::Duration;

use probat_protocol::{Instrumentation, Limits, Rule, SandboxSpec, Setting, WorkerConfig};
use probat_supervisor::FleetConfig;

use crate::compile::PREVIEW;
use crate::job::Job;

/// JVMs that share a search that can be repeated. What a JVM has run before can show in what it runs next, so their number does not follow the machine.
const LANES: usize = 2;

/// CPU time above which a sequence is slow: a hundred times what ordinary ones take. Loading classes can take longer, so one says little.
const SLOW: Duration = Duration::from_millis(25);

/// The same where equal runs must be equal: what is near a limit falls on either side of it, and few sequences are near this one.
const SLOW_FOR_SURE: Duration = Duration::from_millis(200);

fn worker_config(job: &Job<'_>, instrumentation: &Instrumentation, jvm_options: &[&str]) -> WorkerConfig {
    WorkerConfig {
        libjvm: job.java.libjvm.clone(),
        java_home: job.java.home.clone(),
        jvm_options: jvm_options
            .iter()
            .copied()
            .chain(job.java.preview.then_some(PREVIEW))
            .map(str::to_owned)
            .collect(),
        class_path: job.class_path.clone(),
        check_jni: false,
        assertions: true,
        limits: Limits {
            slow: if is_repeatable(job) { SLOW_FOR_SURE } else { SLOW },
            ..job.options.limits.clone()
        },
        sandbox: SandboxSpec { kernel: job.options.kernel_sandbox, scratch: PathBuf::new() },
        instrumentation: instrumentation.clone(),
        initialise: Vec::new(),
        rules: Rule::defaults(),
        contracts: job.options.contracts.clone(),
        unchecked: job.options.unchecked.clone(),
        setting: Setting::Still,
        prints: job.options.show_output,
    }
}

/// Whether the same seed and steps must give the same files.
fn is_repeatable(job: &Job<'_>) -> bool {
    job.options.step_limit.is_some()
}

/// Where one JVM works at a time, a search against the clock shares its work in the same way, so that the command that is printed at its end repeats it.
/// With more, one would wait for calls of another that sleep, a third of the time on some libraries.
fn lanes(job: &Job<'_>) -> Option<usize> {
    (is_repeatable(job) || job.options.workers == 1).then_some(LANES)
}

/// Whether JVMs share the search in the same way each time.
pub(crate) fn shares_work_alike(job: &Job<'_>) -> bool {
    lanes(job).is_some()
}

pub(crate) fn fleet_config(job: &Job<'_>, instrumentation: &Instrumentation) -> FleetConfig {
    FleetConfig {
        workers: job.options.workers,
        lanes: lanes(job),
        worker_command: job.worker_command.clone(),
        ..FleetConfig::new(worker_config(job, instrumentation, &[]))
    }
}

/// Another time zone and language, other hash codes and members, and no history: what behaves differently here is not asserted.
pub(crate) fn second_config(job: &Job<'_>, instrumentation: &Instrumentation) -> FleetConfig {
    // Far east of us, by no whole number of hours, and, when tests are checked, far west: it is another day there, and another minute; both have a summer time, at opposite ends of
    // the year. Turkish has its own capital letters; with it come digits that are not ours.
    let other = [
        "-Duser.timezone=Pacific/Chatham",
        "-Duser.language=tr",
        "-Duser.country=TR",
        "-Duser.extensions=u-nu-arab",
        // Hash codes of objects that have none of their own: one after the other, where they are random elsewhere.
        "-XX:+UnlockExperimentalVMOptions",
        "-XX:hashCode=3",
    ];
    let config = WorkerConfig { setting: Setting::Other, ..worker_config(job, instrumentation, &other) };
    FleetConfig {
        workers: job.options.workers.min(2),
        lanes: lanes(job),
        worker_command: job.worker_command.clone(),
        ..FleetConfig::new(config)
    }
}

/// How JVMs that run tests make hash codes for objects that have none of their own. Where those decide what a test comes to, each more is one
/// more chance to see it. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hashes {
    /// As a JVM does by itself, and all the same.
    Usual,
    /// By chance, and by where objects lie.
    Others,
}

impl Hashes {
    /// How a JVM is told, the one that is as usual and the other.
    fn options(self, other: bool) -> &'static [&'static str] {
        match (self, other) {
            (Hashes::Usual, false) => &[],
            (Hashes::Usual, true) => &["-XX:+UnlockExperimentalVMOptions", "-XX:hashCode=2"],
            (Hashes::Others, false) => &["-XX:+UnlockExperimentalVMOptions", "-XX:hashCode=0"],
            (Hashes::Others, true) => &["-XX:+UnlockExperimentalVMOptions", "-XX:hashCode=1"],
        }
    }
}

/// Configuration of a worker that hosts the JUnit launcher.
pub(crate) fn junit_config(job: &Job<'_>, tests: PathBuf, other: bool, hashes: Hashes) -> FleetConfig {
    // One is told nothing of a display, as usual, the other that there is one.
    let options: &[&str] = if other {
        &[
            "-Duser.timezone=America/Adak",
            // A language into which the JDK and many libraries are translated.
            "-Duser.language=de",
            "-Duser.country=DE",
            "-Djava.awt.headless=false",
            // Users without a home folder have one that is not there.
            "-Duser.home=/nonexistent",
            // What is only weakly or softly reachable goes soon.
            "-XX:-UseSerialGC",
            "-XX:+UseParallelGC",
            "-XX:MaxNewSize=4m",
            "-XX:SoftRefLRUPolicyMSPerMB=0",
        ]
    } else {
        &[]
    };
    let options = [options, hashes.options(other)].concat();
    let mut config = worker_config(job, &Instrumentation::default(), &options);
    config.setting = if other { Setting::Later } else { Setting::User };
    // Some launchers enable assertions, others do not.
    config.assertions = !other;
    config.class_path =
        std::iter::once(tests).chain(config.class_path).chain(job.junit.iter().cloned()).collect();
    tool_config(job, config)
}

/// Configuration of a worker that hosts the compiler, which is part of the JDK.
pub(crate) fn compiler_config(job: &Job<'_>) -> FleetConfig {
    let mut config = worker_config(job, &Instrumentation::default(), &[]);
    config.setting = Setting::User;
    config.class_path = Vec::new();
    tool_config(job, config)
}

/// Calls of tools take their time.
fn tool_config(job: &Job<'_>, mut config: WorkerConfig) -> FleetConfig {
    let patience = Duration::from_secs(300);
    config.limits =
        Limits { call_cpu: patience, call_wall: patience, heap_bytes: 1 << 30, ..Limits::default() };
    FleetConfig { workers: 1, worker_command: job.worker_command.clone(), ..FleetConfig::new(config) }
}
