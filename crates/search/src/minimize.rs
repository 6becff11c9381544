//! Makes sequences shorter while they keep what they are kept for.
//!
//! In: sequences, each with a predicate over its observation. Out: sequences no longer than before for which it still holds.
//! First everything the last call cannot depend on is cut in one go; then steps are dropped one by one, from the last to the first
//! (spec 001 §2.16, phase 1). All sequences advance together, so that a wave of trials fills the workers.

use probat_model::{End, Observation, Operation, OperationTable, Sequence, Step, StepId};
use probat_protocol::{Item, Observe, Reset, Values};

use crate::executor::Executor;

/// Whether an observation of a shorter version is as good as that of the whole.
pub type Keeps<'p> = Box<dyn Fn(&[Step], &Observation) -> bool + 'p>;

/// A sequence to shorten.
pub struct Subject<'p> {
    pub steps: Vec<Step>,
    /// Whether the predicate looks at broken contracts.
    pub contracts: bool,
    /// Whether the steps after one that throws are run too.
    pub past_exceptions: bool,
    pub keeps: Keeps<'p>,
    /// Whether a trial that takes long is one too many: where only so much time is left.
    pub is_hurried: bool,
    /// A trial had to be stopped, or took too long. One like it would cost as much again, so there are no more.
    pub is_stuck: bool,
    /// What was seen of the steps as they are now, if they came from a trial.
    pub seen: Option<Observation>,
}

impl<'p> Subject<'p> {
    pub fn new(steps: Vec<Step>, keeps: Keeps<'p>) -> Self {
        let (contracts, past_exceptions, is_hurried, is_stuck) = (false, false, false, false);
        Subject { steps, contracts, past_exceptions, keeps, is_hurried, is_stuck, seen: None }
    }
}

impl std::fmt::Debug for Subject<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Subject").field("steps", &self.steps.len()).finish_non_exhaustive()
    }
}

/// Trials run before the next look at the clock.
pub const AT_ONCE: usize = 256;

