//! Attributes of classes, fields and methods, decoded when asked for (JVMS §4.7).
//!
//! In: [`Attributes`]. Out: names, types, values. An attribute that is absent gives `None` or an empty list.
//! Annotations live in `annotation`, modules in `module`, what stands inside `Code` in `code`.

use std::borrow::Cow;

use probat_model::{ClassName, MethodDescriptor, Type};

use super::{Attribute, Attributes, read_attributes};
use crate::bytes::Cursor;
use crate::class::read_indices;
use crate::error::{PoolError, Problem, ReadError};
use crate::flags::AccessFlags;
use crate::pool::{ConstantPool, Loadable, PoolIndex};
use crate::signature::{ClassSignature, MethodSignature, SignatureError, TypeSignature};

/// An entry of `InnerClasses`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct InnerClass {
    pub inner: ClassName,
    /// `None` for local and anonymous classes.
    pub outer: Option<ClassName>,
    /// `None` for anonymous classes.
    pub name: Option<String>,
    /// As declared in source: may be private or static.
    pub access: AccessFlags,
}

/// Where a local or anonymous class was declared.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct EnclosingMethod {
    pub class: ClassName,
    /// `None` in initialisers.
    pub method: Option<(String, MethodDescriptor)>,
}

/// A component of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordComponent {
    pub name: String,
    pub ty: Type,
    /// Signature and annotations.
    pub attributes: Vec<Attribute>,
}

/// An entry of `BootstrapMethods`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BootstrapMethod {
    /// A method handle constant.
    pub method: PoolIndex,
    /// Loadable constants.
    pub arguments: Vec<PoolIndex>,
}

/// An entry of `MethodParameters`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MethodParameter {
    pub name: Option<String>,
    /// Final, synthetic, mandated.
    pub access: AccessFlags,
}

/// Reads an index and follows it; an error names the index's place.
pub(super) fn follow<T>(
    cursor: &mut Cursor<'_>,
    lookup: impl FnOnce(PoolIndex) -> Result<T, PoolError>,
) -> Result<T, ReadError> {
    let start = cursor.position();
    lookup(PoolIndex(cursor.u2()?)).map_err(|error| cursor.error_at(start, error))
}

/// Reads an index and follows it unless it is 0.
pub(super) fn follow_optional<T>(
    cursor: &mut Cursor<'_>,
    lookup: impl FnOnce(PoolIndex) -> Result<T, PoolError>,
) -> Result<Option<T>, ReadError> {
    follow(cursor, |index| index.optional().map(lookup).transpose())
}

pub(super) fn owned(text: Cow<'_, str>) -> String {
    text.into_owned()
}

impl<'a> Attributes<'a> {
    /// A cursor over the content of the attribute with this name.
    pub(crate) fn cursor(&self, name: &'static str) -> Option<Cursor<'a>> {
        self.find(name).map(|attribute| attribute.content.cursor(name))
    }

    /// Reads the attribute with this name to its end.
    pub(super) fn decode<T>(
        &self,
        name: &'static str,
        read: impl FnOnce(&mut Cursor<'_>, &'a ConstantPool) -> Result<T, ReadError>,
    ) -> Result<Option<T>, ReadError> {
        let Some(mut cursor) = self.cursor(name) else { return Ok(None) };
        let value = read(&mut cursor, self.pool)?;
        cursor.finish()?;
        Ok(Some(value))
    }

    /// A list of classes that is all of an attribute.
    fn class_list(&self, name: &'static str) -> Result<Option<Vec<ClassName>>, ReadError> {
        self.decode(name, |cursor, pool| {
            let indices = read_indices(cursor)?;
            let names = indices.into_iter().map(|index| pool.class_name(index)).collect::<Result<_, _>>();
            names.map_err(|error| cursor.error(error))
        })
    }

    /// The text of the generic signature; `class_signature` and its like parse it.
    pub fn signature(&self) -> Result<Option<Cow<'a, str>>, ReadError> {
        self.decode("Signature", |cursor, pool| follow(cursor, |index| pool.text(index)))
    }

    fn parsed<T>(
        &self,
        parse: impl FnOnce(&str) -> Result<T, SignatureError>,
    ) -> Result<Option<T>, ReadError> {
        let Some(text) = self.signature()? else { return Ok(None) };
        let parsed = parse(&text).map_err(|SignatureError { text, at }| {
            let cursor = self.cursor("Signature").expect("its text was just read");
            cursor.error(Problem::BadSignature { text, at })
        });
        parsed.map(Some)
    }

    /// The generic signature of a class.
    pub fn class_signature(&self) -> Result<Option<ClassSignature>, ReadError> {
        self.parsed(ClassSignature::parse)
    }

    /// The generic signature of a method.
    pub fn method_signature(&self) -> Result<Option<MethodSignature>, ReadError> {
        self.parsed(MethodSignature::parse)
    }

