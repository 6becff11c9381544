//! What `probat reduce` writes, used by the builds it is written for; and suites of `probat generate` reduced.

#![allow(clippy::unwrap_used, reason = "a test ends where something is not as expected")]

mod shop;

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::json;
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
    let done = Command::new(bed.jdk.home.join("bin/java"))
        .arg("-jar")
        .arg(&jar)
        .args(["execute", "--disable-banner", "@out/launcher-args.txt", "--class-path"])
        .arg(std::env::join_paths([bed.at("classes"), bed.at("tests")]).unwrap())
        .current_dir(bed.dir.path())
        .output()
        .unwrap();
    Run::of(done).expect(0, &["9 tests successful"]);
}

/// A project with tests for JUnit 4: five of its nine runs are kept.
fn old_project() -> Bed {
    let bed = Bed::with("reduce");
    let from = corpus("reduce-build-old");
    for name in ["pom.xml", "build.gradle"] {
        fs::copy(from.join(name), bed.at(name)).unwrap();
    }
    for folder in ["src/main/java/reduce", "src/test/java/suites"] {
        fs::create_dir_all(bed.at(folder)).unwrap();
    }
    for file in sources(&corpus("reduce").join("reduce")) {
        fs::copy(&file, bed.at("src/main/java/reduce").join(file.file_name().unwrap())).unwrap();
    }
    for file in sources(&from.join("src")) {
        let name = file.file_name().unwrap();
        let folder = if name == "LonelyTest.java" { "src/test/java" } else { "src/test/java/suites" };
        fs::copy(&file, bed.at(folder).join(name)).unwrap();
    }
    bed
}

const OLD_KEPT: [&str; 5] = ["lonely", "inherited", "more", "pushed[5 of it]", "pushed[6 of it]"];

/// Runs a build in a project and gives what it says.
fn build(bed: &Bed, program: &str, args: &[&str]) -> Run {
    let mut command = Command::new(program);
    command.args(args).current_dir(bed.at(".")).env("JAVA_HOME", &bed.jdk.home);
    Run::of(command.output().unwrap())
}

/// Surefire leaves classes inside others out, and runs with parameters, unless it is told of them in the right way.
#[test]
fn surefire_runs_what_is_kept_of_classes_inside_others() {
    if !maven() {
        return;
    }
    let bed = old_project();
    build(&bed, "mvn", &["-B", "-ntp", "test-compile"]).expect(0, &["BUILD SUCCESS"]);
    let args = ["reduce", "--classpath", "target/classes", "--tests", "target/test-classes"];
    bed.probat(&[&args[..], &["--techniques", "whole-state", "--output", "out"]].concat())
        .expect(0, &["by whole-state: 5 of 9 tests enough"]);
    let files = ["-Dsurefire.includesFile=out/includes.txt", "-Dsurefire.excludesFile=out/excludes.txt"];
    build(&bed, "mvn", &[&["-B", "-ntp", "test"], &files[..]].concat())
        .expect(0, &["BUILD SUCCESS", "Tests run: 5, Failures: 0, Errors: 0, Skipped: 0"]);
}

