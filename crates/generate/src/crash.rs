//! Finds the tests that a compiler dies of.
//!
//! In: sources that make a compiler fail without a word about any line, as its own bugs do. Out: those tests written without type arguments, or
//! dropped where that makes no difference. Everything else is kept, and what compiled on the way is compiled.

use std::path::{Path, PathBuf};

use crate::compile::CompileError;
use crate::printed::{FileId, Printed};
use crate::resident::Workshop;
use crate::verify::DropReason;

/// Halves the files, then the tests of a file, until the culprits are found.
pub(crate) fn drop_deadly(
    workshop: &mut Workshop,
    printed: &mut Printed<'_>,
    files: Vec<(FileId, PathBuf)>,
    classes: &Path,
) -> Result<(), CompileError> {
    let mut open = vec![files];
    while let Some(group) = open.pop() {
        let paths: Vec<PathBuf> = group.iter().map(|(_, path)| path.clone()).collect();
        let Some(said) = death(workshop, &paths, classes)? else { continue };
        match group.as_slice() {
            [(file, path)] => drop_tests(workshop, printed, *file, path, &said)?,
            many => open.extend(halves(many)),
        }
    }
    Ok(())
}

/// Finds the culprits in one file. Where no test alone is one, all of them are.
fn drop_tests(
    workshop: &mut Workshop,
    printed: &mut Printed<'_>,
    file: FileId,
    path: &Path,
    said: &str,
) -> Result<(), CompileError> {
    let folder = path.with_extension("tried");
    let alone = folder.join(path.file_name().expect("a source has a name"));
    let failed = |source| CompileError::Write { path: alone.clone(), source };
    std::fs::create_dir_all(&folder).map_err(failed)?;
    let mut open = halves(&printed.tests(file));
    let mut found = false;
    while let Some(names) = open.pop() {
        std::fs::write(&alone, printed.source_of(file, &names)).map_err(failed)?;
        if death(workshop, std::slice::from_ref(&alone), &folder.join("classes"))?.is_none() {
            continue;
        }
        match names.as_slice() {
            [name] => {
                printed.rewrite_or_drop(file, name, said);
                found = true;
            }
            many => open.extend(halves(many)),
        }
    }
    if !found {
        printed.drop_file(file, DropReason::Uncompilable, said);
    }
    Ok(())
}

/// What a compiler says when it dies; nothing where it does not. Objections do not matter here.
fn death(workshop: &mut Workshop, paths: &[PathBuf], classes: &Path) -> Result<Option<String>, CompileError> {
    match workshop.compile(paths, classes) {
        Ok(_) => Ok(None),
        Err(CompileError::Unexplained(said)) => Ok(Some(format!("the compiler failed: {said}"))),
        Err(other) => Err(other),
    }
}

/// Both halves of a list, those that are not empty.
fn halves<T: Clone>(all: &[T]) -> Vec<Vec<T>> {
    let (first, second) = all.split_at(all.len() / 2);
    [first, second].into_iter().filter(|half| !half.is_empty()).map(<[T]>::to_vec).collect()
}
