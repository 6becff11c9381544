//! Types with arguments: a list of texts is not any list.
//!
//! In: generic signatures of parameters. Out: variants of container types, with ways to make each.
//! Only containers whose arguments are concrete classes get a variant; everything else is its erasure.

use probat_analysis::{MethodId, World};
use probat_classfile::signature::{TypeArgument, TypeSignature};
use probat_model::{ClassName, MethodDescriptor, Operation, Type};
use probat_search::catalogue::{Callable, Catalogue, FieldAccess};
use probat_search::types::{Hierarchy, TypeId};
use rustc_hash::FxHashSet;

const LIST: &str = "java/util/List";
const MAP: &str = "java/util/Map";

/// Gives parameters the types their signatures name.
#[derive(Debug, Default)]
pub(crate) struct Generics {
    made: FxHashSet<TypeId>,
    /// Whether there is `Map.of`, which came with Java 9.
    has_map_of: bool,
}

/// A map of two entries.
const TWO: &str = "(Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/Object;)Ljava/util/Map;";

impl Generics {
    /// With what source for the tests can name.
    pub fn new(world: &mut World<'_>) -> Self {
        let map = world.load(&ClassName::internal(MAP));
        let is_of = |&method: &MethodId| {
            world.method_name(method) == "of" && world.text(world.method(method).descriptor) == TWO
        };
        let has_map_of = world.members(map, "").methods.iter().any(is_of);
        Generics { made: FxHashSet::default(), has_map_of }
    }

    /// The type of a parameter: its erasure, or a variant of it.
    pub fn refine(
        &mut self,
        catalogue: &mut Catalogue,
        hierarchy: &dyn Hierarchy,
        erased: TypeId,
        signature: &TypeSignature,
    ) -> TypeId {
        let TypeSignature::Class(class) = signature else { return erased };
        let name = class.class();
        let Some(arity) = arity(&name) else { return erased };
        let arguments: Option<Vec<TypeId>> =
            class.arguments().iter().map(|argument| self.argument(catalogue, hierarchy, argument)).collect();
        let Some(arguments) = arguments.filter(|found| found.len() == arity) else { return erased };
        let object = catalogue.types.intern(&Type::class("java/lang/Object"), hierarchy);
        if arguments.iter().all(|&argument| argument == object) {
            return erased;
        }
        let variant = catalogue.types.variant(erased, &arguments);
        self.make(catalogue, hierarchy, variant, &name, &arguments);
        variant
    }

    fn argument(
        &mut self,
        catalogue: &mut Catalogue,
        hierarchy: &dyn Hierarchy,
        argument: &TypeArgument,
    ) -> Option<TypeId> {
        let signature = match argument {
            TypeArgument::Exact(signature)
            | TypeArgument::Extends(signature)
            | TypeArgument::Super(signature) => signature,
            TypeArgument::Any => {
                return Some(catalogue.types.intern(&Type::class("java/lang/Object"), hierarchy));
            }
        };
        match signature {
            TypeSignature::Class(class) => {
                let erased = catalogue.types.intern(&Type::Class(class.class()), hierarchy);
                Some(self.refine(catalogue, hierarchy, erased, signature))
            }
            TypeSignature::Variable(_) => {
                Some(catalogue.types.intern(&Type::class("java/lang/Object"), hierarchy))
            }
            TypeSignature::Array(_) | TypeSignature::Primitive(_) => None,
        }
    }

