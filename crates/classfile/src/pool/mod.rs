//! The constant pool (JVMS §4.4), kept as the bytes it is written in.
//!
//! In: the pool of a class file, later new constants. Out: constants by index, and the same bytes again.
//! Indices never change and constants are never removed or altered, so unedited parts of a class stay valid.
//! References between constants are checked when they are followed, not when the pool is read.

mod append;
mod resolve;

use std::fmt;
use std::sync::OnceLock;

use crate::bytes::Cursor;
use crate::error::{PoolError, Problem, ReadError};
use append::Lookup;
pub use resolve::{DynamicRef, HandleKind, Loadable, MemberKind, MemberRef, MethodHandle};

/// Index of a constant in its class's pool. Index 0 is no constant; some structures use it for "none".
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct PoolIndex(pub u16);

impl PoolIndex {
    /// `None` for index 0.
    pub fn optional(self) -> Option<PoolIndex> {
        (self.0 != 0).then_some(self)
    }
}

impl fmt::Display for PoolIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

/// One constant as it stands in the pool; other constants are still indices.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Constant<'a> {
    /// Raw modified UTF-8.
    Utf8(&'a [u8]),
    Integer(i32),
    Float(f32),
    Long(i64),
    Double(f64),
    Class {
        name: PoolIndex,
    },
    String {
        text: PoolIndex,
    },
    FieldRef {
        owner: PoolIndex,
        name_and_type: PoolIndex,
    },
    MethodRef {
        owner: PoolIndex,
        name_and_type: PoolIndex,
    },
    InterfaceMethodRef {
        owner: PoolIndex,
        name_and_type: PoolIndex,
    },
    NameAndType {
        name: PoolIndex,
        descriptor: PoolIndex,
    },
    /// `kind` is one of JVMS table 5.4.3.5-A, 1 to 9.
    MethodHandle {
        kind: u8,
        member: PoolIndex,
    },
    MethodType {
        descriptor: PoolIndex,
    },
    /// `bootstrap` counts in the class's `BootstrapMethods`.
    Dynamic {
        bootstrap: u16,
        name_and_type: PoolIndex,
    },
    InvokeDynamic {
        bootstrap: u16,
        name_and_type: PoolIndex,
    },
    Module {
        name: PoolIndex,
    },
    Package {
        name: PoolIndex,
    },
}

impl Constant<'_> {
    /// What the JVMS calls this kind of constant, without `CONSTANT_`.
    pub fn kind(&self) -> &'static str {
        match self {
            Constant::Utf8(_) => "Utf8",
            Constant::Integer(_) => "Integer",
            Constant::Float(_) => "Float",
            Constant::Long(_) => "Long",
            Constant::Double(_) => "Double",
            Constant::Class { .. } => "Class",
            Constant::String { .. } => "String",
            Constant::FieldRef { .. } => "Fieldref",
            Constant::MethodRef { .. } => "Methodref",
            Constant::InterfaceMethodRef { .. } => "InterfaceMethodref",
            Constant::NameAndType { .. } => "NameAndType",
            Constant::MethodHandle { .. } => "MethodHandle",
            Constant::MethodType { .. } => "MethodType",
            Constant::Dynamic { .. } => "Dynamic",
            Constant::InvokeDynamic { .. } => "InvokeDynamic",
            Constant::Module { .. } => "Module",
            Constant::Package { .. } => "Package",
        }
    }
}

/// The constants of one class.
#[derive(Debug, Clone)]
pub struct ConstantPool {
    /// The pool exactly as it is written, without its count.
    bytes: Vec<u8>,
    /// Where each constant's tag stands in `bytes`; [`UNUSED`] for index 0 and the second halves of longs.
    offsets: Vec<u32>,
    /// Finds equal constants; built when first asked.
    lookup: OnceLock<Lookup>,
}

/// Two pools are equal if they are written alike.
impl PartialEq for ConstantPool {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes && self.offsets.len() == other.offsets.len()
    }
}

impl Eq for ConstantPool {}

/// An index that names no constant.
const UNUSED: u32 = u32::MAX;

/// The highest number of indices, index 0 included.
const MAX_COUNT: usize = 65535;

mod tag {
    pub const UTF8: u8 = 1;
    pub const INTEGER: u8 = 3;
    pub const FLOAT: u8 = 4;
    pub const LONG: u8 = 5;
    pub const DOUBLE: u8 = 6;
    pub const CLASS: u8 = 7;
    pub const STRING: u8 = 8;
    pub const FIELD_REF: u8 = 9;
    pub const METHOD_REF: u8 = 10;
    pub const INTERFACE_METHOD_REF: u8 = 11;
    pub const NAME_AND_TYPE: u8 = 12;
    pub const METHOD_HANDLE: u8 = 15;
    pub const METHOD_TYPE: u8 = 16;
    pub const DYNAMIC: u8 = 17;
    pub const INVOKE_DYNAMIC: u8 = 18;
    pub const MODULE: u8 = 19;
    pub const PACKAGE: u8 = 20;
}

impl Default for ConstantPool {
    fn default() -> Self {
        ConstantPool::new()
    }
}

impl ConstantPool {
    /// A pool without constants.
    pub fn new() -> Self {
        ConstantPool { bytes: Vec::new(), offsets: vec![UNUSED], lookup: OnceLock::new() }
    }

