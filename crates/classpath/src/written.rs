//! Class paths as users write them.
//!
//! In: `target/classes:libs/*`. Out: the paths it stands for, in a fixed order.
//! Does not look into what it finds; a wildcard lists one directory, not those below it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{env, fs};

use crate::ClassPathError;

/// Splits at the platform's separator; an empty part means the current directory, as for `java`.
pub fn split(text: &str) -> Vec<PathBuf> {
    if text.is_empty() {
        return Vec::new();
    }
    env::split_paths(text)
        .map(|part| if part.as_os_str().is_empty() { PathBuf::from(".") } else { part })
        .collect()
}

/// Replaces a final `*` by the jars of its directory, sorted by name; other paths stay as they are.
pub fn expand(written: &Path) -> Result<Vec<PathBuf>, ClassPathError> {
    if written.file_name() != Some(OsStr::new("*")) || written.exists() {
        return Ok(vec![written.to_path_buf()]);
    }
    let parent = written.parent().filter(|parent| !parent.as_os_str().is_empty());
    let directory = parent.unwrap_or(Path::new("."));
    if !directory.exists() {
        return Err(ClassPathError::Missing { path: directory.to_path_buf() });
    }
    let unreadable = |source| ClassPathError::Unreadable { path: directory.to_path_buf(), source };
    let mut jars = Vec::new();
    for child in fs::read_dir(directory).map_err(unreadable)? {
        let path = child.map_err(unreadable)?.path();
        let is_jar = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("jar"));
        if is_jar && path.is_file() {
            jars.push(match parent {
                Some(_) => path,
                None => path.file_name().map(PathBuf::from).unwrap_or(path),
            });
        }
    }
    jars.sort();
    Ok(jars)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_parts_mean_the_current_directory() {
        let written = env::join_paths(["a", "", "b"]).unwrap();
        let parts = split(written.to_str().unwrap());
        assert_eq!(parts, [PathBuf::from("a"), PathBuf::from("."), PathBuf::from("b")]);
        assert_eq!(split(""), Vec::<PathBuf>::new());
    }

    #[test]
    fn a_star_stands_for_the_jars_of_one_directory() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["b.jar", "a.JAR", "c.zip"] {
            fs::write(dir.path().join(name), b"").unwrap();
        }
        fs::create_dir(dir.path().join("d.jar")).unwrap();
        let found = expand(&dir.path().join("*")).unwrap();
        assert_eq!(found, [dir.path().join("a.JAR"), dir.path().join("b.jar")]);
        assert_eq!(expand(Path::new("x/y")).unwrap(), [PathBuf::from("x/y")]);
    }

    #[test]
    fn a_star_in_no_directory_names_the_directory() {
        let dir = tempfile::tempdir().unwrap();
        let error = expand(&dir.path().join("libs").join("*")).unwrap_err();
        assert!(matches!(error, ClassPathError::Missing { path } if path.ends_with("libs")));
    }
}
