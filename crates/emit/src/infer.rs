//! What the type variables of a generic method become.
//!
//! In: bounds gathered from the arguments of one call. Out: a type per variable, or that a compiler's own algorithm is needed to tell.

use crate::java::{JavaType, TypeParameter, boxed};
use crate::typing::{Fit, Typing};
use probat_model::Type;

/// Bounds on the variables of one call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Inference {
    variables: Vec<Bounds>,
    /// A raw type went where a parameterised one is wanted: the result is erased (JLS §15.12.2.6).
    pub unchecked: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Bounds {
    equal: Vec<JavaType>,
    below: Vec<JavaType>,
    above: Vec<JavaType>,
    /// Arguments whose own type is not known.
    blurred: u32,
    /// Wildcards that a compiler would capture.
    captured: u32,
    /// How many of them have types below them.
    lower: u32,
}

/// A variable's type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Solved {
    Is(JavaType),
    /// No argument says; the place it is used in decides.
    Free,
    /// Some type below the bound.
    Blurred,
}

impl Inference {
    fn bounds(&mut self, at: u16) -> &mut Bounds {
        let at = usize::from(at);
        if self.variables.len() <= at {
            self.variables.resize(at + 1, Bounds::default());
        }
        &mut self.variables[at]
    }

    pub fn equals(&mut self, at: u16, ty: JavaType) {
        self.bounds(at).equal.push(ty);
    }

    /// An argument of this type is passed for the variable.
    pub fn below(&mut self, at: u16, ty: JavaType) {
        let ty = match &ty {
            JavaType::Primitive(inside) => JavaType::of(&boxed(inside)),
            _ => ty,
        };
        self.bounds(at).below.push(ty);
    }

    pub fn above(&mut self, at: u16, ty: JavaType) {
        self.bounds(at).above.push(ty);
    }

    /// An argument of an unknown type is passed for the variable.
    pub fn blur(&mut self, at: u16) {
        self.bounds(at).blurred += 1;
    }

    /// The variable is a wildcard of an argument's type; one with a lower bound has types below it.
    pub fn capture(&mut self, at: u16, has_lower: bool) {
        self.bounds(at).captured += 1;
        self.bounds(at).lower += u32::from(has_lower);
    }

    /// Solves all variables; the fit says whether their declared bounds hold.
    pub fn solve(&mut self, parameters: &[TypeParameter], typing: &Typing<'_>) -> (Vec<Solved>, Fit) {
        let mut fit = Fit::Strict;
        let mut solved = Vec::with_capacity(parameters.len());
        for at in 0..parameters.len() {
            let bounds = self.bounds(at as u16).clone();
            let (found, own) = bounds.solve(typing);
            fit = fit.min(own);
            solved.push(found);
        }
        for (at, parameter) in parameters.iter().enumerate() {
            fit = fit.min(self.check(&solved[at], parameter, &solved, typing));
        }
        (solved, fit)
    }

    fn check(
        &mut self,
        found: &Solved,
        parameter: &TypeParameter,
        all: &[Solved],
        typing: &Typing<'_>,
    ) -> Fit {
        let mut fit = Fit::Strict;
        for bound in &parameter.bounds {
            if *bound == JavaType::class("java/lang/Object") {
                continue;
            }
            fit = fit.min(match found {
                Solved::Free => Fit::Strict,
                Solved::Blurred => Fit::Unsure,
                Solved::Is(ty) => match replace(bound, all) {
                    None => Fit::Unsure,
                    Some(bound) => {
                        let mut notes = Inference::default();
                        let own = typing.reduce_type(ty, &bound, &mut notes);
                        self.unchecked |= notes.unchecked;
                        own
                    }
                },
            });
        }
        fit
    }
}

