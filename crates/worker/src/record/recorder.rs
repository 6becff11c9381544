//! The recorder: what it keeps between calls.
//!
//! In: calls that come from outside the recorded classes. Out: their entry states in every representation asked for.
//! Reads objects, never changes them; a state too large to read is unlike every other.

use probat_jvm::{Env, Field, Global, ObjectArray, Ref, Value};
use probat_model::state::{Token, tokens};
use probat_model::{ClassName, Literal, StateHash};
use probat_protocol::{CallSeen, Listener, RecordEvent, RecordedMethod, RecordingSpec, StaticField, TestEnd};
use rustc_hash::FxHashSet;

use super::journal::Journal;
use super::listener;
use super::monitor::{Monitor, Surroundings};
use super::pairwise::Pairwise;
use super::reads::Reads;
use super::sequences::Sequences;
use crate::fault::Fault;
use crate::heap::StateReader;
use crate::shared::{self, Shared};

/// References made while a call is looked at, besides its arguments.
const REFERENCES: usize = 64;

/// Records one thread.
#[derive(Debug)]
pub struct Recorder {
    shared: &'static Shared,
    reader: StateReader,
    journal: Journal,
    listener: Option<Listener>,
    /// By number.
    methods: Vec<Known>,
    sequences: Option<Sequences>,
    pairwise: Option<Pairwise>,
    monitor: Option<Monitor>,
    /// Whether values that are passed are noted.
    notes_arguments: bool,
    arguments: FxHashSet<(u32, u32, Literal)>,
    /// Edges that the test hit before something of our own ran.
    edges: Vec<u32>,
    /// Calls on other threads since the last test ended.
    elsewhere: u64,
    /// Calls under way, innermost last: an outermost call may be made while a constructor waits for a superclass that is not recorded.
    open: Vec<u32>,
    /// Tokens that may be read for one test, and how many were when it began.
    allowance: u64,
    spent_before: u64,
    /// The state of all further calls of a test that used up its allowance: unlike every other test's.
    cut_off: Option<StateHash>,
    /// Numbers for states that are unlike every other.
    unique: u128,
}

/// A method and what it reads outside its arguments.
#[derive(Debug)]
struct Known {
    method: RecordedMethod,
    /// Looked up when first needed.
    statics: Option<Vec<Field>>,
    /// Calls in a row whose states were too large to read, and how many of the next are not read at all.
    large: u32,
    passed_over: u32,
}

/// Calls passed over at most after one whose state was too large, as a power of two.
const PATIENCE: u32 = 8;

/// A value that goes into a call, and what it looks like alone.
#[derive(Debug, Clone, Copy)]
pub struct Root<'a> {
    pub value: Value<'a>,
    pub hash: StateHash,
    /// It has an identity of its own: an object or array, no string, box or constant.
    pub is_object: bool,
}

impl Recorder {
    pub fn new(
        env: &mut Env<'_>,
        spec: &RecordingSpec,
        reader: StateReader,
        shared: &'static Shared,
    ) -> Result<Self, Fault> {
        let mut methods = Vec::new();
        for class in &spec.classes {
            methods.resize_with(class.first as usize, || Known {
                method: RecordedMethod { name: String::new(), statics: Vec::new() },
                statics: Some(Vec::new()),
                large: 0,
                passed_over: 0,
            });
            methods.extend(class.methods.iter().map(|method| Known {
                method: method.clone(),
                statics: None,
                large: 0,
                passed_over: 0,
            }));
        }
        let with_equals: FxHashSet<ClassName> =
            spec.classes.iter().filter(|class| class.has_equals).map(|class| class.class.clone()).collect();
        let recorded = spec.classes.iter().map(|class| class.class.clone()).collect();
        let monitor = match spec.monitor {
            true => Some(Monitor::new(Reads::find(env)?, with_equals.clone(), recorded)),
            false => None,
        };
        let journal = Journal::create()
            .map_err(|error| Fault::Failed { doing: "write the recording".into(), why: error.to_string() })?;
        Ok(Recorder {
            shared,
            reader,
            journal,
            listener: spec.listener.clone(),
            methods,
            sequences: spec.sequences.then(Sequences::default),
            pairwise: spec.pairwise.then(|| Pairwise::new(with_equals)),
            monitor,
            notes_arguments: spec.arguments,
            arguments: FxHashSet::default(),
            edges: Vec::new(),
            elsewhere: 0,
            open: Vec::new(),
            allowance: spec.tokens_per_test,
            spent_before: 0,
            cut_off: None,
            // Recordings of two processes are compared with each other.
            unique: u128::from(std::process::id()) << 32,
        })
    }

