//! What earlier runs wrote, run again on the code as it is now.
//!
//! In: where tests go, the classes under test. Out: the tests that no longer pass. Files that somebody edited are theirs, and their build runs them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::thread::{Scope, ScopedJoinHandle};

use probat_generate::{Broken, Former, FormerFile, Job, VerifyError, test_class_of};
use probat_model::ClassName;

use super::args::FrameworkChoice;
use super::marker::{Owner, owner};
use super::report::BrokenTest;
use crate::failure::{chain, message};

/// A run of former tests beside the search.
pub type Running<'scope> = ScopedJoinHandle<'scope, Result<Vec<Broken>, VerifyError>>;

/// Begins to run what an earlier run left; `None` if there is nothing that can be run.
pub fn begin<'scope>(
    threads: &'scope Scope<'scope, '_>,
    job: &Job<'_>,
    tests: &Path,
    framework: FrameworkChoice,
) -> Option<Running<'scope>> {
    let subjects: BTreeSet<ClassName> = job.targets.iter().map(ClassName::host).collect();
    let of = |subject: ClassName| {
        let class = test_class_of(job.classes, &subject);
        file(tests, subject, class, framework)
    };
    let files = subjects.into_iter().filter_map(of).collect();
    let former = Former::new(job, files)?;
    Some(threads.spawn(move || former.run()))
}

/// Waits for it. What goes wrong here costs a remark, and no test.
pub fn end(running: Running<'_>) -> Option<Vec<BrokenTest>> {
    match running.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)) {
        Ok(broken) => Some(broken.into_iter().map(told).collect()),
        Err(error) => {
            message("note", &format!("tests of the last run could not be run again: {}", chain(&error)));
            None
        }
    }
}

fn told(broken: Broken) -> BrokenTest {
    BrokenTest {
        class: broken.subject.to_string(),
        test: broken.test,
        was: broken.statement,
        says: broken.detail.split_whitespace().collect::<Vec<_>>().join(" "),
    }
}

/// The tests of a class in a class, if they are ours and of the framework.
fn file(
    tests: &Path,
    subject: ClassName,
    class: ClassName,
    framework: FrameworkChoice,
) -> Option<FormerFile> {
    let bytes = fs::read(tests.join(format!("{}.java", class.as_internal()))).ok()?;
    let source = String::from_utf8(bytes).ok()?;
    let is_ours = owner(&source) == Owner::Ours && framework_of(&source) == framework;
    is_ours.then_some(FormerFile { subject, class, source: source.replace("\r\n", "\n") })
}

/// What a source of ours was written for.
fn framework_of(source: &str) -> FrameworkChoice {
    let imports = |name: &str| source.lines().any(|line| line.strip_prefix("import ") == Some(name));
    match (imports("org.junit.jupiter.api.Test;"), imports("org.junit.Test;")) {
        (true, _) => FrameworkChoice::JUnit5,
        (false, true) => FrameworkChoice::JUnit4,
        (false, false) => FrameworkChoice::Java,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::marker::mark;

    #[test]
    fn only_what_is_ours_and_of_this_framework_is_run_again() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("p")).unwrap();
        let path = dir.path().join("p/TProbatTest.java");
        let found = |framework| {
            let [subject, class] = ["p/T", "p/TProbatTest"].map(ClassName::internal);
            file(dir.path(), subject, class, framework)
        };
        assert_eq!(found(FrameworkChoice::JUnit5), None);
        let source =
            mark("// x\npackage p;\n\nimport org.junit.jupiter.api.Test;\n\nclass TProbatTest {\n}\n", 1);
        fs::write(&path, source.replace('\n', "\r\n")).unwrap();
        assert_eq!(found(FrameworkChoice::JUnit5).map(|file| file.source), Some(source.clone()));
        assert_eq!(found(FrameworkChoice::JUnit4), None);
        fs::write(&path, source.replace("class", "public class")).unwrap();
        assert_eq!(found(FrameworkChoice::JUnit5), None);
    }
}
