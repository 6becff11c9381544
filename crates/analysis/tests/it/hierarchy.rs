//! Subtyping, resolution, selection, functional interfaces.

use probat_analysis::{Presence, World};
use probat_model::{ClassName, Type};

use crate::support::package;

#[test]
fn subtypes_follow_classes_interfaces_and_arrays() {
    let mut loaded = package("hierarchy");
    for name in ["java/util/ArrayList", "java/util/List", "java/lang/Integer", "java/lang/Number"] {
        loaded.class(name);
    }
    let is = |below: &str, above: &str| {
        loaded.world.is_subtype(&Type::parse(below).unwrap(), &Type::parse(above).unwrap())
    };
    assert!(is("Ljava/util/ArrayList;", "Ljava/util/List;"));
    assert!(!is("Ljava/util/List;", "Ljava/util/ArrayList;"));
    assert!(is("Lhierarchy/Derived;", "Lhierarchy/Named;") && is("Lhierarchy/Derived;", "Lhierarchy/Base;"));
    assert!(
        is("[Ljava/lang/Integer;", "[Ljava/lang/Number;")
            && !is("[Ljava/lang/Number;", "[Ljava/lang/Integer;")
    );
    assert!(
        is("[I", "Ljava/lang/Object;")
            && is("[I", "Ljava/lang/Cloneable;")
            && is("[I", "Ljava/io/Serializable;")
    );
    assert!(!is("[I", "[J") && !is("[I", "[Ljava/lang/Object;") && is("[[I", "[Ljava/lang/Object;"));
    assert!(is("I", "I") && !is("I", "J") && !is("I", "Ljava/lang/Object;"));
    assert!(is("Lhierarchy/Named;", "Ljava/lang/Object;"));
    assert!(is("Lnever/Loaded;", "Ljava/lang/Object;") && !is("Lnever/Loaded;", "Lhierarchy/Base;"));
}

#[test]
fn known_subtypes_are_listed_at_any_depth() {
    let mut loaded = package("hierarchy");
    let named = loaded.class("hierarchy/Named");
    let names: Vec<_> = loaded
        .world
        .subtypes(named)
        .into_iter()
        .map(|id| loaded.world.class(id).name.simple().to_string())
        .collect();
    assert_eq!(names.len(), 4, "{names:?}");
    for expected in ["Named", "Derived", "Inherits", "Half"] {
        assert!(names.iter().any(|name| name == expected), "{names:?}");
    }
}

#[track_caller]
fn check_method(class: &str, name: &str, descriptor: &str, resolved: &str, selected: Option<&str>) {
    let mut loaded = package("hierarchy");
    let id = loaded.class(class);
    let method = loaded.world.method_ref(class, name, descriptor);
    assert_eq!(loaded.world.describe_method(method), resolved);
    let runs = loaded.world.select_method(id, method).map(|id| loaded.world.describe_method(id));
    assert_eq!(runs.as_deref(), selected);
}

const STRING: &str = "()Ljava/lang/String;";

#[test]
fn the_most_specific_default_method_wins() {
    check_method("hierarchy/Both", "who", STRING, "hierarchy.Left.who()", Some("hierarchy.Left.who()"));
}

#[test]
fn superclasses_come_before_interfaces() {
    check_method(
        "hierarchy/Inherits",
        "name",
        STRING,
        "hierarchy.Base.name()",
        Some("hierarchy.Base.name()"),
    );
}

#[test]
fn selection_of_an_interface_method_finds_the_class() {
    let mut loaded = package("hierarchy");
    let (inherits, half) = (loaded.class("hierarchy/Inherits"), loaded.class("hierarchy/Half"));
    let name = loaded.world.method_ref("hierarchy/Named", "name", STRING);
    let runs = loaded.world.select_method(inherits, name).unwrap();
    assert_eq!(loaded.world.describe_method(runs), "hierarchy.Base.name()");
    assert_eq!(loaded.world.select_method(half, name), None);
}

#[test]
fn interfaces_have_the_methods_of_object() {
    check_method(
        "hierarchy/Named",
        "hashCode",
        "()I",
        "java.lang.Object.hashCode()",
        Some("java.lang.Object.hashCode()"),
    );
}

#[test]
fn fields_are_found_in_interfaces_too() {
    let mut loaded = package("hierarchy");
    let limit = loaded.world.field_ref("hierarchy/Derived", "LIMIT", "I");
    let count = loaded.world.field_ref("hierarchy/Derived", "count", "I");
    assert_eq!(loaded.field_names([limit, count]), ["hierarchy.Named.LIMIT", "hierarchy.Base.count"]);
}

#[test]
fn overridden_methods_are_those_of_supertypes() {
    let mut loaded = package("hierarchy");
    let name = loaded.method("hierarchy/Derived", "name");
    let mut above = loaded.method_names(loaded.world.overridden(name));
    above.sort();
    assert_eq!(above, ["hierarchy.Base.name()", "hierarchy.Named.name()"]);
}

