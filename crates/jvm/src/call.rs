//! Calling Java: methods, constructors, allocation.
//!
//! In: a [`Method`], a receiver, arguments. Out: the result, the exception, or a [`Rejection`] without any call.
//! Pushes no frame and allocates nothing for up to eight arguments.

use std::mem::MaybeUninit;

use jni_simple::jvalue;

use crate::env::Env;
use crate::member::{Dispatch, Kind, Method, Trust, Value};
use crate::reference::{Class, Local, Ref, Thrown};

/// Why a call did not give a result.
#[derive(Debug)]
pub enum CallError<'f> {
    /// The method ran and threw.
    Threw(Thrown<'f>),
    /// The method was not called, since it cannot take what was given.
    Rejected(Rejection),
}

impl<'f> From<Thrown<'f>> for CallError<'f> {
    #[inline]
    fn from(thrown: Thrown<'f>) -> Self {
        CallError::Threw(thrown)
    }
}

impl From<Rejection> for CallError<'_> {
    #[inline]
    fn from(rejection: Rejection) -> Self {
        CallError::Rejected(rejection)
    }
}

/// What does not fit between a member and the values given for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    #[error("the method is of another sort: instance, static or constructor")]
    Dispatch,
    #[error("the number of arguments differs from the number of parameters")]
    Count,
    #[error("argument {at} is of another kind than its parameter")]
    Kind { at: usize },
    #[error("argument {at} is no instance of its parameter's class")]
    Argument { at: usize },
    #[error("the receiver is no instance of the member's class")]
    Receiver,
}

/// Room for arguments in the form JNI reads, on the stack when there are few.
struct Room {
    few: [MaybeUninit<jvalue>; 8],
    many: Vec<jvalue>,
}

impl Room {
    /// Nothing is written yet. Made where the call is made, since moving it would cost more than the rest.
    #[inline(always)]
    fn new() -> Self {
        Room { few: [MaybeUninit::uninit(); 8], many: Vec::new() }
    }

