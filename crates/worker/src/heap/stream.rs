//! Tokens on their way out: counting, the limit, and which classes were spelled.
//!
//! In: tokens with the [`Shape`] of their class. Out: the bytes of a state, how many tokens, whether it was cut off.
//! Reusable: beginning anew allocates nothing once warm.

use probat_model::StateHash;
use probat_model::state::{ClassIndex, ClassOperand, TokenWriter};

use super::access::Scalar;
use super::shape::{ClassId, Shape};

/// Units of a string that count as one token against the limit.
const UNITS_PER_TOKEN: usize = 4;

/// A token stream under construction.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    writer: TokenWriter,
    /// By class: in which round it was spelled last, and its number there.
    marks: Vec<Option<(u32, ClassIndex)>>,
    round: u32,
    tokens: u32,
    /// Tokens and what long strings add to them.
    cost: usize,
    limit: usize,
    truncated: bool,
    /// Classes written with slots, in order of first occurrence.
    with_slots: Vec<ClassId>,
}

impl Stream {
    /// Starts a new stream of at most `limit` tokens.
    pub(crate) fn begin(&mut self, limit: u32) {
        self.writer.clear();
        self.with_slots.clear();
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            // After 2^32 rounds old marks would count again.
            self.marks.clear();
            self.round = 1;
        }
        (self.tokens, self.cost, self.limit, self.truncated) = (0, 0, limit as usize, false);
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.writer.bytes()
    }

    pub(crate) fn hash(&self) -> StateHash {
        self.writer.hash()
    }

    pub(crate) fn tokens(&self) -> u32 {
        self.tokens
    }

    pub(crate) fn is_truncated(&self) -> bool {
        self.truncated
    }

    pub(crate) fn with_slots(&self) -> &[ClassId] {
        &self.with_slots
    }

    /// How many more tokens there is room for.
    #[inline]
    pub(crate) fn room(&self) -> usize {
        self.limit.saturating_sub(self.cost)
    }

    /// Ends the stream: what follows is not written.
    #[cold]
    pub(crate) fn truncate(&mut self) {
        if !self.truncated {
            self.writer.truncated();
            self.tokens += 1;
            self.truncated = true;
        }
    }

    /// Counts a token; false, and the stream ends, when it is one too many.
    #[inline]
    fn count(&mut self, cost: usize) -> bool {
        if self.truncated || self.room() < cost {
            self.truncate();
            return false;
        }
        self.tokens += 1;
        self.cost += cost;
        true
    }

    pub(crate) fn roots(&mut self, count: u32) {
        if self.count(1) {
            self.writer.roots(count);
        }
    }

    #[inline]
    pub(crate) fn null(&mut self) {
        if self.count(1) {
            self.writer.null();
        }
    }

    #[inline]
    pub(crate) fn reference(&mut self, number: u32) {
        if self.count(1) {
            self.writer.reference(number);
        }
    }

    #[inline]
    pub(crate) fn scalar(&mut self, value: Scalar) {
        if !self.count(1) {
            return;
        }
        match value {
            Scalar::Boolean(value) => self.writer.boolean(value),
            Scalar::Byte(value) => self.writer.byte(value),
            Scalar::Char(value) => self.writer.char(value),
            Scalar::Short(value) => self.writer.short(value),
            Scalar::Int(value) => self.writer.int(value),
            Scalar::Long(value) => self.writer.long(value),
            Scalar::Float(bits) => self.writer.float(bits),
            Scalar::Double(bits) => self.writer.double(bits),
        }
    }

    pub(crate) fn boxed(&mut self) {
        if self.count(1) {
            self.writer.boxed();
        }
    }

    /// How long a string may be to fit.
    pub(crate) fn string_room(&self) -> usize {
        self.room().saturating_sub(1).saturating_mul(UNITS_PER_TOKEN)
    }

    pub(crate) fn string(&mut self, units: &[u16]) {
        if self.count(1 + units.len() / UNITS_PER_TOKEN) {
            self.writer.string(units);
        }
    }

    pub(crate) fn class_object(&mut self, descriptor: &str) {
        if self.count(1) {
            self.writer.class_object(descriptor);
        }
    }

    pub(crate) fn object<F>(&mut self, shape: &Shape<F>) {
        self.with_class(shape, true, |writer, class| writer.object(class));
    }

    pub(crate) fn sorted<F>(&mut self, shape: &Shape<F>, entries: u32) {
        self.with_class(shape, true, |writer, class| writer.sorted(class, entries));
    }

    pub(crate) fn array<F>(&mut self, shape: &Shape<F>, length: u32) {
        self.with_class(shape, false, |writer, class| writer.array(class, length));
    }

    pub(crate) fn enum_constant<F>(&mut self, shape: &Shape<F>, name: &str) {
        self.with_class(shape, false, |writer, class| writer.enum_constant(class, name));
    }

    pub(crate) fn opaque<F>(&mut self, shape: &Shape<F>, site: &str) {
        self.with_class(shape, false, |writer, class| writer.opaque(class, site));
    }

    #[inline]
    fn with_class<F>(
        &mut self,
        shape: &Shape<F>,
        has_slots: bool,
        write: impl FnOnce(&mut TokenWriter, ClassOperand<'_>) -> ClassIndex,
    ) {
        if !self.count(1) {
            return;
        }
        let at = shape.id.0 as usize;
        if at >= self.marks.len() {
            self.marks.resize(at + 1, None);
        }
        match self.marks[at] {
            Some((round, index)) if round == self.round => {
                write(&mut self.writer, ClassOperand::Known(index));
            }
            _ => {
                let index = write(&mut self.writer, ClassOperand::First(&shape.name));
                self.marks[at] = Some((self.round, index));
                if has_slots {
                    self.with_slots.push(shape.id);
                }
            }
        }
    }
}
