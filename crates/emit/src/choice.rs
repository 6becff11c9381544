//! Which method a compiler chooses for a call (JLS §15.12.2), where that is certain.
//!
//! In: the method meant, the static types of receiver and arguments. Out: the method chosen and the static type of the call, or
//! nothing where another method would be chosen, none applies, or it takes a compiler to tell.

use std::rc::Rc;

use probat_model::{ClassName, Type};

use crate::infer::{Inference, Solved, is_free, replace};
use crate::java::{Argument, JavaType, Method, TypeParameter, widens};
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
    /// Whether it gives the type that was wished for, and would not without the wish.
    pub is_aimed: bool,
    pub method: Method,
}

/// The type a call should give, where its arguments leave a choice.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Wish<'a> {
    None,
    /// If its arguments do not decide.
    Otherwise(&'a JavaType),
    /// Whatever its arguments would decide.
    First(&'a JavaType),
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

impl Choice {
    /// Whether the arguments decide the type of the result.
    fn is_settled(&self) -> bool {
        !self.free && matches!(self.result, None | Some(Static::Is(_)))
    }
}

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
    pub fn choose(
        &self,
        wanted: &Method,
        site: Site<'_>,
        actuals: &[Static],
        wish: Wish<'_>,
    ) -> Option<Choice> {
        let (class, all) = self.callable(wanted, site)?;
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
        Some(self.wished(ours, site, has_rivals, wish))
    }

    /// The class before the dot, and its methods of the name.
    fn callable(&self, wanted: &Method, site: Site<'_>) -> Option<(ClassName, Rc<[Method]>)> {
        let class = match site {
            Site::Class(class) => class.clone(),
            Site::Value(value) => match self.erasure(value)? {
                Type::Class(name) => name,
                Type::Array(_) => ClassName::internal("java/lang/Object"),
                _ => return None,
            },
        };
        let is_generic = wanted.name == "<init>" && !self.is_raw() && self.is_generic(&class);
        let all = if is_generic { self.functions(&class) } else { self.methods(&class, &wanted.name) };
        Some((class, all))
    }

    /// What the call gives, as wished where its arguments leave a choice.
    fn wished(&self, ours: &Candidate<'_>, site: Site<'_>, has_rivals: bool, wish: Wish<'_>) -> Choice {
        let natural = self.outcome(ours, site, has_rivals, false);
        let aimed = |target| Some(self.outcome(&self.aim(ours, site, target)?, site, has_rivals, true));
        match wish {
            Wish::None => natural,
            Wish::Otherwise(_) if natural.is_settled() => natural,
            Wish::Otherwise(target) | Wish::First(target) => aimed(target).unwrap_or(natural),
        }
    }

    /// The same call where its result has to be of a type, if that can be.
    fn aim<'m>(&self, ours: &Candidate<'m>, site: Site<'_>, target: &JavaType) -> Option<Candidate<'m>> {
        let JavaType::Class(wanted, arguments) = target else { return None };
        let given = self.owner_arguments(ours.method, site).unwrap_or_default();
        let JavaType::Class(name, own) = self.fill(ours.method.returns.as_ref()?, &given)? else {
            return None;
        };
        let found = self.as_super(&name, &own, wanted).filter(|found| found.len() == arguments.len())?;
        let mut notes = ours.notes.clone();
        for (have, want) in found.iter().zip(arguments) {
            match (have, want) {
                (Argument::Exact(JavaType::OfMethod(at)), Argument::Exact(want)) => {
                    notes.equals(*at, want.clone());
                }
                (have, want) if have == want => {}
                _ => return None,
            }
        }
        let (solved, fit) = notes.solve(&ours.method.parameters, self);
        let fit = fit.min(ours.fit);
        // Arguments written after `new` stay, whatever a raw type does to those that are inferred.
        let stays = !notes.unchecked || ours.method.name == "<init>";
        (fit >= Fit::Boxed && stays).then(|| Candidate {
            method: ours.method,
            formals: ours.formals.clone(),
            erased: ours.erased.clone(),
            fit,
            notes,
            solved,
        })
    }

    /// What a compiler makes of the call with the elements of its last array as arguments of their own (JLS §15.12.2.4), if it certainly
    /// means the method.
    pub fn choose_spread(
        &self,
        wanted: &Method,
        site: Site<'_>,
        actuals: &[Static],
        wish: Wish<'_>,
    ) -> Option<Choice> {
        let (class, all) = self.callable(wanted, site)?;
        let fixed = self.candidates(&class, &all, site, actuals);
        if fixed.iter().any(|other| other.fit > Fit::Never) {
            return None;
        }
        let spread = |method: &Method| {
            let mut formals = self.formals(method, site);
            let Some(JavaType::Array(element)) = formals.pop() else { return None };
            let rest = actuals.len().checked_sub(formals.len())?;
            formals.extend(std::iter::repeat_n(*element, rest));
            Some(formals)
        };
        let mut ours = None;
        for method in all.iter().filter(|method| method.is_varargs) {
            let Some(formals) = spread(method) else { continue };
            let candidate = self.candidate(method, formals, actuals);
            match self.is_same_method(method, wanted) {
                true if ours.is_none() => ours = Some(candidate),
                true => {}
                false if candidate.fit > Fit::Never => return None,
                false => {}
            }
        }
        let ours = ours.filter(|ours| ours.fit >= Fit::Boxed)?;
        // Who writes each argument alone has no say about lambdas.
        let mut choice = self.wished(&ours, site, all.len() > 1, wish);
        choice.unchecked |= self.makes_generic_array(&ours);
        Some(choice)
    }

    /// Whether a compiler warns of the array it makes for the last arguments. The JDK's own methods tell it not to.
    fn makes_generic_array(&self, ours: &Candidate<'_>) -> bool {
        let is_safe = ours.method.owner.as_internal().starts_with("java/");
        let Some(last) = ours.formals.last() else { return false };
        let element = replace(last, &ours.solved).unwrap_or_else(|| last.clone());
        let is_plain = match &element {
            JavaType::Class(_, arguments) => arguments.iter().all(|argument| *argument == Argument::Any),
            JavaType::Array(element) => !element.has_arguments(),
            JavaType::Primitive(_) | JavaType::Opaque(_) => true,
            JavaType::OfClass(_) | JavaType::OfMethod(_) => false,
        };
        !is_safe && !is_plain
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
            found.push(self.candidate(method, self.formals(method, site), actuals));
        }
        found
    }

    fn candidate<'m>(&self, method: &'m Method, formals: Vec<JavaType>, actuals: &[Static]) -> Candidate<'m> {
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
        Candidate { method, formals, erased, fit, notes, solved }
    }

    /// Parameter types as seen at the site.
    fn formals(&self, method: &Method, site: Site<'_>) -> Vec<JavaType> {
        let erased = || method.descriptor.params.iter().map(JavaType::of).collect();
        if method.name == "<init>" {
            let is_raw = self.is_raw() && self.is_generic(&method.owner);
            return if is_raw { erased() } else { method.params.clone() };
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
    fn owner_arguments(&self, method: &Method, site: Site<'_>) -> Option<Vec<Argument>> {
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

    fn outcome(&self, ours: &Candidate<'_>, site: Site<'_>, has_rivals: bool, is_aimed: bool) -> Choice {
        let method = ours.method;
        let mut free = false;
        let result = if method.name == "<init>" {
            let class = Type::Class(method.owner.clone());
            Some(match method.returns.as_ref().filter(|_| is_aimed || !ours.notes.unchecked) {
                Some(returns) => self.given(returns, ours, &class),
                None => Static::of(&class),
            })
        } else {
            method.returns.as_ref().zip(method.descriptor.returns.as_ref()).map(|(returns, erased)| {
                if ours.notes.unchecked {
                    return Static::of(erased);
                }
                free = is_free(returns, &ours.solved);
                let Some(ty) = replace(returns, &ours.solved) else {
                    return self.given(returns, ours, erased);
                };
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
            is_aimed,
            method: method.clone(),
        }
    }

    /// What a method returns whose variables are perhaps not all decided.
    fn given(&self, returns: &JavaType, ours: &Candidate<'_>, erased: &Type) -> Static {
        match replace(returns, &ours.solved) {
            Some(ty) => self.seen(&ty, &[], erased),
            None if !self.is_raw() && self.is_undecided(returns, ours) => Static::Free(erased.clone()),
            None => Static::Below(erased.clone()),
        }
    }

    /// Whether every argument of the result is a variable that nothing binds.
    fn is_undecided(&self, returns: &JavaType, ours: &Candidate<'_>) -> bool {
        let JavaType::Class(_, arguments) = returns else { return false };
        let is_open = |argument: &Argument| match argument {
            Argument::Exact(JavaType::OfMethod(at)) => {
                let at = usize::from(*at);
                matches!(ours.solved.get(at), Some(Solved::Free))
                    && ours.method.parameters.get(at).is_some_and(TypeParameter::is_unbounded)
            }
            _ => false,
        };
        !arguments.is_empty() && arguments.iter().all(is_open)
    }
}
