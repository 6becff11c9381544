//! Delta debugging over the calls of a sequence: what removal and replacement are compared with (spec 001 §6.1).
//!
//! In: sequences, each with a predicate over its observation. Out: sequences no longer than before for which it still holds. The calls before the
//! last are cut into chunks, two at first; a sequence without a chunk, and without what needs it, is kept if it is as good; when no
//! chunk can go, chunks become half as large. All sequences advance together.

use probat_model::{OperationTable, Step, StepId};

use crate::executor::Executor;
use crate::minimize::{Subject, renumber, try_wave};
use crate::relevance::is_call;

/// Where a sequence is at.
#[derive(Debug, Clone, Copy)]
struct Cut {
    /// How many chunks there are, and which is next.
    chunks: usize,
    next: usize,
    is_done: bool,
}

/// Shortens all subjects; `stop` is asked again and again.
pub fn ddmin<E: Executor>(
    table: &OperationTable,
    subjects: &mut [Subject<'_>],
    executor: &mut E,
    mut stop: impl FnMut() -> bool,
) -> Result<(), E::Error> {
    let mut cuts = vec![Cut { chunks: 2, next: 0, is_done: false }; subjects.len()];
    while cuts.iter().any(|cut| !cut.is_done) && !stop() {
        let trials: Vec<Option<Vec<Step>>> = subjects
            .iter()
            .zip(&mut cuts)
            .map(|(subject, cut)| {
                cut.is_done |= subject.is_stuck;
                cut.next_trial(table, &subject.steps)
            })
            .collect();
        let before: Vec<usize> = subjects.iter().map(|subject| subject.steps.len()).collect();
        try_wave(table, subjects, trials, executor, &mut stop)?;
        for ((subject, cut), before) in subjects.iter().zip(&mut cuts).zip(before) {
            if subject.steps.len() < before {
                *cut = Cut { chunks: cut.chunks.saturating_sub(1).max(2), next: 0, ..*cut };
            }
        }
    }
    Ok(())
}

impl Cut {
    /// The steps without the next chunk that can go.
    fn next_trial(&mut self, table: &OperationTable, steps: &[Step]) -> Option<Vec<Step>> {
        let last = steps.len().saturating_sub(1);
        let calls: Vec<usize> = (0..last).filter(|&at| is_call(table.get(steps[at].operation))).collect();
        while !self.is_done {
            if self.next == self.chunks || calls.is_empty() {
                self.is_done = self.chunks >= calls.len();
                (self.chunks, self.next) = ((2 * self.chunks).min(calls.len().max(1)), 0);
                continue;
            }
            let from = calls.len() * self.next / self.chunks;
            let to = calls.len() * (self.next + 1) / self.chunks;
            self.next += 1;
            if let Some(shorter) = without_all(table, steps, &calls[from..to]) {
                return Some(shorter);
            }
        }
        None
    }
}

/// The steps without some of them, without what needs these, and without values that nothing uses then; `None` if the last needs one.
fn without_all(table: &OperationTable, steps: &[Step], gone: &[usize]) -> Option<Vec<Step>> {
    let mut kept = vec![true; steps.len()];
    gone.iter().for_each(|&at| kept[at] = false);
    for at in 0..steps.len() {
        kept[at] &= steps[at].args.iter().all(|arg| kept[usize::from(arg.0)]);
    }
    if gone.is_empty() || !kept.last().copied().unwrap_or(false) {
        return None;
    }
    for at in (0..steps.len() - 1).rev() {
        let id = StepId(at as u16);
        let is_used = || steps.iter().zip(&kept).any(|(step, kept)| *kept && step.args.contains(&id));
        if kept[at] && !is_call(table.get(steps[at].operation)) && !is_used() {
            kept[at] = false;
        }
    }
    Some(renumber(steps, &kept))
}

#[cfg(test)]
mod tests {
    use super::*;
    use probat_model::{ClassName, End, Literal, MethodDescriptor, Observation, Operation, OperationId};
    use probat_protocol::Item;

    fn table() -> OperationTable {
        let mut table = OperationTable::new();
        let class = ClassName::internal("A");
        table.intern(Operation::Literal(Literal::Int(1)));
        let descriptor = MethodDescriptor::parse("()V").unwrap();
        table.intern(Operation::Construct { class: class.clone(), descriptor });
        let descriptor = MethodDescriptor::parse("(I)V").unwrap();
        table.intern(Operation::Call { class, name: "add".into(), descriptor, interface: false });
        table
    }

    fn step(operation: u32, args: &[u16]) -> Step {
        Step { operation: OperationId(operation), args: args.iter().map(|&arg| StepId(arg)).collect() }
    }

    struct Quiet(usize);

    impl Executor for Quiet {
        type Error = ();

        fn run(&mut self, _: &OperationTable, items: Vec<Item>) -> Result<Vec<Observation>, ()> {
            self.0 += items.len();
            let quiet = |_: &Item| Observation {
                end: End::Completed,
                steps: Vec::new(),
                edges: Vec::new(),
                states: Vec::new(),
                violations: Vec::new(),
                taints: Vec::new(),
                leaks: Vec::new(),
                compared: Vec::new(),
                slow: probat_model::Slow(false),
            };
            Ok(items.iter().map(quiet).collect())
        }
    }

    #[test]
    fn chunks_go_with_what_needs_them() {
        let table = table();
        // a = new; b = new; b.add(1) eight times; a.add(1) eight times
        let mut steps = vec![step(1, &[]), step(1, &[]), step(0, &[])];
        steps.extend((0..8).map(|_| step(2, &[1, 2])));
        steps.extend((0..8).map(|_| step(2, &[0, 2])));
        let adds = |steps: &[Step]| steps.iter().filter(|step| step.operation.0 == 2).count();
        let mut subjects = [Subject::new(steps, Box::new(move |steps, _| adds(steps) >= 3))];
        let mut runs = Quiet(0);
        ddmin(&table, &mut subjects, &mut runs, || false).unwrap();
        assert_eq!(adds(&subjects[0].steps), 3, "{:?}", subjects[0].steps);
        assert!(subjects[0].steps.len() <= 6 && runs.0 > 3);
    }

    #[test]
    fn the_last_call_keeps_what_it_needs() {
        let table = table();
        let steps = vec![step(1, &[]), step(0, &[]), step(2, &[0, 1]), step(2, &[0, 1])];
        assert_eq!(without_all(&table, &steps, &[0]), None);
        let shorter = vec![step(1, &[]), step(0, &[]), step(2, &[0, 1])];
        assert_eq!(without_all(&table, &steps, &[2]), Some(shorter));
    }
}
