//! The counters in `java/lang/$Probat` that tell outermost calls from nested ones.
//!
//! In: the class. Out: their fields, set and read. The counting itself is done by inserted code (`classfile::build::outermost`).

use probat_classfile::passes::PROBAT;
use probat_jvm::{Env, Field, Limits, MessageFrom, Trust, Value};
use rustc_hash::FxHashSet;

use crate::fault::Fault;
use crate::jdk;
use crate::shared::Shared;

/// More frames than a stack trace ever shows.
const FRAMES: usize = 100_000;

/// A depth that no stack has.
const SUSPENDED: i32 = 1 << 30;

/// The counters.
#[derive(Debug)]
pub struct Calls {
    depth: Field,
    pending: Field,
    base: Field,
    doubt: Field,
    elsewhere: Field,
    /// Binary names of recorded classes.
    recorded: FxHashSet<String>,
}

impl Calls {
    /// Makes this thread the one whose calls count.
    pub fn start(env: &mut Env<'_>, shared: &Shared, recorded: FxHashSet<String>) -> Result<Calls, Fault> {
        let class = jdk::class(env, PROBAT)?;
        let mut field = |name: &str, descriptor: &str| match env.static_field(class.get(), name, descriptor) {
            Ok(field) => Ok(field),
            Err(error) => Err(Fault::member(env, "find the counters", error)),
        };
        let calls = Calls {
            depth: field("depth", "I")?,
            pending: field("pending", "I")?,
            base: field("base", "I")?,
            doubt: field("doubt", "I")?,
            elsewhere: field("elsewhere", "I")?,
            recorded,
        };
        let place = field("recorded", "Ljava/lang/Thread;")?;
        let jvm = shared.jvm().ok_or_else(|| Fault::missing("the JVM"))?;
        let thread = jvm.jvmti.current_thread(env).map_err(|_| Fault::missing("the thread"))?.erase();
        let _ = env.set_static(&place, Value::Object(Some(thread.get())), Trust::Caller);
        calls.reset(env);
        Ok(calls)
    }

    /// No call is under way.
    pub fn reset(&self, env: &Env<'_>) {
        [&self.depth, &self.pending, &self.base, &self.doubt]
            .into_iter()
            .for_each(|field| set(env, field, 0));
    }

    /// All calls are taken for nested ones, and so cost next to nothing, until the next reset.
    pub fn suspend(&self, env: &Env<'_>) {
        set(env, &self.depth, SUSPENDED);
    }

    /// Counts the recorded methods on the stack, but for those that are beginning.
    pub fn recount(&self, env: &mut Env<'_>, beginning: i32) {
        let here = env.exception("java/lang/Exception", "");
        let limits = Limits { frames: FRAMES, ..Limits::default() };
        let trace = env.describe_throwable(here.get(), MessageFrom::Field, limits);
        let all = trace.frames.iter().filter(|frame| self.recorded.contains(&frame.class)).count();
        let depth = i32::try_from(all).unwrap_or(i32::MAX).saturating_sub(beginning);
        set(env, &self.depth, depth);
        set(env, &self.doubt, 0);
        if depth <= 1 - beginning {
            set(env, &self.pending, 0);
            set(env, &self.base, 0);
        }
    }

    /// Calls on other threads since last asked.
    pub fn take_elsewhere(&self, env: &Env<'_>) -> u64 {
        let count = match env.get_static(&self.elsewhere) {
            Ok(Value::Int(count)) => u64::try_from(count).unwrap_or(0),
            _ => 0,
        };
        set(env, &self.elsewhere, 0);
        count
    }
}

/// All are static fields of type `int`, so nothing is refused.
fn set(env: &Env<'_>, field: &Field, value: i32) {
    let _ = env.set_static(field, Value::Int(value), Trust::Caller);
}
