//! `probat reduce` on suites whose redundancy is known (spec 000 §2.2, rows 6–24).

#![allow(clippy::unwrap_used, reason = "a test ends where something is not as expected")]

mod shop;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use shop::{Bed, Run, corpus, junit4, launcher};

/// A bed with the classes under test compiled; `None` where no launcher is there to run tests with.
fn bed() -> Option<(Bed, PathBuf)> {
    let jar = launcher()?;
    Some((Bed::with("reduce"), jar))
}

/// Compiles suites into a folder of their own.
fn suite(bed: &Bed, jar: &Path, names: &[&str], into: &str) {
    let files: Vec<PathBuf> =
        names.iter().map(|name| corpus("reduce-suites").join(format!("{name}.java"))).collect();
    bed.compile_with(&files, into, &[bed.at("classes"), jar.to_owned()], None);
}

fn reduce(bed: &Bed, jar: &Path, tests: &str, more: &[&str]) -> Run {
    let jar = jar.display().to_string();
    let mut args = vec!["reduce", "--classpath", "classes", "--tests", tests, "--junit-jar", &jar];
    args.extend(["--format", "json"]);
    args.extend(more);
    bed.probat(&args)
}

/// Methods of unique ids.
fn methods(ids: &Value) -> Vec<String> {
    let ids = ids.as_array().unwrap().iter().map(|id| id.as_str().unwrap());
    ids.map(|id| id.rsplit("/[method:").next().unwrap().trim_end_matches("()]").to_owned()).collect()
}

/// Spec 000 rows 6, 7, 8, 9, 10, 18, 24: the bytecode is enough, and order does not matter.
#[test]
fn the_running_example_keeps_what_the_thesis_says() {
    let Some((bed, jar)) = bed() else { return };
    suite(&bed, &jar, &["RunningExample"], "tests");
    for (by, kept) in [
        ("whole-seq", vec!["t1", "t2", "t3"]),
        ("modifying-seq", vec!["t1", "t2"]),
        ("whole-state", vec!["t1", "t2"]),
        ("monitor-equals", vec!["t1"]),
        ("pairwise-equals", vec!["t1"]),
    ] {
        let run = reduce(&bed, &jar, "tests", &["--by", by]);
        run.expect(0, &[]);
        assert_eq!(methods(&run.json()["kept"]), kept, "{by}");
    }
    // The same without the shortcut `this == other`.
    suite(&bed, &jar, &["OpenExample"], "open");
    for by in ["monitor-equals", "pairwise-equals"] {
        let run = reduce(&bed, &jar, "open", &["--by", by]);
        assert_eq!(methods(&run.json()["kept"]), ["t1"], "{by}");
    }
    suite(&bed, &jar, &["Reversed"], "reversed");
    let run = reduce(&bed, &jar, "reversed", &["--by", "modifying-seq"]);
    assert_eq!(methods(&run.json()["kept"]), ["t2", "z1"]);
    let json = run.json();
    assert_eq!(
        (&json["before"]["edges"], &json["changed_by_recording"]),
        (&json["after"]["edges"], &Value::Array(vec![]))
    );
    let assessed = json["techniques"].as_array().unwrap();
    assert_eq!(assessed.len(), 5);
    for one in assessed {
        assert_eq!(one["tests"], 3);
        assert!(
            one["states"].as_u64() > Some(0) && one["executions"].as_u64() >= one["states"].as_u64(),
            "{one}"
        );
    }
}

/// Spec 000 rows 7, 13, 14, 15: what changes a state without a call on the object.
#[test]
fn changed_arguments_fields_statics_and_native_writes_make_states_differ() {
    let Some((bed, jar)) = bed() else { return };
    suite(&bed, &jar, &["Changes"], "tests");
    for by in ["whole-seq", "modifying-seq", "whole-state"] {
        let run = reduce(&bed, &jar, "tests", &["--by", by]);
        run.expect(0, &[]);
        let kept = methods(&run.json()["kept"]);
        for test in ["argument2", "field2", "native2", "static1", "static2"] {
            assert!(kept.iter().any(|kept| kept == test), "{by}: {test} is not in {kept:?}");
        }
    }
}

