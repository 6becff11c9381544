//! The class path: which classes it offers and where each comes from.
//!
//! In: directories and jars in the order the user gave, with wildcards. Out: [`ClassPath`]; the first of two classes
//! of one name wins, as in the JVM. Jars named by a manifest's `Class-Path` come right after the jar that names them.
//! Bad entries are kept as problems; the rest goes on.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use probat_model::ClassName;
use rustc_hash::FxHashMap;

use crate::archive::Archive;
use crate::directory::{classes_below, file_of};
use crate::jar::{JarFacts, lay_out};
use crate::written::expand;
use crate::{ClassPathError, MAX_CLASS_BYTES, MAX_NESTED_JAR_BYTES, MAX_NESTED_TOTAL_BYTES, Origin};

/// How a class path is to be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenOptions {
    /// The Java release whose view of multi-release jars is wanted.
    pub release: u32,
}

/// All classes of a class path.
#[derive(Debug, Default)]
pub struct ClassPath {
    entries: Vec<Entry>,
    classes: Vec<Listed>,
    /// Index into `classes` of the one that wins.
    first: FxHashMap<ClassName, u32>,
    /// Indices into `classes` of those that lose.
    shadowed: BTreeMap<ClassName, Vec<u32>>,
    problems: Vec<ClassPathError>,
}

/// One place on the class path.
#[derive(Debug)]
pub struct Entry {
    pub origin: Origin,
    /// What the jar says of itself; nothing for directories.
    pub facts: JarFacts,
    pub(crate) container: Container,
}

#[derive(Debug)]
pub(crate) enum Container {
    Directory(PathBuf),
    /// `prefix` is empty or the class folder inside an executable jar.
    Archive {
        archive: Arc<Archive>,
        prefix: &'static str,
    },
}

#[derive(Debug)]
struct Listed {
    name: ClassName,
    entry: u32,
    /// Number in the archive; unused for directories.
    number: u32,
}

/// A class that is on the class path, not yet read.
#[derive(Debug, Clone, Copy)]
pub struct ClassEntry<'a> {
    pub name: &'a ClassName,
    pub entry: &'a Entry,
    /// An earlier entry has a class of this name, so the JVM never sees this one.
    pub shadowed: bool,
    number: u32,
}

/// The bytes of a class and where they were.
#[derive(Debug, Clone)]
pub struct ClassBytes<'a> {
    pub bytes: Cow<'a, [u8]>,
    pub origin: Cow<'a, Origin>,
}

/// A class that is on the class path more than once.
#[derive(Debug, Clone)]
pub struct Duplicate<'a> {
    pub name: &'a ClassName,
    /// The one in use first.
    pub entries: Vec<ClassEntry<'a>>,
}

impl ClassPath {
    /// Opens entries as written, wildcards included.
    pub fn open<P: AsRef<Path>>(written: &[P], options: &OpenOptions) -> ClassPath {
        let mut opening =
            Opening { options, path: ClassPath::default(), seen: BTreeSet::new(), nested_bytes: 0 };
        for entry in written {
            match expand(entry.as_ref()) {
                Ok(paths) => paths.into_iter().for_each(|path| opening.add(path, true)),
                Err(problem) => opening.path.problems.push(problem),
            }
        }
        opening.path
    }

    /// What could not be read, in the order it was met.
    pub fn problems(&self) -> &[ClassPathError] {
        &self.problems
    }

    /// The places in search order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Every class in search order, within one place by name.
    pub fn iter(&self) -> impl Iterator<Item = ClassEntry<'_>> {
        (0..self.classes.len()).map(|at| self.class_entry(at as u32))
    }

    /// The class a JVM would load under this name.
    pub fn entry_of(&self, name: &ClassName) -> Option<ClassEntry<'_>> {
        self.first.get(name).map(|&at| self.class_entry(at))
    }

    /// The bytes a JVM would load under this name; a damaged first hit is an error, as it is there.
    pub fn find(&self, name: &ClassName) -> Result<Option<ClassBytes<'_>>, ClassPathError> {
        self.entry_of(name).map(|class| class.read()).transpose()
    }

    /// Classes that are there more than once, by name; `package-info` is left out.
    pub fn duplicates(&self) -> impl Iterator<Item = Duplicate<'_>> {
        self.shadowed.iter().filter(|(name, _)| name.simple() != "package-info").map(|(name, others)| {
            let mut entries = vec![self.class_entry(self.first[name])];
            entries.extend(others.iter().map(|&at| self.class_entry(at)));
            Duplicate { name, entries }
        })
    }

    fn class_entry(&self, at: u32) -> ClassEntry<'_> {
        let listed = &self.classes[at as usize];
        ClassEntry {
            name: &listed.name,
            entry: &self.entries[listed.entry as usize],
            shadowed: self.first[&listed.name] != at,
            number: listed.number,
        }
    }

    fn push(&mut self, entry: Entry, classes: impl IntoIterator<Item = (ClassName, u32)>) {
        let number_of_entry = self.entries.len() as u32;
        self.entries.push(entry);
        for (name, number) in classes {
            let at = self.classes.len() as u32;
            match self.first.get(&name) {
                Some(_) => self.shadowed.entry(name.clone()).or_default().push(at),
                None => {
                    self.first.insert(name.clone(), at);
                }
            }
            self.classes.push(Listed { name, entry: number_of_entry, number });
        }
    }
}

