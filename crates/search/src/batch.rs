//! All combinations of recommended inputs, for methods that keep failing (spec 004 §2.6).
//!
//! In: how attempts ended; sequences that could give each input, best first. Out: whether the next attempt is a batch, and the combinations
//! it consists of. Builds no steps and runs nothing.

use std::collections::BTreeSet;

use probat_model::{Literal, Operation, Step};
use rustc_hash::FxHashMap;

use crate::catalogue::{CallableId, Catalogue};
use crate::pool::PoolValue;
use crate::relevance::Relevance;
use crate::strategy::Batch;

/// One attempt: a candidate, or all candidates of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AttemptId(pub u32);

#[derive(Debug)]
struct Open {
    method: CallableId,
    left: usize,
    succeeded: bool,
}

/// Failures in a row, per method.
#[derive(Debug, Default)]
pub struct Attempts {
    failures: FxHashMap<CallableId, u32>,
    open: FxHashMap<AttemptId, Open>,
    next: u32,
}

impl Attempts {
    /// Whether the next attempt of this method is a batch.
    pub fn is_batch_due(&self, method: CallableId, batch: Batch) -> bool {
        self.failures.get(&method).is_some_and(|&count| count >= batch.after)
    }

    /// An attempt of so many candidates begins. After a batch single ones have their turn again, whatever came of it: it would be the
    /// same batch a second time.
    pub fn open(&mut self, method: CallableId, candidates: usize, is_batch: bool) -> AttemptId {
        let id = AttemptId(self.next);
        self.next += 1;
        if candidates == 0 {
            self.end(method, is_batch);
        } else {
            self.open.insert(id, Open { method, left: candidates, succeeded: is_batch });
        }
        id
    }

    /// A candidate of an attempt ended; with its last one the attempt did. It failed if all of them did.
    pub fn ended(&mut self, id: AttemptId, succeeded: bool) {
        let Some(open) = self.open.get_mut(&id) else { return };
        open.left -= 1;
        open.succeeded |= succeeded;
        if open.left == 0 {
            let open = self.open.remove(&id).expect("it was just there");
            self.end(open.method, open.succeeded);
        }
    }

    fn end(&mut self, method: CallableId, succeeded: bool) {
        let count = self.failures.entry(method).or_default();
        *count = if succeeded { 0 } else { *count + 1 };
    }
}

/// A relevant method in a sequence; one whose only argument is a boolean is two of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Target {
    pub callable: CallableId,
    pub given: Option<bool>,
}

/// The relevant methods of `method` among these steps.
pub fn targets(
    catalogue: &Catalogue,
    relevance: &mut Relevance,
    method: CallableId,
    steps: &[Step],
) -> BTreeSet<Target> {
    let mut found = BTreeSet::new();
    for step in steps {
        let Some(callable) = relevance.callable(step.operation) else { continue };
        if relevance.of(catalogue, method, step.operation).is_none_or(|grade| grade <= 0.0) {
            continue;
        }
        let given =
            step.args.last().filter(|_| catalogue.callable(callable).is_switch).and_then(
                |arg| match catalogue.operations.get(steps[usize::from(arg.0)].operation) {
                    Operation::Literal(Literal::Boolean(given)) => Some(*given),
                    _ => None,
                },
            );
        found.insert(Target { callable, given });
    }
    found
}

/// Of candidates, best first, those that bring a target no better one has.
pub fn cover(candidates: impl Iterator<Item = (PoolValue, BTreeSet<Target>)>) -> Vec<PoolValue> {
    let mut covered: BTreeSet<Target> = BTreeSet::new();
    let mut chosen = Vec::new();
    for (value, targets) in candidates {
        if !targets.is_subset(&covered) {
            covered.extend(targets);
            chosen.push(value);
        }
    }
    chosen
}

/// How one input of a combination is come by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pick {
    /// A stored sequence of its own.
    Stored(PoolValue),
    /// A step of the receiver's sequence.
    OfReceiver(u16),
    /// Not an object: drawn from the pool of literals.
    Drawn,
}

