//! Results of a batch on their way up.
//!
//! In: what the worker sees, as it sees it, through [`ResultWriter`]. Out: [`Observation`]s, from [`decode_results`].
//! Everything is appended once and never revisited, except the counts of the item being written.

use probat_model::{
    ClassLayout, ClassName, Compared, Contract, End, Frame, Leak, Observation, Operand, ProbeId, Refusal,
    Slot, Slow, StateHash, StateSeen, StepId, StepOutcome, StoredState, Taint, TaintKind, Thrown, Value,
    Violation,
};

use crate::wire::{Cursor, Put, WireError};

/// Number the worker gives a class for as long as it lives; lets a payload spell each class once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ClassKey(pub u32);

/// Writes the results of one batch. Between [`begin`](Self::begin) and [`end`](Self::end) of an item, entries may come
/// in any order.
#[derive(Debug, Default)]
pub struct ResultWriter {
    bytes: Vec<u8>,
    items: u32,
    /// Payload number and index of each class key.
    classes: Vec<(u32, u32)>,
    payload: u32,
    in_payload: u32,
}

const STEP_RETURNED: u8 = 1;
const STEP_THREW: u8 = 2;
const STEP_REFUSED: u8 = 3;
const EDGES: u8 = 4;
const STATE: u8 = 5;
const VIOLATION: u8 = 6;
const TAINT: u8 = 7;
const LEAK: u8 = 8;
const COMPARED: u8 = 9;
const SLOW: u8 = 10;
const END: u8 = 0;

impl ResultWriter {
    pub fn new() -> Self {
        let mut writer = ResultWriter::default();
        writer.start(0);
        writer
    }

    /// Forgets everything and begins the payload of a batch.
    pub fn start(&mut self, batch: u64) {
        self.bytes.clear();
        self.bytes.put_u64(batch);
        self.bytes.put_u32(0);
        self.items = 0;
        self.payload = self.payload.wrapping_add(1);
        self.in_payload = 0;
    }

    /// How many items are complete.
    pub fn items(&self) -> u32 {
        self.items
    }

