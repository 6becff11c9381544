//! Type annotations inside code (JVMS §4.7.20): their targets move with the instructions.
//!
//! In: the two attributes of a `Code`. Out: [`CodeTypeAnnotation`], and the attributes again.
//! The annotation itself stays as it was written; `annotation` decodes it on demand.

use super::decode::Places;
use super::{CodeTarget, CodeTypeAnnotation, Label, LocalRange};
use crate::annotation::skip_path_and_annotation;
use crate::bytes::{Bytes, Cursor};
use crate::error::{EncodeError, Problem, ReadError};

/// Reads one attribute's annotations behind those already in `out`.
pub(super) fn read(
    content: &Bytes,
    places: &mut Places,
    visible: bool,
    out: &mut Vec<CodeTypeAnnotation>,
) -> Result<(), ReadError> {
    let mut cursor = content.cursor("type annotations of Code");
    let count = cursor.u2()?;
    for _ in 0..count {
        let target = read_target(&mut cursor, places)?;
        let start = cursor.position();
        skip_path_and_annotation(&mut cursor)?;
        out.push(CodeTypeAnnotation { visible, target, content: content.slice(start, cursor.position()) });
    }
    cursor.finish()
}

fn read_target(cursor: &mut Cursor<'_>, places: &mut Places) -> Result<CodeTarget, ReadError> {
    let target_type = cursor.u1()?;
    Ok(match target_type {
        0x40 | 0x41 => {
            let count = cursor.u2()?;
            let mut ranges = Vec::with_capacity(cursor.at_most(count.into(), 6));
            for _ in 0..count {
                let start = u32::from(cursor.u2()?);
                let end = start + u32::from(cursor.u2()?);
                ranges.push(LocalRange {
                    start: places.loose(start),
                    end: places.loose(end),
                    slot: cursor.u2()?,
                });
            }
            CodeTarget::Local { resource: target_type == 0x41, ranges }
        }
        0x42 => CodeTarget::Catch { handler: cursor.u2()? },
        0x43..=0x46 => CodeTarget::Insn { target_type, at: places.loose_exact(cursor.u2()?.into()) },
        0x47..=0x4b => CodeTarget::Argument {
            target_type,
            at: places.loose_exact(cursor.u2()?.into()),
            argument: cursor.u1()?,
        },
        _ => return Err(cursor.error_at(cursor.position() - 1, Problem::UnknownTarget(target_type))),
    })
}

/// Appends the count and the annotations of one attribute.
pub(super) fn write<'a>(
    out: &mut Vec<u8>,
    annotations: impl Iterator<Item = &'a CodeTypeAnnotation> + Clone,
    offset_of: &dyn Fn(Label) -> Result<u32, EncodeError>,
) -> Result<(), EncodeError> {
    put_count(out, annotations.clone().count(), "type annotations")?;
    for annotation in annotations {
        write_target(out, &annotation.target, offset_of)?;
        out.extend_from_slice(&annotation.content);
    }
    Ok(())
}

fn write_target(
    out: &mut Vec<u8>,
    target: &CodeTarget,
    offset_of: &dyn Fn(Label) -> Result<u32, EncodeError>,
) -> Result<(), EncodeError> {
    // A label behind the last instruction can be at 65535 at most, so 16 bits hold every offset.
    let offset = |label: Label| offset_of(label).map(|at| (at as u16).to_be_bytes());
    match target {
        CodeTarget::Local { resource, ranges } => {
            out.push(0x40 + u8::from(*resource));
            put_count(out, ranges.len(), "ranges of a type annotation")?;
            for &LocalRange { start, end, slot } in ranges {
                let length = offset_of(end)?.checked_sub(offset_of(start)?);
                out.extend(offset(start)?);
                out.extend((length.ok_or(EncodeError::BadRange(start, end))? as u16).to_be_bytes());
                out.extend(slot.to_be_bytes());
            }
        }
        CodeTarget::Catch { handler } => {
            out.push(0x42);
            out.extend(handler.to_be_bytes());
        }
        CodeTarget::Insn { target_type, at } => {
            out.push(*target_type);
            out.extend(offset(*at)?);
        }
        CodeTarget::Argument { target_type, at, argument } => {
            out.push(*target_type);
            out.extend(offset(*at)?);
            out.push(*argument);
        }
    }
    Ok(())
}

fn put_count(out: &mut Vec<u8>, count: usize, what: &'static str) -> Result<(), EncodeError> {
    out.extend(u16::try_from(count).map_err(|_| EncodeError::TooManyEntries { what, count })?.to_be_bytes());
    Ok(())
}
