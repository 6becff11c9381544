//! `StackMapTable` (JVMS §4.7.4): frames written as changes of the frame before.
//!
//! In: the attribute's bytes, or frames with their offsets. Out: full frames, or the smallest bytes for them.
//! The frame before the first one follows from the method's descriptor (JVMS §4.10.1.6).

use super::decode::Places;
use super::{Frame, FrameAt, Label, VerificationType};
use crate::bytes::Cursor;
use crate::class::{ClassFile, Method};
use crate::error::{EncodeError, PoolError, Problem, ReadError};
use crate::flags::AccessFlags;
use crate::pool::{ConstantPool, PoolIndex};

/// How many locals and stack entries the frames of one method may have in all. A table can ask for more than
/// 10^9 in 64 KiB; the largest method of the JDK needs some 10^4.
const MAX_ENTRIES: usize = 1 << 22;

impl ClassFile {
    /// What the verifier assumes when one of this class's methods is entered.
    pub fn entry_frame(&self, method: &Method) -> Result<Frame, PoolError> {
        entry_frame(self, method)
    }
}

fn entry_frame(class: &ClassFile, method: &Method) -> Result<Frame, PoolError> {
    let pool = &class.pool;
    let mut locals = Vec::new();
    if !method.access.has(AccessFlags::STATIC) {
        let is_constructor = pool.utf8(method.name)? == b"<init>";
        let uninitialized = is_constructor && pool.class_utf8(class.this_class)? != b"java/lang/Object";
        locals.push(match uninitialized {
            true => VerificationType::UninitializedThis,
            false => VerificationType::Object(class.this_class),
        });
    }
    let descriptor = pool.utf8(method.descriptor)?;
    for (number, parameter) in parameters(descriptor).enumerate() {
        let bad = || PoolError::NotADescriptor {
            index: method.descriptor,
            text: String::from_utf8_lossy(descriptor).into_owned(),
        };
        let parameter = parameter.ok_or_else(bad)?;
        locals.push(match parameter[0] {
            b'J' => VerificationType::Long,
            b'F' => VerificationType::Float,
            b'D' => VerificationType::Double,
            b'L' | b'[' => match pool.find_class(class_constant_name(parameter)) {
                Some(index) => VerificationType::Object(index),
                None => VerificationType::Parameter(u8::try_from(number).map_err(|_| bad())?),
            },
            _ => VerificationType::Int,
        });
    }
    Ok(Frame { locals, stack: Vec::new() })
}

/// The descriptors of a method's parameters; an item is `None` where the text is no descriptor.
pub(super) fn parameters(descriptor: &[u8]) -> impl Iterator<Item = Option<&[u8]>> {
    let mut rest = descriptor.strip_prefix(b"(").unwrap_or(b"?");
    std::iter::from_fn(move || {
        if rest.first() == Some(&b')') {
            return None;
        }
        let length = descriptor_length(rest);
        let item = length.map(|length| &rest[..length]);
        rest = length.map_or(b")", |length| &rest[length..]);
        Some(item)
    })
}

fn descriptor_length(text: &[u8]) -> Option<usize> {
    let dimensions = text.iter().position(|&byte| byte != b'[')?;
    match text[dimensions] {
        b'L' => Some(dimensions + text[dimensions..].iter().position(|&byte| byte == b';')? + 1),
        b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' => Some(dimensions + 1),
        _ => None,
    }
}

/// How a class constant names a reference type: without `L` and `;` unless it is an array.
pub(super) fn class_constant_name(descriptor: &[u8]) -> &[u8] {
    match descriptor {
        [b'L', name @ .., b';'] => name,
        array => array,
    }
}

/// The class constant for parameter `number`, added if need be.
pub(super) fn parameter_class(
    pool: &mut ConstantPool,
    method: PoolIndex,
    number: u8,
) -> Result<PoolIndex, EncodeError> {
    let parameter = parameters(pool.utf8(method)?).nth(usize::from(number)).flatten();
    let parameter = parameter.filter(|text| matches!(text[0], b'L' | b'['));
    let name = class_constant_name(parameter.ok_or(EncodeError::NoSuchParameter(number))?).to_vec();
    Ok(pool.add_class_utf8(&name)?)
}

