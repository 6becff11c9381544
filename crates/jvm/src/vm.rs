//! Creating the VM inside this process and attaching threads to it.
//!
//! In: [`VmOptions`]. Out: the one [`Vm`] of the process and the [`Attached`] guard of the creating thread.
//! Never destroys the VM: that would wait for threads of the code under test. End the process instead.

use std::marker::PhantomData;
use std::os::fd::RawFd;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use jni_simple::{
    JNI_CreateJavaVM_with_string_args, JNI_EEXIST, JNI_VERSION_1_8, JNI_VERSION_10, JNIEnv, JavaVM,
    load_jvm_from_library,
};

use crate::agent::{self, Hooks};
use crate::env::Env;
use crate::jvmti::Jvmti;
use crate::known;
use crate::mutf8;

static VM: OnceLock<JavaVM> = OnceLock::new();
static STRICT: AtomicBool = AtomicBool::new(false);

/// Where a JDK or JRE keeps the VM, seen from its home.
pub const LIBRARY_PLACES: [&str; 5] = [
    "lib/server/libjvm.so",
    "jre/lib/amd64/server/libjvm.so",
    "jre/lib/aarch64/server/libjvm.so",
    "jre/lib/server/libjvm.so",
    "lib/client/libjvm.so",
];

/// How to create the VM.
#[derive(Debug)]
pub struct VmOptions {
    /// The file `libjvm.so`; see [`find_library`].
    pub library: PathBuf,
    /// Options as on the command line of `java`, but for the class path: `-Djava.class.path=…`.
    pub arguments: Vec<String>,
    /// What to tell about classes and threads.
    pub hooks: Box<dyn Hooks>,
    /// Where to say that a hook or a native method panicked, before the process is aborted.
    pub panic_fd: RawFd,
}

/// Why there is no VM.
#[derive(Debug, thiserror::Error)]
pub enum VmError {
    #[error("no libjvm.so in `{home}`, looked for {}", LIBRARY_PLACES.join(", "))]
    NoLibrary { home: PathBuf },
    #[error("cannot load `{path}`: {reason}")]
    Load { path: PathBuf, reason: String },
    #[error("this process has had a VM already, and it can have only one")]
    Second,
    #[error("the executable does not export `{0}`; link it with `--export-dynamic-symbol`")]
    AgentNotExported(&'static str),
    #[error("option `{0}` contains a zero byte")]
    ZeroInOption(String),
    #[error("the VM refused to start (JNI error {0})")]
    Refused(i32),
    #[error("JVMTI is not as expected: {0}")]
    Agent(String),
    #[error("the VM started, but a class or member of the JDK the wrappers lean on is missing")]
    UnknownJdk,
}

/// Why a thread could not be attached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AttachError {
    #[error("the thread is attached already")]
    Already,
    #[error("the VM refused to attach the thread (JNI error {0})")]
    Refused(i32),
}

/// The file `libjvm.so` of a Java home.
pub fn find_library(java_home: &Path) -> Result<PathBuf, VmError> {
    LIBRARY_PLACES
        .iter()
        .map(|place| java_home.join(place))
        .find(|path| path.is_file())
        .ok_or_else(|| VmError::NoLibrary { home: java_home.into() })
}

/// The VM of this process. A copyable token; threads get at it by attaching.
#[derive(Debug, Clone, Copy)]
pub struct Vm {
    raw: JavaVM,
    jvmti: Jvmti,
}

impl Vm {
    /// Loads `libjvm.so` and creates the VM, attaching this thread as its main thread.
    ///
    /// Call it on a thread whose stack size was chosen: the VM checks Java's stack use against that.
    pub fn create(options: VmOptions) -> Result<(Vm, Attached), VmError> {
        let VmOptions { library, mut arguments, hooks, panic_fd } = options;
        if let Some(bad) = arguments.iter().find(|argument| argument.contains('\0')) {
            return Err(VmError::ZeroInOption(bad.clone()));
        }
        agent::check_exported()?;
        agent::prepare(hooks, panic_fd).map_err(|()| VmError::Second)?;
        load(&library)?;
        STRICT.store(wants_strict(&arguments), Ordering::Relaxed);
        arguments.push(agent::OPTION.into());
        // SAFETY: `agent::prepare` lets one thread of the process through, so no VM was created before.
        let created = unsafe { JNI_CreateJavaVM_with_string_args(JNI_VERSION_10, &arguments, false) };
        let (raw, _jni) = created.map_err(|code| match code {
            JNI_EEXIST => VmError::Second,
            code => VmError::Refused(code),
        })?;
        let raw = *VM.get_or_init(|| raw);
        let jvmti = agent::jvmti().map_err(VmError::Agent)?;
        let mut attached = Attached { vm: raw, thread_bound: PhantomData };
        // In a frame of its own: each class looked up leaves a reference behind.
        let installed = attached.env().with_frame(64, |env| known::install(env).is_ok());
        if !matches!(installed, Ok(true)) {
            return Err(VmError::UnknownJdk);
        }
        agent::tell_of_threads(jvmti).map_err(VmError::Agent)?;
        Ok((Vm { raw, jvmti }, attached))
    }

