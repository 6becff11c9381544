//! What source in a package can say, from class files.
//!
//! In: questions of `emit`. Out: answers. Of classes that are not there nothing is known, so nothing can be named or called.

use std::cell::RefCell;

use probat_analysis::{ClassId, FieldId, MethodId, World};
use probat_classfile::annotation::{Annotation, ElementValue};
use probat_classfile::{AccessFlags, Attributes};
use probat_emit::{ClassShape, Deprecation, Field, Method, Scope};
use probat_model::{ClassName, MethodDescriptor, Operation, Type};
use rustc_hash::FxHashMap;

use crate::declared;

/// Answers from a world of classes, each found once.
#[derive(Debug)]
pub struct SourceScope<'w, 's> {
    world: &'w RefCell<World<'s>>,
    release: Option<u32>,
    known: RefCell<Known>,
}

/// What was asked before.
#[derive(Debug, Default)]
struct Known {
    /// By package.
    nameable: FxHashMap<String, FxHashMap<ClassName, bool>>,
    names: FxHashMap<ClassName, String>,
    shapes: FxHashMap<ClassName, ClassShape>,
    methods: FxHashMap<ClassName, FxHashMap<String, Vec<Method>>>,
    checked: FxHashMap<Operation, Vec<ClassName>>,
    deprecation: FxHashMap<Operation, Deprecation>,
}

impl<'w, 's> SourceScope<'w, 's> {
    /// What source for a release can say; unset, it is that of the JDK.
    pub fn new(world: &'w RefCell<World<'s>>, release: Option<u32>) -> Self {
        SourceScope { world, release, known: RefCell::default() }
    }
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

    fn is_nameable(&self, class: &ClassName, package: &str) -> bool {
        let known = self.known.borrow().nameable.get(package).and_then(|all| all.get(class)).copied();
        known.unwrap_or_else(|| {
            let found = self.with(class, |world, id| world.is_nameable(id, package));
            let mut known = self.known.borrow_mut();
            known.nameable.entry(package.to_owned()).or_default().insert(class.clone(), found);
            found
        })
    }

    fn supertypes(&self, class: &ClassName) -> Vec<ClassName> {
        self.with(class, |world, id| {
            lineage(world, id).into_iter().map(|above| world.class(above).name.clone()).collect()
        })
    }

    fn source_name(&self, class: &ClassName) -> String {
        if let Some(known) = self.known.borrow().names.get(class) {
            return known.clone();
        }
        let found = self.with(class, source_name);
        self.known.borrow_mut().names.insert(class.clone(), found.clone());
        found
    }

    fn exists(&self, class: &ClassName) -> bool {
        self.with(class, |world, id| world.class(id).is_loaded())
    }

    fn shape(&self, class: &ClassName) -> ClassShape {
        if let Some(known) = self.known.borrow().shapes.get(class) {
            return known.clone();
        }
        let found = self.with(class, |world, id| declared::shape(world, id));
        self.known.borrow_mut().shapes.insert(class.clone(), found.clone());
        found
    }

    fn methods(&self, class: &ClassName, name: &str) -> Vec<Method> {
        if let Some(known) = self.known.borrow().methods.get(class).and_then(|all| all.get(name)) {
            return known.clone();
        }
        let found = self.with(class, |world, id| methods(world, id, name));
        let mut known = self.known.borrow_mut();
        known.methods.entry(class.clone()).or_default().insert(name.to_owned(), found.clone());
        found
    }

    fn field(&self, class: &ClassName, name: &str) -> Option<Field> {
        self.with(class, |world, id| {
            let found = find_field(world, id, name)?;
            let is_private = world.field(found).access.has(AccessFlags::PRIVATE);
            if is_private { None } else { declared::field(world, found) }
        })
    }

    fn checked(&self, operation: &Operation) -> Vec<ClassName> {
        let Some((class, name, descriptor)) = called(operation) else { return Vec::new() };
        if let Some(known) = self.known.borrow().checked.get(operation) {
            return known.clone();
        }
        let thrown = self.with(class, |world, id| {
            find_method(world, id, name, descriptor).map_or(Vec::new(), |method| world.thrown(method))
        });
        let unchecked = ["java/lang/RuntimeException", "java/lang/Error"].map(Type::class);
        let is_checked = |class: &ClassName| {
            let class = Type::Class(class.clone());
            !unchecked.iter().any(|above| self.is_subtype(&class, above))
        };
        let found: Vec<ClassName> = thrown.into_iter().filter(is_checked).collect();
        self.known.borrow_mut().checked.insert(operation.clone(), found.clone());
        found
    }

    fn release(&self) -> Option<u32> {
        self.release
    }

    fn deprecation(&self, operation: &Operation) -> Deprecation {
        let class = match operation {
            Operation::GetStatic { class, .. }
            | Operation::PutStatic { class, .. }
            | Operation::GetField { class, .. }
            | Operation::PutField { class, .. } => class,
            Operation::Stub(spec) => &spec.of,
            other => match called(other) {
                Some((class, _, _)) => class,
                None => return Deprecation::None,
            },
        };
        if let Some(known) = self.known.borrow().deprecation.get(operation) {
            return *known;
        }
        let found = self.with(class, |world, id| of_class(world, id).max(of_member(world, id, operation)));
        self.known.borrow_mut().deprecation.insert(operation.clone(), found);
        found
    }
}

