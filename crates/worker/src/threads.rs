//! Threads that outlive the sequence that started them.
//!
//! In: a JVM after a sequence. Out: whether one is left that is not the JVM's own, after asking it politely to end.

use std::time::{Duration, Instant};

use probat_jvm::{Env, Jvmti, Ref, Thread};

use crate::fault::Fault;
use crate::shared::Shared;

/// How long interrupted threads get to end.
const PATIENCE: Duration = Duration::from_millis(20);

/// The name of a thread of the code under test that does not end.
pub fn survivor(env: &mut Env<'_>, jvmti: Jvmti, shared: &Shared) -> Result<Option<String>, Fault> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let left = env.with_frame(256, |env| foreign(env, jvmti));
        let left = match left {
            Ok(left) => left?,
            Err(exception) => return Err(Fault::threw(env, "list threads", exception)),
        };
        if left.is_none() {
            // Whatever is left belongs to the JVM.
            shared.set_thread_baseline();
            return Ok(None);
        }
        if Instant::now() >= deadline {
            return Ok(left);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Interrupts every foreign thread, and names one.
fn foreign(env: &mut Env<'_>, jvmti: Jvmti) -> Result<Option<String>, Fault> {
    let mut found = None;
    for thread in jvmti.all_threads(env)? {
        if let Some(name) = foreign_name(env, jvmti, thread.get()) {
            // It may have ended meanwhile.
            let _ = jvmti.interrupt_thread(thread.get());
            found = Some(name);
        }
    }
    Ok(found)
}

fn foreign_name(env: &mut Env<'_>, jvmti: Jvmti, thread: Ref<'_, Thread>) -> Option<String> {
    let info = jvmti.thread_info(env, thread).ok()?;
    let class = env.object_class(thread.erase());
    let class_name = env.class_name(class.get(), 300).unwrap_or_default();
    env.delete(class);
    (!is_of_the_jvm(&class_name, &info.name)).then_some(info.name)
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