#[test]
fn references_to_nothing_get_an_id_of_their_own() {
    let mut loaded = package("hierarchy");
    let lost = loaded.world.method_ref("no/Such", "method", "(I)V");
    assert_eq!(lost, loaded.world.method_ref("no/Such", "method", "(I)V"));
    assert!(loaded.world.method(lost).is_unknown());
    assert_eq!(loaded.world.describe_method(lost), "no.Such.method(int)");
    assert!(loaded.world.missing().any(|name| name.as_internal() == "no/Such"));
}

#[test]
fn method_handles_take_any_descriptor() {
    let mut loaded = package("hierarchy");
    let invoke = loaded.world.method_ref("java/lang/invoke/MethodHandle", "invokeExact", "(IJ)V");
    assert!(!loaded.world.method(invoke).is_unknown());
}

#[track_caller]
fn check_functional(class: &str, expected: Option<(&str, &[&str])>) {
    let mut loaded = package("hierarchy");
    let id = loaded.class(class);
    let found = loaded
        .world
        .functional_interface(id)
        .map(|found| (loaded.world.describe_method(found.method), loaded.method_names(found.bridges)));
    let expected = expected.map(|(method, bridges)| {
        (method.to_string(), bridges.iter().map(|bridge| bridge.to_string()).collect::<Vec<_>>())
    });
    assert_eq!(found, expected, "{class}");
}

#[test]
fn functional_interfaces_have_one_abstract_method() {
    check_functional("hierarchy/Shape", Some(("hierarchy.Shape.area()", &[])));
    check_functional("hierarchy/WithObject", Some(("hierarchy.WithObject.run()", &[])));
    check_functional("hierarchy/Defaulted", Some(("hierarchy.Two.a()", &[])));
    check_functional(
        "java/util/Comparator",
        Some(("java.util.Comparator.compare(java.lang.Object, java.lang.Object)", &[])),
    );
    check_functional(
        "java/util/function/UnaryOperator",
        Some(("java.util.function.Function.apply(java.lang.Object)", &[])),
    );
    for class in
        ["hierarchy/Two", "hierarchy/Nothing", "hierarchy/Closed", "hierarchy/Half", "java/util/List"]
    {
        check_functional(class, None);
    }
}

#[test]
fn generic_methods_made_narrower_are_one_method() {
    let narrow = "hierarchy.Narrow.apply(java.lang.String)";
    let mut loaded = package("hierarchy");
    let id = loaded.class("hierarchy/Narrow");
    let found = loaded.world.functional_interface(id).unwrap();
    assert_eq!(loaded.world.describe_method(found.method), narrow);
    let id = loaded.class("hierarchy/Sub");
    let found = loaded.world.functional_interface(id).unwrap();
    assert_eq!(loaded.world.describe_method(found.method), "hierarchy.Sub.compareTo(java.lang.String)");
}

#[test]
fn abstract_methods_are_what_a_stub_must_have() {
    let mut loaded = package("hierarchy");
    let half = loaded.class("hierarchy/Half");
    let mut names = loaded.method_names(loaded.world.abstract_methods(half));
    names.sort();
    assert_eq!(names, ["hierarchy.Half.size()", "hierarchy.Named.name()"]);
    let derived = loaded.class("hierarchy/Derived");
    assert!(loaded.world.abstract_methods(derived).is_empty());
}

#[test]
fn damaged_and_misplaced_classes_stay_in_as_such() {
    let good = crate::support::fixtures().0.find(&ClassName::internal("hierarchy/Base")).unwrap().unwrap();
    let bytes = good.bytes.into_owned();
    let source = move |name: &ClassName| match name.as_internal() {
        "hierarchy/Cut" => Some(bytes[..bytes.len() / 2].to_vec()),
        "hierarchy/Moved" => Some(bytes.clone()),
        _ => None,
    };
    let mut world = World::new(&source);
    for (name, words) in [("hierarchy/Cut", "needs"), ("hierarchy/Moved", "hierarchy.Base")] {
        let id = world.load(&ClassName::internal(name));
        match &world.class(id).presence {
            Presence::Damaged(reason) => assert!(reason.contains(words), "{reason}"),
            other => panic!("{name}: {other:?}"),
        }
    }
    let id = world.load(&ClassName::internal("hierarchy/Gone"));
    assert_eq!(world.class(id).presence, Presence::Missing);
}

#[test]
fn classes_that_inherit_from_themselves_are_cut_loose() {
    let base = crate::support::fixtures().0.find(&ClassName::internal("hierarchy/Derived")).unwrap().unwrap();
    let mut file = probat_classfile::ClassFile::read(&base.bytes).unwrap();
    file.super_class = Some(file.this_class);
    let bytes = file.write().unwrap();
    let source = move |name: &ClassName| (name.simple() == "Derived").then(|| bytes.clone());
    let mut world = World::new(&source);
    let id = world.load(&ClassName::internal("hierarchy/Derived"));
    assert!(matches!(world.class(id).presence, Presence::Damaged(_)));
    assert_eq!(world.superclasses(id).count(), 1);
}