    /// The generic type of a field or record component.
    pub fn type_signature(&self) -> Result<Option<TypeSignature>, ReadError> {
        self.parsed(TypeSignature::parse)
    }

    /// The value of a constant field.
    pub fn constant_value(&self) -> Result<Option<Loadable>, ReadError> {
        self.decode("ConstantValue", |cursor, pool| follow(cursor, |index| pool.loadable(index)))
    }

    /// The `throws` clause of a method.
    pub fn exceptions(&self) -> Result<Vec<ClassName>, ReadError> {
        Ok(self.class_list("Exceptions")?.unwrap_or_default())
    }

    pub fn inner_classes(&self) -> Result<Vec<InnerClass>, ReadError> {
        let classes = self.decode("InnerClasses", |cursor, pool| {
            let count = cursor.u2()?;
            let entry = |_| {
                Ok(InnerClass {
                    inner: follow(cursor, |index| pool.class_name(index))?,
                    outer: follow_optional(cursor, |index| pool.class_name(index))?,
                    name: follow_optional(cursor, |index| pool.text(index).map(owned))?,
                    access: AccessFlags(cursor.u2()?),
                })
            };
            (0..count).map(entry).collect()
        });
        Ok(classes?.unwrap_or_default())
    }

    pub fn enclosing_method(&self) -> Result<Option<EnclosingMethod>, ReadError> {
        self.decode("EnclosingMethod", |cursor, pool| {
            Ok(EnclosingMethod {
                class: follow(cursor, |index| pool.class_name(index))?,
                method: follow_optional(cursor, |index| {
                    let (name, descriptor) = pool.name_and_type_indices(index)?;
                    Ok((pool.text(name)?.into_owned(), pool.method_descriptor(descriptor)?))
                })?,
            })
        })
    }

    pub fn nest_host(&self) -> Result<Option<ClassName>, ReadError> {
        self.decode("NestHost", |cursor, pool| follow(cursor, |index| pool.class_name(index)))
    }

    pub fn nest_members(&self) -> Result<Vec<ClassName>, ReadError> {
        Ok(self.class_list("NestMembers")?.unwrap_or_default())
    }

    /// The subclasses of a sealed type; `None` for others.
    pub fn permitted_subclasses(&self) -> Result<Option<Vec<ClassName>>, ReadError> {
        self.class_list("PermittedSubclasses")
    }

    /// The components of a record; `None` for other classes.
    pub fn record(&self) -> Result<Option<Vec<RecordComponent>>, ReadError> {
        let Some(attribute) = self.find("Record") else { return Ok(None) };
        self.decode("Record", |cursor, pool| {
            let count = cursor.u2()?;
            let component = |_| {
                Ok(RecordComponent {
                    name: follow(cursor, |index| pool.text(index).map(owned))?,
                    ty: follow(cursor, |index| pool.field_descriptor(index))?,
                    attributes: read_attributes(cursor, &attribute.content)?,
                })
            };
            (0..count).map(component).collect()
        })
    }

    pub fn bootstrap_methods(&self) -> Result<Vec<BootstrapMethod>, ReadError> {
        let methods = self.decode("BootstrapMethods", |cursor, _| {
            let count = cursor.u2()?;
            let method =
                |_| Ok(BootstrapMethod { method: PoolIndex(cursor.u2()?), arguments: read_indices(cursor)? });
            (0..count).map(method).collect()
        });
        Ok(methods?.unwrap_or_default())
    }

    /// Names and flags of parameters, where the compiler was told to keep them.
    pub fn method_parameters(&self) -> Result<Option<Vec<MethodParameter>>, ReadError> {
        self.decode("MethodParameters", |cursor, pool| {
            let count = cursor.u1()?;
            let parameter = |_| {
                Ok(MethodParameter {
                    name: follow_optional(cursor, |index| pool.text(index).map(owned))?,
                    access: AccessFlags(cursor.u2()?),
                })
            };
            (0..count).map(parameter).collect()
        })
    }

    pub fn is_deprecated(&self) -> bool {
        self.has("Deprecated")
    }

    /// Whether it has the `Synthetic` attribute; compilers since Java 5 set [`AccessFlags::SYNTHETIC`] instead.
    pub fn is_synthetic(&self) -> bool {
        self.has("Synthetic")
    }

    /// The name of the source file, without directories.
    pub fn source_file(&self) -> Result<Option<Cow<'a, str>>, ReadError> {
        self.decode("SourceFile", |cursor, pool| follow(cursor, |index| pool.text(index)))
    }

    /// Modified UTF-8 for debuggers, such as the line map of a JSP.
    pub fn source_debug_extension(&self) -> Option<&'a [u8]> {
        self.find("SourceDebugExtension").map(|attribute| &*attribute.content)
    }
}
