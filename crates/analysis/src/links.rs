//! What the constants of class files refer to.
//!
//! In: a class's pool and the instructions that use it. Out: [`Links`]: for each constant used, the field, method or
//! call site it means, as ids of the [`World`].
//! Loads the owners it meets; decides nothing about dispatch.

use std::collections::hash_map::Entry;

use probat_classfile::pool::{HandleKind, MethodHandle};
use probat_classfile::{ClassFile, Loadable, PoolIndex};
use probat_model::{ClassName, Type};
use rustc_hash::FxHashMap;

use crate::dynamic::{CallSite, bootstrapped};
use crate::world::{ClassId, FieldId, MethodId, World};

/// A method as an instruction names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MethodLink {
    /// The class named, which may inherit the method.
    pub owner: ClassId,
    pub method: MethodId,
    /// The owner named is an array type, which has the methods of `java.lang.Object`.
    pub on_array: bool,
}

/// A member a method handle leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HandleLink {
    Method(HandleKind, MethodLink),
    Field(HandleKind, FieldId),
}

/// Constants of all classes looked at, followed once each.
#[derive(Debug, Default)]
pub struct Links {
    methods: FxHashMap<(ClassId, PoolIndex), MethodLink>,
    fields: FxHashMap<(ClassId, PoolIndex), FieldId>,
    sites: FxHashMap<(ClassId, PoolIndex), CallSite>,
}

impl Links {
    /// The method a constant means, if it was followed before.
    pub fn method(&self, class: ClassId, index: PoolIndex) -> Option<MethodLink> {
        self.methods.get(&(class, index)).copied()
    }

    /// The field a constant means, if it was followed before.
    pub fn field(&self, class: ClassId, index: PoolIndex) -> Option<FieldId> {
        self.fields.get(&(class, index)).copied()
    }

    /// The call site or dynamic constant a constant means, if it was followed before.
    pub fn site(&self, class: ClassId, index: PoolIndex) -> Option<&CallSite> {
        self.sites.get(&(class, index))
    }

    /// Follows a method constant; none if the class file has nonsense there.
    pub(crate) fn follow_method(
        &mut self,
        world: &mut World<'_>,
        class: ClassId,
        file: &ClassFile,
        index: PoolIndex,
    ) -> Option<MethodLink> {
        if let Some(known) = self.method(class, index) {
            return Some(known);
        }
        let reference = file.pool.member_ref(index).ok()?;
        let link = method_link(world, &reference.owner, &reference.name, &reference.descriptor);
        self.methods.insert((class, index), link);
        Some(link)
    }

    /// Follows a field constant; none if the class file has nonsense there.
    pub(crate) fn follow_field(
        &mut self,
        world: &mut World<'_>,
        class: ClassId,
        file: &ClassFile,
        index: PoolIndex,
    ) -> Option<FieldId> {
        if let Some(known) = self.field(class, index) {
            return Some(known);
        }
        let reference = file.pool.member_ref(index).ok()?;
        let field = world.field_ref(&reference.owner, &reference.name, &reference.descriptor);
        self.fields.insert((class, index), field);
        Some(field)
    }

    /// Follows an `invokedynamic` or dynamic constant; none if the class file has nonsense there.
    pub(crate) fn follow_site(
        &mut self,
        world: &mut World<'_>,
        class: ClassId,
        file: &ClassFile,
        index: PoolIndex,
    ) -> Option<&CallSite> {
        match self.sites.entry((class, index)) {
            Entry::Occupied(known) => Some(known.into_mut()),
            Entry::Vacant(new) => Some(new.insert(bootstrapped(world, file, index)?)),
        }
    }
}

fn method_link(world: &mut World<'_>, owner: &str, name: &str, descriptor: &str) -> MethodLink {
    let method = world.method_ref(owner, name, descriptor);
    let on_array = owner.starts_with('[');
    let owner = if on_array { "java/lang/Object" } else { owner };
    MethodLink { owner: world.load(&ClassName::internal(owner)), method, on_array }
}

/// Follows a method handle.
pub(crate) fn handle_link(world: &mut World<'_>, handle: &MethodHandle) -> HandleLink {
    let owner = match &handle.owner {
        Type::Class(name) => name.as_internal(),
        _ => "java/lang/Object",
    };
    match handle.kind {
        HandleKind::GetField | HandleKind::GetStatic | HandleKind::PutField | HandleKind::PutStatic => {
            HandleLink::Field(handle.kind, world.field_ref(owner, &handle.name, &handle.descriptor))
        }
        HandleKind::InvokeVirtual
        | HandleKind::InvokeStatic
        | HandleKind::InvokeSpecial
        | HandleKind::NewInvokeSpecial
        | HandleKind::InvokeInterface => {
            HandleLink::Method(handle.kind, method_link(world, owner, &handle.name, &handle.descriptor))
        }
    }
}

/// The method handle in a constant that `ldc` loads or a bootstrap method takes.
pub(crate) fn loadable_link(world: &mut World<'_>, constant: &Loadable) -> Option<HandleLink> {
    match constant {
        Loadable::MethodHandle(handle) => Some(handle_link(world, handle)),
        _ => None,
    }
}
