//! What a worker is told when it starts, and what it answers.
//!
//! In: decisions of the supervisor. Out: one [`WorkerConfig`] frame down, one [`Hello`] or [`Farewell`] frame up.

use std::path::PathBuf;
use std::time::Duration;

use probat_model::{ClassName, ContractFamily, Leak, ProbeId, StepId, UserContract};
use serde::{Deserialize, Serialize};

/// Everything a worker needs before its first batch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkerConfig {
    pub libjvm: PathBuf,
    pub java_home: PathBuf,
    /// Extra options for the JVM, after ours.
    pub jvm_options: Vec<String>,
    pub class_path: Vec<PathBuf>,
    /// Run under `-Xcheck:jni`.
    pub check_jni: bool,
    /// Enable `assert` in the code under test.
    pub assertions: bool,
    pub limits: Limits,
    pub sandbox: SandboxSpec,
    pub instrumentation: Instrumentation,
    /// Classes initialised at start, in this order; edges of their initialisers credit no sequence.
    pub initialise: Vec<ClassName>,
    /// Which parts of a state are no state.
    pub rules: Vec<Rule>,
    /// Contracts of the user; violations name them by their place here.
    pub contracts: Vec<UserContract>,
    /// Contracts of ours that are not checked.
    pub unchecked: Vec<ContractFamily>,
    pub setting: Setting,
    /// What the code prints goes to the worker's own output; otherwise nowhere.
    pub prints: bool,
}

/// What the code under test finds around it that differs from JVM to JVM. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Setting {
    /// Always the same.
    #[default]
    Fixed,
    /// As fixed, and every sequence begins at the same moment of a day long ago.
    Still,
    /// As fixed, and other than that: `Set.of` is walked in another order, instrumented classes have members that a coverage tool adds, and every sequence
    /// has a time of its own.
    Other,
    /// As users have it: classes are on the JVM's own class path.
    User,
    /// The same years later; `Set.of` is walked in another order.
    Later,
}

/// Bounds on what one call or one worker may use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// CPU time one step may take.
    pub call_cpu: Duration,
    /// Wall time one step may take, however idle.
    pub call_wall: Duration,
    /// CPU time above which a sequence is reported as slow.
    pub slow: Duration,
    /// Wall time one step may take during which the whole JVM does nothing; none: as long as `call_wall`.
    pub call_idle: Option<Duration>,
    /// How long after a soft stop the worker ends itself.
    pub grace: Duration,
    pub heap_bytes: u64,
    pub direct_bytes: u64,
    pub metaspace_bytes: u64,
    pub stack_bytes: u64,
    /// Threads the code under test may have at once.
    pub threads: u32,
    /// Largest file it may write.
    pub file_bytes: u64,
    /// Units of a string value reported.
    pub string_units: u32,
    /// Frames of a stack trace reported.
    pub frames: u32,
    /// Tokens of a state before it counts as unlike every other.
    pub state_tokens: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            call_cpu: Duration::from_secs(1),
            call_wall: Duration::from_secs(3),
            slow: Duration::from_millis(200),
            call_idle: None,
            grace: Duration::from_millis(500),
            heap_bytes: 512 << 20,
            direct_bytes: 64 << 20,
            metaspace_bytes: 256 << 20,
            stack_bytes: 1 << 20,
            threads: 64,
            file_bytes: 64 << 20,
            string_units: 4096,
            frames: 16,
            state_tokens: 1 << 20,
        }
    }
}

/// What the worker may touch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SandboxSpec {
    /// Ask the kernel for Landlock and seccomp.
    pub kernel: bool,
    /// Where writing is allowed; also the worker's working directory.
    pub scratch: PathBuf,
}

/// What was really put in force. Every `Some` says why a part is missing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SandboxReport {
    /// Landlock ABI in force.
    pub landlock: Option<u32>,
    pub landlock_missing: Option<String>,
    pub seccomp: bool,
    pub seccomp_missing: Option<String>,
    /// Guards inside the JVM that are in force (exit, exec, files, network).
    pub guards: bool,
}

/// Which classes get probes, and where their ids begin.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Instrumentation {
    /// Length of the coverage map.
    pub probes: u32,
    /// Sorted by class.
    pub classes: Vec<ClassProbes>,
    /// How many places there are where values are compared; 0 where none are watched.
    pub sites: u32,
    /// Record calls that tests make.
    pub recording: Option<crate::recording::RecordingSpec>,
}

/// The probes of one class are `first..first + count`; its comparisons are numbered from `first_site` on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassProbes {
    pub class: ClassName,
    pub first: ProbeId,
    pub count: u32,
    /// The first of its places where values are compared.
    pub first_site: u32,
}

/// A named normalisation of states.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Rule {
    /// The field is left out; `class` `None` means in every class.
    IgnoreField { class: Option<ClassName>, field: String },
    /// Objects of this class and its subclasses are opaque.
    Opaque { class: ClassName },
    /// Hash tables are entries in canonical order where keys hash by identity.
    IdentityHashing,
}

impl Rule {
    /// The rules in force unless the user says otherwise.
    pub fn defaults() -> Vec<Rule> {
        crate::rules::defaults()
    }
}

/// A guard inside the JVM that this JVM has no method for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guard {
    pub method: String,
    pub reason: String,
}

/// First answer of a worker that stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// `java.runtime.version`.
    pub java_version: String,
    pub java_vendor: String,
    pub sandbox: SandboxReport,
    pub missing_guards: Vec<Guard>,
    /// Edges that initialising the listed classes hit.
    pub initial_edges: Vec<ProbeId>,
    /// Classes of the list that could not be initialised, and why.
    pub uninitialised: Vec<(ClassName, String)>,
    /// State that initialising classes changed and that is now the baseline.
    pub initial_leaks: Vec<Leak>,
}

/// Last words of a worker that ends itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Farewell {
    /// It could not start.
    CannotStart(String),
    /// A step did not end although it was stopped; item and step of the current batch.
    Stuck { item: u32, step: StepId },
    /// All results of its batches so far are sent, but this JVM is no longer as it was.
    Spent(String),
    /// It read a frame that makes no sense.
    Confused(String),
}
