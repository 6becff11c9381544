//! Where results go.
//!
//! In: arguments, the project. Out: [`Places`]. Tests of a project join its tests; everything else stays out of its build.

use std::path::{Path, PathBuf};

use probat_generate::OutFile;
use probat_project::Project;

use super::args::GenerateArgs;
use super::known;
use crate::exit::Exit;
use crate::failure::Failure;

/// Folder for tests of what is no project.
const TESTS: &str = "probat-tests";

/// Folder for tests that fail, in a project.
const FAILING: &str = "probat-failing-tests";

/// File for what a run has found that is not over yet.
const UNFINISHED: &str = "probat-unfinished";

/// Folders and files of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    pub tests: PathBuf,
    /// Tests that fail: never part of a build.
    pub failing: PathBuf,
    pub report: PathBuf,
    pub known_failures: PathBuf,
    /// What a run has found that is not over yet.
    pub unfinished: PathBuf,
}

/// Decides.
pub fn places(args: &GenerateArgs, project: &Project) -> Places {
    match &project.layout {
        Some(layout) => Places {
            tests: args.output.clone().unwrap_or_else(|| layout.test_sources.clone()),
            failing: args.failing_output.clone().unwrap_or_else(|| layout.root.join(FAILING)),
            report: layout.build.join("probat-report.json"),
            known_failures: layout.root.join(known::FILE),
            unfinished: layout.build.join(UNFINISHED),
        },
        None => {
            let tests = args.output.clone().unwrap_or_else(|| PathBuf::from(TESTS));
            Places {
                report: tests.join("probat-report.json"),
                known_failures: tests.join(known::FILE),
                failing: args.failing_output.clone().unwrap_or_else(|| beside(&tests, FAILING)),
                unfinished: beside(&tests, UNFINISHED),
                tests,
            }
        }
    }
}

impl Places {
    /// Where a test class or script goes.
    pub fn of(&self, file: &OutFile) -> PathBuf {
        let folder = if file.fails { &self.failing } else { &self.tests };
        folder.join(&file.package).join(format!("{}.{}", file.name, file.extension))
    }
}

/// What cannot be written to is said before a search, not after it.
pub fn check(places: &Places) -> Result<(), Failure> {
    for folder in [&places.tests, &places.failing] {
        let Some(there) = folder.ancestors().find(|above| above.as_os_str().is_empty() || above.exists())
        else {
            continue;
        };
        let there = if there.as_os_str().is_empty() { Path::new(".") } else { there };
        if !there.is_dir() {
            let text = format!("cannot write to `{}`: `{}` is a file", folder.display(), there.display());
            return Err(Failure::new(Exit::Missing, text).hint("name a folder with `--output`"));
        }
        // What the system says of a file there is all that counts: permissions alone do not tell.
        if let Err(error) = tempfile::Builder::new().prefix(".probat-").tempfile_in(there) {
            let text = format!("cannot write to `{}`: {}", there.display(), error.kind());
            return Err(Failure::new(Exit::Missing, text)
                .hint("name a folder you may write to, on a disk with room, with `--output`"));
        }
    }
    Ok(())
}

/// `out` gives `out-failing`.
fn beside(tests: &Path, what: &str) -> PathBuf {
    let word = what.split('-').nth(1).unwrap_or(what);
    match tests.file_name() {
        Some(name) => tests.with_file_name(format!("{}-{word}", name.to_string_lossy())),
        None => tests.join(what),
    }
}
