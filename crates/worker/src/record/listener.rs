//! What JUnit's listener is told.
//!
//! In: the arguments of its methods. Out: ids, names and results as text, asked of JUnit's objects by their public methods.

use probat_jvm::{Env, ObjectArray, Ref, Str, Trust, Value};
use probat_protocol::TestEnd;

/// Units of a text that are kept.
const TEXT: usize = 2000;

/// A test or container of tests.
#[derive(Debug)]
pub struct Described {
    pub id: String,
    pub name: String,
    pub is_test: bool,
}

/// Reads a `TestDescriptor`.
pub fn describe(env: &mut Env<'_>, args: Option<Ref<'_>>) -> Option<Described> {
    let args = env.cast::<ObjectArray>(args?)?;
    let described = env.with_frame(32, |env| {
        let descriptor = env.element(args, 0).ok()??.keep();
        let unique = object(env, descriptor, "getUniqueId", "()Lorg/junit/platform/engine/UniqueId;")?;
        let id = text(env, unique, "toString", "()Ljava/lang/String;")?;
        let name = text(env, descriptor, "getDisplayName", "()Ljava/lang/String;").unwrap_or_default();
        let is_test = matches!(call(env, descriptor, "isTest", "()Z"), Some(Value::Boolean(true)));
        Some(Described { id, name, is_test })
    });
    described.ok().flatten()
}

/// Reads a `TestExecutionResult`.
pub fn result(env: &mut Env<'_>, args: Option<Ref<'_>>) -> Option<TestEnd> {
    let args = env.cast::<ObjectArray>(args?)?;
    let read = env.with_frame(32, |env| {
        let result = env.element(args, 1).ok()??.keep();
        let kind = "()Lorg/junit/platform/engine/TestExecutionResult$Status;";
        let status = object(env, result, "getStatus", kind)?;
        let status = text(env, status, "name", "()Ljava/lang/String;")?;
        let thrown = thrown(env, result).unwrap_or_default();
        Some(match status.as_str() {
            "SUCCESSFUL" => TestEnd::Passed,
            "ABORTED" => TestEnd::Aborted(thrown),
            _ => TestEnd::Failed(thrown),
        })
    });
    read.ok().flatten()
}

fn thrown(env: &mut Env<'_>, result: Ref<'_>) -> Option<String> {
    let optional = object(env, result, "getThrowable", "()Ljava/util/Optional;")?;
    let class = env.object_class(optional).keep();
    let or_else = env.method(class, "orElse", "(Ljava/lang/Object;)Ljava/lang/Object;").ok()?;
    match env.call(&or_else, optional, &[Value::Object(None)], Trust::Caller) {
        Ok(Some(Value::Object(Some(thrown)))) => text(env, thrown, "toString", "()Ljava/lang/String;"),
        _ => None,
    }
}

/// Why a test is skipped: a text.
pub fn reason(env: &mut Env<'_>, args: Option<Ref<'_>>) -> Option<String> {
    let args = env.cast::<ObjectArray>(args?)?;
    let read = env.with_frame(8, |env| {
        let text = env.element(args, 1).ok()??.keep();
        env.cast::<Str>(text).map(|text| env.string_text(text, TEXT))
    });
    read.ok().flatten()
}

fn call<'f>(env: &mut Env<'f>, object: Ref<'_>, name: &str, descriptor: &str) -> Option<Value<'f>> {
    let class = env.object_class(object);
    let method = env.method(class.get(), name, descriptor);
    let method = method.ok()?;
    env.call(&method, object, &[], Trust::Caller).ok().flatten()
}

fn object<'f>(env: &mut Env<'f>, of: Ref<'_>, name: &str, descriptor: &str) -> Option<Ref<'f>> {
    match call(env, of, name, descriptor) {
        Some(Value::Object(object)) => object,
        _ => None,
    }
}

fn text(env: &mut Env<'_>, of: Ref<'_>, name: &str, descriptor: &str) -> Option<String> {
    let text = object(env, of, name, descriptor)?;
    env.cast::<Str>(text).map(|text| env.string_text(text, TEXT))
}
