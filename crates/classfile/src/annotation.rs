//! Annotations and their values (JVMS §4.7.16 to §4.7.22).
//!
//! In: annotation attributes of classes, members, parameters, types and code. Out: [`Annotation`],
//! [`TypeAnnotation`], [`ElementValue`]. Never loads the annotation type, so defaults are not filled in.

use probat_model::{JavaString, Type};

use crate::attribute::Attributes;
use crate::bytes::Cursor;
use crate::code::CodeTypeAnnotation;
use crate::error::{PoolError, Problem, ReadError};
use crate::pool::{Constant, ConstantPool, PoolIndex};

/// How deep annotations and arrays may nest.
const MAX_DEPTH: usize = 128;

/// An annotation with the elements it sets.
#[derive(Debug, Clone, PartialEq)]
pub struct Annotation {
    pub ty: Type,
    pub elements: Vec<(String, ElementValue)>,
}

impl Annotation {
    /// The value the annotation gives an element.
    pub fn element(&self, name: &str) -> Option<&ElementValue> {
        self.elements.iter().find(|(found, _)| found == name).map(|(_, value)| value)
    }
}

/// The value of an annotation's element.
#[derive(Debug, Clone, PartialEq)]
pub enum ElementValue {
    Boolean(bool),
    Byte(i8),
    Char(u16),
    Short(i16),
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
    String(JavaString),
    Enum {
        ty: Type,
        name: String,
    },
    /// `None` is `void.class`.
    Class(Option<Type>),
    Annotation(Annotation),
    Array(Vec<ElementValue>),
}

/// An annotation on a use of a type outside code.
#[derive(Debug, Clone, PartialEq)]
pub struct TypeAnnotation {
    pub target: TypeTarget,
    /// From the outermost type inwards to the annotated part; empty for the type itself.
    pub path: Vec<PathStep>,
    pub annotation: Annotation,
}

/// Which type of a declaration is annotated (JVMS table 4.7.20-A).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TypeTarget {
    ClassTypeParameter(u8),
    MethodTypeParameter(u8),
    Superclass,
    /// By its place among the direct superinterfaces.
    Interface(u16),
    ClassTypeParameterBound {
        parameter: u8,
        bound: u8,
    },
    MethodTypeParameterBound {
        parameter: u8,
        bound: u8,
    },
    /// Of a field or a record component.
    Field,
    /// The result of a method, or what a constructor makes.
    Return,
    Receiver,
    Parameter(u8),
    /// By its place in the `throws` clause.
    Throws(u16),
}

/// A step from a type to a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PathStep {
    ArrayElement,
    Nested,
    WildcardBound,
    TypeArgument(u8),
}

impl Attributes<'_> {
    /// `RuntimeVisibleAnnotations` or `RuntimeInvisibleAnnotations`.
    pub fn annotations(&self, visible: bool) -> Result<Vec<Annotation>, ReadError> {
        let name = if visible { "RuntimeVisibleAnnotations" } else { "RuntimeInvisibleAnnotations" };
        let Some(mut cursor) = self.cursor(name) else { return Ok(Vec::new()) };
        let annotations = read_annotations(&mut cursor, self.pool)?;
        cursor.finish()?;
        Ok(annotations)
    }

    /// `RuntimeVisibleParameterAnnotations` or its invisible twin, per parameter the compiler counted: that
    /// may leave out synthetic ones at the front.
    pub fn parameter_annotations(&self, visible: bool) -> Result<Vec<Vec<Annotation>>, ReadError> {
        let name = match visible {
            true => "RuntimeVisibleParameterAnnotations",
            false => "RuntimeInvisibleParameterAnnotations",
        };
        let Some(mut cursor) = self.cursor(name) else { return Ok(Vec::new()) };
        let count = cursor.u1()?;
        let parameters =
            (0..count).map(|_| read_annotations(&mut cursor, self.pool)).collect::<Result<_, _>>()?;
        cursor.finish()?;
        Ok(parameters)
    }

    /// `RuntimeVisibleTypeAnnotations` or its invisible twin, of a class, member or record component.
    pub fn type_annotations(&self, visible: bool) -> Result<Vec<TypeAnnotation>, ReadError> {
        let name = if visible { "RuntimeVisibleTypeAnnotations" } else { "RuntimeInvisibleTypeAnnotations" };
        let Some(mut cursor) = self.cursor(name) else { return Ok(Vec::new()) };
        let count = cursor.u2()?;
        let mut annotations = Vec::new();
        for _ in 0..count {
            annotations.push(TypeAnnotation {
                target: read_target(&mut cursor)?,
                path: read_path(&mut cursor)?,
                annotation: read_annotation(&mut cursor, self.pool, 0)?,
            });
        }
        cursor.finish()?;
        Ok(annotations)
    }

    /// The default of an annotation type's element.
    pub fn annotation_default(&self) -> Result<Option<ElementValue>, ReadError> {
        let Some(mut cursor) = self.cursor("AnnotationDefault") else { return Ok(None) };
        let value = read_value(&mut cursor, self.pool, 0)?;
        cursor.finish()?;
        Ok(Some(value))
    }
}

