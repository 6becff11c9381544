//! How much shorter long failing sequences get (spec 001 row 43).
//!
//! In: the failures of a search. Out: for each of enough calls, how many are left after removal, after replacement, and after delta
//! debugging for comparison, with the runs each took. Nothing is written anywhere, and the search is as it was.

use std::time::{Duration, Instant};

use probat_model::{Observation, Operation, OperationTable, Step, Violation};
use probat_protocol::Item;
use probat_search::campaign::{Campaign, Failure, FailureKind};
use probat_search::ddmin::ddmin;
use probat_search::executor::Executor;
use probat_search::minimize::{Subject, minimize};
use probat_search::replace::{calls, replace_from};

use crate::failing::broken;

/// Calls a failure must have to be measured.
pub const LONG: usize = 30;

/// What became of one failure.
#[derive(Debug, Clone)]
pub struct Simplified {
    pub member: Operation,
    pub kind: FailureKind,
    /// Method and constructor calls as it was found.
    pub found: usize,
    pub removed: usize,
    pub replaced: usize,
    pub ddmin: usize,
}

/// What one way of shortening took.
#[derive(Debug, Clone, Copy, Default)]
pub struct Effort {
    pub runs: usize,
    pub time: Duration,
}

/// Everything measured.
#[derive(Debug, Clone, Default)]
pub struct Simplification {
    /// Failures of enough calls, those that happened again.
    pub failures: Vec<Simplified>,
    /// Failures of fewer calls.
    pub short: usize,
    /// Failures that did not happen again.
    pub unrepeated: usize,
    pub removal: Effort,
    pub replacement: Effort,
    pub ddmin: Effort,
}

/// Counts what is run.
struct Counting<'e, E> {
    inner: &'e mut E,
    runs: usize,
}

impl<E: Executor> Executor for Counting<'_, E> {
    type Error = E::Error;

    fn run(&mut self, table: &OperationTable, items: Vec<Item>) -> Result<Vec<Observation>, E::Error> {
        self.runs += items.len();
        self.inner.run(table, items)
    }
}

/// Shortens the long failures of a search in both ways.
pub(crate) fn simplify<E: Executor>(
    campaign: &mut Campaign<'_>,
    executor: &mut E,
    stop: &dyn Fn() -> bool,
) -> Result<Simplification, E::Error> {
    let length = |failure: &Failure| calls(&campaign.catalogue.operations, &failure.steps);
    let (long, short): (Vec<Failure>, Vec<Failure>) = campaign
        .failures()
        .filter(|failure| failure.violation.is_some())
        .cloned()
        .partition(|failure| length(failure) >= LONG);
    let mut result = Simplification { short: short.len(), ..Simplification::default() };
    let long = repeated(campaign, executor, long, &mut result)?;
    let wanted: Vec<Violation> = long.iter().filter_map(|failure| failure.violation.clone()).collect();
    let past_exceptions = campaign.config.past_exceptions;
    let subjects = || -> Vec<Subject<'_>> {
        let subject = |(failure, violation): (&Failure, &'_ Violation)| {
            let violation = violation.clone();
            let keeps = Box::new(move |_: &[Step], seen: &Observation| broken(seen, &violation).is_some());
            Subject { contracts: true, past_exceptions, ..Subject::new(failure.steps.clone(), keeps) }
        };
        long.iter().zip(&wanted).map(subject).collect()
    };
    let mut counting = Counting { inner: executor, runs: 0 };
    let mut ours = subjects();
    let start = Instant::now();
    minimize(&campaign.catalogue.operations, &mut ours, &mut counting, stop)?;
    result.removal = Effort { runs: std::mem::take(&mut counting.runs), time: start.elapsed() };
    let removed: Vec<usize> =
        ours.iter().map(|one| calls(&campaign.catalogue.operations, &one.steps)).collect();
    let start = Instant::now();
    replace_from(campaign, &mut ours, &mut counting, stop)?;
    // What was put in place of something may have made other calls useless.
    minimize(&campaign.catalogue.operations, &mut ours, &mut counting, stop)?;
    result.replacement = Effort { runs: std::mem::take(&mut counting.runs), time: start.elapsed() };
    let mut theirs = subjects();
    let start = Instant::now();
    ddmin(&campaign.catalogue.operations, &mut theirs, &mut counting, stop)?;
    result.ddmin = Effort { runs: counting.runs, time: start.elapsed() };
    let table = &campaign.catalogue.operations;
    for (at, failure) in long.iter().enumerate() {
        result.failures.push(Simplified {
            member: table.get(campaign.catalogue.callable(failure.callable).operation).clone(),
            kind: failure.kind.clone(),
            found: calls(table, &failure.steps),
            removed: removed[at],
            replaced: calls(table, &ours[at].steps),
            ddmin: calls(table, &theirs[at].steps),
        });
    }
    Ok(result)
}

/// Those that fail again in the same way.
fn repeated<E: Executor>(
    campaign: &Campaign<'_>,
    executor: &mut E,
    failures: Vec<Failure>,
    result: &mut Simplification,
) -> Result<Vec<Failure>, E::Error> {
    let table = &campaign.catalogue.operations;
    let past = campaign.config.past_exceptions;
    let items = failures.iter().map(|failure| crate::triage::item(table, &failure.steps, past)).collect();
    let seen = executor.run(table, items)?;
    let all = failures.len();
    let kept: Vec<Failure> = failures
        .into_iter()
        .zip(&seen)
        .filter(|(failure, seen)| {
            failure.violation.as_ref().is_some_and(|violation| broken(seen, violation).is_some())
        })
        .map(|(failure, _)| failure)
        .collect();
    result.unrepeated = all - kept.len();
    Ok(kept)
}
