//! Rewriting classes on their way into the JVM.
//!
//! In: class files as the JVM reads them. Out: instrumented ones, for the instrumented classes and for those
//! that guards change. Never fails: what cannot be rewritten is left as it is.
//!
//! The rewriting runs on a thread of its own: a class may be loaded at the very end of a deep recursion, where there is
//! no stack left for it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use probat_jvm::{ClassFile, Env, Hooks, Ref, Thread, Wants};
use probat_protocol::WorkerConfig;
use rustc_hash::FxHashMap;

use crate::record::Reporting;
use crate::rewrite::{Rewriter, Rewritten, Task};
use crate::shared::{PlainClass, Shared};

/// Stack of the rewriting thread.
const STACK: usize = 16 << 20;

type Request = (Task, SyncSender<Rewritten>);

/// The hooks of the worker.
#[derive(Debug)]
pub struct WorkerHooks {
    shared: &'static Shared,
    armed: Arc<AtomicBool>,
    /// Numbers of the instrumented classes.
    numbers: FxHashMap<String, u32>,
    guarded: Vec<String>,
    recorded: Reporting,
    requests: Mutex<Sender<Request>>,
}

/// Switches rewriting on, once `$Probat` is defined.
#[derive(Debug, Clone)]
pub struct Arm(Arc<AtomicBool>);

impl Arm {
    pub fn set(&self) {
        self.0.store(true, Ordering::Release);
    }
}

impl WorkerHooks {
    /// The hooks, and the switch that makes them act.
    pub fn start(shared: &'static Shared, config: &WorkerConfig) -> std::io::Result<(Self, Arm)> {
        let instrumentation = &config.instrumentation;
        let (requests, received) = channel::<Request>();
        let mut rewriter = Rewriter::new(instrumentation, config.setting);
        let guarded = Rewriter::guarded_classes();
        std::thread::Builder::new().name("probat rewriter".into()).stack_size(STACK).spawn(move || {
            for (task, answer) in received {
                // The thread that asked waits, unless the process is ending.
                let _ = answer.send(rewriter.rewrite(&task));
            }
        })?;
        let armed = Arc::new(AtomicBool::new(false));
        let hooks = WorkerHooks {
            shared,
            armed: Arc::clone(&armed),
            numbers: instrumentation
                .classes
                .iter()
                .enumerate()
                .map(|(at, probes)| (probes.class.as_internal().to_owned(), at as u32))
                .collect(),
            guarded,
            recorded: Reporting::new(instrumentation),
            requests: Mutex::new(requests),
        };
        Ok((hooks, Arm(armed)))
    }

    fn ask(&self, task: Task) -> Option<Rewritten> {
        let (answer, answered) = sync_channel(1);
        let sent = {
            let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
            requests.send((task, answer))
        };
        sent.ok()?;
        answered.recv().ok()
    }
}

impl Hooks for WorkerHooks {
    fn wants(&self) -> Wants {
        // Class files are switched on later: from the start they would keep the JVM from using its archive.
        Wants { class_files: false, threads: true }
    }

    fn class_file(&self, class: &ClassFile<'_, '_>) -> Option<Vec<u8>> {
        if !self.armed.load(Ordering::Acquire) {
            return None;
        }
        let name = class.name?;
        let number = self.numbers.get(name).copied();
        let guard =
            class.loader.is_none() && self.guarded.binary_search_by(|known| known.as_str().cmp(name)).is_ok();
        let record = self.recorded.wants(name);
        if number.is_none() && !record && !guard {
            return None;
        }
        let done = self.ask(Task { bytes: class.bytes.to_vec(), number, guard, record })?;
        self.shared.guards_placed(&done.guards);
        if let (true, Some(number)) = (done.is_plain, number) {
            self.shared.plain_class(PlainClass { number, class: None });
        }
        done.bytes
    }

    fn thread_start(&self, _env: &mut Env<'_>, _thread: Ref<'_, Thread>) {
        self.shared.thread_started();
    }

    fn thread_end(&self, _env: &mut Env<'_>, _thread: Ref<'_, Thread>) {
        self.shared.thread_ended();
    }
}
