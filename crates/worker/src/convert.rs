//! Conversions between primitives (JLS §5.1.2, §5.1.3).
//!
//! In: a primitive value and the kind wanted. Out: the value as Java's cast makes it; `None` between `boolean` and the
//! rest, which Java does not convert. Boxing needs a JVM and lives in `boxes`.

use probat_jvm::{Kind, Value};

/// Casts a primitive as Java does.
pub fn cast_primitive(value: Value<'_>, to: Kind) -> Option<Value<'static>> {
    match value {
        Value::Boolean(v) => (to == Kind::Boolean).then_some(Value::Boolean(v)),
        Value::Byte(v) => from_integer(i64::from(v), to),
        Value::Char(v) => from_integer(i64::from(v), to),
        Value::Short(v) => from_integer(i64::from(v), to),
        Value::Int(v) => from_integer(i64::from(v), to),
        Value::Long(v) => from_integer(v, to),
        Value::Float(v) => from_float(f64::from(v), to, Value::Float(v)),
        Value::Double(v) => from_float(v, to, Value::Double(v)),
        Value::Object(_) => None,
    }
}

fn from_integer(v: i64, to: Kind) -> Option<Value<'static>> {
    Some(match to {
        Kind::Byte => Value::Byte(v as i8),
        Kind::Char => Value::Char(v as u16),
        Kind::Short => Value::Short(v as i16),
        Kind::Int => Value::Int(v as i32),
        Kind::Long => Value::Long(v),
        // Straight from 64 bits: through `double` would round twice.
        Kind::Float => Value::Float(v as f32),
        Kind::Double => Value::Double(v as f64),
        Kind::Boolean | Kind::Object => return None,
    })
}

/// Rust's casts saturate and send NaN to zero, as Java's do; narrower than `int` goes through `int`.
fn from_float(v: f64, to: Kind, same: Value<'static>) -> Option<Value<'static>> {
    Some(match (to, same) {
        (Kind::Byte, _) => Value::Byte(v as i32 as i8),
        (Kind::Char, _) => Value::Char(v as i32 as u16),
        (Kind::Short, _) => Value::Short(v as i32 as i16),
        (Kind::Int, _) => Value::Int(v as i32),
        (Kind::Long, _) => Value::Long(v as i64),
        (Kind::Float, Value::Float(bits)) => Value::Float(bits),
        (Kind::Float, _) => Value::Float(v as f32),
        (Kind::Double, _) => Value::Double(v),
        (Kind::Boolean | Kind::Object, _) => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(from: Value<'_>, to: Kind, expected: &str) {
        assert_eq!(format!("{:?}", cast_primitive(from, to)), expected);
    }

    #[test]
    fn narrowing_drops_high_bits() {
        check(Value::Int(300), Kind::Byte, "Some(Byte(44))");
        check(Value::Long(1 << 40 | 7), Kind::Int, "Some(Int(7))");
        check(Value::Int(-1), Kind::Char, "Some(Char(65535))");
        check(Value::Char(0xffff), Kind::Short, "Some(Short(-1))");
    }

    #[test]
    fn floats_saturate_and_nan_is_zero() {
        check(Value::Double(1e20), Kind::Int, "Some(Int(2147483647))");
        check(Value::Double(f64::NAN), Kind::Long, "Some(Long(0))");
        check(Value::Double(1e10), Kind::Byte, "Some(Byte(-1))");
        check(Value::Float(-0.0), Kind::Double, "Some(Double(-0.0))");
    }

    #[test]
    fn a_long_becomes_a_float_in_one_rounding() {
        let value = (1i64 << 60) + (1i64 << 36) + 1;
        check(Value::Long(value), Kind::Float, &format!("Some(Float({:?}))", value as f32));
    }

    #[test]
    fn booleans_stand_alone() {
        check(Value::Boolean(true), Kind::Boolean, "Some(Boolean(true))");
        check(Value::Boolean(true), Kind::Int, "None");
        check(Value::Int(1), Kind::Boolean, "None");
    }
}
