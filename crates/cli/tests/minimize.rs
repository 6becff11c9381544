//! `probat minimize`: the real binary, a real compiler and JVM, on tests written by hand and by `probat generate`.

#![allow(clippy::unwrap_used, reason = "a test ends where something is not as expected")]

mod shop;

use std::fs;

use serde_json::Value;
use shop::{Bed, junit4, launcher};

/// A till that loses count after a refund.
const TILL: &str = "package till;
public class Till {
    private int sum; private boolean refunded; private String note;
    public Till(String name) { }
    public Till() { }
    public static Till of(String name, int start) { Till till = new Till(name); till.sum = start; return till; }
    public void ring(int price) { sum += price; }
    public void refund(int price) { refunded = true; }
    public int sum() { return refunded ? sum + 1 : sum; }
    public int noteLength() { return note.length(); }
    public void note(String text) { note = text; }
}";

/// Tests of the till in plain Java; `%` is where annotations go.
const TESTS: &str = "    % public void countsRefunds() {
        Till other = new Till(\"other\");
        other.ring(5);
        String name = \"main\" + \"till\";
        int start = name.length() - 8;
        Till till = Till.of(name, start);
        till.ring(3);
        other.refund(1);
        till.refund(3);
        till.ring(4);
        int unused = till.sum();
        // Nothing is left of it.
        assertEquals(7, till.sum());
        other.ring(1);
    }

    % public void hasNote() {
        Till till = new Till(\"x\");
        till.ring(1);
        till.ring(2);
        till.noteLength();
    }

    % public void passes() {
        Till till = new Till();
        assertEquals(0, till.sum());
    }

    % public void loops() {
        Till till = new Till();
        for (int i = 0; i < 3; i++) { till.ring(i); }
        assertEquals(4, till.sum());
    }
";

fn test_of<'r>(report: &'r Value, name: &str) -> &'r Value {
    let tests = report["tests"].as_array().unwrap();
    tests.iter().find(|test| test["test"] == name).unwrap_or_else(|| panic!("{report:#}"))
}

fn bed(source: &str) -> Bed {
    let bed = Bed::empty();
    bed.compile_text("till/Till.java", TILL, "classes");
    fs::write(bed.at("TillTest.java"), source).unwrap();
    bed
}

fn plain() -> String {
    let equals = "private static void assertEquals(int a, int b) { if (a != b) throw new AssertionError(a + \" is not \" + b); }";
    format!("package till;\n\npublic class TillTest {{\n    {equals}\n\n{}}}\n", TESTS.replace('%', ""))
}

/// spec 001 rows 40 and 41, on source: same failure, fewer statements, and the user's file is as it was.
#[test]
fn failing_tests_become_short_and_fail_in_the_same_way() {
    let source = plain();
    let bed = bed(&source);
    let args =
        ["minimize", "--classpath", "classes", "TillTest.java", "--output", "short", "--format", "json"];
    let run = bed.probat(&args);
    run.expect(0, &[]);
    let report = run.json();
    let refunds = test_of(&report, "countsRefunds");
    assert_eq!(
        (&refunds["state"], &refunds["statements_before"]),
        (&"shorter".into(), &12.into()),
        "{report:#}"
    );
    assert!(refunds["statements_after"].as_u64().unwrap() <= 5, "{report:#}");
    assert_eq!(
        (&refunds["exception"], &refunds["raised_by"]),
        (&"java.lang.AssertionError".into(), &Value::Null)
    );
    let note = test_of(&report, "hasNote");
    assert_eq!((&note["statements_after"], &note["raised_by"]), (&2.into(), &"till.Till.noteLength".into()));
    assert_eq!(test_of(&report, "passes")["state"], "passes");
    let loops = test_of(&report, "loops");
    assert_eq!((&loops["state"], &loops["reason"]), (&"left-alone".into(), &"it has `for`".into()));
    assert_eq!(fs::read_to_string(bed.at("TillTest.java")).unwrap(), source, "never in place");

    let short = fs::read_to_string(bed.at("short/till/TillTest.java")).unwrap();
    assert!(short.contains("till.refund(0);") && !short.contains("other.ring"), "{short}");
    assert!(short.contains("for (int i = 0"), "{short}");
    // What was written compiles, and is minimal: nothing more can go.
    bed.compile_with(&[bed.at("short/till/TillTest.java")], "short-classes", &[bed.at("classes")], None);
    let again =
        bed.probat(&["minimize", "--classpath", "classes", "short/till/TillTest.java", "--format", "json"]);
    again.expect(0, &[]);
    let again = again.json();
    assert_eq!(again["output"], Value::Null, "{again:#}");
    assert_eq!(test_of(&again, "countsRefunds")["state"], "minimal");
}

#[test]
fn one_test_can_be_named_and_the_file_is_never_replaced() {
    let bed = bed(&plain());
    let run = bed.probat(&["minimize", "--classpath", "classes", "TillTest.java", "--test", "hasNote"]);
    run.expect(0, &["hasNote: 4 → 2 statements (java.lang.NullPointerException from till.Till.noteLength)"]);
    assert!(!run.out.contains("countsRefunds"), "{}", run.out);
    let wrong = bed.probat(&["minimize", "--classpath", "classes", "TillTest.java", "--test", "hasNotes"]);
    wrong.expect(2, &["no test `hasNotes`", "countsRefunds"]);
    let none = bed.probat(&["minimize", "--classpath", "classes", "TillTest.java", "--test", "passes"]);
    none.expect(4, &["passes: passes", "nothing is written"]);
    fs::create_dir_all(bed.at("in/till")).unwrap();
    fs::copy(bed.at("TillTest.java"), bed.at("in/till/TillTest.java")).unwrap();
    let place = ["minimize", "--classpath", "classes", "in/till/TillTest.java", "--output", "in"];
    bed.probat(&place).expect(2, &["is never changed", "--output"]);
    fs::write(bed.at("Odd.java"), "interface Odd { }").unwrap();
    bed.probat(&["minimize", "Odd.java"]).expect(2, &["cannot be minimised", "no class"]);
    bed.probat(&["minimize", "Absent.java"]).expect(2, &["cannot read `Absent.java`"]);
}

