//! What a triage needs to know of classes.
//!
//! In: questions about operations, classes and frames. Out: answers, from class files in the product, by hand in tests.

use probat_emit::{Argument, Deprecation, JavaType, Scope};
use probat_model::{ClassName, Frame, Operation, Type};
use probat_search::homes::Home;
use probat_search::types::Hierarchy;
use probat_survey::{Clues, Lineage, SourceScope};

/// Knows the classes that failures are about.
pub(crate) trait Facts {
    /// Which source can use an operation.
    fn home(&self, operation: &Operation) -> Home;
    fn is_deprecated(&self, operation: &Operation) -> bool;
    fn takes_generics(&self, operation: &Operation) -> bool;
    /// Whether a `Class` given as the n-th argument is of a class that the type parameter does not allow.
    fn breaks_bound(&self, operation: &Operation, argument: usize, class: &Type) -> bool;
    /// The class whose method runs for an object of a class.
    fn declarer(&self, class: &ClassName, name: &str, descriptor: &str) -> Option<ClassName>;
    fn is_subclass(&self, class: &ClassName, of: &ClassName) -> bool;
    /// Whether a `throw` stands at the line of a frame.
    fn throws_itself(&self, frame: &Frame) -> bool;
    /// Whether a method gives a field its value after construction.
    fn is_set_later(&self, class: &ClassName, field: &str) -> bool;
    /// The field that a method without parameters gives, if that is all it does.
    fn getter_of(&self, class: &ClassName, method: &str) -> Option<String>;
    fn is_equal_by_identity(&self, class: &ClassName) -> bool;
    /// Whether the method of a frame takes values whose type its callers choose.
    fn takes_elements(&self, frame: &Frame) -> bool;
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

    fn breaks_bound(&self, operation: &Operation, argument: usize, class: &Type) -> bool {
        let (of, name, descriptor, receivers) = match operation {
            Operation::Construct { class, descriptor } => (class, "<init>", descriptor, 0),
            Operation::CallStatic { class, name, descriptor, .. } => (class, name.as_str(), descriptor, 0),
            Operation::Call { class, name, descriptor, .. } => (class, name.as_str(), descriptor, 1),
            _ => return false,
        };
        let methods = self.scope.methods(of, name);
        let Some(method) = methods.iter().find(|method| method.descriptor == *descriptor) else {
            return false;
        };
        let Some(param) = argument.checked_sub(receivers).and_then(|at| method.params.get(at)) else {
            return false;
        };
        let Some(variable) = class_of_variable(param) else { return false };
        let Some(parameter) = method.parameters.get(usize::from(variable)) else { return false };
        let erased = parameter.bounds.iter().filter_map(|bound| match bound {
            JavaType::Class(name, _) => Some(Type::Class(name.clone())),
            _ => None,
        });
        erased.into_iter().any(|bound| !self.scope.is_subtype(class, &bound))
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

    fn getter_of(&self, class: &ClassName, method: &str) -> Option<String> {
        self.clues.getter_of(class, method)
    }

    fn is_equal_by_identity(&self, class: &ClassName) -> bool {
        self.clues.is_equal_by_identity(class)
    }

    fn takes_elements(&self, frame: &Frame) -> bool {
        self.clues.takes_elements(frame)
    }
}

/// The variable of the method in `Class<T>` or `Class<? extends T>`.
fn class_of_variable(param: &JavaType) -> Option<u16> {
    match param {
        JavaType::Class(name, arguments) if name.as_internal() == "java/lang/Class" => {
            match arguments.as_slice() {
                [Argument::Exact(JavaType::OfMethod(at)) | Argument::Extends(JavaType::OfMethod(at))] => {
                    Some(*at)
                }
                _ => None,
            }
        }
        _ => None,
    }
}
