//! What the JVM's callbacks share with the executor: natives and hooks get no argument of ours.
//!
//! In: facts told by guards, probes and thread events. Out: taints of the current sequence, counts of threads, classes
//! initialised meanwhile. One per process, as there is one JVM per process.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use probat_jvm::{Class, Env, Global, Jvmti, Loader, Method, Ref, Throwable};
use probat_model::{ClassName, StepId, Taint, TaintKind};
use rustc_hash::FxHashMap;

use crate::comparisons::Counts;
use crate::policy::Policy;
use crate::probes::Probes;
use crate::reset::Statics;
use crate::watch::Watch;

/// Taints kept per sequence; more say nothing new.
const MANY_TAINTS: usize = 16;

/// Failures of one class's initialiser that are undone by a fresh loader. After those its failing is what the class does.
pub const FAILURES: u32 = 2;

/// The shared state, made before the JVM.
#[derive(Debug)]
pub struct Shared {
    pub watch: Watch,
    pub policy: Policy,
    /// Names of the instrumented classes, by number.
    pub classes: Vec<ClassName>,
    taints: Mutex<Vec<Taint>>,
    threads: Threads,
    /// A class failed to initialise: what comes next depends on what came before.
    pub failed_class: AtomicBool,
    /// A static field was written through JNI, which no probe sees.
    pub wrote_static: AtomicBool,
    /// A file that is no temporary one was made, changed or deleted.
    pub touched_files: AtomicBool,
    /// A thread was started that is not the JVM's own.
    pub started_threads: AtomicBool,
    statics: Mutex<Statics>,
    /// Loaded classes with static state but without initialiser.
    plain: Mutex<Vec<PlainClass>>,
    /// Name of a thread that uses a processor all the time, besides the executor's.
    busy: OnceLock<String>,
    /// Guards in place, by number.
    guards: Mutex<Vec<usize>>,
    loader: Mutex<Option<Global<Loader>>>,
    /// What the watchdog throws into a step that runs too long.
    stop: OnceLock<Global<Throwable>>,
    /// How often the watchdog has looked and acted.
    looks: AtomicU64,
    /// How often a class failed to initialise, by number.
    failed: Mutex<FxHashMap<u32, u32>>,
    /// Failures of all classes.
    failures: AtomicU32,
    jvm: OnceLock<Jvm>,
}

/// What natives need of the JVM.
#[derive(Debug)]
pub struct Jvm {
    pub jvmti: Jvmti,
    /// `SecurityException(String)`.
    pub refuse: Method,
    pub detail: crate::natives::Details,
}

/// A class with static state but without initialiser.
#[derive(Debug)]
pub struct PlainClass {
    pub number: u32,
    /// Once it was looked up.
    pub class: Option<Global<Class>>,
}

/// Threads of the code under test.
#[derive(Debug, Default)]
struct Threads {
    /// Passed the guard, not yet seen to run.
    starting: AtomicI32,
    /// Seen to run.
    live: AtomicI32,
    /// Live before the first sequence.
    baseline: AtomicI32,
    /// Identity hashes of those left behind at rest.
    left: Mutex<Vec<i32>>,
}

static SHARED: OnceLock<Shared> = OnceLock::new();

thread_local! {
    /// Set on the executor's thread only.
    static EXECUTOR: RefCell<Option<Initialisers>> = const { RefCell::new(None) };
    static OURS: Cell<bool> = const { Cell::new(false) };
}

/// What happens to edges while class initialisers run on the executor's thread.
#[derive(Debug)]
pub struct Initialisers {
    pub probes: Probes,
    /// Probes hit before an initialiser cut in.
    pub kept: Vec<u32>,
    pub depth: u32,
    /// While the worker starts, edges of initialisers are kept too.
    pub starting: bool,
    /// How many comparisons are remembered, where they are watched.
    pub compared: Option<Counts>,
}

impl Shared {
    pub fn new(policy: Policy, classes: Vec<ClassName>) -> Self {
        Shared {
            watch: Watch::default(),
            policy,
            classes,
            taints: Mutex::default(),
            threads: Threads::default(),
            failed_class: AtomicBool::new(false),
            wrote_static: AtomicBool::new(false),
            touched_files: AtomicBool::new(false),
            started_threads: AtomicBool::new(false),
            statics: Mutex::default(),
            plain: Mutex::default(),
            busy: OnceLock::new(),
            guards: Mutex::default(),
            loader: Mutex::new(None),
            stop: OnceLock::new(),
            failed: Mutex::default(),
            looks: AtomicU64::new(0),
            failures: AtomicU32::new(0),
            jvm: OnceLock::new(),
        }
    }

