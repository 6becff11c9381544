//! How good a JUnit suite is, measured with tools that are not ours.
//!
//! In: test sources of any origin, the jar they test, a JDK, a JUnit launcher, JaCoCo. Out: [`Measured`]: what does not compile, what
//! fails in each of three runs, and the coverage JaCoCo reports. Knows nothing of how the tests were made; a peer's suite goes the same
//! way as ours.
//!
//! ```text
//! jar ─▶ subject: the classes this JVM would load, in a folder ─┐
//! sources ─▶ compile: files with errors are dropped and named ──┴▶ run ×3 (plain; other zone, locale, hashes; JaCoCo) ─▶ coverage
//!                                                               └▶ PIT, where asked for ─▶ mutants
//! ```

mod compile;
mod coverage;
mod mutants;
mod peer;
mod run;
mod subject;

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;

pub use coverage::{Covered, PackageCovered, Share};
pub use mutants::{Mutation, PIT, PitJob, mutate};
pub use peer::{PeerJob, PeerRun, run_peer};
pub use run::RunResult;

/// What measuring is done with.
#[derive(Debug, Clone)]
pub struct Tools {
    /// The home of a JDK.
    pub java_home: PathBuf,
    /// Its feature release.
    pub release: u32,
    /// The console launcher, and JUnit 4 with what it needs.
    pub junit: Vec<PathBuf>,
    /// JaCoCo's agent, and its command line with all it needs.
    pub jacoco_agent: PathBuf,
    pub jacoco_cli: PathBuf,
    /// PIT, if mutants are counted.
    pub pit: Option<Vec<PathBuf>>,
    /// How long one run of a suite may take.
    pub patience: Duration,
}

/// Which classes count.
pub type Counts<'a> = dyn Fn(&probat_model::ClassName) -> bool + 'a;

/// A suite and what it tests.
pub struct Suite<'a> {
    /// A folder with sources, at any depth.
    pub sources: &'a Path,
    /// The jar or folder under test.
    pub subject: &'a Path,
    /// What that needs.
    pub class_path: &'a [PathBuf],
    pub counts: &'a Counts<'a>,
}

impl std::fmt::Debug for Suite<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Suite")
            .field("sources", &self.sources)
            .field("subject", &self.subject)
            .finish_non_exhaustive()
    }
}

/// What was measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Measured {
    pub files: usize,
    /// Lines that are not blank, of the files that compile.
    pub lines: usize,
    /// Tests that ran the first time.
    pub tests: usize,
    /// Files that do not compile, with the first error of each.
    pub uncompilable: Vec<String>,
    /// Plain, in another surrounding, under JaCoCo.
    pub runs: Vec<RunResult>,
    pub branch: Share,
    pub line: Share,
    pub packages: Vec<PackageCovered>,
    /// Mutants that the suite notices, where they are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mutants: Option<Share>,
}

impl Measured {
    /// Tests that failed in any run.
    pub fn failing(&self) -> std::collections::BTreeSet<&str> {
        self.runs.iter().flat_map(|run| &run.failed).map(String::as_str).collect()
    }
}

/// Why nothing was measured.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    #[error("cannot read or write `{}`", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error("cannot run `{}`", program.display())]
    Start { program: PathBuf, source: std::io::Error },
    #[error("cannot read a class of `{}`", path.display())]
    Subject { path: PathBuf, source: probat_classpath::ClassPathError },
    #[error("JaCoCo's report is not there or makes no sense: {what}")]
    Coverage { what: String },
    #[error("PIT gave no result: {why}")]
    Mutants { why: String },
}

/// Compiles a suite, runs it three times and reads the coverage. `work` is a folder of ours.
pub fn measure(tools: &Tools, suite: &Suite<'_>, work: &Path) -> Result<Measured, MeasureError> {
    let folders = subject::unpack(suite, tools.release, work)?;
    let compiled = compile::compile(tools, suite, &folders, work)?;
    let surroundings: [&[&str]; 2] = [&[], &OTHER_SURROUNDING];
    let mut runs = Vec::new();
    for (at, options) in surroundings.iter().enumerate() {
        let options: Vec<String> = options.iter().map(ToString::to_string).collect();
        runs.push(run::run(
            tools,
            suite,
            &folders,
            &compiled,
            &work.join(format!("run{}", at + 1)),
            &options,
        )?);
    }
    let exec = work.join("jacoco.exec");
    let agent = coverage::agent_option(tools, &exec, &folders);
    runs.push(run::run(tools, suite, &folders, &compiled, &work.join("run3"), &[agent])?);
    let covered = coverage::read(tools, &exec, &folders, work)?;
    let pit = tools.pit.as_ref().filter(|_| !compiled.files.is_empty());
    let mutants = pit.map(|pit| killed(tools, pit, suite, &folders, &compiled, work)).transpose()?;
    Ok(Measured {
        files: compiled.files.len() + compiled.uncompilable.len(),
        lines: compiled.lines,
        tests: runs[0].tests,
        uncompilable: compiled.uncompilable,
        runs,
        branch: covered.branch,
        line: covered.line,
        packages: covered.packages,
        mutants,
    })
}

/// How much longer PIT may take than one run of a suite: it runs parts of it for every mutant.
const MUTANTS: u32 = 24;

/// What PIT says of a suite.
fn killed(
    tools: &Tools,
    pit: &[PathBuf],
    suite: &Suite<'_>,
    folders: &subject::Folders,
    compiled: &compile::Compiled,
    work: &Path,
) -> Result<Share, MeasureError> {
    let class_path = compile::class_path(tools, suite, folders, &compiled.classes);
    let job = PitJob {
        java: &tools.java_home.join("bin/java"),
        pit,
        class_path: &std::env::split_paths(&class_path).collect::<Vec<_>>(),
        classes: &subject::classes(&folders.covered)?,
        tests: &subject::classes(&compiled.classes)?,
        all_killers: false,
        workers: std::thread::available_parallelism().map_or(1, usize::from),
        patience: tools.patience * MUTANTS,
        work,
    };
    let mutations = mutate(&job)?;
    let covered = mutations.iter().filter(|mutation| mutation.detected).count() as u64;
    Ok(Share { covered, all: mutations.len() as u64 })
}

/// What a test must not depend on: zone, language, and the hashes of objects without one.
const OTHER_SURROUNDING: [&str; 4] =
    ["-Duser.timezone=Pacific/Chatham", "-Duser.language=tr", "-Duser.country=TR", "-XX:hashCode=2"];