    /// The payload so far; valid between items.
    pub fn payload(&mut self) -> &[u8] {
        self.bytes[8..12].copy_from_slice(&self.items.to_le_bytes());
        &self.bytes
    }

    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.items == 0
    }

    /// A class operand; `name` is asked for only at the first occurrence.
    fn class<'n>(&mut self, key: ClassKey, name: impl FnOnce() -> &'n str) {
        let at = key.0 as usize;
        if at >= self.classes.len() {
            self.classes.resize(at + 1, (0, 0));
        }
        if self.classes[at].0 == self.payload {
            let index = self.classes[at].1;
            self.bytes.put_u32(index);
            return;
        }
        self.in_payload += 1;
        self.classes[at] = (self.payload, self.in_payload);
        self.bytes.put_u32(0);
        self.bytes.put_text(name());
    }

    /// Spells a class that has no key; later occurrences spell it again.
    fn class_text(&mut self, name: &str) {
        self.in_payload += 1;
        self.bytes.put_u32(0);
        self.bytes.put_text(name);
    }

    /// The step gave a value that needs no class. `Value::Object` and `Value::Array` go through the two methods below.
    #[inline]
    pub fn returned(&mut self, step: u16, value: &Value) {
        self.bytes.put_u8(STEP_RETURNED);
        self.bytes.put_u16(step);
        match value {
            Value::Void => self.bytes.put_u8(0),
            Value::Null => self.bytes.put_u8(1),
            Value::Boolean(v) => self.tagged(2, u64::from(*v)),
            Value::Byte(v) => self.tagged(3, *v as u64),
            Value::Char(v) => self.tagged(4, u64::from(*v)),
            Value::Short(v) => self.tagged(5, *v as u64),
            Value::Int(v) => self.tagged(6, *v as u64),
            Value::Long(v) => self.tagged(7, *v as u64),
            Value::Float(v) => self.tagged(8, u64::from(v.to_bits())),
            Value::Double(v) => self.tagged(9, v.to_bits()),
            Value::String { text, length } => {
                self.bytes.put_u8(10);
                self.bytes.put_u32(*length);
                self.bytes.put_units(text.units());
            }
            Value::Object { class } => {
                self.bytes.put_u8(11);
                self.class_text(class.as_internal());
            }
            Value::Array { class, length } => {
                self.bytes.put_u8(12);
                self.bytes.put_u32(*length);
                self.class_text(class.as_internal());
            }
        }
    }

    #[inline]
    fn tagged(&mut self, tag: u8, bits: u64) {
        self.bytes.put_u8(tag);
        self.bytes.put_u64(bits);
    }

    /// The step gave a string; `units` is the reported prefix.
    pub fn returned_string(&mut self, step: u16, units: &[u16], length: u32) {
        self.bytes.put_u8(STEP_RETURNED);
        self.bytes.put_u16(step);
        self.bytes.put_u8(10);
        self.bytes.put_u32(length);
        self.bytes.put_units(units);
    }

    /// The step gave an object of a class the worker has numbered.
    pub fn returned_object<'n>(&mut self, step: u16, key: ClassKey, name: impl FnOnce() -> &'n str) {
        self.bytes.put_u8(STEP_RETURNED);
        self.bytes.put_u16(step);
        self.bytes.put_u8(11);
        self.class(key, name);
    }

    /// The step gave an array of a class the worker has numbered.
    pub fn returned_array<'n>(
        &mut self,
        step: u16,
        length: u32,
        key: ClassKey,
        name: impl FnOnce() -> &'n str,
    ) {
        self.bytes.put_u8(STEP_RETURNED);
        self.bytes.put_u16(step);
        self.bytes.put_u8(12);
        self.bytes.put_u32(length);
        self.class(key, name);
    }

    pub fn threw(&mut self, step: u16, thrown: &Thrown) {
        self.bytes.put_u8(STEP_THREW);
        self.bytes.put_u16(step);
        self.thrown(thrown);
    }

    fn thrown(&mut self, thrown: &Thrown) {
        self.class_text(thrown.class.as_internal());
        match &thrown.message {
            Some(message) => {
                self.bytes.put_u8(1);
                self.bytes.put_units(message.units());
            }
            None => self.bytes.put_u8(0),
        }
        match &thrown.cause {
            Some(cause) => {
                self.bytes.put_u8(1);
                self.class_text(cause.as_internal());
            }
            None => self.bytes.put_u8(0),
        }
        self.bytes.put_u32(thrown.frames.len() as u32);
        for frame in &thrown.frames {
            self.class_text(frame.class.as_internal());
            self.bytes.put_text(&frame.method);
            self.bytes.put_u32(frame.line.map_or(u32::MAX, |line| line));
        }
    }

    pub fn refused(&mut self, step: u16, refusal: &Refusal) {
        self.bytes.put_u8(STEP_REFUSED);
        self.bytes.put_u16(step);
        match refusal {
            Refusal::Unresolved(what) => {
                self.bytes.put_u8(0);
                self.bytes.put_text(what);
            }
            Refusal::ArgumentType { argument, wanted, found } => {
                self.bytes.put_u8(1);
                self.bytes.put_u8(*argument);
                self.bytes.put_text(wanted);
                self.class_text(found.as_internal());
            }
            Refusal::NullReceiver => self.bytes.put_u8(2),
            Refusal::MissingArgument { argument } => {
                self.bytes.put_u8(3);
                self.bytes.put_u8(*argument);
            }
            Refusal::CannotRestore(why) => {
                self.bytes.put_u8(4);
                self.bytes.put_text(why);
            }
            Refusal::CannotStub(why) => {
                self.bytes.put_u8(5);
                self.bytes.put_text(why);
            }
        }
    }

    /// Probes hit, ascending.
    pub fn edges(&mut self, probes: &[u32]) {
        self.bytes.put_u8(EDGES);
        self.bytes.put_u32(probes.len() as u32);
        for probe in probes {
            self.bytes.put_u32(*probe);
        }
    }

    /// Answer to the request with this index.
    pub fn state(
        &mut self,
        request: u32,
        hash: StateHash,
        tokens: u32,
        truncated: bool,
        stored: Option<&StoredState>,
    ) {
        self.bytes.put_u8(STATE);
        self.bytes.put_u32(request);
        self.bytes.extend_from_slice(&hash.0.to_le_bytes());
        self.bytes.put_u32(tokens);
        self.bytes.put_u8(u8::from(truncated) | if stored.is_some() { 2 } else { 0 });
        let Some(stored) = stored else { return };
        self.bytes.put_u32(stored.tokens.len() as u32);
        self.bytes.extend_from_slice(&stored.tokens);
        self.bytes.put_u32(stored.layouts.len() as u32);
        for layout in &stored.layouts {
            self.class_text(layout.class.as_internal());
            self.bytes.put_u32(layout.slots.len() as u32);
            for slot in &layout.slots {
                self.class_text(slot.declared_in.as_internal());
                self.bytes.put_text(&slot.name);
                self.bytes.put_text(&slot.descriptor);
            }
        }
    }

    pub fn violation(&mut self, violation: &Violation) {
        self.bytes.put_u8(VIOLATION);
        match violation.contract {
            Contract::User(index) => {
                self.bytes.put_u8(OF_THE_USER);
                self.bytes.put_u16(index);
            }
            ours => {
                let code = CONTRACTS.iter().position(|known| *known == ours);
                self.bytes.put_u8(code.expect("the table has every contract of ours") as u8);
            }
        }
        self.bytes.put_u32(violation.steps.len() as u32);
        for step in &violation.steps {
            self.bytes.put_u16(step.0);
        }
        self.bytes.put_u8(u8::from(violation.thrown.is_some()));
        if let Some(thrown) = &violation.thrown {
            self.thrown(thrown);
        }
    }

    pub fn taint(&mut self, taint: &Taint) {
        self.bytes.put_u8(TAINT);
        self.bytes.put_u16(taint.step.0);
        self.bytes.put_u8(taint.kind as u8);
        self.bytes.put_text(&taint.detail);
    }

    pub fn slow(&mut self) {
        self.bytes.put_u8(SLOW);
    }

    pub fn leak(&mut self, leak: Leak) {
        self.bytes.put_u8(LEAK);
        self.bytes.put_u8(leak as u8);
    }

    pub fn compared(&mut self, compared: &Compared) {
        self.bytes.put_u8(COMPARED);
        self.bytes.put_u32(compared.site);
        self.operand(&compared.left);
        self.operand(&compared.right);
    }

    fn operand(&mut self, operand: &Operand) {
        match operand {
            Operand::Bits(bits) => self.tagged(0, bits.cast_unsigned()),
            Operand::Text(text) => {
                self.bytes.put_u8(1);
                self.bytes.put_units(text.units());
            }
            Operand::Null => self.bytes.put_u8(2),
            Operand::Object { class } => {
                self.bytes.put_u8(3);
                self.class_text(class.as_internal());
            }
        }
    }

    /// Ends the item. `End::Died` is the supervisor's to say and is refused here.
    pub fn end(&mut self, end: &End) {
        self.bytes.put_u8(END);
        let (tag, step) = match end {
            End::Completed => (0, StepId(0)),
            End::Threw(step) => (1, *step),
            End::Refused(step) => (2, *step),
            End::TimedOut(step) => (3, *step),
            End::Exhausted(step) => (4, *step),
            End::Died { .. } => unreachable!("a dead worker writes no results"),
        };
        self.bytes.put_u8(tag);
        self.bytes.put_u16(step.0);
        self.items += 1;
    }
}

