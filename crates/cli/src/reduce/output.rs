//! The reduced suite in forms that a build can use.
//!
//! In: a report. Out: files in a folder of the user's choice: ids for JUnit's launcher, includes for Surefire and Gradle, what is redundant.
//! Where a build cannot be told of one test alone, it is told of more: no test that is kept is left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use probat_reduce::selected;

use super::report::Report;
use crate::exit::Exit;
use crate::failure::Failure;

/// Writes the files; gives their paths. Tests that did not pass or were not recorded stay in: they are not redundant.
pub fn write(report: &Report, folder: &Path) -> Result<Vec<String>, Failure> {
    let problems =
        report.problems.iter().filter(|problem| problem.kind != "skipped").map(|problem| &problem.id);
    let kept: Vec<&String> = report.kept.iter().chain(problems).chain(&report.not_recorded).collect();
    let files = [
        ("kept-ids.txt", lines(kept.iter().copied())),
        ("redundant.txt", lines(report.redundant.iter())),
        ("order-ids.txt", lines(report.order.iter().map(|ordered| &ordered.id).chain(&report.not_recorded))),
        ("launcher-args.txt", launcher(kept.iter().map(|id| id.as_str()))),
        ("includes.txt", surefire(kept.iter().map(|id| id.as_str()))),
        ("excludes.txt", EXCLUDES.to_owned()),
        ("kept.gradle", gradle(kept.iter().map(|id| id.as_str()))),
    ];
    let mut written = Vec::new();
    for (name, text) in files {
        let path = folder.join(name);
        fs::create_dir_all(folder).and_then(|()| fs::write(&path, text)).map_err(|error| {
            Failure::new(Exit::Missing, format!("cannot write `{}`: {error}", path.display()))
                .hint("name a folder you may write to with `--output`")
        })?;
        written.push(path.display().to_string());
    }
    Ok(written)
}

fn lines<'a>(ids: impl Iterator<Item = &'a String>) -> String {
    ids.map(|id| format!("{id}\n")).collect()
}

/// Surefire excludes nested classes unless it is told to exclude something else.
const EXCLUDES: &str = "**/ExcludeNothing.java\n";

/// Options of JUnit's console launcher, which reads them with `@launcher-args.txt`: a command line has no room for thousands of ids.
fn launcher<'a>(ids: impl Iterator<Item = &'a str>) -> String {
    let quoted = |id: &str| id.replace('\\', "\\\\").replace('"', "\\\"");
    ids.map(|id| format!("--select-unique-id\n\"{}\"\n", quoted(id))).collect()
}

/// `com/acme/CartTest.java#add+remove`, a line per class.
fn surefire<'a>(ids: impl Iterator<Item = &'a str>) -> String {
    let line = |(class, methods): (String, Methods)| {
        let file = class.replace('.', "/");
        if methods.whole {
            return format!("{file}.java\n");
        }
        // The name of a run of JUnit 4's `Parameterized` begins with that of its method.
        let star = |(name, is_numbered): &(String, bool)| {
            if *is_numbered { format!("{name}*") } else { name.clone() }
        };
        let names: Vec<String> = methods.names.iter().map(star).collect();
        format!("{file}.java#{}\n", names.join("+"))
    };
    by_class(ids).into_iter().map(line).collect()
}

/// An init script: `gradle test --init-script kept.gradle`. Projects without any of the tests have nothing to run.
fn gradle<'a>(ids: impl Iterator<Item = &'a str>) -> String {
    let mut lines = String::new();
    for (class, methods) in by_class(ids) {
        // In single quotes, since nested classes have a dollar in their names.
        let mut include = |name: &str| {
            let name = name.replace('\\', "\\\\").replace('\'', "\\'");
            lines.push_str(&format!("            includeTestsMatching '{name}'\n"));
        };
        if methods.whole {
            include(&class);
            continue;
        }
        for (method, is_numbered) in &methods.names {
            include(&format!("{class}.{method}"));
            if *is_numbered {
                include(&format!("{class}.{method}[*"));
            }
        }
    }
    // `configureEach` is younger than some releases in use.
    format!(
        "allprojects {{\n    tasks.withType(Test) {{\n        filter {{\n            failOnNoMatchingTests = false\n{lines}        }}\n    }}\n}}\n"
    )
}

/// What of a class is to run.
#[derive(Debug, Default)]
struct Methods {
    /// All of it.
    whole: bool,
    /// Methods, and whether their runs are numbered.
    names: BTreeSet<(String, bool)>,
}

fn by_class<'a>(ids: impl Iterator<Item = &'a str>) -> BTreeMap<String, Methods> {
    let mut classes: BTreeMap<String, Methods> = BTreeMap::new();
    for test in ids.filter_map(selected) {
        let methods = classes.entry(test.class).or_default();
        match test.method {
            Some(method) => {
                methods.names.insert((method, test.is_numbered));
            }
            None => methods.whole = true,
        }
    }
    classes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_of_a_class_share_a_line() {
        let ids = [
            "[engine:junit-jupiter]/[class:a.T]/[method:x()]",
            "[engine:junit-jupiter]/[class:a.T]/[test-template:y(int)]/[test-template-invocation:#1]",
            "[engine:junit-jupiter]/[class:a.T]/[test-template:y(int)]/[test-template-invocation:#2]",
            "[engine:junit-vintage]/[runner:U]/[test:z(U)]",
            "[engine:junit-vintage]/[runner:U]/[test:%5B0%5D]/[test:p%5B0%5D(U)]",
            "[engine:junit-jupiter]/[class:W]/[method:x()]",
            "[engine:junit-jupiter]/[class:W]",
        ];
        assert_eq!(surefire(ids.into_iter()), "U.java#p*+z\nW.java\na/T.java#x+y\n");
    }

    #[test]
    fn ids_are_quoted_for_the_launcher() {
        let id = r#"[engine:e]/[class:T]/[test-template-invocation:#1 "a\b"]"#;
        let wanted =
            "--select-unique-id\n\"[engine:e]/[class:T]/[test-template-invocation:#1 \\\"a\\\\b\\\"]\"\n";
        assert_eq!(launcher([id].into_iter()), wanted);
    }

    #[test]
    fn gradle_is_told_every_method() {
        let ids = [
            "[engine:junit-jupiter]/[class:a.T]/[nested-class:In]/[method:x()]",
            "[engine:junit-jupiter]/[class:a.T]/[test-template:y(int)]/[test-template-invocation:#1]",
            "[engine:junit-jupiter]/[class:a.Broken]",
            "[engine:junit-vintage]/[runner:U]/[test:%5B0%5D]/[test:p%5B0%5D(U)]",
        ];
        let script = gradle(ids.into_iter());
        let included: Vec<&str> =
            script.lines().filter_map(|line| line.trim().strip_prefix("includeTestsMatching ")).collect();
        assert_eq!(included, ["'U.p'", "'U.p[*'", "'a.Broken'", "'a.T.y'", "'a.T$In.x'"]);
        assert_eq!(script.matches('{').count(), script.matches('}').count());
    }
}
