//! Questions about classes that follow from their facts: subtypes, members, abstract methods.
//!
//! In: [`Types`]. Out: answers as JLS §4.10, §8.4.8 and §9.8 give them over erased types.
//! A class that cannot be found ends a walk quietly; hierarchies with cycles end too.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use probat_model::{ClassName, Type};

use crate::types::{Access, ClassFacts, FieldFacts, MethodFacts, Types};

/// A method with the class that declares it.
#[derive(Debug, Clone)]
pub(crate) struct Member {
    pub owner: Arc<ClassFacts>,
    pub at: usize,
}

impl Member {
    pub fn facts(&self) -> &MethodFacts {
        &self.owner.methods[self.at]
    }
}

/// Types with a memory.
pub(crate) struct Hierarchy<'a> {
    pub types: &'a dyn Types,
    known: RefCell<BTreeMap<ClassName, Option<Arc<ClassFacts>>>>,
}

pub(super) fn object() -> ClassName {
    ClassName::internal("java/lang/Object")
}

impl<'a> Hierarchy<'a> {
    pub fn new(types: &'a dyn Types) -> Self {
        Hierarchy { types, known: RefCell::default() }
    }

    pub fn class(&self, name: &ClassName) -> Option<Arc<ClassFacts>> {
        if let Some(found) = self.known.borrow().get(name) {
            return found.clone();
        }
        let found = self.types.class(name);
        self.known.borrow_mut().insert(name.clone(), found.clone());
        found
    }

    /// The class, its superclasses, then every interface with subtypes before supertypes; for an interface
    /// `Object` comes last.
    pub fn supertypes(&self, name: &ClassName) -> Vec<Arc<ClassFacts>> {
        let mut out = Vec::new();
        let mut next = Some(name.clone());
        while let Some(class) = next.take().and_then(|name| self.class(&name)) {
            if out.iter().any(|seen: &Arc<ClassFacts>| seen.name == class.name) {
                break;
            }
            next = class.superclass.clone().filter(|_| !class.is_interface());
            out.push(class);
        }
        let is_interface = out.first().is_some_and(|class| class.is_interface());
        let mut interfaces = Vec::new();
        for class in &out {
            for interface in class.interfaces.iter().rev() {
                self.finish_interfaces(interface, &mut Vec::new(), &mut interfaces);
            }
        }
        interfaces.reverse();
        out.extend(interfaces);
        if is_interface {
            out.extend(self.class(&object()));
        }
        out
    }

    /// Depth first, supertypes before subtypes.
    fn finish_interfaces(
        &self,
        name: &ClassName,
        open: &mut Vec<ClassName>,
        done: &mut Vec<Arc<ClassFacts>>,
    ) {
        if open.contains(name) || done.iter().any(|class| class.name == *name) {
            return;
        }
        let Some(class) = self.class(name) else { return };
        open.push(name.clone());
        for interface in class.interfaces.iter().rev() {
            self.finish_interfaces(interface, open, done);
        }
        open.pop();
        done.push(class);
    }

    pub fn is_subclass(&self, sub: &ClassName, sup: &ClassName) -> bool {
        sub == sup || *sup == object() || self.supertypes(sub).iter().any(|class| class.name == *sup)
    }

    /// Subtyping of JLS §4.10, primitive types among themselves included.
    pub fn is_subtype(&self, sub: &Type, sup: &Type) -> bool {
        match (sub, sup) {
            _ if sub == sup => true,
            (Type::Class(sub), Type::Class(sup)) => self.is_subclass(sub, sup),
            (Type::Array(_), Type::Class(sup)) => matches!(
                sup.as_internal(),
                "java/lang/Object" | "java/lang/Cloneable" | "java/io/Serializable"
            ),
            (Type::Array(sub), Type::Array(sup)) => {
                sub.is_reference() && sup.is_reference() && self.is_subtype(sub, sup)
            }
            _ => widens(sub, sup),
        }
    }

    /// Methods of this name a value of the class has, hidden and overridden ones left out (JLS §8.4.8). What a
    /// compiler made hides what it stands for without being a candidate itself.
    pub fn methods(&self, class: &ClassName, name: &str) -> Vec<Member> {
        let mut out: Vec<Member> = Vec::new();
        let mut taken: Vec<&[Type]> = Vec::new();
        let supertypes = self.supertypes(class);
        for owner in &supertypes {
            let inherited = owner.name != *class;
            for (at, method) in owner.methods.iter().enumerate() {
                let not_inherited = inherited && owner.is_interface() && method.is_static;
                let params = method.descriptor.params.as_slice();
                if method.name != name || not_inherited || taken.contains(&params) {
                    continue;
                }
                match role(owner, method) {
                    Role::Twin => {}
                    Role::Bridge => taken.push(params),
                    Role::Real => {
                        taken.push(params);
                        out.push(Member { owner: owner.clone(), at });
                    }
                }
            }
        }
        out
    }

    pub fn constructors(&self, class: &Arc<ClassFacts>) -> Vec<Member> {
        let is_constructor = |method: &MethodFacts| method.name == "<init>" && !method.is_synthetic;
        let found = class.methods.iter().enumerate().filter(|(_, method)| is_constructor(method));
        found.map(|(at, _)| Member { owner: class.clone(), at }).collect()
    }

