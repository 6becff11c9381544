//! Numbers as text: primitives as Java literals, and numbers that objects of the JDK stand for.

use crate::text::JavaString;
use crate::tree::Scalar;

/// A primitive as source would spell it, as far as that is short.
pub(super) fn scalar(value: Scalar) -> String {
    match value {
        Scalar::Boolean(value) => value.to_string(),
        Scalar::Byte(value) => value.to_string(),
        Scalar::Char(unit) => character(unit),
        Scalar::Short(value) => value.to_string(),
        Scalar::Int(value) => value.to_string(),
        Scalar::Long(value) => format!("{value}L"),
        Scalar::Float(bits) => format!("{}f", float(f64::from(f32::from_bits(bits)), f32::from_bits(bits))),
        Scalar::Double(bits) => float(f64::from_bits(bits), f64::from_bits(bits)),
    }
}

/// As [`scalar`], with the type where no field's type says it.
pub(super) fn boxed(value: Scalar) -> String {
    match value {
        Scalar::Byte(value) => format!("(byte) {value}"),
        Scalar::Short(value) => format!("(short) {value}"),
        other => scalar(other),
    }
}

fn float(value: f64, shown: impl std::fmt::Debug) -> String {
    if value.is_infinite() {
        return if value > 0.0 { "Infinity".into() } else { "-Infinity".into() };
    }
    format!("{shown:?}")
}

fn character(unit: u16) -> String {
    let quoted = JavaString::from_units(&[unit]).to_string();
    let inner = quoted[1..quoted.len() - 1].replace("\\\"", "\"").replace('\'', "\\'");
    format!("'{inner}'")
}

/// A `BigInteger`: sign and magnitude, most significant word first.
pub(super) fn big_integer(sign: i32, magnitude: &[u32]) -> String {
    let mut words: Vec<u32> = magnitude.iter().rev().copied().collect();
    let mut digits = Vec::new();
    while words.iter().any(|&word| word != 0) {
        let mut rest = 0u64;
        for word in words.iter_mut().rev() {
            let value = rest << 32 | u64::from(*word);
            *word = (value / 1_000_000_000) as u32;
            rest = value % 1_000_000_000;
        }
        digits.push(rest as u32);
    }
    let mut text = if sign < 0 { "-".to_owned() } else { String::new() };
    match digits.pop() {
        None => text.push('0'),
        Some(first) => text += &first.to_string(),
    }
    for group in digits.iter().rev() {
        text += &format!("{group:09}");
    }
    text
}

/// A `BigDecimal`: digits, and how many of them are decimals.
pub(super) fn decimal(digits: &str, scale: i32) -> String {
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |rest| ("-", rest));
    match usize::try_from(scale) {
        Ok(0) => format!("{sign}{digits}"),
        Ok(scale) if scale <= 100 => {
            let padded = format!("{digits:0>width$}", width = scale + 1);
            let (whole, fraction) = padded.split_at(padded.len() - scale);
            format!("{sign}{whole}.{fraction}")
        }
        _ => format!("{sign}{digits}E{}", -i64::from(scale)),
    }
}

/// A `UUID`.
pub(super) fn uuid(high: i64, low: i64) -> String {
    let hex = format!("{:016x}{:016x}", high.cast_unsigned(), low.cast_unsigned());
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primitives_are_literals() {
        for (value, text) in [
            (Scalar::Boolean(true), "true"),
            (Scalar::Char(0x61), "'a'"),
            (Scalar::Char(0x22), "'\"'"),
            (Scalar::Char(0x27), "'\\''"),
            (Scalar::Char(0xd800), "'\\ud800'"),
            (Scalar::Long(-5), "-5L"),
            (Scalar::Float(1.5f32.to_bits()), "1.5f"),
            (Scalar::Float(0.1f32.to_bits()), "0.1f"),
            (Scalar::Double(2f64.to_bits()), "2.0"),
            (Scalar::Double(f64::NAN.to_bits()), "NaN"),
            (Scalar::Double(f64::NEG_INFINITY.to_bits()), "-Infinity"),
            (Scalar::Double((-0f64).to_bits()), "-0.0"),
        ] {
            assert_eq!(scalar(value), text);
        }
    }

    #[test]
    fn big_numbers() {
        assert_eq!(big_integer(0, &[]), "0");
        assert_eq!(big_integer(-1, &[1]), "-1");
        assert_eq!(big_integer(1, &[1, 0]), "4294967296");
        assert_eq!(
            big_integer(1, &[1, 2397638646, 3279151342, 1312754386]),
            "123456789012345678901234567890"
        );
        assert_eq!(decimal("-12345", 2), "-123.45");
        assert_eq!(decimal("5", 3), "0.005");
        assert_eq!(decimal("5", -3), "5E3");
        assert_eq!(uuid(1, 2), "00000000-0000-0001-0000-000000000002");
    }
}