    pub fn is_listener(&self, method: u32) -> bool {
        self.listener.as_ref().is_some_and(|listener| method >= listener.first)
    }

    /// The listener is told something; so many calls were made on other threads since it was told last.
    pub fn told(&mut self, env: &mut Env<'_>, method: u32, args: Option<Ref<'_>>, elsewhere: u64) {
        self.elsewhere += elsewhere;
        let Some(listener) = self.listener.clone() else { return };
        let is_known = [listener.started, listener.finished, listener.skipped].contains(&method);
        let Some(described) = is_known.then(|| listener::describe(env, args)).flatten() else { return };
        // The limits of a call are those of a test.
        let stopped = self.shared.watch.leave();
        self.shared.watch.enter(self.shared.watch.place());
        if method == listener.started {
            self.journal.started(described.id, described.name, described.is_test);
        } else if method == listener.finished {
            let end =
                listener::result(env, args).unwrap_or(TestEnd::Failed("its result cannot be read".into()));
            let end = if stopped { TestEnd::Stopped } else { end };
            if let Some(sequences) = &mut self.sequences {
                sequences.abandon();
            }
            let mut edges = Vec::new();
            if described.is_test {
                self.keep_edges(env);
                let _ = shared::on_executor(|executor| executor.probes.discard(env));
                edges = std::mem::take(&mut self.edges);
                edges.sort_unstable();
                edges.dedup();
            }
            self.lost(0);
            self.spent_before = self.reader.spent();
            let was_cut_off = self.cut_off.take().is_some();
            let elsewhere = std::mem::take(&mut self.elsewhere);
            // What the test called when it was not looked at any more is among those, on whatever thread.
            let elsewhere = if was_cut_off { 0 } else { elsewhere };
            if elsewhere > 0 && described.is_test {
                // Nobody knows what these calls were, so the test adds something for certain.
                let state = self.unlike_all();
                self.stands_for(method, state);
            }
            self.journal.finished(described.id, end, elsewhere, edges, was_cut_off);
        } else {
            let reason = listener::reason(env, args).unwrap_or_default();
            self.journal.event(&RecordEvent::Skipped { id: described.id, name: described.name, reason });
        }
    }

    /// A call from outside begins. Answers whether further calls of the test are worth telling.
    pub fn begin(
        &mut self,
        env: &mut Env<'_>,
        method: u32,
        receiver: Option<Ref<'_>>,
        args: Option<Ref<'_>>,
    ) -> bool {
        if self.is_initialiser(method) {
            // It runs for whichever test comes first, so it is nothing that a test adds.
            self.open.push(method);
            return true;
        }
        if self.reader.spent() - self.spent_before > self.allowance {
            self.pass_over(method);
            return false;
        }
        self.open.push(method);
        let args = args.and_then(|args| env.cast::<ObjectArray>(args));
        let count = args.map_or(0, |args| env.array_length(args));
        let capacity = u16::try_from(REFERENCES + count).unwrap_or(u16::MAX);
        // Without memory for references the call goes unrecorded.
        let _ = env.with_frame(capacity, |env| {
            let mut values: Vec<Value<'_>> =
                receiver.map(|receiver| Value::Object(Some(receiver))).into_iter().collect();
            for at in 0..count {
                let element = args.and_then(|args| env.element(args, at).ok().flatten());
                values.push(Value::Object(element.map(|element| element.keep())));
            }
            if self.notes_arguments {
                self.note_arguments(env, method, &values[values.len() - count..]);
            }
            self.look(env, method, receiver.is_some(), &values);
        });
        true
    }

    fn is_initialiser(&self, method: u32) -> bool {
        self.methods.get(method as usize).is_some_and(|known| known.method.name == "<clinit>")
    }

    /// The test has used up its allowance. It adds something for certain: one state per test that is unlike every other.
    fn pass_over(&mut self, method: u32) {
        let state = match self.cut_off {
            Some(state) => state,
            None => {
                let state = self.unlike_all();
                self.cut_off = Some(state);
                state
            }
        };
        self.stands_for(method, state);
    }