    /// Adds ways to make a variant, once.
    fn make(
        &mut self,
        catalogue: &mut Catalogue,
        hierarchy: &dyn Hierarchy,
        variant: TypeId,
        name: &ClassName,
        arguments: &[TypeId],
    ) {
        if !self.made.insert(variant) {
            return;
        }
        match name.as_internal() {
            "java/util/List" | "java/util/Collection" | "java/lang/Iterable" => {
                let elements = array_of(catalogue, hierarchy, arguments[0]);
                add(catalogue, as_list(), &[elements], variant, false);
                let list = self.list(catalogue, hierarchy, arguments[0]);
                add(catalogue, copy("java/util/ArrayList", "java/util/Collection"), &[list], variant, false);
            }
            "java/util/Set" => {
                let list = self.list(catalogue, hierarchy, arguments[0]);
                add(catalogue, copy("java/util/HashSet", "java/util/Collection"), &[list], variant, false);
                add(
                    catalogue,
                    copy("java/util/LinkedHashSet", "java/util/Collection"),
                    &[list],
                    variant,
                    false,
                );
            }
            "java/util/Map" => {
                let single = static_call(
                    "java/util/Collections",
                    "singletonMap",
                    "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/util/Map;",
                );
                add(catalogue, single, arguments, variant, false);
                if self.has_map_of {
                    let of = Operation::CallStatic {
                        class: ClassName::internal(MAP),
                        name: "of".into(),
                        descriptor: descriptor(TWO),
                        interface: true,
                    };
                    let entries = [arguments, arguments].concat();
                    add(catalogue, of, &entries, variant, false);
                }
                add(catalogue, copy("java/util/HashMap", MAP), &[variant], variant, false);
                add(catalogue, copy("java/util/TreeMap", MAP), &[variant], variant, false);
            }
            "java/util/Iterator" => {
                let list = self.list(catalogue, hierarchy, arguments[0]);
                let iterator = Operation::Call {
                    class: ClassName::internal(LIST),
                    name: "iterator".into(),
                    descriptor: descriptor("()Ljava/util/Iterator;"),
                    interface: true,
                };
                add(catalogue, iterator, &[list], variant, true);
            }
            "java/util/Optional" => {
                let of = static_call("java/util/Optional", "of", "(Ljava/lang/Object;)Ljava/util/Optional;");
                add(catalogue, of, arguments, variant, false);
            }
            _ => {}
        }
    }

    fn list(&mut self, catalogue: &mut Catalogue, hierarchy: &dyn Hierarchy, element: TypeId) -> TypeId {
        let erased = catalogue.types.intern(&Type::class(LIST), hierarchy);
        let list = catalogue.types.variant(erased, &[element]);
        self.make(catalogue, hierarchy, list, &ClassName::internal(LIST), &[element]);
        list
    }
}

/// How many arguments a container has.
fn arity(name: &ClassName) -> Option<usize> {
    Some(match name.as_internal() {
        "java/util/List"
        | "java/util/Collection"
        | "java/lang/Iterable"
        | "java/util/Set"
        | "java/util/Iterator"
        | "java/util/Optional" => 1,
        "java/util/Map" => 2,
        _ => return None,
    })
}

fn array_of(catalogue: &mut Catalogue, hierarchy: &dyn Hierarchy, element: TypeId) -> TypeId {
    let ty = catalogue.types.get(element).clone().array();
    catalogue.types.intern(&ty, hierarchy)
}

fn descriptor(text: &str) -> MethodDescriptor {
    MethodDescriptor::parse(text).expect("written here")
}

fn static_call(class: &str, name: &str, text: &str) -> Operation {
    Operation::CallStatic {
        class: ClassName::internal(class),
        name: name.into(),
        descriptor: descriptor(text),
        interface: false,
    }
}

fn as_list() -> Operation {
    static_call("java/util/Arrays", "asList", "([Ljava/lang/Object;)Ljava/util/List;")
}

fn copy(class: &str, from: &str) -> Operation {
    Operation::Construct {
        class: ClassName::internal(class),
        descriptor: descriptor(&format!("(L{from};)V")),
    }
}

fn add(
    catalogue: &mut Catalogue,
    operation: Operation,
    params: &[TypeId],
    result: TypeId,
    has_receiver: bool,
) {
    let operation = catalogue.operations.intern(operation);
    catalogue.add(Callable {
        operation,
        params: params.into(),
        result: Some(result),
        has_receiver,
        owner: None,
        body: None,
        access: FieldAccess::default(),
        pure: true,
        varies: false,
        fickle: false,
        is_switch: false,
        throws: Box::from([]),
    });
}
