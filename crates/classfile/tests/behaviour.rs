//! Instrumented programs behave as before, and report what happened: run on every JDK found.
//!
//! In: Java sources of `tests/java`, compiled by the JDK's own compiler. Out: what they print, plain and instrumented.

#![allow(clippy::unwrap_used, reason = "tests stop at surprises")]

mod corpus;
mod jvm;

use std::collections::BTreeSet;
use std::path::PathBuf;

use expect_test::{Expect, expect};
use probat_classfile::ClassFile;
use probat_classfile::passes::edges::{self, Edge};
use probat_classfile::passes::{PassSet, instrument};
use probat_model::ProbeId;

use jvm::{Bench, Printed, jdks};

const EDGES: PassSet = PassSet { edges: Some(ProbeId(0)), ..PassSet::NONE };

/// Compiled sources on one JDK, in the folder `plain`.
fn bench(jdk: jvm::Jdk, sources: &[&str]) -> Bench {
    let bench = Bench::new(jdk);
    bench.compile_standin();
    bench.compile(&[sources, &["Watch.java"]].concat(), "plain");
    bench
}

/// The edges of all classes with their probe, as the classes are numbered by [`instrument_all`].
type Probes = Vec<(u32, ClassFile, Edge)>;

/// Instruments all classes of `plain` into the folder `to`.
fn instrument_all(bench: &Bench, to: &str, passes: &PassSet) -> Probes {
    let (mut first, mut probes) = (0, Vec::new());
    for (name, bytes) in bench.classes("plain") {
        if name == "Watch.class" {
            bench.write(&format!("{to}/{name}"), &bytes);
            continue;
        }
        let numbered = PassSet { edges: passes.edges.map(|_| ProbeId(first)), ..*passes };
        let done = instrument(&bytes, &numbered).unwrap();
        assert_eq!(done.report.skipped, [], "{name}");
        bench.write(&format!("{to}/{name}"), &done.bytes);
        let class = ClassFile::read(&bytes).unwrap();
        let plan = edges::plan(&class);
        assert_eq!(if passes.edges.is_some() { plan.count } else { 0 }, done.probes);
        probes.extend(plan.edges.into_iter().map(|edge| (first + edge.number, class.clone(), edge)));
        first += done.probes;
    }
    probes
}

fn run(bench: &Bench, classes: &str, options: &[&str], arguments: &[&str]) -> Printed {
    let patch = bench.patch_of_base(None);
    let mut all: Vec<PathBuf> = vec!["--patch-module".into(), patch, "-Xverify:all".into()];
    all.extend(options.iter().map(PathBuf::from));
    all.extend(["-cp".into(), bench.path(classes), "Watch".into()]);
    all.extend(arguments.iter().map(PathBuf::from));
    bench.java(all)
}

#[test]
fn instrumented_code_prints_what_plain_code_does() {
    for jdk in jdks() {
        let bench = bench(jdk, &["Sample.java"]);
        let plain = run(&bench, "plain", &[], &["Sample"]);
        instrument_all(&bench, "edges", &EDGES);
        instrument_all(&bench, "all", &PassSet::ALL);
        let expected = plain.ok();
        assert!(expected.lines().count() > 15, "{expected}");
        for classes in ["edges", "all"] {
            assert_eq!(run(&bench, classes, &[], &["Sample"]).ok(), expected);
            let compiled =
                ["-Xcomp", "-XX:CompileCommand=quiet", "-XX:CompileCommand=compileonly,Sample*::*"];
            assert_eq!(run(&bench, classes, &compiled, &["Sample"]).ok(), expected);
        }
    }
}

/// One text for all JDKs.
#[track_caller]
fn check_on_all(texts: &[String], expected: Expect) {
    texts.iter().for_each(|text| assert_eq!(text, &texts[0]));
    expected.assert_eq(&texts[0]);
}

/// The edges that were hit (`+`) and missed (`-`) in one method.
fn coverage(hits: &BTreeSet<u32>, probes: &Probes, class: &str, method: &str) -> String {
    let mut text = String::new();
    for (probe, file, edge) in probes {
        let name = file.methods[edge.method as usize].name(&file.pool).unwrap();
        if file.name().unwrap().as_internal() == class && name == method {
            let mark = if hits.contains(probe) { '+' } else { '-' };
            text.push_str(&format!("{mark} {}\n", edge.describe(file)));
        }
    }
    text
}

