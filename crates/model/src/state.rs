//! Object states as canonical token streams (spec 000 §2.1).
//!
//! In: tokens as a heap walk meets them. Out: [`TokenWriter`] → bytes, [`tokens`] → tokens again, [`StateHash`].
//! The encoding is tagged and prefix-free, so no value can be mistaken for another kind of value, and it is
//! self-contained: a class is spelled at its first occurrence and numbered afterwards. Field *names* are not
//! part of a state; a [`ClassLayout`] says which field each slot of an object is.
//! Walking a heap is the worker's work; this file never sees one.
//!
//! | token | bytes |
//! |---|---|
//! | `Null` | `00` |
//! | `Ref(n)` | `01` n — the n-th `Object`, `Array`, `Opaque` or `Sorted` of this stream, counted from 0 |
//! | `Object(class)` | `02` class — followed by its slots in layout order |
//! | `Array(class, length)` | `03` class, length — followed by its elements |
//! | `Boolean`…`Double` | `04`…`0b` and the value, big end first, floats as raw bits |
//! | `String` | `0c` unit count, units |
//! | `Boxed` | `0d` then the primitive token |
//! | `Enum(class, name)` | `0e` class, name |
//! | `Class(descriptor)` | `0f` text |
//! | `Opaque(class, site)` | `10` class, text — something with identity that is not looked into |
//! | `Truncated` | `11` — the token limit was reached |
//! | `Roots(n)` | `12` n — virtual root over n values |
//! | `Sorted(class, n)` | `13` class, n — a hash table whose layout is no state: its slots, then n keys and values |
//!
//! A `Sorted` table writes slots that are layout as zero or null; the values of a set are `Null`.
//! Numbers are LEB128. A class is `0` + text at its first occurrence, or its number from 1.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use crate::name::ClassName;
use crate::text::JavaString;

/// 128 bits that stand for a state wherever states are only compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct StateHash(pub u128);

impl StateHash {
    pub fn of(tokens: &[u8]) -> Self {
        StateHash(xxh3_128(tokens))
    }
}

impl std::fmt::Display for StateHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// Which field each slot of an object of a class is, in the order states list them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ClassLayout {
    pub class: ClassName,
    /// Sorted by declaring class, then name, so shadowed fields do not collide.
    pub slots: Vec<Slot>,
}

/// One instance field of a layout.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Slot {
    pub declared_in: ClassName,
    pub name: String,
    pub descriptor: String,
}

/// A state kept whole, with the layouts needed to read or rebuild it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct StoredState {
    pub tokens: Vec<u8>,
    /// One per class that occurs as `Object` or `Sorted`, in order of first occurrence.
    pub layouts: Vec<ClassLayout>,
}

impl StoredState {
    pub fn hash(&self) -> StateHash {
        StateHash::of(&self.tokens)
    }
}

/// One element of a state.
#[derive(Debug, Clone, PartialEq)]
pub enum Token {
    Null,
    Ref(u32),
    Object(ClassName),
    Array(ClassName, u32),
    Boolean(bool),
    Byte(i8),
    Char(u16),
    Short(i16),
    Int(i32),
    Long(i64),
    Float(u32),
    Double(u64),
    String(JavaString),
    /// The next token is the primitive inside.
    Boxed,
    Enum(ClassName, String),
    Class(String),
    Opaque(ClassName, String),
    Truncated,
    Roots(u32),
    Sorted(ClassName, u32),
}

/// Number a [`TokenWriter`] gave a class in its stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClassIndex(u32);

/// Appends tokens; reusable, so that hashing a state allocates nothing once warm.
///
/// Array classes are spelled in the form `Class.getName` gives them with slashes, `[Ljava/lang/String;`.
#[derive(Debug, Default)]
pub struct TokenWriter {
    bytes: Vec<u8>,
    classes: u32,
}

impl TokenWriter {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn clear(&mut self) {
        self.bytes.clear();
        self.classes = 0;
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub fn hash(&self) -> StateHash {
        StateHash::of(&self.bytes)
    }

