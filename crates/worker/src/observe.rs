//! Writing down what steps gave.
//!
//! In: values on the heap. Out: entries of the result payload, strings cut at their bound.

use std::io::Write;

use probat_jvm::{ArrayOf, Env, ObjectArray, Ref, Str, Value};

use crate::act::array_length;
use crate::class_key::{ClassKeys, LastClass, Named, Shown};
use crate::link::Up;

/// Writes values; keeps a buffer.
#[derive(Debug)]
pub struct Values {
    pub keys: ClassKeys,
    units: Vec<u16>,
}

impl Values {
    pub fn new(keys: ClassKeys, string_units: usize) -> Self {
        Values { keys, units: vec![0; string_units] }
    }

    /// The step gave this.
    pub fn returned<W: Write>(
        &mut self,
        env: &mut Env<'_>,
        up: &Up<W>,
        step: u16,
        value: Option<Value<'_>>,
        last: &LastClass,
    ) {
        let shown = match value {
            Some(Value::Object(Some(object))) => return self.object(env, up, step, object, last),
            Some(Value::Object(None)) => probat_model::Value::Null,
            Some(Value::Boolean(v)) => probat_model::Value::Boolean(v),
            Some(Value::Byte(v)) => probat_model::Value::Byte(v),
            Some(Value::Char(v)) => probat_model::Value::Char(v),
            Some(Value::Short(v)) => probat_model::Value::Short(v),
            Some(Value::Int(v)) => probat_model::Value::Int(v),
            Some(Value::Long(v)) => probat_model::Value::Long(v),
            Some(Value::Float(v)) => probat_model::Value::Float(v),
            Some(Value::Double(v)) => probat_model::Value::Double(v),
            None => probat_model::Value::Void,
        };
        up.write(|results| results.returned(step, &shown));
    }

    fn object<W: Write>(
        &mut self,
        env: &mut Env<'_>,
        up: &Up<W>,
        step: u16,
        object: Ref<'_>,
        last: &LastClass,
    ) {
        let Named { key, name, shown } = self.keys.of(env, object, last);
        match shown {
            Shown::Object => up.write(|results| results.returned_object(step, key, || name)),
            Shown::Array => {
                let length = length_of(env, object, name);
                up.write(|results| results.returned_array(step, length, key, || name));
            }
            Shown::String => {
                let length = env.string_units(env.assume::<Str>(object), &mut self.units);
                let shown = if up.is_full() { 0 } else { length.min(self.units.len()) };
                let units = &self.units[..shown];
                up.write(|results| results.returned_string(step, units, length as u32));
            }
        }
    }
}

/// The length of an array whose class name says what is in it.
fn length_of(env: &Env<'_>, array: Ref<'_>, name: &str) -> u32 {
    let length = match name.as_bytes().get(1) {
        Some(b'L' | b'[') => env.array_length(env.assume::<ObjectArray>(array)),
        Some(b'I') => env.array_length(env.assume::<ArrayOf<i32>>(array)),
        Some(b'B') => env.array_length(env.assume::<ArrayOf<i8>>(array)),
        _ => array_length(env, array).map_or(0, |length| length as usize),
    };
    length as u32
}
