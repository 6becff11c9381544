//! Hash tables filled anew.
//!
//! In: an allocated table, its other fields set, and its entries. Out: the same table with its entries in it.
//! A second table of the JDK's own class is made and filled, and its layout then moved over, so that no code of a
//! subclass runs and the object itself was never touched by a constructor.

use std::rc::Rc;

use probat_jvm::{CallError, Class, Field, MemberError, Method, Ref, Thrown, Trust, Value};
use probat_model::ClassName;

use super::RestoreError;
use super::values::Values;
use crate::heap::live::Registry;
use crate::heap::shape::Shape;

/// A table whose entries are known but not yet in it.
#[derive(Debug)]
pub(super) struct Pending<'e> {
    pub(super) object: Ref<'e>,
    pub(super) shape: Rc<Shape<Field>>,
    /// Keys and values in turn.
    pub(super) parts: Vec<Option<Ref<'e>>>,
}

/// Puts the entries in.
pub(super) fn fill(
    values: &Values<'_, '_>,
    registry: &mut Registry,
    pending: Pending<'_>,
) -> Result<(), RestoreError> {
    let env = values.env;
    let shape = &pending.shape;
    let Some(table) = shape.table else {
        let class = ClassName::internal(&shape.name);
        return Err(RestoreError::Class { class, reason: "it is no hash table here".into() });
    };
    let base = table.class();
    let second = second(values, &pending, base).map_err(|fault| match fault {
        Fault::Threw(thrown) => {
            RestoreError::Threw { class: ClassName::internal(base), thrown: values.name_of(&thrown) }
        }
        Fault::Other => RestoreError::Class {
            class: ClassName::internal(base),
            reason: "it is built otherwise in this JDK".into(),
        },
        Fault::Error(error) => error,
    })?;
    let class = env.object_class(second);
    let id = registry.look_up(env, class.get())?;
    env.delete(class);
    let from = Rc::clone(registry.shape(id).expect("it was just looked up"));
    for slot in from.fields.iter().filter(|slot| slot.layout_only) {
        let misfit = || RestoreError::Misfit { place: format!("field `{}` of `{base}`", slot.name) };
        let content = env.get(&slot.handle, second, Trust::Nothing).map_err(|_| misfit())?;
        env.set(&slot.handle, pending.object, content, Trust::Nothing).map_err(|_| misfit())?;
    }
    Ok(())
}

enum Fault<'f> {
    Threw(Thrown<'f>),
    Other,
    Error(RestoreError),
}

impl From<RestoreError> for Fault<'_> {
    fn from(error: RestoreError) -> Self {
        Fault::Error(error)
    }
}

impl<'f> From<Thrown<'f>> for Fault<'f> {
    fn from(thrown: Thrown<'f>) -> Self {
        Fault::Threw(thrown)
    }
}

impl<'f> From<MemberError<'f>> for Fault<'f> {
    fn from(_: MemberError<'f>) -> Self {
        Fault::Other
    }
}

impl<'f> From<CallError<'f>> for Fault<'f> {
    fn from(error: CallError<'f>) -> Self {
        match error {
            CallError::Threw(thrown) => Fault::Threw(thrown),
            CallError::Rejected(_) => Fault::Other,
        }
    }
}

/// A table of class `base` with the same entries.
fn second<'e, 'i>(values: &Values<'e, 'i>, pending: &Pending<'_>, base: &str) -> Result<Ref<'e>, Fault<'i>> {
    let class = values.kept(values.env.find_class(base)?)?;
    match base {
        "java/util/ImmutableCollections$MapN" => immutable(values, class, pending.parts.iter().copied()),
        "java/util/ImmutableCollections$SetN" => {
            immutable(values, class, pending.parts.iter().copied().step_by(2))
        }
        _ => {
            let made = empty(values, class, pending, base)?;
            let put = "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;";
            let put = values.env.method(class, "put", put)?;
            for entry in pending.parts.chunks_exact(2) {
                let entry = [Value::Object(entry[0]), Value::Object(entry[1])];
                let replaced = values.env.call(&put, made, &entry, Trust::Nothing)?;
                if let Some(Value::Object(Some(_))) = replaced {
                    // Two keys were found equal, so the entries would not all be there.
                    return Err(Fault::Other);
                }
            }
            Ok(made)
        }
    }
}

