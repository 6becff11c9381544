//! What a walk over a heap asks of the heap.
//!
//! In: handles the heap gave out. Out: classes, fields, elements, text, identity.
//! [`live`](super::live) answers for a JVM, a fake one for tests. Nothing here may run Java code or change an object.

use std::rc::Rc;

use super::shape::{Guess, Shape};

/// A primitive value, floating point as raw bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scalar {
    Boolean(bool),
    Byte(i8),
    Char(u16),
    Short(i16),
    Int(i32),
    Long(i64),
    Float(u32),
    Double(u64),
}

/// One of the eight primitive types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Primitive {
    Boolean,
    Byte,
    Char,
    Short,
    Int,
    Long,
    Float,
    Double,
}

impl Primitive {
    /// The type a descriptor spells; `None` for references.
    pub(crate) fn of_descriptor(descriptor: &str) -> Option<Self> {
        Some(match descriptor {
            "Z" => Primitive::Boolean,
            "B" => Primitive::Byte,
            "C" => Primitive::Char,
            "S" => Primitive::Short,
            "I" => Primitive::Int,
            "J" => Primitive::Long,
            "F" => Primitive::Float,
            "D" => Primitive::Double,
            _ => return None,
        })
    }

    /// The value a fresh field of this type has.
    pub(crate) fn zero(self) -> Scalar {
        match self {
            Primitive::Boolean => Scalar::Boolean(false),
            Primitive::Byte => Scalar::Byte(0),
            Primitive::Char => Scalar::Char(0),
            Primitive::Short => Scalar::Short(0),
            Primitive::Int => Scalar::Int(0),
            Primitive::Long => Scalar::Long(0),
            Primitive::Float => Scalar::Float(0),
            Primitive::Double => Scalar::Double(0),
        }
    }
}

/// What a field holds.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Content<R> {
    Scalar(Scalar),
    Reference(Option<R>),
}

impl<R> Content<R> {
    /// The reference; `None` also for a primitive, which callers rule out by the field they read.
    pub(crate) fn reference(self) -> Option<R> {
        match self {
            Content::Scalar(_) => None,
            Content::Reference(reference) => reference,
        }
    }
}

/// Objects and how to look into them.
pub(crate) trait Heap {
    /// A handle; two handles may be of one object.
    type Ref: Copy;
    /// What it takes to read a field.
    type Field;
    /// Why the heap could not answer.
    type Error;

    /// The class of an object. `guess` is what the same place held last; the answer is left in it.
    fn shape_of(&mut self, object: Self::Ref, guess: &Guess) -> Result<Rc<Shape<Self::Field>>, Self::Error>;

    /// A number that stays the same for the life of the object.
    fn identity_hash(&mut self, object: Self::Ref) -> Result<u32, Self::Error>;

    /// Whether both handles are of one object.
    fn is_same(&mut self, left: Self::Ref, right: Self::Ref) -> bool;

    /// Reads a field of an object that has it.
    fn read(&mut self, object: Self::Ref, field: &Self::Field) -> Result<Content<Self::Ref>, Self::Error>;

    /// The length of an array of whatever type.
    fn length(&mut self, array: Self::Ref, shape: &Shape<Self::Field>) -> Result<u32, Self::Error>;

    /// An element of an array of references.
    fn element(&mut self, array: Self::Ref, at: u32) -> Result<Option<Self::Ref>, Self::Error>;

    /// Hands over the elements of a primitive array in order.
    fn cells(
        &mut self,
        array: Self::Ref,
        of: Primitive,
        length: u32,
        each: impl FnMut(Scalar),
    ) -> Result<(), Self::Error>;

    /// Fills `into` with the first units of a string, at most `limit`. Answers how many there are.
    fn string(&mut self, string: Self::Ref, limit: usize, into: &mut Vec<u16>) -> Result<usize, Self::Error>;

    /// The descriptor a `java.lang.Class` object stands for.
    fn descriptor(&mut self, class: Self::Ref) -> Result<Rc<str>, Self::Error>;

    /// Whether a key is what the table's class stores in place of `null`.
    fn is_null_key(&mut self, key: Self::Ref, table: &Shape<Self::Field>) -> bool;
}
