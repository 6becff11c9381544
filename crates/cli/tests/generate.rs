//! `probat generate` from classes to a suite that passes: the real binary, a real JVM, the real JUnit launcher.

#![allow(clippy::unwrap_used, reason = "a test ends where something is not as expected")]

mod shop;

use std::fs;
use std::process::Stdio;

use shop::{Bed, files, launcher, sources};

const STEPS: &str = "60000";

/// Arguments for a run that is the same everywhere; without a launcher nothing can be verified.
fn arguments<'a>(output: &'a str, workers: &'a str, junit: &'a Option<String>) -> Vec<&'a str> {
    let mut args = vec![
        "classes",
        "--seed",
        "1",
        "--step-limit",
        STEPS,
        "--workers",
        workers,
        "--output",
        output,
        "--format",
        "json",
    ];
    match junit {
        Some(jar) => args.extend(["--junit-jar", jar]),
        None => args.push("--unverified"),
    }
    args
}

fn junit() -> Option<String> {
    launcher().map(|jar| jar.display().to_string())
}

#[test]
fn the_same_seed_and_steps_give_the_same_files_whatever_the_workers_and_they_pass() {
    let bed = Bed::with_shop();
    let junit = junit();
    let one = bed.generate(&arguments("one", "1", &junit));
    one.expect(0, &[]);
    let two = bed.generate(&arguments("two", "2", &junit));
    two.expect(0, &[]);
    let tests = |folder: &str| {
        let mut found = files(&bed.at(folder));
        found.retain(|name, _| name.ends_with(".java"));
        found
    };
    assert_eq!(tests("one"), tests("two"));
    assert!(tests("one").contains_key("shop/CartProbatTest.java"), "{:?}", tests("one").keys());

    let report = one.json();
    assert_eq!(report["verified"], serde_json::Value::Bool(junit.is_some()));
    let (covered, all) = (
        report["totals"]["branches_covered"].as_u64().unwrap(),
        report["totals"]["branches"].as_u64().unwrap(),
    );
    assert!(covered * 10 >= all * 8, "{covered} of {all} branches");

    let Some(jar) = launcher() else { return };
    let path = [bed.at("classes"), jar.clone()];
    bed.compile_with(&sources(&bed.at("one")), "compiled", &path, None);
    let run = bed.run_junit(&jar, &[bed.at("compiled"), bed.at("classes")], &bed.at("compiled"));
    run.expect(0, &[]);
    let passed = format!("{} tests successful", report["tests"]);
    assert!(run.out.contains(&passed), "{passed}\n{}", run.out);
}

#[test]
fn the_command_that_is_printed_repeats_the_run() {
    let bed = Bed::with_shop();
    let first = bed.generate(&[
        "classes",
        "Money",
        "Currency",
        // With more workers only code that keeps nothing between calls repeats itself.
        "--workers",
        "1",
        // Ended by the plateau: there is time to finish all tests on a slow machine too.
        "--time-limit",
        "120s",
        "--plateau",
        "1s",
        "--unverified",
        "--output",
        "out",
        "--format",
        "json",
    ]);
    // How far it gets is the machine's business, and so is whether it meets a broken contract.
    assert!(matches!(first.code, 0 | 3), "{}{}", first.out, first.err);
    let command = first.json()["command"].as_str().unwrap().to_owned();
    let words: Vec<&str> = command.split(' ').skip(2).collect();
    let again = bed.generate(&words);
    assert_eq!(again.code, first.code, "{}{}", again.out, again.err);
    let states: Vec<_> =
        again.json()["files"].as_array().unwrap().iter().map(|file| file["state"].clone()).collect();
    assert!(!states.is_empty() && states.iter().all(|state| state == "unchanged"), "{command}: {states:?}");
}

