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

/// Files that are worth a compiler process of their own.
const FILES_EACH: usize = 12;

/// Compiles all files into `into`; an empty list means that all is well. Files are shared out to as many compilers as there are
/// cores.
pub fn compile(compiler: &Compiler, files: &[PathBuf], into: &Path) -> Result<Vec<Diagnostic>, CompileError> {
    std::fs::create_dir_all(into).map_err(|source| CompileError::Write { path: into.to_owned(), source })?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let count = (files.len() / FILES_EACH).clamp(1, cores.min(4));
    let mut shares: Vec<Vec<&PathBuf>> = vec![Vec::new(); count];
    for (at, file) in files.iter().enumerate() {
        shares[at % count].push(file);
    }
    let results: Vec<Result<Vec<Diagnostic>, CompileError>> = std::thread::scope(|threads| {
        let running: Vec<_> = shares
            .iter()
            .enumerate()
            .map(|(number, share)| threads.spawn(move || compile_share(compiler, share, into, number)))
            .collect();
        let wait = |thread: std::thread::ScopedJoinHandle<'_, _>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        running.into_iter().map(wait).collect()
    });
    let mut all = Vec::new();
    for result in results {
        all.extend(result?);
    }
    Ok(all)
}

fn compile_share(
    compiler: &Compiler,
    files: &[&PathBuf],
    into: &Path,
    number: usize,
) -> Result<Vec<Diagnostic>, CompileError> {
    let list = into.with_extension(format!("files{number}"));
    let quoted: String = files
        .iter()
        .map(|file| format!("\"{}\"\n", file.display().to_string().replace('\\', "\\\\")))
        .collect();
    std::fs::write(&list, quoted).map_err(|source| CompileError::Write { path: list.clone(), source })?;
    let output = command(compiler, &list, into)
        .output()
        .map_err(|source| CompileError::Start { path: compiler.javac.clone(), source })?;
    let text = String::from_utf8_lossy(&output.stderr);
    let found = diagnostics(&text);
    if !output.status.success() && found.is_empty() {
        return Err(CompileError::Unexplained(text.lines().take(5).collect::<Vec<_>>().join(" | ")));
    }
    Ok(found)
}

fn command(compiler: &Compiler, list: &Path, into: &Path) -> Command {
    let mut command = Command::new(&compiler.javac);
    command.env_remove("JAVA_TOOL_OPTIONS").env("LC_ALL", "C.UTF-8");
    command.args([
        "-J-Xshare:auto",
        "-J-XX:TieredStopAtLevel=1",
        "-J-XX:+UseSerialGC",
        "-J-Duser.language=en",
    ]);
    command.args(["-proc:none", "-nowarn", "-Xlint:none", "-implicit:none", "-encoding", "UTF-8"]);
    command.arg(if compiler.lines { "-g:lines,source" } else { "-g:none" });
    command.args(["-Xmaxerrs", "100000", "-d"]).arg(into);
    if let Some(release) = compiler.release {
        command.arg("--release").arg(release.to_string());
    }
    if compiler.preview {
        command.arg(PREVIEW);
    }
    command.arg("-cp").arg(join(&compiler.class_path)).arg(format!("@{}", list.display()));
    command
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