/// Reads a results payload: the batch and its observations in order.
///
/// A batch may come back shorter than it was sent when the worker ends itself after an item.
pub fn decode_results(payload: &[u8]) -> Result<(u64, Vec<Observation>), WireError> {
    let mut decoder = Decoder { cursor: Cursor::new(payload), classes: Vec::new() };
    let batch = decoder.cursor.u64()?;
    let items = decoder.cursor.count(4)?;
    let mut out = Vec::with_capacity(items);
    for _ in 0..items {
        out.push(decoder.item()?);
    }
    if decoder.cursor.is_done() { Ok((batch, out)) } else { Err(decoder.cursor.error()) }
}

struct Decoder<'a> {
    cursor: Cursor<'a>,
    classes: Vec<ClassName>,
}

impl Decoder<'_> {
    fn item(&mut self) -> Result<Observation, WireError> {
        let mut seen = Observation {
            end: End::Completed,
            steps: Vec::new(),
            edges: Vec::new(),
            states: Vec::new(),
            violations: Vec::new(),
            taints: Vec::new(),
            leaks: Vec::new(),
            compared: Vec::new(),
            slow: Slow(false),
        };
        loop {
            match self.cursor.u8()? {
                STEP_RETURNED => {
                    let step = StepId(self.cursor.u16()?);
                    let value = self.value()?;
                    seen.steps.push((step, StepOutcome::Returned(value)));
                }
                STEP_THREW => {
                    let step = StepId(self.cursor.u16()?);
                    let thrown = self.thrown()?;
                    seen.steps.push((step, StepOutcome::Threw(thrown)));
                }
                STEP_REFUSED => {
                    let step = StepId(self.cursor.u16()?);
                    let refusal = self.refusal()?;
                    seen.steps.push((step, StepOutcome::Refused(refusal)));
                }
                EDGES => self.edges(&mut seen.edges)?,
                STATE => self.state(&mut seen.states)?,
                VIOLATION => seen.violations.push(self.violation()?),
                TAINT => seen.taints.push(self.taint()?),
                LEAK => {
                    let leak = from_byte(&LEAKS, self.cursor.u8()?).ok_or(self.cursor.error())?;
                    seen.leaks.push(leak);
                }
                SLOW => seen.slow = Slow(true),
                COMPARED => {
                    let site = self.cursor.u32()?;
                    let (left, right) = (self.operand()?, self.operand()?);
                    seen.compared.push(Compared { site, left, right });
                }
                END => {
                    seen.end = self.end()?;
                    return Ok(seen);
                }
                _ => return Err(self.cursor.error()),
            }
        }
    }

    fn class(&mut self) -> Result<ClassName, WireError> {
        self.cursor.class(&mut self.classes)
    }

    fn value(&mut self) -> Result<Value, WireError> {
        let cursor = &mut self.cursor;
        Ok(match cursor.u8()? {
            0 => Value::Void,
            1 => Value::Null,
            2 => Value::Boolean(cursor.u64()? != 0),
            3 => Value::Byte(cursor.u64()? as i8),
            4 => Value::Char(cursor.u64()? as u16),
            5 => Value::Short(cursor.u64()? as i16),
            6 => Value::Int(cursor.u64()? as i32),
            7 => Value::Long(cursor.u64()? as i64),
            8 => Value::Float(f32::from_bits(cursor.u64()? as u32)),
            9 => Value::Double(f64::from_bits(cursor.u64()?)),
            10 => {
                let length = cursor.u32()?;
                Value::String { text: cursor.java_string()?, length }
            }
            11 => Value::Object { class: self.class()? },
            12 => {
                let length = cursor.u32()?;
                Value::Array { class: self.class()?, length }
            }
            _ => return Err(cursor.error()),
        })
    }

    fn thrown(&mut self) -> Result<Thrown, WireError> {
        let class = self.class()?;
        let message = if self.cursor.u8()? != 0 { Some(self.cursor.java_string()?) } else { None };
        let cause = if self.cursor.u8()? != 0 { Some(self.class()?) } else { None };
        let count = self.cursor.count(12)?;
        let mut frames = Vec::with_capacity(count);
        for _ in 0..count {
            let class = self.class()?;
            let method = self.cursor.text()?.to_owned();
            let line = Some(self.cursor.u32()?).filter(|&line| line != u32::MAX);
            frames.push(Frame { class, method, line });
        }
        Ok(Thrown { class, message, cause, frames })
    }

    fn refusal(&mut self) -> Result<Refusal, WireError> {
        Ok(match self.cursor.u8()? {
            0 => Refusal::Unresolved(self.cursor.text()?.to_owned()),
            1 => {
                let argument = self.cursor.u8()?;
                let wanted = self.cursor.text()?.to_owned();
                Refusal::ArgumentType { argument, wanted, found: self.class()? }
            }
            2 => Refusal::NullReceiver,
            3 => Refusal::MissingArgument { argument: self.cursor.u8()? },
            4 => Refusal::CannotRestore(self.cursor.text()?.to_owned()),
            5 => Refusal::CannotStub(self.cursor.text()?.to_owned()),
            _ => return Err(self.cursor.error()),
        })
    }

    fn edges(&mut self, out: &mut Vec<ProbeId>) -> Result<(), WireError> {
        let count = self.cursor.count(4)?;
        out.reserve_exact(count);
        for _ in 0..count {
            out.push(ProbeId(self.cursor.u32()?));
        }
        Ok(())
    }

    fn state(&mut self, out: &mut Vec<Option<StateSeen>>) -> Result<(), WireError> {
        let request = self.cursor.u32()? as usize;
        if request > usize::from(u16::MAX) {
            return Err(self.cursor.error());
        }
        let hash = StateHash(self.cursor.u128()?);
        let tokens = self.cursor.u32()?;
        let flags = self.cursor.u8()?;
        let stored = if flags & 2 != 0 { Some(self.stored()?) } else { None };
        if out.len() <= request {
            out.resize(request + 1, None);
        }
        out[request] = Some(StateSeen { hash, tokens, truncated: flags & 1 != 0, stored });
        Ok(())
    }

    fn stored(&mut self) -> Result<StoredState, WireError> {
        let len = self.cursor.count(1)?;
        let tokens = self.cursor.slice(len)?.to_vec();
        let count = self.cursor.count(8)?;
        let mut layouts = Vec::with_capacity(count);
        for _ in 0..count {
            let class = self.class()?;
            let slots = self.cursor.count(12)?;
            let mut layout = ClassLayout { class, slots: Vec::with_capacity(slots) };
            for _ in 0..slots {
                let declared_in = self.class()?;
                let name = self.cursor.text()?.to_owned();
                let descriptor = self.cursor.text()?.to_owned();
                layout.slots.push(Slot { declared_in, name, descriptor });
            }
            layouts.push(layout);
        }
        Ok(StoredState { tokens, layouts })
    }

    fn violation(&mut self) -> Result<Violation, WireError> {
        let contract = match self.cursor.u8()? {
            OF_THE_USER => Contract::User(self.cursor.u16()?),
            code => from_byte(&CONTRACTS, code).ok_or(self.cursor.error())?,
        };
        let count = self.cursor.count(2)?;
        let mut steps = Vec::with_capacity(count);
        for _ in 0..count {
            steps.push(StepId(self.cursor.u16()?));
        }
        let thrown = if self.cursor.u8()? != 0 { Some(self.thrown()?) } else { None };
        Ok(Violation { contract, steps, thrown })
    }

    fn taint(&mut self) -> Result<Taint, WireError> {
        let step = StepId(self.cursor.u16()?);
        let kind = from_byte(&TAINTS, self.cursor.u8()?).ok_or(self.cursor.error())?;
        Ok(Taint { step, kind, detail: self.cursor.text()?.to_owned() })
    }

    fn operand(&mut self) -> Result<Operand, WireError> {
        Ok(match self.cursor.u8()? {
            0 => Operand::Bits(self.cursor.u64()?.cast_signed()),
            1 => Operand::Text(self.cursor.java_string()?),
            2 => Operand::Null,
            3 => Operand::Object { class: self.class()? },
            _ => return Err(self.cursor.error()),
        })
    }

    fn end(&mut self) -> Result<End, WireError> {
        let tag = self.cursor.u8()?;
        let step = StepId(self.cursor.u16()?);
        Ok(match tag {
            0 => End::Completed,
            1 => End::Threw(step),
            2 => End::Refused(step),
            3 => End::TimedOut(step),
            4 => End::Exhausted(step),
            _ => return Err(self.cursor.error()),
        })
    }
}