    /// A call whose state is the same in all representations.
    fn stands_for(&mut self, method: u32, state: StateHash) {
        let whole_seq = self.sequences.is_some().then_some(state);
        self.journal.call(CallSeen {
            method,
            whole_state: state,
            whole_seq,
            modifying_seq: whole_seq,
            monitor_equals: self.monitor.is_some().then_some(state),
            pairwise_equals: self.pairwise.is_some().then_some(state),
        });
    }

    fn look<'v, 'f: 'v>(&mut self, env: &mut Env<'f>, method: u32, has_receiver: bool, values: &[Value<'v>]) {
        let mut all = values.to_vec();
        self.add_statics(env, method, &mut all);
        let Some(whole_state) = self.whole(env, method, &all) else { return };
        let mut call = CallSeen {
            method,
            whole_state,
            whole_seq: None,
            modifying_seq: None,
            monitor_equals: None,
            pairwise_equals: None,
        };
        if self.sequences.is_some() || self.pairwise.is_some() || self.monitor.is_some() {
            let Some(mut roots) = self.roots(env, &all) else { return };
            self.by_equals(env, &mut call, &roots);
            // Statics are inputs, but nothing is called on them.
            let statics = roots.split_off(values.len());
            if let Some(sequences) = &mut self.sequences {
                let name = &self.methods[method as usize].method.name;
                let entry = sequences.entry(env, self.shared, method, name, has_receiver, &roots, &statics);
                for (hash, text) in entry.texts {
                    self.journal.event(&RecordEvent::Text { state: hash, text });
                }
                (call.whole_seq, call.modifying_seq) = (Some(entry.whole), Some(entry.modifying));
            }
        }
        self.journal.call(call);
    }