/// Spec 000 row 10: objects that differ in the order of their parts are one where `equals` says so.
#[test]
fn permuted_sets_are_one_by_equals_only() {
    let Some((bed, jar)) = bed() else { return };
    suite(&bed, &jar, &["Bags"], "tests");
    for (by, kept) in [("whole-state", ["p1", "p3"]), ("pairwise-equals", ["p1", "p2"])] {
        let run = reduce(&bed, &jar, "tests", &["--by", by]);
        run.expect(0, &[]);
        assert_eq!(methods(&run.json()["kept"]), kept, "{by}");
    }
}

/// Spec 000 row 22: a constructor whose `super(…)` throws reports no end; its exception counts, and the calls after it are recorded.
#[test]
fn a_constructor_that_fails_in_its_superclass_counts_and_calls_after_it_are_seen() {
    let Some((bed, jar)) = bed() else { return };
    suite(&bed, &jar, &["Lostcount"], "tests");
    let run = reduce(&bed, &jar, "tests", &["--techniques", "whole-state"]);
    run.expect(0, &[]);
    let json = run.json();
    let mut kept = methods(&json["kept"]);
    kept.sort();
    assert_eq!(kept, ["deep2", "foreign2", "own2"]);
    assert_eq!((&json["before"]["exceptions"], &json["after"]["exceptions"]), (&3.into(), &3.into()));
}

/// A test that cannot be looked at to its end is kept, and named.
#[test]
fn a_test_beyond_its_allowance_is_never_redundant() {
    let Some((bed, jar)) = bed() else { return };
    suite(&bed, &jar, &["RunningExample"], "tests");
    let run = reduce(&bed, &jar, "tests", &["--token-limit-per-test", "10", "--by", "pairwise-equals"]);
    run.expect(0, &[]);
    let json = run.json();
    assert_eq!(methods(&json["kept"]), ["t1", "t2", "t3"]);
    assert_eq!(methods(&json["cut_off"]), ["t1", "t2", "t3"]);
}

/// A class initialiser runs for whichever test comes first, so that test adds nothing by it; what it covers is covered by any other.
#[test]
fn coming_first_is_nothing_that_a_test_adds() {
    let Some((bed, jar)) = bed() else { return };
    suite(&bed, &jar, &["First"], "tests");
    for by in ["whole-seq", "whole-state"] {
        let run = reduce(&bed, &jar, "tests", &["--by", by]);
        run.expect(0, &[]);
        let json = run.json();
        assert_eq!(methods(&json["redundant"]), ["a_first"], "{by}");
        assert_eq!(json["before"]["edges"], json["after"]["edges"], "{by}");
        // Two constructions, two questions.
        assert_eq!(json["techniques"][0]["executions"], 4, "{by}");
    }
    let json = reduce(&bed, &jar, "tests", &[]).json();
    let pair = [&json["equals"][0]["left"], &json["equals"][0]["right"]].map(|side| side.as_str().unwrap());
    assert!(
        pair.iter().any(|side| side.contains("101")) && pair.iter().any(|side| side.contains("102")),
        "{pair:?}"
    );
}

/// Edges hit before an initialiser cuts in are the test's, whatever it is assessed by: two constructors, two methods, a branch.
#[test]
fn an_initialiser_in_the_middle_of_a_call_loses_no_edges() {
    let Some((bed, jar)) = bed() else { return };
    suite(&bed, &jar, &["CutIn"], "tests");
    for technique in ["whole-state", "monitor-equals", "pairwise-equals"] {
        let run = reduce(&bed, &jar, "tests", &["--techniques", technique]);
        run.expect(0, &[]);
        assert_eq!(run.json()["before"]["edges"], 5, "{technique}");
    }
}

/// Calls on other threads are not recorded, so nobody knows that such a test adds nothing.
#[test]
fn a_test_with_calls_on_other_threads_is_never_redundant() {
    let Some((bed, jar)) = bed() else { return };
    suite(&bed, &jar, &["Apart"], "tests");
    for by in ["whole-seq", "whole-state", "pairwise-equals"] {
        let run = reduce(&bed, &jar, "tests", &["--by", by]);
        run.expect(0, &[]);
        let json = run.json();
        assert_eq!(methods(&json["used_threads"]), ["b_apart"], "{by}");
        let kept = methods(&json["kept"]);
        assert!(kept.len() == 2 && kept.contains(&"b_apart".to_owned()), "{by}: {kept:?}");
    }
}

