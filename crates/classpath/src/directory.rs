//! Directories of class files.
//!
//! In: a root. Out: the classes below it, sorted by name.
//! Follows links but never in circles; what it cannot read it reports and leaves out.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use probat_model::ClassName;

use crate::jar::class_of;
use crate::{ClassPathError, MAX_FILES, Origin};

/// Deeper packages than this are nobody's.
const MAX_DEPTH: usize = 128;

/// Lists the classes below `root`.
pub(crate) fn classes_below(root: &Path, problems: &mut Vec<ClassPathError>) -> BTreeSet<ClassName> {
    let mut walk = Walk { root, classes: BTreeSet::new(), files: 0, problems };
    let mut above = Vec::new();
    walk.visit(root, "", &mut above);
    walk.classes
}

/// The file that holds a class of a directory.
pub(crate) fn file_of(root: &Path, class: &ClassName) -> PathBuf {
    root.join(format!("{}.class", class.as_internal()))
}

struct Walk<'a> {
    root: &'a Path,
    classes: BTreeSet<ClassName>,
    files: usize,
    problems: &'a mut Vec<ClassPathError>,
}

impl Walk<'_> {
    /// `above` holds the real paths of the directories being visited, so that a link to one of them is seen.
    fn visit(&mut self, directory: &Path, package: &str, above: &mut Vec<PathBuf>) {
        let listed = fs::canonicalize(directory).and_then(|real| Ok((real, sorted_children(directory)?)));
        let (real, children) = match listed {
            Ok(listed) => listed,
            Err(source) => {
                self.problems.push(ClassPathError::Unreadable { path: directory.to_path_buf(), source });
                return;
            }
        };
        if above.contains(&real) || above.len() > MAX_DEPTH {
            return;
        }
        above.push(real);
        for path in children {
            self.files += 1;
            if self.files > MAX_FILES {
                break;
            }
            self.visit_child(&path, package, above);
        }
        above.pop();
        if self.files > MAX_FILES && above.is_empty() {
            let origin = Origin::Directory(self.root.to_path_buf());
            self.problems.push(ClassPathError::TooMany { origin, limit: MAX_FILES });
        }
    }

    fn visit_child(&mut self, path: &Path, package: &str, above: &mut Vec<PathBuf>) {
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return };
        match fs::metadata(path) {
            Ok(data) if data.is_dir() => self.visit(path, &format!("{package}{name}/"), above),
            Ok(_) => self.classes.extend(class_of(&format!("{package}{name}"))),
            Err(_) if !name.ends_with(".class") => {}
            Err(source) => {
                self.problems.push(ClassPathError::Unreadable { path: path.to_path_buf(), source });
            }
        }
    }
}

fn sorted_children(directory: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut children = Vec::new();
    for child in fs::read_dir(directory)? {
        children.push(child?.path());
    }
    children.sort();
    Ok(children)
}
