//! `java/lang/$Probat`: where inserted code leaves its marks.
//!
//! In: how many probes there are and how many comparisons shall be remembered. Out: the class.
//! It holds arrays, methods that append to lists, the count of nested calls (`outermost`) and the natives the worker registers.
//!
//! A comparison is always written behind the end of its list; the end moves only if `wanted` has a 1 for the site, and
//! never past the last place. So the methods need no branch, and what nobody wants costs no more than a few stores.

use super::{BuildError, ClassBuilder, outermost};
use crate::code::{Arith, Convert, Element, Insn, Kind, Number, Primitive};
use crate::flags::AccessFlags;
use crate::passes::{Member, PROBAT, push_int};
use crate::pool::ConstantPool;

/// Length of `dirty`; more than there are kinds today.
pub const DIRTY_KINDS: u16 = 16;

/// What `$Probat` shall hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProbatClassSpec {
    /// Length of the coverage map.
    pub probes: u32,
    /// How many comparisons are remembered, the first ones: at most 2^20. 0 where none are recorded.
    pub comparisons: u32,
    /// How many places there are where values are compared.
    pub sites: u32,
    /// How many reads are remembered, the first ones: at most 2^20. 0 where none are recorded.
    pub reads: u32,
}

const STATIC: AccessFlags = AccessFlags::PUBLIC.with(AccessFlags::STATIC);
const CONSTANT: AccessFlags = STATIC.with(AccessFlags::FINAL);

/// Where `read` appends: the objects read, and which field or element.
const READS: [(&str, &str); 2] = [("readObject", "[Ljava/lang/Object;"), ("readPlace", "[I")];

/// The lists and the types of their elements; the first three belong to `cmpCount`, the rest to `refCount`.
const LISTS: [(&str, &str); 6] = [
    ("cmpA", "[J"),
    ("cmpB", "[J"),
    ("cmpSite", "[I"),
    ("refA", "[Ljava/lang/Object;"),
    ("refB", "[Ljava/lang/Object;"),
    ("refSite", "[I"),
];

/// The bytes of `$Probat`.
pub fn probat_class(spec: &ProbatClassSpec) -> Result<Vec<u8>, BuildError> {
    let access = AccessFlags::PUBLIC.with(AccessFlags::FINAL).with(AccessFlags::SUPER);
    let mut builder =
        ClassBuilder::new(access.with(AccessFlags::SYNTHETIC), PROBAT, "java/lang/Object", &[])?;
    // One place more, where writing past the end is harmless.
    let last = spec.comparisons.min(1 << 20) as i32;
    for member in Member::ALL {
        let (name, descriptor) = member.signature();
        if member.is_field() {
            builder.field(CONSTANT, name, descriptor)?;
        } else if member.is_native() {
            builder.method(STATIC.with(AccessFlags::NATIVE), name, descriptor)?;
        } else {
            match member {
                Member::CmpInt | Member::CmpLong | Member::CmpDouble | Member::CmpRef | Member::Instance => {
                    append_to_list(&mut builder, member, last)?
                }
                Member::Read => append_read(&mut builder, spec.reads.min(1 << 20) as i32)?,
                _ => outermost::add_method(&mut builder, member)?,
            }
        }
    }
    for (name, descriptor) in LISTS.into_iter().chain(READS) {
        builder.field(CONSTANT, name, descriptor)?;
    }
    builder.field(STATIC, "reading", "I")?.field(STATIC, "readCount", "I")?;
    outermost::add_fields(&mut builder)?;
    builder.field(CONSTANT, "wanted", "[B")?;
    builder.field(STATIC, "cmpCount", "I")?.field(STATIC, "refCount", "I")?;
    initialiser(&mut builder, spec, last + 1)?;
    builder.finish()
}

/// Allocates all arrays.
fn initialiser(builder: &mut ClassBuilder, spec: &ProbatClassSpec, places: i32) -> Result<(), BuildError> {
    let pool = builder.pool();
    let probes = i32::try_from(spec.probes).unwrap_or(i32::MAX);
    let sites = i32::try_from(spec.sites).unwrap_or(i32::MAX);
    let dirty = i32::from(DIRTY_KINDS);
    let bytes = [("map", probes), ("pages", probes / 64 + 1), ("dirty", dirty), ("wanted", sites)];
    let mut insns = Vec::new();
    for (name, length) in bytes {
        insns.push(push_int(pool, length)?);
        insns.push(Insn::NewArray(Primitive::Byte));
        insns.push(Insn::PutStatic(pool.add_field_ref(PROBAT, name, "[B")?));
    }
    let reads = spec.reads.min(1 << 20) as i32 + 1;
    let lists = LISTS.into_iter().map(|list| (list, places)).chain(READS.map(|list| (list, reads)));
    for ((name, descriptor), places) in lists {
        insns.push(push_int(pool, places)?);
        insns.push(match descriptor {
            "[J" => Insn::NewArray(Primitive::Long),
            "[I" => Insn::NewArray(Primitive::Int),
            _ => Insn::ANewArray(pool.add_class("java/lang/Object")?),
        });
        insns.push(Insn::PutStatic(pool.add_field_ref(PROBAT, name, descriptor)?));
    }
    insns.push(Insn::Return(None));
    builder.straight_method(AccessFlags::STATIC, "<clinit>", "()V", 0, insns)?;
    Ok(())
}

