//! What a class leaves to its subclasses, and which interfaces a lambda can stand for.
//!
//! In: a [`World`]. Out: the abstract methods a stub has to implement, and the one method of a functional interface
//! (JLS §9.8).
//! Generics are compared by erasure: of two abstract methods that differ in parameter types alone, the one with the
//! narrower types is taken to override the other.

use probat_classfile::AccessFlags;
use probat_model::ClassName;
use rustc_hash::FxHashSet;

use crate::world::{ClassId, MethodId, World};

/// An interface that a lambda can implement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionalInterface {
    /// The method the lambda's body stands for, with the narrowest types.
    pub method: MethodId,
    /// Other descriptors of the same method, which a class implementing the interface has to answer to as well.
    pub bridges: Vec<MethodId>,
}

impl World<'_> {
    /// Methods without body that a class, abstract class or interface hands down: what a stub below it must have.
    /// One per name and descriptor, in the order of loading.
    pub fn abstract_methods(&self, class: ClassId) -> Vec<MethodId> {
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        let supertypes = self.class(class).supertypes();
        let nearest_first =
            std::iter::once(class).chain(supertypes.iter().copied().filter(|&at| at != class));
        for declaring in nearest_first {
            for id in self.methods_of(declaring) {
                let method = self.method(id);
                if method.is_abstract()
                    && self.select_method(class, id).is_none()
                    && !(self.class(class).is_interface() && self.is_in_object(id))
                    && seen.insert((method.name, method.descriptor))
                {
                    found.push(id);
                }
            }
        }
        found.sort_unstable();
        found
    }

    /// Whether `java.lang.Object` has a public method of this name and descriptor, which every class inherits.
    fn is_in_object(&self, method: MethodId) -> bool {
        let method = self.method(method);
        let object = self.find(&ClassName::internal("java/lang/Object"));
        let found = object
            .and_then(|object| self.declared_methods.get(&(object, method.name, method.descriptor)).copied());
        found.is_some_and(|found| self.method(found).access.has(AccessFlags::PUBLIC))
    }

    /// The method of a functional interface; none for other types, sealed interfaces and interfaces with missing
    /// supertypes.
    pub fn functional_interface(&self, class: ClassId) -> Option<FunctionalInterface> {
        let info = self.class(class);
        let is_candidate = info.is_interface()
            && !info.access.has(AccessFlags::ANNOTATION)
            && !self.is_incomplete(class)
            && self.permitted(class).is_none();
        if !is_candidate {
            return None;
        }
        let candidates = self.abstract_methods(class);
        let narrowest =
            candidates.iter().copied().find(|&id| candidates.iter().all(|&other| self.narrows(id, other)))?;
        let bridges = candidates.into_iter().filter(|&id| id != narrowest).collect();
        Some(FunctionalInterface { method: narrowest, bridges })
    }

    /// Whether a method could override the other if their type parameters were filled in.
    fn narrows(&self, id: MethodId, other: MethodId) -> bool {
        let (Some(own), Some(wider)) = (self.method_descriptor(id), self.method_descriptor(other)) else {
            return false;
        };
        let returns_fit = match (&own.returns, &wider.returns) {
            (Some(own), Some(wider)) => self.is_subtype(own, wider),
            (own, wider) => own == wider,
        };
        self.method(id).name == self.method(other).name
            && own.params.len() == wider.params.len()
            && own.params.iter().zip(&wider.params).all(|(own, wider)| self.is_subtype(own, wider))
            && returns_fit
    }
}
