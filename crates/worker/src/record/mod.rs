//! Recording the calls that tests make on the classes under test (spec 000 §2.2).
//!
//! In: entries and exits of their methods, and of the listener through which JUnit tells of tests. Out: [`RecordEvent`]s in a file.
//! Only calls from outside the recorded classes count; calls nested in them never leave the JVM (`calls`). Only the executor's
//! thread is recorded, on which the launcher runs tests; calls on others are counted. What the recorder itself calls is not recorded.
//!
//! - `journal`: the file, test by test.
//! - `sequences`: states as sequences of calls. `pairwise`: objects as the first that they equal. `monitor`: objects as far as their
//!   `equals` looks at them, over `reads`.

mod calls;
mod journal;
mod listener;
mod monitor;
mod pairwise;
pub mod reads;
mod recorder;
mod sequences;

use std::cell::{Cell, RefCell};

use probat_jvm::{Env, Ref};
use probat_protocol::{Instrumentation, RecordingSpec};
use rustc_hash::FxHashMap;

use crate::fault::Fault;
use crate::heap::StateReader;
use crate::shared::Shared;
use calls::Calls;
use recorder::Recorder;

/// Numbers of recorded methods begin here; those below are numbers of classes.
const BASE: u32 = 1 << 28;

thread_local! {
    static RECORDER: RefCell<Option<Recorder>> = const { RefCell::new(None) };
    static CALLS: RefCell<Option<Calls>> = const { RefCell::new(None) };
    /// The recorder itself runs Java code.
    static BUSY: Cell<bool> = const { Cell::new(false) };
}

/// The number of a recorded method; `None` if it is that of a class.
pub fn method(number: i32) -> Option<u32> {
    u32::try_from(number).ok()?.checked_sub(BASE)
}

/// What is reported of classes that load.
#[derive(Debug, Clone, Default)]
pub struct Reporting {
    /// Numbers of the first methods of recorded classes.
    pub classes: FxHashMap<String, u32>,
    /// The class through which JUnit tells of tests, and the number of its first method.
    pub listener: Option<(String, u32)>,
    /// Reads are noted.
    pub reads: bool,
}

impl Reporting {
    pub fn new(instrumentation: &Instrumentation) -> Self {
        let Some(spec) = &instrumentation.recording else { return Reporting::default() };
        let classes =
            spec.classes.iter().map(|class| (class.class.as_internal().to_owned(), BASE + class.first));
        let listener = spec.listener.as_ref();
        Reporting {
            classes: classes.collect(),
            listener: listener.map(|known| (known.class.as_internal().to_owned(), BASE + known.first)),
            reads: spec.monitor,
        }
    }

    /// Whether a class has something to report.
    pub fn wants(&self, name: &str) -> bool {
        self.classes.contains_key(name)
            || self.listener.as_ref().is_some_and(|(listener, _)| listener == name)
    }
}

/// Makes this thread the recorded one.
pub fn start(
    env: &mut Env<'_>,
    spec: &RecordingSpec,
    reader: StateReader,
    shared: &'static Shared,
) -> Result<(), Fault> {
    let recorder = Recorder::new(env, spec, reader, shared)?;
    let calls =
        Calls::start(env, shared, spec.classes.iter().map(|class| class.class.to_binary()).collect())?;
    RECORDER.with(|place| *place.borrow_mut() = Some(recorder));
    CALLS.with(|place| *place.borrow_mut() = Some(calls));
    Ok(())
}

/// An outermost call of a recorded method begins, or JUnit tells of a test.
pub fn enter(env: &mut Env<'_>, method: u32, receiver: Option<Ref<'_>>, args: Option<Ref<'_>>) {
    if BUSY.get() {
        return;
    }
    on_recorder(|recorder| {
        if !recorder.is_listener(method) {
            if !recorder.begin(env, method, receiver, args) {
                on_calls(|calls| calls.suspend(env));
            }
            return;
        }
        let elsewhere = on_calls(|calls| {
            // Whatever is left of the last test is gone.
            calls.reset(env);
            calls.take_elsewhere(env)
        });
        recorder.told(env, method, args, elsewhere.unwrap_or(0));
    });
}

/// It ends, with its result or by an exception.
pub fn leave(env: &mut Env<'_>, method: u32, result: Option<Ref<'_>>, thrown: Option<Ref<'_>>) {
    if BUSY.get() {
        return;
    }
    on_recorder(|recorder| {
        if !recorder.is_listener(method) {
            recorder.end(env, method, result, thrown);
        }
    });
}

/// The count of nested calls is in doubt.
pub fn recount(env: &mut Env<'_>, beginning: i32) {
    on_calls(|calls| calls.recount(env, beginning));
}

fn on_calls<R>(body: impl FnOnce(&Calls) -> R) -> Option<R> {
    CALLS.with(|calls| calls.try_borrow().ok()?.as_ref().map(body))
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
