//! Instructions to bytes: offsets of labels, short and wide jumps.
//!
//! In: the list of nodes. Out: the code array and where each label stands, or which conditional jumps are too far.
//! Picks the shortest encoding of each instruction; `goto` and `jsr` grow where they must.

use super::insn::{Insn, Kind, LookupSwitch, TableSwitch, call_slots};
use super::{Code, Label, Node, opcode};
use crate::error::{EncodeError, PoolError};
use crate::pool::{ConstantPool, PoolIndex};

/// The longest code array.
pub(super) const MAX_CODE: usize = 65535;

/// A code array.
#[derive(Debug)]
pub(super) struct Assembled {
    pub bytes: Vec<u8>,
    /// Offset of each label; [`NOWHERE`] if it does not stand in the list.
    offsets: Vec<u32>,
}

const NOWHERE: u32 = u32::MAX;

impl Assembled {
    pub fn offset_of(&self, label: Label) -> Result<u32, EncodeError> {
        offset_of(&self.offsets, label)
    }
}

fn offset_of(offsets: &[u32], label: Label) -> Result<u32, EncodeError> {
    match offsets.get(label.number()) {
        Some(&NOWHERE) => Err(EncodeError::LabelNotPlaced(label)),
        Some(&at) => Ok(at),
        None => Err(EncodeError::ForeignLabel(label)),
    }
}

/// What came of an attempt.
pub(super) enum Attempt {
    Done(Assembled),
    /// The nodes with these indices are conditional jumps of more than 32 KiB.
    TooFar(Vec<usize>),
}

/// Assembles, with wide `goto` and `jsr` where needed.
pub(super) fn assemble(pool: &ConstantPool, code: &Code) -> Result<Attempt, EncodeError> {
    let mut wide = Vec::new();
    loop {
        let mut assembler = Assembler::new(pool, code, &wide);
        assembler.nodes(&code.nodes)?;
        let Assembler { out, offsets, fixups, .. } = assembler;
        if out.is_empty() {
            return Err(EncodeError::NoInstructions);
        }
        if out.len() > MAX_CODE {
            return Err(EncodeError::MethodTooLarge(out.len()));
        }
        let far = far_jumps(&out, &offsets, &fixups)?;
        if far.is_empty() {
            let mut done = Assembled { bytes: out, offsets };
            patch(&mut done, &fixups)?;
            return Ok(Attempt::Done(done));
        }
        let conditional: Vec<usize> = far
            .iter()
            .copied()
            .filter(|&node| matches!(code.nodes[node], Node::Insn(Insn::If(..))))
            .collect();
        if !conditional.is_empty() {
            return Ok(Attempt::TooFar(conditional));
        }
        wide.resize(code.nodes.len(), false);
        far.into_iter().for_each(|node| wide[node] = true);
    }
}

/// Nodes whose 16-bit offset does not reach.
fn far_jumps(out: &[u8], offsets: &[u32], fixups: &[Fixup]) -> Result<Vec<usize>, EncodeError> {
    let mut far = Vec::new();
    if out.len() > 32767 {
        for fixup in fixups.iter().filter(|fixup| !fixup.wide) {
            let distance = i64::from(offset_of(offsets, fixup.target)?) - i64::from(fixup.from);
            if i16::try_from(distance).is_err() {
                far.push(fixup.node as usize);
            }
        }
    }
    Ok(far)
}

fn patch(done: &mut Assembled, fixups: &[Fixup]) -> Result<(), EncodeError> {
    for fixup in fixups {
        let distance = done.offset_of(fixup.target)? as i32 - fixup.from as i32;
        let at = fixup.operand as usize;
        if fixup.wide {
            done.bytes[at..at + 4].copy_from_slice(&distance.to_be_bytes());
        } else {
            done.bytes[at..at + 2].copy_from_slice(&(distance as i16).to_be_bytes());
        }
    }
    Ok(())
}

/// A jump offset to be filled in.
struct Fixup {
    /// Offset of the jumping instruction.
    from: u32,
    /// Offset of the bytes to fill in.
    operand: u32,
    target: Label,
    wide: bool,
    node: u32,
}

