//! Tests that leave something to chance, to the clock or to other threads.
//!
//! In: steps and the edges they took. Out: [`Chance`]; and which tests end alike however often they are run.

use probat_analysis::nondeterminism::{Influence, influence_of_call};
use probat_model::{Observation, Operation, OperationTable, ProbeId, Step};
use probat_protocol::Item;
use probat_search::archive::Ending;
use probat_search::campaign::Campaign;
use probat_search::catalogue::Catalogue;
use probat_search::executor::Executor;

use crate::finish::{ends_alike, item};

/// What is left to what the next call may find different: the time, chance, identity hashes, other threads. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Chance {
    Nothing,
    /// What the call under test does; it is given the same every time.
    TheCall,
    /// What the call under test is given.
    WhatItIsGiven,
}

/// How often a test that leaves something to chance is run again, in each of two JVMs.
const AGAIN: usize = 20;

/// What these steps leave to chance, as far as the code that they ran tells. What may reach such code by its calls did not, if none of it ran.
pub(crate) fn chance(catalogue: &Catalogue, steps: &[Step], edges: &[ProbeId]) -> Chance {
    let Some((call, before)) = steps.split_last() else { return Chance::Nothing };
    let reaches = |step: &Step| {
        let callable = catalogue.callable_of(step.operation);
        callable.is_some_and(|callable| catalogue.callable(callable).fickle)
    };
    let has_run = catalogue.is_fickle(edges);
    let table = &catalogue.operations;
    if before.iter().any(|step| is_fickle(table, step) || has_run && reaches(step)) {
        Chance::WhatItIsGiven
    } else if has_run || is_fickle(table, call) {
        Chance::TheCall
    } else {
        Chance::Nothing
    }
}

/// Whether a step asks the JDK for the time or for chance itself, with no code of ours between to see it.
fn is_fickle(table: &OperationTable, step: &Step) -> bool {
    let (class, name, descriptor) = match table.get(step.operation) {
        Operation::Construct { class, descriptor } => (class, "<init>", descriptor),
        Operation::Call { class, name, descriptor, .. }
        | Operation::CallStatic { class, name, descriptor, .. } => (class, name.as_ref(), descriptor),
        _ => return false,
    };
    let found = influence_of_call(class.as_internal(), name, &descriptor.to_string());
    found.is_some_and(Influence::is_fickle)
}

/// Runs tests again and again in both executors; for each whether it ended alike every time.
pub(crate) fn end_alike<E: Executor>(
    campaign: &Campaign<'_>,
    tests: &[(&[Step], &Ending)],
    first: &mut E,
    second: &mut E,
) -> Result<Vec<bool>, E::Error> {
    if tests.is_empty() {
        return Ok(Vec::new());
    }
    let items: Vec<Item> =
        tests.iter().flat_map(|(steps, _)| vec![item(campaign, steps, &[], false); AGAIN]).collect();
    let table = &campaign.catalogue.operations;
    let (once, again) = (first.run(table, items.clone())?, second.run(table, items)?);
    let all = |seen: &[Observation], (steps, ending): &(&[Step], &Ending)| {
        seen.iter().all(|seen| ends_alike(ending, steps, seen))
    };
    let runs = tests.iter().zip(once.chunks(AGAIN).zip(again.chunks(AGAIN)));
    Ok(runs.map(|(test, (once, again))| all(once, test) && all(again, test)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use probat_model::{ClassName, MethodDescriptor};

    #[test]
    fn a_clock_that_a_step_asks_itself_is_noticed() {
        let mut catalogue = Catalogue::new();
        let mut step = |class: &str, name: &str, descriptor: &str| {
            let (class, descriptor) =
                (ClassName::internal(class), MethodDescriptor::parse(descriptor).unwrap());
            let operation = match name {
                "<init>" => Operation::Construct { class, descriptor },
                _ => Operation::CallStatic { class, name: name.into(), descriptor, interface: false },
            };
            Step { operation: catalogue.operations.intern(operation), args: Default::default() }
        };
        let clock = step("java/util/Calendar", "getInstance", "()Ljava/util/Calendar;");
        let date = step("java/util/Date", "<init>", "()V");
        let fixed = step("java/util/Date", "<init>", "(J)V");
        let own = step("shop/Calendar", "getInstance", "()Lshop/Calendar;");
        let found =
            [clock, date, fixed, own.clone()].map(|given| chance(&catalogue, &[given, own.clone()], &[]));
        let (given, nothing) = (Chance::WhatItIsGiven, Chance::Nothing);
        assert_eq!(found, [given, given, nothing, nothing]);
    }
}
