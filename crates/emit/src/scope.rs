//! What source code in the test's package can say.
//!
//! In: questions about classes and members. Out: answers, from class files in the product, written by hand in tests.
//! Packages are in internal form.

use probat_model::{ClassName, Operation, Type};

use crate::java::{ClassShape, Field, Method};

/// Knows the classes a test mentions.
pub trait Scope {
    /// Whether a value of one type can be assigned to a variable of another without a cast, by erasure.
    fn is_subtype(&self, sub: &Type, of: &Type) -> bool;

    /// Whether source in the package can name the class.
    fn is_nameable(&self, class: &ClassName, package: &str) -> bool;

    /// Supertypes, itself included, nearest first, `Object` last.
    fn supertypes(&self, class: &ClassName) -> Vec<ClassName>;

    /// The name as source spells it, with dots between nested classes: `java.util.Map.Entry`.
    fn source_name(&self, class: &ClassName) -> String;

    /// Whether there is a class of this name.
    fn exists(&self, class: &ClassName) -> bool;

    /// Type parameters and supertypes.
    fn shape(&self, class: &ClassName) -> ClassShape;

    /// The methods of a name (`<init>`: constructors) that the class has, inherited and overridden ones included, nearest first. No
    /// private, no synthetic ones, no static ones of superinterfaces.
    fn methods(&self, class: &ClassName, name: &str) -> Vec<Method>;

    /// The field of a name in the class or its nearest supertype; none if it is private.
    fn field(&self, class: &ClassName, name: &str) -> Option<Field>;

    /// Checked exceptions the operation declares.
    fn checked(&self, operation: &Operation) -> Vec<ClassName>;

    /// The Java release that source is for, where it is not that of the JDK.
    fn release(&self) -> Option<u32>;

    /// Whether calling the operation makes a compiler speak of deprecation.
    fn deprecation(&self, operation: &Operation) -> Deprecation;
}

/// What a compiler says of a member. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Deprecation {
    #[default]
    None,
    Deprecated,
    ForRemoval,
}
