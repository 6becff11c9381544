//! The class libraries of the JDKs on this machine.
//!
//! Looked for in `PROBAT_TEST_JDKS` (a path list), `JAVA_HOME`, `java` on the path and the usual folders; one at least must exist.

#![allow(clippy::unwrap_used)] // helpers of tests fail by panicking

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use probat_classpath::{ClassPath, ClassPathError, Classes, JdkImage, OpenOptions, Origin, ReleaseApi};
use probat_model::ClassName;
use zip::write::{SimpleFileOptions, ZipWriter};

fn homes() -> Vec<PathBuf> {
    let mut candidates: Vec<PathBuf> = Vec::new();
    if let Some(list) = std::env::var_os("PROBAT_TEST_JDKS") {
        candidates.extend(std::env::split_paths(&list));
    }
    candidates.extend(std::env::var_os("JAVA_HOME").map(PathBuf::from));
    for folder in std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()) {
        if let Ok(java) = fs::canonicalize(folder.join("java")) {
            candidates.extend(java.ancestors().nth(2).map(Path::to_path_buf));
        }
    }
    for root in ["/usr/lib/jvm", "/Library/Java/JavaVirtualMachines"] {
        for child in fs::read_dir(root).into_iter().flatten().flatten() {
            candidates.push(child.path());
            candidates.push(child.path().join("Contents/Home"));
        }
    }
    let mut homes: Vec<_> = candidates
        .iter()
        .filter(|home| home.join("lib/modules").is_file())
        .filter_map(|home| fs::canonicalize(home).ok())
        .collect();
    homes.sort();
    homes.dedup();
    assert!(!homes.is_empty(), "no JDK found: set PROBAT_TEST_JDKS");
    homes
}

#[test]
fn what_came_after_a_release_is_not_there() {
    for home in homes().into_iter().filter(|home| home.join("lib/ct.sym").is_file()) {
        let api = ReleaseApi::open(&home, 8).unwrap().unwrap();
        let (list, text) = (ClassName::internal("java/util/List"), ClassName::internal("java/lang/String"));
        assert!(api.declares(&list, "size", "()I"));
        assert!(api.declares(&list, "sort", "(Ljava/util/Comparator;)V"));
        assert!(!api.declares(&list, "of", "()Ljava/util/List;"));
        assert!(api.declares(&text, "CASE_INSENSITIVE_ORDER", "Ljava/util/Comparator;"));
        assert!(!api.declares(&text, "repeat", "(I)Ljava/lang/String;"));
        let later = ClassName::internal("java/lang/ProcessHandle");
        assert!(api.has_class(&list) && !api.has_class(&later) && !api.declares(&later, "pid", "()J"));
        let next = ReleaseApi::open(&home, 9).unwrap().unwrap();
        assert!(next.declares(&list, "of", "()Ljava/util/List;") && next.has_class(&later));
        assert!(ReleaseApi::open(&home, 3).unwrap().is_none(), "no JDK that has modules knows it");
    }
}

#[test]
fn every_class_of_the_image_is_found_and_starts_with_the_magic_number() {
    for home in homes() {
        let jdk = JdkImage::open(&home).unwrap();
        let mut count = 0;
        let mut last = (String::new(), ClassName::internal(""));
        for class in jdk.iter() {
            let read = jdk.find(class.name).unwrap().unwrap();
            assert_eq!(read.bytes[..4], [0xca, 0xfe, 0xba, 0xbe], "{}", class.name);
            let here = (class.module.unwrap().to_string(), class.name.clone());
            assert!(last < here, "{last:?} before {here:?}");
            last = here;
            count += 1;
        }
        assert!(count > 5000, "{count} classes in {home:?}");
        assert!(jdk.release().unwrap() >= 9);
    }
}

#[test]
fn classes_know_their_module() {
    let jdk = JdkImage::open(&homes()[0]).unwrap();
    let list = ClassName::binary("java.util.List");
    assert_eq!(jdk.module_of(&list), Some("java.base"));
    let found = jdk.find(&list).unwrap().unwrap();
    assert_eq!(*found.origin, Origin::Jdk { module: "java.base".into() });
    assert!(jdk.modules().iter().any(|module| module == "java.base"));
    let nothing = ClassName::binary("java.util.Lost");
    assert!(jdk.find(&nothing).unwrap().is_none() && jdk.module_of(&nothing).is_none());
}

#[test]
fn the_jdk_hides_equal_names_of_the_class_path() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("java/util")).unwrap();
    fs::write(dir.path().join("java/util/List.class"), b"mine").unwrap();
    fs::write(dir.path().join("Listt.class"), b"mine too").unwrap();
    let classes = Classes {
        jdk: Some(JdkImage::open(&homes()[0]).unwrap()),
        path: ClassPath::open(&[dir.path()], &OpenOptions { release: 17 }),
    };
    let list = classes.find(&ClassName::binary("java.util.List")).unwrap().unwrap();
    assert!(matches!(&*list.origin, Origin::Jdk { .. }));
    let own = classes.find(&ClassName::internal("Listt")).unwrap().unwrap();
    assert_eq!(&*own.bytes, b"mine too");
    assert_eq!(classes.near("java.util.list", 1)[0].to_string(), "java.util.List");
}

#[test]
fn an_image_cut_off_anywhere_is_an_error() {
    let modules = homes()[0].join("lib/modules");
    let mut head = Vec::new();
    File::open(&modules).unwrap().take(12 << 20).read_to_end(&mut head).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let copy = dir.path().join("lib/modules");
    fs::create_dir_all(copy.parent().unwrap()).unwrap();
    for length in [3, 27, 28, 1000, 200_000, 3 << 20, 12 << 20] {
        fs::write(&copy, &head[..length]).unwrap();
        let error = JdkImage::open(dir.path()).unwrap_err();
        assert!(matches!(error, ClassPathError::DamagedImage { .. }), "{length}: {error}");
    }
}

#[test]
fn a_directory_without_class_library_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let error = JdkImage::open(dir.path()).unwrap_err();
    assert!(matches!(error, ClassPathError::NoClassLibrary { home } if home == dir.path()));
}

#[test]
fn java_8_keeps_its_library_in_jars() {
    let dir = tempfile::tempdir().unwrap();
    let lib = dir.path().join("jre/lib");
    fs::create_dir_all(&lib).unwrap();
    let mut writer = ZipWriter::new(File::create(lib.join("rt.jar")).unwrap());
    writer.start_file("java/lang/Object.class", SimpleFileOptions::default()).unwrap();
    writer.write_all(b"object").unwrap();
    writer.finish().unwrap();
    fs::write(dir.path().join("release"), "JAVA_VERSION=\"1.8.0_402\"\n").unwrap();
    let jdk = JdkImage::open(dir.path()).unwrap();
    assert_eq!(jdk.release(), Some(8));
    let object = ClassName::binary("java.lang.Object");
    assert_eq!(&*jdk.find(&object).unwrap().unwrap().bytes, b"object");
    assert_eq!((jdk.iter().count(), jdk.module_of(&object)), (1, None));
}
