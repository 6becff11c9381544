//! How many mutants a suite kills before and after it is reduced, by PIT.
//!
//! In: class path, classes under test, tests. Out: [`Mutants`]. PIT comes from Maven. It says of every mutant which tests kill it, so one
//! run tells of both suites.

use std::path::{Path, PathBuf};
use std::time::Duration;

use probat_measure::{Mutation, PitJob, mutate};
use probat_model::ClassName;
use probat_project::Tools;
use serde::Serialize;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::pit;
use crate::progress::Progress;

/// How long it may take: a suite of thousands of tests takes hours.
const PATIENCE: Duration = Duration::from_secs(24 * 3600);

/// Mutants, and those that are killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Mutants {
    pub mutants: usize,
    pub killed_before: usize,
    pub killed_after: usize,
}

/// What PIT is given.
#[derive(Debug)]
pub struct Trial<'a> {
    pub java: PathBuf,
    pub class_path: &'a [PathBuf],
    pub classes: &'a [ClassName],
    /// Binary names of test classes.
    pub tests: Vec<String>,
    pub kept: &'a [String],
    pub offline: bool,
    pub work: &'a Path,
}

/// Runs PIT.
pub fn count(trial: &Trial<'_>) -> Result<Mutants, Failure> {
    let _progress = Progress::start("counting mutants");
    let pit = pit::fetch(&Tools::of_this_machine(trial.offline), trial.work)?;
    let classes: Vec<String> = trial.classes.iter().map(ClassName::to_binary).collect();
    let job = PitJob {
        java: &trial.java,
        pit: &pit,
        class_path: trial.class_path,
        classes: &classes,
        tests: &trial.tests,
        all_killers: true,
        workers: 1,
        patience: PATIENCE,
        work: trial.work,
    };
    let mutations = mutate(&job).map_err(|error| {
        Failure::caused(Exit::Missing, &error).hint("without `--mutants` the rest is reported all the same")
    })?;
    Ok(killed(&mutations, trial.kept))
}

/// Counts mutants, and those that the tests noticed which are kept.
fn killed(mutations: &[Mutation], kept: &[String]) -> Mutants {
    let is_kept = |test: &String| kept.iter().any(|kept| test.ends_with(kept.as_str()));
    let detected = || mutations.iter().filter(|mutation| mutation.detected);
    Mutants {
        mutants: mutations.len(),
        killed_before: detected().count(),
        killed_after: detected().filter(|mutation| mutation.tests.iter().any(is_kept)).count(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mutant_is_killed_by_the_tests_named() {
        let mutation = |detected, tests: &[&str]| Mutation {
            detected,
            tests: tests.iter().map(|test| format!("a.T.[class:a.T]/[method:{test}()]")).collect(),
        };
        let mutations = [
            mutation(true, &["x", "y"]),
            mutation(true, &["y"]),
            mutation(true, &["x"]),
            mutation(false, &[]),
        ];
        let counted = killed(&mutations, &["[class:a.T]/[method:x()]".into()]);
        assert_eq!(counted, Mutants { mutants: 4, killed_before: 3, killed_after: 2 });
    }
}
