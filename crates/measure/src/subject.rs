//! The classes under test as this JVM would load them.
//!
//! In: a jar or folder. Out: two folders: everything in it, with the classes of the newest fitting release in place of older ones, and of
//! that the classes that count. What runs is then exactly what JaCoCo analyses.

use std::fs;
use std::path::{Path, PathBuf};

use probat_classpath::{ClassPath, OpenOptions};

use crate::{MeasureError, Suite};

/// Where the subject was unpacked.
#[derive(Debug)]
pub struct Folders {
    pub subject: PathBuf,
    pub covered: PathBuf,
    /// First two parts of the packages that count, `*` if a class has none.
    pub packages: Vec<String>,
}

/// Writes both folders.
pub fn unpack(suite: &Suite<'_>, release: u32, work: &Path) -> Result<Folders, MeasureError> {
    let folders =
        Folders { subject: work.join("subject"), covered: work.join("covered"), packages: Vec::new() };
    let mut packages = std::collections::BTreeSet::new();
    unpack_rest(suite.subject, &folders.subject)?;
    let path = ClassPath::open(&[suite.subject], &OpenOptions { release });
    let damaged = |source| MeasureError::Subject { path: suite.subject.to_owned(), source };
    for class in path.iter().filter(|class| !class.shadowed && !class.name.as_internal().ends_with("-info")) {
        let bytes = path.find(class.name).map_err(damaged)?;
        let Some(bytes) = bytes else { continue };
        let file = format!("{}.class", class.name.as_internal());
        write(&folders.subject.join(&file), &bytes.bytes)?;
        if (suite.counts)(class.name) {
            write(&folders.covered.join(&file), &bytes.bytes)?;
            packages.insert(head_of(class.name.package()));
        }
    }
    fs::create_dir_all(&folders.covered).map_err(|source| io(&folders.covered, source))?;
    Ok(Folders { packages: packages.into_iter().collect(), ..folders })
}

/// Binary names of the classes below a folder, in order.
pub fn classes(folder: &Path) -> Result<Vec<String>, MeasureError> {
    let (mut found, mut open) = (Vec::new(), vec![(folder.to_owned(), String::new())]);
    while let Some((folder, package)) = open.pop() {
        for entry in fs::read_dir(&folder).map_err(|source| io(&folder, source))? {
            let path = entry.map_err(|source| io(&folder, source))?.path();
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            if path.is_dir() {
                let package = format!("{package}{name}.");
                open.push((path, package));
            } else if path.extension().is_some_and(|end| end == "class") {
                found.push(format!("{package}{name}"));
            }
        }
    }
    found.sort();
    Ok(found)
}

fn head_of(package: &str) -> String {
    let head: Vec<&str> = package.split('/').take(2).collect();
    if package.is_empty() { "*".into() } else { format!("{}.*", head.join(".")) }
}

/// What is no class: tables, properties, services.
fn unpack_rest(subject: &Path, into: &Path) -> Result<(), MeasureError> {
    fs::create_dir_all(into).map_err(|source| io(into, source))?;
    if subject.is_dir() {
        return copy_rest(subject, into);
    }
    probat_classpath::extract_resources(subject, into)
        .map_err(|source| MeasureError::Subject { path: subject.to_owned(), source })
}

fn copy_rest(from: &Path, into: &Path) -> Result<(), MeasureError> {
    for entry in fs::read_dir(from).map_err(|source| io(from, source))? {
        let path = entry.map_err(|source| io(from, source))?.path();
        let target = into.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            copy_rest(&path, &target)?;
        } else if path.extension().is_none_or(|end| end != "class") {
            let bytes = fs::read(&path).map_err(|source| io(&path, source))?;
            write(&target, &bytes)?;
        }
    }
    Ok(())
}

/// Writes a file and the folders above it.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), MeasureError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|source| io(folder, source))?;
    }
    fs::write(path, bytes).map_err(|source| io(path, source))
}

/// Says which file it was.
pub fn io(path: &Path, source: std::io::Error) -> MeasureError {
    MeasureError::Io { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_have_their_binary_names() {
        let folder = tempfile::tempdir().unwrap();
        for file in ["A.class", "p/q/B$C.class", "p/B.class", "p/b.txt"] {
            write(&folder.path().join(file), b"").unwrap();
        }
        assert_eq!(classes(folder.path()).unwrap(), ["A", "p.B", "p.q.B$C"]);
    }
}
