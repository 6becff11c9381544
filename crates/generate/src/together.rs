//! Cases that belong together.
//!
//! In: the tests of one class. Out: sets of them, each written as one method: calls of one method that come to the same kind of end, and single
//! cases of one method that at least all return or all throw. A set is small enough to be read at a glance; what is long stands alone.

use std::collections::BTreeMap;

use probat_emit::{Ending, Expected, lines};
use probat_model::{ClassName, Operation, OperationTable};

use crate::naming::Unnamed;

/// Cases in one method, and about how many lines they may take.
const CASES: usize = 12;
const LINES: usize = 24;

/// Lines of a case that stands alone.
const LONG: usize = 10;

/// Kinds of outcome that are not told in one breath.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Throws(ClassName),
    Null,
    NotNull,
    Boolean(bool),
    Value,
    Nothing,
}

/// The kind of outcome of a test that passes.
pub(crate) fn kind(test: &Unnamed<'_>) -> Option<Kind> {
    if !test.case.caught.is_empty() {
        return None;
    }
    Some(match (&test.case.ending, test.result) {
        (Ending::Throws { class, .. }, _) => Kind::Throws(class.clone()),
        (Ending::Breaks { .. } | Ending::BreaksRule { .. }, _) => return None,
        (Ending::Returns, Some(Expected::Null)) => Kind::Null,
        (Ending::Returns, Some(Expected::NotNull)) => Kind::NotNull,
        (Ending::Returns, Some(Expected::Boolean(is))) => Kind::Boolean(*is),
        (Ending::Returns, Some(_)) => Kind::Value,
        (Ending::Returns, None) => Kind::Nothing,
    })
}

/// What is called, whatever its parameters, and how that ends.
type Key<'a> = (&'a ClassName, &'a str, Kind);

/// Places of the tests that belong together, in the order they are written; every test is in one set.
pub(crate) fn together(tests: &[Unnamed<'_>], table: &OperationTable) -> Vec<Vec<usize>> {
    let mut sets: Vec<Vec<usize>> = Vec::new();
    let mut alike: BTreeMap<Key<'_>, Vec<usize>> = BTreeMap::new();
    for (at, test) in tests.iter().enumerate() {
        let called = called(table.get(test.operation)).filter(|_| lines(test.case, table) <= LONG);
        match called.zip(kind(test)) {
            Some(((class, name), kind)) => alike.entry((class, name, kind)).or_default().push(at),
            None => sets.push(vec![at]),
        }
    }
    for mut cases in without_loners(alike) {
        // Overloads side by side, the simplest case first.
        cases.sort_by_key(|&at| (tests[at].operation, lines(tests[at].case, table), at));
        let all: usize = cases.iter().map(|&at| lines(tests[at].case, table)).sum();
        let methods = cases.len().div_ceil(CASES).max(all.div_ceil(LINES)).max(1);
        sets.extend(cases.chunks(cases.len().div_ceil(methods)).map(<[usize]>::to_vec));
    }
    sets
}

/// The sets, with those of a single case put together where they are of one method and all return, or all throw.
fn without_loners(alike: BTreeMap<Key<'_>, Vec<usize>>) -> Vec<Vec<usize>> {
    let mut loners: BTreeMap<(&ClassName, &str, bool), Vec<usize>> = BTreeMap::new();
    let mut sets = Vec::new();
    for ((class, name, kind), cases) in alike {
        match cases.as_slice() {
            [_] => {
                loners.entry((class, name, matches!(kind, Kind::Throws(_)))).or_default().extend(cases);
            }
            _ => sets.push(cases),
        }
    }
    sets.extend(loners.into_values());
    sets
}

/// The method or constructor, whatever its parameters.
fn called(operation: &Operation) -> Option<(&ClassName, &str)> {
    match operation {
        Operation::Construct { class, .. } => Some((class, "<init>")),
        Operation::Call { class, name, .. } | Operation::CallStatic { class, name, .. } => {
            Some((class, name))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probat_emit::TestCase;
    use probat_model::{MethodDescriptor, Step};

    type End = (Ending, Option<Expected>);

    fn returns(value: Expected) -> End {
        (Ending::Returns, Some(value))
    }

    fn throws(class: &str) -> End {
        (Ending::Throws { class: ClassName::internal(class), message: None }, None)
    }

    /// Sets of tests, each given as a method, how often it is called, and how that ends.
    fn sets(all: &[(&str, usize, End)]) -> Vec<Vec<usize>> {
        let mut table = OperationTable::new();
        let tests: Vec<_> = all
            .iter()
            .map(|(name, calls, (ending, result))| {
                let operation = table.intern(Operation::CallStatic {
                    class: ClassName::internal("shop/Cart"),
                    name: (*name).into(),
                    descriptor: MethodDescriptor { params: Vec::new(), returns: None },
                    interface: false,
                });
                let steps = vec![Step { operation, args: Default::default() }; *calls];
                let (checks, caught, notes, ending) = (Vec::new(), Vec::new(), Vec::new(), ending.clone());
                let name = String::new();
                (
                    TestCase { name, steps, checks, caught, ending, notes, raw: false },
                    operation,
                    result.clone(),
                )
            })
            .collect();
        let unnamed: Vec<Unnamed<'_>> = tests
            .iter()
            .map(|(case, operation, result)| Unnamed::alone(case, *operation, result.as_ref()))
            .collect();
        let mut found = together(&unnamed, &table);
        found.sort();
        found
    }

    #[test]
    fn cases_of_one_method_with_one_kind_of_end_share_a_method() {
        let found = sets(&[
            ("isEmpty", 1, returns(Expected::Boolean(true))),
            ("isEmpty", 1, returns(Expected::Boolean(false))),
            ("isEmpty", 1, returns(Expected::Boolean(true))),
            ("isEmpty", 1, returns(Expected::Boolean(false))),
            ("size", 1, returns(Expected::Int(3))),
            ("size", 1, returns(Expected::Int(5))),
        ]);
        assert_eq!(found, [vec![0, 2], vec![1, 3], vec![4, 5]]);
    }

    #[test]
    fn single_cases_stand_together_if_all_return_or_all_throw() {
        let found = sets(&[
            ("isEmpty", 1, returns(Expected::Boolean(true))),
            ("isEmpty", 1, returns(Expected::Boolean(false))),
            ("isEmpty", 1, throws("java/lang/IllegalStateException")),
            ("isEmpty", 1, throws("java/io/IOException")),
            ("size", 1, throws("java/io/IOException")),
        ]);
        assert_eq!(found, [vec![0, 1], vec![2, 3], vec![4]]);
    }

    #[test]
    fn what_is_long_stands_alone_and_many_are_spread() {
        let one = || returns(Expected::Int(1));
        let mut all = vec![("size", LONG + 1, one())];
        all.extend((0..CASES + 2).map(|_| ("size", 1, one())));
        let found = sets(&all);
        assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), [1, 7, 7]);
    }
}
