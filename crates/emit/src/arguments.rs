//! Which type arguments a type is written with.
//!
//! In: erased types and what is known of a value. Out: types a compiler takes without a word about raw types: with arguments that are
//! known, with `Object`, or with `?`.

use std::rc::Rc;

use probat_model::{ClassName, Type};

use crate::infer::{Inference, Solved, replace};
use crate::java::{Argument, JavaType, Method, TypeParameter};
use crate::typing::{Fit, Static, Typing};

/// How generic types are written. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// With the arguments that follow from what flows in.
    Inferred,
    /// With `Object` for every argument, so that all fit each other.
    Objects,
    /// As `Objects`, but what has other arguments, or none that can be told, is raw.
    Mixed,
    /// Without arguments, as before Java 5: what the other two have no form for.
    Raw,
}

impl Typing<'_> {
    pub fn is_raw(&self) -> bool {
        self.dialect == Dialect::Raw
    }

    /// The generic class that objects of a class are inside of.
    pub fn generic_outer(&self, class: &ClassName) -> Option<ClassName> {
        self.shape(class).outer.clone().filter(|outer| self.is_generic(outer))
    }

    /// Whether raw types meet others, or each other.
    pub fn mixes(&self) -> bool {
        matches!(self.dialect, Dialect::Mixed | Dialect::Raw)
    }

    /// A type of which only the erasure is known.
    pub fn wild(&self, ty: &Type) -> JavaType {
        if self.mixes() { JavaType::of(ty) } else { self.any(ty) }
    }

    /// A type with `?` for every argument.
    pub fn any(&self, ty: &Type) -> JavaType {
        match ty {
            Type::Class(name) => {
                JavaType::Class(name.clone(), vec![Argument::Any; self.shape(name).parameters.len()])
            }
            Type::Array(element) => JavaType::Array(Box::new(self.any(element))),
            other => JavaType::of(other),
        }
    }

    /// A type with `Object`, or what a variable must be below, for each of its arguments; none if only `?` will do.
    pub fn objects(&self, ty: &Type) -> Option<JavaType> {
        let Type::Class(name) = ty else { return Some(self.wild(ty)) };
        if self.is_raw() {
            return Some(JavaType::of(ty));
        }
        let shape = self.shape(name);
        let each = shape.parameters.iter().zip(0..);
        let each = each.map(|(parameter, at)| self.sample(parameter, at).map(Argument::Exact));
        Some(JavaType::Class(name.clone(), each.collect::<Option<_>>()?))
    }

    /// A type that the n-th parameter of a class can be.
    fn sample(&self, parameter: &TypeParameter, at: u16) -> Option<JavaType> {
        if parameter.is_unbounded() {
            return Some(JavaType::class("java/lang/Object"));
        }
        if let [bound] = parameter.bounds.as_slice()
            && !bound.is_open()
        {
            return Some(bound.clone()).filter(|bound| self.is_spelled(bound));
        }
        // What is compared with its like.
        let text = JavaType::class("java/lang/String");
        let mut given = vec![Argument::Any; usize::from(at)];
        given.push(Argument::Exact(text.clone()));
        let fits = |bound: &JavaType| {
            let bound = self.fill(bound, &given);
            bound
                .is_some_and(|bound| self.reduce_type(&text, &bound, &mut Inference::default()) >= Fit::Boxed)
        };
        parameter.bounds.iter().all(fits).then_some(text)
    }

    /// A type that a variable of a method can be: its bound, or, where that is about itself, a text.
    pub fn sample_of(&self, parameter: &TypeParameter) -> Option<JavaType> {
        if let [bound] = parameter.bounds.as_slice()
            && !bound.is_open()
        {
            let bound = if bound.has_arguments() { bound.clone() } else { self.any(&self.erase(bound)) };
            return Some(bound).filter(|bound| self.is_spelled(bound));
        }
        let text = JavaType::class("java/lang/String");
        let all = vec![Solved::Is(text.clone()); usize::from(u8::MAX)];
        let fits = |bound: &JavaType| {
            replace(bound, &all)
                .is_some_and(|bound| self.reduce_type(&text, &bound, &mut Inference::default()) >= Fit::Boxed)
        };
        parameter.bounds.iter().all(fits).then_some(text)
    }

    /// The type of a variable that holds a value, declared with this erasure.
    pub fn held(&self, value: &Static, erased: &Type) -> JavaType {
        let known = match value {
            _ if self.is_raw() => None,
            Static::Is(JavaType::Class(name, given)) => match erased {
                Type::Class(wanted) => self
                    .as_super(name, given, wanted)
                    .map(|found| JavaType::Class(wanted.clone(), found))
                    .filter(|found| found.has_arguments())
                    .filter(|found| {
                        self.dialect != Dialect::Mixed || self.objects(erased).as_ref() == Some(found)
                    }),
                _ => None,
            },
            Static::Is(array @ JavaType::Array(_)) => Some(array.clone()),
            Static::Free(_) | Static::Null => self.objects(erased),
            Static::Is(_) | Static::Below(_) => None,
        };
        known
            .filter(|known| self.erase(known) == *erased && self.is_spelled(known))
            .unwrap_or_else(|| self.wild(erased))
    }

    /// The type that a value is cast to, for this erasure.
    pub fn cast_type(&self, value: &Static, to: &Type) -> JavaType {
        if *value == Static::Null {
            return self.objects(to).unwrap_or_else(|| self.wild(to));
        }
        if self.mixes() {
            return JavaType::of(to);
        }
        let known = match (value, to) {
            (Static::Is(JavaType::Class(name, given)), Type::Class(wanted)) => {
                match self.as_super(name, given, wanted) {
                    Some(found) if !found.is_empty() => Some(JavaType::Class(wanted.clone(), found)),
                    _ => self.narrowed(name, given, wanted),
                }
            }
            _ => None,
        };
        known.filter(|known| self.is_spelled(known)).unwrap_or_else(|| self.wild(to))
    }

    /// The arguments of a class below another whose arguments are known, if they decide them all.
    fn narrowed(&self, above: &ClassName, given: &[Argument], below: &ClassName) -> Option<JavaType> {
        let there = self.as_super(below, &self.identity(below), above)?;
        let count = self.shape(below).parameters.len();
        let of = |at: usize| {
            let own = Argument::Exact(JavaType::OfClass(at as u16));
            there.iter().position(|argument| *argument == own).and_then(|place| given.get(place)).cloned()
        };
        let found: Vec<Argument> = (0..count).map(of).collect::<Option<_>>()?;
        (there.len() == count && count > 0).then(|| JavaType::Class(below.clone(), found))
    }

    /// Whether source can write the type, and has something to write for each argument.
    pub fn is_spelled(&self, ty: &JavaType) -> bool {
        match ty {
            JavaType::Primitive(_) => true,
            JavaType::Class(name, arguments) => {
                self.is_nameable(&Type::Class(name.clone()))
                    && arguments.len() == self.shape(name).parameters.len()
                    && arguments.iter().all(|one| one.inside().is_none_or(|inside| self.is_spelled(inside)))
            }
            JavaType::Array(element) => self.is_spelled(element),
            JavaType::OfClass(_) | JavaType::OfMethod(_) | JavaType::Opaque(_) => false,
        }
    }

    /// The constructors of a generic class as methods that return it: the class's parameters come first among theirs (JLS §15.9.3).
    pub fn functions(&self, class: &ClassName) -> Rc<[Method]> {
        let shape = self.shape(class);
        let count = shape.parameters.len() as u16;
        let all = self.methods(class, "<init>");
        all.iter()
            .map(|method| {
                let moved = |parameter: &TypeParameter| TypeParameter {
                    bounds: parameter.bounds.iter().map(|bound| as_function(bound, count)).collect(),
                };
                let arguments = (0..count).map(|at| Argument::Exact(JavaType::OfMethod(at))).collect();
                Method {
                    parameters: shape.parameters.iter().chain(&method.parameters).map(moved).collect(),
                    params: method.params.iter().map(|param| as_function(param, count)).collect(),
                    returns: Some(JavaType::Class(class.clone(), arguments)),
                    ..method.clone()
                }
            })
            .collect()
    }
}

/// A type with the class's variables as the first of the method's.
fn as_function(ty: &JavaType, count: u16) -> JavaType {
    let within = |argument: &Argument| match argument {
        Argument::Any => Argument::Any,
        Argument::Exact(ty) => Argument::Exact(as_function(ty, count)),
        Argument::Extends(ty) => Argument::Extends(as_function(ty, count)),
        Argument::Super(ty) => Argument::Super(as_function(ty, count)),
    };
    match ty {
        JavaType::OfClass(at) => JavaType::OfMethod(*at),
        JavaType::OfMethod(at) => JavaType::OfMethod(at + count),
        JavaType::Class(name, arguments) => {
            JavaType::Class(name.clone(), arguments.iter().map(within).collect())
        }
        JavaType::Array(element) => JavaType::Array(Box::new(as_function(element, count))),
        JavaType::Primitive(_) | JavaType::Opaque(_) => ty.clone(),
    }
}
