//! What cannot be used as given: the message names the thing and the way out, the exit code is the documented one, and
//! nothing the user had is touched.
//!
//! In: damaged jars, classes, scripts and places, made in a temporary directory. Out: what the real binary says of them.

#![allow(clippy::unwrap_used, reason = "a test ends where something is not as expected")]

#[path = "common/jvms.rs"]
#[allow(dead_code, reason = "only the newest JVM is needed here")]
mod jvms;
#[path = "common/material.rs"]
#[allow(dead_code, reason = "each test binary uses a part of this")]
mod material;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use material::{Place, class_returning};

#[test]
fn a_corrupt_jar_is_named() {
    let place = Place::new();
    place.write("bad.jar", b"PK\x03\x04 this is no jar");
    place.script("1");
    place.run(&["run", "--classpath", "bad.jar", "s"]).fails(2, "`bad.jar` is damaged", "download it again");
}

#[test]
fn a_jar_that_is_none_is_named() {
    let place = Place::new();
    place.write("notes.txt", b"hello");
    place.script("1");
    place.run(&["run", "--classpath", "notes.txt", "s"]).fails(2, "`notes.txt`", "jars and directories");
}

#[test]
fn a_truncated_class_is_named_with_its_place() {
    let place = Place::new();
    let class = class_returning("shop/Cart", 5, None);
    place.write("classes/shop/Cart.class", &class[..class.len() / 2]);
    place.script("shop.Cart.total()");
    let said = place.run(&["run", "--classpath", "classes", "s"]);
    said.fails(2, "class `shop.Cart` in `classes` is damaged", "");
    assert!(said.stderr.contains("s:1:1"), "{}", said.stderr);
}

#[test]
fn a_class_in_the_wrong_file_is_told() {
    let place = Place::new();
    place.write("classes/Other.class", &class_returning("shop/Cart", 5, None));
    place.script("Other.total()");
    let said = place.run(&["run", "--classpath", "classes", "s"]);
    said.fails(2, "the file of class `Other` holds class `shop.Cart`", "");
}

#[test]
fn a_class_newer_than_known_is_tried() {
    let place = Place::new();
    place.write("classes/shop/Cart.class", &class_returning("shop/Cart", 5, Some(70)));
    place.script("shop.Cart.total()");
    let said = place.run(&["run", "--classpath", "classes", "s"]);
    assert!(
        said.stderr.contains("has version 70 (Java 26), newest known is 69 (Java 25)"),
        "{}",
        said.stderr
    );
    // No JVM we know takes it, which is for the JVM to say.
    assert_eq!(said.code, 3, "{}{}", said.stdout, said.stderr);
    assert!(said.stdout.contains("UnsupportedClassVersionError"), "{}", said.stdout);
    said.is_calm();
}

#[test]
fn a_missing_class_path_entry_is_named() {
    let place = Place::new();
    place.script("1");
    place.run(&["run", "--classpath", "nowhere/lib.jar", "s"]).fails(
        2,
        "`nowhere/lib.jar` does not exist",
        "`:`",
    );
}

#[test]
fn a_class_that_is_not_there_gets_near_matches() {
    let place = Place::new();
    place.write("classes/shop/Cart.class", &class_returning("shop/Cart", 5, None));
    place.script("shop.Carr.total()");
    place.run(&["run", "--classpath", "classes", "s"]).fails(2, "no class `shop.Carr`", "`shop.Cart`");
}

#[test]
fn two_versions_of_one_class_are_both_named() {
    let place = Place::new();
    place.write("one/shop/Cart.class", &class_returning("shop/Cart", 1, None));
    place.write("two/shop/Cart.class", &class_returning("shop/Cart", 2, None));
    place.script("shop.Cart.total()");
    let said = place.run(&["run", "--classpath", "one:two", "s"]);
    assert!(said.stderr.contains("class `shop.Cart`"), "{}", said.stderr);
    assert!(said.stderr.contains("`one`, `two`; the first is used"), "{}", said.stderr);
    assert!(said.stdout.contains("= 1"), "{}", said.stdout);
    assert_eq!(said.code, 0);
}

#[test]
fn equal_copies_of_a_class_are_no_news() {
    let place = Place::new();
    for folder in ["one", "two"] {
        place.write(&format!("{folder}/shop/Cart.class"), &class_returning("shop/Cart", 1, None));
    }
    place.script("shop.Cart.total()");
    let said = place.run(&["run", "--classpath", "one:two", "s"]);
    assert_eq!((said.code, said.stderr.as_str()), (0, ""));
}

#[test]
fn a_java_home_without_java_is_named() {
    let place = Place::new();
    fs::create_dir(place.path("empty")).unwrap();
    place.script("1");
    let said = place.run(&["run", "--java-home", "empty", "s"]);
    said.fails(5, "is no Java that probat can use", "`probat doctor`");
    place.run(&["doctor", "--java-home", "nowhere"]).fails_in_data(5, "nowhere", "apt install");
}

