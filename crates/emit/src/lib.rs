//! Test source a person would keep, for JUnit or for no library at all.
//!
//! In: [`TestCase`]s, whose steps and expected values were observed, and a [`Scope`] that knows what source can name.
//! Out: the text of one test class. Prints what it is given: choosing, minimising and verifying tests happens elsewhere.
//!
//! ```text
//! case ─▶ uses: which results are used, and where ─▶ statements: variables, calls, assertions ─▶ class: imports, annotations
//! ```

mod arguments;
mod assertion;
mod call;
mod case;
mod caught;
mod choice;
mod class;
mod comment;
mod contract;
mod expression;
mod imports;
mod infer;
mod java;
mod layout;
mod literal;
mod method;
mod names;
mod plain;
mod plan;
mod scope;
mod share;
mod statement;
mod stub;
mod typing;
mod wish;

pub use case::{Asked, Caught, Check, Ending, Expected, Rule, TestCase};
pub use class::{Framework, Group, Source, Style, TestClass, one_line, test_class_source};
pub use contract::{consequence, contract_in_words};
pub use java::{Access, Argument, ClassShape, Field, JavaType, Method, TypeParameter};
pub use literal::{java_char, java_string, text_columns};
pub use method::Place;
pub use names::is_keyword;
pub use plan::lines;
pub use scope::{Deprecation, Scope};
pub use statement::EmitError;