    /// Makes it the one of this process.
    pub fn install(self) -> &'static Shared {
        SHARED.get_or_init(|| self)
    }

    /// The one of this process; `None` before it is installed.
    pub fn get() -> Option<&'static Shared> {
        SHARED.get()
    }

    pub fn set_jvm(&self, jvm: Jvm) {
        // There is one JVM; a second would have failed to start.
        let _ = self.jvm.set(jvm);
    }

    pub fn jvm(&self) -> Option<&Jvm> {
        self.jvm.get()
    }

    pub fn set_stop(&self, stop: Global<Throwable>) {
        let _ = self.stop.set(stop);
    }

    /// What the watchdog throws.
    pub fn stop(&self) -> Option<&Global<Throwable>> {
        self.stop.get()
    }

    /// The watchdog has looked, and done what it thought right.
    pub fn looked(&self) {
        self.looks.fetch_add(1, Ordering::AcqRel);
    }

    pub fn looks(&self) -> u64 {
        self.looks.load(Ordering::Acquire)
    }

    /// Whether an exception is the one that ends calls which take too long.
    pub fn is_stop(&self, env: &Env<'_>, exception: Ref<'_, Throwable>) -> bool {
        self.stop().is_some_and(|stop| env.is_same(stop.get().erase(), exception.erase()))
    }

    /// The initialiser of an instrumented class failed. A class that always fails is not worth a fresh loader each time.
    pub fn class_failed(&self, number: u32) {
        self.failures.fetch_add(1, Ordering::Relaxed);
        let mut failed = lock(&self.failed);
        let times = failed.entry(number).or_default();
        *times += 1;
        if *times <= FAILURES {
            self.failed_class.store(true, Ordering::Relaxed);
        }
    }

    /// How many times an initialiser said that it failed.
    pub fn failures(&self) -> u32 {
        self.failures.load(Ordering::Relaxed)
    }

    /// Records an attempt against the step that runs.
    pub fn taint(&self, kind: TaintKind, detail: String) {
        let mut taints = lock(&self.taints);
        let step = StepId(self.watch.place().step);
        let taint = Taint { step, kind, detail };
        if taints.len() < MANY_TAINTS && !taints.contains(&taint) {
            taints.push(taint);
        }
    }

    /// Takes the taints recorded so far.
    pub fn take_taints(&self) -> Vec<Taint> {
        std::mem::take(&mut *lock(&self.taints))
    }

    pub fn statics(&self) -> MutexGuard<'_, Statics> {
        lock(&self.statics)
    }

    /// A class with static state but without initialiser was loaded.
    pub fn plain_class(&self, plain: PlainClass) {
        lock(&self.plain).push(plain);
    }

    pub fn take_plain_classes(&self) -> Vec<PlainClass> {
        std::mem::take(&mut *lock(&self.plain))
    }

    /// A thread besides the executor's has used a processor for too long. The first one is remembered.
    pub fn set_busy_thread(&self, name: String) {
        let _ = self.busy.set(name);
    }

    pub fn busy_thread(&self) -> Option<&str> {
        self.busy.get().map(String::as_str)
    }

    pub fn guards_placed(&self, guards: &[usize]) {
        lock(&self.guards).extend_from_slice(guards);
    }

    pub fn guards(&self) -> Vec<usize> {
        lock(&self.guards).clone()
    }

    pub fn set_loader(&self, loader: Global<Loader>) {
        *lock(&self.loader) = Some(loader);
    }

    pub fn with_loader<R>(&self, body: impl FnOnce(Option<&Global<Loader>>) -> R) -> R {
        body(lock(&self.loader).as_ref())
    }

    // ----- threads ---------------------------------------------------------------------------------------------

    /// A thread is about to be started; counts it and answers how many others there are.
    pub fn thread_starting(&self) -> u32 {
        let starting = self.threads.starting.fetch_add(1, Ordering::Relaxed);
        u32::try_from(starting + self.extra_threads()).unwrap_or(0)
    }

    /// It was not started after all.
    pub fn thread_not_started(&self) {
        self.threads.starting.fetch_sub(1, Ordering::Relaxed);
    }

    pub fn thread_started(&self) {
        self.threads.live.fetch_add(1, Ordering::Relaxed);
        let starting = &self.threads.starting;
        // Threads of the JVM itself pass no guard.
        let _ = starting
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| (count > 0).then(|| count - 1));
    }

    pub fn thread_ended(&self) {
        self.threads.live.fetch_sub(1, Ordering::Relaxed);
    }

    /// Remembers threads, by identity hash, that are left behind at rest; false if there are too many of them.
    pub fn leave_threads(&self, hashes: &[i32], most: usize) -> bool {
        let mut left = lock(&self.threads.left);
        left.extend(hashes);
        left.len() <= most
    }

    pub fn is_left(&self, hash: i32) -> bool {
        lock(&self.threads.left).contains(&hash)
    }

    /// What lives now belongs to the JVM.
    pub fn set_thread_baseline(&self) {
        self.threads.baseline.store(self.threads.live.load(Ordering::Relaxed), Ordering::Relaxed);
        self.threads.starting.store(0, Ordering::Relaxed);
    }

    fn extra_threads(&self) -> i32 {
        self.threads.live.load(Ordering::Relaxed) - self.threads.baseline.load(Ordering::Relaxed)
    }

    /// Whether there may be threads that were not there before the first sequence.
    #[inline]
    pub fn has_extra_threads(&self) -> bool {
        self.extra_threads() > 0 || self.threads.starting.load(Ordering::Relaxed) > 0
    }
}

