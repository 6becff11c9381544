//! The native methods of `java/lang/$Probat`.
//!
//! In: calls from rewritten code. Out: a `SecurityException` where the policy forbids, and notes in [`Shared`].
//! Initialisers of instrumented classes report here too: the edges they hit credit no sequence, and the static fields
//! they leave behind are remembered.

use std::path::Path;
use std::sync::atomic::Ordering;

use probat_jvm::{
    AnyRef, ArrayOf, Class, Env, Field, Global, NativeEntry, NativeMethod, Ref, Str, Thread, Throwable,
    Trust, Value, native,
};
use probat_model::TaintKind;

use crate::fault::Fault;
use crate::jdk;
use crate::policy::{Decision, KINDS};
use crate::record;
use crate::shared::{self, PlainClass, Shared};
use crate::threads::foreign_name;

/// Units of a path or host that are kept.
const DETAIL: usize = 300;

/// How to tell what an attempt is aimed at, without running code of the code under test.
#[derive(Debug)]
pub struct Details {
    file: Global<Class>,
    file_path: Field,
    /// Classes of the JDK whose `toString` is harmless.
    printable: Vec<Global<Class>>,
    to_string: probat_jvm::Method,
}

impl Details {
    pub fn new(env: &mut Env<'_>) -> Result<Self, Fault> {
        let names =
            ["sun/nio/fs/UnixPath", "java/net/InetAddress", "java/net/InetSocketAddress", "java/net/URI"];
        Ok(Details {
            file: jdk::class(env, "java/io/File")?,
            file_path: jdk::field(env, "java/io/File", "path", "Ljava/lang/String;")?,
            printable: names.iter().filter_map(|name| jdk::class(env, name).ok()).collect(),
            to_string: jdk::method(env, "java/lang/Object", "toString", "()Ljava/lang/String;")?,
        })
    }

    /// What the object names; a class name where nothing better is safe to ask for.
    fn describe(&self, env: &mut Env<'_>, object: Ref<'_>) -> String {
        if let Some(text) = env.cast::<Str>(object) {
            return env.string_text(text, DETAIL);
        }
        if env.is_instance_of(object, self.file.get()) {
            return match env.get(&self.file_path, object, Trust::Caller) {
                Ok(Value::Object(Some(path))) => {
                    env.cast::<Str>(path).map(|path| env.string_text(path, DETAIL))
                }
                _ => None,
            }
            .unwrap_or_default();
        }
        if env.cast::<ArrayOf<i8>>(object).is_some() {
            // A name below an open folder, which may be any.
            return "/proc/self/fd".into();
        }
        let class = env.object_class(object);
        if self.printable.iter().any(|known| env.is_same(known.get().erase(), class.get().erase()))
            && let Ok(Some(Value::Object(Some(text)))) = env.call(&self.to_string, object, &[], Trust::Caller)
            && let Some(text) = env.cast::<Str>(text)
        {
            return env.string_text(text, DETAIL);
        }
        env.class_name(class.get(), DETAIL).unwrap_or_default()
    }
}

/// All natives of `$Probat`.
pub fn entries() -> Vec<NativeEntry> {
    vec![
        native::<Guard>(),
        native::<FieldRead>(),
        native::<FieldWritten>(),
        native::<ArrayWritten>(),
        native::<Enter>(),
        native::<Exit>(),
        native::<Threw>(),
        native::<Recount>(),
    ]
}

struct Guard;

impl NativeMethod for Guard {
    const NAME: &'static str = "guard";
    const DESCRIPTOR: &'static str = "(ILjava/lang/Object;)V";
    type Params = (i32, AnyRef);
    type Returns = ();

    fn call<'a>(
        env: &mut Env<'a>,
        _: Ref<'a>,
        (kind, detail): (i32, Option<Ref<'a>>),
    ) -> Result<(), Ref<'a, Throwable>> {
        let kind = usize::try_from(kind).ok().and_then(|kind| KINDS.get(kind).copied());
        match (Shared::get(), kind) {
            (Some(shared), Some(kind)) if !shared::is_ours() => judge(env, shared, kind, detail),
            _ => Ok(()),
        }
    }
}

fn judge<'a>(
    env: &mut Env<'a>,
    shared: &Shared,
    kind: TaintKind,
    detail: Option<Ref<'a>>,
) -> Result<(), Ref<'a, Throwable>> {
    let Some(jvm) = shared.jvm() else { return Ok(()) };
    let live = if kind == TaintKind::Threads { shared.thread_starting() } else { 0 };
    let text = match kind {
        // Which thread it is makes no difference.
        TaintKind::Threads => None,
        _ => detail.map(|object| jvm.detail.describe(env, object)),
    };
    if shared.policy.decide(kind, text.as_deref(), live) == Decision::Allow {
        note_allowed(env, shared, jvm, kind, detail, text.as_deref());
        return Ok(());
    }
    if kind == TaintKind::Threads {
        shared.thread_not_started();
    }
    let message = match &text {
        Some(text) => format!("{} is not allowed here: {text}", attempt(kind)),
        None => format!("{} is not allowed here", attempt(kind)),
    };
    let text = text.unwrap_or_else(|| attempt(kind).into());
    shared.taint(kind, text);
    match refusal(env, jvm, &message) {
        Some(exception) => Err(exception),
        // No memory for the refusal: the kernel's sandbox remains.
        None => Ok(()),
    }
}

