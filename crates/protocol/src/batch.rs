//! Batches of sequences on their way down.
//!
//! In: [`Item`]s of the search. Out: a flat payload that [`BatchReader`] hands to the worker item by item, into
//! buffers it reuses. The worker checks operations and arities against its own table.
//!
//! Items that grow from one stem follow each other: the first tells all steps, those after it only what comes after the stem, which the
//! worker need not run again.

use probat_model::{Sequence, StepId};

use crate::wire::{Cursor, Put, WireError};

/// Which steps' outcomes to report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Values {
    /// Only how the sequence ended, with the exception if one ended it.
    None,
    /// The last step that ran.
    #[default]
    Last,
    All,
    /// Those whose values are roots of states asked for, and the last.
    Rooted,
}

/// What is put back before a sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reset {
    /// Nothing: for measuring.
    None,
    /// Written static fields, system properties, locale, time zone, streams, providers, thread locals.
    #[default]
    Fields,
    /// A fresh class loader for the code under test, then as `Fields`.
    Loader,
}

/// State wanted of some values, taken right after a step.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StateRequest {
    pub after: u16,
    /// Steps whose results are the roots, in order; more than one are linearised under a virtual root.
    pub roots: Vec<StepId>,
    /// Send the tokens and layouts too, not only the hash.
    pub stored: bool,
}

/// What to look at while a sequence runs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Observe {
    pub values: Values,
    pub edges: bool,
    /// Check contracts on what the last step touched.
    pub contracts: bool,
    /// Of that, leave out values whose state after the last step is not asked for. The user's contracts are checked all the same.
    pub only_roots: bool,
    /// In ascending order of `after`.
    pub states: Vec<StateRequest>,
    /// Places whose comparisons are reported.
    pub sites: Vec<u32>,
}

/// One sequence to run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Item {
    pub sequence: Sequence,
    pub observe: Observe,
    pub reset: Reset,
    /// Go on after a step that threw; later steps that need its result are refused.
    pub past_exceptions: bool,
    /// So many first steps may be run once for this item and those beside it that have the same: what comes after them is believed to leave
    /// their values as they were.
    pub stem: u16,
    /// Each step and check gets a fraction of the processor time it may use otherwise.
    pub is_hurried: bool,
}

impl Item {
    /// Whether this one may go on from the stem of the one before.
    fn goes_on_from(&self, before: &Item) -> bool {
        let stem = usize::from(self.stem);
        let (steps, others) = (self.sequence.steps(), before.sequence.steps());
        stem > 0
            && before.stem == self.stem
            && (before.reset, before.past_exceptions) == (self.reset, self.past_exceptions)
            && steps.len() > stem
            && others.len() > stem
            && steps[..stem] == others[..stem]
    }
}

const EDGES: u32 = 1 << 4;
const CONTRACTS: u32 = 1 << 5;
const PAST_EXCEPTIONS: u32 = 1 << 6;
const GOES_ON: u32 = 1 << 7;
const ONLY_ROOTS: u32 = 1 << 8;
const HURRIED: u32 = 1 << 9;

/// Writes a batch payload.
pub fn encode_batch<'a>(id: u64, items: impl ExactSizeIterator<Item = &'a Item>, out: &mut Vec<u8>) {
    out.put_u64(id);
    out.put_u32(items.len() as u32);
    let mut before: Option<&Item> = None;
    for item in items {
        encode_item(item, before.is_some_and(|before| item.goes_on_from(before)), out);
        before = Some(item);
    }
}

