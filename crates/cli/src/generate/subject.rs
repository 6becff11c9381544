//! Everything a run needs, found and checked before it starts.
//!
//! In: arguments. Out: [`Subject`]: a JVM with a compiler, opened classes, the classes under test, a JUnit. What is missing is said
//! here, before the user waits for a search.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use probat_classpath::split;
use probat_generate::Java;
use probat_model::ClassName;
use probat_project::{
    JUnit, JUnitKind, Kind, Pattern, Project, ProjectError, Request, Tools, find_junit, has_junit, kind_of,
    resolve, select,
};
use probat_supervisor::discovery::Jvm;

use super::args::{FrameworkChoice, GenerateArgs};
use super::contracts;
use super::missing::{Missing, Needs, needs};
use super::numbers::plural;
use crate::exit::Exit;
use crate::failure::{Failure, message, warn};
use crate::java;
use crate::library::Library;
use crate::progress::Progress;

/// A run's surroundings.
#[derive(Debug)]
pub struct Subject {
    pub project: Project,
    pub jvm: Jvm,
    pub library: Library,
    pub targets: Vec<ClassName>,
    /// For JVMs: absolute, with nested jars unpacked.
    pub class_path: Vec<PathBuf>,
    pub java: Java,
    pub framework: FrameworkChoice,
    /// `None` where nothing is to be verified, or JUnit is not needed for it.
    pub junit: Option<JUnit>,
    pub missing: Vec<Missing>,
}

/// Finds it all; `work` is a folder of ours. A build tool that runs is ended where a stop is wanted.
pub fn find(args: &GenerateArgs, work: &Path, stop: Option<&'static AtomicBool>) -> Result<Subject, Failure> {
    let tools = Tools { stop, ..Tools::of_this_machine(args.offline) };
    let project = locate(args, work, &tools)?;
    for note in &project.notes {
        message("note", note);
    }
    let jvm = java::choose(args.java_home.as_deref())?;
    let library = open(&jvm, &project)?;
    let mut targets = choose(args, &project, &library)?;
    targets.retain(|class| !contracts::is_named(&args.technique.contracts, class));
    let needs = needs(&library, &targets);
    check_release(&needs, &jvm)?;
    warn_of_damaged(&library.damaged());
    warn_of_missing(&needs.missing);
    let framework = framework(args, &project);
    let kind = match framework {
        FrameworkChoice::JUnit5 => Some(JUnitKind::JUnit5),
        FrameworkChoice::JUnit4 => Some(JUnitKind::JUnit4),
        FrameworkChoice::Java | FrameworkChoice::Text => None,
    };
    if let Some(kind) = kind.filter(|_| args.output.is_none()) {
        warn_of_junit(&project, kind);
    }
    if !args.unverified && framework != FrameworkChoice::Text {
        compiler(&jvm)?;
    }
    let junit = match kind.filter(|_| !args.unverified) {
        Some(kind) => {
            let _progress = Progress::start("looking for JUnit");
            Some(find_junit(&tools, kind, &args.junit_jars, &project.junit, work).map_err(|e| failure(&e))?)
        }
        None => None,
    };
    let class_path = class_path(&library, work)?;
    let java = java_of(&jvm, &project, &needs);
    Ok(Subject { project, jvm, library, targets, class_path, java, framework, junit, missing: needs.missing })
}

/// An error about what was pointed at, with its ways out.
pub fn failure(error: &ProjectError) -> Failure {
    let exit = if error.is_about_the_machine() { Exit::Missing } else { Exit::BadInput };
    let is_nothing = matches!(error, ProjectError::NoMatch { .. } | ProjectError::AllExcluded { .. });
    let exit = if is_nothing { Exit::Nothing } else { exit };
    error.ways_out().into_iter().fold(Failure::caused(exit, error), Failure::hint)
}

fn locate(args: &GenerateArgs, work: &Path, tools: &Tools) -> Result<Project, Failure> {
    let class_path = split(&args.classpath);
    let request = Request { words: &args.what, class_path: &class_path, here: Path::new("."), work, tools };
    let _progress = Progress::start("finding the classes and what they need");
    resolve(&request).map_err(|error| failure(&error))
}

fn open(jvm: &Jvm, project: &Project) -> Result<Library, Failure> {
    let joined = std::env::join_paths(&project.class_path).map_err(|_| {
        Failure::new(Exit::BadInput, "a path on the class path holds a `:`, which separates paths there")
            .hint("rename the folder, or link to it under another name")
    })?;
    let _progress = Progress::start("reading the class path");
    Library::open(&jvm.home, &joined.to_string_lossy())
}

fn choose(args: &GenerateArgs, project: &Project, library: &Library) -> Result<Vec<ClassName>, Failure> {
    let excluded = args.exclude.iter().map(|text| Pattern::parse(text)).collect::<Result<Vec<_>, _>>();
    let excluded = excluded.map_err(|error| failure(&error))?;
    let chosen = select(&library.classes, &project.under_test, &project.patterns, &excluded);
    let chosen = chosen.map_err(|error| failure(&error))?;
    for pattern in &chosen.idle {
        warn(&format!("no class matches `{pattern}`"));
    }
    Ok(chosen.classes)
}

/// A JVM older than the classes cannot load them.
fn check_release(needs: &Needs, jvm: &Jvm) -> Result<(), Failure> {
    let Some((release, class)) = &needs.newest else { return Ok(()) };
    if *release <= jvm.version.feature {
        return check_preview(needs, jvm);
    }
    let text = format!(
        "class `{class}` is compiled for Java {release}, and the JVM is Java {}",
        jvm.version.feature
    );
    Err(Failure::new(Exit::BadInput, text)
        .hint(format!("name a JDK {release} or newer with `--java-home`; `probat doctor` lists those found")))
}

