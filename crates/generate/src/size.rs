//! How large a suite is worth being.
//!
//! In: finished tests. Out: those worth their lines, and what the others would add. Tests are taken in the order of what they add per
//! line, until the next one adds too little. That is little while a suite is short; from some length on, the longer it is, the more a
//! further line has to bring. Small code is thus tested to the last edge; of large code, a suite that a person can read shows most.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use probat_emit::{Ending, lines};
use probat_model::{ClassName, OperationTable, ProbeId};
use probat_search::catalogue::{CallableId, OwnerId};
use rustc_hash::FxHashSet;

use crate::finish::Finished;

/// How much of what was found is written. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Size {
    /// What shows most in few lines.
    Small,
    #[default]
    Default,
    /// Everything that adds anything.
    All,
}

impl Size {
    fn bound(self) -> Option<Bound> {
        match self {
            Size::Small => Some(Bound { free: 400, per_edge: 100 }),
            Size::Default => Some(Bound { free: 3_400, per_edge: 900 }),
            Size::All => None,
        }
    }

    /// Lines that a suite rarely exceeds.
    pub(crate) fn most_lines(self) -> Option<usize> {
        // Hardly any line brings more than two edges where thousands of lines do.
        self.bound().map(|bound| (bound.free + 2 * bound.per_edge) as usize)
    }
}

/// What each further line has to bring.
#[derive(Debug, Clone, Copy)]
struct Bound {
    /// Lines up to which it is little.
    free: u64,
    /// Lines beyond those after which it is an edge more.
    per_edge: u64,
}

/// Lines for an edge that are too many in any suite.
const MANY: u64 = 30;

impl Bound {
    /// Edges that a line has to bring in a suite of some length, in parts of parts.
    fn asked(&self, length: u64) -> u64 {
        let beyond = (length / PART).saturating_sub(self.free);
        (beyond * PART * PART / self.per_edge).max(PART * PART / MANY)
    }
}

/// What is not written for its size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LeftOut {
    pub tests: usize,
    /// Edges that nothing written takes.
    pub edges: usize,
}

/// Parts of a line, and of an edge.
const PART: u64 = 100;

/// Lines of a method, and of a file, besides its cases.
const METHOD: u64 = 3 * PART;
const FILE: u64 = 11 * PART;

/// Cases that share a method where there are many.
const SHARED: u64 = 4;

/// What an ending is worth that nothing else shows.
const ENDING: u64 = PART / 2;

/// Leaves the tests that are worth their lines.
pub(crate) fn choose(tests: &mut Vec<Finished>, table: &OperationTable, size: Size) -> LeftOut {
    let Some(bound) = size.bound() else { return LeftOut::default() };
    let (taken, covered) = {
        let costs = costs(tests, table);
        taken(tests, &costs, bound)
    };
    let mut others: BTreeSet<ProbeId> = BTreeSet::new();
    let mut left = LeftOut::default();
    for (test, is_taken) in tests.iter().zip(&taken) {
        if !is_taken {
            left.tests += 1;
            others.extend(test.edges.iter().filter(|edge| !covered.contains(edge)));
        }
    }
    left.edges = others.len();
    let mut each = taken.into_iter();
    tests.retain(|_| each.next().unwrap_or(true));
    left
}

/// About how many lines each test takes, with its share of a method and of a file.
fn costs(tests: &[Finished], table: &OperationTable) -> Vec<u64> {
    let mut of_method: BTreeMap<(CallableId, Option<&ClassName>), u64> = BTreeMap::new();
    let mut of_file: BTreeMap<OwnerId, u64> = BTreeMap::new();
    for test in tests {
        *of_method.entry((test.callable, thrown(test))).or_default() += 1;
        *of_file.entry(test.owner).or_default() += 1 + test.needs as u64;
    }
    let cost = |test: &Finished| {
        let method = METHOD / of_method[&(test.callable, thrown(test))].min(SHARED);
        let file = FILE * (1 + test.needs as u64) / of_file[&test.owner];
        lines(&test.case, table) as u64 * PART + method + file
    };
    tests.iter().map(cost).collect()
}

fn thrown(test: &Finished) -> Option<&ClassName> {
    match &test.case.ending {
        Ending::Throws { class, .. } => Some(class),
        Ending::Returns | Ending::Breaks { .. } | Ending::BreaksRule { .. } => None,
    }
}

