//! From [`Code`] to the `Code` attribute.
//!
//! In: edited code and the class it belongs to. Out: the attribute's bytes, in place of the old ones.
//! A conditional jump of more than 32 KiB becomes its opposite over a `goto_w`; the place behind it gets the frame
//! that holds there. Code that does not fit is an error and leaves the method as it was.

use super::assemble::{Assembled, Attempt, assemble};
use super::stack_map;
use super::{Code, Frame, FrameAt, Handler, Insn, Label, LocalVariable, Node, Table, type_annotations};
use crate::attribute::Attribute;
use crate::bytes::Bytes;
use crate::class::ClassFile;
use crate::error::EncodeError;
use crate::pool::{ConstantPool, PoolIndex};

impl ClassFile {
    /// Writes code to the method at `method` in [`ClassFile::methods`]. On an error the method stays as it was.
    ///
    /// Frames are written for classes of version 50 and later; older ones have none.
    pub fn set_code(&mut self, method: usize, code: &Code) -> Result<(), EncodeError> {
        let content = Bytes::of_checked(encode(self, method, code)?);
        let pool = &mut self.pool;
        let attributes = &mut self.methods[method].attributes;
        match attributes.iter_mut().find(|attribute| attribute.is(pool, "Code")) {
            Some(attribute) => attribute.content = content,
            None => attributes.push(Attribute { name: pool.add_text("Code")?, content }),
        }
        Ok(())
    }
}

fn encode(class: &mut ClassFile, method: usize, code: &Code) -> Result<Vec<u8>, EncodeError> {
    match assemble(&class.pool, code)? {
        Attempt::Done(assembled) => write(class, method, code, &assembled),
        Attempt::TooFar(_) => {
            let mut split = code.clone();
            split.label_allocations();
            loop {
                match assemble(&class.pool, &split)? {
                    Attempt::Done(assembled) => return write(class, method, &split, &assembled),
                    Attempt::TooFar(jumps) => split_jumps(class, method, &mut split, &jumps)?,
                }
            }
        }
    }
}

/// Turns each conditional jump at these nodes (in ascending order) into its opposite over an unconditional one.
fn split_jumps(
    class: &mut ClassFile,
    method: usize,
    code: &mut Code,
    jumps: &[usize],
) -> Result<(), EncodeError> {
    // Without frames the old verifier infers the types, so there is nothing to add.
    let mut frames = Vec::new();
    if class.major >= 50 && !code.frames.is_empty() {
        let behind: Vec<usize> = jumps.iter().map(|jump| jump + 1).collect();
        frames = class.frames_before(method, code, &behind)?;
    }
    let has_frame: Vec<bool> = code.frames_by_label().iter().map(Option::is_some).collect();
    let mut frames = frames.into_iter();
    let mut jumps = jumps.iter().copied().peekable();
    let old = std::mem::take(&mut code.nodes);
    code.nodes.reserve(old.len() + 2 * jumps.len());
    for (at, node) in old.iter().enumerate() {
        match node {
            Node::Insn(Insn::If(cond, target)) if jumps.next_if_eq(&at).is_some() => {
                let frame = frames.next();
                let next = match old.get(at + 1) {
                    Some(Node::Label(label)) if has_frame[label.number()] => *label,
                    _ => {
                        let over = code.labels.fresh();
                        code.frames.extend(frame.map(|frame| FrameAt { at: over, frame }));
                        over
                    }
                };
                code.nodes.push(Insn::If(cond.inverted(), next).into());
                code.nodes.push(Insn::Goto(*target).into());
                if next.number() >= has_frame.len() {
                    code.nodes.push(next.into());
                }
            }
            other => code.nodes.push(other.clone()),
        }
    }
    Ok(())
}

fn write(
    class: &mut ClassFile,
    method: usize,
    code: &Code,
    assembled: &Assembled,
) -> Result<Vec<u8>, EncodeError> {
    let mut out = Vec::with_capacity(assembled.bytes.len() * 2 + 64);
    write_head(&mut out, class, code, assembled)?;
    write_handlers(&mut out, code, assembled)?;
    let with_frames = class.major >= 50 && !code.frames.is_empty();
    let entry = if with_frames { class.entry_frame(&class.methods[method])? } else { Frame::default() };
    let mut tables = Tables {
        entry,
        with_frames,
        descriptor: class.methods[method].descriptor,
        pool: &mut class.pool,
        code,
        assembled,
        out,
        count: 0,
    };
    tables.write_all()?;
    Ok(tables.out)
}

