//! The heap of the JVM in this process, read in place while the collector stands aside.
//!
//! In: places of objects, and classes that `live` has met and compared. Out: what [`Heap`] asks for, or [`Unmet`] for anything that
//! was not met yet; then `live` reads the state, and learns.

use std::rc::Rc;

use probat_jvm::{Field, Held, Place, Still, Trust};

use super::access::{Content, Heap, Primitive, Scalar};
use super::live::Registry;
use super::shape::{Form, Guess, Shape};

/// Something that only JNI can tell about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unmet;

/// A view of the heap for as long as nothing moves.
#[derive(Debug)]
pub(crate) struct StillHeap<'s> {
    still: Still<'s>,
    registry: &'s Registry,
    /// The class of strings, and which of its fields are `value` and `coder`.
    strings: Option<(&'s Rc<Shape<Field>>, u32, u32)>,
}

impl<'s> StillHeap<'s> {
    pub(crate) fn new(still: Still<'s>, registry: &'s Registry) -> Self {
        StillHeap { still, registry, strings: None }
    }

    fn shape(&self, object: Place<'s>, guess: &Guess) -> Result<&'s Rc<Shape<Field>>, Unmet> {
        self.registry.shape_by_word(self.still.class_word(object), guess).ok_or(Unmet)
    }

    /// The bytes of a string and what they are.
    fn parts(&mut self, string: Place<'s>) -> Result<(Place<'s>, i8), Unmet> {
        if self.strings.is_none() {
            let shape = self.shape(string, &Guess::default())?;
            let field = |name| shape.field("java/lang/String", name).ok_or(Unmet);
            self.strings = Some((shape, field("value")?, field("coder")?));
        }
        let (shape, value, coder) = self.strings.ok_or(Unmet)?;
        // No class extends `String`, so all strings have the fields of that one shape.
        let part = |at: u32| self.still.get(string, &shape.fields[at as usize].handle, Trust::Caller);
        match (part(value), part(coder)) {
            (Held::Object(Some(value)), Held::Byte(coder)) => Ok((value, coder)),
            _ => Err(Unmet),
        }
    }
}

impl<'s> Heap for StillHeap<'s> {
    type Ref = Place<'s>;
    type Field = Field;
    type Error = Unmet;

    #[inline]
    fn shape_of(&mut self, object: Place<'s>, guess: &Guess) -> Result<Rc<Shape<Field>>, Unmet> {
        self.shape(object, guess).map(Rc::clone)
    }

    #[inline]
    fn identity_hash(&mut self, object: Place<'s>) -> Result<u32, Unmet> {
        Ok((object.address() >> 3) as u32)
    }

    #[inline]
    fn is_same(&mut self, left: Place<'s>, right: Place<'s>) -> bool {
        left == right
    }

    #[inline]
    fn read(&mut self, object: Place<'s>, field: &Field) -> Result<Content<Place<'s>>, Unmet> {
        // The field comes from the shape of the object's own class, so the object has it.
        Ok(Content::Scalar(match self.still.get(object, field, Trust::Caller) {
            Held::Object(reference) => return Ok(Content::Reference(reference)),
            Held::Boolean(value) => Scalar::Boolean(value),
            Held::Byte(value) => Scalar::Byte(value),
            Held::Char(value) => Scalar::Char(value),
            Held::Short(value) => Scalar::Short(value),
            Held::Int(value) => Scalar::Int(value),
            Held::Long(value) => Scalar::Long(value),
            Held::Float(value) => Scalar::Float(value.to_bits()),
            Held::Double(value) => Scalar::Double(value.to_bits()),
        }))
    }

    #[inline]
    fn length(&mut self, array: Place<'s>, shape: &Shape<Field>) -> Result<u32, Unmet> {
        match shape.form {
            Form::Array | Form::Cells(_) => Ok(self.still.length(array, Trust::Caller)),
            _ => Err(Unmet),
        }
    }

    #[inline]
    fn element(&mut self, array: Place<'s>, at: u32) -> Result<Option<Place<'s>>, Unmet> {
        Ok(self.still.element(array, at, Trust::Caller))
    }

    fn cells(
        &mut self,
        array: Place<'s>,
        of: Primitive,
        _: u32,
        mut each: impl FnMut(Scalar),
    ) -> Result<(), Unmet> {
        let (still, trust) = (self.still, Trust::Caller);
        match of {
            Primitive::Boolean => {
                still.cells::<u8>(array, trust).for_each(|value| each(Scalar::Boolean(value != 0)));
            }
            Primitive::Byte => still.cells(array, trust).for_each(|value| each(Scalar::Byte(value))),
            Primitive::Char => still.cells(array, trust).for_each(|value| each(Scalar::Char(value))),
            Primitive::Short => still.cells(array, trust).for_each(|value| each(Scalar::Short(value))),
            Primitive::Int => still.cells(array, trust).for_each(|value| each(Scalar::Int(value))),
            Primitive::Long => still.cells(array, trust).for_each(|value| each(Scalar::Long(value))),
            Primitive::Float => {
                still.cells::<f32>(array, trust).for_each(|value| each(Scalar::Float(value.to_bits())));
            }
            Primitive::Double => {
                still.cells::<f64>(array, trust).for_each(|value| each(Scalar::Double(value.to_bits())));
            }
        }
        Ok(())
    }

    fn string(&mut self, string: Place<'s>, limit: usize, into: &mut Vec<u16>) -> Result<usize, Unmet> {
        into.clear();
        let (value, coder) = self.parts(string)?;
        let mut bytes = self.still.cells::<u8>(value, Trust::Caller);
        // `String.LATIN1` and `String.UTF16`, in the byte order of the machine.
        if coder == 0 {
            let length = bytes.len();
            into.extend(bytes.take(limit).map(u16::from));
            return Ok(length);
        }
        let length = bytes.len() / 2;
        for _ in 0..length.min(limit) {
            let (Some(first), Some(second)) = (bytes.next(), bytes.next()) else { break };
            into.push(u16::from_ne_bytes([first, second]));
        }
        Ok(length)
    }

    fn descriptor(&mut self, class: Place<'s>) -> Result<Rc<str>, Unmet> {
        self.registry.descriptor_of(|known| self.still.place(known) == class).ok_or(Unmet)
    }

    #[inline]
    fn is_null_key(&mut self, key: Place<'s>, table: &Shape<Field>) -> bool {
        self.registry.null_key(table.id).is_some_and(|null_key| self.still.place(null_key.get()) == key)
    }
}
