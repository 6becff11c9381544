//! The statically linked JVMTI agent: entry point, event callbacks, hooks.
//!
//! In: the [`Hooks`] given before the VM is created. Out: calls of them on whatever thread the VM chooses.
//! A panic in a hook never unwinds into the VM: it is written to a file descriptor and the process aborts.
//!
//! HotSpot, told `-agentlib:probat`, looks for `Agent_OnLoad_probat` in the executable before it looks for a library,
//! so the executable must export that symbol (`-Wl,--export-dynamic-symbol=Agent_OnLoad_probat`).

use std::ffi::{CStr, c_char, c_uchar, c_void};
use std::fmt;
use std::fs::File;
use std::io::Write;
use std::mem::ManuallyDrop;
use std::os::fd::{FromRawFd, RawFd};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use jni_simple::{
    JNI_OK, JNIEnv, JVMTI_ERROR_NONE, JVMTI_VERSION_1_2, JVMTIEnv, JavaVM, jclass, jint, jlong, jobject,
    jthread, jvmtiCapabilities, jvmtiEvent, jvmtiEventCallbacks, jvmtiEventMode,
};

use crate::env::Env;
use crate::jvmti::Jvmti;
use crate::mutf8;
use crate::reference::{Class, Loader, Ref, Thread};
use crate::vm::VmError;

/// Tells the VM to run the agent.
pub(crate) const OPTION: &str = "-agentlib:probat";
const SYMBOL: &str = "Agent_OnLoad_probat";

static SETUP: OnceLock<Setup> = OnceLock::new();
static JVMTI: OnceLock<Result<JVMTIEnv, String>> = OnceLock::new();

struct Setup {
    hooks: Box<dyn Hooks>,
    panic_fd: RawFd,
}

/// Which events to be told of. Class files can also be switched on and off later.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Wants {
    /// [`Hooks::class_file`] from the start. Slows the start: the VM reads class files it would take from its archive.
    pub class_files: bool,
    /// [`Hooks::thread_start`] and [`Hooks::thread_end`], for threads that start once the VM is created.
    pub threads: bool,
}

/// A class file on its way into the VM.
#[derive(Debug)]
pub struct ClassFile<'a, 'f> {
    /// For comparing references. Nothing that may load a class or call Java is in order here.
    pub env: &'a Env<'f>,
    /// The internal name, where the VM knows it.
    pub name: Option<&'a str>,
    /// The defining loader; `None` is the boot loader.
    pub loader: Option<Ref<'f, Loader>>,
    /// The class that is being retransformed or redefined.
    pub existing: Option<Ref<'f, Class>>,
    /// The class file.
    pub bytes: &'a [u8],
}

/// What the VM tells, each on the thread it happens on.
pub trait Hooks: Send + Sync + fmt::Debug {
    /// Which events to be told of; asked while the VM is created.
    fn wants(&self) -> Wants;

    /// A class is loaded or retransformed. Answers other bytes to use instead.
    fn class_file(&self, _class: &ClassFile<'_, '_>) -> Option<Vec<u8>> {
        None
    }

    /// A thread begins to run.
    fn thread_start(&self, _env: &mut Env<'_>, _thread: Ref<'_, Thread>) {}

    /// A thread is about to end.
    fn thread_end(&self, _env: &mut Env<'_>, _thread: Ref<'_, Thread>) {}
}

/// No hooks at all.
#[derive(Debug, Clone, Copy)]
pub struct NoHooks;

impl Hooks for NoHooks {
    fn wants(&self) -> Wants {
        Wants::default()
    }
}

/// Keeps the linker from dropping the agent: reference it from the executable.
pub fn keep_agent() -> usize {
    Agent_OnLoad_probat as *const () as usize
}

/// Whether the executable exports the agent.
pub(crate) fn check_exported() -> Result<(), VmError> {
    unsafe extern "C" {
        fn dlsym(handle: *mut c_void, symbol: *const c_char) -> *mut c_void;
    }
    assert_ne!(keep_agent(), 0);
    // SAFETY: a null handle is the global scope (`RTLD_DEFAULT`), and the name ends with a zero.
    let found = unsafe { dlsym(std::ptr::null_mut(), c"Agent_OnLoad_probat".as_ptr()) };
    if found.is_null() { Err(VmError::AgentNotExported(SYMBOL)) } else { Ok(()) }
}

