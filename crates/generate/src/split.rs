//! One behaviour per test.
//!
//! In: shortened tests. Out: tests without calls that matter only for edges of their own; such a call ends a test of its own instead.
//! A call is taken out only if the two tests together still take every edge the one was there for.

use probat_model::{Observation, Operation, ProbeId, Step, StepId};
use probat_search::archive::{Ending, Gave, Witness};
use probat_search::campaign::Campaign;
use probat_search::catalogue::CallableId;
use probat_search::executor::Executor;
use probat_search::minimize::{Subject, minimize};

use crate::finish::{compact, ends_alike, gives_alike, item, takes};

/// A test that is as short as it gets.
#[derive(Debug, Clone)]
pub(crate) struct Told {
    pub witness: Witness,
    /// Edges it is there for.
    pub needs: Vec<ProbeId>,
    pub steps: Vec<Step>,
    /// What was seen of the steps, if they were run.
    pub seen: Option<Observation>,
}

/// Calls taken out of one test at most.
const ROUNDS: usize = 3;

/// Takes calls out of tests that are not about them.
pub(crate) fn split<E: Executor>(
    campaign: &mut Campaign<'_>,
    tests: Vec<Told>,
    executor: &mut E,
    stop: &dyn Fn() -> bool,
) -> Result<Vec<Told>, E::Error> {
    let mut tests = tests;
    let mut apart: Vec<Told> = Vec::new();
    let mut is_whole = vec![true; tests.len()];
    for _ in 0..ROUNDS {
        if stop() {
            break;
        }
        let mut cuts: Vec<(usize, Cut)> = Vec::new();
        for (at, told) in tests.iter().enumerate() {
            cuts.extend(self::cuts(campaign, told).into_iter().map(|cut| (at, cut)));
        }
        let run = cuts.iter().flat_map(|(_, cut)| [&cut.rest, &cut.own]);
        let items = run.map(|steps| item(campaign, steps, &[], true)).collect();
        let seen = executor.run(&campaign.catalogue.operations, items)?;
        let before = apart.len();
        let mut done = vec![false; tests.len()];
        for ((at, cut), pair) in cuts.into_iter().zip(seen.chunks(2)) {
            let [rest, own] = pair else { continue };
            if !done[at] && is_split(&tests[at], &cut, rest, own) {
                (done[at], is_whole[at]) = (true, false);
                let needs = std::mem::take(&mut tests[at].needs);
                let (kept, lost): (Vec<ProbeId>, Vec<ProbeId>) =
                    needs.into_iter().partition(|edge| takes(std::slice::from_ref(edge), rest));
                apart.push(told(cut.callable, cut.own, lost, own.clone()));
                let old = &mut tests[at];
                (old.needs, old.steps, old.seen) = (kept, cut.rest, Some(rest.clone()));
            }
        }
        if apart.len() == before {
            break;
        }
    }
    // A test may have been about nothing but the call.
    let mut each = is_whole.into_iter();
    tests.retain(|told| each.next().unwrap_or(true) || !told.needs.is_empty());
    shorten(campaign, &mut apart, executor, stop)?;
    tests.extend(apart);
    Ok(tests)
}

/// A call that might be taken out.
struct Cut {
    callable: CallableId,
    /// The test without it.
    rest: Vec<Step>,
    /// What leads to it, and the call.
    own: Vec<Step>,
}

fn cuts(campaign: &mut Campaign<'_>, told: &Told) -> Vec<Cut> {
    let steps = &told.steps;
    let mut found = Vec::new();
    // A test that is there for no edge is there for how it ends.
    let count = if told.needs.is_empty() { 0 } else { steps.len() - 1 };
    for at in (0..count).filter(|&at| !is_used(steps, at)) {
        let operation = campaign.catalogue.operations.get(steps[at].operation);
        let is_call = matches!(
            operation,
            Operation::Construct { .. } | Operation::Call { .. } | Operation::CallStatic { .. }
        );
        let callable = campaign.catalogue.under_test(steps[at].operation).filter(|_| is_call);
        let Some(callable) = callable else { continue };
        let own = leading_to(steps, at);
        // Its test may stand in another package.
        if campaign.is_gathered(callable, &own) {
            found.push(Cut { callable, rest: without(steps, at), own });
        }
    }
    found
}

fn is_used(steps: &[Step], at: usize) -> bool {
    steps[at + 1..].iter().any(|step| step.args.contains(&StepId(at as u16)))
}

