//! What `probat generate` writes, compiled and run as a person would: the real binary, a real JVM, the real JUnit launcher.
//!
//! Where the launcher is not there, what is written is still looked at; it is compiled and run only with it.

#![allow(clippy::unwrap_used, reason = "a test ends where something is not as expected")]

mod shop;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use shop::{Bed, Run, launcher, sources};

/// `probat generate` on the classes of the bed, the same on every machine.
fn generate(bed: &Bed, output: &str, steps: &str, more: &[&str]) -> Run {
    let jar = launcher().map(|jar| jar.display().to_string());
    let mut args = vec!["classes", "--seed", "1", "--workers", "1", "--step-limit", steps];
    args.extend(["--format", "json", "--output", output]);
    match &jar {
        Some(jar) => args.extend(["--junit-jar", jar]),
        None => args.push("--unverified"),
    }
    args.extend(more);
    bed.generate(&args)
}

fn text_of(bed: &Bed, folder: &str) -> String {
    sources(&bed.at(folder)).iter().map(|path| fs::read_to_string(path).unwrap()).collect()
}

/// Compiles what was written and runs it under the launcher; nothing without one.
fn run_written(bed: &Bed, folder: &str, options: &[&str]) -> Option<Run> {
    let jar = launcher()?;
    let into = format!("{folder}-classes");
    let path: Vec<PathBuf> = vec![bed.at("classes"), jar.clone()];
    bed.compile_with(&sources(&bed.at(folder)), &into, &path, None);
    Some(bed.run_junit_with(options, &jar, &[bed.at("classes"), bed.at(&into)], &bed.at(&into)))
}