/// Gradle itself takes the init script, also one of before 2018, and runs what is kept and nothing else.
#[test]
fn gradle_runs_what_is_kept() {
    if !maven() || !shop::gradle() {
        return;
    }
    let bed = old_project();
    let home = bed.at("gradle-home").display().to_string();
    let words = ["--no-daemon", "--gradle-user-home", &home];
    build(&bed, "gradle", &[&words[..], &["testClasses"]].concat()).expect(0, &["BUILD SUCCESSFUL"]);
    let args = ["reduce", "--classpath", "build/classes/java/main", "--tests", "build/classes/java/test"];
    bed.probat(&[&args[..], &["--techniques", "whole-state", "--output", "out"]].concat())
        .expect(0, &["by whole-state: 5 of 9 tests enough"]);
    let run = build(&bed, "gradle", &[&words[..], &["test", "--init-script", "out/kept.gradle"]].concat());
    run.expect(0, &["BUILD SUCCESSFUL"]);
    let mut ran: Vec<String> = run
        .out
        .lines()
        .filter_map(|line| Some(line.strip_suffix(" PASSED")?.rsplit_once(" > ")?.1.to_owned()))
        .collect();
    ran.sort();
    let mut wanted = OLD_KEPT.map(str::to_owned);
    wanted.sort();
    assert_eq!(ran, wanted, "{}", run.out);
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

/// JUnit is taken from the class path: its console launcher, or the launcher alone, which is what projects have. Without any, and without Maven,
/// the way out is named. Tests that are left out are left out by both, and only they.
#[test]
fn junit_comes_from_the_class_path() {
    let Some(jar) = launcher() else { return };
    let bed = Bed::with("reduce");
    let files = ["RunningExample", "Troubles", "Lost"]
        .map(|name| corpus("reduce-suites").join(format!("{name}.java")));
    bed.compile_with(&files, "tests", &[bed.at("classes"), jar.clone()], None);
    fs::remove_file(bed.at("tests/Lost.class")).unwrap();
    fs::create_dir(bed.at("junit")).unwrap();
    let unpack =
        Command::new(bed.jdk.home.join("bin/jar")).arg("xf").arg(&jar).current_dir(bed.at("junit")).status();
    assert!(unpack.unwrap().success());
    fs::remove_dir_all(bed.at("junit/org/junit/platform/console")).unwrap();
    let reduce = |class_path: &str| {
        let args =
            ["reduce", "--tests", "tests", "--techniques", "whole-state", "--format", "json", "--offline"];
        let args = [&args[..], &["--time-limit-per-test", "2s", "--classpath", class_path]].concat();
        // No Maven, and none of its files.
        let mut command = bed.any_command(bed.dir.path(), &args);
        Run::of(command.env("PATH", "").env("HOME", bed.at("nowhere")).output().unwrap())
    };
    for class_path in [format!("classes:{}", jar.display()), "classes:junit".to_owned()] {
        let run = reduce(&class_path);
        run.expect(3, &[]);
        let json = run.json();
        assert_eq!((&json["tests"], &json["complete"]), (&4.into(), &true.into()), "{class_path}: {json:#}");
        let kinds: Vec<&str> =
            json["problems"].as_array().unwrap().iter().map(|one| one["kind"].as_str().unwrap()).collect();
        assert_eq!(kinds.iter().filter(|kind| **kind == "hung").count(), 1, "{class_path}: {json:#}");
        assert_eq!(kinds.len(), 6, "{class_path}: {json:#}");
        assert!(json["cpu_seconds"].as_f64().unwrap() > 0.0, "{json:#}");
        // A test that hung is not waited for twice, so the two runs cannot be compared.
        assert_eq!((&json["slowdown"], &json["cpu_slowdown"]), (&json!(null), &json!(null)), "{json:#}");
    }
    reduce("classes").expect(5, &["--junit-jar"]);
}

/// A project has engines, and no launcher: the one of the same release comes from Maven, as other releases do not go with them.
#[test]
fn old_and_new_engines_get_their_own_launcher() {
    let Some(jar) = launcher().filter(|_| maven()) else { return };
    let bed = Bed::with("reduce");
    let file = corpus("reduce-suites").join("RunningExample.java");
    bed.compile_with(&[file], "tests", &[bed.at("classes"), jar], None);
    for release in ["5.8.2", "6.0.1"] {
        let folder = bed.at(release);
        fs::create_dir(&folder).unwrap();
        let engine = format!(
            "<project><modelVersion>4.0.0</modelVersion><groupId>a</groupId><artifactId>b</artifactId><version>1</version>
             <dependencies><dependency><groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter</artifactId>
             <version>{release}</version></dependency></dependencies></project>"
        );
        fs::write(folder.join("pom.xml"), engine).unwrap();
        let mut copy = Command::new("mvn");
        copy.args(["-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory=jars"]);
        Run::of(copy.current_dir(&folder).env("JAVA_HOME", &bed.jdk.home).output().unwrap()).expect(0, &[]);
        let class_path = format!("classes:{release}/jars/*");
        let args = ["reduce", "--tests", "tests", "--techniques", "whole-state", "--format", "json"];
        let run = bed.probat(&[&args[..], &["--classpath", &class_path]].concat());
        run.expect(0, &[]);
        assert_eq!(run.json()["tests"], 3, "{release}");
    }
}

/// Ctrl-C while tests are recorded: those that were are assessed, and nothing is said of the others, which stay.
#[test]
fn ctrl_c_leaves_what_was_recorded() {
    let Some(jar) = launcher() else { return };
    let bed = Bed::with("reduce");
    let go = bed.at("go");
    let source = bed.at("Waits.java");
    let text = format!(
        "import org.junit.jupiter.api.*;
         @TestMethodOrder(MethodOrderer.MethodName.class)
         class Waits {{
             @Test void a() {{ new reduce.IntStack().push(1); }}
             @Test void b() {{ new reduce.IntStack().push(1); }}
             @Test void c() throws Exception {{ while (!new java.io.File({:?}).exists()) Thread.sleep(5); }}
             @Test void d() {{ new reduce.IntStack().push(1); }}
         }}",
        go.display().to_string()
    );
    fs::write(&source, text).unwrap();
    bed.compile_with(&[source], "tests", &[bed.at("classes"), jar.clone()], None);
    fs::write(&go, "").unwrap();
    let junit = jar.display().to_string();
    let args =
        ["reduce", "--tests", "tests", "--classpath", "classes", "--junit-jar", &junit, "--format", "json"];
    let args = [&args[..], &["--techniques", "whole-state", "--output", "out", "--no-sandbox"]].concat();
    fs::create_dir(bed.at("scratch")).unwrap();
    let mut command = bed.any_command(bed.dir.path(), &args);
    let child = command
        .env("TMPDIR", bed.at("scratch"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The second JVM records; the third test waits there.
    let recording = bed.at("scratch").join(format!("probat-{}-1/worker-0/recording.probat", child.id()));
    until(|| recording.parent().unwrap().exists());
    fs::remove_file(&go).unwrap();
    until(|| fs::read(&recording).is_ok_and(|bytes| bytes.windows(12).any(|part| part == b"[method:c()]")));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let run = Run::of(child.wait_with_output().unwrap());
    run.expect(130, &[]);
    let json = run.json();
    assert_eq!((&json["complete"], &json["tests"]), (&false.into(), &2.into()), "{json:#}");
    assert_eq!(json["slowdown"], json!(null), "{json:#}");
    assert_eq!(json["not_recorded"].as_array().unwrap().len(), 2, "{json:#}");
    assert_eq!(json["redundant"].as_array().unwrap().len(), 1, "{json:#}");
    let kept = fs::read_to_string(bed.at("out/kept-ids.txt")).unwrap();
    assert!(kept.contains("[method:c()]") && kept.contains("[method:d()]"), "{kept}");
}

/// Waits for something that another process does.
#[track_caller]
fn until(mut holds: impl FnMut() -> bool) {
    for _ in 0..60_000 {
        if holds() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("it never came");
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
