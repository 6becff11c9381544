//! A JUnit to compile and run the written tests with.
//!
//! In: jars the user named, jars of the project, the user's Maven. Out: [`JUnit`]: jars with a launcher, and JUnit 4 where wanted.
//! The launcher is always the same version, whatever the project uses: the tests only need what all versions have.

use std::path::{Path, PathBuf};

use probat_classpath::{ClassPath, OpenOptions};
use probat_model::ClassName;

use crate::maven::Maven;
use crate::{Coordinates, ProjectError, Tools};

/// Which JUnit tests are written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JUnitKind {
    JUnit5,
    JUnit4,
}

/// Jars that can run tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JUnit {
    pub jars: Vec<PathBuf>,
    /// Where they are from, in words.
    pub from: &'static str,
}

const LAUNCHER: &str = "org/junit/platform/console/ConsoleLauncher";
const JUNIT4: &str = "org/junit/Test";
const JUPITER: &str = "org/junit/jupiter/api/Test";

/// The launcher, with all engines inside.
pub(crate) fn launcher() -> Coordinates {
    Coordinates::known("org.junit.platform", "junit-platform-console-standalone", "1.13.4")
}

fn junit4() -> Vec<Coordinates> {
    vec![
        Coordinates::known("junit", "junit", "4.13.2"),
        Coordinates::known("org.hamcrest", "hamcrest-core", "1.3"),
    ]
}

/// Finds jars: those named, else those Maven has already, else those Maven can fetch.
///
/// `own` are the project's JUnit jars; of them only JUnit 4 is used, as the launcher has all of JUnit 5.
pub fn find_junit(
    tools: &Tools,
    kind: JUnitKind,
    named: &[PathBuf],
    own: &[PathBuf],
    work: &Path,
) -> Result<JUnit, ProjectError> {
    if !named.is_empty() {
        return of_named(kind, named, own);
    }
    let mut wanted = vec![launcher()];
    let mut jars: Vec<PathBuf> = Vec::new();
    if kind == JUnitKind::JUnit4 {
        match own.iter().any(|jar| holds(std::slice::from_ref(jar), JUNIT4)) {
            true => jars.extend(own.iter().filter(|jar| !is_platform(jar)).cloned()),
            false => wanted.extend(junit4()),
        }
    }
    if let Some(kept) = kept_by_maven(tools, &wanted) {
        jars.extend(kept);
        return Ok(JUnit { jars, from: "your local Maven repository" });
    }
    let fetched = fetch(tools, &wanted, work, "fetching JUnit");
    let fetched = fetched.map_err(|source| ProjectError::NoJUnit { source: Box::new(source) })?;
    jars.extend(fetched);
    Ok(JUnit { jars, from: "Maven" })
}

/// Jars of artifacts: those Maven has already, else those Maven can fetch.
pub fn find_artifacts(
    tools: &Tools,
    wanted: &[Coordinates],
    work: &Path,
    purpose: &str,
) -> Result<Vec<PathBuf>, ProjectError> {
    match kept_by_maven(tools, wanted) {
        Some(kept) => Ok(kept),
        None => fetch(tools, wanted, work, purpose),
    }
}

fn fetch(
    tools: &Tools,
    wanted: &[Coordinates],
    work: &Path,
    purpose: &str,
) -> Result<Vec<PathBuf>, ProjectError> {
    Maven::find(tools, None, purpose).and_then(|maven| maven.fetch(wanted, work, purpose))
}

fn of_named(kind: JUnitKind, named: &[PathBuf], own: &[PathBuf]) -> Result<JUnit, ProjectError> {
    for jar in named {
        if !jar.is_file() {
            return Err(ProjectError::Missing { path: jar.clone(), near: Vec::new() });
        }
    }
    if !holds(named, LAUNCHER) {
        return Err(ProjectError::NoLauncher { path: named[0].clone() });
    }
    // Compilers and JVMs work elsewhere.
    let absolute = |jar: &PathBuf| std::path::absolute(jar).unwrap_or_else(|_| jar.clone());
    let mut jars: Vec<PathBuf> = named.iter().map(absolute).collect();
    if kind == JUnitKind::JUnit4 && !holds(named, JUNIT4) {
        let own: Vec<PathBuf> = own.iter().filter(|jar| !is_platform(jar)).cloned().collect();
        if !holds(&own, JUNIT4) {
            return Err(ProjectError::NoJUnit4);
        }
        jars.extend(own);
    }
    Ok(JUnit { jars, from: "--junit-jar" })
}

