//! Legal sequences, kept so that an extension costs what it adds.
//!
//! In: drafts that ran normally. Out: [`SequenceId`]s and, on demand, the steps spelled out.
//! A stored sequence is a list of earlier stored sequences followed by its own few steps, whose arguments are
//! positions in the whole (spec 001 §2.11). Nothing is ever changed or removed.

use probat_model::{OperationId, Step, StepId};
use smallvec::SmallVec;

use crate::types::TypeId;

/// Index of a sequence in a [`Store`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SequenceId(pub u32);

#[derive(Debug)]
struct Stored {
    parts: SmallVec<[SequenceId; 2]>,
    tail: Box<[Step]>,
    /// Values worth passing on, as positions in the whole, with their run-time types.
    values: Box<[(u16, TypeId)]>,
    length: u16,
}

/// All legal sequences of a search.
#[derive(Debug, Default)]
pub struct Store {
    sequences: Vec<Stored>,
}

impl Store {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn len(&self) -> usize {
        self.sequences.len()
    }

    pub fn is_empty(&self) -> bool {
        self.sequences.is_empty()
    }

    /// Number of steps of a sequence.
    pub fn length(&self, id: SequenceId) -> usize {
        usize::from(self.sequences[id.0 as usize].length)
    }

    /// Keeps a sequence; `tail` comes after all of `parts`, in order.
    pub fn add(&mut self, parts: &[SequenceId], tail: &[Step], values: &[(u16, TypeId)]) -> SequenceId {
        let length: usize = parts.iter().map(|&part| self.length(part)).sum::<usize>() + tail.len();
        let length = u16::try_from(length).expect("drafts never grow past what a step id can name");
        let id =
            SequenceId(u32::try_from(self.sequences.len()).expect("fewer sequences than bytes of memory"));
        self.sequences.push(Stored { parts: parts.into(), tail: tail.into(), values: values.into(), length });
        id
    }

    /// Appends the steps of a sequence, its arguments moved by the steps already there.
    pub fn flatten(&self, id: SequenceId, into: &mut Vec<Step>) {
        let base = into.len() as u16;
        let stored = &self.sequences[id.0 as usize];
        for &part in &stored.parts {
            self.flatten(part, into);
        }
        into.extend(stored.tail.iter().map(|step| Step {
            operation: step.operation,
            args: step.args.iter().map(|arg| StepId(arg.0 + base)).collect(),
        }));
    }

    /// Visits the values of a sequence and of its parts, as positions counted from `base`.
    pub fn values(&self, id: SequenceId, base: u16, visit: &mut impl FnMut(u16, TypeId)) {
        let stored = &self.sequences[id.0 as usize];
        let mut at = base;
        for &part in &stored.parts {
            self.values(part, at, visit);
            at += self.sequences[part.0 as usize].length;
        }
        for &(step, ty) in &stored.values {
            visit(base + step, ty);
        }
    }

    /// The types of the values a sequence adds to those of its parts.
    pub fn own_types(&self, id: SequenceId) -> impl Iterator<Item = TypeId> {
        self.sequences[id.0 as usize].values.iter().map(|&(_, ty)| ty)
    }

    /// Visits the operations of a sequence and of its parts.
    pub fn operations(&self, id: SequenceId, visit: &mut impl FnMut(OperationId)) {
        let stored = &self.sequences[id.0 as usize];
        for &part in &stored.parts {
            self.operations(part, visit);
        }
        stored.tail.iter().for_each(|step| visit(step.operation));
    }

    /// Bytes this sequence needs beyond its parts.
    pub fn own_bytes(&self, id: SequenceId) -> usize {
        let stored = &self.sequences[id.0 as usize];
        size_of::<Stored>() + stored.tail.len() * size_of::<Step>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(operation: u32, args: &[u16]) -> Step {
        Step { operation: OperationId(operation), args: args.iter().map(|&arg| StepId(arg)).collect() }
    }

    #[test]
    fn parts_are_renumbered_when_spelled_out() {
        let mut store = Store::new();
        let one = store.add(&[], &[step(1, &[]), step(2, &[0])], &[(1, TypeId(5))]);
        let two = store.add(&[one, one], &[step(3, &[1, 3])], &[]);
        let mut flat = Vec::new();
        store.flatten(two, &mut flat);
        assert_eq!(flat, [step(1, &[]), step(2, &[0]), step(1, &[]), step(2, &[2]), step(3, &[1, 3])]);
        assert_eq!(store.length(two), 5);
        let mut values = Vec::new();
        store.values(two, 10, &mut |step, ty| values.push((step, ty)));
        assert_eq!(values, [(11, TypeId(5)), (13, TypeId(5))]);
    }

    /// spec 001 row 26
    #[test]
    fn an_extension_costs_the_same_however_long_it_is() {
        let mut store = Store::new();
        let mut last = store.add(&[], &[step(0, &[])], &[]);
        let mut costs = Vec::new();
        for n in 0..1000u16 {
            last = store.add(&[last], &[step(1, &[n])], &[]);
            costs.push(store.own_bytes(last));
        }
        assert!(costs.iter().all(|&cost| cost == costs[0]));
        assert_eq!(store.length(last), 1001);
    }
}
