//! Compiled fixtures and worlds over them.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use probat_analysis::callgraph::{CallGraph, CallGraphOptions};
use probat_analysis::{ClassId, ClassSource, FieldId, MethodId, World};
use probat_classpath::{ClassPath, Classes, JdkImage, OpenOptions};
use probat_model::ClassName;
use tempfile::TempDir;

/// JDK homes with a compiler, best first.
fn homes() -> Vec<PathBuf> {
    let mut candidates: Vec<PathBuf> = Vec::new();
    if let Some(list) = std::env::var_os("PROBAT_TEST_JDKS") {
        candidates.extend(std::env::split_paths(&list));
    }
    candidates.extend(std::env::var_os("JAVA_HOME").map(PathBuf::from));
    for folder in std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()) {
        if let Ok(javac) = fs::canonicalize(folder.join("javac")) {
            candidates.extend(javac.ancestors().nth(2).map(Path::to_path_buf));
        }
    }
    for root in ["/usr/lib/jvm", "/Library/Java/JavaVirtualMachines"] {
        let mut found: Vec<_> =
            fs::read_dir(root).into_iter().flatten().flatten().map(|c| c.path()).collect();
        found.sort();
        candidates.extend(found.iter().flat_map(|home| [home.clone(), home.join("Contents/Home")]));
    }
    candidates.retain(|home| home.join("lib/modules").is_file() && home.join("bin/javac").is_file());
    candidates
}

pub fn jdk_home() -> PathBuf {
    homes().into_iter().next().expect("no JDK with a compiler found: set PROBAT_TEST_JDKS")
}

/// A class path with the JDK's classes.
pub struct Source(pub Classes);

impl ClassSource for Source {
    fn bytes(&self, class: &ClassName) -> Option<Cow<'_, [u8]>> {
        self.0.find(class).ok().flatten().map(|found| found.bytes)
    }
}

/// The compiled sources of `tests/java`.
pub fn fixtures() -> &'static Source {
    static COMPILED: OnceLock<(Source, TempDir)> = OnceLock::new();
    &COMPILED
        .get_or_init(|| {
            let home = jdk_home();
            let out = tempfile::tempdir().unwrap();
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java");
            let mut sources: Vec<_> =
                fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
            sources.sort();
            let javac = Command::new(home.join("bin/javac"))
                .args(["--release", "17", "-g", "-Xlint:none", "-d"])
                .arg(out.path())
                .args(&sources)
                .output()
                .unwrap();
            assert!(javac.status.success(), "javac: {}", String::from_utf8_lossy(&javac.stderr));
            let path = ClassPath::open(&[out.path()], &OpenOptions { release: 17 });
            (Source(Classes { jdk: Some(JdkImage::open(&home).unwrap()), path }), out)
        })
        .0
}

/// A world over the fixtures with all classes of one package loaded.
pub struct Loaded {
    pub world: World<'static>,
    pub scope: Vec<ClassId>,
}

pub fn package(name: &str) -> Loaded {
    let source = fixtures();
    let mut world = World::new(source);
    let names: Vec<_> = source
        .0
        .path
        .iter()
        .filter(|class| class.name.package() == name)
        .map(|class| class.name.clone())
        .collect();
    assert!(!names.is_empty(), "no fixture in package {name}");
    let scope = names.iter().map(|name| world.load(name)).collect();
    Loaded { world, scope }
}

impl Loaded {
    pub fn graph(&mut self, options: CallGraphOptions) -> CallGraph {
        CallGraph::build(&mut self.world, &self.scope, options)
    }

    /// Loads a class by its internal name.
    pub fn class(&mut self, name: &str) -> ClassId {
        let id = self.world.load(&ClassName::internal(name));
        assert!(self.world.class(id).is_loaded(), "{name}: {:?}", self.world.class(id).presence);
        id
    }

    /// The one method of a class with this name.
    #[track_caller]
    pub fn method(&mut self, class: &str, name: &str) -> MethodId {
        let class = self.class(class);
        let found: Vec<_> =
            self.world.methods_of(class).filter(|&id| self.world.method_name(id) == name).collect();
        assert_eq!(found.len(), 1, "methods named {name}");
        found[0]
    }

    pub fn method_names(&self, methods: impl IntoIterator<Item = MethodId>) -> Vec<String> {
        methods.into_iter().map(|id| self.world.describe_method(id)).collect()
    }

    pub fn field_names(&self, fields: impl IntoIterator<Item = FieldId>) -> Vec<String> {
        fields.into_iter().map(|id| self.world.describe_field(id)).collect()
    }
}
