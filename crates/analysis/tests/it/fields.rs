//! Field access and relevance.

use probat_analysis::callgraph::{CallGraph, CallGraphOptions};
use probat_analysis::fields::{Access, FieldAccess, FieldOptions};

use crate::support::{Loaded, package};

fn analysed() -> (Loaded, CallGraph, FieldAccess) {
    let mut loaded = package("fields");
    let graph = loaded.graph(CallGraphOptions::default());
    let access = FieldAccess::analyse(&loaded.world, &graph, &FieldOptions::default());
    (loaded, graph, access)
}

/// `reads | writes`, class names without package.
fn show(loaded: &Loaded, access: &Access) -> String {
    let list = |names: Vec<String>| names.join(" ").replace("fields.", "");
    let reads = list(loaded.field_names(access.read_fields()));
    format!("{reads} | {}", list(loaded.field_names(access.written_fields())))
}

/// Spec 004 row R1.
#[test]
fn direct_access_is_what_the_body_names() {
    let (mut loaded, _, access) = analysed();
    let cases = [
        ("get", "Box.value | "),
        ("set", " | Box.value"),
        ("bump", "Box.value Box.count | Box.value Box.count"),
        ("reset", " | Box.count"),
        ("twice", " | "),
        ("look", "Box.cells | "),
    ];
    for (name, expected) in cases {
        let method = loaded.method("fields/Box", name);
        assert_eq!(show(&loaded, access.direct(method)), expected, "{name}");
    }
}

/// Spec 004 §2.2: element stores into an array obtained from a field.
#[test]
fn stores_into_arrays_of_fields_are_writes_of_the_field() {
    let (mut loaded, _, access) = analysed();
    let cases = [
        ("fill", "Box.cells | Box.cells"),
        ("fillByLocal", "Box.cells | Box.cells"),
        ("fillGrid", "Box.grid | Box.grid"),
    ];
    for (name, expected) in cases {
        let method = loaded.method("fields/Box", name);
        assert_eq!(show(&loaded, access.direct(method)), expected, "{name}");
    }
}

#[test]
fn inherited_fields_belong_to_the_class_that_declares_them() {
    let (mut loaded, _, access) = analysed();
    let wide = loaded.method("fields/Wide", "wide");
    assert_eq!(show(&loaded, access.transitive(wide)), "Box.cells | ");
}

/// Spec 004 row R2.
#[test]
fn transitive_access_follows_calls_to_a_depth() {
    let (mut loaded, graph, access) = analysed();
    let open = loaded.method("fields/Environment", "openDatabase");
    assert_eq!(show(&loaded, access.transitive(open)), "Config.allowCreate | ");
    assert_eq!(show(&loaded, &access.within(&graph, open, 1)), " | ");
    assert_eq!(show(&loaded, &access.within(&graph, open, 2)), "Config.allowCreate | ");
}

#[test]
fn methods_that_call_each_other_touch_the_same() {
    let (mut loaded, _, access) = analysed();
    let first = loaded.method("fields/Recursive", "first");
    let second = loaded.method("fields/Recursive", "second");
    let third = loaded.method("fields/Recursive", "third");
    let all = "Recursive.c | Recursive.a Recursive.b Recursive.c";
    assert_eq!(show(&loaded, access.transitive(first)), all);
    assert_eq!(show(&loaded, access.transitive(second)), all);
    assert_eq!(show(&loaded, access.transitive(third)), "Recursive.c | Recursive.c");
}

/// Spec 004 rows R3 and R4.
#[test]
fn relevance_is_symmetric_and_needs_a_common_field() {
    let (mut loaded, _, access) = analysed();
    let open = loaded.method("fields/Environment", "openDatabase");
    let set = loaded.method("fields/Config", "setAllowCreate");
    let other = loaded.method("fields/Environment", "unrelated");
    assert!(access.is_relevant(open, set) && access.is_relevant(set, open));
    assert!(!access.is_relevant(open, other) && !access.is_relevant(other, other));
}

/// Spec 004 row R23.
#[test]
fn graded_relevance_puts_writers_above_readers() {
    let (mut loaded, _, access) = analysed();
    let (get, set) = (loaded.method("fields/Box", "get"), loaded.method("fields/Box", "set"));
    let of = |one, other| access.transitive(one).overlap(access.transitive(other));
    assert!(of(get, set) > of(get, get), "{:?} {:?}", of(get, set), of(get, get));
    let execute = loaded.method("fields/Dfs", "execute");
    let finish = loaded.method("fields/Dfs", "finishTime");
    assert!(access.is_relevant(execute, finish));
    assert_eq!((of(execute, finish).written, of(execute, finish).read), (1, 1));
}

#[test]
fn statics_can_be_left_out() {
    let mut loaded = package("fields");
    let graph = loaded.graph(CallGraphOptions::default());
    let access = FieldAccess::analyse(&loaded.world, &graph, &FieldOptions { statics: false });
    let twice = loaded.method("fields/Box", "twice");
    assert_eq!(show(&loaded, access.transitive(twice)), "Box.value | Box.value");
}
