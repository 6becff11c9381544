//! Which calls tell something about an object without changing it.
//!
//! In: the catalogue. Out: observer callables by receiver type. A guess, as in spec 001 §2.12, and checked by running twice.

use probat_model::{ClassName, MethodDescriptor, Operation, OperationId, Type};
use probat_search::campaign::Campaign;
use probat_search::catalogue::{CallableId, Catalogue};
use probat_search::types::TypeId;
use rustc_hash::{FxHashMap, FxHashSet};

/// `class.method descriptor` of JDK types that tests often get back.
const KNOWN: &[(&str, &str, &str, bool)] = &[
    ("java/util/Collection", "size", "()I", true),
    ("java/util/Map", "size", "()I", true),
    ("java/util/Iterator", "hasNext", "()Z", true),
    ("java/util/Optional", "isPresent", "()Z", false),
    ("java/lang/CharSequence", "toString", "()Ljava/lang/String;", true),
    ("java/math/BigDecimal", "toString", "()Ljava/lang/String;", false),
    ("java/math/BigInteger", "toString", "()Ljava/lang/String;", false),
    ("java/util/Date", "getTime", "()J", false),
    ("java/util/Enumeration", "hasMoreElements", "()Z", true),
    ("java/util/OptionalInt", "isPresent", "()Z", false),
    ("java/util/OptionalLong", "isPresent", "()Z", false),
    ("java/util/OptionalDouble", "isPresent", "()Z", false),
    ("java/util/Locale", "toString", "()Ljava/lang/String;", false),
    ("java/util/UUID", "toString", "()Ljava/lang/String;", false),
    ("java/util/StringJoiner", "toString", "()Ljava/lang/String;", false),
    ("java/util/regex/Pattern", "pattern", "()Ljava/lang/String;", false),
    ("java/util/concurrent/atomic/AtomicBoolean", "get", "()Z", false),
    ("java/util/concurrent/atomic/AtomicInteger", "get", "()I", false),
    ("java/util/concurrent/atomic/AtomicLong", "get", "()J", false),
    ("java/net/URI", "toString", "()Ljava/lang/String;", false),
    ("java/nio/Buffer", "remaining", "()I", false),
    ("java/nio/file/attribute/FileTime", "toMillis", "()J", false),
    ("java/time/Duration", "toString", "()Ljava/lang/String;", false),
    ("java/time/Period", "toString", "()Ljava/lang/String;", false),
    ("java/io/StringWriter", "toString", "()Ljava/lang/String;", false),
    ("java/io/ByteArrayOutputStream", "size", "()I", false),
    ("java/util/BitSet", "cardinality", "()I", false),
    ("java/time/temporal/TemporalAccessor", "toString", "()Ljava/lang/String;", true),
    ("java/lang/Throwable", "getMessage", "()Ljava/lang/String;", false),
];

/// Observers by the type that declares them.
#[derive(Debug, Default)]
pub(crate) struct Observers {
    by_type: FxHashMap<Type, Vec<OperationId>>,
    /// Those that may reach what differs from run to run.
    varying: FxHashSet<OperationId>,
}

impl Observers {
    pub fn new(campaign: &mut Campaign<'_>) -> Self {
        let mut found = Observers::default();
        let (mut ids, mut others): (Vec<(Type, OperationId)>, Vec<_>) = (Vec::new(), Vec::new());
        let catalogue = &campaign.catalogue;
        for (at, callable) in catalogue.callables.iter().enumerate() {
            let takes_nothing = callable.has_receiver && callable.params.len() == 1;
            let Operation::Call { class, name, descriptor, .. } =
                catalogue.operations.get(callable.operation)
            else {
                continue;
            };
            if callable.owner.is_none() || !takes_nothing || !callable.pure || !gives_a_value(descriptor) {
                continue;
            }
            let one = (Type::Class(class.clone()), callable.operation);
            if sounds_telling(name) {
                ids.push(one);
            } else if &**name != "hashCode" && campaign.is_calm(CallableId(at as u32)) {
                others.push(one);
            }
        }
        // What only proved to change nothing comes after what says so by its name.
        ids.extend(others);
        let catalogue = &mut campaign.catalogue;
        let varying = catalogue.callables.iter().filter(|callable| callable.varies);
        found.varying = varying.map(|callable| callable.operation).collect();
        for (ty, operation) in ids {
            found.by_type.entry(ty).or_default().push(operation);
        }
        for (class, name, descriptor, interface) in KNOWN {
            let operation = catalogue.operations.intern(Operation::Call {
                class: ClassName::internal(class),
                name: (*name).into(),
                descriptor: MethodDescriptor::parse(descriptor).expect("written here"),
                interface: *interface,
            });
            found.by_type.entry(Type::class(class)).or_default().push(operation);
        }
        found
    }

    /// Whether what an observer tells may differ from run to run.
    pub fn varies(&self, observer: OperationId) -> bool {
        self.varying.contains(&observer)
    }

    /// A few observers of an object of this run-time type, those of the nearest types first.
    pub fn of(&self, catalogue: &Catalogue, ty: TypeId, most: usize) -> Vec<OperationId> {
        let mut found = Vec::new();
        for &above in catalogue.types.supers(ty) {
            for &operation in self.by_type.get(catalogue.types.get(above)).into_iter().flatten() {
                let told = signature(catalogue.operations.get(operation));
                let is_new = !found.iter().any(|&other| signature(catalogue.operations.get(other)) == told);
                if found.len() < most && is_new {
                    found.push(operation);
                }
            }
        }
        found
    }
}

/// Name and descriptor: a method that several types declare is one.
fn signature(operation: &Operation) -> Option<(&str, &MethodDescriptor)> {
    match operation {
        Operation::Call { name, descriptor, .. } => Some((name, descriptor)),
        _ => None,
    }
}

/// Whether it gives what an assertion can compare.
fn gives_a_value(descriptor: &MethodDescriptor) -> bool {
    match &descriptor.returns {
        None => false,
        Some(Type::Class(class)) => class.as_internal() == "java/lang/String",
        Some(Type::Array(_)) => false,
        Some(_) => true,
    }
}

fn sounds_telling(name: &str) -> bool {
    let after = |prefix: &str| {
        name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
    };
    matches!(name, "size" | "length" | "count" | "toString" | "isEmpty" | "name" | "value")
        || after("get")
        || after("is")
        || after("has")
        || name.ends_with("Value")
}
