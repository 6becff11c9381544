//! Objects as the first earlier object they equal (spec 000 §2.2: PairwiseEquals), and what that shows about `equals`.
//!
//! In: objects going into calls. Out: a number for each, the same for objects that are equal; pairs that break the contract of `equals`.
//! Objects change later, so the first of each kind is kept as a copy rebuilt from its state. Objects of classes without an `equals` of
//! their own, and what cannot be rebuilt, stand for their states. Runs `equals` of the classes under test.

use probat_jvm::{Env, Global, Ref, Trust, Value};
use probat_model::tree::{RenderOptions, Tree, render};
use probat_model::{ClassName, StateHash};
use probat_protocol::RecordEvent;
use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::xxh3_128;

use super::journal::Journal;
use super::recorder::Root;
use crate::heap::StateReader;
use crate::shared::Shared;

/// Copies compared with at most; a class with more different objects is compared by states from there on.
const COPIES: usize = 2000;

/// Copies of the first objects of each kind.
#[derive(Debug)]
pub struct Pairwise {
    with_equals: FxHashSet<ClassName>,
    copies: FxHashMap<ClassName, Vec<Copy>>,
    /// What states were found to equal.
    known: FxHashMap<StateHash, u128>,
    told: FxHashSet<(ClassName, &'static str)>,
}

#[derive(Debug)]
struct Copy {
    object: Global,
    number: u128,
}

impl Pairwise {
    pub fn new(with_equals: FxHashSet<ClassName>) -> Self {
        Pairwise {
            with_equals,
            copies: FxHashMap::default(),
            known: FxHashMap::default(),
            told: FxHashSet::default(),
        }
    }

    /// The entry state of a call: what each input equals. Aliasing is lost, as the technique has it.
    pub fn entry(
        &mut self,
        env: &mut Env<'_>,
        reader: &mut StateReader,
        shared: &Shared,
        journal: &mut Journal,
        roots: &[Root<'_>],
    ) -> StateHash {
        let mut bytes = Vec::new();
        for root in roots {
            let number = match root.value {
                Value::Object(Some(object)) if root.is_object => {
                    self.number(env, reader, shared, journal, object, root.hash)
                }
                _ => root.hash.0,
            };
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        StateHash(xxh3_128(&bytes))
    }

    fn number(
        &mut self,
        env: &mut Env<'_>,
        reader: &mut StateReader,
        shared: &Shared,
        journal: &mut Journal,
        object: Ref<'_>,
        state: StateHash,
    ) -> u128 {
        if let Some(&known) = self.known.get(&state) {
            return known;
        }
        let class = env.object_class(object);
        let name = env.class_name(class.get(), 500).ok().map(|name| ClassName::binary(&name));
        env.delete(class);
        let Some(name) = name.filter(|name| self.with_equals.contains(name)) else { return state.0 };
        let number = self.first_equal(env, reader, journal, &name, object).unwrap_or_else(|| {
            self.keep(env, reader, shared, &name, object, state);
            state.0
        });
        self.known.insert(state, number);
        number
    }

    fn first_equal(
        &mut self,
        env: &mut Env<'_>,
        reader: &mut StateReader,
        journal: &mut Journal,
        name: &ClassName,
        object: Ref<'_>,
    ) -> Option<u128> {
        let copies = self.copies.get(name)?;
        let mut broken = None;
        let mut found = None;
        for copy in copies {
            let (there, back) =
                (equals(env, object, copy.object.get()), equals(env, copy.object.get(), object));
            if there != back && broken.is_none() {
                broken = Some(copy.object.get());
            }
            if there == Some(true) {
                found = Some(copy.number);
                break;
            }
        }
        if let Some(right) = broken
            && self.told.insert((name.clone(), "symmetric"))
        {
            let (left, right) = (describe(env, reader, object), describe(env, reader, right));
            journal.event(&RecordEvent::Unequal {
                class: name.clone(),
                rule: "symmetric".into(),
                left,
                right,
            });
        }
        if equals(env, object, object) == Some(false) && self.told.insert((name.clone(), "reflexive")) {
            let left = describe(env, reader, object);
            let right = left.clone();
            journal.event(&RecordEvent::Unequal {
                class: name.clone(),
                rule: "reflexive".into(),
                left,
                right,
            });
        }
        found
    }

    /// Keeps a copy of an object that equals none before it.
    fn keep(
        &mut self,
        env: &mut Env<'_>,
        reader: &mut StateReader,
        shared: &Shared,
        name: &ClassName,
        object: Ref<'_>,
        state: StateHash,
    ) {
        let copies = self.copies.entry(name.clone()).or_default();
        if copies.len() >= COPIES || reader.linearise(env, &[Value::Object(Some(object))]).is_err() {
            return;
        }
        let stored = reader.stored();
        let copy = shared.with_loader(|loader| {
            let restored = reader.restore(env, loader.map(Global::get), &stored).ok()?;
            match restored.first() {
                Some(Value::Object(Some(copy))) => env.global(*copy).ok(),
                _ => None,
            }
        });
        copies.extend(copy.map(|object| Copy { object, number: state.0 }));
    }
}

/// What `equals` says; `None` if it throws.
pub fn equals(env: &mut Env<'_>, left: Ref<'_>, right: Ref<'_>) -> Option<bool> {
    let class = env.object_class(left);
    let method = env.method(class.get(), "equals", "(Ljava/lang/Object;)Z").ok();
    env.delete(class);
    match env.call(&method?, left, &[Value::Object(Some(right))], Trust::Caller) {
        Ok(Some(Value::Boolean(equal))) => Some(equal),
        _ => None,
    }
}

/// An object as its `toString` has it, or by its fields where that only says which class it is of.
fn describe(env: &mut Env<'_>, reader: &mut StateReader, object: Ref<'_>) -> String {
    let text = in_words(env, object);
    let class = env.object_class(object);
    let name = env.class_name(class.get(), 500).unwrap_or_default();
    env.delete(class);
    let says_nothing = text.strip_prefix(&name).is_some_and(|rest| rest.is_empty() || rest.starts_with('@'));
    if !says_nothing || reader.linearise(env, &[Value::Object(Some(object))]).is_err() {
        return text;
    }
    let options = RenderOptions { depth: 3, elements: 10, width: 200, ..RenderOptions::default() };
    let Ok(tree) = Tree::of(&reader.stored()) else { return text };
    let shown = render(&tree, &options).split_whitespace().collect::<Vec<_>>().join(" ");
    if shown.is_empty() { text } else { shown }
}

fn in_words(env: &mut Env<'_>, object: Ref<'_>) -> String {
    let class = env.object_class(object);
    let method = env.method(class.get(), "toString", "()Ljava/lang/String;").ok();
    let text = method.and_then(|method| env.call(&method, object, &[], Trust::Caller).ok().flatten());
    match text {
        Some(Value::Object(Some(text))) => {
            env.cast::<probat_jvm::Str>(text).map_or(String::new(), |text| env.string_text(text, 200))
        }
        _ => env.class_name(class.get(), 200).unwrap_or_default(),
    }
}
