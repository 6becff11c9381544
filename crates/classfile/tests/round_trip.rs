//! Every class we can find is read and written, whole and method by method.
//!
//! In: the corpus. Out: counts on standard output, failures with the class and method named.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "tests stop at surprises and print counts")]

mod corpus;

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use probat_classfile::ClassFile;

/// What a round trip counted.
#[derive(Default)]
struct Counts {
    classes: AtomicUsize,
    methods: AtomicUsize,
    same_bytes: AtomicUsize,
    failures: Mutex<Vec<String>>,
}

impl Counts {
    fn fail(&self, text: String) {
        self.failures.lock().unwrap().push(text);
    }
}

/// Reads and writes a class; then sends each method through instructions and back.
fn round_trip(name: &str, bytes: &[u8], counts: &Counts) {
    counts.classes.fetch_add(1, Ordering::Relaxed);
    let class = match ClassFile::read(bytes) {
        Ok(class) => class,
        Err(error) => return counts.fail(format!("{name}: {error}")),
    };
    if class.write().unwrap() != bytes {
        return counts.fail(format!("{name}: written with other bytes"));
    }
    let mut edited = class.clone();
    for (at, method) in class.methods.iter().enumerate() {
        let place = || format!("{name} {}", method.name(&class.pool).unwrap_or_default());
        let code = match class.code(method) {
            Ok(Some(code)) => code,
            Ok(None) => continue,
            Err(error) => return counts.fail(format!("{}: {error}", place())),
        };
        counts.methods.fetch_add(1, Ordering::Relaxed);
        if let Err(error) = edited.set_code(at, &code) {
            return counts.fail(format!("{}: {error}", place()));
        }
        if edited.methods[at].attributes == method.attributes {
            counts.same_bytes.fetch_add(1, Ordering::Relaxed);
        } else if edited.code(&edited.methods[at]).as_ref() != Ok(&Some(code)) {
            counts.fail(format!("{}: decodes to something else after encoding", place()));
        }
    }
    if edited.pool != class.pool {
        counts.fail(format!("{name}: constants were added although nothing was edited"));
    }
}

fn check(path: &Path, counts: &Counts) {
    let failures = counts.failures.lock().unwrap();
    println!(
        "{}: {} classes, {} methods, {} with the same bytes after re-encoding, {} failures",
        path.display(),
        counts.classes.load(Ordering::Relaxed),
        counts.methods.load(Ordering::Relaxed),
        counts.same_bytes.load(Ordering::Relaxed),
        failures.len()
    );
    assert!(failures.is_empty(), "{:#?}", &failures[..failures.len().min(20)]);
}

#[test]
fn every_class_of_the_jdk_images_survives() {
    for image in corpus::images() {
        let counts = Counts::default();
        corpus::each_class_of_image(&image, |name, bytes| round_trip(name, bytes, &counts));
        assert!(counts.classes.load(Ordering::Relaxed) > 0, "{} has classes", image.display());
        check(&image, &counts);
    }
}

#[test]
fn every_class_of_the_given_jars_survives() {
    for jar in corpus::jars() {
        let counts = Counts::default();
        corpus::each_class_of_jar(&jar, |name, bytes| round_trip(name, bytes, &counts));
        check(&jar, &counts);
    }
}
