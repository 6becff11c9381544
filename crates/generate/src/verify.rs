//! Only what compiles and passes twice is handed out.
//!
//! In: test classes. Out: their sources without the tests a compiler or a fresh JVM objected to, and the objections.
//! The two runs differ in order, time zone and language. Both happen in workers, under the same guards as the search.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use probat_emit::{Scope, Style, test_class_source};
use probat_model::ClassName;
use probat_search::catalogue::Catalogue;
use probat_supervisor::{Fleet, StartError};

use crate::compile::{CompileError, Compiler, Diagnostic, compile};
use crate::job::{Job, OutFile, Phase, junit_config};
use crate::junit::{JUnitError, JUnitRun, Verdict, run_junit};
use crate::suite::SuiteFile;

/// A test that is not handed out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dropped {
    /// `com.acme.CartProbatTest.add_returnsTrue`.
    pub test: String,
    pub reason: DropReason,
    /// What the compiler or the test said.
    pub detail: String,
}

/// Why a test is not handed out. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DropReason {
    /// It has no source form.
    Unprintable,
    /// The compiler refuses it.
    Uncompilable,
    /// It failed in a fresh JVM.
    Unstable,
}

/// What is left.
#[derive(Debug, Default)]
pub struct Verification {
    pub files: Vec<OutFile>,
    pub dropped: Vec<Dropped>,
    pub verified: bool,
}

