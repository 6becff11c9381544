//! Attributes: named bytes hung onto classes, members and code (JVMS §4.7).
//!
//! In: the raw list. Out: [`Attribute`], unknown ones too, written back as they were read.
//! Decoding is done on demand by [`Attributes`], which borrows list and pool.

mod module;
mod typed;

pub use module::{Module, PackageAccess, Provides, Requires};
pub use typed::{BootstrapMethod, EnclosingMethod, InnerClass, MethodParameter, RecordComponent};

use crate::bytes::{Bytes, Cursor};
use crate::error::{AppendError, ReadError};
use crate::pool::{ConstantPool, PoolIndex};

/// An attribute as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute {
    pub name: PoolIndex,
    pub content: Bytes,
}

impl Attribute {
    /// An attribute with new content.
    pub fn new(pool: &mut ConstantPool, name: &str, content: Vec<u8>) -> Result<Attribute, AppendError> {
        if u32::try_from(content.len()).is_err() {
            return Err(AppendError::TextTooLong(content.len()));
        }
        Ok(Attribute { name: pool.add_text(name)?, content: Bytes::of_checked(content) })
    }

    /// Whether this attribute has this (ASCII) name.
    pub fn is(&self, pool: &ConstantPool, name: &str) -> bool {
        pool.utf8(self.name) == Ok(name.as_bytes())
    }
}

/// A list of attributes together with the pool that explains it: where typed accessors live.
#[derive(Debug, Clone, Copy)]
pub struct Attributes<'a> {
    pub(crate) pool: &'a ConstantPool,
    pub(crate) list: &'a [Attribute],
}

impl<'a> Attributes<'a> {
    pub fn new(pool: &'a ConstantPool, list: &'a [Attribute]) -> Self {
        Attributes { pool, list }
    }

    /// The first attribute of this name.
    pub fn find(&self, name: &str) -> Option<&'a Attribute> {
        self.list.iter().find(|attribute| attribute.is(self.pool, name))
    }

    /// Whether there is an attribute of this name.
    pub fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }
}

/// Reads a count and that many attributes; `whole` is what the cursor walks over.
pub(crate) fn read_attributes(cursor: &mut Cursor<'_>, whole: &Bytes) -> Result<Vec<Attribute>, ReadError> {
    let count = cursor.u2()?;
    let mut attributes = Vec::with_capacity(cursor.at_most(usize::from(count), 6));
    for _ in 0..count {
        let name = PoolIndex(cursor.u2()?);
        let length = cursor.u4()? as usize;
        let start = cursor.position();
        cursor.take(length)?;
        attributes.push(Attribute { name, content: whole.slice(start, start + length) });
    }
    Ok(attributes)
}
