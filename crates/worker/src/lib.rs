//! The process beside the code under test: runs sequences in the user's own JVM and says what it saw.
//!
//! In: frames from the supervisor. Out: frames to it. Keeps no knowledge of the search; see `docs/architecture.md`.
//!
//! - `start`, `link`: descriptors, limits, the JVM, the two pipes.
//! - `hooks`, `rewrite`, `initialiser`, `natives`, `policy`, `shared`: classes on their way in, and what they report.
//! - `types`, `prepare`, `stubs`, `loader`: from names to ids. `arguments`, `act`, `boxes`, `convert`: one step.
//! - `run`, `observe`, `thrown`, `class_key`, `probes`, `contracts`, `heap`: a sequence and what is seen of it.
//! - `reset`, `threads`, `salt`, `spoilt`: putting things back, and what cannot be. `watch`, `guardian`: when a step takes too long.

mod act;
mod arguments;
pub mod bench;
mod boxes;
mod class_key;
mod clock;
mod comparisons;
mod contracts;
mod convert;
mod enum_hashes;
mod executor;
mod extra_members;
mod fault;
mod guardian;
pub mod heap;
mod hooks;
mod initialiser;
mod jdk;
mod link;
mod loader;
mod names;
mod natives;
mod observe;
mod options;
mod policy;
mod prepare;
mod probes;
mod record;
mod reset;
mod retire;
mod rewrite;
mod salt;
mod sequence;
mod shared;
mod spoilt;
mod start;
mod stray;
mod stubs;
mod threads;
mod thrown;
mod types;
mod watch;

use std::fs::File;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use probat_jvm::{Vm, VmOptions};
use probat_os::heartbeat::Phase;
use probat_os::worker_end::{self, WorkerEnd};
use probat_protocol::Farewell;

use executor::Flow;
use fault::Fault;
use link::{Order, Up};
use start::Parts;

/// Exit codes of a worker. The supervisor goes by last words; these are for a person who looks.
const DONE: i32 = 0;
const SPENT: i32 = 2;
const FAILED: i32 = 4;

/// Runs a worker until the supervisor has no more for it. Returns only when there is no supervisor to talk to.
pub fn main() -> ExitCode {
    let Ok(WorkerEnd { mut down, up, heartbeat }) = worker_end::take() else { return ExitCode::FAILURE };
    let up = Arc::new(Up::new(up));
    heartbeat.set_phase(Phase::Starting);
    probat_os::signals::release_faults();
    let started = link::read_config(&mut down).and_then(|config| {
        let sandbox = start::confine(&config)?;
        spawn(config, sandbox, Arc::clone(&up), heartbeat)
    });
    match started {
        Ok(orders) => link::read_orders(down, &orders),
        Err(fault) => end(&up, &Farewell::CannotStart(fault.to_string()), FAILED),
    }
    // The executor ends the process.
    loop {
        std::thread::park();
    }
}

/// Starts the executor's thread; answers the queue it takes orders from.
fn spawn(
    config: probat_protocol::WorkerConfig,
    sandbox: probat_protocol::SandboxReport,
    up: Arc<Up<File>>,
    heartbeat: probat_os::heartbeat::HeartbeatWriter,
) -> Result<std::sync::mpsc::SyncSender<Order>, Fault> {
    let cannot =
        |doing: &str, error: std::io::Error| Fault::Failed { doing: doing.into(), why: error.to_string() };
    let places = policy::places(config.setting);
    let (scratch, threads) = (&config.sandbox.scratch, config.limits.threads);
    let policy = policy::Policy::new(scratch, places, &config.java_home, &config.class_path, threads);
    let classes = config.instrumentation.classes.iter().map(|probes| probes.class.clone()).collect();
    let shared = shared::Shared::new(policy, classes).install();
    let (hooks, arm) =
        hooks::WorkerHooks::start(shared, &config).map_err(|error| cannot("start the rewriter", error))?;
    let (send, orders) = link::queue();
    let stack = usize::try_from(config.limits.stack_bytes).unwrap_or(1 << 20).max(256 << 10);
    let body = move || {
        let options = VmOptions {
            library: config.libjvm.clone(),
            arguments: options::jvm_options(&config, options::feature_release_of(&config.java_home)),
            hooks: Box::new(hooks),
            panic_fd: 2,
        };
        let parts = Parts { config, sandbox, shared, up: Arc::clone(&up), heartbeat, arm };
        let outcome =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| execute(options, parts, &orders)));
        let words = match outcome {
            Ok(words) => words,
            Err(_) => Some((Farewell::Confused("the worker panicked".into()), FAILED)),
        };
        match words {
            Some((words, code)) => end(&up, &words, code),
            None => probat_os::exit_now(DONE),
        }
    };
    std::thread::Builder::new()
        .name("main".into())
        .stack_size(stack)
        .spawn(body)
        .map_err(|error| cannot("start the executor", error))?;
    Ok(send)
}

/// Creates the JVM and works off orders; answers last words, if there is anybody to hear them.
fn execute(options: VmOptions, parts: Parts, orders: &Receiver<Order>) -> Option<(Farewell, i32)> {
    let (vm, mut attached) = match Vm::create(options) {
        Ok(created) => created,
        Err(error) => return Some((Farewell::CannotStart(error.to_string()), FAILED)),
    };
    let mut env = attached.env();
    let mut executor = match start::stand(&mut env, vm, parts) {
        Ok(executor) => executor,
        Err(fault) => return Some((Farewell::CannotStart(fault.to_string()), FAILED)),
    };
    loop {
        executor.heartbeat.set_phase(Phase::Idle);
        let flow = match orders.recv().unwrap_or(Order::Gone) {
            Order::Define(operations) => {
                executor.define(operations);
                Ok(Flow::GoOn)
            }
            Order::Batch(payload) => executor.batch(&mut env, &payload),
            Order::Finish | Order::Gone => return None,
            Order::Nonsense(what) => Err(Fault::Confused(what)),
        };
        match flow {
            Ok(Flow::GoOn) => {}
            Ok(Flow::Spent(why)) => return Some((Farewell::Spent(why), SPENT)),
            Err(Fault::Pipe(_)) => return None,
            Err(Fault::Confused(what)) => return Some((Farewell::Confused(what), FAILED)),
            Err(fault) => return Some((Farewell::Spent(fault.to_string()), FAILED)),
        }
    }
}

/// Says last words and ends the process at once: no shutdown hooks, no finalizers, no waiting for threads.
fn end(up: &Up<File>, words: &Farewell, code: i32) -> ! {
    // A supervisor that is gone hears nothing, and need not.
    let _ = up.farewell(words);
    probat_os::exit_now(code)
}
