//! The user's Gradle: class path, folders and release of a project.
//!
//! In: a project folder. Out: [`Answer`], printed into a file by an init script of ours that changes nothing in the project.

use std::fs;
use std::path::{Path, PathBuf};

use crate::ProjectError;
use crate::effective::release_of;
use crate::tools::{Call, Tools, run};

/// What Gradle says of a project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Answer {
    /// Folders with the main classes.
    pub classes: Vec<PathBuf>,
    /// Everything the tests see, the folders above included.
    pub dependencies: Vec<PathBuf>,
    /// Folders with the sources of the main classes.
    pub sources: Vec<PathBuf>,
    pub test_sources: Option<PathBuf>,
    pub build: Option<PathBuf>,
    pub release: Option<u32>,
    /// Folders of projects with Java in them, other than this one.
    pub modules: Vec<String>,
}

/// Written in the Groovy that every Gradle since 4 understands. Each question is asked on its own, so that one that an
/// old or new Gradle cannot answer spoils no other.
const SCRIPT: &str = r#"
gradle.projectsEvaluated {
    def here = new File('@ROOT@').canonicalFile
    def out = new File('@OUT@')
    def say = { key, question ->
        try {
            def answer = question()
            (answer instanceof Iterable ? answer : [answer]).each { if (it != null) out << "${key}\t${it}\n" }
        } catch (Throwable unknown) {
            out << "trouble\t${key}: ${unknown.message?.readLines()?.find { true }}\n"
        }
    }
    gradle.rootProject.allprojects.each { project ->
        if (!project.plugins.hasPlugin('java') && !project.plugins.hasPlugin('java-base')) return
        if (project.projectDir.canonicalFile != here) {
            say('module') { project.projectDir }
            return
        }
        def main = project.sourceSets.main
        say('classes') { main.output.classesDirs.files }
        say('path') { project.sourceSets.test.runtimeClasspath.files }
        say('sources') { main.allSource.srcDirs }
        say('tests') { project.sourceSets.test.java.srcDirs.find { true } }
        say('build') { project.buildDir }
        say('release') {
            def compiler = project.tasks.compileTestJava
            def release = compiler.options.hasProperty('release') ? compiler.options.release.getOrNull() : null
            release ?: compiler.targetCompatibility
        }
    }
}
"#;

/// Asks Gradle; `None` if there is none.
pub(crate) fn ask(tools: &Tools, root: &Path, work: &Path) -> Result<Option<Answer>, ProjectError> {
    let Some(program) = tools.wrapper_or(Some(root), "gradlew", "gradle") else { return Ok(None) };
    let (script, out) = (work.join("probat.gradle"), work.join("gradle-answer"));
    let root =
        fs::canonicalize(root).map_err(|source| ProjectError::Read { path: root.to_owned(), source })?;
    let text = SCRIPT.replace("@ROOT@", &quoted(&root)).replace("@OUT@", &quoted(&out));
    fs::write(&script, text).map_err(|source| ProjectError::Write { path: script.clone(), source })?;
    call(tools, &program, &root, &script, "help", "asking Gradle for the class path")?;
    let text = fs::read_to_string(&out).unwrap_or_default();
    let (answer, troubles) = parse(&text);
    if answer.dependencies.is_empty() && !troubles.is_empty() {
        return Err(ProjectError::Tool {
            purpose: "asking Gradle for the class path".into(),
            command: "gradle dependencies".into(),
            detail: troubles.join("; "),
        });
    }
    Ok(Some(answer))
}

/// Compiles the main classes.
pub(crate) fn compile(tools: &Tools, root: &Path, work: &Path) -> Result<(), ProjectError> {
    let purpose = "compiling the project with Gradle";
    let program = tools
        .wrapper_or(Some(root), "gradlew", "gradle")
        .ok_or_else(|| ProjectError::NoTool { tool: "Gradle", purpose: purpose.into() })?;
    let nothing = work.join("empty.gradle");
    fs::write(&nothing, "").map_err(|source| ProjectError::Write { path: nothing.clone(), source })?;
    call(tools, &program, root, &nothing, "classes", purpose)
}

fn call(
    tools: &Tools,
    program: &Path,
    root: &Path,
    script: &Path,
    task: &str,
    purpose: &str,
) -> Result<(), ProjectError> {
    // A cached configuration would not run the script.
    let fresh = ["-Dorg.gradle.configuration-cache=false", "-Dorg.gradle.unsafe.configuration-cache=false"];
    let mut args: Vec<_> = ["-q", "--console=plain"].iter().chain(&fresh).map(Into::into).collect();
    if tools.offline {
        args.push("--offline".into());
    }
    args.extend(["-I".into(), script.into(), task.into()]);
    run(&Call { program, args, folder: root, purpose, stop: tools.stop }).map(|_| ())
}

/// For a Groovy string in single quotes.
fn quoted(path: &Path) -> String {
    path.display().to_string().replace('\\', "\\\\").replace('\'', "\\'")
}

fn parse(text: &str) -> (Answer, Vec<String>) {
    let mut answer = Answer::default();
    let mut troubles = Vec::new();
    for line in text.lines() {
        let Some((key, value)) = line.split_once('\t') else { continue };
        match key {
            "classes" => answer.classes.push(value.into()),
            "path" => answer.dependencies.push(value.into()),
            "sources" => answer.sources.push(value.into()),
            "tests" => answer.test_sources = Some(value.into()),
            "build" => answer.build = Some(value.into()),
            "release" => answer.release = release_of(value),
            "module" => answer.modules.push(value.to_owned()),
            _ => troubles.push(value.to_owned()),
        }
    }
    (answer, troubles)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_line_by_line() {
        let (answer, troubles) = parse(
            "module\t/p/web\nclasses\t/p/build/classes/java/main\npath\t/p/build/classes/java/main\npath\t/m/a.jar\n\
             tests\t/p/src/test/java\nrelease\t1.8\ntrouble\tbuild: gone\n",
        );
        assert_eq!(answer.classes, [PathBuf::from("/p/build/classes/java/main")]);
        assert_eq!(answer.dependencies.len(), 2);
        assert_eq!(answer.release, Some(8));
        assert_eq!(answer.modules, ["/p/web"]);
        assert_eq!(troubles, ["build: gone"]);
    }

    #[test]
    fn paths_with_quotes_stay_one_string() {
        assert_eq!(quoted(Path::new("/it's")), "/it\\'s");
    }
}
