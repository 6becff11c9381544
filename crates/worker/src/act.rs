//! Carrying out one step.
//!
//! In: an [`Act`] and arguments that fit its parameters. Out: a value, nothing, an exception, or a refusal.
//! Arguments were checked by `arguments`; every [`Trust::Caller`] here rests on that.

use probat_jvm::{
    AnyArray, ArrayOf, CallError, Env, Kind, ObjectArray, Primitive, Ref, Rejection, Trust, Value,
};
use probat_model::{ClassName, Refusal};

use crate::convert::cast_primitive;
use crate::jdk::Jdk;
use crate::prepare::{Act, Conversion};
use crate::types::{OBJECT, TypeId, Types};

/// Why a step gave no value.
#[derive(Debug)]
pub enum Broken<'f> {
    Threw(probat_jvm::Thrown<'f>),
    Refused(Refusal),
}

impl<'f> From<CallError<'f>> for Broken<'f> {
    fn from(error: CallError<'f>) -> Self {
        match error {
            CallError::Threw(exception) => Broken::Threw(exception),
            CallError::Rejected(rejection) => rejection.into(),
        }
    }
}

impl<'f> From<probat_jvm::Thrown<'f>> for Broken<'f> {
    fn from(exception: probat_jvm::Thrown<'f>) -> Self {
        Broken::Threw(exception)
    }
}

impl From<Rejection> for Broken<'_> {
    fn from(rejection: Rejection) -> Self {
        Broken::Refused(Refusal::Unresolved(rejection.to_string()))
    }
}

/// What a step gave: a value, or `None` for nothing.
pub type Given<'f> = Result<Option<Value<'f>>, Broken<'f>>;

/// Carries out everything but `Restore`, which needs the heap. The refusals of operations that could not be prepared
/// are the caller's to give.
#[inline]
pub fn perform<'v, 'f: 'v>(
    env: &Env<'f>,
    act: &'v Act,
    args: &[Value<'v>],
    jdk: &Jdk,
    types: &Types,
) -> Result<Option<Value<'v>>, Broken<'f>> {
    Ok(match act {
        Act::Call(method) => env.call(method, receiver(args[0])?, &args[1..], Trust::Caller)?,
        Act::CallStatic(method) => env.call_static(method, args, Trust::Caller)?,
        Act::Construct(method) => {
            Some(Value::Object(Some(env.new_object(method, args, Trust::Caller)?.keep())))
        }
        Act::Constant(value) => Some(*value),
        Act::Reference(global) => Some(Value::Object(Some(global.get()))),
        Act::GetStatic(field) => Some(env.get_static(field)?),
        Act::GetField(field) => Some(env.get(field, receiver(args[0])?, Trust::Caller)?),
        Act::PutStatic(field) => {
            env.set_static(field, args[0], Trust::Caller)?;
            None
        }
        Act::PutField(field) => {
            env.set(field, receiver(args[0])?, args[1], Trust::Caller)?;
            None
        }
        Act::NewArray(kind, element) => new_array(env, *kind, int(args[0]), *element, jdk, types)?,
        Act::ArrayOf(kind, element) => array_of(env, *kind, args, *element, jdk, types)?,
        Act::ArrayGet(kind) => Some(array_get(env, *kind, receiver(args[0])?, int(args[1]))?),
        Act::ArraySet(kind) => {
            array_set(env, *kind, receiver(args[0])?, int(args[1]), args[2])?;
            None
        }
        Act::ArrayLength => Some(Value::Int(array_length(env, receiver(args[0])?)?)),
        Act::Cast(to) => cast(env, *to, args[0], jdk, types)?,
        Act::Convert(plan) => Some(convert(env, *plan, args[0], jdk)?),
        Act::Restore | Act::Unresolved(_) | Act::Failed(_) | Act::CannotStub(_) => {
            unreachable!("the caller handles what needs no arguments")
        }
    })
}

/// A reference argument that was checked not to be null.
fn receiver<'v, 'f>(value: Value<'v>) -> Result<Ref<'v>, Broken<'f>> {
    match value {
        Value::Object(Some(object)) => Ok(object),
        _ => Err(Broken::Refused(Refusal::NullReceiver)),
    }
}

