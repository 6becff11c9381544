//! What a triage needs to know of classes.
//!
//! In: questions about operations, classes and frames. Out: answers, from class files in the product, by hand in tests.

use probat_emit::{Deprecation, Scope};
use probat_model::{ClassName, Frame, Operation};
use probat_search::homes::Home;
use probat_search::types::Hierarchy;
use probat_survey::{Clues, Lineage, SourceScope};

/// Knows the classes that failures are about.
pub(crate) trait Facts {
    /// Which source can use an operation.
    fn home(&self, operation: &Operation) -> Home;
    fn is_deprecated(&self, operation: &Operation) -> bool;
    fn takes_generics(&self, operation: &Operation) -> bool;
    /// The class whose method runs for an object of a class.
    fn declarer(&self, class: &ClassName, name: &str, descriptor: &str) -> Option<ClassName>;
    fn is_subclass(&self, class: &ClassName, of: &ClassName) -> bool;
    /// Whether a `throw` stands at the line of a frame.
    fn throws_itself(&self, frame: &Frame) -> bool;
    /// Whether a method gives a field its value after construction.
    fn is_set_later(&self, class: &ClassName, field: &str) -> bool;
    fn is_equal_by_identity(&self, class: &ClassName) -> bool;
}

/// Facts from class files.
#[derive(Debug)]
pub(crate) struct FromClasses<'a, 'w, 's> {
    pub clues: Clues<'w, 's>,
    pub lineage: &'a Lineage<'w, 's>,
    pub scope: &'a SourceScope<'w, 's>,
}

impl Facts for FromClasses<'_, '_, '_> {
    fn home(&self, operation: &Operation) -> Home {
        self.lineage.home(operation)
    }

    fn is_deprecated(&self, operation: &Operation) -> bool {
        self.scope.deprecation(operation) != Deprecation::None
    }

    fn takes_generics(&self, operation: &Operation) -> bool {
        self.clues.takes_generics(operation)
    }

    fn declarer(&self, class: &ClassName, name: &str, descriptor: &str) -> Option<ClassName> {
        self.clues.declarer(class, name, descriptor)
    }

    fn is_subclass(&self, class: &ClassName, of: &ClassName) -> bool {
        self.clues.is_subclass(class, of)
    }

    fn throws_itself(&self, frame: &Frame) -> bool {
        self.clues.throws_itself(frame)
    }

    fn is_set_later(&self, class: &ClassName, field: &str) -> bool {
        self.clues.is_set_later(class, field)
    }

    fn is_equal_by_identity(&self, class: &ClassName) -> bool {
        self.clues.is_equal_by_identity(class)
    }
}
