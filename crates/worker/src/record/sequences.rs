//! States as the calls that led to them (spec 000 §2.2: WholeSeq and ModifyingSeq).
//!
//! In: calls with what goes in and how it looks afterwards. Out: for every call, the tuple of expressions of its inputs, hashed, and
//! as text. An object's expression is in its tag, so it is lost with the object. Every call on an object extends its whole sequence;
//! its modifying sequence is extended where its state differs afterwards. An argument whose state differs becomes `call.arg_i`; an
//! object that changed between calls (a field written by a test) becomes `write(…)`.

use probat_jvm::{Env, Global, Ref, Value};
use probat_model::StateHash;
use xxhash_rust::xxh3::xxh3_128;

use super::recorder::Root;
use crate::heap::StateReader;
use crate::shared::Shared;

/// Characters of an expression that are kept for showing.
const SHOWN: usize = 240;

/// Expressions whose text is told.
const TOLD: usize = 20_000;

/// An expression, as a hash and as far as it is shown.
#[derive(Debug, Clone)]
struct Expr {
    hash: u128,
    text: String,
}

/// What is known of an object.
#[derive(Debug, Clone)]
struct Known {
    whole: Expr,
    modifying: Expr,
    /// Its state when it was last seen.
    state: StateHash,
}

/// A call under way.
#[derive(Debug)]
struct Pending {
    whole: Expr,
    modifying: Expr,
    has_receiver: bool,
    /// Inputs with an identity: their place, and their state at entry.
    objects: Vec<(usize, Global, StateHash)>,
}

/// Expressions of all objects seen.
#[derive(Debug, Default)]
pub struct Sequences {
    /// An object's tag is its place here, from 1.
    objects: Vec<Known>,
    pending: Option<Pending>,
    told: usize,
    seen: rustc_hash::FxHashSet<u128>,
}

/// The entry state of a call.
#[derive(Debug)]
pub struct Entry {
    pub whole: StateHash,
    pub modifying: StateHash,
    /// How states read that were not told before.
    pub texts: Vec<(StateHash, String)>,
}

