//! `probat bench minimize`: the real binary and a real JVM on a class that breaks after many calls, bounded by steps.

#![allow(clippy::unwrap_used, reason = "a test ends where something is not as expected")]

mod shop;

use serde_json::Value;
use shop::Bed;

/// A counter that breaks a rule from the tenth change on; most of what a walk does until then has nothing to do with that.
const COUNTER: &str = "package counter;
public class Counter {
    private static int changes;
    public void up() { changes++; }
    public int look() { return changes; }
    @Override public boolean equals(Object other) { return changes < 10 && other instanceof Counter; }
    @Override public int hashCode() { return 1; }
}";

/// spec 001 row 43
#[test]
fn failures_of_many_calls_get_shorter_each_way() {
    let bed = Bed::empty();
    bed.compile_text("counter/Counter.java", COUNTER, "classes");
    let run = bed.probat(&["bench", "minimize", "classes", "--step-limit", "300000", "--format", "json"]);
    run.expect(0, &["walking"]);
    let report = run.json();
    let subject = &report["subjects"][0];
    let calls = |key: &str| subject[key].as_f64().unwrap_or_else(|| panic!("{report:#}"));
    let failures = subject["failures"].as_array().unwrap();
    assert_eq!(failures.len() as u64, subject["measured"].as_u64().unwrap());
    assert!(!failures.is_empty() && calls("found") >= 30.0, "{report:#}");
    // It takes an object and ten changes, however it is shortened.
    for way in ["removed", "replaced", "ddmin"] {
        assert!(calls(way) >= 11.0 && calls(way) < calls("found"), "{way}: {report:#}");
    }
    let ways: Vec<&Value> = subject["efforts"].as_array().unwrap().iter().map(|one| &one["way"]).collect();
    assert_eq!(ways, ["removal", "replacement", "ddmin"]);
}
