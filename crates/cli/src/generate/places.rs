//! Where results go.
//!
//! In: arguments, the project. Out: [`Places`]. Tests of a project join its tests; everything else stays out of its build.

use std::path::PathBuf;

use probat_generate::OutFile;
use probat_project::Project;

use super::args::GenerateArgs;
use super::known;

/// Folder for tests of what is no project.
const TESTS: &str = "probat-tests";

/// Folders and files of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    pub tests: PathBuf,
    pub report: PathBuf,
    pub known_failures: PathBuf,
}

/// Decides.
pub fn places(args: &GenerateArgs, project: &Project) -> Places {
    match &project.layout {
        Some(layout) => Places {
            tests: args.output.clone().unwrap_or_else(|| layout.test_sources.clone()),
            report: layout.build.join("probat-report.json"),
            known_failures: layout.root.join(known::FILE),
        },
        None => {
            let tests = args.output.clone().unwrap_or_else(|| PathBuf::from(TESTS));
            Places {
                report: tests.join("probat-report.json"),
                known_failures: tests.join(known::FILE),
                tests,
            }
        }
    }
}

impl Places {
    /// Where a test class goes.
    pub fn of(&self, file: &OutFile) -> PathBuf {
        self.tests.join(&file.package).join(format!("{}.java", file.name))
    }
}