/// Jars in the usual place of Maven's repository, if all are there.
fn kept_by_maven(tools: &Tools, wanted: &[Coordinates]) -> Option<Vec<PathBuf>> {
    let repository = tools.home.as_ref()?.join(".m2/repository");
    let jars = wanted.iter().map(|one| repository.join(one.repository_path()));
    jars.map(|jar| holds_any(&jar).then_some(jar)).collect()
}

/// Whether the jar can be read and has classes: a broken download has none.
fn holds_any(jar: &Path) -> bool {
    jar.is_file() && open(&[jar.to_owned()]).iter().next().is_some()
}

fn holds(jars: &[PathBuf], class: &str) -> bool {
    !jars.is_empty() && open(jars).entry_of(&ClassName::internal(class)).is_some()
}

fn open(jars: &[PathBuf]) -> ClassPath {
    ClassPath::open(jars, &OpenOptions { release: 17 })
}

/// Whether a jar belongs to JUnit or to what only JUnit needs, told by its name.
pub(crate) fn is_junit(jar: &Path) -> bool {
    let name = jar.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let plain =
        name.strip_prefix("junit-").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    plain || is_platform(jar) || name.starts_with("hamcrest-")
}

fn is_platform(jar: &Path) -> bool {
    let name = jar.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let heads = ["junit-jupiter", "junit-platform", "junit-vintage", "opentest4j-", "apiguardian-api-"];
    heads.iter().any(|head| name.starts_with(head))
}

/// Whether tests of a kind compile with a project's own jars.
pub fn has_junit(own: &[PathBuf], kind: JUnitKind) -> bool {
    match kind {
        JUnitKind::JUnit5 => holds(own, JUPITER),
        JUnitKind::JUnit4 => holds(own, JUNIT4),
    }
}

/// Which JUnit a project's own jars are; `None` if they are neither.
pub fn kind_of(own: &[PathBuf]) -> Option<JUnitKind> {
    if holds(own, JUPITER) {
        return Some(JUnitKind::JUnit5);
    }
    holds(own, JUNIT4).then_some(JUnitKind::JUnit4)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn jars_of_junit_are_known_by_name() {
        for jar in [
            "junit-4.13.2.jar",
            "junit-jupiter-api-5.9.2.jar",
            "hamcrest-core-1.3.jar",
            "opentest4j-1.3.0.jar",
        ] {
            assert!(is_junit(Path::new(jar)), "{jar}");
        }
        for jar in ["junit-dataprovider.jar", "guava-33.jar", "assertj-core-3.jar"] {
            assert!(!is_junit(Path::new(jar)), "{jar}");
        }
    }

    #[test]
    fn without_maven_and_network_the_way_out_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let tools = Tools {
            path: Some("/nowhere".into()),
            home: Some(dir.path().into()),
            offline: true,
            ..Tools::default()
        };
        let error = find_junit(&tools, JUnitKind::JUnit5, &[], &[], dir.path()).unwrap_err();
        assert!(error.is_about_the_machine());
        let ways = error.ways_out().join("\n");
        assert!(ways.contains("--junit-jar") && ways.contains("--unverified"), "{ways}");
    }

    #[test]
    fn a_jar_without_launcher_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let jar = dir.path().join("x.jar");
        fs::write(&jar, b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0").unwrap();
        let error = find_junit(&Tools::default(), JUnitKind::JUnit5, &[jar], &[], dir.path()).unwrap_err();
        assert!(matches!(error, ProjectError::NoLauncher { .. }));
    }
}
