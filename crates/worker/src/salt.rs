//! The salt of `Set.of` and `Map.of`.
//!
//! Since JDK 12 it decides only in which order these collections are walked (`SetNIterator`, `MapNIterator`,
//! `Set12`), not where entries lie, so it can be fixed at any time. Before, it decides where they lie and is left
//! alone.

use probat_jvm::{Env, Trust, Value};

use crate::jdk;

const CLASS: &str = "java/util/ImmutableCollections";

/// Any number will do; this one has high bits set, as the JDK's own have.
const SALT: i64 = 0x9e37_79b9;

/// Fixes the salt; false where this JDK has none that can be fixed.
pub fn fix(env: &mut Env<'_>) -> bool {
    let Ok(salt) = jdk::static_field(env, CLASS, "SALT32L", "J") else { return false };
    let Ok(reverse) = jdk::static_field(env, CLASS, "REVERSE", "Z") else { return false };
    env.set_static(&salt, Value::Long(SALT), Trust::Nothing).is_ok()
        && env.set_static(&reverse, Value::Boolean(false), Trust::Nothing).is_ok()
}
