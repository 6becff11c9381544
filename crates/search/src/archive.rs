//! Sequences worth a test: the shortest known for every edge and for every outcome of every callable.
//!
//! In: runs with the edges they hit and how they ended. Out: coverage, and a small selection that keeps all of it, or what a caller picks of it.
//! Short means few lines of source: a stand-in with ten methods is longer than ten calls.
//! Keeps whole sequences, not references into the store, so that what is archived can be cut and minimised freely.

use std::collections::{BTreeMap, BinaryHeap};

use fixedbitset::FixedBitSet;
use probat_model::{ClassName, ProbeId, Step, Value};

use crate::catalogue::CallableId;

/// How an archived sequence ends.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ending {
    Returned,
    Threw(ClassName),
}

/// What the JVM itself throws when code goes wrong. That a method can be brought to it tells little of what it is meant to do.
const INCIDENTAL: [&str; 9] = [
    "java/lang/NullPointerException",
    "java/lang/ClassCastException",
    "java/lang/ArrayStoreException",
    "java/lang/ArrayIndexOutOfBoundsException",
    "java/lang/StringIndexOutOfBoundsException",
    "java/lang/NegativeArraySizeException",
    "java/lang/ArithmeticException",
    "java/lang/IncompatibleClassChangeError",
    "java/lang/AbstractMethodError",
];

/// What a call gave, roughly: a test of each kind is worth having. Match without `_`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Gave {
    /// It gives nothing, threw, or nobody looked.
    #[default]
    Nothing,
    Null,
    False,
    True,
    Negative,
    Zero,
    Positive,
    /// A text or an array without elements.
    Empty,
    /// One with some.
    Filled,
    Object,
}

impl Gave {
    /// Whether a test that shows it says something: that there is an object is what anybody would expect.
    pub fn tells(self) -> bool {
        !matches!(self, Gave::Nothing | Gave::Object)
    }

    pub fn of(value: Option<&Value>) -> Self {
        let number = |sign: Option<std::cmp::Ordering>| match sign {
            Some(std::cmp::Ordering::Less) => Gave::Negative,
            Some(std::cmp::Ordering::Equal) => Gave::Zero,
            Some(std::cmp::Ordering::Greater) => Gave::Positive,
            None => Gave::Object,
        };
        let filled = |length: u32| if length == 0 { Gave::Empty } else { Gave::Filled };
        match value {
            None | Some(Value::Void) => Gave::Nothing,
            Some(Value::Null) => Gave::Null,
            Some(Value::Boolean(false)) => Gave::False,
            Some(Value::Boolean(true)) => Gave::True,
            Some(Value::Byte(value)) => number(value.partial_cmp(&0)),
            Some(Value::Short(value)) => number(value.partial_cmp(&0)),
            Some(Value::Int(value)) => number(value.partial_cmp(&0)),
            Some(Value::Long(value)) => number(value.partial_cmp(&0)),
            Some(Value::Float(value)) => number(value.partial_cmp(&0.0)),
            Some(Value::Double(value)) => number(value.partial_cmp(&0.0)),
            Some(Value::Char(_) | Value::Object { .. }) => Gave::Object,
            Some(Value::String { length, .. } | Value::Array { length, .. }) => filled(*length),
        }
    }
}

/// A sequence worth keeping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Witness {
    pub callable: CallableId,
    pub steps: Vec<Step>,
    pub ending: Ending,
    /// Of the last call, if it returned.
    pub gave: Gave,
    /// Ascending.
    pub edges: Vec<ProbeId>,
    /// How long it is written down, see [`crate::length::written`].
    pub length: u32,
}

/// A run that may be worth keeping.
#[derive(Debug, Clone, Copy)]
pub struct Run<'a> {
    pub callable: CallableId,
    pub steps: &'a [Step],
    pub ending: &'a Ending,
    pub gave: Gave,
    pub edges: &'a [ProbeId],
    pub length: u32,
}

impl Run<'_> {
    fn kept(&self) -> Witness {
        let Run { callable, steps, ending, gave, edges, length } = *self;
        Witness {
            callable,
            steps: steps.to_vec(),
            ending: ending.clone(),
            gave,
            edges: edges.to_vec(),
            length,
        }
    }
}

impl Witness {
    /// What comes of the call.
    fn outcome(&self) -> (CallableId, &Ending, Gave) {
        (self.callable, &self.ending, self.gave)
    }

