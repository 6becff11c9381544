//! Which method a compiler chooses for a call (JLS §15.12.2), where that is certain.
//!
//! In: the method meant, the static types of receiver and arguments. Out: the method chosen and the static type of the call, or
//! nothing where another method would be chosen, none applies, or it takes a compiler to tell.

use std::rc::Rc;

use probat_model::{ClassName, Type};

use crate::infer::{Inference, Solved, is_free, replace};
use crate::java::{JavaType, Method, widens};
use crate::typing::{Fit, Static, Typing};

/// The outcome of a call that compiles and means the right method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Choice {
    /// None for `void`.
    pub result: Option<Static>,
    /// The place of use takes part in deciding the result's type.
    pub free: bool,
    /// A raw type went where a parameterised one was wanted.
    pub unchecked: bool,
    /// What each argument was passed for.
    pub formals: Vec<JavaType>,
    /// Whether another method of this name takes as many arguments.
    pub has_rivals: bool,
    pub method: Method,
}

/// How a receiver or class name stands before the dot.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Site<'a> {
    /// A value.
    Value(&'a Static),
    /// `Type.method()`, or `new Type()` for a raw or plain type.
    Class(&'a ClassName),
}

/// A type that is no other: a type variable of the method that is compared.
const RIGID: &str = "probat/Rigid";

struct Candidate<'m> {
    method: &'m Method,
    formals: Vec<JavaType>,
    erased: Vec<Type>,
    fit: Fit,
    notes: Inference,
    solved: Vec<Solved>,
}

