//! Static fields of instrumented classes, as each class's initialiser left them.
//!
//! In: a class that has just been initialised. Out: its non-final static fields put back on request.
//! Contents of objects that static fields refer to are put back where they are plain ([`Constants`]); of others a fresh class loader does that.

use probat_jvm::{Class, Env, Field, Global, Jvmti, Kind, Ref, Trust, Value};
use rustc_hash::FxHashSet;

use super::constants::Constants;
use crate::fault::Fault;

const ACC_STATIC: u32 = 0x0008;
const ACC_FINAL: u32 = 0x0010;

/// What a static field held.
#[derive(Debug)]
pub(super) enum Held {
    /// As bits, so that NaN is itself.
    Primitive(Kind, u64),
    Reference(Option<Global>),
}

/// A static field and what it held.
#[derive(Debug)]
struct StaticField {
    field: Field,
    held: Held,
}

/// The static fields of the classes initialised so far.
#[derive(Debug, Default)]
pub struct Statics {
    fields: Vec<StaticField>,
    /// Classes remembered, by number.
    classes: FxHashSet<u32>,
    constants: Constants,
}

impl Statics {
    /// Forgets all classes: their loader is gone.
    pub fn forget(&mut self) {
        self.fields.clear();
        self.classes.clear();
        self.constants.forget();
    }

    /// Remembers the non-final static fields of a class whose initialiser has just ended.
    pub fn remember(
        &mut self,
        env: &mut Env<'_>,
        jvmti: Jvmti,
        number: u32,
        class: Ref<'_, Class>,
    ) -> Result<(), Fault> {
        if !self.classes.insert(number) {
            return Ok(());
        }
        for field in changeable(env, jvmti, class)? {
            if let Some(held) = held(env, &field)? {
                self.fields.push(StaticField { field, held });
            }
        }
        self.constants.remember(env, jvmti, class)
    }

    /// Puts back what objects in static fields hold; nothing marks that they changed.
    pub fn restore_constants(&self, env: &mut Env<'_>) -> Result<(), Fault> {
        self.constants.restore(env)
    }

    /// Remembers one field, that a step may write.
    pub fn remember_field(&mut self, env: &mut Env<'_>, field: Field) -> Result<(), Fault> {
        if let Some(held) = held(env, &field)? {
            self.fields.push(StaticField { field, held });
        }
        Ok(())
    }

    /// Remembers zeros for the non-final static fields of a class without initialiser.
    pub fn remember_zeros(
        &mut self,
        env: &mut Env<'_>,
        jvmti: Jvmti,
        number: u32,
        class: Ref<'_, Class>,
    ) -> Result<(), Fault> {
        if !self.classes.insert(number) {
            return Ok(());
        }
        for field in changeable(env, jvmti, class)? {
            let held = match field.kind() {
                Kind::Object => Held::Reference(None),
                kind => Held::Primitive(kind, 0),
            };
            self.fields.push(StaticField { field, held });
        }
        Ok(())
    }

    /// Puts every field back; answers whether one had changed.
    pub fn restore(&mut self, env: &mut Env<'_>) -> Result<bool, Fault> {
        let mut changed = false;
        for StaticField { field, held } in &self.fields {
            let Ok(now) = env.get_static(field) else { continue };
            if same(env, now, held) {
                continue;
            }
            changed = true;
            let value = match held {
                Held::Primitive(kind, bits) => from_bits(*kind, *bits),
                Held::Reference(object) => Value::Object(object.as_ref().map(Global::get)),
            };
            // What the field held before, it can hold again.
            env.set_static(field, value, Trust::Caller)
                .map_err(|error| Fault::call(env, "put a static field back", error))?;
        }
        Ok(changed)
    }
}

fn held(env: &mut Env<'_>, field: &Field) -> Result<Option<Held>, Fault> {
    match env.get_static(field) {
        Ok(value) => holds(env, value).map(Some),
        Err(_) => Ok(None),
    }
}

/// A value to be put back later.
pub(super) fn holds(env: &Env<'_>, value: Value<'_>) -> Result<Held, Fault> {
    Ok(match value {
        Value::Object(None) => Held::Reference(None),
        Value::Object(Some(object)) => {
            Held::Reference(Some(env.global(object).map_err(|_| Fault::missing("memory for a reference"))?))
        }
        primitive => Held::Primitive(primitive.kind(), bits(primitive)),
    })
}

/// The static fields of a class that are not final.
fn changeable(env: &mut Env<'_>, jvmti: Jvmti, class: Ref<'_, Class>) -> Result<Vec<Field>, Fault> {
    let declared = jvmti.class_fields(class)?;
    let changeable =
        declared.iter().filter(|field| field.modifiers & ACC_STATIC != 0 && field.modifiers & ACC_FINAL == 0);
    let mut fields = Vec::new();
    for field in changeable {
        match env.static_field(class, &field.name, &field.descriptor) {
            Ok(field) => fields.push(field),
            Err(error) => return Err(Fault::member(env, "find a static field", error)),
        }
    }
    Ok(fields)
}

fn same(env: &Env<'_>, now: Value<'_>, held: &Held) -> bool {
    match (now, held) {
        (Value::Object(None), Held::Reference(None)) => true,
        (Value::Object(Some(now)), Held::Reference(Some(then))) => env.is_same(now, then.get()),
        (Value::Object(_), _) | (_, Held::Reference(_)) => false,
        (now, Held::Primitive(_, then)) => bits(now) == *then,
    }
}

/// A primitive as bits, so that NaN is itself.
pub(super) fn bits(value: Value<'_>) -> u64 {
    match value {
        Value::Boolean(v) => u64::from(v),
        Value::Byte(v) => v as u64,
        Value::Char(v) => u64::from(v),
        Value::Short(v) => v as u64,
        Value::Int(v) => v as u64,
        Value::Long(v) => v as u64,
        Value::Float(v) => u64::from(v.to_bits()),
        Value::Double(v) => v.to_bits(),
        Value::Object(_) => 0,
    }
}

pub(super) fn from_bits(kind: Kind, bits: u64) -> Value<'static> {
    match kind {
        Kind::Boolean => Value::Boolean(bits != 0),
        Kind::Byte => Value::Byte(bits as i8),
        Kind::Char => Value::Char(bits as u16),
        Kind::Short => Value::Short(bits as i16),
        Kind::Int => Value::Int(bits as i32),
        Kind::Long => Value::Long(bits as i64),
        Kind::Float => Value::Float(f32::from_bits(bits as u32)),
        Kind::Double => Value::Double(f64::from_bits(bits)),
        Kind::Object => Value::Object(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primitives_compare_by_bits() {
        assert_eq!(bits(Value::Double(f64::NAN)), bits(Value::Double(f64::NAN)));
        assert_ne!(bits(Value::Double(0.0)), bits(Value::Double(-0.0)));
        assert_ne!(bits(Value::Int(-1)), bits(Value::Int(1)));
    }

    #[test]
    fn bits_become_the_same_primitive_again() {
        for value in [
            Value::Boolean(true),
            Value::Byte(-3),
            Value::Char(0xd800),
            Value::Short(i16::MIN),
            Value::Int(-1),
            Value::Long(i64::MIN),
            Value::Float(-0.0),
            Value::Double(f64::NAN),
        ] {
            let back = from_bits(value.kind(), bits(value));
            assert_eq!((back.kind(), bits(back)), (value.kind(), bits(value)));
        }
    }
}
