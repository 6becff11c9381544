//! Tests that leave something to chance, to the clock or to other threads.
//!
//! In: tests and the edges they took. Out: the [`Chance`] of each; and which tests end alike however often they are run.
//!
//! Whether code ran that reaches for such things is known from edges, and apart for the calls that only prepare. If some of those did, what they
//! give to the call under test is looked at in several runs, in which the time is another: it must be the same, up to fields that the call does not read.
//! A test with such calls is not there for what they run, since that is left to chance too, nor for what it does not run every time; it is
//! shortened once more without.

use std::collections::BTreeSet;

use probat_analysis::nondeterminism;
use probat_model::tree::{Tree, View, diff};
use probat_model::{Observation, OperationTable, ProbeId, Step, StepId, Type, Value};
use probat_protocol::{Item, StateRequest};
use probat_search::archive::Ending;
use probat_search::campaign::Campaign;
use probat_search::catalogue::{Callable, Catalogue};
use probat_search::executor::Executor;

use crate::finish::{ends_alike, item, takes};
use crate::split::{Told, shorten};

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

/// How often what a call is given is looked at, in each of two JVMs.
const LOOKS: usize = 4;

/// What tests leave to chance, as far as the code that they ran tells. Calls are taken out of them that are there for chance alone.
pub(crate) fn chances<E: Executor>(
    campaign: &Campaign<'_>,
    tests: &mut [Told],
    first: &mut E,
    second: &mut E,
) -> Result<Vec<Chance>, E::Error> {
    let catalogue = &campaign.catalogue;
    let mut chances = Vec::with_capacity(tests.len());
    let mut open = Vec::new();
    for (at, told) in tests.iter().enumerate() {
        let has_run = told.seen.as_ref().is_some_and(|seen| catalogue.is_fickle(&seen.edges));
        let asks = told.steps.iter().any(|step| is_fickle(&catalogue.operations, step));
        chances.push(if has_run || asks { Chance::TheCall } else { Chance::Nothing });
        if (has_run || asks) && told.steps.len() > 1 {
            open.push(at);
        }
    }
    let mut before_again: Vec<(usize, Told)> = Vec::new();
    let judged = judge(campaign, tests, &open, first, second)?;
    for (at, judged) in open.into_iter().zip(judged) {
        chances[at] = judged.chance;
        if judged.prepares == Prepares::ByChance && judged.chance != Chance::WhatItIsGiven {
            before_again.push((at, tests[at].clone()));
            tests[at].needs.retain(|edge| !judged.run_before.contains(edge));
        }
    }
    let again: Vec<usize> = before_again.iter().map(|(at, _)| *at).collect();
    forget_what_comes_by_chance(campaign, tests, &again, first, second)?;
    let is_again = |at: usize| before_again.iter().any(|(other, _)| *other == at);
    let again = tests.iter_mut().enumerate().filter(|(at, _)| is_again(*at)).map(|(_, told)| told);
    shorten(campaign, again, first, &|| false)?;
    // What went may have been what made it the same every time.
    before_again.retain(|(at, old)| tests[*at].steps != old.steps && tests[*at].steps.len() > 1);
    let changed: Vec<usize> = before_again.iter().map(|(at, _)| *at).collect();
    let judged = judge(campaign, tests, &changed, first, second)?;
    for ((at, old), judged) in before_again.into_iter().zip(judged) {
        match judged.chance {
            Chance::WhatItIsGiven => tests[at] = old,
            Chance::Nothing | Chance::TheCall => chances[at] = judged.chance,
        }
    }
    Ok(chances)
}

/// Takes edges out of what tests are there for that they do not take in every run: those that few of the runs take may be missed by looks.
fn forget_what_comes_by_chance<E: Executor>(
    campaign: &Campaign<'_>,
    tests: &mut [Told],
    which: &[usize],
    first: &mut E,
    second: &mut E,
) -> Result<(), E::Error> {
    let runs = |&at: &usize| vec![item(campaign, &tests[at].steps, &[], true); LOOKS];
    let items: Vec<Item> = which.iter().flat_map(runs).collect();
    let table = &campaign.catalogue.operations;
    let (once, again) = (first.run(table, items.clone())?, second.run(table, items)?);
    for (&at, (once, again)) in which.iter().zip(once.chunks(LOOKS).zip(again.chunks(LOOKS))) {
        tests[at].needs.retain(|edge| once.iter().chain(again).all(|seen| takes(&[*edge], seen)));
    }
    Ok(())
}

/// What looks at what a call is given tell.
struct Judged {
    chance: Chance,
    prepares: Prepares,
    /// Edges that calls before it take.
    run_before: BTreeSet<ProbeId>,
}

