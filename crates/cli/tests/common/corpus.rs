//! The Java sources in `tests/corpus`, compiled once.
//!
//! In: sources, the first compiler found. Out: a folder of class files, and what is declared in them.
//! The folder lies in the build's own temporary directory under a name made of the sources, so that it is compiled
//! again only when they change.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use probat_classfile::{AccessFlags, ClassFile};
use probat_model::{ClassName, MethodDescriptor, StateHash};
use probat_supervisor::{ProbeTable, plan_probes};

/// The oldest release that workers run on.
const RELEASE: &str = "11";

/// The folders of `tests/corpus` used here; each is also the package of its classes.
const FOLDERS: [&str; 2] = ["hostile", "observed"];

/// The compiled classes.
#[derive(Debug)]
pub struct Corpus {
    pub folder: PathBuf,
    classes: BTreeMap<ClassName, (Vec<u8>, ClassFile)>,
    /// Which probe is which edge.
    pub probes: ProbeTable,
}

/// A method as declared.
#[derive(Debug)]
pub struct Declared {
    pub class: ClassName,
    pub descriptor: MethodDescriptor,
    pub is_static: bool,
    pub interface: bool,
}

/// Code that turns on whoever runs it, and code known by heart.
pub static CORPUS: LazyLock<Corpus> = LazyLock::new(Corpus::compile);

impl Corpus {
    fn compile() -> Corpus {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus");
        let sources: Vec<PathBuf> = FOLDERS.iter().flat_map(|folder| sources(&corpus.join(folder))).collect();
        let mut all = Vec::new();
        for source in &sources {
            all.extend_from_slice(&fs::read(source).unwrap());
        }
        let temp = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let folder = temp.join(format!("corpus-{}", StateHash::of(&all)));
        if !folder.is_dir() {
            let fresh = tempfile::tempdir_in(temp).unwrap();
            javac(&sources, fresh.path());
            // Another test program may have been quicker, and then its folder is as good.
            let _ = fs::rename(fresh.path(), &folder);
        }
        let classes = read_classes(&folder);
        let bytes = classes.iter().map(|(name, (bytes, _))| (name.clone(), Cow::Borrowed(bytes.as_slice())));
        let probes = plan_probes(bytes);
        Corpus { folder, classes, probes }
    }

    /// The full name of a class of the corpus, whose package may be left out.
    #[track_caller]
    pub fn class(&self, name: &str) -> ClassName {
        let full = FOLDERS.iter().map(|package| ClassName::internal(&format!("{package}/{name}")));
        full.into_iter()
            .find(|full| self.classes.contains_key(full))
            .unwrap_or_else(|| panic!("no class {name}"))
    }

    /// Names of all classes.
    pub fn names(&self) -> impl Iterator<Item = &ClassName> {
        self.classes.keys()
    }

    /// The method of a class with this name and number of parameters.
    #[track_caller]
    pub fn method(&self, class: &str, name: &str, params: usize) -> Declared {
        let class = self.class(class);
        let file = &self.classes[&class].1;
        let fits = file.methods.iter().find(|method| {
            method.name(&file.pool).unwrap() == name
                && method.descriptor(&file.pool).unwrap().params.len()
                    + usize::from(name != "<init>" && !method.access.has(AccessFlags::STATIC))
                    == params
        });
        let method = fits.unwrap_or_else(|| panic!("{class} has no {name} that takes {params}"));
        Declared {
            descriptor: method.descriptor(&file.pool).unwrap(),
            is_static: method.access.has(AccessFlags::STATIC),
            interface: file.access.has(AccessFlags::INTERFACE),
            class,
        }
    }
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|ending| ending == "java") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn javac(sources: &[PathBuf], into: &Path) {
    let jdk = super::jvms::all().iter().find(|jvm| jvm.has_compiler);
    let javac = jdk.map_or_else(|| "javac".into(), |jvm| jvm.home.join("bin/javac"));
    let done = Command::new(&javac)
        .args(["--release", RELEASE, "-g", "-nowarn", "-Xlint:none", "-encoding", "UTF-8", "-d"])
        .arg(into)
        .args(sources)
        .output()
        .unwrap_or_else(|e| panic!("cannot run {}: {e}", javac.display()));
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

fn read_classes(folder: &Path) -> BTreeMap<ClassName, (Vec<u8>, ClassFile)> {
    let mut classes = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            classes.extend(read_classes(&path));
        } else if path.extension().is_some_and(|ending| ending == "class") {
            let bytes = fs::read(&path).unwrap();
            let file = ClassFile::read(&bytes).unwrap();
            classes.insert(file.name().unwrap(), (bytes, file));
        }
    }
    classes
}
