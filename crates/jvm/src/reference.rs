//! References to Java objects, tied to what keeps them alive.
//!
//! In: raw handles, inside this crate only.
//! Out: [`Ref`], [`Local`], [`Global`], [`Weak`] and [`Thrown`]; none is ever null, `Option` says what may be.
//! Never looks into an object; that is the work of [`Env`](crate::Env).
//!
//! A handle carries two facts in its type. The lifetime `'f` is the local frame (or the global) that keeps the object
//! reachable, so a handle cannot be used after its frame is popped. The marker `K` is what the object is known to be,
//! so an operation on arrays cannot be given a string.

use std::fmt;
use std::marker::PhantomData;
use std::ptr::NonNull;

use jni_simple::{JNI_VERSION_1_8, JNIEnv, jobject};

use crate::array::Primitive;
use crate::known::Known;
use crate::vm;

/// What a handle is known to point at. Implemented by the markers of this module alone.
pub trait Marker: sealed::Sealed + 'static {}

pub(crate) mod sealed {
    use crate::known::Known;
    use crate::reference::{Class, Global};

    pub trait Sealed {
        /// The class every object of this marker is an instance of; `None` stands for `java.lang.Object`.
        fn class(known: &Known) -> Option<&Global<Class>>;
    }
}

macro_rules! markers {
    ($($(#[$doc:meta])* $name:ident => $class:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy)]
        pub enum $name {}
        impl sealed::Sealed for $name {
            fn class(known: &Known) -> Option<&Global<Class>> {
                let class: fn(&Known) -> Option<&Global<Class>> = $class;
                class(known)
            }
        }
        impl Marker for $name {}
    )*};
}

markers! {
    /// Any object.
    Object => |_| None;
    /// An instance of `java.lang.Class`.
    Class => |known| Some(&known.class);
    /// An instance of `java.lang.String`.
    Str => |known| Some(&known.string);
    /// An instance of `java.lang.Throwable`.
    Throwable => |known| Some(&known.throwable);
    /// An instance of `java.lang.Thread`.
    Thread => |known| Some(&known.thread);
    /// An instance of `java.lang.ClassLoader`.
    Loader => |known| Some(&known.loader);
    /// An array of references of any type.
    ObjectArray => |known| Some(&known.object_array);
}

/// An array of primitives, named by the Rust type of its elements (see [`Primitive`](crate::Primitive)).
#[derive(Debug)]
pub struct ArrayOf<T>(std::convert::Infallible, PhantomData<T>);

impl<T: Primitive> sealed::Sealed for ArrayOf<T> {
    fn class(known: &Known) -> Option<&Global<Class>> {
        Some(&known.primitive_arrays[T::KIND as usize])
    }
}
impl<T: Primitive> Marker for ArrayOf<T> {}

/// A handle to an object that something else keeps alive for `'f`. As cheap as a pointer.
#[repr(transparent)]
pub struct Ref<'f, K: Marker = Object> {
    raw: NonNull<std::ffi::c_void>,
    alive: PhantomData<(&'f (), *const K)>,
}

impl<K: Marker> Clone for Ref<'_, K> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<K: Marker> Copy for Ref<'_, K> {}

impl<K: Marker> fmt::Debug for Ref<'_, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ref({:p})", self.raw)
    }
}

impl<'f, K: Marker> Ref<'f, K> {
    /// Takes a raw handle; `None` for null.
    ///
    /// # Safety
    /// The handle is valid for `'f` on this thread, and its object is what `K` says.
    #[inline]
    pub(crate) unsafe fn from_raw(raw: jobject) -> Option<Self> {
        NonNull::new(raw).map(|raw| Ref { raw, alive: PhantomData })
    }

    #[inline]
    pub(crate) fn raw(self) -> jobject {
        self.raw.as_ptr()
    }

    /// Forgets what the object is known to be.
    #[inline]
    pub fn erase(self) -> Ref<'f> {
        self.retype()
    }

    #[inline]
    pub(crate) fn retype<L: Marker>(self) -> Ref<'f, L> {
        Ref { raw: self.raw, alive: PhantomData }
    }
}

/// The raw form of something that may be null.
#[inline]
pub(crate) fn raw_or_null<K: Marker>(reference: Option<Ref<'_, K>>) -> jobject {
    reference.map_or(std::ptr::null_mut(), Ref::raw)
}

/// A local reference that may be given back before its frame is popped; see [`Env::delete`](crate::Env::delete).
///
/// Dropping it does nothing: the frame cleans up. [`Local::keep`] gives up the right to delete for a copyable handle.
#[must_use]
pub struct Local<'f, K: Marker = Object>(Ref<'f, K>);

impl<K: Marker> fmt::Debug for Local<'_, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Local({:p})", self.0.raw)
    }
}

