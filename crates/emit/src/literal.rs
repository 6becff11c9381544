//! Java literals.
//!
//! In: values. Out: source text that means exactly that value, every NaN, surrogate and extreme included.

use probat_model::JavaString;

/// A string literal; everything outside printable ASCII and common letters is escaped.
pub fn java_string(text: &JavaString) -> String {
    let mut out = String::from("\"");
    for decoded in char::decode_utf16(text.units().iter().copied()) {
        match decoded {
            Ok('"') => out.push_str("\\\""),
            Ok(c) => push_char(&mut out, c),
            Err(lone) => out.push_str(&format!("\\u{:04x}", lone.unpaired_surrogate())),
        }
    }
    out.push('"');
    out
}

/// A text as an expression, and whether that is one literal or call. A long text that repeats itself is built from its part, another one
/// is cut into literals that fit a line.
pub(crate) fn java_text(text: &JavaString) -> (String, bool) {
    let units = text.units();
    if units.len() > LONG {
        for period in 1..=8 {
            let whole = units.len().is_multiple_of(period) && !units[..period].contains(&0);
            if whole && units.chunks(period).all(|chunk| chunk == &units[..period]) {
                let part = java_string(&JavaString::from_units(&units[..period]));
                let times = units.len() / period;
                return (format!("new String(new char[{times}]).replace(\"\\0\", {part})"), true);
            }
        }
    }
    let whole = java_string(text);
    if whole.len() <= LONG + 10 {
        return (whole, true);
    }
    let mut parts = Vec::new();
    let mut rest = units;
    while !rest.is_empty() {
        let mut taken = rest.len().min(LONG);
        while taken > 1 && java_string(&JavaString::from_units(&rest[..taken])).len() > LONG + 10 {
            taken /= 2;
        }
        // Words stay whole where that costs little.
        if taken < rest.len()
            && let Some(space) = rest[..taken].iter().rposition(|&unit| unit == u16::from(b' '))
            && space + 1 > taken / 2
        {
            taken = space + 1;
        }
        let splits_pair = taken < rest.len() && (0xdc00..0xe000).contains(&rest[taken]);
        let taken = if splits_pair && taken > 1 { taken - 1 } else { taken };
        parts.push(java_string(&JavaString::from_units(&rest[..taken])));
        rest = &rest[taken..];
    }
    (parts.join(" + "), parts.len() == 1)
}

/// Texts up to this length are written in one piece.
const LONG: usize = 80;

/// A character literal.
pub fn java_char(unit: u16) -> String {
    let mut out = String::from("'");
    match char::from_u32(u32::from(unit)) {
        Some('\'') => out.push_str("\\'"),
        Some(c) => push_char(&mut out, c),
        None => out.push_str(&format!("\\u{unit:04x}")),
    }
    out.push('\'');
    out
}

fn push_char(out: &mut String, c: char) {
    match c {
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\u{8}' => out.push_str("\\b"),
        '\u{c}' => out.push_str("\\f"),
        ' '..='~' => out.push(c),
        _ => {
            for unit in c.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
}

/// An `int`.
pub(crate) fn java_int(value: i32) -> String {
    match value {
        i32::MIN => "Integer.MIN_VALUE".into(),
        i32::MAX => "Integer.MAX_VALUE".into(),
        _ => value.to_string(),
    }
}

/// A `long`.
pub(crate) fn java_long(value: i64) -> String {
    match value {
        i64::MIN => "Long.MIN_VALUE".into(),
        i64::MAX => "Long.MAX_VALUE".into(),
        _ => format!("{value}L"),
    }
}

/// A `double`; a NaN that is not the usual one is spelled by its bits.
pub(crate) fn java_double(bits: u64) -> String {
    let value = f64::from_bits(bits);
    if value.is_nan() {
        if bits == 0x7ff8_0000_0000_0000 {
            return "Double.NaN".into();
        }
        return format!("Double.longBitsToDouble(0x{bits:016x}L)");
    }
    match value {
        f64::INFINITY => "Double.POSITIVE_INFINITY".into(),
        f64::NEG_INFINITY => "Double.NEGATIVE_INFINITY".into(),
        f64::MAX => "Double.MAX_VALUE".into(),
        _ => format!("{value:?}"),
    }
}

/// A `float`.
pub(crate) fn java_float(bits: u32) -> String {
    let value = f32::from_bits(bits);
    if value.is_nan() {
        if bits == 0x7fc0_0000 {
            return "Float.NaN".into();
        }
        return format!("Float.intBitsToFloat(0x{bits:08x})");
    }
    match value {
        f32::INFINITY => "Float.POSITIVE_INFINITY".into(),
        f32::NEG_INFINITY => "Float.NEGATIVE_INFINITY".into(),
        f32::MAX => "Float.MAX_VALUE".into(),
        _ => format!("{value:?}f"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_are_spelled() {
        assert_eq!(java_int(i32::MIN), "Integer.MIN_VALUE");
        assert_eq!(java_long(-5), "-5L");
        assert_eq!(java_double((-0.0f64).to_bits()), "-0.0");
        assert_eq!(java_double(1e300f64.to_bits()), "1e300");
        assert_eq!(java_double(f64::NEG_INFINITY.to_bits()), "Double.NEGATIVE_INFINITY");
        assert_eq!(java_double(0x7ff8_0000_0000_0001), "Double.longBitsToDouble(0x7ff8000000000001L)");
        assert_eq!(java_float(f32::NAN.to_bits()), "Float.NaN");
        assert_eq!(java_float(1.5f32.to_bits()), "1.5f");
    }

    #[test]
    fn text_is_escaped() {
        let text = JavaString::from_units(&[0x61, 0x22, 0x5c, 0x0a, 0xd800, 0xe9, 0x00]);
        assert_eq!(java_string(&text), r#""a\"\\\n\ud800\u00e9\u0000""#);
        assert_eq!(java_string(&"😀".into()), r#""\ud83d\ude00""#);
        assert_eq!((java_char(0x27), java_char(0xdc00)), ("'\\''".into(), "'\\udc00'".into()));
    }
}
