//! Primitive values of the flat encodings, little end first.
//!
//! In: bytes. Out: values, or [`WireError`] with the place. Never allocates more than the bytes at hand.

use probat_model::{ClassName, JavaString};

/// A payload that breaks the encoding at a byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("malformed payload at byte {0}")]
pub struct WireError(pub usize);

/// Reads a payload from front to back.
#[derive(Debug)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Cursor { bytes, at: 0 }
    }

    pub fn is_done(&self) -> bool {
        self.at == self.bytes.len()
    }

    pub fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    pub fn error(&self) -> WireError {
        WireError(self.at)
    }

    pub fn slice(&mut self, len: usize) -> Result<&'a [u8], WireError> {
        let rest = &self.bytes[self.at..];
        if len > rest.len() {
            return Err(self.error());
        }
        self.at += len;
        Ok(&rest[..len])
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], WireError> {
        Ok(self.slice(N)?.try_into().expect("slice has the length asked for"))
    }

    pub fn u8(&mut self) -> Result<u8, WireError> {
        Ok(u8::from_le_bytes(self.take()?))
    }

    pub fn u16(&mut self) -> Result<u16, WireError> {
        Ok(u16::from_le_bytes(self.take()?))
    }

    pub fn u32(&mut self) -> Result<u32, WireError> {
        Ok(u32::from_le_bytes(self.take()?))
    }

    pub fn u64(&mut self) -> Result<u64, WireError> {
        Ok(u64::from_le_bytes(self.take()?))
    }

    pub fn u128(&mut self) -> Result<u128, WireError> {
        Ok(u128::from_le_bytes(self.take()?))
    }

    /// A count of things that take at least `size` bytes each.
    pub fn count(&mut self, size: usize) -> Result<usize, WireError> {
        let count = self.u32()? as usize;
        if count > self.remaining() / size.max(1) { Err(self.error()) } else { Ok(count) }
    }

    pub fn text(&mut self) -> Result<&'a str, WireError> {
        let start = self.at;
        let len = self.count(1)?;
        std::str::from_utf8(self.slice(len)?).map_err(|_| WireError(start))
    }

    pub fn java_string(&mut self) -> Result<JavaString, WireError> {
        let len = self.count(2)?;
        let bytes = self.slice(len * 2)?;
        let units: Vec<u16> =
            bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
        Ok(JavaString::from_units(&units))
    }

    /// A class operand: 0 and its name at the first occurrence in a payload, its number afterwards.
    pub fn class(&mut self, known: &mut Vec<ClassName>) -> Result<ClassName, WireError> {
        let start = self.at;
        match self.u32()? {
            0 => {
                let name = ClassName::internal(self.text()?);
                known.push(name.clone());
                Ok(name)
            }
            index => known.get(index as usize - 1).cloned().ok_or(WireError(start)),
        }
    }
}

/// Appends values to a payload.
pub(crate) trait Put {
    fn put_u8(&mut self, value: u8);
    fn put_u16(&mut self, value: u16);
    fn put_u32(&mut self, value: u32);
    fn put_u64(&mut self, value: u64);
    fn put_text(&mut self, text: &str);
    fn put_units(&mut self, units: &[u16]);
}

impl Put for Vec<u8> {
    #[inline]
    fn put_u8(&mut self, value: u8) {
        self.push(value);
    }

    #[inline]
    fn put_u16(&mut self, value: u16) {
        self.extend_from_slice(&value.to_le_bytes());
    }

    #[inline]
    fn put_u32(&mut self, value: u32) {
        self.extend_from_slice(&value.to_le_bytes());
    }

    #[inline]
    fn put_u64(&mut self, value: u64) {
        self.extend_from_slice(&value.to_le_bytes());
    }

    fn put_text(&mut self, text: &str) {
        self.put_u32(text.len() as u32);
        self.extend_from_slice(text.as_bytes());
    }

    fn put_units(&mut self, units: &[u16]) {
        self.put_u32(units.len() as u32);
        for unit in units {
            self.put_u16(*unit);
        }
    }
}
