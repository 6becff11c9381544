//! A class file: header, members, attributes (JVMS §4.1).
//!
//! In: the bytes of one class. Out: [`ClassFile`], and the same bytes again.
//! Reading checks the structure only; what constants and attributes mean is checked when asked for.
//! A class that was not edited is written byte for byte as it was read.

use std::borrow::Cow;

use probat_model::{ClassName, MethodDescriptor, Type};

use crate::attribute::{Attribute, Attributes, read_attributes};
use crate::bytes::{Bytes, Cursor};
use crate::error::{PoolError, Problem, ReadError, WriteError};
use crate::flags::AccessFlags;
use crate::pool::{ConstantPool, PoolIndex};

/// The newest `major_version` whose every structure we know (Java 25).
pub const NEWEST_MAJOR: u16 = 69;

const MAGIC: u32 = 0xcafe_babe;

/// A class, interface, module declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassFile {
    pub minor: u16,
    pub major: u16,
    pub pool: ConstantPool,
    pub access: AccessFlags,
    pub this_class: PoolIndex,
    /// `None` for `java/lang/Object` and for modules.
    pub super_class: Option<PoolIndex>,
    pub interfaces: Vec<PoolIndex>,
    pub fields: Vec<Field>,
    pub methods: Vec<Method>,
    pub attributes: Vec<Attribute>,
}

/// A field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    pub access: AccessFlags,
    pub name: PoolIndex,
    pub descriptor: PoolIndex,
    pub attributes: Vec<Attribute>,
}

/// A method, constructor (`<init>`) or class initialiser (`<clinit>`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Method {
    pub access: AccessFlags,
    pub name: PoolIndex,
    pub descriptor: PoolIndex,
    pub attributes: Vec<Attribute>,
}

impl Field {
    /// The field's name.
    pub fn name<'a>(&self, pool: &'a ConstantPool) -> Result<Cow<'a, str>, PoolError> {
        pool.text(self.name)
    }

    /// The field's declared type.
    pub fn ty(&self, pool: &ConstantPool) -> Result<Type, PoolError> {
        pool.field_descriptor(self.descriptor)
    }

    /// The field's attributes with the pool that explains them.
    pub fn attributes<'a>(&'a self, pool: &'a ConstantPool) -> Attributes<'a> {
        Attributes::new(pool, &self.attributes)
    }
}

impl Method {
    /// The method's name.
    pub fn name<'a>(&self, pool: &'a ConstantPool) -> Result<Cow<'a, str>, PoolError> {
        pool.text(self.name)
    }

    /// The method's parameter types and result.
    pub fn descriptor(&self, pool: &ConstantPool) -> Result<MethodDescriptor, PoolError> {
        pool.method_descriptor(self.descriptor)
    }

    /// The method's attributes with the pool that explains them.
    pub fn attributes<'a>(&'a self, pool: &'a ConstantPool) -> Attributes<'a> {
        Attributes::new(pool, &self.attributes)
    }
}

impl ClassFile {
    /// Reads a class file that fills all of `bytes`.
    pub fn read(bytes: &[u8]) -> Result<ClassFile, ReadError> {
        if u32::try_from(bytes.len()).is_err() {
            let problem = Problem::TooLarge;
            return Err(ReadError { offset: 0, structure: "class file", problem });
        }
        let whole = Bytes::of_checked(bytes.to_vec());
        let mut cursor = whole.cursor("class file");
        let magic = cursor.u4()?;
        if magic != MAGIC {
            return Err(cursor.error_at(0, Problem::NotAClassFile(magic)));
        }
        let minor = cursor.u2()?;
        let major = cursor.u2()?;
        cursor.enter("constant pool");
        let pool = ConstantPool::read(&mut cursor)?;
        cursor.enter("class header");
        let access = AccessFlags(cursor.u2()?);
        let this_class = PoolIndex(cursor.u2()?);
        let super_class = PoolIndex(cursor.u2()?).optional();
        let interfaces = read_indices(&mut cursor)?;
        cursor.enter("field");
        let fields = read_members(&mut cursor, &whole, |access, name, descriptor, attributes| Field {
            access,
            name,
            descriptor,
            attributes,
        })?;
        cursor.enter("method");
        let methods = read_members(&mut cursor, &whole, |access, name, descriptor, attributes| Method {
            access,
            name,
            descriptor,
            attributes,
        })?;
        cursor.enter("class attributes");
        let attributes = read_attributes(&mut cursor, &whole)?;
        cursor.finish()?;
        Ok(ClassFile {
            minor,
            major,
            pool,
            access,
            this_class,
            super_class,
            interfaces,
            fields,
            methods,
            attributes,
        })
    }