#[test]
fn a_jre_without_compiler_is_told_and_used() {
    let place = Place::new();
    let jvm = jvms::newest();
    fs::create_dir(place.path("jre")).unwrap();
    symlink(jvm.home.join("lib"), place.path("jre/lib")).unwrap();
    let version = &jvm.version.text;
    place.write("jre/release", format!("JAVA_VERSION=\"{version}\"\nMODULES=\"java.base\"\n").as_bytes());
    let said = place.run(&["doctor", "--java-home", "jre"]);
    assert_eq!(said.code, 0, "{}{}", said.stdout, said.stderr);
    assert!(said.stdout.contains("warning  compiler"), "{}", said.stdout);
    place.script("Math.max(1, 2)");
    assert_eq!(place.run(&["run", "--java-home", "jre", "s"]).code, 0);
}

#[test]
fn a_directory_that_cannot_be_read_is_named() {
    let place = Place::new();
    // A link to itself cannot be followed by anybody, whatever their rights.
    symlink("loop", place.path("loop")).unwrap();
    place.script("1");
    place.run(&["run", "--classpath", "loop", "s"]).fails(2, "cannot read `loop`", "permission");
}

#[test]
fn scripts_that_cannot_be_read_are_named() {
    let place = Place::new();
    place.write("binary", &[0xff, 0xfe, 0x00]);
    place.run(&["run", "binary"]).fails(2, "`binary`", "UTF-8");
    place.run(&["run", "nowhere.probat"]).fails(2, "`nowhere.probat`", "--help");
    fs::create_dir(place.path("folder")).unwrap();
    place.run(&["run", "folder"]).fails(2, "`folder`", "name a file");
}

#[test]
fn an_empty_script_is_nothing_to_test() {
    let place = Place::new();
    place.script("# nothing\n\n");
    place.run(&["run", "s"]).fails(4, "`s` has no steps", "one per line");
}

#[test]
fn wrong_usage_says_what_is_right() {
    let place = Place::new();
    place.script("1");
    place.run(&["run"]).fails(2, "<FILE>", "--help");
    place.run(&["run", "--time-limit-per-call", "2", "s"]).fails(2, "such as 500ms, 2s or 1m", "");
    place.run(&["run", "--stats", "all", "s"]).fails(2, "--stats", "--states");
    place.run(&["run", "--edges", "--instrument", "no.such.*", "s"]).fails(2, "no class matches", "");
}

#[test]
fn a_full_disk_under_the_output_is_told() {
    let place = Place::new();
    place.script("Math.max(1, 2)");
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let said = place.run_with(&["run", "s"], |command| {
        command.stdout(full);
    });
    said.fails(5, "cannot write the output", "free some space");
}

#[test]
fn a_full_disk_under_temporary_files_is_told() {
    let place = Place::new();
    place.script("Math.max(1, 2)");
    fs::create_dir(place.path("tiny")).unwrap();
    let (tiny, probat) = (place.path("tiny"), env!("CARGO_BIN_EXE_probat"));
    let java_home = jvms::newest().home.display();
    let mount = format!("mount -t tmpfs -o size=16k probat '{}'", tiny.display());
    let run = format!("TMPDIR='{}' exec '{probat}' run --java-home '{java_home}' s", tiny.display());
    for namespace in ["-m", "-rm"] {
        let mut sandboxed = Command::new("unshare");
        sandboxed.args([namespace, "sh", "-c", &format!("{mount} || exit 99; {run}")]);
        let said = place.output(&mut sandboxed);
        // Without the right to mount anything there is no small disk to fill.
        if said.code != 99 && !said.stderr.starts_with("unshare:") {
            return said.fails(5, "no space left for temporary files", "TMPDIR");
        }
    }
    let said = place.run_with(&["run", "s"], |command| {
        command.env("TMPDIR", "/proc/self");
    });
    said.fails(5, "cannot write temporary files", "TMPDIR");
}

#[test]
fn a_place_without_temporary_files_is_told() {
    let place = Place::new();
    place.script("Math.max(1, 2)");
    let said = place.run_with(&["run", "s"], |command| {
        command.env("TMPDIR", place.path("nowhere"));
    });
    said.fails(5, "cannot write temporary files", "TMPDIR");
}

#[test]
fn nothing_the_user_had_is_touched() {
    let place = Place::new();
    place.write("classes/shop/Cart.class", &class_returning("shop/Cart", 5, None));
    place.write("keep.txt", b"mine");
    place.script("shop.Cart.total()\nnew java.io.File(\"keep.txt\").delete()\nnew java.io.File(\"new.txt\").createNewFile()");
    let before = listing(place.root());
    let said = place.run(&["run", "--classpath", "classes", "--past-exceptions", "--edges", "s"]);
    said.is_calm();
    assert_eq!(listing(place.root()), before);
    assert_eq!(fs::read(place.path("keep.txt")).unwrap(), b"mine");
}

/// Every file below a directory with its length, sorted.
fn listing(root: &Path) -> Vec<(String, u64)> {
    let mut found = Vec::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let meta = entry.metadata().unwrap();
            found.push((entry.path().display().to_string(), meta.len()));
            if meta.is_dir() {
                open.push(entry.path());
            }
        }
    }
    found.sort();
    found
}
