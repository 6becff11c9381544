//! Runs the tests of an earlier run on the code as it is now.
//!
//! In: sources that we wrote and nobody edited. Out: the tests that no longer pass, each with the statement it stopped at: where behaviour
//! changed. A search finds other calls each time, so only the former tests themselves can tell. A test that does not compile any more is told,
//! and the others of its class still run.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use probat_classpath::Classes;
use probat_emit::Framework;
use probat_model::ClassName;
use probat_supervisor::{Fleet, FleetConfig};

use crate::compile::{CompileError, Compiler, Diagnostic, compile};
use crate::job::Job;
use crate::junit::{JUnitError, JUnitRun, Order, Verdict, run_junit};
use crate::plain::run_plain;
use crate::suite::{package_of_tests, test_class_name};
use crate::verify::VerifyError;
use crate::workers::{Hashes, junit_config};

/// A test class of an earlier run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormerFile {
    /// The class under test.
    pub subject: ClassName,
    /// The class with its tests.
    pub class: ClassName,
    pub source: String,
}

/// A test that used to pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    pub subject: ClassName,
    pub test: String,
    /// The statement it stops at, if that is known.
    pub statement: Option<String>,
    /// What the compiler or the test said.
    pub detail: String,
}

/// Tests that are ready to be run, apart from the job: their run takes a thread of its own.
#[derive(Debug)]
pub struct Former {
    compiler: Compiler,
    config: FleetConfig,
    framework: Framework,
    files: Vec<FormerFile>,
    folder: PathBuf,
}

/// Rounds of compiling, in each of which the tests that the compiler objects to are taken out.
const ROUNDS: usize = 4;

/// The class with the passing tests of a class under test.
pub fn test_class_of(classes: &Classes, subject: &ClassName) -> ClassName {
    let name = test_class_name(subject);
    match package_of_tests(subject.package(), classes.is_closed(subject)) {
        package if package.is_empty() => ClassName::internal(&name),
        package => ClassName::internal(&format!("{package}/{name}")),
    }
}

impl Former {
    /// `None` where tests cannot be compiled or run, or there are none.
    pub fn new(job: &Job<'_>, files: Vec<FormerFile>) -> Option<Former> {
        let framework = job.options.framework;
        let can_run = framework == Framework::Java || !job.junit.is_empty();
        let javac = job.java.javac.as_ref().filter(|_| job.options.verify && can_run && !files.is_empty())?;
        let folder = job.work.join("former");
        let class_path = job.class_path.iter().chain(&job.junit).cloned().collect();
        let compiler = Compiler { lines: true, ..job.java.compiler(javac, class_path) };
        let config = junit_config(job, folder.join("classes"), false, Hashes::Usual);
        Some(Former { compiler, config, framework, files, folder })
    }

    /// Compiles and runs them once; gives those that do not pass, in the order of their files.
    pub fn run(mut self) -> Result<Vec<Broken>, VerifyError> {
        let mut broken = Vec::new();
        let classes = self.folder.join("classes");
        if !self.compile(&classes, &mut broken)? {
            return Ok(broken);
        }
        let mut fleet = Fleet::start(self.config.clone())?;
        let run = match self.framework {
            Framework::Java => run_plain(&mut fleet, &self.names(), false).map_err(JUnitError::from)?,
            Framework::JUnit5 | Framework::JUnit4 => run_junit(&mut fleet, &classes, &[Order::Usual])?,
        };
        broken.extend(self.failed(&run));
        Ok(broken)
    }

    /// Takes out what does not compile; whether anything is left.
    fn compile(&mut self, classes: &Path, broken: &mut Vec<Broken>) -> Result<bool, VerifyError> {
        for round in 0.. {
            if self.files.is_empty() {
                return Ok(false);
            }
            let paths = self.write()?;
            let found = compile(&self.compiler, &paths, classes)?;
            if found.is_empty() {
                return Ok(true);
            }
            let mut kept = Vec::new();
            for (file, path) in self.files.drain(..).zip(&paths) {
                let here: Vec<&Diagnostic> = found.iter().filter(|one| &one.file == path).collect();
                kept.extend(without(file, &here, round < ROUNDS, broken));
            }
            if round > ROUNDS && found.iter().all(|one| !paths.contains(&one.file)) {
                return Ok(false);
            }
            self.files = kept;
        }
        unreachable!("rounds end with the files")
    }

    fn write(&self) -> Result<Vec<PathBuf>, VerifyError> {
        let mut paths = Vec::new();
        for file in &self.files {
            let folder = self.folder.join("sources").join(file.class.package());
            let path = folder.join(format!("{}.java", file.class.simple()));
            fs::create_dir_all(&folder)
                .and_then(|()| fs::write(&path, &file.source))
                .map_err(|source| CompileError::Write { path: path.clone(), source })?;
            paths.push(path);
        }
        Ok(paths)
    }

    fn names(&self) -> Vec<(ClassName, String)> {
        let mut names = Vec::new();
        for file in &self.files {
            let class = &file.class;
            names.extend(file.source.lines().filter_map(head).map(|name| (class.clone(), name.to_owned())));
        }
        names
    }

    fn failed(&self, run: &JUnitRun) -> Vec<Broken> {
        let mut broken = Vec::new();
        for file in &self.files {
            let class = &file.class;
            for (_, test, verdict) in run.verdicts.iter().filter(|(of, ..)| of == class) {
                let Verdict::Failed(detail) = verdict else { continue };
                let line = run.lines.get(&(class.clone(), test.clone()));
                broken.push(Broken {
                    subject: file.subject.clone(),
                    test: test.clone(),
                    statement: line.and_then(|&line| statement(&file.source, line)),
                    detail: detail.clone(),
                });
            }
        }
        broken
    }
}

