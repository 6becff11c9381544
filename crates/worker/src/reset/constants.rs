//! Objects that static fields refer to, where they are no more than numbers and texts.
//!
//! In: a class that has just been initialised. Out: the fields of such objects put back after every sequence. A hash code or a text that a constant
//! keeps once it was asked for would tell later sequences what came before them, and that differs from worker to worker.
//! Objects that refer to others are left alone: half of a structure put back is a structure nobody made.

use probat_jvm::{Class, Env, Field, Global, Jvmti, Ref, Trust, Value};

use super::statics::{Held, bits, from_bits, holds};
use crate::fault::Fault;

const ACC_STATIC: u32 = 0x0008;
const ACC_FINAL: u32 = 0x0010;

/// Fields that are looked at after every sequence. Each costs a few nanoseconds.
const MOST: usize = 2_000;

/// Superclasses that have no say in what an object is.
const ROOTS: [&str; 2] = ["Ljava/lang/Object;", "Ljava/lang/Enum;"];

/// One object, with what its fields held that are not final.
#[derive(Debug)]
struct Constant {
    object: Global,
    fields: Vec<(Field, Held)>,
}

/// The constants of the classes initialised so far.
#[derive(Debug, Default)]
pub struct Constants {
    constants: Vec<Constant>,
    fields: usize,
}

impl Constants {
    /// Forgets all of them: their loader is gone.
    pub fn forget(&mut self) {
        *self = Constants::default();
    }

    /// Remembers the objects that static fields of a class refer to. What another class brought is known already.
    pub fn remember(&mut self, env: &mut Env<'_>, jvmti: Jvmti, class: Ref<'_, Class>) -> Result<(), Fault> {
        for declared in jvmti.class_fields(class)? {
            let is_object = declared.modifiers & ACC_STATIC != 0 && declared.descriptor.starts_with('L');
            if !is_object || self.fields >= MOST {
                continue;
            }
            let Ok(field) = env.static_field(class, &declared.name, &declared.descriptor) else { continue };
            let Ok(Value::Object(Some(object))) = env.get_static(&field) else { continue };
            if self.constants.iter().any(|known| env.is_same(object, known.object.get())) {
                continue;
            }
            let fields = plain_fields(env, jvmti, object)?;
            if !fields.is_empty() {
                let object = env.global(object).map_err(|_| Fault::missing("memory for a reference"))?;
                self.fields += fields.len();
                self.constants.push(Constant { object, fields });
            }
        }
        Ok(())
    }

    /// Puts back what was changed.
    pub fn restore(&self, env: &mut Env<'_>) -> Result<(), Fault> {
        for Constant { object, fields } in &self.constants {
            for (field, held) in fields {
                if is_as_before(env, field, object.get(), held) {
                    continue;
                }
                let value = match held {
                    Held::Primitive(kind, bits) => from_bits(*kind, *bits),
                    Held::Reference(text) => Value::Object(text.as_ref().map(Global::get)),
                };
                // What the field held before, it can hold again.
                env.set(field, object.get(), value, Trust::Caller)
                    .map_err(|error| Fault::call(env, "put a field of a constant back", error))?;
            }
        }
        Ok(())
    }
}

/// Whether a field still holds what it held; leaves no reference behind.
fn is_as_before(env: &Env<'_>, field: &Field, object: Ref<'_>, held: &Held) -> bool {
    match held {
        Held::Reference(then) => {
            let Ok(now) = env.get_object(field, object, Trust::Caller) else { return true };
            match (now, then) {
                (None, None) => true,
                (Some(now), then) => {
                    let same = then.as_ref().is_some_and(|then| env.is_same(now.get(), then.get()));
                    env.delete(now);
                    same
                }
                (None, Some(_)) => false,
            }
        }
        Held::Primitive(_, then) => {
            env.get(field, object, Trust::Caller).map_or(true, |now| bits(now) == *then)
        }
    }
}

/// The fields of an object that can change, with what they hold; none if it has a field for anything but numbers and texts.
fn plain_fields(env: &mut Env<'_>, jvmti: Jvmti, object: Ref<'_>) -> Result<Vec<(Field, Held)>, Fault> {
    let mut fields = Vec::new();
    let mut next = Some(env.object_class(object));
    while let Some(class) = next {
        if ROOTS.contains(&jvmti.class_signature(class.get())?.0.as_str()) {
            break;
        }
        for declared in jvmti.class_fields(class.get())? {
            if declared.modifiers & ACC_STATIC != 0 {
                continue;
            }
            let is_plain = declared.descriptor.len() == 1 || declared.descriptor == "Ljava/lang/String;";
            if !is_plain {
                return Ok(Vec::new());
            }
            if declared.modifiers & ACC_FINAL == 0 {
                let field = match env.field(class.get(), &declared.name, &declared.descriptor) {
                    Ok(field) => field,
                    Err(error) => return Err(Fault::member(env, "find a field of a constant", error)),
                };
                let Ok(value) = env.get(&field, object, Trust::Caller) else { return Ok(Vec::new()) };
                let held = holds(env, value)?;
                fields.push((field, held));
            }
        }
        next = env.super_class(class.get());
    }
    Ok(fields)
}
