//! A worker process and its supervisor's end of the pipes, for tests.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

use probat_model::{
    ClassName, Literal, MethodDescriptor, Observation, Operation, OperationTable, Sequence, StepId, Type,
};
use probat_os::heartbeat::Heartbeat;
use probat_os::pipe::pipe;
use probat_os::process::{Child, ExitStatus, Program, spawn};
use probat_os::worker_end::{DOWN, HEARTBEAT, UP};
use probat_protocol::{
    Farewell, FrameKind, Hello, Instrumentation, Item, Limits, Observe, Reset, Rule, SandboxSpec, Setting,
    StateRequest, Values, WorkerConfig, decode_message, decode_results, encode_batch, encode_message,
    read_frame, write_frame,
};

/// The word that makes this executable a worker.
pub const WORKER: &str = "--worker";

/// Where a case runs: a JVM, compiled fixtures, a mode.
#[derive(Debug)]
pub struct Bed {
    /// `java-17.0.15` and the like.
    pub label: String,
    pub home: PathBuf,
    pub library: PathBuf,
    pub classes: PathBuf,
    pub strict: bool,
}

impl Bed {
    pub fn config(&self, scratch: &Path) -> WorkerConfig {
        WorkerConfig {
            libjvm: self.library.clone(),
            java_home: self.home.clone(),
            jvm_options: Vec::new(),
            class_path: vec![self.classes.clone()],
            check_jni: self.strict,
            assertions: true,
            limits: Limits {
                // Long enough for a machine that is busy with other things.
                call_cpu: Duration::from_secs(20),
                call_wall: Duration::from_secs(40),
                heap_bytes: 128 << 20,
                ..Limits::default()
            },
            sandbox: SandboxSpec { kernel: true, scratch: scratch.into() },
            instrumentation: Instrumentation::default(),
            initialise: Vec::new(),
            rules: Rule::defaults(),
            contracts: Vec::new(),
            unchecked: Vec::new(),
            setting: Setting::Fixed,
            prints: false,
        }
    }

    /// A worker whose steps have little time.
    pub fn impatient_worker(&self) -> Worker {
        self.worker_with(|config| {
            config.limits.call_cpu = Duration::from_millis(300);
            config.limits.call_wall = Duration::from_millis(900);
            config.limits.grace = Duration::from_millis(300);
        })
    }

    pub fn worker(&self) -> Worker {
        self.worker_with(|_| ())
    }

    pub fn worker_with(&self, change: impl FnOnce(&mut WorkerConfig)) -> Worker {
        let scratch = tempfile::tempdir().unwrap();
        let mut config = self.config(scratch.path());
        change(&mut config);
        Worker::start(config, scratch)
    }
}

/// A running worker.
#[derive(Debug)]
pub struct Worker {
    child: Child,
    down: File,
    up: File,
    output: File,
    pub hello: Result<Hello, Farewell>,
    pub scratch: tempfile::TempDir,
    told: usize,
    batches: u64,
}

/// How a batch came back.
#[derive(Debug)]
pub struct Answer {
    pub seen: Vec<Observation>,
    pub farewell: Option<Farewell>,
}

impl Worker {
    fn start(config: WorkerConfig, scratch: tempfile::TempDir) -> Self {
        let (down, up, output) = (pipe(1 << 20).unwrap(), pipe(1 << 20).unwrap(), pipe(1 << 20).unwrap());
        let memory = Heartbeat::create().unwrap();
        let nothing = File::open("/dev/null").unwrap();
        let program = std::env::current_exe().unwrap();
        let args: [OsString; 1] = [WORKER.into()];
        let child = spawn(&Program {
            path: &program,
            args: &args,
            environment: &[],
            descriptors: &[
                (nothing.as_fd(), 0),
                (output.write.as_fd(), 1),
                (output.write.as_fd(), 2),
                (down.read.as_fd(), DOWN),
                (up.write.as_fd(), UP),
                (memory.as_fd(), HEARTBEAT),
            ],
        })
        .unwrap();
        let mut worker = Worker {
            child,
            down: down.write.into(),
            up: up.read.into(),
            output: output.read.into(),
            hello: Err(Farewell::CannotStart("no answer".into())),
            scratch,
            told: 0,
            batches: 0,
        };
        drop((down.read, up.write, output.write));
        write_frame(&mut worker.down, FrameKind::Configure, &encode_message(&config)).unwrap();
        let first = read_frame(&mut worker.up).unwrap();
        worker.hello = match first {
            Some(frame) if frame.kind == FrameKind::Hello => Ok(decode_message(&frame.payload).unwrap()),
            Some(frame) => Err(decode_message(&frame.payload).unwrap()),
            None => Err(Farewell::CannotStart(format!("it died: {}", worker.printed()))),
        };
        worker
    }

    pub fn run(&mut self, table: &OperationTable, items: &[Item]) -> Answer {
        self.send(table, items);
        self.answer(items.len())
    }

