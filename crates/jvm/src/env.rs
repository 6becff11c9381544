//! One attached thread's view of the VM: frames, references, exceptions, classes.
//!
//! In: handles of this thread. Out: handles branded with the frame they live in, or [`Thrown`].
//! Never leaves an exception pending: a call that throws hands the exception over and clears it.
//!
//! # Why this is sound
//!
//! JNI puts every new local reference into the innermost open frame of the thread. `Env<'f>` stands for that frame
//! and there is one of it: it is neither `Copy` nor `Send`, attaching twice is refused, and
//! [`with_frame`](Env::with_frame) borrows it mutably, so that while the inner frame is open nobody can make
//! references through the outer one. The inner `Env<'i>` exists for every `'i` the caller cannot name, so what it
//! makes cannot leave the closure. Handles of outer frames stay usable inside, being plain copies:
//!
//! ```no_run
//! fn good(env: &mut probat_jvm::Env<'_>) {
//!     let outer = env.new_string_from("outer").unwrap().keep();
//!     let length = env.with_frame(1, |env| env.string_length(outer)).unwrap();
//!     assert_eq!(length, 5);
//! }
//! ```
//!
//! What is made inside cannot leave:
//!
//! ```compile_fail
//! fn bad(env: &mut probat_jvm::Env<'_>) {
//!     let inner = env.with_frame(1, |env| env.new_string_from("inner").unwrap().keep()).unwrap();
//! }
//! ```
//!
//! The outer frame cannot be used inside:
//!
//! ```compile_fail,E0502
//! fn bad(env: &mut probat_jvm::Env<'_>) {
//!     env.with_frame(1, |_inner| env.new_string_from("lost").is_ok()).unwrap();
//! }
//! ```
//!
//! What is deleted is gone, and another thread needs an `Env` of its own:
//!
//! ```compile_fail,E0505
//! fn bad(env: &mut probat_jvm::Env<'_>) {
//!     let text = env.new_string_from("text").unwrap();
//!     let handle = text.get();
//!     env.delete(text);
//!     env.string_length(handle);
//! }
//! ```
//!
//! ```compile_fail,E0277
//! fn bad(env: &mut probat_jvm::Env<'_>) {
//!     std::thread::scope(|scope| {
//!         scope.spawn(|| env.ensure_local_capacity(1).is_ok());
//!     });
//! }
//! ```

use std::ffi::CStr;
use std::marker::PhantomData;

use jni_simple::{JNI_OK, JNIEnv, jclass, jfieldID, jmethodID, jobject};

use crate::known::{self, known};
use crate::mutf8;
use crate::reference::{Class, Global, Loader, Local, Marker, Ref, Thrown, Weak, raw_or_null};
use crate::vm;

/// The innermost local frame of an attached thread, and every JNI function through it.
#[derive(Debug)]
pub struct Env<'f> {
    pub(crate) jni: JNIEnv,
    /// `-Xcheck:jni` wants each call followed by a look for an exception, even where the result rules one out.
    strict: bool,
    frame: PhantomData<fn(&'f ()) -> &'f ()>,
}

/// Pops a local frame, on the normal way out and when unwinding.
struct Frame(JNIEnv);

impl Drop for Frame {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the frame was pushed by the maker of this value and nothing below it was popped since.
        unsafe { self.0.PopLocalFrame(std::ptr::null_mut()) };
    }
}

impl<'f> Env<'f> {
    /// Wraps a raw environment.
    ///
    /// # Safety
    /// It belongs to this thread, its innermost frame stays open for `'f`, and no other `Env` of this frame is in use.
    #[inline]
    pub(crate) unsafe fn from_raw(jni: JNIEnv) -> Self {
        Env { jni, strict: vm::is_strict(), frame: PhantomData }
    }

    // ----- frames and references -------------------------------------------------------------------------------