fn encode_item(item: &Item, goes_on: bool, out: &mut Vec<u8>) {
    let observe = &item.observe;
    let told = if goes_on { usize::from(item.stem) } else { 0 };
    let flags = observe.values as u32
        | (item.reset as u32) << 2
        | if observe.edges { EDGES } else { 0 }
        | if observe.contracts { CONTRACTS } else { 0 }
        | if observe.only_roots { ONLY_ROOTS } else { 0 }
        | if item.past_exceptions { PAST_EXCEPTIONS } else { 0 }
        | if item.is_hurried { HURRIED } else { 0 }
        | if goes_on { GOES_ON } else { 0 };
    out.put_u32(flags);
    out.put_u16(item.stem);
    out.put_u32((item.sequence.len() - told) as u32);
    out.put_u32(observe.states.len() as u32);
    out.put_u16(observe.sites.len() as u16);
    for step in &item.sequence.steps()[told..] {
        out.put_u32(step.operation.0);
        out.put_u16(step.args.len() as u16);
        for arg in &step.args {
            out.put_u16(arg.0);
        }
    }
    for state in &observe.states {
        out.put_u16(state.after);
        out.put_u8(u8::from(state.stored));
        out.put_u16(state.roots.len() as u16);
        for root in &state.roots {
            out.put_u16(root.0);
        }
    }
    for &site in &observe.sites {
        out.put_u32(site);
    }
}

/// One item as the worker sees it; its vectors are reused from item to item.
#[derive(Debug, Default)]
pub struct ItemBuffer {
    pub values: Values,
    pub reset: Reset,
    pub edges: bool,
    pub contracts: bool,
    pub only_roots: bool,
    pub past_exceptions: bool,
    pub is_hurried: bool,
    /// Steps that may serve other items too.
    pub stem: usize,
    /// The stem is that of the item before.
    pub goes_on: bool,
    /// Operation ids by step.
    pub operations: Vec<u32>,
    /// Arguments of step `i` are `args[starts[i]..starts[i + 1]]`.
    pub starts: Vec<u32>,
    /// Step indices, each smaller than the step it belongs to.
    pub args: Vec<u16>,
    pub states: Vec<StateRequest>,
    pub sites: Vec<u32>,
}

impl ItemBuffer {
    #[inline]
    pub fn args_of(&self, step: usize) -> &[u16] {
        &self.args[self.starts[step] as usize..self.starts[step + 1] as usize]
    }
}

/// Reads a batch payload.
#[derive(Debug)]
pub struct BatchReader<'a> {
    cursor: Cursor<'a>,
    id: u64,
    left: u32,
}

impl<'a> BatchReader<'a> {
    pub fn new(payload: &'a [u8]) -> Result<Self, WireError> {
        let mut cursor = Cursor::new(payload);
        let id = cursor.u64()?;
        let left = cursor.u32()?;
        Ok(BatchReader { cursor, id, left })
    }

    pub fn id(&self) -> u64 {
        self.id
    }

    /// Fills `item` with the next one; false when there is none left.
    pub fn next(&mut self, item: &mut ItemBuffer) -> Result<bool, WireError> {
        if self.left == 0 {
            return if self.cursor.is_done() { Ok(false) } else { Err(self.cursor.error()) };
        }
        self.left -= 1;
        let flags = self.cursor.u32()?;
        item.values = match flags & 3 {
            0 => Values::None,
            1 => Values::Last,
            2 => Values::All,
            3 => Values::Rooted,
            _ => return Err(self.cursor.error()),
        };
        item.reset = match (flags >> 2) & 3 {
            0 => Reset::None,
            1 => Reset::Fields,
            2 => Reset::Loader,
            _ => return Err(self.cursor.error()),
        };
        item.edges = flags & EDGES != 0;
        item.contracts = flags & CONTRACTS != 0;
        item.only_roots = flags & ONLY_ROOTS != 0;
        item.past_exceptions = flags & PAST_EXCEPTIONS != 0;
        item.is_hurried = flags & HURRIED != 0;
        item.goes_on = flags & GOES_ON != 0;
        item.stem = usize::from(self.cursor.u16()?);
        let told = if item.goes_on { item.stem } else { 0 };
        if told > item.operations.len() {
            return Err(self.cursor.error());
        }
        let steps = self.cursor.count(6)?;
        let states = self.cursor.u32()? as usize;
        let sites = self.cursor.u16()?;
        self.read_steps(told, steps, item)?;
        self.read_states(states, told + steps, item)?;
        item.sites.clear();
        for _ in 0..sites {
            item.sites.push(self.cursor.u32()?);
        }
        Ok(true)
    }