/// A method that appends its operands to a list. Threads that race lose entries, nothing else.
fn append_to_list(builder: &mut ClassBuilder, member: Member, last: i32) -> Result<(), BuildError> {
    let pool = builder.pool();
    let (kind, size) = match member {
        Member::CmpInt => (Kind::Int, 1),
        Member::CmpLong => (Kind::Long, 2),
        Member::CmpDouble => (Kind::Double, 2),
        _ => (Kind::Reference, 1),
    };
    let (count, lists) =
        if kind == Kind::Reference { ("refCount", &LISTS[3..]) } else { ("cmpCount", &LISTS[..3]) };
    let count = pool.add_field_ref(PROBAT, count, "I")?;
    let site = 2 * size;
    let at = site + 1;
    let mut insns = vec![Insn::GetStatic(count), Insn::Store(Kind::Int, at)];
    for (list, operand) in lists.iter().zip([0, size, site]) {
        insns.push(Insn::GetStatic(pool.add_field_ref(PROBAT, list.0, list.1)?));
        insns.push(Insn::Load(Kind::Int, at));
        match list.1 {
            "[I" => insns.extend([Insn::Load(Kind::Int, operand), Insn::ArrayStore(Element::Int)]),
            "[J" => {
                insns.push(Insn::Load(kind, operand));
                insns.extend(to_long(pool, kind)?);
                insns.push(Insn::ArrayStore(Element::Long));
            }
            _ => insns.extend([Insn::Load(kind, operand), Insn::ArrayStore(Element::Reference)]),
        }
    }
    insns.extend([Insn::Load(Kind::Int, at), Insn::GetStatic(pool.add_field_ref(PROBAT, "wanted", "[B")?)]);
    insns.extend([Insn::Load(Kind::Int, site), Insn::ArrayLoad(Element::Byte)]);
    insns.extend([Insn::Arith(Arith::Add, Number::Int), push_int(pool, last)?]);
    insns.push(Insn::InvokeStatic(pool.add_method_ref("java/lang/Math", "min", "(II)I")?));
    insns.extend([Insn::PutStatic(count), Insn::Return(None)]);
    let (name, descriptor) = member.signature();
    builder.straight_method(STATIC, name, descriptor, at + 1, insns)?;
    Ok(())
}

/// Appends to the list of reads while `reading` is 1.
fn append_read(builder: &mut ClassBuilder, last: i32) -> Result<(), BuildError> {
    let pool = builder.pool();
    let count = pool.add_field_ref(PROBAT, "readCount", "I")?;
    let reading = pool.add_field_ref(PROBAT, "reading", "I")?;
    let mut insns = Vec::new();
    for (at, (list, descriptor)) in READS.into_iter().enumerate() {
        let list = pool.add_field_ref(PROBAT, list, descriptor)?;
        insns.extend([Insn::GetStatic(list), Insn::GetStatic(count)]);
        insns.extend(match at {
            0 => [Insn::Load(Kind::Reference, 0), Insn::ArrayStore(Element::Reference)],
            _ => [Insn::Load(Kind::Int, 1), Insn::ArrayStore(Element::Int)],
        });
    }
    insns.extend([Insn::GetStatic(count), Insn::GetStatic(reading), Insn::Arith(Arith::Add, Number::Int)]);
    insns.push(push_int(pool, last)?);
    insns.push(Insn::InvokeStatic(pool.add_method_ref("java/lang/Math", "min", "(II)I")?));
    insns.extend([Insn::PutStatic(count), Insn::Return(None)]);
    let (name, descriptor) = Member::Read.signature();
    builder.straight_method(STATIC, name, descriptor, 2, insns)?;
    Ok(())
}

/// The value on the stack as 64 bits.
fn to_long(pool: &mut ConstantPool, kind: Kind) -> Result<Option<Insn>, BuildError> {
    Ok(match kind {
        Kind::Int => Some(Insn::Convert(Convert::I2L)),
        Kind::Double => {
            let bits = pool.add_method_ref("java/lang/Double", "doubleToRawLongBits", "(D)J")?;
            Some(Insn::InvokeStatic(bits))
        }
        _ => None,
    })
}
