//! Arrays: of primitives by region, of references by element.
//!
//! In: arrays known by their marker. Out: lengths, copies, elements; bounds are the VM's to check, and it throws.

use std::sync::atomic::{AtomicU8, AtomicU64};

use jni_simple::{JNI_ABORT, JNIEnv, jarray, jboolean, jsize};

use crate::env::Env;
use crate::member::Kind;
use crate::reference::sealed::Sealed;
use crate::reference::{ArrayOf, Class, Local, Marker, ObjectArray, Ref, Thrown, raw_or_null};

/// The Rust type of a primitive array's elements. `u8`, which Java lacks, stands for `boolean` (0 or 1).
pub trait Primitive: Copy + Default + private::Regions + 'static {
    /// How JNI passes an element.
    const KIND: Kind;
}

mod private {
    use super::*;

    /// The three JNI functions of an element type.
    pub trait Regions: Sized {
        /// # Safety
        /// Never harmful; unsafe as all of JNI is.
        unsafe fn make(jni: &JNIEnv, length: jsize) -> jarray;
        /// # Safety
        /// The array has elements of this type and `into` room for `length`.
        unsafe fn copy_out(jni: &JNIEnv, array: jarray, start: jsize, length: jsize, into: *mut Self);
        /// # Safety
        /// The array has elements of this type and `from` has `length` of them.
        unsafe fn copy_in(jni: &JNIEnv, array: jarray, start: jsize, length: jsize, from: *const Self);
    }
}

macro_rules! primitive {
    ($($ty:ty, $kind:ident, $raw:ty, $new:ident $get:ident $set:ident;)*) => {$(
        impl Primitive for $ty {
            const KIND: Kind = Kind::$kind;
        }

        impl private::Regions for $ty {
            #[inline]
            unsafe fn make(jni: &JNIEnv, length: jsize) -> jarray {
                // SAFETY: the VM throws for a negative length.
                unsafe { jni.$new(length) }
            }

            #[inline]
            unsafe fn copy_out(jni: &JNIEnv, array: jarray, start: jsize, length: jsize, into: *mut Self) {
                // SAFETY: the caller promises the array's type and the room; the VM checks the bounds of the array.
                unsafe { jni.$get(array, start, length, into.cast::<$raw>()) }
            }

            #[inline]
            unsafe fn copy_in(jni: &JNIEnv, array: jarray, start: jsize, length: jsize, from: *const Self) {
                // SAFETY: the caller promises the array's type and the data; the VM checks the bounds of the array.
                unsafe { jni.$set(array, start, length, from.cast::<$raw>()) }
            }
        }
    )*};
}

primitive! {
    u8, Boolean, jboolean, NewBooleanArray GetBooleanArrayRegion SetBooleanArrayRegion;
    i8, Byte, i8, NewByteArray GetByteArrayRegion SetByteArrayRegion;
    u16, Char, u16, NewCharArray GetCharArrayRegion SetCharArrayRegion;
    i16, Short, i16, NewShortArray GetShortArrayRegion SetShortArrayRegion;
    i32, Int, i32, NewIntArray GetIntArrayRegion SetIntArrayRegion;
    i64, Long, i64, NewLongArray GetLongArrayRegion SetLongArrayRegion;
    f32, Float, f32, NewFloatArray GetFloatArrayRegion SetFloatArrayRegion;
    f64, Double, f64, NewDoubleArray GetDoubleArrayRegion SetDoubleArrayRegion;
}

/// A marker of arrays.
pub trait AnyArray: Marker {}
impl AnyArray for ObjectArray {}
impl<T: Primitive> AnyArray for ArrayOf<T> where ArrayOf<T>: Sealed {}

/// The bytes of a `byte[]` in place, while the collector stands aside. Java threads may write them meanwhile.
#[derive(Debug)]
pub struct CriticalBytes<'a>(&'a [AtomicU8]);

impl CriticalBytes<'_> {
    /// Every byte.
    #[inline]
    pub fn bytes(&self) -> &[AtomicU8] {
        self.0
    }

    /// The bytes of a range, as words with what is left over at both ends, for scanning fast.
    #[inline]
    pub fn words(&self, range: std::ops::Range<usize>) -> (&[AtomicU8], &[AtomicU64], &[AtomicU8]) {
        // SAFETY: both are atomics without invalid values, and `align_to` keeps size and alignment right.
        unsafe { self.0[range].align_to() }
    }
}

/// Gives the array back to the collector, also when unwinding.
struct Pinned {
    jni: JNIEnv,
    array: jarray,
    data: *mut std::ffi::c_void,
    mode: i32,
}

impl Drop for Pinned {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: `data` came from `GetPrimitiveArrayCritical` on this array and thread, and is released once.
        unsafe { self.jni.ReleasePrimitiveArrayCritical(self.array, self.data, self.mode) }
    }
}

impl<'f> Env<'f> {
    /// A new array of zeros.
    #[inline]
    pub fn new_array<T: Primitive>(&self, length: usize) -> Result<Local<'f, ArrayOf<T>>, Thrown<'f>> {
        // SAFETY: lengths beyond Java's turn negative, for which the VM throws.
        let raw = unsafe { T::make(&self.jni, size(length)) };
        // SAFETY: JNI answered it just above: null, or a new local reference of that type.
        unsafe { self.made(raw) }
    }

