//! What is measured, and with what.
//!
//! In: a subject's text. Out: [`Subject`]: its jar, what it needs, its classes. JUnit and JaCoCo come from the user's local Maven repository or
//! through their Maven.

use std::path::{Path, PathBuf};

use probat_classpath::{ClassPath, Classes, OpenOptions};
use probat_measure::Tools;
use probat_model::ClassName;
use probat_project::{Coordinates, JUnitKind, Pattern, Request, find_artifacts, find_junit, resolve, select};
use probat_supervisor::discovery::Jvm;

use super::{PATIENCE, args};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::generate::project_failure;
use crate::pit;
use crate::progress::Progress;

/// A library to measure on.
#[derive(Debug)]
pub struct Subject {
    pub text: String,
    /// For `generate`.
    pub words: Vec<String>,
    pub jar: PathBuf,
    pub class_path: Vec<PathBuf>,
    /// Classes under test, without nested ones.
    pub classes: Vec<ClassName>,
    patterns: Vec<Pattern>,
}

impl Subject {
    /// Whether a class counts for coverage: a class under test or nested in one.
    pub fn counts(&self, class: &ClassName) -> bool {
        self.patterns.is_empty() || self.patterns.iter().any(|pattern| pattern.matches(&class.host()))
    }
}

/// Finds the jar and its classes.
pub fn find(text: &str, work: &Path, release: u32) -> Result<Subject, Failure> {
    let words = args::words(text);
    let tools = probat_project::Tools::of_this_machine(false);
    std::fs::create_dir_all(work)
        .map_err(|error| Failure::new(Exit::Missing, format!("cannot make `{}`: {error}", work.display())))?;
    let request = Request { words: &words, class_path: &[], here: Path::new("."), work, tools: &tools };
    let _progress = Progress::start("finding the library and what it needs");
    let project = resolve(&request).map_err(|error| project_failure(&error))?;
    let [jar] = project.under_test.as_slice() else {
        return Err(Failure::new(Exit::BadInput, format!("`{text}` is not one jar or folder")));
    };
    let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
    let class_path: Vec<PathBuf> = project.class_path.iter().map(absolute).collect();
    let path = ClassPath::open(&class_path, &OpenOptions { release });
    let classes = Classes { jdk: None, path };
    let jars: Vec<PathBuf> = project.under_test.clone();
    let chosen = select(&classes, &jars.iter().map(absolute).collect::<Vec<_>>(), &project.patterns, &[]);
    let chosen = chosen.map_err(|error| project_failure(&error))?.classes;
    Ok(Subject {
        text: text.to_owned(),
        words,
        jar: absolute(jar),
        class_path,
        classes: chosen.into_iter().filter(|class| class.host() == *class).collect(),
        patterns: project.patterns,
    })
}

/// The tools that measure.
pub fn tools(jvm: &Jvm, work: &Path, mutants: bool) -> Result<Tools, Failure> {
    let _progress = Progress::start("fetching JUnit and JaCoCo");
    let folder = work.join("tools");
    let ours = probat_project::Tools::of_this_machine(false);
    std::fs::create_dir_all(&folder).map_err(|error| {
        Failure::new(Exit::Missing, format!("cannot make `{}`: {error}", folder.display()))
    })?;
    let junit = find_junit(&ours, JUnitKind::JUnit4, &[], &[], &folder);
    let junit = junit.map_err(|error| project_failure(&error))?.jars;
    let artifact = |text: &str| -> Result<PathBuf, Failure> {
        let wanted: Coordinates = text.parse().map_err(|error| project_failure(&error))?;
        let found = find_artifacts(&ours, &[wanted], &folder, "fetching JaCoCo");
        let found = found.map_err(|error| project_failure(&error))?;
        found
            .into_iter()
            .next()
            .ok_or_else(|| Failure::new(Exit::Missing, format!("Maven found no `{text}`")))
    };
    Ok(Tools {
        java_home: jvm.home.clone(),
        release: jvm.version.feature,
        junit,
        jacoco_agent: artifact("org.jacoco:org.jacoco.agent:0.8.15:runtime")?,
        jacoco_cli: artifact("org.jacoco:org.jacoco.cli:0.8.15:nodeps")?,
        pit: mutants.then(|| pit::fetch(&ours, &folder)).transpose()?,
        patience: PATIENCE,
    })
}
