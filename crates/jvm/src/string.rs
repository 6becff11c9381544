//! Strings as UTF-16 units, unpaired surrogates included.
//!
//! In: units, or a [`Ref`] to a string. Out: a new string, or its units up to a bound.

use jni_simple::jsize;

use crate::env::Env;
use crate::reference::{Local, Ref, Str, Thrown};

impl<'f> Env<'f> {
    /// A new string of these units.
    #[inline]
    pub fn new_string(&self, units: &[u16]) -> Result<Local<'f, Str>, Thrown<'f>> {
        let length = jsize::try_from(units.len()).expect("a Java string has fewer than 2^31 units");
        // SAFETY: `units` has `length` units.
        let raw = unsafe { self.jni.NewString(units.as_ptr(), length) };
        // SAFETY: JNI answered it just above: null, or a new local reference of that type.
        unsafe { self.made(raw) }
    }

    /// A new string with this text.
    pub fn new_string_from(&self, text: &str) -> Result<Local<'f, Str>, Thrown<'f>> {
        let units: Vec<u16> = text.encode_utf16().collect();
        self.new_string(&units)
    }

    /// The number of units.
    #[inline]
    pub fn string_length(&self, string: Ref<'_, Str>) -> usize {
        // SAFETY: the reference is to a string.
        let length = unsafe { self.jni.GetStringLength(string.raw()) };
        usize::try_from(length).expect("no string has a negative length")
    }

    /// Copies the first units into the buffer. Answers how many the string has, which may be more.
    #[inline]
    pub fn string_units(&self, string: Ref<'_, Str>, into: &mut [u16]) -> usize {
        let length = self.string_length(string);
        let count = length.min(into.len());
        let units = jsize::try_from(count).expect("not more than the string has");
        // SAFETY: the reference is to a string of at least `units` units, and the buffer has room for them.
        unsafe { self.jni.GetStringRegion(string.raw(), 0, units, into.as_mut_ptr()) };
        if self.is_strict() && self.check().is_err() {
            unreachable!("the region lies inside the string");
        }
        length
    }

    /// The text of a string up to `limit` units, with U+FFFD for what has no code point.
    pub fn string_text(&self, string: Ref<'_, Str>, limit: usize) -> String {
        let mut units = vec![0; self.string_length(string).min(limit)];
        self.string_units(string, &mut units);
        String::from_utf16_lossy(&units)
    }
}