    fn number(&mut self, mut value: u32) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u32);
        self.bytes.extend_from_slice(text.as_bytes());
    }

    /// Writes a class operand; the caller remembers the index it returns, per stream, and passes it next time.
    fn class(&mut self, class: ClassOperand<'_>) -> ClassIndex {
        match class {
            ClassOperand::Known(ClassIndex(index)) => {
                self.number(index);
                ClassIndex(index)
            }
            ClassOperand::First(name) => {
                self.bytes.push(0);
                self.text(name);
                self.classes += 1;
                ClassIndex(self.classes)
            }
        }
    }

    pub fn null(&mut self) {
        self.bytes.push(0x00);
    }

    pub fn reference(&mut self, object: u32) {
        self.bytes.push(0x01);
        self.number(object);
    }

    pub fn object(&mut self, class: ClassOperand<'_>) -> ClassIndex {
        self.bytes.push(0x02);
        self.class(class)
    }

    pub fn array(&mut self, class: ClassOperand<'_>, length: u32) -> ClassIndex {
        self.bytes.push(0x03);
        let index = self.class(class);
        self.number(length);
        index
    }

    pub fn boolean(&mut self, value: bool) {
        self.bytes.extend_from_slice(&[0x04, u8::from(value)]);
    }

    pub fn byte(&mut self, value: i8) {
        self.bytes.extend_from_slice(&[0x05, value as u8]);
    }

    pub fn char(&mut self, value: u16) {
        let [a, b] = value.to_be_bytes();
        self.bytes.extend_from_slice(&[0x06, a, b]);
    }

    pub fn short(&mut self, value: i16) {
        let [a, b] = value.to_be_bytes();
        self.bytes.extend_from_slice(&[0x07, a, b]);
    }

    pub fn int(&mut self, value: i32) {
        let [a, b, c, d] = value.to_be_bytes();
        self.bytes.extend_from_slice(&[0x08, a, b, c, d]);
    }

    pub fn long(&mut self, value: i64) {
        self.bytes.push(0x09);
        self.bytes.extend_from_slice(&value.to_be_bytes());
    }

    pub fn float(&mut self, bits: u32) {
        self.bytes.push(0x0a);
        self.bytes.extend_from_slice(&bits.to_be_bytes());
    }

    pub fn double(&mut self, bits: u64) {
        self.bytes.push(0x0b);
        self.bytes.extend_from_slice(&bits.to_be_bytes());
    }

    pub fn string(&mut self, units: &[u16]) {
        self.bytes.push(0x0c);
        self.number(units.len() as u32);
        let start = self.bytes.len();
        self.bytes.resize(start + 2 * units.len(), 0);
        for (pair, unit) in self.bytes[start..].chunks_exact_mut(2).zip(units) {
            pair.copy_from_slice(&unit.to_be_bytes());
        }
    }

    pub fn boxed(&mut self) {
        self.bytes.push(0x0d);
    }

    pub fn enum_constant(&mut self, class: ClassOperand<'_>, name: &str) -> ClassIndex {
        self.bytes.push(0x0e);
        let index = self.class(class);
        self.text(name);
        index
    }

    pub fn class_object(&mut self, descriptor: &str) {
        self.bytes.push(0x0f);
        self.text(descriptor);
    }

    pub fn opaque(&mut self, class: ClassOperand<'_>, site: &str) -> ClassIndex {
        self.bytes.push(0x10);
        let index = self.class(class);
        self.text(site);
        index
    }

    pub fn truncated(&mut self) {
        self.bytes.push(0x11);
    }

    pub fn roots(&mut self, count: u32) {
        self.bytes.push(0x12);
        self.number(count);
    }

    pub fn sorted(&mut self, class: ClassOperand<'_>, entries: u32) -> ClassIndex {
        self.bytes.push(0x13);
        let index = self.class(class);
        self.number(entries);
        index
    }

    /// Appends bytes another writer made, for entries that were written apart to be ordered.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }
}

/// A class as a [`TokenWriter`] is told of it.
#[derive(Debug, Clone, Copy)]
pub enum ClassOperand<'a> {
    First(&'a str),
    Known(ClassIndex),
}

/// A stream that breaks the grammar at a byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("malformed state at byte {0}")]
pub struct StateError(pub usize);

/// Reads a whole stream.
pub fn tokens(bytes: &[u8]) -> Result<Vec<Token>, StateError> {
    let mut reader = Reader { bytes, at: 0, classes: Vec::new() };
    let mut out = Vec::new();
    while reader.at < bytes.len() {
        out.push(reader.token()?);
    }
    Ok(out)
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    classes: Vec<ClassName>,
}