/// An argument that was checked to be an `int`.
fn int(value: Value<'_>) -> i32 {
    match value {
        Value::Int(value) => value,
        other => unreachable!("an index or length of kind {:?} passed the check", other.kind()),
    }
}

/// An index for the wrappers; a negative one becomes one that the JVM refuses with the right exception.
fn index(at: i32) -> usize {
    usize::try_from(at).unwrap_or(usize::MAX)
}

/// Runs one of the two forms of an array function: on primitives of some type, or on references.
macro_rules! by_kind {
    ($kind:expr, $primitive:ident ( $($arg:expr),* ), $object:expr) => {
        match $kind {
            Kind::Boolean => $primitive::<u8>($($arg),*),
            Kind::Byte => $primitive::<i8>($($arg),*),
            Kind::Char => $primitive::<u16>($($arg),*),
            Kind::Short => $primitive::<i16>($($arg),*),
            Kind::Int => $primitive::<i32>($($arg),*),
            Kind::Long => $primitive::<i64>($($arg),*),
            Kind::Float => $primitive::<f32>($($arg),*),
            Kind::Double => $primitive::<f64>($($arg),*),
            Kind::Object => $object,
        }
    };
}

/// Elements as the wrappers' buffers hold them.
trait Element: Primitive {
    fn from_value(value: Value<'_>) -> Option<Self>;
    fn to_value(self) -> Value<'static>;
}

macro_rules! elements {
    ($($ty:ty, $variant:ident, $into:expr, $out:expr;)*) => {$(
        impl Element for $ty {
            fn from_value(value: Value<'_>) -> Option<Self> {
                let into: fn(_) -> $ty = $into;
                match value {
                    Value::$variant(value) => Some(into(value)),
                    _ => None,
                }
            }

            fn to_value(self) -> Value<'static> {
                let out: fn($ty) -> _ = $out;
                Value::$variant(out(self))
            }
        }
    )*};
}

elements! {
    u8, Boolean, u8::from, |v| v != 0;
    i8, Byte, |v| v, |v| v;
    u16, Char, |v| v, |v| v;
    i16, Short, |v| v, |v| v;
    i32, Int, |v| v, |v| v;
    i64, Long, |v| v, |v| v;
    f32, Float, |v| v, |v| v;
    f64, Double, |v| v, |v| v;
}

fn new_primitives<'f, T: Element>(env: &Env<'f>, length: i32) -> Given<'f> {
    Ok(Some(Value::Object(Some(env.new_array::<T>(index(length))?.keep().erase()))))
}

fn new_array<'f>(
    env: &Env<'f>,
    kind: Kind,
    length: i32,
    element: TypeId,
    jdk: &Jdk,
    types: &Types,
) -> Given<'f> {
    if length < 0 {
        // Has Java throw the exception; which class makes no difference to it.
        let object = types.loaded(OBJECT).expect("`Object` is loaded first of all");
        return Ok(jdk.new_array(env, object.class.get(), length)?);
    }
    by_kind!(kind, new_primitives(env, length), {
        let element = types.loaded(element).expect("the element class was loaded when the step was prepared");
        Ok(jdk.new_array(env, element.class.get(), length)?)
    })
}

fn primitives_of<'f, T: Element>(env: &Env<'f>, args: &[Value<'_>]) -> Given<'f> {
    let elements: Vec<T> = args.iter().filter_map(|&value| T::from_value(value)).collect();
    debug_assert_eq!(elements.len(), args.len(), "kinds were checked");
    Ok(Some(Value::Object(Some(env.array_of(&elements)?.keep().erase()))))
}

fn array_of<'f>(
    env: &Env<'f>,
    kind: Kind,
    args: &[Value<'_>],
    element: TypeId,
    jdk: &Jdk,
    types: &Types,
) -> Given<'f> {
    by_kind!(kind, primitives_of(env, args), {
        let length = i32::try_from(args.len()).expect("a sequence has fewer steps than an array elements");
        let array = new_array(env, kind, length, element, jdk, types)?;
        let Some(Value::Object(Some(object))) = array else {
            unreachable!("`newInstance` answers an array");
        };
        for (at, &value) in args.iter().enumerate() {
            if let Value::Object(value @ Some(_)) = value {
                env.set_element(env.assume::<ObjectArray>(object), at, value)?;
            }
        }
        Ok(array)
    })
}