/// All combinations, receiver first, at most `cap`; `of_receiver(value, input)` gives the steps of a receiver's sequence that fit an input.
/// The second part says how many there would be without the cap.
pub fn combinations(
    choices: &[Vec<Pick>],
    has_receiver: bool,
    cap: usize,
    of_receiver: impl Fn(&PoolValue, usize) -> Vec<u16>,
) -> (Vec<Vec<Pick>>, usize) {
    let mut done: Vec<Vec<Pick>> = Vec::new();
    let mut all = 0;
    let none = [None];
    let receivers: Vec<Option<Pick>> = match choices.first().filter(|_| has_receiver) {
        Some(first) => first.iter().copied().map(Some).collect(),
        None => none.to_vec(),
    };
    for receiver in receivers {
        let mut rows: Vec<Vec<Pick>> = vec![receiver.into_iter().collect()];
        let mut count = 1;
        for (at, own) in choices.iter().enumerate().skip(usize::from(has_receiver)) {
            let mut options = own.clone();
            if let (Some(Pick::Stored(value)), true) = (receiver, own != &[Pick::Drawn]) {
                options.extend(of_receiver(&value, at).into_iter().map(Pick::OfReceiver));
            }
            count *= options.len();
            rows = rows
                .iter()
                .flat_map(|row| {
                    options.iter().map(move |pick| row.iter().copied().chain([*pick]).collect::<Vec<_>>())
                })
                .take(cap)
                .collect();
        }
        all += count;
        done.extend(rows);
    }
    done.truncate(cap);
    (done, all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::SequenceId;
    use crate::types::TypeId;
    use probat_model::StateHash;

    fn value(at: u32) -> PoolValue {
        PoolValue { sequence: SequenceId(at), step: 0, ty: TypeId(0), state: StateHash(0), length: 1 }
    }

    fn target(callable: u32, given: Option<bool>) -> Target {
        Target { callable: CallableId(callable), given }
    }

    /// spec 004 row R13
    #[test]
    fn the_sixth_attempt_is_a_batch_and_one_success_ends_it() {
        let (mut attempts, method, batch) = (Attempts::default(), CallableId(3), Batch::default());
        for _ in 0..5 {
            assert!(!attempts.is_batch_due(method, batch));
            let id = attempts.open(method, 1, false);
            attempts.ended(id, false);
        }
        assert!(attempts.is_batch_due(method, batch) && !attempts.is_batch_due(CallableId(4), batch));
        let id = attempts.open(method, 3, true);
        for succeeded in [false, true, false] {
            assert!(attempts.is_batch_due(method, batch));
            attempts.ended(id, succeeded);
        }
        assert!(!attempts.is_batch_due(method, batch));
        for succeeded in [false, false, false, false, true, false] {
            let id = attempts.open(method, 1, false);
            attempts.ended(id, succeeded);
        }
        assert!(!attempts.is_batch_due(method, batch), "one success in between");
    }

    /// spec 004 row R14
    #[test]
    fn a_batch_covers_all_targets_and_both_values_of_a_switch() {
        let candidates = [
            (value(0), BTreeSet::from([target(1, Some(true)), target(2, None)])),
            (value(1), BTreeSet::from([target(2, None)])),
            (value(2), BTreeSet::from([target(1, Some(false))])),
            (value(3), BTreeSet::new()),
            (value(4), BTreeSet::from([target(1, Some(false)), target(5, None)])),
        ];
        let chosen: Vec<u32> = cover(candidates.into_iter()).iter().map(|value| value.sequence.0).collect();
        assert_eq!(chosen, [0, 2, 4]);
    }

    /// spec 004 row R15: two receivers, the second of which made a value for the argument.
    #[test]
    fn combinations_are_the_product_or_the_cap() {
        let choices = [
            vec![Pick::Stored(value(0)), Pick::Stored(value(1))],
            vec![Pick::Stored(value(2)), Pick::Stored(value(3)), Pick::Stored(value(4))],
            vec![Pick::Drawn],
        ];
        let of_receiver = |receiver: &PoolValue, input: usize| match (receiver.sequence.0, input) {
            (1, 1) => vec![7],
            _ => Vec::new(),
        };
        let (found, all) = combinations(&choices, true, 100, of_receiver);
        assert_eq!((found.len(), all), (3 + 4, 7));
        assert!(found.contains(&vec![Pick::Stored(value(1)), Pick::OfReceiver(7), Pick::Drawn]));
        let (found, all) = combinations(&choices, true, 5, of_receiver);
        assert_eq!((found.len(), all), (5, 7));
    }
}
