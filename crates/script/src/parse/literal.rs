//! Digits to values (JLS §3.10.1, §3.10.2).
//!
//! In: a number as written and whether a minus stands before it. Out: an `int`, `long`, `float` or `double` literal,
//! or a sentence saying why it is none.

use probat_model::Literal;

/// The value of a number.
pub(super) fn number(written: &str, negative: bool) -> Result<Literal, String> {
    let digits: String = written.chars().filter(|&c| c != '_').collect();
    if written.starts_with('_') || written.ends_with('_') {
        return Err(format!("`{written}` is no number: `_` stands between digits"));
    }
    let lower = digits.to_ascii_lowercase();
    let bad = || format!("`{written}` is no number");
    let (body, radix) = match lower.as_bytes() {
        [b'0', b'x', ..] if lower.contains('p') || lower.contains('.') => {
            return Err(format!("`{written}`: hexadecimal floating point is not supported"));
        }
        [b'0', b'x', ..] => (&lower[2..], 16),
        [b'0', b'b', ..] => (&lower[2..], 2),
        [b'0', next, ..] if next.is_ascii_digit() && !is_floating(&lower) => (&lower[1..], 8),
        _ if is_floating(&lower) => return floating(&lower, negative).ok_or_else(bad),
        _ => (lower.as_str(), 10),
    };
    let (body, long) = match body.strip_suffix('l') {
        Some(body) => (body, true),
        None => (body, false),
    };
    let magnitude = u128::from_str_radix(body, radix).map_err(|_| bad())?;
    let no_fit = |ty, more| format!("`{written}` does not fit `{ty}`{more}");
    if long {
        whole(magnitude, radix, negative, 64).map(Literal::Long).ok_or_else(|| no_fit("long", ""))
    } else {
        let value = whole(magnitude, radix, negative, 32).map(|value| Literal::Int(value as i32));
        value.ok_or_else(|| no_fit("int", ": a `long` ends in `L`"))
    }
}

fn is_floating(lower: &str) -> bool {
    lower.contains(['.', 'e']) || lower.ends_with(['f', 'd'])
}

fn floating(lower: &str, negative: bool) -> Option<Literal> {
    let sign = if negative { "-" } else { "" };
    let finite = |body: &str| body.bytes().all(|b| matches!(b, b'0'..=b'9' | b'.' | b'e' | b'+' | b'-'));
    if let Some(body) = lower.strip_suffix('f').filter(|body| finite(body)) {
        let value: f32 = format!("{sign}{body}").parse().ok()?;
        return value.is_finite().then(|| Literal::Float(value.to_bits()));
    }
    let body = lower.strip_suffix('d').unwrap_or(lower);
    let value: f64 = format!("{sign}{body}").parse().ok().filter(|_| finite(body))?;
    value.is_finite().then(|| Literal::Double(value.to_bits()))
}

/// Decimal values are signed; others are patterns of so many bits.
fn whole(magnitude: u128, radix: u32, negative: bool, bits: u32) -> Option<i64> {
    let limit = 1i128 << (bits - 1);
    let magnitude = i128::try_from(magnitude).ok()?;
    let value = match radix {
        10 => magnitude,
        _ if magnitude >= 2 * limit => return None,
        _ if magnitude >= limit => magnitude - 2 * limit,
        _ => magnitude,
    };
    let value = match if negative { -value } else { value } {
        wrapped if radix != 10 && wrapped == limit => -limit,
        value => value,
    };
    (-limit..limit).contains(&value).then_some(value as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_java() {
        let float = |value: f32| Ok(Literal::Float(value.to_bits()));
        let double = |value: f64| Ok(Literal::Double(value.to_bits()));
        for (text, negative, value) in [
            ("0", false, Ok(Literal::Int(0))),
            ("2147483648", true, Ok(Literal::Int(i32::MIN))),
            ("0xFFFF_FFFF", false, Ok(Literal::Int(-1))),
            ("0b101", false, Ok(Literal::Int(5))),
            ("017", false, Ok(Literal::Int(15))),
            ("1_000L", false, Ok(Literal::Long(1000))),
            ("9223372036854775808l", true, Ok(Literal::Long(i64::MIN))),
            ("0xFFFFFFFFFFFFFFFFL", false, Ok(Literal::Long(-1))),
            ("1f", false, float(1.0)),
            ("0x1f", false, Ok(Literal::Int(31))),
            ("0", true, Ok(Literal::Int(0))),
            ("0.0", true, double(-0.0)),
            (".5", false, double(0.5)),
            ("1.", false, double(1.0)),
            ("1e-3", false, double(1e-3)),
            ("3d", false, double(3.0)),
        ] {
            assert_eq!(number(text, negative), value, "{text}");
        }
    }

    #[test]
    fn what_is_no_number_says_why() {
        for (text, part) in [
            ("2147483648", "ends in `L`"),
            ("9223372036854775808L", "does not fit `long`"),
            ("08", "no number"),
            ("1x", "no number"),
            ("1_", "between digits"),
            ("0x", "no number"),
            ("1e400", "no number"),
            ("0x1p3", "hexadecimal floating point"),
        ] {
            let error = number(text, false).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