/// The methods of a name that a class has, nearest first.
fn methods(world: &World<'_>, id: ClassId, name: &str) -> Vec<Method> {
    let lineage = if name == "<init>" { vec![id] } else { lineage(world, id) };
    let Some(name) = world.known_symbol(name) else { return Vec::new() };
    let mut found = Vec::new();
    for above in lineage {
        let is_foreign = above != id && world.class(above).is_interface();
        for method in world.methods_of(above) {
            let info = world.method(method);
            let is_hidden = info.is_private()
                || info.access.has(AccessFlags::SYNTHETIC)
                || (is_foreign && info.is_static());
            if info.name == name && !is_hidden {
                found.extend(declared::method(world, method));
            }
        }
    }
    found
}

/// Class, name and descriptor of what an operation calls.
pub(crate) fn called(operation: &Operation) -> Option<(&ClassName, &str, &MethodDescriptor)> {
    match operation {
        Operation::Construct { class, descriptor } => Some((class, "<init>", descriptor)),
        Operation::Call { class, name, descriptor, .. }
        | Operation::CallStatic { class, name, descriptor, .. } => Some((class, name, descriptor)),
        Operation::Stub(spec) => Some((&spec.of, "<init>", spec.constructor.as_ref()?)),
        _ => None,
    }
}

/// A class and its supertypes: superclasses, then interfaces, `Object` last.
pub(crate) fn lineage(world: &World<'_>, id: ClassId) -> Vec<ClassId> {
    let mut found: Vec<ClassId> = world.superclasses(id).collect();
    // Interfaces stand before those they extend, level by level.
    let mut next = 0;
    let mut interfaces: Vec<ClassId> =
        found.iter().flat_map(|&above| world.class(above).interfaces.iter().copied()).collect();
    while next < interfaces.len() {
        interfaces.extend(world.class(interfaces[next]).interfaces.iter().copied());
        next += 1;
    }
    let object = found.iter().position(|&above| world.class(above).name.as_internal() == "java/lang/Object");
    let object = object.filter(|&at| at > 0).map(|at| found.remove(at));
    for interface in interfaces {
        if !found.contains(&interface) {
            found.push(interface);
        }
    }
    found.extend(object);
    found
}

pub(crate) fn find_method(
    world: &World<'_>,
    id: ClassId,
    name: &str,
    descriptor: &MethodDescriptor,
) -> Option<MethodId> {
    let text = descriptor.descriptor();
    let lineage = if name == "<init>" { vec![id] } else { lineage(world, id) };
    lineage.into_iter().find_map(|above| world.declared_method(above, name, &text))
}

pub(crate) fn find_field(world: &World<'_>, id: ClassId, name: &str) -> Option<FieldId> {
    lineage(world, id).into_iter().find_map(|above| world.declared_field(above, name))
}

fn of_class(world: &World<'_>, id: ClassId) -> Deprecation {
    world.file(id).map_or(Deprecation::None, |file| of_attributes(file.attributes()))
}

fn of_member(world: &World<'_>, id: ClassId, operation: &Operation) -> Deprecation {
    let field = match operation {
        Operation::GetStatic { name, .. }
        | Operation::PutStatic { name, .. }
        | Operation::GetField { name, .. }
        | Operation::PutField { name, .. } => find_field(world, id, name),
        _ => None,
    };
    if let Some(field) = field {
        let class = world.field(field).class;
        let Some(file) = world.file(class) else { return Deprecation::None };
        let place = world.fields_of(class).position(|other| other == field);
        return place.map_or(Deprecation::None, |at| of_attributes(file.fields[at].attributes(&file.pool)));
    }
    let Some((_, name, descriptor)) = called(operation) else { return Deprecation::None };
    let Some(method) = find_method(world, id, name, descriptor) else { return Deprecation::None };
    let class = world.method(method).class;
    let Some(file) = world.file(class) else { return Deprecation::None };
    let place = world.methods_of(class).position(|other| other == method);
    place.map_or(Deprecation::None, |at| of_attributes(file.methods[at].attributes(&file.pool)))
}

fn of_attributes(attributes: Attributes<'_>) -> Deprecation {
    let all = attributes.annotations(true).unwrap_or_default();
    let found = all.iter().find(|annotation| annotation.ty == Type::class("java/lang/Deprecated"));
    match found.and_then(for_removal) {
        Some(true) => Deprecation::ForRemoval,
        _ if found.is_some() || attributes.is_deprecated() => Deprecation::Deprecated,
        _ => Deprecation::None,
    }
}

fn for_removal(annotation: &Annotation) -> Option<bool> {
    match annotation.element("forRemoval")? {
        ElementValue::Boolean(value) => Some(*value),
        _ => None,
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
