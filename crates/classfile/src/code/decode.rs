//! From the `Code` attribute to [`Code`].
//!
//! In: the attribute's bytes, the pool, and the method they belong to. Out: [`Code`], all positions as labels.
//! Positions that steer execution or verification must be instructions, or reading fails. Positions of debug tables
//! and type annotations, which the JVM does not check, are moved to the next instruction.

use super::insn::{Cond, Insn, Kind, LookupSwitch, Primitive, TableSwitch};
use super::{Code, Handler, Label, Labels, LineNumber, LocalVariable, Node, Table, opcode, stack_map};
use crate::attribute::{Attribute, read_attributes};
use crate::bytes::{Bytes, Cursor};
use crate::class::{ClassFile, Method};
use crate::error::{Problem, ReadError};
use crate::pool::PoolIndex;

impl ClassFile {
    /// The code of one of this class's methods; `None` if it is abstract or native.
    pub fn code(&self, method: &Method) -> Result<Option<Code>, ReadError> {
        let Some(attribute) = method.attributes(&self.pool).find("Code") else { return Ok(None) };
        decode(self, method, &attribute.content).map(Some)
    }
}

fn decode(class: &ClassFile, method: &Method, content: &Bytes) -> Result<Code, ReadError> {
    let mut cursor = content.cursor("Code");
    let before_1_1 = class.major == 45 && class.minor < 3;
    let (max_stack, max_locals, length) = if before_1_1 {
        (u16::from(cursor.u1()?), u16::from(cursor.u1()?), u32::from(cursor.u2()?))
    } else {
        (cursor.u2()?, cursor.u2()?, cursor.u4()?)
    };
    if !(1..=65535).contains(&length) {
        return Err(cursor.error(Problem::CodeLength(length)));
    }
    let base = content.offset() + cursor.position() as u32;
    let bytes = cursor.take(length as usize)?;
    let mut places = Places::new(bytes.len(), base);
    let insns = decode_insns(Cursor::new(bytes, base, "instruction"), &mut places)?;
    let mut code = Code { max_stack, max_locals, ..Code::default() };
    code.handlers = read_handlers(&mut cursor, &mut places)?;
    cursor.enter("attributes of Code");
    let attributes = read_attributes(&mut cursor, content)?;
    cursor.finish()?;
    places.insns = insns;
    for attribute in attributes {
        read_table(class, method, &mut code, &mut places, attribute)?;
    }
    places.finish(&mut code)?;
    Ok(code)
}

/// Which code offsets are instructions and which have labels.
pub(super) struct Places {
    /// Per offset: [`START`] if an instruction starts there, and one more than the number of its label.
    slots: Vec<u32>,
    /// Labels that belong to the instruction itself; empty as long as there are none.
    exact: Vec<u32>,
    labels: Labels,
    insns: Vec<(u32, Insn)>,
    base: u32,
}

const START: u32 = 1 << 31;

impl Places {
    fn new(length: usize, base: u32) -> Places {
        Places {
            slots: vec![0; length + 1],
            exact: Vec::new(),
            labels: Labels::default(),
            insns: Vec::new(),
            base,
        }
    }

    fn length(&self) -> usize {
        self.slots.len() - 1
    }

    /// The label of an offset inside the code.
    fn target(&mut self, at: i64) -> Option<Label> {
        let at = usize::try_from(at).ok().filter(|&at| at < self.length())?;
        Some(label_in(&mut self.slots[at], &mut self.labels))
    }

    /// The label of an offset that must be an instruction.
    pub(super) fn block(&mut self, at: u32) -> Option<Label> {
        let slot = self.slots.get_mut(at as usize).filter(|slot| **slot & START != 0)?;
        Some(label_in(slot, &mut self.labels))
    }

    /// The label of an offset that must be an instruction or the end of the code.
    fn end(&mut self, at: u32) -> Option<Label> {
        if at as usize == self.length() {
            return Some(label_in(&mut self.slots[at as usize], &mut self.labels));
        }
        self.block(at)
    }

    /// The label of the instruction itself at an offset.
    pub(super) fn exact(&mut self, at: u32) -> Option<Label> {
        self.slots.get(at as usize).filter(|slot| **slot & START != 0)?;
        if self.exact.is_empty() {
            self.exact = vec![0; self.slots.len()];
        }
        Some(label_in(&mut self.exact[at as usize], &mut self.labels))
    }

    /// The first instruction at or after an offset, or the end.
    fn snap(&self, at: u32) -> u32 {
        match self.slots.get(at as usize) {
            Some(slot) if slot & START != 0 => at,
            _ => {
                let next = self.insns.partition_point(|insn| insn.0 < at);
                self.insns.get(next).map_or(self.length() as u32, |insn| insn.0)
            }
        }
    }

