//! Numbers and names for the classes of results.
//!
//! In: objects. Out: [`ClassKey`]s, the same for the same class, and the class's name.
//! Keys are never used twice, also not for classes of a loader that is gone.

use std::cell::Cell;

use probat_jvm::{Class, Env, Global, Jvmti, Ref};
use probat_protocol::results::ClassKey;
use rustc_hash::FxHashMap;

use crate::names::stable_internal;

/// The class an operation gave last time; a guess worth one comparison.
#[derive(Debug, Default)]
pub struct LastClass(Cell<u32>);

/// How a value of a class is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    Object,
    Array,
    String,
}

#[derive(Debug)]
struct Known {
    class: Global<Class>,
    key: ClassKey,
    name: String,
    shown: Shown,
}

/// The classes of results so far.
#[derive(Debug)]
pub struct ClassKeys {
    jvmti: Jvmti,
    known: Vec<Known>,
    /// Places in `known` by identity hash.
    by_hash: FxHashMap<i32, Vec<u32>>,
    next: u32,
}

/// A class of a result.
#[derive(Debug, Clone, Copy)]
pub struct Named<'a> {
    pub key: ClassKey,
    pub name: &'a str,
    pub shown: Shown,
}

impl ClassKeys {
    pub fn new(jvmti: Jvmti) -> Self {
        ClassKeys { jvmti, known: Vec::new(), by_hash: FxHashMap::default(), next: 0 }
    }

    /// Lets go of all classes, so that those of an old loader can be unloaded.
    pub fn forget(&mut self) {
        self.known.clear();
        self.by_hash.clear();
    }

    /// The class of an object.
    #[inline]
    pub fn of(&mut self, env: &mut Env<'_>, object: Ref<'_>, last: &LastClass) -> Named<'_> {
        let class = env.object_class(object);
        let guess = last.0.get() as usize;
        let at = match self.known.get(guess) {
            Some(known) if env.is_same(known.class.get().erase(), class.get().erase()) => guess,
            _ => {
                let found = self.find(env, class.get());
                last.0.set(found as u32);
                found
            }
        };
        env.delete(class);
        let known = &self.known[at];
        Named { key: known.key, name: &known.name, shown: known.shown }
    }

    #[cold]
    fn find(&mut self, env: &mut Env<'_>, class: Ref<'_, Class>) -> usize {
        let hash = self.jvmti.object_hash_code(class.erase()).unwrap_or(0);
        if let Some(places) = self.by_hash.get(&hash) {
            for &at in places {
                if env.is_same(self.known[at as usize].class.get().erase(), class.erase()) {
                    return at as usize;
                }
            }
        }
        let binary = env.class_name(class, 1 << 16).unwrap_or_else(|_| "?".into());
        let shown = match binary.as_str() {
            "java.lang.String" => Shown::String,
            name if name.starts_with('[') => Shown::Array,
            _ => Shown::Object,
        };
        let at = self.known.len();
        self.next += 1;
        let class = env.global(class).expect("the JVM keeps room for a class reference");
        self.known.push(Known { class, key: ClassKey(self.next), name: stable_internal(&binary), shown });
        self.by_hash.entry(hash).or_default().push(at as u32);
        at
    }
}