fn from_byte<T: Copy>(all: &[T], byte: u8) -> Option<T> {
    all.get(usize::from(byte)).copied()
}

const LEAKS: [Leak; 10] = [
    Leak::SystemProperties,
    Leak::Locale,
    Leak::TimeZone,
    Leak::StandardStreams,
    Leak::SecurityProviders,
    Leak::Statics,
    Leak::ThreadLocals,
    Leak::Interrupt,
    Leak::Files,
    Leak::Threads,
];

const TAINTS: [TaintKind; 10] = [
    TaintKind::Exit,
    TaintKind::Process,
    TaintKind::FileWrite,
    TaintKind::Network,
    TaintKind::Threads,
    TaintKind::Stdin,
    TaintKind::NativeLibrary,
    TaintKind::Display,
    TaintKind::Listing,
    TaintKind::Asking,
];

/// In place of a code of ours; the index follows.
const OF_THE_USER: u8 = u8::MAX;

const CONTRACTS: [Contract; 26] = [
    Contract::EqualsReflexive,
    Contract::EqualsNull,
    Contract::EqualsSymmetric,
    Contract::EqualsThrows,
    Contract::HashCodeThrows,
    Contract::HashCodeConsistent,
    Contract::EqualsHashCode,
    Contract::ToStringThrows,
    Contract::ToStringNull,
    Contract::CompareToReflexive,
    Contract::CompareToAntisymmetric,
    Contract::CompareToEquals,
    Contract::CloneThrows,
    Contract::CloneSame,
    Contract::CloneClass,
    Contract::CloneEquals,
    Contract::IteratorNext,
    Contract::IterableNext,
    Contract::CollectionSize,
    Contract::CollectionEmpty,
    Contract::CollectionArray,
    Contract::CollectionIterator,
    Contract::MapSize,
    Contract::MapEmpty,
    Contract::NullPointer,
    Contract::AssertionError,
];

