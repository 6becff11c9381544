//! What source in a package can say, from class files.
//!
//! In: questions of `emit`. Out: answers. Anything unknown is answered so that a compiler is more likely to agree.

use std::cell::RefCell;

use probat_analysis::{ClassId, World};
use probat_classfile::AccessFlags;
use probat_emit::Scope;
use probat_model::{ClassName, Operation, Type};

/// Answers from a world of classes.
#[derive(Debug)]
pub struct SourceScope<'w, 's> {
    pub world: &'w RefCell<World<'s>>,
}

impl SourceScope<'_, '_> {
    fn with<T>(&self, class: &ClassName, ask: impl FnOnce(&mut World<'_>, ClassId) -> T) -> T {
        let mut world = self.world.borrow_mut();
        let id = world.load(class);
        ask(&mut world, id)
    }
}

impl Scope for SourceScope<'_, '_> {
    fn is_subtype(&self, sub: &Type, of: &Type) -> bool {
        for ty in [sub, of] {
            let mut element = ty;
            while let Type::Array(inner) = element {
                element = inner;
            }
            if let Type::Class(name) = element {
                self.world.borrow_mut().load(name);
            }
        }
        self.world.borrow().is_subtype(sub, of)
    }

    fn nameable(&self, class: &ClassName, package: &str) -> ClassName {
        self.with(class, |world, id| {
            let mut lineage: Vec<ClassId> = world.superclasses(id).collect();
            lineage.extend(world.class(id).supertypes().to_vec());
            let object = ClassName::internal("java/lang/Object");
            lineage.retain(|&other| world.class(other).name != object);
            lineage
                .into_iter()
                .find(|&other| world.is_nameable(other, package))
                .map_or(object, |other| world.class(other).name.clone())
        })
    }

    fn source_name(&self, class: &ClassName) -> String {
        self.with(class, source_name)
    }

    fn is_overloaded(&self, operation: &Operation) -> bool {
        let (class, name, params) = match operation {
            Operation::Construct { class, descriptor } => (class, "<init>", &descriptor.params),
            Operation::Call { class, name, descriptor, .. }
            | Operation::CallStatic { class, name, descriptor, .. } => {
                (class, name.as_str(), &descriptor.params)
            }
            _ => return false,
        };
        self.with(class, |world, id| {
            let lineage: Vec<ClassId> =
                if name == "<init>" { vec![id] } else { world.class(id).supertypes().to_vec() };
            let alike = lineage.into_iter().flat_map(|above| world.methods_of(above)).filter(|&method| {
                let info = world.method(method);
                world.method_name(method) == name
                    && !info.access.has(AccessFlags::SYNTHETIC)
                    && world.method_descriptor(method).is_some_and(|other| {
                        other.params != *params
                            && (other.params.len() == params.len() || info.access.has(AccessFlags::VARARGS))
                    })
            });
            alike.count() > 0
        })
    }

    fn checked(&self, operation: &Operation) -> Vec<ClassName> {
        let (class, name, descriptor) = match operation {
            Operation::Construct { class, descriptor } => (class, "<init>", descriptor),
            Operation::Call { class, name, descriptor, .. }
            | Operation::CallStatic { class, name, descriptor, .. } => (class, name.as_str(), descriptor),
            _ => return Vec::new(),
        };
        self.with(class, |world, id| {
            let text = descriptor.descriptor();
            let lineage: Vec<ClassId> =
                if name == "<init>" { vec![id] } else { world.class(id).supertypes().to_vec() };
            let method = std::iter::once(id)
                .chain(lineage)
                .find_map(|above| world.declared_method(above, name, &text).map(|method| (above, method)));
            let Some((declaring, method)) = method else { return Vec::new() };
            let Some(file) = world.file(declaring) else { return Vec::new() };
            let Some(index) = file.find_method(name, world.method_descriptor_text(method)) else {
                return Vec::new();
            };
            file.methods[index].attributes(&file.pool).exceptions().unwrap_or_default()
        })
    }

    fn is_generic(&self, class: &ClassName) -> bool {
        self.with(class, |world, id| {
            world
                .file(id)
                .and_then(|file| file.attributes().class_signature().ok().flatten())
                .is_some_and(|signature| !signature.parameters.is_empty())
        })
    }

    fn is_deprecated(&self, operation: &Operation) -> bool {
        let class = match operation {
            Operation::Construct { class, .. }
            | Operation::Call { class, .. }
            | Operation::CallStatic { class, .. }
            | Operation::GetStatic { class, .. }
            | Operation::GetField { class, .. } => class,
            _ => return false,
        };
        self.with(class, |world, id| {
            let Some(file) = world.file(id) else { return false };
            if file.attributes().is_deprecated() {
                return true;
            }
            let (name, descriptor) = match operation {
                Operation::Construct { descriptor, .. } => ("<init>", descriptor.descriptor()),
                Operation::Call { name, descriptor, .. } | Operation::CallStatic { name, descriptor, .. } => {
                    (name.as_str(), descriptor.descriptor())
                }
                _ => return false,
            };
            file.find_method(name, &descriptor)
                .is_some_and(|index| file.methods[index].attributes(&file.pool).is_deprecated())
        })
    }
}

/// `java.util.Map.Entry`: dots where the class file says a class is nested, dollars where they are part of the name.
fn source_name(world: &mut World<'_>, id: ClassId) -> String {
    let name = world.class(id).name.clone();
    let inner = world
        .file(id)
        .and_then(|file| file.attributes().inner_classes().ok())
        .and_then(|all| all.into_iter().find(|entry| entry.inner == name))
        .and_then(|entry| Some((entry.outer?, entry.name?)));
    match inner {
        Some((outer, simple)) => {
            let outer = world.load(&outer);
            format!("{}.{simple}", source_name(world, outer))
        }
        None => name.to_binary(),
    }
}
