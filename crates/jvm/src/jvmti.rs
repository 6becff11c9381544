//! The tool interface: classes, threads, tags and the heap, seen from outside the program.
//!
//! In: handles of the calling thread. Out: facts about the VM, or a [`JvmtiError`] that names the function.
//! References it makes are branded with the frame of the [`Env`] that is passed along.

mod classes;
mod heap;
mod slot;
mod threads;

use std::fmt;

use jni_simple::{
    JVMTI_ERROR_NONE, JVMTI_ERROR_UNATTACHED_THREAD, JVMTIEnv, jvmtiError, jvmtiEvent, jvmtiEventMode,
};

use crate::mutf8;
use slot::TextSlot;

pub use classes::{ClassStatus, MemberDecl};
pub use threads::{ThreadInfo, ThreadState};

/// The tool interface. A copyable token, usable on every attached thread.
#[derive(Debug, Clone, Copy)]
pub struct Jvmti {
    pub(crate) raw: JVMTIEnv,
}

/// A function of the tool interface that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JvmtiError {
    /// The function, as the specification names it.
    pub function: &'static str,
    /// The number of the error.
    pub code: i32,
    /// Its name, `JVMTI_ERROR_THREAD_NOT_ALIVE`.
    pub name: String,
}

impl std::error::Error for JvmtiError {}

impl fmt::Display for JvmtiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} failed with {}", self.function, self.name)
    }
}

/// Who made the VM, and which Java it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VmVersion {
    /// The number people say: 8, 11, 17, 25.
    pub feature: u32,
    /// The full version, `17.0.15+6-Debian-1deb12u1`.
    pub full: String,
    pub vendor: String,
    /// The name of the VM, `OpenJDK 64-Bit Server VM`.
    pub name: String,
}

impl Jvmti {
    pub(crate) fn new(raw: JVMTIEnv) -> Self {
        Jvmti { raw }
    }

    /// The version of the tool interface itself, `0x3b0b0000` and the like.
    pub fn interface_version(&self) -> Result<u32, JvmtiError> {
        let mut version = 0;
        // SAFETY: the pointer is to a place for the version.
        self.check("GetVersionNumber", unsafe { self.raw.GetVersionNumber(&raw mut version) })?;
        Ok(version.cast_unsigned())
    }

    /// Which Java this is.
    pub fn version(&self) -> Result<VmVersion, JvmtiError> {
        let specification = self.system_property("java.vm.specification.version")?;
        let digits = specification.strip_prefix("1.").unwrap_or(&specification);
        Ok(VmVersion {
            feature: digits.split('.').next().and_then(|number| number.parse().ok()).unwrap_or(0),
            full: self.system_property("java.vm.version")?,
            vendor: self.system_property("java.vm.vendor")?,
            name: self.system_property("java.vm.name")?,
        })
    }

    /// A system property the VM itself knows, as it was at the start.
    pub fn system_property(&self, name: &str) -> Result<String, JvmtiError> {
        let name = mutf8::encode(name);
        let mut value = TextSlot::new(self);
        // SAFETY: the name ends with a zero and the pointer is to a place for the value.
        let code = unsafe { self.raw.GetSystemProperty(name.as_c_str(), value.place()) };
        self.check("GetSystemProperty", code)?;
        Ok(value.text().unwrap_or_default())
    }

    /// Switches [`Hooks::class_file`](crate::Hooks::class_file) on or off.
    pub fn set_class_hook(&self, on: bool) -> Result<(), JvmtiError> {
        let mode = if on { jvmtiEventMode::JVMTI_ENABLE } else { jvmtiEventMode::JVMTI_DISABLE };
        self.notify(jvmtiEvent::JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, mode)
    }

    pub(crate) fn notify(&self, event: jvmtiEvent, mode: jvmtiEventMode) -> Result<(), JvmtiError> {
        // SAFETY: a null thread means all threads.
        let code = unsafe { self.raw.SetEventNotificationMode(mode, event, std::ptr::null_mut()) };
        self.check("SetEventNotificationMode", code)
    }

    /// `Err` unless the code says that all is well.
    #[inline]
    fn check(&self, function: &'static str, code: jvmtiError) -> Result<(), JvmtiError> {
        if code == JVMTI_ERROR_NONE { Ok(()) } else { Err(self.error(function, code)) }
    }

    #[cold]
    fn error(&self, function: &'static str, code: jvmtiError) -> JvmtiError {
        let mut name = TextSlot::new(self);
        // SAFETY: the pointer is to a place for the name.
        let named = unsafe { self.raw.GetErrorName(code, name.place()) };
        let name = if named == JVMTI_ERROR_NONE { name.text() } else { None };
        let name = name.unwrap_or_else(|| match code {
            // The VM turns an unattached thread away, also when it asks what that is called.
            JVMTI_ERROR_UNATTACHED_THREAD => "JVMTI_ERROR_UNATTACHED_THREAD".into(),
            code => format!("error {}", code.0),
        });
        JvmtiError { function, code: code.0, name }
    }
}
