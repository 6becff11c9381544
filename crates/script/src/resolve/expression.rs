//! Values: each kind of expression to an operand.

use probat_model::{Literal, Operation, StepId, Type};

use super::convert::Context;
use super::member::Named;
use super::operand::Operand;
use super::{Resolved, Resolver, show};
use crate::diagnostic::{Diagnostic, Span};
use crate::syntax::{Expr, ExprKind, TypeName};

/// The most arrays one `new T[a][b]` may stand for.
const MAX_INNER_ARRAYS: i32 = 256;

impl<'a> Resolver<'a> {
    /// Resolves any expression.
    pub(super) fn expression(&mut self, expr: &'a Expr) -> Resolved<Operand<'a>> {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Literal(literal) => Ok(Operand::Constant(literal.clone())),
            ExprKind::Null => Ok(Operand::Null),
            ExprKind::Lambda(lambda) => Ok(Operand::Lambda(lambda)),
            ExprKind::Name(_) | ExprKind::Member { .. } => self.name_value(expr),
            ExprKind::Call { of, name, args } => self.call(of.as_deref(), name, args, span),
            ExprKind::New { outer, class, args } => self.construct(outer.as_deref(), class, args, span),
            ExprKind::NewArray { element, lengths } => self.new_array(element, lengths, span),
            ExprKind::ArrayOf { element: Some(element), values } => {
                let element = self.type_of(element)?;
                self.array_of(&element, values, span)
            }
            ExprKind::ArrayOf { element: None, .. } => self.fail(
                Diagnostic::error(span, "the type of this array is not said")
                    .hint("write `new int[] {1, 2}` or `int[] a = {1, 2}`"),
            ),
            ExprKind::Index { array, index } => self.element(array, index, span),
            ExprKind::Cast { to, value } => {
                let value = self.expression(value)?;
                self.cast(to, value, span)
            }
            ExprKind::ClassLiteral(ty) => {
                let ty = self.type_of(ty)?;
                Ok(Operand::Constant(Literal::Class(ty)))
            }
            ExprKind::Stub { class, args, methods } => self.stub(class, args, methods, span),
        }
    }

    fn name_value(&mut self, expr: &'a Expr) -> Resolved<Operand<'a>> {
        match self.named(expr)? {
            Named::Value(value) => Ok(value),
            Named::Class(class) => {
                let message = format!("`{}` is a class, not a value", show::class(&class));
                let written = expr.span.of(self.text);
                let hint = format!("its class object is `{written}.class`, a new one `new {written}()`");
                self.fail(Diagnostic::error(expr.span, message).hint(hint))
            }
            Named::Package(_) => self.unknown_name(expr),
        }
    }

    /// `new T[n]`; several lengths become arrays in an array.
    fn new_array(&mut self, element: &'a TypeName, lengths: &'a [Expr], span: Span) -> Resolved<Operand<'a>> {
        let mut element = self.type_of(element)?;
        for _ in 1..lengths.len() {
            element = element.array();
        }
        let mut sizes = Vec::new();
        for length in lengths {
            sizes.push((self.expression(length)?, length.span));
        }
        let step = self.nested_array(&element, &sizes, span)?;
        Ok(Operand::Step(step, element.array()))
    }

    fn nested_array(
        &mut self,
        element: &Type,
        sizes: &[(Operand<'a>, Span)],
        span: Span,
    ) -> Resolved<StepId> {
        let (outer, inner) = sizes.split_first().expect("an array has a length");
        if inner.is_empty() {
            let length = self.coerce(outer.0.clone(), &Type::Int, Context::Argument, outer.1)?;
            return self.emit(Operation::NewArray { element: element.clone() }, [length], span);
        }
        let count = match outer.0 {
            Operand::Constant(Literal::Int(count @ 0..=MAX_INNER_ARRAYS)) => count,
            _ => {
                let message = "an outer length is a literal, and at most 256";
                let hint = "make the arrays one by one: `a = new int[n][]`, `a[0] = new int[m]`";
                return self.fail(Diagnostic::error(outer.1, message).hint(hint));
            }
        };
        let Type::Array(below) = element else { unreachable!("one dimension per length") };
        let arrays: Resolved<Vec<StepId>> =
            (0..count).map(|_| self.nested_array(below, inner, span)).collect();
        self.emit(Operation::ArrayOf { element: element.clone(), length: count as u32 }, arrays?, span)
    }

    /// `new T[] {a, b}`.
    pub(super) fn array_of(
        &mut self,
        element: &Type,
        values: &'a [Expr],
        span: Span,
    ) -> Resolved<Operand<'a>> {
        let mut steps = Vec::new();
        for value in values {
            let operand = match (&value.kind, element) {
                (ExprKind::ArrayOf { element: None, values }, Type::Array(inner)) => {
                    self.array_of(inner, values, value.span)?
                }
                _ => self.expression(value)?,
            };
            steps.push(self.coerce(operand, element, Context::Assignment, value.span)?);
        }
        let operation = Operation::ArrayOf { element: element.clone(), length: steps.len() as u32 };
        let step = self.emit(operation, steps, span)?;
        Ok(Operand::Step(step, element.clone().array()))
    }

    fn element(&mut self, array: &'a Expr, index: &'a Expr, span: Span) -> Resolved<Operand<'a>> {
        let (array, index, element) = self.array_and_index(array, index)?;
        let step = self.emit(Operation::ArrayGet { element: element.clone() }, [array, index], span)?;
        Ok(Operand::Step(step, element))
    }

    /// The array, the index as an `int`, and the type of the elements.
    pub(super) fn array_and_index(
        &mut self,
        array: &'a Expr,
        index: &'a Expr,
    ) -> Resolved<(StepId, StepId, Type)> {
        let value = self.expression(array)?;
        let (step, ty) = match value {
            Operand::Step(step, ty) => (step, ty),
            other => self.receiver(other, array.span)?,
        };
        let Type::Array(element) = ty else {
            let message = format!("`{}` is no array but `{}`", array.span.of(self.text), show::ty(&ty));
            return self.fail(Diagnostic::error(array.span, message).hint("of a list: `list.get(0)`"));
        };
        let at = self.expression(index)?;
        let at = self.coerce(at, &Type::Int, Context::Argument, index.span)?;
        Ok((step, at, *element))
    }
}
