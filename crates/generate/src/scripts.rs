//! Tests as scripts, one file each, which `probat run` takes.
//!
//! In: test classes. Out: texts that were read again and make the same calls, with what was seen of them as comments; tests that have no
//! such text are dropped.

use std::collections::BTreeMap;

use probat_emit::{Ending, Expected, TestCase, contract_in_words, java_char, java_string};
use probat_model::{ClassName, JavaString, OperationTable, StepId};
use probat_script::{Types, Written, write};

use crate::outcome::OutFile;
use crate::suite::SuiteFile;
use crate::verify::{DropReason, Dropped, Verification};

/// Writes all tests.
pub(crate) fn scripts(
    suite: &[SuiteFile],
    operations: &OperationTable,
    types: &dyn Types,
    marker: &str,
) -> Verification {
    let mut done = Verification { verified: true, ..Verification::default() };
    for file in suite {
        let class = &file.class;
        let folder = if class.package.is_empty() {
            class.name.clone()
        } else {
            format!("{}/{}", class.package, class.name)
        };
        for test in &class.tests {
            let head = [marker.to_owned(), format!("{} of {}", test.name, file.subject)];
            let remarks = remarks(test);
            let what = Written { table: operations, steps: &test.steps, head: &head, remarks: &remarks };
            match write(&what, types) {
                Ok(source) => {
                    done.edges.extend(file.edges.get(&test.name).into_iter().flatten());
                    done.files.push(OutFile {
                        subject: file.subject.clone(),
                        package: folder.clone(),
                        name: test.name.clone(),
                        extension: "probat",
                        shows: None,
                        source,
                        tests: 1,
                        fails: file.fails,
                    });
                }
                Err(error) => done.dropped.push(Dropped {
                    test: format!("{}.{}", folder.replace('/', "."), test.name),
                    reason: DropReason::Unprintable,
                    detail: error.to_string(),
                    edges: file.edges.get(&test.name).cloned().unwrap_or_default(),
                    passed: None,
                }),
            }
        }
    }
    done
}

fn remarks(test: &TestCase) -> BTreeMap<StepId, String> {
    let mut all: BTreeMap<StepId, String> = BTreeMap::new();
    for check in &test.checks {
        all.insert(check.step, format!("gives {}", in_words(&check.expected)));
    }
    for caught in &test.caught {
        all.insert(caught.step, throws(&caught.class, caught.message.as_ref()));
    }
    let last = StepId(test.steps.len() as u16 - 1);
    match &test.ending {
        Ending::Returns => {}
        Ending::Throws { class, message } => {
            all.insert(last, throws(class, message.as_ref()));
        }
        Ending::Breaks { contract, .. } => {
            all.insert(last, format!("broken: {}", contract_in_words(*contract)));
        }
        Ending::BreaksRule { rule, .. } => {
            all.insert(last, format!("broken: {}", rule.name));
        }
    }
    all
}

fn throws(class: &ClassName, message: Option<&JavaString>) -> String {
    match message {
        Some(message) => format!("throws {class}: {}", java_string(message)),
        None => format!("throws {class}"),
    }
}

fn in_words(expected: &Expected) -> String {
    match expected {
        Expected::Null => "null".into(),
        Expected::NotNull => "an object".into(),
        Expected::Boolean(value) => value.to_string(),
        Expected::Byte(value) => value.to_string(),
        Expected::Char(value) => java_char(*value),
        Expected::Short(value) => value.to_string(),
        Expected::Int(value) => value.to_string(),
        Expected::Long(value) => format!("{value}L"),
        Expected::Float(value) => format!("{value:?}f"),
        Expected::Double(value) => format!("{value:?}"),
        Expected::String(text) => java_string(text),
        Expected::Constant(_, name) => name.clone(),
        Expected::Same(_) => "an object seen before".into(),
        Expected::Array(_, values) => {
            format!("{{{}}}", values.iter().map(in_words).collect::<Vec<_>>().join(", "))
        }
    }
}
