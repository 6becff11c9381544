//! Constants that code mentions.
//!
//! In: a class. Out: [`Literals`] of it and of each method, with how often each occurs.
//! Keys of a `switch` over strings are hash codes made by the compiler and are left out; so are the frames and debug
//! tables. Nothing is evaluated: `2 * 60` was one constant before we saw it.

use std::collections::BTreeMap;

use probat_classfile::{ClassFile, Code, Insn, Loadable, PoolIndex};
use probat_model::{JavaString, Type};

use crate::world::{ClassId, MethodId, World};

/// Constants with the number of times they occur. Floating-point ones are under their bits, so NaN and -0.0 stay.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Literals {
    pub ints: BTreeMap<i32, u32>,
    pub longs: BTreeMap<i64, u32>,
    pub floats: BTreeMap<u32, u32>,
    pub doubles: BTreeMap<u64, u32>,
    pub strings: BTreeMap<JavaString, u32>,
    pub classes: BTreeMap<Type, u32>,
}

/// Constants of a class.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClassLiterals {
    /// Those of constant fields.
    pub fields: Literals,
    /// In class file order; methods without constants are left out.
    pub methods: Vec<(MethodId, Literals)>,
}

impl Literals {
    pub fn is_empty(&self) -> bool {
        self == &Literals::default()
    }

    /// Adds all of another, counts summed.
    pub fn include(&mut self, other: &Literals) {
        fn sum<K: Clone + Ord>(own: &mut BTreeMap<K, u32>, other: &BTreeMap<K, u32>) {
            for (key, count) in other {
                *own.entry(key.clone()).or_default() += count;
            }
        }
        sum(&mut self.ints, &other.ints);
        sum(&mut self.longs, &other.longs);
        sum(&mut self.floats, &other.floats);
        sum(&mut self.doubles, &other.doubles);
        sum(&mut self.strings, &other.strings);
        sum(&mut self.classes, &other.classes);
    }

    fn int(&mut self, value: i32) {
        *self.ints.entry(value).or_default() += 1;
    }

    fn string(&mut self, value: JavaString) {
        *self.strings.entry(value).or_default() += 1;
    }

    fn loadable(&mut self, constant: Loadable) {
        match constant {
            Loadable::Int(value) => self.int(value),
            Loadable::Long(value) => *self.longs.entry(value).or_default() += 1,
            Loadable::Float(value) => *self.floats.entry(value.to_bits()).or_default() += 1,
            Loadable::Double(value) => *self.doubles.entry(value.to_bits()).or_default() += 1,
            Loadable::String(value) => self.string(value),
            Loadable::Class(value) => *self.classes.entry(value).or_default() += 1,
            Loadable::MethodHandle(_) | Loadable::MethodType(_) | Loadable::Dynamic { .. } => {}
        }
    }
}

impl ClassLiterals {
    /// Those of fields and all methods together.
    pub fn total(&self) -> Literals {
        let mut total = self.fields.clone();
        for (_, literals) in &self.methods {
            total.include(literals);
        }
        total
    }
}

impl World<'_> {
    /// The constants a class mentions; none at all if it is not there.
    pub fn literals(&self, class: ClassId) -> ClassLiterals {
        let mut found = ClassLiterals::default();
        let Some(file) = self.file(class) else { return found };
        for field in &file.fields {
            if let Ok(Some(value)) = field.attributes(&file.pool).constant_value() {
                found.fields.loadable(value);
            }
        }
        for method in self.methods_of(class) {
            let literals = self.code(method).map(|code| literals_of(file, &code)).unwrap_or_default();
            if !literals.is_empty() {
                found.methods.push((method, literals));
            }
        }
        found
    }
}

/// The constants in one body.
pub fn literals_of(file: &ClassFile, code: &Code) -> Literals {
    let mut found = Literals::default();
    let mut keys = Vec::new();
    for insn in code.insns() {
        match insn {
            Insn::Int(value) => found.int(i32::from(*value)),
            Insn::Inc { by, .. } => found.int(i32::from(*by)),
            Insn::Long(value) => found.loadable(Loadable::Long(i64::from(*value))),
            Insn::Float(value) => found.loadable(Loadable::Float(f32::from(*value))),
            Insn::Double(value) => found.loadable(Loadable::Double(f64::from(*value))),
            Insn::Ldc(index) => {
                if let Ok(constant) = file.pool.loadable(*index) {
                    found.loadable(constant);
                }
            }
            Insn::TableSwitch(switch) => {
                let used = (switch.low..).zip(&switch.targets).filter(|(_, to)| **to != switch.default);
                keys.extend(used.map(|(key, _)| key));
            }
            Insn::LookupSwitch(switch) => keys.extend(&switch.keys),
            Insn::InvokeDynamic(index) => concatenated(file, *index, &mut found),
            _ => {}
        }
    }
    let hashes: Vec<i32> = found.strings.keys().map(java_hash).collect();
    keys.into_iter().filter(|key| !hashes.contains(key)).for_each(|key| found.int(key));
    found
}

/// Text between the operands of a string concatenation, and its constant operands.
fn concatenated(file: &ClassFile, index: PoolIndex, found: &mut Literals) {
    let arguments = || {
        let site = file.pool.dynamic_ref(index).ok()?;
        let methods = file.attributes().bootstrap_methods().ok()?;
        let bootstrap = methods.into_iter().nth(usize::from(site.bootstrap))?;
        let handle = file.pool.method_handle(bootstrap.method).ok()?;
        let is_concat = handle.owner == Type::class("java/lang/invoke/StringConcatFactory");
        is_concat.then_some(bootstrap.arguments)
    };
    for (at, argument) in arguments().into_iter().flatten().enumerate() {
        match file.pool.loadable(argument) {
            Ok(Loadable::String(recipe)) if at == 0 => {
                let parts = recipe.units().split(|&unit| unit == 1 || unit == 2);
                parts
                    .filter(|part| !part.is_empty())
                    .for_each(|part| found.string(JavaString::from_units(part)));
            }
            Ok(constant) => found.loadable(constant),
            Err(_) => {}
        }
    }
}

/// `String.hashCode`.
fn java_hash(text: &JavaString) -> i32 {
    text.units().iter().fold(0i32, |hash, &unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_java() {
        assert_eq!(java_hash(&JavaString::from("hello")), 99_162_322);
        assert_eq!(java_hash(&JavaString::from("polygenelubricants")), i32::MIN);
    }
}
