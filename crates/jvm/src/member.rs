//! Methods and fields that know enough about themselves to be used safely.
//!
//! In: a class, a name and a descriptor. Out: [`Method`] and [`Field`], to be cached by the caller.
//! Calls nothing; see `call` and `field` for that.
//!
//! # What is checked, and the one hole
//!
//! JNI believes whatever it is told: a call with an `int` where a reference is due, or a field read on an object of
//! another class, corrupts the process. Here the number and kinds of arguments are compared with the descriptor on
//! every call (a few nanoseconds). That the receiver and the reference arguments are instances of the declared
//! classes costs an `IsInstanceOf` each; it is done under [`Trust::Nothing`] and left out under [`Trust::Caller`],
//! which says in the source that the caller has established the same by other means, as [`Env::assume`] does of what
//! an object is. That is a hole: safe code that says so wrongly breaks the process. Builds with debug assertions check
//! what was claimed and panic.

use std::sync::OnceLock;

use jni_simple::{jfieldID, jmethodID, jobject, jvalue};
use probat_model::{MethodDescriptor, Type};

use crate::env::Env;
use crate::jvmti::{Jvmti, JvmtiError};
use crate::known::known;
use crate::reference::{Class, Global, Local, ObjectArray, Ref, Thrown};

const ACC_STATIC: u32 = 0x0008;

/// How JNI passes a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Kind {
    Boolean,
    Byte,
    Char,
    Short,
    Int,
    Long,
    Float,
    Double,
    Object,
}

impl From<&Type> for Kind {
    fn from(ty: &Type) -> Self {
        match ty {
            Type::Boolean => Kind::Boolean,
            Type::Byte => Kind::Byte,
            Type::Char => Kind::Char,
            Type::Short => Kind::Short,
            Type::Int => Kind::Int,
            Type::Long => Kind::Long,
            Type::Float => Kind::Float,
            Type::Double => Kind::Double,
            Type::Class(_) | Type::Array(_) => Kind::Object,
        }
    }
}

/// An argument, a result, the content of a field.
#[derive(Debug, Clone, Copy)]
#[repr(C, u8)]
pub enum Value<'f> {
    Boolean(bool),
    Byte(i8),
    Char(u16),
    Short(i16),
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
    Object(Option<Ref<'f>>),
}

impl<'f> Value<'f> {
    /// How JNI passes this value.
    #[inline]
    pub fn kind(self) -> Kind {
        match self {
            Value::Boolean(_) => Kind::Boolean,
            Value::Byte(_) => Kind::Byte,
            Value::Char(_) => Kind::Char,
            Value::Short(_) => Kind::Short,
            Value::Int(_) => Kind::Int,
            Value::Long(_) => Kind::Long,
            Value::Float(_) => Kind::Float,
            Value::Double(_) => Kind::Double,
            Value::Object(_) => Kind::Object,
        }
    }

    /// The form JNI reads. The layouts agree, so this is one copy of eight bytes.
    #[inline]
    pub(crate) fn raw(self) -> jvalue {
        /// What `repr(C, u8)` lays out for `Value`: every content at the same place.
        #[repr(C)]
        struct Layout {
            kind: u8,
            content: jvalue,
        }
        const { assert!(size_of::<Layout>() == size_of::<Value<'static>>()) };
        // SAFETY: a content is laid out as the member of `jvalue` of its type: numbers are themselves, `bool` is one
        // byte of 0 or 1, `Option<Ref>` is a pointer or null. Bytes it does not use may be anything in a union.
        unsafe { (*(&raw const self).cast::<Layout>()).content }
    }
}

/// Whose word it is that receivers and reference values are instances of the declared classes.
///
/// See the head of this module: a wrong [`Trust::Caller`], or a wrong [`Env::assume`], is how safe code can break the
/// process; there is no other way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// Nobody's: each is looked at before it is used.
    Nothing,
    /// The caller's, who says beside the call why it holds.
    Caller,
}

/// What kind of member a [`Method`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dispatch {
    Instance,
    Static,
    Constructor,
}

