//! A worker without a JVM that does what its operations say.
//!
//! In: string literals as scripts (`ok 3`, `exit 7`, `hang`, …). Out: frames, or whatever the script does instead.

use std::fs::File;
use std::io::{self, BufReader, Write};
use std::path::Path;
use std::time::Duration;

use probat_model::{End, JavaString, Literal, Operation, StepId, Value};
use probat_os::heartbeat::Phase;
use probat_os::worker_end::{self, WorkerEnd};
use probat_os::{exit_now, limits};
use probat_protocol::{
    BatchReader, Farewell, FrameKind, Hello, ItemBuffer, ResultWriter, SandboxReport, WorkerConfig,
    decode_message, encode_message, read_frame, write_frame,
};

/// Runs as a worker; `mode` says how it behaves before its first batch.
pub fn main(mode: &str) -> ! {
    let end = worker_end::take().expect("started by a fleet");
    limits::die_with_parent().expect("the kernel allows it");
    let mut worker = Worker { end, table: Vec::new(), results: ResultWriter::new() };
    worker.greet(mode).expect("the supervisor listens");
    worker.serve().expect("the supervisor listens");
    exit_now(0)
}

struct Worker {
    end: WorkerEnd,
    table: Vec<String>,
    results: ResultWriter,
}

impl Worker {
    fn send(&mut self, kind: FrameKind, payload: &[u8]) -> io::Result<()> {
        let mut frame = Vec::new();
        write_frame(&mut frame, kind, payload)?;
        self.end.up.write_all(&frame)
    }

    fn leave(&mut self, words: &Farewell) -> ! {
        self.send(FrameKind::Farewell, &encode_message(words)).expect("the supervisor listens");
        exit_now(0)
    }

    fn greet(&mut self, mode: &str) -> io::Result<()> {
        match mode {
            "refuse" => {
                io::stdout().write_all(b"first line\nsecond line\n")?;
                self.leave(&Farewell::CannotStart("no JVM here".into()));
            }
            "die" => {
                io::stderr().write_all(b"Error occurred during initialization of VM\n")?;
                exit_now(1);
            }
            "mute" => loop {
                std::thread::park();
            },
            // Only the first process of a fleet stands: the marker lies beside the scratch directories.
            "once" => {
                let frame = read_frame(&mut self.end.down).expect("a frame").expect("a configuration");
                let config: WorkerConfig = decode_message(&frame.payload).expect("a configuration");
                let marker = config.sandbox.scratch.parent().expect("a run directory").join("marker");
                if File::create_new(marker).is_err() {
                    self.leave(&Farewell::CannotStart("only once".into()));
                }
            }
            _ => {}
        }
        self.send(FrameKind::Hello, &encode_message(&hello()))
    }

    fn serve(&mut self) -> io::Result<()> {
        let mut down = BufReader::new(self.end.down.try_clone()?);
        loop {
            self.end.heartbeat.set_phase(Phase::Idle);
            let Some(frame) = read_frame(&mut down).map_err(io::Error::other)? else { return Ok(()) };
            match frame.kind {
                FrameKind::Configure => {}
                FrameKind::Define => {
                    let added: Vec<Operation> = decode_message(&frame.payload).expect("operations");
                    self.table.extend(added.iter().map(script));
                }
                FrameKind::Batch => self.batch(&frame.payload)?,
                other => panic!("{other:?} came down"),
            }
        }
    }

    fn batch(&mut self, payload: &[u8]) -> io::Result<()> {
        let mut batch = BatchReader::new(payload).expect("a batch");
        self.end.heartbeat.set_batch(batch.id());
        self.results.start(batch.id());
        let mut item = ItemBuffer::default();
        let mut index = 0;
        while batch.next(&mut item).expect("an item") {
            self.end.heartbeat.set_item(index);
            for step in 0..item.operations.len() {
                self.end.heartbeat.set_step(step as u16);
                let script = self.table[item.operations[step] as usize].clone();
                self.act(&script, index, step as u16)?;
            }
            self.results.end(&End::Completed);
            index += 1;
        }
        self.end.heartbeat.set_phase(Phase::Piping);
        let payload = self.results.payload().to_vec();
        self.send(FrameKind::Results, &payload)
    }

    fn act(&mut self, script: &str, item: u32, step: u16) -> io::Result<()> {
        let (verb, rest) = script.split_once(' ').unwrap_or((script, ""));
        let number = || rest.parse::<u64>().expect("a number");
        match verb {
            "ok" => self.results.returned(step, &Value::Int(number() as i32)),
            "exit" => exit_now(number() as i32),
            "abort" => std::process::abort(),
            "hang" => loop {
                std::thread::park();
            },
            "close" => {
                self.end.up = File::open("/dev/null")?;
                loop {
                    std::thread::park();
                }
            }
            "garbage" => self.end.up.write_all(&[0xee; 64])?,
            "nonsense" => self.send(FrameKind::Results, &[1, 2, 3])?,
            "flood" => flood(number())?,
            "slow" => std::thread::sleep(Duration::from_millis(number())),
            "spent" => self.spent(step)?,
            "stuck" => self.leave(&Farewell::Stuck { item, step: StepId(step) }),
            "huge" => {
                let text = JavaString::from_units(&vec![b'x'.into(); number() as usize]);
                self.results.returned(step, &Value::String { text, length: number() as u32 });
            }
            // Waits to be killed the first time, and answers the second.
            "await" => {
                if File::create_new(Path::new(rest)).is_ok() {
                    io::stdout().write_all(b"waiting to be killed\n")?;
                    loop {
                        std::thread::park();
                    }
                }
                self.results.returned(step, &Value::Int(-7));
            }
            other => panic!("no script `{other}`"),
        }
        Ok(())
    }

    /// Answers up to here, this item included, and asks to be replaced.
    fn spent(&mut self, step: u16) -> io::Result<()> {
        self.results.returned(step, &Value::Void);
        self.results.end(&End::TimedOut(StepId(step)));
        let payload = self.results.payload().to_vec();
        self.send(FrameKind::Results, &payload)?;
        self.leave(&Farewell::Spent("a thread survived".into()))
    }
}

fn flood(bytes: u64) -> io::Result<()> {
    let line = [b'z'; 1 << 12];
    let mut left = bytes;
    while left > 0 {
        let count = left.min(line.len() as u64);
        io::stdout().write_all(&line[..count as usize])?;
        left -= count;
    }
    io::stdout().flush()
}

fn script(operation: &Operation) -> String {
    match operation {
        Operation::Literal(Literal::String(text)) => text.to_lossy(),
        other => panic!("not a script: {other:?}"),
    }
}

fn hello() -> Hello {
    Hello {
        java_version: "none".into(),
        java_vendor: "fake".into(),
        sandbox: SandboxReport::default(),
        missing_guards: Vec::new(),
        initial_edges: Vec::new(),
        uninitialised: Vec::new(),
        initial_leaks: Vec::new(),
    }
}
