//! Edges of small methods against what their source says.

use probat_model::Observation;

use crate::common::corpus::CORPUS;
use crate::common::{Arg, Bed, jvms};

fn names(seen: &Observation) -> Vec<String> {
    let of_class = |text: String| text.strip_prefix("observed.Branches.").map(str::to_owned);
    seen.edges.iter().filter_map(|&probe| of_class(CORPUS.probes.describe(probe))).collect()
}

/// Runs each call in one worker, in this order, and compares what was hit.
#[track_caller]
fn check(calls: &[(&str, Arg, &[&str])]) {
    for jvm in jvms::full() {
        let mut bed = Bed::on(jvm);
        let items =
            calls.iter().map(|(method, arg, _)| bed.item(|s| s.call(method, std::slice::from_ref(arg))));
        let items = items.collect();
        let seen = bed.run(items);
        for ((method, arg, edges), seen) in calls.iter().zip(&seen) {
            assert_eq!(names(seen), *edges, "{}: {method}({arg:?}): {seen:?}", bed.label());
        }
    }
}

#[test]
fn conditions_go_both_ways() {
    check(&[
        ("Branches.sign", (-1).into(), &["sign line 6: entry", "sign line 6: < 0"]),
        ("Branches.sign", 0.into(), &["sign line 6: entry", "sign line 6: >= 0", "sign line 9: == 0"]),
        ("Branches.sign", 1.into(), &["sign line 6: entry", "sign line 6: >= 0", "sign line 9: != 0"]),
        ("Branches.sign", (-1).into(), &["sign line 6: entry", "sign line 6: < 0"]),
    ]);
}

#[test]
fn switches_have_an_edge_for_each_arm() {
    check(&[
        ("Branches.pick", 1.into(), &["pick line 13: entry", "pick line 13: case 1"]),
        ("Branches.pick", 2.into(), &["pick line 13: entry", "pick line 13: case 2"]),
        ("Branches.pick", 3.into(), &["pick line 13: entry", "pick line 13: default"]),
    ]);
}

#[test]
fn loops_are_entered_or_not() {
    check(&[
        ("Branches.loop", 0.into(), &["loop line 24: entry", "loop line 25: int >="]),
        ("Branches.loop", 2.into(), &["loop line 24: entry", "loop line 25: int >=", "loop line 25: int <"]),
    ]);
}

#[test]
fn handlers_have_edges() {
    check(&[
        ("Branches.parse", "17".into(), &["parse line 33: entry"]),
        (
            "Branches.parse",
            "x".into(),
            &["parse line 33: entry", "parse line 34: catch java.lang.NumberFormatException"],
        ),
    ]);
}

#[test]
fn callees_count_too() {
    check(&[(
        "Branches.calls",
        1.into(),
        &[
            "sign line 6: entry",
            "sign line 6: >= 0",
            "sign line 9: != 0",
            "loop line 24: entry",
            "loop line 25: int >=",
            "loop line 25: int <",
            "calls line 40: entry",
        ],
    )]);
}

/// Nothing is told unless asked for, and what was not asked for does not show up later.
#[test]
fn edges_are_told_on_request() {
    for jvm in jvms::full() {
        let mut bed = Bed::on(jvm);
        let told = bed.item(|s| s.call("Branches.sign", &[(-1).into()]));
        let mut untold = bed.item(|s| s.call("Branches.sign", &[1.into()]));
        untold.observe.edges = false;
        let seen = bed.run(vec![untold, told]);
        assert_eq!(seen[0].edges, [], "{}", bed.label());
        assert_eq!(names(&seen[1]), ["sign line 6: entry", "sign line 6: < 0"], "{}", bed.label());
    }
}

/// The first use of a class runs its initialiser, which credits nobody.
#[test]
fn initialisers_credit_no_sequence() {
    for jvm in jvms::full() {
        let mut bed = Bed::on(jvm);
        let item = bed.item(|s| s.call("Global.readStatics", &[]));
        let seen = bed.run(vec![item.clone(), item]);
        assert_eq!(seen[0], seen[1], "{}", bed.label());
        assert!(!seen[0].edges.is_empty(), "{}", bed.label());
    }
}
