//! What a script is made of before any class is looked up.
//!
//! In: nothing. Out: the tree that `parse` builds and `resolve` walks. Generic arguments are already gone.

use probat_model::{Literal, Type};

use crate::diagnostic::Span;

/// A name as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ident {
    pub text: String,
    pub span: Span,
}

/// A type as written, without its generic arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeName {
    pub base: TypeBase,
    /// How many pairs of brackets follow.
    pub dims: u8,
    pub span: Span,
}

/// What a type is of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TypeBase {
    Primitive(Type),
    /// `java.util.Map.Entry`, part by part; never empty.
    Named(Vec<Ident>),
}

/// A whole script.
#[derive(Debug, Default, PartialEq)]
pub struct Program {
    pub imports: Vec<Import>,
    pub statements: Vec<Statement>,
    /// Names that broken statements would have given.
    pub broken: Vec<String>,
}

/// `import java.util.*`, `import static java.lang.Math.max`, `package a.b`.
#[derive(Debug, PartialEq)]
pub struct Import {
    pub path: Vec<Ident>,
    /// Everything below the path.
    pub all: bool,
    pub is_static: bool,
    /// A `package` line.
    pub is_package: bool,
    pub span: Span,
}

/// One line of a script.
#[derive(Debug, PartialEq)]
pub struct Statement {
    pub kind: StatementKind,
    pub span: Span,
}

/// What a statement does.
#[derive(Debug, PartialEq)]
pub enum StatementKind {
    /// `name = value`, `Type name = value`, `var name = value`.
    Name {
        declared: Option<TypeName>,
        name: Ident,
        value: Expr,
    },
    /// `target = value` where the target is a field or an element.
    Set {
        target: Expr,
        value: Expr,
    },
    Run(Expr),
}

/// A value, with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

/// How a value is written.
#[derive(Debug, Clone, PartialEq)]
pub enum ExprKind {
    Literal(Literal),
    Null,
    Name(Ident),
    Member {
        of: Box<Expr>,
        name: Ident,
    },
    Call {
        of: Option<Box<Expr>>,
        name: Ident,
        args: Vec<Expr>,
    },
    New {
        outer: Option<Box<Expr>>,
        class: TypeName,
        args: Vec<Expr>,
    },
    /// `new int[2][3][]`: the element type of the innermost written brackets, then the lengths.
    NewArray {
        element: TypeName,
        lengths: Vec<Expr>,
    },
    /// `new int[] {1, 2}`; `None` for the type where braces stand alone.
    ArrayOf {
        element: Option<TypeName>,
        values: Vec<Expr>,
    },
    Index {
        array: Box<Expr>,
        index: Box<Expr>,
    },
    Cast {
        to: TypeName,
        value: Box<Expr>,
    },
    ClassLiteral(TypeName),
    Lambda(Box<Lambda>),
    Stub {
        class: TypeName,
        args: Vec<Expr>,
        methods: Vec<StubEntry>,
    },
}

/// `(a, b) -> a`.
#[derive(Debug, Clone, PartialEq)]
pub struct Lambda {
    pub params: Vec<LambdaParam>,
    pub body: Body,
    pub span: Span,
}

/// A parameter of a lambda.
#[derive(Debug, Clone, PartialEq)]
pub struct LambdaParam {
    pub ty: Option<TypeName>,
    pub name: Ident,
}

/// What a lambda or a method of a stub does.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// `{ }`.
    Nothing,
    Value(Expr),
    /// `{ throw new C() }`.
    Throw(TypeName),
}

/// `get(int): "x"` inside a stub.
#[derive(Debug, Clone, PartialEq)]
pub struct StubEntry {
    pub name: Ident,
    /// Chooses among overloads.
    pub overload: Option<Vec<TypeName>>,
    /// Parameter names where the action is written as a lambda.
    pub params: Option<Vec<LambdaParam>>,
    pub body: Body,
}
