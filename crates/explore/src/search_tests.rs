//! The search on a made-up counter, without a JVM.

use probat_analysis::World;
use probat_model::{
    ClassName, End, Observation, Operation, OperationTable, Slow, StateHash, StateSeen, StepId,
};
use probat_protocol::Item;

use crate::{Choices, Explorer, Limit, MethodFilter, Options, Plan, Pool, Pools, Strategy, plan};

/// `java.util.concurrent.atomic.AtomicInteger` would do; any class with an int method does for planning.
fn counter(table: &mut OperationTable) -> Plan {
    let none = |_: &ClassName| -> Option<Vec<u8>> { None };
    let mut world = World::new(&none);
    let mut pools = Pools::new(vec![Pool::parse("int=1..2").unwrap()]);
    let choices = Choices { methods: vec![MethodFilter::parse("add").unwrap()], ..Choices::default() };
    // A class that is not there has no members: the plan is an error that says so.
    assert!(plan(&mut world, &ClassName::internal("a/Counter"), &choices, &mut pools, table).is_err());
    crate::plan::for_tests(table)
}

/// A counter modulo 7 that refuses to go beyond 5.
fn run(table: &OperationTable, item: &Item) -> Observation {
    let mut value = 0;
    let mut end = End::Completed;
    for (at, step) in item.sequence.steps().iter().enumerate() {
        if let Operation::Call { .. } = table.get(step.operation) {
            let arg = item.sequence.steps()[usize::from(step.args[1].0)].operation;
            let Operation::Literal(probat_model::Literal::Int(by)) = table.get(arg) else { panic!() };
            if value + by > 5 {
                end = End::Threw(StepId(at as u16));
                break;
            }
            value += by;
        }
    }
    let seen = StateSeen { hash: StateHash(value as u128), tokens: 1, truncated: false, stored: None };
    Observation {
        states: vec![(end == End::Completed).then_some(seen)],
        end,
        steps: Vec::new(),
        edges: Vec::new(),
        violations: Vec::new(),
        taints: Vec::new(),
        leaks: Vec::new(),
        compared: Vec::new(),
        slow: Slow(false),
    }
}

fn explore(bound: u16, size: usize, most: usize) -> crate::Exploration {
    let mut table = OperationTable::new();
    let plan = counter(&mut table);
    let mut explorer =
        Explorer::new(plan, table, Options { bound, strategy: Strategy::Rerun, keep_links: true });
    let mut batches = 0;
    while !explorer.is_done() {
        let Some(batch) = explorer.batch(size) else { panic!("stuck") };
        let seen = batch.items.iter().map(|item| run(explorer.table(), item)).collect();
        explorer.absorb(batch, seen);
        batches += 1;
        if batches == most {
            return explorer.finish(Some(Limit::Time));
        }
    }
    explorer.finish(None)
}

#[test]
fn every_state_is_expanded_once_and_cut_into_batches_at_will() {
    let whole = explore(9, 1000, usize::MAX);
    assert_eq!((whole.nodes.len(), whole.tests, whole.constructor_tests), (6, 12, 1));
    assert_eq!(whole.levels.iter().map(|level| level.states).collect::<Vec<_>>(), [1, 2, 2, 1, 0]);
    assert!(whole.is_closed);
    let cut = explore(9, 1, usize::MAX);
    assert_eq!((cut.nodes.len(), cut.tests), (6, 12));
    assert_eq!(cut.threw[0].tests, whole.threw[0].tests);
    assert_eq!(whole.test_text(whole.threw[0].first), "new Counter(); add(2); add(2); add(2)");
}

#[test]
fn the_bound_is_the_number_of_calls() {
    let short = explore(2, 10, usize::MAX);
    assert_eq!((short.nodes.len(), short.tests), (5, 6));
    assert!(!short.is_closed);
}

#[test]
fn a_limit_leaves_what_was_found() {
    let part = explore(9, 2, 3);
    assert_eq!(part.ended_by, Some(Limit::Time));
    assert!(!part.is_closed && part.nodes.len() > 1);
}

#[test]
fn the_graph_has_a_row_per_level_and_calls_on_its_edges() {
    let found = explore(2, 10, usize::MAX);
    let whole = crate::graph(&found, 100);
    assert_eq!(whole.levels.iter().map(Vec::len).collect::<Vec<_>>(), [1, 2, 2]);
    let dot = crate::dot(&whole);
    assert!(dot.contains("s0 -> s1 [label=\"add(1)\"];"), "{dot}");
    let part = crate::graph(&found, 3);
    assert_eq!((part.levels.len(), part.left_out), (2, 2));
    let svg = crate::svg(&part);
    assert!(svg.contains("2 states of deeper levels are not drawn"), "{svg}");
    assert_eq!(svg.matches("<circle").count(), 3);
    assert_eq!(svg, crate::svg(&crate::graph(&found, 3)));
}

/// Spec 000 row 30.
#[test]
fn calls_that_change_nothing_share_a_test_and_others_are_as_short_as_can_be() {
    let found = explore(2, 10, usize::MAX);
    let (tests, is_whole) = crate::explored_tests(&found, 100);
    assert!(is_whole);
    // No call of the counter leaves it as it is; the first two calls are on the way to the states that have tests.
    let titles: Vec<&str> = tests.iter().map(|test| test.title.as_str()).collect();
    let wanted = ["add(1); add(1)", "add(1); add(2)", "add(2); add(1)", "add(2); add(2)"];
    assert_eq!(titles, wanted.map(|calls| format!("new Counter(); {calls}")));
    assert_eq!(tests.iter().map(|test| test.tried.len()).collect::<Vec<_>>(), [2, 1, 2, 1]);
    assert_eq!(crate::explored_tests(&found, 2).0.len(), 2);
}