    /// Converts the arguments, and compares their kinds with the descriptor. The answer points into this room, or
    /// nowhere when there are none.
    #[inline(always)]
    fn fill(&mut self, method: &Method, args: &[Value<'_>]) -> Result<*const jvalue, Rejection> {
        if args.len() != method.params.len() {
            return Err(Rejection::Count);
        }
        if args.len() > self.few.len() {
            return self.fill_many(method, args);
        }
        for (at, arg) in args.iter().enumerate() {
            if arg.kind() != method.params[at] {
                return Err(Rejection::Kind { at });
            }
            self.few[at].write(arg.raw());
        }
        Ok(self.few.as_ptr().cast())
    }

    #[cold]
    fn fill_many(&mut self, method: &Method, args: &[Value<'_>]) -> Result<*const jvalue, Rejection> {
        if let Some(at) = args.iter().zip(&method.params).position(|(arg, kind)| arg.kind() != *kind) {
            return Err(Rejection::Kind { at });
        }
        self.many = args.iter().map(|arg| arg.raw()).collect();
        Ok(self.many.as_ptr())
    }
}

/// Calls the JNI function of the method's result type.
///
/// An object result rules an exception out, so only the others are followed by a look for one.
macro_rules! invoke {
    ($env:ident, $method:ident, $args:ident, ($($target:expr),*),
     $void:ident $boolean:ident $byte:ident $char:ident $short:ident $int:ident $long:ident $float:ident $double:ident
     $object:ident) => {{
        let id = $method.id.raw();
        macro_rules! jni {
            ($name:ident) => {
                // SAFETY: the id belongs to a class that `$method` keeps loaded and has this result type; kinds of
                // arguments were compared with the descriptor; classes of references were checked or vouched for.
                unsafe { $env.jni.$name($($target,)* id, $args) }
            };
        }
        let value = match $method.returns {
            None => {
                jni!($void);
                None
            }
            Some(Kind::Boolean) => Some(Value::Boolean(jni!($boolean))),
            Some(Kind::Byte) => Some(Value::Byte(jni!($byte))),
            Some(Kind::Char) => Some(Value::Char(jni!($char))),
            Some(Kind::Short) => Some(Value::Short(jni!($short))),
            Some(Kind::Int) => Some(Value::Int(jni!($int))),
            Some(Kind::Long) => Some(Value::Long(jni!($long))),
            Some(Kind::Float) => Some(Value::Float(jni!($float))),
            Some(Kind::Double) => Some(Value::Double(jni!($double))),
            Some(Kind::Object) => {
                let raw = jni!($object);
                // SAFETY: JNI answered it: null, or a new local reference.
                let answer = unsafe { $env.answered(raw) }?;
                return Ok(Some(Value::Object(answer.map(Local::keep))));
            }
        };
        $env.check()?;
        Ok(value)
    }};
}

impl<'f> Env<'f> {
    /// Calls an instance method: the override of the receiver's class. `Ok(None)` is the end of a `void` method.
    #[inline]
    pub fn call(
        &self,
        method: &Method,
        receiver: Ref<'_>,
        args: &[Value<'_>],
        trust: Trust,
    ) -> Result<Option<Value<'f>>, CallError<'f>> {
        let mut room = Room::new();
        let raw = self.prepare(&mut room, method, Dispatch::Instance, Some(receiver), args, trust)?;
        let receiver = receiver.raw();
        invoke!(self, method, raw, (receiver), CallVoidMethodA CallBooleanMethodA CallByteMethodA CallCharMethodA
            CallShortMethodA CallIntMethodA CallLongMethodA CallFloatMethodA CallDoubleMethodA CallObjectMethodA)
    }

    /// Calls an instance method as `super.method()` would: this very one, not an override.
    #[inline]
    pub fn call_nonvirtual(
        &self,
        method: &Method,
        receiver: Ref<'_>,
        args: &[Value<'_>],
        trust: Trust,
    ) -> Result<Option<Value<'f>>, CallError<'f>> {
        let mut room = Room::new();
        let raw = self.prepare(&mut room, method, Dispatch::Instance, Some(receiver), args, trust)?;
        let (receiver, class) = (receiver.raw(), method.class.raw());
        invoke!(self, method, raw, (receiver, class), CallNonvirtualVoidMethodA CallNonvirtualBooleanMethodA
            CallNonvirtualByteMethodA CallNonvirtualCharMethodA CallNonvirtualShortMethodA CallNonvirtualIntMethodA
            CallNonvirtualLongMethodA CallNonvirtualFloatMethodA CallNonvirtualDoubleMethodA
            CallNonvirtualObjectMethodA)
    }

    /// Calls a static method.
    #[inline]
    pub fn call_static(
        &self,
        method: &Method,
        args: &[Value<'_>],
        trust: Trust,
    ) -> Result<Option<Value<'f>>, CallError<'f>> {
        let mut room = Room::new();
        let raw = self.prepare(&mut room, method, Dispatch::Static, None, args, trust)?;
        let class = method.class.raw();
        invoke!(self, method, raw, (class), CallStaticVoidMethodA CallStaticBooleanMethodA CallStaticByteMethodA
            CallStaticCharMethodA CallStaticShortMethodA CallStaticIntMethodA CallStaticLongMethodA
            CallStaticFloatMethodA CallStaticDoubleMethodA CallStaticObjectMethodA)
    }

    /// Makes an instance and runs the constructor on it.
    #[inline]
    pub fn new_object(
        &self,
        constructor: &Method,
        args: &[Value<'_>],
        trust: Trust,
    ) -> Result<Local<'f>, CallError<'f>> {
        let mut room = Room::new();
        let raw = self.prepare(&mut room, constructor, Dispatch::Constructor, None, args, trust)?;
        let (class, id) = (constructor.class.raw(), constructor.id.raw());
        // SAFETY: the id is a constructor of a class that is kept loaded; the arguments fit, as `prepare` saw or was
        // told. The VM throws where the class is abstract.
        let made = unsafe { self.jni.NewObjectA(class, id, raw) };
        // SAFETY: JNI answered it just above: null, or a new local reference of that type.
        Ok(unsafe { self.made(made) }?)
    }

    /// Makes an instance without running any constructor. Throws `InstantiationException` for what has no instances.
    #[inline]
    pub fn alloc_object(&self, class: Ref<'_, Class>) -> Result<Local<'f>, Thrown<'f>> {
        if !self.is_reference_class(class) {
            return Err(self.exception("java/lang/InstantiationException", "a primitive type"));
        }
        // SAFETY: the reference is to a class of objects; the VM throws where it cannot have instances.
        let made = unsafe { self.jni.AllocObject(class.raw()) };
        // SAFETY: JNI answered it just above: null, or a new local reference of that type.
        unsafe { self.made(made) }
    }

    /// Sees to it that JNI may be told to call.
    #[inline(always)]
    fn prepare(
        &self,
        room: &mut Room,
        method: &Method,
        dispatch: Dispatch,
        receiver: Option<Ref<'_>>,
        args: &[Value<'_>],
        trust: Trust,
    ) -> Result<*const jvalue, CallError<'f>> {
        if method.dispatch != dispatch {
            return Err(Rejection::Dispatch.into());
        }
        let raw = room.fill(method, args)?;
        match trust {
            Trust::Nothing => self.check_classes(method, receiver, args)?,
            Trust::Caller if cfg!(debug_assertions) => self.check_vouched(method, receiver, args),
            Trust::Caller => {}
        }
        Ok(raw)
    }

    fn check_classes(
        &self,
        method: &Method,
        receiver: Option<Ref<'_>>,
        args: &[Value<'_>],
    ) -> Result<(), CallError<'f>> {
        if receiver.is_some_and(|receiver| !self.is_instance_of(receiver, method.class.get())) {
            return Err(Rejection::Receiver.into());
        }
        for (at, arg) in args.iter().enumerate() {
            if let Value::Object(Some(object)) = arg
                && !self.is_instance_of(*object, method.param_class(self, at)?)
            {
                return Err(Rejection::Argument { at }.into());
            }
        }
        Ok(())
    }

    fn check_vouched(&self, method: &Method, receiver: Option<Ref<'_>>, args: &[Value<'_>]) {
        if let Err(CallError::Rejected(rejection)) = self.check_classes(method, receiver, args) {
            panic!("the caller vouched for the call, but {rejection}");
        }
    }
}
