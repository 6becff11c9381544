//! Failures run again, and shortened.
//!
//! In: failures. Out: the same with what was seen of them; shorter where a shorter sequence fails in the same way and has no more against
//! it. First steps go, then parts are replaced by shorter ones (spec 001 §2.16). What hangs, exhausts memory or asks the JVM to end is run once more, without
//! what its last call cannot depend on; what ends the JVM is not run again.

use probat_model::{End, Observation, OperationTable, Sequence, Step, TaintKind, Violation};
use probat_protocol::{Item, Observe, Reset, Values};
use probat_search::campaign::{Campaign, FailureKind};
use probat_search::executor::Executor;
use probat_search::minimize::{Subject, minimize, slice};
use probat_search::replace::replace_from;
use probat_search::shrink::shrink;
use probat_search::spell::spell;

use super::doubt::{Likelihood, likelihood};
use super::{Case, Facts};
use crate::deadline::Deadline;
use crate::failing::broken;

/// Runs of all cases together that replacing may take.
const WAVES: usize = 64;

/// Failures run before the next look at the clock.
const AT_ONCE: usize = 12;

/// Runs failures once more, and notes what their objects are.
pub(super) fn observe<E: Executor>(
    campaign: &Campaign<'_>,
    cases: &mut [Case],
    executor: &mut E,
    clock: &Deadline<'_>,
) -> Result<(), E::Error> {
    let table = &campaign.catalogue.operations;
    let mut judged: Vec<&mut Case> =
        cases.iter_mut().filter(|case| case.failure.violation.is_some()).collect();
    let past_exceptions = campaign.config.past_exceptions;
    for (number, chunk) in judged.chunks_mut(AT_ONCE).enumerate() {
        // The first are for those who had no time at all.
        if number > 0 && clock.is_late(1.0) {
            break;
        }
        let items = chunk.iter().map(|case| item(table, &case.failure.steps, past_exceptions)).collect();
        for (case, seen) in chunk.iter_mut().zip(executor.run(table, items)?) {
            note(case, &seen);
        }
    }
    Ok(())
}

/// Failures that are run with fresh classes at most, each of which takes as long as thousands of sequences.
const AFRESH: usize = 96;

/// Those that are run between two looks at the clock.
const AFRESH_AT_ONCE: usize = 8;

/// Runs failures that may be bugs once more where the classes have just been loaded: what earlier sequences left in objects that static fields
/// hold is no fault of the code. Stops when it is late.
pub(super) fn observe_afresh<E: Executor>(
    campaign: &Campaign<'_>,
    cases: &mut [Case],
    executor: &mut E,
    clock: &Deadline<'_>,
) -> Result<(), E::Error> {
    let table = &campaign.catalogue.operations;
    let is_open = |case: &Case| {
        case.is_repeated
            && case.failure.violation.is_some()
            && likelihood(&case.doubts) != Likelihood::Unlikely
    };
    let mut judged: Vec<&mut Case> = cases.iter_mut().filter(|case| is_open(case)).take(AFRESH).collect();
    let past_exceptions = campaign.config.past_exceptions;
    let afresh =
        |case: &&mut Case| Item { reset: Reset::Loader, ..item(table, &case.failure.steps, past_exceptions) };
    for chunk in judged.chunks_mut(AFRESH_AT_ONCE) {
        if clock.is_late(1.0) {
            break;
        }
        let items = chunk.iter().map(afresh).collect();
        for (case, seen) in chunk.iter_mut().zip(executor.run(table, items)?) {
            let wanted = case.failure.violation.as_ref();
            case.is_repeated = wanted.is_some_and(|wanted| is_alike(&seen, wanted));
        }
    }
    Ok(())
}

/// Whether the same rule is broken by the same kind of exception, if by one. Places are not compared: proxies have other names in another loader.
fn is_alike(seen: &Observation, wanted: &Violation) -> bool {
    let thrown = |of: &Violation| of.thrown.as_ref().map(|thrown| thrown.class.clone());
    let is_it = |found: &Violation| found.contract == wanted.contract && thrown(found) == thrown(wanted);
    seen.is_harmless() && seen.violations.iter().any(is_it)
}

/// Takes over what a run says of the failure.
fn note(case: &mut Case, seen: &Observation) {
    let found = case.failure.violation.as_ref().and_then(|wanted| broken(seen, wanted)).cloned();
    case.saw(seen, found.is_some());
    if found.is_some() {
        case.failure.violation = found;
    }
}

pub(crate) fn item(table: &OperationTable, steps: &[Step], past_exceptions: bool) -> Item {
    let sequence = Sequence::from_steps(table, steps.to_vec()).expect("built from checked sequences");
    let observe = Observe { values: Values::All, contracts: true, ..Observe::default() };
    Item { sequence, observe, reset: Reset::Fields, past_exceptions, ..Item::default() }
}