    /// Reads the count and that many constants.
    pub(crate) fn read(cursor: &mut Cursor<'_>) -> Result<Self, ReadError> {
        let count = cursor.u2()?;
        if count == 0 {
            return Err(cursor.error(Problem::EmptyPool));
        }
        let mut scan = cursor.clone();
        let start = scan.position();
        let mut offsets = Vec::with_capacity(1 + scan.at_most(usize::from(count) - 1, 3));
        offsets.push(UNUSED);
        while offsets.len() < usize::from(count) {
            offsets.push((scan.position() - start) as u32);
            let tag = scan.u1()?;
            let length = match tag {
                tag::UTF8 => usize::from(scan.u2()?),
                tag::CLASS | tag::STRING | tag::METHOD_TYPE | tag::MODULE | tag::PACKAGE => 2,
                tag::METHOD_HANDLE => 3,
                tag::INTEGER | tag::FLOAT => 4,
                tag::FIELD_REF | tag::METHOD_REF | tag::INTERFACE_METHOD_REF | tag::NAME_AND_TYPE => 4,
                tag::DYNAMIC | tag::INVOKE_DYNAMIC => 4,
                tag::LONG | tag::DOUBLE => {
                    offsets.push(UNUSED);
                    8
                }
                _ => return Err(scan.error_at(scan.position() - 1, Problem::UnknownConstantTag(tag))),
            };
            scan.take(length)?;
        }
        // A long in the last place makes the pool one index longer than it says; the JVM refuses that too.
        if offsets.len() > usize::from(count) {
            return Err(scan.error(Problem::Truncated { needed: 1, left: 0 }));
        }
        let bytes = cursor.take(scan.position() - start)?.to_vec();
        Ok(ConstantPool { bytes, offsets, lookup: OnceLock::new() })
    }

    /// Appends the count and all constants.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.extend((self.offsets.len() as u16).to_be_bytes());
        out.extend_from_slice(&self.bytes);
    }

    /// How many bytes [`Self::write`] appends.
    pub(crate) fn written_len(&self) -> usize {
        2 + self.bytes.len()
    }

    /// One more than the highest index, as class files count.
    pub fn count(&self) -> usize {
        self.offsets.len()
    }

    /// All constants in order.
    pub fn iter(&self) -> impl Iterator<Item = (PoolIndex, Constant<'_>)> {
        (1..self.offsets.len()).filter_map(|at| {
            let index = PoolIndex(at as u16);
            self.get(index).ok().map(|constant| (index, constant))
        })
    }

    /// The constant at an index.
    #[inline]
    pub fn get(&self, index: PoolIndex) -> Result<Constant<'_>, PoolError> {
        let at = self.offset(index)?;
        let u2 = |skip: usize| u16::from_be_bytes([self.bytes[at + skip], self.bytes[at + skip + 1]]);
        let index_at = |skip: usize| PoolIndex(u2(skip));
        let u4 = || self.number::<4>(at);
        let u8 = || self.number::<8>(at);
        Ok(match self.bytes[at] {
            tag::UTF8 => Constant::Utf8(&self.bytes[at + 3..at + 3 + usize::from(u2(1))]),
            tag::INTEGER => Constant::Integer(i32::from_be_bytes(u4())),
            tag::FLOAT => Constant::Float(f32::from_be_bytes(u4())),
            tag::LONG => Constant::Long(i64::from_be_bytes(u8())),
            tag::DOUBLE => Constant::Double(f64::from_be_bytes(u8())),
            tag::CLASS => Constant::Class { name: index_at(1) },
            tag::STRING => Constant::String { text: index_at(1) },
            tag::FIELD_REF => Constant::FieldRef { owner: index_at(1), name_and_type: index_at(3) },
            tag::METHOD_REF => Constant::MethodRef { owner: index_at(1), name_and_type: index_at(3) },
            tag::INTERFACE_METHOD_REF => {
                Constant::InterfaceMethodRef { owner: index_at(1), name_and_type: index_at(3) }
            }
            tag::NAME_AND_TYPE => Constant::NameAndType { name: index_at(1), descriptor: index_at(3) },
            tag::METHOD_HANDLE => Constant::MethodHandle { kind: self.bytes[at + 1], member: index_at(2) },
            tag::METHOD_TYPE => Constant::MethodType { descriptor: index_at(1) },
            tag::DYNAMIC => Constant::Dynamic { bootstrap: u2(1), name_and_type: index_at(3) },
            tag::INVOKE_DYNAMIC => Constant::InvokeDynamic { bootstrap: u2(1), name_and_type: index_at(3) },
            tag::MODULE => Constant::Module { name: index_at(1) },
            _ => Constant::Package { name: index_at(1) },
        })
    }

    /// Where a constant's tag stands in `bytes`.
    #[inline]
    fn offset(&self, index: PoolIndex) -> Result<usize, PoolError> {
        match self.offsets.get(usize::from(index.0)) {
            Some(&at) if at != UNUSED => Ok(at as usize),
            _ => Err(PoolError::NoSuchConstant { index }),
        }
    }

    fn number<const N: usize>(&self, at: usize) -> [u8; N] {
        *self.bytes[at + 1..].first_chunk().expect("constants were measured when added")
    }

    /// The constant's tag and content as written.
    fn raw(&self, at: usize) -> &[u8] {
        let rest = &self.bytes[at..];
        let length = match rest[0] {
            tag::UTF8 => 3 + usize::from(u16::from_be_bytes([rest[1], rest[2]])),
            tag::CLASS | tag::STRING | tag::METHOD_TYPE | tag::MODULE | tag::PACKAGE => 3,
            tag::METHOD_HANDLE => 4,
            tag::LONG | tag::DOUBLE => 9,
            _ => 5,
        };
        &rest[..length]
    }
}

#[cfg(test)]
mod tests;