/// Which tests are taken, and the edges they take.
fn taken(tests: &[Finished], costs: &[u64], bound: Bound) -> (Vec<bool>, FxHashSet<ProbeId>) {
    let mut covered: FxHashSet<ProbeId> = FxHashSet::default();
    let mut shown: BTreeSet<(CallableId, &ClassName)> = BTreeSet::new();
    let mut taken = vec![false; tests.len()];
    let worth = |at: usize, covered: &FxHashSet<ProbeId>, shown: &BTreeSet<(CallableId, &ClassName)>| {
        let test = &tests[at];
        let new = test.edges.iter().filter(|edge| !covered.contains(edge)).count() as u64;
        let is_news = thrown(test).is_some_and(|class| !shown.contains(&(test.callable, class)));
        (new * PART + if is_news { ENDING } else { 0 }) * PART * PART / costs[at].max(1)
    };
    let mut open: BinaryHeap<(u64, Reverse<usize>)> =
        (0..tests.len()).map(|at| (worth(at, &covered, &shown), Reverse(at))).collect();
    let mut length = 0;
    // Worth only shrinks: what is still worth as much as it was is worth most of all.
    while let Some((before, Reverse(at))) = open.pop() {
        let now = worth(at, &covered, &shown);
        if now < before {
            open.push((now, Reverse(at)));
            continue;
        }
        if now < bound.asked(length) {
            break;
        }
        taken[at] = true;
        length += costs[at];
        covered.extend(&tests[at].edges);
        shown.extend(thrown(&tests[at]).map(|class| (tests[at].callable, class)));
    }
    (taken, covered)
}

#[cfg(test)]
mod tests {
    use super::*;
    use probat_emit::TestCase;
    use probat_model::{MethodDescriptor, Operation, Step};

    /// A test of as many calls that takes some edges.
    fn test(
        table: &mut OperationTable,
        callable: u32,
        calls: usize,
        edges: std::ops::Range<u32>,
    ) -> Finished {
        let operation = table.intern(Operation::CallStatic {
            class: ClassName::internal("shop/Cart"),
            name: format!("call{callable}").as_str().into(),
            descriptor: MethodDescriptor { params: Vec::new(), returns: None },
            interface: false,
        });
        let steps = vec![Step { operation, args: Default::default() }; calls];
        let (checks, caught, notes) = (Vec::new(), Vec::new(), Vec::new());
        let case = TestCase {
            name: String::new(),
            steps,
            checks,
            caught,
            ending: Ending::Returns,
            notes,
            raw: false,
        };
        Finished {
            owner: OwnerId(0),
            callable: CallableId(callable),
            case,
            needs: edges.len(),
            edges: edges.map(ProbeId).collect(),
            result: None,
        }
    }

    fn left(tests: &[Finished]) -> Vec<u32> {
        tests.iter().map(|test| test.callable.0).collect()
    }

    #[test]
    fn of_a_long_suite_only_what_brings_much_is_written() {
        let mut table = OperationTable::new();
        let mut tests: Vec<Finished> =
            (0..1_000).map(|at| test(&mut table, at, 10, at * 20..at * 20 + 20)).collect();
        // An edge for ten lines.
        tests.extend((1_000..2_000).map(|at| test(&mut table, at, 10, 20_000 + at..20_001 + at)));
        let all = tests.clone();
        let out = choose(&mut tests, &table, Size::Default);
        assert!(tests.len() < 1_000 && tests.iter().all(|test| test.needs == 20), "{}", tests.len());
        assert_eq!(out.tests, 2_000 - tests.len());
        assert_eq!(out.edges, 21_000 - 20 * tests.len());
        let mut small = all.clone();
        choose(&mut small, &table, Size::Small);
        assert!(small.len() < tests.len(), "{}", small.len());
        let mut whole = all;
        assert_eq!(choose(&mut whole, &table, Size::All), LeftOut::default());
        assert_eq!(whole.len(), 2_000);
    }

    #[test]
    fn of_a_short_suite_all_that_adds_something_is_written() {
        let mut table = OperationTable::new();
        let mut tests = vec![
            test(&mut table, 0, 1, 0..9),
            test(&mut table, 1, 9, 9..10),
            test(&mut table, 2, 1, 3..5),
            test(&mut table, 3, 90, 10..11),
        ];
        let out = choose(&mut tests, &table, Size::Default);
        assert_eq!(left(&tests), [0, 1], "one adds nothing, one takes ninety lines for an edge");
        assert_eq!(out, LeftOut { tests: 2, edges: 1 });
    }
}