fn write_head(
    out: &mut Vec<u8>,
    class: &ClassFile,
    code: &Code,
    assembled: &Assembled,
) -> Result<(), EncodeError> {
    if class.major == 45 && class.minor < 3 {
        let narrow = |what: &'static str, count: u16| {
            u8::try_from(count).map_err(|_| EncodeError::TooManyEntries { what, count: count.into() })
        };
        out.push(narrow("stack", code.max_stack)?);
        out.push(narrow("locals", code.max_locals)?);
        put(out, assembled.bytes.len() as u16);
    } else {
        put(out, code.max_stack);
        put(out, code.max_locals);
        out.extend((assembled.bytes.len() as u32).to_be_bytes());
    }
    out.extend_from_slice(&assembled.bytes);
    Ok(())
}

fn write_handlers(out: &mut Vec<u8>, code: &Code, assembled: &Assembled) -> Result<(), EncodeError> {
    put_count(out, "exception table", code.handlers.len())?;
    for &Handler { start, end, handler, catch_type } in &code.handlers {
        let range = (assembled.offset_of(start)?, assembled.offset_of(end)?);
        if range.0 >= range.1 {
            return Err(EncodeError::BadRange(start, end));
        }
        put(out, range.0 as u16);
        put(out, range.1 as u16);
        put(out, assembled.offset_of(handler)? as u16);
        put(out, catch_type.unwrap_or_default().0);
    }
    Ok(())
}

/// Writes the attributes of a code: those it was read with in their order, then what is new.
struct Tables<'a> {
    /// What holds when the method is entered, if there are frames.
    entry: Frame,
    with_frames: bool,
    descriptor: PoolIndex,
    pool: &'a mut ConstantPool,
    code: &'a Code,
    assembled: &'a Assembled,
    out: Vec<u8>,
    count: u16,
}

/// Makes a table's entry of the layout from the constant that names it.
type NamedTable = fn(PoolIndex) -> Table;

/// The tables in the order javac writes them.
const NEW_TABLES: [(&str, NamedTable); 6] = [
    ("LineNumberTable", Table::Lines),
    ("LocalVariableTable", Table::Locals),
    ("LocalVariableTypeTable", Table::LocalTypes),
    ("StackMapTable", Table::Frames),
    ("RuntimeVisibleTypeAnnotations", Table::VisibleTypeAnnotations),
    ("RuntimeInvisibleTypeAnnotations", Table::InvisibleTypeAnnotations),
];

