//! From a class file to the one the JVM gets.
//!
//! In: a [`Task`]. Out: what became of the class, remembered for the next class loader.
//! Knows no JVM.

use probat_classfile::ClassFile;
use probat_classfile::passes::{Outermost, PassSet, guards, instrument};
use probat_model::{ClassName, ProbeId};
use probat_protocol::{Instrumentation, Setting};
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_128;

use crate::enum_hashes::{ENUM, with_fixed_hashes};
use crate::extra_members::with_extra_members;
use crate::initialiser::watch_initialiser;
use crate::record::{Reporting, reads};

/// A class to rewrite.
#[derive(Debug)]
pub struct Task {
    pub bytes: Vec<u8>,
    /// Its number among the instrumented classes.
    pub number: Option<u32>,
    /// It has methods that guards change.
    pub guard: bool,
    /// Its methods report calls.
    pub record: bool,
}

/// What became of a class.
#[derive(Debug, Clone, Default)]
pub struct Rewritten {
    /// The bytes to use instead, if any.
    pub bytes: Option<Vec<u8>>,
    /// It has static state that starts as zeros, and no initialiser to say so.
    pub is_plain: bool,
    /// The guards put in place, by their numbers in the table of guards.
    pub guards: Vec<usize>,
}

/// Rewrites classes.
#[derive(Debug)]
pub struct Rewriter {
    firsts: Vec<(ProbeId, u32)>,
    comparisons: bool,
    setting: Setting,
    recorded: Reporting,
    done: FxHashMap<u128, Rewritten>,
}

impl Rewriter {
    pub fn new(instrumentation: &Instrumentation, setting: Setting) -> Self {
        Rewriter {
            firsts: instrumentation.classes.iter().map(|probes| (probes.first, probes.first_site)).collect(),
            comparisons: instrumentation.sites > 0,
            setting,
            recorded: Reporting::new(instrumentation),
            done: FxHashMap::default(),
        }
    }

    /// Internal names of the JDK's classes that guards and settings change, sorted.
    pub fn guarded_classes() -> Vec<String> {
        let mut classes: Vec<String> =
            guards::classes().into_iter().chain([ENUM]).map(str::to_owned).collect();
        classes.sort();
        classes
    }

    /// The class to use instead.
    pub fn rewrite(&mut self, task: &Task) -> Rewritten {
        let own = u128::from(task.number.map_or(0, |number| number + 1));
        let key = xxh3_128(&task.bytes) ^ own ^ u128::from(task.record) << 32;
        if let Some(done) = self.done.get(&key) {
            return done.clone();
        }
        // A pass that panics on a class it does not understand leaves that class alone.
        let run = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.run(task)));
        let rewritten = run.unwrap_or_default();
        self.done.insert(key, rewritten.clone());
        rewritten
    }

    fn run(&self, task: &Task) -> Rewritten {
        let firsts = task.number.and_then(|number| self.firsts.get(number as usize).copied());
        let edges = firsts.map(|(edges, _)| edges);
        let reports = if task.record { self.reports(&task.bytes) } else { PassSet::NONE };
        let passes = PassSet {
            edges,
            guards: task.guard,
            statics: edges.is_some(),
            comparisons: firsts.filter(|_| self.comparisons).map(|(_, sites)| sites),
            ..reports
        };
        let Ok(done) = instrument(&task.bytes, &passes) else { return Rewritten::default() };
        reads::add_fields(&done.reads);
        let mut rewritten = Rewritten { bytes: Some(done.bytes), is_plain: false, guards: done.guards };
        if let Some(number) = task.number
            && let Some((facts, watched)) =
                watch_initialiser(rewritten.bytes.as_deref().unwrap_or(&task.bytes), number)
        {
            rewritten.is_plain = facts.has_state && !facts.has_initialiser;
            rewritten.bytes = watched.or(rewritten.bytes);
        }
        let bytes = rewritten.bytes.as_deref().unwrap_or(&task.bytes);
        let set = if task.guard {
            with_fixed_hashes(bytes, self.setting)
        } else if task.number.is_some() && self.setting == Setting::Other {
            with_extra_members(bytes)
        } else {
            None
        };
        rewritten.bytes = set.or(rewritten.bytes);
        rewritten
    }

    /// The passes by which a class reports calls.
    fn reports(&self, bytes: &[u8]) -> PassSet {
        let name = |name: ClassName| name.as_internal().to_owned();
        let Ok(class) = ClassFile::read(bytes) else { return PassSet::NONE };
        let own = class.name().map(name).unwrap_or_default();
        if let Some((listener, first)) = &self.recorded.listener
            && *listener == own
        {
            return PassSet { entry_exit: Some(*first), ..PassSet::NONE };
        }
        let Some(&first) = self.recorded.classes.get(&own) else { return PassSet::NONE };
        let above = class.super_name().ok().flatten().map(name);
        let super_reports = above.is_some_and(|above| self.recorded.classes.contains_key(&above));
        let reads = self.recorded.reads.then(reads::next_field);
        PassSet { outermost: Some(Outermost { first, super_reports }), reads, ..PassSet::NONE }
    }
}
