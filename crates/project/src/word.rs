//! What one word of the command line means.
//!
//! In: a word. Out: [`Word`]: something with classes, a project, an artifact, or a pattern for classes.
//! What exists on disk is taken for a path, whatever else it could be.

use std::fs;
use std::path::{Path, PathBuf};

use probat_classpath::near_names;

use crate::{Coordinates, Pattern, ProjectError};

/// What a user can point at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Word {
    /// A jar, or a folder with class files.
    Classes(PathBuf),
    /// The folder of a `pom.xml`.
    Maven(PathBuf),
    /// The folder of a `build.gradle` or `build.gradle.kts`.
    Gradle(PathBuf),
    Artifact(Coordinates),
    Pattern(Pattern),
}

/// Build files of Gradle.
const GRADLE: [&str; 4] = ["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"];

/// Endings of archives that hold classes.
const ARCHIVES: [&str; 5] = ["jar", "war", "ear", "zip", "jmod"];

/// Finds out what a word is.
pub fn recognise(word: &str) -> Result<Word, ProjectError> {
    let path = Path::new(word);
    if path.is_dir() {
        return folder(path);
    }
    if path.exists() {
        return file(path);
    }
    if word.contains(':') {
        return artifact(word);
    }
    if word.contains('/') || extension(path).is_some_and(|ending| ARCHIVES.contains(&ending.as_str())) {
        return Err(ProjectError::Missing { path: path.to_owned(), near: beside(path) });
    }
    Pattern::parse(word).map(Word::Pattern).map_err(|_| ProjectError::Unclear { word: word.to_owned() })
}

/// The project in a folder, if there is one.
pub(crate) fn project_in(folder: &Path) -> Option<Word> {
    if folder.join("pom.xml").is_file() {
        return Some(Word::Maven(folder.to_owned()));
    }
    GRADLE.iter().any(|name| folder.join(name).is_file()).then(|| Word::Gradle(folder.to_owned()))
}

fn folder(path: &Path) -> Result<Word, ProjectError> {
    if let Some(project) = project_in(path) {
        return Ok(project);
    }
    match has_classes(path, 64)? {
        true => Ok(Word::Classes(path.to_owned())),
        false => Err(ProjectError::NoClasses { path: path.to_owned() }),
    }
}

fn file(path: &Path) -> Result<Word, ProjectError> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if name == "pom.xml" {
        return Ok(Word::Maven(parent.to_owned()));
    }
    if GRADLE.contains(&name.as_str()) {
        return Ok(Word::Gradle(parent.to_owned()));
    }
    match extension(path).as_deref() {
        Some("java" | "kt" | "scala" | "groovy") => Err(ProjectError::Source { path: path.to_owned() }),
        Some("class") => Err(ProjectError::ClassFile { path: path.to_owned() }),
        Some(ending) if ARCHIVES.contains(&ending) => Ok(Word::Classes(path.to_owned())),
        _ => Err(ProjectError::NotAJar { path: path.to_owned() }),
    }
}

/// `g:a:v`; a class path has colons too.
fn artifact(word: &str) -> Result<Word, ProjectError> {
    let parts: Vec<&str> = word.split(':').collect();
    let is_path = |part: &&str| part.contains('/') || part.ends_with(".jar");
    // A folder may have the name of an artifact.
    if parts.iter().any(is_path) || parts.iter().all(|part| Path::new(part).is_dir()) {
        return Err(ProjectError::ClassPathAsWord { word: word.to_owned() });
    }
    word.parse().map(Word::Artifact)
}

fn extension(path: &Path) -> Option<String> {
    path.extension().map(|ending| ending.to_string_lossy().to_lowercase())
}

/// Whether there is a class file somewhere below, looking into `depth` levels of folders.
pub(crate) fn has_classes(folder: &Path, depth: usize) -> Result<bool, ProjectError> {
    let failed = |source| ProjectError::Read { path: folder.to_owned(), source };
    let mut below = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let path = entry.path();
        if path.extension().is_some_and(|ending| ending == "class") {
            return Ok(true);
        }
        // Links are not followed: they may lead in circles.
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) && depth > 0 {
            below.push(path);
        }
    }
    for path in below {
        if has_classes(&path, depth - 1).unwrap_or(false) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Files beside a missing one whose names are near its name.
fn beside(path: &Path) -> Vec<String> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let Ok(entries) = fs::read_dir(parent.unwrap_or(Path::new("."))) else { return Vec::new() };
    let names: Vec<String> =
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    let wanted = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let near = near_names(&wanted, names.iter().map(String::as_str), 3);
    near.into_iter()
        .map(|name| match parent {
            Some(parent) => parent.join(name).display().to_string(),
            None => name.to_owned(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bed() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in [
            ("app.jar", ""),
            ("Cart.java", ""),
            ("notes.txt", ""),
            ("maven/pom.xml", ""),
            ("gradle/build.gradle.kts", ""),
            ("classes/com/acme/Cart.class", ""),
            ("empty/readme", ""),
        ] {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        dir
    }

    #[test]
    fn paths_are_told_by_what_is_there() {
        let dir = bed();
        let at = |name: &str| recognise(dir.path().join(name).to_str().unwrap());
        let path = |name: &str| dir.path().join(name);
        assert_eq!(at("app.jar").unwrap(), Word::Classes(path("app.jar")));
        assert_eq!(at("classes").unwrap(), Word::Classes(path("classes")));
        assert_eq!(at("maven").unwrap(), Word::Maven(path("maven")));
        assert_eq!(at("maven/pom.xml").unwrap(), Word::Maven(path("maven")));
        assert_eq!(at("gradle").unwrap(), Word::Gradle(path("gradle")));
        assert!(matches!(at("Cart.java"), Err(ProjectError::Source { .. })));
        assert!(matches!(at("notes.txt"), Err(ProjectError::NotAJar { .. })));
        assert!(matches!(at("empty"), Err(ProjectError::NoClasses { .. })));
        assert!(matches!(at("classes/com/acme/Cart.class"), Err(ProjectError::ClassFile { .. })));
    }

    #[test]
    fn a_slip_in_a_path_is_answered_with_what_is_near() {
        let dir = bed();
        let error = recognise(dir.path().join("ap.jar").to_str().unwrap()).unwrap_err();
        let meant = dir.path().join("app.jar").display().to_string();
        assert_eq!(error.ways_out(), [format!("did you mean `{meant}`?")]);
    }

    #[test]
    fn what_is_no_path_is_an_artifact_or_a_pattern() {
        assert!(matches!(recognise("org.x:y:1.0").unwrap(), Word::Artifact(_)));
        assert!(matches!(recognise("com.acme.*").unwrap(), Word::Pattern(_)));
        assert!(matches!(recognise("org.x:y"), Err(ProjectError::NoVersion { .. })));
        assert!(matches!(recognise("a.jar:libs/*"), Err(ProjectError::ClassPathAsWord { .. })));
        assert!(matches!(recognise("what is this"), Err(ProjectError::Unclear { .. })));
    }
}