impl Bounds {
    fn solve(&self, typing: &Typing<'_>) -> (Solved, Fit) {
        let fits = |ty: &JavaType, to: &JavaType| {
            let mut notes = Inference::default();
            typing.reduce_type(ty, to, &mut notes).min(if notes.unchecked {
                Fit::Unsure
            } else {
                Fit::Strict
            })
        };
        // Nothing but null is below what a compiler captured.
        if self.captured > 0 && self.lower == 0 && !self.below.is_empty() {
            return (Solved::Blurred, Fit::Never);
        }
        if self.blurred + self.captured > 0 {
            let others = self.equal.len() + self.above.len();
            let alone = others == 0 && (self.captured == 0 || self.captured + self.blurred == 1);
            let alone = alone && (self.captured == 0 || self.below.is_empty());
            return (Solved::Blurred, if alone { Fit::Strict } else { Fit::Unsure });
        }
        if let Some(first) = self.equal.first() {
            let mut fit = Fit::Strict;
            if self.equal.iter().any(|other| other != first) {
                fit = Fit::Never;
            }
            for low in &self.below {
                fit = fit.min(fits(low, first));
            }
            for high in &self.above {
                fit = fit.min(fits(first, high));
            }
            return (Solved::Is(first.clone()), fit);
        }
        let top = self.below.iter().find(|top| self.below.iter().all(|low| fits(low, top) >= Fit::Boxed));
        match top {
            Some(top) => {
                let fit = self.above.iter().map(|high| fits(top, high)).min().unwrap_or(Fit::Strict);
                (Solved::Is(top.clone()), fit)
            }
            // A least upper bound always exists; it may only break a declared bound.
            None if !self.below.is_empty() => {
                let fit = if self.above.is_empty() { Fit::Strict } else { Fit::Unsure };
                (Solved::Blurred, fit)
            }
            None => match self.above.as_slice() {
                [] => (Solved::Free, Fit::Strict),
                all => match all.iter().find(|low| all.iter().all(|high| fits(low, high) >= Fit::Boxed)) {
                    Some(low) => (Solved::Is(low.clone()), Fit::Strict),
                    None => (Solved::Blurred, Fit::Unsure),
                },
            },
        }
    }
}

/// A type with the method's variables replaced; none if one of them is not known.
pub(crate) fn replace(ty: &JavaType, solved: &[Solved]) -> Option<JavaType> {
    use crate::java::Argument;
    Some(match ty {
        JavaType::OfMethod(at) => match solved.get(usize::from(*at))? {
            Solved::Is(ty) => ty.clone(),
            Solved::Free | Solved::Blurred => return None,
        },
        JavaType::Class(name, arguments) => {
            let mut filled = Vec::with_capacity(arguments.len());
            for argument in arguments {
                filled.push(match argument {
                    Argument::Any => Argument::Any,
                    Argument::Exact(ty) => Argument::Exact(replace(ty, solved)?),
                    Argument::Extends(ty) => Argument::Extends(replace(ty, solved)?),
                    Argument::Super(ty) => Argument::Super(replace(ty, solved)?),
                });
            }
            JavaType::Class(name.clone(), filled)
        }
        JavaType::Array(element) => JavaType::Array(Box::new(replace(element, solved)?)),
        other => other.clone(),
    })
}

/// Whether a free variable occurs in a type: then the place of use decides what it is.
pub(crate) fn is_free(ty: &JavaType, solved: &[Solved]) -> bool {
    match ty {
        JavaType::OfMethod(at) => matches!(solved.get(usize::from(*at)), Some(Solved::Free)),
        JavaType::Class(_, arguments) => {
            arguments.iter().any(|argument| argument.inside().is_some_and(|ty| is_free(ty, solved)))
        }
        JavaType::Array(element) => is_free(element, solved),
        JavaType::Primitive(_) | JavaType::OfClass(_) | JavaType::Opaque(_) => false,
    }
}

/// What a cast of an argument for a type variable should say: a bound with members, if there is one.
pub(crate) fn cast_for(parameter: &TypeParameter, erased: &Type, typing: &Typing<'_>) -> Type {
    let object = Type::class("java/lang/Object");
    let bounds = parameter.bounds.iter().map(|bound| typing.erase(bound));
    bounds.into_iter().find(|bound| *bound != object).unwrap_or_else(|| erased.clone())
}
