//! Tests that fail as long as the code breaks a contract.
//!
//! In: the failures of a campaign. Out: one [`Finished`] test per cause, shortened while the contract stays broken in the same place.
//! Calls that hang, exhaust memory or end the JVM are never written as tests: nobody wants such a test. `deadly` writes the last as programs.

use std::collections::{BTreeMap, BTreeSet};

use probat_emit::{Asked, Ending, Rule, TestCase};
use probat_model::{
    Contract, Observation, OperationId, Sequence, Step, StepId, Thrown, UserContract, Violation,
};
use probat_protocol::{Item, Observe, Reset, Values};
use probat_search::campaign::{Campaign, Failure, FailureKind};
use probat_search::catalogue::CallableId;
use probat_search::executor::Executor;
use probat_search::minimize::{Subject, minimize};
use probat_supervisor::describe;

use crate::finish::{Finished, caught};

/// Failing tests written for one run.
const MOST: usize = 100;

/// Failing tests of one contract in one class.
const MOST_ALIKE: usize = 5;

/// A short stable name of a failure.
pub fn failure_key(kind: &FailureKind) -> &'static str {
    match kind {
        FailureKind::TimedOut => "timed-out",
        FailureKind::Exhausted => "exhausted",
        FailureKind::Died => "jvm-died",
        FailureKind::Exits => "exits",
        FailureKind::Exception(_) => "exception",
        FailureKind::Contract(contract) => match contract {
            Contract::EqualsReflexive => "equals-reflexive",
            Contract::EqualsNull => "equals-null",
            Contract::EqualsSymmetric => "equals-symmetric",
            Contract::EqualsThrows => "equals-throws",
            Contract::HashCodeThrows => "hash-code-throws",
            Contract::HashCodeConsistent => "hash-code-consistent",
            Contract::EqualsHashCode => "equals-hash-code",
            Contract::ToStringThrows => "to-string-throws",
            Contract::ToStringNull => "to-string-null",
            Contract::CompareToReflexive => "compare-to-reflexive",
            Contract::CompareToAntisymmetric => "compare-to-antisymmetric",
            Contract::CompareToEquals => "compare-to-equals",
            Contract::CloneThrows => "clone-throws",
            Contract::CloneSame => "clone-same",
            Contract::CloneClass => "clone-class",
            Contract::CloneEquals => "clone-equals",
            Contract::IteratorNext => "iterator-next",
            Contract::IterableNext => "iterable-next",
            Contract::CollectionSize => "collection-size",
            Contract::CollectionEmpty => "collection-empty",
            Contract::CollectionArray => "collection-array",
            Contract::CollectionIterator => "collection-iterator",
            Contract::MapSize => "map-size",
            Contract::MapEmpty => "map-empty",
            Contract::NullPointer => "null-pointer",
            Contract::AssertionError => "assertion-error",
            Contract::User(_) => "user-contract",
        },
    }
}

/// The contract of the user that a failure broke.
pub fn user_contract<'c>(kind: &FailureKind, contracts: &'c [UserContract]) -> Option<&'c UserContract> {
    match kind {
        FailureKind::Contract(Contract::User(index)) => contracts.get(usize::from(*index)),
        FailureKind::Contract(_)
        | FailureKind::Exception(_)
        | FailureKind::TimedOut
        | FailureKind::Exhausted
        | FailureKind::Died
        | FailureKind::Exits => None,
    }
}

/// How a failure is noted as known: its key, and the name of the user's contract.
pub fn known_key(kind: &FailureKind, contracts: &[UserContract]) -> String {
    match user_contract(kind, contracts) {
        Some(contract) => format!("{} {}", failure_key(kind), contract.name),
        None => failure_key(kind).to_owned(),
    }
}

