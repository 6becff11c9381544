//! How much a stored sequence has to do with a method under test (spec 004 §2.1, §2.5).
//!
//! In: fields that callables touch, stored sequences. Out: weights to draw sequences by. Rows of relevance are made when a method is first
//! asked for, and kept.

use probat_model::{Operation, OperationId};
use rustc_hash::FxHashMap;

use crate::catalogue::{CallableId, Catalogue};
use crate::store::{SequenceId, Store};
use crate::strategy::Grades;

/// What a sequence is to a method.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Score {
    /// Sum of the relevance of its calls.
    pub relevant: f64,
    /// Method and constructor calls; literals do not count.
    pub calls: u32,
    /// It calls something like `close`.
    pub destroys: bool,
}

/// Relevance of every operation to the methods asked for.
#[derive(Debug)]
pub struct Relevance {
    grades: Grades,
    /// By operation; `None` for what is no call.
    callables: Vec<Option<CallableId>>,
    rows: FxHashMap<CallableId, Box<[f32]>>,
    /// Scores given before: sequences never change, and the same ones are weighed again and again.
    scores: FxHashMap<(CallableId, SequenceId), Score>,
    destroyers: Vec<bool>,
}

/// Scores kept before all are forgotten.
const SCORES: usize = 1 << 20;

/// Names of methods after which an object is of little use (spec 004 §7, L2).
const DESTROYERS: [&str; 14] = [
    "close",
    "dispose",
    "destroy",
    "shutdown",
    "shutdownNow",
    "release",
    "free",
    "clear",
    "terminate",
    "stop",
    "cancel",
    "abort",
    "kill",
    "disconnect",
];

impl Relevance {
    pub fn new(catalogue: &Catalogue, grades: Grades) -> Self {
        let mut callables = vec![None; catalogue.operations.len()];
        let mut destroyers = vec![false; catalogue.operations.len()];
        for (at, callable) in catalogue.callables.iter().enumerate() {
            let operation = catalogue.operations.get(callable.operation);
            let index = callable.operation.0 as usize;
            if is_call(operation) {
                callables[index] = Some(CallableId(at as u32));
            }
            destroyers[index] = destroys(operation);
        }
        let (rows, scores) = (FxHashMap::default(), FxHashMap::default());
        Relevance { grades, callables, rows, scores, destroyers }
    }

    /// Relevance of one callable to another: N(f) and N(g) meet, graded if so configured.
    pub fn between(catalogue: &Catalogue, grades: Grades, one: CallableId, other: CallableId) -> f64 {
        let (one, other) = (&catalogue.callable(one).access, &catalogue.callable(other).access);
        if grades.by_access { one.graded(other) } else { f64::from(u8::from(one.overlaps(other))) }
    }

    /// The callable behind an operation, if it is a method or constructor.
    pub fn callable(&self, operation: OperationId) -> Option<CallableId> {
        self.callables.get(operation.0 as usize).copied().flatten()
    }

    /// Relevance of an operation to the method; `None` if it is no call.
    pub fn of(&mut self, catalogue: &Catalogue, method: CallableId, operation: OperationId) -> Option<f64> {
        self.callable(operation)?;
        Some(f64::from(self.row(catalogue, method)[operation.0 as usize]))
    }

    /// Scores a stored sequence against a method.
    pub fn score(
        &mut self,
        catalogue: &Catalogue,
        store: &Store,
        method: CallableId,
        sequence: SequenceId,
    ) -> Score {
        if let Some(score) = self.scores.get(&(method, sequence)) {
            return *score;
        }
        self.row(catalogue, method);
        let (row, callables, destroyers) = (&self.rows[&method], &self.callables, &self.destroyers);
        let mut score = Score::default();
        store.operations(sequence, &mut |operation| {
            let at = operation.0 as usize;
            if callables.get(at).is_some_and(Option::is_some) {
                score.calls += 1;
                score.relevant += f64::from(row[at]);
                score.destroys |= destroyers[at];
            }
        });
        if self.scores.len() == SCORES {
            self.scores.clear();
        }
        self.scores.insert((method, sequence), score);
        score
    }

    /// Weights of candidates against each other; each family of shares sums to 1, and so do their means.
    pub fn weights(&self, scores: &[Score]) -> Vec<f64> {
        weights(scores, self.grades.destroyers)
    }

    /// Settles the relevance of everything to a method.
    pub(crate) fn set_row(&mut self, method: CallableId, grade: impl Fn(CallableId) -> f32) {
        let row = self.callables.iter().map(|callable| callable.map_or(0.0, &grade)).collect();
        self.rows.insert(method, row);
    }

    fn row(&mut self, catalogue: &Catalogue, method: CallableId) -> &[f32] {
        let (grades, callables) = (self.grades, &self.callables);
        self.rows.entry(method).or_insert_with(|| {
            callables
                .iter()
                .map(|callable| match callable {
                    Some(id) => Relevance::between(catalogue, grades, *id, method) as f32,
                    None => 0.0,
                })
                .collect()
        })
    }
}

