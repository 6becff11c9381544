//! Tests that fail as long as the code breaks a contract.
//!
//! In: causes, each with its shortest sequence. Out: one [`Finished`] test per cause, in the order given.
//! Calls that hang, exhaust memory or end the JVM are never written as tests: nobody wants such a test. `deadly` writes the last as programs.

use std::collections::{BTreeMap, BTreeSet};

use probat_emit::{Asked, Ending, Rule, TestCase};
use probat_model::{
    Contract, Observation, OperationId, Sequence, Step, StepId, Thrown, UserContract, Violation,
};
use probat_protocol::{Item, Observe, Reset, Values};
use probat_search::archive::Gave;
use probat_search::campaign::{Campaign, FailureKind};
use probat_search::catalogue::CallableId;
use probat_search::executor::Executor;
use probat_supervisor::describe;

use crate::finish::{Finished, caught};
use crate::triage::{Likelihood, Triaged};

/// Failing tests written for one run.
const MOST: usize = 50;

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

/// Makes failures tests, the strongest first. `accepted` are failures the user has heard of, as `member kind`.
pub(crate) fn failing<E: Executor>(
    campaign: &mut Campaign<'_>,
    executor: &mut E,
    triaged: &[Triaged],
    contracts: &[UserContract],
    accepted: &BTreeSet<String>,
) -> Result<Vec<Finished>, E::Error> {
    let rules: Vec<(&UserContract, OperationId)> = contracts
        .iter()
        .map(|contract| (contract, campaign.catalogue.operations.intern(contract.operation.clone())))
        .collect();
    let campaign: &Campaign<'_> = campaign;
    let chosen = representatives(campaign, triaged, contracts, accepted);
    let past_exceptions = campaign.config.past_exceptions;
    let table = &campaign.catalogue.operations;
    let items = chosen.iter().map(|shown| {
        let steps = shown.triaged.failure.steps.clone();
        let sequence = Sequence::from_steps(table, steps).expect("built from checked sequences");
        let observe = Observe { values: Values::All, contracts: true, ..Observe::default() };
        Item { sequence, observe, reset: Reset::Fields, past_exceptions, ..Item::default() }
    });
    let seen = executor.run(table, items.collect())?;
    let mut tests = Vec::new();
    for (shown, seen) in chosen.iter().zip(&seen) {
        let failure = &shown.triaged.failure;
        let Some(owner) = campaign.catalogue.callable(failure.callable).owner else { continue };
        let Some(found) = broken(seen, shown.violation) else { continue };
        let last = StepId(failure.steps.len() as u16 - 1);
        let Some(caught) = caught(seen, seen, last) else { continue };
        let (steps, ending) = ending(failure.steps.clone(), found, &rules);
        let notes = vec![format!("Rank {}: {}.", shown.rank, in_words(shown.triaged.likelihood))];
        let (name, checks) = (String::new(), Vec::new());
        let case = TestCase { name, steps, checks, caught, ending, notes, raw: false };
        let callable = failure.callable;
        let (edges, is_slow) = (Vec::new(), false);
        tests.push(Finished {
            owner,
            callable,
            case,
            edges,
            needs: 0,
            result: None,
            gave: Gave::Nothing,
            is_slow,
        });
    }
    Ok(tests)
}

/// How likely it is a bug, in a word or two.
fn in_words(likelihood: Likelihood) -> &'static str {
    match likelihood {
        Likelihood::Likely => "a likely bug",
        Likelihood::Possible => "a possible bug",
        Likelihood::Unlikely => "hardly a bug",
    }
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

/// A cause that gets a test.
struct Shown<'t> {
    triaged: &'t Triaged,
    violation: &'t Violation,
    rank: usize,
}

/// Causes that a test can show, the strongest first; no more of a kind than a person wants to read.
fn representatives<'t>(
    campaign: &Campaign<'_>,
    triaged: &'t [Triaged],
    contracts: &[UserContract],
    accepted: &BTreeSet<String>,
) -> Vec<Shown<'t>> {
    let catalogue = &campaign.catalogue;
    let is_accepted = |callable: CallableId, kind: &FailureKind| {
        let member = describe(catalogue.operations.get(catalogue.callable(callable).operation));
        accepted.contains(&format!("{member} {}", known_key(kind, contracts)))
    };
    let mut alike = BTreeMap::new();
    let mut shown = Vec::new();
    for (at, one) in triaged.iter().enumerate() {
        let failure = &one.failure;
        let Some(violation) = &failure.violation else { continue };
        let known = is_accepted(failure.callable, &failure.kind)
            || one.also.iter().any(|(callable, kind)| is_accepted(*callable, kind));
        // Advice is no failure.
        if known || violation.contract == Contract::CompareToEquals {
            continue;
        }
        let count =
            alike.entry((catalogue.callable(failure.callable).owner, violation.contract)).or_insert(0);
        *count += 1;
        if *count <= MOST_ALIKE {
            shown.push(Shown { triaged: one, violation, rank: at + 1 });
        }
    }
    shown.truncate(MOST);
    shown
}

/// What was thrown and where.
fn place(thrown: &Thrown) -> Option<String> {
    let frame = thrown.frames.first()?;
    Some(format!("{} {}.{} {:?}", thrown.class, frame.class, frame.method, frame.line))
}

/// The violation, if it is there and comes from the same place.
pub(crate) fn broken<'s>(seen: &'s Observation, wanted: &Violation) -> Option<&'s Violation> {
    let place_of = |violation: &Violation| violation.thrown.as_ref().and_then(place);
    if !seen.is_harmless() {
        return None;
    }
    seen.violations
        .iter()
        .find(|found| found.contract == wanted.contract && place_of(found) == place_of(wanted))
}