    /// Names of all methods a value of the class has.
    pub fn method_names(&self, class: &ClassName) -> Vec<String> {
        let supertypes = self.supertypes(class);
        let methods = supertypes.iter().flat_map(|owner| &owner.methods);
        let named = methods.filter(|method| !method.is_synthetic && !method.name.starts_with('<'));
        let mut names: Vec<String> = named.map(|method| method.name.clone()).collect();
        names.sort();
        names.dedup();
        names
    }

    /// The field of this name (JLS §8.3, §15.11).
    pub fn field(&self, class: &ClassName, name: &str) -> Option<(ClassName, FieldFacts)> {
        self.supertypes(class).iter().find_map(|owner| {
            let field = owner.fields.iter().find(|field| field.name == name)?;
            Some((owner.name.clone(), field.clone()))
        })
    }

    pub fn field_names(&self, class: &ClassName) -> Vec<String> {
        let supertypes = self.supertypes(class);
        let mut names: Vec<String> =
            supertypes.iter().flat_map(|owner| &owner.fields).map(|field| field.name.clone()).collect();
        names.sort();
        names.dedup();
        names
    }

    /// What a class that extends or implements this one can override, by name and descriptor: the declaration
    /// that counts, abstract or not.
    pub fn overridable(&self, class: &ClassName) -> Vec<Member> {
        let mut chosen: BTreeMap<(String, String), Member> = BTreeMap::new();
        for owner in self.supertypes(class) {
            for (at, method) in owner.methods.iter().enumerate() {
                let skip =
                    method.is_static || method.name.starts_with('<') || method.access == Access::Private;
                // An interface's method never comes before one of `Object`, which every class has.
                let of_object = owner.is_interface() && is_objects(self, method);
                if !skip && !of_object {
                    let key = (method.name.clone(), method.descriptor.descriptor());
                    chosen.entry(key).or_insert(Member { owner: owner.clone(), at });
                }
            }
        }
        chosen.into_values().filter(|member| !member.facts().is_final).collect()
    }

    /// The abstract methods, of which all that differ only by erasure share name and arity, if there is one
    /// lambda shape for them (JLS §9.8).
    pub fn function(&self, class: &ClassName) -> Option<Vec<Member>> {
        if !self.class(class)?.is_interface() {
            return None;
        }
        let mut all = self.overridable(class);
        all.retain(|member| member.facts().is_abstract);
        let first = all.first()?.facts();
        let shape = (first.name.clone(), first.descriptor.params.len());
        let same = |member: &Member| {
            (member.facts().name.as_str(), member.facts().descriptor.params.len())
                == (shape.0.as_str(), shape.1)
        };
        all.iter().all(same).then_some(all)
    }
}

/// What a method is to source code.
enum Role {
    /// Source can call it. So it can what a compiler made to show a method of a hidden superclass.
    Real,
    /// Made by a compiler, with the parameters of a real one beside it.
    Twin,
    /// Made by a compiler for an overridden method of other parameters.
    Bridge,
}

fn role(owner: &ClassFacts, method: &MethodFacts) -> Role {
    if !method.is_synthetic {
        return Role::Real;
    }
    let params = &method.descriptor.params;
    let named = owner.methods.iter().filter(|other| !other.is_synthetic && other.name == method.name);
    let named: Vec<&MethodFacts> = named.collect();
    if named.iter().any(|other| other.descriptor.params == *params) {
        return Role::Twin;
    }
    let narrows =
        |(own, bridged): (&Type, &Type)| own == bridged || (own.is_reference() && bridged.is_reference());
    let bridged = named.iter().any(|other| {
        other.descriptor.params.len() == params.len()
            && other.descriptor.params.iter().zip(params).all(narrows)
    });
    if bridged { Role::Bridge } else { Role::Real }
}

fn is_objects(hierarchy: &Hierarchy<'_>, method: &MethodFacts) -> bool {
    hierarchy.class(&object()).is_some_and(|object| {
        object.methods.iter().any(|own| {
            own.access == Access::Public && own.name == method.name && own.descriptor == method.descriptor
        })
    })
}

/// Widening between primitive types (JLS §4.10.1).
pub(super) fn widens(from: &Type, to: &Type) -> bool {
    let rank = |ty: &Type| match ty {
        Type::Byte => Some(0),
        Type::Short => Some(1),
        Type::Char => Some(1),
        Type::Int => Some(2),
        Type::Long => Some(3),
        Type::Float => Some(4),
        Type::Double => Some(5),
        Type::Boolean | Type::Class(_) | Type::Array(_) => None,
    };
    match (rank(from), rank(to)) {
        (Some(a), Some(b)) => from == to || (a < b && *to != Type::Char),
        _ => from == to,
    }
}

const BOXES: [(Type, &str); 8] = [
    (Type::Boolean, "java/lang/Boolean"),
    (Type::Byte, "java/lang/Byte"),
    (Type::Char, "java/lang/Character"),
    (Type::Short, "java/lang/Short"),
    (Type::Int, "java/lang/Integer"),
    (Type::Long, "java/lang/Long"),
    (Type::Float, "java/lang/Float"),
    (Type::Double, "java/lang/Double"),
];

/// The class a primitive type is boxed in.
pub(super) fn boxed(ty: &Type) -> Option<Type> {
    BOXES.iter().find(|(primitive, _)| primitive == ty).map(|(_, class)| Type::class(class))
}

/// The primitive type inside a box.
pub(super) fn unboxed(ty: &Type) -> Option<Type> {
    let Type::Class(name) = ty else { return None };
    BOXES.iter().find(|(_, class)| *class == name.as_internal()).map(|(primitive, _)| primitive.clone())
}
