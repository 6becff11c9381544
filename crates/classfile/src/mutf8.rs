//! Modified UTF-8 (JVMS §4.4.7): how class files spell text.
//!
//! In: raw bytes of a `CONSTANT_Utf8`, or UTF-16 units. Out: text, or units that may hold lone surrogates.
//! Differs from UTF-8 in two places: U+0000 takes two bytes, and what lies beyond U+FFFF is two surrogates of
//! three bytes each, paired or not.

use std::borrow::Cow;

/// Why bytes are no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextError {
    Malformed,
    UnpairedSurrogate,
}

/// The text, borrowed where both encodings agree.
pub(crate) fn to_str(bytes: &[u8]) -> Result<Cow<'_, str>, TextError> {
    if let Ok(text) = std::str::from_utf8(bytes)
        && (text.is_ascii() || !bytes.iter().any(|&byte| byte >= 0xf0))
        && !bytes.contains(&0)
    {
        return Ok(Cow::Borrowed(text));
    }
    let units = to_units(bytes).ok_or(TextError::Malformed)?;
    String::from_utf16(&units).map(Cow::Owned).map_err(|_| TextError::UnpairedSurrogate)
}

/// The UTF-16 units; `None` for bytes the JVM would refuse.
pub(crate) fn to_units(bytes: &[u8]) -> Option<Vec<u16>> {
    let continued =
        |byte: Option<&u8>| byte.filter(|&&byte| byte & 0xc0 == 0x80).map(|&byte| u16::from(byte & 0x3f));
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(&first) = rest.first() {
        let (unit, length) = match first {
            0x01..=0x7f => (u16::from(first), 1),
            0xc0..=0xdf => (u16::from(first & 0x1f) << 6 | continued(rest.get(1))?, 2),
            0xe0..=0xef => {
                let high = u16::from(first & 0x0f) << 12;
                (high | continued(rest.get(1))? << 6 | continued(rest.get(2))?, 3)
            }
            _ => return None,
        };
        units.push(unit);
        rest = &rest[length..];
    }
    Some(units)
}

/// Appends the modified UTF-8 of some units.
pub(crate) fn from_units(units: impl Iterator<Item = u16>, out: &mut Vec<u8>) {
    for unit in units {
        match unit {
            0x0001..=0x007f => out.push(unit as u8),
            0x0000 | 0x0080..=0x07ff => out.extend([0xc0 | (unit >> 6) as u8, 0x80 | (unit & 0x3f) as u8]),
            0x0800.. => out.extend([
                0xe0 | (unit >> 12) as u8,
                0x80 | (unit >> 6 & 0x3f) as u8,
                0x80 | (unit & 0x3f) as u8,
            ]),
        }
    }
}

/// The modified UTF-8 of a Rust text, borrowed where both encodings agree.
pub(crate) fn of_str(text: &str) -> Cow<'_, [u8]> {
    if text.bytes().all(|byte| byte != 0 && byte < 0xf0) {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut out = Vec::with_capacity(text.len() + 2);
    from_units(text.encode_utf16(), &mut out);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, bytes: &[u8]) {
        assert_eq!(&*of_str(text), bytes);
        assert_eq!(to_str(bytes).as_deref(), Ok(text));
    }

    #[test]
    fn agrees_with_utf8_where_it_should() {
        check("", b"");
        check("java/lang/Object", b"java/lang/Object");
        check("é€", "é€".as_bytes());
    }

    #[test]
    fn zero_takes_two_bytes() {
        check("a\0b", &[b'a', 0xc0, 0x80, b'b']);
    }

    #[test]
    fn supplementary_characters_take_six_bytes() {
        check("😀", &[0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80]);
    }

    #[test]
    fn lone_surrogates_are_units_but_no_text() {
        let bytes = [0xed, 0xa0, 0x80];
        assert_eq!(to_units(&bytes), Some(vec![0xd800]));
        assert_eq!(to_str(&bytes), Err(TextError::UnpairedSurrogate));
    }

    #[test]
    fn what_the_jvm_refuses_is_malformed() {
        for bytes in
            [&[0][..], &[0x80], &[0xc3], &[0xe2, 0x82], &[0xf0, 0x9f, 0x98, 0x80], &[0xc3, 0x41], &[0xff]]
        {
            assert_eq!(to_str(bytes), Err(TextError::Malformed), "{bytes:?}");
        }
    }
}
