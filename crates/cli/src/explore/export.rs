//! The explored calls as JUnit source.
//!
//! In: an exploration that kept its links, workers to run its tests once more. Out: Java files whose tests assert what the calls gave.
//! Files of these names are ours and are replaced.

use std::cell::RefCell;
use std::path::Path;

use probat_analysis::World;
use probat_emit::{Check, Ending, Expected, Framework, Style, TestCase, TestClass, test_class_source};
use probat_explore::{Exploration, ExploredTest, explored_tests};
use probat_model::{End, Observation, Sequence, StepOutcome, Value};
use probat_protocol::{Item, Observe, Reset, Values};
use probat_supervisor::Fleet;
use probat_survey::SourceScope;

use super::Source;
use crate::failure::Failure;
use crate::fleet;
use crate::library::Library;

/// Tests in one file.
const IN_A_FILE: usize = 400;

/// Source files: their paths below the output folder, and their text.
#[derive(Debug, Default)]
pub struct Exported {
    pub files: Vec<(String, String)>,
    pub tests: usize,
    /// There are more than asked for.
    pub is_cut: bool,
}

/// Runs the tests once more and prints them.
pub fn export(
    found: &Exploration,
    fleet: &mut Fleet,
    library: &Library,
    most: usize,
) -> Result<Exported, Failure> {
    let (tests, is_whole) = explored_tests(found, most);
    let mut cases = Vec::new();
    for part in tests.chunks(IN_A_FILE) {
        let items = part.iter().map(|test| item(found, test)).collect();
        let seen = fleet.run(&found.table, items).map_err(|error| fleet::failure(&error))?;
        let first = cases.len();
        cases.extend(
            part.iter().zip(seen).enumerate().filter_map(|(at, (test, seen))| case(test, &seen, first + at)),
        );
    }
    let source = Source(library);
    let world = RefCell::new(World::new(&source));
    let scope = SourceScope::new(&world, None);
    let mut exported = Exported { is_cut: !is_whole, ..Exported::default() };
    for (number, part) in cases.chunks(IN_A_FILE).enumerate() {
        let class = test_class(found, part.to_vec(), number);
        let style = Style { framework: Framework::JUnit5, marker: "Written by probat explore.".into() };
        let source = test_class_source(&class, &found.table, &scope, &style);
        exported.tests += part.len() - source.refused.len();
        let folder = Path::new(&class.package);
        exported.files.push((folder.join(format!("{}.java", class.name)).display().to_string(), source.text));
    }
    Ok(exported)
}

fn item(found: &Exploration, test: &ExploredTest) -> Item {
    let sequence =
        Sequence::from_steps(&found.table, test.steps.clone()).expect("a plan's steps fit its table");
    let observe = Observe { values: Values::All, ..Observe::default() };
    Item { sequence, observe, reset: Reset::Fields, past_exceptions: false, ..Item::default() }
}

/// A test that asserts what its last calls gave; `None` if it did not do what it did before.
fn case(test: &ExploredTest, seen: &Observation, number: usize) -> Option<TestCase> {
    let last = *test.tried.last()?;
    let ending = match &seen.end {
        End::Completed => Ending::Returns,
        End::Threw(step) if *step == last => match seen.steps.last() {
            Some((_, StepOutcome::Threw(thrown))) => {
                Ending::Throws { class: thrown.class.clone(), message: None }
            }
            _ => return None,
        },
        _ => return None,
    };
    let checks =
        seen.steps.iter().filter(|(step, _)| test.tried.contains(step)).filter_map(|(step, outcome)| {
            let StepOutcome::Returned(value) = outcome else { return None };
            expected(value).map(|expected| Check { step: *step, expected })
        });
    Some(TestCase {
        name: format!("{}_{number}", test.name),
        steps: test.steps.clone(),
        checks: checks.collect(),
        caught: Vec::new(),
        ending,
        notes: Vec::new(),
        raw: false,
    })
}

fn expected(value: &Value) -> Option<Expected> {
    Some(match value {
        Value::Null => Expected::Null,
        Value::Boolean(value) => Expected::Boolean(*value),
        Value::Byte(value) => Expected::Byte(*value),
        Value::Char(value) => Expected::Char(*value),
        Value::Short(value) => Expected::Short(*value),
        Value::Int(value) => Expected::Int(*value),
        Value::Long(value) => Expected::Long(*value),
        Value::Float(value) => Expected::Float(*value),
        Value::Double(value) => Expected::Double(*value),
        Value::String { text, length } if text.units().len() == *length as usize => {
            Expected::String(text.clone())
        }
        Value::Void | Value::String { .. } | Value::Object { .. } | Value::Array { .. } => return None,
    })
}

fn test_class(found: &Exploration, tests: Vec<TestCase>, number: usize) -> TestClass {
    let class = &found.plan.class;
    let own = class.package();
    // Nobody may add classes to the JDK's packages.
    let package = if own.starts_with("java/") { format!("probat/{own}") } else { own.to_owned() };
    let simple = class.simple().replace('$', "");
    let number = if number == 0 { String::new() } else { (number + 1).to_string() };
    let about = vec![format!("Every call on every state of {class} that was explored.")];
    TestClass { package, name: format!("{simple}StatesTest{number}"), about, tests, groups: Vec::new() }
}
