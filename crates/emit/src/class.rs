//! A whole test class.
//!
//! In: tests of one class under test. Out: a compilation unit; tests that cannot be printed come back with the reason.
//! Cases of a group stand one after the other in one method.

use std::collections::{BTreeMap, BTreeSet};

use probat_model::OperationTable;

use crate::arguments::Dialect;
use crate::case::TestCase;
use crate::comment;
use crate::imports::Imports;
use crate::method::{Method, Place};
use crate::names::Variables;
use crate::plain;
use crate::scope::Scope;
use crate::statement::{Body, EmitError, body};
use crate::typing::Typing;

/// Which test framework the source is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Framework {
    #[default]
    JUnit5,
    JUnit4,
    /// No framework: a class with a `main`.
    Java,
}

/// How the class should look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Style {
    pub framework: Framework,
    /// First line of the file: how we know our own files again.
    pub marker: String,
}

/// Tests that go into one file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TestClass {
    /// In internal form, `com/acme`; empty for the unnamed package.
    pub package: String,
    pub name: String,
    /// Lines of the class comment.
    pub about: Vec<String>,
    /// Each has a name of its own.
    pub tests: Vec<TestCase>,
    /// Those that share a method; the others have one each.
    pub groups: Vec<Group>,
}

/// Cases that are written as one method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Of the method.
    pub name: String,
    /// Of the cases, in the order they are written.
    pub cases: Vec<String>,
}

impl TestClass {
    /// Methods by name, each with its cases. A group of which one case is left is that case.
    pub fn methods(&self) -> Vec<(&str, Vec<&TestCase>)> {
        let mut all: Vec<(&str, Vec<&TestCase>)> = Vec::new();
        let mut grouped: BTreeSet<&str> = BTreeSet::new();
        for group in &self.groups {
            let cases: Vec<&TestCase> = group
                .cases
                .iter()
                .filter_map(|name| self.tests.iter().find(|test| test.name == *name))
                .collect();
            if cases.len() > 1 {
                grouped.extend(cases.iter().map(|case| case.name.as_str()));
                all.push((&group.name, cases));
            }
        }
        let alone = self.tests.iter().filter(|test| !grouped.contains(test.name.as_str()));
        all.extend(alone.map(|test| (test.name.as_str(), vec![test])));
        all.sort_by_key(|(name, _)| *name);
        all
    }
}

/// A printed test class.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    pub text: String,
    /// Tests left out of it.
    pub refused: Vec<(String, EmitError)>,
    pub places: Vec<Place>,
}

/// The source of a test class.
pub fn test_class_source(
    class: &TestClass,
    table: &OperationTable,
    scope: &dyn Scope,
    style: &Style,
) -> Source {
    let own: Vec<String> = match style.framework {
        Framework::JUnit5 | Framework::JUnit4 => vec![class.name.clone(), "Test".to_owned()],
        Framework::Java => {
            std::iter::once(class.name.as_str()).chain(plain::OWN).map(str::to_owned).collect()
        }
    };
    let typings = typings(scope, &class.package);
    let mut imports = Imports::new(scope, &class.package, &own);
    let (mut printed, mut refused) = (Vec::new(), Vec::new());
    for (name, cases) in class.methods() {
        let mut variables = Variables::default();
        let mut method = Method { name, cases: Vec::new() };
        for test in cases {
            match best_body(test, table, &typings, &mut imports, &mut variables, style.framework) {
                Ok(body) => method.cases.push((&test.name, &test.notes, body)),
                Err(error) => refused.push((test.name.clone(), error)),
            }
        }
        if !method.cases.is_empty() {
            printed.push(method);
        }
    }
    let (text, places) = unit(class, &printed, &imports, style);
    Source { text, refused, places }
}

/// The statements of one test in one line, without comments: what to type to see it happen.
pub fn one_line(
    test: &TestCase,
    package: &str,
    table: &OperationTable,
    scope: &dyn Scope,
) -> Result<String, EmitError> {
    let mut imports = Imports::new(scope, package, &[]);
    let (typings, mut variables) = (typings(scope, package), Variables::default());
    let body = best_body(test, table, &typings, &mut imports, &mut variables, Framework::JUnit5)?;
    let code = body.lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty());
    Ok(code.filter(|line| !line.starts_with("//")).collect::<Vec<_>>().join(" "))
}

/// Every dialect, best first.
fn typings<'s>(scope: &'s dyn Scope, package: &str) -> [Typing<'s>; 4] {
    let all = [Dialect::Inferred, Dialect::Objects, Dialect::Mixed, Dialect::Raw];
    all.map(|dialect| Typing::new(scope, package, dialect))
}

