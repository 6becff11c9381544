//! JUnit source a person would keep.
//!
//! In: [`TestCase`]s, whose steps and expected values were observed, and a [`Scope`] that knows what source can name.
//! Out: the text of one test class. Prints what it is given: choosing, minimising and verifying tests happens elsewhere.
//!
//! ```text
//! case ─▶ uses: which results are used, and where ─▶ statements: variables, calls, assertions ─▶ class: imports, annotations
//! ```

mod case;
mod class;
mod expression;
mod literal;
mod names;
mod scope;
mod statement;

pub use case::{Check, Ending, Expected, TestCase};
pub use class::{Framework, Style, TestClass, test_class_source};
pub use literal::{java_char, java_string};
pub use names::is_keyword;
pub use scope::Scope;
pub use statement::EmitError;