/// `weight(seq, f)` of spec 004 §2.5. A sequence without calls counts as one call long. What destroys keeps `destroyers` of its weight.
pub fn weights(scores: &[Score], destroyers: f64) -> Vec<f64> {
    let calls = |score: &Score| f64::from(score.calls.max(1));
    let relevant: Vec<f64> = scores.iter().map(|score| score.relevant / calls(score)).collect();
    let short: Vec<f64> = scores.iter().map(|score| 1.0 / calls(score)).collect();
    let sum = |all: &[f64]| all.iter().sum::<f64>();
    let share = |value: f64, total: f64| if total > 0.0 { value / total } else { 0.0 };
    let (all_relevant, all_short) = (sum(&relevant), sum(&short));
    scores
        .iter()
        .enumerate()
        .map(|(at, score)| {
            let weight = (share(relevant[at], all_relevant) + share(short[at], all_short)) / 2.0;
            if score.destroys { weight * destroyers } else { weight }
        })
        .collect()
}

/// Methods and constructors.
pub(crate) fn is_call(operation: &Operation) -> bool {
    matches!(operation, Operation::Construct { .. } | Operation::Call { .. } | Operation::CallStatic { .. })
}

fn destroys(operation: &Operation) -> bool {
    match operation {
        Operation::Call { name, .. } | Operation::CallStatic { name, .. } => {
            DESTROYERS.contains(&name.as_str())
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::FieldAccess;
    use crate::rng::Rng;
    use crate::types::fake::Lines;
    use probat_model::{ClassName, MethodDescriptor, Step};

    fn score(relevant: f64, calls: u32) -> Score {
        Score { relevant, calls, destroys: false }
    }

    /// spec 004 row R10: corr is 1/2, 1/1, 0/4, so corr' 1/3, 2/3, 0; size is 1/2, 1, 1/4, so size' 2/7, 4/7, 1/7.
    #[test]
    fn weights_are_those_computed_by_hand() {
        let found = weights(&[score(1.0, 2), score(1.0, 1), score(0.0, 4)], 1.0);
        let expected = [(1.0 / 3.0 + 2.0 / 7.0) / 2.0, (2.0 / 3.0 + 4.0 / 7.0) / 2.0, (1.0 / 7.0) / 2.0];
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-9, "{found} {expected}");
        }
        assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn without_anything_relevant_length_alone_decides() {
        let found = weights(&[score(0.0, 1), score(0.0, 3)], 1.0);
        assert!((found[0] - 0.375).abs() < 1e-9 && (found[1] - 0.125).abs() < 1e-9, "{found:?}");
    }

    fn world() -> (Catalogue, Store, [SequenceId; 2], CallableId) {
        let mut catalogue = Catalogue::new();
        let mut method = |name: &str, reads: &[u32], writes: &[u32]| {
            let operation = Operation::CallStatic {
                class: ClassName::internal("A"),
                name: name.into(),
                descriptor: MethodDescriptor::parse("()LA;").unwrap(),
                interface: false,
            };
            let id = catalogue.add_plain(operation, &Lines(""));
            let access = FieldAccess { reads: reads.into(), writes: writes.into() };
            catalogue.callables[id.0 as usize].access = access;
            catalogue.callable(id).operation
        };
        let operations = [method("open", &[], &[1]), method("close", &[], &[1])];
        method("find", &[1], &[]);
        let mut store = Store::new();
        let mut step = |operation| store.add(&[], &[Step { operation, args: Default::default() }], &[]);
        let sequences = operations.map(&mut step);
        (catalogue, store, sequences, CallableId(2))
    }

    /// spec 004 row R24
    #[test]
    fn a_sequence_that_closes_is_drawn_less_with_the_penalty() {
        let (catalogue, store, sequences, find) = world();
        let closing = |destroyers: f64| {
            let mut relevance = Relevance::new(&catalogue, Grades { by_access: false, destroyers });
            let scores = sequences.map(|id| relevance.score(&catalogue, &store, find, id));
            let weights = relevance.weights(&scores);
            let mut rng = Rng::new(4);
            (0..10_000).filter(|_| rng.weighted(weights.iter().copied()) == Some(1)).count()
        };
        let (without, with) = (closing(1.0), closing(0.25));
        assert!((4_700..5_300).contains(&without) && (1_700..2_300).contains(&with), "{without} {with}");
    }

    /// spec 004 rows R3 and R23: `finishTime` only reads what `execute` only reads, and still counts, for less.
    #[test]
    fn graded_relevance_keeps_the_weak_link() {
        let (mut catalogue, _, _, find) = world();
        let operation = Operation::CallStatic {
            class: ClassName::internal("A"),
            name: "execute".into(),
            descriptor: MethodDescriptor::parse("()V").unwrap(),
            interface: false,
        };
        let execute = catalogue.add_plain(operation, &Lines(""));
        catalogue.callables[execute.0 as usize].access = FieldAccess { reads: [1].into(), writes: [].into() };
        let open = CallableId(0);
        let graded = Grades { by_access: true, destroyers: 1.0 };
        let of = |grades, one, other| Relevance::between(&catalogue, grades, one, other);
        assert_eq!(of(Grades::PLAIN, execute, find), 1.0);
        assert_eq!(of(graded, open, find), 1.0);
        assert_eq!(of(graded, execute, find), 0.5);
        assert_eq!(of(graded, execute, find), of(graded, find, execute));
    }
}