/// The id of a method, for comparing and for use as a key. Only a [`Method`] can be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MethodId(usize);

/// The id of a field, for comparing and for use as a key. Only a [`Field`] can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FieldId(usize);

impl MethodId {
    pub(crate) fn new(raw: jmethodID) -> Self {
        MethodId(raw.expose_provenance())
    }

    #[inline]
    pub(crate) fn raw(self) -> jmethodID {
        std::ptr::with_exposed_provenance_mut(self.0)
    }
}

impl FieldId {
    pub(crate) fn new(raw: jfieldID) -> Self {
        FieldId(raw.expose_provenance())
    }

    #[inline]
    pub(crate) fn raw(self) -> jfieldID {
        std::ptr::with_exposed_provenance_mut(self.0)
    }
}

/// A method or constructor that can be called. Keeps its class loaded; valid on every thread.
#[derive(Debug)]
pub struct Method {
    pub(crate) id: MethodId,
    pub(crate) class: Global<Class>,
    pub(crate) dispatch: Dispatch,
    pub(crate) params: Box<[Kind]>,
    pub(crate) returns: Option<Kind>,
    /// The parameter classes, looked up when the first call wants to check a reference.
    param_classes: OnceLock<Box<[Global<Class>]>>,
}

/// A field that can be read and written. Keeps its class loaded; valid on every thread.
#[derive(Debug)]
pub struct Field {
    pub(crate) id: FieldId,
    pub(crate) class: Global<Class>,
    pub(crate) is_static: bool,
    pub(crate) kind: Kind,
    /// The declared class, looked up when the first write wants to check a reference.
    declared: OnceLock<Global<Class>>,
}

/// Why a member could not be described.
#[derive(Debug)]
pub enum MemberError<'f> {
    /// The VM threw: no such member, or the class failed to initialise.
    Threw(Thrown<'f>),
    /// The text is no descriptor.
    Descriptor(probat_model::DescriptorError),
    /// The tool interface refused.
    Jvmti(JvmtiError),
}

impl<'f> From<Thrown<'f>> for MemberError<'f> {
    fn from(thrown: Thrown<'f>) -> Self {
        MemberError::Threw(thrown)
    }
}

impl Method {
    /// The id, for comparing.
    pub fn id(&self) -> MethodId {
        self.id
    }

    /// The class the method was looked up in, which may inherit it.
    pub fn class(&self) -> Ref<'_, Class> {
        self.class.get()
    }

    /// Whether it is static, a constructor, or needs a receiver.
    pub fn dispatch(&self) -> Dispatch {
        self.dispatch
    }

    /// How the parameters are passed, the receiver left out.
    pub fn params(&self) -> &[Kind] {
        &self.params
    }

    /// How the result is passed; `None` is `void`.
    pub fn returns(&self) -> Option<Kind> {
        self.returns
    }

    /// The declared class of parameter `at`.
    pub fn param_class<'f>(&self, env: &Env<'f>, at: usize) -> Result<Ref<'_, Class>, Thrown<'f>> {
        if let Some(classes) = self.param_classes.get() {
            return Ok(classes[at].get());
        }
        let found = self.look_up_param_classes(env)?;
        Ok(self.param_classes.get_or_init(|| found)[at].get())
    }

    /// Asks reflection, which resolves each name as the declaring class would.
    fn look_up_param_classes<'f>(&self, env: &Env<'f>) -> Result<Box<[Global<Class>]>, Thrown<'f>> {
        let (class, id, is_static) = (self.class.raw(), self.id.raw(), self.dispatch == Dispatch::Static);
        // SAFETY: the id belongs to the class, which `self` keeps loaded.
        let raw = unsafe { env.jni.ToReflectedMethod(class, id, is_static) };
        // SAFETY: JNI answered it just above: null, or a new local reference of that type.
        let reflected: Local<'f> = unsafe { env.made(raw) }?;
        let get = known().ids.executable_parameter_types.0;
        // SAFETY: the object is a `Method` or `Constructor`, and `get` is `Executable.getParameterTypes`.
        let raw = unsafe { env.jni.CallObjectMethodA(reflected.raw(), get, std::ptr::null()) };
        // SAFETY: JNI answered it just above: null, or a new local reference of that type.
        let types: Local<'f, ObjectArray> = unsafe { env.made(raw) }?;
        let mut classes = Vec::with_capacity(self.params.len());
        for at in 0..env.array_length(types.get()) {
            let element = env.element(types.get(), at)?.expect("a parameter has a type");
            classes.push(env.global(element.get().retype::<Class>())?);
            env.delete(element);
        }
        env.delete(types);
        env.delete(reflected);
        Ok(classes.into())
    }
}

