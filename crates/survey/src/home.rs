//! Which source can use an operation.
//!
//! In: an operation and a world. Out: its [`Home`]: a package where something it names is not public. Protected members count as those
//! of their package, since tests are no subclasses.

use probat_analysis::{ClassId, World};
use probat_classfile::AccessFlags;
use probat_model::{ClassName, Literal, Operation, Type};
use probat_search::homes::Home;

use crate::scope::{called, find_field, find_method, lineage};

/// A package that no class is in.
const ELSEWHERE: &str = "probat/elsewhere";

pub(crate) fn home(world: &mut World<'_>, operation: &Operation) -> Home {
    match operation {
        Operation::Literal(Literal::Class(ty)) => of_type(world, ty),
        Operation::Literal(_) | Operation::Convert { .. } | Operation::ArrayLength => Home::Anywhere,
        Operation::NewArray { element }
        | Operation::ArrayOf { element, .. }
        | Operation::ArrayGet { element }
        | Operation::ArraySet { element } => of_type(world, element),
        Operation::Cast { to } => of_type(world, to),
        Operation::Restore(_) => Home::Nowhere,
        Operation::Call { class, name, .. } => {
            let id = world.load(class);
            match both(of_class(world, class), of_member(world, id, operation)) {
                Home::Anywhere => Home::Anywhere,
                // What a hidden class overrides may be callable through a type that everybody can name.
                _ if is_reachable_above(world, id, name, operation) => Home::Anywhere,
                hidden => hidden,
            }
        }
        Operation::Construct { class, .. }
        | Operation::CallStatic { class, .. }
        | Operation::GetStatic { class, .. }
        | Operation::PutStatic { class, .. }
        | Operation::GetField { class, .. }
        | Operation::PutField { class, .. } => {
            let id = world.load(class);
            both(of_class(world, class), of_member(world, id, operation))
        }
        Operation::Stub(spec) => {
            let id = world.load(&spec.of);
            // A protected constructor is open to the anonymous subclass.
            let constructor = match of_member(world, id, operation) {
                Home::In(_) if is_protected(world, id, operation) => Home::Anywhere,
                other => other,
            };
            both(of_class(world, &spec.of), constructor)
        }
    }
}

fn both(one: Home, other: Home) -> Home {
    match (one, other) {
        (Home::Nowhere, _) | (_, Home::Nowhere) => Home::Nowhere,
        (Home::Anywhere, home) | (home, Home::Anywhere) => home,
        (Home::In(one), Home::In(other)) => {
            if one == other {
                Home::In(one)
            } else {
                Home::Nowhere
            }
        }
    }
}

fn of_type(world: &mut World<'_>, ty: &Type) -> Home {
    match ty {
        Type::Array(element) => of_type(world, element),
        Type::Class(name) => of_class(world, name),
        _ => Home::Anywhere,
    }
}

fn of_class(world: &mut World<'_>, class: &ClassName) -> Home {
    let id = world.load(class);
    if world.is_nameable(id, ELSEWHERE) {
        Home::Anywhere
    } else if world.is_nameable(id, class.package()) {
        Home::In(class.package().to_owned())
    } else {
        Home::Nowhere
    }
}

/// Flags of the member and the class that declares it; none if there is no such member.
fn member(world: &World<'_>, id: ClassId, operation: &Operation) -> Option<(AccessFlags, ClassId)> {
    match operation {
        Operation::GetStatic { name, .. }
        | Operation::PutStatic { name, .. }
        | Operation::GetField { name, .. }
        | Operation::PutField { name, .. } => {
            let field = world.field(find_field(world, id, name)?);
            Some((field.access, field.class))
        }
        other => {
            let (_, name, descriptor) = called(other)?;
            let method = world.method(find_method(world, id, name, descriptor)?);
            Some((method.access, method.class))
        }
    }
}

fn of_member(world: &World<'_>, id: ClassId, operation: &Operation) -> Home {
    match member(world, id, operation) {
        Some((flags, _)) if flags.has(AccessFlags::PUBLIC) => Home::Anywhere,
        Some((flags, _)) if flags.has(AccessFlags::PRIVATE) => Home::Nowhere,
        Some((_, declaring)) if world.is_closed(declaring) => Home::Nowhere,
        Some((_, declaring)) => Home::In(world.class(declaring).name.package().to_owned()),
        // Stubs of interfaces have no constructor; anything else that is not there is found out by running it.
        None => Home::Anywhere,
    }
}

fn is_protected(world: &World<'_>, id: ClassId, operation: &Operation) -> bool {
    member(world, id, operation).is_some_and(|(flags, _)| flags.has(AccessFlags::PROTECTED))
}

fn is_reachable_above(world: &mut World<'_>, id: ClassId, name: &str, operation: &Operation) -> bool {
    let Some((_, _, descriptor)) = called(operation) else { return false };
    let text = descriptor.descriptor();
    lineage(world, id).into_iter().any(|above| {
        let is_public = world
            .declared_method(above, name, &text)
            .is_some_and(|method| world.method(method).access.has(AccessFlags::PUBLIC));
        is_public && world.is_nameable(above, ELSEWHERE)
    })
}
