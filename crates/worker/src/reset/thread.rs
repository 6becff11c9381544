//! What a sequence leaves on the executor's thread: thread-locals, an interrupt, a context loader.
//!
//! All three are fields, so looking costs nanoseconds and needs no marks.

use probat_jvm::{Env, Field, Global, Loader, Method, Ref, Thread, Trust, Value};
use probat_model::Leak;

use super::Dirty;
use crate::fault::Fault;
use crate::jdk;

#[derive(Debug)]
pub struct ThreadState {
    thread: Global<Thread>,
    /// `threadLocals`, `inheritableThreadLocals`.
    locals: Vec<Field>,
    /// A field since JDK 14; before, only the method tells.
    interrupted: Option<Field>,
    is_interrupted: Method,
    clear: Method,
    context: Field,
    loader: Option<Global<Loader>>,
}

impl ThreadState {
    pub fn remember(env: &mut Env<'_>, thread: Ref<'_, Thread>) -> Result<Self, Fault> {
        let class = "java/lang/Thread";
        let map = "Ljava/lang/ThreadLocal$ThreadLocalMap;";
        Ok(ThreadState {
            thread: env.global(thread).map_err(|_| Fault::missing("memory"))?,
            locals: vec![
                jdk::field(env, class, "threadLocals", map)?,
                jdk::field(env, class, "inheritableThreadLocals", map)?,
            ],
            interrupted: jdk::field(env, class, "interrupted", "Z").ok(),
            is_interrupted: jdk::method(env, class, "isInterrupted", "()Z")?,
            clear: jdk::static_method(env, class, "interrupted", "()Z")?,
            context: jdk::field(env, class, "contextClassLoader", "Ljava/lang/ClassLoader;")?,
            loader: None,
        })
    }

    pub fn set_context_loader(&mut self, env: &mut Env<'_>, loader: Ref<'_, Loader>) -> Result<(), Fault> {
        self.loader = Some(env.global(loader).map_err(|_| Fault::missing("memory"))?);
        self.put_context(env)
    }

    fn put_context(&self, env: &mut Env<'_>) -> Result<(), Fault> {
        let loader = Value::Object(self.loader.as_ref().map(|loader| loader.get().erase()));
        env.set(&self.context, self.thread.get().erase(), loader, Trust::Nothing)
            .map_err(|error| Fault::call(env, "set the context class loader", error))
    }

    /// Thread-locals, an interrupt or another context loader to clear? The loader counts among the thread-locals.
    #[inline]
    pub fn look(&self, env: &Env<'_>) -> Dirty {
        let thread = self.thread.get().erase();
        let mut dirty = if self.has_our_loader(env) {
            Dirty::default()
        } else {
            Dirty::default().with(Leak::ThreadLocals)
        };
        // The fields were looked up in `Thread`, and `thread` is one.
        for field in &self.locals {
            if let Ok(Some(map)) = env.get_object(field, thread, Trust::Caller) {
                env.delete(map);
                dirty = dirty.with(Leak::ThreadLocals);
            }
        }
        let interrupted = match &self.interrupted {
            Some(field) => matches!(env.get(field, thread, Trust::Caller), Ok(Value::Boolean(true))),
            None => {
                let asked = env.call(&self.is_interrupted, thread, &[], Trust::Caller);
                matches!(asked, Ok(Some(Value::Boolean(true))))
            }
        };
        if interrupted { dirty.with(Leak::Interrupt) } else { dirty }
    }

    fn has_our_loader(&self, env: &Env<'_>) -> bool {
        // The field was looked up in `Thread`, and `thread` is one.
        let found = env.get_object(&self.context, self.thread.get().erase(), Trust::Caller);
        match (found, &self.loader) {
            (Ok(Some(found)), Some(ours)) => {
                let same = env.is_same(found.get(), ours.get().erase());
                env.delete(found);
                same
            }
            (Ok(None), None) => true,
            _ => false,
        }
    }

    /// Also puts the context loader back.
    pub fn clear_locals(&self, env: &mut Env<'_>) -> Result<bool, Fault> {
        for field in &self.locals {
            env.set(field, self.thread.get().erase(), Value::Object(None), Trust::Nothing)
                .map_err(|error| Fault::call(env, "clear thread-locals", error))?;
        }
        self.put_context(env)?;
        Ok(true)
    }

    pub fn clear_interrupt(&self, env: &mut Env<'_>) -> Result<bool, Fault> {
        env.call_static(&self.clear, &[], Trust::Nothing)
            .map_err(|error| Fault::call(env, "clear an interrupt", error))?;
        Ok(true)
    }
}
