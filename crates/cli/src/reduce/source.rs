//! Copies of test sources without the redundant tests.
//!
//! In: a folder with sources, which tests are redundant. Out: all its Java files below a folder of the user's choice, those with redundant
//! tests thinned out, compiled to see that they still can be. A file that cannot be compiled without them is copied whole. A test stays
//! where it is declared in a class above, where a run of it with other parameters adds something, or where a class below needs it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use probat_reduce::{SourceMethod, includes, without_methods};
use serde::Serialize;

use crate::exit::Exit;
use crate::failure::Failure;

/// Compilations before it is given up.
const TRIES: usize = 5;

/// What became of the sources.
#[derive(Debug, Default, Serialize)]
pub struct Copies {
    /// The folder with the copies.
    pub folder: String,
    pub files: usize,
    /// Test methods taken out, as `com.acme.CartTest.add`.
    pub removed: Vec<String>,
    /// Redundant ones that had to stay.
    pub left: Vec<String>,
    /// Whether the copies compile; null if there is no compiler.
    pub compiles: Option<bool>,
    /// The first complaint of the compiler.
    pub complaint: Option<String>,
}

/// What copies are made of.
#[derive(Debug)]
pub struct Plan<'a> {
    pub source: &'a Path,
    pub into: &'a Path,
    pub redundant: &'a [String],
    /// Every other test, passing or not.
    pub others: Vec<&'a str>,
    /// Superclasses of test classes.
    pub above: &'a BTreeMap<String, Vec<String>>,
    pub javac: PathBuf,
    pub class_path: &'a [PathBuf],
    /// A folder of ours.
    pub work: &'a Path,
}

/// Makes the copies.
pub fn copy(plan: &Plan<'_>) -> Result<Copies, Failure> {
    let unwanted = unwanted(plan);
    let mut files = Vec::new();
    java_files(plan.source, &mut files).map_err(|error| unreadable(plan.source, &error))?;
    files.sort();
    let mut thinned: BTreeMap<PathBuf, BTreeSet<(String, String)>> = BTreeMap::new();
    for file in &files {
        let removed = copy_file(plan, file, &unwanted)?;
        if !removed.is_empty() {
            thinned.insert(file.clone(), removed);
        }
    }
    let (compiles, complaint) = compile(plan, &files, &mut thinned)?;
    let removed: BTreeSet<(String, String)> = thinned.into_values().flatten().collect();
    let shown = |(class, method): &(String, String)| format!("{class}.{method}");
    let redundant: BTreeSet<(String, String)> = plan.redundant.iter().filter_map(|id| named(id)).collect();
    Ok(Copies {
        folder: plan.into.display().to_string(),
        files: files.len(),
        left: redundant.difference(&removed).map(shown).collect(),
        removed: removed.iter().map(shown).collect(),
        compiles,
        complaint,
    })
}

fn named(id: &str) -> Option<(String, String)> {
    let (class, method) = includes(id)?;
    Some((class, method?))
}

/// Methods all of whose runs are redundant, in the class and in those below it.
fn unwanted(plan: &Plan<'_>) -> BTreeSet<(String, String)> {
    let mut unwanted: BTreeSet<(String, String)> = plan.redundant.iter().filter_map(|id| named(id)).collect();
    for (class, method) in plan.others.iter().filter_map(|id| named(id)) {
        for above in plan.above.get(&class).into_iter().flatten() {
            unwanted.remove(&(above.clone(), method.clone()));
        }
        unwanted.remove(&(class, method));
    }
    unwanted
}

/// Copies a file without what is unwanted in it; gives what was taken out.
fn copy_file(
    plan: &Plan<'_>,
    file: &Path,
    unwanted: &BTreeSet<(String, String)>,
) -> Result<BTreeSet<(String, String)>, Failure> {
    let text = fs::read_to_string(plan.source.join(file)).map_err(|error| unreadable(file, &error))?;
    let package = file.parent().map(|folder| folder.to_string_lossy().replace('/', ".")).unwrap_or_default();
    let prefix = if package.is_empty() { String::new() } else { format!("{package}.") };
    let here = unwanted.iter().filter_map(|(class, name)| {
        let class = class.strip_prefix(&prefix)?;
        (!class.contains('.')).then(|| SourceMethod { class: class.to_owned(), name: name.clone() })
    });
    let thinned = without_methods(&text, &here.collect());
    write(&plan.into.join(file), &thinned.text)?;
    Ok(thinned.removed.into_iter().map(|method| (format!("{prefix}{}", method.class), method.name)).collect())
}

/// Compiles the copies; files that do not compile any more are copied whole.
fn compile(
    plan: &Plan<'_>,
    files: &[PathBuf],
    thinned: &mut BTreeMap<PathBuf, BTreeSet<(String, String)>>,
) -> Result<(Option<bool>, Option<String>), Failure> {
    if !plan.javac.is_file() || files.is_empty() {
        return Ok((None, None));
    }
    for _ in 0..TRIES {
        let Some(said) = javac(plan, files)? else { return Ok((Some(true), None)) };
        let bad: Vec<PathBuf> = thinned
            .keys()
            .filter(|file| said.contains(&format!("{}:", plan.into.join(file).display())))
            .cloned()
            .collect();
        if bad.is_empty() {
            let complaint = said.lines().find(|line| line.contains("error:")).map(str::to_owned);
            return Ok((Some(false), complaint));
        }
        for file in bad {
            thinned.remove(&file);
            copy_file(plan, &file, &BTreeSet::new())?;
        }
    }
    Ok((Some(false), None))
}

/// What the compiler said, or nothing if it was content.
fn javac(plan: &Plan<'_>, files: &[PathBuf]) -> Result<Option<String>, Failure> {
    let (list, classes) = (plan.work.join("sources.txt"), plan.work.join("copied-classes"));
    let quoted = |file: &PathBuf| {
        format!("\"{}\"\n", plan.into.join(file).display().to_string().replace('\\', "\\\\"))
    };
    write(&list, &files.iter().map(quoted).collect::<String>())?;
    let class_path = std::env::join_paths(plan.class_path).unwrap_or_default();
    let output = Command::new(&plan.javac)
        .args(["-nowarn", "-proc:none", "-encoding", "UTF-8", "-Xmaxerrs", "100000", "-cp"])
        .arg(class_path)
        .arg("-d")
        .arg(classes)
        .arg(format!("@{}", list.display()))
        .env_remove("JAVA_TOOL_OPTIONS")
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| {
            Failure::new(Exit::Missing, format!("cannot run `{}`: {error}", plan.javac.display()))
        })?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    Ok((!output.status.success()).then_some(said))
}

/// Java files below a folder, by their paths from there.
fn java_files(folder: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut open = vec![PathBuf::new()];
    while let Some(below) = open.pop() {
        for entry in fs::read_dir(folder.join(&below))? {
            let entry = entry?;
            let path = below.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|end| end == "java") {
                found.push(path);
            }
        }
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder).and_then(|()| fs::write(path, text)).map_err(|error| {
        Failure::new(Exit::Missing, format!("cannot write `{}`: {error}", path.display()))
            .hint("name a folder you may write to with `--output`")
    })
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    Failure::new(Exit::BadInput, format!("cannot read `{}`: {error}", path.display()))
        .hint("`--source` is the folder with the sources of the tests, such as src/test/java")
}
