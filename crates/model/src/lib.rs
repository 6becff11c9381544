//! The vocabulary every part of probat speaks.

pub mod name;
pub mod text;

pub use name::{ClassName, DescriptorError, MethodDescriptor, Type};
pub use text::JavaString;
