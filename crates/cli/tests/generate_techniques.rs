//! `probat generate` with its techniques and switches: the real binary and a real JVM on small classes with known faults.
//!
//! Work is bounded by steps, so that a slow machine sees what a fast one sees. Tests are written unverified: what is asked here is what
//! the search finds and uses.

#![allow(clippy::unwrap_used, reason = "a test ends where something is not as expected")]

mod shop;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::Value;
use shop::{Bed, Run, files, sources};

/// Fractions, monomials and polynomials with the fault of spec 001: a sum may keep a term whose coefficient is zero.
const POLY: &str = "package poly;
public final class Poly {
    public static final class Rat {
        final int n, d;
        public Rat(int n, int d) { this.n = n; this.d = d == 0 ? 1 : d; }
        @Override public boolean equals(Object o) { return o instanceof Rat && ((Rat) o).n == n && ((Rat) o).d == d; }
        @Override public int hashCode() { return n * 31 + d; }
        @Override public String toString() { return n + \"/\" + d; }
    }
    public static final class Mono {
        final Rat c; final int e;
        public Mono(Rat c, int e) {
            if (e < 0) throw new IllegalArgumentException(\"negative exponent\");
            this.c = c; this.e = e;
        }
        @Override public boolean equals(Object o) { return o instanceof Mono && ((Mono) o).c.equals(c) && ((Mono) o).e == e; }
        @Override public int hashCode() { return c.hashCode() * 31 + e; }
        @Override public String toString() { return c + \"^\" + e; }
    }
    final Mono m;
    public Poly(Mono m) { this.m = m; }
    public Poly add(Mono o) {
        if (o.e != m.e) return this;
        int sum = m.c.n + o.c.n;
        assert sum != 0 : \"zero coefficient\";
        return new Poly(new Mono(new Rat(sum, 1), m.e));
    }
    @Override public boolean equals(Object o) { return o instanceof Poly && ((Poly) o).m.equals(m); }
    @Override public int hashCode() { return m.hashCode(); }
    @Override public String toString() { return m.toString(); }
}";

fn bed(sources: &[(&str, &str)]) -> Bed {
    let bed = Bed::empty();
    for (name, text) in sources {
        bed.compile_text(name, text, "classes");
    }
    bed
}

fn generate(bed: &Bed, output: &str, more: &[&str]) -> Run {
    let fixed = ["classes", "--unverified", "--seed", "1", "--format", "json", "--output", output];
    let limit: &[&str] =
        if more.contains(&"--step-limit") { &[] } else { &["--step-limit", "20000", "--workers", "1"] };
    bed.generate(&fixed.iter().chain(limit).chain(more).copied().collect::<Vec<_>>())
}

/// Kinds of failures by the class whose member failed.
fn failures(report: &Value) -> BTreeMap<String, BTreeSet<String>> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for failure in report["failures"].as_array().unwrap() {
        let member = failure["member"].as_str().unwrap().split('(').next().unwrap().to_owned();
        let class = member.rsplit_once('.').map_or(member.clone(), |(class, _)| class.to_owned());
        found.entry(class).or_default().insert(failure["kind"].as_str().unwrap().to_owned());
    }
    found
}

fn kinds(report: &Value) -> BTreeSet<String> {
    failures(report).into_values().flatten().collect()
}

fn written(bed: &Bed, output: &str) -> String {
    sources(&bed.at(output)).iter().map(|path| fs::read_to_string(path).unwrap()).collect()
}

/// spec 001 rows 1, 9, 11, 24 and 25; spec 004 row R20: in the modes of the sources, whatever the number of workers.
#[test]
fn modes_find_the_fault_and_repeat_themselves() {
    let bed = bed(&[("poly/Poly.java", POLY)]);
    for mode in ["drt", "recgen"] {
        let limit = |workers| ["--mode", mode, "--step-limit", "500000", "--workers", workers];
        let one = generate(&bed, &format!("{mode}1"), &limit("1"));
        let two = generate(&bed, &format!("{mode}2"), &limit("2"));
        let java = |folder: &str| {
            let mut found = files(&bed.at(folder));
            found.retain(|name, _| name.ends_with(".java"));
            found
        };
        assert_eq!(java(&format!("{mode}1")), java(&format!("{mode}2")), "{mode}");
        let report = one.json();
        assert!(kinds(&report).contains("assertion-error"), "{mode}: {report}");
        assert_eq!(failures(&report), failures(&two.json()));
        let steps = report["totals"]["steps"].as_u64().unwrap();
        assert!(report["end"] != "steps" || (500_000..525_000).contains(&steps), "{mode}: {steps}");
        assert!(steps < 525_000);
        assert!(report["tests"].as_u64().unwrap() > 0);
        let misuse = written(&bed, &format!("{mode}1")).contains("IllegalArgumentException");
        assert_eq!(misuse, mode == "recgen", "only drt takes exceptions for misuse");
    }
}

/// A class with one broken method of `Object`.
fn faulty(name: &str, equals: &str, hash: &str, text: &str) -> String {
    format!(
        "package bad; public class {name} {{ final int n; public {name}(int n) {{ this.n = n; }}
         public static int pair({name} a, {name} b) {{ return a.n - b.n; }}
         @Override public boolean equals(Object o) {{ {equals} }}
         @Override public int hashCode() {{ {hash} }}
         @Override public String toString() {{ {text} }} }}"
    )
}

