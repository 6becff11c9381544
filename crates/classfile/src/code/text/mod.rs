//! Code as text, for tests and for people.
//!
//! In: [`Code`](super::Code), or lines. Out: the other. One instruction, label or table entry per line:
//!
//! ```text
//! L0:
//!     iload 0
//!     ifeq L1
//!     getstatic java/lang/System.out Ljava/io/PrintStream;
//!     ldc string "zero"
//!     invokevirtual java/io/PrintStream.println (Ljava/lang/String;)V
//! L1:
//!     return
//! frame L1 [int] []
//! line L0 12
//! catch L0 L1 L1 java/lang/Exception
//! local L0 L1 0 count I
//! ```
//!
//! `push 5` stands for the shortest of `iconst_5`, `bipush 5` and `sipush 5`. Type annotations and unknown
//! attributes have no text.

mod parse;
mod render;

pub use parse::{ParseError, parse};
pub use render::render;

#[cfg(test)]
mod tests;
