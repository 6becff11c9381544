//! How large a suite is worth being.
//!
//! In: finished tests, or runs that may become tests. Out: those worth their lines, and what the others would add. They are taken in the order of
//! what they add per line, until the next one adds too little. That is little while a suite is short; from some length on, the longer it is, the more a
//! further line has to bring. Small code is thus tested to the last edge; of large code, a suite that a person can read shows most.
//! Runs are only put into that order: how short their tests will be is not known before.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use probat_emit::{Ending, lines};
use probat_model::{ClassName, OperationTable, ProbeId};
use probat_search::archive::{Ending as Ended, Gave, Witness};
use probat_search::catalogue::{CallableId, OwnerId};
use probat_search::length::LINE;
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
            Size::Small => Some(Bound { free: 400, per_edge: 100, many: MANY }),
            Size::Default => Some(Bound { free: 2_700, per_edge: 750, many: MANY }),
            Size::All => None,
        }
    }

    /// Lines that a suite rarely exceeds.
    pub(crate) fn most_lines(self) -> Option<usize> {
        // Hardly any line brings more than two edges where thousands of lines do; a written suite has about a fifth more than estimated.
        self.bound().map(|bound| ((bound.free + 2 * bound.per_edge) * 6 / 5) as usize)
    }
}

/// What each further line has to bring.
#[derive(Debug, Clone, Copy)]
struct Bound {
    /// Lines up to which it is little.
    free: u64,
    /// Lines beyond those after which it is an edge more.
    per_edge: u64,
    /// Lines for an edge that are too many in any suite.
    many: u64,
}

/// Lines for an edge that are too many in any suite.
const MANY: u64 = 30;

impl Bound {
    /// Edges that a line has to bring in a suite of some length, in parts of parts.
    fn asked(&self, length: u64) -> u64 {
        let beyond = (length / PART).saturating_sub(self.free);
        (beyond * PART * PART / self.per_edge).max(PART * PART / self.many)
    }

    /// The same for runs, which may turn out to be worth more than they seem.
    fn for_runs(self) -> Bound {
        Bound { free: 2 * self.free, per_edge: 2 * self.per_edge, many: 4 * self.many }
    }
}

/// What is not written for its size.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LeftOut {
    pub tests: usize,
    /// Edges that nothing written takes.
    pub edges: BTreeSet<ProbeId>,
}

/// Parts of a line, and of an edge.
const PART: u64 = 100;

/// Lines of a method, and of a file, besides its cases.
const METHOD: u64 = 3 * PART;
const FILE: u64 = 11 * PART;

/// Cases that share a method where there are many.
const SHARED: u64 = 4;

/// What an exception is worth that nothing else shows, and a kind of result.
const EXCEPTION: u64 = PART / 2;
const RESULT: u64 = PART / 4;

/// How much longer a test counts that takes long to run.
const SLOW: u64 = 20 * PART;

/// Parts of the lines of a run that are left when it is a test.
const SHORTENED: u64 = 60;

/// Runs in the order of what their tests may be worth.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ranked {
    /// Their places, the best first.
    pub order: Vec<usize>,
    /// How many of them may well be written; those behind rarely are.
    pub promising: usize,
}

/// Ranks runs that may become tests.
pub(crate) fn rank(runs: &[&Witness], size: Size) -> Ranked {
    let mut candidates = Vec::with_capacity(runs.len());
    for run in runs {
        let lines = u64::from(run.length) * SHORTENED / u64::from(LINE);
        let shows = match &run.ending {
            Ended::Returned => run.gave.tells().then_some(Shows::Result(run.callable, run.gave)),
            Ended::Threw(class) => Some(Shows::Exception(run.callable, class)),
        };
        candidates.push(Candidate { edges: &run.edges, shows, cost: lines + METHOD / SHARED });
    }
    let Taken { order, worthy, .. } = best_first(&candidates, size.bound().map(Bound::for_runs));
    Ranked { order, promising: worthy }
}

/// Leaves the tests that are worth their lines, and adds the others to what is left out.
pub(crate) fn choose(tests: &mut Vec<Finished>, table: &OperationTable, size: Size, left: &mut LeftOut) {
    let Some(bound) = size.bound() else { return };
    let (chosen, covered) = {
        let costs = costs(tests, table);
        let mut candidates = Vec::with_capacity(tests.len());
        for (test, cost) in tests.iter().zip(costs) {
            let tells = test.asserts() && test.gave.tells();
            let result = tells.then_some(Shows::Result(test.callable, test.gave));
            let exception = thrown(test).map(|class| Shows::Exception(test.callable, class));
            let shows = exception.or(result);
            candidates.push(Candidate { edges: &test.edges, shows, cost });
        }
        let Taken { order, worthy, covered } = best_first(&candidates, Some(bound));
        (order.into_iter().take(worthy).collect::<BTreeSet<usize>>(), covered)
    };
    for (at, test) in tests.iter().enumerate() {
        if !chosen.contains(&at) {
            left.tests += 1;
            left.edges.extend(&test.edges);
        }
    }
    left.edges.retain(|edge| !covered.contains(edge));
    let mut at = 0;
    tests.retain(|_| {
        at += 1;
        chosen.contains(&(at - 1))
    });
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
        lines(&test.case, table) as u64 * PART + method + file + if test.is_slow { SLOW } else { 0 }
    };
    tests.iter().map(cost).collect()
}

