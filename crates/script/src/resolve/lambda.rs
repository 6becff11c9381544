//! Lambdas: an object of a functional interface whose method does one thing.
//!
//! In: a lambda and the interface wanted. Out: a stub step. A body is a literal, a parameter, a variable or a `throw`;
//! anything that would run code at call time is refused, because a stub has no code of its own.

use probat_model::{
    ClassName, Literal, MethodDescriptor, Operation, StepId, StubBehaviour, StubMethod, StubSpec, Type,
};

use super::convert::{Context, fits_constant, fold};
use super::hierarchy::{boxed, unboxed, widens};
use super::operand::Operand;
use super::{Resolved, Resolver, show};
use crate::diagnostic::{Diagnostic, Span};
use crate::syntax::{Body, Expr, ExprKind, Lambda, LambdaParam, TypeName};

/// Values a stub keeps, in the order of its arguments.
#[derive(Debug, Default)]
pub(super) struct Captures {
    /// Arguments of the constructor, which come first.
    pub constructor: Vec<StepId>,
    pub steps: Vec<StepId>,
    pub types: Vec<Type>,
}

impl Captures {
    /// Which of the kept values this step's is.
    fn add(&mut self, step: StepId, ty: &Type) -> Option<u8> {
        let known = self.steps.iter().zip(&self.types).position(|(s, t)| *s == step && t == ty);
        let at = known.unwrap_or_else(|| {
            self.steps.push(step);
            self.types.push(ty.clone());
            self.steps.len() - 1
        });
        u8::try_from(at).ok()
    }

    pub fn args(&self) -> Vec<StepId> {
        self.constructor.iter().chain(&self.steps).copied().collect()
    }
}

impl<'a> Resolver<'a> {
    /// The step that makes a lambda of this type.
    pub(super) fn lambda_as(&mut self, lambda: &'a Lambda, to: &Type) -> Resolved<StepId> {
        let class = self.functional(lambda, to)?;
        let function = self.hierarchy.function(&class).expect("just checked");
        let wanted = function[0].facts().descriptor.params.len();
        if wanted != lambda.params.len() {
            let message = format!(
                "`{}` wants a lambda of {wanted}, this takes {}",
                show::class(&class),
                lambda.params.len()
            );
            return self.fail(Diagnostic::error(lambda.span, message));
        }
        let mut captures = Captures::default();
        let mut methods = Vec::new();
        for member in &function {
            let facts = member.facts();
            let behaviour =
                self.behaviour(&lambda.params, &lambda.body, &facts.descriptor, &mut captures, lambda.span)?;
            methods.push(StubMethod {
                name: facts.name.clone(),
                descriptor: facts.descriptor.clone(),
                behaviour,
            });
        }
        let args = captures.args();
        let spec =
            StubSpec { of: class, is_interface: true, constructor: None, captures: captures.types, methods };
        self.emit(Operation::Stub(spec), args, lambda.span)
    }

    fn functional(&mut self, lambda: &Lambda, to: &Type) -> Resolved<ClassName> {
        if let Type::Class(class) = to
            && self.hierarchy.function(class).is_some()
        {
            return Ok(class.clone());
        }
        let message = format!("`{}` is no interface with one abstract method", show::ty(to));
        let hint = "cast the lambda to one: `(Runnable) () -> { }`";
        self.fail(Diagnostic::error(lambda.span, message).hint(hint))
    }

    /// What a method of a stub does.
    pub(super) fn behaviour(
        &mut self,
        params: &[LambdaParam],
        body: &'a Body,
        descriptor: &MethodDescriptor,
        captures: &mut Captures,
        span: Span,
    ) -> Resolved<StubBehaviour> {
        match (body, &descriptor.returns) {
            (Body::Throw(class), _) => self.thrown(class).map(StubBehaviour::Throw),
            (Body::Nothing, None) => Ok(StubBehaviour::Default),
            (Body::Nothing, Some(returns)) => {
                let message = format!("a value of type `{}` is wanted", show::ty(returns));
                self.fail(Diagnostic::error(span, message).hint("give one: `x -> 5`"))
            }
            (Body::Value(value), None) => {
                let message = "the method returns nothing, so this value goes nowhere";
                self.fail(Diagnostic::error(value.span, message).hint("write `{ }` for doing nothing"))
            }
            (Body::Value(value), Some(returns)) => self.given(params, value, returns, captures),
        }
    }

