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

/// A compiled folder of `tests/corpus`.
#[derive(Debug)]
pub struct Corpus {
    pub folder: PathBuf,
    /// Package of the classes, which tests leave out.
    package: &'static str,
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

/// Code that turns on whoever runs it.
pub static HOSTILE: LazyLock<Corpus> = LazyLock::new(|| Corpus::compile("hostile"));

impl Corpus {
    fn compile(name: &'static str) -> Corpus {
        let sources = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus").join(name));
        let mut all = Vec::new();
        for source in &sources {
            all.extend_from_slice(&fs::read(source).unwrap());
        }
        let temp = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let folder = temp.join(format!("{name}-{}", StateHash::of(&all)));
        if !folder.is_dir() {
            let fresh = tempfile::tempdir_in(temp).unwrap();
            javac(&sources, fresh.path());
            // Another test program may have been quicker, and then its folder is as good.
            let _ = fs::rename(fresh.path(), &folder);
        }
        let classes = read_classes(&folder);
        let bytes = classes.iter().map(|(name, (bytes, _))| (name.clone(), Cow::Borrowed(bytes.as_slice())));
        let probes = plan_probes(bytes);
        Corpus { folder, package: name, classes, probes }
    }

    /// The full name of a class of the corpus; one with a package is taken as it is.
    pub fn class(&self, name: &str) -> ClassName {
        if name.contains('/') {
            ClassName::internal(name)
        } else {
            ClassName::internal(&format!("{}/{name}", self.package))
        }
    }

    /// Names of all classes.
    pub fn names(&self) -> impl Iterator<Item = &ClassName> {
        self.classes.keys()
    }

    /// The method of a class with this name and number of parameters.
    #[track_caller]
    pub fn method(&self, class: &str, name: &str, params: usize) -> Declared {
        let class = self.class(class);
        let file = &self.classes.get(&class).unwrap_or_else(|| panic!("no class {class} in the corpus")).1;
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
