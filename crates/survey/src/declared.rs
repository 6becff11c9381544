//! Declarations as source code reads them, from class files.
//!
//! In: ids of a world. Out: the types and members of `emit`, with numbered type variables. What a signature says that has no such form (a
//! variable of a class around the declaring one, a class inside a generic class) becomes opaque.

use probat_analysis::members::Nesting;
use probat_analysis::{ClassId, FieldId, MethodId, World};
use probat_classfile::AccessFlags;
use probat_classfile::signature::{self, ClassTypeSignature, TypeArgument, TypeSignature};
use probat_emit::{Access, Argument, ClassShape, Field, JavaType, Method, TypeParameter};
use probat_model::{ClassName, Type};

/// Names of the type variables that a declaration can mention.
#[derive(Default)]
struct Variables {
    class: Vec<String>,
    method: Vec<String>,
}

/// Type parameters and supertypes of a class.
pub(crate) fn shape(world: &World<'_>, id: ClassId) -> ClassShape {
    let class = world.class(id);
    let mut shape = ClassShape {
        is_interface: class.is_interface(),
        is_final: class.access.has(AccessFlags::FINAL),
        outer: outer(world, id),
        ..ClassShape::default()
    };
    match world.class_signature(id) {
        Some(signature) => {
            let variables = Variables { class: names(&signature.parameters), method: Vec::new() };
            shape.parameters = variables.parameters(&signature.parameters);
            let all = std::iter::once(&signature.superclass).chain(&signature.interfaces);
            shape.supertypes = all.map(|above| variables.supertype(above)).collect();
        }
        None => {
            let all = class.superclass.iter().chain(&class.interfaces);
            shape.supertypes =
                all.map(|&above| JavaType::Class(world.class(above).name.clone(), Vec::new())).collect();
        }
    }
    shape
}

/// The class that objects of an inner class are inside of.
fn outer(world: &World<'_>, id: ClassId) -> Option<ClassName> {
    if world.nesting(id) != Some(Nesting::Inner) {
        return None;
    }
    let name = &world.class(id).name;
    let all = world.file(id)?.attributes().inner_classes().ok()?;
    all.into_iter().find(|entry| entry.inner == *name)?.outer
}

/// A method as its class declares it; none if the class file has nonsense there.
pub(crate) fn method(world: &World<'_>, id: MethodId) -> Option<Method> {
    let info = world.method(id);
    let descriptor = world.method_descriptor(id)?;
    let mut found = Method {
        owner: world.class(info.class).name.clone(),
        name: world.method_name(id).to_owned(),
        access: access(info.access),
        is_static: info.is_static(),
        is_varargs: world.is_varargs(id),
        parameters: Vec::new(),
        params: descriptor.params.iter().map(JavaType::of).collect(),
        returns: descriptor.returns.as_ref().map(JavaType::of),
        names: parameter_names(world, id, descriptor.params.len()),
        descriptor,
    };
    if let Some(signature) = world.method_signature(id)
        && signature.arguments.len() == found.params.len()
    {
        let variables =
            Variables { class: class_variables(world, info.class), method: names(&signature.parameters) };
        found.parameters = variables.parameters(&signature.parameters);
        let each = signature.arguments.iter().zip(&found.descriptor.params);
        found.params = each.map(|(ty, erased)| variables.ty(ty, Some(erased))).collect();
        let returns = signature.returns.as_ref().zip(found.descriptor.returns.as_ref());
        found.returns = returns.map(|(ty, erased)| variables.ty(ty, Some(erased)));
    }
    Some(found)
}

/// A field as its class declares it; none if the class file has nonsense there.
pub(crate) fn field(world: &World<'_>, id: FieldId) -> Option<Field> {
    let info = world.field(id);
    let erased = world.field_type(id)?;
    let variables = Variables { class: class_variables(world, info.class), method: Vec::new() };
    let ty = match world.field_signature(id) {
        Some(signature) => variables.ty(&signature, Some(&erased)),
        None => JavaType::of(&erased),
    };
    let owner = world.class(info.class).name.clone();
    Some(Field { owner, access: access(info.access), is_static: info.is_static(), ty })
}

fn access(flags: AccessFlags) -> Access {
    if flags.has(AccessFlags::PUBLIC) {
        Access::Public
    } else if flags.has(AccessFlags::PROTECTED) {
        Access::Protected
    } else {
        Access::Package
    }
}

fn parameter_names(world: &World<'_>, id: MethodId, count: usize) -> Vec<String> {
    let found: Option<Vec<String>> = world.parameter_names(id).and_then(|all| all.into_iter().collect());
    found.filter(|all| all.len() == count).unwrap_or_default()
}

fn class_variables(world: &World<'_>, class: ClassId) -> Vec<String> {
    world.class_signature(class).map_or(Vec::new(), |signature| names(&signature.parameters))
}

fn names(parameters: &[signature::TypeParameter]) -> Vec<String> {
    parameters.iter().map(|parameter| parameter.name.clone()).collect()
}

impl Variables {
    fn parameters(&self, all: &[signature::TypeParameter]) -> Vec<TypeParameter> {
        let bounds = |parameter: &signature::TypeParameter| {
            let all = parameter.class_bound.iter().chain(&parameter.interface_bounds);
            TypeParameter { bounds: all.map(|bound| self.ty(bound, None)).collect() }
        };
        all.iter().map(bounds).collect()
    }

    /// A supertype keeps its class even where its arguments cannot be told.
    fn supertype(&self, signature: &ClassTypeSignature) -> JavaType {
        match self.class_type(signature, None) {
            JavaType::Opaque(_) => JavaType::Class(signature.class(), Vec::new()),
            known => known,
        }
    }

    fn ty(&self, signature: &TypeSignature, erased: Option<&Type>) -> JavaType {
        match signature {
            TypeSignature::Primitive(ty) => JavaType::Primitive(ty.clone()),
            TypeSignature::Array(element) => {
                let erased = match erased {
                    Some(Type::Array(element)) => Some(&**element),
                    _ => None,
                };
                JavaType::Array(Box::new(self.ty(element, erased)))
            }
            TypeSignature::Class(class) => self.class_type(class, erased),
            TypeSignature::Variable(name) => {
                let at = |all: &[String]| all.iter().position(|other| other == name).map(|at| at as u16);
                match (at(&self.method), at(&self.class)) {
                    (Some(at), _) => JavaType::OfMethod(at),
                    (None, Some(at)) => JavaType::OfClass(at),
                    (None, None) => {
                        JavaType::Opaque(erased.cloned().unwrap_or(Type::class("java/lang/Object")))
                    }
                }
            }
        }
    }

    fn class_type(&self, signature: &ClassTypeSignature, erased: Option<&Type>) -> JavaType {
        let (_, around) = signature.parts.split_last().expect("a class type has a part");
        let class = signature.class();
        if around.iter().any(|part| !part.arguments.is_empty()) {
            return JavaType::Opaque(erased.cloned().unwrap_or(Type::Class(class)));
        }
        JavaType::Class(class, signature.arguments().iter().map(|argument| self.argument(argument)).collect())
    }

    fn argument(&self, argument: &TypeArgument) -> Argument {
        match argument {
            TypeArgument::Any => Argument::Any,
            TypeArgument::Exact(ty) => Argument::Exact(self.ty(ty, None)),
            TypeArgument::Extends(ty) => Argument::Extends(self.ty(ty, None)),
            TypeArgument::Super(ty) => Argument::Super(self.ty(ty, None)),
        }
    }
}
