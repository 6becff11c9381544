//! The reduced suite in forms that a build can use.
//!
//! In: a report. Out: files in a folder of the user's choice: ids for JUnit's launcher, includes for Surefire, what is redundant.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use probat_reduce::includes;

use super::report::Report;
use crate::exit::Exit;
use crate::failure::Failure;

/// Writes the files; gives their paths. Tests that did not pass stay in: they are not redundant.
pub fn write(report: &Report, folder: &Path) -> Result<Vec<String>, Failure> {
    let problems =
        report.problems.iter().filter(|problem| problem.kind != "skipped").map(|problem| &problem.id);
    let kept: Vec<&String> = report.kept.iter().chain(problems).collect();
    let files = [
        ("kept-ids.txt", lines(kept.iter().copied())),
        ("redundant.txt", lines(report.redundant.iter())),
        ("order-ids.txt", lines(report.order.iter().map(|ordered| &ordered.id))),
        ("includes.txt", surefire(kept.iter().map(|id| id.as_str()))),
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

/// `com/acme/CartTest.java#add+remove`, a line per class.
fn surefire<'a>(ids: impl Iterator<Item = &'a str>) -> String {
    let mut classes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (class, method) in ids.filter_map(includes) {
        let methods = classes.entry(class).or_default();
        methods.extend(method.filter(|method| !methods.contains(method)));
    }
    let line = |(class, methods): (&String, &Vec<String>)| {
        let file = class.replace('.', "/");
        if methods.is_empty() {
            format!("{file}.java\n")
        } else {
            format!("{file}.java#{}\n", methods.join("+"))
        }
    };
    classes.iter().map(line).collect()
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
        ];
        assert_eq!(surefire(ids.into_iter()), "U.java#z\na/T.java#x+y\n");
    }
}