impl<'a> ClassEntry<'a> {
    /// Reads the bytes.
    pub fn read(&self) -> Result<ClassBytes<'a>, ClassPathError> {
        let bytes = match &self.entry.container {
            Container::Directory(root) => read_file(&file_of(root, self.name), &self.entry.origin)?,
            Container::Archive { archive, .. } => archive.read(self.number, MAX_CLASS_BYTES)?,
        };
        Ok(ClassBytes { bytes: Cow::Owned(bytes), origin: Cow::Borrowed(&self.entry.origin) })
    }
}

impl Duplicate<'_> {
    /// Whether the copies differ, which is what makes a duplicate dangerous.
    pub fn differs(&self) -> Result<bool, ClassPathError> {
        let first = self.entries[0].read()?;
        for other in &self.entries[1..] {
            if other.read()?.bytes != first.bytes {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// A class path being opened.
struct Opening<'a> {
    options: &'a OpenOptions,
    path: ClassPath,
    /// Real paths already there: the JVM opens each place once.
    seen: BTreeSet<PathBuf>,
    nested_bytes: u64,
}

impl Opening<'_> {
    /// Adds a path; one that only a manifest names may be missing, as for `java`.
    fn add(&mut self, path: PathBuf, is_required: bool) {
        let real = match fs::canonicalize(&path) {
            Ok(real) => real,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                if is_required {
                    self.path.problems.push(ClassPathError::Missing { path });
                }
                return;
            }
            Err(source) => return self.path.problems.push(ClassPathError::Unreadable { path, source }),
        };
        let is_directory = real.is_dir();
        if !self.seen.insert(real) {
            return;
        }
        if is_directory {
            let classes = classes_below(&path, &mut self.path.problems);
            let entry = Entry {
                origin: Origin::Directory(path.clone()),
                facts: JarFacts::default(),
                container: Container::Directory(path),
            };
            self.path.push(entry, classes.into_iter().map(|name| (name, 0)));
        } else {
            self.add_jar(path);
        }
    }

    fn add_jar(&mut self, path: PathBuf) {
        let archive = match Archive::open(path.clone()) {
            Ok(archive) => Arc::new(archive),
            Err(problem) => return self.path.problems.push(problem),
        };
        let layout = lay_out(&archive, self.options.release, &mut self.path.problems);
        let entry = |origin, prefix| Entry {
            origin,
            facts: layout.facts.clone(),
            container: Container::Archive { archive: archive.clone(), prefix },
        };
        self.path.push(entry(Origin::Jar(path.clone()), ""), layout.classes);
        for (folder, classes) in layout.class_folders {
            let origin = Origin::Nested { archive: path.clone(), inside: folder.to_string() };
            self.path.push(entry(origin, folder), classes);
        }
        for (number, inside) in layout.nested_jars {
            self.add_nested(&archive, number, Origin::Nested { archive: path.clone(), inside });
        }
        let base = path.parent().unwrap_or(Path::new("")).to_path_buf();
        for url in layout.facts.manifest.class_path() {
            if let Some(relative) = path_of_url(url) {
                self.add(base.join(relative), false);
            }
        }
    }

    fn add_nested(&mut self, outer: &Archive, number: u32, origin: Origin) {
        let opened = outer.read(number, MAX_NESTED_JAR_BYTES).and_then(|bytes| {
            self.nested_bytes += bytes.len() as u64;
            if self.nested_bytes > MAX_NESTED_TOTAL_BYTES {
                let origin = outer.origin.clone();
                return Err(ClassPathError::NestedTooLarge { origin, limit: MAX_NESTED_TOTAL_BYTES });
            }
            Archive::from_memory(origin.clone(), bytes.into())
        });
        match opened {
            Ok(archive) => {
                let archive = Arc::new(archive);
                let layout = lay_out(&archive, self.options.release, &mut self.path.problems);
                let container = Container::Archive { archive, prefix: "" };
                self.path.push(Entry { origin, facts: layout.facts, container }, layout.classes);
            }
            Err(problem) => self.path.problems.push(problem),
        }
    }
}

/// Reads a class file of a directory, bounded.
fn read_file(path: &Path, origin: &Origin) -> Result<Vec<u8>, ClassPathError> {
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(MAX_CLASS_BYTES + 1).read_to_end(&mut bytes))
        .map_err(|source| ClassPathError::Unreadable { path: path.to_path_buf(), source })?;
    if bytes.len() as u64 > MAX_CLASS_BYTES {
        let entry = path.display().to_string();
        return Err(ClassPathError::TooLarge { origin: origin.clone(), entry, limit: MAX_CLASS_BYTES });
    }
    Ok(bytes)
}

/// The path a `Class-Path` URL stands for; none for those that are not files.
fn path_of_url(url: &str) -> Option<PathBuf> {
    let path = match url.split_once(':') {
        Some(("file", rest)) => match rest.strip_prefix("//") {
            Some(after) => &after[after.find('/')?..],
            None => rest,
        },
        Some((scheme, _)) if scheme.chars().all(|c| c.is_ascii_alphanumeric()) => return None,
        _ => url,
    };
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let escaped = (first == b'%').then(|| after.get(..2)).flatten();
        let decoded = escaped
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(decoded.unwrap_or(first));
        rest = if decoded.is_some() { &after[2..] } else { after };
    }
    Some(PathBuf::from(String::from_utf8(bytes).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn class_path_urls_are_paths() {
        let cases = [
            ("lib/a.jar", Some("lib/a.jar")),
            ("my%20lib/a%2.jar", Some("my lib/a%2.jar")),
            ("file:/opt/a.jar", Some("/opt/a.jar")),
            ("file:///opt/a.jar", Some("/opt/a.jar")),
            ("http://example.org/a.jar", None),
        ];
        for (url, expected) in cases {
            assert_eq!(path_of_url(url), expected.map(PathBuf::from), "{url}");
        }
    }
}
