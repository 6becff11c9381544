//! Objects: identity, size, tags, and finding the instances of a class.

use std::ffi::c_void;

use jni_simple::{JVMTI_VISIT_ABORT, jint, jlong, jvmtiHeapCallbacks};

use crate::env::Env;
use crate::jvmti::slot::ArraySlot;
use crate::jvmti::{Jvmti, JvmtiError};
use crate::reference::{Class, Local, Ref};

/// What the walk over the heap leaves behind.
struct Walk {
    tag: jlong,
    found: usize,
    limit: usize,
}

impl Jvmti {
    /// A hash that stays the same for the life of the object; not `Object.hashCode`, but as evenly spread.
    #[inline]
    pub fn object_hash_code(&self, object: Ref<'_>) -> Result<i32, JvmtiError> {
        let mut hash = 0;
        // SAFETY: the reference is valid, and the pointer to a place for the answer.
        self.check("GetObjectHashCode", unsafe { self.raw.GetObjectHashCode(object.raw(), &raw mut hash) })?;
        Ok(hash)
    }

    /// Bytes the object itself takes, about.
    pub fn object_size(&self, object: Ref<'_>) -> Result<u64, JvmtiError> {
        let mut size = 0;
        // SAFETY: the reference is valid, and the pointer to a place for the answer.
        self.check("GetObjectSize", unsafe { self.raw.GetObjectSize(object.raw(), &raw mut size) })?;
        Ok(size.unsigned_abs())
    }

    /// The number set on an object; zero when none is.
    #[inline]
    pub fn tag(&self, object: Ref<'_>) -> Result<i64, JvmtiError> {
        let mut tag = 0;
        // SAFETY: the reference is valid, and the pointer to a place for the answer.
        self.check("GetTag", unsafe { self.raw.GetTag(object.raw(), &raw mut tag) })?;
        Ok(tag)
    }

    /// Sets a number on an object; zero takes it off.
    #[inline]
    pub fn set_tag(&self, object: Ref<'_>, tag: i64) -> Result<(), JvmtiError> {
        // SAFETY: the reference is valid.
        self.check("SetTag", unsafe { self.raw.SetTag(object.raw(), tag) })
    }

    /// Collects garbage, as thoroughly as the VM can.
    pub fn force_gc(&self) -> Result<(), JvmtiError> {
        // SAFETY: always allowed.
        self.check("ForceGarbageCollection", unsafe { self.raw.ForceGarbageCollection() })
    }

    /// Up to `limit` instances of exactly this class, dead ones not yet collected among them. `tag` must be in use
    /// for nothing else; tags that instances had are lost.
    pub fn instances<'f>(
        &self,
        env: &Env<'f>,
        class: Ref<'_, Class>,
        tag: i64,
        limit: usize,
    ) -> Result<Vec<Local<'f>>, JvmtiError> {
        let mut walk = Walk { tag, found: 0, limit };
        let callbacks = jvmtiHeapCallbacks::from(visit as jni_simple::jvmtiHeapIterationCallback);
        let data = (&raw mut walk).cast::<c_void>();
        // SAFETY: the reference is to a class; callbacks and data outlive the call, and `visit` takes such data.
        let code = unsafe { self.raw.IterateThroughHeap(0, class.raw(), &raw const callbacks, data) };
        self.check("IterateThroughHeap", code)?;
        let objects = self.objects_with_tag(env, tag)?;
        for object in &objects {
            self.set_tag(object.get(), 0)?;
        }
        Ok(objects)
    }

    /// Every object that bears the tag.
    pub fn objects_with_tag<'f>(&self, env: &Env<'f>, tag: i64) -> Result<Vec<Local<'f>>, JvmtiError> {
        let mut found = ArraySlot::new(self);
        let (count, objects) = found.places();
        // SAFETY: there is one tag at the address, and the pointers are to places for the answer, the last not wanted.
        let code =
            unsafe { self.raw.GetObjectsWithTags(1, &raw const tag, count, objects, std::ptr::null_mut()) };
        self.check("GetObjectsWithTags", code)?;
        // SAFETY: the references are new, and to any objects.
        Ok(unsafe { found.locals(env) })
    }
}

/// Tags an object until there are enough. Runs while the VM stands still: nothing else is allowed here.
extern "system" fn visit(
    _class_tag: jlong,
    _size: jlong,
    tag: *mut jlong,
    _length: jint,
    data: *mut c_void,
) -> jint {
    // SAFETY: `instances` passes its `Walk` and does not touch it meanwhile.
    let walk = unsafe { &mut *data.cast::<Walk>() };
    if walk.found == walk.limit {
        return JVMTI_VISIT_ABORT;
    }
    walk.found += 1;
    // SAFETY: the VM passes a place for the tag.
    unsafe { *tag = walk.tag };
    0
}
