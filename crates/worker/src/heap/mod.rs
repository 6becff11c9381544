//! States of objects: reading them off the heap, and rebuilding objects from them (spec 000 §2.1).
//!
//! In: values on the heap of the JVM in this process. Out: a [`Linearised`] state, or a
//! [`StoredState`](probat_model::StoredState) that [`StateReader::restore`] turns into objects again.
//! Reading runs no Java code, so nothing is ever thrown and no object changes but for its identity hash being drawn.
//!
//! - `access`: what is asked of a heap; `live` answers for the JVM by its tool interfaces, `in_place` faster for what `live` has met, `fake`
//!   in tests.
//! - `shape`: how objects of a class are written. `table`: hash tables whose layout is no state.
//! - `restore`: the way back.
//! - `walk`: the linearisation itself, over `seen` (object numbers) and into `stream` (tokens).

mod access;
#[cfg(test)]
mod fake;
mod in_place;
mod live;
mod restore;
mod seen;
mod shape;
mod site;
mod stream;
mod table;
mod walk;
#[cfg(test)]
mod walk_tests;

use probat_jvm::{Env, Field, Jvmti, Layout, Loader, Place, Ref, Still, Value};
use probat_model::{StateHash, StoredState};
use probat_protocol::Rule;

use access::Scalar;
use in_place::StillHeap;
use live::{FRAME, LiveHeap, Registry};
use shape::{Guess, Rules};
use stream::Stream;
use walk::{Buffers, Start, walk};

pub use live::HeapError;
pub use restore::RestoreError;

/// A state as far as it is needed for comparing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Linearised {
    pub hash: StateHash,
    pub tokens: u32,
    /// It had more tokens than allowed. The hash is of the tokens up to there; the state counts as unlike every other.
    pub truncated: bool,
}

/// Reads states, and keeps what it learned about classes. Belongs to one thread.
#[derive(Debug)]
pub struct StateReader {
    registry: Registry,
    limit: u32,
    stream: Stream,
    /// Kept for their memory.
    buffers: Option<Buffers<Ref<'static>, Field>>,
    still_buffers: Option<Buffers<Place<'static>, Field>>,
    /// How objects are laid out, where they are read in place.
    layout: Option<Layout>,
    /// States read so.
    in_place: u64,
    /// What a root was last.
    guess: Guess,
    /// Tokens read in all, those of signatures included.
    spent: u64,
}

impl StateReader {
    /// A reader under these rules that writes at most `limit` tokens per state.
    pub fn new(env: &Env<'_>, jvmti: Jvmti, rules: &[Rule], limit: u32) -> Result<Self, HeapError> {
        Ok(StateReader {
            registry: Registry::new(env, jvmti, Rules::new(rules))?,
            limit,
            stream: Stream::default(),
            buffers: None,
            still_buffers: None,
            layout: None,
            in_place: 0,
            guess: Guess::default(),
            spent: 0,
        })
    }

    /// From now on, objects are read in place where that gives what JNI gives. The collector must be one that stands
    /// aside for critical regions as a whole, as the serial one does. False where this JVM lays objects out in another way than is known.
    pub fn read_in_place(&mut self, env: &mut Env<'_>) -> bool {
        self.layout = Layout::learn(env);
        self.registry.learns = self.layout.is_some();
        self.registry.learns
    }

    /// How many states were read in place.
    pub fn states_in_place(&self) -> u64 {
        self.in_place
    }

