//! Calls that throw in the middle of a test, which goes on after them.
//!
//! In: a step and the exception it throws. Out: `try`, a failure if nothing is thrown, and `catch`; `assertThrows` where a `catch` would
//! swallow that failure or be refused by a compiler.

use probat_model::{ClassName, Operation, Type};

use crate::case::Caught;
use crate::layout::wrap;
use crate::statement::{COLUMN, Stop, Writer, is_statement};

/// Columns of a block.
const INDENT: usize = 4;

impl Writer<'_, '_> {
    /// A step that throws and is caught.
    pub(crate) fn caught(&mut self, caught: &Caught) -> Result<(), Stop> {
        let operation = self.printer.operation(caught.step).clone();
        let ty = self.printer.typing.nameable(&Type::Class(caught.class.clone()));
        if !self.can_be_caught(&operation, &ty) {
            return self.throwing(caught.step, &caught.class, caught.message.as_ref());
        }
        if !self.declared(&operation).iter().all(|declared| self.is_subtype(declared, &ty)) {
            self.note_checked(caught.step);
        }
        let mut text = self.printer.expression(caught.step)?.text;
        if !is_statement(&operation) {
            let result = operation.result().unwrap_or(Type::class("java/lang/Object"));
            let result = self.printer.typing.nameable(&result);
            let name = self.printer.variables.fresh("value");
            text = format!("{} {name} = {text}", self.printer.type_name(&result)?);
        }
        let name = self.printer.bare_name(&ty)?;
        let expected = self.printer.variables.fresh("expected");
        self.lines.push("try {".into());
        self.inside(&format!("{text};"));
        self.inside(&format!("fail(\"{name} expected\");"));
        self.asserts.push("fail");
        self.lines.push(format!("}} catch ({name} {expected}) {{"));
        match &caught.message {
            Some(message) => {
                self.asserts.push("assertEquals");
                let message = self.printer.text(message).0;
                self.inside(&format!("assertEquals({message}, {expected}.getMessage());"));
            }
            None => self.inside("// The test goes on."),
        }
        self.lines.push("}".into());
        Ok(())
    }

    fn inside(&mut self, statement: &str) {
        let lines = wrap(statement, COLUMN + INDENT);
        self.lines.extend(lines.into_iter().map(|line| format!("{}{line}", " ".repeat(INDENT))));
    }

    /// Whether a compiler accepts the `catch` (JLS §11.2.3), and it lets the failure of a missing exception pass.
    fn can_be_caught(&self, operation: &Operation, ty: &Type) -> bool {
        if self.is_subtype(&Type::class("java/lang/AssertionError"), ty) {
            return false;
        }
        let unchecked = ["java/lang/RuntimeException", "java/lang/Error"].map(Type::class);
        let is_general = *ty == Type::class("java/lang/Exception");
        is_general
            || unchecked.iter().any(|above| self.is_subtype(ty, above))
            || self
                .declared(operation)
                .iter()
                .any(|declared| self.is_subtype(declared, ty) || self.is_subtype(ty, declared))
    }

    fn declared(&self, operation: &Operation) -> Vec<Type> {
        let checked: Vec<ClassName> = self.printer.typing.scope.checked(operation);
        checked.into_iter().map(Type::Class).collect()
    }

    fn is_subtype(&self, sub: &Type, of: &Type) -> bool {
        sub == of || self.printer.typing.scope.is_subtype(sub, of)
    }
}
