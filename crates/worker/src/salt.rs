//! The salt of `Set.of` and `Map.of`.
//!
//! Since JDK 12 it decides only in which order these collections are walked (`SetNIterator`, `MapNIterator`,
//! `Set12`), not where entries lie, so it can be fixed at any time. Before, it decides where they lie and is left
//! alone. The JVM walks thousands of such collections while it starts, so compiled code may hold the old salt;
//! retransforming the classes discards it.

use probat_jvm::{Env, Jvmti, Trust, Value};
use probat_protocol::Setting;

use crate::fault::Fault;
use crate::jdk;

const CLASS: &str = "java/util/ImmutableCollections";

/// Any number will do; this one has high bits set, as the JDK's own have.
const SALT: i64 = 0x9e37_79b9;

/// Another one; with it goes walking backwards.
const OTHER: i64 = 0x3c6e_f372;

/// Fixes the salt; false where this JDK has none that can be fixed.
pub fn fix(env: &mut Env<'_>, jvmti: Jvmti, setting: Setting) -> Result<bool, Fault> {
    let (number, backwards) = match setting {
        Setting::Fixed | Setting::Still => (SALT, false),
        Setting::Other => (OTHER, true),
        // As users may have it: one way in the one run, the other way in the other.
        Setting::User => (OTHER, false),
        Setting::Later => (SALT, true),
    };
    let Ok(salt) = jdk::static_field(env, CLASS, "SALT32L", "J") else { return Ok(false) };
    let Ok(reverse) = jdk::static_field(env, CLASS, "REVERSE", "Z") else { return Ok(false) };
    let set = env.set_static(&salt, Value::Long(number), Trust::Nothing).is_ok()
        && env.set_static(&reverse, Value::Boolean(backwards), Trust::Nothing).is_ok();
    let recompiled = env.with_frame(u16::MAX, |env| -> Result<(), Fault> {
        let prefix = format!("L{CLASS}");
        let mut walkers = jvmti.loaded_classes(env)?;
        walkers.retain(|class| {
            jvmti.class_signature(class.get()).is_ok_and(|(descriptor, _)| descriptor.starts_with(&prefix))
        });
        let walkers: Vec<_> = walkers.iter().map(|class| class.get()).collect();
        Ok(jvmti.retransform(&walkers)?)
    });
    match recompiled {
        Ok(done) => done.map(|()| set),
        Err(exception) => Err(Fault::threw(env, "fix the salt of immutable collections", exception)),
    }
}
