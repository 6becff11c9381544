//! Which classes are under test.
//!
//! In: opened classes, the places under test, patterns in and out. Out: [`Selection`], or what was near when nothing matched.

use std::path::{Path, PathBuf};

use probat_classpath::{Classes, Entry, Origin, near_matches};
use probat_model::ClassName;

use crate::{Pattern, ProjectError};

/// Classes under test, sorted by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    pub classes: Vec<ClassName>,
    /// Patterns that matched nothing although others did.
    pub idle: Vec<String>,
}

/// Chooses among the classes of the places under test, or of the whole class path where no place was named.
///
/// A full name that is nowhere there may be a class of the JDK.
pub fn select(
    classes: &Classes,
    under_test: &[PathBuf],
    patterns: &[Pattern],
    excluded: &[Pattern],
) -> Result<Selection, ProjectError> {
    let places: Vec<&Path> = under_test.iter().map(PathBuf::as_path).collect();
    let mut offered: Vec<&ClassName> = classes
        .path
        .iter()
        .filter(|class| {
            !class.shadowed && is_testable(class.name) && is_offered(classes, class.entry, &places)
        })
        .map(|class| class.name)
        .collect();
    offered.sort();
    let mut chosen: Vec<ClassName> = Vec::new();
    let mut idle = Vec::new();
    for pattern in patterns {
        let before = chosen.len();
        chosen.extend(offered.iter().filter(|name| pattern.matches(name)).map(|name| (*name).clone()));
        if chosen.len() == before {
            chosen.extend(of_jdk(classes, pattern));
        }
        if chosen.len() == before {
            idle.push(pattern.to_string());
        }
    }
    if patterns.is_empty() {
        chosen = offered.iter().map(|name| (*name).clone()).collect();
    }
    let had_some = !chosen.is_empty();
    chosen.retain(|name| !excluded.iter().any(|pattern| pattern.matches(name)));
    chosen.sort();
    chosen.dedup();
    if chosen.is_empty() && had_some {
        return Err(ProjectError::AllExcluded {
            excluded: excluded.iter().map(ToString::to_string).collect(),
        });
    }
    if chosen.is_empty() {
        return Err(no_match(patterns, excluded, &offered));
    }
    Ok(Selection { classes: chosen, idle })
}

/// Descriptions of packages and modules have nothing to run.
fn is_testable(name: &ClassName) -> bool {
    !matches!(name.simple(), "package-info" | "module-info")
}

/// Whether an entry is, or is inside, a place under test. Libraries inside an application's jar are not the application.
fn is_offered(classes: &Classes, entry: &Entry, places: &[&Path]) -> bool {
    match &entry.origin {
        Origin::Directory(path) => places.is_empty() || places.contains(&path.as_path()),
        // Beside a folder of classes inside, an archive holds only its loader.
        Origin::Jar(path) => {
            let is_wanted = places.is_empty() || places.contains(&path.as_path());
            is_wanted && !classes.path.entries().iter().any(|other| is_class_folder(other, path))
        }
        Origin::Nested { archive, inside } => {
            inside.ends_with('/') && (places.is_empty() || places.contains(&archive.as_path()))
        }
        Origin::Jdk { .. } => false,
    }
}

fn is_class_folder(entry: &Entry, of: &Path) -> bool {
    matches!(&entry.origin, Origin::Nested { archive, inside } if archive == of && inside.ends_with('/'))
}

fn of_jdk(classes: &Classes, pattern: &Pattern) -> Vec<ClassName> {
    let Some(jdk) = &classes.jdk else { return Vec::new() };
    if pattern.has_wildcard() || !pattern.as_str().contains('.') {
        return Vec::new();
    }
    let name = ClassName::binary(pattern.as_str());
    // The class must be there itself: a package of the JDK is too much to mean.
    if !jdk.contains(&name) {
        return Vec::new();
    }
    jdk.iter().map(|class| class.name).filter(|other| pattern.matches(other)).cloned().collect()
}

fn no_match(patterns: &[Pattern], excluded: &[Pattern], offered: &[&ClassName]) -> ProjectError {
    let said = if patterns.is_empty() { excluded } else { patterns };
    let mut near: Vec<String> = Vec::new();
    for pattern in patterns {
        let wanted = pattern.as_str().trim_end_matches(".*").trim_matches('*');
        near.extend(near_matches(wanted, offered.iter().copied(), 3).into_iter().map(ClassName::to_binary));
        near.extend(near_packages(wanted, offered));
    }
    near.dedup();
    near.truncate(5);
    ProjectError::NoMatch {
        patterns: said.iter().map(ToString::to_string).collect(),
        near,
        known: offered.len(),
    }
}

/// Packages near a pattern that names one.
fn near_packages(wanted: &str, offered: &[&ClassName]) -> Vec<String> {
    let mut packages: Vec<String> = offered.iter().map(|name| name.package().replace('/', ".")).collect();
    packages.dedup();
    let near = probat_classpath::near_names(wanted, packages.iter().map(String::as_str), 2);
    near.into_iter().map(|package| format!("{package}.*")).collect()
}
