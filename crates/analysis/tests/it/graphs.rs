//! Call graphs.

use probat_analysis::callgraph::{CallGraphOptions, Dispatch};

use crate::support::package;

/// Callees without those of `java.lang.Object` and `java.lang.Record` constructors, sorted by text.
#[track_caller]
fn check_with(options: CallGraphOptions, class: &str, method: &str, expected: &[&str]) {
    let mut loaded = package("graphs");
    let graph = loaded.graph(options);
    let method = loaded.method(class, method);
    let mut callees = loaded.method_names(graph.callees(method).iter().copied());
    callees.sort();
    assert_eq!(callees, expected);
}

#[track_caller]
fn check(method: &str, expected: &[&str]) {
    check_with(CallGraphOptions::default(), "graphs/Calls", method, expected);
}

#[test]
fn interface_calls_lead_to_every_implementation() {
    check("all", &["graphs.Animal.sound()", "graphs.Cat.sound()", "graphs.Dog.sound()"]);
}

#[test]
fn calls_through_a_class_stay_below_it() {
    check("one", &["graphs.Dog.sound()"]);
    check("cat", &["graphs.Cat.sound()"]);
    check_with(
        CallGraphOptions::default(),
        "graphs/Cat",
        "sound",
        &["graphs.Cat.purr()", "graphs.Kitten.purr()"],
    );
}

#[test]
fn super_calls_lead_to_the_superclass_alone() {
    check_with(CallGraphOptions::default(), "graphs/Kitten", "purr", &["graphs.Cat.purr()"]);
}

#[test]
fn declared_dispatch_follows_the_named_method_only() {
    let options = CallGraphOptions { dispatch: Dispatch::Declared, ..CallGraphOptions::default() };
    check_with(options, "graphs/Calls", "all", &["graphs.Animal.sound()"]);
}

#[test]
fn private_methods_constructors_and_arrays_are_called_exactly() {
    check("callsHidden", &["graphs.Calls.hidden()"]);
    check("make", &["graphs.Calls.<init>()"]);
    check("copy", &["java.lang.Object.clone()"]);
}

#[test]
fn lambdas_lead_to_their_body_and_the_method_they_implement() {
    check("viaLambda", &["graphs.Calls.lambda$viaLambda$0()", "java.util.function.IntSupplier.getAsInt()"]);
}

#[test]
fn method_references_lead_to_their_targets() {
    check(
        "viaReference",
        &[
            "graphs.Animal.sound()",
            "graphs.Cat.sound()",
            "graphs.Dog.<init>()",
            "graphs.Dog.sound()",
            "java.util.Objects.requireNonNull(java.lang.Object)",
            "java.util.function.Supplier.get()",
        ],
    );
    check("viaConstructor", &["graphs.Dog.<init>()", "java.util.function.Supplier.get()"]);
}

#[test]
fn calls_of_a_functional_interface_lead_to_the_lambdas_made_for_it() {
    check(
        "apply",
        &[
            "graphs.Calls.lambda$passes$1(java.lang.Object)",
            "java.util.function.Function.apply(java.lang.Object)",
        ],
    );
}

/// Compilers since Java 19 call `String.valueOf` before they concatenate; older ones leave that to the call site.
#[test]
fn concatenation_calls_to_string_of_its_operands() {
    let mut loaded = package("graphs");
    let graph = loaded.graph(CallGraphOptions::default());
    let concat = loaded.method("graphs/Calls", "concat");
    let callees = loaded.method_names(graph.callees(concat).iter().copied());
    let old = ["java.lang.Object.toString()"];
    let new = ["java.lang.String.valueOf(java.lang.Object)"];
    assert!(callees == old || callees == new, "{callees:?}");
}

#[test]
fn records_call_the_methods_of_their_components() {
    check("hash", &["graphs.Point.hashCode()"]);
    check_with(CallGraphOptions::default(), "graphs/Point", "hashCode", &["java.lang.Object.hashCode()"]);
    let mut loaded = package("graphs");
    let graph = loaded.graph(CallGraphOptions::default());
    let hash = loaded.method("graphs/Point", "hashCode");
    let reads = loaded.field_names(graph.direct_access(hash).unwrap().reads.iter().copied());
    assert_eq!(reads, ["graphs.Point.x", "graphs.Point.dog"]);
}

#[test]
fn initialisers_count_as_calls_on_request() {
    check_with(CallGraphOptions::default(), "graphs/Toucher", "touch", &["graphs.Holder.get()"]);
    let options = CallGraphOptions { initialisers: true, ..CallGraphOptions::default() };
    check_with(options, "graphs/Toucher", "touch", &["graphs.Holder.<clinit>()", "graphs.Holder.get()"]);
}

#[test]
fn methods_that_call_each_other_are_one_component() {
    let mut loaded = package("graphs");
    let graph = loaded.graph(CallGraphOptions::default());
    let (even, odd) = (loaded.method("graphs/Calls", "even"), loaded.method("graphs/Calls", "odd"));
    let components = graph.graph().components();
    let of = |id: probat_analysis::MethodId| components.of(id.index() as u32);
    assert_eq!(of(even), of(odd));
    let answer = loaded.method("graphs/Calls", "answer");
    assert_ne!(of(even), of(answer));
}
