//! Which failures come first: the real binary and a real JVM on `tests/corpus/triage`.
//!
//! Work is bounded by steps, so that a slow machine sees what a fast one sees.

#![allow(clippy::unwrap_used, reason = "a test ends where something is not as expected")]

mod shop;

use std::fs;

use serde_json::Value;
use shop::{Bed, Run, sources};

fn generate(bed: &Bed, output: &str, more: &[&str]) -> Run {
    let fixed = ["classes", "--seed", "1", "--step-limit", "150000", "--workers", "1", "--unverified"];
    let output = ["--output", output, "--errors-only"];
    bed.generate(&fixed.iter().chain(&output).chain(more).copied().collect::<Vec<_>>())
}

/// The failures of one class, in the order of the list.
fn of_class<'r>(report: &'r Value, class: &str) -> Vec<&'r Value> {
    let member = |failure: &Value| failure["member"].as_str().unwrap().replace("new ", "");
    let is_of = |failure: &&Value| {
        let member = member(failure);
        member.strip_prefix(class).is_some_and(|rest| rest.starts_with(['.', '(', '$']))
    };
    report["failures"].as_array().unwrap().iter().filter(is_of).collect()
}

/// A reason to doubt a failure leaves it in the report, behind what nothing speaks against.
#[test]
fn what_clients_cannot_do_comes_after_what_they_can() {
    let bed = Bed::with("triage");
    let run = generate(&bed, "out", &["--format", "json"]);
    run.expect(3, &[]);
    let report = run.json();
    let all = report["failures"].as_array().unwrap();
    let ranks: Vec<u64> = all.iter().map(|failure| failure["rank"].as_u64().unwrap()).collect();
    assert_eq!(ranks, (1..=all.len() as u64).collect::<Vec<_>>());
    let likely: Vec<&str> = all
        .iter()
        .take_while(|failure| failure["likelihood"] == "likely")
        .map(|failure| failure["member"].as_str().unwrap())
        .collect();
    assert!(likely.len() == 2 && likely[0].contains("triage.Real"), "{likely:?}");
    assert!(likely[1].contains("triage.Wrapped"), "{likely:?}");
    for (class, kind, doubt) in [
        ("triage.Feed", "null-pointer", "the object waits for a field that another method sets"),
        ("triage.Feed", "null-pointer", "the code looks for null and refuses it"),
        ("triage.Inside", "null-pointer", "only their own package"),
        ("triage.internal.Engine", "hash-code-throws", "a package named internal"),
        ("triage.Tree", "to-string-throws", "a generic parameter"),
        ("triage.Handle", "clone-equals", "equals is about identity"),
        ("triage.Handle", "null-pointer", "closed before"),
    ] {
        let found = of_class(&report, class)
            .into_iter()
            .find(|failure| failure["kind"] == kind && failure["doubts"].to_string().contains(doubt));
        let found = found.unwrap_or_else(|| panic!("{class} {kind} {doubt}: {report:#}"));
        assert_eq!(found["likelihood"], "unlikely", "{found}");
    }
}

/// spec 001 row 10: a null in an array or a list that a call was given is null input.
#[test]
fn a_null_inside_an_argument_came_in() {
    let bed = Bed::with("triage");
    let report = generate(&bed, "out", &["--format", "json", "triage.Words"]).json();
    assert_eq!(of_class(&report, "triage.Words"), Vec::<&Value>::new());
    let threw = report["totals"]["threw"].as_u64().unwrap();
    assert!(threw > 0, "nothing was tried: {report}");
}

/// One fault is one entry, one test and one line to type, however many members lead to it.
#[test]
fn one_cause_is_one_entry() {
    let bed = Bed::with("triage");
    let run = generate(&bed, "out", &["--format", "json", "triage.Wrapped", "triage.Wrapped$Special"]);
    run.expect(3, &[]);
    let report = run.json();
    let found = of_class(&report, "triage.Wrapped");
    assert_eq!(found.len(), 1, "{report:#}");
    assert!(found[0]["also"].as_array().unwrap().len() >= 2, "{report:#}");
    let line = found[0]["reproduction"].as_str().unwrap();
    assert!(line.contains("new Wrapped") || line.contains("Wrapped."), "{line}");
    assert!(line.contains(".equals(") && !line.contains('\n'), "{line}");
    let text: String =
        sources(&bed.at("out-failing")).iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    assert_eq!(text.matches("@Test").count(), 1, "{text}");
    assert!(text.contains("// Rank 1: a likely bug."), "{text}");
}

/// The summary tells the likely ones with the reason and what to type, and counts the rest.
#[test]
fn the_summary_is_short() {
    let bed = Bed::with("triage");
    let run = generate(&bed, "out", &[]);
    run.expect(3, &["May be bugs: 2", "Hardly bugs: "]);
    for part in [
        "  1. ",
        "     likely: any client can make these calls, and nothing odd was given",
        "     try: Real real = new Real(",
        "  1: the code looks for null and refuses it",
    ] {
        assert!(run.out.contains(part), "{part}\n{}", run.out);
    }
}

/// What is hardly a bug is still a failure found, and accepting it through one member settles its cause.
#[test]
fn doubted_failures_are_failures() {
    let bed = Bed::with("triage");
    let only = ["triage.Feed", "--format", "json"];
    let run = generate(&bed, "out", &only);
    run.expect(3, &[]);
    let found = run.json()["failures"].as_array().unwrap().len();
    assert!(found >= 2, "{}", run.out);
    let known = bed.at("out/probat-known-failures.txt");
    fs::write(&known, "triage.Feed.next() null-pointer\n").unwrap();
    let report = generate(&bed, "out", &only).json();
    let is_known = |failure: &&Value| failure["known"] == true;
    let settled: Vec<&Value> = report["failures"].as_array().unwrap().iter().filter(is_known).collect();
    assert_eq!(settled.len(), 1, "{report:#}");
    assert!(settled[0]["doubts"].to_string().contains("waits for a field"), "{report:#}");
}
