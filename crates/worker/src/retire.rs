//! Ends the threads of pools that a sequence leaves behind.
//!
//! In: a thread that is not the JVM's own. Out: whether it belonged to a pool of the JDK, which was told to shut down. Interrupting such a thread
//! is not enough: the pool starts another in its place. What is asked of the pool is the JDK's own code, whatever a subclass makes of it.

use probat_jvm::{Class, Env, Field, Global, Method, Ref, Thread, Trust};

use crate::fault::Fault;
use crate::{jdk, shared};

/// What leads from a thread to its pool.
#[derive(Debug)]
pub struct Pools {
    /// From a thread to what it runs: one field up to JDK 18, two since.
    task: Vec<Field>,
    worker: Global<Class>,
    pool: Field,
    shut_down: Method,
}

impl Pools {
    pub fn find(env: &mut Env<'_>) -> Result<Self, Fault> {
        const POOL: &str = "java/util/concurrent/ThreadPoolExecutor";
        const WORKER: &str = "java/util/concurrent/ThreadPoolExecutor$Worker";
        const RUNNABLE: &str = "Ljava/lang/Runnable;";
        let task = match jdk::field(env, "java/lang/Thread", "target", RUNNABLE) {
            Ok(target) => vec![target],
            Err(_) => vec![
                jdk::field(env, "java/lang/Thread", "holder", "Ljava/lang/Thread$FieldHolder;")?,
                jdk::field(env, "java/lang/Thread$FieldHolder", "task", RUNNABLE)?,
            ],
        };
        Ok(Pools {
            task,
            worker: jdk::class(env, WORKER)?,
            pool: jdk::field(env, WORKER, "this$0", &format!("L{POOL};"))?,
            shut_down: jdk::method(env, POOL, "shutdownNow", "()Ljava/util/List;")?,
        })
    }

    /// Shuts down the pool of a thread; false if it has none.
    pub fn retire(&self, env: &mut Env<'_>, thread: Ref<'_, Thread>) -> bool {
        let retired = env.with_frame(8, |env| {
            let mut at = env.local(thread.erase()).ok()?;
            for field in &self.task {
                at = env.get_object(field, at.get(), Trust::Nothing).ok()??;
            }
            if !env.is_instance_of(at.get(), self.worker.get()) {
                return None;
            }
            let pool = env.get_object(&self.pool, at.get(), Trust::Nothing).ok()??;
            // A hook of a subclass may throw; the pool is shut all the same.
            let _ = shared::for_ourselves(|| {
                env.call_nonvirtual(&self.shut_down, pool.get(), &[], Trust::Nothing).map(|_| ())
            });
            Some(())
        });
        matches!(retired, Ok(Some(())))
    }
}
