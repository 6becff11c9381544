//! Recording the calls that tests make on the classes under test (spec 000 §2.2).
//!
//! In: entries and exits of their methods, and of the listener through which JUnit tells of tests. Out: [`RecordEvent`]s in a file.
//! Only calls from outside the recorded classes count; calls nested in them are passed over at the cost of a counter. Only the executor's
//! thread is recorded, on which the launcher runs tests; calls on others are counted. What the recorder itself calls is not recorded.
//!
//! - `journal`: the file, test by test.
//! - `sequences`: states as sequences of calls. `pairwise`: objects as the first that they equal.

mod journal;
mod listener;
mod pairwise;
mod recorder;
mod sequences;

use std::cell::{Cell, RefCell};
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use probat_jvm::{Env, Ref};
use probat_protocol::{Instrumentation, RecordingSpec};
use rustc_hash::FxHashMap;

use crate::heap::StateReader;
use crate::shared::Shared;
use recorder::Recorder;

/// Numbers of recorded methods begin here; those below are numbers of classes.
const BASE: u32 = 1 << 28;

thread_local! {
    static RECORDER: RefCell<Option<Recorder>> = const { RefCell::new(None) };
    /// Recorded methods on the stack.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    /// The recorder itself runs Java code.
    static BUSY: Cell<bool> = const { Cell::new(false) };
}

/// Calls on threads that are not recorded.
static ELSEWHERE: AtomicU64 = AtomicU64::new(0);

/// The number of a recorded method; `None` if it is that of a class.
pub fn method(number: i32) -> Option<u32> {
    u32::try_from(number).ok()?.checked_sub(BASE)
}

/// Numbers that the first methods of recorded classes report, by class.
pub fn first_methods(instrumentation: &Instrumentation) -> FxHashMap<String, u32> {
    let Some(spec) = &instrumentation.recording else { return FxHashMap::default() };
    let classes = spec.classes.iter().map(|class| (&class.class, class.first));
    let listener = spec.listener.iter().map(|listener| (&listener.class, listener.first));
    classes.chain(listener).map(|(class, first)| (class.as_internal().to_owned(), BASE + first)).collect()
}

/// Makes this thread the recorded one.
pub fn start(spec: &RecordingSpec, reader: StateReader, shared: &'static Shared) -> io::Result<()> {
    let recorder = Recorder::new(spec, reader, shared)?;
    RECORDER.with(|place| *place.borrow_mut() = Some(recorder));
    Ok(())
}

/// A recorded method is entered.
pub fn enter(env: &mut Env<'_>, method: u32, receiver: Option<Ref<'_>>, args: Option<Ref<'_>>) {
    if BUSY.get() {
        return;
    }
    let depth = DEPTH.get();
    DEPTH.set(depth + 1);
    let is_listener = on_recorder(|recorder| recorder.is_listener(method));
    match is_listener {
        None if depth == 0 => {
            ELSEWHERE.fetch_add(1, Ordering::Relaxed);
        }
        Some(true) => {
            on_recorder(|recorder| recorder.told(env, method, args));
            // Whatever was left on the stack by a constructor that never ended is gone.
            DEPTH.set(1);
        }
        Some(false) if depth == 0 => {
            on_recorder(|recorder| recorder.begin(env, method, receiver, args));
        }
        None | Some(false) => {}
    }
}

/// It is left, with its result or by an exception.
pub fn leave(env: &mut Env<'_>, result: Option<Ref<'_>>, thrown: Option<Ref<'_>>) {
    if BUSY.get() {
        return;
    }
    let depth = DEPTH.get().saturating_sub(1);
    DEPTH.set(depth);
    if depth == 0 {
        on_recorder(|recorder| recorder.end(env, result, thrown));
    }
}

/// Works on the recorder, on its thread; what Java code runs meanwhile is not recorded.
fn on_recorder<R>(body: impl FnOnce(&mut Recorder) -> R) -> Option<R> {
    RECORDER.with(|recorder| {
        let mut recorder = recorder.try_borrow_mut().ok()?;
        let recorder = recorder.as_mut()?;
        BUSY.set(true);
        let result = body(recorder);
        BUSY.set(false);
        Some(result)
    })
}

/// Calls counted on other threads since last asked.
fn take_elsewhere() -> u64 {
    ELSEWHERE.swap(0, Ordering::Relaxed)
}
