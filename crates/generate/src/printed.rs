//! A suite as text, kept up to date while tests are dropped from it.
//!
//! In: test classes, and names of tests to drop. Out: sources; a file is printed again only after it lost a test. A method of several cases
//! that does not do what it is written for falls apart into a method per case.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use probat_emit::{Check, Ending, Expected, Scope, Source, Style, TestCase, TestClass, test_class_source};
use probat_model::{ClassName, Contract, JavaString, OperationTable, ProbeId, Thrown};

use crate::compile::{CompileError, Diagnostic};
use crate::junit::{JUnitRun, Verdict};
use crate::outcome::OutFile;
use crate::suite::SuiteFile;
use crate::verify::{DropReason, Dropped};

/// What becomes of a method that does not do what it is written for. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Remedy {
    /// It gets another form, or falls apart into its cases, and is checked again; without either it is dropped.
    AnotherForm,
    /// It falls apart, and is checked again; a single case is dropped.
    Split,
    /// It is dropped with all its cases: nobody checks it again.
    Drop,
}

/// Place of a file in the suite.
pub(crate) type FileId = usize;

pub(crate) struct Printed<'a> {
    operations: &'a OperationTable,
    scope: &'a dyn Scope,
    style: &'a Style,
    suite: Vec<SuiteFile>,
    /// None after a test was dropped.
    sources: Vec<Option<Source>>,
    pub dropped: Vec<Dropped>,
}

impl<'a> Printed<'a> {
    pub fn new(
        operations: &'a OperationTable,
        scope: &'a dyn Scope,
        style: &'a Style,
        suite: Vec<SuiteFile>,
    ) -> Self {
        let sources = vec![None; suite.len()];
        Printed { operations, scope, style, suite, sources, dropped: Vec::new() }
    }

    /// Files with tests: those that fail, which are few and what a person looks for; then those that reach most for their size.
    pub fn by_worth(&self) -> Vec<FileId> {
        let mut all: Vec<FileId> =
            (0..self.suite.len()).filter(|&at| !self.suite[at].class.tests.is_empty()).collect();
        all.sort_by_key(|&at| (!self.suite[at].fails, std::cmp::Reverse(self.suite[at].worth), at));
        all
    }

    /// Files with tests that pass.
    pub fn passing(&self) -> Vec<FileId> {
        let is_there = |&at: &FileId| !self.suite[at].fails && !self.suite[at].class.tests.is_empty();
        (0..self.suite.len()).filter(is_there).collect()
    }

    /// Lines of a file as it is now.
    pub fn lines(&mut self, file: FileId) -> usize {
        self.source(file).lines().count()
    }

    /// Class and name of every test method of some files.
    pub fn names(&self, files: &[FileId]) -> Vec<(ClassName, String)> {
        let of = |&at: &FileId| {
            let file = &self.suite[at];
            file.class.methods().into_iter().map(|(name, _)| (class_of(file), name.to_owned()))
        };
        files.iter().flat_map(of).collect()
    }

    /// The source of a file as it is now; tests that have no source form are dropped on the way.
    pub fn source(&mut self, file: FileId) -> &str {
        if self.sources[file].is_none() {
            let class = &self.suite[file].class;
            let mut source = test_class_source(class, self.operations, self.scope, self.style);
            for (name, error) in std::mem::take(&mut source.refused) {
                self.drop_test(file, &name, DropReason::Unprintable, error.to_string());
            }
            self.sources[file] = Some(source);
        }
        self.sources[file].as_ref().map_or("", |source| &source.text)
    }

    /// All files that still have tests.
    pub fn files(&mut self) -> Vec<OutFile> {
        let mut out = Vec::new();
        for at in 0..self.suite.len() {
            if self.suite[at].class.tests.is_empty() {
                continue;
            }
            let source = self.source(at).to_owned();
            let file = &self.suite[at];
            if !file.class.tests.is_empty() {
                out.push(OutFile {
                    subject: file.subject.clone(),
                    package: file.class.package.clone(),
                    name: file.class.name.clone(),
                    tests: file.class.methods().len(),
                    fails: file.fails,
                    extension: "java",
                    shows: None,
                    source,
                });
            }
        }
        out
    }

