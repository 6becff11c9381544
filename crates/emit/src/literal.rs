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

/// A text as an expression, and whether that is one literal or call. Long stretches that repeat a short part are built from it
/// (`repeats`: by `String.repeat`, which is there from Java 11 on), the rest is cut into literals that fit a line. No constant becomes longer than
/// a class file has room for.
pub(crate) fn java_text(text: &JavaString, repeats: bool) -> (String, bool) {
    let units = text.units();
    let whole = java_string(text);
    if units.len() <= LONG && whole.len() <= LONG + 10 {
        return (whole, true);
    }
    let (mut parts, mut plain) = (Vec::new(), 0);
    for stretch in stretches(units) {
        match stretch {
            Stretch::Plain(units) => {
                plain += units.len();
                cut(units, &mut parts);
            }
            Stretch::Repeated { part, times } => {
                let part = java_string(&JavaString::from_units(part));
                parts.push(match repeats {
                    true => format!("{part}.repeat({times})"),
                    false => format!("new String(new char[{times}]).replace(\"\\0\", {part})"),
                });
            }
        }
    }
    match parts.len() {
        1 => (parts.remove(0), true),
        // A compiler would make one constant of their sum.
        _ if plain > MOST_IN_A_CONSTANT => (format!("String.join(\"\", {})", parts.join(", ")), true),
        _ => (parts.join(" + "), false),
    }
}

/// Texts up to this length are written in one piece.
const LONG: usize = 80;

/// The longest part whose repetition is looked for.
const LONGEST_PART: usize = 8;

/// Characters that fit a constant of a class file: 65535 bytes, up to three for each (JVMS §4.4.7).
const MOST_IN_A_CONSTANT: usize = 65_535 / 3;

/// Some of a text. Match without `_`.
enum Stretch<'a> {
    Plain(&'a [u16]),
    Repeated { part: &'a [u16], times: usize },
}

/// A text as stretches that follow each other.
fn stretches(units: &[u16]) -> Vec<Stretch<'_>> {
    let mut found = Vec::new();
    let (mut plain, mut at) = (0, 0);
    while at < units.len() {
        let rest = &units[at..];
        let repeated = (1..=LONGEST_PART).find_map(|period| {
            let same =
                rest.iter().zip(rest.iter().skip(period)).take_while(|(one, next)| one == next).count();
            let times = (same + period) / period;
            (times * period > LONG).then_some((period, times))
        });
        let Some((period, times)) = repeated else {
            at += 1;
            continue;
        };
        if plain < at {
            found.push(Stretch::Plain(&units[plain..at]));
        }
        found.push(Stretch::Repeated { part: &rest[..period], times });
        at += period * times;
        plain = at;
    }
    if plain < units.len() {
        found.push(Stretch::Plain(&units[plain..]));
    }
    found
}

/// Literals that fit a line.
fn cut(mut rest: &[u16], parts: &mut Vec<String>) {
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
}

/// Columns that a text takes as an expression.
pub fn text_columns(text: &JavaString) -> usize {
    java_text(text, true).0.len()
}

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

    #[test]
    fn what_repeats_itself_is_written_once() {
        let text = |text: String| java_text(&text.as_str().into(), true);
        assert_eq!(text("ab".repeat(50_000)), (r#""ab".repeat(50000)"#.into(), true));
        assert_eq!(
            text(format!("<{}{}>", "-".repeat(100), "=".repeat(90))),
            (r#""<" + "-".repeat(100) + "=".repeat(90) + ">""#.into(), false)
        );
        let old = java_text(&"x".repeat(81).as_str().into(), false);
        assert_eq!(old, (r#"new String(new char[81]).replace("\0", "x")"#.into(), true));
        assert_eq!(text("x".repeat(80)).0.len(), 82);
    }

    /// JVMS §4.4.7: a constant has at most 65535 bytes.
    #[test]
    fn no_constant_is_longer_than_a_class_file_allows() {
        let numbers = |count: u32| (0..count).map(|at| format!("{at} ")).collect::<String>();
        let (sum, atom) = java_text(&numbers(3000).as_str().into(), true);
        assert!(sum.starts_with("\"0 1 2 ") && sum.contains(" + ") && !atom);
        let (joined, atom) = java_text(&numbers(9000).as_str().into(), true);
        assert!(joined.starts_with("String.join(\"\", \"0 1 2 ") && !joined.contains(" + ") && atom);
        let said: String = joined.split('"').skip(3).step_by(2).collect();
        assert_eq!(said, numbers(9000));
    }
}
