//! Class paths built from jars and directories made here.

#![allow(clippy::unwrap_used)] // helpers of tests fail by panicking

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use expect_test::{Expect, expect};
use probat_classpath::{ClassPath, ClassPathError, ModuleKind, OpenOptions, Origin};
use probat_model::ClassName;
use tempfile::TempDir;
use zip::CompressionMethod;
use zip::write::{SimpleFileOptions, ZipWriter};

fn zip_bytes(files: &[(&str, &[u8])], method: CompressionMethod) -> Vec<u8> {
    let mut writer = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(method);
    for (name, bytes) in files {
        writer.start_file(*name, options).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn jar(dir: &TempDir, name: &str, files: &[(&str, &[u8])]) -> PathBuf {
    let path = dir.path().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, zip_bytes(files, CompressionMethod::Deflated)).unwrap();
    path
}

/// The smallest class file that declares a module.
fn module(name: &str) -> Vec<u8> {
    let mut bytes = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 53, 0, 6];
    let text = |bytes: &mut Vec<u8>, text: &str| {
        bytes.push(1);
        bytes.extend((text.len() as u16).to_be_bytes());
        bytes.extend(text.as_bytes());
    };
    text(&mut bytes, name);
    text(&mut bytes, "module-info");
    text(&mut bytes, "Module");
    bytes.extend([7, 0, 2, 19, 0, 1]);
    // Flags, this class, no superclass, no interfaces, fields or methods, one attribute.
    bytes.extend([0x80, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 3, 0, 0, 0, 16]);
    // Name, flags, no version, no requires, exports, opens, uses or provides.
    bytes.extend([0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    bytes
}

fn open<P: AsRef<Path>>(paths: &[P]) -> ClassPath {
    ClassPath::open(paths, &OpenOptions { release: 17 })
}

/// Lists classes as `name = content @ origin`, then the problems, with the temporary directory cut off.
#[track_caller]
fn check(dir: &TempDir, path: &ClassPath, expected: Expect) {
    let mut text = String::new();
    for class in path.iter() {
        let content = match class.read() {
            Ok(read) => String::from_utf8_lossy(&read.bytes).into_owned(),
            Err(error) => format!("<{error}>"),
        };
        let mark = if class.shadowed { " (shadowed)" } else { "" };
        text += &format!("{} = {content} @ {}{mark}\n", class.name, class.entry.origin);
    }
    for problem in path.problems() {
        text += &format!("problem: {problem}\n");
    }
    expected.assert_eq(&text.replace(&format!("{}/", dir.path().display()), ""));
}

fn found(path: &ClassPath, name: &str) -> Option<String> {
    let found = path.find(&ClassName::binary(name)).unwrap()?;
    Some(String::from_utf8(found.bytes.into_owned()).unwrap())
}

#[test]
fn directories_and_jars_are_searched_in_order() {
    let dir = TempDir::new().unwrap();
    let classes = dir.path().join("classes");
    fs::create_dir_all(classes.join("a/b")).unwrap();
    fs::write(classes.join("a/b/Z.class"), b"dir Z").unwrap();
    fs::write(classes.join("a/Y.class"), b"dir Y").unwrap();
    fs::write(classes.join("a/note.txt"), b"no class").unwrap();
    let jar = jar(&dir, "x.jar", &[("a/b/Z.class", b"jar Z"), ("A.class", b"jar A")]);
    let path = open(&[&classes, &jar]);
    check(
        &dir,
        &path,
        expect![[r#"
            a.Y = dir Y @ classes
            a.b.Z = dir Z @ classes
            A = jar A @ x.jar
            a.b.Z = jar Z @ x.jar (shadowed)
        "#]],
    );
    assert_eq!(found(&path, "a.b.Z").as_deref(), Some("dir Z"));
    assert_eq!(found(&path, "a.b.Q"), None);
    let duplicate = path.duplicates().next().unwrap();
    assert_eq!(duplicate.name.to_string(), "a.b.Z");
    let origins: Vec<_> = duplicate.entries.iter().map(|class| class.entry.origin.clone()).collect();
    assert_eq!(origins, [Origin::Directory(classes), Origin::Jar(jar)]);
    assert!(duplicate.differs().unwrap());
    assert_eq!(path.duplicates().count(), 1);
}

#[test]
fn equal_copies_do_not_differ() {
    let dir = TempDir::new().unwrap();
    let one = jar(&dir, "1.jar", &[("A.class", b"same"), ("p/package-info.class", b"x")]);
    let two = jar(&dir, "2.jar", &[("A.class", b"same"), ("p/package-info.class", b"y")]);
    let path = open(&[one, two]);
    let duplicates: Vec<_> = path.duplicates().collect();
    assert_eq!(duplicates.len(), 1);
    assert!(!duplicates[0].differs().unwrap());
}

#[test]
fn multi_release_entries_need_the_manifest_and_the_release() {
    let dir = TempDir::new().unwrap();
    let files: [(&str, &[u8]); 5] = [
        ("A.class", b"base"),
        ("META-INF/versions/9/A.class", b"nine"),
        ("META-INF/versions/11/A.class", b"eleven"),
        ("META-INF/versions/21/A.class", b"twenty-one"),
        ("META-INF/versions/11/OnlyNew.class", b"new"),
    ];
    let mut with_manifest = vec![("META-INF/MANIFEST.MF", &b"Multi-Release: true\r\n"[..])];
    with_manifest.extend(files);
    let plain = jar(&dir, "plain.jar", &files);
    let multi = jar(&dir, "multi.jar", &with_manifest);
    let view = |jar: &Path, release| {
        let path = ClassPath::open(&[jar], &OpenOptions { release });
        (found(&path, "A").unwrap(), found(&path, "OnlyNew"))
    };
    assert_eq!(view(&plain, 17), ("base".into(), None));
    assert_eq!(view(&multi, 8), ("base".into(), None));
    assert_eq!(view(&multi, 10), ("nine".into(), None));
    assert_eq!(view(&multi, 17), ("eleven".into(), Some("new".into())));
    assert_eq!(view(&multi, 25), ("twenty-one".into(), Some("new".into())));
}

#[test]
fn manifests_lead_to_further_jars_without_running_in_circles() {
    let dir = TempDir::new().unwrap();
    let first = jar(
        &dir,
        "first.jar",
        &[
            (
                "META-INF/MANIFEST.MF",
                b"Class-Path: lib/second%20one.jar missing.jar http://example.org/x.jar\n",
            ),
            ("A.class", b"1"),
        ],
    );
    jar(
        &dir,
        "lib/second one.jar",
        &[("META-INF/MANIFEST.MF", b"Class-Path: ../first.jar classes/\n"), ("B.class", b"2")],
    );
    fs::create_dir_all(dir.path().join("lib/classes")).unwrap();
    fs::write(dir.path().join("lib/classes/C.class"), b"3").unwrap();
    let last = jar(&dir, "last.jar", &[("D.class", b"4")]);
    check(
        &dir,
        &open(&[&first, &last, &first]),
        expect![[r#"
            A = 1 @ first.jar
            B = 2 @ lib/second one.jar
            C = 3 @ lib/classes/
            D = 4 @ last.jar
        "#]],
    );
}

#[test]
fn jars_inside_executable_jars_are_read_and_unpacked() {
    let dir = TempDir::new().unwrap();
    let inner =
        zip_bytes(&[("lib/L.class", b"library"), ("app/Main.class", b"older")], CompressionMethod::Deflated);
    let app = jar(
        &dir,
        "app.jar",
        &[
            ("org/springframework/boot/loader/Launcher.class", b"loader"),
            ("BOOT-INF/classes/app/Main.class", b"main"),
            ("BOOT-INF/classes/application.yml", b"port: 1"),
            ("BOOT-INF/lib/inner.jar", &inner),
            ("BOOT-INF/lib/broken.jar", b"PK but no jar"),
        ],
    );
    let war =
        jar(&dir, "site.war", &[("WEB-INF/classes/w/W.class", b"web"), ("WEB-INF/lib/inner.jar", &inner)]);
    let path = open(&[&app, &war]);
    check(
        &dir,
        &path,
        expect![[r#"
            org.springframework.boot.loader.Launcher = loader @ app.jar
            app.Main = main @ app.jar!/BOOT-INF/classes/
            app.Main = older @ app.jar!/BOOT-INF/lib/inner.jar (shadowed)
            lib.L = library @ app.jar!/BOOT-INF/lib/inner.jar
            w.W = web @ site.war!/WEB-INF/classes/
            app.Main = older @ site.war!/WEB-INF/lib/inner.jar (shadowed)
            lib.L = library @ site.war!/WEB-INF/lib/inner.jar (shadowed)
            problem: jar `app.jar!/BOOT-INF/lib/broken.jar` is damaged: invalid Zip archive: Could not find EOCD
        "#]],
    );
    let scratch = TempDir::new().unwrap();
    let plain = path.extract_nested(scratch.path()).unwrap();
    assert_eq!(plain.len(), path.entries().len());
    assert_eq!(plain[0], app);
    assert!(plain[1].starts_with(scratch.path()));
    assert_eq!(fs::read(plain[1].join("application.yml")).unwrap(), b"port: 1");
    let reopened = open(&plain);
    assert_eq!(found(&reopened, "app.Main").as_deref(), Some("main"));
    assert_eq!(found(&reopened, "lib.L").as_deref(), Some("library"));
    assert_eq!(found(&reopened, "w.W").as_deref(), Some("web"));
}

#[test]
fn unpacking_never_leaves_the_scratch_directory() {
    let dir = TempDir::new().unwrap();
    let app = jar(
        &dir,
        "app.jar",
        &[("BOOT-INF/classes/A.class", b"a"), ("BOOT-INF/classes/../../../evil.txt", b"out")],
    );
    let scratch = dir.path().join("s/c/r");
    let error = open(&[app]).extract_nested(&scratch).unwrap_err();
    assert!(matches!(error, ClassPathError::DamagedEntry { entry, .. } if entry.contains("evil.txt")));
    assert!(!dir.path().join("s/evil.txt").exists() && !dir.path().join("evil.txt").exists());
}

#[test]
fn jars_say_whether_they_are_sealed_signed_or_modules() {
    let dir = TempDir::new().unwrap();
    let manifest: &[u8] = b"Sealed: true\nAutomatic-Module-Name: acme.one\n\nName: a/open/\nSealed: false\n";
    let one =
        jar(&dir, "1.jar", &[("META-INF/MANIFEST.MF", manifest), ("META-INF/KEY.SF", b""), ("A.class", b"")]);
    let two = jar(&dir, "2.jar", &[("module-info.class", &module("acme.two")), ("B.class", b"")]);
    let multi: &[u8] = b"Multi-Release: true\n";
    let (nine, newer) = (module("acme.three"), module("acme.newer"));
    let three = jar(
        &dir,
        "3.jar",
        &[
            ("META-INF/MANIFEST.MF", multi),
            ("META-INF/versions/9/module-info.class", &nine),
            ("META-INF/versions/21/module-info.class", &newer),
        ],
    );
    let broken = jar(&dir, "4.jar", &[("module-info.class", b"no class file")]);
    let path = open(&[one, two, three, broken]);
    let facts: Vec<_> = path.entries().iter().map(|entry| &entry.facts).collect();
    assert_eq!(facts[0].module, Some(ModuleKind::Automatic("acme.one".into())));
    assert!(facts[0].signed && facts[0].manifest.seals("a/shut") && !facts[0].manifest.seals("a/open"));
    assert!(!facts[1].signed && !facts[1].manifest.seals("a/shut"));
    assert_eq!(facts[1].module, Some(ModuleKind::Explicit(Some("acme.two".into()))));
    assert_eq!(facts[2].module, Some(ModuleKind::Explicit(Some("acme.three".into()))));
    assert_eq!(facts[3].module, Some(ModuleKind::Explicit(None)));
    assert_eq!(path.iter().count(), 2);
}

#[test]
fn bad_entries_are_named_and_the_rest_goes_on() {
    let dir = TempDir::new().unwrap();
    let good = jar(&dir, "good.jar", &[("A.class", b"fine")]);
    let whole = fs::read(&good).unwrap();
    let cut = dir.path().join("cut.jar");
    fs::write(&cut, &whole[..whole.len() - 30]).unwrap();
    let text = dir.path().join("Main.java");
    fs::write(&text, "class Main {}").unwrap();
    let empty = dir.path().join("empty.jar");
    File::create(&empty).unwrap();
    let path = open(&[&dir.path().join("nowhere"), &cut, &text, &empty, &dir.path().join("libs/*"), &good]);
    check(
        &dir,
        &path,
        expect![[r#"
            A = fine @ good.jar
            problem: class path entry `nowhere` does not exist
            problem: jar `cut.jar` is damaged: invalid Zip archive: Could not find EOCD
            problem: `Main.java` is neither a directory nor a jar
            problem: `empty.jar` is neither a directory nor a jar
            problem: class path entry `libs` does not exist
        "#]],
    );
}

#[test]
fn damaged_entries_name_jar_and_entry() {
    let dir = TempDir::new().unwrap();
    let mut bytes =
        zip_bytes(&[("A.class", b"contents of A"), ("B.class", b"contents of B")], CompressionMethod::Stored);
    let at = bytes.windows(13).position(|window| window == b"contents of A").unwrap();
    bytes[at] ^= 0xff;
    let jar = dir.path().join("flip.jar");
    fs::write(&jar, bytes).unwrap();
    check(
        &dir,
        &open(&[jar]),
        expect![[r#"
            A = <entry `A.class` of `flip.jar` is damaged: Invalid checksum> @ flip.jar
            B = contents of B @ flip.jar
        "#]],
    );
}

#[test]
fn a_class_that_inflates_without_end_is_refused() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("bomb.jar");
    let mut writer = ZipWriter::new(File::create(&path).unwrap());
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    writer.start_file("Bomb.class", options.compression_level(Some(1))).unwrap();
    let zeros = vec![0; 1 << 20];
    for _ in 0..65 {
        writer.write_all(&zeros).unwrap();
    }
    writer.finish().unwrap();
    assert!(fs::metadata(&path).unwrap().len() < 1 << 20);
    let error = open(&[path]).find(&ClassName::internal("Bomb")).unwrap_err();
    assert!(matches!(error, ClassPathError::TooLarge { entry, .. } if entry == "Bomb.class"));
}

#[test]
fn a_jar_removed_after_opening_is_an_error_not_an_absence() {
    let dir = TempDir::new().unwrap();
    let jar = jar(&dir, "x.jar", &[("A.class", b"1")]);
    let path = open(&[&jar]);
    fs::remove_file(&jar).unwrap();
    let error = path.find(&ClassName::internal("A")).unwrap_err();
    assert!(matches!(error, ClassPathError::Unreadable { path, .. } if path == jar));
}

#[cfg(unix)]
#[test]
fn links_that_lead_back_up_or_nowhere_do_not_hang_the_walk() {
    let dir = TempDir::new().unwrap();
    let root = dir.path().join("classes");
    fs::create_dir_all(root.join("p")).unwrap();
    fs::write(root.join("p/A.class"), b"a").unwrap();
    std::os::unix::fs::symlink(&root, root.join("p/up")).unwrap();
    std::os::unix::fs::symlink("self.class", root.join("self.class")).unwrap();
    check(
        &dir,
        &open(&[root]),
        expect![[r#"
            p.A = a @ classes
            problem: cannot read `classes/self.class`
        "#]],
    );
}