#[test]
fn junit_tests_and_those_of_generate_are_taken() {
    let Some(jar) = launcher() else { return };
    let jar = jar.to_str().unwrap();
    let source = format!(
        "package till;\n\nimport static org.junit.jupiter.api.Assertions.assertEquals;\n\n\
         import org.junit.jupiter.api.Test;\n\npublic class TillTest {{\n{}}}\n",
        TESTS.replace('%', "@Test")
    );
    let by_hand = bed(&source);
    let args =
        ["minimize", "--classpath", "classes", "TillTest.java", "--junit-jar", jar, "--format", "json"];
    let report = by_hand.probat(&args);
    report.expect(0, &[]);
    let report = report.json();
    assert_eq!(test_of(&report, "countsRefunds")["exception"], "org.opentest4j.AssertionFailedError");
    assert!(test_of(&report, "countsRefunds")["statements_after"].as_u64().unwrap() <= 5, "{report:#}");

    let bed = Bed::empty();
    bed.compile_text("till/Till.java", TILL, "classes");
    let generate = ["classes", "--seed", "1", "--step-limit", "3000", "--workers", "1", "--output", "out"];
    bed.generate(&[&generate[..], &["--junit-jar", jar]].concat()).expect(3, &[]);
    let written = "out-failing/till/TillFailingProbatTest.java";
    let args = ["minimize", "--classpath", "classes", written, "--junit-jar", jar, "--format", "json"];
    let report = bed.probat(&args);
    report.expect(0, &[]);
    let report = report.json();
    for test in report["tests"].as_array().unwrap() {
        assert!(["minimal", "shorter"].contains(&test["state"].as_str().unwrap()), "{report:#}");
    }
}

/// JUnit 4 from end to end: found, shortened, compiled, and failing in the same way under the real launcher.
#[test]
fn junit_4_tests_become_short_and_still_fail() {
    let (Some(launcher), Some(junit)) = (launcher(), junit4()) else { return };
    let source = format!(
        "package till;\n\nimport static org.junit.Assert.assertEquals;\n\nimport org.junit.Test;\n\n\
         public class TillTest {{\n{}}}\n",
        TESTS.replace('%', "@Test")
    );
    let bed = bed(&source);
    let given = std::env::join_paths([&[bed.at("classes")][..], &junit].concat()).unwrap();
    let args = ["minimize", "TillTest.java", "--output", "short", "--format", "json", "--classpath"];
    let run = bed.probat(&[&args[..], &[given.to_str().unwrap()]].concat());
    run.expect(0, &[]);
    let report = run.json();
    let refunds = test_of(&report, "countsRefunds");
    assert_eq!(
        (&refunds["state"], &refunds["exception"]),
        (&"shorter".into(), &"java.lang.AssertionError".into())
    );
    assert!(refunds["statements_after"].as_u64().unwrap() <= 5, "{report:#}");
    let class_path = [&[bed.at("classes")][..], &junit].concat();
    let short = bed.at("short/till/TillTest.java");
    bed.compile_with(std::slice::from_ref(&short), "short-classes", &class_path, None);
    let ran = bed.run_junit(
        &launcher,
        &[&class_path[..], &[bed.at("short-classes")]].concat(),
        &bed.at("short-classes"),
    );
    assert_eq!(ran.code, 1, "{}", ran.out);
    for said in ["countsRefunds", "expected:<7> but was:<8>", "hasNote", "NullPointerException"] {
        assert!(ran.out.contains(said), "{said}: {}\n{}", ran.out, fs::read_to_string(&short).unwrap());
    }
}

/// What is written inside a call is replaced too.
#[test]
fn arguments_inside_calls_become_simple() {
    let tests = "    public void notes() {
        Till till = Till.of(new StringBuilder(\"name\").append(3).toString(), Math.max(4, 5));
        till.ring(Integer.parseInt(\"12\"));
        till.noteLength();
    }
";
    let bed = bed(&format!("package till;\n\npublic class TillTest {{\n{tests}}}\n"));
    let run = bed.probat(&["minimize", "--classpath", "classes", "TillTest.java", "--output", "short"]);
    run.expect(0, &["notes: 3 → 2 statements (java.lang.NullPointerException from till.Till.noteLength)"]);
    let kept = "    public void sums() {
        Till till = Till.of(new StringBuilder(\"name\").append(3).toString(), Math.max(4, 5));
        if2(till.sum());
    }
    private static void if2(int sum) { if (sum >= 0) throw new IllegalStateException(\"sum\"); }
";
    fs::write(bed.at("TillTest.java"), format!("package till;\n\npublic class TillTest {{\n{kept}}}\n"))
        .unwrap();
    bed.probat(&["minimize", "--classpath", "classes", "TillTest.java", "--output", "short"]).expect(0, &[]);
    let short = fs::read_to_string(bed.at("short/till/TillTest.java")).unwrap();
    assert!(short.contains("if2(0);") && !short.contains("StringBuilder"), "{short}");
}
