//! The JVM inside this process: safe wrappers over JNI, the Invocation API and JVMTI.
//!
//! In: the path of a `libjvm.so`, options, hooks. Out: [`Vm`], [`Env`], [`Jvmti`] and handles to Java objects.
//! Knows nothing of sequences, observations or limits; it is the one crate that talks to the VM, so that all others
//! forbid unsafe code.
//!
//! The shape:
//! - [`Vm::create`] makes the one VM of the process; [`Vm::attach_daemon`] lets further threads in.
//! - [`Attached::env`] gives the thread's outermost [`Env`]; [`Env::with_frame`] opens an inner one.
//! - [`Ref`] is a copyable handle that lives as long as its frame, [`Local`] one that can be deleted early,
//!   [`Global`] one that lives until dropped. `Option` says what may be null.
//! - [`Method`] and [`Field`] are looked up once and cached by the caller; [`Env::call`], [`Env::get`] and their
//!   siblings use them. See the module `member` for what is checked and what is trusted.
//! - A call that throws gives [`Thrown`], with nothing left pending.
//!
//! An executable that creates a VM must export the agent's entry point; its build script prints
//! `cargo:rustc-link-arg-bins=-Wl,--export-dynamic-symbol=Agent_OnLoad_probat`, and it calls [`keep_agent`].

mod agent;
mod array;
mod call;
mod env;
mod field;
mod jvmti;
mod known;
mod member;
mod mutf8;
mod native;
mod reference;
mod still;
mod string;
mod throwable;
mod vm;

pub use agent::{ClassFile, Hooks, NoHooks, Wants, keep_agent};
pub use array::{AnyArray, CriticalBytes, Primitive};
pub use call::{CallError, Rejection};
pub use env::Env;
pub use jvmti::{ClassStatus, Jvmti, JvmtiError, MemberDecl, ThreadInfo, ThreadState, VmVersion};
pub use member::{Dispatch, Field, FieldId, Kind, MemberError, Method, MethodId, Trust, Value};
pub use native::{AnyRef, NativeEntry, NativeMethod, Param, Params, Returns, native};
pub use reference::{
    ArrayOf, Class, Global, Loader, Local, Marker, Object, ObjectArray, Ref, Str, Thread, Throwable, Thrown,
    Weak,
};
pub use still::{Held, Layout, Place, Still};
pub use throwable::{Limits, Message, MessageFrom, StackFrame, ThrowableInfo};
pub use vm::{AttachError, Attached, LIBRARY_PLACES, Vm, VmError, VmOptions, find_library};
