//! The handful of JDK classes and methods the wrappers themselves lean on.
//!
//! In: a fresh VM. Out: [`Known`], looked up once and kept for the life of the process.
//! Holds nothing that belongs to the code under test.

use std::sync::OnceLock;

use jni_simple::{jfieldID, jmethodID};

use crate::env::Env;
use crate::reference::{Class, Global, Thrown};

/// Classes that back the markers of [`Ref`](crate::Ref), and methods used to describe members and exceptions.
#[derive(Debug)]
pub struct Known {
    pub(crate) object: Global<Class>,
    pub(crate) class: Global<Class>,
    pub(crate) string: Global<Class>,
    pub(crate) throwable: Global<Class>,
    pub(crate) thread: Global<Class>,
    pub(crate) loader: Global<Class>,
    pub(crate) object_array: Global<Class>,
    /// Indexed by [`Kind`](crate::Kind), which lists the eight primitives first.
    pub(crate) primitive_arrays: [Global<Class>; 8],
    pub(crate) executable: Global<Class>,
    /// Exceptions that keep their cause in a field of their own.
    pub(crate) wrappers: Vec<(Global<Class>, FieldRaw)>,
    pub(crate) ids: Ids,
}

/// Methods and fields of classes the boot loader never unloads.
#[derive(Debug)]
pub(crate) struct Ids {
    pub(crate) class_for_name: Id,
    pub(crate) class_get_name: Id,
    pub(crate) executable_parameter_types: Id,
    pub(crate) field_get_type: Id,
    pub(crate) throwable_message: Id,
    pub(crate) throwable_stack: Id,
    pub(crate) throwable_cause: FieldRaw,
    pub(crate) throwable_detail: FieldRaw,
    pub(crate) element_class: FieldRaw,
    pub(crate) element_method: FieldRaw,
    pub(crate) element_file: FieldRaw,
    pub(crate) element_line: FieldRaw,
}

/// A method id of a class that is never unloaded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Id(pub(crate) jmethodID);
/// A field id of a class that is never unloaded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FieldRaw(pub(crate) jfieldID);

// SAFETY: a method id is an address the VM owns; it means the same on every thread.
unsafe impl Send for Id {}
// SAFETY: as above; it is only ever copied.
unsafe impl Sync for Id {}
// SAFETY: a field id is a number; it means the same on every thread.
unsafe impl Send for FieldRaw {}
// SAFETY: as above; it is only ever copied.
unsafe impl Sync for FieldRaw {}

static KNOWN: OnceLock<Known> = OnceLock::new();

/// What was looked up when the VM was created.
#[inline]
pub(crate) fn known() -> &'static Known {
    KNOWN.get().expect("`Vm::create` looks the classes up before it hands out an `Env`")
}

/// As [`known`], while the looking up may still be going on.
#[inline]
pub(crate) fn installed() -> Option<&'static Known> {
    KNOWN.get()
}

/// Looks everything up; the first caller wins.
pub(crate) fn install<'f>(env: &Env<'f>) -> Result<(), Thrown<'f>> {
    let found = look_up(env)?;
    KNOWN.get_or_init(|| found);
    Ok(())
}

fn look_up<'f>(env: &Env<'f>) -> Result<Known, Thrown<'f>> {
    let class = |name: &str| -> Result<Global<Class>, Thrown<'f>> {
        let found = env.find_class(name)?;
        let kept = env.global(found.get());
        env.delete(found);
        kept
    };
    Ok(Known {
        object: class("java/lang/Object")?,
        class: class("java/lang/Class")?,
        string: class("java/lang/String")?,
        throwable: class("java/lang/Throwable")?,
        thread: class("java/lang/Thread")?,
        loader: class("java/lang/ClassLoader")?,
        object_array: class("[Ljava/lang/Object;")?,
        primitive_arrays: [
            class("[Z")?,
            class("[B")?,
            class("[C")?,
            class("[S")?,
            class("[I")?,
            class("[J")?,
            class("[F")?,
            class("[D")?,
        ],
        executable: class("java/lang/reflect/Executable")?,
        wrappers: WRAPPERS.iter().filter_map(|(name, field)| wrapper(env, name, field)).collect(),
        ids: look_up_ids(env)?,
    })
}

/// Class and field; which of them there are differs between JDKs.
const WRAPPERS: [(&str, &str); 3] = [
    ("java/lang/reflect/InvocationTargetException", "target"),
    ("java/lang/reflect/UndeclaredThrowableException", "undeclaredThrowable"),
    ("java/lang/ExceptionInInitializerError", "exception"),
];

fn wrapper(env: &Env<'_>, class: &str, field: &str) -> Option<(Global<Class>, FieldRaw)> {
    let class = env.find_class(class).ok()?;
    let found = env.field_id(class.get(), field, "Ljava/lang/Throwable;").ok();
    let kept = env.global(class.get()).ok();
    env.delete(class);
    Some((kept?, FieldRaw(found?)))
}

fn look_up_ids<'f>(env: &Env<'f>) -> Result<Ids, Thrown<'f>> {
    let method = |class: &str, name: &str, descriptor: &str| -> Result<Id, Thrown<'f>> {
        let class = env.find_class(class)?;
        let found = env.method_id(class.get(), name, descriptor).map(Id);
        env.delete(class);
        found
    };
    let field = |class: &str, name: &str, descriptor: &str| -> Result<FieldRaw, Thrown<'f>> {
        let class = env.find_class(class)?;
        let found = env.field_id(class.get(), name, descriptor).map(FieldRaw);
        env.delete(class);
        found
    };
    let (throwable, element, text) =
        ("java/lang/Throwable", "java/lang/StackTraceElement", "Ljava/lang/String;");
    let class = env.find_class("java/lang/Class")?;
    let for_name = "(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;";
    Ok(Ids {
        class_for_name: Id(env.static_method_id(class.get(), "forName", for_name)?),
        class_get_name: method("java/lang/Class", "getName", "()Ljava/lang/String;")?,
        executable_parameter_types: method(
            "java/lang/reflect/Executable",
            "getParameterTypes",
            "()[Ljava/lang/Class;",
        )?,
        field_get_type: method("java/lang/reflect/Field", "getType", "()Ljava/lang/Class;")?,
        throwable_message: method(throwable, "getMessage", "()Ljava/lang/String;")?,
        throwable_stack: method(throwable, "getStackTrace", "()[Ljava/lang/StackTraceElement;")?,
        throwable_cause: field(throwable, "cause", "Ljava/lang/Throwable;")?,
        throwable_detail: field(throwable, "detailMessage", text)?,
        element_class: field(element, "declaringClass", text)?,
        element_method: field(element, "methodName", text)?,
        element_file: field(element, "fileName", text)?,
        element_line: field(element, "lineNumber", "I")?,
    })
}
