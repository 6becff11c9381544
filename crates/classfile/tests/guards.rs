//! Guards sit where they should in real class libraries, and hold.
//!
//! In: the JDKs found. Out: which guards each lacks, and what a program sees that tries all it must not do.

#![allow(clippy::unwrap_used, reason = "tests stop at surprises")]

mod corpus;
mod jvm;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use expect_test::expect;
use probat_classfile::passes::{PassSet, guards, instrument};

use jvm::{Bench, jdks};

const GUARDS: PassSet = PassSet { guards: true, ..PassSet::NONE };

/// Bytes of classes by module and path.
type Classes = BTreeMap<(String, String), Vec<u8>>;

/// The guarded classes of an image, and the guards in place.
fn guarded(image: &Path) -> (Classes, Vec<usize>) {
    let classes = guards::classes();
    let found = Mutex::new((BTreeMap::new(), Vec::new()));
    corpus::each_class_of_image(image, |name, bytes| {
        let (module, path) = name[1..].split_once('/').unwrap();
        if classes.contains(&path.strip_suffix(".class").unwrap()) {
            let done = instrument(bytes, &GUARDS).unwrap();
            assert_eq!(done.report.skipped, [], "{path}");
            let mut found = found.lock().unwrap();
            found.0.insert((module.to_owned(), path.to_owned()), done.bytes);
            found.1.extend(done.guards);
        }
    });
    found.into_inner().unwrap()
}

/// What a JDK may lack: what came with a later one, and a display, which images are built without.
fn may_lack(purpose: &str, release: u32) -> bool {
    match purpose {
        "start a thread in a container" | "start a virtual thread" => release < 21,
        "load a library for symbols" | "load a library for symbols by name" => release < 22,
        "connect a Unix socket" | "bind a Unix socket" => release < 16,
        "use the AWT toolkit" | "use the desktop" => true,
        _ => false,
    }
}

/// The feature release of the JDK an image belongs to.
fn release_of(image: &Path) -> u32 {
    let release = std::fs::read_to_string(image.parent().unwrap().parent().unwrap().join("release")).unwrap();
    let version = release.lines().find_map(|line| line.strip_prefix("JAVA_VERSION=\"")).unwrap();
    version.split(['.', '"', '-', '+']).next().unwrap().parse().unwrap()
}

#[test]
fn every_jdk_has_what_the_table_names() {
    for image in corpus::images() {
        let (_, placed) = guarded(&image);
        let release = release_of(&image);
        let lacks = guards::missing(&placed);
        let lacks: Vec<&str> =
            lacks.iter().map(|guard| guard.purpose).filter(|purpose| !may_lack(purpose, release)).collect();
        assert_eq!(lacks, [""; 0], "in JDK {release}");
    }
}

#[test]
fn what_is_missing_is_named_by_purpose() {
    let all: Vec<usize> = (0..guards::table().len()).collect();
    assert!(guards::missing(&all).is_empty());
    let without_old_resolver: Vec<usize> = all
        .iter()
        .copied()
        .filter(|&nth| !guards::table()[nth].class.ends_with("PlatformNameService"))
        .collect();
    assert!(guards::missing(&without_old_resolver).is_empty());
    let lacks = guards::missing(&without_old_resolver[1..]);
    assert_eq!(lacks.len(), 1);
    assert_eq!((lacks[0].purpose, lacks[0].method), ("exit", "exit"));
}

#[test]
fn guards_hold() {
    let mut texts = Vec::new();
    for jdk in jdks() {
        let (classes, _) = guarded(&jdk.image);
        let bench = Bench::new(jdk);
        bench.compile_standin();
        bench.compile(&["Deeds.java"], "classes");
        bench.write("options", b"a file that is there");
        for ((module, path), bytes) in &classes {
            bench.write(&format!("patches/{module}/{path}"), bytes);
        }
        let patch = bench.patch_of_base(Some(&bench.path("patches/java.base")));
        let mut arguments: Vec<PathBuf> = vec!["-Xverify:all".into(), "--patch-module".into(), patch];
        if bench.path("patches/java.desktop").is_dir() {
            let desktop = format!("java.desktop={}", bench.path("patches/java.desktop").display());
            arguments.extend(["--patch-module".into(), desktop.into()]);
        }
        arguments.extend(["-cp".into(), "classes".into(), "Deeds".into()]);
        texts.push(bench.java(arguments).ok());
    }
    texts.iter().for_each(|text| assert_eq!(text, &texts[0]));
    expect![[r#"
        exit: refused [guard 0 null]
        halt: refused [guard 0 null]
        exec: refused [guard 1 true,x]
        output stream: refused [guard 2 "made-by-deeds"]
        random access: refused [guard 2 "made-by-deeds"]
        random read: done []
        delete: refused [guard 2 made-by-deeds]
        mkdirs: refused [guard 2 made-by-deeds]
        rename: refused [guard 2 made-by-deeds]
        temporary: refused [guard 2 null]
        write: refused [guard 2 UnixPath]
        read: done []
        append: refused [guard 2 UnixPath]
        unlink: refused [guard 2 UnixPath]
        move: refused [guard 2 UnixPath]
        copy: refused [guard 2 UnixPath]
        directory: refused [guard 2 UnixPath]
        link: refused [guard 2 UnixPath]
        times: refused [guard 2 UnixPath]
        mode: refused [guard 2 UnixPath]
        socket: refused [guard 3 null]
        server: refused [guard 3 InetSocketAddress]
        channel: refused [guard 3 null]
        host: refused [guard 3 "some.host.invalid"]
        thread: refused [guard 4 Thread]
        stdin: refused [guard 5 null]
        stdin by hand: refused [guard 5 null]
        file: done []
        library: refused [guard 6 "/no/such/library.so"]
        library of the JDK: done []
        toolkit: refused [guard 7 null]
        desktop: refused [guard 7 null]
        false true
        list (File): lists
        list files: lists
        list (Path): lists
        walk: lists asks
        ask (File): asks
        ask (File): asks
        ask (File): asks
        ask (File): asks
        ask (File): asks
        ask (File): asks
        ask (File): asks
        ask (File): asks
        ask (File): asks
        exists: asks
        does not exist: asks
        is a file: asks
        is a folder: asks
        is a link: asks
        can be read: asks
        size: asks
        name:
        nothing: [0, 0, 0, 0, 0, 0, 0]
        property: [1, 0, 0, 0, 0, 0, 0]
        properties: [1, 0, 0, 0, 0, 0, 0]
        locale: [0, 1, 0, 0, 0, 0, 0]
        time zone: [0, 0, 1, 0, 0, 0, 0]
        streams: [0, 0, 0, 1, 0, 0, 0]
        security: [1, 0, 0, 0, 1, 0, 0]
        thread-local: [0, 0, 0, 0, 0, 0, 1]
    "#]]
    .assert_eq(&texts[0]);
}
