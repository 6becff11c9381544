//! Threads that outlive the sequence that started them.
//!
//! In: a JVM after a sequence. Out: whether one is left that is not the JVM's own, after asking it politely to end; and
//! whether one of the JVM's own never comes to rest.

use std::time::{Duration, Instant};

use probat_jvm::{Env, Global, Jvmti, Ref, Thread, ThreadState};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::fault::Fault;
use crate::retire::Pools;
use crate::shared::Shared;

/// How long threads get to end once they are asked to.
const PATIENCE: Duration = Duration::from_millis(20);

/// When those that sleep on are woken by force.
const POLITE: Duration = Duration::from_millis(4);

/// Looks that each of these takes at least: on a busy machine time passes and threads get none of it.
const LOOKS: u32 = 16;

/// Threads left behind at rest before a JVM has enough of them.
const MOST_LEFT: usize = 100;

/// What a sequence left of threads.
#[derive(Debug, Default)]
pub struct Left {
    /// One that does not end, by name.
    pub survivor: Option<String>,
    /// They took their time.
    pub is_late: bool,
}

/// Looks for threads of the code under test that do not end. Pools are shut down, other threads interrupted, and those that wait for a clock
/// all the same are stopped where they wait. Threads that wait for what will never come do no harm: they are left behind, up to a number.
pub fn survivor(
    env: &mut Env<'_>,
    jvmti: Jvmti,
    shared: &Shared,
    pools: &mut Option<Pools>,
    common: &mut CommonPool,
) -> Result<Left, Fault> {
    if pools.is_none() {
        *pools = Some(Pools::find(env)?);
    }
    let start = Instant::now();
    let mut asked = FxHashSet::default();
    for look in 0u32.. {
        let passed = start.elapsed();
        let means = if passed < POLITE || look < LOOKS {
            Means::Ask
        } else if passed < PATIENCE / 2 || look < 2 * LOOKS {
            Means::Stop
        } else {
            // Towards the end nobody is woken, so that who rests can be seen to rest.
            Means::Look
        };
        let left = env.with_frame(256, |env| {
            let mut round = Round { jvmti, shared, pools: pools.as_ref(), means, common, asked: &mut asked };
            round.foreign(env)
        });
        let left = match left {
            Ok(left) => left?,
            Err(exception) => return Err(Fault::threw(env, "list threads", exception)),
        };
        let Some(left) = left else {
            // Whatever is left belongs to the JVM, or rests.
            shared.set_thread_baseline();
            return Ok(Left { survivor: None, is_late: passed >= POLITE });
        };
        if passed >= PATIENCE && look >= 3 * LOOKS {
            if left.at_rest && shared.leave_threads(&left.hashes, MOST_LEFT) {
                shared.set_thread_baseline();
                return Ok(Left { survivor: None, is_late: true });
            }
            return Ok(Left { survivor: Some(left.name), is_late: true });
        }
        std::thread::sleep(Duration::from_micros(200));
    }
    unreachable!("patience ends")
}

/// How threads are made to end. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Means {
    /// Their pool is shut down, or they are interrupted.
    Ask,
    /// Those that wait for a clock are stopped.
    Stop,
    Look,
}

/// Threads of the code under test.
struct Foreign {
    /// Of one of them.
    name: String,
    hashes: Vec<i32>,
    /// None of them will do anything unless it is asked to.
    at_rest: bool,
}

/// One look at all threads.
struct Round<'a> {
    jvmti: Jvmti,
    shared: &'a Shared,
    pools: Option<&'a Pools>,
    means: Means,
    common: &'a mut CommonPool,
    /// Threads that were asked to end, by identity hash.
    asked: &'a mut FxHashSet<i32>,
}

/// The threads of the pool that all code of a JVM shares. They come to stay; what they are asked to do should not.
#[derive(Debug, Default)]
pub struct CommonPool {
    threads: Vec<Global<Thread>>,
}

/// Its threads may work so many times longer than others.
const COMMON_LIMITS: u32 = 8;

/// How its threads are called.
const COMMON: &str = "ForkJoinPool.commonPool-worker-";

