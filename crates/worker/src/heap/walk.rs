//! The canonical linearisation of what some roots reach (spec 000 §2.1).
//!
//! In: roots on a [`Heap`]. Out: tokens in a [`Stream`]; isomorphic heaps give equal bytes, others do not.
//! Depth first, objects numbered at their first visit, fields in the order of the [`Shape`]. The work that is left is
//! kept on a stack of its own, so that the depth of a structure is bounded by memory alone.
//!
//! Entries of a table whose layout is no state are written in the order of their signatures. A signature is the entry
//! written apart, as a continuation of the stream so far: at most [`SIGNATURE_TOKENS`] tokens, and tables inside
//! tables no deeper than [`SIGNATURE_DEPTH`]. Entries that differ only beyond that may come in either order. A state whose signatures take
//! [`EFFORT`] times what a state may have counts as too large.
//!
//! Most tables have keys that hash by value, which is not known before the last key was seen. So a walk first takes it
//! for granted; a key that proves it wrong makes it start again, and then look at all keys of a table beforehand.

use std::rc::Rc;

use super::access::{Content, Heap, Scalar};
use super::seen::{Seen, recycle};
use super::shape::{Form, Guess, Opacity, Shape};
use super::stream::Stream;
use super::table::{self, Entry};

const SIGNATURE_TOKENS: u32 = 2000;
const SIGNATURE_DEPTH: usize = 2;
/// Tokens of signatures per token that a state may have.
const EFFORT: u64 = 8;
/// Walks that look at keys beforehand after one had to start again.
const CAREFUL_WALKS: u32 = 16;
/// Characters of a captured string that name a lambda.
const SITE_UNITS: usize = 200;

/// A value to start from.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Start<R> {
    Scalar(Scalar),
    Reference(Option<R>),
}

/// What is left to do of one object.
struct Frame<R, F> {
    part: Part,
    /// The array of a table whose keys are known to hash by value.
    by_value: bool,
    object: R,
    shape: Rc<Shape<F>>,
    next: u32,
    end: u32,
}

/// What a reference is to the object that holds it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// The key of an entry that is written plainly.
    Key,
    /// An entry, or an array of entries, of a table whose keys hash by value.
    ByValue,
    Other,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Slots; `plain` is false where the hash layout is left out.
    Slots { plain: bool },
    /// Elements of an array.
    Elements,
    /// Keys and values, two steps each, from this place of the buffer on.
    Entries { base: u32 },
}

/// Buffers of a walk, kept from one to the next.
pub(crate) struct Buffers<R, F> {
    seen: Seen<R>,
    frames: Vec<Frame<R, F>>,
    entries: Vec<Entry<R>>,
    /// Streams for signatures.
    spare: Vec<Stream>,
    units: Vec<u16>,
    /// How many more walks look at keys beforehand.
    careful: u32,
    /// Tokens of signatures written so far, and how many may be.
    effort: u64,
    enough: u64,
}

impl<R, F> Default for Buffers<R, F> {
    fn default() -> Self {
        Buffers {
            seen: Seen::default(),
            frames: Vec::new(),
            entries: Vec::new(),
            spare: Vec::new(),
            units: Vec::new(),
            careful: 0,
            effort: 0,
            enough: 0,
        }
    }
}

impl<R: Copy, F> Buffers<R, F> {
    /// Tokens of the signatures that the walk before wrote.
    pub(crate) fn effort(&self) -> u64 {
        self.effort
    }

    /// The number that the walk before gave an object.
    pub(crate) fn number<H: Heap<Ref = R>>(&self, heap: &mut H, object: R) -> Result<Option<u32>, H::Error> {
        let hash = heap.identity_hash(object)?;
        Ok(self.seen.find(object, hash, |left, right| heap.is_same(left, right)))
    }

    /// The same buffers, empty, for handles of another lifetime.
    pub(crate) fn recycle<S>(self) -> Buffers<S, F> {
        Buffers {
            seen: self.seen.recycle(),
            frames: recycle(self.frames),
            entries: recycle(self.entries),
            spare: self.spare,
            units: self.units,
            careful: self.careful,
            effort: self.effort,
            enough: self.enough,
        }
    }
}

