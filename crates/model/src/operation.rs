//! What a step can do.
//!
//! In: names and types. Out: [`Operation`], with the types it takes and gives.
//! An operation is data: it is resolved against a JVM by the worker and printed as Java by `emit`.

use serde::{Deserialize, Serialize};

use crate::name::{ClassName, MethodDescriptor, Type};
use crate::state::StoredState;
use crate::text::JavaString;

/// Index of an operation in an [`OperationTable`](crate::sequence::OperationTable).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct OperationId(pub u32);

/// A value that source code can spell.
///
/// Floating point is kept as raw bits, so that equal literals are equal bytes and every NaN is itself.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Literal {
    Null(Type),
    Boolean(bool),
    Byte(i8),
    Char(u16),
    Short(i16),
    Int(i32),
    Long(i64),
    Float(u32),
    Double(u64),
    String(JavaString),
    /// `int.class`, `String[].class`.
    Class(Type),
}

impl Literal {
    pub fn ty(&self) -> Type {
        match self {
            Literal::Null(ty) => ty.clone(),
            Literal::Boolean(_) => Type::Boolean,
            Literal::Byte(_) => Type::Byte,
            Literal::Char(_) => Type::Char,
            Literal::Short(_) => Type::Short,
            Literal::Int(_) => Type::Int,
            Literal::Long(_) => Type::Long,
            Literal::Float(_) => Type::Float,
            Literal::Double(_) => Type::Double,
            Literal::String(_) => Type::class("java/lang/String"),
            Literal::Class(_) => Type::class("java/lang/Class"),
        }
    }
}

/// What a method of a stub does when called.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum StubBehaviour {
    /// Zero, `false`, `null`, or nothing.
    Default,
    /// A fixed value of the method's result type (boxed where the result is a reference).
    Constant(Literal),
    /// Its n-th parameter, boxed, unboxed or cast as needed.
    Parameter(u8),
    /// The n-th of the values the stub captured; arguments of its constructor are not counted.
    Captured(u8),
    /// Throws a new exception of this class, made by its constructor without parameters.
    Throw(ClassName),
}

/// An object of a class of our own: a lambda, an interface implemented, an abstract class completed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct StubSpec {
    /// The interface or abstract class.
    pub of: ClassName,
    /// Whether `of` is an interface.
    pub is_interface: bool,
    /// For an abstract class: the constructor called, whose arguments come first among the step's arguments.
    pub constructor: Option<MethodDescriptor>,
    /// Types of the captured values, which come after those.
    pub captures: Vec<Type>,
    /// The abstract methods, in a fixed order, each with what it does.
    pub methods: Vec<StubMethod>,
}

/// One method of a stub.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct StubMethod {
    pub name: String,
    pub descriptor: MethodDescriptor,
    pub behaviour: StubBehaviour,
}

/// One thing to do, taking results of earlier steps.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Operation {
    Literal(Literal),
    /// `new C(args)`.
    Construct {
        class: ClassName,
        descriptor: MethodDescriptor,
    },
    CallStatic {
        class: ClassName,
        name: String,
        descriptor: MethodDescriptor,
        /// Whether `class` is an interface.
        interface: bool,
    },
    /// Virtual call; the receiver is the first argument.
    Call {
        class: ClassName,
        name: String,
        descriptor: MethodDescriptor,
        interface: bool,
    },
    GetStatic {
        class: ClassName,
        name: String,
        ty: Type,
    },
    PutStatic {
        class: ClassName,
        name: String,
        ty: Type,
    },
    /// The object is the first argument.
    GetField {
        class: ClassName,
        name: String,
        ty: Type,
    },
    /// The object is the first argument, the value the second.
    PutField {
        class: ClassName,
        name: String,
        ty: Type,
    },
    /// `new T[n]`; the length is the argument.
    NewArray {
        element: Type,
    },
    /// `new T[] {a, b}`; the elements are the arguments.
    ArrayOf {
        element: Type,
        length: u32,
    },
    /// `a[i]`.
    ArrayGet {
        element: Type,
    },
    /// `a[i] = v`.
    ArraySet {
        element: Type,
    },
    ArrayLength,
    /// A reference cast, checked as the JVM does.
    Cast {
        to: Type,
    },
    /// Boxing, unboxing, widening and narrowing between primitives.
    Convert {
        from: Type,
        to: Type,
    },
    Stub(StubSpec),
    /// An object graph rebuilt without running constructors.
    Restore(StoredState),
}

impl Operation {
    /// The types of the arguments, in order; a receiver comes first.
    pub fn params(&self) -> Vec<Type> {
        let receiver = |class: &ClassName, rest: &[Type]| {
            let mut all = vec![Type::Class(class.clone())];
            all.extend_from_slice(rest);
            all
        };
        match self {
            Operation::Literal(_) | Operation::GetStatic { .. } | Operation::Restore(_) => Vec::new(),
            Operation::Construct { descriptor, .. } | Operation::CallStatic { descriptor, .. } => {
                descriptor.params.clone()
            }
            Operation::Call { class, descriptor, .. } => receiver(class, &descriptor.params),
            Operation::PutStatic { ty, .. } => vec![ty.clone()],
            Operation::GetField { class, .. } => receiver(class, &[]),
            Operation::PutField { class, ty, .. } => receiver(class, std::slice::from_ref(ty)),
            Operation::NewArray { .. } => vec![Type::Int],
            Operation::ArrayOf { element, length } => vec![element.clone(); *length as usize],
            Operation::ArrayGet { element } => vec![element.clone().array(), Type::Int],
            Operation::ArraySet { element } => vec![element.clone().array(), Type::Int, element.clone()],
            Operation::ArrayLength => vec![Type::class("java/lang/Object")],
            Operation::Cast { .. } => vec![Type::class("java/lang/Object")],
            Operation::Convert { from, .. } => vec![from.clone()],
            Operation::Stub(spec) => {
                let mut all = spec.constructor.as_ref().map_or(Vec::new(), |c| c.params.clone());
                all.extend_from_slice(&spec.captures);
                all
            }
        }
    }

    /// How many arguments it takes.
    pub fn arity(&self) -> usize {
        match self {
            Operation::ArrayOf { length, .. } => *length as usize,
            other => other.params().len(),
        }
    }

    /// The static type of what it gives; `None` for nothing.
    pub fn result(&self) -> Option<Type> {
        match self {
            Operation::Literal(literal) => Some(literal.ty()),
            Operation::Construct { class, .. } => Some(Type::Class(class.clone())),
            Operation::CallStatic { descriptor, .. } | Operation::Call { descriptor, .. } => {
                descriptor.returns.clone()
            }
            Operation::GetStatic { ty, .. } | Operation::GetField { ty, .. } => Some(ty.clone()),
            Operation::PutStatic { .. } | Operation::PutField { .. } | Operation::ArraySet { .. } => None,
            Operation::NewArray { element } | Operation::ArrayOf { element, .. } => {
                Some(element.clone().array())
            }
            Operation::ArrayGet { element } => Some(element.clone()),
            Operation::ArrayLength => Some(Type::Int),
            Operation::Cast { to } | Operation::Convert { to, .. } => Some(to.clone()),
            Operation::Stub(spec) => Some(Type::Class(spec.of.clone())),
            Operation::Restore(_) => Some(Type::class("java/lang/Object")),
        }
    }
}
