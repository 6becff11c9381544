//! Java strings: UTF-16 that need not be well formed.
//!
//! In: UTF-16 units or Rust text. Out: [`JavaString`], which keeps unpaired surrogates.
//! Modified UTF-8 belongs to `classfile` and `jvm`, not here.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The value of a `java.lang.String`; may hold surrogates without partner.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct JavaString(Box<[u16]>);

impl JavaString {
    pub fn from_units(units: &[u16]) -> Self {
        JavaString(units.into())
    }

    pub fn units(&self) -> &[u16] {
        &self.0
    }

    /// The text, with U+FFFD for what has no code point.
    pub fn to_lossy(&self) -> String {
        String::from_utf16_lossy(&self.0)
    }
}

impl From<&str> for JavaString {
    fn from(text: &str) -> Self {
        JavaString(text.encode_utf16().collect())
    }
}

impl fmt::Debug for JavaString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Prints as a Java string literal, every unit that is not printable escaped.
impl fmt::Display for JavaString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for decoded in char::decode_utf16(self.0.iter().copied()) {
            match decoded {
                Ok('"') => f.write_str("\\\"")?,
                Ok('\\') => f.write_str("\\\\")?,
                Ok('\n') => f.write_str("\\n")?,
                Ok('\r') => f.write_str("\\r")?,
                Ok('\t') => f.write_str("\\t")?,
                Ok(c) if c.is_control() => write!(f, "\\u{:04x}", c as u32)?,
                Ok(c) => write!(f, "{c}")?,
                Err(lone) => write!(f, "\\u{:04x}", lone.unpaired_surrogate())?,
            }
        }
        f.write_str("\"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_as_a_literal() {
        let text = JavaString::from_units(&[0x61, 0x22, 0x0a, 0xd800, 0x00]);
        assert_eq!(text.to_string(), r#""a\"\n\ud800\u0000""#);
    }
}