/// spec 001 row 12: each class is reported for its own contract and no other.
#[test]
fn each_faulty_class_breaks_its_own_contract() {
    let (equals, hash, text) =
        ("return o != null && o.getClass() == getClass();", "return 7;", "return \"x\";");
    let cases = [
        ("Reflexive", faulty("Reflexive", "return false;", hash, text), "equals-reflexive"),
        ("ToNull", faulty("ToNull", "return o == null || o == this;", hash, text), "equals-null"),
        (
            "Symmetric",
            faulty("Symmetric", "return o instanceof Symmetric && ((Symmetric) o).n >= n;", hash, text),
            "equals-symmetric",
        ),
        ("Hash", faulty("Hash", equals, "return n;", text), "equals-hash-code"),
        (
            "HashThrows",
            faulty("HashThrows", equals, "throw new IllegalStateException();", text),
            "hash-code-throws",
        ),
        (
            "TextThrows",
            faulty("TextThrows", equals, hash, "throw new IllegalStateException();"),
            "to-string-throws",
        ),
    ];
    let files: Vec<(String, &str)> =
        cases.iter().map(|(name, text, _)| (format!("bad/{name}.java"), text.as_str())).collect();
    let bed = bed(&files.iter().map(|(name, text)| (name.as_str(), *text)).collect::<Vec<_>>());
    for (name, _, kind) in &cases {
        let class = format!("bad.{name}");
        let limit = ["--step-limit", "6000", "--workers", "1"];
        let report = generate(&bed, name, &[&[class.as_str()], &limit[..]].concat()).json();
        assert_eq!(kinds(&report), BTreeSet::from([(*kind).to_owned()]), "{name}: {report}");
    }
}