fn thrown(test: &Finished) -> Option<&ClassName> {
    match &test.case.ending {
        Ending::Throws { class, .. } => Some(class),
        Ending::Returns | Ending::Breaks { .. } | Ending::BreaksRule { .. } => None,
    }
}

/// What may be written.
struct Candidate<'a> {
    edges: &'a [ProbeId],
    shows: Option<Shows<'a>>,
    cost: u64,
}

/// What comes of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Shows<'a> {
    Exception(CallableId, &'a ClassName),
    Result(CallableId, Gave),
}

impl Shows<'_> {
    fn worth(self) -> u64 {
        match self {
            Shows::Exception(..) => EXCEPTION,
            Shows::Result(..) => RESULT,
        }
    }
}

/// Candidates in order.
struct Taken {
    /// All of them, the one that adds most for each line first.
    order: Vec<usize>,
    /// How many are worth their lines, and the edges those take. Without a bound, all.
    worthy: usize,
    covered: FxHashSet<ProbeId>,
}

fn best_first(candidates: &[Candidate<'_>], bound: Option<Bound>) -> Taken {
    let mut covered: FxHashSet<ProbeId> = FxHashSet::default();
    let mut shown: BTreeSet<Shows<'_>> = BTreeSet::new();
    let (mut order, mut worthy) = (Vec::with_capacity(candidates.len()), None);
    let worth = |at: usize, covered: &FxHashSet<ProbeId>, shown: &BTreeSet<Shows<'_>>| {
        let Candidate { edges, shows, cost } = &candidates[at];
        let new = edges.iter().filter(|edge| !covered.contains(edge)).count() as u64;
        let news = shows.filter(|shows| !shown.contains(shows)).map_or(0, Shows::worth);
        (new * PART + news) * PART * PART / (*cost).max(1)
    };
    let mut open: BinaryHeap<(u64, Reverse<usize>)> =
        (0..candidates.len()).map(|at| (worth(at, &covered, &shown), Reverse(at))).collect();
    let mut length = 0;
    // Worth only shrinks: what is still worth as much as it was is worth most of all.
    while let Some((before, Reverse(at))) = open.pop() {
        let now = worth(at, &covered, &shown);
        if now < before {
            open.push((now, Reverse(at)));
            continue;
        }
        if worthy.is_none() && bound.is_some_and(|bound| now < bound.asked(length)) {
            worthy = Some((order.len(), covered.clone()));
        }
        order.push(at);
        length += candidates[at].cost;
        covered.extend(candidates[at].edges);
        shown.extend(candidates[at].shows);
    }
    let (worthy, covered) = worthy.unwrap_or((order.len(), covered));
    Taken { order, worthy, covered }
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
            gave: Gave::Nothing,
            is_slow: false,
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
        let mut out = LeftOut::default();
        choose(&mut tests, &table, Size::Default, &mut out);
        assert!(tests.len() < 1_000 && tests.iter().all(|test| test.needs == 20), "{}", tests.len());
        assert_eq!(out.tests, 2_000 - tests.len());
        assert_eq!(out.edges.len(), 21_000 - 20 * tests.len());
        let mut small = all.clone();
        choose(&mut small, &table, Size::Small, &mut LeftOut::default());
        assert!(small.len() < tests.len(), "{}", small.len());
        let mut whole = all;
        let mut out = LeftOut::default();
        choose(&mut whole, &table, Size::All, &mut out);
        assert_eq!((whole.len(), out), (2_000, LeftOut::default()));
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
        let mut out = LeftOut::default();
        choose(&mut tests, &table, Size::Default, &mut out);
        assert_eq!(left(&tests), [0, 1], "one adds nothing, one takes ninety lines for an edge");
        assert_eq!(out, LeftOut { tests: 2, edges: BTreeSet::from([ProbeId(10)]) });
    }

    #[test]
    fn a_slow_test_has_to_bring_more() {
        let mut table = OperationTable::new();
        let mut tests = vec![test(&mut table, 0, 12, 0..1), test(&mut table, 1, 12, 1..2)];
        tests[1].is_slow = true;
        choose(&mut tests, &table, Size::Default, &mut LeftOut::default());
        assert_eq!(left(&tests), [0]);
    }

    fn run(callable: u32, lines: u32, edges: std::ops::Range<u32>) -> Witness {
        Witness {
            callable: CallableId(callable),
            steps: Vec::new(),
            ending: Ended::Returned,
            gave: Gave::Nothing,
            edges: edges.map(ProbeId).collect(),
            length: lines * LINE,
        }
    }

    #[test]
    fn runs_that_can_hardly_be_written_come_last() {
        let mut all: Vec<Witness> = (0..4_000).map(|at| run(at, 10, at..at + 1)).collect();
        all.push(run(4_000, 20, 5_000..5_060));
        let runs: Vec<&Witness> = all.iter().collect();
        let default = rank(&runs, Size::Default);
        assert_eq!((default.order[0], default.order.len()), (4_000, 4_001), "the best first");
        assert!(default.promising < 1_500, "{}", default.promising);
        let small = rank(&runs, Size::Small);
        assert_eq!(small.order, default.order);
        assert!(small.promising < default.promising / 3);
        assert_eq!(rank(&runs, Size::All).promising, 4_001);
        // Of little code everything is written.
        assert_eq!(rank(&runs[3_900..], Size::Small).promising, 101);
    }
}