#[cfg(test)]
mod tests {
    use super::*;
    use probat_model::JavaString;

    fn thrown() -> Thrown {
        Thrown {
            class: ClassName::internal("a/Oops"),
            message: Some(JavaString::from_units(&[0xd800])),
            cause: Some(ClassName::internal("a/Cause")),
            frames: vec![Frame { class: ClassName::internal("a/B"), method: "m".into(), line: Some(3) }],
        }
    }

    fn sample() -> Observation {
        let list = ClassName::internal("a/List");
        let returned = |value| StepOutcome::Returned(value);
        let text = JavaString::from("abc");
        Observation {
            end: End::Threw(StepId(6)),
            steps: vec![
                (StepId(0), returned(Value::Int(-1))),
                (StepId(1), returned(Value::Object { class: list.clone() })),
                (StepId(2), returned(Value::Array { class: list.clone(), length: 2 })),
                (StepId(3), returned(Value::String { text, length: 9 })),
                (StepId(4), returned(Value::Double(-0.5))),
                (
                    StepId(5),
                    StepOutcome::Refused(Refusal::ArgumentType {
                        argument: 1,
                        wanted: "I".into(),
                        found: list,
                    }),
                ),
                (StepId(6), StepOutcome::Threw(thrown())),
            ],
            edges: vec![ProbeId(3), ProbeId(70_000)],
            states: vec![None, Some(state())],
            violations: vec![
                Violation {
                    contract: Contract::AssertionError,
                    steps: vec![StepId(1)],
                    thrown: Some(thrown()),
                },
                Violation { contract: Contract::User(300), steps: vec![StepId(0), StepId(0)], thrown: None },
            ],
            taints: vec![Taint { step: StepId(2), kind: TaintKind::Display, detail: "x".into() }],
            slow: Slow(true),
            leaks: vec![Leak::Interrupt],
            compared: vec![
                Compared { site: 3, left: Operand::Bits(-1), right: Operand::Null },
                Compared {
                    site: 4,
                    left: Operand::Text("a".into()),
                    right: Operand::Object { class: ClassName::internal("a/B") },
                },
            ],
        }
    }

