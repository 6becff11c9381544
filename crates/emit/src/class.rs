//! A whole test class.
//!
//! In: tests of one class under test. Out: a compilation unit; tests that cannot be printed come back with the reason.

use std::collections::BTreeSet;

use probat_model::OperationTable;

use crate::arguments::Dialect;
use crate::case::TestCase;
use crate::comment;
use crate::imports::Imports;
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
#[derive(Debug, Clone, PartialEq)]
pub struct TestClass {
    /// In internal form, `com/acme`; empty for the unnamed package.
    pub package: String,
    pub name: String,
    /// Lines of the class comment.
    pub about: Vec<String>,
    pub tests: Vec<TestCase>,
}

/// The source, and the tests left out of it.
pub fn test_class_source(
    class: &TestClass,
    table: &OperationTable,
    scope: &dyn Scope,
    style: &Style,
) -> (String, Vec<(String, EmitError)>) {
    let own: Vec<String> = match style.framework {
        Framework::JUnit5 | Framework::JUnit4 => vec![class.name.clone(), "Test".to_owned()],
        Framework::Java => {
            std::iter::once(class.name.as_str()).chain(plain::OWN).map(str::to_owned).collect()
        }
    };
    let typings = typings(scope, &class.package);
    let mut imports = Imports::new(scope, &class.package, &own);
    let (mut printed, mut refused) = (Vec::new(), Vec::new());
    for test in &class.tests {
        match best_body(test, table, &typings, &mut imports, style.framework) {
            Ok(body) => printed.push((test, body)),
            Err(error) => refused.push((test.name.clone(), error)),
        }
    }
    (unit(class, &printed, &imports, style), refused)
}

/// The statements of one test in one line, without comments: what to type to see it happen.
pub fn one_line(
    test: &TestCase,
    package: &str,
    table: &OperationTable,
    scope: &dyn Scope,
) -> Result<String, EmitError> {
    let mut imports = Imports::new(scope, package, &[]);
    let body = best_body(test, table, &typings(scope, package), &mut imports, Framework::JUnit5)?;
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
    framework: Framework,
) -> Result<Body, EmitError> {
    let mut best: Option<(Body, Imports<'s>)> = None;
    let mut refused = None;
    for typing in typings.iter().filter(|typing| !test.raw || typing.is_raw()) {
        let mut own = imports.clone();
        let found = match body(test, table, typing, &mut own, framework) {
            Ok(found) => found,
            Err(error) => {
                refused = Some(error);
                continue;
            }
        };
        let is_clean = found.faults() == (0, false, false);
        if best.as_ref().is_none_or(|(best, _)| found.faults() < best.faults()) {
            best = Some((found, own));
        }
        if is_clean {
            break;
        }
    }
    match best {
        Some((found, own)) => {
            *imports = own;
            Ok(found)
        }
        None => Err(refused.expect("there is a dialect, and it was refused")),
    }
}

fn unit(class: &TestClass, printed: &[(&TestCase, Body)], imports: &Imports<'_>, style: &Style) -> String {
    let mut out = format!("// {}\n", comment::line(&style.marker));
    if !class.package.is_empty() {
        out.push_str(&format!("package {};\n", class.package.replace('/', ".")));
    }
    out.push('\n');
    let mut asserts: Vec<&str> = printed.iter().flat_map(|(_, body)| body.asserts.iter().copied()).collect();
    asserts.sort_unstable();
    asserts.dedup();
    import(&asserts, &imported(imports, printed), style.framework, &mut out);
    if !class.about.is_empty() {
        out.push_str("/**\n");
        for line in &class.about {
            out.push_str(&format!(" * {}\n", comment::line(line)));
        }
        out.push_str(" */\n");
    }
    let everywhere = common_kinds(printed);
    out.push_str(&suppress(&everywhere, ""));
    let (visibility, annotation) = match style.framework {
        Framework::JUnit5 => ("", "    @Test\n"),
        Framework::JUnit4 => ("public ", "    @Test\n"),
        Framework::Java => ("public ", ""),
    };
    out.push_str(&format!("{visibility}class {} {{\n", class.name));
    for (at, (test, body)) in printed.iter().enumerate() {
        if at > 0 {
            out.push('\n');
        }
        method(test, body, &everywhere, annotation, visibility, &mut out);
    }
    if style.framework == Framework::Java {
        let tests: Vec<&str> = printed.iter().map(|(test, _)| test.name.as_str()).collect();
        out.push('\n');
        out.push_str(&plain::members(&class.name, &tests, &asserts));
    }
    out.push_str("}\n");
    out
}

/// Classes to import: a name that a cast asked for may have gone with the cast.
fn imported<'i>(imports: &'i Imports<'_>, printed: &[(&TestCase, Body)]) -> Vec<&'i str> {
    let mut words: BTreeSet<&str> = BTreeSet::new();
    for line in printed.iter().flat_map(|(_, body)| &body.lines) {
        words.extend(line.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$'));
    }
    let is_used = |line: &&str| line.rsplit('.').next().is_some_and(|simple| words.contains(simple));
    imports.lines().filter(is_used).collect()
}

fn import(asserts: &[&str], imports: &[&str], framework: Framework, out: &mut String) {
    let library = match framework {
        Framework::JUnit5 => Some(("org.junit.jupiter.api.Assertions", "org.junit.jupiter.api.Test")),
        Framework::JUnit4 => Some(("org.junit.Assert", "org.junit.Test")),
        Framework::Java => None,
    };
    if let Some((holder, _)) = library {
        for name in asserts {
            out.push_str(&format!("import static {holder}.{name};\n"));
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

/// Kinds of warnings that every test gives.
fn common_kinds(printed: &[(&TestCase, Body)]) -> Vec<&'static str> {
    let mut all = printed.iter().map(|(_, body)| body.kinds());
    let first = all.next().unwrap_or_default();
    all.fold(first, |common, own| common.into_iter().filter(|kind| own.contains(kind)).collect())
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

fn method(
    test: &TestCase,
    body: &Body,
    everywhere: &[&str],
    annotation: &str,
    visibility: &str,
    out: &mut String,
) {
    for note in &test.notes {
        out.push_str(&format!("    // {}\n", comment::line(note)));
    }
    let throws = body.throws.map_or(String::new(), |class| format!(" throws {class}"));
    let own: Vec<&str> = body.kinds().into_iter().filter(|kind| !everywhere.contains(kind)).collect();
    out.push_str(annotation);
    out.push_str(&suppress(&own, "    "));
    out.push_str(&format!("    {visibility}void {}(){throws} {{\n", test.name));
    for line in &body.lines {
        if line.is_empty() {
            out.push('\n');
        } else {
            out.push_str(&format!("        {line}\n"));
        }
    }
    out.push_str("    }\n");
}
