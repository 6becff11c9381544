//! `probat bench baselines` and `probat bench generate --ablation`: the real binary and a real JVM on the shop, bounded by steps.

#![allow(clippy::unwrap_used, reason = "a test ends where something is not as expected")]

mod shop;

use serde_json::Value;
use shop::Bed;

/// Everything that does not depend on the clock.
fn timeless(mut report: Value) -> Value {
    for subject in report["subjects"].as_array_mut().unwrap() {
        for technique in subject["techniques"].as_array_mut().unwrap() {
            for run in technique["runs"].as_array_mut().unwrap() {
                run["best_after_seconds"] = Value::Null;
            }
        }
    }
    report
}

/// spec 001 row 48, spec 004 rows R21 and R22
#[test]
fn all_techniques_run_under_one_budget_and_totals_are_the_weighted_rows() {
    let bed = Bed::with_shop();
    let limit = 3000;
    let args = ["bench", "baselines", "classes", "--step-limit", "3000", "--format", "json"];
    let run = bed.probat(&args);
    run.expect(0, &["searching"]);
    let report = run.json();
    let techniques = report["subjects"][0]["techniques"].as_array().unwrap();
    let names: Vec<&str> = techniques.iter().map(|one| one["technique"].as_str().unwrap()).collect();
    for wanted in [
        "top-down",
        "bottom-up",
        "bottom-up-legal",
        "random-walk",
        "drt-unpruned",
        "drt",
        "undirected",
        "feedback",
        "adaptive",
        "recgen",
        "no-relevance",
        "no-receiver-reuse",
        "no-batch",
        "best",
    ] {
        assert!(names.contains(&wanted), "{wanted}: {names:?}");
    }
    let number = |value: &Value| value.as_u64().unwrap_or_else(|| panic!("{value}"));
    for one in techniques {
        let (name, run) = (&one["technique"], &one["runs"][0]);
        // The last sequence may go over it.
        let steps = number(&run["steps"]);
        assert!(steps >= limit && steps < limit + 600, "{name}: {steps}");
        let packages = run["packages"].as_array().unwrap();
        let sum = |key: &str| packages.iter().map(|package| number(&package[key])).sum::<u64>();
        assert_eq!(sum("branches"), number(&run["branches"]), "{name}");
        assert_eq!(sum("branches_reached"), number(&run["branches_reached"]), "{name}");
        assert_eq!(number(&run["branches"]), number(&report["subjects"][0]["branches"]), "{name}");
        assert!(number(&run["legal"]) > 0 && number(&run["branches_reached"]) > 0, "{name}: {run:#}");
        let first: Vec<u64> =
            run["first"].as_array().unwrap().iter().map(|row| number(&row["branches_reached"])).collect();
        assert!(!first.is_empty() && first.is_sorted(), "{name}: {first:?}");
    }
    assert_eq!(timeless(bed.probat(&args).json()), timeless(report));
}

#[test]
fn the_tables_are_those_of_the_theses_with_their_figures_beside() {
    let bed = Bed::with_shop();
    let args = [
        "bench",
        "baselines",
        "classes",
        "--step-limit",
        "500",
        "--only",
        "random-walk,drt,recgen",
        "--seeds",
        "2",
    ];
    let said = bed.probat(&args);
    said.expect(
        0,
        &[
            "001 §3.2",
            "001 §3.3",
            "001 §3.4",
            "004 §6.1",
            "2 seeds",
            "first 10",
            "total",
            "JScience",
            "22,474",
        ],
    );
    for row in ["random-walk", "drt", "shop "] {
        assert!(said.out.lines().any(|line| line.trim_start().starts_with(row)), "{row}\n{}", said.out);
    }
    bed.probat(&["bench", "baselines", "--only", "evolution"]).expect(2, &["evolution", "recgen"]);
    bed.probat(&["bench", "baselines", "nowhere.jar"]).expect(2, &["nowhere.jar"]);
}

#[test]
fn an_ablation_says_what_each_ingredient_brings() {
    let bed = Bed::with_shop();
    let args = ["bench", "generate", "--ablation", "classes", "--step-limit", "2000", "--seeds", "2"];
    let report = bed.probat(&[&args[..], &["--format", "json"]].concat());
    report.expect(0, &[]);
    let report = report.json();
    assert_eq!(report["coverage"], "search");
    let base = report["base"][0]["mean"].as_f64().unwrap();
    assert!(base > 10.0, "{report:#}");
    let ingredients = report["ingredients"].as_array().unwrap();
    let find = |name: &str| {
        ingredients.iter().find(|one| one["options"][1] == name).unwrap_or_else(|| panic!("{name}"))
    };
    for one in ingredients {
        let points = one["brings"][0].as_f64().unwrap();
        let mean = one["coverage"][0]["mean"].as_f64().unwrap();
        let expected = if one["options"][0] == "--with" { mean - base } else { base - mean };
        assert!((points - expected).abs() < 1e-9, "{one:#}");
    }
    // Without it the shop has no stand-ins and few objects.
    assert!(find("demand")["brings"][0].as_f64().unwrap() > 0.0, "{report:#}");
    assert_eq!(find("numbers")["options"][0], "--with");
    let absent: Vec<&str> =
        report["absent"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
    assert!(absent.contains(&"--without batch"), "{absent:?}");

    let said = bed.probat(&args);
    said.expect(
        0,
        &["all there is", "least to most", "over all subjects", "--without demand", "reached by the search"],
    );
    bed.probat(&["bench", "generate", "--measured", "classes"]).expect(2, &["--ablation"]);
}