/// What may happen while we look on, and yet makes a bad test.
fn note_allowed(
    env: &mut Env<'_>,
    shared: &Shared,
    jvm: &shared::Jvm,
    kind: TaintKind,
    detail: Option<Ref<'_>>,
    text: Option<&str>,
) {
    match kind {
        TaintKind::FileWrite | TaintKind::Listing => {
            if text.is_some_and(|path| !shared.policy.is_temporary(Path::new(path))) {
                shared.touched_files.store(true, Ordering::Relaxed);
            }
        }
        // An initialiser that looks for settings is run once, whatever the test.
        TaintKind::Asking => {
            let initialises = shared::on_executor(|executor| executor.depth > 0).unwrap_or(false);
            if !initialises && text.is_some_and(|path| shared.policy.is_up_to_the_machine(Path::new(path))) {
                shared.touched_files.store(true, Ordering::Relaxed);
            }
        }
        TaintKind::Threads => {
            let thread = detail.and_then(|thread| env.cast::<Thread>(thread));
            if thread.is_none_or(|thread| foreign_name(env, jvm.jvmti, thread).is_some()) {
                shared.started_threads.store(true, Ordering::Relaxed);
            }
        }
        TaintKind::Exit
        | TaintKind::Process
        | TaintKind::Network
        | TaintKind::Stdin
        | TaintKind::NativeLibrary
        | TaintKind::Display => {}
    }
}

fn refusal<'a>(env: &mut Env<'a>, jvm: &shared::Jvm, message: &str) -> Option<Ref<'a, Throwable>> {
    let text = match env.new_string_from(message) {
        Ok(text) => text.keep(),
        Err(exception) => return Some(exception.keep()),
    };
    match env.new_object(&jvm.refuse, &[Value::Object(Some(text.erase()))], Trust::Caller) {
        Ok(exception) => env.cast::<Throwable>(exception.keep()),
        Err(probat_jvm::CallError::Threw(exception)) => Some(exception.keep()),
        Err(probat_jvm::CallError::Rejected(_)) => None,
    }
}

fn attempt(kind: TaintKind) -> &'static str {
    match kind {
        TaintKind::Exit => "ending the JVM",
        TaintKind::Process => "starting a process",
        TaintKind::FileWrite => "changing a file",
        TaintKind::Network => "using the network",
        TaintKind::Threads => "starting one more thread",
        TaintKind::Stdin => "reading standard input",
        TaintKind::NativeLibrary => "loading a native library",
        TaintKind::Display => "opening a display",
        TaintKind::Listing => "listing a folder",
        TaintKind::Asking => "asking for a file",
    }
}

struct Enter;

impl NativeMethod for Enter {
    const NAME: &'static str = "enter";
    const DESCRIPTOR: &'static str = "(ILjava/lang/Object;[Ljava/lang/Object;)V";
    type Params = (i32, AnyRef, AnyRef);
    type Returns = ();

    /// An initialiser begins: what was hit so far belongs to the sequence. Or a recorded method does.
    fn call<'a>(
        env: &mut Env<'a>,
        _: Ref<'a>,
        (number, receiver, args): (i32, Option<Ref<'a>>, Option<Ref<'a>>),
    ) -> Result<(), Ref<'a, Throwable>> {
        if let Some(method) = record::method(number) {
            record::enter(env, method, receiver, args);
            return Ok(());
        }
        shared::on_executor(|executor| {
            if let Some(shared) = Shared::get() {
                shared.watch.initialises();
            }
            if executor.depth == 0 {
                // Without memory for it edges are lost, not invented.
                let _ = executor.probes.drain_midway(env, &mut executor.kept);
                if let Some(compared) = &mut executor.compared {
                    compared.hold(env);
                }
            }
            executor.depth += 1;
        });
        Ok(())
    }
}

/// An initialiser has ended: what was hit since it began belongs to nobody.
fn leave(env: &mut Env<'_>) {
    shared::on_executor(|executor| {
        executor.depth = executor.depth.saturating_sub(1);
        let _ = match (executor.depth, executor.starting) {
            (0, true) => executor.probes.drain_midway(env, &mut executor.kept),
            (0, false) => executor.probes.discard_midway(env),
            _ => Ok(()),
        };
        if let (0, Some(compared)) = (executor.depth, &executor.compared) {
            compared.release(env);
        }
    });
}

