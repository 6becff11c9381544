//! What a jar says of itself, and which classes it offers.
//!
//! In: an archive and the Java release it is read for. Out: [`JarFacts`] and the class entries.
//! Multi-release entries count only if the manifest says so (JEP 238). Reads no class but `module-info`.

use std::collections::BTreeMap;

use probat_classfile::ClassFile;
use probat_model::ClassName;

use crate::archive::Archive;
use crate::manifest::Manifest;
use crate::{ClassPathError, MAX_CLASS_BYTES};

const VERSIONS: &str = "META-INF/versions/";

/// Folders of classes inside executable jars and wars.
const CLASS_FOLDERS: [&str; 2] = ["BOOT-INF/classes/", "WEB-INF/classes/"];

/// Folders of jars inside executable jars and wars.
const JAR_FOLDERS: [&str; 3] = ["BOOT-INF/lib/", "WEB-INF/lib/", "WEB-INF/lib-provided/"];

/// What sets a jar apart for those who want to add classes to its packages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JarFacts {
    pub manifest: Manifest,
    /// The manifest says `Multi-Release: true`.
    pub multi_release: bool,
    /// There is a signature file `META-INF/*.SF`.
    pub signed: bool,
    pub module: Option<ModuleKind>,
}

/// How a jar is a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModuleKind {
    /// It holds a `module-info.class`, which gives this name unless it is damaged.
    Explicit(Option<String>),
    /// Its manifest has `Automatic-Module-Name`.
    Automatic(String),
}

/// The layout of one archive.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    pub(crate) facts: JarFacts,
    /// Classes at the root, by name.
    pub(crate) classes: BTreeMap<ClassName, u32>,
    /// Class folders of an executable jar, with their classes.
    pub(crate) class_folders: Vec<(&'static str, BTreeMap<ClassName, u32>)>,
    /// Nested jars in the order of the archive.
    pub(crate) nested_jars: Vec<(u32, String)>,
}

/// Lists an archive; a manifest that cannot be read is reported but does not hide the classes.
pub(crate) fn lay_out(archive: &Archive, release: u32, problems: &mut Vec<ClassPathError>) -> Layout {
    let mut layout = Layout { facts: facts(archive, release, problems), ..Layout::default() };
    let mut versioned: BTreeMap<ClassName, (u32, u32)> = BTreeMap::new();
    for (number, name) in archive.names() {
        if let Some((version, class)) = name.strip_prefix(VERSIONS).and_then(split_version) {
            if layout.facts.multi_release && (9..=release).contains(&version) {
                let best = versioned.entry(class).or_insert((version, number));
                *best = (*best).max((version, number));
            }
        } else if let Some(folder) = CLASS_FOLDERS.iter().find(|folder| name.starts_with(**folder)) {
            if let Some(class) = class_of(&name[folder.len()..]) {
                layout.folder(folder).insert(class, number);
            }
        } else if is_nested_jar(&name) {
            layout.nested_jars.push((number, name));
        } else if let Some(class) = class_of(&name) {
            layout.classes.insert(class, number);
        }
    }
    layout.classes.extend(versioned.into_iter().map(|(class, (_, number))| (class, number)));
    layout
}

impl Layout {
    fn folder(&mut self, name: &'static str) -> &mut BTreeMap<ClassName, u32> {
        let at = match self.class_folders.iter().position(|(folder, _)| *folder == name) {
            Some(at) => at,
            None => {
                self.class_folders.push((name, BTreeMap::new()));
                self.class_folders.len() - 1
            }
        };
        &mut self.class_folders[at].1
    }
}

fn facts(archive: &Archive, release: u32, problems: &mut Vec<ClassPathError>) -> JarFacts {
    let mut facts = JarFacts::default();
    let mut modules: Vec<(u32, u32)> = Vec::new();
    for (number, name) in archive.names() {
        if name.eq_ignore_ascii_case("META-INF/MANIFEST.MF") {
            match archive.read(number, MAX_CLASS_BYTES) {
                Ok(bytes) => facts.manifest = Manifest::parse(&bytes),
                Err(problem) => problems.push(problem),
            }
        } else if let Some(version) = module_version(&name) {
            modules.push((version, number));
        } else {
            facts.signed |= is_signature(&name);
        }
    }
    facts.multi_release = facts.manifest.flag("multi-release");
    modules.retain(|&(version, _)| version == 0 || (facts.multi_release && version <= release));
    facts.module = match modules.into_iter().max() {
        Some((_, number)) => Some(ModuleKind::Explicit(module_name(archive, number, problems))),
        None => {
            let name = facts.manifest.attribute("automatic-module-name");
            name.map(|name| ModuleKind::Automatic(name.trim().to_string()))
        }
    };
    facts
}

/// The release a module declaration is for, 0 for the one at the root.
fn module_version(entry: &str) -> Option<u32> {
    match entry.strip_suffix("module-info.class")? {
        "" => Some(0),
        folder => folder.strip_prefix(VERSIONS)?.strip_suffix('/')?.parse().ok(),
    }
}

fn module_name(archive: &Archive, number: u32, problems: &mut Vec<ClassPathError>) -> Option<String> {
    let bytes = match archive.read(number, MAX_CLASS_BYTES) {
        Ok(bytes) => bytes,
        Err(problem) => {
            problems.push(problem);
            return None;
        }
    };
    let file = ClassFile::read(&bytes).ok()?;
    Some(file.attributes().module().ok()??.name)
}

fn is_signature(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    upper
        .strip_prefix("META-INF/")
        .and_then(|file| file.strip_suffix(".SF"))
        .is_some_and(|base| !base.contains('/'))
}

fn is_nested_jar(name: &str) -> bool {
    JAR_FOLDERS.iter().any(|folder| {
        name.strip_prefix(folder).is_some_and(|file| file.ends_with(".jar") && !file.contains('/'))
    })
}

fn split_version(path: &str) -> Option<(u32, ClassName)> {
    let (version, rest) = path.split_once('/')?;
    Some((version.parse().ok()?, class_of(rest)?))
}

/// The class an entry or a relative path would define; none for `module-info` and what no loader would ask for.
pub(crate) fn class_of(path: &str) -> Option<ClassName> {
    let name = path.strip_suffix(".class")?;
    let is_named = |part: &str| !part.is_empty() && !part.contains(['.', ';', '[', '\\']);
    let is_class = name != "module-info" && !name.starts_with("META-INF/") && name.split('/').all(is_named);
    is_class.then(|| ClassName::internal(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loadable_names_are_classes() {
        for path in ["A.class", "a/b/C$1.class", "a/package-info.class"] {
            assert!(class_of(path).is_some(), "{path}");
        }
        let others = [
            "module-info.class",
            "META-INF/x/A.class",
            "../A.class",
            "/A.class",
            "a//B.class",
            "a.b.class",
            "A.txt",
        ];
        for path in others {
            assert!(class_of(path).is_none(), "{path}");
        }
    }

    #[test]
    fn module_declarations_stand_at_the_root_or_below_a_version() {
        assert_eq!(module_version("module-info.class"), Some(0));
        assert_eq!(module_version("META-INF/versions/9/module-info.class"), Some(9));
        assert_eq!(module_version("a/module-info.class"), None);
        assert_eq!(module_version("META-INF/versions/module-info.class"), None);
    }

    #[test]
    fn signatures_lie_directly_in_meta_inf() {
        assert!(is_signature("META-INF/ACME.SF") && is_signature("meta-inf/acme.sf"));
        assert!(!is_signature("META-INF/a/ACME.SF") && !is_signature("ACME.SF"));
    }
}
