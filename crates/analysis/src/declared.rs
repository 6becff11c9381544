//! What declarations say beyond descriptors: generic signatures, thrown exceptions, parameter names.
//!
//! In: ids of a [`World`]. Out: the attributes of their class files, decoded.
//! What is absent, or damaged, is none or empty: nothing here is needed to run code.

use probat_classfile::AccessFlags;
use probat_classfile::attribute::RecordComponent;
use probat_classfile::signature::{ClassSignature, MethodSignature, TypeSignature};
use probat_model::ClassName;

use crate::world::{ClassId, FieldId, MethodId, World};

impl World<'_> {
    /// Type parameters and generic supertypes of a class; none if nothing of it is generic.
    pub fn class_signature(&self, class: ClassId) -> Option<ClassSignature> {
        self.file(class)?.attributes().class_signature().ok()?
    }

    /// Generic parameter types and result of a method; none if nothing of it is generic. It may have fewer
    /// parameters than the descriptor, which has those the compiler added.
    pub fn method_signature(&self, method: MethodId) -> Option<MethodSignature> {
        self.method_file(method, |attributes| attributes.method_signature().ok()?)
    }

    /// The generic type of a field; none if it is not generic.
    pub fn field_signature(&self, field: FieldId) -> Option<TypeSignature> {
        let info = self.field(field);
        let file = self.file(info.class)?;
        file.fields[usize::from(info.place?)].attributes(&file.pool).type_signature().ok()?
    }

    /// The `throws` clause of a method.
    pub fn thrown(&self, method: MethodId) -> Vec<ClassName> {
        self.method_file(method, |attributes| attributes.exceptions().ok()).unwrap_or_default()
    }

    /// Names of a method's parameters, where the compiler kept them; one per parameter of the descriptor.
    pub fn parameter_names(&self, method: MethodId) -> Option<Vec<Option<String>>> {
        let parameters = self.method_file(method, |attributes| attributes.method_parameters().ok()?)?;
        Some(parameters.into_iter().map(|parameter| parameter.name).collect())
    }

    /// Whether a method takes its last arguments as `T...`.
    pub fn is_varargs(&self, method: MethodId) -> bool {
        self.method(method).access.has(AccessFlags::VARARGS)
    }

    /// The components of a record; none for other classes.
    pub fn record_components(&self, class: ClassId) -> Option<Vec<RecordComponent>> {
        self.file(class)?.attributes().record().ok()?
    }

    fn method_file<T>(
        &self,
        method: MethodId,
        read: impl FnOnce(probat_classfile::Attributes<'_>) -> Option<T>,
    ) -> Option<T> {
        let info = self.method(method);
        let file = self.file(info.class)?;
        read(file.methods[usize::from(info.place?)].attributes(&file.pool))
    }
}