impl Sequences {
    /// The inputs of a call as expressions.
    #[allow(clippy::too_many_arguments, reason = "a call has that many sides")]
    pub fn entry(
        &mut self,
        env: &mut Env<'_>,
        shared: &Shared,
        method: u32,
        name: &str,
        has_receiver: bool,
        roots: &[Root<'_>],
        statics: &[Root<'_>],
    ) -> Entry {
        let both: Vec<(Input, Input)> =
            (0..roots.len()).map(|at| self.input(env, shared, roots, at)).collect();
        let extra: Vec<u128> = statics.iter().map(|root| root.hash.0).collect();
        let (wholes, modifyings): (Vec<Input>, Vec<Input>) = both.into_iter().unzip();
        let whole = invocation(method, name, &wholes, &extra);
        let modifying = invocation(method, name, &modifyings, &extra);
        let mut texts = Vec::new();
        for (expr, inputs) in [(&whole, &wholes), (&modifying, &modifyings)] {
            if self.told < TOLD && self.seen.insert(expr.hash) {
                self.told += 1;
                texts.push((StateHash(tuple(inputs, &extra)), expr.text.clone()));
            }
        }
        let (state, modified) = (tuple(&wholes, &extra), tuple(&modifyings, &extra));
        let entry = Entry { whole: StateHash(state), modifying: StateHash(modified), texts };
        let objects = roots.iter().enumerate().filter_map(|(at, root)| match root.value {
            Value::Object(Some(object)) if root.is_object => Some((at, env.global(object).ok()?, root.hash)),
            _ => None,
        });
        self.pending = Some(Pending { whole, modifying, has_receiver, objects: objects.collect() });
        entry
    }

    /// One input: a value, a known object, or the same object as an earlier input.
    fn input(&mut self, env: &mut Env<'_>, shared: &Shared, roots: &[Root<'_>], at: usize) -> (Input, Input) {
        let root = &roots[at];
        let Value::Object(Some(object)) = root.value else {
            let expr = Expr { hash: root.hash.0, text: "null".into() };
            return (Input::Expr(expr.clone()), Input::Expr(expr));
        };
        if !root.is_object {
            let expr = Expr { hash: root.hash.0, text: value_text(env, object) };
            return (Input::Expr(expr.clone()), Input::Expr(expr));
        }
        let earlier = roots[..at].iter().position(
            |other| matches!(other.value, Value::Object(Some(other)) if env.is_same(other, object)),
        );
        if let Some(earlier) = earlier {
            return (Input::Same(earlier), Input::Same(earlier));
        }
        match self.known(shared, object) {
            Some(known) => {
                if known.state != root.hash {
                    // Written between calls.
                    known.whole = written(&known.whole, root.hash);
                    known.modifying = written(&known.modifying, root.hash);
                    known.state = root.hash;
                }
                (Input::Expr(known.whole.clone()), Input::Expr(known.modifying.clone()))
            }
            None => {
                let expr = found(root.hash);
                (Input::Expr(expr.clone()), Input::Expr(expr))
            }
        }
    }

    fn known(&mut self, shared: &Shared, object: Ref<'_>) -> Option<&mut Known> {
        let tag = shared.jvm()?.jvmti.tag(object).ok()?;
        self.objects.get_mut(usize::try_from(tag).ok()?.checked_sub(1)?)
    }

    fn enter(&mut self, shared: &Shared, object: Ref<'_>, known: Known) {
        let Some(jvm) = shared.jvm() else { return };
        if let Some(place) = self.known(shared, object) {
            *place = known;
            return;
        }
        self.objects.push(known);
        let _ = jvm.jvmti.set_tag(object, self.objects.len() as i64);
    }

    /// A test ended in the middle of a call.
    pub fn abandon(&mut self) {
        self.pending = None;
    }

    /// The call has ended: objects it was given or gave have new expressions.
    pub fn end(
        &mut self,
        env: &mut Env<'_>,
        reader: &mut StateReader,
        shared: &Shared,
        result: Option<Ref<'_>>,
    ) {
        let Some(pending) = self.pending.take() else { return };
        for (at, object, before) in &pending.objects {
            let object = object.get();
            let Ok(after) = reader.linearise(env, &[Value::Object(Some(object))]) else { continue };
            let is_receiver = pending.has_receiver && *at == 0;
            let has_changed = after.hash != *before;
            if !is_receiver && !has_changed {
                continue;
            }
            let form = if is_receiver {
                "state".into()
            } else {
                format!("arg_{}", at - usize::from(pending.has_receiver) + 1)
            };
            let old = self.known(shared, object).map(|known| known.modifying.clone());
            let modifying = if has_changed {
                part(&pending.modifying, &form)
            } else {
                old.unwrap_or_else(|| found(*before))
            };
            self.enter(
                shared,
                object,
                Known { whole: part(&pending.whole, &form), modifying, state: after.hash },
            );
        }
        let Some(result) = result else { return };
        let Ok(seen) = reader.linearise(env, &[Value::Object(Some(result))]) else { return };
        let is_object = matches!(reader.bytes().first(), Some(0x02 | 0x03 | 0x10 | 0x13));
        if is_object && self.known(shared, result).is_none() {
            // A constructor's result is what it made.
            let form = if pending.whole.text.starts_with("<init>") { "state" } else { "retval" };
            let known = Known {
                whole: part(&pending.whole, form),
                modifying: part(&pending.modifying, form),
                state: seen.hash,
            };
            self.enter(shared, result, known);
        }
    }
}

#[derive(Debug, Clone)]
enum Input {
    Expr(Expr),
    /// The same object as an earlier input.
    Same(usize),
}

/// `method(args)`; a repeated object is `@n`, and so marked where it stands first.
fn invocation(method: u32, name: &str, inputs: &[Input], extra: &[u128]) -> Expr {
    let mut bytes = method.to_le_bytes().to_vec();
    bytes.extend_from_slice(&tuple(inputs, extra).to_le_bytes());
    let mut shown: Vec<String> = Vec::new();
    let mut names: Vec<usize> = Vec::new();
    for input in inputs {
        match input {
            Input::Expr(expr) => shown.push(expr.text.clone()),
            Input::Same(earlier) => {
                let number = names.iter().position(|name| name == earlier).unwrap_or_else(|| {
                    names.push(*earlier);
                    shown[*earlier].push_str(&format!("@{}", names.len()));
                    names.len() - 1
                });
                shown.push(format!("@{}", number + 1));
            }
        }
    }
    Expr { hash: xxh3_128(&bytes), text: cut(format!("{name}({})", shown.join(", "))) }
}

/// All inputs of a call together.
fn tuple(inputs: &[Input], extra: &[u128]) -> u128 {
    let mut bytes = Vec::new();
    for input in inputs {
        match input {
            Input::Expr(expr) => {
                bytes.push(0);
                bytes.extend_from_slice(&expr.hash.to_le_bytes());
            }
            Input::Same(earlier) => {
                bytes.push(1);
                bytes.extend_from_slice(&(*earlier as u32).to_le_bytes());
            }
        }
    }
    for hash in extra {
        bytes.push(2);
        bytes.extend_from_slice(&hash.to_le_bytes());
    }
    xxh3_128(&bytes)
}

/// What a call made of an object.
fn part(call: &Expr, form: &str) -> Expr {
    let mut bytes = call.hash.to_le_bytes().to_vec();
    bytes.extend_from_slice(form.as_bytes());
    Expr { hash: xxh3_128(&bytes), text: cut(format!("{}.{form}", call.text)) }
}

/// An object that nobody saw being made: it is what it looks like.
fn found(state: StateHash) -> Expr {
    Expr { hash: state.0, text: format!("#{:08x}", state.0 as u32) }
}

fn written(before: &Expr, state: StateHash) -> Expr {
    let mut bytes = before.hash.to_le_bytes().to_vec();
    bytes.extend_from_slice(&state.0.to_le_bytes());
    Expr {
        hash: xxh3_128(&bytes),
        text: cut(format!("write({}, #{:08x}).state", before.text, state.0 as u32)),
    }
}

fn cut(text: String) -> String {
    if text.chars().count() <= SHOWN {
        return text;
    }
    // The last calls say most.
    let rest: Vec<char> = text.chars().collect();
    let tail: String = rest[rest.len() - SHOWN / 2..].iter().collect();
    let head: String = rest[..SHOWN / 2].iter().collect();
    format!("{head}…{tail}")
}

/// A value without identity, by its class; its content is in the hash.
fn value_text(env: &mut Env<'_>, object: Ref<'_>) -> String {
    if let Some(text) = env.cast::<probat_jvm::Str>(object) {
        return format!("{:?}", env.string_text(text, 40));
    }
    let class = env.object_class(object);
    let to_string = env.method(class.get(), "toString", "()Ljava/lang/String;").ok();
    let text =
        to_string.and_then(|method| env.call(&method, object, &[], probat_jvm::Trust::Caller).ok().flatten());
    match text {
        Some(Value::Object(Some(text))) => {
            env.cast::<probat_jvm::Str>(text).map_or("?".into(), |text| env.string_text(text, 40))
        }
        _ => "?".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expr(text: &str) -> Expr {
        Expr { hash: xxh3_128(text.as_bytes()), text: text.into() }
    }

    /// Spec 000 row 11.
    #[test]
    fn a_repeated_object_is_a_back_reference() {
        let fresh = part(&invocation(0, "<init>", &[], &[]), "state");
        let two = invocation(1, "equals", &[Input::Expr(fresh.clone()), Input::Expr(fresh.clone())], &[]);
        let one = invocation(1, "equals", &[Input::Expr(fresh), Input::Same(0)], &[]);
        assert_eq!(two.text, "equals(<init>().state, <init>().state)");
        assert_eq!(one.text, "equals(<init>().state@1, @1)");
        assert_ne!(one.hash, two.hash);
    }

    #[test]
    fn parts_and_writes_are_told_apart() {
        let call = expr("f(x)");
        assert_eq!(part(&call, "arg_1").text, "f(x).arg_1");
        assert_ne!(part(&call, "arg_1").hash, part(&call, "state").hash);
        assert_ne!(written(&call, StateHash(1)).hash, written(&call, StateHash(2)).hash);
        assert_ne!(invocation(1, "f", &[], &[1]).hash, invocation(1, "f", &[], &[2]).hash);
    }

    #[test]
    fn long_expressions_keep_their_ends() {
        let long = cut("a".repeat(300) + "z");
        assert!(long.starts_with('a') && long.ends_with('z') && long.chars().count() == SHOWN + 1);
    }
}
