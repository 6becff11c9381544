//! The user's Maven: artifacts with their dependencies, and the class path of a project.
//!
//! In: coordinates or a project folder. Out: paths of jars in the user's own repository.
//! A project is compiled only if its classes are not there, and that is told.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use crate::effective::Model;
use crate::tools::{Call, Tools, run};
use crate::{Coordinates, ProjectError};

/// A Maven that can be run.
#[derive(Debug)]
pub(crate) struct Maven {
    program: PathBuf,
    offline: bool,
    stop: Option<&'static AtomicBool>,
}

/// What Maven says of a project.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub model: Model,
    /// Dependencies of all scopes.
    pub dependencies: Vec<PathBuf>,
}

impl Maven {
    /// The project's wrapper, or `mvn` on PATH.
    pub fn find(tools: &Tools, root: Option<&Path>, purpose: &str) -> Result<Maven, ProjectError> {
        let program = tools
            .wrapper_or(root, "mvnw", "mvn")
            .ok_or_else(|| ProjectError::NoTool { tool: "Maven", purpose: purpose.to_owned() })?;
        Ok(Maven { program, offline: tools.offline, stop: tools.stop })
    }

    /// Jars of artifacts and of all they need at run time.
    pub fn fetch(
        &self,
        wanted: &[Coordinates],
        work: &Path,
        purpose: &str,
    ) -> Result<Vec<PathBuf>, ProjectError> {
        let folder = work.join("maven");
        let pom = folder.join("pom.xml");
        let write = |path: &Path, source| ProjectError::Write { path: path.to_owned(), source };
        fs::create_dir_all(&folder).map_err(|source| write(&folder, source))?;
        fs::write(&pom, pom_of(wanted)).map_err(|source| write(&pom, source))?;
        let list = folder.join("class-path");
        let args =
            ["dependency:build-classpath".into(), output_file(&list), "-Dmdep.includeScope=runtime".into()];
        self.run(&folder, &args, purpose)?;
        class_path(&list)
    }

    /// Class path and model of the project in `root`.
    pub fn ask(&self, root: &Path, work: &Path) -> Result<Answer, ProjectError> {
        let (list, model) = (work.join("class-path"), work.join("effective.xml"));
        let purpose = "asking Maven for the class path";
        let mut output = OsString::from("-Doutput=");
        output.push(&model);
        let both: [OsString; 4] =
            ["dependency:build-classpath".into(), "help:effective-pom".into(), output_file(&list), output];
        let asked = self.run(root, &both, purpose);
        if let Err(error @ ProjectError::Interrupted { .. }) = asked {
            return Err(error);
        }
        if let Err(error) = asked {
            // The help plugin may be what is missing; the class path alone will do.
            let alone = ["dependency:build-classpath".into(), output_file(&list)];
            let retried = self.run(root, &alone, purpose).or_else(|_| self.ask_reactor(root, &list, purpose));
            // What a build from above says is nearer to the truth than that a sibling is missing.
            retried.map_err(
                |last| if matches!(last, ProjectError::NotCompiled { .. }) { error } else { last },
            )?;
        }
        let text = fs::read_to_string(&model).or_else(|_| fs::read_to_string(root.join("pom.xml")));
        Ok(Answer { model: Model::parse(&text.unwrap_or_default()), dependencies: class_path(&list)? })
    }

    /// A module may need its siblings, which only a build from above can find; it compiles them on the way.
    fn ask_reactor(&self, root: &Path, list: &Path, purpose: &str) -> Result<String, ProjectError> {
        let failed = |source| ProjectError::Read { path: root.to_owned(), source };
        let root = fs::canonicalize(root).map_err(failed)?;
        let top = root.ancestors().skip(1).take_while(|folder| folder.join("pom.xml").is_file()).last();
        let Some(top) = top else {
            return Err(ProjectError::NotCompiled { folder: root, compile: "mvn compile".into() });
        };
        let module = root.strip_prefix(top).expect("an ancestor is a prefix");
        let args: [OsString; 6] = [
            "-pl".into(),
            module.into(),
            "-am".into(),
            "compile".into(),
            "dependency:build-classpath".into(),
            output_file(list),
        ];
        // Modules are built in order, so the last to write the list is the one asked for.
        self.run(top, &args, purpose)
    }

    /// Compiles the main classes.
    pub fn compile(&self, root: &Path) -> Result<(), ProjectError> {
        self.run(root, &["compile".into()], "compiling the project with Maven").map(|_| ())
    }

    fn run(&self, folder: &Path, args: &[OsString], purpose: &str) -> Result<String, ProjectError> {
        let quiet = ["-q", "-B", "-Dstyle.color=never"].map(OsString::from);
        let offline = self.offline.then(|| OsString::from("-o"));
        let args = quiet.into_iter().chain(offline).chain(args.iter().cloned()).collect();
        run(&Call { program: &self.program, args, folder, purpose, stop: self.stop })
    }
}

fn output_file(list: &Path) -> OsString {
    let mut text = OsString::from("-Dmdep.outputFile=");
    text.push(list);
    text
}

/// The list that `dependency:build-classpath` wrote; an empty one is not written by all versions.
fn class_path(list: &Path) -> Result<Vec<PathBuf>, ProjectError> {
    match fs::read_to_string(list) {
        Ok(text) => {
            Ok(std::env::split_paths(text.trim()).filter(|path| !path.as_os_str().is_empty()).collect())
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(source) => Err(ProjectError::Read { path: list.to_owned(), source }),
    }
}

fn pom_of(wanted: &[Coordinates]) -> String {
    let mut dependencies = String::new();
    for one in wanted {
        let classifier = one
            .classifier
            .as_ref()
            .map_or(String::new(), |classifier| format!("<classifier>{classifier}</classifier>"));
        dependencies.push_str(&format!(
            "<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version>{classifier}</dependency>\n",
            one.group, one.artifact, one.version
        ));
    }
    format!(
        "<project>\n<modelVersion>4.0.0</modelVersion>\n\
         <groupId>probat</groupId><artifactId>subject</artifactId><version>1</version><packaging>pom</packaging>\n\
         <dependencies>\n{dependencies}</dependencies>\n</project>\n"
    )
}