impl<R, F> std::fmt::Debug for Buffers<R, F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Buffers").finish_non_exhaustive()
    }
}

/// What the field `at` of an object written plainly holds.
fn role<F>(shape: &Shape<F>, at: usize) -> Role {
    match shape.node {
        Some(node) if node.is_key(at) => Role::Key,
        Some(node) if !node.is_value(at) => Role::ByValue,
        None if shape.table.is_some() && shape.fields[at].layout_only => Role::ByValue,
        _ => Role::Other,
    }
}

/// Writes the state of `roots` into `stream`, at most `limit` tokens.
pub(crate) fn walk<H: Heap>(
    heap: &mut H,
    roots: impl ExactSizeIterator<Item = Start<H::Ref>> + Clone,
    limit: u32,
    guess: &Guess,
    stream: &mut Stream,
    buffers: &mut Buffers<H::Ref, H::Field>,
) -> Result<(), H::Error> {
    (buffers.effort, buffers.enough) = (0, EFFORT * u64::from(limit));
    let careful = buffers.careful > 0;
    buffers.careful = buffers.careful.saturating_sub(1);
    let surprised = attempt(heap, roots.clone(), limit, guess, stream, buffers, careful)?;
    if surprised {
        buffers.careful = CAREFUL_WALKS;
        buffers.seen.forget_after(0);
        buffers.entries.clear();
        attempt(heap, roots, limit, guess, stream, buffers, true)?;
    }
    Ok(())
}

/// Answers whether a key was met that hashes by identity although that was ruled out.
fn attempt<H: Heap>(
    heap: &mut H,
    roots: impl ExactSizeIterator<Item = Start<H::Ref>>,
    limit: u32,
    guess: &Guess,
    stream: &mut Stream,
    buffers: &mut Buffers<H::Ref, H::Field>,
    careful: bool,
) -> Result<bool, H::Error> {
    stream.begin(limit);
    if roots.len() != 1 {
        stream.roots(roots.len() as u32);
    }
    let mut walker = Walker { heap, stream, buffers, signatures: SIGNATURE_DEPTH, careful, surprised: false };
    for root in roots {
        match root {
            Start::Scalar(value) => walker.stream.scalar(value),
            Start::Reference(None) => walker.stream.null(),
            Start::Reference(Some(object)) => {
                walker.put(object, guess, Role::Other)?;
                walker.run(0)?;
            }
        }
    }
    Ok(walker.surprised)
}

struct Walker<'a, H: Heap> {
    heap: &'a mut H,
    stream: &'a mut Stream,
    buffers: &'a mut Buffers<H::Ref, H::Field>,
    /// How much deeper signatures may go.
    signatures: usize,
    /// Keys of a table are looked at before it is written.
    careful: bool,
    /// A key hashes by identity although that was ruled out: all has to be written again.
    surprised: bool,
}