    /// Edges that the tests which pass take.
    pub fn edges(&self) -> BTreeSet<ProbeId> {
        let passing = self.suite.iter().filter(|file| !file.fails);
        passing
            .flat_map(|file| file.class.tests.iter().filter_map(|test| file.edges.get(&test.name)))
            .flatten()
            .copied()
            .collect()
    }

    /// Writes sources below a folder; gives the path of each file that has tests.
    pub fn write(&mut self, files: &[FileId], below: &Path) -> Result<Vec<(FileId, PathBuf)>, CompileError> {
        let mut written = Vec::new();
        for &at in files {
            let source = self.source(at).to_owned();
            let class = &self.suite[at].class;
            if class.tests.is_empty() {
                continue;
            }
            let folder = below.join(&class.package);
            let path = folder.join(format!("{}.java", class.name));
            let failed = |source| CompileError::Write { path: path.clone(), source };
            fs::create_dir_all(&folder).map_err(failed)?;
            fs::write(&path, source).map_err(failed)?;
            written.push((at, path));
        }
        Ok(written)
    }

    /// Names of the tests of a file.
    pub fn tests(&self, file: FileId) -> Vec<String> {
        self.suite[file].class.tests.iter().map(|test| test.name.clone()).collect()
    }

    /// A file as if it had these tests alone.
    pub fn source_of(&self, file: FileId, names: &[String]) -> String {
        let class = &self.suite[file].class;
        let tests = class.tests.iter().filter(|test| names.contains(&test.name)).cloned().collect();
        self.print(class, tests)
    }

    fn print(&self, class: &TestClass, tests: Vec<TestCase>) -> String {
        let (package, name) = (class.package.clone(), class.name.clone());
        let alone = TestClass { package, name, about: Vec::new(), tests, groups: Vec::new() };
        test_class_source(&alone, self.operations, self.scope, self.style).text
    }

    /// Writes a test without type arguments from now on, or drops it where that makes no difference.
    pub fn rewrite_or_drop(&mut self, file: FileId, name: &str, detail: &str) {
        if !self.make_raw(file, name) {
            self.drop_test(file, name, DropReason::Uncompilable, detail.to_owned());
        }
    }

    /// Writes a test without type arguments from now on; whether that makes a difference.
    fn make_raw(&mut self, file: FileId, name: &str) -> bool {
        let class = &self.suite[file].class;
        let Some(place) = class.tests.iter().position(|test| test.name == name && !test.raw) else {
            return false;
        };
        let test = &class.tests[place];
        let raw = TestCase { raw: true, ..test.clone() };
        let differs = self.print(class, vec![test.clone()]) != self.print(class, vec![raw.clone()]);
        if differs {
            self.suite[file].class.tests[place] = raw;
            self.sources[file] = None;
        }
        differs
    }

    /// Asserts no messages in a method from now on that failed because of one of them: it is worded in the user's language, and the others of a group
    /// are most likely too. Whether there was such a message.
    fn make_wordless(&mut self, file: FileId, name: &str, detail: &str) -> bool {
        let names = self.cases(file, name);
        let class = &mut self.suite[file].class;
        let mut cases: Vec<&mut TestCase> =
            class.tests.iter_mut().filter(|test| names.contains(&test.name)).collect();
        let is_told = |text: &&mut JavaString| detail.contains(&format!("expected: <{}>", text.to_lossy()));
        if !cases.iter_mut().flat_map(|case| messages(case)).flatten().any(|text| is_told(&text)) {
            return false;
        }
        cases.into_iter().flat_map(messages).for_each(|message| *message = None);
        self.sources[file] = None;
        true
    }

    /// Asserts no longer what did not hold, such as the day of the week in another time zone, if something else is asserted; whether that is so.
    fn make_weaker(&mut self, file: FileId, name: &str, detail: &str) -> bool {
        let Some(test) = self.suite[file].class.tests.iter_mut().find(|test| test.name == name) else {
            return false;
        };
        let holds = |check: &Check| {
            as_junit_shows(&check.expected)
                .is_none_or(|shown| !detail.starts_with(&format!("expected: <{shown}> but was: <")))
        };
        let left: Vec<Check> = test.checks.iter().filter(|check| holds(check)).cloned().collect();
        if left.is_empty() || left.len() == test.checks.len() {
            return false;
        }
        test.checks = left;
        self.sources[file] = None;
        true
    }

