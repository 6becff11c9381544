//! `java/lang/$Probat`: where inserted code leaves its marks.
//!
//! In: how many probes there are and how many comparisons shall be remembered. Out: the class.
//! It holds arrays, methods that append to rings, and the natives the worker registers; it makes no decision.

use super::{BuildError, ClassBuilder};
use crate::code::{Arith, Bits, Convert, Element, Insn, Kind, Number, Primitive, Word};
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
    /// How many comparisons are remembered: rounded up to a power of two, at most 2^20. 0 where none are recorded.
    pub comparisons: u32,
}

const STATIC: AccessFlags = AccessFlags::PUBLIC.with(AccessFlags::STATIC);
const CONSTANT: AccessFlags = STATIC.with(AccessFlags::FINAL);

/// The rings and the types of their elements; the first three belong to `cmpCount`, the rest to `refCount`.
const RINGS: [(&str, &str); 6] = [
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
    let ring = spec.comparisons.clamp(1, 1 << 20).next_power_of_two() as i32;
    for member in Member::ALL {
        let (name, descriptor) = member.signature();
        if member.is_field() {
            builder.field(CONSTANT, name, descriptor)?;
        } else if member.is_native() {
            builder.method(STATIC.with(AccessFlags::NATIVE), name, descriptor)?;
        } else {
            append_to_ring(&mut builder, member, ring - 1)?;
        }
    }
    for (name, descriptor) in RINGS {
        builder.field(CONSTANT, name, descriptor)?;
    }
    builder.field(STATIC, "cmpCount", "I")?.field(STATIC, "refCount", "I")?;
    initialiser(&mut builder, spec.probes, ring)?;
    builder.finish()
}

/// Allocates all arrays.
fn initialiser(builder: &mut ClassBuilder, probes: u32, ring: i32) -> Result<(), BuildError> {
    let pool = builder.pool();
    let probes = i32::try_from(probes).unwrap_or(i32::MAX);
    let bytes = [("map", probes), ("pages", probes / 64 + 1), ("dirty", i32::from(DIRTY_KINDS))];
    let mut insns = Vec::new();
    for (name, length) in bytes {
        insns.push(push_int(pool, length)?);
        insns.push(Insn::NewArray(Primitive::Byte));
        insns.push(Insn::PutStatic(pool.add_field_ref(PROBAT, name, "[B")?));
    }
    for (name, descriptor) in RINGS {
        insns.push(push_int(pool, ring)?);
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

/// A method that appends its operands to a ring. Threads that race lose entries, nothing else.
fn append_to_ring(builder: &mut ClassBuilder, member: Member, mask: i32) -> Result<(), BuildError> {
    let pool = builder.pool();
    let (kind, size) = match member {
        Member::CmpInt => (Kind::Int, 1),
        Member::CmpLong => (Kind::Long, 2),
        Member::CmpDouble => (Kind::Double, 2),
        _ => (Kind::Reference, 1),
    };
    let (count, rings) =
        if kind == Kind::Reference { ("refCount", &RINGS[3..]) } else { ("cmpCount", &RINGS[..3]) };
    let count = pool.add_field_ref(PROBAT, count, "I")?;
    let site = 2 * size;
    let at = site + 1;
    let mut insns = vec![Insn::GetStatic(count), Insn::Store(Kind::Int, at)];
    for (ring, operand) in rings.iter().zip([0, size, site]) {
        insns.push(Insn::GetStatic(pool.add_field_ref(PROBAT, ring.0, ring.1)?));
        insns.extend([Insn::Load(Kind::Int, at), push_int(pool, mask)?, Insn::Bits(Bits::And, Word::Int)]);
        match ring.1 {
            "[I" => insns.extend([Insn::Load(Kind::Int, operand), Insn::ArrayStore(Element::Int)]),
            "[J" => {
                insns.push(Insn::Load(kind, operand));
                insns.extend(to_long(pool, kind)?);
                insns.push(Insn::ArrayStore(Element::Long));
            }
            _ => insns.extend([Insn::Load(kind, operand), Insn::ArrayStore(Element::Reference)]),
        }
    }
    insns.extend([Insn::Load(Kind::Int, at), Insn::Int(1), Insn::Arith(Arith::Add, Number::Int)]);
    insns.extend([Insn::PutStatic(count), Insn::Return(None)]);
    let (name, descriptor) = member.signature();
    builder.straight_method(STATIC, name, descriptor, at + 1, insns)?;
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
