//! Whether sources were changed after they were compiled.
//!
//! In: folders with sources, folders with classes. Out: a source that is newer than every class. Goes by the times of files, as build tools do;
//! what was deleted is not noticed.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Endings of sources that become classes.
const SOURCES: [&str; 4] = ["java", "kt", "groovy", "scala"];

/// How deep packages may be.
const DEPTH: usize = 64;

/// The newest source, if no class is as new.
pub(crate) fn stale(sources: &[PathBuf], classes: &[PathBuf]) -> Option<PathBuf> {
    let (changed, source) = newest(sources, &SOURCES)?;
    let (compiled, _) = newest(classes, &["class"])?;
    (changed > compiled).then_some(source)
}

fn newest(folders: &[PathBuf], endings: &[&str]) -> Option<(SystemTime, PathBuf)> {
    let mut found = Vec::new();
    folders.iter().for_each(|folder| collect(folder, endings, DEPTH, &mut found));
    found.into_iter().max()
}

/// What cannot be read is left out: the build tool will say more about it.
fn collect(folder: &Path, endings: &[&str], depth: usize, found: &mut Vec<(SystemTime, PathBuf)>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        // Links are not followed: they may lead in circles.
        let Ok(data) = entry.metadata() else { continue };
        if data.is_dir() && depth > 0 {
            collect(&path, endings, depth - 1, found);
        } else if path.extension().is_some_and(|ending| endings.iter().any(|known| ending == *known)) {
            found.extend(data.modified().ok().map(|when| (when, path)));
        }
    }
}