    /// Whether a test of it may be worth writing though it takes no edge that other tests do not.
    fn tells_much(&self) -> bool {
        match &self.ending {
            Ending::Returned => self.gave.tells(),
            Ending::Threw(class) => !INCIDENTAL.contains(&class.as_internal()),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct WitnessId(u32);

/// What a test costs besides its calls.
const TEST: u64 = 4 * crate::length::LINE as u64;

/// The archive.
#[derive(Debug)]
pub struct Archive {
    covered: FixedBitSet,
    /// How many edges are covered.
    edges: usize,
    by_edge: Vec<Option<WitnessId>>,
    by_outcome: BTreeMap<(CallableId, Ending, Gave), WitnessId>,
    /// Callables and endings, whatever was given.
    outcomes: usize,
    witnesses: Vec<Witness>,
    keep_all: bool,
}

/// A witness chosen for a suite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selected<'a> {
    pub witness: &'a Witness,
    /// Edges no shorter chosen witness takes.
    pub needs: Vec<ProbeId>,
}

/// What a run added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Gain {
    /// Edges never taken before.
    pub edges: u32,
    /// First time the callable ended like this.
    pub outcome: bool,
}

impl Archive {
    /// With `keep_all`, every run is kept and selected.
    pub fn new(probes: u32, keep_all: bool) -> Self {
        Archive {
            keep_all,
            covered: FixedBitSet::with_capacity(probes as usize),
            edges: 0,
            by_edge: vec![None; probes as usize],
            by_outcome: BTreeMap::new(),
            outcomes: 0,
            witnesses: Vec::new(),
        }
    }

    /// Marks edges that need no test, such as those of class initialisers.
    pub fn credit(&mut self, edges: &[ProbeId]) {
        for edge in edges {
            self.edges += usize::from(!self.covered.put(edge.0 as usize));
        }
    }

    pub fn is_covered(&self, edge: u32) -> bool {
        self.covered.contains(edge as usize)
    }

    /// The shortest run known that takes an edge.
    pub fn witness(&self, edge: ProbeId) -> Option<&Witness> {
        let id = self.by_edge.get(edge.0 as usize).copied().flatten()?;
        Some(&self.witnesses[id.0 as usize])
    }

    /// All that was kept, in the order it was found.
    pub fn witnesses(&self) -> impl Iterator<Item = &Witness> {
        self.witnesses.iter()
    }

    /// Number of edges taken.
    pub fn edges(&self) -> usize {
        self.edges
    }

    /// Number of callables and ways they ended: about the number of tests a selection has.
    pub fn outcomes(&self) -> usize {
        self.outcomes
    }

    /// Of a range of probes, how many were never taken.
    pub fn uncovered(&self, probes: std::ops::Range<u32>) -> u32 {
        let range = probes.start as usize..probes.end as usize;
        range.len() as u32 - self.covered.count_ones(range) as u32
    }

    /// Considers a run; keeps it if it is the first or the shortest for an edge or an outcome.
    pub fn consider(&mut self, run: Run<'_>) -> Gain {
        let mut gain = Gain::default();
        let id = WitnessId(self.witnesses.len() as u32);
        let length = run.length;
        let mut kept = self.keep_all;
        for edge in run.edges {
            let at = edge.0 as usize;
            if !self.covered.put(at) {
                gain.edges += 1;
                self.edges += 1;
            }
            let shorter = self.by_edge[at].is_none_or(|old| length < self.witnesses[old.0 as usize].length);
            if shorter {
                self.by_edge[at] = Some(id);
                kept = true;
            }
        }
        let giving = |gave: Gave| (run.callable, run.ending.clone(), gave);
        let key = giving(run.gave);
        match self.by_outcome.get(&key) {
            Some(old) if length >= self.witnesses[old.0 as usize].length => {}
            _ => {
                gain.outcome =
                    self.by_outcome.range(giving(Gave::Nothing)..=giving(Gave::Object)).next().is_none();
                self.outcomes += usize::from(gain.outcome);
                self.by_outcome.insert(key, id);
                kept = true;
            }
        }
        if kept {
            self.witnesses.push(run.kept());
        }
        gain
    }

    /// A small set of witnesses that takes every edge and shows every outcome the archive knows, in a fixed order, short ones first. Each
    /// comes with the edges it is there for.
    pub fn select(&self) -> Vec<Selected<'_>> {
        self.select_by(|witnesses| (0..witnesses.len()).collect())
    }

