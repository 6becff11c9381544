//! A library's own published tests give the same results plain and instrumented.
//!
//! In: `PROBAT_TEST_MAVEN=1`, which allows Maven to fetch commons-collections4, its test jar and the JUnit console.
//! Out: the console's summary and the tests that failed, from every JDK found. Without the variable nothing is run.
//! The data files these tests read stand in the test jar and are put where they look for them.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "tests stop at surprises and print counts")]

mod corpus;
mod jvm;

use std::io::Read;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;

use probat_classfile::passes::{PassSet, instrument};
use probat_model::ProbeId;

use jvm::{Bench, jdks, write_jar};

const LIBRARY: &str = "org.apache.commons:commons-collections4:4.5.0";
const TESTS: &str = "org.apache.commons:commons-collections4:4.5.0:jar:tests";
const CONSOLE: &str = "org.junit.platform:junit-platform-console-standalone:1.13.4";
const OTHERS: [&str; 9] = [
    "org.apache.commons:commons-lang3:3.17.0",
    "commons-codec:commons-codec:1.18.0",
    "commons-io:commons-io:2.18.0",
    "org.easymock:easymock:5.5.0",
    "org.objenesis:objenesis:3.4",
    "org.hamcrest:hamcrest:3.0",
    "com.google.guava:guava:33.3.1-jre",
    "com.google.guava:guava-testlib:33.3.1-jre",
    "junit:junit:4.13.2",
];

/// Copies an artifact into the folder `jars` and gives its path.
fn fetch(bench: &Bench, artifact: &str) -> PathBuf {
    let folder = bench.path("jars");
    let output = Command::new("mvn")
        .args(["-q", "-B", "dependency:copy"])
        .arg(format!("-Dartifact={artifact}"))
        .arg(format!("-DoutputDirectory={}", folder.display()))
        .current_dir(bench.dir.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{artifact}: {}", String::from_utf8_lossy(&output.stdout));
    let parts: Vec<&str> = artifact.split(':').collect();
    let classifier = parts.get(4).map_or(String::new(), |classifier| format!("-{classifier}"));
    folder.join(format!("{}-{}{classifier}.jar", parts[1], parts[2]))
}

fn instrumented(jar: &std::path::Path) -> Vec<(String, Vec<u8>)> {
    let done = Mutex::new((0, Vec::new()));
    corpus::each_class_of_jar(jar, |name, bytes| {
        let mut done = done.lock().unwrap();
        let numbered = PassSet { edges: Some(ProbeId(done.0)), ..PassSet::ALL };
        let result = instrument(bytes, &numbered).unwrap();
        assert_eq!(result.report.skipped, [], "{name}");
        done.0 += result.probes;
        done.1.push((name.to_owned(), result.bytes));
    });
    done.into_inner().unwrap().1
}

/// Puts the files of the test jar that are no classes where the tests look for them.
fn unpack_data(bench: &Bench, tests: &std::path::Path) {
    let mut jar = zip::ZipArchive::new(std::fs::File::open(tests).unwrap()).unwrap();
    for at in 0..jar.len() {
        let mut file = jar.by_index(at).unwrap();
        let name = file.name().unwrap().to_string();
        if name.starts_with("org/") && !name.ends_with(".class") && !name.ends_with('/') {
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).unwrap();
            bench.write(&format!("src/test/resources/{name}"), &bytes);
        }
    }
}

/// Runs the test jar against a library jar; gives the lines of the summary and the failed tests, sorted.
fn run_tests(bench: &Bench, library: &str) -> Vec<String> {
    let jar = |name: &str| bench.path("jars").join(name);
    let tests = jar("commons-collections4-4.5.0-tests.jar");
    let mut path = bench.path(library).display().to_string();
    for entry in std::fs::read_dir(bench.path("jars")).unwrap() {
        let file = entry.unwrap().path();
        let name = file.file_name().unwrap().to_str().unwrap();
        if !name.starts_with("junit-platform") && name != "commons-collections4-4.5.0.jar" {
            path.push_str(&format!(":{}", file.display()));
        }
    }
    let console = jar("junit-platform-console-standalone-1.13.4.jar");
    let mut arguments: Vec<PathBuf> =
        vec!["--patch-module".into(), bench.patch_of_base(None), "-jar".into(), console];
    let options = ["execute", "--disable-banner", "--disable-ansi-colors", "--details=none", "-cp"];
    arguments.extend(options.iter().map(PathBuf::from));
    arguments.extend([path.into(), "--scan-class-path".into(), tests]);
    let printed = bench.java(arguments);
    let text = printed.out + &printed.err;
    let wanted = |line: &&str| line.starts_with('[') || line.trim_start().starts_with("JUnit ");
    let mut lines: Vec<String> = text.lines().filter(wanted).map(str::to_owned).collect();
    lines.sort();
    assert!(lines.iter().any(|line| line.contains("tests successful")), "{text}");
    lines
}

#[test]
fn a_librarys_own_tests_give_the_same_results() {
    if std::env::var_os("PROBAT_TEST_MAVEN").is_none_or(|value| value != "1") {
        return;
    }
    for jdk in jdks() {
        let release = jdk.release;
        let bench = Bench::new(jdk);
        bench.compile_standin();
        let library = fetch(&bench, LIBRARY);
        unpack_data(&bench, &fetch(&bench, TESTS));
        for artifact in [CONSOLE].into_iter().chain(OTHERS) {
            fetch(&bench, artifact);
        }
        write_jar(&bench.path("instrumented.jar"), &instrumented(&library));
        let plain = run_tests(&bench, "jars/commons-collections4-4.5.0.jar");
        let ours = run_tests(&bench, "instrumented.jar");
        let summary = ours.iter().filter(|line| line.starts_with('[')).cloned().collect::<Vec<_>>();
        println!("JDK {release}:\n{}", summary.join("\n"));
        assert_eq!(ours, plain, "on JDK {release}");
    }
}