/// Looks at some of the tests, which have more than one step.
fn judge<E: Executor>(
    campaign: &Campaign<'_>,
    tests: &[Told],
    which: &[usize],
    first: &mut E,
    second: &mut E,
) -> Result<Vec<Judged>, E::Error> {
    let catalogue = &campaign.catalogue;
    let looks = |&at: &usize| vec![look(campaign, &tests[at].steps); LOOKS];
    let items: Vec<Item> = which.iter().flat_map(looks).collect();
    let table = &catalogue.operations;
    let (once, again) = (first.run(table, items.clone())?, second.run(table, items)?);
    let of = |(&at, (once, again)): (&usize, (&[Observation], &[Observation]))| {
        let seen: Vec<&Observation> = once.iter().chain(again).collect();
        let steps = &tests[at].steps;
        let prepares = prepares(catalogue, steps, &seen);
        let chance = match prepares {
            Prepares::Alike => Chance::TheCall,
            Prepares::ByChance => given(catalogue, steps, &seen),
        };
        let run_before = seen.iter().flat_map(|seen| seen.edges.iter().copied()).collect();
        Judged { chance, prepares, run_before }
    };
    Ok(which.iter().zip(once.chunks(LOOKS).zip(again.chunks(LOOKS))).map(of).collect())
}

/// What the calls before the one under test do. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Prepares {
    Alike,
    ByChance,
}

fn prepares(catalogue: &Catalogue, steps: &[Step], seen: &[&Observation]) -> Prepares {
    let before = &steps[..steps.len() - 1];
    let asks = before.iter().any(|step| is_fickle(&catalogue.operations, step));
    match asks || seen.iter().any(|seen| catalogue.is_fickle(&seen.edges)) {
        true => Prepares::ByChance,
        false => Prepares::Alike,
    }
}

/// All but the last call, which is under test, and a look at what it is given.
fn look(campaign: &Campaign<'_>, steps: &[Step]) -> Item {
    let (call, before) = steps.split_last().expect("a test has a call");
    let mut item = item(campaign, before, &[], true);
    let after = before.len() as u16 - 1;
    item.observe.states =
        call.args.iter().map(|&root| StateRequest { after, roots: vec![root], stored: true }).collect();
    item
}

/// What a test leaves to chance whose calls before the last do so too, told by runs of those.
fn given(catalogue: &Catalogue, steps: &[Step], seen: &[&Observation]) -> Chance {
    let Some(call) = steps.last() else { return Chance::Nothing };
    let callable = catalogue.callable_of(call.operation).map(|id| catalogue.callable(id));
    let same = call.args.iter().enumerate().all(|(at, &arg)| {
        seen.windows(2).all(|pair| is_same(catalogue, callable, at, arg, [pair[0], pair[1]]))
    });
    match callable {
        _ if !same => Chance::WhatItIsGiven,
        Some(callable) if !callable.fickle && !is_fickle(&catalogue.operations, call) => Chance::Nothing,
        _ => Chance::TheCall,
    }
}

/// Whether two runs give an argument alike, up to fields of ours that the call does not read.
fn is_same(
    catalogue: &Catalogue,
    callable: Option<&Callable>,
    at: usize,
    arg: StepId,
    [one, other]: [&Observation; 2],
) -> bool {
    let (Some(value), Some(value_again)) = (one.value(arg), other.value(arg)) else { return false };
    let stored = |seen: &Observation| {
        let state = seen.states.get(at).cloned().flatten()?;
        Some((state.hash, state.stored?))
    };
    match (value, value_again) {
        (Value::Object { class }, Value::Object { class: class_again }) if class == class_again => {
            let (Some((hash, state)), Some((hash_again, state_again))) = (stored(one), stored(other)) else {
                return false;
            };
            if hash == hash_again {
                return true;
            }
            let is_ours = catalogue.is_owner(&Type::Class(class.clone()));
            let (Some(callable), true) = (callable, is_ours) else { return false };
            let (Ok(tree), Ok(tree_again)) = (Tree::of(&state), Tree::of(&state_again)) else { return false };
            let changes = diff(&tree, &tree_again, View::Fields);
            !changes.is_empty() && changes.iter().all(|change| !catalogue.may_touch(callable, &change.path))
        }
        (Value::Array { .. }, Value::Array { .. }) => {
            matches!((stored(one), stored(other)), (Some((hash, _)), Some((again, _))) if hash == again)
        }
        // Through text, so that a NaN is the same as itself.
        _ => format!("{value:?}") == format!("{value_again:?}"),
    }
}

/// Whether a step asks the JDK for the time or for chance itself, with no code of ours between to see it.
fn is_fickle(table: &OperationTable, step: &Step) -> bool {
    nondeterminism::is_fickle(table.get(step.operation))
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
    use probat_model::{ClassName, MethodDescriptor, Operation};

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
        let found = [clock, date, fixed, own].map(|step| is_fickle(&catalogue.operations, &step));
        assert_eq!(found, [true, true, false, false]);
    }
}