/// The file without the tests that a compiler objects to; `None` if it objects to something else in it, too, or again and again.
fn without(
    file: FormerFile,
    found: &[&Diagnostic],
    can_split: bool,
    broken: &mut Vec<Broken>,
) -> Option<FormerFile> {
    let lines: Vec<&str> = file.source.lines().collect();
    let mut gone: BTreeSet<usize> = BTreeSet::new();
    let mut is_whole = true;
    for one in found {
        let at = (one.line as usize).saturating_sub(1);
        let test = method_around(&lines, at).filter(|_| can_split);
        let (name, range) = match test {
            Some((name, range)) => (name, range),
            None => {
                is_whole = false;
                ("(all)", 0..0)
            }
        };
        if range.is_empty() || !gone.contains(&range.start) {
            let known = broken.iter().any(|old| old.subject == file.subject && old.test == name);
            if !known {
                broken.push(Broken {
                    subject: file.subject.clone(),
                    test: name.to_owned(),
                    statement: lines.get(at).map(|line| line.trim().to_owned()),
                    detail: format!("does not compile any more: {}", one.message),
                });
            }
        }
        gone.extend(range);
    }
    if !is_whole {
        return None;
    }
    // Lines stay where they are, so that those of the compiler and of traces still fit.
    let kept = lines.iter().enumerate().map(|(at, line)| if gone.contains(&at) { "" } else { line });
    let source = kept.collect::<Vec<_>>().join("\n") + "\n";
    Some(FormerFile { source, ..file })
}

/// Name and lines of the test that a line belongs to, annotations included.
fn method_around<'s>(lines: &[&'s str], at: usize) -> Option<(&'s str, std::ops::Range<usize>)> {
    let top = (0..=at.min(lines.len().checked_sub(1)?)).rev().find(|&line| head(lines[line]).is_some())?;
    let end = (top..lines.len()).find(|&line| lines[line] == "    }")?;
    let first = (0..top).rev().take_while(|&line| lines[line].starts_with("    @")).last().unwrap_or(top);
    (at <= end).then(|| (head(lines[top]).unwrap_or_default(), first..end + 1))
}

/// The name, if a line of our own layout begins a test.
fn head(line: &str) -> Option<&str> {
    let line = line.strip_prefix("    ")?;
    let line = line.strip_prefix("public ").unwrap_or(line).strip_prefix("void ")?;
    line.split_once("()").map(|(name, _)| name)
}

/// The statement that begins on or before a line and goes on over it.
fn statement(source: &str, line: u32) -> Option<String> {
    let lines: Vec<&str> = source.lines().map(str::trim).collect();
    let at = (line as usize).checked_sub(1).filter(|&at| at < lines.len())?;
    let is_end = |line: &str| line.is_empty() || line.ends_with([';', '{', '}']);
    let first = (0..at).rev().take_while(|&line| !is_end(lines[line])).last().unwrap_or(at);
    let last = (at..lines.len()).find(|&line| is_end(lines[line])).unwrap_or(at);
    Some(lines[first..=last].join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "// x\nclass TProbatTest {\n    @Test\n    void a() {\n        f(1);\n    }\n\n    @Test\n    public void b() throws Exception {\n        assertEquals(\"x\",\n                g(2));\n    }\n}\n";

    fn file() -> FormerFile {
        let [subject, class] = ["p/T", "p/TProbatTest"].map(ClassName::internal);
        FormerFile { subject, class, source: SOURCE.into() }
    }

    fn objection(line: u32) -> Diagnostic {
        Diagnostic { file: "T".into(), line, message: "cannot find symbol".into() }
    }

    #[test]
    fn a_test_that_does_not_compile_leaves_the_others_and_their_lines() {
        let mut broken = Vec::new();
        let (one, two) = (objection(5), objection(5));
        let left = without(file(), &[&one, &two], true, &mut broken).unwrap();
        assert_eq!(broken.len(), 1);
        assert_eq!((broken[0].test.as_str(), broken[0].statement.as_deref()), ("a", Some("f(1);")));
        assert!(!left.source.contains("f(1)"), "{}", left.source);
        assert_eq!(left.source.lines().filter(|line| line.contains("@Test")).count(), 1);
        assert_eq!(left.source.lines().position(|line| line.contains("g(2)")), Some(10));
    }

    #[test]
    fn an_objection_outside_of_tests_takes_the_file() {
        let mut broken = Vec::new();
        let import = objection(1);
        assert_eq!(without(file(), &[&import], true, &mut broken), None);
        assert_eq!(broken[0].test, "(all)");
    }

    #[test]
    fn statements_over_several_lines_are_told_whole() {
        assert_eq!(statement(SOURCE, 11).as_deref(), Some("assertEquals(\"x\", g(2));"));
        assert_eq!(statement(SOURCE, 10).as_deref(), Some("assertEquals(\"x\", g(2));"));
        assert_eq!(statement(SOURCE, 5).as_deref(), Some("f(1);"));
        assert_eq!(statement(SOURCE, 99), None);
    }

    #[test]
    fn tests_are_known_by_their_heads() {
        assert_eq!(SOURCE.lines().filter_map(head).collect::<Vec<_>>(), ["a", "b"]);
    }
}
