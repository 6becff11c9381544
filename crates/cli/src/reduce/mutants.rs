//! How many mutants a suite kills before and after it is reduced, by PIT.
//!
//! In: class path, classes under test, tests. Out: [`Mutants`]. PIT comes from Maven. It says of every mutant which tests kill it, so one
//! run tells of both suites. It runs outside our sandbox, in the user's own JVM.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use probat_model::ClassName;
use probat_project::{Coordinates, Tools, find_artifacts};
use serde::Serialize;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::generate::project_failure;
use crate::progress::Progress;

/// PIT and what it needs; JUnit's platform is there already.
const ARTIFACTS: [&str; 14] = [
    "org.pitest:pitest-command-line:1.17.4",
    "org.pitest:pitest:1.17.4",
    "org.pitest:pitest-entry:1.17.4",
    "org.pitest:pitest-html-report:1.17.4",
    "org.pitest:pitest-junit5-plugin:1.2.1",
    "net.sf.jopt-simple:jopt-simple:4.9",
    "org.apache.commons:commons-text:1.12.0",
    "org.apache.commons:commons-lang3:3.14.0",
    "org.ow2.asm:asm:9.7.1",
    "org.ow2.asm:asm-tree:9.7.1",
    "org.ow2.asm:asm-analysis:9.7.1",
    "org.ow2.asm:asm-commons:9.7.1",
    "org.ow2.asm:asm-util:9.7.1",
    "org.antlr:stringtemplate:3.2.1",
];

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
    let wanted: Result<Vec<Coordinates>, _> = ARTIFACTS.iter().map(|text| text.parse()).collect();
    let wanted = wanted.expect("written here");
    let tools = Tools::of_this_machine(trial.offline);
    let pit = find_artifacts(&tools, &wanted, trial.work, "fetching PIT")
        .map_err(|error| project_failure(&error))?;
    let report = trial.work.join("mutants");
    let own: Vec<String> = trial.class_path.iter().map(|path| path.display().to_string()).collect();
    let all = trial.class_path.iter().chain(&pit);
    let class_path = std::env::join_paths(all).unwrap_or_default();
    let names: Vec<String> = trial.classes.iter().map(ClassName::to_binary).collect();
    let output = Command::new(&trial.java)
        .arg("-cp")
        .arg(class_path)
        .arg("org.pitest.mutationtest.commandline.MutationCoverageReport")
        .args(["--outputFormats", "XML", "--timestampedReports", "false", "--fullMutationMatrix", "true"])
        .args(["--skipFailingTests", "true", "--verbose", "false", "--failWhenNoMutations", "false"])
        .args(["--targetClasses", &names.join(","), "--targetTests", &trial.tests.join(",")])
        .args(["--classPath", &own.join(",")])
        // It would take code for its own to mutate in folders only, not in jars.
        .args(["--mutableCodePaths", &own.join(",")])
        .arg("--reportDir")
        .arg(&report)
        .arg("--sourceDirs")
        .arg(trial.work)
        .current_dir(trial.work)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| failure(&format!("cannot run `{}`: {error}", trial.java.display())))?;
    let said = String::from_utf8_lossy(&output.stderr);
    let text = fs::read_to_string(report.join("mutations.xml")).map_err(|_| {
        let why = said.lines().find(|line| line.contains("Exception") || line.contains("SEVERE"));
        failure(&format!("PIT gave no result: {}", why.unwrap_or("it does not say why")))
    })?;
    Ok(killed(&text, trial.kept))
}

fn failure(text: &str) -> Failure {
    Failure::new(Exit::Missing, text).hint("without `--mutants` the rest is reported all the same")
}

/// Counts mutants in PIT's report. A mutant that timed out is told with the tests that cover it.
fn killed(report: &str, kept: &[String]) -> Mutants {
    let mut counted = Mutants { mutants: 0, killed_before: 0, killed_after: 0 };
    for mutation in report.split("<mutation ").skip(1) {
        counted.mutants += 1;
        if !mutation.starts_with("detected='true'") {
            continue;
        }
        counted.killed_before += 1;
        let tests = ["killingTests", "coveringTests"].iter().find_map(|tag| {
            let (_, rest) = mutation.split_once(&format!("<{tag}>"))?;
            let (tests, _) = rest.split_once('<')?;
            (!tests.is_empty()).then(|| plain(tests))
        });
        let by_kept = tests.is_some_and(|tests| {
            tests.split('|').any(|test| kept.iter().any(|kept| test.ends_with(kept.as_str())))
        });
        counted.killed_after += usize::from(by_kept);
    }
    counted
}

/// Text of XML.
fn plain(text: &str) -> String {
    let signs = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&apos;", "'"),
        ("&#39;", "'"),
        ("&#34;", "\""),
        ("&amp;", "&"),
    ];
    signs.iter().fold(text.to_owned(), |text, (written, sign)| text.replace(written, sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mutant_is_killed_by_the_tests_named() {
        let report = "<mutations>\n\
            <mutation detected='true' status='KILLED'><killingTests>a.T.[class:a.T]/[method:x()]|a.T.[class:a.T]/[method:y()]</killingTests></mutation>\n\
            <mutation detected='true' status='KILLED'><killingTests>a.T.[class:a.T]/[method:y()]</killingTests></mutation>\n\
            <mutation detected='true' status='TIMED_OUT'><killingTests></killingTests><coveringTests>a.T.[class:a.T]/[method:x()]</coveringTests></mutation>\n\
            <mutation detected='false' status='SURVIVED'><killingTests></killingTests></mutation>";
        let counted = killed(report, &["[class:a.T]/[method:x()]".into()]);
        assert_eq!(counted, Mutants { mutants: 4, killed_before: 3, killed_after: 2 });
    }
}