struct Exit;

impl NativeMethod for Exit {
    const NAME: &'static str = "exit";
    const DESCRIPTOR: &'static str = "(ILjava/lang/Object;)V";
    type Params = (i32, AnyRef);
    type Returns = ();

    /// Remembers the static fields the initialiser leaves behind.
    fn call<'a>(
        env: &mut Env<'a>,
        _: Ref<'a>,
        (number, result): (i32, Option<Ref<'a>>),
    ) -> Result<(), Ref<'a, Throwable>> {
        if let Some(method) = record::method(number) {
            record::leave(env, method, result, None);
            return Ok(());
        }
        if let Some(shared) = Shared::get() {
            remember_statics(env, shared, number.cast_unsigned());
        }
        leave(env);
        Ok(())
    }
}

/// Remembers the static fields of an instrumented class. What cannot be remembered is not put back later.
pub fn remember_statics(env: &mut Env<'_>, shared: &Shared, number: u32) {
    let (Some(jvm), Some(name)) = (shared.jvm(), shared.classes.get(number as usize)) else { return };
    let _ = env.with_frame(64, |env| {
        let class = shared
            .with_loader(|loader| env.load_class(&name.to_binary(), false, loader.map(Global::get)).ok());
        if let Some(class) = class {
            let _ = shared.statics().remember(env, jvm.jvmti, number, class.get());
        }
    });
}

/// Remembers classes that have static state but no initialiser, hence zeros to begin with.
pub fn remember_plain_classes(env: &mut Env<'_>, shared: &Shared) {
    let Some(jvm) = shared.jvm() else { return };
    let waiting = shared.take_plain_classes();
    if waiting.is_empty() {
        return;
    }
    let _ = env.with_frame(64, |env| {
        for plain in waiting {
            let Some(class) = plain.class.or_else(|| look_up(env, shared, plain.number)) else { continue };
            let initialised = jvm.jvmti.class_status(class.get()).is_ok_and(|status| status.is_initialized());
            if initialised {
                let _ = shared.statics().remember_zeros(env, jvm.jvmti, plain.number, class.get());
            } else {
                shared.plain_class(PlainClass { number: plain.number, class: Some(class) });
            }
        }
    });
}

fn look_up(env: &mut Env<'_>, shared: &Shared, number: u32) -> Option<Global<Class>> {
    let name = shared.classes.get(number as usize)?.to_binary();
    let class = shared.with_loader(|loader| env.load_class(&name, false, loader.map(Global::get)).ok())?;
    let global = env.global(class.get()).ok();
    env.delete(class);
    global
}

struct Threw;

impl NativeMethod for Threw {
    const NAME: &'static str = "threw";
    const DESCRIPTOR: &'static str = "(ILjava/lang/Throwable;)V";
    type Params = (i32, AnyRef);
    type Returns = ();

    /// A failed initialiser changes what later sequences see, so the loader has to go.
    fn call<'a>(
        env: &mut Env<'a>,
        _: Ref<'a>,
        (number, thrown): (i32, Option<Ref<'a>>),
    ) -> Result<(), Ref<'a, Throwable>> {
        if let Some(method) = record::method(number) {
            record::leave(env, method, None, thrown);
            return Ok(());
        }
        if let Some(shared) = Shared::get() {
            shared.class_failed(number.cast_unsigned());
        }
        leave(env);
        Ok(())
    }
}

struct Recount;

impl NativeMethod for Recount {
    const NAME: &'static str = "recount";
    const DESCRIPTOR: &'static str = "(I)V";
    type Params = (i32,);
    type Returns = ();

    /// Calls under way were lost count of.
    fn call<'a>(env: &mut Env<'a>, _: Ref<'a>, (beginning,): (i32,)) -> Result<(), Ref<'a, Throwable>> {
        record::recount(env, beginning);
        Ok(())
    }
}

/// Natives that only other uses of the passes report to.
macro_rules! unused {
    ($($native:ident $name:literal $descriptor:literal $params:ty, $values:ty;)*) => {$(
        struct $native;

        impl NativeMethod for $native {
            const NAME: &'static str = $name;
            const DESCRIPTOR: &'static str = $descriptor;
            type Params = $params;
            type Returns = ();

            fn call<'a>(_: &mut Env<'a>, _: Ref<'a>, _: $values) -> Result<(), Ref<'a, Throwable>> {
                Ok(())
            }
        }
    )*};
}

unused! {
    FieldRead "fieldRead" "(Ljava/lang/Object;I)V" (AnyRef, i32), (Option<Ref<'a>>, i32);
    FieldWritten "fieldWritten" "(Ljava/lang/Object;I)V" (AnyRef, i32), (Option<Ref<'a>>, i32);
    ArrayWritten "arrayWritten" "(Ljava/lang/Object;)V" (AnyRef,), (Option<Ref<'a>>,);
}
