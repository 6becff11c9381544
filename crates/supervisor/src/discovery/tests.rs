//! Discovery on made-up installations.

use super::*;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::TempDir;

/// A made-up machine. One at a time: a program cannot be started while another thread's child still holds the file it
/// was written through.
struct Machine {
    folder: TempDir,
    _turn: MutexGuard<'static, ()>,
}

impl Machine {
    fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Makes a Java home; `release` `None` leaves that file out.
fn java(at: &Path, release: Option<&str>) {
    for folder in ["bin", "lib/server"] {
        fs::create_dir_all(at.join(folder)).unwrap();
    }
    fs::write(at.join("lib/server/libjvm.so"), "").unwrap();
    fs::write(at.join("lib/modules"), "").unwrap();
    if let Some(release) = release {
        fs::write(at.join("release"), release).unwrap();
    }
}

/// A program that answers as `java -XshowSettings:properties -version` does.
fn program(at: &Path, home: &Path, version: &str) {
    fs::create_dir_all(at.parent().unwrap()).unwrap();
    let text = format!(
        "#!/bin/sh\necho 'Property settings:' >&2\necho '    java.home = {}' >&2\necho '    java.version = {version}' >&2\n",
        home.display()
    );
    fs::write(at, text).unwrap();
    fs::set_permissions(at, fs::Permissions::from_mode(0o755)).unwrap();
}

fn places(machine: &Machine) -> Places {
    Places { path: Some(OsString::new()), folders: vec![machine.path().join("jvm")], ..Places::default() }
}

fn machine() -> Machine {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    Machine { folder: tempfile::tempdir().unwrap(), _turn: turn }
}

const V17: &str = "JAVA_VERSION=\"17.0.15\"\nMODULES=\"java.base jdk.compiler\"\n";

#[test]
fn versions_are_read_and_ordered() {
    let feature = |text| JavaVersion::parse(text).map(|version| version.feature);
    assert_eq!(
        [feature("17.0.15"), feature("25-ea"), feature("1.8.0_402"), feature("x")],
        [Some(17), Some(25), Some(8), None]
    );
    assert!(JavaVersion::parse("17.0.9").unwrap() < JavaVersion::parse("17.0.15").unwrap());
}

#[test]
fn the_newest_supported_of_the_known_folders_is_taken() {
    let machine = machine();
    for (name, version) in [("a", "11.0.2"), ("b", "21"), ("c", "27"), ("d", "1.8.0_402"), ("e", "21.0.1")] {
        java(&machine.path().join("jvm").join(name), Some(&format!("JAVA_VERSION=\"{version}\"")));
    }
    let found = discover_all(&places(&machine));
    let versions: Vec<_> = found.jvms.iter().map(|jvm| jvm.version.text.as_str()).collect();
    assert_eq!(versions, ["21.0.1", "21", "11.0.2", "27"]);
    assert!(found.jvms[3].warnings[0].contains("newer than 25"));
    assert!(found.rejected.iter().any(|rejected| rejected.reason == "is Java 8, older than 11"));
    assert!(!found.jvms[0].has_compiler);
}

#[test]
fn what_the_user_said_comes_first() {
    let machine = machine();
    let at = |name: &str| machine.path().join(name);
    java(&at("jvm/21"), Some("JAVA_VERSION=\"21\""));
    java(&at("mine"), Some(V17));
    java(&at("path"), Some("JAVA_VERSION=\"11.0.1\""));
    program(&at("path/bin/java"), &at("nowhere"), "0");
    fs::create_dir(at("links")).unwrap();
    symlink(at("path/bin/java"), at("links/java")).unwrap();
    let mut places = places(&machine);
    let version = |places: &Places| {
        let jvm = discover(places).unwrap();
        (jvm.version.text, jvm.found_in)
    };
    assert_eq!(version(&places).0, "21");
    places.path = Some(at("links").into());
    assert_eq!(version(&places), ("11.0.1".into(), "PATH".into()));
    places.java_home = Some(at("mine"));
    assert_eq!(version(&places), ("17.0.15".into(), "JAVA_HOME".into()));
    places.explicit = Some(at("path/bin/java"));
    assert_eq!(version(&places), ("11.0.1".into(), "--java-home".into()));
    assert_eq!(discover_all(&places).jvms.len(), 3, "each home once");
}

#[test]
fn a_named_home_that_will_not_do_is_an_error() {
    let machine = machine();
    java(&machine.path().join("jvm/21"), Some("JAVA_VERSION=\"21\""));
    let check = |name: &str, reason: &str| {
        let home = machine.path().join(name);
        let places = Places { explicit: Some(home.clone()), ..places(&machine) };
        let text = format!("`{}` is no Java that probat can use: {reason}", home.display());
        assert_eq!(discover(&places).unwrap_err().to_string(), text);
    };
    check("missing", "no such file or directory (os error 2)");
    fs::create_dir(machine.path().join("empty")).unwrap();
    check("empty", "is no Java home: it has no file `release` and no `bin/java`");
    java(&machine.path().join("old"), Some("JAVA_VERSION=\"1.8.0_402\""));
    check("old", "is Java 8, older than 11");
    java(&machine.path().join("arm"), Some("JAVA_VERSION=\"17\"\nOS_ARCH=\"sparc\""));
    check("arm", &format!("is built for sparc, not for {}", std::env::consts::ARCH));
    java(&machine.path().join("bare"), Some("JAVA_VERSION=\"17\""));
    fs::remove_file(machine.path().join("bare/lib/server/libjvm.so")).unwrap();
    check("bare", "has no `lib/server/libjvm.so`");
}

#[test]
fn an_unusable_java_home_is_told_but_does_not_stop_the_search() {
    let machine = machine();
    java(&machine.path().join("jvm/21"), Some("JAVA_VERSION=\"21\""));
    let places = Places { java_home: Some(machine.path().join("gone")), ..places(&machine) };
    let jvm = discover(&places).unwrap();
    assert_eq!(jvm.version.feature, 21);
    assert!(jvm.warnings[0].starts_with("not used, JAVA_HOME ("), "{:?}", jvm.warnings);
}

#[test]
fn a_shim_on_the_path_is_asked_for_its_home() {
    let machine = machine();
    let home = machine.path().join("versions/17");
    java(&home, Some(V17));
    program(&machine.path().join("shims/java"), &home, "17.0.15");
    let path = Some(machine.path().join("shims").into());
    let jvm = discover(&Places { path, ..Places::default() }).unwrap();
    assert_eq!((jvm.home, jvm.has_compiler), (fs::canonicalize(&home).unwrap(), true));
}

#[test]
fn a_home_without_release_is_asked_for_its_version() {
    let machine = machine();
    let home = machine.path().join("jvm/x");
    java(&home, None);
    program(&home.join("bin/java"), &home, "18.0.1");
    assert_eq!(discover(&places(&machine)).unwrap().version.text, "18.0.1");
}

#[test]
fn nothing_anywhere_lists_every_place() {
    let machine = machine();
    fs::create_dir(machine.path().join("jvm")).unwrap();
    let folder = machine.path().join("jvm").display().to_string();
    let mut places = places(&machine);
    places.folders.push(machine.path().join("opt"));
    let text = discover(&places).unwrap_err().to_string();
    let expected = format!(
        "no Java from 11 to 25 found; looked at\n  --java-home: not given\n  JAVA_HOME: not set\n  PATH: no `java` in any of its folders\n  {folder}: no Java in it\n  {}: not there",
        machine.path().join("opt").display()
    );
    assert_eq!(text, expected);
}

#[test]
fn what_is_really_installed_can_be_loaded_from() {
    for jvm in discover_all(&Places::of_this_machine(None)).jvms {
        assert!(jvm.libjvm.is_file() && jvm.home.join("lib/modules").is_file(), "{jvm:?}");
        assert!(jvm.version.feature >= OLDEST_FEATURE, "{jvm:?}");
    }
}
