//! Conversions between values on the stack: boxing, unboxing, casts, widening and narrowing.
//!
//! In: the type a value has and the type it shall have. Out: instructions.
//! Knows no class hierarchy: a cast that may be needed is a `checkcast`, which the JVM then judges.

use probat_model::Type;

use crate::code::{Convert, Insn, Kind, Number};
use crate::error::AppendError;
use crate::pool::ConstantPool;

/// What a type is on the stack or in a local.
pub(crate) fn kind_of(ty: &Type) -> Kind {
    match ty {
        Type::Boolean | Type::Byte | Type::Char | Type::Short | Type::Int => Kind::Int,
        Type::Long => Kind::Long,
        Type::Float => Kind::Float,
        Type::Double => Kind::Double,
        Type::Class(_) | Type::Array(_) => Kind::Reference,
    }
}

/// The class that boxes a primitive type.
pub(crate) fn wrapper(ty: &Type) -> Option<&'static str> {
    Some(match ty {
        Type::Boolean => "java/lang/Boolean",
        Type::Byte => "java/lang/Byte",
        Type::Char => "java/lang/Character",
        Type::Short => "java/lang/Short",
        Type::Int => "java/lang/Integer",
        Type::Long => "java/lang/Long",
        Type::Float => "java/lang/Float",
        Type::Double => "java/lang/Double",
        Type::Class(_) | Type::Array(_) => return None,
    })
}

/// Boxes a value of a primitive type; nothing for a reference.
pub(crate) fn box_value(pool: &mut ConstantPool, ty: &Type) -> Result<Option<Insn>, AppendError> {
    let Some(class) = wrapper(ty) else { return Ok(None) };
    let descriptor = format!("({})L{class};", ty.descriptor());
    Ok(Some(Insn::InvokeStatic(pool.add_method_ref(class, "valueOf", &descriptor)?)))
}

/// Makes a value of one type one of another.
pub(crate) fn convert(pool: &mut ConstantPool, from: &Type, to: &Type) -> Result<Vec<Insn>, AppendError> {
    match (from.is_primitive(), to.is_primitive()) {
        (true, true) => Ok(between_primitives(from, to)),
        (true, false) => {
            let boxed = Type::class(wrapper(from).expect("primitive types have a wrapper"));
            let mut insns: Vec<Insn> = box_value(pool, from)?.into_iter().collect();
            insns.extend(cast(pool, &boxed, to)?);
            Ok(insns)
        }
        (false, true) => unbox(pool, from, to),
        (false, false) => Ok(cast(pool, from, to)?.into_iter().collect()),
    }
}

fn cast(pool: &mut ConstantPool, from: &Type, to: &Type) -> Result<Option<Insn>, AppendError> {
    if from == to || *to == Type::class("java/lang/Object") {
        return Ok(None);
    }
    let name = match to {
        Type::Class(name) => name.as_internal().to_owned(),
        _ => to.descriptor(),
    };
    Ok(Some(Insn::CheckCast(pool.add_class(&name)?)))
}

/// Any box of a number gives any number, as `Number` does; `boolean` and `char` come from their own boxes only.
fn unbox(pool: &mut ConstantPool, from: &Type, to: &Type) -> Result<Vec<Insn>, AppendError> {
    let (class, method) = match to {
        Type::Boolean => ("java/lang/Boolean", "booleanValue"),
        Type::Char => ("java/lang/Character", "charValue"),
        Type::Byte => ("java/lang/Number", "byteValue"),
        Type::Short => ("java/lang/Number", "shortValue"),
        Type::Int => ("java/lang/Number", "intValue"),
        Type::Long => ("java/lang/Number", "longValue"),
        Type::Float => ("java/lang/Number", "floatValue"),
        Type::Double | Type::Class(_) | Type::Array(_) => ("java/lang/Number", "doubleValue"),
    };
    let mut insns: Vec<Insn> = cast(pool, from, &Type::class(class))?.into_iter().collect();
    let descriptor = format!("(){}", to.descriptor());
    insns.push(Insn::InvokeVirtual(pool.add_method_ref(class, method, &descriptor)?));
    Ok(insns)
}

fn between_primitives(from: &Type, to: &Type) -> Vec<Insn> {
    if from == to {
        return Vec::new();
    }
    let (source, target) = (number_of(from), number_of(to));
    let mut insns: Vec<Insn> = Vec::new();
    if source != target {
        let found = Convert::ALL.iter().find(|convert| convert.types() == (source, target));
        insns.extend(found.map(|&convert| Insn::Convert(convert)));
    }
    let narrowed = match to {
        Type::Byte => Some(Convert::I2B),
        Type::Char => Some(Convert::I2C),
        Type::Short => Some(Convert::I2S),
        _ => None,
    };
    insns.extend(narrowed.map(Insn::Convert));
    if *to == Type::Boolean {
        // The JVM keeps the lowest bit of a boolean; spell it out for whoever reads the value as an int.
        insns.push(Insn::Int(1));
        insns.push(Insn::Bits(crate::code::Bits::And, crate::code::Word::Int));
    }
    insns
}

fn number_of(ty: &Type) -> Number {
    match kind_of(ty) {
        Kind::Int | Kind::Reference => Number::Int,
        Kind::Long => Number::Long,
        Kind::Float => Number::Float,
        Kind::Double => Number::Double,
    }
}