    /// Runs `body` in a new local frame and pops it; every reference made inside dies with it.
    ///
    /// `capacity` is how many references are promised room, not a limit. Costs about 30 ns.
    #[inline]
    pub fn with_frame<R>(
        &mut self,
        capacity: u16,
        body: impl for<'i> FnOnce(&mut Env<'i>) -> R,
    ) -> Result<R, Thrown<'f>> {
        self.push(capacity)?;
        let _frame = Frame(self.jni);
        // SAFETY: the frame pushed above is innermost and open until `_frame` drops; `self` is borrowed meanwhile.
        let mut inner = unsafe { Env::from_raw(self.jni) };
        Ok(body(&mut inner))
    }

    /// As [`with_frame`](Env::with_frame), and carries one reference over into this frame.
    #[inline]
    pub fn with_frame_keeping(
        &mut self,
        capacity: u16,
        body: impl for<'i> FnOnce(&mut Env<'i>) -> Option<Ref<'i>>,
    ) -> Result<Option<Local<'f>>, Thrown<'f>> {
        self.push(capacity)?;
        let frame = Frame(self.jni);
        let kept = {
            // SAFETY: as in `with_frame`.
            let mut inner = unsafe { Env::from_raw(self.jni) };
            raw_or_null(body(&mut inner))
        };
        std::mem::forget(frame);
        // SAFETY: the frame is the one pushed above; `kept` is null or a reference of that frame or one below it.
        let moved = unsafe { self.jni.PopLocalFrame(kept) };
        // SAFETY: popping made `moved` a local reference of this frame.
        Ok(unsafe { Local::from_raw(moved) })
    }

    #[inline]
    fn push(&self, capacity: u16) -> Result<(), Thrown<'f>> {
        // SAFETY: no argument can be invalid.
        let pushed = unsafe { self.jni.PushLocalFrame(i32::from(capacity)) };
        if pushed == JNI_OK { Ok(()) } else { Err(self.take()) }
    }

    /// Asks for room for `capacity` more references in this frame.
    pub fn ensure_local_capacity(&self, capacity: u16) -> Result<(), Thrown<'f>> {
        // SAFETY: no argument can be invalid.
        let ensured = unsafe { self.jni.EnsureLocalCapacity(i32::from(capacity)) };
        if ensured == JNI_OK { Ok(()) } else { Err(self.take()) }
    }

    /// Gives a local reference back before its frame is popped.
    #[inline]
    pub fn delete<K: Marker>(&self, local: Local<'_, K>) {
        // SAFETY: `Local` owns the reference, and is consumed.
        unsafe { self.jni.DeleteLocalRef(local.raw()) }
    }

    /// A second local reference to the same object, in this frame.
    pub fn local<K: Marker>(&self, object: Ref<'_, K>) -> Result<Local<'f, K>, Thrown<'f>> {
        // SAFETY: the reference is valid.
        let raw = unsafe { self.jni.NewLocalRef(object.raw()) };
        // SAFETY: JNI answered it just above: null, or a new local reference of that type.
        unsafe { self.made(raw) }
    }

    /// Keeps an object alive beyond every frame.
    pub fn global<K: Marker>(&self, object: Ref<'_, K>) -> Result<Global<K>, Thrown<'f>> {
        // SAFETY: the reference is valid.
        let raw = unsafe { self.jni.NewGlobalRef(object.raw()) };
        // SAFETY: the reference was just made and has the same object.
        unsafe { Global::from_raw(raw) }.ok_or_else(|| self.out_of_references())
    }

    /// Remembers an object without keeping it alive.
    pub fn weak<K: Marker>(&self, object: Ref<'_, K>) -> Result<Weak<K>, Thrown<'f>> {
        // SAFETY: the reference is valid.
        let raw = unsafe { self.jni.NewWeakGlobalRef(object.raw()) };
        // SAFETY: the reference was just made and has the same object.
        unsafe { Weak::from_raw(raw) }.ok_or_else(|| self.out_of_references())
    }

    /// The object of a weak reference, unless it was collected.
    pub fn upgrade<K: Marker>(&self, weak: &Weak<K>) -> Option<Local<'f, K>> {
        // SAFETY: a weak reference may be given; the answer is null when its object is gone.
        let raw = unsafe { self.jni.NewLocalRef(weak.raw()) };
        // SAFETY: the reference was just made in this frame.
        unsafe { Local::from_raw(raw) }
    }

    // ----- exceptions ------------------------------------------------------------------------------------------

    /// Takes the pending exception.
    #[cold]
    #[inline(never)]
    pub(crate) fn take(&self) -> Thrown<'f> {
        // SAFETY: always allowed, pending exception or not.
        let raw = unsafe { self.jni.ExceptionOccurred() };
        // SAFETY: always allowed.
        unsafe { self.jni.ExceptionClear() };
        // SAFETY: the pending exception came as a new local reference of this frame, and is a throwable.
        let local = unsafe { Local::from_raw(raw) };
        Thrown::new(local.expect("the VM reported a failure, so an exception is pending"))
    }

    /// Whether each call must be followed by a look for an exception.
    #[inline]
    pub(crate) fn is_strict(&self) -> bool {
        self.strict
    }

    /// `Err` with the pending exception, if there is one.
    #[inline]
    pub(crate) fn check(&self) -> Result<(), Thrown<'f>> {
        // SAFETY: always allowed.
        if unsafe { self.jni.ExceptionCheck() } { Err(self.take()) } else { Ok(()) }
    }

    /// The reference a call answered with, which is null also when it threw.
    ///
    /// # Safety
    /// It is null, or a new local reference of this frame to what `K` says.
    #[inline]
    pub(crate) unsafe fn answered<K: Marker>(
        &self,
        raw: jobject,
    ) -> Result<Option<Local<'f, K>>, Thrown<'f>> {
        if raw.is_null() || self.strict {
            self.check()?;
        }
        // SAFETY: as the caller promises.
        Ok(unsafe { Local::from_raw(raw) })
    }

    /// The reference a call made, which is null only when it threw.
    ///
    /// # Safety
    /// As for [`answered`](Env::answered).
    #[inline]
    pub(crate) unsafe fn made<K: Marker>(&self, raw: jobject) -> Result<Local<'f, K>, Thrown<'f>> {
        // SAFETY: as the caller promises.
        unsafe { self.answered(raw) }?.ok_or_else(|| self.out_of_references())
    }

    /// Stands in where the VM answers null for want of memory without throwing.
    #[cold]
    fn out_of_references(&self) -> Thrown<'f> {
        self.exception("java/lang/OutOfMemoryError", "no room for a JNI reference")
    }

    /// A new exception of the class with this internal name, or whatever was thrown while making it.
    #[cold]
    pub fn exception(&self, class: &str, message: &str) -> Thrown<'f> {
        let found = match self.find_class(class) {
            Ok(found) => found,
            Err(thrown) => return thrown,
        };
        let text = mutf8::encode(message);
        let is_throwable = known::installed().is_none_or(|known| {
            self.is_reference_class(found.get())
                && self.is_assignable_from(known.throwable.get(), found.get())
        });
        assert!(is_throwable, "{class} is no class of exceptions");
        // SAFETY: `found` is a class of throwables, and the text ends with a zero.
        unsafe { self.jni.ThrowNew(found.raw(), text.as_c_str()) };
        self.delete(found);
        self.take()
    }

    // ----- classes and objects ---------------------------------------------------------------------------------

    /// Finds a class by internal name or array descriptor (`java/util/List`, `[I`) through the system class loader,
    /// or, inside a native method, through the loader of the class that declares it. Initialises it.
    pub fn find_class(&self, name: &str) -> Result<Local<'f, Class>, Thrown<'f>> {
        let name = mutf8::encode(name);
        // SAFETY: the name ends with a zero.
        let raw = unsafe { self.jni.FindClass(name.as_c_str()) };
        // SAFETY: JNI answered it just above: null, or a new local reference of that type.
        unsafe { self.made(raw) }
    }

    /// `Class.forName(name, initialize, loader)`; takes a binary name (`java.util.Map$Entry`, `[I`). A loader of `None`
    /// is the boot loader.
    pub fn load_class(
        &self,
        binary_name: &str,
        initialize: bool,
        loader: Option<Ref<'_, Loader>>,
    ) -> Result<Local<'f, Class>, Thrown<'f>> {
        let name = self.new_string_from(binary_name)?;
        let args = [name.raw().into(), initialize.into(), raw_or_null(loader).into()];
        let (class, id) = (known().class.raw(), known().ids.class_for_name.0);
        // SAFETY: the id is `Class.forName(String, boolean, ClassLoader)`, and the arguments are just that.
        let raw = unsafe { self.jni.CallStaticObjectMethodA(class, id, args.as_ptr()) };
        self.delete(name);
        // SAFETY: JNI answered it just above: null, or a new local reference of that type.
        unsafe { self.made(raw) }
    }

    /// Defines a class from its bytes. A loader of `None` is the boot loader, which also takes packages below `java`.
    pub fn define_class(
        &self,
        internal_name: &str,
        loader: Option<Ref<'_, Loader>>,
        bytes: &[u8],
    ) -> Result<Local<'f, Class>, Thrown<'f>> {
        let name = mutf8::encode(internal_name);
        let length = i32::try_from(bytes.len()).expect("a class file is smaller than 2 GiB");
        let data = bytes.as_ptr().cast();
        // SAFETY: the name ends with a zero, `data` has `length` bytes, and the VM checks what they say.
        let raw = unsafe { self.jni.DefineClass(name.as_c_str(), raw_or_null(loader), data, length) };
        // SAFETY: JNI answered it just above: null, or a new local reference of that type.
        unsafe { self.made(raw) }
    }

    /// The run-time class of an object.
    #[inline]
    pub fn object_class(&self, object: Ref<'_>) -> Local<'f, Class> {
        // SAFETY: the reference is valid and not null.
        let raw = unsafe { self.jni.GetObjectClass(object.raw()) };
        // SAFETY: a new local reference to a class.
        unsafe { Local::from_raw(raw) }.expect("every object has a class")
    }

    /// The superclass; `None` for `Object`, interfaces and primitives.
    #[inline]
    pub fn super_class(&self, class: Ref<'_, Class>) -> Option<Local<'f, Class>> {
        // SAFETY: the reference is to a class.
        let raw = unsafe { self.jni.GetSuperclass(class.raw()) };
        // SAFETY: null or a new local reference to a class.
        unsafe { Local::from_raw(raw) }
    }

    /// Whether both refer to one object.
    #[inline]
    pub fn is_same(&self, left: Ref<'_>, right: Ref<'_>) -> bool {
        // SAFETY: both references are valid.
        unsafe { self.jni.IsSameObject(left.raw(), right.raw()) }
    }

    /// Whether the object can be cast to the class.
    #[inline]
    pub fn is_instance_of(&self, object: Ref<'_>, class: Ref<'_, Class>) -> bool {
        // SAFETY: both references are valid, and `class` is a class.
        unsafe { self.jni.IsInstanceOf(object.raw(), class.raw()) }
    }

    /// Whether a value of class `from` may be stored in a variable of class `to`.
    #[inline]
    pub fn is_assignable_from(&self, to: Ref<'_, Class>, from: Ref<'_, Class>) -> bool {
        // SAFETY: both references are to classes; JNI names the source first.
        unsafe { self.jni.IsAssignableFrom(from.raw(), to.raw()) }
    }

    /// The object seen as what it is found to be, such as `env.cast::<Str>(object)`.
    #[inline]
    pub fn cast<'a, K: Marker>(&self, object: Ref<'a>) -> Option<Ref<'a, K>> {
        let is_one = K::class(known()).is_none_or(|class| self.is_instance_of(object, class.get()));
        is_one.then(|| object.retype())
    }

    /// The object seen as what the caller knows it is, on the caller's word as with
    /// [`Trust::Caller`](crate::Trust::Caller).
    #[inline]
    pub fn assume<'a, K: Marker>(&self, object: Ref<'a>) -> Ref<'a, K> {
        debug_assert!(self.cast::<K>(object).is_some(), "the object is not what the caller vouched for");
        object.retype()
    }

    /// Whether the class is one of objects: JNI has functions that break on `int.class` and its like. While the known
    /// classes are being looked up it is true of all, since they are.
    #[inline]
    pub(crate) fn is_reference_class(&self, class: Ref<'_, Class>) -> bool {
        known::installed().is_none_or(|known| self.is_assignable_from(known.object.get(), class))
    }

    // ----- ids, for this crate ---------------------------------------------------------------------------------

    pub(crate) fn method_id(
        &self,
        class: Ref<'_, Class>,
        name: &str,
        sig: &str,
    ) -> Result<jmethodID, Thrown<'f>> {
        self.look_up("java/lang/NoSuchMethodError", class, name, sig, |jni, class, name, sig| {
            // SAFETY: `class` is a class of objects and both texts end with a zero.
            unsafe { jni.GetMethodID(class, name, sig) }
        })
    }

    pub(crate) fn static_method_id(
        &self,
        class: Ref<'_, Class>,
        name: &str,
        sig: &str,
    ) -> Result<jmethodID, Thrown<'f>> {
        self.look_up("java/lang/NoSuchMethodError", class, name, sig, |jni, class, name, sig| {
            // SAFETY: `class` is a class of objects and both texts end with a zero.
            unsafe { jni.GetStaticMethodID(class, name, sig) }
        })
    }

    pub(crate) fn field_id(
        &self,
        class: Ref<'_, Class>,
        name: &str,
        sig: &str,
    ) -> Result<jfieldID, Thrown<'f>> {
        self.look_up("java/lang/NoSuchFieldError", class, name, sig, |jni, class, name, sig| {
            // SAFETY: `class` is a class of objects and both texts end with a zero.
            unsafe { jni.GetFieldID(class, name, sig) }
        })
    }

    pub(crate) fn static_field_id(
        &self,
        class: Ref<'_, Class>,
        name: &str,
        sig: &str,
    ) -> Result<jfieldID, Thrown<'f>> {
        self.look_up("java/lang/NoSuchFieldError", class, name, sig, |jni, class, name, sig| {
            // SAFETY: `class` is a class of objects and both texts end with a zero.
            unsafe { jni.GetStaticFieldID(class, name, sig) }
        })
    }

    fn look_up(
        &self,
        none: &str,
        class: Ref<'_, Class>,
        name: &str,
        sig: &str,
        get: impl FnOnce(&JNIEnv, jclass, &CStr, &CStr) -> jobject,
    ) -> Result<jobject, Thrown<'f>> {
        if !self.is_reference_class(class) {
            return Err(self.exception(none, name));
        }
        let (name, sig) = (mutf8::encode(name), mutf8::encode(sig));
        let id = get(&self.jni, class.raw(), &name, &sig);
        if id.is_null() { Err(self.take()) } else { Ok(id) }
    }
}