impl Typing<'_> {
    /// The declaration of a method that can be called on the class, by its descriptor's parameters.
    pub fn declared(&self, class: &ClassName, name: &str, params: &[Type]) -> Option<Method> {
        self.methods(class, name).iter().find(|method| method.descriptor.params == params).cloned()
    }

    /// Whether calling one method is calling the other: the same, or one overrides the other.
    pub fn is_same_method(&self, one: &Method, other: &Method) -> bool {
        if one.owner == other.owner {
            return one.descriptor.params == other.descriptor.params;
        }
        if one.is_static || other.is_static || one.name == "<init>" {
            return false;
        }
        let is_below = |low: &Method, high: &Method| {
            self.scope.is_subtype(&Type::Class(low.owner.clone()), &Type::Class(high.owner.clone()))
        };
        // Interfaces and classes that meet only in the receiver's class share a method by its descriptor alone.
        if one.descriptor.params == other.descriptor.params {
            return true;
        }
        let (low, high) = if is_below(one, other) { (one, other) } else { (other, one) };
        is_below(low, high) && self.signature(high, &low.owner) == self.signature(low, &low.owner)
    }

    /// Erased parameter types of a method as a member of a class below its owner.
    fn signature(&self, method: &Method, class: &ClassName) -> Vec<Type> {
        let shape = self.shape(class);
        let given = self.as_super(class, &self.identity(class), &method.owner).unwrap_or_default();
        let each = method.params.iter().zip(&method.descriptor.params);
        each.map(|(param, erased)| match self.fill(param, &given) {
            Some(filled) if !matches!(filled, JavaType::Opaque(_)) => {
                self.erase_with(&filled, &shape.parameters, &method.parameters)
            }
            _ => erased.clone(),
        })
        .collect()
    }

    /// What a compiler makes of the call, if it certainly means the method.
    pub fn choose(&self, wanted: &Method, site: Site<'_>, actuals: &[Static]) -> Option<Choice> {
        let class = match site {
            Site::Class(class) => class.clone(),
            Site::Value(value) => match self.erasure(value)? {
                Type::Class(name) => name,
                Type::Array(_) => ClassName::internal("java/lang/Object"),
                _ => return None,
            },
        };
        let all = self.methods(&class, &wanted.name);
        let candidates = self.candidates(&class, &all, site, actuals);
        let ours = candidates
            .iter()
            .find(|candidate| candidate.fit >= Fit::Boxed && self.is_same_method(candidate.method, wanted))?;
        let rivals: Vec<&Candidate<'_>> =
            candidates.iter().filter(|other| !self.is_same_method(other.method, wanted)).collect();
        if !rivals.iter().all(|rival| self.is_preferred(ours, rival)) {
            return None;
        }
        let has_rivals = !rivals.is_empty()
            || all.iter().any(|other| other.is_varargs && !self.is_same_method(other, wanted));
        Some(self.outcome(ours, site, has_rivals))
    }

    fn candidates<'m>(
        &self,
        class: &ClassName,
        all: &'m Rc<[Method]>,
        site: Site<'_>,
        actuals: &[Static],
    ) -> Vec<Candidate<'m>> {
        let mut seen: Vec<Vec<Type>> = Vec::new();
        let mut found = Vec::new();
        for method in all.iter().filter(|method| method.params.len() == actuals.len()) {
            let signature = self.signature(method, class);
            if seen.contains(&signature) {
                continue;
            }
            seen.push(signature);
            let formals = self.formals(method, site);
            let erased = formals
                .iter()
                .zip(&method.descriptor.params)
                .map(|(formal, erased)| if formal.is_open() { erased.clone() } else { self.erase(formal) })
                .collect();
            let mut notes = Inference::default();
            let fit =
                actuals.iter().zip(&formals).map(|(actual, formal)| self.reduce(actual, formal, &mut notes));
            let mut fit = fit.min().unwrap_or(Fit::Strict);
            let (solved, bounds) = notes.solve(&method.parameters, self);
            fit = fit.min(bounds);
            found.push(Candidate { method, formals, erased, fit, notes, solved });
        }
        found
    }

    /// Parameter types as seen at the site.
    fn formals(&self, method: &Method, site: Site<'_>) -> Vec<JavaType> {
        let erased = || method.descriptor.params.iter().map(JavaType::of).collect();
        if method.name == "<init>" {
            return if self.is_generic(&method.owner) { erased() } else { method.params.clone() };
        }
        if method.is_static {
            return method.params.clone();
        }
        match self.owner_arguments(method, site) {
            Some(given) if given.is_empty() && self.is_generic(&method.owner) => erased(),
            Some(given) => method
                .params
                .iter()
                .zip(&method.descriptor.params)
                .map(|(param, erased)| self.formal(param, &given, erased))
                .collect(),
            None => method
                .params
                .iter()
                .zip(&method.descriptor.params)
                .map(|(param, erased)| self.formal(param, &[], erased))
                .collect(),
        }
    }

    /// Arguments of the type that declares an instance method; none if they are not known.
    fn owner_arguments(&self, method: &Method, site: Site<'_>) -> Option<Vec<crate::java::Argument>> {
        match site {
            Site::Value(Static::Is(JavaType::Class(name, given))) => {
                Some(self.as_super(name, given, &method.owner).unwrap_or_default())
            }
            Site::Value(Static::Is(JavaType::Array(_))) => Some(Vec::new()),
            _ => None,
        }
    }

    /// Whether a compiler prefers the first, which applies, to the second, which may.
    fn is_preferred(&self, ours: &Candidate<'_>, rival: &Candidate<'_>) -> bool {
        match rival.fit {
            Fit::Never => true,
            Fit::Boxed if ours.fit == Fit::Strict => true,
            Fit::Strict if ours.fit == Fit::Boxed => false,
            Fit::Unsure | Fit::Boxed | Fit::Strict => {
                self.is_more_specific(ours, rival) && !self.is_more_specific(rival, ours)
            }
        }
    }

    fn is_more_specific(&self, one: &Candidate<'_>, other: &Candidate<'_>) -> bool {
        let mut each = one.erased.iter().zip(&other.erased);
        each.all(|(one, other)| match (one.is_primitive(), other.is_primitive()) {
            (true, true) => widens(one, other),
            (false, false) => one == other || self.scope.is_subtype(one, other),
            _ => false,
        }) && self.could_take(other.method, one.method)
    }

    /// Whether one set of type arguments lets a generic method take what the other is declared to take (JLS §18.5.4); if in doubt, yes.
    fn could_take(&self, generic: &Method, other: &Method) -> bool {
        if generic.parameters.is_empty() {
            return true;
        }
        let rigid: Vec<Solved> = other
            .parameters
            .iter()
            .zip(0..)
            .map(|(parameter, at)| {
                let object = JavaType::class("java/lang/Object");
                match parameter.bounds.iter().find(|bound| **bound != object) {
                    Some(bound) => Solved::Is(JavaType::Opaque(self.erase(bound))),
                    None => Solved::Is(JavaType::class(&format!("{RIGID}{at}"))),
                }
            })
            .collect();
        let mut notes = Inference::default();
        let mut fit = Fit::Strict;
        for (from, to) in other.params.iter().zip(&generic.params) {
            let Some(from) = replace(from, &rigid) else { return true };
            fit = fit.min(self.reduce_type(&from, to, &mut notes));
        }
        fit.min(notes.solve(&generic.parameters, self).1) > Fit::Never
    }

    fn outcome(&self, ours: &Candidate<'_>, site: Site<'_>, has_rivals: bool) -> Choice {
        let method = ours.method;
        let mut free = false;
        let result = if method.name == "<init>" {
            Some(Static::Is(JavaType::Class(method.owner.clone(), Vec::new())))
        } else {
            method.returns.as_ref().zip(method.descriptor.returns.as_ref()).map(|(returns, erased)| {
                if ours.notes.unchecked {
                    return Static::of(erased);
                }
                free = is_free(returns, &ours.solved);
                let Some(ty) = replace(returns, &ours.solved) else { return Static::Below(erased.clone()) };
                if method.is_static {
                    return self.seen(&ty, &[], erased);
                }
                match self.owner_arguments(method, site) {
                    Some(given) if given.is_empty() && self.is_generic(&method.owner) => Static::of(erased),
                    Some(given) => self.seen(&ty, &given, erased),
                    None => self.seen(&ty, &[], erased),
                }
            })
        };
        Choice {
            result,
            free,
            unchecked: ours.notes.unchecked,
            formals: ours.formals.clone(),
            has_rivals,
            method: method.clone(),
        }
    }
}