impl Field {
    /// The id, for comparing.
    pub fn id(&self) -> FieldId {
        self.id
    }

    /// The class the field was looked up in, which may inherit it.
    pub fn class(&self) -> Ref<'_, Class> {
        self.class.get()
    }

    /// Whether it belongs to the class rather than to its instances.
    pub fn is_static(&self) -> bool {
        self.is_static
    }

    /// How the content is passed.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The declared class of a reference field.
    pub fn declared_class<'f>(&self, env: &Env<'f>) -> Result<Ref<'_, Class>, Thrown<'f>> {
        if let Some(class) = self.declared.get() {
            return Ok(class.get());
        }
        // SAFETY: the id belongs to the class, which `self` keeps loaded.
        let raw = unsafe { env.jni.ToReflectedField(self.class.raw(), self.id.raw(), self.is_static) };
        // SAFETY: JNI answered it just above: null, or a new local reference of that type.
        let reflected: Local<'f> = unsafe { env.made(raw) }?;
        let get = known().ids.field_get_type.0;
        // SAFETY: the object is a `Field`, and `get` is `Field.getType`.
        let raw = unsafe { env.jni.CallObjectMethodA(reflected.raw(), get, std::ptr::null()) };
        // SAFETY: JNI answered it just above: null, or a new local reference of that type.
        let class: Local<'f, Class> = unsafe { env.made(raw) }?;
        let found = env.global(class.get())?;
        env.delete(class);
        env.delete(reflected);
        Ok(self.declared.get_or_init(|| found).get())
    }
}