/// JUnit 3 and 4, found by the Vintage engine.
#[test]
fn old_suites_are_assessed() {
    let (Some((bed, jar)), Some(old)) = (bed(), junit4()) else { return };
    let class_path = [&[bed.at("classes")], &old[..]].concat();
    let files = ["Old", "Older"].map(|name| corpus("reduce-suites").join(format!("{name}.java")));
    bed.compile_with(&files, "tests", &class_path, None);
    let jar = jar.display().to_string();
    let class_path = std::env::join_paths(&class_path).unwrap().into_string().unwrap();
    let run = bed.probat(&[
        "reduce",
        "--classpath",
        &class_path,
        "--tests",
        "tests",
        "--junit-jar",
        &jar,
        "--format",
        "json",
        "--output",
        "out",
    ]);
    run.expect(3, &[]);
    let json = run.json();
    assert_eq!(json["tests"], 7, "{json}");
    let redundant = json["redundant"].as_array().unwrap();
    assert_eq!(redundant.len(), 2, "{redundant:?}");
    for part in ["b_again", "pushesTwice%5B1%5D"] {
        assert!(redundant.iter().any(|id| id.as_str().unwrap().contains(part)), "{part}: {redundant:?}");
    }
    let problems: Vec<(&str, bool)> = json["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["kind"].as_str().unwrap(), one["id"].as_str().unwrap().contains("Old")))
        .collect();
    assert_eq!(problems, [("failed", true), ("skipped", true)], "{json}");
    let includes = fs::read_to_string(bed.at("out/includes.txt")).unwrap();
    assert!(includes.contains("suites/Older.java#testEmpty"), "{includes}");
}

/// Spec 000 rows 5, 12, 16, 17 and the bad kinds of suites that are good.
#[test]
fn equal_tests_are_found_whatever_their_words() {
    let Some((bed, jar)) = bed() else { return };
    suite(&bed, &jar, &["Same"], "tests");
    let run = reduce(&bed, &jar, "tests", &["--by", "whole-seq"]);
    run.expect(0, &[]);
    let json = run.json();
    assert_eq!(json["tests"], 8);
    let redundant = json["redundant"].as_array().unwrap();
    let is_redundant = |part: &str| redundant.iter().any(|id| id.as_str().unwrap().contains(part));
    assert!(
        is_redundant("b_loop") && is_redundant("f_nested") && is_redundant("invocation:#2"),
        "{redundant:?}"
    );
    assert_eq!(redundant.len(), 3, "{redundant:?}");
    assert_eq!(json["equals"][0]["rule"], "symmetric");
    assert_eq!(json["equals"][0]["class"], "reduce.Others$Odd");
    // `pushTwice` is recorded, the pushes inside are not.
    let whole_state = &json["techniques"].as_array().unwrap()[2];
    assert_eq!(whole_state["technique"], "whole-state");
    assert_eq!(whole_state["executions"], 11);
}

/// Spec 000 rows 19, 21, 23.
#[test]
fn new_tests_are_selected_and_all_are_ordered() {
    let Some((bed, jar)) = bed() else { return };
    suite(&bed, &jar, &["RunningExample"], "existing");
    suite(&bed, &jar, &["Reversed"], "new");
    let run = reduce(&bed, &jar, "new", &["--existing", "existing", "--output", "out"]);
    run.expect(0, &[]);
    let json = run.json();
    assert_eq!(methods(&json["kept"]), Vec::<String>::new());
    // What the existing tests reach is reached without the new ones.
    assert_eq!((&json["existing"], &json["after"]["tests"]), (&Value::from(3), &Value::from(3)));
    assert_eq!(json["before"]["edges"], json["after"]["edges"], "{json}");
    assert_eq!(json["order"].as_array().unwrap().len(), 3);
    assert_eq!(json["order"][0]["new"], 6, "{json}");
    let order = fs::read_to_string(bed.at("out/order-ids.txt")).unwrap();
    assert!(order.lines().next().unwrap().ends_with("[method:z1()]"), "{order}");
    let run = reduce(&bed, &jar, "new", &["--output", "alone"]);
    run.expect(0, &[]);
    let includes = fs::read_to_string(bed.at("alone/includes.txt")).unwrap();
    assert_eq!(includes, "suites/Reversed.java#t2+z1\n");
}

/// Spec 000 row 23: copies without the redundant tests compile, and every test left in them passes. The user's files stay as they are.
#[test]
fn copies_of_sources_lack_the_redundant_tests() {
    let Some((bed, jar)) = bed() else { return };
    let from = bed.at("src/suites");
    fs::create_dir_all(&from).unwrap();
    let names = ["RunningExample", "Same", "Bags"];
    let files: Vec<PathBuf> = names.iter().map(|name| from.join(format!("{name}.java"))).collect();
    for (name, file) in names.iter().zip(&files) {
        fs::copy(corpus("reduce-suites").join(format!("{name}.java")), file).unwrap();
    }
    let before = shop::files(&bed.at("src"));
    bed.compile_with(&files, "tests", &[bed.at("classes"), jar.clone()], None);
    let run = reduce(&bed, &jar, "tests", &["--source", "src", "--output", "out"]);
    run.expect(0, &[]);
    let source = &run.json()["source"];
    assert_eq!((&source["compiles"], &source["files"]), (&Value::Bool(true), &Value::from(3)), "{source}");
    let removed: Vec<&str> =
        source["removed"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
    assert!(removed.contains(&"suites.RunningExample.t3") && removed.contains(&"suites.Bags.p2"), "{source}");
    // One of its runs adds something.
    assert!(source["left"].to_string().contains("Same.c_parameters"), "{source}");
    assert_eq!(shop::files(&bed.at("src")), before);
    let copies: Vec<PathBuf> =
        names.iter().map(|name| bed.at(&format!("out/source/suites/{name}.java"))).collect();
    bed.compile_with(&copies, "thin", &[bed.at("classes"), jar.clone()], None);
    let ran = bed.run_junit(&jar, &[bed.at("classes"), bed.at("thin")], &bed.at("thin"));
    let all = 3 + 8 + 3;
    ran.expect(0, &[&format!("{} tests successful", all - removed.len())]);
}

#[test]
fn troubles_are_told_by_name_and_the_rest_is_assessed() {
    let Some((bed, jar)) = bed() else { return };
    suite(&bed, &jar, &["Troubles", "Lost", "RunningExample"], "tests");
    fs::remove_file(bed.at("tests/Lost.class")).unwrap();
    let run = reduce(&bed, &jar, "tests", &["--time-limit-per-test", "2s", "--techniques", "whole-state"]);
    run.expect(3, &[]);
    let json = run.json();
    let problems = json["problems"].as_array().unwrap();
    let kind = |method: &str| {
        let found = problems.iter().find(|problem| problem["id"].as_str().unwrap().contains(method));
        found.unwrap_or_else(|| panic!("{method} is not in {problems:?}"))["kind"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    for (method, wanted) in [
        ("fails()", "failed"),
        ("exits()", "failed"),
        ("hangs()", "hung"),
        ("skipped()", "skipped"),
        ("lacksAClass()", "failed"),
        ("Unloadable", "unloadable"),
    ] {
        assert_eq!(kind(method), wanted, "{method}");
    }
    assert_eq!(json["tests"], 4, "{json}");
}

#[test]
fn bad_input_is_named_with_the_way_out() {
    let Some((bed, jar)) = bed() else { return };
    suite(&bed, &jar, &["RunningExample"], "tests");
    fs::create_dir(bed.at("empty")).unwrap();
    reduce(&bed, &jar, "none", &[]).expect(2, &["there is no `none`", "target/test-classes"]);
    reduce(&bed, &jar, "empty", &[]).expect(4, &["there are no tests in `empty`"]);
    fs::create_dir(bed.at("sources")).unwrap();
    fs::copy(corpus("reduce-suites").join("Same.java"), bed.at("sources/Same.java")).unwrap();
    reduce(&bed, &jar, "sources", &[])
        .expect(4, &["no compiled tests in `sources`", "Same.java", "compile them"]);
    suite(&bed, &jar, &["stub/Test", "Foreign"], "foreign");
    reduce(&bed, &jar, "foreign", &[])
        .expect(4, &["the tests in `foreign` are for TestNG", "`suites.Foreign`", "JUnit 3, 4 and 5"]);
    reduce(&bed, &jar, "tests", &["--classes", "com.acme.*"])
        .expect(4, &["no class under test matches `com.acme.*`"]);
    reduce(&bed, &jar, "tests", &["--by", "magic"]).expect(2, &["whole-state"]);
}