/// A panic while holding one of these ends the process anyway.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Marks this thread as the executor's.
pub fn become_executor(probes: Probes, compared: Option<Counts>) {
    EXECUTOR.with(|executor| {
        let (kept, depth, starting) = (Vec::new(), 0, true);
        *executor.borrow_mut() = Some(Initialisers { probes, kept, depth, starting, compared });
    });
}

/// Works on the probes, on the executor's thread; `None` on any other.
pub fn on_executor<R>(body: impl FnOnce(&mut Initialisers) -> R) -> Option<R> {
    EXECUTOR.with(|executor| executor.borrow_mut().as_mut().map(body))
}

/// Whether this is the executor's thread.
pub fn is_executor() -> bool {
    // What is in use there is in use by this thread.
    EXECUTOR.with(|executor| executor.try_borrow().map_or(true, |executor| executor.is_some()))
}

/// Runs something of our own that guards shall let pass.
pub fn for_ourselves<R>(body: impl FnOnce() -> R) -> R {
    OURS.with(|ours| {
        let before = ours.replace(true);
        let result = body();
        ours.set(before);
        result
    })
}

/// Whether this thread runs something of our own.
pub fn is_ours() -> bool {
    OURS.with(Cell::get)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::Place;
    use std::path::Path;

    fn shared() -> Shared {
        Shared::new(
            Policy::new(
                Path::new("."),
                crate::policy::places(probat_protocol::Setting::User),
                Path::new("."),
                &[],
                2,
            ),
            Vec::new(),
        )
    }

    #[test]
    fn taints_belong_to_the_step_that_runs_and_are_not_repeated() {
        let shared = shared();
        shared.watch.enter(Place { item: 0, step: 3 });
        for _ in 0..100 {
            shared.taint(TaintKind::Exit, "1".into());
        }
        assert_eq!(
            shared.take_taints(),
            [Taint { step: StepId(3), kind: TaintKind::Exit, detail: "1".into() }]
        );
        assert!(shared.take_taints().is_empty());
        for at in 0..100 {
            shared.taint(TaintKind::Exit, at.to_string());
        }
        assert_eq!(shared.take_taints().len(), MANY_TAINTS);
    }

    #[test]
    fn threads_are_counted_from_the_guard_to_their_end() {
        let shared = shared();
        shared.thread_started();
        shared.set_thread_baseline();
        assert!(!shared.has_extra_threads());
        assert_eq!(shared.thread_starting(), 0);
        assert!(shared.has_extra_threads());
        shared.thread_started();
        assert_eq!(shared.thread_starting(), 1);
        shared.thread_not_started();
        shared.thread_ended();
        assert!(!shared.has_extra_threads());
    }

    #[test]
    fn what_we_do_ourselves_ends_with_us() {
        assert!(!is_ours());
        assert!(for_ourselves(is_ours));
        assert!(!is_ours());
    }
}
