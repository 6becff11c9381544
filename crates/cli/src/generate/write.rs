//! Writes files without ever losing one of the user's.
//!
//! In: where a file goes and what is to be in it. Out: what was done. A file of ours that nobody edited is replaced; beside
//! any other one a `.new` is written. Each file appears whole or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::compare::{Difference, compare};
use super::marker::{Owner, owner};

/// What became of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Written {
    New,
    /// Ours, and the same as before.
    Unchanged,
    /// Ours, replaced.
    Replaced(Difference),
    /// The user's: written to this path instead.
    Beside {
        path: PathBuf,
        owner: Owner,
    },
}

/// Why a file is not there.
#[derive(Debug)]
pub struct WriteError {
    pub path: PathBuf,
    pub source: io::Error,
}

/// Writes a source of ours.
pub fn write_source(path: &Path, source: &str) -> Result<Written, WriteError> {
    let fail = |source| WriteError { path: path.to_owned(), source };
    let old = match fs::read(path) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            replace(path, source)?;
            return Ok(Written::New);
        }
        Err(error) => return Err(fail(error)),
    };
    match owner(&old) {
        Owner::Ours if old.replace("\r\n", "\n") == source => Ok(Written::Unchanged),
        Owner::Ours => {
            replace(path, source)?;
            Ok(Written::Replaced(compare(&old, source)))
        }
        other => {
            let beside = free_name(path, source).map_err(fail)?;
            replace(&beside, source)?;
            Ok(Written::Beside { path: beside, owner: other })
        }
    }
}

/// Puts a file in place: first under another name, then renamed, so that a full disk or a kill leaves the old one.
pub fn replace(path: &Path, text: &str) -> Result<(), WriteError> {
    replace_bytes(path, text.as_bytes())
}

/// The same for what is no text.
pub fn replace_bytes(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let fail = |source| WriteError { path: path.to_owned(), source };
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(fail)?;
    let mut file = tempfile::Builder::new().prefix(".probat-").tempfile_in(folder).map_err(fail)?;
    file.write_all(bytes).and_then(|()| file.as_file().sync_data()).map_err(fail)?;
    readable_by_all(file.as_file()).map_err(fail)?;
    file.persist(path).map_err(|error| fail(error.error))?;
    Ok(())
}

/// Temporary files are private; sources are as other files of the user.
fn readable_by_all(file: &fs::File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(fs::Permissions::from_mode(0o644))
}

/// `….java.new`, or a numbered one if that is the user's too.
fn free_name(path: &Path, source: &str) -> io::Result<PathBuf> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    for number in 1.. {
        let ending = if number == 1 { "new".to_owned() } else { format!("new{number}") };
        let beside = path.with_file_name(format!("{name}.{ending}"));
        match fs::read(&beside) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(beside),
            Err(error) => return Err(error),
            Ok(bytes) => {
                let text = String::from_utf8_lossy(&bytes);
                if text == source || owner(&text) == Owner::Ours {
                    return Ok(beside);
                }
            }
        }
    }
    unreachable!("numbers do not end before names do")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::marker::mark;

    fn source(body: &str) -> String {
        mark(&format!("// x\nclass T {{\n    @Test\n    void t() {{\n        {body}\n    }}\n}}\n"), 1)
    }

    #[test]
    fn only_our_own_unedited_files_are_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/T.java");
        assert_eq!(write_source(&path, &source("f(1);")).unwrap(), Written::New);
        assert_eq!(write_source(&path, &source("f(1);")).unwrap(), Written::Unchanged);
        let Written::Replaced(difference) = write_source(&path, &source("f(2);")).unwrap() else { panic!() };
        assert_eq!((difference.added.len(), difference.removed.len()), (1, 1));
        let edited = source("f(2);").replace("f(2)", "g()");
        fs::write(&path, &edited).unwrap();
        let Written::Beside { path: beside, owner } = write_source(&path, &source("f(3);")).unwrap() else {
            panic!()
        };
        assert_eq!((owner, beside.file_name().unwrap().to_str().unwrap()), (Owner::Edited, "T.java.new"));
        assert_eq!(fs::read_to_string(&path).unwrap(), edited);
        assert_eq!(fs::read_to_string(&beside).unwrap(), source("f(3);"));
    }

    #[test]
    fn a_file_beside_that_was_edited_is_kept_too() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("T.java");
        fs::write(&path, "class T {}\n").unwrap();
        fs::write(dir.path().join("T.java.new"), "notes\n").unwrap();
        let Written::Beside { path: beside, owner } = write_source(&path, &source("f();")).unwrap() else {
            panic!()
        };
        assert_eq!((owner, beside), (Owner::Foreign, dir.path().join("T.java.new2")));
        assert_eq!(fs::read_to_string(dir.path().join("T.java.new")).unwrap(), "notes\n");
    }

    #[test]
    fn a_folder_in_the_way_is_an_error_and_leaves_nothing_behind() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("T.java");
        fs::create_dir(&path).unwrap();
        assert!(write_source(&path, &source("f();")).is_err());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