struct Assembler<'a> {
    pool: &'a ConstantPool,
    out: Vec<u8>,
    offsets: Vec<u32>,
    fixups: Vec<Fixup>,
    /// By node: whether a `goto` or `jsr` is wide. Empty if none is.
    wide: &'a [bool],
    node: usize,
}

impl<'a> Assembler<'a> {
    fn new(pool: &'a ConstantPool, code: &Code, wide: &'a [bool]) -> Self {
        Assembler {
            pool,
            out: Vec::with_capacity(code.nodes.len() * 2),
            offsets: vec![NOWHERE; code.labels.count()],
            fixups: Vec::with_capacity(code.labels.count()),
            wide,
            node: 0,
        }
    }

    fn nodes(&mut self, nodes: &[Node]) -> Result<(), EncodeError> {
        for (at, node) in nodes.iter().enumerate() {
            self.node = at;
            match node {
                Node::Insn(insn) => self.insn(insn)?,
                Node::Label(label) => {
                    let here = self.out.len() as u32;
                    let slot =
                        self.offsets.get_mut(label.number()).ok_or(EncodeError::ForeignLabel(*label))?;
                    if *slot != NOWHERE {
                        return Err(EncodeError::LabelPlacedTwice(*label));
                    }
                    *slot = here;
                }
            }
        }
        Ok(())
    }

    fn insn(&mut self, insn: &Insn) -> Result<(), EncodeError> {
        let code = opcode::of(insn);
        match *insn {
            Insn::Int(value) => self.int(value),
            Insn::Long(value) | Insn::Double(value) => self.small(code, 1, value)?,
            Insn::Float(value) => self.small(code, 2, value)?,
            Insn::Ldc(index) => self.ldc(index)?,
            Insn::Load(kind, local) => self.local(code, opcode::ILOAD_0, kind, local),
            Insn::Store(kind, local) => self.local(code, opcode::ISTORE_0, kind, local),
            Insn::Inc { local, by } => self.inc(local, by),
            Insn::If(_, target) => self.conditional(code, target),
            Insn::Goto(target) => self.jump(code, opcode::GOTO_W, target),
            Insn::Jsr(target) => self.jump(code, opcode::JSR_W, target),
            Insn::Ret(local) => self.ret(local),
            Insn::TableSwitch(ref switch) => self.table_switch(switch)?,
            Insn::LookupSwitch(ref switch) => self.lookup_switch(switch)?,
            Insn::InvokeInterface(index) => self.invoke_interface(index)?,
            Insn::InvokeDynamic(index) => {
                self.indexed(code, index);
                self.out.extend([0, 0]);
            }
            Insn::NewArray(element) => self.out.extend([code, element as u8 + 4]),
            Insn::MultiANewArray { class, dimensions } => {
                self.indexed(code, class);
                self.out.push(dimensions);
            }
            _ => match insn.pool_operand() {
                Some(index) => self.indexed(code, index),
                None => self.out.push(code),
            },
        }
        Ok(())
    }

    fn u2(&mut self, value: u16) {
        self.out.extend(value.to_be_bytes());
    }

    fn int(&mut self, value: i16) {
        match (value, i8::try_from(value)) {
            (-1..=5, _) => self.out.push((i16::from(opcode::ICONST_0) + value) as u8),
            (_, Ok(byte)) => self.out.extend([opcode::BIPUSH, byte as u8]),
            _ => {
                self.out.push(opcode::SIPUSH);
                self.u2(value as u16);
            }
        }
    }

    /// A constant that is part of its opcode.
    fn small(&mut self, code: u8, most: u8, value: u8) -> Result<(), EncodeError> {
        if value > most {
            return Err(EncodeError::NoSuchOpcode(value));
        }
        self.out.push(code);
        Ok(())
    }

    fn ldc(&mut self, index: PoolIndex) -> Result<(), PoolError> {
        if self.pool.is_two_slots(index)? {
            self.indexed(opcode::LDC2_W, index);
        } else if let Ok(short) = u8::try_from(index.0) {
            self.out.extend([opcode::LDC, short]);
        } else {
            self.indexed(opcode::LDC_W, index);
        }
        Ok(())
    }

