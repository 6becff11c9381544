//! Contracts of the user, from their class files to a test that fails: the real binary and a real JVM on `tests/corpus/contracts`.
//!
//! Work is bounded by steps, so that a slow machine sees what a fast one sees.

#![allow(clippy::unwrap_used, reason = "a test ends where something is not as expected")]

mod shop;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::Value;
use shop::{Bed, Run, launcher, sources};

fn bank() -> Bed {
    Bed::with("contracts")
}

fn generate(bed: &Bed, output: &str, more: &[&str]) -> Run {
    let fixed = ["classes", "--seed", "1", "--step-limit", "40000", "--workers", "1", "--format", "json"];
    let output = ["--output", output];
    bed.generate(&fixed.iter().chain(&output).chain(more).copied().collect::<Vec<_>>())
}

/// Contracts broken, by the members that broke them.
fn broken(report: &Value) -> BTreeMap<String, BTreeSet<String>> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for failure in report["failures"].as_array().unwrap() {
        if failure["kind"] != "user-contract" {
            continue;
        }
        let contract = failure["contract"].as_str().unwrap().to_owned();
        assert_eq!(failure["rule"].as_str().unwrap(), format!("{contract} holds"));
        let member = |text: &Value| text.as_str().unwrap().split('(').next().unwrap().to_owned();
        let members = found.entry(contract).or_default();
        members.insert(member(&failure["member"]));
        members.extend(failure["also"].as_array().unwrap().iter().map(member));
    }
    found
}

fn names(of: &[&str]) -> BTreeSet<String> {
    of.iter().map(ToString::to_string).collect()
}

/// spec 001 row 13: annotated methods of any access, instance or static, that answer or throw; the annotation is in the class file only.
#[test]
fn annotated_methods_are_contracts_and_their_failing_tests_ask_them() {
    let bed = bank();
    let run = generate(&bed, "out", &["--unverified"]);
    run.expect(3, &[]);
    let report = run.json();
    let found = broken(&report);
    let contracts: BTreeSet<String> = found.keys().cloned().collect();
    assert_eq!(
        contracts,
        names(&["bank.Account.isSolvent", "bank.Gauge.isPositive", "bank.Purse.isSane", "bank.Queue.check"]),
        "{report}"
    );
    assert_eq!(found["bank.Account.isSolvent"], names(&["bank.Account.withdraw"]));
    assert_eq!(found["bank.Queue.check"], names(&["bank.Queue.leave"]));
    let text: String =
        sources(&bed.at("out-failing")).iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    for asked in [
        "Account.class.getDeclaredMethod(\"isSolvent\")",
        "assertTrue((boolean) contract.invoke(account), \"bank.Account.isSolvent\");",
        "assertTrue(Gauge.isPositive(gauge), \"bank.Gauge.isPositive\");",
        "queue.check();",
        "// Broken contract: bank.Queue.check throws nothing.",
        "withdraw_breaksIsSolvent()",
    ] {
        assert!(text.contains(asked), "{asked}\n{text}");
    }
    let off = generate(&bed, "off", &["--unverified", "--no-contracts"]);
    off.expect(0, &[]);
}

/// spec 001 row 13 and spec 004 row R17: a class of rules, for objects and for calls, with preconditions that forgive misuse.
#[test]
fn a_class_of_rules_judges_objects_and_calls() {
    let bed = bank();
    let run = generate(&bed, "out", &["--unverified", "--contracts", "rules.Rules"]);
    run.expect(3, &["`rules.Rules.isEven` is no contract: it takes a primitive value"]);
    let report = run.json();
    let found = broken(&report);
    for (contract, member) in [
        ("rules.Rules.readingIsLow", "bank.Meter.add"),
        ("rules.Rules.readingIsBelowEighty", "bank.Meter.add"),
        ("rules.Rules.after_add", "bank.Meter.add"),
        ("rules.Rules.after_Meter", "new bank.Meter"),
        ("rules.Rules.after_twice", "bank.Meter.twice"),
    ] {
        let by = found.get(contract).unwrap_or_else(|| panic!("{contract}: {report}"));
        assert!(by.iter().any(|by| by == member), "{contract}: {by:?}");
    }
    // Without the rules, the invariant of the purse and its assertion break; callers that keep the rules cannot break them.
    let of_purse = |report: &Value| {
        let all = report["failures"].as_array().unwrap();
        all.iter().filter(|failure| failure["member"].as_str().unwrap().contains("Purse")).count()
    };
    assert_eq!(of_purse(&report), 0, "{report}");
    let without = generate(&bed, "without", &["--unverified", "--exclude", "rules.*"]).json();
    assert!(of_purse(&without) > 0, "{without}");
    let classes = report["classes"].to_string();
    assert!(!classes.contains("rules.Rules"), "{classes}");
    let text: String =
        sources(&bed.at("out-failing")).iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    for asked in
        ["import rules.Rules;", "assertTrue(Rules.after_add(meter, ", "\"rules.Rules.after_twice\");"]
    {
        assert!(text.contains(asked), "{asked}\n{text}");
    }
}

