//! Text to tree.
//!
//! In: the text of a script. Out: a [`Program`](crate::syntax::Program) of all statements that make sense, and a
//! message for each that does not. Knows no classes: `a.b.c` stays a chain of names.

mod expression;
mod lexer;
mod literal;
mod parser;
mod statement;
mod stub;
mod token;
mod type_name;

use crate::diagnostic::Diagnostic;
use crate::syntax::Program;

/// Parses a whole script, going on after each broken statement.
pub fn parse(text: &str) -> (Program, Vec<Diagnostic>) {
    let mut problems = Vec::new();
    let tokens = lexer::tokens(text, &mut problems);
    let program = statement::program(&mut parser::Parser::new(text, &tokens), &mut problems);
    problems.sort_by_key(|problem| problem.span.start);
    (program, problems)
}