/// What `Set.of` and `Map.of` make of these.
fn immutable<'e, 'i, 'p>(
    values: &Values<'e, 'i>,
    class: Ref<'_, Class>,
    parts: impl ExactSizeIterator<Item = Option<Ref<'p>>>,
) -> Result<Ref<'e>, Fault<'i>> {
    let env = values.env;
    let constructor = env.constructor(class, "([Ljava/lang/Object;)V")?;
    let object = values.kept(env.find_class("java/lang/Object")?)?;
    let array = env.new_object_array(object, parts.len(), None)?.ok_or(Fault::Other)?;
    let array = values.kept(array)?;
    for (at, part) in parts.enumerate() {
        env.set_element(array, at, part)?;
    }
    let made = env.new_object(&constructor, &[Value::Object(Some(array.erase()))], Trust::Nothing)?;
    Ok(values.kept(made)?)
}

/// An empty table, as large as the fields of the one to be filled say.
fn empty<'e, 'i>(
    values: &Values<'e, 'i>,
    class: Ref<'_, Class>,
    pending: &Pending<'_>,
    base: &str,
) -> Result<Ref<'e>, Fault<'i>> {
    let env = values.env;
    let constructor =
        |descriptor: &str| -> Result<Method, Fault<'i>> { Ok(env.constructor(class, descriptor)?) };
    let made = match base {
        "java/util/concurrent/ConcurrentSkipListMap" => {
            let comparator = read(values, pending, base, "comparator")?;
            env.new_object(&constructor("(Ljava/util/Comparator;)V")?, &[comparator], Trust::Nothing)?
        }
        "java/util/IdentityHashMap" | "java/util/concurrent/ConcurrentHashMap" => {
            env.new_object(&constructor("()V")?, &[], Trust::Nothing)?
        }
        _ => {
            let keeper = if base == "java/util/LinkedHashMap" { "java/util/HashMap" } else { base };
            let threshold = read(values, pending, keeper, "threshold")?;
            let factor = read(values, pending, keeper, "loadFactor")?;
            let (Value::Int(threshold), Value::Float(factor)) = (threshold, factor) else {
                return Err(Fault::Other);
            };
            let capacity = Value::Int(capacity(threshold, factor, base == "java/util/Hashtable"));
            env.new_object(&constructor("(IF)V")?, &[capacity, Value::Float(factor)], Trust::Nothing)?
        }
    };
    Ok(values.kept(made)?)
}

fn read<'e, 'i>(
    values: &Values<'e, 'i>,
    pending: &Pending<'_>,
    declared_in: &str,
    name: &str,
) -> Result<Value<'e>, Fault<'i>> {
    let at = pending.shape.field(declared_in, name).ok_or(Fault::Other)?;
    let field = &pending.shape.fields[at as usize].handle;
    values.env.get(field, pending.object, Trust::Nothing).map_err(|_| Fault::Other)
}

/// The capacity whose threshold is this one. All tables but `Hashtable` round up to a power of two.
fn capacity(threshold: i32, factor: f32, any: bool) -> i32 {
    let least = (f64::from(threshold) / f64::from(factor)).ceil();
    let least = if (1.0..=f64::from(1 << 30)).contains(&least) { least as u32 } else { 1 };
    let fits = |capacity: u32| (capacity as f32 * factor) as i32 >= threshold;
    let capacity = if any { least } else { least.next_power_of_two() };
    // Rounding may have gone one power too far up.
    if !any && capacity > 1 && fits(capacity / 2) { (capacity / 2) as i32 } else { capacity as i32 }
}

#[cfg(test)]
mod tests {
    use super::capacity;

    #[test]
    fn capacities_come_back_from_their_thresholds() {
        for power in 0..30 {
            let size = 1 << power;
            for factor in [0.75f32, 0.5, 1.0, 0.9] {
                let threshold = (size as f32 * factor) as i32;
                if threshold > 0 {
                    assert_eq!((capacity(threshold, factor, false) as f32 * factor) as i32, threshold);
                }
            }
        }
        assert_eq!(capacity(8, 0.75, true), 11);
        assert_eq!(capacity(0, 0.75, false), 1);
        assert_eq!(capacity(5, f32::NAN, false), 1);
    }
}
