//! Which method a call means (JLS §15.12.2): three phases, then the most specific.
//!
//! In: the methods of one name and the types of the arguments. Out: one of them, none, or several that tie.
//! Types are erased, so what Java would infer is not known here; a cast in the script decides where it matters.

use probat_model::{Literal, Type};

use super::convert::fits_constant;
use super::hierarchy::{Hierarchy, Member, boxed, unboxed, widens};
use super::operand::ArgType;
use crate::syntax::{Body, ExprKind, Lambda};

/// The outcome.
pub(super) enum Choice {
    One {
        member: Member,
        /// The last arguments are packed into an array.
        packed: bool,
    },
    None,
    Tie(Vec<Member>),
}

/// Chooses among methods.
pub(super) fn choose(hierarchy: &Hierarchy<'_>, members: &[Member], args: &[ArgType<'_>]) -> Choice {
    for (loose, packed) in [(false, false), (true, false), (true, true)] {
        let applicable: Vec<&Member> =
            members.iter().filter(|member| applies(hierarchy, member, args, loose, packed)).collect();
        if !applicable.is_empty() {
            return most_specific(hierarchy, &applicable, args, packed);
        }
    }
    Choice::None
}

/// The parameter types as `count` arguments meet them.
fn params_for(member: &Member, count: usize, packed: bool) -> Option<Vec<Type>> {
    let facts = member.facts();
    let params = &facts.descriptor.params;
    if !packed {
        return (params.len() == count).then(|| params.clone());
    }
    let (last, fixed) = params.split_last()?;
    let Type::Array(element) = last else { return None };
    if !facts.is_varargs || count < fixed.len() {
        return None;
    }
    let mut types = fixed.to_vec();
    types.resize(count, (**element).clone());
    Some(types)
}

fn applies(
    hierarchy: &Hierarchy<'_>,
    member: &Member,
    args: &[ArgType<'_>],
    loose: bool,
    packed: bool,
) -> bool {
    params_for(member, args.len(), packed)
        .is_some_and(|params| args.iter().zip(&params).all(|(arg, param)| fits(hierarchy, arg, param, loose)))
}

/// Whether an argument can be passed; `loose` allows boxing and unboxing.
pub(super) fn fits(hierarchy: &Hierarchy<'_>, arg: &ArgType<'_>, to: &Type, loose: bool) -> bool {
    match arg {
        ArgType::Null => to.is_reference(),
        ArgType::Lambda(lambda) => fits_lambda(hierarchy, lambda, to),
        ArgType::Known(from) => {
            if hierarchy.is_subtype(from, to) {
                return true;
            }
            let into_box = || boxed(from).is_some_and(|class| hierarchy.is_subtype(&class, to));
            let out_of_box = || to.is_primitive() && unboxed(from).is_some_and(|inside| widens(&inside, to));
            loose && (into_box() || out_of_box())
        }
    }
}

/// Arity and result of a lambda against those of an interface.
fn fits_lambda(hierarchy: &Hierarchy<'_>, lambda: &Lambda, to: &Type) -> bool {
    let Type::Class(class) = to else { return false };
    let Some(function) = hierarchy.function(class) else { return false };
    let descriptor = &function[0].facts().descriptor;
    if descriptor.params.len() != lambda.params.len() {
        return false;
    }
    match (&lambda.body, &descriptor.returns) {
        (Body::Throw(_), _) => true,
        (Body::Nothing, returns) => returns.is_none(),
        (Body::Value(_), None) => false,
        (Body::Value(value), Some(returns)) => match &value.kind {
            ExprKind::Literal(literal) => fits_result(hierarchy, literal, returns),
            ExprKind::Null => returns.is_reference(),
            _ => true,
        },
    }
}

fn fits_result(hierarchy: &Hierarchy<'_>, literal: &Literal, returns: &Type) -> bool {
    let narrow = unboxed(returns).unwrap_or_else(|| returns.clone());
    fits_constant(literal, &narrow) || fits(hierarchy, &ArgType::Known(literal.ty()), returns, true)
}

/// JLS §15.12.2.5. Methods of equal parameters (abstract ones of several interfaces) do not tie: the first wins.
fn most_specific(
    hierarchy: &Hierarchy<'_>,
    applicable: &[&Member],
    args: &[ArgType<'_>],
    packed: bool,
) -> Choice {
    let count = if packed { args.len().max(longest(applicable)) } else { args.len() };
    let lists: Vec<Vec<Type>> = applicable
        .iter()
        .map(|member| {
            let least = count.max(member.facts().descriptor.params.len().saturating_sub(1));
            params_for(member, least, packed).expect("an applicable method takes so many arguments")
        })
        .collect();
    let beats = |a: usize, b: usize| {
        lists[a].iter().zip(&lists[b]).enumerate().all(|(at, (s, t))| {
            hierarchy.is_subtype(s, t)
                || args.get(at).is_some_and(|arg| more_specific_function(hierarchy, arg, s, t))
        })
    };
    let best: Vec<usize> =
        (0..lists.len()).filter(|&a| (0..lists.len()).all(|b| a == b || beats(a, b))).collect();
    match best.as_slice() {
        [] => Choice::Tie(applicable.iter().map(|&member| member.clone()).collect()),
        [first, rest @ ..] => {
            let same = rest.iter().all(|&other| lists[other] == lists[*first]);
            if same {
                Choice::One { member: applicable[*first].clone(), packed }
            } else {
                Choice::Tie(best.iter().map(|&at| applicable[at].clone()).collect())
            }
        }
    }
}

fn longest(members: &[&Member]) -> usize {
    members.iter().map(|member| member.facts().descriptor.params.len()).max().unwrap_or(0)
}

/// Between two functional interfaces the result decides, where the lambda's parameters are typed or absent.
fn more_specific_function(hierarchy: &Hierarchy<'_>, arg: &ArgType<'_>, s: &Type, t: &Type) -> bool {
    let (ArgType::Lambda(lambda), Type::Class(s), Type::Class(t)) = (arg, s, t) else { return false };
    if lambda.params.iter().any(|param| param.ty.is_none()) {
        return false;
    }
    let result = |class| Some(hierarchy.function(class)?[0].facts().descriptor.returns.clone());
    let (Some(s), Some(t)) = (result(s), result(t)) else { return false };
    let primitive_body = matches!(&lambda.body, Body::Value(value) if is_primitive_literal(&value.kind));
    match (s, t) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(s), Some(t)) => {
            hierarchy.is_subtype(&s, &t)
                || (s.is_primitive() && t.is_reference() && primitive_body)
                || (s.is_reference() && t.is_primitive() && !primitive_body)
        }
    }
}

fn is_primitive_literal(kind: &ExprKind) -> bool {
    matches!(kind, ExprKind::Literal(literal) if literal.ty().is_primitive())
}
