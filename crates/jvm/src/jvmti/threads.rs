//! Threads: which there are, what they do, stopping them.

use jni_simple::{
    JVMTI_THREAD_STATE_ALIVE, JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER, JVMTI_THREAD_STATE_INTERRUPTED,
    JVMTI_THREAD_STATE_RUNNABLE, JVMTI_THREAD_STATE_TERMINATED, JVMTI_THREAD_STATE_WAITING,
    JVMTI_THREAD_STATE_WAITING_INDEFINITELY, jint, jvmtiThreadInfo,
};
use std::time::Duration;

use crate::env::Env;
use crate::jvmti::slot::{ArraySlot, TextSlot};
use crate::jvmti::{Jvmti, JvmtiError};
use crate::reference::{Local, Ref, Thread, Throwable};

/// What a thread is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThreadState(jint);

impl ThreadState {
    /// It was started and has not ended.
    pub fn is_alive(self) -> bool {
        self.0 & JVMTI_THREAD_STATE_ALIVE != 0
    }

    /// It has ended.
    pub fn is_terminated(self) -> bool {
        self.0 & JVMTI_THREAD_STATE_TERMINATED != 0
    }

    /// It runs, or could.
    pub fn is_runnable(self) -> bool {
        self.0 & JVMTI_THREAD_STATE_RUNNABLE != 0
    }

    /// It waits for a lock someone else holds; nothing but that someone ends this.
    pub fn is_blocked(self) -> bool {
        self.0 & JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER != 0
    }

    /// It sleeps, parks or waits.
    pub fn is_waiting(self) -> bool {
        self.0 & JVMTI_THREAD_STATE_WAITING != 0
    }

    /// It waits, and no clock will wake it.
    pub fn is_waiting_for_ever(self) -> bool {
        self.0 & JVMTI_THREAD_STATE_WAITING_INDEFINITELY != 0
    }

    /// An interrupt is pending.
    pub fn is_interrupted(self) -> bool {
        self.0 & JVMTI_THREAD_STATE_INTERRUPTED != 0
    }
}

/// Who a thread is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadInfo {
    pub name: String,
    pub priority: i32,
    pub is_daemon: bool,
}

impl Jvmti {
    /// Every live platform thread, those of the VM included.
    pub fn all_threads<'f>(&self, env: &Env<'f>) -> Result<Vec<Local<'f, Thread>>, JvmtiError> {
        let mut found = ArraySlot::new(self);
        let (count, threads) = found.places();
        // SAFETY: both pointers are to places for the answer.
        self.check("GetAllThreads", unsafe { self.raw.GetAllThreads(count, threads) })?;
        // SAFETY: the references are new, and to threads.
        Ok(unsafe { found.locals(env) })
    }

    /// The calling thread.
    pub fn current_thread<'f>(&self, _env: &Env<'f>) -> Result<Local<'f, Thread>, JvmtiError> {
        let mut thread = std::ptr::null_mut();
        // SAFETY: the pointer is to a place for the answer.
        self.check("GetCurrentThread", unsafe { self.raw.GetCurrentThread(&raw mut thread) })?;
        // SAFETY: a new local reference of this thread's innermost frame.
        Ok(unsafe { Local::from_raw(thread) }.expect("an attached thread has a thread object"))
    }

    /// What a thread is doing.
    pub fn thread_state(&self, thread: Ref<'_, Thread>) -> Result<ThreadState, JvmtiError> {
        let mut state = 0;
        // SAFETY: the reference is to a thread, and the pointer to a place for the answer.
        self.check("GetThreadState", unsafe { self.raw.GetThreadState(thread.raw(), &raw mut state) })?;
        Ok(ThreadState(state))
    }

    /// Who a thread is.
    pub fn thread_info(&self, env: &Env<'_>, thread: Ref<'_, Thread>) -> Result<ThreadInfo, JvmtiError> {
        let mut info = jvmtiThreadInfo::default();
        // SAFETY: the reference is to a thread, and the pointer to a place for the answer.
        self.check("GetThreadInfo", unsafe { self.raw.GetThreadInfo(thread.raw(), &raw mut info) })?;
        for raw in [info.thread_group, info.context_class_loader] {
            // SAFETY: null or a new local reference, of which no other copy exists.
            if let Some(local) = unsafe { Local::<crate::Object>::from_raw(raw) } {
                env.delete(local);
            }
        }
        // SAFETY: the function allocated the name for its caller.
        let name = unsafe { TextSlot::owning(self, info.name.cast_mut()) };
        Ok(ThreadInfo {
            name: name.text().unwrap_or_default(),
            priority: info.priority,
            is_daemon: info.is_daemon.as_bool(),
        })
    }

    /// Processor time a thread has used, the calling one or another.
    #[inline]
    pub fn thread_cpu_time(&self, thread: Ref<'_, Thread>) -> Result<Duration, JvmtiError> {
        let mut nanos = 0;
        // SAFETY: the reference is to a thread, and the pointer to a place for the answer.
        self.check("GetThreadCpuTime", unsafe { self.raw.GetThreadCpuTime(thread.raw(), &raw mut nanos) })?;
        Ok(Duration::from_nanos(nanos.unsigned_abs()))
    }

    /// Throws an exception in another thread, wherever it is in Java code. It may catch it, and does not notice while
    /// it waits for a lock.
    pub fn stop_thread(
        &self,
        thread: Ref<'_, Thread>,
        exception: Ref<'_, Throwable>,
    ) -> Result<(), JvmtiError> {
        // SAFETY: the references are to a thread and to a throwable.
        self.check("StopThread", unsafe { self.raw.StopThread(thread.raw(), exception.raw()) })
    }

    /// As `Thread.interrupt`.
    pub fn interrupt_thread(&self, thread: Ref<'_, Thread>) -> Result<(), JvmtiError> {
        // SAFETY: the reference is to a thread.
        self.check("InterruptThread", unsafe { self.raw.InterruptThread(thread.raw()) })
    }
}