    /// The representations that run `equals`; what it hits is not the test's.
    fn by_equals(&mut self, env: &mut Env<'_>, call: &mut CallSeen, roots: &[Root<'_>]) {
        if self.pairwise.is_none() && self.monitor.is_none() {
            return;
        }
        self.keep_edges(env);
        let Recorder { reader, journal, pairwise, monitor, shared, .. } = self;
        if let Some(pairwise) = pairwise {
            call.pairwise_equals = Some(pairwise.entry(env, reader, shared, journal, roots));
        }
        if let Some(monitor) = monitor {
            let mut with = Surroundings { reader, shared, journal };
            call.monitor_equals = Some(monitor.entry(env, &mut with, call.whole_state, roots));
        }
        let _ = shared::on_executor(|executor| {
            executor.kept.clear();
            executor.probes.discard_midway(env)
        });
    }

    /// Takes the edges hit so far to be the test's, also those from before a class initialiser cut in; its own are nobody's. Without memory
    /// for it edges are lost, not invented.
    fn keep_edges(&mut self, env: &mut Env<'_>) {
        let _ = shared::on_executor(|executor| {
            self.edges.append(&mut executor.kept);
            executor.probes.drain_midway(env, &mut self.edges)
        });
    }

    /// What each value looks like alone.
    fn roots<'a>(&mut self, env: &mut Env<'_>, values: &[Value<'a>]) -> Option<Vec<Root<'a>>> {
        let mut roots = Vec::with_capacity(values.len());
        for &value in values {
            let hash = self.hash(env, &[value])?;
            roots.push(Root { value, hash, is_object: self.was_object() });
        }
        Some(roots)
    }

    /// Whether the state read last begins with something that has an identity.
    fn was_object(&self) -> bool {
        // `Object`, `Array`, `Opaque`, `Sorted`: see `model::state`.
        matches!(self.reader.bytes().first(), Some(0x02 | 0x03 | 0x10 | 0x13))
    }

    /// The state of all inputs of a call. Methods whose inputs are too large to read again and again, as a cache in a static field may be,
    /// are believed to stay so for a while: a state that is not read is unlike every other, which merges nothing.
    fn whole(&mut self, env: &mut Env<'_>, method: u32, values: &[Value<'_>]) -> Option<StateHash> {
        let known = self.methods.get_mut(method as usize)?;
        if known.passed_over > 0 {
            known.passed_over -= 1;
            return Some(self.unlike_any(0));
        }
        let seen = self.reader.linearise(env, values).ok()?;
        if !seen.truncated {
            known.large = 0;
            return Some(seen.hash);
        }
        known.large = (known.large + 1).min(PATIENCE);
        known.passed_over = (1 << known.large) - 1;
        Some(self.unlike_any(seen.hash.0))
    }

    fn unlike_all(&mut self) -> StateHash {
        self.unique += 1;
        StateHash(self.unique << 64)
    }

    fn unlike_any(&mut self, hash: u128) -> StateHash {
        self.journal.too_large();
        self.unique += 1;
        StateHash(hash ^ self.unique << 64)
    }

    fn hash(&mut self, env: &mut Env<'_>, values: &[Value<'_>]) -> Option<StateHash> {
        let seen = self.reader.linearise(env, values).ok()?;
        Some(if seen.truncated { self.unlike_any(seen.hash.0) } else { seen.hash })
    }

    /// The call that began has ended; `method` is it, or, with an exception, one whose end is also the end of constructors that waited for it.
    pub fn end(&mut self, env: &mut Env<'_>, method: u32, result: Option<Ref<'_>>, thrown: Option<Ref<'_>>) {
        let at = self.open.iter().rposition(|&open| open == method);
        let at = at.or(self.open.len().checked_sub(1));
        self.lost(at.map_or(0, |at| at + 1));
        let called = self.open.pop().unwrap_or(method);
        if let Some(thrown) = thrown {
            let class = env.object_class(thrown);
            let name = env.class_name(class.get(), 500).ok();
            env.delete(class);
            if let Some(name) = name {
                self.journal.threw(called, ClassName::binary(&name));
            }
        }
        if self.is_initialiser(called) {
            return;
        }
        let Recorder { sequences: Some(sequences), reader, shared, .. } = self else { return };
        // Without memory for references the objects keep the state they are known to have, and are seen to differ later.
        let _ = env.with_frame(32, |env| sequences.end(env, reader, shared, result));
    }

    /// Calls that have not ended although those made before them have: constructors left by an exception of a superclass that is not recorded.
    /// Nobody saw its class.
    fn lost(&mut self, from: usize) {
        for method in self.open.drain(from..) {
            self.journal.threw(method, ClassName::internal("java/lang/Throwable"));
        }
    }

    /// Static fields that the method reads.
    fn add_statics<'v, 'f: 'v>(&mut self, env: &mut Env<'f>, method: u32, values: &mut Vec<Value<'v>>) {
        let Some(known) = self.methods.get_mut(method as usize) else { return };
        if known.statics.is_none() {
            let fields =
                known.method.statics.iter().filter_map(|field| static_field(env, self.shared, field));
            known.statics = Some(fields.collect());
        }
        for field in known.statics.iter().flatten() {
            values.extend(env.get_static(field).ok());
        }
    }

    /// Notes primitives and strings that were passed.
    fn note_arguments(&mut self, env: &mut Env<'_>, method: u32, args: &[Value<'_>]) {
        for (at, value) in args.iter().enumerate() {
            if self.reader.linearise(env, &[*value]).is_err() {
                continue;
            }
            let Some(literal) = literal(self.reader.bytes()) else { continue };
            if self.arguments.insert((method, at as u32, literal.clone())) {
                self.journal.event(&RecordEvent::Argument { method, parameter: at as u32, literal });
            }
        }
    }
}

/// Looks a field up in the loader of the code under test; its class is initialised, as the call would do.
fn static_field(env: &mut Env<'_>, shared: &Shared, field: &StaticField) -> Option<Field> {
    let class = shared.with_loader(|loader| {
        env.load_class(&field.class.to_binary(), false, loader.map(Global::get)).ok()
    })?;
    env.static_field(class.get(), &field.name, &field.descriptor).ok()
}

/// Longer strings are no literals anybody wants to see.
const LITERAL: usize = 400;

/// The literal that a state is.
fn literal(bytes: &[u8]) -> Option<Literal> {
    if bytes.len() > LITERAL {
        return None;
    }
    let mut tokens = tokens(bytes).ok()?.into_iter();
    let first = tokens.next()?;
    let token = if first == Token::Boxed { tokens.next()? } else { first };
    Some(match token {
        Token::Boolean(value) => Literal::Boolean(value),
        Token::Byte(value) => Literal::Byte(value),
        Token::Char(value) => Literal::Char(value),
        Token::Short(value) => Literal::Short(value),
        Token::Int(value) => Literal::Int(value),
        Token::Long(value) => Literal::Long(value),
        Token::Float(value) => Literal::Float(value),
        Token::Double(value) => Literal::Double(value),
        Token::String(text) => Literal::String(text),
        _ => return None,
    })
}
