//! The text form of a sequence: what a person writes to have probat run a few calls.
//!
//! In: text in a small language that reads like Java, and [`Types`], which knows the classes.
//! Out: [`Script`]: operations, a sequence over them, and which line each step belongs to; or [`Diagnostic`]s that
//! point at the text. [`write`](fn@write) goes the other way. Nothing is loaded, read or run here.

mod diagnostic;
#[cfg(test)]
mod fake;
mod parse;
mod resolve;
mod syntax;
#[cfg(test)]
mod tests;
mod types;
mod write;

pub use diagnostic::{Diagnostic, Position, Severity, Span};
pub use resolve::{Line, Script};
pub use types::{Access, ClassFacts, ClassKind, FieldFacts, MethodFacts, Types};
pub use write::{Unwritable, Written, write};

/// Reads a script and resolves it. Every error found is reported, not only the first.
pub fn read(text: &str, types: &dyn Types) -> Result<Script, Vec<Diagnostic>> {
    let (program, mut problems) = parse::parse(text);
    match resolve::resolve(text, &program, types) {
        Ok(script) if problems.is_empty() => Ok(script),
        Ok(_) => Err(problems),
        Err(more) => {
            problems.extend(more);
            problems.sort_by_key(|problem| problem.span.start);
            Err(problems)
        }
    }
}