/// A lock that remembers failed tries.
const LOCK: &str = "package lock;
public class Lock {
    private int failed;
    public void open(int code) { if (code != 4711) { failed++; throw new IllegalArgumentException(\"wrong code\"); } failed = 0; }
    public boolean isBlocked() { if (failed >= 2) { return true; } return false; }
}";

/// spec 001 row 38
#[test]
fn tests_go_on_past_exceptions() {
    let bed = Bed::empty();
    bed.compile_text("lock/Lock.java", LOCK, "classes");
    let plain = generate(&bed, "plain", "4000", &[]);
    plain.expect(0, &[]);
    assert!(!text_of(&bed, "plain").contains("isBlocked_returnsTrue"), "it takes a call that threw");
    let past = generate(&bed, "past", "4000", &["--past-exceptions"]);
    past.expect(0, &[]);
    let text = text_of(&bed, "past");
    let test = text.split("@Test").find(|test| test.contains("assertTrue(lock.isBlocked())"));
    let test = test.unwrap_or_else(|| panic!("{text}"));
    assert_eq!(test.matches("} catch (IllegalArgumentException expected").count(), 2, "{test}");
    assert!(test.find("} catch").unwrap() < test.find("isBlocked()").unwrap(), "{test}");
    assert_eq!(test.matches("fail(").count(), 2, "{test}");
    if let Some(run) = run_written(&bed, "past", &[]) {
        assert_eq!(past.json()["verified"], true);
        run.expect(0, &["0 tests failed"]);
    }
}

/// Compiles what was written against the classes alone.
fn compile_plain(bed: &Bed, folder: &str) -> PathBuf {
    let into = format!("{folder}-classes");
    bed.compile_with(&sources(&bed.at(folder)), &into, &[bed.at("classes")], None);
    bed.at(&into)
}

fn java(bed: &Bed, class_path: &[PathBuf], main: &str) -> Run {
    let mut command = Command::new(bed.jdk.home.join("bin/java"));
    // A JVM that crashes leaves its log where it stands.
    command.current_dir(bed.dir.path());
    command.arg("-cp").arg(std::env::join_paths(class_path).unwrap()).arg(main);
    Run::of(command.output().unwrap())
}

/// spec 001 row 29: plain Java runs without any library, and fails where a test does.
#[test]
fn plain_java_needs_no_library() {
    let bed = Bed::with_shop();
    let args = ["classes", "--seed", "1", "--step-limit", "20000", "--output", "plain", "--format", "json"];
    let report = bed.generate(&[&args[..], &["--framework", "java"]].concat());
    report.expect(0, &[]);
    let report = report.json();
    assert_eq!((&report["verified"], &report["junit"]), (&true.into(), &serde_json::Value::Null));
    let text = text_of(&bed, "plain");
    assert!(!text.contains("junit") && text.contains("assertThrows("), "{text}");
    let compiled = compile_plain(&bed, "plain");
    let path = [bed.at("classes"), compiled.clone()];
    let mut tests = 0;
    for file in report["files"].as_array().unwrap() {
        let main = format!("{}ProbatTest", file["class"].as_str().unwrap());
        let run = java(&bed, &path, &main);
        run.expect(0, &[" 0 failed"]);
        tests += run.out.split(' ').next().unwrap().parse::<u64>().unwrap();
    }
    assert_eq!(report["tests"].as_u64().unwrap(), tests);
    // Another answer of the code under test is a failing test.
    let cart = bed.at("plain/shop/CartProbatTest.java");
    let source = fs::read_to_string(&cart).unwrap();
    let changed = source.replacen("assertEquals(", "assertEquals(\"another answer\" + ", 1);
    assert_ne!(source, changed);
    fs::write(&cart, changed).unwrap();
    compile_plain(&bed, "plain");
    java(&bed, &path, "shop.CartProbatTest").expect(1, &[" 1 failed", "failed: java.lang.AssertionError"]);
}

/// spec 001 row 29: scripts are read and run by `probat run`.
#[test]
fn scripts_run() {
    let bed = Bed::with_shop();
    let args = ["classes", "--seed", "1", "--step-limit", "20000", "--output", "text", "--format", "json"];
    let run = bed.generate(&[&args[..], &["--framework", "text"]].concat());
    run.expect(0, &[]);
    let report = run.json();
    let scripts: Vec<&str> =
        report["files"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap()).collect();
    assert!(scripts.len() > 20 && scripts.iter().all(|path| path.ends_with(".probat")), "{scripts:?}");
    let dropped = report["dropped"].as_array().unwrap();
    assert!(dropped.len() * 20 < scripts.len(), "{dropped:#?}");
    // Each is run on its own; a few tell enough.
    for script in scripts.iter().step_by(scripts.len() / 6) {
        let text = fs::read_to_string(bed.at(script)).unwrap();
        let run = bed.probat(&["run", "--classpath", "classes", "--format", "json", script]);
        run.expect(if text.contains("// throws ") { 3 } else { 0 }, &[]);
        if let Some(value) = text.lines().last().unwrap().split_once("// gives ").map(|(_, value)| value) {
            let lines = &run.json()["lines"];
            let last = lines.as_array().unwrap().last().unwrap().to_string();
            assert!(value == "an object" || last.contains(value.trim_matches('"')), "{text}\n{last}");
        }
    }
}

/// Ends the JVM in two ways: by asking for it, and by writing where nobody may.
const DEADLY: &str = "package deadly;
public class Deadly {
    private int warnings;
    public int warn() { return ++warnings; }
    public void halt(int code) { if (warnings > 0) Runtime.getRuntime().halt(7); }
    public static void crash(int code) throws Exception {
        java.lang.reflect.Field field = Class.forName(\"sun.misc.Unsafe\").getDeclaredField(\"theUnsafe\");
        field.setAccessible(true);
        Object unsafe = field.get(null);
        unsafe.getClass().getMethod(\"putAddress\", long.class, long.class).invoke(unsafe, 0L, 1L);
    }
}";

/// spec 001 rows 22 and 23: what ended the JVM, or would have, is there as a program that does it again.
#[test]
fn what_ends_the_jvm_is_left_as_a_program() {
    let bed = Bed::empty();
    bed.compile_text("deadly/Deadly.java", DEADLY, "classes");
    let run = generate(&bed, "out", "3000", &[]);
    run.expect(3, &[]);
    let report = run.json();
    let source_of = |kind: &str| {
        let failures = report["failures"].as_array().unwrap();
        let found = failures.iter().find(|failure| failure["kind"] == kind);
        let found = found.unwrap_or_else(|| panic!("no {kind}: {failures:#?}"));
        bed.at(found["source"].as_str().unwrap_or_else(|| panic!("{found:#?}")))
    };
    for (kind, call) in [("exits", ".halt("), ("jvm-died", "Deadly.crash(")] {
        let source = source_of(kind);
        let text = fs::read_to_string(&source).unwrap();
        assert!(source.starts_with(bed.at("out-failing")) && text.contains(call), "{text}");
        bed.compile_with(std::slice::from_ref(&source), "programs", &[bed.at("classes")], None);
        let main = format!("deadly.{}", source.file_stem().unwrap().to_string_lossy());
        let ended = java(&bed, &[bed.at("classes"), bed.at("programs")], &main);
        assert!(!ended.out.contains("failed"), "it never gets to its end: {}", ended.out);
        match kind {
            "exits" => assert_eq!(ended.code, 7),
            // A signal, or the code of an abort.
            _ => assert!(ended.code != 0 && ended.code != 1, "{}", ended.code),
        }
    }
}

/// Breaks rules in several ways, and does other things right.
const BROKEN: &str = "package broken;
public class Broken implements Comparable<Broken>, Cloneable {
    private final int n;
    private String name;
    public Broken(int n) { this.n = n; }
    public int n() { return n; }
    public int length() { return name.length(); }
    public int checked(int by) { assert by != 3 : \"three\"; return n * by; }
    @Override public boolean equals(Object o) { return o instanceof Broken && ((Broken) o).n != n; }
    @Override public int hashCode() { return n; }
    @Override public int compareTo(Broken o) { return 1; }
    @Override public Broken clone() { throw new IllegalStateException(\"no\"); }
    @Override public String toString() { return name; }
}";

/// spec 001 rows 1 and 30: every failing test fails, every other one passes, under the real launcher.
#[test]
fn failing_tests_fail_and_the_others_pass() {
    let bed = Bed::empty();
    bed.compile_text("broken/Broken.java", BROKEN, "classes");
    let run = generate(&bed, "out", "6000", &[]);
    run.expect(3, &[]);
    let report = run.json();
    let failing = report["failing_tests"].as_u64().unwrap();
    assert!(failing >= 4, "{report:#}");
    let file = bed.at("out-failing/broken/BrokenFailingProbatTest.java");
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(text.matches("@Test").count() as u64, failing);
    assert_eq!(text.matches("// Broken contract: ").count() as u64, failing, "{text}");
    for rule in ["an object is equal to itself", "clone throws nothing", "no assertion of the code fails"] {
        assert!(text.contains(rule), "{rule}: {text}");
    }
    if let Some(run) = run_written(&bed, "out", &[]) {
        run.expect(0, &[" 0 tests failed", &format!("{} tests successful", report["tests"])]);
        // One of them is about an `assert`.
        let failed = run_written(&bed, "out-failing", &["-ea"]).unwrap();
        assert_eq!(failed.code, 1, "{}", failed.out);
        for said in [format!("{failing} tests failed"), "0 tests successful".into()] {
            assert!(failed.out.contains(&said), "{said}: {}", failed.out);
        }
    }
}

/// The JVMs that check tests differ in hash codes too; one in which all objects have the same hides this fault.
#[test]
fn a_forgotten_hash_code_gets_its_failing_test() {
    let bed = Bed::empty();
    let source = "package coin;
        public class Coin {
            private final int cents;
            public Coin(int cents) { this.cents = cents; }
            public int cents() { return cents; }
            @Override public boolean equals(Object o) { return o instanceof Coin && ((Coin) o).cents == cents; }
        }";
    bed.compile_text("coin/Coin.java", source, "classes");
    let run = generate(&bed, "out", "6000", &[]);
    run.expect(3, &[]);
    let report = run.json();
    assert_eq!(report["failing_tests"], 1, "{report:#}");
    assert_eq!(report["dropped"].as_array().unwrap().len(), 0, "{report:#}");
    if let Some(failed) = run_written(&bed, "out-failing", &[]) {
        failed.expect(1, &["1 tests failed", "equal objects have equal hash codes"]);
    }
}