/// Remembers the hooks; `Err` when it was called before.
pub(crate) fn prepare(hooks: Box<dyn Hooks>, panic_fd: RawFd) -> Result<(), ()> {
    SETUP.set(Setup { hooks, panic_fd }).map_err(|_| ())
}

/// The environment the agent got.
pub(crate) fn jvmti() -> Result<Jvmti, String> {
    match JVMTI.get() {
        Some(Ok(raw)) => Ok(Jvmti::new(*raw)),
        Some(Err(reason)) => Err(reason.clone()),
        None => Err("the VM did not run the agent".into()),
    }
}

/// Begins to tell of threads, where that is wanted. Not before hooks can use all of [`Env`].
pub(crate) fn tell_of_threads(jvmti: Jvmti) -> Result<(), String> {
    if hooks().is_some_and(|hooks| hooks.wants().threads) {
        for event in [jvmtiEvent::JVMTI_EVENT_THREAD_START, jvmtiEvent::JVMTI_EVENT_THREAD_END] {
            jvmti.notify(event, jvmtiEventMode::JVMTI_ENABLE).map_err(|error| error.to_string())?;
        }
    }
    Ok(())
}

/// Runs what the VM called; a panic is reported and ends the process.
pub(crate) fn guarded<R>(place: &str, body: impl FnOnce() -> R) -> R {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|payload| {
        let text = payload.downcast_ref::<&str>().copied();
        let text =
            text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
        let fd = SETUP.get().map_or(2, |setup| setup.panic_fd);
        // SAFETY: the descriptor is only borrowed: the file is never dropped, hence never closed.
        let mut file = ManuallyDrop::new(unsafe { File::from_raw_fd(fd) });
        let _ = writeln!(file, "probat: panic in {place}: {text}");
        std::process::abort()
    })
}

/// The entry point of the agent; HotSpot calls it inside `JNI_CreateJavaVM`, in the OnLoad phase.
#[unsafe(no_mangle)]
#[allow(non_snake_case, reason = "JVMTI prescribes the name")]
pub extern "system" fn Agent_OnLoad_probat(
    vm: JavaVM,
    _options: *const c_char,
    _reserved: *mut c_void,
) -> jint {
    guarded("the agent's entry point", || {
        // A failure is reported by `Vm::create`; saying so here would have the VM end the process.
        JVMTI.get_or_init(|| on_load(vm));
        JNI_OK
    })
}

fn on_load(vm: JavaVM) -> Result<JVMTIEnv, String> {
    let setup = SETUP.get().ok_or("the agent ran before it was prepared")?;
    // SAFETY: the VM passes itself; the version asks for a table of JVMTI functions.
    let ti = unsafe { vm.GetEnv::<JVMTIEnv>(JVMTI_VERSION_1_2) }
        .map_err(|code| format!("GetEnv failed ({code})"))?;
    let wanted = capabilities();
    // SAFETY: the pointer is to a set of capabilities, only read.
    let added = unsafe { ti.AddCapabilities(&raw const wanted) };
    if added != JVMTI_ERROR_NONE {
        return Err(format!("AddCapabilities failed ({})", added.0));
    }
    let callbacks = jvmtiEventCallbacks::default()
        .with_ClassFileLoadHook(on_class_file)
        .with_ThreadStart(on_thread_start)
        .with_ThreadEnd(on_thread_end);
    // SAFETY: the pointer is to a table of callbacks, which the VM copies.
    let set = unsafe { ti.SetEventCallbacks(&raw const callbacks) };
    if set != JVMTI_ERROR_NONE {
        return Err(format!("SetEventCallbacks failed ({})", set.0));
    }
    if setup.hooks.wants().class_files {
        Jvmti::new(ti).set_class_hook(true).map_err(|error| error.to_string())?;
    }
    Ok(ti)
}

