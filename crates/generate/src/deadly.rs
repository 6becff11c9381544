//! Calls that end the JVM, as programs that a person can run.
//!
//! In: the failures of a campaign. Out: one class with a `main` per failure, which makes the calls; those a compiler refuses are left out. They are
//! never run here, and no test runner takes them for tests.

use std::fs;
use std::path::PathBuf;

use probat_emit::{Ending, Framework, Scope, Style, TestCase, TestClass, test_class_source};
use probat_model::ClassName;
use probat_search::campaign::{Campaign, Failure, FailureKind};
use probat_supervisor::describe;

use crate::compile::{CompileError, compile};
use crate::failing::failure_key;
use crate::job::Job;
use crate::outcome::OutFile;
use crate::suite::{package_for, subject_of};

/// Programs written for one run.
const MOST: usize = 20;

/// Writes them.
pub(crate) fn deadly(
    job: &Job<'_>,
    campaign: &Campaign<'_>,
    scope: &dyn Scope,
) -> Result<Vec<OutFile>, CompileError> {
    let ends = |failure: &&Failure| matches!(failure.kind, FailureKind::Died | FailureKind::Exits);
    let mut files: Vec<OutFile> = Vec::new();
    for failure in campaign.failures().filter(ends).take(MOST) {
        let owner = campaign.catalogue.callable(failure.callable).owner;
        let subject = owner.and_then(|owner| subject_of(&campaign.catalogue, owner));
        let Some(subject) = subject else { continue };
        let number = 1 + files.iter().filter(|file| file.subject == subject).count();
        files.extend(program(job, campaign, scope, failure, subject, number));
    }
    compilable(job, files)
}

fn program(
    job: &Job<'_>,
    campaign: &Campaign<'_>,
    scope: &dyn Scope,
    failure: &Failure,
    subject: ClassName,
    number: usize,
) -> Option<OutFile> {
    let catalogue = &campaign.catalogue;
    let member = describe(catalogue.operations.get(catalogue.callable(failure.callable).operation));
    let package = package_for(catalogue, &subject);
    let case = TestCase {
        name: "endsTheJvm".into(),
        steps: failure.steps.clone(),
        checks: Vec::new(),
        caught: Vec::new(),
        ending: Ending::Returns,
        notes: vec![format!("{member} does it.")],
        raw: false,
    };
    let class = TestClass {
        package,
        name: format!("{}Deadly{number}", subject.simple()),
        about: vec![
            "Calls that end the JVM, or try to.".to_owned(),
            "Run it alone: nothing after them is reached.".to_owned(),
        ],
        tests: vec![case],
        groups: Vec::new(),
    };
    let style = Style { framework: Framework::Java, marker: job.options.marker.clone() };
    let printed = test_class_source(&class, &catalogue.operations, scope, &style);
    printed.refused.is_empty().then(|| OutFile {
        subject,
        package: class.package,
        name: class.name,
        extension: "java",
        source: printed.text,
        tests: 0,
        fails: true,
        shows: Some(format!("{member} {}", failure_key(&failure.kind))),
    })
}

/// Those that a compiler takes; all where there is none.
fn compilable(job: &Job<'_>, mut files: Vec<OutFile>) -> Result<Vec<OutFile>, CompileError> {
    let Some(javac) = job.java.javac.as_ref().filter(|_| job.options.verify && !files.is_empty()) else {
        return Ok(files);
    };
    let compiler = job.java.compiler(javac, job.class_path.clone());
    let folder = job.work.join("deadly");
    let path_of = |file: &OutFile| folder.join(&file.package).join(format!("{}.java", file.name));
    for file in &files {
        let path = path_of(file);
        let failed = |source| CompileError::Write { path: path.clone(), source };
        fs::create_dir_all(path.parent().expect("it is below a folder")).map_err(failed)?;
        fs::write(&path, &file.source).map_err(failed)?;
    }
    let paths: Vec<PathBuf> = files.iter().map(path_of).collect();
    let found = compile(&compiler, &paths, &folder.join("classes"))?;
    files.retain(|file| found.iter().all(|diagnostic| diagnostic.file != path_of(file)));
    Ok(files)
}