#[test]
fn probes_say_which_way_the_code_went() {
    let runs: Vec<(BTreeSet<u32>, Probes)> = jdks()
        .into_iter()
        .map(|jdk| {
            let bench = bench(jdk, &["Sample.java"]);
            let probes = instrument_all(&bench, "edges", &EDGES);
            let printed = run(&bench, "edges", &[], &["Sample"]);
            assert_eq!(printed.code, Some(0), "{}", printed.err);
            let hit = |line: &str| line.strip_prefix("hit ").expect(line).parse().unwrap();
            let hits: BTreeSet<u32> = printed.err.lines().map(hit).collect();
            assert!(hits.iter().all(|hit| probes.iter().any(|probe| probe.0 == *hit)));
            (hits, probes)
        })
        .collect();
    let check = |class, method, expected: Expect| {
        let texts: Vec<String> =
            runs.iter().map(|(hits, probes)| coverage(hits, probes, class, method)).collect();
        check_on_all(&texts, expected);
    };
    check(
        "Sample",
        "sum",
        expect![[r#"
        + sum line 9: entry
        + sum line 10: int >=
        + sum line 10: int <
        + sum line 11: != 0
        + sum line 11: == 0
    "#]],
    );
    check(
        "Sample",
        "sign",
        expect![[r#"
        + sign line 20: entry
        + sign line 20: <= 0
        + sign line 20: > 0
        + sign line 20: >= 0
        - sign line 20: < 0
    "#]],
    );
    check(
        "Sample",
        "table",
        expect![[r#"
        + table line 24: entry
        + table line 24: case 1, 2
        + table line 24: case 3
        - table line 24: case 4
        + table line 24: default
    "#]],
    );
    check(
        "Sample",
        "lookup",
        expect![[r#"
        + lookup line 38: entry
        - lookup line 38: case -1000000
        - lookup line 38: case 7
        + lookup line 38: case 1000000
        + lookup line 38: default
    "#]],
    );
    check(
        "Sample",
        "locked",
        expect![[r#"
        + locked line 84: entry
        + locked line 85: != 0
        + locked line 85: == 0
        + locked line 88: int >=
        + locked line 88: int <
        + locked line 89: int !=
        + locked line 89: int ==
        + locked line 94: >= 0
        + locked line 94: < 0
        + locked line 97: catch all
    "#]],
    );
    check(
        "Sample$Derived",
        "<init>",
        expect![[r#"
        + <init> line 127: entry
        + <init> line 127: == 0
        + <init> line 127: != 0
        + <init> line 127: <= 0
        - <init> line 127: > 0
        + <init> line 129: <= 0
        + <init> line 129: > 0
        - <init> line 130: == 0
        + <init> line 130: != 0
        + <init> line 136: entry
        + <init> line 136: != 0
        + <init> line 136: == 0
        + <init> line 136: int <=
        + <init> line 136: int >
    "#]],
    );
    check(
        "Sample",
        "caught",
        expect![[r#"
        + caught line 61: entry
        + caught line 66: int <=
        + caught line 66: int >
        + caught line 69: catch java.lang.ArrayIndexOutOfBoundsException | java.lang.NullPointerException
        + caught line 71: catch java.lang.ArrayStoreException
        + caught line 73: catch java.lang.IllegalStateException
        - caught line 76: catch all
    "#]],
    );
}

#[test]
fn reports_give_the_values() {
    let notes = jdks().into_iter().map(|jdk| {
        let bench = bench(jdk, &["Watched.java"]);
        let reports = PassSet { edges: None, guards: false, statics: false, ..PassSet::ALL };
        instrument_all(&bench, "all", &reports);
        let printed = run(&bench, "all", &[], &["Watched", "notes"]);
        assert_eq!(printed.code, Some(0), "{}", printed.err);
        printed.err
    });
    check_on_all(
        &notes.collect::<Vec<_>>(),
        expect![[r#"
        enter 3 null 
        enter 0 null 8
        written 0 Watched
        read 0 Watched
        written 0 Watched
        cmpInt 0 8 0
        exit 0 Watched
        enter 1 Watched "x" a
        read 1 null
        written 1 null
        cmpRef 1 "x" "x"
        read 0 Watched
        exit 1 5.0
        enter 1 Watched "z" b
        read 1 null
        written 1 null
        cmpRef 1 "z" "x"
        cmpInt 2 98 121
        array int[]
        enter 2 null int[]
        array int[]
        array int[]
        threw 2 IllegalStateException
        threw 1 IllegalStateException
        read 1 null
        written 1 null
        enter 0 null -1
        written 0 Watched
        read 0 Watched
        written 0 Watched
        cmpInt 0 -1 0
        threw 0 IllegalArgumentException
        read 1 null
        written 1 null
        exit 3 null
    "#]],
    );
}

/// A monitor that HotSpot believes unbalanced keeps a method out of the compilers.
#[test]
fn methods_with_monitors_are_still_compiled() {
    for jdk in jdks() {
        let bench = bench(jdk, &["Sample.java"]);
        instrument_all(&bench, "all", &PassSet::ALL);
        let options = ["-XX:+PrintCompilation", "-Xbatch", "-Xlog:monitormismatch=info"];
        let printed = run(&bench, "all", &options, &["Sample"]).ok();
        assert!(!printed.contains("Monitor mismatch"), "{printed}");
        let mut compilations = printed
            .lines()
            .filter(|line| line.contains("Sample::locked") && !line.contains("COMPILE SKIPPED"));
        assert!(compilations.any(|line| line.contains(" 4 ")), "not compiled by C2:\n{printed}");
    }
}
