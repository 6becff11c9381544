//! Call sites and constants that bootstrap methods compute.
//!
//! In: a class file and the constant an `invokedynamic` or `ldc` names. Out: [`CallSite`]: what running it does, as far
//! as the JDK's own bootstrap methods say so (`LambdaMetafactory`, `StringConcatFactory`, `ObjectMethods`,
//! `SwitchBootstraps`).
//! Other bootstrap methods are kept as [`CallSite::Other`] with every method they were handed.

use probat_classfile::{ClassFile, Loadable, PoolIndex};
use probat_model::{ClassName, JavaString, MethodDescriptor, Type};

use crate::links::{HandleLink, MethodLink, handle_link, loadable_link};
use crate::world::{ClassId, FieldId, MethodId, Symbol, World};

/// What a dynamic call site or constant stands for.
#[derive(Debug, Clone, PartialEq)]
pub enum CallSite {
    Lambda(Lambda),
    Concat(Concat),
    /// `toString`, `hashCode` or `equals` of a record.
    Record(RecordMethod),
    /// The choice of a `switch` over types or enum constants.
    Switch,
    /// A bootstrap method we know nothing of.
    Other {
        bootstrap: Option<MethodId>,
        arguments: Vec<HandleLink>,
    },
}

/// An object that implements an interface by one method.
#[derive(Debug, Clone, PartialEq)]
pub struct Lambda {
    pub interface: ClassId,
    /// The interface's method, as resolved.
    pub implements: MethodId,
    /// Name and all descriptors under which the object can be called.
    pub name: Symbol,
    pub descriptors: Vec<Symbol>,
    /// What runs: a `lambda$` method, or the target of a method reference.
    pub target: HandleLink,
    /// How many values the object holds on to; they come first among the target's arguments.
    pub captured: u8,
}

/// A string put together.
#[derive(Debug, Clone, PartialEq)]
pub struct Concat {
    /// Text between the operands, and constant operands that are strings.
    pub texts: Vec<JavaString>,
    /// `toString` of the operands that are neither primitive nor string, as declared.
    pub conversions: Vec<MethodLink>,
}

/// A method that works through the components of a record.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordMethod {
    pub fields: Vec<FieldId>,
    /// The same method of the components that are objects, as declared.
    pub calls: Vec<MethodLink>,
}

/// Follows a dynamic constant; none if the class file has nonsense there.
pub(crate) fn bootstrapped(world: &mut World<'_>, file: &ClassFile, index: PoolIndex) -> Option<CallSite> {
    let reference = file.pool.dynamic_ref(index).ok()?;
    let methods = file.attributes().bootstrap_methods().ok()?;
    let bootstrap = methods.get(usize::from(reference.bootstrap))?;
    let handle = file.pool.method_handle(bootstrap.method).ok()?;
    let arguments: Vec<Loadable> =
        bootstrap.arguments.iter().filter_map(|&argument| file.pool.loadable(argument).ok()).collect();
    let Type::Class(owner) = &handle.owner else { return None };
    let descriptor = MethodDescriptor::parse(&reference.descriptor).ok();
    let known = match (owner.as_internal(), handle.name.as_str()) {
        ("java/lang/invoke/LambdaMetafactory", _) => {
            lambda(world, &reference.name, descriptor.as_ref()?, &arguments)
        }
        ("java/lang/invoke/StringConcatFactory", _) => concat(world, descriptor.as_ref()?, &arguments),
        ("java/lang/runtime/ObjectMethods", "bootstrap") => record(world, &reference.name, &arguments),
        ("java/lang/runtime/SwitchBootstraps", _) => Some(CallSite::Switch),
        _ => None,
    };
    known.or_else(|| {
        let bootstrap = match handle_link(world, &handle) {
            HandleLink::Method(_, link) => Some(link.method),
            HandleLink::Field(..) => None,
        };
        let arguments = arguments.iter().filter_map(|argument| loadable_link(world, argument)).collect();
        Some(CallSite::Other { bootstrap, arguments })
    })
}

/// Arguments: the erased method type, the target, the specialised type; then for `altMetafactory` flags, marker
/// interfaces and further method types to answer to.
fn lambda(
    world: &mut World<'_>,
    name: &str,
    site: &MethodDescriptor,
    arguments: &[Loadable],
) -> Option<CallSite> {
    let (Loadable::MethodType(erased), Loadable::MethodHandle(target)) =
        (arguments.first()?, arguments.get(1)?)
    else {
        return None;
    };
    let Some(Type::Class(interface)) = &site.returns else { return None };
    let erased = erased.descriptor();
    let mut descriptors = vec![world.symbol(&erased)];
    for bridge in arguments.iter().skip(3) {
        if let Loadable::MethodType(bridge) = bridge {
            descriptors.push(world.symbol(&bridge.descriptor()));
        }
    }
    Some(CallSite::Lambda(Lambda {
        interface: world.load(interface),
        implements: world.method_ref(interface.as_internal(), name, &erased),
        name: world.symbol(name),
        descriptors,
        target: handle_link(world, target),
        captured: u8::try_from(site.params.len()).ok()?,
    }))
}

/// Arguments: the recipe, in which `\u{1}` is an operand and `\u{2}` the next constant; then the constants.
fn concat(world: &mut World<'_>, site: &MethodDescriptor, arguments: &[Loadable]) -> Option<CallSite> {
    let mut texts = Vec::new();
    if let Some(Loadable::String(recipe)) = arguments.first() {
        let parts = recipe.units().split(|&unit| unit == 1 || unit == 2);
        texts.extend(parts.filter(|part| !part.is_empty()).map(JavaString::from_units));
    }
    texts.extend(arguments.iter().skip(1).filter_map(|argument| match argument {
        Loadable::String(text) => Some(text.clone()),
        _ => None,
    }));
    let conversions = site.params.iter().filter_map(|param| to_string_of(world, param)).collect();
    Some(CallSite::Concat(Concat { texts, conversions }))
}

fn to_string_of(world: &mut World<'_>, operand: &Type) -> Option<MethodLink> {
    let (class, on_array) = match operand {
        Type::Class(class) if class.as_internal() == "java/lang/String" => return None,
        Type::Class(class) => (class.clone(), false),
        Type::Array(_) => (ClassName::internal("java/lang/Object"), true),
        _ => return None,
    };
    let method = world.method_ref(class.as_internal(), "toString", "()Ljava/lang/String;");
    Some(MethodLink { owner: world.load(&class), method, on_array })
}

/// Arguments: the record class, the component names, a getter handle for each.
fn record(world: &mut World<'_>, name: &str, arguments: &[Loadable]) -> Option<CallSite> {
    let descriptor = match name {
        "toString" => "()Ljava/lang/String;",
        "hashCode" => "()I",
        _ => "(Ljava/lang/Object;)Z",
    };
    let mut found = RecordMethod { fields: Vec::new(), calls: Vec::new() };
    for argument in arguments.iter().skip(2) {
        let Some(HandleLink::Field(_, field)) = loadable_link(world, argument) else { return None };
        found.fields.push(field);
        if let Some(Type::Class(class)) = world.field_type(field) {
            let method = world.method_ref(class.as_internal(), name, descriptor);
            found.calls.push(MethodLink { owner: world.load(&class), method, on_array: false });
        }
    }
    Some(CallSite::Record(found))
}