/// Constants that keep a hash code or a text once it was asked for do not tell one sequence of another, whichever worker runs them.
#[test]
fn what_constants_remember_changes_nothing() {
    let bed = Bed::empty();
    bed.compile_text(
        "Ratio.java",
        "public final class Ratio {
            public static final Ratio ZERO = new Ratio(0, 1), ONE = new Ratio(1, 1), HALF = new Ratio(1, 2);
            private final int top, bottom;
            private int hash;
            private String text;
            private Ratio(int top, int bottom) { this.top = top; this.bottom = bottom; }
            public static Ratio of(int top, int bottom) {
                if (bottom == 0) { throw new ArithmeticException(\"no bottom\"); }
                return top == 0 ? ZERO : top == bottom ? ONE : new Ratio(top, bottom);
            }
            public Ratio plus(Ratio o) { return of(top * o.bottom + o.top * bottom, bottom * o.bottom); }
            public Ratio times(Ratio o) { return of(top * o.top, bottom * o.bottom); }
            public boolean wasAsked() { if (text != null) { return true; } return hash != 0; }
            @Override public boolean equals(Object o) { return o instanceof Ratio && ((Ratio) o).top == top && ((Ratio) o).bottom == bottom; }
            @Override public int hashCode() { if (hash == 0) { hash = 31 * top + bottom; } return hash; }
            @Override public String toString() { if (text == null) { text = top + \"/\" + bottom; } return text; }
        }",
        "classes",
    );
    assert_same_by_any_number_of_workers(&bed, "RatioProbatTest.java");
}

/// A cache behind a static field remembers what its JVM has run; each JVM runs the same, however many work at once.
#[test]
fn what_caches_remember_changes_nothing() {
    let bed = Bed::empty();
    bed.compile_text(
        "Names.java",
        "import java.util.*;
        public final class Names {
            private static final Map<Integer, String> KNOWN = new HashMap<>();
            private static final List<Integer> ORDER = new ArrayList<>();
            private Names() { }
            public static String of(int number) {
                String known = KNOWN.get(number % 64);
                if (known == null) {
                    known = \"n\" + KNOWN.size();
                    KNOWN.put(number % 64, known);
                    ORDER.add(number);
                }
                return known;
            }
            public static int first() { return ORDER.isEmpty() ? -1 : ORDER.get(0); }
            public static boolean isMany(int size) { if (ORDER.size() > size) { return size > 3; } return false; }
        }",
        "classes",
    );
    assert_same_by_any_number_of_workers(&bed, "NamesProbatTest.java");
}

/// Nothing is shown unless asked for.
#[test]
fn what_the_code_prints_is_shown_on_request() {
    let bed = Bed::empty();
    bed.compile_text(
        "Loud.java",
        "public final class Loud { public static int shout(int n) { System.out.println(\"so loud\"); return n + 1; } }",
        "classes",
    );
    let args = ["classes", "--step-limit", "200", "--unverified", "--output", "out"];
    let asked = bed.generate(&[&args[..], &["--show-output"]].concat());
    assert!(asked.out.lines().any(|line| line.trim() == "so loud"), "{}", asked.out);
    assert!(!bed.generate(&args).out.contains("so loud"));
}

#[track_caller]
fn assert_same_by_any_number_of_workers(bed: &Bed, file: &str) {
    let written = |workers: &str| {
        let args = ["classes", "--seed", "1", "--step-limit", "12000", "--unverified", "--workers", workers];
        let run = bed.generate(&[&args[..], &["--format", "json", "--output", workers]].concat());
        let totals = &run.json()["totals"];
        (totals["sequences"].clone(), totals["states"].clone(), files(&bed.at(workers)).remove(file))
    };
    let one = written("1");
    assert!(one.2.is_some());
    assert_eq!(one, written("2"));
    assert_eq!(one, written("3"));
}

/// A run that is killed leaves what it found; the next one begins with it.
#[test]
fn a_killed_run_can_be_resumed() {
    let bed = Bed::with_shop();
    let args = ["classes", "--unverified", "--output", "out", "--format", "json"];
    let missing = bed.generate(&[&args[..], &["--resume", "--step-limit", "100"]].concat());
    missing.expect(2, &["out-unfinished", "--resume"]);

    let unfinished = bed.at("out-unfinished");
    let long = [&args[..], &["--time-limit", "1h", "--plateau", "1h"]].concat();
    let mut running =
        bed.command(&bed.at("."), &long).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while !unfinished.exists() {
        assert!(running.try_wait().unwrap().is_none(), "it ended before it was killed");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    running.kill().unwrap();
    running.wait().unwrap();

    let again = bed.generate(&[&args[..], &["--resume", "--step-limit", "20000"]].concat());
    let report = again.json();
    assert!(report["resumed"].as_u64().unwrap() > 0, "{report}");
    assert!(!unfinished.exists(), "all of it is written now");
}

#[test]
fn a_second_run_replaces_our_files_and_tells_what_behaves_differently() {
    let bed = Bed::empty();
    let source = |factor: u32| {
        format!("public class Twice {{ public static int of(int n) {{ return n * {factor}; }} }}")
    };
    let args = [
        "classes",
        "--seed",
        "1",
        "--step-limit",
        "3000",
        "--unverified",
        "--output",
        "out",
        "--format",
        "json",
    ];
    bed.compile_text("Twice.java", &source(2), "classes");
    bed.generate(&args).expect(0, &[]);
    bed.compile_text("Twice.java", &source(3), "classes");
    let report = bed.generate(&args).json();
    let file = &report["files"][0];
    assert_eq!(file["state"], "replaced");
    assert!(!file["difference"]["changed"].as_array().unwrap().is_empty(), "{file:#}");

    let path = bed.at("out/TwiceProbatTest.java");
    let edited = fs::read_to_string(&path).unwrap() + "// mine\n";
    fs::write(&path, &edited).unwrap();
    let run = bed.generate(&args);
    assert_eq!(run.json()["files"][0]["state"], "beside-edited");
    assert_eq!(fs::read_to_string(&path).unwrap(), edited);
    assert!(bed.at("out/TwiceProbatTest.java.new").exists());
}

#[test]
fn former_tests_tell_of_changes_that_the_new_ones_do_not_meet() {
    let bed = Bed::empty();
    let source = |methods: &str| {
        format!(
            "public class Twice {{ public static int of(int n) {{ return n > 7 ? n * 2 : n; }}\n\
             public static boolean is(int n) {{ return n == 3; }} {methods} }}"
        )
    };
    let args = ["classes", "--step-limit", "3000", "--output", "out", "--format", "json"];
    bed.compile_text("Twice.java", &source("public static int gone() { return 5; }"), "classes");
    let first = bed.generate(&args).json();
    assert!(first["no_longer_pass"].is_null(), "there was nothing to run again: {first:#}");
    // What the next search calls is out of our hands: the method is left out of it.
    bed.compile_text("Twice.java", &source("").replace("n * 2", "n * 3"), "classes");
    let rest = ["--exclude-method", "of"];
    let report = bed.generate(&[&args[..], &rest].concat()).json();
    let broken = report["no_longer_pass"].as_array().unwrap();
    let of = |name: &str| broken.iter().find(|one| one["was"].as_str().unwrap_or("").contains(name));
    assert_eq!(broken.len(), 2, "{broken:#?}");
    assert!(of("Twice.of(").unwrap()["says"].as_str().unwrap().contains("but was"), "{broken:#?}");
    assert!(of("Twice.gone()").unwrap()["says"].as_str().unwrap().contains("compile"), "{broken:#?}");
}

#[test]
fn a_broken_contract_is_told_and_can_be_accepted() {
    let bed = Bed::empty();
    bed.compile_text(
        "Odd.java",
        "public class Odd { private final int n; public Odd(int n) { this.n = n; } public int n() { return n; }\n\
         @Override public boolean equals(Object other) { return other instanceof Odd && ((Odd) other).n != n; }\n\
         @Override public int hashCode() { return 1; } }",
        "classes",
    );
    let args = ["classes", "--seed", "1", "--step-limit", "3000", "--unverified", "--output", "out"];
    bed.generate(&args).expect(3, &["May be bugs", "an object is equal to itself", "--seed 1"]);
    let mut accepting = args.to_vec();
    accepting.push("--accept");
    bed.generate(&accepting).expect(0, &["accepted"]);
    bed.generate(&args).expect(0, &["Known and accepted"]);
}

#[test]
fn an_interrupt_writes_what_there_is() {
    let bed = Bed::with_shop();
    let args = ["classes", "--time-limit", "5m", "--no-plateau", "--unverified", "--output", "out"];
    let mut child =
        bed.command(bed.dir.path(), &args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut heard = String::new();
    {
        use std::io::{BufRead, BufReader};
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        // The search says how it goes every few seconds; one such line means that there is something to write.
        while !heard.contains(" sequences/s") {
            heard.push_str(&lines.next().expect("it ended by itself").unwrap());
        }
        let pid = child.id().to_string();
        assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
        for line in lines {
            heard.push_str(&line.unwrap());
        }
    }
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(130), "{heard}");
    assert!(heard.contains("stopping the search"), "{heard}");
    assert!(files(&bed.at("out")).keys().any(|name| name.ends_with("ProbatTest.java")), "{heard}");
}

#[test]
fn names_may_have_any_letters_whatever_the_locale() {
    let bed = Bed::empty();
    bed.compile_text(
        "Plain.java",
        "class Größe { public int länge(int n) { return n > 3 ? n : -n; } }",
        "classes",
    );
    let args = ["classes", "--seed", "1", "--step-limit", "2000", "--output", "out", "--format", "json"];
    let Some(jar) = launcher() else { return };
    let args = [&args[..], &["--junit-jar", jar.to_str().unwrap()]].concat();
    let run = bed.command(bed.dir.path(), &args).env("LC_ALL", "C").output().map(shop::Run::of).unwrap();
    run.expect(0, &[]);
    let report = run.json();
    assert_eq!(report["verified"], true);
    assert!(report["tests"].as_u64().unwrap() >= 1, "{report:#}");
    let text = fs::read_to_string(bed.at("out/GrößeProbatTest.java")).unwrap();
    assert!(text.contains("void länge"), "{text}");
}
