//! What `probat reduce` writes, used by the builds it is written for; and suites of `probat generate` reduced.

#![allow(clippy::unwrap_used, reason = "a test ends where something is not as expected")]

mod shop;

use std::fs;
use std::process::Command;

use shop::{Bed, Run, corpus, launcher, maven, sources};

const SUITES: [&str; 3] = ["RunningExample", "Same", "Bags"];

/// JUnit's launcher runs the ids that are kept, and all of them in the order given.
#[test]
fn the_launcher_runs_what_is_kept() {
    let Some(jar) = launcher() else { return };
    let bed = Bed::with("reduce");
    let files = SUITES.map(|name| corpus("reduce-suites").join(format!("{name}.java")));
    bed.compile_with(&files, "tests", &[bed.at("classes"), jar.clone()], None);
    let junit = jar.display().to_string();
    let args = ["reduce", "--classpath", "classes", "--tests", "tests", "--junit-jar", &junit];
    bed.probat(&[&args[..], &["--techniques", "whole-state", "--output", "out"]].concat()).expect(0, &[]);
    for (file, count) in [("kept-ids.txt", 9), ("order-ids.txt", 14)] {
        let ids = fs::read_to_string(bed.at("out").join(file)).unwrap();
        let done = Command::new(bed.jdk.home.join("bin/java"))
            .arg("-jar")
            .arg(&jar)
            .args(["execute", "--disable-banner", "--class-path"])
            .arg(std::env::join_paths([bed.at("classes"), bed.at("tests")]).unwrap())
            .args(ids.lines().map(|id| format!("--select-unique-id={id}")))
            .output()
            .unwrap();
        Run::of(done).expect(0, &[&format!("{count} tests successful")]);
    }
}

/// Surefire runs the methods of `includes.txt`. One invocation of a method with parameters cannot be left out there.
#[test]
fn surefire_runs_what_is_kept() {
    if !maven() {
        return;
    }
    let bed = Bed::with("reduce");
    fs::copy(corpus("reduce-build").join("pom.xml"), bed.at("pom.xml")).unwrap();
    fs::create_dir_all(bed.at("src/test/java/suites")).unwrap();
    fs::create_dir_all(bed.at("src/main/java/reduce")).unwrap();
    for file in sources(&corpus("reduce").join("reduce")) {
        fs::copy(&file, bed.at("src/main/java/reduce").join(file.file_name().unwrap())).unwrap();
    }
    for name in SUITES {
        let file = format!("{name}.java");
        fs::copy(corpus("reduce-suites").join(&file), bed.at("src/test/java/suites").join(&file)).unwrap();
    }
    let mvn = |args: &[&str]| {
        let mut command = Command::new("mvn");
        command.args(["-B", "-ntp"]).args(args).current_dir(bed.at(".")).env("JAVA_HOME", &bed.jdk.home);
        Run::of(command.output().unwrap())
    };
    mvn(&["test-compile"]).expect(0, &["BUILD SUCCESS"]);
    // The launcher comes from Maven, too.
    let args = ["reduce", "--classpath", "target/classes", "--tests", "target/test-classes"];
    bed.probat(&[&args[..], &["--techniques", "whole-state", "--output", "out"]].concat()).expect(0, &[]);
    let ran = mvn(&["test", "-Dsurefire.includesFile=out/includes.txt"]);
    ran.expect(0, &["BUILD SUCCESS", "Tests run: 10, Failures: 0, Errors: 0, Skipped: 0"]);
}

/// At most one in twenty of the tests that `generate` writes by default adds nothing.
#[test]
fn a_generated_suite_is_hardly_redundant() {
    let Some(jar) = launcher() else { return };
    let junit = jar.display().to_string();
    let bed = Bed::with_shop();
    let args = ["classes", "--seed", "1", "--step-limit", "30000", "--junit-jar", &junit, "--output", "out"];
    bed.generate(&args);
    bed.compile_with(&sources(&bed.at("out")), "tests", &[bed.at("classes"), jar], None);
    let args = ["reduce", "--classpath", "classes", "--tests", "tests", "--junit-jar", &junit];
    let run = bed.probat(&[&args[..], &["--techniques", "whole-state", "--format", "json"]].concat());
    let report = run.json();
    let (tests, redundant) = (report["tests"].as_u64().unwrap(), report["redundant"].as_array().unwrap());
    assert!(tests > 10, "{report:#}");
    assert!(redundant.len() as u64 * 20 <= tests, "{redundant:#?} of {tests}");
    assert_eq!(report["before"]["edges"], report["after"]["edges"]);
}
