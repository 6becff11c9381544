//! Where tests run: a JVM, the hostile corpus on its class path, low limits, the real binary as worker.

use std::path::PathBuf;
use std::time::Duration;

use probat_model::{Observation, OperationTable, StepId};
use probat_protocol::{Item, Limits, Rule, SandboxSpec, Setting, WorkerConfig};
use probat_supervisor::discovery::Jvm;
use probat_supervisor::{Fleet, FleetConfig, WorkerCommand};

use super::corpus::CORPUS;
use super::script::Script;

/// A configuration to change before the fleet starts, and the table of operations.
#[derive(Debug)]
pub struct Bed {
    pub jvm: &'static Jvm,
    pub config: FleetConfig,
    pub table: OperationTable,
}

/// Limits that keep tests short. CPU time does not depend on what else the machine does; wall time does, so it is short
/// only where a test is about it.
fn limits() -> Limits {
    Limits {
        call_cpu: Duration::from_millis(300),
        call_wall: Duration::from_secs(4),
        grace: Duration::from_millis(300),
        heap_bytes: 64 << 20,
        direct_bytes: 16 << 20,
        metaspace_bytes: 128 << 20,
        threads: 16,
        ..Limits::default()
    }
}

impl Bed {
    pub fn on(jvm: &'static Jvm) -> Bed {
        let worker = WorkerConfig {
            libjvm: jvm.libjvm.clone(),
            java_home: jvm.home.clone(),
            jvm_options: Vec::new(),
            class_path: vec![CORPUS.folder.clone()],
            check_jni: false,
            assertions: true,
            limits: limits(),
            sandbox: SandboxSpec { kernel: true, scratch: PathBuf::new() },
            instrumentation: CORPUS.probes.instrumentation.clone(),
            initialise: Vec::new(),
            rules: Rule::defaults(),
            contracts: Vec::new(),
            unchecked: Vec::new(),
            setting: Setting::Fixed,
            prints: false,
        };
        let command =
            WorkerCommand { program: env!("CARGO_BIN_EXE_probat").into(), ..WorkerCommand::default() };
        let config = FleetConfig { worker_command: command, workers: 1, ..FleetConfig::new(worker) };
        Bed { jvm, config, table: OperationTable::new() }
    }

    /// Calls that only wait are stopped soon.
    #[must_use]
    pub fn impatient(mut self) -> Bed {
        self.config.config.limits.call_wall = Duration::from_secs(1);
        self
    }

    /// Starts the fleet as configured.
    #[track_caller]
    pub fn start(&self) -> Fleet {
        Fleet::start(self.config.clone()).unwrap_or_else(|e| panic!("{}: {e}", self.jvm.home.display()))
    }

    /// Builds an item.
    pub fn item(&mut self, build: impl FnOnce(&mut Script<'_>) -> StepId) -> Item {
        let mut script = Script::new(&mut self.table);
        build(&mut script);
        script.item()
    }

    /// Runs items in a fleet of their own.
    #[track_caller]
    pub fn run(&self, items: Vec<Item>) -> Vec<Observation> {
        self.start().run(&self.table, items).unwrap()
    }

    /// The release of the JVM, for messages.
    pub fn label(&self) -> String {
        format!("Java {}", self.jvm.version.feature)
    }
}