    pub fn send(&mut self, table: &OperationTable, items: &[Item]) {
        if let Err(words) = &self.hello {
            panic!("{words:?}");
        }
        let new = table.since(self.told);
        if !new.is_empty() {
            write_frame(&mut self.down, FrameKind::Define, &encode_message(new)).unwrap();
            self.told = table.len();
        }
        self.batches += 1;
        let mut payload = Vec::new();
        encode_batch(self.batches, items.iter(), &mut payload);
        write_frame(&mut self.down, FrameKind::Batch, &payload).unwrap();
    }

    pub fn answer(&mut self, wanted: usize) -> Answer {
        let mut answer = Answer { seen: Vec::new(), farewell: None };
        while answer.seen.len() < wanted {
            let frame = match read_frame(&mut self.up) {
                Ok(Some(frame)) => frame,
                other => panic!("the worker is gone ({other:?}): {}", self.printed()),
            };
            match frame.kind {
                FrameKind::Results => answer.seen.extend(decode_results(&frame.payload).unwrap().1),
                FrameKind::Farewell => {
                    answer.farewell = Some(decode_message(&frame.payload).unwrap());
                    break;
                }
                other => panic!("a frame of kind {other:?}"),
            }
        }
        answer
    }

    /// CPU time it has used.
    pub fn cpu(&self) -> Duration {
        self.child.cpu()
    }

    /// The last words, which must come.
    pub fn farewell(&mut self) -> Farewell {
        let frame = read_frame(&mut self.up).unwrap().expect("last words");
        assert_eq!(frame.kind, FrameKind::Farewell);
        decode_message(&frame.payload).unwrap()
    }

    /// Ends the worker and answers all it printed.
    pub fn finish(mut self) -> String {
        let _ = write_frame(&mut self.down, FrameKind::Finish, b"");
        let ended = self.child.wait_timeout(Duration::from_secs(20)).unwrap();
        let text = self.printed();
        assert!(matches!(ended.map(|ended| ended.status), Some(ExitStatus::Exited(_))), "{ended:?} {text}");
        text
    }

    fn printed(&mut self) -> String {
        self.child.kill();
        let mut text = Vec::new();
        let _ = self.output.read_to_end(&mut text);
        String::from_utf8_lossy(&text).into_owned()
    }
}

/// Builds a sequence.
#[derive(Debug)]
pub struct Script<'t> {
    pub table: &'t mut OperationTable,
    pub sequence: Sequence,
}

impl<'t> Script<'t> {
    pub fn new(table: &'t mut OperationTable) -> Self {
        Script { table, sequence: Sequence::new() }
    }

    pub fn op<const N: usize>(&mut self, operation: Operation, args: [StepId; N]) -> StepId {
        let id = self.table.intern(operation);
        self.sequence.push(self.table, id, args).unwrap()
    }

    pub fn int(&mut self, value: i32) -> StepId {
        self.op(Operation::Literal(Literal::Int(value)), [])
    }

    pub fn text(&mut self, value: &str) -> StepId {
        self.op(Operation::Literal(Literal::String(value.into())), [])
    }

    pub fn null(&mut self, class: &str) -> StepId {
        self.op(Operation::Literal(Literal::Null(Type::class(class))), [])
    }

    pub fn new_object<const N: usize>(&mut self, class: &str, descriptor: &str, args: [StepId; N]) -> StepId {
        self.op(
            Operation::Construct { class: ClassName::internal(class), descriptor: parse(descriptor) },
            args,
        )
    }

    pub fn call<const N: usize>(&mut self, method: &str, descriptor: &str, args: [StepId; N]) -> StepId {
        let (class, name) = method.split_once('.').unwrap();
        let operation = Operation::Call {
            class: ClassName::internal(class),
            name: name.into(),
            descriptor: parse(descriptor),
            interface: false,
        };
        self.op(operation, args)
    }

    pub fn call_static<const N: usize>(
        &mut self,
        method: &str,
        descriptor: &str,
        args: [StepId; N],
    ) -> StepId {
        let (class, name) = method.split_once('.').unwrap();
        let operation = Operation::CallStatic {
            class: ClassName::internal(class),
            name: name.into(),
            descriptor: parse(descriptor),
            interface: false,
        };
        self.op(operation, args)
    }

    /// The item with every value reported and state put back.
    pub fn item(self) -> Item {
        Item {
            sequence: self.sequence,
            observe: Observe { values: Values::All, ..Observe::default() },
            reset: Reset::Fields,
            past_exceptions: false,
            ..Item::default()
        }
    }

    /// As [`item`](Self::item), with the state of some steps at the end.
    pub fn item_with_state(self, roots: &[StepId]) -> Item {
        let after = (self.sequence.len() - 1) as u16;
        let mut item = self.item();
        item.observe.states.push(StateRequest { after, roots: roots.to_vec(), stored: true });
        item
    }
}

fn parse(descriptor: &str) -> MethodDescriptor {
    MethodDescriptor::parse(descriptor).unwrap()
}

/// One sequence that calls a static method without parameters.
pub fn one_call(table: &mut OperationTable, method: &str, descriptor: &str) -> Item {
    let mut script = Script::new(table);
    script.call_static(method, descriptor, []);
    script.item()
}
