//! Statements: names given, fields and elements written.

use probat_model::{Literal, Operation, StepId, Type};

use super::convert::Context;
use super::member::Place;
use super::operand::Operand;
use super::{Failed, Line, Resolved, Resolver, show};
use crate::diagnostic::{Diagnostic, Span};
use crate::syntax::{Expr, ExprKind, Ident, Statement, StatementKind, TypeName};

impl<'a> Resolver<'a> {
    pub(super) fn statement(&mut self, statement: &'a Statement) -> Resolved<Line> {
        let first = self.next_step();
        let span = statement.span;
        let (result, name) = match &statement.kind {
            StatementKind::Run(expr) => (self.run(expr)?, None),
            StatementKind::Set { target, value } => {
                self.set(target, value, span)?;
                (None, None)
            }
            StatementKind::Name { declared, name, value } => {
                let result = self.name(declared.as_ref(), name, value);
                if result.is_err() {
                    self.variables.insert(name.text.clone(), Err(Failed));
                }
                (Some(result?), Some(name.text.clone()))
            }
        };
        Ok(Line { span, steps: first..self.next_step(), result, name })
    }

    fn run(&mut self, expr: &'a Expr) -> Resolved<Option<StepId>> {
        match self.expression(expr)? {
            Operand::Void => Ok(None),
            Operand::Step(step, _) | Operand::NullStep(step) => Ok(Some(step)),
            Operand::Constant(literal) => self.emit(Operation::Literal(literal), [], expr.span).map(Some),
            Operand::Null => {
                let ty = Type::class("java/lang/Object");
                self.emit(Operation::Literal(Literal::Null(ty)), [], expr.span).map(Some)
            }
            Operand::Lambda(_) => self.lambda_without_type(expr.span),
        }
    }

    fn lambda_without_type<T>(&mut self, span: Span) -> Resolved<T> {
        self.fail(
            Diagnostic::error(span, "this lambda has no type")
                .hint("cast it, `(Runnable) () -> { }`, or declare the name, `Runnable r = () -> { }`"),
        )
    }

    fn name(&mut self, declared: Option<&'a TypeName>, name: &Ident, value: &'a Expr) -> Resolved<StepId> {
        let operand = match declared {
            Some(written) => {
                let ty = self.type_of(written)?;
                let operand = self.value_for(&ty, value)?;
                let step = self.coerce(operand, &ty, Context::Assignment, value.span)?;
                Operand::Step(step, ty)
            }
            None => match self.expression(value)? {
                Operand::Void => return self.no_value(value.span),
                Operand::Lambda(_) => return self.lambda_without_type(value.span),
                Operand::Constant(literal) => {
                    let ty = literal.ty();
                    Operand::Step(self.emit(Operation::Literal(literal), [], value.span)?, ty)
                }
                Operand::Null => {
                    let null = Literal::Null(Type::class("java/lang/Object"));
                    Operand::NullStep(self.emit(Operation::Literal(null), [], value.span)?)
                }
                operand @ (Operand::Step(..) | Operand::NullStep(_)) => operand,
            },
        };
        let (Operand::Step(step, _) | Operand::NullStep(step)) = operand else {
            unreachable!("every other operand was turned into a step")
        };
        self.names[usize::from(step.0)].get_or_insert_with(|| name.text.clone());
        self.variables.insert(name.text.clone(), Ok(operand));
        Ok(step)
    }

    /// A value where its type is known, so that braces alone make an array.
    fn value_for(&mut self, ty: &Type, value: &'a Expr) -> Resolved<Operand<'a>> {
        match (&value.kind, ty) {
            (ExprKind::ArrayOf { element: None, values }, Type::Array(element)) => {
                self.array_of(element, values, value.span)
            }
            _ => self.expression(value),
        }
    }

    fn set(&mut self, target: &'a Expr, value: &'a Expr, span: Span) -> Resolved<()> {
        match &target.kind {
            ExprKind::Index { array, index } => {
                let (array, at, element) = self.array_and_index(array, index)?;
                let operand = self.value_for(&element, value)?;
                let value = self.coerce(operand, &element, Context::Assignment, value.span)?;
                self.emit(Operation::ArraySet { element }, [array, at, value], span)?;
            }
            ExprKind::Member { of, name } => {
                let place = self.place(of, name)?;
                self.write(place, value, name.span, span)?;
            }
            _ => unreachable!("the parser allows fields and elements only"),
        }
        Ok(())
    }

    fn write(&mut self, place: Place, value: &'a Expr, name: Span, span: Span) -> Resolved<()> {
        let (class, field, object) = match place {
            Place::Static { class, field } => (class, field, None),
            Place::Instance { object, class, field } => (class, field, Some(object)),
        };
        if field.is_final {
            let message = format!("field `{}` of `{}` is final", field.name, show::class(&class));
            let why = "compiled code may have kept its value, so writing it proves nothing";
            return self.fail(Diagnostic::error(name, message).detail(why));
        }
        let operand = self.value_for(&field.ty, value)?;
        let value = self.coerce(operand, &field.ty, Context::Assignment, value.span)?;
        let (name, ty) = (field.name, field.ty);
        match object {
            Some(object) => self.emit(Operation::PutField { class, name, ty }, [object, value], span)?,
            None => self.emit(Operation::PutStatic { class, name, ty }, [value], span)?,
        };
        Ok(())
    }
}