    /// Rewrites the tests that a compiler objects to, and drops those that have no other form.
    pub fn drop_uncompilable(&mut self, files: &[(FileId, PathBuf)], found: &[Diagnostic]) {
        let mut blamed: Vec<(FileId, Option<String>, String)> = Vec::new();
        for diagnostic in found {
            let Some((at, _)) = files.iter().find(|(_, path)| *path == diagnostic.file) else { continue };
            let places = self.sources[*at].iter().flat_map(|source| &source.places);
            let name = places
                .filter(|place| place.lines.contains(&(diagnostic.line as usize)))
                .map(|place| place.name.clone())
                .next();
            blamed.push((*at, name, diagnostic.message.clone()));
        }
        let mut rewritten = BTreeSet::new();
        for (at, name, message) in blamed {
            match name {
                Some(name) if rewritten.contains(&(at, name.clone())) => {}
                Some(name) if self.make_raw(at, &name) => {
                    rewritten.insert((at, name));
                }
                Some(name) => self.drop_test(at, &name, DropReason::Uncompilable, message),
                // An import or the class head: nothing in the file can be kept.
                None => self.drop_file(at, DropReason::Uncompilable, &message),
            }
        }
    }

    /// Drops the files that a compiler objects to.
    pub fn drop_objectionable(&mut self, files: &[(FileId, PathBuf)], found: &[Diagnostic]) {
        for (at, path) in files {
            if let Some(diagnostic) = found.iter().find(|diagnostic| diagnostic.file == *path) {
                self.drop_file(*at, DropReason::Uncompilable, &diagnostic.message);
            }
        }
    }

    pub fn drop_file(&mut self, file: FileId, reason: DropReason, detail: &str) {
        for name in self.tests(file) {
            self.drop_test(file, &name, reason, detail.to_owned());
        }
    }

    /// Drops the tests that did not do what they are written for: pass, or fail; or gives them what the remedy allows. Another form is one without type
    /// arguments where a cast failed, as casts that a compiler adds for these are not in the calls that were observed, or one that asserts less. Gives
    /// the files that have to be checked again.
    pub fn drop_surprising(&mut self, runs: [JUnitRun; 2], remedy: Remedy) -> Vec<FileId> {
        let rewrites = remedy == Remedy::AnotherForm;
        let mut changed: BTreeSet<(FileId, String)> = BTreeSet::new();
        // Assertions of the code are enabled in the first run and disabled in the second; objects without a hash code of their own have others there.
        let told = |(run, usual): (JUnitRun, bool)| run.verdicts.into_iter().map(move |told| (told, usual));
        for ((class, name, verdict), usual) in runs.into_iter().zip([true, false]).flat_map(told) {
            let Some(at) = self.suite.iter().position(|file| class_of(file) == class) else { continue };
            match (verdict, self.suite[at].fails) {
                (Verdict::Passed, false) | (Verdict::Failed(_), true) => {}
                (Verdict::Failed(_), false) if changed.contains(&(at, name.clone())) => {}
                (Verdict::Failed(detail), false) if rewrites && self.make_wordless(at, &name, &detail) => {
                    changed.insert((at, name));
                }
                (Verdict::Failed(_), false) if remedy != Remedy::Drop && self.split(at, &name) => {
                    changed.insert((at, name));
                }
                (Verdict::Failed(detail), false)
                    if rewrites && detail.contains(FAILED_CAST) && self.make_raw(at, &name) =>
                {
                    changed.insert((at, name));
                }
                (Verdict::Failed(detail), false) if rewrites && self.make_weaker(at, &name, &detail) => {
                    changed.insert((at, name));
                }
                (Verdict::Failed(detail), false) => {
                    for case in self.cases(at, &name) {
                        self.drop_test(at, &case, DropReason::Unstable, detail.clone());
                    }
                    changed.insert((at, name));
                }
                (Verdict::Passed, true) if !usual && self.needs_the_usual(at, &name) => {}
                (Verdict::Passed, true) => {
                    let test = self.suite[at].class.tests.iter().find(|test| test.name == name);
                    let steps = test.map(|test| test.steps.clone());
                    self.drop_test(at, &name, DropReason::Unstable, "the failure did not come again".into());
                    self.dropped.last_mut().into_iter().for_each(|dropped| dropped.passed = steps.clone());
                }
            }
        }
        let mut files: Vec<FileId> = changed.into_iter().map(|(at, _)| at).collect();
        files.dedup();
        files
    }

