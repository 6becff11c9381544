//! Files of an exploration.
//!
//! In: explorations that kept their links, a folder. Out: the state graph of each class as DOT and SVG, its tests; the paths written. Existing
//! files of these names are ours and are replaced; nothing else is touched.

use std::fs;
use std::path::{Path, PathBuf};

use probat_explore::{dot, graph, svg};
use probat_supervisor::Fleet;

use super::drive::Done;
use super::export;
use crate::exit::Exit;
use crate::failure::{Failure, message};
use crate::generate::numbers::count;
use crate::library::Library;

/// States drawn at most; of larger graphs the first levels are.
const DRAWN: usize = 400;

/// Writes the graphs; gives the paths.
pub fn write(done: &[Done], folder: &Path) -> Result<Vec<String>, Failure> {
    let mut files = Vec::new();
    for one in done {
        let graph = graph(&one.exploration, DRAWN);
        let name = one.exploration.plan.class.to_binary();
        put(folder.join(format!("{name}.dot")), &dot(&graph), &mut files)?;
        put(folder.join(format!("{name}.svg")), &svg(&graph), &mut files)?;
    }
    Ok(files)
}

/// Writes the explored calls as JUnit source; gives the paths.
pub fn write_tests(
    done: &Done,
    folder: &Path,
    fleet: &mut Fleet,
    library: &Library,
    most: usize,
) -> Result<Vec<String>, Failure> {
    let exported = export::export(&done.exploration, fleet, library, most)?;
    if exported.is_cut {
        message(
            "note",
            &format!(
                "only the first {} of all tests are written; `--max-tests` allows more",
                count(exported.tests as u64)
            ),
        );
    }
    let mut files = Vec::new();
    for (path, text) in &exported.files {
        put(folder.join(path), text, &mut files)?;
    }
    Ok(files)
}

fn put(path: PathBuf, text: &str, files: &mut Vec<String>) -> Result<(), Failure> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(&path, text));
    written.map_err(|error| {
        Failure::new(Exit::Missing, format!("cannot write `{}`: {error}", path.display()))
            .hint("name a folder you may write to with `--output`")
    })?;
    files.push(path.display().to_string());
    Ok(())
}