impl CommonPool {
    /// The name of a thread, if it is of this pool; it is looked at from now on.
    fn meet(&mut self, env: &mut Env<'_>, jvmti: Jvmti, thread: Ref<'_, Thread>) -> Option<String> {
        let name = jvmti.thread_info(env, thread).ok()?.name;
        if !name.starts_with(COMMON) {
            return None;
        }
        if !self.threads.iter().any(|known| env.is_same(known.get().erase(), thread.erase())) {
            self.threads.extend(env.global(thread).ok());
        }
        Some(name)
    }

    /// Whether one of its threads has something to do.
    pub fn is_busy(&mut self, jvmti: Jvmti) -> bool {
        let state =
            |thread: &Global<Thread>| jvmti.thread_state(thread.get()).ok().filter(|state| state.is_alive());
        self.threads.retain(|thread| state(thread).is_some());
        self.threads.iter().any(|thread| state(thread).is_some_and(|state| !state.is_waiting()))
    }
}

impl Round<'_> {
    /// Foreign threads that were not there before; they are dealt with on the way.
    fn foreign(&mut self, env: &mut Env<'_>) -> Result<Option<Foreign>, Fault> {
        let mut found: Option<Foreign> = None;
        for thread in self.jvmti.all_threads(env)? {
            // It may have ended meanwhile.
            let state = self.jvmti.thread_state(thread.get()).ok();
            let is_waiting = state.is_some_and(ThreadState::is_waiting);
            let (name, is_common) = match foreign_name(env, self.jvmti, thread.get()) {
                Some(name) => (name, false),
                None => match self.common.meet(env, self.jvmti, thread.get()) {
                    // What it does was asked of it by the code under test.
                    Some(name) if !is_waiting => (name, true),
                    _ => continue,
                },
            };
            let hash = self.jvmti.object_hash_code(thread.get().erase())?;
            if self.shared.is_left(hash) {
                continue;
            }
            let at_rest = state.is_some_and(ThreadState::is_waiting_for_ever);
            let waits = !at_rest && is_waiting;
            // The pool takes whatever comes out of a task, so it can be stopped anywhere.
            self.deal(env, thread.get(), hash, waits || is_common);
            let all = found.get_or_insert_with(|| Foreign {
                name: String::new(),
                hashes: Vec::new(),
                at_rest: true,
            });
            all.name = name;
            all.hashes.push(hash);
            all.at_rest &= at_rest;
        }
        Ok(found)
    }

    fn deal(&mut self, env: &mut Env<'_>, thread: Ref<'_, Thread>, hash: i32, may_stop: bool) {
        match self.means {
            Means::Ask => {
                let is_new = self.asked.insert(hash);
                if !(is_new && self.pools.is_some_and(|pools| pools.retire(env, thread))) {
                    let _ = self.jvmti.interrupt_thread(thread);
                }
            }
            // Elsewhere it could be in the middle of anything, with locks held.
            Means::Stop if may_stop => {
                if let Some(stop) = self.shared.stop() {
                    let _ = self.jvmti.stop_thread(thread, stop.get());
                }
            }
            Means::Stop | Means::Look => {}
        }
    }
}

/// The name of a thread that is not the JVM's own.
pub fn foreign_name(env: &mut Env<'_>, jvmti: Jvmti, thread: Ref<'_, Thread>) -> Option<String> {
    let info = jvmti.thread_info(env, thread).ok()?;
    let class = env.object_class(thread.erase());
    let class_name = env.class_name(class.get(), 300).unwrap_or_default();
    env.delete(class);
    (!is_of_the_jvm(&class_name, &info.name)).then_some(info.name)
}

/// CPU time of all threads but the executor's, to find one that never rests: a finalizer or cleaner that loops is no
/// survivor, since its thread belongs to the JVM.
#[derive(Debug)]
pub struct Restless {
    limit: Duration,
    /// By identity hash of the thread: when it was first seen at work without pause, and its CPU time then and last.
    seen: FxHashMap<i32, Busy>,
}

#[derive(Debug, Clone, Copy)]
struct Busy {
    since: Duration,
    last: Duration,
}

impl Restless {
    /// A thread may work this long.
    pub fn new(limit: Duration) -> Self {
        Restless { limit, seen: FxHashMap::default() }
    }

