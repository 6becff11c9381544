//! Every class of the JDKs found, and of the jars in `PROBAT_TEST_JARS`, links with all passes in place.
//!
//! In: real classes. Out: what HotSpot under `-Xverify:all`, and the verifier of the class file API, say of them.
//! Classes that a JVM needs before it can link anything else stay as they are there and are seen by the second only.

#![allow(clippy::unwrap_used, reason = "tests stop at surprises")]

mod corpus;
mod jvm;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use probat_classfile::passes::edges::Report;
use probat_classfile::passes::{PassSet, instrument};

use jvm::{Bench, jdks, write_jar};

/// Classes by path.
type Classes = Vec<(String, Vec<u8>)>;

/// What all classes of a corpus came to.
#[derive(Default)]
struct Outcome {
    by_module: BTreeMap<String, Classes>,
    report: Report,
}

impl Outcome {
    fn add(&mut self, module: &str, path: &str, bytes: &[u8]) {
        let done = instrument(bytes, &PassSet::ALL).unwrap_or_else(|error| panic!("{path}: {error}"));
        self.by_module.entry(module.into()).or_default().push((path.into(), done.bytes));
        self.report.instrumented += done.report.instrumented;
        self.report.huge.extend(done.report.huge);
        self.report.skipped.extend(done.report.skipped);
    }
}

fn instrument_image(image: &Path) -> Outcome {
    let outcome = Mutex::new(Outcome::default());
    corpus::each_class_of_image(image, |name, bytes| {
        let (module, path) = name[1..].split_once('/').unwrap();
        if !path.ends_with("module-info.class") {
            let mut one = Outcome::default();
            one.add(module, path, bytes);
            let mut all = outcome.lock().unwrap();
            for (module, classes) in one.by_module {
                all.by_module.entry(module).or_default().extend(classes);
            }
            all.report.instrumented += one.report.instrumented;
            all.report.huge.extend(one.report.huge);
            all.report.skipped.extend(one.report.skipped);
        }
    });
    outcome.into_inner().unwrap()
}

/// The classes that a JVM loads before and while `LinkAll` starts.
fn loaded_at_start(bench: &Bench, jar: &Path) -> BTreeSet<String> {
    let options = ["-Xshare:off", "-Xverify:all", "-verbose:class", "--add-modules", "ALL-SYSTEM", "-cp"];
    let mut arguments: Vec<PathBuf> = options.iter().map(PathBuf::from).collect();
    arguments.extend([bench.path("drivers"), "LinkAll".into(), jar.into()]);
    let printed = bench.java(arguments).ok();
    let class = |line: &str| {
        let (_, loaded) = line.split_once("] ")?;
        Some(format!("{}.class", loaded.split(' ').next()?.replace('.', "/")))
    };
    printed.lines().filter_map(class).collect()
}

/// Links all classes of an image in place of the originals.
fn link_image(bench: &Bench, modules: &BTreeMap<String, Classes>) -> String {
    bench.compile(&["LinkAll.java"], "drivers");
    let small: Classes =
        modules["java.base"].iter().filter(|class| class.0 == "java/net/URL.class").cloned().collect();
    write_jar(&bench.path("java.base.jar"), &small);
    let started = loaded_at_start(bench, &bench.path("java.base.jar"));
    let early = |path: &str| {
        ["java/lang/", "jdk/internal/", "sun/invoke/", "sun/launcher/"]
            .iter()
            .any(|start| path.starts_with(start))
            || started.contains(path)
    };
    let mut options = String::from("-Xverify:all\n-Xmx1g\n--add-modules ALL-SYSTEM\n");
    let mut jars = Vec::new();
    for (module, classes) in modules {
        let jar = bench.path(&format!("{module}.jar"));
        if module == "java.base" {
            let late: Classes = classes.iter().filter(|class| !early(&class.0)).cloned().collect();
            assert!(late.len() > 3000, "only {} classes of java.base are left", late.len());
            write_jar(&jar, &late);
            options.push_str(&format!("--patch-module {}\n", bench.patch_of_base(Some(&jar)).display()));
        } else {
            write_jar(&jar, classes);
            options.push_str(&format!("--patch-module {module}={}\n", jar.display()));
        }
        jars.push(jar);
    }
    bench.write("options", options.as_bytes());
    let mut arguments: Vec<PathBuf> =
        vec!["@options".into(), "-cp".into(), "drivers".into(), "LinkAll".into()];
    arguments.extend(jars.iter().cloned());
    bench.java(arguments).ok()
}

#[test]
fn all_classes_of_the_jdks_link() {
    for jdk in jdks() {
        let release = jdk.release;
        let outcome = instrument_image(&jdk.image);
        assert_eq!(outcome.report.skipped, []);
        assert!(outcome.report.instrumented > 100_000 && outcome.report.huge.len() < 20);
        let bench = Bench::new(jdk);
        bench.compile_standin();
        let printed = link_image(&bench, &outcome.by_module);
        assert_eq!(printed.lines().count(), 1, "JDK {release}: {printed}");
        if release >= 24 {
            bench.compile(&["VerifyAll.java"], "verifier");
            write_jar(&bench.path("base.jar"), &outcome.by_module["java.base"]);
            let printed = bench.java(["-Xmx1g", "-cp", "verifier", "VerifyAll", "base.jar"]).ok();
            let is_class = |class: &&(String, Vec<u8>)| !class.0.ends_with("-info.class");
            let count = outcome.by_module["java.base"].iter().filter(is_class).count();
            assert_eq!(printed, format!("{count} verified\n"));
        }
    }
}

#[test]
fn all_classes_of_the_jars_link_as_they_did() {
    let jars = corpus::jars();
    for jdk in jdks() {
        let bench = Bench::new(jdk);
        bench.compile_standin();
        bench.compile(&["LinkAll.java"], "drivers");
        for jar in &jars {
            let done: Mutex<Classes> = Mutex::default();
            corpus::each_class_of_jar(jar, |path, bytes| {
                let instrumented =
                    instrument(bytes, &PassSet::ALL).unwrap_or_else(|error| panic!("{path}: {error}"));
                assert_eq!(instrumented.report.skipped, [], "{path}");
                done.lock().unwrap().push((path.into(), instrumented.bytes));
            });
            let mut done = done.into_inner().unwrap();
            done.sort();
            let ours = bench.path("instrumented.jar");
            write_jar(&ours, &done);
            let link = |jar: &Path| {
                let patch = bench.patch_of_base(None);
                let mut path = format!("drivers:{}", jar.display());
                jars.iter().for_each(|other| path.push_str(&format!(":{}", other.display())));
                let arguments = [
                    "-Xverify:all".into(),
                    "--patch-module".into(),
                    patch,
                    "-cp".into(),
                    path.into(),
                    "LinkAll".into(),
                ];
                let printed = bench.java(arguments.into_iter().chain([jar.to_path_buf()])).ok();
                // Which class is missed first depends on what the verifier has to compare.
                let missed =
                    |line: &&str| line.contains(": NoClassDefFoundError ") || line.ends_with(" linked");
                let other: Vec<String> =
                    printed.lines().filter(|line| !missed(line)).map(str::to_owned).collect();
                assert!(printed.lines().count() > other.len());
                other
            };
            assert_eq!(link(&ours), link(jar), "{}", jar.display());
        }
    }
}