/// The steps without one, and without what only it used.
fn without(steps: &[Step], gone: usize) -> Vec<Step> {
    let mut kept = vec![true; steps.len()];
    kept[gone] = false;
    for at in (0..gone).rev() {
        let id = StepId(at as u16);
        let mut users = steps.iter().enumerate().filter(|(_, step)| step.args.contains(&id)).peekable();
        let was_used = users.peek().is_some();
        kept[at] = !was_used || users.any(|(user, _)| kept[user]);
    }
    compact(steps, &kept).0
}

/// A step, what it is given, and the calls on that before it.
fn leading_to(steps: &[Step], last: usize) -> Vec<Step> {
    let mut kept = vec![false; steps.len()];
    kept[last] = true;
    loop {
        let mut grew = false;
        for at in (0..last).rev() {
            let id = StepId(at as u16);
            let feeds =
                steps[..=last].iter().enumerate().any(|(user, step)| kept[user] && step.args.contains(&id));
            let touches = steps[at].args.iter().any(|arg| kept[usize::from(arg.0)]);
            if !kept[at] && (feeds || touches) {
                kept[at] = true;
                grew = true;
            }
        }
        if !grew {
            break;
        }
    }
    compact(&steps[..=last], &kept[..=last]).0
}

/// Whether both parts end as they should and lose nothing.
fn is_split(whole: &Told, cut: &Cut, rest: &Observation, own: &Observation) -> bool {
    let is_taken =
        |edge: &ProbeId| takes(std::slice::from_ref(edge), rest) || takes(std::slice::from_ref(edge), own);
    ends_alike(&whole.witness.ending, &cut.rest, rest)
        && ends_alike(&Ending::Returned, &cut.own, own)
        && whole.needs.iter().all(is_taken)
}

fn told(callable: CallableId, steps: Vec<Step>, needs: Vec<ProbeId>, seen: Observation) -> Told {
    let witness = Witness {
        callable,
        steps: steps.clone(),
        ending: Ending::Returned,
        gave: Gave::of(seen.value(StepId(steps.len() as u16 - 1))),
        edges: seen.edges.clone(),
        length: 0,
    };
    Told { witness, needs, steps, seen: Some(seen) }
}

/// Shortens tests as far as they stay what they are there for.
pub(crate) fn shorten<'t, E: Executor>(
    campaign: &Campaign<'_>,
    tests: impl IntoIterator<Item = &'t mut Told>,
    executor: &mut E,
    stop: &dyn Fn() -> bool,
) -> Result<(), E::Error> {
    let tests: Vec<&mut Told> = tests.into_iter().collect();
    let mut subjects: Vec<Subject<'_>> = tests
        .iter()
        .map(|told| {
            let (needs, witness) = (&told.needs, &told.witness);
            let keeps = Box::new(move |steps: &[Step], seen: &Observation| {
                ends_alike(&witness.ending, steps, seen)
                    && takes(needs, seen)
                    && (!needs.is_empty() || gives_alike(witness, steps, seen))
            });
            Subject::new(told.steps.clone(), keeps)
        })
        .collect();
    minimize(&campaign.catalogue.operations, &mut subjects, executor, stop)?;
    let short: Vec<_> = subjects.into_iter().map(|subject| (subject.steps, subject.seen)).collect();
    for (told, (steps, seen)) in tests.into_iter().zip(short) {
        if seen.is_some() {
            (told.steps, told.seen) = (steps, seen);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use probat_model::OperationId;

    /// Steps by the steps they use.
    fn steps(all: &[&[u16]]) -> Vec<Step> {
        let step = |(at, args): (usize, &&[u16])| Step {
            operation: OperationId(at as u32),
            args: args.iter().map(|&arg| StepId(arg)).collect(),
        };
        all.iter().enumerate().map(step).collect()
    }

    fn shown(steps: &[Step]) -> Vec<u32> {
        steps.iter().map(|step| step.operation.0).collect()
    }

    #[test]
    fn what_only_a_call_used_goes_with_it() {
        // 0 list, 1 text, 2 text for 3 alone, 3 call on 0 and 2, 4 call on 0 and 1.
        let all = steps(&[&[], &[], &[], &[0, 2], &[0, 1]]);
        assert_eq!(shown(&without(&all, 3)), [0, 1, 4]);
    }

    #[test]
    fn what_leads_to_a_call_keeps_earlier_calls_on_its_objects() {
        // 0 list, 1 other, 2 call on 0, 3 call on 1, 4 call on 0.
        let all = steps(&[&[], &[], &[0], &[1], &[0]]);
        assert_eq!(shown(&leading_to(&all, 4)), [0, 2, 4]);
    }
}