impl<'a> Reader<'a> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], StateError> {
        Ok(self.slice(N)?.try_into().expect("slice has the length asked for"))
    }

    fn slice(&mut self, len: usize) -> Result<&'a [u8], StateError> {
        let end = self.at.checked_add(len).filter(|&end| end <= self.bytes.len());
        let found = &self.bytes[self.at..end.ok_or(StateError(self.at))?];
        self.at += len;
        Ok(found)
    }

    fn number(&mut self) -> Result<u32, StateError> {
        let start = self.at;
        let mut value = 0u64;
        for shift in (0..35).step_by(7) {
            let [byte] = self.take()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return u32::try_from(value).map_err(|_| StateError(start));
            }
        }
        Err(StateError(start))
    }

    fn text(&mut self) -> Result<String, StateError> {
        let start = self.at;
        let len = self.number()? as usize;
        let bytes = self.slice(len)?.to_vec();
        String::from_utf8(bytes).map_err(|_| StateError(start))
    }

    fn class(&mut self) -> Result<ClassName, StateError> {
        let start = self.at;
        match self.number()? {
            0 => {
                let name = ClassName::internal(&self.text()?);
                self.classes.push(name.clone());
                Ok(name)
            }
            known => self.classes.get(known as usize - 1).cloned().ok_or(StateError(start)),
        }
    }

    fn units(&mut self) -> Result<JavaString, StateError> {
        let len = self.number()? as usize;
        let bytes = self.slice(len.checked_mul(2).ok_or(StateError(self.at))?)?;
        let units: Vec<u16> =
            bytes.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect();
        Ok(JavaString::from_units(&units))
    }

    fn token(&mut self) -> Result<Token, StateError> {
        let start = self.at;
        let [tag] = self.take()?;
        Ok(match tag {
            0x00 => Token::Null,
            0x01 => Token::Ref(self.number()?),
            0x02 => Token::Object(self.class()?),
            0x03 => Token::Array(self.class()?, self.number()?),
            0x04 => match self.take()? {
                [0] => Token::Boolean(false),
                [1] => Token::Boolean(true),
                _ => return Err(StateError(start)),
            },
            0x05 => Token::Byte(i8::from_be_bytes(self.take()?)),
            0x06 => Token::Char(u16::from_be_bytes(self.take()?)),
            0x07 => Token::Short(i16::from_be_bytes(self.take()?)),
            0x08 => Token::Int(i32::from_be_bytes(self.take()?)),
            0x09 => Token::Long(i64::from_be_bytes(self.take()?)),
            0x0a => Token::Float(u32::from_be_bytes(self.take()?)),
            0x0b => Token::Double(u64::from_be_bytes(self.take()?)),
            0x0c => Token::String(self.units()?),
            0x0d => Token::Boxed,
            0x0e => Token::Enum(self.class()?, self.text()?),
            0x0f => Token::Class(self.text()?),
            0x10 => Token::Opaque(self.class()?, self.text()?),
            0x11 => Token::Truncated,
            0x12 => Token::Roots(self.number()?),
            0x13 => Token::Sorted(self.class()?, self.number()?),
            _ => return Err(StateError(start)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_token_reads_back() {
        let mut w = TokenWriter::new();
        w.roots(2);
        let list = w.object(ClassOperand::First("a/List"));
        w.int(-2);
        w.array(ClassOperand::First("[I"), 1);
        w.long(i64::MIN);
        w.object(ClassOperand::Known(list));
        w.reference(300);
        w.string(&[0xd800, 0x61]);
        w.boxed();
        w.boolean(true);
        w.enum_constant(ClassOperand::First("a/Color"), "RED");
        w.class_object("I");
        w.opaque(ClassOperand::First("java/lang/Thread"), "main");
        w.truncated();
        let list_name = ClassName::internal("a/List");
        assert_eq!(
            tokens(w.bytes()).unwrap(),
            [
                Token::Roots(2),
                Token::Object(list_name.clone()),
                Token::Int(-2),
                Token::Array(ClassName::internal("[I"), 1),
                Token::Long(i64::MIN),
                Token::Object(list_name),
                Token::Ref(300),
                Token::String(JavaString::from_units(&[0xd800, 0x61])),
                Token::Boxed,
                Token::Boolean(true),
                Token::Enum(ClassName::internal("a/Color"), "RED".into()),
                Token::Class("I".into()),
                Token::Opaque(ClassName::internal("java/lang/Thread"), "main".into()),
                Token::Truncated,
            ]
        );
    }

    /// spec 000 row 2
    #[test]
    fn an_int_is_never_a_reference() {
        let (mut int, mut reference) = (TokenWriter::new(), TokenWriter::new());
        int.int(2);
        reference.reference(2);
        assert_ne!(int.bytes(), reference.bytes());
        assert_ne!(int.hash(), reference.hash());
    }

    #[test]
    fn broken_streams_name_the_byte() {
        for (bytes, at) in [(&[0xffu8][..], 0), (&[0x08, 0, 0], 1), (&[0x00, 0x02, 0x05], 2), (&[0x04, 7], 0)]
        {
            assert_eq!(tokens(bytes), Err(StateError(at)), "{bytes:?}");
        }
    }
}
