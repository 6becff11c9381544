//! Values to the types that are wanted of them (JLS §5).
//!
//! In: an operand and a type. Out: the step that has the value in that type, with steps for boxing, unboxing, widening
//! and casts put before it. Literals are folded instead.

use probat_model::{Literal, Operation, StepId, Type};

use super::hierarchy::{boxed, unboxed, widens};
use super::operand::Operand;
use super::{Resolved, Resolver, show};
use crate::diagnostic::{Diagnostic, Span};
use crate::syntax::TypeName;

/// How far a value may be bent to fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Context {
    /// Method invocation: nothing is lost.
    Argument,
    /// Assignment: literals may narrow, and a reference whose generic type is unknown to us is cast.
    Assignment,
}

impl<'a> Resolver<'a> {
    /// The step that has this value in this type.
    pub(super) fn coerce(
        &mut self,
        operand: Operand<'a>,
        to: &Type,
        context: Context,
        span: Span,
    ) -> Resolved<StepId> {
        match operand {
            Operand::Void => self.no_value(span),
            Operand::Null if to.is_reference() => {
                self.emit(Operation::Literal(Literal::Null(to.clone())), [], span)
            }
            Operand::NullStep(step) if to.is_reference() => Ok(step),
            Operand::Null | Operand::NullStep(_) => self.mismatch("null", to, span),
            Operand::Lambda(lambda) => self.lambda_as(lambda, to),
            Operand::Constant(literal) => self.coerce_constant(literal, to, context, span),
            Operand::Step(step, ty) => self.coerce_step(step, &ty, to, context, span),
        }
    }

    pub(super) fn no_value<T>(&mut self, span: Span) -> Resolved<T> {
        let message = format!("`{}` gives no value", span.of(self.text));
        self.fail(Diagnostic::error(span, message))
    }

    fn mismatch<T>(&mut self, found: &str, to: &Type, span: Span) -> Resolved<T> {
        let message = format!("`{found}` does not fit `{}`", show::ty(to));
        self.fail(Diagnostic::error(span, message))
    }

    fn mismatch_with_cast<T>(&mut self, found: &Type, to: &Type, span: Span) -> Resolved<T> {
        let message = format!("`{}` does not fit `{}`", show::ty(found), show::ty(to));
        let mut problem = Diagnostic::error(span, message);
        if may_cast(found, to) {
            problem = problem.hint(format!("a cast may help: `({}) {}`", show::ty(to), span.of(self.text)));
        }
        self.fail(problem)
    }

    fn coerce_constant(
        &mut self,
        literal: Literal,
        to: &Type,
        context: Context,
        span: Span,
    ) -> Resolved<StepId> {
        let narrow = context == Context::Assignment;
        let wanted = if to.is_primitive() { Some(to.clone()) } else { unboxed(to).filter(|_| narrow) };
        let folded = match wanted {
            Some(primitive) if widens(&literal.ty(), &primitive) && to.is_primitive() => {
                fold(&literal, &primitive)
            }
            Some(primitive) if narrow && fits_constant(&literal, &primitive) => fold(&literal, &primitive),
            _ => None,
        };
        let literal = folded.unwrap_or(literal);
        let ty = literal.ty();
        let step = self.emit(Operation::Literal(literal), [], span)?;
        self.coerce_step(step, &ty, to, context, span)
    }

    fn coerce_step(
        &mut self,
        step: StepId,
        from: &Type,
        to: &Type,
        context: Context,
        span: Span,
    ) -> Resolved<StepId> {
        match (from.is_primitive(), to.is_primitive()) {
            _ if from == to => Ok(step),
            (true, true) if widens(from, to) => self.convert(step, from, to, span),
            (true, false) => {
                let class = boxed(from).expect("a primitive type has a box");
                if !self.hierarchy.is_subtype(&class, to) {
                    return self.mismatch_with_cast(from, to, span);
                }
                self.convert(step, from, &class, span)
            }
            (false, true) => match unboxed(from) {
                Some(inside) if widens(&inside, to) => {
                    let value = self.convert(step, from, &inside, span)?;
                    self.coerce_step(value, &inside, to, context, span)
                }
                _ => self.mismatch_with_cast(from, to, span),
            },
            (false, false) if self.hierarchy.is_subtype(from, to) => Ok(step),
            (false, false) if context == Context::Assignment => {
                self.emit(Operation::Cast { to: to.clone() }, [step], span)
            }
            _ => self.mismatch_with_cast(from, to, span),
        }
    }

    fn convert(&mut self, step: StepId, from: &Type, to: &Type, span: Span) -> Resolved<StepId> {
        if from == to {
            return Ok(step);
        }
        self.emit(Operation::Convert { from: from.clone(), to: to.clone() }, [step], span)
    }

