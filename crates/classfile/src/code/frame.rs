//! What the verifier knows at a place: the types of locals and stack (JVMS §4.7.4).
//!
//! In: nothing. Out: [`Frame`] in full form, [`VerificationType`].
//! Reading and writing the compressed `StackMapTable` is `stack_map`'s work.

use crate::code::Label;
use crate::pool::PoolIndex;

/// Types of locals and stack at a label. A long or double is one entry, although it takes two slots.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Frame {
    pub locals: Vec<VerificationType>,
    pub stack: Vec<VerificationType>,
}

/// The type of one local or stack entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VerificationType {
    /// Nothing usable.
    Top,
    Int,
    Float,
    Long,
    Double,
    Null,
    /// `this` in a constructor before it called another one.
    UninitializedThis,
    /// An instance of the class constant at this index.
    Object(PoolIndex),
    /// An instance of the declared type of the method's parameter with this number (0 is the first of the
    /// descriptor), for which the pool has no class constant. Reading code does not add constants, so a frame
    /// that repeats a parameter may have to say it this way; writing adds the constant where it must be spelled.
    Parameter(u8),
    /// The result of the `new` at this label before its constructor was called.
    Uninitialized(Label),
}

impl VerificationType {
    /// How many slots a value of this type takes.
    pub fn slots(self) -> u16 {
        if matches!(self, VerificationType::Long | VerificationType::Double) { 2 } else { 1 }
    }
}

impl Frame {
    /// The type of a local by slot number, `None` beyond the last known and for second halves.
    pub fn local(&self, slot: u16) -> Option<VerificationType> {
        let mut at = 0;
        for &entry in &self.locals {
            if at == slot {
                return Some(entry);
            }
            at += entry.slots();
        }
        None
    }

    /// Slots the stack takes.
    pub fn stack_slots(&self) -> u16 {
        self.stack.iter().map(|entry| entry.slots()).sum()
    }

    /// Slots the locals take.
    pub fn local_slots(&self) -> u16 {
        self.locals.iter().map(|entry| entry.slots()).sum()
    }

    /// Sets the local at a slot beyond all known ones, with `Top` in between: how a pass adds a local of its own.
    /// Does nothing if the slot is already known.
    pub fn add_local(&mut self, slot: u16, ty: VerificationType) {
        let known = self.local_slots();
        if slot >= known {
            self.locals.extend(std::iter::repeat_n(VerificationType::Top, usize::from(slot - known)));
            self.locals.push(ty);
        }
    }
}
