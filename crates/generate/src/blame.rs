//! Whose failure it is.
//!
//! In: failures of a campaign, each noted for the call that came last. Out: the same, each noted for the first call after which the
//! contract was broken: a constructor that makes a broken object is to blame, not whoever looked at it first.
//! What a call threw is its own, and needs no second look.

use probat_model::{Contract, OperationTable, Sequence, Step};
use probat_protocol::{Item, Observe, Reset, Values};
use probat_search::campaign::{Blame, Campaign, FailureKind};
use probat_search::catalogue::CallableId;
use probat_search::executor::Executor;

use crate::failing::broken;

/// Failures looked at; the rest stay where they were noted.
const MOST: usize = 500;

/// A failure, and how much of its sequence to run.
struct Trial {
    callable: CallableId,
    kind: FailureKind,
    culprit: CallableId,
    steps: Vec<Step>,
}

/// Trials made before the next look at the clock.
const AT_ONCE: usize = 16;

/// Notes failures for the calls that caused them, as far as there is time.
pub(crate) fn blame<E: Executor>(
    campaign: &mut Campaign<'_>,
    executor: &mut E,
    is_late: &dyn Fn() -> bool,
) -> Result<(), E::Error> {
    let trials = trials(campaign);
    let table = &campaign.catalogue.operations;
    let mut seen = Vec::new();
    for chunk in trials.chunks(AT_ONCE) {
        // Those looked at first are for people who had no time at all.
        if !seen.is_empty() && is_late() {
            break;
        }
        let past_exceptions = campaign.config.past_exceptions;
        let items = chunk.iter().map(|trial| item(table, &trial.steps, past_exceptions)).collect();
        seen.extend(executor.run(table, items)?);
    }
    let mut blamed: Vec<Blame> = Vec::new();
    for (trial, seen) in trials.into_iter().zip(&seen) {
        let is_settled = blamed.iter().any(|one| one.callable == trial.callable && one.kind == trial.kind);
        let noted = campaign.failures().find(|one| one.callable == trial.callable && one.kind == trial.kind);
        let violation = noted.and_then(|noted| noted.violation.as_ref());
        if !is_settled && let Some(found) = violation.and_then(|violation| broken(seen, violation)) {
            let Trial { callable, kind, culprit, steps } = trial;
            blamed.push(Blame { callable, kind, culprit, steps, violation: found.clone() });
        }
    }
    blamed.into_iter().for_each(|one| campaign.blame(one));
    Ok(())
}

/// Per failure, its beginnings that end in a call under test, shortest first.
fn trials(campaign: &Campaign<'_>) -> Vec<Trial> {
    let catalogue = &campaign.catalogue;
    let mut trials = Vec::new();
    for failure in campaign.failures().filter(|failure| is_about_state(&failure.kind)).take(MOST) {
        for length in 1..failure.steps.len() {
            let steps = &failure.steps[..length];
            let Some(culprit) = catalogue.under_test(steps[length - 1].operation) else { continue };
            let (callable, kind) = (failure.callable, failure.kind.clone());
            trials.push(Trial { callable, kind, culprit, steps: steps.to_vec() });
        }
    }
    trials
}

/// Contracts that an object can break before the last call.
fn is_about_state(kind: &FailureKind) -> bool {
    match kind {
        FailureKind::Contract(Contract::NullPointer | Contract::AssertionError) => false,
        FailureKind::Contract(_) => true,
        FailureKind::Exception(_)
        | FailureKind::TimedOut
        | FailureKind::Exhausted
        | FailureKind::Died
        | FailureKind::Exits => false,
    }
}

fn item(table: &OperationTable, steps: &[Step], past_exceptions: bool) -> Item {
    let sequence = Sequence::from_steps(table, steps.to_vec()).expect("the beginning of a checked sequence");
    let observe = Observe { values: Values::None, contracts: true, ..Observe::default() };
    Item { sequence, observe, reset: Reset::Fields, past_exceptions, ..Item::default() }
}