impl<'f> Env<'f> {
    /// Describes a static method. Initialises the class.
    pub fn static_method(
        &self,
        class: Ref<'_, Class>,
        name: &str,
        descriptor: &str,
    ) -> Result<Method, MemberError<'f>> {
        let parsed = MethodDescriptor::parse(descriptor).map_err(MemberError::Descriptor)?;
        let id = self.static_method_id(class, name, descriptor)?;
        self.describe(class, id, Dispatch::Static, &parsed)
    }

    /// Describes an instance method, also one of an interface. Initialises the class.
    pub fn method(
        &self,
        class: Ref<'_, Class>,
        name: &str,
        descriptor: &str,
    ) -> Result<Method, MemberError<'f>> {
        let parsed = MethodDescriptor::parse(descriptor).map_err(MemberError::Descriptor)?;
        let id = self.method_id(class, name, descriptor)?;
        let dispatch = if name == "<init>" { Dispatch::Constructor } else { Dispatch::Instance };
        self.describe(class, id, dispatch, &parsed)
    }

    /// Describes a constructor, given its descriptor (`(I)V`). Initialises the class.
    pub fn constructor(&self, class: Ref<'_, Class>, descriptor: &str) -> Result<Method, MemberError<'f>> {
        self.method(class, "<init>", descriptor)
    }

    fn describe(
        &self,
        class: Ref<'_, Class>,
        id: jobject,
        dispatch: Dispatch,
        parsed: &MethodDescriptor,
    ) -> Result<Method, MemberError<'f>> {
        Ok(Method {
            id: MethodId::new(id),
            class: self.global(class)?,
            dispatch,
            params: parsed.params.iter().map(Kind::from).collect(),
            returns: parsed.returns.as_ref().map(Kind::from),
            param_classes: OnceLock::new(),
        })
    }

    /// Describes an instance field. Initialises the class.
    pub fn field(
        &self,
        class: Ref<'_, Class>,
        name: &str,
        descriptor: &str,
    ) -> Result<Field, MemberError<'f>> {
        let id = self.field_id(class, name, descriptor)?;
        self.describe_field(class, id, false, descriptor)
    }

    /// Describes a static field. Initialises the class.
    pub fn static_field(
        &self,
        class: Ref<'_, Class>,
        name: &str,
        descriptor: &str,
    ) -> Result<Field, MemberError<'f>> {
        let id = self.static_field_id(class, name, descriptor)?;
        self.describe_field(class, id, true, descriptor)
    }

    fn describe_field(
        &self,
        class: Ref<'_, Class>,
        id: jfieldID,
        is_static: bool,
        descriptor: &str,
    ) -> Result<Field, MemberError<'f>> {
        let kind = Kind::from(&Type::parse(descriptor).map_err(MemberError::Descriptor)?);
        let (id, class) = (FieldId::new(id), self.global(class)?);
        Ok(Field { id, class, is_static, kind, declared: OnceLock::new() })
    }

    /// Describes the method or constructor that a `java.lang.reflect` object stands for. Initialises the class.
    /// `None` when the object is no `Method` or `Constructor`.
    pub fn reflected_method(
        &self,
        jvmti: Jvmti,
        reflected: Ref<'_>,
    ) -> Result<Option<Method>, MemberError<'f>> {
        if !self.is_instance_of(reflected, known().executable.get()) {
            return Ok(None);
        }
        // SAFETY: the object is a `Method` or `Constructor`, as checked.
        let id = unsafe { self.jni.FromReflectedMethod(reflected.raw()) };
        if id.is_null() {
            return Err(self.take().into());
        }
        // The reflected object keeps the declaring class, and so the id, alive.
        let class = jvmti.declaring_class(self, MethodId::new(id)).map_err(MemberError::Jvmti)?;
        let decl = jvmti.method_decl(MethodId::new(id)).map_err(MemberError::Jvmti)?;
        let parsed = MethodDescriptor::parse(&decl.descriptor).map_err(MemberError::Descriptor)?;
        let dispatch = match decl.name.as_str() {
            "<init>" => Dispatch::Constructor,
            _ if decl.modifiers & ACC_STATIC != 0 => Dispatch::Static,
            _ => Dispatch::Instance,
        };
        let method = self.describe(class.get(), id, dispatch, &parsed);
        self.delete(class);
        method.map(Some)
    }

    /// The `java.lang.reflect.Method` or `Constructor` of a method.
    pub fn to_reflected_method(&self, method: &Method) -> Result<Local<'f>, Thrown<'f>> {
        let is_static = method.dispatch == Dispatch::Static;
        // SAFETY: the id belongs to the class, which `method` keeps loaded.
        let raw = unsafe { self.jni.ToReflectedMethod(method.class.raw(), method.id.raw(), is_static) };
        // SAFETY: JNI answered it just above: null, or a new local reference of that type.
        unsafe { self.made(raw) }
    }

    /// The `java.lang.reflect.Field` of a field.
    pub fn to_reflected_field(&self, field: &Field) -> Result<Local<'f>, Thrown<'f>> {
        // SAFETY: the id belongs to the class, which `field` keeps loaded.
        let raw = unsafe { self.jni.ToReflectedField(field.class.raw(), field.id.raw(), field.is_static) };
        // SAFETY: JNI answered it just above: null, or a new local reference of that type.
        unsafe { self.made(raw) }
    }
}
