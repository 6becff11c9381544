//! Bytes of a class file: shared slices of it, and a cursor that never reads past the end.
//!
//! In: a byte buffer. Out: [`Bytes`] (cheap to clone, knows where it stood in the file) and big-endian numbers.
//! A failed read is a [`ReadError`] naming structure and offset; nothing here allocates by a count it was told.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use crate::error::{Problem, ReadError};

/// A piece of a shared, immutable buffer.
#[derive(Clone)]
pub struct Bytes {
    buffer: Arc<Vec<u8>>,
    start: u32,
    end: u32,
}

impl Bytes {
    /// Where this piece starts in the buffer it was cut from.
    pub(crate) fn offset(&self) -> u32 {
        self.start
    }

    /// A piece of this piece; `start..end` counts from the start of this one and must lie inside.
    pub(crate) fn slice(&self, start: usize, end: usize) -> Bytes {
        assert!(start <= end && end <= self.len(), "slice lies inside its parent");
        Bytes {
            buffer: Arc::clone(&self.buffer),
            start: self.start + start as u32,
            end: self.start + end as u32,
        }
    }

    /// Takes a buffer that was checked to be shorter than 4 GiB.
    pub(crate) fn of_checked(buffer: Vec<u8>) -> Bytes {
        let end = u32::try_from(buffer.len()).expect("callers bound the length");
        Bytes { buffer: Arc::new(buffer), start: 0, end }
    }

    /// A cursor over the whole piece whose errors name `structure` and offsets in the file.
    pub(crate) fn cursor(&self, structure: &'static str) -> Cursor<'_> {
        Cursor { bytes: self, at: 0, base: self.start, structure }
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.buffer[self.start as usize..self.end as usize]
    }
}

impl PartialEq for Bytes {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Bytes {}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes at {}", self.len(), self.start)
    }
}

/// Reads big-endian numbers forward.
#[derive(Debug, Clone)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    base: u32,
    structure: &'static str,
}

impl<'a> Cursor<'a> {
    /// A cursor over a slice that stands at `base` in the file.
    pub fn new(bytes: &'a [u8], base: u32, structure: &'static str) -> Self {
        Cursor { bytes, at: 0, base, structure }
    }

    /// Position from the start of this cursor's slice.
    pub fn position(&self) -> usize {
        self.at
    }

    pub fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// Names what is read from here on.
    pub fn enter(&mut self, structure: &'static str) {
        self.structure = structure;
    }

    /// An error at the current position.
    #[cold]
    pub fn error(&self, problem: impl Into<Problem>) -> ReadError {
        self.error_at(self.at, problem)
    }

    /// An error at a position of this cursor's slice.
    #[cold]
    pub fn error_at(&self, at: usize, problem: impl Into<Problem>) -> ReadError {
        ReadError { offset: self.base + at as u32, structure: self.structure, problem: problem.into() }
    }

    #[cold]
    fn truncated(&self, needed: usize) -> ReadError {
        self.error(Problem::Truncated { needed, left: self.left() })
    }

    #[inline]
    fn array<const N: usize>(&mut self) -> Result<[u8; N], ReadError> {
        match self.bytes[self.at..].first_chunk::<N>() {
            Some(chunk) => {
                self.at += N;
                Ok(*chunk)
            }
            None => Err(self.truncated(N)),
        }
    }

    #[inline]
    pub fn u1(&mut self) -> Result<u8, ReadError> {
        self.array::<1>().map(|[byte]| byte)
    }

    #[inline]
    pub fn u2(&mut self) -> Result<u16, ReadError> {
        self.array().map(u16::from_be_bytes)
    }

    #[inline]
    pub fn u4(&mut self) -> Result<u32, ReadError> {
        self.array().map(u32::from_be_bytes)
    }

    /// The next `count` bytes.
    #[inline]
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], ReadError> {
        if count > self.left() {
            return Err(self.truncated(count));
        }
        let taken = &self.bytes[self.at..self.at + count];
        self.at += count;
        Ok(taken)
    }

    /// How many items of at least `size` bytes can still follow: what a count may be trusted for.
    pub fn at_most(&self, count: usize, size: usize) -> usize {
        count.min(self.left() / size)
    }

    /// Checks that everything was read.
    pub fn finish(&self) -> Result<(), ReadError> {
        if self.left() == 0 { Ok(()) } else { Err(self.error(Problem::TrailingBytes(self.left()))) }
    }
}
