//! From words to a class path and the places whose classes are under test.
//!
//! In: [`Request`]. Out: [`Project`]. Looks at folders and asks build tools; opens no jar but to tell JUnit's apart.

use std::path::{Path, PathBuf};

use crate::effective::Model;
use crate::junit::is_junit;
use crate::maven::Maven;
use crate::stale::stale;
use crate::word::{has_classes, project_in};
use crate::{Coordinates, Pattern, ProjectError, Tools, Word, gradle, recognise};

/// What the user said.
#[derive(Debug)]
pub struct Request<'a> {
    pub words: &'a [String],
    /// Entries of `--classpath`, wildcards not yet replaced.
    pub class_path: &'a [PathBuf],
    /// Where the user is.
    pub here: &'a Path,
    /// A folder of ours for what tools write.
    pub work: &'a Path,
    pub tools: &'a Tools,
}

/// What was pointed at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// Jars, folders, artifacts, or classes on a class path.
    Classes,
    Maven,
    Gradle,
}

/// Where a project keeps things.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    pub root: PathBuf,
    pub test_sources: PathBuf,
    /// What the build tool makes and removes.
    pub build: PathBuf,
}

/// Everything the user's words stand for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    pub kind: Kind,
    /// Jars and folders whose classes are under test; empty if only patterns say so.
    pub under_test: Vec<PathBuf>,
    pub patterns: Vec<Pattern>,
    /// All of it, without the project's JUnit.
    pub class_path: Vec<PathBuf>,
    /// The project's own JUnit jars.
    pub junit: Vec<PathBuf>,
    /// For a Maven or Gradle project.
    pub layout: Option<Layout>,
    /// The Java release the project is compiled for.
    pub release: Option<u32>,
    /// What was done or found on the way that the user should know.
    pub notes: Vec<String>,
}

impl Project {
    fn of(kind: Kind) -> Project {
        Project {
            kind,
            under_test: Vec::new(),
            patterns: Vec::new(),
            class_path: Vec::new(),
            junit: Vec::new(),
            layout: None,
            release: None,
            notes: Vec::new(),
        }
    }

    fn add(&mut self, path: PathBuf) {
        if is_junit(&path) && !self.under_test.contains(&path) {
            self.junit.push(path);
        } else if !self.class_path.contains(&path) {
            self.class_path.push(path);
        }
    }
}

/// Works out what is meant.
pub fn resolve(request: &Request<'_>) -> Result<Project, ProjectError> {
    let mut words = request.words.iter().map(|word| recognise(word)).collect::<Result<Vec<_>, _>>()?;
    let has_place = words.iter().any(|word| !matches!(word, Word::Pattern(_)));
    if !has_place && request.class_path.is_empty() {
        // Without any place the project around the user is meant; a class of the JDK needs no place.
        match project_in(request.here) {
            Some(project) => words.push(project),
            None if words.is_empty() => return Err(ProjectError::NothingNamed),
            None => {}
        }
    }
    if words.is_empty() {
        return Err(ProjectError::OnlyAClassPath);
    }
    let places = words.iter().filter(|word| !matches!(word, Word::Pattern(_))).count();
    let mut project = Project::of(Kind::Classes);
    for word in &words {
        match word {
            Word::Pattern(pattern) => project.patterns.push(pattern.clone()),
            Word::Classes(path) => {
                project.under_test.push(path.clone());
                project.add(path.clone());
            }
            Word::Artifact(coordinates) => artifact(request, coordinates, &mut project)?,
            Word::Maven(root) | Word::Gradle(root) => {
                if places > 1 {
                    return Err(ProjectError::ProjectAndOthers);
                }
                let is_maven = matches!(word, Word::Maven(_));
                let found = if is_maven { maven(request, root)? } else { gradle_project(request, root)? };
                project = Project { patterns: project.patterns, ..found };
            }
        }
    }
    for path in request.class_path {
        project.add(path.clone());
    }
    Ok(project)
}

fn artifact(request: &Request<'_>, wanted: &Coordinates, project: &mut Project) -> Result<(), ProjectError> {
    let purpose = format!("fetching `{wanted}`");
    let maven = Maven::find(request.tools, None, &purpose)?;
    let jars = maven.fetch(std::slice::from_ref(wanted), request.work, &purpose)?;
    let own = jars.iter().find(|jar| jar.file_name().is_some_and(|name| name == wanted.file_name().as_str()));
    let Some(own) = own else {
        return Err(ProjectError::NoSuchArtifact { artifact: wanted.to_string() });
    };
    project.under_test.push(own.clone());
    for jar in jars {
        project.add(jar);
    }
    Ok(())
}

