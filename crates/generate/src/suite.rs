//! Tests gathered into files.
//!
//! In: finished tests. Out: one [`SuiteFile`] per top-level class under test, tests named and ordered.

use std::collections::{BTreeMap, BTreeSet};

use probat_emit::{Group, TestCase, TestClass};
use probat_model::{ClassName, OperationTable, ProbeId, Type};
use probat_search::catalogue::{Catalogue, OwnerId};

use crate::finish::Finished;
use crate::naming::{Cases, Unnamed, names};
use crate::together::{kind, together};

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

/// What the tests of a suite are for. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// They pass, and those that belong together share a method.
    Passing,
    /// They pass, and each has a method of its own.
    PassingAlone,
    /// They fail, each for a cause of its own.
    Failing,
}

/// Groups tests by the top-level class they test.
pub fn group(catalogue: &Catalogue, tests: Vec<Finished>, purpose: Purpose) -> Vec<SuiteFile> {
    let mut files: BTreeMap<ClassName, Vec<Finished>> = BTreeMap::new();
    for test in tests {
        if let Some(subject) = subject_of(catalogue, test.owner) {
            files.entry(subject).or_default().push(test);
        }
    }
    files.into_iter().map(|(subject, tests)| file(catalogue, subject, tests, purpose)).collect()
}

/// The top-level class that tests of a class under test are about.
pub(crate) fn subject_of(catalogue: &Catalogue, owner: OwnerId) -> Option<ClassName> {
    match catalogue.types.get(catalogue.owners[owner.0 as usize].ty) {
        Type::Class(name) => Some(name.host()),
        _ => None,
    }
}

/// The package of tests of a class: its own, unless that is closed to us.
pub(crate) fn package_for(catalogue: &Catalogue, subject: &ClassName) -> String {
    package_of_tests(subject.package(), catalogue.closed.contains(subject.package()))
}

pub(crate) fn package_of_tests(own: &str, is_closed: bool) -> String {
    match (own, is_closed) {
        (_, false) => own.to_owned(),
        ("", true) => "probat".to_owned(),
        (_, true) => format!("probat/{own}"),
    }
}

/// Simple name of the class with the passing tests of a class.
pub(crate) fn test_class_name(subject: &ClassName) -> String {
    format!("{}ProbatTest", subject.simple())
}

fn file(catalogue: &Catalogue, subject: ClassName, tests: Vec<Finished>, purpose: Purpose) -> SuiteFile {
    let needs: usize = tests.iter().map(|test| test.needs).sum();
    let worth = needs * 100 / tests.len().max(1);
    let unnamed: Vec<Unnamed<'_>> = tests
        .iter()
        .map(|test| {
            let operation = catalogue.callable(test.callable).operation;
            Unnamed::alone(&test.case, operation, test.result.as_ref())
        })
        .collect();
    let sets = match purpose {
        Purpose::Passing => together(&unnamed, &catalogue.operations),
        Purpose::PassingAlone | Purpose::Failing => (0..unnamed.len()).map(|at| vec![at]).collect(),
    };
    let fails = purpose == Purpose::Failing;
    let (names, groups) = named(&unnamed, &sets, &catalogue.operations);
    let mut cases = Vec::new();
    let mut edges = BTreeMap::new();
    for (test, name) in tests.into_iter().zip(names) {
        edges.insert(name.clone(), test.edges);
        cases.push(TestCase { name, ..test.case });
    }
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    let package = package_for(catalogue, &subject);
    let simple = subject.simple();
    let (name, about) = if fails {
        let about = vec![
            format!("Where {{@code {simple}}} breaks what it should keep."),
            "Each test fails as long as that is so.".to_owned(),
        ];
        (format!("{simple}FailingProbatTest"), about)
    } else {
        (test_class_name(&subject), vec![format!("What {{@code {simple}}} does, as observed.")])
    };
    SuiteFile {
        class: TestClass { package, name, about, tests: cases, groups },
        subject,
        fails,
        worth,
        edges,
    }
}

/// Names of all tests, and the methods of those that share one.
fn named(tests: &[Unnamed<'_>], sets: &[Vec<usize>], table: &OperationTable) -> (Vec<String>, Vec<Group>) {
    let methods: Vec<Unnamed<'_>> = sets
        .iter()
        .map(|set| {
            let first = &tests[set[0]];
            let stands_for = match set.as_slice() {
                [_] => Cases::One,
                many => Cases::Many {
                    one_overload: many.iter().all(|&at| tests[at].operation == first.operation),
                    one_end: many.iter().all(|&at| kind(&tests[at]) == kind(first)),
                },
            };
            Unnamed { stands_for, ..*first }
        })
        .collect();
    let mut given = BTreeSet::new();
    let of_methods = names(&methods, table, &mut given);
    // For the case that one of them has to stand alone.
    let mut all = names(tests, table, &mut given);
    let mut groups = Vec::new();
    for (set, name) in sets.iter().zip(of_methods) {
        if let [only] = set.as_slice() {
            all[*only] = name;
        } else {
            groups.push(Group { name, cases: set.iter().map(|&at| all[at].clone()).collect() });
        }
    }
    (all, groups)
}