impl<H: Heap> Walker<'_, H> {
    /// Works until only the first `base` frames are left.
    fn run(&mut self, base: usize) -> Result<(), H::Error> {
        while self.buffers.frames.len() > base {
            if self.stream.is_truncated() || self.surprised {
                self.buffers.frames.truncate(base);
                return Ok(());
            }
            let frame = self.buffers.frames.last_mut().expect("there are more than `base` frames");
            if frame.next == frame.end {
                if let Part::Entries { base } = frame.part {
                    self.buffers.entries.truncate(base as usize);
                }
                self.buffers.frames.pop();
                continue;
            }
            match frame.part {
                Part::Slots { plain } => self.slots(plain)?,
                Part::Elements => self.elements()?,
                Part::Entries { base } => self.entry(base)?,
            }
        }
        Ok(())
    }

    /// Writes slots of the innermost object until one leads to a new object.
    fn slots(&mut self, plain: bool) -> Result<(), H::Error> {
        let depth = self.buffers.frames.len();
        let frame = &self.buffers.frames[depth - 1];
        let (object, shape) = (frame.object, Rc::clone(&frame.shape));
        let (mut at, end) = (frame.next as usize, frame.end as usize);
        while at < end && self.buffers.frames.len() == depth {
            let slot = &shape.fields[at];
            at += 1;
            if slot.layout_only && !plain {
                match slot.primitive {
                    Some(primitive) => self.stream.scalar(primitive.zero()),
                    None => self.stream.null(),
                }
                continue;
            }
            match self.heap.read(object, &slot.handle)? {
                Content::Scalar(value) => self.stream.scalar(value),
                Content::Reference(None) => self.stream.null(),
                Content::Reference(Some(value)) => {
                    let role = if plain { role(&shape, at - 1) } else { Role::Other };
                    self.put(value, &slot.guess, role)?;
                }
            }
        }
        self.buffers.frames[depth - 1].next = at as u32;
        Ok(())
    }

    /// Writes elements of the innermost array until one is a new object.
    fn elements(&mut self) -> Result<(), H::Error> {
        let depth = self.buffers.frames.len();
        let frame = &self.buffers.frames[depth - 1];
        let (array, shape, mut at, end) = (frame.object, Rc::clone(&frame.shape), frame.next, frame.end);
        let role = if frame.by_value { Role::ByValue } else { Role::Other };
        while at < end && self.buffers.frames.len() == depth && !self.stream.is_truncated() {
            match self.heap.element(array, at)? {
                None => self.stream.null(),
                Some(element) => self.put(element, &shape.elements, role)?,
            }
            at += 1;
        }
        self.buffers.frames[depth - 1].next = at;
        Ok(())
    }

    /// Writes the next key or value of the innermost table.
    fn entry(&mut self, base: u32) -> Result<(), H::Error> {
        let frame = self.buffers.frames.last_mut().expect("the caller looks at the innermost frame");
        let at = frame.next;
        frame.next += 1;
        let shape = Rc::clone(&frame.shape);
        let (key, value) = self.buffers.entries[(base + at / 2) as usize];
        let (part, guess) =
            if at.is_multiple_of(2) { (key, &shape.elements) } else { (value, &shape.values) };
        match part {
            None => self.stream.null(),
            Some(part) => self.put(part, guess, Role::Other)?,
        }
        Ok(())
    }

    /// Writes a reference that is not null: as a value, as a number, or as the head of an object whose rest becomes
    /// the innermost frame.
    #[inline]
    fn put(&mut self, object: H::Ref, guess: &Guess, role: Role) -> Result<(), H::Error> {
        let shape = self.heap.shape_of(object, guess)?;
        if role == Role::Key && !self.careful && table::hashes_by_identity(self.heap, object, &shape)? {
            self.surprised = true;
            return Ok(());
        }
        match shape.form {
            Form::String => return self.string(object),
            Form::Boxed => return self.boxed(object, &shape),
            Form::Enum => return self.enum_constant(object, &shape),
            Form::Class => {
                let descriptor = self.heap.descriptor(object)?;
                self.stream.class_object(&descriptor);
                return Ok(());
            }
            Form::Object | Form::Array | Form::Cells(_) | Form::Opaque(_) => {}
        }
        let hash = self.heap.identity_hash(object)?;
        let heap = &mut *self.heap;
        match self.buffers.seen.visit(object, hash, |left, right| heap.is_same(left, right)) {
            Some(number) => {
                self.stream.reference(number);
                Ok(())
            }
            None => self.open(object, shape, role == Role::ByValue),
        }
    }

    /// Writes the head of something met for the first time.
    fn open(&mut self, object: H::Ref, shape: Rc<Shape<H::Field>>, by_value: bool) -> Result<(), H::Error> {
        match shape.form {
            Form::Opaque(opacity) => {
                let site = self.site(object, &shape, opacity)?;
                self.stream.opaque(&shape, &site);
            }
            Form::Cells(of) => {
                let length = self.heap.length(object, &shape)?;
                self.stream.array(&shape, length);
                if length as usize > self.stream.room() {
                    self.stream.truncate();
                    return Ok(());
                }
                let stream = &mut *self.stream;
                self.heap.cells(object, of, length, |value| stream.scalar(value))?;
            }
            Form::Array => {
                let length = self.heap.length(object, &shape)?;
                self.stream.array(&shape, length);
                let frame = Frame { part: Part::Elements, by_value, object, shape, next: 0, end: length };
                self.buffers.frames.push(frame);
            }
            Form::Object if shape.table.is_some() => self.table(object, shape)?,
            Form::Object => {
                let plain =
                    by_value || !self.careful || !table::is_placed_by_identity(self.heap, object, &shape)?;
                self.stream.object(&shape);
                let end = shape.visible;
                self.push(Part::Slots { plain }, object, shape, end);
            }
            Form::String | Form::Boxed | Form::Enum | Form::Class => {
                unreachable!("values have no identity, so they are never met for the first time")
            }
        }
        Ok(())
    }

    #[inline]
    fn push(&mut self, part: Part, object: H::Ref, shape: Rc<Shape<H::Field>>, end: u32) {
        self.buffers.frames.push(Frame { part, by_value: false, object, shape, next: 0, end });
    }

    fn table(&mut self, object: H::Ref, shape: Rc<Shape<H::Field>>) -> Result<(), H::Error> {
        let base = self.buffers.entries.len();
        let room = self.stream.room();
        let look = self.careful || shape.table.is_some_and(|table| table.is_never_state());
        if !look || !table::take_apart(self.heap, object, &shape, room, &mut self.buffers.entries)? {
            self.stream.object(&shape);
            let end = shape.visible;
            self.push(Part::Slots { plain: true }, object, shape, end);
            return Ok(());
        }
        let count = self.buffers.entries.len() - base;
        self.stream.sorted(&shape, count as u32);
        if shape.table.is_some_and(|table| !table.is_ordered()) {
            if self.signatures == 0 {
                self.buffers.entries.truncate(base);
            } else {
                self.sort(base, &shape)?;
            }
        }
        let steps = (self.buffers.entries.len() - base) as u32 * 2;
        let end = shape.visible;
        self.push(Part::Entries { base: base as u32 }, object, Rc::clone(&shape), steps);
        self.push(Part::Slots { plain: false }, object, shape, end);
        Ok(())
    }

    /// Puts the entries from `base` on into the order of their signatures.
    fn sort(&mut self, base: usize, table: &Shape<H::Field>) -> Result<(), H::Error> {
        let count = self.buffers.entries.len() - base;
        if count < 2 {
            return Ok(());
        }
        let mut signed = Vec::with_capacity(count);
        for at in base..base + count {
            if self.buffers.effort > self.buffers.enough {
                self.stream.truncate();
                return Ok(());
            }
            let entry = self.buffers.entries[at];
            signed.push((self.signature(entry, table)?, entry));
        }
        signed.sort_by(|left, right| left.0.cmp(&right.0));
        for (at, (_, entry)) in signed.into_iter().enumerate() {
            self.buffers.entries[base + at] = entry;
        }
        Ok(())
    }

    /// The entry written apart, and everything met on the way forgotten again.
    fn signature(
        &mut self,
        (key, value): Entry<H::Ref>,
        table: &Shape<H::Field>,
    ) -> Result<Vec<u8>, H::Error> {
        let (seen, frames) = (self.buffers.seen.len(), self.buffers.frames.len());
        let entries = self.buffers.entries.len();
        let mut apart = self.buffers.spare.pop().unwrap_or_default();
        apart.begin(SIGNATURE_TOKENS);
        let mut inner = Walker {
            heap: &mut *self.heap,
            stream: &mut apart,
            buffers: &mut *self.buffers,
            signatures: self.signatures - 1,
            careful: self.careful,
            surprised: false,
        };
        for (part, guess) in [(key, &table.elements), (value, &table.values)] {
            match part {
                None => inner.stream.null(),
                Some(part) => {
                    inner.put(part, guess, Role::Other)?;
                    inner.run(frames)?;
                }
            }
        }
        let surprised = inner.surprised;
        self.surprised |= surprised;
        let bytes = apart.bytes().to_vec();
        self.buffers.effort += u64::from(apart.tokens());
        self.buffers.spare.push(apart);
        self.buffers.seen.forget_after(seen);
        self.buffers.entries.truncate(entries);
        Ok(bytes)
    }

    fn string(&mut self, string: H::Ref) -> Result<(), H::Error> {
        let room = self.stream.string_room();
        let length = self.heap.string(string, room, &mut self.buffers.units)?;
        if length > room {
            self.stream.truncate();
        } else {
            self.stream.string(&self.buffers.units);
        }
        Ok(())
    }

    fn boxed(&mut self, object: H::Ref, shape: &Shape<H::Field>) -> Result<(), H::Error> {
        let slot = shape.slots().first().expect("a box has a field for its value");
        if let Content::Scalar(value) = self.heap.read(object, &slot.handle)? {
            self.stream.boxed();
            self.stream.scalar(value);
        }
        Ok(())
    }

    fn enum_constant(&mut self, object: H::Ref, shape: &Shape<H::Field>) -> Result<(), H::Error> {
        let slot = shape.slots().first().expect("an enum constant has a field for its name");
        let name = match self.heap.read(object, &slot.handle)?.reference() {
            Some(name) => self.text(name, usize::MAX)?,
            None => String::new(),
        };
        self.stream.enum_constant(shape, &name);
        Ok(())
    }

    fn text(&mut self, string: H::Ref, limit: usize) -> Result<String, H::Error> {
        self.heap.string(string, limit, &mut self.buffers.units)?;
        Ok(String::from_utf16_lossy(&self.buffers.units))
    }

    /// What tells two opaque things of one class apart.
    fn site(
        &mut self,
        object: H::Ref,
        shape: &Shape<H::Field>,
        opacity: Opacity,
    ) -> Result<String, H::Error> {
        let mut site = shape.site.to_string();
        match opacity {
            Opacity::Rule => {}
            Opacity::Hidden => {
                for slot in &shape.fields {
                    site.push(' ');
                    site.push_str(&self.capture(object, &slot.handle, &slot.guess)?);
                }
            }
            Opacity::Proxy => {
                if let Some(at) = shape.field("java/lang/reflect/Proxy", "h") {
                    let slot = &shape.fields[at as usize];
                    if let Some(handler) = self.heap.read(object, &slot.handle)?.reference() {
                        let handler = self.heap.shape_of(handler, &slot.guess)?;
                        site = format!("{site} {} {}", handler.name, handler.site);
                    }
                }
            }
        }
        Ok(site)
    }

    /// A captured value as text: values by what they are, objects by their class.
    fn capture(&mut self, object: H::Ref, field: &H::Field, guess: &Guess) -> Result<String, H::Error> {
        let value = match self.heap.read(object, field)? {
            Content::Scalar(value) => return Ok(format!("{value:?}")),
            Content::Reference(None) => return Ok("null".into()),
            Content::Reference(Some(value)) => value,
        };
        let shape = self.heap.shape_of(value, guess)?;
        match shape.form {
            Form::String => {
                let length = self.heap.string(value, SITE_UNITS, &mut self.buffers.units)?;
                let text = probat_model::JavaString::from_units(&self.buffers.units);
                Ok(format!("{text}#{length}"))
            }
            Form::Boxed | Form::Enum => {
                let slot = shape.slots().first().expect("boxes and enum constants have one slot");
                match self.heap.read(value, &slot.handle)? {
                    Content::Scalar(inside) => Ok(format!("{inside:?}")),
                    Content::Reference(Some(name)) => {
                        Ok(format!("{}.{}", shape.name, self.text(name, SITE_UNITS)?))
                    }
                    Content::Reference(None) => Ok(shape.name.to_string()),
                }
            }
            Form::Class => Ok(self.heap.descriptor(value)?.to_string()),
            Form::Object | Form::Array | Form::Cells(_) | Form::Opaque(_) => Ok(shape.name.to_string()),
        }
    }
}