    /// Of the same set those that `wanted` picks by their places, in its order; each is there for what none before it takes.
    pub fn select_by(&self, wanted: impl FnOnce(&[&Witness]) -> Vec<usize>) -> Vec<Selected<'_>> {
        let all: Vec<&Witness> = self.chosen().iter().map(|id| &self.witnesses[id.0 as usize]).collect();
        let picked = wanted(&all);
        let mut owed = FixedBitSet::with_capacity(self.by_edge.len());
        owed.insert_range(..);
        let select = |at: usize| {
            let witness = all[at];
            let is_owed = |edge: &ProbeId| {
                let is_owed = owed.contains(edge.0 as usize);
                owed.set(edge.0 as usize, false);
                is_owed
            };
            Selected { witness, needs: witness.edges.iter().copied().filter(is_owed).collect() }
        };
        picked.into_iter().map(select).collect()
    }

    /// A small set that takes every edge and shows every outcome, the shortest first.
    fn chosen(&self) -> Vec<WitnessId> {
        let mut chosen: Vec<WitnessId> = self.by_outcome.values().copied().collect();
        let mut left = FixedBitSet::with_capacity(self.by_edge.len());
        for (at, witness) in self.by_edge.iter().enumerate() {
            left.set(at, witness.is_some());
        }
        chosen.iter().for_each(|id| self.cross_off(*id, &mut left));
        chosen.extend(self.by_use(self.by_edge.iter().flatten().copied(), left));
        if self.keep_all {
            chosen.extend((0..self.witnesses.len()).map(|at| WitnessId(at as u32)));
        } else {
            self.drop_redundant(&mut chosen);
        }
        chosen.sort_by_key(|id| (self.witnesses[id.0 as usize].length, *id));
        chosen.dedup();
        chosen
    }

    /// Takes witnesses until no edge is left that one of them takes, always the one with most edges left for its length.
    fn by_use(&self, from: impl Iterator<Item = WitnessId>, mut left: FixedBitSet) -> Vec<WitnessId> {
        use std::cmp::Reverse;
        let mut from: Vec<WitnessId> = from.collect();
        from.sort();
        from.dedup();
        let mut open: BinaryHeap<(u64, Reverse<WitnessId>)> =
            from.into_iter().map(|id| (self.still_useful(id, &left), Reverse(id))).collect();
        let mut taken = Vec::new();
        // Use only shrinks: what is still as useful as it was is the most useful of all.
        while let Some((before, Reverse(id))) = open.pop() {
            let now = self.still_useful(id, &left);
            if now == 0 {
                continue;
            }
            if now < before {
                open.push((now, Reverse(id)));
                continue;
            }
            self.cross_off(id, &mut left);
            taken.push(id);
        }
        taken
    }

    /// Benefit per cost, in fixed point so that ties are ties.
    fn still_useful(&self, id: WitnessId, left: &FixedBitSet) -> u64 {
        let witness = &self.witnesses[id.0 as usize];
        let new = witness.edges.iter().filter(|edge| left.contains(edge.0 as usize)).count() as u64;
        new * 1_000_000 / (TEST + u64::from(witness.length))
    }

    fn cross_off(&self, id: WitnessId, left: &mut FixedBitSet) {
        for edge in &self.witnesses[id.0 as usize].edges {
            left.set(edge.0 as usize, false);
        }
    }

    /// Drops what later choices made superfluous: runs whose edges others all take, and whose endings tell little or are shown by others.
    fn drop_redundant(&self, chosen: &mut Vec<WitnessId>) {
        let mut times = vec![0u32; self.by_edge.len()];
        let mut shown: BTreeMap<_, u32> = BTreeMap::new();
        for id in chosen.iter() {
            let witness = &self.witnesses[id.0 as usize];
            *shown.entry(witness.outcome()).or_default() += 1;
            for edge in &witness.edges {
                times[edge.0 as usize] += 1;
            }
        }
        let mut order = chosen.clone();
        order.sort_by_key(|id| std::cmp::Reverse(self.witnesses[id.0 as usize].length));
        let mut gone = Vec::new();
        for id in order {
            let witness = &self.witnesses[id.0 as usize];
            let others = shown.entry(witness.outcome()).or_default();
            let superfluous = !witness.edges.is_empty()
                && (!witness.tells_much() || *others > 1)
                && witness.edges.iter().all(|edge| times[edge.0 as usize] > 1);
            if superfluous {
                *others -= 1;
                witness.edges.iter().for_each(|edge| times[edge.0 as usize] -= 1);
                gone.push(id);
            }
        }
        gone.sort();
        chosen.retain(|id| gone.binary_search(id).is_err());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probat_model::OperationId;
    use smallvec::SmallVec;

    fn witness(callable: u32, length: usize, edges: &[u32], threw: Option<&str>) -> Witness {
        Witness {
            callable: CallableId(callable),
            steps: vec![Step { operation: OperationId(0), args: SmallVec::new() }; length],
            ending: threw.map_or(Ending::Returned, |class| Ending::Threw(ClassName::internal(class))),
            gave: Gave::Nothing,
            edges: edges.iter().map(|&edge| ProbeId(edge)).collect(),
            length: length as u32 * crate::length::LINE,
        }
    }

    fn consider(archive: &mut Archive, one: Witness) -> Gain {
        let Witness { callable, steps, ending, gave, edges, length } = &one;
        archive.consider(Run { callable: *callable, steps, ending, gave: *gave, edges, length: *length })
    }

    fn selected(archive: &Archive) -> Vec<(u32, usize)> {
        archive
            .select()
            .iter()
            .map(|chosen| (chosen.witness.callable.0, chosen.witness.steps.len()))
            .collect()
    }

    #[test]
    fn the_selection_keeps_every_edge_and_outcome() {
        let mut archive = Archive::new(8, false);
        assert_eq!(consider(&mut archive, witness(0, 3, &[1, 2], None)), Gain { edges: 2, outcome: true });
        assert_eq!(
            consider(&mut archive, witness(0, 9, &[1, 2, 3], None)),
            Gain { edges: 1, outcome: false }
        );
        assert_eq!(
            consider(&mut archive, witness(0, 2, &[1], Some("Oops"))),
            Gain { edges: 0, outcome: true }
        );
        assert_eq!(consider(&mut archive, witness(0, 4, &[1, 2], None)), Gain::default());
        assert_eq!(selected(&archive), [(0, 2), (0, 9)], "the first is covered by the longer one");
        assert_eq!(archive.select()[1].needs, [ProbeId(2), ProbeId(3)]);
        assert_eq!((archive.edges(), archive.uncovered(0..8)), (3, 5));
    }

    #[test]
    fn who_picks_few_gets_all_they_take() {
        let mut archive = Archive::new(16, false);
        consider(&mut archive, witness(0, 2, &[1], None));
        consider(&mut archive, witness(1, 2, &[2], None));
        consider(&mut archive, witness(2, 4, &[1, 3, 4], None));
        consider(&mut archive, witness(3, 1, &[3], Some("Oops")));
        let named = |witness: &&Witness| witness.callable.0;
        let chosen = archive.select_by(|all| {
            assert_eq!(all.iter().map(named).collect::<Vec<_>>(), [3, 1, 2], "the shortest first");
            vec![2, 1]
        });
        let chosen: Vec<(u32, Vec<u32>)> = chosen
            .iter()
            .map(|one| (named(&one.witness), one.needs.iter().map(|edge| edge.0).collect()))
            .collect();
        // What the one that was left would have taken is there for another.
        assert_eq!(chosen, [(2, vec![1, 3, 4]), (1, vec![2])]);
        assert_eq!(archive.select().len(), 3);
    }

    #[test]
    fn what_any_code_can_throw_is_no_news() {
        let mut archive = Archive::new(4, false);
        consider(&mut archive, witness(0, 2, &[1, 2], None));
        consider(&mut archive, witness(0, 3, &[1], Some("java/lang/NullPointerException")));
        assert_eq!(selected(&archive), [(0, 2)]);
        consider(&mut archive, witness(0, 3, &[1, 3], Some("java/lang/NullPointerException")));
        assert_eq!(selected(&archive), [(0, 2), (0, 3)], "an edge is");
    }

    #[test]
    fn a_run_of_each_kind_of_result_stays() {
        let mut archive = Archive::new(4, false);
        let gives = |length, edges: &[u32], gave| Witness { gave, ..witness(0, length, edges, None) };
        consider(&mut archive, gives(2, &[1], Gave::True));
        consider(&mut archive, gives(3, &[1, 2], Gave::False));
        consider(&mut archive, gives(9, &[1, 2, 3], Gave::False));
        assert_eq!(selected(&archive), [(0, 2), (0, 9)], "one that gives false is enough");
    }

    #[test]
    fn a_shorter_witness_takes_over() {
        let mut archive = Archive::new(4, false);
        consider(&mut archive, witness(0, 9, &[1], None));
        consider(&mut archive, witness(0, 2, &[1], None));
        assert_eq!(selected(&archive), [(0, 2)]);
    }
}