fn maven(request: &Request<'_>, root: &Path) -> Result<Project, ProjectError> {
    if let Some(modules) = only_modules(root) {
        return Err(ProjectError::Modules { root: root.to_owned(), modules });
    }
    let maven = Maven::find(request.tools, Some(root), "asking for the class path of the project")?;
    let answer = maven.ask(root, request.work)?;
    let model = answer.model;
    let inside = |text: Option<String>, default: &str| root.join(text.unwrap_or_else(|| default.to_owned()));
    let build = inside(model.build, "target");
    let classes = model.classes.map_or_else(|| build.join("classes"), |text| root.join(text));
    let mut project = Project::of(Kind::Maven);
    if !compiled(&classes) {
        if !model.modules.is_empty() {
            return Err(ProjectError::Modules { root: root.to_owned(), modules: model.modules });
        }
        maven.compile(root)?;
        project.notes.push("compiled the project first: `mvn compile`".into());
        if !compiled(&classes) {
            return Err(ProjectError::NotCompiled { folder: classes, compile: "mvn compile".into() });
        }
    } else if let Some(source) =
        stale(&[inside(model.sources, "src/main/java")], std::slice::from_ref(&classes))
    {
        project.notes.push(renewed("mvn compile", &source, maven.compile(root))?);
    }
    project.under_test.push(classes.clone());
    project.add(classes);
    for jar in answer.dependencies {
        project.add(jar);
    }
    project.release = model.release;
    let test_sources = inside(model.test_sources, "src/test/java");
    project.layout = Some(Layout { root: root.to_owned(), test_sources, build });
    Ok(project)
}

/// The modules of a project that has no code of its own. Maven need not be asked, and could not answer where modules that need each other are in
/// no repository yet.
fn only_modules(root: &Path) -> Option<Vec<String>> {
    let text = std::fs::read_to_string(root.join("pom.xml")).ok()?;
    let has_code = root.join("src/main").exists() || compiled(&root.join("target/classes"));
    Some(Model::parse(&text).modules).filter(|modules| !modules.is_empty() && !has_code)
}

fn gradle_project(request: &Request<'_>, root: &Path) -> Result<Project, ProjectError> {
    let mut project = Project::of(Kind::Gradle);
    let usual = root.join("build/classes/java/main");
    let answer = match gradle::ask(request.tools, root, request.work)? {
        Some(answer) => answer,
        None if compiled(&usual) => {
            project.notes.push(
                "there is no Gradle here: classes are taken from `build`, dependencies only from `--classpath`".into(),
            );
            gradle::Answer { classes: vec![usual], ..gradle::Answer::default() }
        }
        None => {
            let purpose = "compiling the project".into();
            return Err(ProjectError::NoTool { tool: "Gradle", purpose });
        }
    };
    if answer.classes.is_empty() {
        let root = root.to_owned();
        return Err(match answer.modules.is_empty() {
            true => ProjectError::NotCompiled { folder: root, compile: "gradle classes".into() },
            false => ProjectError::Modules { root, modules: answer.modules },
        });
    }
    if !answer.classes.iter().any(|folder| compiled(folder)) {
        gradle::compile(request.tools, root, request.work)?;
        project.notes.push("compiled the project first: `gradle classes`".into());
    } else if let Some(source) = stale(&answer.sources, &answer.classes) {
        let done = gradle::compile(request.tools, root, request.work);
        project.notes.push(renewed("gradle classes", &source, done)?);
    }
    for folder in answer.classes.into_iter().filter(|folder| compiled(folder)) {
        project.under_test.push(folder.clone());
        project.add(folder);
    }
    if project.under_test.is_empty() {
        return Err(ProjectError::NotCompiled { folder: root.to_owned(), compile: "gradle classes".into() });
    }
    // Folders for resources and test classes are on the list before anything is in them.
    answer.dependencies.into_iter().filter(|path| path.exists()).for_each(|path| project.add(path));
    project.release = answer.release;
    project.layout = Some(Layout {
        root: root.to_owned(),
        test_sources: answer.test_sources.unwrap_or_else(|| root.join("src/test/java")),
        build: answer.build.unwrap_or_else(|| root.join("build")),
    });
    Ok(project)
}

/// What the user hears where classes were older than a source: the code as it is now is meant. Classes that cannot be renewed are still classes.
fn renewed(command: &str, source: &Path, done: Result<(), ProjectError>) -> Result<String, ProjectError> {
    let name = source.file_name().unwrap_or(source.as_os_str()).to_string_lossy();
    match done {
        Ok(()) => {
            Ok(format!("compiled the project first: `{command}`, as `{name}` is newer than the classes"))
        }
        Err(error @ ProjectError::Interrupted { .. }) => Err(error),
        Err(error) => {
            Ok(format!("`{name}` is newer than the classes, which are tested as they are: {error}"))
        }
    }
}

fn compiled(folder: &Path) -> bool {
    has_classes(folder, 64).unwrap_or(false)
}
