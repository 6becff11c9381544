//! Places that JVMTI writes an address of its own memory to.
//!
//! In: a function of the tool interface, given the place. Out: a copy of what it wrote there; the original is freed,
//! also on the way out of an error.

use std::ffi::{CStr, c_char};

use jni_simple::{jint, jobject};

use crate::env::Env;
use crate::jvmti::Jvmti;
use crate::mutf8;
use crate::reference::{Local, Marker};

/// A place for a text. Null until a function writes there; only such a function may.
pub(super) struct TextSlot<'j> {
    jvmti: &'j Jvmti,
    text: *mut c_char,
}

impl<'j> TextSlot<'j> {
    pub(super) fn new(jvmti: &'j Jvmti) -> Self {
        TextSlot { jvmti, text: std::ptr::null_mut() }
    }

    /// The place, for JVMTI to write to.
    pub(super) fn place(&mut self) -> *mut *mut c_char {
        &raw mut self.text
    }

    /// Owns a text JVMTI allocated and left elsewhere.
    ///
    /// # Safety
    /// It is null, or was allocated by JVMTI, ends with a zero, and has no other owner.
    pub(super) unsafe fn owning(jvmti: &'j Jvmti, text: *mut c_char) -> Self {
        TextSlot { jvmti, text }
    }

    /// A copy of the text; `None` for null.
    pub(super) fn text(self) -> Option<String> {
        if self.text.is_null() {
            return None;
        }
        // SAFETY: JVMTI wrote the address of a text that ends with a zero, freed when `self` drops.
        Some(mutf8::decode(unsafe { CStr::from_ptr(self.text) }.to_bytes()).into_owned())
    }
}

impl Drop for TextSlot<'_> {
    fn drop(&mut self) {
        // SAFETY: null, or allocated by JVMTI for its caller and not used again.
        let _ = unsafe { self.jvmti.raw.Deallocate(self.text) };
    }
}

/// A place for an array and its length. Null and zero until a function writes there; only such a function may.
pub(super) struct ArraySlot<'j, T> {
    jvmti: &'j Jvmti,
    array: *mut T,
    count: jint,
}

impl<'j, T: Copy> ArraySlot<'j, T> {
    pub(super) fn new(jvmti: &'j Jvmti) -> Self {
        ArraySlot { jvmti, array: std::ptr::null_mut(), count: 0 }
    }

    /// The place of the length and that of the array, for JVMTI to write to.
    pub(super) fn places(&mut self) -> (*mut jint, *mut *mut T) {
        (&raw mut self.count, &raw mut self.array)
    }

    /// A copy of the array.
    pub(super) fn elements(self) -> Vec<T> {
        if self.array.is_null() {
            return Vec::new();
        }
        let count = usize::try_from(self.count).expect("no array has a negative length");
        // SAFETY: JVMTI wrote the address of `count` elements, freed when `self` drops.
        unsafe { std::slice::from_raw_parts(self.array, count) }.to_vec()
    }
}

impl ArraySlot<'_, jobject> {
    /// The references, branded with the frame they were made in.
    ///
    /// # Safety
    /// JVMTI wrote new local references of this thread to what `K` says.
    pub(super) unsafe fn locals<'f, K: Marker>(self, _env: &Env<'f>) -> Vec<Local<'f, K>> {
        let brand = |raw| {
            // SAFETY: as the caller promises; the innermost frame of the thread is that of the `Env`.
            unsafe { Local::from_raw(raw) }
        };
        self.elements().into_iter().filter_map(brand).collect()
    }
}

impl<T> Drop for ArraySlot<'_, T> {
    fn drop(&mut self) {
        // SAFETY: null, or allocated by JVMTI for its caller and not used again.
        let _ = unsafe { self.jvmti.raw.Deallocate(self.array) };
    }
}
