//! Native methods written in Rust, without `unsafe` on the writer's side.
//!
//! In: types that implement [`NativeMethod`]. Out: their registration with a class.
//! Refuses an implementation whose parameters differ from the descriptor it names. A panic in one is reported and
//! ends the process; an exception is what it returns as `Err`.

use std::ffi::{CString, c_void};
use std::fmt;

use jni_simple::{JNI_OK, JNIEnv, JNINativeMethod, jboolean, jobject};
use probat_model::{MethodDescriptor, Type};

use crate::agent;
use crate::env::Env;
use crate::member::Kind;
use crate::mutf8;
use crate::reference::{Class, Ref, Throwable, Thrown, raw_or_null};

/// A native method: its name, its types and its body.
///
/// `Params` is a tuple of up to six Rust types: `bool`, `i8`, `u16`, `i16`, `i32`, `i64`, `f32`, `f64` for the
/// primitives and [`AnyRef`] for references. A result is one of these or `()`; a reference result must be declared as
/// `java.lang.Object`, since nothing checks its class.
pub trait NativeMethod: 'static {
    const NAME: &'static str;
    const DESCRIPTOR: &'static str;
    type Params: Params;
    type Returns: Returns;

    /// Runs it. `this` is the receiver, or the class for a static method. `Err` is thrown.
    fn call<'a>(
        env: &mut Env<'a>,
        this: Ref<'a>,
        args: <Self::Params as Params>::Values<'a>,
    ) -> Result<<Self::Returns as Returns>::Value<'a>, Ref<'a, Throwable>>;
}

/// Stands for a parameter or result that is a reference; its value is `Option<Ref<'_>>`.
#[derive(Debug, Clone, Copy)]
pub enum AnyRef {}

/// The type of one parameter.
pub trait Param: 'static {
    type Raw;
    type Value<'a>;
    const KIND: Kind;

    /// # Safety
    /// The raw value is what the VM passed to a native method that runs for `'a`.
    #[doc(hidden)]
    unsafe fn receive<'a>(raw: Self::Raw) -> Self::Value<'a>;
}

/// The type of a result.
pub trait Returns: 'static {
    type Raw;
    type Value<'a>;
    const KIND: Option<Kind>;

    #[doc(hidden)]
    fn deliver(value: Self::Value<'_>) -> Self::Raw;

    /// What is answered beside an exception; the VM does not look at it.
    #[doc(hidden)]
    fn nothing() -> Self::Raw;
}

/// The types of all parameters: a tuple of [`Param`]s.
pub trait Params: 'static + Sized {
    type Values<'a>;

    #[doc(hidden)]
    fn kinds() -> Vec<Kind>;

    #[doc(hidden)]
    fn entry<M: NativeMethod<Params = Self>>() -> *const c_void;
}

macro_rules! numbers {
    ($($ty:ty => $kind:ident),*) => {$(
        impl Param for $ty {
            type Raw = $ty;
            type Value<'a> = $ty;
            const KIND: Kind = Kind::$kind;

            #[inline]
            unsafe fn receive<'a>(raw: $ty) -> Self::Value<'a> {
                raw
            }
        }

        impl Returns for $ty {
            type Raw = $ty;
            type Value<'a> = $ty;
            const KIND: Option<Kind> = Some(Kind::$kind);

            #[inline]
            fn deliver(value: $ty) -> $ty {
                value
            }

            fn nothing() -> $ty {
                <$ty>::default()
            }
        }
    )*};
}

numbers!(i8 => Byte, u16 => Char, i16 => Short, i32 => Int, i64 => Long, f32 => Float, f64 => Double);

impl Param for bool {
    type Raw = jboolean;
    type Value<'a> = bool;
    const KIND: Kind = Kind::Boolean;

    #[inline]
    unsafe fn receive<'a>(raw: jboolean) -> Self::Value<'a> {
        raw.as_bool()
    }
}

impl Returns for bool {
    type Raw = jboolean;
    type Value<'a> = bool;
    const KIND: Option<Kind> = Some(Kind::Boolean);

    #[inline]
    fn deliver(value: bool) -> jboolean {
        jboolean::from(value)
    }

    fn nothing() -> jboolean {
        jboolean::FALSE
    }
}

impl Param for AnyRef {
    type Raw = jobject;
    type Value<'a> = Option<Ref<'a>>;
    const KIND: Kind = Kind::Object;

    #[inline]
    unsafe fn receive<'a>(raw: jobject) -> Self::Value<'a> {
        // SAFETY: the caller promises that the VM passed it: null, or valid while the method runs.
        unsafe { Ref::from_raw(raw) }
    }
}

impl Returns for AnyRef {
    type Raw = jobject;
    type Value<'a> = Option<Ref<'a>>;
    const KIND: Option<Kind> = Some(Kind::Object);