    /// `(T) value` (JLS §5.5).
    pub(super) fn cast(&mut self, to: &TypeName, value: Operand<'a>, span: Span) -> Resolved<Operand<'a>> {
        let to = self.type_of(to)?;
        match value {
            Operand::Void => self.no_value(span),
            Operand::Null | Operand::NullStep(_) | Operand::Lambda(_) => {
                let step = self.coerce(value, &to, Context::Argument, span)?;
                Ok(Operand::Step(step, to))
            }
            Operand::Constant(literal) => match fold(&literal, &to) {
                Some(folded) => Ok(Operand::Constant(folded)),
                None => {
                    let ty = literal.ty();
                    let step = self.emit(Operation::Literal(literal), [], span)?;
                    self.cast_step(step, &ty, &to, span)
                }
            },
            Operand::Step(step, ty) => self.cast_step(step, &ty, &to, span),
        }
    }

    fn cast_step(&mut self, step: StepId, from: &Type, to: &Type, span: Span) -> Resolved<Operand<'a>> {
        let numeric = |ty: &Type| ty.is_primitive() && *ty != Type::Boolean;
        let step = match (from.is_primitive(), to.is_primitive()) {
            (true, true) if numeric(from) && numeric(to) => self.convert(step, from, to, span)?,
            (true, true) if from == to => step,
            (true, true) => return self.mismatch(&show::ty(from), to, span),
            (true, false) => self.coerce_step(step, from, to, Context::Argument, span)?,
            (false, true) => {
                let class = unboxed(from).map(|_| from.clone()).or_else(|| boxed(to));
                let class = class.expect("a primitive type has a box");
                let inside = unboxed(&class).expect("a box has a primitive type");
                let object = if *from == class {
                    step
                } else {
                    self.emit(Operation::Cast { to: class.clone() }, [step], span)?
                };
                let value = self.convert(object, &class, &inside, span)?;
                return self.cast_step(value, &inside, to, span);
            }
            (false, false) if self.hierarchy.is_subtype(from, to) => step,
            (false, false) => self.emit(Operation::Cast { to: to.clone() }, [step], span)?,
        };
        Ok(Operand::Step(step, to.clone()))
    }
}

/// Whether a cast between these makes sense at all.
pub(super) fn may_cast(from: &Type, to: &Type) -> bool {
    match (from.is_primitive(), to.is_primitive()) {
        (true, true) => (*from == Type::Boolean) == (*to == Type::Boolean),
        (true, false) => false,
        (false, true) => unboxed(from).is_some() || *from == Type::class("java/lang/Object"),
        (false, false) => true,
    }
}

/// Whether an `int`-like literal keeps its value in a smaller type (JLS §5.2).
pub(super) fn fits_constant(literal: &Literal, to: &Type) -> bool {
    let value = match literal {
        Literal::Byte(value) => i64::from(*value),
        Literal::Short(value) => i64::from(*value),
        Literal::Char(value) => i64::from(*value),
        Literal::Int(value) => i64::from(*value),
        _ => return false,
    };
    match to {
        Type::Byte => i8::try_from(value).is_ok(),
        Type::Short => i16::try_from(value).is_ok(),
        Type::Char => u16::try_from(value).is_ok(),
        Type::Int => true,
        _ => false,
    }
}

/// A literal in another primitive type, as a cast makes it (JLS §5.1.2, §5.1.3).
pub(super) fn fold(literal: &Literal, to: &Type) -> Option<Literal> {
    if literal.ty() == *to {
        return Some(literal.clone());
    }
    let whole = match literal {
        Literal::Byte(value) => i64::from(*value),
        Literal::Short(value) => i64::from(*value),
        Literal::Char(value) => i64::from(*value),
        Literal::Int(value) => i64::from(*value),
        Literal::Long(value) => *value,
        Literal::Float(bits) => return fold_floating(f64::from(f32::from_bits(*bits)), to),
        Literal::Double(bits) => return fold_floating(f64::from_bits(*bits), to),
        Literal::Null(_) | Literal::Boolean(_) | Literal::String(_) | Literal::Class(_) => return None,
    };
    Some(match to {
        Type::Byte => Literal::Byte(whole as i8),
        Type::Short => Literal::Short(whole as i16),
        Type::Char => Literal::Char(whole as u16),
        Type::Int => Literal::Int(whole as i32),
        Type::Long => Literal::Long(whole),
        Type::Float => Literal::Float((whole as f32).to_bits()),
        Type::Double => Literal::Double((whole as f64).to_bits()),
        Type::Boolean | Type::Class(_) | Type::Array(_) => return None,
    })
}

/// Smaller whole types are reached through `int`; Rust's casts saturate as Java's do.
fn fold_floating(value: f64, to: &Type) -> Option<Literal> {
    Some(match to {
        Type::Byte => Literal::Byte(value as i32 as i8),
        Type::Short => Literal::Short(value as i32 as i16),
        Type::Char => Literal::Char(value as i32 as u16),
        Type::Int => Literal::Int(value as i32),
        Type::Long => Literal::Long(value as i64),
        Type::Float => Literal::Float((value as f32).to_bits()),
        Type::Double => Literal::Double(value.to_bits()),
        Type::Boolean | Type::Class(_) | Type::Array(_) => return None,
    })
}