/// The body in the first dialect that leaves no doubt and no warning, else in the one that leaves least.
fn best_body<'s>(
    test: &TestCase,
    table: &OperationTable,
    typings: &[Typing<'s>],
    imports: &mut Imports<'s>,
    variables: &mut Variables,
    framework: Framework,
) -> Result<Body, EmitError> {
    let mut best: Option<(Body, Imports<'s>, Variables)> = None;
    let mut refused = None;
    for typing in typings.iter().filter(|typing| !test.raw || typing.is_raw()) {
        let (mut own, mut names) = (imports.clone(), variables.clone());
        let found = match body(test, table, typing, &mut own, &mut names, framework) {
            Ok(found) => found,
            Err(error) => {
                refused = Some(error);
                continue;
            }
        };
        let is_clean = found.faults() == (0, false, false);
        if best.as_ref().is_none_or(|(best, ..)| found.faults() < best.faults()) {
            best = Some((found, own, names));
        }
        if is_clean {
            break;
        }
    }
    match best {
        Some((found, own, names)) => {
            (*imports, *variables) = (own, names);
            Ok(found)
        }
        None => Err(refused.expect("there is a dialect, and it was refused")),
    }
}

fn unit(
    class: &TestClass,
    printed: &[Method<'_>],
    imports: &Imports<'_>,
    style: &Style,
) -> (String, Vec<Place>) {
    let mut out = format!("// {}\n", comment::line(&style.marker));
    if !class.package.is_empty() {
        out.push_str(&format!("package {};\n", class.package.replace('/', ".")));
    }
    out.push('\n');
    let mut asserts: Vec<&str> = printed.iter().flat_map(Method::asserts).collect();
    asserts.sort_unstable();
    asserts.dedup();
    import(&asserts, &imported(imports, printed), style.framework, &mut out);
    about(&class.about, &mut out);
    let everywhere = common_kinds(printed);
    out.push_str(&suppress(&everywhere, ""));
    let (visibility, annotation) = match style.framework {
        Framework::JUnit5 => ("", "    @Test\n"),
        Framework::JUnit4 => ("public ", "    @Test\n"),
        Framework::Java => ("public ", ""),
    };
    out.push_str(&format!("{visibility}class {} {{\n", class.name));
    let mut places = Vec::new();
    let (mut counted, mut lines) = (0, 0);
    for (at, method) in printed.iter().enumerate() {
        if at > 0 {
            out.push('\n');
        }
        lines += out[counted..].matches('\n').count();
        counted = out.len();
        let own: Vec<&str> = method.kinds().into_iter().filter(|kind| !everywhere.contains(kind)).collect();
        let annotations = format!("{annotation}{}", suppress(&own, "    "));
        places.extend(method.write(&annotations, visibility, lines, &mut out));
    }
    if style.framework == Framework::Java {
        let tests: Vec<&str> = printed.iter().map(|method| method.name).collect();
        out.push('\n');
        out.push_str(&plain::members(&class.name, &tests, &asserts));
    }
    out.push_str("}\n");
    (out, places)
}

fn about(lines: &[String], out: &mut String) {
    match lines {
        [] => {}
        [line] => out.push_str(&format!("/** {} */\n", comment::line(line))),
        lines => {
            out.push_str("/**\n");
            for line in lines {
                out.push_str(&format!(" * {}\n", comment::line(line)));
            }
            out.push_str(" */\n");
        }
    }
}

/// Classes to import: a name that a cast asked for may have gone with the cast.
fn imported<'i>(imports: &'i Imports<'_>, printed: &[Method<'_>]) -> Vec<&'i str> {
    let mut words: BTreeSet<&str> = BTreeSet::new();
    for line in printed.iter().flat_map(Method::lines) {
        words.extend(line.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$'));
    }
    let is_used = |line: &&str| line.rsplit('.').next().is_some_and(|simple| words.contains(simple));
    imports.lines().filter(is_used).collect()
}

/// Assertions that are imported in one line.
const MANY: usize = 3;

fn import(asserts: &[&str], imports: &[&str], framework: Framework, out: &mut String) {
    let library = match framework {
        Framework::JUnit5 => Some(("org.junit.jupiter.api.Assertions", "org.junit.jupiter.api.Test")),
        Framework::JUnit4 => Some(("org.junit.Assert", "org.junit.Test")),
        Framework::Java => None,
    };
    if let Some((holder, _)) = library {
        match asserts.len() {
            ..MANY => asserts.iter().for_each(|name| {
                out.push_str(&format!("import static {holder}.{name};\n"));
            }),
            _ => out.push_str(&format!("import static {holder}.*;\n")),
        }
        if !asserts.is_empty() {
            out.push('\n');
        }
    }
    let mut lines: Vec<&str> = imports.to_vec();
    lines.extend(library.map(|(_, test)| test));
    lines.sort_unstable();
    for line in &lines {
        out.push_str(&format!("import {line};\n"));
    }
    if !lines.is_empty() {
        out.push('\n');
    }
}

/// Kinds of warnings that most tests give.
fn common_kinds(printed: &[Method<'_>]) -> Vec<&'static str> {
    let mut times: BTreeMap<&'static str, usize> = BTreeMap::new();
    for kind in printed.iter().flat_map(Method::kinds) {
        *times.entry(kind).or_default() += 1;
    }
    times.into_iter().filter(|(_, times)| times * 2 > printed.len()).map(|(kind, _)| kind).collect()
}

/// The annotation that keeps a compiler from warning of these kinds.
fn suppress(kinds: &[&str], indent: &str) -> String {
    let quoted: Vec<String> = kinds.iter().map(|kind| format!("\"{kind}\"")).collect();
    match quoted.as_slice() {
        [] => String::new(),
        [one] => format!("{indent}@SuppressWarnings({one})\n"),
        many => format!("{indent}@SuppressWarnings({{{}}})\n", many.join(", ")),
    }
}
