//! Tree to sequence.
//!
//! In: a [`Program`] and [`Types`]. Out: a [`Script`], or a message for each statement that means nothing.
//! Nested calls become steps of their own, in the order Java would run them. A name whose statement failed is
//! remembered, so that its uses give no further messages.

mod assign;
mod call;
mod convert;
mod expression;
mod hierarchy;
mod lambda;
mod member;
mod operand;
mod overload;
mod scope;
mod show;
mod stub;

use std::collections::BTreeMap;
use std::ops::Range;

use probat_model::{Operation, OperationTable, Sequence, StepId};

use crate::diagnostic::{Diagnostic, Span};
use crate::syntax::Program;
use crate::types::Types;
pub(crate) use hierarchy::Hierarchy;
use operand::Operand;
use scope::Scope;

/// A sequence and how it is tied to its text.
#[derive(Debug, Clone)]
pub struct Script {
    pub table: OperationTable,
    pub sequence: Sequence,
    /// By step: the name its result was given first.
    pub names: Vec<Option<String>>,
    /// By step: the text it was made from.
    pub spans: Vec<Span>,
    /// The statements in order.
    pub lines: Vec<Line>,
    /// What is worth knowing and no error: uses of private members and the like.
    pub notes: Vec<Diagnostic>,
}

/// One statement of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub span: Span,
    /// The steps it became; none for `b = a`.
    pub steps: Range<u16>,
    /// The step whose result is the statement's.
    pub result: Option<StepId>,
    /// The name the result was given.
    pub name: Option<String>,
}

/// A statement that failed; its message is already kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Failed;

type Resolved<T> = Result<T, Failed>;

struct Resolver<'a> {
    text: &'a str,
    hierarchy: Hierarchy<'a>,
    scope: Scope,
    /// `Err` for those whose statement failed.
    variables: BTreeMap<String, Resolved<Operand<'a>>>,
    table: OperationTable,
    sequence: Sequence,
    names: Vec<Option<String>>,
    spans: Vec<Span>,
    notes: Vec<Diagnostic>,
    problems: Vec<Diagnostic>,
    /// The sequence takes no more steps.
    full: bool,
}

/// Resolves a whole program.
pub(crate) fn resolve<'a>(
    text: &'a str,
    program: &'a Program,
    types: &'a dyn Types,
) -> Result<Script, Vec<Diagnostic>> {
    let hierarchy = Hierarchy::new(types);
    let mut problems = Vec::new();
    let scope = Scope::new(&program.imports, &hierarchy, &mut problems);
    let mut resolver = Resolver {
        text,
        hierarchy,
        scope,
        variables: program.broken.iter().map(|name| (name.clone(), Err(Failed))).collect(),
        table: OperationTable::new(),
        sequence: Sequence::new(),
        names: Vec::new(),
        spans: Vec::new(),
        notes: Vec::new(),
        problems,
        full: false,
    };
    let mut lines = Vec::new();
    for statement in &program.statements {
        if resolver.full {
            break;
        }
        if let Ok(line) = resolver.statement(statement) {
            lines.push(line);
        }
    }
    let Resolver { table, sequence, names, spans, notes, problems, .. } = resolver;
    if problems.is_empty() {
        Ok(Script { table, sequence, names, spans, lines, notes })
    } else {
        Err(problems)
    }
}

impl Resolver<'_> {
    /// Keeps a message and fails.
    fn fail<T>(&mut self, problem: Diagnostic) -> Resolved<T> {
        self.problems.push(problem);
        Err(Failed)
    }

    /// Keeps a message once per text, however often it arises.
    fn note(&mut self, note: Diagnostic) {
        if !self.notes.iter().any(|known| known.message == note.message) {
            self.notes.push(note);
        }
    }

    /// Appends a step.
    fn emit(
        &mut self,
        operation: Operation,
        args: impl IntoIterator<Item = StepId>,
        span: Span,
    ) -> Resolved<StepId> {
        let id = self.table.intern(operation);
        match self.sequence.push(&self.table, id, args) {
            Ok(step) => {
                self.names.push(None);
                self.spans.push(span);
                Ok(step)
            }
            Err(error) => {
                self.full = true;
                self.fail(Diagnostic::error(span, error.to_string()))
            }
        }
    }

    fn next_step(&self) -> u16 {
        self.sequence.len() as u16
    }
}
