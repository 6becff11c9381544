//! What source code in the test's package can say.
//!
//! In: questions about classes and members. Out: answers, from class files in the product, written by hand in tests.

use probat_model::{ClassName, Operation, Type};

/// Knows the classes a test mentions.
pub trait Scope {
    /// Whether a value of one type can be assigned to a variable of another without a cast.
    fn is_subtype(&self, sub: &Type, of: &Type) -> bool;

    /// The class itself if source in the package can name it, else its nearest supertype that it can.
    fn nameable(&self, class: &ClassName, package: &str) -> ClassName;

    /// The name as source spells it, with dots between nested classes: `java.util.Map.Entry`.
    fn source_name(&self, class: &ClassName) -> String;

    /// Whether another member could be meant by the same name with as many arguments.
    fn is_overloaded(&self, operation: &Operation) -> bool;

    /// Checked exceptions the operation declares.
    fn checked(&self, operation: &Operation) -> Vec<ClassName>;

    /// Whether the class has type parameters, so that its bare name is a raw type.
    fn is_generic(&self, class: &ClassName) -> bool;

    /// Whether calling the operation makes a compiler speak of deprecation.
    fn is_deprecated(&self, operation: &Operation) -> bool;
}