    fn state() -> StateSeen {
        let class = ClassName::internal("a/List");
        let slot = Slot { declared_in: class.clone(), name: "size".into(), descriptor: "I".into() };
        let stored = StoredState { tokens: vec![0], layouts: vec![ClassLayout { class, slots: vec![slot] }] };
        StateSeen { hash: stored.hash(), tokens: 1, truncated: true, stored: Some(stored) }
    }

    fn write(seen: &Observation, writer: &mut ResultWriter) {
        for (step, outcome) in &seen.steps {
            match outcome {
                StepOutcome::Returned(Value::Object { class }) => {
                    writer.returned_object(step.0, ClassKey(4), || class.as_internal());
                }
                StepOutcome::Returned(Value::Array { class, length }) => {
                    writer.returned_array(step.0, *length, ClassKey(4), || class.as_internal());
                }
                StepOutcome::Returned(value) => writer.returned(step.0, value),
                StepOutcome::Threw(thrown) => writer.threw(step.0, thrown),
                StepOutcome::Refused(refusal) => writer.refused(step.0, refusal),
            }
        }
        writer.edges(&seen.edges.iter().map(|probe| probe.0).collect::<Vec<_>>());
        for (at, state) in seen.states.iter().enumerate() {
            if let Some(state) = state {
                writer.state(at as u32, state.hash, state.tokens, state.truncated, state.stored.as_ref());
            }
        }
        seen.violations.iter().for_each(|violation| writer.violation(violation));
        seen.taints.iter().for_each(|taint| writer.taint(taint));
        seen.leaks.iter().for_each(|&leak| writer.leak(leak));
        seen.compared.iter().for_each(|compared| writer.compared(compared));
        if seen.slow.0 {
            writer.slow();
        }
        writer.end(&seen.end);
    }

    #[test]
    fn results_read_back() {
        let mut writer = ResultWriter::new();
        for batch in [5, 6] {
            writer.start(batch);
            write(&sample(), &mut writer);
            write(&sample(), &mut writer);
            let read = decode_results(writer.payload());
            assert_eq!(read, Ok((batch, vec![sample(), sample()])));
            assert!(
                read.is_ok_and(|(_, seen)| seen.iter().all(|seen| seen.slow.0)),
                "equal, whatever it says"
            );
        }
    }

    #[test]
    fn cut_results_are_errors_not_panics() {
        let mut writer = ResultWriter::new();
        write(&sample(), &mut writer);
        let payload = writer.payload().to_vec();
        for len in 0..payload.len() {
            assert!(decode_results(&payload[..len]).is_err(), "{len} bytes of {}", payload.len());
        }
    }

    #[test]
    fn tables_match_the_enums() {
        for (at, leak) in LEAKS.iter().enumerate() {
            assert_eq!(*leak as usize, at);
        }
        for (at, taint) in TAINTS.iter().enumerate() {
            assert_eq!(*taint as usize, at);
        }
    }
}