    /// A new array with these elements.
    pub fn array_of<T: Primitive>(&self, elements: &[T]) -> Result<Local<'f, ArrayOf<T>>, Thrown<'f>> {
        let array = self.new_array(elements.len())?;
        self.set_region(array.get(), 0, elements)?;
        Ok(array)
    }

    /// The number of elements.
    #[inline]
    pub fn array_length<K: AnyArray>(&self, array: Ref<'_, K>) -> usize {
        // SAFETY: the reference is to an array.
        let length = unsafe { self.jni.GetArrayLength(array.raw()) };
        usize::try_from(length).expect("no array has a negative length")
    }

    /// Copies elements out, as many as the buffer holds.
    #[inline]
    pub fn get_region<T: Primitive>(
        &self,
        array: Ref<'_, ArrayOf<T>>,
        start: usize,
        into: &mut [T],
    ) -> Result<(), Thrown<'f>> {
        let (start, length) = (size(start), size(into.len()));
        // SAFETY: the marker says what the elements are, and the buffer has `length` of them.
        unsafe { T::copy_out(&self.jni, array.raw(), start, length, into.as_mut_ptr()) };
        self.check()
    }

    /// Copies elements in.
    #[inline]
    pub fn set_region<T: Primitive>(
        &self,
        array: Ref<'_, ArrayOf<T>>,
        start: usize,
        from: &[T],
    ) -> Result<(), Thrown<'f>> {
        let (start, length) = (size(start), size(from.len()));
        // SAFETY: the marker says what the elements are, and `from` has `length` of them.
        unsafe { T::copy_in(&self.jni, array.raw(), start, length, from.as_ptr()) };
        self.check()
    }

    /// A new array of references to `element`, all of them `initial`. `None` when there is no such array: `element` is
    /// primitive, or `initial` no instance of it. The VM checks neither.
    pub fn new_object_array(
        &self,
        element: Ref<'_, Class>,
        length: usize,
        initial: Option<Ref<'_>>,
    ) -> Result<Option<Local<'f, ObjectArray>>, Thrown<'f>> {
        if !self.is_reference_class(element)
            || initial.is_some_and(|initial| !self.is_instance_of(initial, element))
        {
            return Ok(None);
        }
        // SAFETY: `element` is a class and `initial` null or an instance of it; the VM throws for bad lengths.
        let raw = unsafe { self.jni.NewObjectArray(size(length), element.raw(), raw_or_null(initial)) };
        // SAFETY: JNI answered it just above: null, or a new local reference of that type.
        unsafe { self.made(raw) }.map(Some)
    }

    /// Reads an element.
    #[inline]
    pub fn element(&self, array: Ref<'_, ObjectArray>, at: usize) -> Result<Option<Local<'f>>, Thrown<'f>> {
        // SAFETY: the reference is to an array of references; the VM checks the index.
        let raw = unsafe { self.jni.GetObjectArrayElement(array.raw(), size(at)) };
        // SAFETY: JNI answered it just above: null, or a new local reference of that type.
        unsafe { self.answered(raw) }
    }

    /// Writes an element; throws `ArrayStoreException` where it does not fit.
    #[inline]
    pub fn set_element(
        &self,
        array: Ref<'_, ObjectArray>,
        at: usize,
        value: Option<Ref<'_>>,
    ) -> Result<(), Thrown<'f>> {
        // SAFETY: the reference is to an array of references; the VM checks the index and the value's class.
        unsafe { self.jni.SetObjectArrayElement(array.raw(), size(at), raw_or_null(value)) };
        self.check()
    }

    /// Looks at a `byte[]` in place. Inside, nothing of this crate may be used and nothing may block: the collector
    /// waits. With `writes`, changes are kept.
    #[inline]
    pub fn with_critical_bytes<R>(
        &mut self,
        array: Ref<'_, ArrayOf<i8>>,
        writes: bool,
        body: impl FnOnce(CriticalBytes<'_>) -> R,
    ) -> Result<R, Thrown<'f>> {
        let length = self.array_length(array);
        // SAFETY: the reference is to a primitive array; whether the VM copies does not matter.
        let data =
            unsafe { self.jni.GetPrimitiveArrayCritical(array.raw(), std::ptr::null_mut::<jboolean>()) };
        if data.is_null() {
            return Err(self.take());
        }
        let mode = if writes { 0 } else { JNI_ABORT };
        let pinned = Pinned { jni: self.jni, array: array.raw(), data, mode };
        // SAFETY: the array has `length` bytes at `data`, which stay in place until `pinned` drops; they are shared
        // with Java threads, hence atomics.
        let bytes = unsafe { std::slice::from_raw_parts(pinned.data.cast::<AtomicU8>(), length) };
        Ok(body(CriticalBytes(bytes)))
    }

    /// A direct `java.nio.ByteBuffer` over memory that is never freed.
    pub fn new_direct_byte_buffer(&self, memory: &'static [AtomicU8]) -> Result<Local<'f>, Thrown<'f>> {
        let length = i64::try_from(memory.len()).expect("memory is smaller than 2^63 bytes");
        let address = memory.as_ptr().cast_mut().cast();
        // SAFETY: the memory lives for ever and is shared by atomics.
        let raw = unsafe { self.jni.NewDirectByteBuffer(address, length) };
        // SAFETY: JNI answered it just above: null, or a new local reference of that type.
        unsafe { self.made(raw) }
    }
}

/// A Java length or index; what is beyond Java's range turns into one the VM refuses.
#[inline]
fn size(length: usize) -> jsize {
    jsize::try_from(length).unwrap_or(-1)
}
