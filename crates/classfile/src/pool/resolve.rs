//! Constants followed through their indices to names, types and values.
//!
//! In: a [`ConstantPool`] and an index. Out: borrowed text where it can be, model types otherwise.
//! Names with unpaired surrogates are an error of the accessor; string constants keep them.

use std::borrow::Cow;

use probat_model::{ClassName, JavaString, MethodDescriptor, Type};

use super::{Constant, ConstantPool, PoolIndex};
use crate::error::PoolError;
use crate::mutf8::{self, TextError};

/// Which of the three member references a constant is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemberKind {
    Field,
    Method,
    /// A method whose owner is an interface.
    InterfaceMethod,
}

/// A field or method as instructions name it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MemberRef<'a> {
    pub kind: MemberKind,
    /// Internal name, or the descriptor of an array (`[I` for `int[].clone()`).
    pub owner: Cow<'a, str>,
    pub name: Cow<'a, str>,
    pub descriptor: Cow<'a, str>,
    /// Where the owner's class constant is.
    pub owner_index: PoolIndex,
    /// Where the descriptor's text is.
    pub descriptor_index: PoolIndex,
}

impl MemberRef<'_> {
    /// The owner, which is an array type for `clone` on arrays.
    pub fn owner_type(&self) -> Result<Type, PoolError> {
        class_type(&self.owner, self.owner_index)
    }

    /// The type of a field.
    pub fn field_type(&self) -> Result<Type, PoolError> {
        Type::parse(&self.descriptor).map_err(|_| self.bad_descriptor())
    }

    /// Parameters and result of a method.
    pub fn method_descriptor(&self) -> Result<MethodDescriptor, PoolError> {
        MethodDescriptor::parse(&self.descriptor).map_err(|_| self.bad_descriptor())
    }

    fn bad_descriptor(&self) -> PoolError {
        PoolError::NotADescriptor { index: self.descriptor_index, text: self.descriptor.to_string() }
    }
}

/// A method handle constant (JVMS §4.4.8).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MethodHandle {
    pub kind: HandleKind,
    pub member: MemberKind,
    pub owner: Type,
    pub name: String,
    pub descriptor: String,
}

/// What calling a method handle does (JVMS table 5.4.3.5-A).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum HandleKind {
    GetField = 1,
    GetStatic = 2,
    PutField = 3,
    PutStatic = 4,
    InvokeVirtual = 5,
    InvokeStatic = 6,
    InvokeSpecial = 7,
    NewInvokeSpecial = 8,
    InvokeInterface = 9,
}

impl HandleKind {
    fn of(kind: u8) -> Option<HandleKind> {
        use HandleKind::*;
        [
            GetField,
            GetStatic,
            PutField,
            PutStatic,
            InvokeVirtual,
            InvokeStatic,
            InvokeSpecial,
            NewInvokeSpecial,
            InvokeInterface,
        ]
        .get(usize::from(kind).checked_sub(1)?)
        .copied()
    }
}

/// A constant or call site computed by a bootstrap method.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DynamicRef<'a> {
    /// Counts in the class's `BootstrapMethods`.
    pub bootstrap: u16,
    pub name: Cow<'a, str>,
    /// Of a field for a dynamic constant, of a method for a call site.
    pub descriptor: Cow<'a, str>,
    /// Where the descriptor's text is.
    pub descriptor_index: PoolIndex,
}

/// A constant that `ldc` can push or a bootstrap method can take.
#[derive(Debug, Clone, PartialEq)]
pub enum Loadable {
    Int(i32),
    Float(f32),
    Long(i64),
    Double(f64),
    String(JavaString),
    Class(Type),
    MethodHandle(MethodHandle),
    MethodType(MethodDescriptor),
    Dynamic { bootstrap: u16, name: String, ty: Type },
}

impl ConstantPool {
    /// The raw modified UTF-8 of a text constant.
    #[inline]
    pub fn utf8(&self, index: PoolIndex) -> Result<&[u8], PoolError> {
        match self.get(index)? {
            Constant::Utf8(bytes) => Ok(bytes),
            other => Err(wrong(index, other, "Utf8")),
        }
    }

