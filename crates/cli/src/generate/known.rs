//! Failures the user has accepted.
//!
//! In: a text file, one failure per line: the member, a space, the kind. Out: whether a failure is in it; with `--accept` the file
//! with the new ones added. Lines that start with `#` are the user's.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;

use super::write::{WriteError, replace};

/// Name of the file, in the project or the output folder.
pub const FILE: &str = "probat-known-failures.txt";

const HEAD: &str =
    "# Failures that `probat generate` need not report again. Delete a line to hear of it again.\n";

/// The accepted failures.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Known {
    text: String,
    lines: BTreeSet<String>,
}

impl Known {
    /// Reads the file; none means nothing is known.
    pub fn read(path: &Path) -> Result<Known, WriteError> {
        match fs::read_to_string(path) {
            Ok(text) => {
                let lines =
                    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
                Ok(Known { lines: lines.map(str::to_owned).collect(), text })
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Known::default()),
            Err(source) => Err(WriteError { path: path.to_owned(), source }),
        }
    }

    /// All of them, as `member kind`.
    pub fn lines(&self) -> &BTreeSet<String> {
        &self.lines
    }

    pub fn contains(&self, member: &str, kind: &str) -> bool {
        self.lines.contains(&format!("{member} {kind}"))
    }

    /// Adds failures at the end of the file.
    pub fn accept<'a>(
        &mut self,
        path: &Path,
        failures: impl Iterator<Item = (&'a str, &'a str)>,
    ) -> Result<usize, WriteError> {
        let mut added = 0;
        for (member, kind) in failures {
            let line = format!("{member} {kind}");
            if self.lines.insert(line.clone()) {
                if self.text.is_empty() {
                    self.text.push_str(HEAD);
                }
                if !self.text.ends_with('\n') {
                    self.text.push('\n');
                }
                self.text.push_str(&line);
                self.text.push('\n');
                added += 1;
            }
        }
        if added > 0 {
            replace(path, &self.text)?;
        }
        Ok(added)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_accepted_is_known_the_next_time_and_comments_stay() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(FILE);
        fs::write(&path, "# ours\na.B.c() equals-null").unwrap();
        let mut known = Known::read(&path).unwrap();
        assert!(known.contains("a.B.c()", "equals-null"));
        let new = [("a.B.c()", "equals-null"), ("a.B.d(int, int)", "null-pointer")];
        assert_eq!(known.accept(&path, new.into_iter()).unwrap(), 1);
        assert_eq!(
            fs::read_to_string(&path).unwrap(),
            "# ours\na.B.c() equals-null\na.B.d(int, int) null-pointer\n"
        );
        assert!(Known::read(&path).unwrap().contains("a.B.d(int, int)", "null-pointer"));
    }
}