    /// The class file's bytes.
    pub fn write(&self) -> Result<Vec<u8>, WriteError> {
        let contents = |list: &[Attribute]| list.iter().map(|item| 6 + item.content.len()).sum::<usize>();
        let members = self.fields.iter().map(|field| &field.attributes);
        let members = members.chain(self.methods.iter().map(|method| &method.attributes));
        let size = members.map(|list| 8 + contents(list)).sum::<usize>();
        let mut out = Vec::with_capacity(
            24 + self.pool.written_len() + 2 * self.interfaces.len() + size + contents(&self.attributes),
        );
        out.extend(MAGIC.to_be_bytes());
        put(&mut out, self.minor);
        put(&mut out, self.major);
        self.pool.write(&mut out);
        put(&mut out, self.access.0);
        put(&mut out, self.this_class.0);
        put(&mut out, self.super_class.unwrap_or_default().0);
        put_count(&mut out, "interfaces", self.interfaces.len())?;
        for interface in &self.interfaces {
            put(&mut out, interface.0);
        }
        put_count(&mut out, "fields", self.fields.len())?;
        for Field { access, name, descriptor, attributes } in &self.fields {
            write_member(&mut out, [access.0, name.0, descriptor.0], attributes)?;
        }
        put_count(&mut out, "methods", self.methods.len())?;
        for Method { access, name, descriptor, attributes } in &self.methods {
            write_member(&mut out, [access.0, name.0, descriptor.0], attributes)?;
        }
        write_attributes(&mut out, &self.attributes)?;
        Ok(out)
    }

    /// Whether the class is of a version later than any whose structures we know. Such a class is still read if
    /// nothing in it is new to us.
    pub fn is_newer_than_supported(&self) -> bool {
        self.major > NEWEST_MAJOR
    }

    /// The class's own name.
    pub fn name(&self) -> Result<ClassName, PoolError> {
        self.pool.class_name(self.this_class)
    }

    /// The superclass's name.
    pub fn super_name(&self) -> Result<Option<ClassName>, PoolError> {
        self.super_class.map(|index| self.pool.class_name(index)).transpose()
    }

    /// The names of the interfaces it names directly.
    pub fn interface_names(&self) -> Result<Vec<ClassName>, PoolError> {
        self.interfaces.iter().map(|&index| self.pool.class_name(index)).collect()
    }

    /// The class's own attributes with the pool that explains them.
    pub fn attributes(&self) -> Attributes<'_> {
        Attributes::new(&self.pool, &self.attributes)
    }

    /// The place of a method in [`Self::methods`].
    pub fn find_method(&self, name: &str, descriptor: &str) -> Option<usize> {
        self.methods.iter().position(|method| {
            method.name(&self.pool).is_ok_and(|found| found == name)
                && self.pool.text(method.descriptor).is_ok_and(|found| found == descriptor)
        })
    }
}

/// Reads a count and that many indices.
pub(crate) fn read_indices(cursor: &mut Cursor<'_>) -> Result<Vec<PoolIndex>, ReadError> {
    let count = cursor.u2()?;
    let raw = cursor.take(2 * usize::from(count))?;
    Ok(raw.chunks_exact(2).map(|pair| PoolIndex(u16::from_be_bytes([pair[0], pair[1]]))).collect())
}

fn read_members<T>(
    cursor: &mut Cursor<'_>,
    whole: &Bytes,
    make: impl Fn(AccessFlags, PoolIndex, PoolIndex, Vec<Attribute>) -> T,
) -> Result<Vec<T>, ReadError> {
    let count = cursor.u2()?;
    let mut members = Vec::with_capacity(cursor.at_most(usize::from(count), 8));
    for _ in 0..count {
        let access = AccessFlags(cursor.u2()?);
        let name = PoolIndex(cursor.u2()?);
        let descriptor = PoolIndex(cursor.u2()?);
        members.push(make(access, name, descriptor, read_attributes(cursor, whole)?));
    }
    Ok(members)
}

fn put(out: &mut Vec<u8>, value: u16) {
    out.extend(value.to_be_bytes());
}

fn put_count(out: &mut Vec<u8>, what: &'static str, count: usize) -> Result<(), WriteError> {
    put(out, u16::try_from(count).map_err(|_| WriteError { what, count })?);
    Ok(())
}

fn write_member(out: &mut Vec<u8>, head: [u16; 3], attributes: &[Attribute]) -> Result<(), WriteError> {
    for value in head {
        put(out, value);
    }
    write_attributes(out, attributes)
}

fn write_attributes(out: &mut Vec<u8>, attributes: &[Attribute]) -> Result<(), WriteError> {
    put_count(out, "attributes", attributes.len())?;
    for Attribute { name, content } in attributes {
        put(out, name.0);
        out.extend((content.len() as u32).to_be_bytes());
        out.extend_from_slice(content);
    }
    Ok(())
}
