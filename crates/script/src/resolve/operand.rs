//! A value while its statement is being resolved.

use probat_model::{Literal, StepId, Type};

use crate::syntax::Lambda;

/// What an expression gives. Literals, `null` and lambdas become steps only when it is known what they are to be.
#[derive(Debug, Clone)]
pub(super) enum Operand<'a> {
    /// The result of a step, with its static type.
    Step(StepId, Type),
    /// The result of a step that is `null` and fits every reference type.
    NullStep(StepId),
    Constant(Literal),
    Null,
    Lambda(&'a Lambda),
    /// A call without result.
    Void,
}

/// The type of an operand as far as overloads care.
#[derive(Debug, Clone)]
pub(super) enum ArgType<'a> {
    Known(Type),
    Null,
    Lambda(&'a Lambda),
}

impl<'a> Operand<'a> {
    /// `None` for what is no value.
    pub fn arg_type(&self) -> Option<ArgType<'a>> {
        Some(match self {
            Operand::Step(_, ty) => ArgType::Known(ty.clone()),
            Operand::Constant(literal) => ArgType::Known(literal.ty()),
            Operand::Null | Operand::NullStep(_) => ArgType::Null,
            Operand::Lambda(lambda) => ArgType::Lambda(lambda),
            Operand::Void => return None,
        })
    }
}
