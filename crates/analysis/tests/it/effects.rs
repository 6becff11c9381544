//! What methods change.

use probat_analysis::callgraph::{CallGraph, CallGraphOptions};
use probat_analysis::effects::{Effect, EffectOptions, Effects, Reason};

use crate::support::{Loaded, package};

fn analysed(trust_contracts: bool) -> (Loaded, CallGraph, Effects) {
    let mut loaded = package("effects");
    let graph = loaded.graph(CallGraphOptions::default());
    let effects = Effects::analyse(&loaded.world, &graph, EffectOptions { trust_contracts });
    (loaded, graph, effects)
}

#[track_caller]
fn check(expected: Effect, methods: &[&str]) {
    check_with(false, expected, methods);
}

#[track_caller]
fn check_with(trust_contracts: bool, expected: Effect, methods: &[&str]) {
    let (mut loaded, _, effects) = analysed(trust_contracts);
    for name in methods {
        let (class, name) = name.split_once('.').unwrap_or(("Effects", name));
        let method = loaded.method(&format!("effects/{class}"), name);
        let summary = effects.summary(method);
        assert_eq!(effects.of(&loaded.world, method), expected, "{name}: {summary:?}");
    }
}

#[test]
fn reading_and_computing_is_pure() {
    check(
        Effect::Pure,
        &["get", "deep", "sum", "leaked", "pass", "text", "compute", "fails", "even", "odd", "caught"],
    );
}

#[test]
fn changing_what_was_just_made_is_pure() {
    check(Effect::Pure, &["copy", "linked", "cloned", "copiesToFresh", "iterates"]);
}

#[test]
fn changing_the_receiver_or_what_it_leads_to_is_told() {
    check(
        Effect::Receiver,
        &["set", "fill", "setNext", "keep", "spoilsLeaked", "evenSet", "oddSet", "Steps.step"],
    );
}

#[test]
fn what_a_new_object_was_given_is_not_new() {
    check(Effect::Receiver, &["linkedAndSpoiled", "hidesInFresh"]);
}

#[test]
fn changing_arguments_is_told() {
    check(Effect::Arguments, &["give", "spoilsPassed", "copies"]);
}

#[test]
fn statics_unknown_and_native_code_are_outside() {
    check(Effect::Outside, &["reset", "spoil", "spoilInstance", "prints", "callsNative", "outside"]);
}

#[test]
fn reasons_name_what_is_to_blame() {
    let (mut loaded, _, effects) = analysed(false);
    let mut reason = |name: &str| {
        let method = loaded.method("effects/Effects", name);
        effects.summary(method).and_then(|summary| summary.reason)
    };
    let (reset, spoil, native) = (reason("reset"), reason("spoil"), reason("callsNative"));
    let outside = loaded.method("effects/Effects", "outside");
    assert!(
        matches!(reset, Some(Reason::Static(field)) if loaded.world.describe_field(field).ends_with("count"))
    );
    assert_eq!(spoil, Some(Reason::Object));
    assert_eq!(native, Some(Reason::Unknown(outside)));
}

#[test]
fn lambdas_act_on_what_they_hold() {
    check(Effect::Pure, &["PureOps.both"]);
    check(Effect::Arguments, &["Ops.use"]);
    check(Effect::Receiver, &["Ops.calls"]);
}

#[test]
fn constructors_may_fill_their_own_object_alone() {
    let (mut loaded, _, effects) = analysed(false);
    let class = loaded.class("effects/Effects");
    let pure: Vec<bool> = ["()V", "(I)V", "(Leffects/Effects;)V", "(Leffects/Effects;Z)V", "(J)V"]
        .iter()
        .map(|descriptor| {
            let method = loaded.world.declared_method(class, "<init>", descriptor).unwrap();
            effects.is_pure(&loaded.world, method)
        })
        .collect();
    assert_eq!(pure, [true, true, true, false, false]);
}

#[test]
fn contracts_of_the_library_are_trusted_on_request_alone() {
    let queries = ["Lists.size", "Lists.first", "Lists.same", "Lists.built", "Lists.counts"];
    check_with(false, Effect::Outside, &queries);
    check_with(true, Effect::Pure, &queries);
    check_with(true, Effect::Arguments, &["Lists.grow", "Lists.drain"]);
    check_with(true, Effect::Outside, &["Lists.runs"]);
}

#[test]
fn what_in_scope_classes_do_counts_even_where_contracts_are_trusted() {
    check_with(true, Effect::Outside, &["Lists.text"]);
}
