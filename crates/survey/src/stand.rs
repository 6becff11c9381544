//! Stand-ins: lambdas, interfaces implemented and abstract classes completed by us.
//!
//! In: an interface or abstract class. Out: stub operations, simplest behaviour first, or none if it cannot be stood in for.

use probat_analysis::members::Nesting;
use probat_analysis::{ClassId, MethodId, World};
use probat_classfile::AccessFlags;
use probat_model::{
    ClassName, Literal, MethodDescriptor, Operation, StubBehaviour, StubMethod, StubSpec, Type,
};

/// Methods a stub may have to implement before we give up.
const MAX_METHODS: usize = 24;

/// Stub operations of a type, as seen from a package.
pub(crate) fn stand(world: &mut World<'_>, class: ClassId, package: &str) -> Vec<Operation> {
    let info = world.class(class);
    let closed = [AccessFlags::FINAL, AccessFlags::ENUM, AccessFlags::ANNOTATION];
    if !info.is_loaded() || !info.is_abstract() || closed.iter().any(|&flag| info.access.has(flag)) {
        return Vec::new();
    }
    let (of, is_interface) = (info.name.clone(), info.is_interface());
    let nested = world.nesting(class);
    if !matches!(nested, Some(Nesting::TopLevel | Nesting::Static))
        || world.permitted(class).is_some()
        || world.is_incomplete(class)
        || !world.is_nameable(class, package)
    {
        return Vec::new();
    }
    let constructor = if is_interface {
        None
    } else {
        let empty = MethodDescriptor { params: Vec::new(), returns: None };
        let has = world
            .members(class, package)
            .constructors
            .into_iter()
            .any(|id| world.method_descriptor(id).is_some_and(|descriptor| descriptor == empty));
        if !has {
            return Vec::new();
        }
        Some(empty)
    };
    let methods = world.abstract_methods(class);
    if methods.len() > MAX_METHODS || !methods.iter().all(|&method| is_open(world, method, &of)) {
        return Vec::new();
    }
    let functional = world.functional_interface(class).map(|found| found.method);
    let spec = Spec { of, is_interface, constructor, methods, functional };
    spec.operations(world)
}

/// Whether a class of ours in the package can implement the method.
fn is_open(world: &World<'_>, method: MethodId, of: &ClassName) -> bool {
    let info = world.method(method);
    info.access.has(AccessFlags::PUBLIC)
        || info.access.has(AccessFlags::PROTECTED)
        || world.class(info.class).name.package() == of.package()
}

struct Spec {
    of: ClassName,
    is_interface: bool,
    constructor: Option<MethodDescriptor>,
    methods: Vec<MethodId>,
    functional: Option<MethodId>,
}

impl Spec {
    fn operations(&self, world: &World<'_>) -> Vec<Operation> {
        let mut found = vec![self.operation(world, |_| StubBehaviour::Default)];
        if let Some(method) =
            self.functional.or_else(|| self.methods.first().copied().filter(|_| self.methods.len() == 1))
            && let Some(descriptor) = world.method_descriptor(method)
        {
            for behaviour in behaviours(world, &descriptor) {
                found.push(self.operation(world, |_| behaviour.clone()));
            }
        } else {
            found.push(self.operation(world, |descriptor| {
                behaviours(world, descriptor).into_iter().next().unwrap_or(StubBehaviour::Default)
            }));
        }
        found.into_iter().flatten().collect()
    }

    fn operation(
        &self,
        world: &World<'_>,
        behave: impl Fn(&MethodDescriptor) -> StubBehaviour,
    ) -> Option<Operation> {
        let mut methods = Vec::new();
        for &method in &self.methods {
            let descriptor = world.method_descriptor(method)?;
            let behaviour = match behave(&descriptor) {
                // A behaviour meant for the method with other types would not fit this one.
                StubBehaviour::Parameter(at) if usize::from(at) >= descriptor.params.len() => {
                    StubBehaviour::Default
                }
                behaviour => behaviour,
            };
            methods.push(StubMethod { name: world.method_name(method).to_owned(), descriptor, behaviour });
        }
        Some(Operation::Stub(StubSpec {
            of: self.of.clone(),
            is_interface: self.is_interface,
            constructor: self.constructor.clone(),
            captures: Vec::new(),
            methods,
        }))
    }
}

/// What a method with this shape might do besides nothing.
fn behaviours(world: &World<'_>, descriptor: &MethodDescriptor) -> Vec<StubBehaviour> {
    let mut found = Vec::new();
    let Some(returns) = &descriptor.returns else {
        return vec![throwing()];
    };
    let constants = match returns {
        Type::Boolean => vec![Literal::Boolean(true)],
        Type::Int => vec![Literal::Int(1), Literal::Int(-1)],
        Type::Long => vec![Literal::Long(1)],
        Type::Double => vec![Literal::Double(1.5f64.to_bits())],
        Type::Float => vec![Literal::Float(1.5f32.to_bits())],
        Type::Char => vec![Literal::Char(0x61)],
        Type::Byte => vec![Literal::Byte(1)],
        Type::Short => vec![Literal::Short(1)],
        Type::Class(name)
            if matches!(
                name.as_internal(),
                "java/lang/String" | "java/lang/Object" | "java/lang/CharSequence" | "java/lang/Comparable"
            ) =>
        {
            vec![Literal::String("a".into())]
        }
        Type::Class(_) | Type::Array(_) => Vec::new(),
    };
    for (at, param) in descriptor.params.iter().enumerate() {
        if param == returns
            || (param.is_reference() && returns.is_reference() && world.is_subtype(param, returns))
        {
            found.push(StubBehaviour::Parameter(at as u8));
        }
    }
    found.extend(constants.into_iter().map(StubBehaviour::Constant));
    found.push(throwing());
    found
}

fn throwing() -> StubBehaviour {
    StubBehaviour::Throw(ClassName::internal("java/lang/IllegalStateException"))
}