    /// Looks once, `passed` after the last time; names a thread that has worked too long without pause.
    pub fn look(
        &mut self,
        env: &mut Env<'_>,
        jvmti: Jvmti,
        executor: Ref<'_, Thread>,
        passed: Duration,
    ) -> Option<String> {
        let found = env.with_frame(256, |env| {
            let threads = jvmti.all_threads(env).ok()?;
            let mut found = None;
            let mut now = FxHashMap::default();
            for thread in &threads {
                if env.is_same(thread.get().erase(), executor.erase()) {
                    continue;
                }
                let Ok(hash) = jvmti.object_hash_code(thread.get().erase()) else { continue };
                let Ok(cpu) = jvmti.thread_cpu_time(thread.get()) else { continue };
                let busy = self.judge(hash, cpu, passed);
                now.insert(hash, busy);
                let worked = cpu.saturating_sub(busy.since);
                if worked > self.limit {
                    let name = jvmti.thread_info(env, thread.get()).ok().map(|info| info.name);
                    // Those of the common pool are stopped when the sequence has ended.
                    let is_common = name.as_ref().is_some_and(|name| name.starts_with(COMMON));
                    found = found.or(name.filter(|_| !is_common || worked > COMMON_LIMITS * self.limit));
                }
            }
            self.seen = now;
            found
        });
        found.ok().flatten()
    }

    /// A thread that used less than half of the time has rested.
    fn judge(&self, hash: i32, cpu: Duration, passed: Duration) -> Busy {
        match self.seen.get(&hash) {
            Some(busy) if cpu.saturating_sub(busy.last) >= passed / 2 => {
                Busy { since: busy.since, last: cpu }
            }
            _ => Busy { since: cpu, last: cpu },
        }
    }
}

/// Names of threads that the JVM or the JDK starts for itself and keeps.
const OWN: [&str; 14] = [
    "main",
    "probat watchdog",
    "Reference Handler",
    "Finalizer",
    "Signal Dispatcher",
    "Service Thread",
    "Monitor Deflation Thread",
    "Common-Cleaner",
    "Notification Thread",
    "Attach Listener",
    "process reaper",
    "Keep-Alive-Timer",
    "VirtualThread-unblocker",
    "Cleaner-0",
];

/// Beginnings of such names that end in a number.
const OWN_PREFIXES: [&str; 4] = [
    "C1 CompilerThread",
    "C2 CompilerThread",
    "ForkJoinPool.commonPool-worker-",
    "ForkJoinPool.commonPool-delayScheduler",
];

fn is_of_the_jvm(class: &str, name: &str) -> bool {
    class.starts_with("jdk.internal.")
        || (class.starts_with("java.")
            && (OWN.contains(&name) || OWN_PREFIXES.iter().any(|prefix| name.starts_with(prefix))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_rests_starts_anew() {
        const TENTH: Duration = Duration::from_millis(100);
        let mut restless = Restless::new(5 * TENTH);
        let mut work = |cpu: u32| {
            let busy = restless.judge(1, TENTH * cpu, 2 * TENTH);
            restless.seen.insert(1, busy);
            (TENTH * cpu).saturating_sub(busy.since)
        };
        assert_eq!(work(10), Duration::ZERO);
        assert_eq!(work(12), 2 * TENTH);
        assert_eq!(work(13), 3 * TENTH);
        assert_eq!(work(13), Duration::ZERO);
        assert_eq!(work(14), TENTH);
    }

    #[test]
    fn threads_of_the_jvm_are_known_by_class_and_name() {
        for (class, name, own) in [
            ("java.lang.Thread", "main", true),
            ("java.lang.ref.Reference$ReferenceHandler", "Reference Handler", true),
            ("java.util.concurrent.ForkJoinWorkerThread", "ForkJoinPool.commonPool-worker-3", true),
            ("jdk.internal.misc.CarrierThread", "ForkJoinPool-1-worker-1", true),
            ("java.lang.Thread", "Thread-0", false),
            ("java.util.TimerThread", "Timer-0", false),
            ("evil.MyThread", "main", false),
            ("java.lang.Thread", "pool-1-thread-1", false),
        ] {
            assert_eq!(is_of_the_jvm(class, name), own, "{class} {name}");
        }
    }
}