/// Reads all frames in full form.
pub(super) fn read(
    mut cursor: Cursor<'_>,
    places: &mut Places,
    entry: Frame,
) -> Result<Vec<FrameAt>, ReadError> {
    let count = cursor.u2()?;
    let mut frames = Vec::with_capacity(cursor.at_most(usize::from(count), 1));
    let mut locals = entry.locals;
    let mut next = 0u32;
    let mut entries = 0;
    for _ in 0..count {
        let start = cursor.position();
        let (delta, stack) = read_frame(&mut cursor, places, &mut locals)?;
        let at = next + u32::from(delta);
        next = at + 1;
        entries += locals.len() + stack.len();
        if entries > MAX_ENTRIES {
            return Err(cursor.error_at(start, Problem::FramesTooLarge(MAX_ENTRIES)));
        }
        let at =
            places.block(at).ok_or_else(|| cursor.error_at(start, Problem::NotAnInstruction(at.into())))?;
        frames.push(FrameAt { at, frame: Frame { locals: locals.clone(), stack } });
    }
    cursor.finish()?;
    Ok(frames)
}

/// Reads one frame: changes the locals, gives the offset delta and the stack.
fn read_frame(
    cursor: &mut Cursor<'_>,
    places: &mut Places,
    locals: &mut Vec<VerificationType>,
) -> Result<(u16, Vec<VerificationType>), ReadError> {
    let start = cursor.position();
    let tag = cursor.u1()?;
    Ok(match tag {
        0..=63 => (tag.into(), Vec::new()),
        64..=127 => (u16::from(tag) - 64, vec![read_type(cursor, places)?]),
        247 => (cursor.u2()?, vec![read_type(cursor, places)?]),
        248..=250 => {
            let delta = cursor.u2()?;
            let chopped = 251 - tag;
            let left = locals.len().checked_sub(chopped.into());
            locals.truncate(left.ok_or_else(|| cursor.error_at(start, Problem::ChopsTooMuch(chopped)))?);
            (delta, Vec::new())
        }
        251 => (cursor.u2()?, Vec::new()),
        252..=254 => {
            let delta = cursor.u2()?;
            for _ in 251..tag {
                locals.push(read_type(cursor, places)?);
            }
            (delta, Vec::new())
        }
        255 => {
            let delta = cursor.u2()?;
            *locals = read_types(cursor, places)?;
            (delta, read_types(cursor, places)?)
        }
        _ => return Err(cursor.error_at(start, Problem::UnknownFrameType(tag))),
    })
}

fn read_types(cursor: &mut Cursor<'_>, places: &mut Places) -> Result<Vec<VerificationType>, ReadError> {
    let count = cursor.u2()?;
    let mut types = Vec::with_capacity(cursor.at_most(count.into(), 1));
    for _ in 0..count {
        types.push(read_type(cursor, places)?);
    }
    Ok(types)
}

fn read_type(cursor: &mut Cursor<'_>, places: &mut Places) -> Result<VerificationType, ReadError> {
    let start = cursor.position();
    Ok(match cursor.u1()? {
        0 => VerificationType::Top,
        1 => VerificationType::Int,
        2 => VerificationType::Float,
        3 => VerificationType::Double,
        4 => VerificationType::Long,
        5 => VerificationType::Null,
        6 => VerificationType::UninitializedThis,
        7 => VerificationType::Object(PoolIndex(cursor.u2()?)),
        8 => {
            let at = u32::from(cursor.u2()?);
            let label = places.exact(at);
            VerificationType::Uninitialized(
                label.ok_or_else(|| cursor.error_at(start, Problem::NotAnInstruction(at.into())))?,
            )
        }
        tag => return Err(cursor.error_at(start, Problem::UnknownVerificationType(tag))),
    })
}

