//! Why branches are not reached: the real binary and a real JVM on `tests/corpus/reasons`, whose comments name the reasons.
//!
//! Work is bounded by steps, so that a slow machine sees what a fast one sees.

#![allow(clippy::unwrap_used, reason = "a test ends where something is not as expected")]

mod shop;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::Value;
use shop::{Bed, Run, corpus, sources};

fn explain(bed: &Bed, more: &[&str]) -> Run {
    let fixed = ["classes", "--seed", "1", "--step-limit", "20000", "--workers", "1", "--unverified"];
    let words = ["--explain", "--exclude-method", "Left.out", "--output", "out"];
    bed.generate(&fixed.iter().chain(&words).chain(more).copied().collect::<Vec<_>>())
}

/// Reasons by class and line.
type Reasons = BTreeMap<(String, u64), BTreeSet<String>>;

fn expected() -> Reasons {
    let mut all = Reasons::new();
    for path in sources(&corpus("reasons")) {
        let class = path.file_stem().unwrap().to_str().unwrap().to_owned();
        for (line, text) in (1..).zip(fs::read_to_string(&path).unwrap().lines()) {
            let code = text.split_once("; // ").or_else(|| text.split_once("{ // "));
            let code = code.or_else(|| text.split_once("{} // "));
            if let Some((_, reasons)) = code {
                let reasons = reasons.split(' ').map(str::to_owned).collect();
                all.insert((class.clone(), line), reasons);
            }
        }
    }
    all
}

fn found(report: &Value) -> Reasons {
    let mut all = Reasons::new();
    for class in report["explain"]["classes"].as_array().unwrap() {
        let name = class["class"].as_str().unwrap().trim_start_matches("reasons.");
        let name = name.split('$').next().unwrap();
        for branch in class["branches"].as_array().unwrap() {
            let key = (name.to_owned(), branch["line"].as_u64().unwrap());
            all.entry(key).or_default().insert(branch["reason"].as_str().unwrap().to_owned());
        }
    }
    all
}

/// Every branch that is not taken has exactly the reason its line says, and no other line has one.
#[test]
fn each_branch_not_reached_has_its_own_reason() {
    let bed = Bed::with("reasons");
    let run = explain(&bed, &["--format", "json"]);
    let report = run.json();
    assert_eq!(found(&report), expected(), "{}", run.out);
    let explain = &report["explain"];
    let groups = explain["groups"].as_array().unwrap();
    let sum: u64 = groups.iter().map(|group| group["branches"].as_u64().unwrap()).sum();
    let totals = &report["totals"];
    let missed = totals["branches"].as_u64().unwrap() - totals["branches_covered"].as_u64().unwrap();
    assert_eq!((explain["branches"].as_u64().unwrap(), sum), (missed, missed));
    let top = |reason: &str| {
        let group = groups.iter().find(|group| group["reason"] == reason).unwrap();
        group["top"][0]["what"].as_str().unwrap().to_owned()
    };
    assert_eq!(top("no-argument"), "reasons.Hidden");
    assert_eq!(top("exception"), "java.lang.IllegalStateException from reasons.Throws.refuse");
    assert_eq!(top("comparison-call"), "java.lang.String.equals never true");
    let classes = explain["classes"].as_array().unwrap();
    let branches = classes.iter().flat_map(|class| class["branches"].as_array().unwrap());
    let details: Vec<&Value> = branches.filter(|branch| branch["reason"] == "comparison-number").collect();
    assert!(details[0]["detail"].as_str().unwrap().contains("with -1"), "operands: {details:?}");
    assert!(details.iter().any(|branch| branch["behind"] == "reasons.Compares.number:8"), "{details:?}");
}

/// The same in words, and nothing of it without being asked.
#[test]
fn reasons_are_told_on_request_only() {
    let bed = Bed::with("reasons");
    let text = explain(&bed, &[]).out;
    assert!(text.contains("Not reached by the tests:"), "{text}");
    assert!(text.contains("no value of a type it needs: reasons.Hidden"), "{text}");
    assert!(text.contains("number(int, String) line 8"), "{text}");
    let plain = ["classes", "--step-limit", "500", "--workers", "1", "--unverified", "--format", "json"];
    assert!(bed.generate(&plain).json().get("explain").is_none());
}
