//! Static types of expressions: what a compiler would say, or that it is not sure.
//!
//! In: declarations from a [`Scope`] and the static types of arguments. Out: whether an argument fits a parameter, what type
//! variables become, the type of a result. Errs on one side only: what is called fitting compiles; what is called [`Fit::Never`] does
//! not; everything hard is [`Fit::Unsure`] and gets a cast.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use probat_model::{ClassName, Type};

use crate::arguments::Dialect;
use crate::infer::Inference;
use crate::java::{Access, Argument, ClassShape, JavaType, Method, TypeParameter, boxed, unboxed, widens};
use crate::scope::Scope;

/// What is known of the static type of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Static {
    /// `null` without a cast.
    Null,
    Is(JavaType),
    /// Some type with this erasure, or one below it.
    Below(Type),
    /// A class whose arguments the place of use decides; without one they are `Object`.
    Free(Type),
}

/// Whether an argument goes with a parameter, worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fit {
    Never,
    Unsure,
    /// With boxing or unboxing (JLS §5.3, loose invocation).
    Boxed,
    Strict,
}

/// Methods by class and name.
type MethodsByName = BTreeMap<(ClassName, String), Rc<[Method]>>;

/// Answers about types, remembered while one file is printed.
pub(crate) struct Typing<'s> {
    pub scope: &'s dyn Scope,
    pub package: String,
    pub dialect: Dialect,
    shapes: RefCell<BTreeMap<ClassName, Rc<ClassShape>>>,
    methods: RefCell<MethodsByName>,
}

impl Static {
    pub fn of(ty: &Type) -> Static {
        Static::Is(JavaType::of(ty))
    }
}

impl<'s> Typing<'s> {
    pub fn new(scope: &'s dyn Scope, package: &str, dialect: Dialect) -> Self {
        let package = package.to_owned();
        Typing { scope, package, dialect, shapes: RefCell::default(), methods: RefCell::default() }
    }

    pub fn shape(&self, class: &ClassName) -> Rc<ClassShape> {
        if let Some(known) = self.shapes.borrow().get(class) {
            return known.clone();
        }
        let shape = Rc::new(self.scope.shape(class));
        self.shapes.borrow_mut().insert(class.clone(), shape.clone());
        shape
    }

    /// Methods of a name that source in the package can call on a class, nearest first.
    pub fn methods(&self, class: &ClassName, name: &str) -> Rc<[Method]> {
        let key = (class.clone(), name.to_owned());
        if let Some(known) = self.methods.borrow().get(&key) {
            return known.clone();
        }
        let found: Rc<[Method]> = self.open_methods(self.scope.methods(class, name)).into();
        self.methods.borrow_mut().insert(key, found.clone());
        found
    }

    /// Those of methods, nearest first, that source in the package can call. A protected one of another package is not among them, nor is what it
    /// overrides: the class has no other.
    fn open_methods(&self, all: Vec<Method>) -> Vec<Method> {
        let mut overridden: Vec<Vec<Type>> = Vec::new();
        let mut open = Vec::with_capacity(all.len());
        for method in all {
            if overridden.contains(&method.descriptor.params) {
                continue;
            }
            if method.access.allows(&method.owner, &self.package) {
                open.push(method);
            } else if method.access == Access::Protected && !method.is_static {
                overridden.push(method.descriptor.params);
            }
        }
        open
    }

    pub fn is_nameable(&self, ty: &Type) -> bool {
        match ty {
            Type::Class(name) => self.scope.is_nameable(name, &self.package),
            Type::Array(element) => self.is_nameable(element),
            _ => true,
        }
    }

    /// The type itself if source can name it, else its nearest supertype that it can.
    pub fn nameable(&self, ty: &Type) -> Type {
        match ty {
            Type::Class(name) if !self.is_nameable(ty) => {
                let found = self.scope.supertypes(name);
                let named = found.into_iter().find(|above| self.scope.is_nameable(above, &self.package));
                Type::Class(named.unwrap_or(ClassName::internal("java/lang/Object")))
            }
            Type::Array(element) => self.nameable(element).array(),
            _ => ty.clone(),
        }
    }

    pub fn is_generic(&self, class: &ClassName) -> bool {
        !self.shape(class).parameters.is_empty()
    }

    /// The erasure of a type whose variables were replaced; variables left over become `Object`.
    pub fn erase(&self, ty: &JavaType) -> Type {
        match ty {
            JavaType::Primitive(ty) | JavaType::Opaque(ty) => ty.clone(),
            JavaType::Class(name, _) => Type::Class(name.clone()),
            JavaType::Array(element) => self.erase(element).array(),
            JavaType::OfClass(_) | JavaType::OfMethod(_) => Type::class("java/lang/Object"),
        }
    }

