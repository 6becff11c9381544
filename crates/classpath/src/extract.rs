//! Unpacks nested jars so that a JVM can load them.
//!
//! In: a [`ClassPath`] and a scratch directory. Out: plain directories and jars, in the same order.
//! Writes only below the scratch directory, whatever an entry is called, and only what is nested.

use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::archive::Archive;
use crate::classpath::{ClassPath, Container};
use crate::{ClassPathError, MAX_NESTED_JAR_BYTES, MAX_NESTED_TOTAL_BYTES, Origin};

impl ClassPath {
    /// A class path for a JVM: entries on disk as they are, nested ones unpacked below `scratch`.
    pub fn extract_nested(&self, scratch: &Path) -> Result<Vec<PathBuf>, ClassPathError> {
        let mut paths = Vec::new();
        for (at, entry) in self.entries().iter().enumerate() {
            paths.push(match (&entry.origin, &entry.container) {
                (Origin::Nested { inside, .. }, Container::Archive { archive, prefix }) => {
                    let name = inside.trim_end_matches('/').rsplit('/').next().unwrap_or("nested");
                    let target = scratch.join(format!("{at:04}-{name}"));
                    if prefix.is_empty() {
                        write(&target, archive.stored().unwrap_or(&[]))?;
                    } else {
                        extract_folder(archive, prefix, &target)?;
                    }
                    target
                }
                (Origin::Directory(path) | Origin::Jar(path), _) => path.clone(),
                (Origin::Nested { .. } | Origin::Jdk { .. }, _) => continue,
            });
        }
        Ok(paths)
    }
}

/// Unpacks what is no class: tables, properties, services. Files for single releases are left out.
pub fn extract_resources(jar: &Path, target: &Path) -> Result<(), ClassPathError> {
    let archive = Archive::open(jar.to_path_buf())?;
    let mut total = 0;
    create_directory(target)?;
    for (number, name) in archive.names() {
        if name.ends_with(".class") || name.starts_with("META-INF/versions/") {
            continue;
        }
        total += extract_one(&archive, number, &name, &name, target)?;
        if total > MAX_NESTED_TOTAL_BYTES {
            let origin = archive.origin.clone();
            return Err(ClassPathError::NestedTooLarge { origin, limit: MAX_NESTED_TOTAL_BYTES });
        }
    }
    Ok(())
}

/// Writes one file and answers its size; refuses a name that leads elsewhere.
fn extract_one(
    archive: &Archive,
    number: u32,
    name: &str,
    relative: &str,
    target: &Path,
) -> Result<u64, ClassPathError> {
    let relative = Path::new(relative);
    if !relative.components().all(|part| matches!(part, Component::Normal(_))) {
        let reason = "its name leads out of the folder".into();
        let entry = name.to_owned();
        return Err(ClassPathError::DamagedEntry { origin: archive.origin.clone(), entry, reason });
    }
    let bytes = archive.read(number, MAX_NESTED_JAR_BYTES)?;
    write(&target.join(relative), &bytes)?;
    Ok(bytes.len() as u64)
}

/// Unpacks everything below a folder of an archive, resources included.
fn extract_folder(archive: &Archive, prefix: &str, target: &Path) -> Result<(), ClassPathError> {
    let mut total = 0;
    create_directory(target)?;
    for (number, name) in archive.names() {
        let Some(relative) = name.strip_prefix(prefix) else { continue };
        total += extract_one(archive, number, &name, relative, target)?;
        if total > MAX_NESTED_TOTAL_BYTES {
            let origin = archive.origin.clone();
            return Err(ClassPathError::NestedTooLarge { origin, limit: MAX_NESTED_TOTAL_BYTES });
        }
    }
    Ok(())
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), ClassPathError> {
    if let Some(parent) = path.parent() {
        create_directory(parent)?;
    }
    fs::write(path, bytes).map_err(|source| ClassPathError::Unwritable { path: path.to_path_buf(), source })
}

fn create_directory(path: &Path) -> Result<(), ClassPathError> {
    fs::create_dir_all(path).map_err(|source| ClassPathError::Unwritable { path: path.to_path_buf(), source })
}