    /// The text of a text constant, if every surrogate in it has its partner.
    pub fn text(&self, index: PoolIndex) -> Result<Cow<'_, str>, PoolError> {
        mutf8::to_str(self.utf8(index)?).map_err(|error| match error {
            TextError::Malformed => PoolError::NotModifiedUtf8 { index },
            TextError::UnpairedSurrogate => PoolError::UnpairedSurrogate { index },
        })
    }

    /// The value of a text constant, lone surrogates included.
    pub fn java_text(&self, index: PoolIndex) -> Result<JavaString, PoolError> {
        let units = mutf8::to_units(self.utf8(index)?).ok_or(PoolError::NotModifiedUtf8 { index })?;
        Ok(JavaString::from_units(&units))
    }

    /// The value of a string constant.
    pub fn string(&self, index: PoolIndex) -> Result<JavaString, PoolError> {
        match self.get(index)? {
            Constant::String { text } => self.java_text(text),
            other => Err(wrong(index, other, "String")),
        }
    }

    /// The raw name in a class constant: an internal name, or an array's descriptor.
    pub fn class_utf8(&self, index: PoolIndex) -> Result<&[u8], PoolError> {
        match self.get(index)? {
            Constant::Class { name } => self.utf8(name),
            other => Err(wrong(index, other, "Class")),
        }
    }

    /// The name in a class constant: an internal name, or an array's descriptor.
    pub fn class_text(&self, index: PoolIndex) -> Result<Cow<'_, str>, PoolError> {
        match self.get(index)? {
            Constant::Class { name } => self.text(name),
            other => Err(wrong(index, other, "Class")),
        }
    }

    /// The class a class constant names; an array type is an error.
    pub fn class_name(&self, index: PoolIndex) -> Result<ClassName, PoolError> {
        let name = self.class_text(index)?;
        if name.starts_with('[') {
            return Err(PoolError::ArrayClass { index });
        }
        Ok(ClassName::internal(&name))
    }

    /// The class or array type a class constant names.
    pub fn class_type(&self, index: PoolIndex) -> Result<Type, PoolError> {
        class_type(&self.class_text(index)?, index)
    }

    /// The name in a module constant.
    pub fn module_name(&self, index: PoolIndex) -> Result<Cow<'_, str>, PoolError> {
        match self.get(index)? {
            Constant::Module { name } => self.text(name),
            other => Err(wrong(index, other, "Module")),
        }
    }

    /// The name in a package constant, in internal form.
    pub fn package_name(&self, index: PoolIndex) -> Result<Cow<'_, str>, PoolError> {
        match self.get(index)? {
            Constant::Package { name } => self.text(name),
            other => Err(wrong(index, other, "Package")),
        }
    }

    /// Name and descriptor.
    pub fn name_and_type(&self, index: PoolIndex) -> Result<(Cow<'_, str>, Cow<'_, str>), PoolError> {
        let (name, descriptor) = self.name_and_type_indices(index)?;
        Ok((self.text(name)?, self.text(descriptor)?))
    }

    /// Where name and descriptor of a name-and-type constant are.
    pub fn name_and_type_indices(&self, index: PoolIndex) -> Result<(PoolIndex, PoolIndex), PoolError> {
        match self.get(index)? {
            Constant::NameAndType { name, descriptor } => Ok((name, descriptor)),
            other => Err(wrong(index, other, "NameAndType")),
        }
    }

    /// The field or method a reference constant names.
    pub fn member_ref(&self, index: PoolIndex) -> Result<MemberRef<'_>, PoolError> {
        let (kind, owner, name_and_type) = match self.get(index)? {
            Constant::FieldRef { owner, name_and_type } => (MemberKind::Field, owner, name_and_type),
            Constant::MethodRef { owner, name_and_type } => (MemberKind::Method, owner, name_and_type),
            Constant::InterfaceMethodRef { owner, name_and_type } => {
                (MemberKind::InterfaceMethod, owner, name_and_type)
            }
            other => return Err(wrong(index, other, "member reference")),
        };
        let (name, descriptor) = self.name_and_type_indices(name_and_type)?;
        Ok(MemberRef {
            kind,
            owner: self.class_text(owner)?,
            name: self.text(name)?,
            descriptor: self.text(descriptor)?,
            owner_index: owner,
            descriptor_index: descriptor,
        })
    }

    /// The call site an `invokedynamic` names, or the constant an `ldc` of a dynamic constant does.
    pub fn dynamic_ref(&self, index: PoolIndex) -> Result<DynamicRef<'_>, PoolError> {
        let (bootstrap, name_and_type) = match self.get(index)? {
            Constant::Dynamic { bootstrap, name_and_type }
            | Constant::InvokeDynamic { bootstrap, name_and_type } => (bootstrap, name_and_type),
            other => return Err(wrong(index, other, "dynamic constant or call site")),
        };
        let (name, descriptor) = self.name_and_type_indices(name_and_type)?;
        Ok(DynamicRef {
            bootstrap,
            name: self.text(name)?,
            descriptor: self.text(descriptor)?,
            descriptor_index: descriptor,
        })
    }

    /// The method handle in a constant.
    pub fn method_handle(&self, index: PoolIndex) -> Result<MethodHandle, PoolError> {
        let (kind, member) = match self.get(index)? {
            Constant::MethodHandle { kind, member } => (kind, member),
            other => return Err(wrong(index, other, "MethodHandle")),
        };
        let kind = HandleKind::of(kind).ok_or(PoolError::UnknownHandleKind { index, kind })?;
        let member = self.member_ref(member)?;
        Ok(MethodHandle {
            kind,
            member: member.kind,
            owner: member.owner_type()?,
            name: member.name.into_owned(),
            descriptor: member.descriptor.into_owned(),
        })
    }

    /// The descriptor text of a constant's index as a method descriptor.
    pub fn method_descriptor(&self, text: PoolIndex) -> Result<MethodDescriptor, PoolError> {
        let descriptor = self.text(text)?;
        MethodDescriptor::parse(&descriptor)
            .map_err(|_| PoolError::NotADescriptor { index: text, text: descriptor.into_owned() })
    }

    /// The descriptor text of a constant's index as a field's type.
    pub fn field_descriptor(&self, text: PoolIndex) -> Result<Type, PoolError> {
        let descriptor = self.text(text)?;
        Type::parse(&descriptor)
            .map_err(|_| PoolError::NotADescriptor { index: text, text: descriptor.into_owned() })
    }

    /// The value `ldc` pushes for a constant, or a bootstrap method receives.
    pub fn loadable(&self, index: PoolIndex) -> Result<Loadable, PoolError> {
        Ok(match self.get(index)? {
            Constant::Integer(value) => Loadable::Int(value),
            Constant::Float(value) => Loadable::Float(value),
            Constant::Long(value) => Loadable::Long(value),
            Constant::Double(value) => Loadable::Double(value),
            Constant::String { text } => Loadable::String(self.java_text(text)?),
            Constant::Class { .. } => Loadable::Class(self.class_type(index)?),
            Constant::MethodHandle { .. } => Loadable::MethodHandle(self.method_handle(index)?),
            Constant::MethodType { descriptor } => Loadable::MethodType(self.method_descriptor(descriptor)?),
            Constant::Dynamic { .. } => {
                let constant = self.dynamic_ref(index)?;
                Loadable::Dynamic {
                    bootstrap: constant.bootstrap,
                    ty: self.field_descriptor(constant.descriptor_index)?,
                    name: constant.name.into_owned(),
                }
            }
            other => return Err(wrong(index, other, "loadable constant")),
        })
    }

    /// Whether a constant's value takes two stack slots when loaded.
    pub fn is_two_slots(&self, index: PoolIndex) -> Result<bool, PoolError> {
        Ok(match self.get(index)? {
            Constant::Long(_) | Constant::Double(_) => true,
            Constant::Dynamic { name_and_type, .. } => {
                let (_, descriptor) = self.name_and_type_indices(name_and_type)?;
                matches!(self.utf8(descriptor)?, b"J" | b"D")
            }
            _ => false,
        })
    }
}

fn class_type(name: &str, index: PoolIndex) -> Result<Type, PoolError> {
    if name.starts_with('[') {
        Type::parse(name).map_err(|_| PoolError::NotADescriptor { index, text: name.into() })
    } else {
        Ok(Type::class(name))
    }
}

#[cold]
fn wrong(index: PoolIndex, found: Constant<'_>, expected: &'static str) -> PoolError {
    PoolError::WrongKind { index, found: found.kind(), expected }
}
