//! Source that is hard to write: `probat generate` on code whose tests need long texts, objects inside others, preview features, or a compiler
//! that does not die of them.
//!
//! Where the launcher is not there, what is written is still looked at; it is compiled and run only with it.

#![allow(clippy::unwrap_used, reason = "a test ends where something is not as expected")]

mod shop;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use shop::{Bed, Run, launcher, sources};

/// `probat generate` on the classes of the bed, the same on every machine.
fn generate(bed: &Bed, more: &[&str]) -> Run {
    let jar = launcher().map(|jar| jar.display().to_string());
    let mut args = vec!["classes", "--seed", "1", "--workers", "1", "--step-limit", "4000"];
    args.extend(["--format", "json", "--output", "out"]);
    match &jar {
        Some(jar) => args.extend(["--junit-jar", jar]),
        None => args.push("--unverified"),
    }
    args.extend(more);
    bed.generate(&args)
}

fn written(bed: &Bed) -> String {
    sources(&bed.at("out")).iter().map(|path| fs::read_to_string(path).unwrap()).collect()
}

const SCALE: &str = "package scale;
public class Scale {
    public static int weigh(String text) { if (text.length() > 60000) { return text.charAt(0); } return text.length() > 30000 ? 2 : 1; }
}";

#[test]
fn texts_longer_than_a_constant_are_written_so_that_they_compile() {
    let bed = Bed::empty();
    bed.compile_text("scale/Scale.java", SCALE, "classes");
    let varied: String = (0..14_000).map(|at| format!("{at} ")).collect();
    let repeated = "xy".repeat(20_000);
    let run = generate(&bed, &["--literal", &varied, "--literal", &repeated]);
    run.expect(0, &[]);
    assert_eq!(run.json()["dropped"].as_array().unwrap().len(), 0, "{}", run.out);
    let text = written(&bed);
    assert!(text.contains("\"xy\".repeat(20000)"), "{text}");
    assert!(text.contains("String.join(\"\",") && text.contains("13999 \""), "{text}");
}

const TABLE: &str = "package table;
public class Table<T> {
    public class Row {
        private final int at;
        public Row(int at) { if (at < 0) { throw new IllegalArgumentException(\"below\"); } this.at = at; }
        public int place() { return at + 1; }
        public class Cell { public int name() { return at * 10; } }
    }
}";

#[test]
fn an_inner_object_is_made_inside_its_outer_one() {
    let bed = Bed::empty();
    bed.compile_text("table/Table.java", TABLE, "classes");
    let run = generate(&bed, &[]);
    run.expect(0, &[]);
    let report = run.json();
    assert_eq!(report["totals"]["branches_covered"], report["totals"]["branches"], "{report:#}");
    let text = written(&bed);
    assert!(text.contains(".new Row(") && text.contains(".new Cell()"), "{text}");
    assert!(!text.contains("Table.Row ") && !text.contains("Table.Row.Cell "), "no raw type:\n{text}");
}

/// Marks a class as one that uses preview features (JVMS §4.1).
fn mark_preview(class: &Path) {
    let mut bytes = fs::read(class).unwrap();
    bytes[4..6].copy_from_slice(&[0xff, 0xff]);
    fs::write(class, bytes).unwrap();
}

#[test]
fn code_with_preview_features_is_compiled_and_run_with_them() {
    let bed = Bed::empty();
    let source = bed.at("Scale.java");
    fs::write(&source, SCALE).unwrap();
    let own = bed.jdk.version.feature;
    bed.compile_with(std::slice::from_ref(&source), "classes", &[], Some(&own.to_string()));
    mark_preview(&bed.at("classes/scale/Scale.class"));
    let run = generate(&bed, &[]);
    run.expect(0, &["its tests need `--enable-preview`"]);
    assert!(run.json()["tests"].as_u64().unwrap() > 0, "{}", run.out);
    bed.compile_with(&[source], "classes", &[], Some(&(own - 1).to_string()));
    mark_preview(&bed.at("classes/scale/Scale.class"));
    let other = format!("uses preview features of Java {}, which no other release loads", own - 1);
    generate(&bed, &[]).expect(2, &[&other, "--java-home"]);
}

/// The JDK of the bed with a compiler that dies of sources with a word in them, as compilers do of their own bugs.
fn deadly_jdk(bed: &Bed, word: &str) {
    let home = bed.at("jdk");
    fs::create_dir_all(home.join("bin")).unwrap();
    for entry in fs::read_dir(&bed.jdk.home).unwrap().chain(fs::read_dir(bed.jdk.home.join("bin")).unwrap()) {
        let from = entry.unwrap().path();
        let name = from.strip_prefix(&bed.jdk.home).unwrap();
        if name != Path::new("bin") && name != Path::new("bin/javac") {
            symlink(&from, home.join(name)).unwrap();
        }
    }
    let real = bed.jdk.home.join("bin/javac");
    let script = format!(
        "#!/bin/sh\nfor last; do :; done\nif grep '[.]java\"$' \"${{last#@}}\" | xargs grep -q {word}; then\n  echo 'An exception has occurred in the compiler' >&2; exit 4\nfi\nexec '{}' \"$@\"\n",
        real.display()
    );
    fs::write(home.join("bin/javac"), script).unwrap();
    fs::set_permissions(home.join("bin/javac"), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_compiler_that_dies_costs_the_tests_it_dies_of_and_no_others() {
    let Some(_) = launcher() else { return };
    let bed = Bed::with_shop();
    deadly_jdk(&bed, "isEmpty");
    let home = bed.at("jdk").display().to_string();
    let run = generate(&bed, &["--java-home", &home, "--regression-only"]);
    run.expect(0, &[]);
    let report = run.json();
    let text = written(&bed);
    assert!(report["tests"].as_u64().unwrap() > 5 && !text.contains("isEmpty"), "{report:#}");
    let dropped = report["dropped"].as_array().unwrap();
    assert!(!dropped.is_empty(), "{report:#}");
    for one in dropped {
        assert!(one["detail"].as_str().unwrap().contains("exception has occurred in the compiler"), "{one}");
    }
}