    /// Reads the state of some values; more or fewer than one are put under a virtual root.
    pub fn linearise(&mut self, env: &mut Env<'_>, roots: &[Value<'_>]) -> Result<Linearised, HeapError> {
        let effort = match self.linearise_in_place(env, roots) {
            Some(effort) => effort,
            None => self.linearise_live(env, roots)?,
        };
        self.spent += u64::from(self.stream.tokens()) + effort;
        let stream = &self.stream;
        Ok(Linearised { hash: stream.hash(), tokens: stream.tokens(), truncated: stream.is_truncated() })
    }

    /// Answers the effort it took; nothing where something was met that is new.
    fn linearise_in_place(&mut self, env: &mut Env<'_>, roots: &[Value<'_>]) -> Option<u64> {
        let StateReader { registry, limit, stream, still_buffers, guess, layout, .. } = self;
        let kept = still_buffers.take().unwrap_or_default();
        let read = env.with_still(layout.as_ref()?, |still| {
            let mut buffers = kept.recycle();
            let mut heap = StillHeap::new(still, registry);
            let roots = roots.iter().map(|root| start_in_place(&still, root));
            let done = walk(&mut heap, roots, *limit, guess, stream, &mut buffers);
            (done, buffers.recycle())
        });
        let (done, emptied) = read.ok()?;
        let effort = emptied.effort();
        *still_buffers = Some(emptied);
        done.ok()?;
        self.in_place += 1;
        Some(effort)
    }

    fn linearise_live(&mut self, env: &mut Env<'_>, roots: &[Value<'_>]) -> Result<u64, HeapError> {
        let StateReader { registry, limit, stream, buffers, guess, layout, .. } = self;
        let kept = buffers.take().unwrap_or_default();
        let (done, emptied) = env.with_frame(FRAME, |env| {
            let mut buffers = kept.recycle();
            let mut heap = LiveHeap::new(env, registry);
            let done = walk(&mut heap, roots.iter().map(start), *limit, guess, stream, &mut buffers);
            let fresh = heap.fresh;
            let emptied = buffers.recycle();
            if let Some(layout) = layout {
                registry.learn(env, layout, &fresh);
            }
            (done, emptied)
        })?;
        let effort = emptied.effort();
        *buffers = Some(emptied);
        done?;
        Ok(effort)
    }

    /// The numbers that objects have in the state of a root, `None` for those it does not reach.
    pub fn numbers(
        &mut self,
        env: &mut Env<'_>,
        root: Ref<'_>,
        objects: &[Ref<'_>],
    ) -> Result<Vec<Option<u32>>, HeapError> {
        let StateReader { registry, limit, stream, buffers, guess, .. } = self;
        let kept = buffers.take().unwrap_or_default();
        let (done, emptied) = env.with_frame(FRAME, |env| {
            let mut buffers = kept.recycle();
            let mut heap = LiveHeap::new(env, registry);
            let roots = [Start::Reference(Some(root))];
            let done = walk(&mut heap, roots.into_iter(), *limit, guess, stream, &mut buffers)
                .and_then(|()| objects.iter().map(|&object| buffers.number(&mut heap, object)).collect());
            (done, buffers.recycle())
        })?;
        *buffers = Some(emptied);
        done
    }

    /// How many tokens were read so far.
    pub fn spent(&self) -> u64 {
        self.spent
    }

    /// The tokens of the state read last.
    pub fn bytes(&self) -> &[u8] {
        self.stream.bytes()
    }

    /// The state read last, with what it takes to show or rebuild it.
    pub fn stored(&self) -> StoredState {
        let shapes = self.stream.with_slots().iter().filter_map(|&id| self.registry.shape(id));
        StoredState { tokens: self.bytes().to_vec(), layouts: shapes.map(|shape| shape.layout()).collect() }
    }

    /// Rebuilds the roots of a stored state, in order, as references of the innermost frame.
    ///
    /// Classes are found through `loader`. See `restore` for the code that may run.
    pub fn restore<'f>(
        &mut self,
        env: &mut Env<'f>,
        loader: Option<Ref<'_, Loader>>,
        state: &StoredState,
    ) -> Result<Vec<Value<'f>>, RestoreError> {
        restore::restore(env, &mut self.registry, loader, state)
    }

    /// Lets go of every class but those of the boot loader, so that a discarded loader can be collected, and of the
    /// state read last.
    pub fn forget_classes(&mut self) {
        self.stream.begin(0);
        self.registry.forget();
    }
}

fn start<'a>(value: &Value<'a>) -> Start<Ref<'a>> {
    match *value {
        Value::Object(reference) => Start::Reference(reference),
        value => scalar(value),
    }
}

fn start_in_place<'s>(still: &Still<'s>, value: &Value<'_>) -> Start<Place<'s>> {
    match *value {
        Value::Object(reference) => Start::Reference(reference.map(|reference| still.place(reference))),
        value => scalar(value),
    }
}

fn scalar<R>(value: Value<'_>) -> Start<R> {
    Start::Scalar(match value {
        Value::Object(_) => return Start::Reference(None),
        Value::Boolean(value) => Scalar::Boolean(value),
        Value::Byte(value) => Scalar::Byte(value),
        Value::Char(value) => Scalar::Char(value),
        Value::Short(value) => Scalar::Short(value),
        Value::Int(value) => Scalar::Int(value),
        Value::Long(value) => Scalar::Long(value),
        Value::Float(value) => Scalar::Float(value.to_bits()),
        Value::Double(value) => Scalar::Double(value.to_bits()),
    })
}