    /// Whether a failing test is about an `assert` of the code, which fails only where these are enabled, or about hash codes that equal objects do not
    /// share, which they do where all hash codes are the same.
    fn needs_the_usual(&self, file: FileId, name: &str) -> bool {
        let test = self.suite[file].class.tests.iter().find(|test| test.name == name);
        test.is_some_and(|test| match &test.ending {
            Ending::Breaks { contract, thrown, .. } => {
                matches!(contract, Contract::AssertionError | Contract::EqualsHashCode)
                    || is_assertion_error(thrown.as_ref())
            }
            Ending::BreaksRule { thrown, .. } => is_assertion_error(thrown.as_ref()),
            Ending::Returns | Ending::Throws { .. } => false,
        })
    }

    /// Names of the cases of a method.
    fn cases(&self, file: FileId, method: &str) -> Vec<String> {
        let group = self.suite[file].class.groups.iter().find(|group| group.name == method);
        group.map_or_else(|| vec![method.to_owned()], |group| group.cases.clone())
    }

    /// Gives each case of a group a method of its own; whether there is such a group.
    fn split(&mut self, file: FileId, name: &str) -> bool {
        let groups = &mut self.suite[file].class.groups;
        let before = groups.len();
        groups.retain(|group| group.name != name);
        let was_there = groups.len() < before;
        if was_there {
            self.sources[file] = None;
        }
        was_there
    }

    fn drop_test(&mut self, file: FileId, name: &str, reason: DropReason, detail: String) {
        let class = &mut self.suite[file].class;
        let before = class.tests.len();
        class.tests.retain(|test| test.name != name);
        if class.tests.len() < before {
            self.sources[file] = None;
            let package = class.package.replace('/', ".");
            let dot = if package.is_empty() { "" } else { "." };
            let test = format!("{package}{dot}{}.{name}", class.name);
            let edges = self.suite[file].edges.get(name).cloned().unwrap_or_default();
            self.dropped.push(Dropped { test, reason, detail, edges, passed: None });
        }
    }
}

fn is_assertion_error(thrown: Option<&Thrown>) -> bool {
    thrown.is_some_and(|thrown| thrown.class.as_internal() == "java/lang/AssertionError")
}

/// A value as JUnit shows it where an assertion fails; none of those it shows in ways of its own.
fn as_junit_shows(value: &Expected) -> Option<String> {
    Some(match value {
        Expected::Null => "null".into(),
        Expected::Boolean(value) => value.to_string(),
        Expected::Byte(value) => value.to_string(),
        Expected::Short(value) => value.to_string(),
        Expected::Int(value) => value.to_string(),
        Expected::Long(value) => value.to_string(),
        Expected::String(text) => text.to_lossy(),
        Expected::NotNull
        | Expected::Char(_)
        | Expected::Float(_)
        | Expected::Double(_)
        | Expected::Constant(..)
        | Expected::Same(_)
        | Expected::Array(..) => return None,
    })
}

/// The messages that a test asserts.
fn messages(case: &mut TestCase) -> Vec<&mut Option<JavaString>> {
    let at_the_end = match &mut case.ending {
        Ending::Throws { message, .. } => Some(message),
        Ending::Returns | Ending::Breaks { .. } | Ending::BreaksRule { .. } => None,
    };
    case.caught.iter_mut().map(|caught| &mut caught.message).chain(at_the_end).collect()
}

/// What JUnit's words about a failed cast hold.
const FAILED_CAST: &str = "ClassCastException";

fn class_of(file: &SuiteFile) -> ClassName {
    if file.class.package.is_empty() {
        ClassName::internal(&file.class.name)
    } else {
        ClassName::internal(&format!("{}/{}", file.class.package, file.class.name))
    }
}