impl<'f, K: Marker> Local<'f, K> {
    /// Takes a raw handle; `None` for null.
    ///
    /// # Safety
    /// The handle is a local reference of the frame `'f`, owned by the caller, and its object is what `K` says.
    #[inline]
    pub(crate) unsafe fn from_raw(raw: jobject) -> Option<Self> {
        // SAFETY: what the caller promises implies what `Ref` asks for.
        unsafe { Ref::from_raw(raw) }.map(Local)
    }

    /// A handle for as long as this one is not deleted.
    #[inline]
    pub fn get(&self) -> Ref<'_, K> {
        self.0
    }

    /// Leaves the object to its frame.
    #[inline]
    pub fn keep(self) -> Ref<'f, K> {
        self.0
    }

    /// Forgets what the object is known to be.
    #[inline]
    pub fn erase(self) -> Local<'f> {
        Local(self.0.erase())
    }

    #[inline]
    pub(crate) fn raw(&self) -> jobject {
        self.0.raw()
    }
}

/// A global reference: keeps its object alive on every thread until dropped.
///
/// Dropping it on a thread that is not attached leaks the reference, since only an attached thread can give it back.
pub struct Global<K: Marker = Object> {
    raw: NonNull<std::ffi::c_void>,
    kind: PhantomData<fn() -> K>,
}

// SAFETY: a global reference is valid on every thread (JNI specification, "Global and Local References").
unsafe impl<K: Marker> Send for Global<K> {}
// SAFETY: as above; all operations on it are reads.
unsafe impl<K: Marker> Sync for Global<K> {}

impl<K: Marker> fmt::Debug for Global<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Global({:p})", self.raw)
    }
}

impl<K: Marker> Global<K> {
    /// Takes a raw handle; `None` for null.
    ///
    /// # Safety
    /// The handle is a global reference owned by the caller, and its object is what `K` says.
    #[inline]
    pub(crate) unsafe fn from_raw(raw: jobject) -> Option<Self> {
        NonNull::new(raw).map(|raw| Global { raw, kind: PhantomData })
    }

    /// A handle for as long as this one lives.
    #[inline]
    pub fn get(&self) -> Ref<'_, K> {
        Ref { raw: self.raw, alive: PhantomData }
    }

    #[inline]
    pub(crate) fn raw(&self) -> jobject {
        self.raw.as_ptr()
    }
}

impl<K: Marker> Drop for Global<K> {
    fn drop(&mut self) {
        if let Some(jni) = current_thread() {
            // SAFETY: the reference is global, owned by `self`, and never used again.
            unsafe { jni.DeleteGlobalRef(self.raw()) }
        }
    }
}

/// A weak global reference: does not keep its object alive. See [`Env::upgrade`](crate::Env::upgrade).
pub struct Weak<K: Marker = Object> {
    raw: NonNull<std::ffi::c_void>,
    kind: PhantomData<fn() -> K>,
}

// SAFETY: a weak global reference is valid on every thread.
unsafe impl<K: Marker> Send for Weak<K> {}
// SAFETY: as above; all operations on it are reads.
unsafe impl<K: Marker> Sync for Weak<K> {}

impl<K: Marker> fmt::Debug for Weak<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Weak({:p})", self.raw)
    }
}

impl<K: Marker> Weak<K> {
    /// Takes a raw handle; `None` for null.
    ///
    /// # Safety
    /// The handle is a weak global reference owned by the caller, and its object is what `K` says.
    pub(crate) unsafe fn from_raw(raw: jobject) -> Option<Self> {
        NonNull::new(raw).map(|raw| Weak { raw, kind: PhantomData })
    }

    pub(crate) fn raw(&self) -> jobject {
        self.raw.as_ptr()
    }
}

impl<K: Marker> Drop for Weak<K> {
    fn drop(&mut self) {
        if let Some(jni) = current_thread() {
            // SAFETY: the reference is weak, owned by `self`, and never used again.
            unsafe { jni.DeleteWeakGlobalRef(self.raw()) }
        }
    }
}

fn current_thread() -> Option<JNIEnv> {
    let vm = vm::raw()?;
    // SAFETY: the VM is never destroyed, and the version asks for a table of JNI functions.
    unsafe { vm.GetEnv::<JNIEnv>(JNI_VERSION_1_8) }.ok()
}

/// A Java exception that a call ended with, already cleared from the thread.
#[must_use]
#[derive(Debug)]
pub struct Thrown<'f>(Local<'f, Throwable>);

impl<'f> Thrown<'f> {
    #[inline]
    pub(crate) fn new(throwable: Local<'f, Throwable>) -> Self {
        Thrown(throwable)
    }

    /// The exception object.
    #[inline]
    pub fn get(&self) -> Ref<'_, Throwable> {
        self.0.get()
    }

    /// The exception object, left to its frame.
    #[inline]
    pub fn keep(self) -> Ref<'f, Throwable> {
        self.0.keep()
    }

    /// The exception object, which may be deleted.
    #[inline]
    pub fn into_local(self) -> Local<'f, Throwable> {
        self.0
    }
}