    fn local(&mut self, long: u8, short: u8, kind: Kind, local: u16) {
        match (local, u8::try_from(local)) {
            (0..=3, _) => self.out.push(short + kind as u8 * 4 + local as u8),
            (_, Ok(local)) => self.out.extend([long, local]),
            _ => {
                self.out.extend([opcode::WIDE, long]);
                self.u2(local);
            }
        }
    }

    fn inc(&mut self, local: u16, by: i16) {
        match (u8::try_from(local), i8::try_from(by)) {
            (Ok(local), Ok(by)) => self.out.extend([opcode::IINC, local, by as u8]),
            _ => {
                self.out.extend([opcode::WIDE, opcode::IINC]);
                self.u2(local);
                self.u2(by as u16);
            }
        }
    }

    fn ret(&mut self, local: u16) {
        match u8::try_from(local) {
            Ok(local) => self.out.extend([opcode::RET, local]),
            Err(_) => {
                self.out.extend([opcode::WIDE, opcode::RET]);
                self.u2(local);
            }
        }
    }

    fn indexed(&mut self, code: u8, index: PoolIndex) {
        let [high, low] = index.0.to_be_bytes();
        self.out.extend([code, high, low]);
    }

    fn invoke_interface(&mut self, index: PoolIndex) -> Result<(), PoolError> {
        let (arguments, _) = call_slots(self.pool, index)?;
        self.indexed(opcode::INVOKEINTERFACE, index);
        // A method has at most 255 argument slots (JVMS §4.11); a longer one would not load anyway.
        self.out.extend([u8::try_from(arguments + 1).unwrap_or(u8::MAX), 0]);
        Ok(())
    }

    /// Reserves the bytes of a jump offset.
    fn fixup(&mut self, from: usize, target: Label, wide: bool) {
        let operand = self.out.len() as u32;
        self.fixups.push(Fixup { from: from as u32, operand, target, wide, node: self.node as u32 });
        self.out.extend(if wide { &[0; 4][..] } else { &[0; 2] });
    }

    fn conditional(&mut self, code: u8, target: Label) {
        let from = self.out.len();
        self.out.push(code);
        self.fixup(from, target, false);
    }

    fn jump(&mut self, short: u8, long: u8, target: Label) {
        let wide = self.wide.get(self.node).copied().unwrap_or(false);
        let from = self.out.len();
        self.out.push(if wide { long } else { short });
        self.fixup(from, target, wide);
    }

    /// Writes opcode, padding and default; gives the offset all targets count from.
    fn switch_head(&mut self, code: u8, default: Label) -> usize {
        let from = self.out.len();
        self.out.push(code);
        while !self.out.len().is_multiple_of(4) {
            self.out.push(0);
        }
        self.fixup(from, default, true);
        from
    }

    fn table_switch(&mut self, switch: &TableSwitch) -> Result<(), EncodeError> {
        let from = self.switch_head(opcode::TABLESWITCH, switch.default);
        let count = switch.targets.len();
        // An empty table says high = low - 1, as it was read.
        let high = i64::from(switch.low) + count as i64 - 1;
        let high = i32::try_from(high).map_err(|_| EncodeError::BadSwitch(count))?;
        self.out.extend(switch.low.to_be_bytes());
        self.out.extend(high.to_be_bytes());
        switch.targets.iter().for_each(|&target| self.fixup(from, target, true));
        Ok(())
    }

    fn lookup_switch(&mut self, switch: &LookupSwitch) -> Result<(), EncodeError> {
        let from = self.switch_head(opcode::LOOKUPSWITCH, switch.default);
        let count = switch.keys.len();
        if count != switch.targets.len() {
            return Err(EncodeError::BadSwitch(count));
        }
        if !switch.keys.is_sorted_by(|a, b| a < b) {
            return Err(EncodeError::UnsortedSwitch);
        }
        self.out.extend((count as u32).to_be_bytes());
        for (key, &target) in switch.keys.iter().zip(&switch.targets) {
            self.out.extend(key.to_be_bytes());
            self.fixup(from, target, true);
        }
        Ok(())
    }
}
