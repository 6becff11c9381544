//! Modified UTF-8, the encoding of names at the border of the VM (JVMS §4.4.7).
//!
//! In: Rust text, or the zero-terminated bytes JNI and JVMTI hand out.
//! Out: [`CString`]s the VM reads back as the same name, or Rust text.
//! Values of `java.lang.String` never pass through here; they travel as UTF-16 units.

use std::borrow::Cow;
use std::ffi::CString;

/// Encodes a name. NUL becomes two bytes, a supplementary character two encoded surrogates.
pub(crate) fn encode(text: &str) -> CString {
    if text.bytes().all(|byte| byte != 0 && byte < 0xf0) {
        // Up to U+FFFF both encodings agree.
        return CString::new(text).expect("no zero byte was found above");
    }
    let mut out = Vec::with_capacity(text.len() + 8);
    for unit in text.encode_utf16() {
        push_unit(&mut out, unit);
    }
    CString::new(out).expect("a zero unit was encoded as two bytes")
}

/// Decodes what the VM handed out; what is no character becomes U+FFFD.
pub(crate) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    if bytes.is_ascii() {
        return String::from_utf8_lossy(bytes);
    }
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((unit, after)) = take_unit(rest) {
        units.push(unit);
        rest = after;
    }
    Cow::Owned(String::from_utf16_lossy(&units))
}

fn push_unit(out: &mut Vec<u8>, unit: u16) {
    match unit {
        1..=0x7f => out.push(unit as u8),
        0 | 0x80..=0x7ff => out.extend([0xc0 | (unit >> 6) as u8, tail(unit)]),
        _ => out.extend([0xe0 | (unit >> 12) as u8, tail(unit >> 6), tail(unit)]),
    }
}

fn tail(unit: u16) -> u8 {
    0x80 | (unit & 0x3f) as u8
}

fn take_unit(bytes: &[u8]) -> Option<(u16, &[u8])> {
    const REPLACEMENT: u16 = 0xfffd;
    let six = |byte: u8| u16::from(byte & 0x3f);
    let is_tail = |byte: u8| byte & 0xc0 == 0x80;
    Some(match *bytes {
        [] => return None,
        [a, ref rest @ ..] if a < 0x80 => (u16::from(a), rest),
        [a, b, ref rest @ ..] if a & 0xe0 == 0xc0 && is_tail(b) => (u16::from(a & 0x1f) << 6 | six(b), rest),
        [a, b, c, ref rest @ ..] if a & 0xf0 == 0xe0 && is_tail(b) && is_tail(c) => {
            (u16::from(a & 0x0f) << 12 | six(b) << 6 | six(c), rest)
        }
        [_, ref rest @ ..] => (REPLACEMENT, rest),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_survive_a_round_trip() {
        for text in ["", "java/lang/String", "Größe", "数", "a\0b", "clef 𝄞", "\u{ffff}"] {
            assert_eq!(decode(encode(text).as_bytes()), text);
        }
    }

    #[test]
    fn nul_and_supplementary_characters_take_their_special_forms() {
        assert_eq!(encode("\0").as_bytes(), [0xc0, 0x80]);
        assert_eq!(encode("𝄞").as_bytes(), [0xed, 0xa0, 0xb4, 0xed, 0xb4, 0x9e]);
    }

    #[test]
    fn malformed_bytes_become_replacement_characters() {
        assert_eq!(decode(&[b'a', 0xff, b'b', 0xe2, 0x82]), "a\u{fffd}b\u{fffd}\u{fffd}");
        assert_eq!(decode(&[0xed, 0xa0, 0xb4]), "\u{fffd}");
    }
}