impl CodeTypeAnnotation {
    /// The annotated part of the type, and the annotation.
    pub fn decode(&self, pool: &ConstantPool) -> Result<(Vec<PathStep>, Annotation), ReadError> {
        let mut cursor = self.content.cursor("type annotation of Code");
        let path = read_path(&mut cursor)?;
        let annotation = read_annotation(&mut cursor, pool, 0)?;
        cursor.finish()?;
        Ok((path, annotation))
    }
}

fn read_annotations(cursor: &mut Cursor<'_>, pool: &ConstantPool) -> Result<Vec<Annotation>, ReadError> {
    let count = cursor.u2()?;
    (0..count).map(|_| read_annotation(cursor, pool, 0)).collect()
}

fn read_annotation(
    cursor: &mut Cursor<'_>,
    pool: &ConstantPool,
    depth: usize,
) -> Result<Annotation, ReadError> {
    let ty = at_index(cursor, |index| pool.field_descriptor(index))?;
    let count = cursor.u2()?;
    // Nested structures share the bytes that are left, so counts are not trusted for room at all.
    let mut elements = Vec::new();
    for _ in 0..count {
        let name = at_index(cursor, |index| pool.text(index))?.into_owned();
        elements.push((name, read_value(cursor, pool, depth + 1)?));
    }
    Ok(Annotation { ty, elements })
}

/// Reads an index and follows it; an error names the index's place.
fn at_index<T>(
    cursor: &mut Cursor<'_>,
    follow: impl FnOnce(PoolIndex) -> Result<T, PoolError>,
) -> Result<T, ReadError> {
    let start = cursor.position();
    follow(PoolIndex(cursor.u2()?)).map_err(|error| cursor.error_at(start, error))
}

fn read_value(cursor: &mut Cursor<'_>, pool: &ConstantPool, depth: usize) -> Result<ElementValue, ReadError> {
    if depth > MAX_DEPTH {
        return Err(cursor.error(Problem::TooDeep(MAX_DEPTH)));
    }
    let start = cursor.position();
    let tag = cursor.u1()?;
    Ok(match tag {
        b'B' | b'C' | b'I' | b'S' | b'Z' => {
            let value = at_index(cursor, |index| match pool.get(index)? {
                Constant::Integer(value) => Ok(value),
                other => Err(wrong(index, other, "Integer")),
            })?;
            match tag {
                b'B' => ElementValue::Byte(value as i8),
                b'C' => ElementValue::Char(value as u16),
                b'S' => ElementValue::Short(value as i16),
                b'Z' => ElementValue::Boolean(value != 0),
                _ => ElementValue::Int(value),
            }
        }
        b'J' | b'F' | b'D' => at_index(cursor, |index| match (tag, pool.get(index)?) {
            (b'J', Constant::Long(value)) => Ok(ElementValue::Long(value)),
            (b'F', Constant::Float(value)) => Ok(ElementValue::Float(value)),
            (b'D', Constant::Double(value)) => Ok(ElementValue::Double(value)),
            (_, other) => Err(wrong(index, other, "number of the element's type")),
        })?,
        b's' => ElementValue::String(at_index(cursor, |index| pool.java_text(index))?),
        b'e' => ElementValue::Enum {
            ty: at_index(cursor, |index| pool.field_descriptor(index))?,
            name: at_index(cursor, |index| pool.text(index))?.into_owned(),
        },
        b'c' => ElementValue::Class(at_index(cursor, |index| match pool.utf8(index)? {
            b"V" => Ok(None),
            _ => pool.field_descriptor(index).map(Some),
        })?),
        b'@' => ElementValue::Annotation(read_annotation(cursor, pool, depth + 1)?),
        b'[' => {
            let count = cursor.u2()?;
            let mut values = Vec::new();
            for _ in 0..count {
                values.push(read_value(cursor, pool, depth + 1)?);
            }
            ElementValue::Array(values)
        }
        _ => return Err(cursor.error_at(start, Problem::UnknownElementTag(tag))),
    })
}

