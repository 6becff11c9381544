//! Ways to make the types that callables want.
//!
//! In: the types wanted so far. Out: helper callables and stand-ins, added until nothing new is wanted or the search has gone far enough
//! from the classes under test.

use probat_analysis::members::Nesting;
use probat_analysis::nondeterminism::is_fickle;
use probat_analysis::{ClassId, MethodId, World};
use probat_model::{ClassName, MethodDescriptor, Operation, Type};
use probat_search::catalogue::{Catalogue, Stand};
use probat_search::types::{Hierarchy, TypeId};
use rustc_hash::FxHashSet;
use std::cell::RefCell;

use crate::helpers::HELPERS;
use crate::stand::stand;

/// How far from the classes under test types are followed.
const LEVELS: usize = 4;

/// Implementations of an interface that are tried.
const MAX_SUBTYPES: usize = 6;

/// Methods that stand-ins are short with.
const FEW_METHODS: usize = 4;

/// Fills the catalogue with ways to make what it wants.
pub(crate) struct Demand<'w, 's, 'h> {
    pub world: &'w RefCell<World<'s>>,
    pub hierarchy: &'h dyn Hierarchy,
    /// Package of the tests.
    pub package: String,
    /// Classes under test: their own members are in the catalogue already.
    pub targets: FxHashSet<ClassName>,
}

impl Demand<'_, '_, '_> {
    /// Enters the typed catalogue of the JDK.
    pub fn enter_helpers(&self, catalogue: &mut Catalogue) {
        for line in HELPERS {
            let (member, text) = line.split_once(' ').expect("written with a space");
            let (class, name) = member.rsplit_once('.').expect("written with a dot");
            let class = ClassName::internal(class);
            let id = self.world.borrow_mut().load(&class);
            if self.world.borrow().class(id).is_loaded()
                && let Some(operation) = self.member(id, &class, name, text)
            {
                catalogue.add_plain(operation, self.hierarchy);
            }
        }
    }

    fn member(&self, id: ClassId, class: &ClassName, name: &str, text: &str) -> Option<Operation> {
        let world = self.world.borrow();
        if !text.starts_with('(') {
            world.declared_field(id, name)?;
            let ty = Type::parse(text).ok()?;
            return Some(Operation::GetStatic { class: class.clone(), name: name.into(), ty });
        }
        let method = world.declared_method(id, name, text)?;
        operation_of(&world, method)
    }

    /// Follows wanted types level by level.
    pub fn satisfy(&self, catalogue: &mut Catalogue) {
        let mut done: FxHashSet<TypeId> = FxHashSet::default();
        for _ in 0..LEVELS {
            let mut wanted: Vec<TypeId> = catalogue
                .callables
                .iter()
                .flat_map(|callable| callable.params.iter().copied())
                .map(|ty| element(catalogue, ty))
                .filter(|ty| catalogue.types.get(*ty).is_reference() && !done.contains(ty))
                .collect();
            wanted.sort_unstable();
            wanted.dedup();
            if wanted.is_empty() {
                break;
            }
            for ty in wanted {
                done.insert(ty);
                self.provide(catalogue, ty);
            }
        }
    }

    fn provide(&self, catalogue: &mut Catalogue, ty: TypeId) {
        let Type::Class(name) = catalogue.types.get(ty).clone() else { return };
        if is_plain(&name) || is_off_limits(&name) {
            return;
        }
        let class = self.world.borrow_mut().load(&name);
        if !self.world.borrow().class(class).is_loaded() {
            return;
        }
        if !self.targets.contains(&name) {
            self.makers(catalogue, class);
        }
        let known: Vec<ClassId> = self.world.borrow().subtypes(class);
        let below = known.into_iter().filter(|&sub| sub != class).filter(|&sub| {
            let world = self.world.borrow();
            let info = world.class(sub);
            !info.is_abstract() && !self.targets.contains(&info.name) && !is_off_limits(&info.name)
        });
        if catalogue.producers(ty).is_empty() {
            for sub in below.take(MAX_SUBTYPES).collect::<Vec<_>>() {
                self.makers(catalogue, sub);
            }
        }
        let package = if is_of_jdk(&name) { self.package.as_str() } else { name.package() };
        let stubs = stand(&mut self.world.borrow_mut(), class, package);
        if !stubs.is_empty() {
            let methods = stubs.iter().map(methods_of).max().unwrap_or(0);
            let operations = stubs.into_iter().map(|stub| catalogue.operations.intern(stub)).collect();
            // Lambdas are what functional interfaces are for; other interfaces are better served by real classes, the more so the
            // more methods they have.
            let is_functional = self.world.borrow().functional_interface(class).is_some();
            // Nobody implements a whole collection for a test when the JDK has several.
            let is_large = !is_functional && methods > FEW_METHODS;
            if is_large && is_of_jdk(&name) && !catalogue.producers(ty).is_empty() {
                return;
            }
            let share = match methods {
                _ if is_functional => 0.5,
                0..=FEW_METHODS => 0.08,
                _ => 0.02,
            };
            catalogue.set_stand(ty, Stand { operations, share });
        }
    }

    /// Constructors, factories and constants of a class that is not under test.
    fn makers(&self, catalogue: &mut Catalogue, class: ClassId) {
        let mut found = Vec::new();
        {
            let mut world = self.world.borrow_mut();
            if !world.is_nameable(class, &self.package) {
                return;
            }
            let members = world.members(class, &self.package);
            let nested = world.nesting(class);
            let own = Type::Class(world.class(class).name.clone());
            if !world.class(class).is_abstract()
                && matches!(nested, Some(Nesting::TopLevel | Nesting::Static))
            {
                let mut constructors = members.constructors.clone();
                constructors
                    .sort_by_key(|&id| world.method_descriptor(id).map_or(99, |found| found.params.len()));
                found.extend(constructors.into_iter().take(4).filter_map(|id| operation_of(&world, id)));
            }
            let factories = members.methods.iter().filter(|&&id| {
                let method = world.method(id);
                method.is_static()
                    && method.class == class
                    && world.method_descriptor(id).and_then(|found| found.returns).is_some_and(|ty| ty == own)
            });
            found.extend(factories.take(6).filter_map(|&id| operation_of(&world, id)));
            for &field in members.fields.iter().take(16) {
                let info = world.field(field);
                if info.is_static() && world.field_type(field).is_some_and(|ty| ty == own) {
                    let Type::Class(class) = own.clone() else { continue };
                    let name = world.text(info.name).to_owned();
                    found.push(Operation::GetStatic { class, name, ty: own.clone() });
                }
            }
        }
        // Today's date serves a test less than any other.
        let own = Type::Class(self.world.borrow().class(class).name.clone());
        let own = catalogue.types.intern(&own, self.hierarchy);
        let is_made_otherwise =
            !catalogue.producers(own).is_empty() || found.iter().any(|operation| !is_fickle(operation));
        found.retain(|operation| !is_made_otherwise || !is_fickle(operation));
        for operation in found {
            catalogue.add_plain(operation, self.hierarchy);
        }
    }
}