/// What the worker uses; nothing that would slow compiled code down.
fn capabilities() -> jvmtiCapabilities {
    let mut wanted = jvmtiCapabilities::default();
    wanted.set_can_generate_all_class_hook_events(true);
    wanted.set_can_retransform_classes(true);
    wanted.set_can_retransform_any_class(true);
    wanted.set_can_signal_thread(true);
    wanted.set_can_tag_objects(true);
    wanted.set_can_get_thread_cpu_time(true);
    wanted.set_can_get_constant_pool(true);
    wanted
}

fn hooks() -> Option<&'static dyn Hooks> {
    SETUP.get().map(|setup| &*setup.hooks)
}

#[allow(clippy::too_many_arguments, reason = "JVMTI prescribes the signature")]
extern "system" fn on_class_file(
    ti: JVMTIEnv,
    jni: JNIEnv,
    existing: jclass,
    loader: jobject,
    name: *const c_char,
    _protection_domain: jobject,
    length: jint,
    data: *const c_uchar,
    new_length: *mut jint,
    new_data: *mut *mut c_uchar,
) {
    guarded("the class hook", || {
        let Some(hooks) = hooks() else { return };
        // SAFETY: the VM passes this thread's environment, valid until the callback returns.
        let env = unsafe { Env::from_raw(jni) };
        let name = (!name.is_null()).then(|| {
            // SAFETY: the name is not null, ends with a zero and lives until the callback returns.
            mutf8::decode(unsafe { CStr::from_ptr(name) }.to_bytes())
        });
        let length = usize::try_from(length).expect("a class file has no negative length");
        let class = ClassFile {
            env: &env,
            name: name.as_deref(),
            // SAFETY: null or a reference to a class loader, valid until the callback returns.
            loader: unsafe { Ref::from_raw(loader) },
            // SAFETY: null or a reference to a class, valid until the callback returns.
            existing: unsafe { Ref::from_raw(existing) },
            // SAFETY: the VM passes `length` bytes that live until the callback returns.
            bytes: unsafe { std::slice::from_raw_parts(data, length) },
        };
        if let Some(replacement) = hooks.class_file(&class)
            && let Some(copy) = allocate(ti, &replacement)
        {
            // SAFETY: the VM passes a place for the length.
            unsafe { *new_length = replacement.len() as jint };
            // SAFETY: the VM passes a place for the bytes, which it frees.
            unsafe { *new_data = copy };
        }
    });
}

/// A copy in memory of the VM; `None` when there is none left, or the bytes are more than a class file can have.
fn allocate(ti: JVMTIEnv, bytes: &[u8]) -> Option<*mut c_uchar> {
    jint::try_from(bytes.len()).ok()?;
    let mut copy = std::ptr::null_mut();
    // SAFETY: the pointer is to a place for the address.
    let allocated = unsafe { ti.Allocate(bytes.len() as jlong, &raw mut copy) };
    if allocated != JVMTI_ERROR_NONE || copy.is_null() {
        return None;
    }
    // SAFETY: both have room for all bytes, and the new memory overlaps nothing.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), copy, bytes.len()) };
    Some(copy)
}

extern "system" fn on_thread_start(_ti: JVMTIEnv, jni: JNIEnv, thread: jthread) {
    guarded("the thread start hook", || {
        on_thread(jni, thread, |hooks, env, thread| hooks.thread_start(env, thread))
    });
}

extern "system" fn on_thread_end(_ti: JVMTIEnv, jni: JNIEnv, thread: jthread) {
    guarded("the thread end hook", || {
        on_thread(jni, thread, |hooks, env, thread| hooks.thread_end(env, thread))
    });
}

fn on_thread(jni: JNIEnv, thread: jthread, tell: impl FnOnce(&dyn Hooks, &mut Env<'_>, Ref<'_, Thread>)) {
    // SAFETY: the VM passes this thread's environment, valid until the callback returns.
    let mut env = unsafe { Env::from_raw(jni) };
    // SAFETY: the VM passes a reference to the thread, valid until the callback returns.
    if let (Some(hooks), Some(thread)) = (hooks(), unsafe { Ref::from_raw(thread) }) {
        tell(hooks, &mut env, thread);
    }
}
