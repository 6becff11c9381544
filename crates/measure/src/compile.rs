//! Test sources to classes.
//!
//! In: a folder of sources. Out: [`Compiled`]. Files with errors are left out and named until the rest compiles, as a generator that writes
//! one bad file should lose that one only.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::subject::{Folders, io, write};
use crate::{MeasureError, Suite, Tools};

/// What came of the sources.
#[derive(Debug)]
pub struct Compiled {
    pub classes: PathBuf,
    pub files: Vec<PathBuf>,
    pub lines: usize,
    pub uncompilable: Vec<String>,
}

/// Compiles all sources below the suite's folder.
pub fn compile(
    tools: &Tools,
    suite: &Suite<'_>,
    folders: &Folders,
    work: &Path,
) -> Result<Compiled, MeasureError> {
    let classes = work.join("classes");
    fs::create_dir_all(&classes).map_err(|source| io(&classes, source))?;
    let mut files = Vec::new();
    sources(suite.sources, &mut files)?;
    files.sort();
    let mut uncompilable = Vec::new();
    while !files.is_empty() {
        let said = javac(tools, suite, folders, &classes, &files, work)?;
        let Some(said) = said else { break };
        let mut bad = errors(&said);
        if !files.iter().any(|file| bad.contains_key(&file.display().to_string())) {
            // The compiler itself gave up: nothing can be said of single files.
            bad = files.iter().map(|file| (file.display().to_string(), last_line(&said))).collect();
        }
        files.retain(|file| !bad.contains_key(&file.display().to_string()));
        uncompilable.extend(bad.into_iter().map(|(file, error)| format!("{file}: {error}")));
    }
    let mut lines = 0;
    for file in &files {
        let text = fs::read_to_string(file).map_err(|source| io(file, source))?;
        lines += text.lines().filter(|line| !line.trim().is_empty()).count();
    }
    Ok(Compiled { classes, files, lines, uncompilable })
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), MeasureError> {
    for entry in fs::read_dir(folder).map_err(|source| io(folder, source))? {
        let path = entry.map_err(|source| io(folder, source))?.path();
        if path.is_dir() {
            sources(&path, found)?;
        } else if path.extension().is_some_and(|end| end == "java") {
            found.push(path);
        }
    }
    Ok(())
}

/// What the compiler said, or nothing if it was content.
fn javac(
    tools: &Tools,
    suite: &Suite<'_>,
    folders: &Folders,
    classes: &Path,
    files: &[PathBuf],
    work: &Path,
) -> Result<Option<String>, MeasureError> {
    let list = work.join("sources.txt");
    let quoted = |file: &PathBuf| format!("\"{}\"\n", file.display().to_string().replace('\\', "\\\\"));
    write(&list, files.iter().map(quoted).collect::<String>().as_bytes())?;
    let program = tools.java_home.join("bin/javac");
    let output = Command::new(&program)
        .args(["-J-Xmx2g", "-J-XX:+UseSerialGC", "-nowarn", "-proc:none", "-g", "-encoding", "UTF-8"])
        .args(["-Xmaxerrs", "100000", "-cp"])
        .arg(class_path(tools, suite, folders, classes))
        .arg("-d")
        .arg(classes)
        .arg(format!("@{}", list.display()))
        .env_remove("JAVA_TOOL_OPTIONS")
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::null())
        .output()
        .map_err(|source| MeasureError::Start { program, source })?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    Ok((!output.status.success()).then_some(said))
}

/// The subject comes before JUnit: it may be a library that JUnit carries itself.
pub fn class_path(tools: &Tools, suite: &Suite<'_>, folders: &Folders, classes: &Path) -> String {
    let others = suite.class_path.iter().filter(|path| path.as_path() != suite.subject);
    let all = [classes, folders.subject.as_path()].into_iter().chain(others.map(PathBuf::as_path));
    let all = all.chain(tools.junit.iter().map(PathBuf::as_path));
    all.map(|path| path.display().to_string()).collect::<Vec<_>>().join(":")
}

/// The first error of each file.
fn errors(said: &str) -> BTreeMap<String, String> {
    let mut bad = BTreeMap::new();
    for line in said.lines() {
        let Some((place, error)) = line.split_once(": error: ") else { continue };
        let Some((file, _)) = place.rsplit_once(':') else { continue };
        bad.entry(file.to_owned()).or_insert_with(|| error.to_owned());
    }
    bad
}

fn last_line(said: &str) -> String {
    said.lines().last().unwrap_or("the compiler failed without a word").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_error_of_a_file_counts() {
        let said = "a/B.java:3: error: cannot find symbol\n  x: y\na/B.java:9: error: other\nc.java:1: error: odd: thing\n2 errors";
        let bad = errors(said);
        assert_eq!(bad.len(), 2);
        assert_eq!(bad["a/B.java"], "cannot find symbol");
        assert_eq!(bad["c.java"], "odd: thing");
    }
}
