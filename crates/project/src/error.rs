//! What can be wrong with what the user points at, and the way out of it.
//!
//! In: words, folders, answers of build tools. Out: [`ProjectError`]; its text names the thing, [`ProjectError::ways_out`] what to do.

use std::io;
use std::path::PathBuf;

/// Why there is nothing to work on.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    #[error("nothing was named to test")]
    NothingNamed,
    #[error("`{path}` does not exist")]
    Missing { path: PathBuf, near: Vec<String> },
    #[error("`{path}` is Java source, and probat works on compiled classes")]
    Source { path: PathBuf },
    #[error("`{path}` is a single class file")]
    ClassFile { path: PathBuf },
    #[error("`{path}` is neither a jar nor a build file")]
    NotAJar { path: PathBuf },
    #[error("no classes below `{path}`, and no build file in it")]
    NoClasses { path: PathBuf },
    #[error("`{word}` is neither a path that exists, an artifact, nor the name of a class")]
    Unclear { word: String },
    #[error("`{word}` is a class path")]
    ClassPathAsWord { word: String },
    #[error("`{text}` is no artifact")]
    MalformedArtifact { text: String },
    #[error("artifact `{group}:{artifact}` lacks a version")]
    NoVersion { group: String, artifact: String },
    #[error("a project and other things to test were named at once")]
    ProjectAndOthers,
    #[error("a class path says where classes are, not which of them to test")]
    OnlyAClassPath,
    #[error("{purpose} needs {tool}, and there is none")]
    NoTool { tool: &'static str, purpose: String },
    #[error("{purpose} needs the network: {detail}")]
    Offline { purpose: String, detail: String },
    #[error("artifact `{artifact}` is in none of your repositories")]
    NoSuchArtifact { artifact: String },
    #[error("{purpose} failed: `{command}` said: {detail}")]
    Tool { purpose: String, command: String, detail: String },
    #[error("`{root}` has several modules")]
    Modules { root: PathBuf, modules: Vec<String> },
    #[error("`{folder}` holds no classes")]
    NotCompiled { folder: PathBuf, compile: String },
    #[error("{}", if .patterns.is_empty() { "there are no classes to test".to_owned() } else { format!("no class matches {}", list(.patterns)) })]
    NoMatch { patterns: Vec<String>, near: Vec<String>, known: usize },
    #[error("{purpose} was interrupted")]
    Interrupted { purpose: String },
    #[error("nothing is left to test: {} {} out", list(.excluded), if .excluded.len() == 1 { "leaves every class" } else { "leave every class" })]
    AllExcluded { excluded: Vec<String> },
    #[error("`{pattern}` is no pattern for classes")]
    BadPattern { pattern: String },
    #[error("`{path}` has no `org.junit.platform.console.ConsoleLauncher`")]
    NoLauncher { path: PathBuf },
    #[error("JUnit 4 tests need `org.junit.Test`, which is in none of the jars given by `--junit-jar`")]
    NoJUnit4,
    #[error("there is no JUnit to check the tests with")]
    NoJUnit {
        #[source]
        source: Box<ProjectError>,
    },
    #[error("cannot read `{path}`")]
    Read {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("cannot write `{path}`")]
    Write {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

fn list(patterns: &[String]) -> String {
    patterns.iter().map(|pattern| format!("`{pattern}`")).collect::<Vec<_>>().join(", ")
}

impl ProjectError {
    /// What the user can do, most promising first.
    pub fn ways_out(&self) -> Vec<String> {
        let ways: Vec<String> = match self {
            ProjectError::NothingNamed => vec![
                "name a jar (`probat generate app.jar`), a Maven or Gradle project (`probat generate .`), or an artifact \
                 (`probat generate org.apache.commons:commons-csv:1.14.0`)"
                    .into(),
            ],
            ProjectError::Missing { near, .. } => match near.is_empty() {
                true => vec!["check the spelling, and the folder you are in".into()],
                false => vec![format!("did you mean {}?", list(near))],
            },
            ProjectError::Source { .. } => {
                vec!["compile it, and name the folder or jar with the classes; or name the project's folder".into()]
            }
            ProjectError::ClassFile { .. } => vec![
                "name the folder its package starts in, and the class: \
                 `probat generate --classpath target/classes com.acme.Cart`"
                    .into(),
            ],
            ProjectError::NotAJar { .. } => vec!["name a jar, a folder with classes, or a project".into()],
            ProjectError::NoClasses { .. } => vec![
                "build the project first, and name the folder the compiler writes to, such as `target/classes`".into(),
            ],
            ProjectError::Unclear { .. } | ProjectError::BadPattern { .. } => {
                vec!["classes are named like `com.acme.Cart`, `Cart` or `com.acme.*`".into()]
            }
            ProjectError::ClassPathAsWord { word } => {
                vec![format!("give it as `--classpath '{word}'` and name the classes to test, such as 'com.acme.*'")]
            }
            ProjectError::MalformedArtifact { .. } | ProjectError::NoVersion { .. } => {
                vec!["write `group:artifact:version`, such as `org.apache.commons:commons-csv:1.14.0`".into()]
            }
            ProjectError::ProjectAndOthers => {
                vec!["test the project alone; classes of it can be named: `probat generate . 'com.acme.*'`".into()]
            }
            ProjectError::OnlyAClassPath => vec![
                "add the classes, such as 'com.acme.*', or name their jar or folder: \
                 `probat generate target/classes --classpath 'libs/*'`"
                    .into(),
            ],
            ProjectError::NoTool { tool, .. } => tool_missing(tool),
            ProjectError::Offline { .. } => vec![
                "connect, or run the same once where there is a network: your build tool keeps what it fetched".into(),
                "a proxy or mirror belongs into the settings of your build tool; probat itself never goes online".into(),
            ],
            ProjectError::NoSuchArtifact { .. } => {
                vec!["check group, artifact and version; private repositories belong into your Maven settings".into()]
            }
            ProjectError::Tool { .. } => vec![
                "run that command yourself to see all it says".into(),
                "or name classes and dependencies by hand: `probat generate target/classes --classpath 'libs/*'`".into(),
            ],
            ProjectError::Modules { modules, .. } => {
                let named: Vec<&str> = modules.iter().take(8).map(String::as_str).collect();
                vec![format!("name one of its modules: {}", named.join(", "))]
            }
            ProjectError::NotCompiled { compile, .. } => vec![format!("compile first: `{compile}`")],
            ProjectError::AllExcluded { .. } => {
                vec!["`--exclude` takes classes away; name those to test, or leave fewer out".into()]
            }
            ProjectError::NoMatch { near, known, .. } => near_ways(near, *known),
            ProjectError::NoLauncher { .. } => vec![format!(
                "the jar wanted is `{}`",
                crate::junit::launcher().file_name()
            )],
            ProjectError::NoJUnit4 => vec!["give `--junit-jar` a second time, with junit-4.13.2.jar".into()],
            ProjectError::NoJUnit { source } => {
                let mut ways = vec![format!(
                    "give `{}` with `--junit-jar`, or write tests that nobody checked with `--unverified`",
                    crate::junit::launcher().file_name()
                )];
                ways.extend(source.ways_out());
                ways
            }
            ProjectError::Interrupted { .. } => Vec::new(),
            ProjectError::Read { .. } | ProjectError::Write { .. } => {
                vec!["check the permissions, and that the disk is not full".into()]
            }
        };
        ways
    }

    /// Whether something is missing on this machine, and not wrong with what was asked.
    pub fn is_about_the_machine(&self) -> bool {
        matches!(
            self,
            ProjectError::NoTool { .. }
                | ProjectError::Offline { .. }
                | ProjectError::NoJUnit { .. }
                | ProjectError::Write { .. }
        )
    }
}

fn tool_missing(tool: &str) -> Vec<String> {
    match tool {
        "Maven" => vec![
            "install it, on Debian: `apt install maven`".into(),
            "or name jars by hand: `probat generate app.jar --classpath 'libs/*'`".into(),
        ],
        _ => vec![
            format!("install {tool}, or add its wrapper to the project"),
            "or build elsewhere, and give the dependencies with `--classpath`".into(),
        ],
    }
}

fn near_ways(near: &[String], known: usize) -> Vec<String> {
    match (near.is_empty(), known) {
        (false, _) => vec![format!("did you mean {}?", list(near))],
        (true, 0) => {
            vec![
                "a jar or folder with compiled classes is needed: is this the right one, and is it built?"
                    .into(),
            ]
        }
        (true, _) => {
            vec![format!("{known} classes are there; `*` stands for any of them, 'com.acme.*' for a package")]
        }
    }
}