/// Shortens all subjects; `stop` is asked again and again.
pub fn minimize<E: Executor>(
    table: &OperationTable,
    subjects: &mut [Subject<'_>],
    executor: &mut E,
    mut stop: impl FnMut() -> bool,
) -> Result<(), E::Error> {
    let slices: Vec<Option<Vec<Step>>> = subjects
        .iter()
        .map(|subject| Some(slice(table, &subject.steps)).filter(|cut| cut.len() < subject.steps.len()))
        .collect();
    try_wave(table, subjects, slices, executor, &mut stop)?;
    let mut next: Vec<usize> = subjects.iter().map(|subject| subject.steps.len().saturating_sub(1)).collect();
    while next.iter().any(|&at| at > 0) && !stop() {
        let trials: Vec<Option<Vec<Step>>> = subjects
            .iter()
            .zip(next.iter_mut())
            .map(|(subject, next)| {
                *next = if subject.is_stuck { 0 } else { *next };
                next_removal(&subject.steps, next)
            })
            .collect();
        try_wave(table, subjects, trials, executor, &mut stop)?;
    }
    Ok(())
}

/// The nearest earlier step that can go, and the steps without it.
fn next_removal(steps: &[Step], next: &mut usize) -> Option<Vec<Step>> {
    // The removal before this one may have taken arguments with it.
    *next = (*next).min(steps.len().saturating_sub(1));
    while *next > 0 {
        *next -= 1;
        if let Some(shorter) = without(steps, *next) {
            return Some(shorter);
        }
    }
    None
}

/// Runs one trial per subject, until told to stop, and keeps those that are as good.
pub(crate) fn try_wave<E: Executor>(
    table: &OperationTable,
    subjects: &mut [Subject<'_>],
    trials: Vec<Option<Vec<Step>>>,
    executor: &mut E,
    stop: &mut dyn FnMut() -> bool,
) -> Result<(), E::Error> {
    let (mut which, mut items) = (Vec::new(), Vec::new());
    for (at, trial) in trials.iter().enumerate() {
        if let Some(steps) = trial {
            let sequence = Sequence::from_steps(table, steps.clone())
                .expect("removal leaves every use with its definition");
            let Subject { contracts, past_exceptions, .. } = subjects[at];
            let observe = Observe { values: Values::All, edges: true, contracts, ..Observe::default() };
            items.push(Item { sequence, observe, reset: Reset::Fields, past_exceptions, ..Item::default() });
            which.push(at);
        }
    }
    let mut seen = Vec::with_capacity(items.len());
    while !items.is_empty() && (seen.is_empty() || !stop()) {
        let rest = items.split_off(items.len().min(AT_ONCE));
        seen.extend(executor.run(table, std::mem::replace(&mut items, rest))?);
    }
    for (at, seen) in which.into_iter().zip(seen) {
        let subject = &mut subjects[at];
        subject.is_stuck |= was_stopped(&seen.end) || subject.is_hurried && seen.slow.0;
        if let Some(steps) = &trials[at]
            && (subject.keeps)(steps, &seen)
        {
            subject.steps = steps.clone();
            subject.seen = Some(seen);
        }
    }
    Ok(())
}

/// Whether a run was ended from outside, which takes long.
fn was_stopped(end: &End) -> bool {
    match end {
        End::TimedOut(_) | End::Exhausted(_) | End::Died { .. } => true,
        End::Completed | End::Threw(_) | End::Refused(_) => false,
    }
}

/// Steps the last one may depend on: those whose results it uses, and those that touch the same objects.
pub fn slice(table: &OperationTable, steps: &[Step]) -> Vec<Step> {
    let Some(last) = steps.len().checked_sub(1) else { return Vec::new() };
    let mut kept = vec![false; steps.len()];
    let mut alive = vec![false; steps.len()];
    kept[last] = true;
    for at in (0..steps.len()).rev() {
        let touches =
            steps[at].args.iter().any(|arg| alive[usize::from(arg.0)] && is_object(table, steps, *arg));
        if kept[at] || alive[at] || touches {
            kept[at] = true;
            for arg in &steps[at].args {
                alive[usize::from(arg.0)] = true;
            }
        }
    }
    renumber(steps, &kept)
}

fn is_object(table: &OperationTable, steps: &[Step], step: StepId) -> bool {
    !matches!(
        table.get(steps[usize::from(step.0)].operation),
        Operation::Literal(_) | Operation::Convert { .. }
    )
}

/// The steps without one of them and without what only it used; `None` if a later step needs its result.
pub fn without(steps: &[Step], at: usize) -> Option<Vec<Step>> {
    let used = steps[at + 1..].iter().any(|step| step.args.contains(&StepId(at as u16)));
    if used || at + 1 == steps.len() {
        return None;
    }
    let mut kept = vec![true; steps.len()];
    kept[at] = false;
    // Literals and boxes that served only this step go with it.
    for earlier in (0..at).rev() {
        let id = StepId(earlier as u16);
        let was_argument =
            steps.iter().enumerate().any(|(user, step)| !kept[user] && step.args.contains(&id));
        let still_used = steps.iter().enumerate().any(|(user, step)| kept[user] && step.args.contains(&id));
        if was_argument && !still_used && steps[earlier].args.is_empty() {
            kept[earlier] = false;
        }
    }
    Some(renumber(steps, &kept))
}

pub(crate) fn renumber(steps: &[Step], kept: &[bool]) -> Vec<Step> {
    let mut place = vec![0u16; steps.len()];
    let mut out: Vec<Step> = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        if kept[at] {
            place[at] = out.len() as u16;
            let args = step.args.iter().map(|arg| StepId(place[usize::from(arg.0)])).collect();
            out.push(Step { operation: step.operation, args });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use probat_model::{ClassName, End, Literal, MethodDescriptor};

    fn table() -> OperationTable {
        let mut table = OperationTable::new();
        let class = ClassName::internal("A");
        table.intern(Operation::Literal(Literal::Int(1)));
        table.intern(Operation::Construct {
            class: class.clone(),
            descriptor: MethodDescriptor::parse("()V").unwrap(),
        });
        table.intern(Operation::Call {
            class,
            name: "add".into(),
            descriptor: MethodDescriptor::parse("(I)V").unwrap(),
            interface: false,
        });
        table
    }

    fn steps(text: &[(u32, &[u16])]) -> Vec<Step> {
        text.iter()
            .map(|(operation, args)| Step {
                operation: probat_model::OperationId(*operation),
                args: args.iter().map(|&arg| StepId(arg)).collect(),
            })
            .collect()
    }

    /// Counts runs, all of which are slow.
    struct Count(usize);

    impl Executor for Count {
        type Error = ();

        fn run(&mut self, _: &OperationTable, items: Vec<Item>) -> Result<Vec<Observation>, ()> {
            self.0 += items.len();
            Ok(items
                .iter()
                .map(|_| Observation {
                    end: End::Completed,
                    steps: Vec::new(),
                    edges: Vec::new(),
                    states: Vec::new(),
                    violations: Vec::new(),
                    taints: Vec::new(),
                    leaks: Vec::new(),
                    compared: Vec::new(),
                    slow: probat_model::Slow(true),
                })
                .collect())
        }
    }

    /// spec 001 row 40: what does not matter to the failure goes.
    #[test]
    fn calls_that_do_not_matter_go() {
        let table = table();
        // a = new; b = new; b.add(1); a.add(1) four times
        let mut all = vec![(1, &[][..]), (1, &[]), (0, &[]), (2, &[1, 2])];
        for _ in 0..4 {
            all.push((2, &[0, 2]));
        }
        let adds = |steps: &[Step]| steps.iter().filter(|step| step.operation.0 == 2).count();
        let mut subjects = [Subject::new(steps(&all), Box::new(move |steps, _| adds(steps) >= 2))];
        let mut runs = Count(0);
        minimize(&table, &mut subjects, &mut runs, || false).unwrap();
        assert_eq!(subjects[0].steps, steps(&[(1, &[]), (0, &[]), (2, &[0, 1]), (2, &[0, 1])]));
        assert!(runs.0 > 0);
    }

    #[test]
    fn a_call_goes_with_its_arguments() {
        let mut table = table();
        let put = table.intern(Operation::Call {
            class: ClassName::internal("A"),
            name: "put".into(),
            descriptor: MethodDescriptor::parse("(II)V").unwrap(),
            interface: false,
        });
        let all = steps(&[(1, &[]), (0, &[]), (0, &[]), (0, &[]), (put.0, &[0, 1, 2]), (2, &[0, 3])]);
        let mut subjects = [Subject::new(all, Box::new(|_, _| true))];
        minimize(&table, &mut subjects, &mut Count(0), || false).unwrap();
        assert_eq!(subjects[0].steps, steps(&[(1, &[]), (0, &[]), (2, &[0, 1])]));
    }

    #[test]
    fn who_is_hurried_tries_what_is_slow_once() {
        let table = table();
        let mut all = vec![(1, &[][..]), (0, &[])];
        all.extend([(2, &[0, 1][..]); 6]);
        for (is_hurried, runs) in [(true, 1), (false, 5)] {
            let mut subjects =
                [Subject { is_hurried, ..Subject::new(steps(&all), Box::new(|steps, _| steps.len() > 8)) }];
            let mut counted = Count(0);
            minimize(&table, &mut subjects, &mut counted, || false).unwrap();
            assert_eq!(counted.0, runs);
        }
    }

    #[test]
    fn a_slice_keeps_what_shares_objects() {
        let table = table();
        let all = steps(&[(1, &[]), (1, &[]), (0, &[]), (2, &[1, 2]), (2, &[0, 2])]);
        assert_eq!(slice(&table, &all), steps(&[(1, &[]), (0, &[]), (2, &[0, 1])]));
    }

    #[test]
    fn a_used_step_stays() {
        let all = steps(&[(1, &[]), (0, &[]), (2, &[0, 1])]);
        assert_eq!((without(&all, 0), without(&all, 2)), (None, None));
        let all = steps(&[(1, &[]), (0, &[]), (2, &[0, 1]), (2, &[0, 1])]);
        assert_eq!(without(&all, 2), Some(steps(&[(1, &[]), (0, &[]), (2, &[0, 1])])));
    }
}
