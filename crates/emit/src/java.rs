//! Types and members as source code declares them, before erasure.
//!
//! In: what a [`Scope`](crate::Scope) read from class files. Out: plain data for [`typing`](crate::typing).
//! Type variables are numbered, so that no name can mean two things: those of a class and those of a method.

use probat_model::{ClassName, MethodDescriptor, Type};

/// A type as source code writes it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JavaType {
    /// Never a class or array.
    Primitive(Type),
    /// A class; one with parameters but no arguments is raw.
    Class(ClassName, Vec<Argument>),
    Array(Box<JavaType>),
    /// The n-th type parameter of the class that declares the member.
    OfClass(u16),
    /// The n-th type parameter of the method.
    OfMethod(u16),
    /// Something below this erasure that is not worth spelling: a type inside a generic class, an intersection.
    Opaque(Type),
}

/// An argument of a generic type.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Argument {
    Any,
    Exact(JavaType),
    Extends(JavaType),
    Super(JavaType),
}

/// A type parameter of a class or method.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeParameter {
    /// Empty means `Object`.
    pub bounds: Vec<JavaType>,
}

impl TypeParameter {
    /// Whether any class will do.
    pub(crate) fn is_unbounded(&self) -> bool {
        self.bounds.iter().all(|bound| *bound == JavaType::class("java/lang/Object"))
    }
}

/// What source needs to know of a class.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ClassShape {
    /// The class around it, if its objects are inside objects of that.
    pub outer: Option<ClassName>,
    pub parameters: Vec<TypeParameter>,
    /// The superclass and the interfaces; their variables are this class's.
    pub supertypes: Vec<JavaType>,
    pub is_interface: bool,
    pub is_final: bool,
}

/// Who may use a member that is not private. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Public,
    Protected,
    Package,
}

impl Access {
    /// Whether source in a package may use a member that a class of this name declares, protected access by subclasses aside.
    pub(crate) fn allows(self, owner: &ClassName, package: &str) -> bool {
        match self {
            Access::Public => true,
            Access::Protected | Access::Package => owner.package() == package,
        }
    }
}

/// A constructor or method as its class declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Method {
    pub owner: ClassName,
    /// `<init>` for a constructor.
    pub name: String,
    pub descriptor: MethodDescriptor,
    pub access: Access,
    pub is_static: bool,
    pub is_varargs: bool,
    /// Type parameters of its own.
    pub parameters: Vec<TypeParameter>,
    /// As many as the descriptor has.
    pub params: Vec<JavaType>,
    pub returns: Option<JavaType>,
    /// Names of the parameters where the class file has them; empty or as many as there are.
    pub names: Vec<String>,
}

/// How source may speak of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    pub owner: ClassName,
    pub access: Access,
    pub is_static: bool,
    pub ty: JavaType,
}

impl JavaType {
    /// A type without arguments.
    pub fn of(ty: &Type) -> JavaType {
        match ty {
            Type::Class(name) => JavaType::Class(name.clone(), Vec::new()),
            Type::Array(element) => JavaType::Array(Box::new(JavaType::of(element))),
            primitive => JavaType::Primitive(primitive.clone()),
        }
    }

    /// The class of an internal name, without arguments.
    pub fn class(internal: &str) -> JavaType {
        JavaType::Class(ClassName::internal(internal), Vec::new())
    }

    /// Whether a type variable or something unknown occurs in it.
    pub fn is_open(&self) -> bool {
        match self {
            JavaType::Primitive(_) => false,
            JavaType::Class(_, arguments) => {
                arguments.iter().any(|argument| argument.inside().is_some_and(JavaType::is_open))
            }
            JavaType::Array(element) => element.is_open(),
            JavaType::OfClass(_) | JavaType::OfMethod(_) | JavaType::Opaque(_) => true,
        }
    }

    /// Whether it is spelled with type arguments.
    pub fn has_arguments(&self) -> bool {
        match self {
            JavaType::Class(_, arguments) => !arguments.is_empty(),
            JavaType::Array(element) => element.has_arguments(),
            _ => false,
        }
    }
}

impl Argument {
    /// The type it names; none for `?`.
    pub fn inside(&self) -> Option<&JavaType> {
        match self {
            Argument::Any => None,
            Argument::Exact(ty) | Argument::Extends(ty) | Argument::Super(ty) => Some(ty),
        }
    }
}

/// The box of a primitive type; other types stay.
pub fn boxed(ty: &Type) -> Type {
    Type::class(match ty {
        Type::Boolean => "java/lang/Boolean",
        Type::Byte => "java/lang/Byte",
        Type::Char => "java/lang/Character",
        Type::Short => "java/lang/Short",
        Type::Int => "java/lang/Integer",
        Type::Long => "java/lang/Long",
        Type::Float => "java/lang/Float",
        Type::Double => "java/lang/Double",
        Type::Class(_) | Type::Array(_) => return ty.clone(),
    })
}

/// The primitive inside a box.
pub(crate) fn unboxed(name: &ClassName) -> Option<Type> {
    Some(match name.as_internal() {
        "java/lang/Boolean" => Type::Boolean,
        "java/lang/Byte" => Type::Byte,
        "java/lang/Character" => Type::Char,
        "java/lang/Short" => Type::Short,
        "java/lang/Integer" => Type::Int,
        "java/lang/Long" => Type::Long,
        "java/lang/Float" => Type::Float,
        "java/lang/Double" => Type::Double,
        _ => return None,
    })
}

/// Whether a primitive becomes another without loss of its kind (JLS §5.1.2), or is it.
pub(crate) fn widens(from: &Type, to: &Type) -> bool {
    use Type::{Byte, Char, Double, Float, Int, Long, Short};
    let rank = |ty: &Type| match ty {
        Byte => Some(0),
        Short => Some(1),
        Int => Some(2),
        Long => Some(3),
        Float => Some(4),
        Double => Some(5),
        _ => None,
    };
    match (from, to) {
        (Char, Int | Long | Float | Double) => true,
        (from, to) if from == to => true,
        (from, to) => matches!((rank(from), rank(to)), (Some(low), Some(high)) if low < high),
    }
}