/// Why nothing can be said.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    #[error(transparent)]
    Compile(#[from] CompileError),
    #[error("cannot start a JVM for the tests")]
    Start(#[from] StartError),
    #[error(transparent)]
    JUnit(#[from] JUnitError),
    #[error("the tests still do not compile after {rounds} rounds: {first}")]
    Hopeless { rounds: usize, first: String },
}

/// Rounds of compiling: a compiler tells of one kind of error only when the earlier kinds are gone.
const ROUNDS: usize = 6;

/// Prints, compiles, runs and drops until all that is left passes.
pub(crate) fn verify(
    job: &Job<'_>,
    catalogue: &Catalogue,
    scope: &dyn Scope,
    style: &Style,
    suite: Vec<SuiteFile>,
    enter: &mut dyn FnMut(Phase),
) -> Result<Verification, VerifyError> {
    let mut printer = Printer { catalogue, scope, style, suite, dropped: Vec::new() };
    let compiler = job.java.javac.as_ref().filter(|_| job.options.verify && !job.junit.is_empty());
    let Some(javac) = compiler else {
        let files = printer.print();
        return Ok(Verification { files, dropped: printer.dropped, verified: false });
    };
    enter(Phase::Compiling);
    let class_path = job.class_path.iter().chain(&job.junit).cloned().collect();
    let compiler = Compiler { javac: javac.clone(), class_path, release: job.java.release };
    let classes = job.work.join("classes");
    printer.compile(&compiler, &job.work.join("sources"), &classes)?;
    enter(Phase::Running);
    let runs = run_twice(job, &classes)?;
    for run in runs {
        printer.drop_failed(run);
    }
    let files = printer.print();
    Ok(Verification { files, dropped: printer.dropped, verified: true })
}

/// Both runs at once: each is a process of its own.
fn run_twice(job: &Job<'_>, classes: &Path) -> Result<[JUnitRun; 2], VerifyError> {
    let run = |other: bool, seed: u64| -> Result<JUnitRun, VerifyError> {
        let mut fleet = Fleet::start(junit_config(job, classes.to_owned(), other))?;
        Ok(run_junit(&mut fleet, classes, seed)?)
    };
    let run = &run;
    let (one, two) = std::thread::scope(|threads| {
        let one = threads.spawn(move || run(false, 1));
        let two = run(true, 2);
        (one.join(), two)
    });
    let one = one.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    Ok([one?, two?])
}

struct Printer<'a> {
    catalogue: &'a Catalogue,
    scope: &'a dyn Scope,
    style: &'a Style,
    suite: Vec<SuiteFile>,
    dropped: Vec<Dropped>,
}

impl Printer<'_> {
    fn source(&self, file: &SuiteFile) -> (String, Vec<(String, String)>) {
        let (source, refused) =
            test_class_source(&file.class, &self.catalogue.operations, self.scope, self.style);
        (source, refused.into_iter().map(|(name, error)| (name, error.to_string())).collect())
    }

    /// The sources as they are now; files without tests are left out.
    fn print(&mut self) -> Vec<OutFile> {
        let mut out = Vec::new();
        for at in 0..self.suite.len() {
            let (source, refused) = self.source(&self.suite[at]);
            for (name, detail) in refused {
                self.drop_test(at, &name, DropReason::Unprintable, detail);
            }
            let file = &self.suite[at];
            if !file.class.tests.is_empty() {
                out.push(OutFile {
                    subject: file.subject.clone(),
                    package: file.class.package.clone(),
                    name: file.class.name.clone(),
                    tests: file.class.tests.len(),
                    source,
                });
            }
        }
        out
    }

    fn drop_test(&mut self, file: usize, name: &str, reason: DropReason, detail: String) {
        let class = &mut self.suite[file].class;
        let before = class.tests.len();
        class.tests.retain(|test| test.name != name);
        if class.tests.len() < before {
            let package = class.package.replace('/', ".");
            let dot = if package.is_empty() { "" } else { "." };
            let test = format!("{package}{dot}{}.{name}", class.name);
            self.dropped.push(Dropped { test, reason, detail });
        }
    }

    fn compile(&mut self, compiler: &Compiler, sources: &Path, classes: &Path) -> Result<(), VerifyError> {
        let mut first = String::new();
        for _ in 0..ROUNDS {
            let files = self.write(sources)?;
            if files.is_empty() {
                return Ok(());
            }
            let paths: Vec<PathBuf> = files.iter().map(|(path, _)| path.clone()).collect();
            let found = compile(compiler, &paths, classes)?;
            let Some(diagnostic) = found.first() else { return Ok(()) };
            first = format!("{}:{}: {}", diagnostic.file.display(), diagnostic.line, diagnostic.message);
            self.drop_uncompilable(&files, &found);
        }
        Err(VerifyError::Hopeless { rounds: ROUNDS, first })
    }

    /// Writes all sources; gives each file's path and place in the suite.
    fn write(&mut self, below: &Path) -> Result<Vec<(PathBuf, String)>, VerifyError> {
        let mut written = Vec::new();
        for file in self.print() {
            let folder = below.join(&file.package);
            let path = folder.join(format!("{}.java", file.name));
            let failed = |source| CompileError::Write { path: path.clone(), source };
            fs::create_dir_all(&folder).map_err(failed)?;
            fs::write(&path, &file.source).map_err(failed)?;
            written.push((path, file.source));
        }
        Ok(written)
    }

    fn drop_uncompilable(&mut self, files: &[(PathBuf, String)], found: &[Diagnostic]) {
        let mut done = BTreeSet::new();
        for diagnostic in found {
            let Some((path, source)) = files.iter().find(|(path, _)| *path == diagnostic.file) else {
                continue;
            };
            let Some(at) = self.place(path) else { continue };
            match method_at(source, diagnostic.line) {
                Some(name) if done.insert((at, name.clone())) => {
                    self.drop_test(at, &name, DropReason::Uncompilable, diagnostic.message.clone());
                }
                Some(_) => {}
                // An import or the class head: nothing in the file can be kept.
                None => {
                    let names: Vec<String> =
                        self.suite[at].class.tests.iter().map(|test| test.name.clone()).collect();
                    for name in names {
                        self.drop_test(at, &name, DropReason::Uncompilable, diagnostic.message.clone());
                    }
                }
            }
        }
    }

    fn place(&self, path: &Path) -> Option<usize> {
        self.suite.iter().position(|file| {
            path.ends_with(Path::new(&file.class.package).join(format!("{}.java", file.class.name)))
        })
    }

    fn drop_failed(&mut self, run: JUnitRun) {
        for (class, name, verdict) in run.verdicts {
            let Verdict::Failed(detail) = verdict else { continue };
            if let Some(at) = self.suite.iter().position(|file| class_of(file) == class) {
                self.drop_test(at, &name, DropReason::Unstable, detail);
            }
        }
    }
}

fn class_of(file: &SuiteFile) -> ClassName {
    if file.class.package.is_empty() {
        ClassName::internal(&file.class.name)
    } else {
        ClassName::internal(&format!("{}/{}", file.class.package, file.class.name))
    }
}

/// The test method that a line of source belongs to.
fn method_at(source: &str, line: u32) -> Option<String> {
    let upto = source.lines().take(line as usize).collect::<Vec<_>>();
    upto.iter().rev().find_map(|line| {
        let rest = line.trim_start().strip_prefix("public ").unwrap_or(line.trim_start());
        let name = rest.strip_prefix("void ")?.split('(').next()?;
        // Methods of anonymous classes inside a test are indented further.
        line.starts_with("    ").then_some(())?;
        (!line.starts_with("     ")).then(|| name.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_belongs_to_the_test_around_it() {
        let source = "class A {\n    @Test\n    void one() {\n        x();\n    }\n\n    @Test\n    public void two() throws Exception {\n        new B() {\n            public void inner() {}\n        };\n    }\n}\n";
        assert_eq!(method_at(source, 4).as_deref(), Some("one"));
        assert_eq!(method_at(source, 10).as_deref(), Some("two"));
        assert_eq!(method_at(source, 1), None);
    }
}