    /// An exception class with a constructor that takes nothing.
    fn thrown(&mut self, written: &'a TypeName) -> Resolved<ClassName> {
        let class = self.class_of(written)?;
        if !self.hierarchy.is_subclass(&class, &ClassName::internal("java/lang/Throwable")) {
            let message = format!("`{}` is no exception", show::class(&class));
            return self.fail(Diagnostic::error(written.span, message));
        }
        let facts = self.hierarchy.class(&class).expect("a resolved class has facts");
        let plain = |member: &super::hierarchy::Member| member.facts().descriptor.params.is_empty();
        if facts.is_abstract || !self.hierarchy.constructors(&facts).iter().any(plain) {
            let message = format!("`{}` cannot be made without arguments", show::class(&class));
            return self
                .fail(Diagnostic::error(written.span, message).hint("throw another, or a subclass of it"));
        }
        Ok(class)
    }

    fn given(
        &mut self,
        params: &[LambdaParam],
        value: &'a Expr,
        returns: &Type,
        captures: &mut Captures,
    ) -> Resolved<StubBehaviour> {
        if let ExprKind::Name(name) = &value.kind
            && let Some(at) = params.iter().position(|param| param.name.text == name.text)
        {
            return Ok(StubBehaviour::Parameter(at as u8));
        }
        if !is_simple(value) {
            let written = value.span.of(self.text);
            let problem =
                Diagnostic::error(value.span, "the body of a lambda is a literal, a parameter or a variable")
                    .hint(format!("name the value first: `v = {written}`, then `-> v`"));
            return self.fail(problem);
        }
        match self.expression(value)? {
            Operand::Constant(literal) => self.constant(literal, returns, value.span),
            Operand::Null if returns.is_reference() => Ok(StubBehaviour::Default),
            operand => {
                let step = self.coerce(operand, returns, Context::Assignment, value.span)?;
                match captures.add(step, returns) {
                    Some(nth) => Ok(StubBehaviour::Captured(nth)),
                    None => self.fail(Diagnostic::error(value.span, "a stub keeps at most 256 values")),
                }
            }
        }
    }

    fn constant(&mut self, literal: Literal, returns: &Type, span: Span) -> Resolved<StubBehaviour> {
        let ty = literal.ty();
        let primitive = if returns.is_primitive() { Some(returns.clone()) } else { unboxed(returns) };
        let folded = primitive.and_then(|primitive| {
            let allowed = widens(&ty, &primitive) && (returns.is_primitive() || ty == primitive);
            if allowed || fits_constant(&literal, &primitive) { fold(&literal, &primitive) } else { None }
        });
        if let Some(folded) = folded {
            return Ok(StubBehaviour::Constant(folded));
        }
        let as_object = boxed(&ty).unwrap_or_else(|| ty.clone());
        if returns.is_reference() && self.hierarchy.is_subtype(&as_object, returns) {
            return Ok(StubBehaviour::Constant(literal));
        }
        let message = format!("`{}` does not fit `{}`", show::ty(&ty), show::ty(returns));
        self.fail(Diagnostic::error(span, message))
    }
}

/// Whether a value is there before the lambda is called: no call, no creation inside.
fn is_simple(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Literal(_) | ExprKind::Null | ExprKind::Name(_) | ExprKind::ClassLiteral(_) => true,
        ExprKind::Member { of, .. } => is_simple(of),
        ExprKind::Cast { value, .. } => is_simple(value),
        ExprKind::Call { .. }
        | ExprKind::New { .. }
        | ExprKind::NewArray { .. }
        | ExprKind::ArrayOf { .. }
        | ExprKind::Index { .. }
        | ExprKind::Lambda(_)
        | ExprKind::Stub { .. } => false,
    }
}