    /// Attaches this thread as a daemon, which does not keep Java alive.
    pub fn attach_daemon(&self, name: &str) -> Result<Attached, AttachError> {
        if current(&self.raw).is_some() {
            return Err(AttachError::Already);
        }
        let name = mutf8::encode(name);
        // SAFETY: the VM is never destroyed; the name ends with a zero; a null group is the main one.
        let attached = unsafe {
            self.raw.AttachCurrentThreadAsDaemon_str(JNI_VERSION_1_8, name.as_c_str(), std::ptr::null_mut())
        };
        attached.map_err(AttachError::Refused)?;
        Ok(Attached { vm: self.raw, thread_bound: PhantomData })
    }

    /// The tool interface.
    #[inline]
    pub fn jvmti(&self) -> Jvmti {
        self.jvmti
    }
}

/// The attachment of this thread; dropping it detaches.
#[derive(Debug)]
pub struct Attached {
    vm: JavaVM,
    thread_bound: PhantomData<*const ()>,
}

impl Attached {
    /// The outermost frame of this thread. What is made in it stays until the thread detaches.
    #[inline]
    pub fn env(&mut self) -> Env<'_> {
        let jni = current(&self.vm).expect("the thread is attached while this guard lives");
        // SAFETY: the environment is this thread's; the guard is its only one, and borrowed for as long as the `Env`.
        unsafe { Env::from_raw(jni) }
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        // SAFETY: this thread was attached by the maker of this guard, no Java frame of it is active below a Rust one
        // that owns the guard, and every `Env` that borrowed it is gone.
        let _ = unsafe { self.vm.DetachCurrentThread() };
    }
}

/// The VM, once it is created.
pub(crate) fn raw() -> Option<&'static JavaVM> {
    VM.get()
}

/// Whether `-Xcheck:jni` is on.
#[inline]
pub(crate) fn is_strict() -> bool {
    STRICT.load(Ordering::Relaxed)
}

fn current(vm: &JavaVM) -> Option<JNIEnv> {
    // SAFETY: the VM is never destroyed, and the version asks for a table of JNI functions.
    unsafe { vm.GetEnv::<JNIEnv>(JNI_VERSION_1_8) }.ok()
}

/// Whether the VM will check our use of JNI, asked for by us or by the environment.
fn wants_strict(arguments: &[String]) -> bool {
    let flag = "-Xcheck:jni";
    let from_environment = ["JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS"].map(std::env::var_os);
    arguments.iter().any(|argument| argument == flag)
        || from_environment.iter().flatten().any(|options| options.to_string_lossy().contains(flag))
}

fn load(library: &Path) -> Result<(), VmError> {
    let failed = |reason: String| VmError::Load { path: library.into(), reason };
    let path = library.to_str().ok_or_else(|| failed("its path is not UTF-8".into()))?;
    // SAFETY: loading runs the initialisers of a VM the user named, which is what they asked for.
    unsafe { load_jvm_from_library(path) }.map_err(|error| failed(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_found_in_every_layout() {
        for place in LIBRARY_PLACES {
            let home = tempfile::tempdir().unwrap();
            let library = home.path().join(place);
            std::fs::create_dir_all(library.parent().unwrap()).unwrap();
            std::fs::write(&library, "").unwrap();
            assert_eq!(find_library(home.path()).unwrap(), library);
        }
    }

    #[test]
    fn a_home_without_library_is_named() {
        let home = tempfile::tempdir().unwrap();
        let error = find_library(home.path()).unwrap_err().to_string();
        assert!(error.starts_with(&format!("no libjvm.so in `{}`", home.path().display())), "{error}");
    }
}