/// A failing test that asks a contract compiles, and fails under the real launcher.
#[test]
fn tests_of_broken_contracts_are_verified() {
    let Some(launcher) = launcher() else { return };
    let bed = bank();
    let jar = launcher.display().to_string();
    let run = generate(
        &bed,
        "out",
        &["--junit-jar", &jar, "--contracts", "rules.Rules", "--time-limit", "10m", "--errors-only"],
    );
    run.expect(3, &[]);
    let report = run.json();
    assert_eq!(
        (&report["verified"], &report["dropped"]),
        (&true.into(), &Value::Array(Vec::new())),
        "{report}"
    );
    let written = report["failing_tests"].as_u64().unwrap();
    assert!(written >= 8, "{report}");
    let jars = [bed.at("classes"), launcher.clone()];
    bed.compile_with(&sources(&bed.at("out-failing")), "tests", &jars, None);
    let run = bed.run_junit(&launcher, &[bed.at("classes"), bed.at("tests")], &bed.at("tests"));
    assert!(run.out.contains(&format!("{written} tests failed")), "{}", run.out);
}

/// A file of options, and a known failure by its contract.
#[test]
fn contracts_come_from_a_file_too_and_can_be_accepted() {
    let bed = bank();
    fs::write(
        bed.at("probat.toml"),
        "[generate]\ncontracts = [\"rules.Rules\"]\nexclude = [\"bank.Queue\"]\n",
    )
    .unwrap();
    let first = generate(&bed, "out", &["--unverified", "--accept"]);
    first.expect(0, &["using `probat.toml`"]);
    let report = first.json();
    assert!(broken(&report).contains_key("rules.Rules.after_twice"), "{report}");
    assert!(!report.to_string().contains("bank.Queue"));
    let second = generate(&bed, "out", &["--unverified"]);
    second.expect(0, &[]);
    let known = second.json();
    let all = known["failures"].as_array().unwrap();
    assert!(all.iter().all(|failure| failure["known"] == true), "{known}");
    fs::write(bed.at("other.toml"), "[generate]\ncontract = [\"rules.Rules\"]\n").unwrap();
    let said = ["no key `contract` in `[generate]`", "did you mean `contracts`?"];
    generate(&bed, "out", &["--unverified", "--config", "other.toml"]).expect(2, &said);
    generate(&bed, "out", &["--unverified", "--config", "none.toml"]).expect(2, &["cannot read `none.toml`"]);
}

#[test]
fn mistakes_in_rules_are_explained() {
    let bed = bank();
    generate(&bed, "out", &["--unverified", "--contracts", "rules.Rule"])
        .expect(2, &["there is no class `rules.Rule`", "did you mean `rules.Rules`?"]);
    let odd = "package odd; public class Odd {
        public static boolean after_ad(bank.Meter meter, int amount, int result) { return true; }
        public static boolean after_add(bank.Meter meter, int result) { return true; } }";
    fs::create_dir_all(bed.at("more")).unwrap();
    fs::write(bed.at("more/Odd.java"), odd).unwrap();
    bed.compile_with(&[bed.at("more/Odd.java")], "classes", &[bed.at("classes")], Some("11"));
    generate(&bed, "out", &["--unverified", "--contracts", "odd.Odd"]).expect(
        2,
        &[
            "class `odd.Odd` has no contracts",
            "no class under test has a method `ad`; did you mean `add`?",
            "it would have to take (bank.Meter, int, int)",
        ],
    );
}
