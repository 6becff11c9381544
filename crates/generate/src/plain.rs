//! Runs tests that need no framework, inside a worker of ours.
//!
//! In: test classes and their methods, a fleet of one worker that has them on its class path. Out: a verdict per test. Each test gets an object
//! of its own; their `main` is not called, as it ends the JVM.

use probat_model::{
    ClassName, End, JavaString, MethodDescriptor, Observation, Operation, OperationTable, Sequence,
    StepOutcome,
};
use probat_protocol::{Item, Observe, Reset, Values};
use probat_supervisor::{Fleet, FleetError};

use crate::junit::{JUnitRun, Verdict};

/// Runs all tests, backwards if that is wanted.
pub(crate) fn run_plain(
    fleet: &mut Fleet,
    tests: &[(ClassName, String)],
    backwards: bool,
) -> Result<JUnitRun, FleetError> {
    let mut table = OperationTable::new();
    let mut ordered: Vec<&(ClassName, String)> = tests.iter().collect();
    if backwards {
        ordered.reverse();
    }
    let items = ordered.iter().map(|(class, name)| test_item(&mut table, class, name, Reset::None)).collect();
    let seen = fleet.run(&table, items)?;
    let verdicts =
        ordered.iter().zip(&seen).map(|((class, name), seen)| (class.clone(), name.clone(), verdict(seen)));
    let verdicts = verdicts.collect();
    let lines = ordered
        .iter()
        .zip(&seen)
        .filter_map(|((class, name), seen)| Some(((class.clone(), name.clone()), line(class, seen)?)));
    Ok(JUnitRun { verdicts, lines: lines.collect() })
}

/// What runs one test: its class is made, and the method called.
pub fn test_item(table: &mut OperationTable, class: &ClassName, name: &str, reset: Reset) -> Item {
    let descriptor = MethodDescriptor { params: Vec::new(), returns: None };
    let new = table.intern(Operation::Construct { class: class.clone(), descriptor: descriptor.clone() });
    let test = Operation::Call { class: class.clone(), name: name.into(), descriptor, interface: false };
    let test = table.intern(test);
    let mut sequence = Sequence::new();
    let object = sequence.push(table, new, []).expect("a constructor without parameters");
    sequence.push(table, test, [object]).expect("a method without parameters");
    let observe = Observe { values: Values::All, ..Observe::default() };
    Item { sequence, observe, reset, past_exceptions: false, ..Item::default() }
}

/// The line of the test class that what it threw came through.
fn line(class: &ClassName, seen: &Observation) -> Option<u32> {
    let Some((_, StepOutcome::Threw(thrown))) = seen.steps.last() else { return None };
    thrown.frames.iter().find(|frame| frame.class == *class)?.line
}

fn verdict(seen: &Observation) -> Verdict {
    match (&seen.end, seen.steps.last()) {
        (End::Completed, _) => Verdict::Passed,
        (End::Threw(_), Some((_, StepOutcome::Threw(thrown)))) => {
            let message = thrown.message.as_ref().map(JavaString::to_lossy).unwrap_or_default();
            Verdict::Failed(format!("{}: {message}", thrown.class))
        }
        (other, _) => Verdict::Failed(format!("{other:?}")),
    }
}
