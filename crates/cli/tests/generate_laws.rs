//! The laws of `clone`, iterators, collections and maps: the real binary and a real JVM on `tests/corpus/laws`.
//!
//! Work is bounded by steps, so that a slow machine sees what a fast one sees.

#![allow(clippy::unwrap_used, reason = "a test ends where something is not as expected")]

mod shop;

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;
use shop::{Bed, Run, launcher, sources};

fn laws() -> Bed {
    Bed::with("laws")
}

fn generate(bed: &Bed, output: &str, more: &[&str]) -> Run {
    let fixed = ["classes", "--seed", "1", "--step-limit", "30000", "--workers", "1", "--format", "json"];
    let output = ["--output", output, "--errors-only"];
    bed.generate(&fixed.iter().chain(&output).chain(more).copied().collect::<Vec<_>>())
}

/// Kinds of failures of the families in question.
fn broken(report: &Value) -> BTreeSet<String> {
    let kinds =
        report["failures"].as_array().unwrap().iter().map(|failure| failure["kind"].as_str().unwrap());
    let families = ["clone-", "iterator-", "iterable-", "collection-", "map-"];
    kinds.filter(|kind| families.iter().any(|head| kind.starts_with(head))).map(str::to_owned).collect()
}

fn written(bed: &Bed, folder: &str) -> String {
    sources(&bed.at(folder)).iter().map(|path| fs::read_to_string(path).unwrap()).collect()
}

/// Each class breaks its own law; a family that is switched off is silent.
#[test]
fn each_faulty_class_breaks_its_own_law() {
    let bed = laws();
    for (class, kind) in [
        ("Clones$Same", "clone-same"),
        ("Clones$Changing", "clone-class"),
        ("Clones$Forgetful", "clone-equals"),
        ("Iterators$Greedy", "iterator-next"),
        ("Collections$Negative", "collection-size"),
        ("Collections$NearlyEmpty", "collection-empty"),
        ("Collections$ShortArray", "collection-array"),
        ("Collections$Twice", "collection-iterator"),
        ("Collections$NegativeTable", "map-size"),
        ("Collections$FullTable", "map-empty"),
    ] {
        let class_of = format!("laws.{class}");
        // With what it inherits from.
        let words = ["--unverified", &class_of, "laws.Collections$Numbers", "laws.Collections$Table"];
        let run = generate(&bed, "out", &words);
        run.expect(3, &[]);
        assert_eq!(broken(&run.json()), BTreeSet::from([kind.to_owned()]), "{class}: {}", run.out);
    }
    let endless =
        generate(&bed, "endless", &["--unverified", "laws.Collections$Endless", "laws.Collections$Numbers"])
            .json();
    assert!(broken(&endless).contains("iterable-next"), "{endless}");
    let off = generate(&bed, "off", &["--unverified", "--without-contracts", "clone,iterator,collection"]);
    assert_eq!(broken(&off.json()), BTreeSet::new());
}

/// What keeps the laws, changes by itself or refuses to be looked at is not accused.
#[test]
fn innocent_classes_break_no_law() {
    let bed = laws();
    let innocent = ["Clones$Good", "Iterators$Good", "Iterators$OverList"];
    let collections = ["Good", "Restless", "Huge", "Closed", "GoodTable", "Numbers", "Table"];
    let names = innocent.iter().map(|name| format!("laws.{name}"));
    let names: Vec<String> =
        names.chain(collections.iter().map(|name| format!("laws.Collections${name}"))).collect();
    let words: Vec<&str> = ["--unverified"].into_iter().chain(names.iter().map(String::as_str)).collect();
    let report = generate(&bed, "out", &words).json();
    assert_eq!(report["classes"].as_array().unwrap().len(), names.len(), "{report}");
    assert_eq!(broken(&report), BTreeSet::new(), "{report}");
}

/// What is written for each law compiles, and fails under the real launcher.
#[test]
fn tests_of_broken_laws_are_verified() {
    let Some(launcher) = launcher() else { return };
    let bed = laws();
    let jar = launcher.display().to_string();
    let run = generate(&bed, "out", &["--junit-jar", &jar, "--time-limit", "10m"]);
    run.expect(3, &[]);
    let report = run.json();
    assert_eq!(
        (&report["verified"], &report["dropped"]),
        (&true.into(), &Value::Array(Vec::new())),
        "{report}"
    );
    let text = written(&bed, "out-failing");
    for asked in [
        "assertNotSame(",
        "_breaksCloneClass",
        "\"a clone is equal to its original\");",
        ".hasNext()) {",
        ".size() >= 0, \"no size is negative\");",
        ".isEmpty());",
        ".toArray().length);",
        "count++;",
        "_breaksIterableNext",
        "_breaksMapSize",
        "_breaksMapEmpty",
    ] {
        assert!(text.contains(asked), "{asked}\n{text}");
    }
}