/// Throws what callers are and are not told of.
const DOOR: &str = "package door;
public class Door {
    private final String name;
    public Door(String name) { this.name = name; }
    public int knock(int times) { if (times > 3) throw new IllegalStateException(\"too loud\"); return times; }
    public void told(int times) throws IllegalStateException { if (times > 3) throw new IllegalStateException(); }
    public int size() { return name.length(); }
    public void forbidden() { }
    int inside() { return 1; }
    public int secret(int code) { return code * 31 == 4711 * 31 ? 1 : 2; }
    public static int sum(int... all) {
        if (all.length == 0) return -1;
        if (all.length > 1) return 2;
        return all[0];
    }
    public static class Slammed extends RuntimeException { public Slammed(int n) { super(\"\" + n); } public int loud() { return 1; } }
}";

/// spec 001 rows 14 and 49
#[test]
fn exceptions_count_as_errors_where_the_user_says_so() {
    let bed = bed(&[("door/Door.java", DOOR)]);
    assert!(!kinds(&generate(&bed, "plain", &[]).json()).contains("exception"));
    let other = generate(&bed, "other", &["--error-exception", "java.lang.ArithmeticException"]);
    assert!(!kinds(&other.json()).contains("exception"));
    let listed = generate(&bed, "listed", &["--error-exception", "java.lang.RuntimeException"]).json();
    let members = |report: &Value| -> BTreeSet<String> {
        let all = report["failures"].as_array().unwrap().iter();
        all.filter(|one| one["kind"] == "exception")
            .map(|one| {
                one["member"]
                    .as_str()
                    .unwrap()
                    .split('(')
                    .next()
                    .unwrap()
                    .rsplit('.')
                    .next()
                    .unwrap()
                    .to_owned()
            })
            .collect()
    };
    assert!(members(&listed).is_superset(&["knock", "told"].map(str::to_owned).into()), "{listed}");
    let robust = members(&generate(&bed, "robust", &["--robust"]).json());
    assert!(robust.contains("knock") && !robust.contains("told"), "{robust:?}");
}

/// spec 001 row 10: a null of our own making is nobody's fault.
#[test]
fn null_pointers_are_faults_only_without_null_arguments() {
    let bed = bed(&[
        ("door/Door.java", DOOR),
        (
            "own/Own.java",
            "package own; public class Own { String s; public int size() { return s.length(); } }",
        ),
    ]);
    let found = failures(&generate(&bed, "out", &["--nulls"]).json());
    let null_pointers: Vec<&String> =
        found.iter().filter(|(_, kinds)| kinds.contains("null-pointer")).map(|(class, _)| class).collect();
    assert_eq!(null_pointers, ["own.Own"], "{found:?}");
}

/// spec 001 rows 19, 20 and 36
#[test]
fn literals_arrays_and_exclusions_are_respected() {
    let bed = bed(&[("door/Door.java", DOOR)]);
    let secret =
        ["--without", "mined-literals,comparisons", "--literal", "4711", "--exclude-method", "forbidden"];
    let report = generate(&bed, "out", &secret).json();
    let text = written(&bed, "out");
    assert!(text.contains("4711"), "{text}");
    assert!(!text.contains("forbidden("), "{text}");
    assert!(text.contains("sum()") || text.contains("new int[0]") || text.contains("new int[] {}"), "{text}");
    assert_eq!(report["classes"].as_array().unwrap().len(), 2);
}

/// spec 004 rows R5 and R6: public members of the class, and no exception classes unless asked for.
#[test]
fn recgen_calls_public_members_and_leaves_exceptions_out() {
    let bed = bed(&[("door/Door.java", DOOR)]);
    let report = generate(&bed, "out", &["--mode", "recgen"]).json();
    let text = written(&bed, "out");
    for public in ["new Door(", ".knock(", ".size()", ".secret(", ".forbidden("] {
        assert!(text.contains(public), "{public}\n{text}");
    }
    assert!(!text.contains(".inside(") && !text.contains("Slammed"), "{text}");
    assert!(report["untestable"].to_string().contains("exception"), "{report}");
    generate(&bed, "with", &["--mode", "recgen", "--with", "exception-classes"]);
    assert!(written(&bed, "with").contains("Slammed"));
}

/// spec 004 rows R2 and R16, after the worked examples of spec 004 §2.8.
#[test]
fn recgen_finds_the_fault_of_the_database_entry() {
    let text = "package je;
public class DatabaseEntry {
    private byte[] data; private int size;
    public void setData(byte[] data) { this.data = data; this.size = data.length; }
    public void setSize(int size) { this.size = size; }
    @Override public boolean equals(Object o) {
        if (!(o instanceof DatabaseEntry)) return false;
        DatabaseEntry e = (DatabaseEntry) o;
        if (data == null || e.data == null) return data == e.data;
        if (size != e.size) return false;
        for (int i = 0; i < size; i++) if (data[i] != e.data[i]) return false;
        return true;
    }
    @Override public int hashCode() { return size; }
}";
    let bed = bed(&[("je/DatabaseEntry.java", text)]);
    let found = kinds(&generate(&bed, "out", &["--mode", "recgen"]).json());
    assert!(found.contains("equals-throws"), "{found:?}");
}

/// spec 001 row 37: a factory among the classes under test makes a class that nothing else can.
#[test]
fn a_factory_makes_what_has_no_constructor() {
    let bed = bed(&[(
        "gate/Gates.java",
        "package gate; public class Gates { public static Gate make(int n) { return new Gate(n); }
         public static final class Gate { private final int n; private Gate(int n) { this.n = n; }
         public boolean isOpen() { return n > 0; } } }",
    )]);
    generate(&bed, "out", &["--mode", "drt"]);
    assert!(written(&bed, "out").contains(".isOpen()"));
}

/// spec 001 row 39
#[test]
fn every_run_becomes_a_test_where_all_are_wanted() {
    let bed =
        bed(&[("own/Own.java", "package own; public class Own { int n; public int up() { return ++n; } }")]);
    let all = generate(&bed, "all", &["--emit-all", "--step-limit", "300", "--workers", "1"]).json();
    let (tests, sequences) = (all["tests"].as_u64().unwrap(), all["totals"]["sequences"].as_u64().unwrap());
    assert_eq!(tests, sequences, "{all}");
    let few = generate(&bed, "few", &["--step-limit", "300", "--workers", "1"]).json();
    assert!(few["tests"].as_u64().unwrap() * 4 < tests);
}
