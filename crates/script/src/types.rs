//! What a script needs to know of classes.
//!
//! In: an implementation of [`Types`], over class files or made by hand. Out: [`ClassFacts`], and the questions that
//! follow from them (subtypes, members, abstract methods) in `resolve`.

use std::sync::Arc;

use probat_model::{ClassName, MethodDescriptor, Type};

/// Who may use a member or class. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    Public,
    Protected,
    Package,
    Private,
}

impl Access {
    /// The word in "is …".
    pub fn word(self) -> &'static str {
        match self {
            Access::Public => "public",
            Access::Protected => "protected",
            Access::Package => "package-private",
            Access::Private => "private",
        }
    }
}

/// What kind of thing a class file declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClassKind {
    Class,
    Interface,
    Enum,
}

/// One class as its class file declares it; inherited members are not repeated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassFacts {
    pub name: ClassName,
    pub kind: ClassKind,
    pub access: Access,
    pub is_abstract: bool,
    pub is_final: bool,
    pub is_sealed: bool,
    pub superclass: Option<ClassName>,
    pub interfaces: Vec<ClassName>,
    pub methods: Vec<MethodFacts>,
    pub fields: Vec<FieldFacts>,
}

impl ClassFacts {
    pub fn is_interface(&self) -> bool {
        self.kind == ClassKind::Interface
    }
}

/// One method or constructor (`<init>`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MethodFacts {
    pub name: String,
    pub descriptor: MethodDescriptor,
    pub access: Access,
    pub is_static: bool,
    pub is_abstract: bool,
    pub is_final: bool,
    pub is_varargs: bool,
    /// Made by the compiler (bridge or synthetic): no source can name it.
    pub is_synthetic: bool,
}

/// One field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldFacts {
    pub name: String,
    pub ty: Type,
    pub access: Access,
    pub is_static: bool,
    pub is_final: bool,
}

/// Knows classes.
pub trait Types: std::fmt::Debug {
    /// The facts of a class, or nothing where no such class is to be found or read.
    fn class(&self, name: &ClassName) -> Option<Arc<ClassFacts>>;

    /// Classes a person may have meant by a name that is not there, best first.
    fn near_classes(&self, wanted: &str, limit: usize) -> Vec<ClassName>;

    /// Whether any class lies in this package (internal form).
    fn has_package(&self, package: &str) -> bool;
}