/// Shortens failures and makes them tests. `accepted` are failures the user has heard of, as `member kind`.
pub(crate) fn failing<E: Executor>(
    campaign: &mut Campaign<'_>,
    executor: &mut E,
    contracts: &[UserContract],
    accepted: &BTreeSet<String>,
    stop: impl FnMut() -> bool,
) -> Result<Vec<Finished>, E::Error> {
    let rules: Vec<(&UserContract, OperationId)> = contracts
        .iter()
        .map(|contract| (contract, campaign.catalogue.operations.intern(contract.operation.clone())))
        .collect();
    let campaign: &Campaign<'_> = campaign;
    let chosen = representatives(campaign, contracts, accepted);
    let past_exceptions = campaign.config.past_exceptions;
    let mut subjects: Vec<Subject<'_>> = chosen
        .iter()
        .map(|(failure, violation)| {
            let keeps = Box::new(|_: &[Step], seen: &Observation| broken(seen, violation).is_some());
            Subject { contracts: true, past_exceptions, ..Subject::new(failure.steps.clone(), keeps) }
        })
        .collect();
    let table = &campaign.catalogue.operations;
    minimize(table, &mut subjects, executor, stop)?;
    let shortened: Vec<Vec<Step>> = subjects.into_iter().map(|subject| subject.steps).collect();
    let items = shortened.iter().map(|steps| {
        let sequence = Sequence::from_steps(table, steps.clone()).expect("built from checked sequences");
        let observe = Observe { values: Values::All, contracts: true, ..Observe::default() };
        Item { sequence, observe, reset: Reset::Fields, past_exceptions }
    });
    let seen = executor.run(table, items.collect())?;
    let mut tests = Vec::new();
    for (((failure, violation), steps), seen) in chosen.iter().zip(shortened).zip(&seen) {
        let Some(owner) = campaign.catalogue.callable(failure.callable).owner else { continue };
        let Some(found) = broken(seen, violation) else { continue };
        let last = StepId(steps.len() as u16 - 1);
        let Some(caught) = caught(seen, seen, last) else { continue };
        let (steps, ending) = ending(steps, found, &rules);
        let (checks, notes) = (Vec::new(), Vec::new());
        let case = TestCase { name: String::new(), steps, checks, caught, ending, notes };
        let callable = failure.callable;
        tests.push(Finished { owner, callable, case, edges: Vec::new(), needs: 0, result: None });
    }
    Ok(tests)
}

/// How the test ends; a contract of the user is asked by a step of its own, if source can call it.
fn ending(
    mut steps: Vec<Step>,
    found: &Violation,
    rules: &[(&UserContract, OperationId)],
) -> (Vec<Step>, Ending) {
    let thrown = found.thrown.clone();
    let Contract::User(index) = found.contract else {
        let ending = Ending::Breaks { contract: found.contract, steps: found.steps.clone(), thrown };
        return (steps, ending);
    };
    let (contract, operation) = rules[usize::from(index)];
    let asked = if contract.is_private {
        let of = found.steps.first().copied().unwrap_or(StepId(0));
        Asked::Reflection { operation: contract.operation.clone(), of }
    } else {
        steps.push(Step { operation, args: found.steps.iter().copied().collect() });
        Asked::LastStep
    };
    let rule = Rule { name: contract.name.clone(), answers: contract.answers(), asked };
    (steps, Ending::BreaksRule { rule, thrown })
}

/// One failure per cause, short ones first; no more of a kind than a person wants to read.
fn representatives<'c>(
    campaign: &'c Campaign<'_>,
    contracts: &[UserContract],
    accepted: &BTreeSet<String>,
) -> Vec<(&'c Failure, &'c Violation)> {
    let catalogue = &campaign.catalogue;
    let mut all: Vec<(&Failure, &Violation)> = campaign
        .failures()
        .filter_map(|failure| Some((failure, failure.violation.as_ref()?)))
        // Advice is no failure.
        .filter(|(_, violation)| violation.contract != Contract::CompareToEquals)
        .filter(|(failure, _)| {
            let member = describe(catalogue.operations.get(catalogue.callable(failure.callable).operation));
            !accepted.contains(&format!("{member} {}", known_key(&failure.kind, contracts)))
        })
        .collect();
    all.sort_by_key(|(failure, _)| (failure.steps.len(), failure.callable));
    let mut causes = BTreeSet::new();
    let mut alike = BTreeMap::new();
    all.retain(|(failure, violation)| {
        let owner = catalogue.callable(failure.callable).owner;
        let count = alike.entry((owner, violation.contract)).or_insert(0);
        let is_new = causes.insert(cause(failure.callable, violation));
        *count += usize::from(is_new);
        is_new && *count <= MOST_ALIKE
    });
    all.truncate(MOST);
    all
}

/// The same exception from the same line is the same cause; without a stack, every callable is its own.
fn cause(callable: CallableId, violation: &Violation) -> (Contract, Option<CallableId>, String) {
    match violation.thrown.as_ref().and_then(place) {
        Some(place) => (violation.contract, None, place),
        None => (violation.contract, Some(callable), String::new()),
    }
}

/// What was thrown and where.
fn place(thrown: &Thrown) -> Option<String> {
    let frame = thrown.frames.first()?;
    Some(format!("{} {}.{} {:?}", thrown.class, frame.class, frame.method, frame.line))
}

/// The violation, if it is there and comes from the same place.
pub(crate) fn broken<'s>(seen: &'s Observation, wanted: &Violation) -> Option<&'s Violation> {
    let place_of = |violation: &Violation| violation.thrown.as_ref().and_then(place);
    if !seen.taints.is_empty() {
        return None;
    }
    seen.violations
        .iter()
        .find(|found| found.contract == wanted.contract && place_of(found) == place_of(wanted))
}