    /// Reads the steps that come after the first `told`, which the item has from the one before.
    fn read_steps(&mut self, told: usize, steps: usize, item: &mut ItemBuffer) -> Result<(), WireError> {
        item.operations.truncate(told);
        item.starts.truncate(told + 1);
        if told == 0 {
            item.starts.clear();
            item.starts.push(0);
        }
        item.args.truncate(item.starts[told] as usize);
        for step in told..told + steps {
            item.operations.push(self.cursor.u32()?);
            for _ in 0..self.cursor.u16()? {
                let arg = self.cursor.u16()?;
                if usize::from(arg) >= step {
                    return Err(self.cursor.error());
                }
                item.args.push(arg);
            }
            item.starts.push(item.args.len() as u32);
        }
        Ok(())
    }

    fn read_states(&mut self, states: usize, steps: usize, item: &mut ItemBuffer) -> Result<(), WireError> {
        item.states.clear();
        for _ in 0..states {
            let after = self.cursor.u16()?;
            let stored = self.cursor.u8()? != 0;
            let count = self.cursor.u16()?;
            let mut roots = Vec::with_capacity(usize::from(count));
            for _ in 0..count {
                roots.push(StepId(self.cursor.u16()?));
            }
            let in_range = usize::from(after) < steps && roots.iter().all(|root| root.0 <= after);
            if !in_range {
                return Err(self.cursor.error());
            }
            item.states.push(StateRequest { after, roots, stored });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probat_model::{Literal, Operation, OperationTable, Type};

    fn item() -> Item {
        let mut table = OperationTable::new();
        let one = table.intern(Operation::Literal(Literal::Int(1)));
        let array = table.intern(Operation::ArrayOf { element: Type::Int, length: 2 });
        let mut sequence = Sequence::new();
        let a = sequence.push(&table, one, []).unwrap();
        let both = sequence.push(&table, array, [a, a]).unwrap();
        Item {
            sequence,
            observe: Observe {
                values: Values::All,
                edges: true,
                contracts: false,
                only_roots: true,
                states: vec![StateRequest { after: 1, roots: vec![both], stored: true }],
                sites: vec![3, 70_000],
            },
            reset: Reset::Loader,
            past_exceptions: true,
            is_hurried: true,
            stem: 0,
        }
    }

    #[test]
    fn a_stem_is_told_once_and_all_have_its_steps() {
        let with = |stem| Item { stem, ..item() };
        let items = [with(1), with(1), with(0), with(1)];
        let mut payload = Vec::new();
        encode_batch(7, items.iter(), &mut payload);
        let mut reader = BatchReader::new(&payload).unwrap();
        let mut read = ItemBuffer::default();
        let mut goes_on = Vec::new();
        while reader.next(&mut read).unwrap() {
            assert_eq!((read.operations.as_slice(), read.args_of(1)), (&[0, 1][..], &[0, 0][..]));
            goes_on.push(read.goes_on);
        }
        assert_eq!(goes_on, [false, true, false, false]);
    }

    #[test]
    fn a_batch_reads_back() {
        let item = item();
        let mut payload = Vec::new();
        encode_batch(7, [&item, &item].into_iter(), &mut payload);
        let mut reader = BatchReader::new(&payload).unwrap();
        let mut read = ItemBuffer::default();
        for _ in 0..2 {
            assert!(reader.next(&mut read).unwrap());
            assert_eq!((read.values, read.reset), (Values::All, Reset::Loader));
            assert!(read.edges && read.past_exceptions && !read.contracts);
            assert!(read.only_roots && read.is_hurried);
            assert_eq!((read.operations.as_slice(), read.args_of(1)), (&[0, 1][..], &[0, 0][..]));
            assert_eq!((&read.states, &read.sites), (&item.observe.states, &item.observe.sites));
        }
        assert!(!reader.next(&mut read).unwrap());
        assert_eq!(reader.id(), 7);
    }

    #[test]
    fn cut_batches_are_errors_not_panics() {
        let mut payload = Vec::new();
        encode_batch(7, [&item()].into_iter(), &mut payload);
        for len in 0..payload.len() {
            let mut read = ItemBuffer::default();
            let result = BatchReader::new(&payload[..len]).and_then(|mut reader| reader.next(&mut read));
            assert!(result.is_err(), "{len} bytes of {}", payload.len());
        }
    }
}