    /// The label of an offset the JVM does not check.
    pub(super) fn loose(&mut self, at: u32) -> Label {
        let at = self.snap(at) as usize;
        label_in(&mut self.slots[at], &mut self.labels)
    }

    /// The label of the instruction itself at an offset the JVM does not check.
    pub(super) fn loose_exact(&mut self, at: u32) -> Label {
        let at = self.snap(at);
        match self.exact(at) {
            Some(label) => label,
            None => self.loose(at),
        }
    }

    /// Puts instructions and labels into one list.
    fn finish(self, code: &mut Code) -> Result<(), ReadError> {
        let mut nodes = Vec::with_capacity(self.insns.len() + self.labels.count());
        let mut placed = 0;
        let mut place = |slot: u32, nodes: &mut Vec<Node>| {
            if slot & !START != 0 {
                nodes.push(Node::Label(Label((slot & !START) - 1)));
                placed += 1;
            }
        };
        for (at, insn) in self.insns {
            place(self.slots[at as usize], &mut nodes);
            if !self.exact.is_empty() {
                place(self.exact[at as usize], &mut nodes);
            }
            nodes.push(Node::Insn(insn));
        }
        place(self.slots[self.slots.len() - 1], &mut nodes);
        if placed != self.labels.count() {
            let inside = |slot: &u32| *slot & START == 0 && *slot != 0;
            let at = self.slots.iter().position(inside).unwrap_or_default();
            let problem = Problem::NotAnInstruction(at as i64);
            return Err(ReadError { offset: self.base + at as u32, structure: "jump target", problem });
        }
        code.nodes = nodes;
        code.labels = self.labels;
        Ok(())
    }
}

fn label_in(slot: &mut u32, labels: &mut Labels) -> Label {
    if *slot & !START == 0 {
        *slot |= labels.fresh().0 + 1;
    }
    Label((*slot & !START) - 1)
}

fn decode_insns(mut cursor: Cursor<'_>, places: &mut Places) -> Result<Vec<(u32, Insn)>, ReadError> {
    let mut insns = Vec::with_capacity(cursor.left() / 2 + 1);
    while cursor.left() > 0 {
        let at = cursor.position();
        places.slots[at] |= START;
        let insn = decode_insn(&mut cursor, at, places)?;
        insns.push((at as u32, insn));
    }
    Ok(insns)
}

fn decode_insn(cursor: &mut Cursor<'_>, at: usize, places: &mut Places) -> Result<Insn, ReadError> {
    let code = cursor.u1()?;
    if let Some(insn) = opcode::without_operands(code) {
        return Ok(insn);
    }
    let index = |cursor: &mut Cursor<'_>| cursor.u2().map(PoolIndex);
    Ok(match code {
        opcode::BIPUSH => Insn::Int(i16::from(cursor.u1()? as i8)),
        opcode::SIPUSH => Insn::Int(cursor.u2()? as i16),
        opcode::LDC => Insn::Ldc(PoolIndex(u16::from(cursor.u1()?))),
        opcode::LDC_W | opcode::LDC2_W => Insn::Ldc(index(cursor)?),
        0x15..=0x19 => Insn::Load(kind(code, opcode::ILOAD), u16::from(cursor.u1()?)),
        0x36..=0x3a => Insn::Store(kind(code, opcode::ISTORE), u16::from(cursor.u1()?)),
        opcode::IINC => Insn::Inc { local: u16::from(cursor.u1()?), by: i16::from(cursor.u1()? as i8) },
        0x99..=0xa6 => Insn::If(Cond::ALL[usize::from(code - opcode::IFEQ)], near(cursor, at, places)?),
        opcode::GOTO => Insn::Goto(near(cursor, at, places)?),
        opcode::JSR => Insn::Jsr(near(cursor, at, places)?),
        opcode::RET => Insn::Ret(u16::from(cursor.u1()?)),
        opcode::TABLESWITCH => table_switch(cursor, at, places)?,
        opcode::LOOKUPSWITCH => lookup_switch(cursor, at, places)?,
        opcode::GETSTATIC => Insn::GetStatic(index(cursor)?),
        opcode::PUTSTATIC => Insn::PutStatic(index(cursor)?),
        opcode::GETFIELD => Insn::GetField(index(cursor)?),
        opcode::PUTFIELD => Insn::PutField(index(cursor)?),
        opcode::INVOKEVIRTUAL => Insn::InvokeVirtual(index(cursor)?),
        opcode::INVOKESPECIAL => Insn::InvokeSpecial(index(cursor)?),
        opcode::INVOKESTATIC => Insn::InvokeStatic(index(cursor)?),
        opcode::INVOKEINTERFACE => {
            let member = index(cursor)?;
            cursor.u2()?;
            Insn::InvokeInterface(member)
        }
        opcode::INVOKEDYNAMIC => {
            let site = index(cursor)?;
            cursor.u2()?;
            Insn::InvokeDynamic(site)
        }
        opcode::NEW => Insn::New(index(cursor)?),
        opcode::NEWARRAY => {
            let ty = cursor.u1()?;
            let element = usize::from(ty).checked_sub(4).and_then(|nth| Primitive::ALL.get(nth));
            Insn::NewArray(*element.ok_or_else(|| cursor.error_at(at + 1, Problem::BadArrayType(ty)))?)
        }
        opcode::ANEWARRAY => Insn::ANewArray(index(cursor)?),
        opcode::CHECKCAST => Insn::CheckCast(index(cursor)?),
        opcode::INSTANCEOF => Insn::InstanceOf(index(cursor)?),
        opcode::WIDE => wide(cursor)?,
        opcode::MULTIANEWARRAY => Insn::MultiANewArray { class: index(cursor)?, dimensions: cursor.u1()? },
        0xc6 => Insn::If(Cond::Null, near(cursor, at, places)?),
        0xc7 => Insn::If(Cond::NonNull, near(cursor, at, places)?),
        opcode::GOTO_W => Insn::Goto(far(cursor, at, places)?),
        opcode::JSR_W => Insn::Jsr(far(cursor, at, places)?),
        _ => return Err(cursor.error_at(at, Problem::UnknownOpcode(code))),
    })
}