/// Preview features are those of one release (JEP 12).
fn check_preview(needs: &Needs, jvm: &Jvm) -> Result<(), Failure> {
    let Some((release, class)) = &needs.preview else { return Ok(()) };
    if *release == jvm.version.feature {
        message("note", "the code uses preview features; its tests need `--enable-preview`, too");
        return Ok(());
    }
    let text = format!(
        "class `{class}` uses preview features of Java {release}, which no other release loads, and the JVM is Java {}",
        jvm.version.feature
    );
    Err(Failure::new(Exit::BadInput, text)
        .hint(format!("name a JDK {release} with `--java-home`; `probat doctor` lists those found")))
}

/// How many missing dependencies, or damaged classes, are named one by one.
const NAMED: usize = 5;

/// Classes that are there and cannot be read: the rest is tested, as far as it does without them.
fn warn_of_damaged(damaged: &[String]) {
    damaged.iter().take(NAMED).for_each(|line| warn(line));
    if damaged.len() > NAMED {
        warn(&format!("{} more classes cannot be read", damaged.len() - NAMED));
    }
    if !damaged.is_empty() {
        message("hint", "build or download them again; what needs them cannot be tested");
    }
}

fn warn_of_missing(missing: &[Missing]) {
    let stopping: Vec<&Missing> = missing.iter().filter(|missing| !missing.stops.is_empty()).collect();
    for one in stopping.iter().take(NAMED) {
        let first: Vec<String> = one.stops.iter().take(3).map(ToString::to_string).collect();
        let more = if one.stops.len() > 3 { ", …" } else { "" };
        let classes = plural(one.stops.len() as u64, "class");
        warn(&format!(
            "`{}` is not on the class path; without it {classes} cannot be loaded: {}{more}",
            one.class,
            first.join(", ")
        ));
    }
    if stopping.len() > NAMED {
        warn(&format!("{} more superclasses and interfaces are missing", stopping.len() - NAMED));
    }
    let (others, named_by) = missing
        .iter()
        .filter(|missing| missing.stops.is_empty())
        .fold((0, 0), |(count, most), one| (count + 1, most.max(one.named_by)));
    if let Some(first) = missing.iter().find(|missing| missing.stops.is_empty()) {
        let classes = plural(others, "class");
        let by = plural(named_by as u64, "class");
        message(
            "note",
            &format!(
                "{classes} that the code names are not on the class path, such as `{}` (named by {by}); code that needs them will fail",
                first.class
            ),
        );
    }
    if !missing.is_empty() {
        message("hint", "add their jars with `--classpath`");
    }
}

/// Tests that a build cannot compile break it, and that is not seen before its next run.
fn warn_of_junit(project: &Project, kind: JUnitKind) {
    if project.layout.is_none() || has_junit(&project.junit, kind) {
        return;
    }
    let (name, artifact) = match kind {
        JUnitKind::JUnit5 => ("JUnit 5", "org.junit.jupiter:junit-jupiter"),
        JUnitKind::JUnit4 => ("JUnit 4", "junit:junit"),
    };
    warn(&format!(
        "{name} is not among the dependencies of the project: its build compiles the tests only once they have `{artifact}`, with scope test"
    ));
}

fn framework(args: &GenerateArgs, project: &Project) -> FrameworkChoice {
    args.framework.unwrap_or_else(|| match kind_of(&project.junit) {
        Some(JUnitKind::JUnit4) => FrameworkChoice::JUnit4,
        Some(JUnitKind::JUnit5) | None => FrameworkChoice::JUnit5,
    })
}

fn compiler(jvm: &Jvm) -> Result<PathBuf, Failure> {
    let javac = jvm.home.join("bin/javac");
    if javac.is_file() {
        return Ok(javac);
    }
    let text = format!("`{}` has no compiler, so tests could not be checked", jvm.home.display());
    Err(Failure::new(Exit::Missing, text)
        .hint(
            "name a JDK with `--java-home`, or install one, on Debian: `apt install openjdk-17-jdk-headless`",
        )
        .hint("`--unverified` writes tests that nobody compiled or ran"))
}

fn class_path(library: &Library, work: &Path) -> Result<Vec<PathBuf>, Failure> {
    let nested = work.join("nested");
    let paths = library.classes.path.extract_nested(&nested).map_err(|error| {
        Failure::caused(Exit::Missing, &error)
            .hint("point TMPDIR to a directory with room for the jars inside")
    })?;
    Ok(paths.into_iter().map(|path| std::path::absolute(&path).unwrap_or(path)).collect())
}

/// Tests of a project are compiled as the project is.
fn java_of(jvm: &Jvm, project: &Project, needs: &Needs) -> Java {
    let said = project.release.or_else(|| needs.newest.as_ref().map(|(release, _)| *release));
    let can_cross_compile = jvm.home.join("lib/ct.sym").exists();
    let release = said.filter(|release| {
        // A compiler knows the releases from 8 up to its own.
        project.kind != Kind::Classes && can_cross_compile && (8..jvm.version.feature).contains(release)
    });
    let preview = needs.preview.is_some();
    // A compiler has the preview features of its own release only, and wants to be told which that is.
    let release = if preview { Some(jvm.version.feature) } else { release };
    Java { home: jvm.home.clone(), libjvm: jvm.libjvm.clone(), javac: compiler(jvm).ok(), release, preview }
}