    /// The erasure of a static type; none for `null`.
    pub fn erasure(&self, ty: &Static) -> Option<Type> {
        match ty {
            Static::Null => None,
            Static::Is(ty) => Some(self.erase(ty)),
            Static::Below(ty) | Static::Free(ty) => Some(ty.clone()),
        }
    }

    /// The erasure of a declared type, its variables standing for their bounds.
    pub fn erase_with(&self, ty: &JavaType, class: &[TypeParameter], method: &[TypeParameter]) -> Type {
        let bound = |all: &[TypeParameter], at: u16| match all.get(usize::from(at)) {
            Some(TypeParameter { bounds }) if !bounds.is_empty() => {
                self.erase_with(&bounds[0], &all[..usize::from(at)], &[])
            }
            _ => Type::class("java/lang/Object"),
        };
        match ty {
            JavaType::OfClass(at) => bound(class, *at),
            JavaType::OfMethod(at) => match method.get(usize::from(*at)) {
                Some(TypeParameter { bounds }) if !bounds.is_empty() => {
                    self.erase_with(&bounds[0], class, &method[..usize::from(*at)])
                }
                _ => Type::class("java/lang/Object"),
            },
            JavaType::Array(element) => self.erase_with(element, class, method).array(),
            other => self.erase(other),
        }
    }

    /// The arguments a supertype has, seen from a class with these arguments. Empty: it is raw or has no parameters.
    pub fn as_super(
        &self,
        class: &ClassName,
        arguments: &[Argument],
        above: &ClassName,
    ) -> Option<Vec<Argument>> {
        if class == above {
            return Some(arguments.to_vec());
        }
        let shape = self.shape(class);
        let is_raw = arguments.len() != shape.parameters.len();
        let target = Type::Class(above.clone());
        shape.supertypes.iter().find_map(|supertype| {
            let JavaType::Class(name, given) = supertype else { return None };
            if name != above && !self.scope.is_subtype(&Type::Class(name.clone()), &target) {
                return None;
            }
            let given: Vec<Argument> = if is_raw {
                Vec::new()
            } else {
                given.iter().map(|argument| self.fill_argument(argument, arguments)).collect()
            };
            self.as_super(name, &given, above)
        })
    }

    /// The arguments a class has by which its own parameters stand for themselves.
    pub fn identity(&self, class: &ClassName) -> Vec<Argument> {
        (0..self.shape(class).parameters.len())
            .map(|at| Argument::Exact(JavaType::OfClass(at as u16)))
            .collect()
    }

    /// An argument with the class's variables replaced.
    fn fill_argument(&self, argument: &Argument, given: &[Argument]) -> Argument {
        match argument {
            Argument::Any => Argument::Any,
            Argument::Exact(JavaType::OfClass(at)) => {
                given.get(usize::from(*at)).cloned().unwrap_or(Argument::Any)
            }
            Argument::Exact(ty) => self.fill(ty, given).map_or(Argument::Any, Argument::Exact),
            Argument::Extends(ty) => self.fill(ty, given).map_or(Argument::Any, Argument::Extends),
            Argument::Super(ty) => self.fill(ty, given).map_or(Argument::Any, Argument::Super),
        }
    }