/// Writes frames, sorted by offset, as changes of one another, in the smallest form of each.
pub(super) struct Writer<'a> {
    pub pool: &'a mut ConstantPool,
    /// Text of the method's descriptor, for [`VerificationType::Parameter`].
    pub descriptor: PoolIndex,
    /// Offset of each label.
    pub offset_of: &'a dyn Fn(Label) -> Result<u32, EncodeError>,
}

impl Writer<'_> {
    /// Appends the count and all frames.
    pub fn write(
        &mut self,
        out: &mut Vec<u8>,
        entry: &Frame,
        frames: &[(u32, &Frame)],
    ) -> Result<(), EncodeError> {
        let what = "StackMapTable";
        let count = frames.len();
        out.extend(
            u16::try_from(count).map_err(|_| EncodeError::TooManyEntries { what, count })?.to_be_bytes(),
        );
        let mut before = &entry.locals;
        let mut next = 0;
        for &(at, frame) in frames {
            self.write_frame(out, before, (at - next) as u16, frame)?;
            before = &frame.locals;
            next = at + 1;
        }
        Ok(())
    }

    fn write_frame(
        &mut self,
        out: &mut Vec<u8>,
        before: &[VerificationType],
        delta: u16,
        frame: &Frame,
    ) -> Result<(), EncodeError> {
        let Frame { locals, stack } = frame;
        let shared = before.len().min(locals.len());
        let alike = (0..shared).all(|at| self.same(before[at], locals[at]));
        let added = locals.len() as i64 - before.len() as i64;
        match (&stack[..], added) {
            ([], 0) if alike && delta < 64 => out.push(delta as u8),
            ([], -3..=3) if alike => {
                out.push((251 + added) as u8);
                out.extend(delta.to_be_bytes());
                self.write_types(out, &locals[shared..])?;
            }
            ([top], 0) if alike => {
                if delta < 64 {
                    out.push(64 + delta as u8);
                } else {
                    out.push(247);
                    out.extend(delta.to_be_bytes());
                }
                self.write_types(out, &[*top])?;
            }
            _ => {
                out.push(255);
                out.extend(delta.to_be_bytes());
                for types in [locals, stack] {
                    let (what, count) = ("frame", types.len());
                    let length =
                        u16::try_from(count).map_err(|_| EncodeError::TooManyEntries { what, count })?;
                    out.extend(length.to_be_bytes());
                    self.write_types(out, types)?;
                }
            }
        }
        Ok(())
    }

    /// Whether two types are the same, if need be by the names of their classes.
    fn same(&self, a: VerificationType, b: VerificationType) -> bool {
        a == b || self.class_of(a).is_some_and(|name| self.class_of(b) == Some(name))
    }

    /// The name of an object type's class.
    fn class_of(&self, ty: VerificationType) -> Option<&[u8]> {
        match ty {
            VerificationType::Object(class) => self.pool.class_utf8(class).ok(),
            VerificationType::Parameter(number) => {
                let parameter = parameters(self.pool.utf8(self.descriptor).ok()?).nth(number.into())??;
                Some(class_constant_name(parameter))
            }
            _ => None,
        }
    }

    fn write_types(&mut self, out: &mut Vec<u8>, types: &[VerificationType]) -> Result<(), EncodeError> {
        for &ty in types {
            match ty {
                VerificationType::Top => out.push(0),
                VerificationType::Int => out.push(1),
                VerificationType::Float => out.push(2),
                VerificationType::Double => out.push(3),
                VerificationType::Long => out.push(4),
                VerificationType::Null => out.push(5),
                VerificationType::UninitializedThis => out.push(6),
                VerificationType::Object(class) => put(out, 7, class.0),
                VerificationType::Parameter(number) => {
                    put(out, 7, parameter_class(self.pool, self.descriptor, number)?.0);
                }
                // Offsets of instructions are below 65536.
                VerificationType::Uninitialized(label) => put(out, 8, (self.offset_of)(label)? as u16),
            }
        }
        Ok(())
    }
}

fn put(out: &mut Vec<u8>, tag: u8, value: u16) {
    out.push(tag);
    out.extend(value.to_be_bytes());
}