/// The operation that calls a method.
pub(crate) fn operation_of(world: &World<'_>, method: MethodId) -> Option<Operation> {
    let info = world.method(method);
    let class = world.class(info.class).name.clone();
    let interface = world.class(info.class).is_interface();
    let descriptor: MethodDescriptor = world.method_descriptor(method)?;
    let name = world.method_name(method).to_owned();
    Some(match name.as_str() {
        "<init>" => Operation::Construct { class, descriptor },
        _ if info.is_static() => Operation::CallStatic { class, name, descriptor, interface },
        _ => Operation::Call { class, name, descriptor, interface },
    })
}

/// Methods a stand-in has to spell out.
fn methods_of(stub: &Operation) -> usize {
    match stub {
        Operation::Stub(spec) => spec.methods.len(),
        _ => 0,
    }
}

/// The innermost element type of an array, or the type itself.
fn element(catalogue: &Catalogue, ty: TypeId) -> TypeId {
    let mut found = catalogue.types.get(ty);
    if !matches!(found, Type::Array(_)) {
        return ty;
    }
    while let Type::Array(inner) = found {
        found = inner;
    }
    catalogue.types.find(found).unwrap_or(ty)
}

fn is_of_jdk(name: &ClassName) -> bool {
    name.as_internal().starts_with("java/") || name.as_internal().starts_with("javax/")
}

/// Types the assembler makes from literals.
fn is_plain(name: &ClassName) -> bool {
    matches!(
        name.as_internal(),
        "java/lang/Object"
            | "java/lang/String"
            | "java/lang/Class"
            | "java/lang/Boolean"
            | "java/lang/Byte"
            | "java/lang/Character"
            | "java/lang/Short"
            | "java/lang/Integer"
            | "java/lang/Long"
            | "java/lang/Float"
            | "java/lang/Double"
    )
}

/// What no test should make: threads, loaders, processes, sockets, windows, and what no source can import.
fn is_off_limits(name: &ClassName) -> bool {
    let text = name.as_internal();
    ["sun/", "com/sun/", "jdk/", "java/awt/", "javax/swing/", "java/rmi/", "java/lang/foreign/"]
        .iter()
        .any(|prefix| text.starts_with(prefix))
        || matches!(
            text,
            "java/lang/Thread"
                | "java/lang/ThreadGroup"
                | "java/lang/ClassLoader"
                | "java/lang/Process"
                | "java/lang/ProcessBuilder"
                | "java/lang/Runtime"
                | "java/net/Socket"
                | "java/net/ServerSocket"
                | "java/net/DatagramSocket"
                | "java/io/FileOutputStream"
                | "java/io/FileWriter"
                | "java/io/RandomAccessFile"
                | "java/util/Timer"
        )
}