    /// A type with the class's variables replaced; none where a wildcard stands for one.
    pub fn fill(&self, ty: &JavaType, given: &[Argument]) -> Option<JavaType> {
        Some(match ty {
            JavaType::OfClass(at) => match given.get(usize::from(*at))? {
                Argument::Exact(ty) => ty.clone(),
                _ => return None,
            },
            JavaType::Class(name, arguments) => {
                let mut filled = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    filled.push(match argument {
                        Argument::Any => Argument::Any,
                        Argument::Exact(ty) => Argument::Exact(self.fill(ty, given)?),
                        Argument::Extends(ty) => Argument::Extends(self.fill(ty, given)?),
                        Argument::Super(ty) => Argument::Super(self.fill(ty, given)?),
                    });
                }
                JavaType::Class(name.clone(), filled)
            }
            JavaType::Array(element) => JavaType::Array(Box::new(self.fill(element, given)?)),
            other => other.clone(),
        })
    }

    /// What an argument for a parameter must be, given the receiver's arguments.
    pub fn formal(&self, ty: &JavaType, given: &[Argument], erased: &Type) -> JavaType {
        if let JavaType::OfClass(at) = ty
            && let Some(Argument::Super(low)) = given.get(usize::from(*at))
        {
            return low.clone();
        }
        self.fill(ty, given).unwrap_or_else(|| JavaType::Opaque(erased.clone()))
    }

    /// What a value of a member's type is, given the receiver's arguments.
    pub fn seen(&self, ty: &JavaType, given: &[Argument], erased: &Type) -> Static {
        match ty {
            JavaType::OfClass(at) => match given.get(usize::from(*at)) {
                Some(Argument::Exact(ty) | Argument::Extends(ty)) => self.closed(ty.clone(), erased),
                _ => Static::Below(erased.clone()),
            },
            JavaType::Class(name, arguments) if !arguments.is_empty() => {
                let filled = arguments.iter().map(|argument| self.fill_argument(argument, given)).collect();
                self.closed(JavaType::Class(name.clone(), filled), erased)
            }
            other => match self.fill(other, given) {
                Some(ty) => self.closed(ty, erased),
                None => Static::Below(erased.clone()),
            },
        }
    }

    fn closed(&self, ty: JavaType, erased: &Type) -> Static {
        if ty.is_open() { Static::Below(erased.clone()) } else { Static::Is(ty) }
    }

    /// Whether a value goes where a type is wanted; what type variables must be is noted.
    pub fn reduce(&self, actual: &Static, formal: &JavaType, notes: &mut Inference) -> Fit {
        match (actual, formal) {
            (Static::Null, JavaType::Primitive(_)) => Fit::Never,
            (Static::Null, _) => Fit::Strict,
            (Static::Is(actual), formal) => self.reduce_type(actual, formal, notes),
            (Static::Below(actual), JavaType::Primitive(want)) => match actual {
                Type::Class(name) => match unboxed(name) {
                    Some(inside) if widens(&inside, want) => Fit::Boxed,
                    Some(_) => Fit::Never,
                    // Type variables of a generic call may become a box.
                    None if self.scope.is_subtype(&boxed(want), actual) => Fit::Unsure,
                    None => Fit::Never,
                },
                Type::Array(_) => Fit::Never,
                primitive if widens(primitive, want) => Fit::Strict,
                _ => Fit::Never,
            },
            (Static::Free(actual), JavaType::Class(name, _)) => {
                let below = self.is_below(actual, &Type::Class(name.clone()));
                if below { Fit::Strict } else { Fit::Never }
            }
            (Static::Free(_), JavaType::Primitive(_)) => Fit::Never,
            (Static::Below(actual) | Static::Free(actual), formal) => match formal {
                JavaType::OfMethod(at) => {
                    notes.blur(*at);
                    Fit::Strict
                }
                JavaType::Class(name, arguments) => {
                    let below = self.is_below(actual, &Type::Class(name.clone()));
                    if below && arguments.is_empty() { Fit::Strict } else { self.perhaps(actual, formal) }
                }
                JavaType::Array(_) if !formal.is_open() && !formal.has_arguments() => {
                    let below = self.is_below(actual, &self.erase(formal));
                    if below { Fit::Strict } else { self.perhaps(actual, formal) }
                }
                _ => Fit::Unsure,
            },
        }
    }

    /// A loose type may be narrower than its erasure, so only unrelated final classes are ruled out.
    fn perhaps(&self, actual: &Type, formal: &JavaType) -> Fit {
        let formal = self.erase(formal);
        let related = self.is_below(actual, &formal) || self.is_below(&formal, actual);
        let is_final = |ty: &Type| match ty {
            Type::Class(name) => self.shape(name).is_final,
            Type::Array(_) => true,
            _ => true,
        };
        if !related && is_final(actual) { Fit::Never } else { Fit::Unsure }
    }

    fn is_below(&self, sub: &Type, of: &Type) -> bool {
        sub == of || self.scope.is_subtype(sub, of)
    }

    /// As [`reduce`](Self::reduce), for a type that is known.
    pub fn reduce_type(&self, actual: &JavaType, formal: &JavaType, notes: &mut Inference) -> Fit {
        match (actual, formal) {
            (JavaType::Primitive(from), JavaType::Primitive(to)) => {
                if widens(from, to) {
                    Fit::Strict
                } else {
                    Fit::Never
                }
            }
            (JavaType::Class(name, _), JavaType::Primitive(to)) => match unboxed(name) {
                Some(inside) if widens(&inside, to) => Fit::Boxed,
                _ => Fit::Never,
            },
            (_, JavaType::Primitive(_)) => Fit::Never,
            (JavaType::Primitive(from), formal) => {
                let inside = JavaType::of(&boxed(from));
                self.reduce_type(&inside, formal, notes).min(Fit::Boxed)
            }
            (actual, JavaType::OfMethod(at)) => {
                notes.below(*at, actual.clone());
                Fit::Strict
            }
            (actual, JavaType::Class(name, wanted)) => self.reduce_class(actual, name, wanted, notes),
            (JavaType::Array(from), JavaType::Array(to)) => match (&**from, &**to) {
                (JavaType::Primitive(from), JavaType::Primitive(to)) => {
                    if from == to {
                        Fit::Strict
                    } else {
                        Fit::Never
                    }
                }
                (JavaType::Primitive(_), _) | (_, JavaType::Primitive(_)) => Fit::Never,
                (from, to) => self.reduce_type(from, to, notes),
            },
            (_, JavaType::Array(_)) => Fit::Never,
            (actual, JavaType::Opaque(erased)) => {
                if self.is_below(&self.erase(actual), erased) {
                    Fit::Unsure
                } else {
                    Fit::Never
                }
            }
            (actual, JavaType::OfClass(_)) => {
                if actual == formal {
                    Fit::Strict
                } else {
                    Fit::Unsure
                }
            }
        }
    }

    fn reduce_class(
        &self,
        actual: &JavaType,
        name: &ClassName,
        wanted: &[Argument],
        notes: &mut Inference,
    ) -> Fit {
        let target = Type::Class(name.clone());
        let erased = self.erase(actual);
        if !self.is_below(&erased, &target) {
            return if matches!(actual, JavaType::OfClass(_) | JavaType::OfMethod(_) | JavaType::Opaque(_)) {
                Fit::Unsure
            } else {
                Fit::Never
            };
        }
        if wanted.is_empty() {
            return Fit::Strict;
        }
        let JavaType::Class(from, given) = actual else { return Fit::Unsure };
        match self.as_super(from, given, name) {
            None => Fit::Unsure,
            Some(found) if found.is_empty() => {
                notes.unchecked = true;
                Fit::Strict
            }
            Some(found) => {
                let each = found.iter().zip(wanted).map(|(have, want)| self.contained(have, want, notes));
                each.min().unwrap_or(Fit::Strict)
            }
        }
    }

    /// Whether one type argument is contained in another (JLS §4.5.1).
    fn contained(&self, have: &Argument, want: &Argument, notes: &mut Inference) -> Fit {
        match (have, want) {
            (_, Argument::Any) => Fit::Strict,
            (Argument::Exact(have), Argument::Exact(want)) => self.equal(have, want, notes),
            (have, Argument::Exact(JavaType::OfMethod(at))) => {
                notes.capture(*at, matches!(have, Argument::Super(_)));
                Fit::Strict
            }
            (_, Argument::Exact(_)) => Fit::Never,
            (Argument::Exact(have) | Argument::Extends(have), Argument::Extends(want)) => {
                // Inside a type argument nothing is boxed, and a raw type is no parameterised one.
                let before = std::mem::take(&mut notes.unchecked);
                let fit = self.reduce_type(have, want, notes);
                let is_raw = std::mem::replace(&mut notes.unchecked, before);
                if fit == Fit::Boxed || is_raw { Fit::Never } else { fit }
            }
            (_, Argument::Extends(want)) => match want {
                JavaType::Class(name, _) if name.as_internal() == "java/lang/Object" => Fit::Strict,
                _ => Fit::Unsure,
            },
            (Argument::Exact(have) | Argument::Super(have), Argument::Super(want)) => match want {
                JavaType::OfMethod(at) => {
                    notes.above(*at, have.clone());
                    Fit::Strict
                }
                // Whatever a variable in it stands for, it is an object.
                JavaType::Class(..) | JavaType::Array(_) if *have == JavaType::class("java/lang/Object") => {
                    Fit::Strict
                }
                want if !want.is_open() => self.reduce_type(want, have, &mut Inference::default()),
                _ => Fit::Unsure,
            },
            (_, Argument::Super(_)) => Fit::Unsure,
        }
    }

    fn equal(&self, have: &JavaType, want: &JavaType, notes: &mut Inference) -> Fit {
        match (have, want) {
            (have, JavaType::OfMethod(at)) => {
                notes.equals(*at, have.clone());
                Fit::Strict
            }
            (JavaType::Class(one, given), JavaType::Class(other, wanted)) => {
                if one != other || given.len() != wanted.len() {
                    return Fit::Never;
                }
                let each = given.iter().zip(wanted).map(|(have, want)| match (have, want) {
                    (Argument::Exact(have), Argument::Exact(want))
                    | (Argument::Extends(have), Argument::Extends(want))
                    | (Argument::Super(have), Argument::Super(want)) => self.equal(have, want, notes),
                    (have, want) if have == want => Fit::Strict,
                    _ => Fit::Never,
                });
                each.min().unwrap_or(Fit::Strict)
            }
            (JavaType::Array(have), JavaType::Array(want)) => self.equal(have, want, notes),
            (have, want) if have == want && !matches!(have, JavaType::Opaque(_)) => Fit::Strict,
            (have, want) if have.is_open() || want.is_open() => Fit::Unsure,
            _ => Fit::Never,
        }
    }
}
