//! Whether something the test handed on holds a null: then null came in, though no argument was null (spec 001 row 10).
//!
//! Looks into arrays, arrays in arrays, and collections and maps of the JDK, none of them far. What a class of the user holds is that
//! class's own business. Runs `toArray` of JDK classes, watched like a step.

use probat_jvm::{Env, ObjectArray, Ref, Value};

use super::{Called, Check, Contracts, Interrupted};

/// Elements looked at in one array.
const ELEMENTS: usize = 64;

/// Arrays in arrays looked into.
const DEPTH: usize = 3;

/// Whether an object is or wraps an array with a null in it. `is_jdk` says that its class is one of the JDK's.
pub fn holds_null(
    kit: &Contracts,
    check: &mut Check<'_, '_, '_>,
    object: Ref<'_>,
    is_jdk: bool,
) -> Result<bool, Interrupted> {
    if let Some(array) = check.env.cast::<ObjectArray>(object) {
        return Ok(has_null(check.env, array, DEPTH));
    }
    if !is_jdk {
        return Ok(false);
    }
    if check.env.is_instance_of(object, kit.collection.get()) {
        return content(kit, check, object);
    }
    if check.env.is_instance_of(object, kit.map.get()) {
        for part in [&kit.collections.map_keys, &kit.collections.map_values] {
            if let Called::Gave(Value::Object(Some(part))) = check.call(part, object, &[])?
                && content(kit, check, part)?
            {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Whether a collection gives a null.
fn content(kit: &Contracts, check: &mut Check<'_, '_, '_>, of: Ref<'_>) -> Result<bool, Interrupted> {
    Ok(match check.call(&kit.collections.to_array, of, &[])? {
        Called::Gave(Value::Object(Some(array))) => {
            check.env.cast::<ObjectArray>(array).is_some_and(|array| has_null(check.env, array, 1))
        }
        Called::Gave(_) | Called::Ended | Called::Threw(_) | Called::Nothing => false,
    })
}

fn has_null(env: &Env<'_>, array: Ref<'_, ObjectArray>, depth: usize) -> bool {
    (0..env.array_length(array).min(ELEMENTS)).any(|at| match env.element(array, at) {
        Ok(None) => true,
        Ok(Some(element)) => {
            let inner = env.cast::<ObjectArray>(element.get());
            let found = depth > 1 && inner.is_some_and(|inner| has_null(env, inner, depth - 1));
            env.delete(element);
            found
        }
        Err(_) => false,
    })
}