/// Makes failures shorter while they stay what they are.
pub(super) fn shorten<E: Executor>(
    campaign: &mut Campaign<'_>,
    cases: &mut [Case],
    executor: &mut E,
    facts: &dyn Facts,
    clock: &Deadline<'_>,
) -> Result<(), E::Error> {
    let stop = || clock.is_late(1.0);
    let is_hurried = clock.time.is_some();
    let wanted: Vec<(usize, Violation)> = cases
        .iter()
        .enumerate()
        .filter(|(_, case)| case.is_repeated)
        .filter_map(|(at, case)| Some((at, case.failure.violation.clone()?)))
        .collect();
    let past_exceptions = campaign.config.past_exceptions;
    let mut subjects: Vec<Subject<'_>> = wanted
        .iter()
        .map(|(at, violation)| {
            let keeps = Box::new(|_: &[Step], seen: &Observation| broken(seen, violation).is_some());
            Subject {
                contracts: true,
                past_exceptions,
                is_hurried,
                ..Subject::new(cases[*at].failure.steps.clone(), keeps)
            }
        })
        .collect();
    minimize(&campaign.catalogue.operations, &mut subjects, executor, stop)?;
    take_over(campaign, cases, &wanted, &subjects, facts);
    // What nobody will look at need not be shorter still.
    for ((at, _), subject) in wanted.iter().zip(&mut subjects) {
        subject.is_stuck |= likelihood(&cases[*at].doubts) == Likelihood::Unlikely;
    }
    let mut waves = 0;
    let enough = || {
        waves += 1;
        waves > WAVES || stop()
    };
    replace_from(campaign, &mut subjects, executor, enough)?;
    take_over(campaign, cases, &wanted, &subjects, facts);
    spell(&mut campaign.catalogue.operations, &mut subjects, executor, stop)?;
    shrink(&mut campaign.catalogue.operations, &mut subjects, executor, stop)?;
    take_over(campaign, cases, &wanted, &subjects, facts);
    Ok(())
}

/// Failures that take long, which are cut at most: every run takes as long again.
const CUT: usize = 8;

/// Cuts what the last call cannot depend on where a failure took too much or asked for the end, if it does so all the same.
pub(super) fn cut<E: Executor>(
    campaign: &mut Campaign<'_>,
    cases: &mut [Case],
    executor: &mut E,
    clock: &Deadline<'_>,
) -> Result<(), E::Error> {
    let mut runs = 0;
    for case in cases {
        let kind = &case.failure.kind;
        let is_dear = matches!(kind, FailureKind::TimedOut | FailureKind::Exhausted | FailureKind::Exits);
        let is_hopeless = likelihood(&case.doubts) == Likelihood::Unlikely;
        let shorter = slice(&campaign.catalogue.operations, &case.failure.steps);
        if !is_dear || is_hopeless || shorter.len() == case.failure.steps.len() {
            continue;
        }
        if runs == CUT || clock.is_late(1.0) {
            break;
        }
        runs += 1;
        let item = item(&campaign.catalogue.operations, &shorter, campaign.config.past_exceptions);
        let seen = executor.run(&campaign.catalogue.operations, vec![item])?;
        let is_alike = seen.first().is_some_and(|seen| ends_so(seen, kind, shorter.len()));
        if is_alike && campaign.is_gathered(case.failure.callable, &shorter) {
            case.failure.steps = shorter;
            case.guess(&campaign.catalogue.operations);
        }
    }
    Ok(())
}

/// Whether a run of so many steps came to this end in its last one.
fn ends_so(seen: &Observation, kind: &FailureKind, steps: usize) -> bool {
    let is_last = |step: probat_model::StepId| usize::from(step.0) + 1 == steps;
    match (&seen.end, kind) {
        (End::TimedOut(step), FailureKind::TimedOut) | (End::Exhausted(step), FailureKind::Exhausted) => {
            is_last(*step)
        }
        (_, FailureKind::Exits) => {
            seen.taints.iter().any(|taint| taint.kind == TaintKind::Exit && is_last(taint.step))
        }
        _ => false,
    }
}

/// Gives cases their shorter steps, unless more speaks against these or a test cannot use them.
fn take_over(
    campaign: &mut Campaign<'_>,
    cases: &mut [Case],
    wanted: &[(usize, Violation)],
    subjects: &[Subject<'_>],
    facts: &dyn Facts,
) {
    for ((at, _), subject) in wanted.iter().zip(subjects) {
        let case = &mut cases[*at];
        let Some(seen) = &subject.seen else { continue };
        if subject.steps == case.failure.steps || !campaign.is_gathered(case.failure.callable, &subject.steps)
        {
            continue;
        }
        let mut shorter = case.clone();
        shorter.failure.steps = subject.steps.clone();
        note(&mut shorter, seen);
        shorter.weigh(campaign, facts);
        let strength = |case: &Case| (likelihood(&case.doubts), case.doubts.len());
        if shorter.is_repeated && strength(&shorter) <= strength(case) {
            *case = shorter;
        }
    }
}