impl Tables<'_> {
    fn write_all(&mut self) -> Result<(), EncodeError> {
        let count_at = self.out.len();
        put(&mut self.out, 0);
        let code = self.code;
        let mut unknown = code.unknown.iter();
        let mut written = Vec::with_capacity(code.layout.len());
        for &table in &code.layout {
            let kind = std::mem::discriminant(&table);
            if table == Table::Unknown {
                unknown.next().map_or(Ok(()), |attribute| self.write_unknown(attribute))?;
            } else if !written.contains(&kind) {
                written.push(kind);
                self.write_table(table)?;
            }
        }
        for (name, table) in NEW_TABLES {
            let kind = std::mem::discriminant(&table(PoolIndex(0)));
            if !written.contains(&kind) && self.has(table(PoolIndex(0))) {
                let name = self.pool.add_text(name)?;
                self.write_table(table(name))?;
            }
        }
        unknown.try_for_each(|attribute| self.write_unknown(attribute))?;
        self.out[count_at..count_at + 2].copy_from_slice(&self.count.to_be_bytes());
        Ok(())
    }

    /// Whether there is anything to write in a table.
    fn has(&self, table: Table) -> bool {
        let code = self.code;
        match table {
            Table::Lines(_) => !code.lines.is_empty(),
            Table::Locals(_) => !code.locals.is_empty(),
            Table::LocalTypes(_) => !code.local_types.is_empty(),
            Table::Frames(_) => self.with_frames,
            Table::VisibleTypeAnnotations(_) => code.type_annotations.iter().any(|item| item.visible),
            Table::InvisibleTypeAnnotations(_) => code.type_annotations.iter().any(|item| !item.visible),
            Table::Unknown => false,
        }
    }

    fn write_unknown(&mut self, attribute: &Attribute) -> Result<(), EncodeError> {
        self.count = self.count.checked_add(1).ok_or(too_many("attributes of Code", 65536))?;
        put(&mut self.out, attribute.name.0);
        self.out.extend((attribute.content.len() as u32).to_be_bytes());
        self.out.extend_from_slice(&attribute.content);
        Ok(())
    }

    /// Writes name, length and content.
    fn write_table(&mut self, table: Table) -> Result<(), EncodeError> {
        let (Table::Lines(name)
        | Table::Locals(name)
        | Table::LocalTypes(name)
        | Table::Frames(name)
        | Table::VisibleTypeAnnotations(name)
        | Table::InvisibleTypeAnnotations(name)) = table
        else {
            return Ok(());
        };
        self.count = self.count.checked_add(1).ok_or(too_many("attributes of Code", 65536))?;
        put(&mut self.out, name.0);
        let length_at = self.out.len();
        self.out.extend([0; 4]);
        let code = self.code;
        match table {
            Table::Lines(_) => self.lines()?,
            Table::Locals(_) => self.locals(&code.locals)?,
            Table::LocalTypes(_) => self.locals(&code.local_types)?,
            Table::Frames(_) => self.frames()?,
            Table::VisibleTypeAnnotations(_) => self.type_annotations(true)?,
            Table::InvisibleTypeAnnotations(_) => self.type_annotations(false)?,
            Table::Unknown => {}
        }
        let length = (self.out.len() - length_at - 4) as u32;
        self.out[length_at..length_at + 4].copy_from_slice(&length.to_be_bytes());
        Ok(())
    }

    fn lines(&mut self) -> Result<(), EncodeError> {
        put_count(&mut self.out, "LineNumberTable", self.code.lines.len())?;
        for line in &self.code.lines {
            put(&mut self.out, self.assembled.offset_of(line.at)? as u16);
            put(&mut self.out, line.line);
        }
        Ok(())
    }

    fn locals(&mut self, locals: &[LocalVariable]) -> Result<(), EncodeError> {
        put_count(&mut self.out, "local variables", locals.len())?;
        for &LocalVariable { start, end, name, descriptor, slot } in locals {
            let at = self.assembled.offset_of(start)?;
            let length = self.assembled.offset_of(end)?.checked_sub(at);
            let length = length.ok_or(EncodeError::BadRange(start, end))?;
            for value in [at as u16, length as u16, name.0, descriptor.0, slot] {
                put(&mut self.out, value);
            }
        }
        Ok(())
    }

    fn frames(&mut self) -> Result<(), EncodeError> {
        let assembled = self.assembled;
        let mut frames = Vec::with_capacity(self.code.frames.len());
        for item in &self.code.frames {
            frames.push((assembled.offset_of(item.at)?, &item.frame));
        }
        frames.sort_by_key(|&(at, _)| at);
        frames.dedup();
        check_frames(&frames, assembled.bytes.len())?;
        let mut writer = stack_map::Writer {
            pool: self.pool,
            descriptor: self.descriptor,
            offset_of: &|label: Label| assembled.offset_of(label),
        };
        writer.write(&mut self.out, &self.entry, &frames)
    }

    fn type_annotations(&mut self, visible: bool) -> Result<(), EncodeError> {
        let annotations = self.code.type_annotations.iter().filter(|item| item.visible == visible);
        let assembled = self.assembled;
        type_annotations::write(&mut self.out, annotations, &|label| assembled.offset_of(label))
    }
}

/// One frame per offset, each before the end.
fn check_frames(frames: &[(u32, &Frame)], length: usize) -> Result<(), EncodeError> {
    if let Some(pair) = frames.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(EncodeError::FrameConflict(pair[0].0));
    }
    match frames.last() {
        Some(&(at, _)) if at as usize >= length => Err(EncodeError::FrameBehindCode(at)),
        _ => Ok(()),
    }
}

fn put(out: &mut Vec<u8>, value: u16) {
    out.extend(value.to_be_bytes());
}

fn put_count(out: &mut Vec<u8>, what: &'static str, count: usize) -> Result<(), EncodeError> {
    put(out, u16::try_from(count).map_err(|_| too_many(what, count))?);
    Ok(())
}

fn too_many(what: &'static str, count: usize) -> EncodeError {
    EncodeError::TooManyEntries { what, count }
}
