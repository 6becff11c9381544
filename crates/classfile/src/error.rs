//! What can go wrong between bytes and classes.
//!
//! In: nothing. Out: [`ReadError`], [`PoolError`], [`AppendError`], [`EncodeError`].
//! Every read error names the structure and the byte it stands at; none is ever a panic.

use crate::code::Label;
use crate::pool::PoolIndex;

/// Bytes that are no class file, or no class file we can follow.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{structure} at byte {offset}: {problem}")]
pub struct ReadError {
    /// Where the trouble stands, counted from the start of the class file (for code that was rewritten since it
    /// was read: from the start of its attribute).
    pub offset: u32,
    /// The structure being read, in the words of JVMS chapter 4: `constant pool`, `StackMapTable`.
    pub structure: &'static str,
    pub problem: Problem,
}

/// The reason of a [`ReadError`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    #[error("needs {needed} more bytes, {left} are left")]
    Truncated { needed: usize, left: usize },
    #[error("not a class file (starts with {0:#010x})")]
    NotAClassFile(u32),
    #[error("larger than 4 GiB")]
    TooLarge,
    #[error("{0} bytes follow where it should end")]
    TrailingBytes(usize),
    #[error("unknown constant tag {0}")]
    UnknownConstantTag(u8),
    #[error("constant pool has no place for index 0 (count is 0)")]
    EmptyPool,
    #[error(transparent)]
    Pool(#[from] PoolError),
    #[error("`{text}` is not a signature (stuck at character {at})")]
    BadSignature { text: String, at: usize },
    #[error("code is {0} bytes long, allowed are 1 to 65535")]
    CodeLength(u32),
    #[error("unknown opcode {0:#04x}")]
    UnknownOpcode(u8),
    #[error("`wide` before opcode {0:#04x}")]
    BadWide(u8),
    #[error("switch with {0} entries where at least 0 and at most 65535 can stand")]
    BadSwitch(i64),
    #[error("array type code {0} is none of 4 to 11")]
    BadArrayType(u8),
    #[error("no instruction starts at code offset {0}")]
    NotAnInstruction(i64),
    #[error("code range {start}..{end} is empty or backwards")]
    BadRange { start: u32, end: u32 },
    #[error("unknown frame type {0}")]
    UnknownFrameType(u8),
    #[error("unknown verification type {0}")]
    UnknownVerificationType(u8),
    #[error("takes {0} locals from a frame that has fewer")]
    ChopsTooMuch(u8),
    #[error("frames of one method have more than {0} entries")]
    FramesTooLarge(usize),
    #[error("unknown annotation element tag {0:#04x}")]
    UnknownElementTag(u8),
    #[error("unknown type annotation target {0:#04x}")]
    UnknownTarget(u8),
    #[error("unknown type path step {0}")]
    UnknownPathStep(u8),
    #[error("nested more than {0} deep")]
    TooDeep(usize),
}

/// A constant that is missing, of another kind than its user expects, or not decodable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PoolError {
    #[error("constant {index} does not exist")]
    NoSuchConstant { index: PoolIndex },
    #[error("constant {index} is a {found}, expected {expected}")]
    WrongKind { index: PoolIndex, found: &'static str, expected: &'static str },
    #[error("constant {index} is no modified UTF-8")]
    NotModifiedUtf8 { index: PoolIndex },
    #[error("constant {index} has a surrogate without partner and cannot be a name")]
    UnpairedSurrogate { index: PoolIndex },
    #[error("constant {index}, `{text}`, is not a descriptor")]
    NotADescriptor { index: PoolIndex, text: String },
    #[error("constant {index} is an array type, expected a class")]
    ArrayClass { index: PoolIndex },
    #[error("constant {index} has unknown method handle kind {kind}")]
    UnknownHandleKind { index: PoolIndex, kind: u8 },
}

/// A constant that does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AppendError {
    #[error("constant pool is full (65535 entries)")]
    PoolFull,
    #[error("text needs {0} bytes, a constant holds 65535")]
    TextTooLong(usize),
}

/// Code that cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// Leave the method as it was; nothing in the class has changed but unused constants.
    #[error("method needs {0} bytes of code, allowed are 65535")]
    MethodTooLarge(usize),
    #[error("method has no instructions")]
    NoInstructions,
    #[error("no instruction pushes {0} by itself, it needs a constant")]
    NoSuchOpcode(u8),
    #[error("label {0} is used but stands nowhere")]
    LabelNotPlaced(Label),
    #[error("label {0} stands in two places")]
    LabelPlacedTwice(Label),
    #[error("label {0} was not made by this code")]
    ForeignLabel(Label),
    #[error("two different frames stand at code offset {0}")]
    FrameConflict(u32),
    #[error("frame at code offset {0} stands behind the last instruction")]
    FrameBehindCode(u32),
    #[error("range from label {0} to label {1} is empty or backwards")]
    BadRange(Label, Label),
    #[error("switch has {0} entries for its bounds or more than fit")]
    BadSwitch(usize),
    #[error("lookup switch keys are not in ascending order")]
    UnsortedSwitch,
    #[error("{what} has {count} entries, allowed are 65535")]
    TooManyEntries { what: &'static str, count: usize },
    /// Where a frame is needed and does not follow from those given.
    #[error("the types before node {0} are unknown: {1}")]
    UnknownTypes(usize, &'static str),
    #[error("frame names parameter {0}, which the method does not have")]
    NoSuchParameter(u8),
    #[error(transparent)]
    Append(#[from] AppendError),
    #[error(transparent)]
    Pool(#[from] PoolError),
}

/// A class that cannot be written because a count does not fit its field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{what} has {count} entries, more than a class file can hold")]
pub struct WriteError {
    pub what: &'static str,
    pub count: usize,
}