fn get_primitive<'f, T: Element>(env: &Env<'f>, array: Ref<'_>, at: i32) -> Result<Value<'f>, Broken<'f>> {
    let mut one = [T::default()];
    env.get_region(env.assume::<ArrayOf<T>>(array), index(at), &mut one)?;
    Ok(one[0].to_value())
}

fn array_get<'f>(env: &Env<'f>, kind: Kind, array: Ref<'_>, at: i32) -> Result<Value<'f>, Broken<'f>> {
    by_kind!(kind, get_primitive(env, array, at), {
        let element = env.element(env.assume::<ObjectArray>(array), index(at))?;
        Ok(Value::Object(element.map(probat_jvm::Local::keep)))
    })
}

fn set_primitive<'f, T: Element>(
    env: &Env<'f>,
    array: Ref<'_>,
    at: i32,
    value: Value<'_>,
) -> Result<(), Broken<'f>> {
    let value = T::from_value(value).expect("kinds were checked");
    Ok(env.set_region(env.assume::<ArrayOf<T>>(array), index(at), &[value])?)
}

fn array_set<'f>(
    env: &Env<'f>,
    kind: Kind,
    array: Ref<'_>,
    at: i32,
    value: Value<'_>,
) -> Result<(), Broken<'f>> {
    by_kind!(kind, set_primitive(env, array, at, value), {
        let Value::Object(value) = value else { unreachable!("kinds were checked") };
        Ok(env.set_element(env.assume::<ObjectArray>(array), index(at), value)?)
    })
}

/// The length of any array; refuses what is none.
pub fn array_length<'f>(env: &Env<'f>, object: Ref<'_>) -> Result<i32, Broken<'f>> {
    fn length<K: AnyArray>(env: &Env<'_>, object: Ref<'_>) -> Option<usize> {
        env.cast::<K>(object).map(|array| env.array_length(array))
    }
    let found = length::<ObjectArray>(env, object)
        .or_else(|| length::<ArrayOf<i32>>(env, object))
        .or_else(|| length::<ArrayOf<i8>>(env, object))
        .or_else(|| length::<ArrayOf<u16>>(env, object))
        .or_else(|| length::<ArrayOf<i64>>(env, object))
        .or_else(|| length::<ArrayOf<f64>>(env, object))
        .or_else(|| length::<ArrayOf<u8>>(env, object))
        .or_else(|| length::<ArrayOf<i16>>(env, object))
        .or_else(|| length::<ArrayOf<f32>>(env, object));
    match found {
        Some(length) => Ok(i32::try_from(length).expect("Java lengths are ints")),
        None => {
            let found = ClassName::internal("java/lang/Object");
            Err(Broken::Refused(Refusal::ArgumentType { argument: 0, wanted: "an array".into(), found }))
        }
    }
}

fn cast<'v, 'f: 'v>(
    env: &Env<'f>,
    to: TypeId,
    value: Value<'v>,
    jdk: &Jdk,
    types: &Types,
) -> Result<Option<Value<'v>>, Broken<'f>> {
    let Value::Object(Some(object)) = value else { return Ok(Some(value)) };
    let class = types.loaded(to).expect("the class was loaded when the step was prepared").class.get();
    if env.is_instance_of(object, class) {
        return Ok(Some(value));
    }
    // Has Java throw the exception.
    Ok(jdk.cast(env, class, object)?)
}

fn convert<'v, 'f: 'v>(
    env: &Env<'f>,
    plan: Conversion,
    value: Value<'v>,
    jdk: &Jdk,
) -> Result<Value<'v>, Broken<'f>> {
    let mismatch = |found: &str| {
        let wanted = format!("{:?}", plan.primitive).to_lowercase();
        Broken::Refused(Refusal::ArgumentType { argument: 0, wanted, found: ClassName::internal(found) })
    };
    let primitive = match value {
        Value::Object(None) => return Ok(value),
        Value::Object(Some(object)) => {
            jdk.boxes.unwrap(env, object)?.ok_or_else(|| mismatch("java/lang/Object"))?
        }
        primitive => primitive,
    };
    let converted = cast_primitive(primitive, plan.primitive)
        .ok_or_else(|| mismatch(&format!("{:?}", primitive.kind())))?;
    if plan.boxed { Ok(jdk.boxes.wrap(env, converted)?) } else { Ok(converted) }
}
