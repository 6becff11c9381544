//! Which tests add something.
//!
//! In: tests as sets of executions, in the order they ran. Out: assessment, a minimal suite, the new tests worth adding, an order.
//! Deterministic: ties go to the test that ran first.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use crate::suite::Test;
use crate::technique::{Execution, Technique};

/// A suite under one technique.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Assessment {
    pub technique: Technique,
    /// Distinct entry states.
    pub states: usize,
    /// Distinct executions: methods with entry states.
    pub executions: usize,
    pub tests: usize,
    /// Tests that a minimal suite does without.
    pub redundant: usize,
}

/// A minimal suite: indices of tests, in the order they ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Minimal {
    pub kept: Vec<usize>,
    pub redundant: Vec<usize>,
}

/// A test in its place, with how many executions it is the first to make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ranked {
    pub test: usize,
    pub new: usize,
}

fn executions(test: &Test, technique: Technique) -> BTreeSet<Execution> {
    test.calls.iter().filter_map(|call| technique.execution(call)).collect()
}

/// Counts under one technique.
pub fn assess(tests: &[Test], technique: Technique) -> Assessment {
    let mut all = BTreeSet::new();
    for test in tests {
        all.extend(executions(test, technique));
    }
    let states: BTreeSet<_> = all.iter().map(|execution| execution.state).collect();
    let redundant = minimise(tests, technique).redundant.len();
    Assessment { technique, states: states.len(), executions: all.len(), tests: tests.len(), redundant }
}

/// Keeps tests that add an execution, in order, then drops, from the last, those whose executions others make too: going forward only
/// would keep a test that ran early although later ones cover it.
pub fn minimise(tests: &[Test], technique: Technique) -> Minimal {
    let sets: Vec<BTreeSet<Execution>> = tests.iter().map(|test| executions(test, technique)).collect();
    let mut count: BTreeMap<Execution, usize> = BTreeMap::new();
    let mut kept: Vec<usize> = Vec::new();
    for (at, set) in sets.iter().enumerate() {
        if set.iter().any(|execution| !count.contains_key(execution)) {
            kept.push(at);
            set.iter().for_each(|execution| *count.entry(*execution).or_default() += 1);
        }
    }
    let mut at = kept.len();
    while at > 0 {
        at -= 1;
        let set = &sets[kept[at]];
        if set.iter().all(|execution| count[execution] > 1) {
            for execution in set {
                *count.get_mut(execution).expect("every execution of a kept test is counted") -= 1;
            }
            kept.remove(at);
        }
    }
    let redundant = (0..tests.len()).filter(|test| kept.binary_search(test).is_err()).collect();
    Minimal { kept, redundant }
}

/// Of new tests, those that make an execution that neither the existing nor the new ones chosen before make.
pub fn select(existing: &[Test], new: &[Test], technique: Technique) -> Minimal {
    let mut seen: BTreeSet<Execution> = BTreeSet::new();
    for test in existing {
        seen.extend(executions(test, technique));
    }
    let (mut kept, mut redundant) = (Vec::new(), Vec::new());
    for (at, test) in new.iter().enumerate() {
        let set = executions(test, technique);
        if set.is_subset(&seen) {
            redundant.push(at);
        } else {
            seen.extend(set);
            kept.push(at);
        }
    }
    Minimal { kept, redundant }
}

/// All tests, the one with most new executions first, then the one that adds most to it, and so on.
///
/// What a test adds only ever shrinks, so it is counted again only when it stands first.
pub fn prioritise(tests: &[Test], technique: Technique) -> Vec<Ranked> {
    let sets: Vec<BTreeSet<Execution>> = tests.iter().map(|test| executions(test, technique)).collect();
    let mut heap: BinaryHeap<(usize, Reverse<usize>)> =
        sets.iter().enumerate().map(|(test, set)| (set.len(), Reverse(test))).collect();
    let mut seen: BTreeSet<Execution> = BTreeSet::new();
    let mut order = Vec::with_capacity(tests.len());
    while let Some((believed, Reverse(test))) = heap.pop() {
        let new = sets[test].iter().filter(|execution| !seen.contains(execution)).count();
        if new < believed {
            heap.push((new, Reverse(test)));
            continue;
        }
        seen.extend(sets[test].iter().copied());
        order.push(Ranked { test, new });
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use probat_model::StateHash;
    use probat_protocol::CallSeen;

    fn test(states: &[u128]) -> Test {
        let calls = states.iter().map(|state| CallSeen {
            method: 0,
            whole_state: StateHash(*state),
            whole_seq: None,
            modifying_seq: None,
            monitor_equals: None,
            pairwise_equals: None,
        });
        Test {
            id: String::new(),
            name: String::new(),
            calls: calls.collect(),
            threw: Vec::new(),
            edges: Vec::new(),
        }
    }

    const BY: Technique = Technique::WholeState;

    /// Spec 000 row 18.
    #[test]
    fn no_kept_test_is_redundant_in_either_order() {
        let (small, large) = (test(&[1, 2]), test(&[1, 2, 3]));
        assert_eq!(minimise(&[small.clone(), large.clone()], BY).kept, [1]);
        assert_eq!(minimise(&[large, small], BY).kept, [0]);
        let circle = [test(&[1, 2]), test(&[2, 3]), test(&[3, 1])];
        let kept = minimise(&circle, BY).kept;
        assert_eq!(kept, [0, 1]);
    }

    /// Spec 000 row 19.
    #[test]
    fn only_new_tests_that_add_something_are_selected() {
        let existing = [test(&[1, 2])];
        let new = [test(&[1]), test(&[3]), test(&[3, 2]), test(&[])];
        let chosen = select(&existing, &new, BY);
        assert_eq!((chosen.kept, chosen.redundant), (vec![1], vec![0, 2, 3]));
    }

    /// Spec 000 rows 20 and 21.
    #[test]
    fn all_tests_are_ordered_by_what_they_add() {
        let tests = [test(&[1]), test(&[1, 2, 3]), test(&[3, 4]), test(&[])];
        let order: Vec<(usize, usize)> =
            prioritise(&tests, BY).iter().map(|ranked| (ranked.test, ranked.new)).collect();
        assert_eq!(order, [(1, 3), (2, 1), (0, 0), (3, 0)]);
        let assessment = assess(&tests, BY);
        assert_eq!((assessment.states, assessment.executions, assessment.redundant), (4, 4, 2));
    }
}