fn wrong(index: PoolIndex, found: Constant<'_>, expected: &'static str) -> PoolError {
    PoolError::WrongKind { index, found: found.kind(), expected }
}

fn read_target(cursor: &mut Cursor<'_>) -> Result<TypeTarget, ReadError> {
    let tag = cursor.u1()?;
    Ok(match tag {
        0x00 => TypeTarget::ClassTypeParameter(cursor.u1()?),
        0x01 => TypeTarget::MethodTypeParameter(cursor.u1()?),
        0x10 => match cursor.u2()? {
            0xffff => TypeTarget::Superclass,
            interface => TypeTarget::Interface(interface),
        },
        0x11 => TypeTarget::ClassTypeParameterBound { parameter: cursor.u1()?, bound: cursor.u1()? },
        0x12 => TypeTarget::MethodTypeParameterBound { parameter: cursor.u1()?, bound: cursor.u1()? },
        0x13 => TypeTarget::Field,
        0x14 => TypeTarget::Return,
        0x15 => TypeTarget::Receiver,
        0x16 => TypeTarget::Parameter(cursor.u1()?),
        0x17 => TypeTarget::Throws(cursor.u2()?),
        _ => return Err(cursor.error_at(cursor.position() - 1, Problem::UnknownTarget(tag))),
    })
}

fn read_path(cursor: &mut Cursor<'_>) -> Result<Vec<PathStep>, ReadError> {
    let count = cursor.u1()?;
    let step = |_| {
        let kind = cursor.u1()?;
        let argument = cursor.u1()?;
        Ok(match kind {
            0 => PathStep::ArrayElement,
            1 => PathStep::Nested,
            2 => PathStep::WildcardBound,
            3 => PathStep::TypeArgument(argument),
            _ => return Err(cursor.error_at(cursor.position() - 2, Problem::UnknownPathStep(kind))),
        })
    };
    (0..count).map(step).collect()
}

/// Moves past a type path and an annotation without looking at constants.
pub(crate) fn skip_path_and_annotation(cursor: &mut Cursor<'_>) -> Result<(), ReadError> {
    let steps = cursor.u1()?;
    cursor.take(2 * usize::from(steps))?;
    skip_annotation(cursor, 0)
}

fn skip_annotation(cursor: &mut Cursor<'_>, depth: usize) -> Result<(), ReadError> {
    cursor.u2()?;
    for _ in 0..cursor.u2()? {
        cursor.u2()?;
        skip_value(cursor, depth + 1)?;
    }
    Ok(())
}

fn skip_value(cursor: &mut Cursor<'_>, depth: usize) -> Result<(), ReadError> {
    if depth > MAX_DEPTH {
        return Err(cursor.error(Problem::TooDeep(MAX_DEPTH)));
    }
    let start = cursor.position();
    match cursor.u1()? {
        b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' | b's' | b'c' => cursor.take(2).map(drop),
        b'e' => cursor.take(4).map(drop),
        b'@' => skip_annotation(cursor, depth + 1),
        b'[' => {
            for _ in 0..cursor.u2()? {
                skip_value(cursor, depth + 1)?;
            }
            Ok(())
        }
        tag => Err(cursor.error_at(start, Problem::UnknownElementTag(tag))),
    }
}