    #[inline]
    fn deliver(value: Option<Ref<'_>>) -> jobject {
        raw_or_null(value)
    }

    fn nothing() -> jobject {
        std::ptr::null_mut()
    }
}

impl Returns for () {
    type Raw = ();
    type Value<'a> = ();
    const KIND: Option<Kind> = None;

    #[inline]
    fn deliver((): ()) {}

    fn nothing() {}
}

macro_rules! params {
    ($($ty:ident $arg:ident),*) => {
        impl<$($ty: Param),*> Params for ($($ty,)*) {
            type Values<'a> = ($($ty::Value<'a>,)*);

            fn kinds() -> Vec<Kind> {
                vec![$($ty::KIND),*]
            }

            fn entry<M: NativeMethod<Params = Self>>() -> *const c_void {
                /// What the VM calls: one argument each, as the descriptor has them.
                extern "system" fn enter<Body, $($ty: Param),*>(
                    jni: JNIEnv,
                    this: jobject,
                    $($arg: $ty::Raw),*
                ) -> <Body::Returns as Returns>::Raw
                where
                    Body: NativeMethod<Params = ($($ty,)*)>,
                {
                    $(
                        // SAFETY: the VM passed it to this native method, which is running.
                        let $arg = unsafe { $ty::receive($arg) };
                    )*
                    run::<Body>(jni, this, ($($arg,)*))
                }
                enter::<M, $($ty),*> as *const c_void
            }
        }
    };
}

params!();
params!(A a);
params!(A a, B b);
params!(A a, B b, C c);
params!(A a, B b, C c, D d);
params!(A a, B b, C c, D d, E e);
params!(A a, B b, C c, D d, E e, F f);

fn run<'a, M: NativeMethod>(
    jni: JNIEnv,
    this: jobject,
    args: <M::Params as Params>::Values<'a>,
) -> <M::Returns as Returns>::Raw {
    agent::guarded(M::NAME, || {
        // SAFETY: the VM passes this thread's environment; the method's own frame is open until it returns.
        let mut env = unsafe { Env::from_raw(jni) };
        // SAFETY: the VM passes the receiver or the class, valid until the method returns.
        let this = unsafe { Ref::from_raw(this) }.expect("a native method has a receiver or a class");
        match M::call(&mut env, this, args) {
            Ok(value) => M::Returns::deliver(value),
            Err(exception) => {
                // SAFETY: the reference is to a throwable.
                unsafe { jni.Throw(exception.raw()) };
                M::Returns::nothing()
            }
        }
    })
}

/// A native method ready to be registered; made by [`native`].
#[derive(Clone)]
pub struct NativeEntry {
    name: CString,
    descriptor: CString,
    entry: *const c_void,
}

impl fmt::Debug for NativeEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NativeEntry({:?}{:?})", self.name, self.descriptor)
    }
}

/// The entry of a native method.
///
/// # Panics
/// When the Rust types are not those of the descriptor.
pub fn native<M: NativeMethod>() -> NativeEntry {
    let parsed = MethodDescriptor::parse(M::DESCRIPTOR).expect("a native method names a descriptor");
    let declared: Vec<Kind> = parsed.params.iter().map(Kind::from).collect();
    assert_eq!(declared, M::Params::kinds(), "parameters of native method {}{}", M::NAME, M::DESCRIPTOR);
    let returns = parsed.returns.as_ref();
    assert_eq!(
        returns.map(Kind::from),
        M::Returns::KIND,
        "result of native method {}{}",
        M::NAME,
        M::DESCRIPTOR
    );
    assert!(
        returns.is_none_or(|ty| ty.is_primitive() || *ty == Type::class("java/lang/Object")),
        "a reference result of a native method is declared as Object: {}{}",
        M::NAME,
        M::DESCRIPTOR
    );
    NativeEntry {
        name: mutf8::encode(M::NAME),
        descriptor: mutf8::encode(M::DESCRIPTOR),
        entry: M::Params::entry::<M>(),
    }
}

impl<'f> Env<'f> {
    /// Binds native methods of a class. Throws `NoSuchMethodError` when the class has no such native method.
    pub fn register_natives(&self, class: Ref<'_, Class>, entries: &[NativeEntry]) -> Result<(), Thrown<'f>> {
        let raw: Vec<JNINativeMethod> = entries
            .iter()
            .map(|entry| JNINativeMethod::new(entry.name.as_ptr(), entry.descriptor.as_ptr(), entry.entry))
            .collect();
        assert!(self.is_reference_class(class), "a primitive type has no methods");
        // SAFETY: the texts outlive the call, and each entry has the parameters of its descriptor, as `native` saw.
        let registered = unsafe { self.jni.RegisterNatives_from_slice(class.raw(), &raw) };
        if registered == JNI_OK { self.check() } else { Err(self.take()) }
    }
}
