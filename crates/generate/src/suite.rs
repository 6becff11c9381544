//! Tests gathered into files.
//!
//! In: finished tests. Out: one [`SuiteFile`] per top-level class under test, tests named and ordered.

use std::collections::BTreeMap;

use probat_emit::{TestCase, TestClass};
use probat_model::{ClassName, ProbeId, Type};
use probat_search::catalogue::Catalogue;

use crate::finish::Finished;
use crate::naming::{Unnamed, names};

/// A test class and where it goes.
#[derive(Debug, Clone, PartialEq)]
pub struct SuiteFile {
    /// The top-level class under test.
    pub subject: ClassName,
    pub class: TestClass,
    /// Whether its tests are written to fail.
    pub fails: bool,
    /// Edges its tests are there for, per hundred tests.
    pub worth: usize,
    /// Edges each test takes, by its name.
    pub edges: BTreeMap<String, Vec<ProbeId>>,
}

/// Groups tests by the top-level class they test; either all pass or all fail.
pub fn group(catalogue: &Catalogue, tests: Vec<Finished>, fails: bool) -> Vec<SuiteFile> {
    let mut files: BTreeMap<ClassName, Vec<Finished>> = BTreeMap::new();
    for test in tests {
        if let Type::Class(name) = catalogue.types.get(catalogue.owners[test.owner.0 as usize].ty) {
            files.entry(name.host()).or_default().push(test);
        }
    }
    files.into_iter().map(|(subject, tests)| file(catalogue, subject, tests, fails)).collect()
}

fn file(catalogue: &Catalogue, subject: ClassName, tests: Vec<Finished>, fails: bool) -> SuiteFile {
    let needs: usize = tests.iter().map(|test| test.needs).sum();
    let worth = needs * 100 / tests.len().max(1);
    let unnamed: Vec<Unnamed<'_>> = tests
        .iter()
        .map(|test| Unnamed {
            case: &test.case,
            operation: catalogue.callable(test.callable).operation,
            result: test.result.as_ref(),
        })
        .collect();
    let names = names(&unnamed, &catalogue.operations);
    let mut cases = Vec::new();
    let mut edges = BTreeMap::new();
    for (test, name) in tests.into_iter().zip(names) {
        edges.insert(name.clone(), test.edges);
        cases.push(TestCase { name, ..test.case });
    }
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    let package = if subject.package().starts_with("java/") {
        format!("probat/{}", subject.package())
    } else {
        subject.package().to_owned()
    };
    let simple = subject.simple();
    let (name, about) = if fails {
        let about = vec![
            format!("Where {{@code {simple}}} breaks what it should keep."),
            "Each test fails as long as that is so.".to_owned(),
        ];
        (format!("{simple}FailingProbatTest"), about)
    } else {
        (format!("{simple}ProbatTest"), vec![format!("What {{@code {simple}}} does, as observed.")])
    };
    SuiteFile { class: TestClass { package, name, about, tests: cases }, subject, fails, worth, edges }
}