fn kind(code: u8, base: u8) -> Kind {
    Kind::ALL[usize::from(code - base)]
}

fn near(cursor: &mut Cursor<'_>, at: usize, places: &mut Places) -> Result<Label, ReadError> {
    let offset = i64::from(cursor.u2()? as i16);
    jump(cursor, at, offset, places)
}

fn far(cursor: &mut Cursor<'_>, at: usize, places: &mut Places) -> Result<Label, ReadError> {
    let offset = i64::from(cursor.u4()? as i32);
    jump(cursor, at, offset, places)
}

fn jump(cursor: &Cursor<'_>, at: usize, offset: i64, places: &mut Places) -> Result<Label, ReadError> {
    let target = at as i64 + offset;
    places.target(target).ok_or_else(|| cursor.error_at(at, Problem::NotAnInstruction(target)))
}

fn wide(cursor: &mut Cursor<'_>) -> Result<Insn, ReadError> {
    let code = cursor.u1()?;
    Ok(match code {
        0x15..=0x19 => Insn::Load(kind(code, opcode::ILOAD), cursor.u2()?),
        0x36..=0x3a => Insn::Store(kind(code, opcode::ISTORE), cursor.u2()?),
        opcode::IINC => Insn::Inc { local: cursor.u2()?, by: cursor.u2()? as i16 },
        opcode::RET => Insn::Ret(cursor.u2()?),
        _ => return Err(cursor.error_at(cursor.position() - 1, Problem::BadWide(code))),
    })
}

/// Skips the padding after a switch's opcode and reads its default target.
fn switch_default(cursor: &mut Cursor<'_>, at: usize, places: &mut Places) -> Result<Label, ReadError> {
    cursor.take(3 - at % 4)?;
    far(cursor, at, places)
}

fn table_switch(cursor: &mut Cursor<'_>, at: usize, places: &mut Places) -> Result<Insn, ReadError> {
    let default = switch_default(cursor, at, places)?;
    let low = cursor.u4()? as i32;
    let high = cursor.u4()? as i32;
    let count = i64::from(high) - i64::from(low) + 1;
    if !(0..=65535).contains(&count) {
        return Err(cursor.error_at(at, Problem::BadSwitch(count)));
    }
    let mut targets = Vec::with_capacity(cursor.at_most(count as usize, 4));
    for _ in 0..count {
        targets.push(far(cursor, at, places)?);
    }
    Ok(Insn::TableSwitch(Box::new(TableSwitch { default, low, targets })))
}

fn lookup_switch(cursor: &mut Cursor<'_>, at: usize, places: &mut Places) -> Result<Insn, ReadError> {
    let default = switch_default(cursor, at, places)?;
    let count = cursor.u4()? as i32;
    if !(0..=65535).contains(&count) {
        return Err(cursor.error_at(at, Problem::BadSwitch(count.into())));
    }
    let capacity = cursor.at_most(count as usize, 8);
    let (mut keys, mut targets) = (Vec::with_capacity(capacity), Vec::with_capacity(capacity));
    for _ in 0..count {
        keys.push(cursor.u4()? as i32);
        targets.push(far(cursor, at, places)?);
    }
    Ok(Insn::LookupSwitch(Box::new(LookupSwitch { default, keys, targets })))
}

