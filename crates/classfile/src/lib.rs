//! Class files: bytes to editable classes and back.
//!
//! In: the bytes of a class of any version from 1.1 (45.3) to Java 25 (69). Out: [`ClassFile`], its constants,
//! attributes and [`Code`], and the bytes again: the same ones where nothing was edited.
//! Keeps everything it reads, attributes it does not know and text that is no Unicode included.
//! Knows no loader, no class path and no other class; computes no frames from nothing.

pub mod annotation;
pub mod attribute;
pub mod build;
mod bytes;
pub mod class;
pub mod code;
pub mod error;
pub mod flags;
mod mutf8;
pub mod passes;
pub mod pool;
pub mod signature;

pub use attribute::{Attribute, Attributes};
pub use bytes::Bytes;
pub use class::{ClassFile, Field, Method, NEWEST_MAJOR};
pub use code::{Code, Frame, Insn, Label, Node, VerificationType};
pub use error::{AppendError, EncodeError, PoolError, Problem, ReadError, WriteError};
pub use flags::AccessFlags;
pub use pool::{Constant, ConstantPool, Loadable, MemberKind, MemberRef, PoolIndex};
