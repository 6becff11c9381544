//! Compiles test sources with the user's own compiler.
//!
//! In: source files, a class path, a JDK. Out: class files in a directory, or the lines the compiler objects to.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The compiler and what it compiles against.
#[derive(Debug, Clone)]
pub struct Compiler {
    pub javac: PathBuf,
    pub class_path: Vec<PathBuf>,
    /// `--release`, if the project asks for one.
    pub release: Option<u32>,
    /// Whether the class path uses preview features of this release.
    pub preview: bool,
    /// Whether class files say which line they came from.
    pub lines: bool,
}

/// What compilers and JVMs are told where code uses preview features.
pub(crate) const PREVIEW: &str = "--enable-preview";

/// An error the compiler reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    pub file: PathBuf,
    pub line: u32,
    pub message: String,
}

/// Why nothing was compiled.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    #[error("cannot run `{path}`")]
    Start {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("the compiler failed without naming a line: {0}")]
    Unexplained(String),
    #[error("cannot write `{path}`")]
    Write {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
}

/// Compiles all files into `into` in a process; an empty list means that all is well.
pub fn compile(compiler: &Compiler, files: &[PathBuf], into: &Path) -> Result<Vec<Diagnostic>, CompileError> {
    let arguments = arguments(compiler, files, into, into)?;
    let mut command = Command::new(&compiler.javac);
    command.env_remove("JAVA_TOOL_OPTIONS").env_remove("JDK_JAVAC_OPTIONS").env("LC_ALL", "C.UTF-8");
    command.args([
        "-J-Xshare:auto",
        "-J-XX:TieredStopAtLevel=1",
        "-J-XX:+UseSerialGC",
        "-J-Duser.language=en",
    ]);
    let output = command
        .arg(format!("@{}", arguments.display()))
        .output()
        .map_err(|source| CompileError::Start { path: compiler.javac.clone(), source })?;
    outcome(&String::from_utf8_lossy(&output.stderr), output.status.success())
}

/// Writes what the compiler is told into a file beside `into`, as class paths and lists of files get long; gives that file. Class files are
/// to go to `classes`.
pub(crate) fn arguments(
    compiler: &Compiler,
    files: &[PathBuf],
    classes: &Path,
    into: &Path,
) -> Result<PathBuf, CompileError> {
    let failed = |path: &Path, source| CompileError::Write { path: path.to_owned(), source };
    std::fs::create_dir_all(into).map_err(|source| failed(into, source))?;
    let mut words: Vec<String> =
        ["-proc:none", "-nowarn", "-Xlint:none", "-implicit:none", "-encoding", "UTF-8"]
            .map(str::to_owned)
            .into();
    words.push(if compiler.lines { "-g:lines,source" } else { "-g:none" }.to_owned());
    words.extend(["-Xmaxerrs".into(), "100000".into(), "-d".into(), classes.display().to_string()]);
    if let Some(release) = compiler.release {
        words.extend(["--release".into(), release.to_string()]);
    }
    if compiler.preview {
        words.push(PREVIEW.to_owned());
    }
    words.extend(["-cp".into(), join(&compiler.class_path)]);
    words.extend(files.iter().map(|file| file.display().to_string()));
    let quoted: String = words
        .iter()
        .map(|word| format!("\"{}\"\n", word.replace('\\', "\\\\").replace('"', "\\\"")))
        .collect();
    let list = into.with_extension("arguments");
    std::fs::write(&list, quoted).map_err(|source| failed(&list, source))?;
    Ok(list)
}

/// What a compiler said, and whether it was content.
pub(crate) fn outcome(said: &str, is_content: bool) -> Result<Vec<Diagnostic>, CompileError> {
    let found = diagnostics(said);
    if !is_content && found.is_empty() {
        return Err(CompileError::Unexplained(said.lines().take(5).collect::<Vec<_>>().join(" | ")));
    }
    Ok(found)
}

fn join(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(":")
}

/// Lines of the form `File.java:12: error: message`.
fn diagnostics(text: &str) -> Vec<Diagnostic> {
    text.lines()
        .filter_map(|line| {
            let (place, message) = line.split_once(": error: ")?;
            let (file, number) = place.rsplit_once(':')?;
            Some(Diagnostic { file: file.into(), line: number.parse().ok()?, message: message.to_owned() })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_told_from_their_context() {
        let text =
            "a/B.java:12: error: cannot find symbol\n    foo();\n    ^\n  symbol: x\nNote: Some\n1 error\n";
        assert_eq!(
            diagnostics(text),
            [Diagnostic { file: "a/B.java".into(), line: 12, message: "cannot find symbol".into() }]
        );
    }
}