fn read_handlers(cursor: &mut Cursor<'_>, places: &mut Places) -> Result<Vec<Handler>, ReadError> {
    cursor.enter("exception table");
    let count = cursor.u2()?;
    let mut handlers = Vec::with_capacity(cursor.at_most(usize::from(count), 8));
    for _ in 0..count {
        let (start, end) = (u32::from(cursor.u2()?), u32::from(cursor.u2()?));
        let handler = u32::from(cursor.u2()?);
        let catch_type = PoolIndex(cursor.u2()?).optional();
        if start >= end {
            return Err(cursor.error(Problem::BadRange { start, end }));
        }
        let not_an_insn = |at: u32| cursor.error(Problem::NotAnInstruction(at.into()));
        handlers.push(Handler {
            start: places.block(start).ok_or_else(|| not_an_insn(start))?,
            end: places.end(end).ok_or_else(|| not_an_insn(end))?,
            handler: places.block(handler).ok_or_else(|| not_an_insn(handler))?,
            catch_type,
        });
    }
    Ok(handlers)
}

/// Reads one attribute of the code into its table.
fn read_table(
    class: &ClassFile,
    method: &Method,
    code: &mut Code,
    places: &mut Places,
    attribute: Attribute,
) -> Result<(), ReadError> {
    let name = attribute.name;
    let content = &attribute.content;
    let table = match class.pool.utf8(name) {
        Ok(b"LineNumberTable") => {
            read_lines(content.cursor("LineNumberTable"), places, &mut code.lines)?;
            Table::Lines(name)
        }
        Ok(b"LocalVariableTable") => {
            read_locals(content.cursor("LocalVariableTable"), places, &mut code.locals)?;
            Table::Locals(name)
        }
        Ok(b"LocalVariableTypeTable") => {
            read_locals(content.cursor("LocalVariableTypeTable"), places, &mut code.local_types)?;
            Table::LocalTypes(name)
        }
        // The JVM takes frames from version 50 on, and only from the first such attribute.
        Ok(b"StackMapTable") if class.major >= 50 && !has_frames(code) => {
            let cursor = content.cursor("StackMapTable");
            let entry = class.entry_frame(method).map_err(|error| cursor.error(error))?;
            code.frames = stack_map::read(cursor, places, entry)?;
            Table::Frames(name)
        }
        Ok(b"RuntimeVisibleTypeAnnotations") => {
            super::type_annotations::read(content, places, true, &mut code.type_annotations)?;
            Table::VisibleTypeAnnotations(name)
        }
        Ok(b"RuntimeInvisibleTypeAnnotations") => {
            super::type_annotations::read(content, places, false, &mut code.type_annotations)?;
            Table::InvisibleTypeAnnotations(name)
        }
        _ => {
            code.unknown.push(attribute);
            Table::Unknown
        }
    };
    code.layout.push(table);
    Ok(())
}

fn has_frames(code: &Code) -> bool {
    code.layout.iter().any(|table| matches!(table, Table::Frames(_)))
}

fn read_lines(
    mut cursor: Cursor<'_>,
    places: &mut Places,
    out: &mut Vec<LineNumber>,
) -> Result<(), ReadError> {
    let count = cursor.u2()?;
    out.reserve(cursor.at_most(usize::from(count), 4));
    for _ in 0..count {
        let (at, line) = (u32::from(cursor.u2()?), cursor.u2()?);
        // The JVM refuses a line behind the last instruction, so it could not be written again.
        if (places.snap(at) as usize) < places.length() {
            out.push(LineNumber { at: places.loose(at), line });
        }
    }
    cursor.finish()
}

fn read_locals(
    mut cursor: Cursor<'_>,
    places: &mut Places,
    out: &mut Vec<LocalVariable>,
) -> Result<(), ReadError> {
    let count = cursor.u2()?;
    out.reserve(cursor.at_most(usize::from(count), 10));
    for _ in 0..count {
        let start = u32::from(cursor.u2()?);
        let end = start + u32::from(cursor.u2()?);
        out.push(LocalVariable {
            start: places.loose(start),
            end: places.loose(end),
            name: PoolIndex(cursor.u2()?),
            descriptor: PoolIndex(cursor.u2()?),
            slot: cursor.u2()?,
        });
    }
    cursor.finish()
}
