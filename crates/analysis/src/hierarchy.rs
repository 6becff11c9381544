//! Subtyping, and which method or field a reference means.
//!
//! In: a [`World`]. Out: answers as the JVM would give them: subtypes (JVMS §4.10.1.2), resolution (§5.4.3.2 to
//! §5.4.3.4), selection (§5.4.6), overriding (§5.4.5).
//! Packages are told apart by name alone, as if one loader had defined all classes. Checks no access.

use probat_classfile::AccessFlags;
use probat_model::{ClassName, Type};

use crate::world::{ClassId, FieldId, MemberKey, MethodId, Presence, Symbol, World};

impl World<'_> {
    /// Whether a class is the other or below it.
    pub fn is_subclass(&self, below: ClassId, above: ClassId) -> bool {
        self.class(below).supertypes.binary_search(&above).is_ok()
    }

    /// Whether a value of type `below` can stand where `above` is wanted. Classes never loaded are below themselves
    /// and `java.lang.Object` alone.
    pub fn is_subtype(&self, below: &Type, above: &Type) -> bool {
        match (below, above) {
            (Type::Array(one), Type::Array(other)) if one.is_reference() => self.is_subtype(one, other),
            (Type::Array(_), Type::Class(class)) => matches!(
                class.as_internal(),
                "java/lang/Object" | "java/lang/Cloneable" | "java/io/Serializable"
            ),
            (Type::Class(one), Type::Class(other)) => {
                one == other
                    || other.as_internal() == "java/lang/Object"
                    || match (self.find(one), self.find(other)) {
                        (Some(one), Some(other)) => self.is_subclass(one, other),
                        _ => false,
                    }
            }
            _ => below == above,
        }
    }

    /// All known classes below a class, itself included, in the order of loading.
    pub fn subtypes(&self, class: ClassId) -> Vec<ClassId> {
        let mut seen = vec![false; self.class_count()];
        let mut found = Vec::new();
        let mut work = vec![class];
        while let Some(next) = work.pop() {
            if !std::mem::replace(&mut seen[next.index()], true) {
                found.push(next);
                work.extend(&self.class(next).direct_subtypes);
            }
        }
        found.sort_unstable();
        found
    }

    /// The known classes that name a class as their superclass or interface.
    pub fn direct_subtypes(&self, class: ClassId) -> &[ClassId] {
        &self.class(class).direct_subtypes
    }

    /// A class and its superclasses, nearest first.
    pub fn superclasses(&self, class: ClassId) -> impl Iterator<Item = ClassId> + '_ {
        std::iter::successors(Some(class), |&at| self.class(at).superclass)
    }

    /// Whether a supertype of the class is not there, so that lookups in it may find too little.
    pub fn is_incomplete(&self, class: ClassId) -> bool {
        self.class(class).supertypes.iter().any(|&above| self.class(above).presence != Presence::Loaded)
    }

    /// The method a reference to `name` with `descriptor` in `owner` means.
    pub fn resolve_method(&self, owner: ClassId, name: Symbol, descriptor: Symbol) -> Option<MethodId> {
        if self.class(owner).is_interface() {
            return self.resolve_interface_method(owner, name, descriptor);
        }
        let declared = |class| self.declared_methods.get(&(class, name, descriptor)).copied();
        self.superclasses(owner)
            .find_map(|class| self.signature_polymorphic(class, name).or_else(|| declared(class)))
            .or_else(|| self.inherited_default(owner, name, descriptor))
    }

    fn resolve_interface_method(&self, owner: ClassId, name: Symbol, descriptor: Symbol) -> Option<MethodId> {
        let object = self.find(&ClassName::internal("java/lang/Object"));
        let of_object = || {
            let id = *self.declared_methods.get(&(object?, name, descriptor))?;
            let method = self.method(id);
            (method.access.has(AccessFlags::PUBLIC) && !method.is_static()).then_some(id)
        };
        let declared = self.declared_methods.get(&(owner, name, descriptor)).copied();
        declared.or_else(of_object).or_else(|| self.inherited_default(owner, name, descriptor))
    }

    /// The most specific method with a body in the superinterfaces, else any of them.
    fn inherited_default(&self, owner: ClassId, name: Symbol, descriptor: Symbol) -> Option<MethodId> {
        let candidates = self.most_specific(owner, name, descriptor);
        let concrete = single(candidates.iter().copied().filter(|&id| !self.method(id).is_abstract()));
        concrete.or(candidates.first().copied())
    }

    /// Methods of superinterfaces that no more special superinterface overrides (JVMS §5.4.3.3).
    fn most_specific(&self, owner: ClassId, name: Symbol, descriptor: Symbol) -> Vec<MethodId> {
        let candidates: Vec<MethodId> = self
            .class(owner)
            .supertypes
            .iter()
            .filter(|&&above| above != owner && self.class(above).is_interface())
            .filter_map(|&above| self.declared_methods.get(&(above, name, descriptor)).copied())
            .filter(|&id| !self.method(id).is_private() && !self.method(id).is_static())
            .collect();
        let is_overridden = |id: MethodId| {
            let class = self.method(id).class;
            candidates.iter().any(|&other| other != id && self.is_subclass(self.method(other).class, class))
        };
        candidates.iter().copied().filter(|&id| !is_overridden(id)).collect()
    }

    /// `MethodHandle.invoke` and the like accept any descriptor (JVMS §2.9.3).
    fn signature_polymorphic(&self, class: ClassId, name: Symbol) -> Option<MethodId> {
        if !matches!(
            self.class(class).name.as_internal(),
            "java/lang/invoke/MethodHandle" | "java/lang/invoke/VarHandle"
        ) {
            return None;
        }
        let flags = AccessFlags::VARARGS.with(AccessFlags::NATIVE);
        let id = single(self.methods_of(class).filter(|&id| self.method(id).name == name))?;
        (self.method(id).access.has(flags)
            && self.method_descriptor_text(id).starts_with("([Ljava/lang/Object;)"))
        .then_some(id)
    }

    /// The field a reference to `name` of type `descriptor` in `owner` means: its own, else that of an interface,
    /// else that of the superclass, each with its own supertypes.
    pub fn resolve_field(&self, owner: ClassId, name: Symbol, descriptor: Symbol) -> Option<FieldId> {
        let mut seen = Vec::new();
        let mut work = vec![owner];
        while let Some(class) = work.pop() {
            if seen.contains(&class) {
                continue;
            }
            if let Some(&own) = self.declared_fields.get(&(class, name, descriptor)) {
                return Some(own);
            }
            seen.push(class);
            let class = self.class(class);
            work.extend(class.superclass);
            work.extend(class.interfaces.iter().rev());
        }
        None
    }

    /// The method that runs when `method` is called on an object of exactly this class; none if that is an error.
    pub fn select_method(&self, class: ClassId, method: MethodId) -> Option<MethodId> {
        let called = *self.method(method);
        if called.is_private() || called.is_static() || called.is_unknown() {
            return Some(method);
        }
        let own = self.superclasses(class).find_map(|at| {
            let id = *self.declared_methods.get(&(at, called.name, called.descriptor))?;
            (id == method || self.can_override(id, method)).then_some(id)
        });
        if own.is_some() {
            return own.filter(|&id| !self.method(id).is_abstract());
        }
        let candidates = self.most_specific(class, called.name, called.descriptor);
        single(candidates.into_iter().filter(|&id| !self.method(id).is_abstract()))
    }

    /// Whether a method of the same name and descriptor in a subclass takes the place of `above` (JVMS §5.4.5).
    fn can_override(&self, below: MethodId, above: MethodId) -> bool {
        let (below, above) = (self.method(below), self.method(above));
        if below.is_private() || below.is_static() || above.is_private() || above.is_static() {
            return false;
        }
        above.access.has(AccessFlags::PUBLIC)
            || above.access.has(AccessFlags::PROTECTED)
            || self.class(below.class).name.package() == self.class(above.class).name.package()
    }

    /// Methods of supertypes that a method overrides or implements, in the order of loading.
    pub fn overridden(&self, method: MethodId) -> Vec<MethodId> {
        let own = *self.method(method);
        self.class(own.class)
            .supertypes
            .iter()
            .filter(|&&above| above != own.class)
            .filter_map(|&above| self.declared_methods.get(&(above, own.name, own.descriptor)).copied())
            .filter(|&above| self.can_override(method, above))
            .collect()
    }

    /// The id of a method as an instruction names it, loading its owner. References to what is declared nowhere
    /// known get an id of their own.
    pub fn method_ref(&mut self, owner: &str, name: &str, descriptor: &str) -> MethodId {
        let key = self.member_key(owner, name, descriptor);
        self.resolve_method(key.0, key.1, key.2).unwrap_or_else(|| self.unknown_method(key))
    }

    /// The id of a field as an instruction names it, as for methods.
    pub fn field_ref(&mut self, owner: &str, name: &str, descriptor: &str) -> FieldId {
        let key = self.member_key(owner, name, descriptor);
        self.resolve_field(key.0, key.1, key.2).unwrap_or_else(|| self.unknown_field(key))
    }

    /// Arrays have the members of `java.lang.Object` (JVMS §5.4.3.3 with JLS §10.7).
    fn member_key(&mut self, owner: &str, name: &str, descriptor: &str) -> MemberKey {
        let owner = if owner.starts_with('[') { "java/lang/Object" } else { owner };
        let class = self.load(&ClassName::internal(owner));
        (class, self.symbol(name), self.symbol(descriptor))
    }
}

fn single<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    let first = items.next()?;
    items.next().is_none().then_some(first)
}
