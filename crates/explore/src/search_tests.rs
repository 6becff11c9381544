//! The search on a made-up counter, without a JVM.

use probat_analysis::World;
use probat_model::{
    ClassName, End, Observation, Operation, OperationTable, Slow, StateHash, StateSeen, StepId, StoredState,
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
    run_with(table, item, 0)
}

/// The same, where a snapshot comes back as a value that is wrong by `skew`.
fn run_with(table: &OperationTable, item: &Item, skew: i32) -> Observation {
    let mut value = 0;
    let mut end = End::Completed;
    for (at, step) in item.sequence.steps().iter().enumerate() {
        if let Operation::Restore(stored) = table.get(step.operation) {
            value = i32::from(stored.tokens[0]) + skew;
        }
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
    let stored = StoredState { tokens: vec![value as u8], layouts: Vec::new() };
    let stored = item.observe.states[0].stored.then_some(stored);
    let seen = StateSeen { hash: StateHash(value as u128), tokens: 1, truncated: false, stored };
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
    explore_with(Options { keep_links: true, ..Options::unlimited(bound, Strategy::Rerun) }, size, most)
}

fn explore_with(options: Options, size: usize, most: usize) -> crate::Exploration {
    let mut table = OperationTable::new();
    let plan = counter(&mut table);
    let mut explorer = Explorer::new(plan, table, options);
    let mut batches = 0;
    while !explorer.is_done() {
        let Some(batch) = explorer.batch(size) else { panic!("stuck") };
        let seen = batch.items.iter().map(|item| run(explorer.table(), item)).collect();
        explorer.absorb(batch, seen);
        batches += 1;
        if batches == most {
            return explorer.finish(Some(Limit::Time));
        }
        if let Some(limit) = explorer.full() {
            return explorer.finish(Some(limit));
        }
    }
    explorer.finish(None)
}

/// Spec 000 row 31: a limit is kept to, whatever the size of batches.
#[test]
fn limits_are_kept_to_and_leave_the_same_whatever_the_batches() {
    for size in [1, 3, 1000] {
        let options = Options::unlimited(9, Strategy::Rerun);
        let few = explore_with(Options { most_states: 4, ..options }, size, usize::MAX);
        assert_eq!((few.nodes.len(), few.tests, few.ended_by), (4, 5, Some(Limit::States)), "{size}");
        // As many as there are is no limit.
        let all = explore_with(Options { most_states: 6, ..options }, size, usize::MAX);
        assert_eq!((all.nodes.len(), all.tests, all.ended_by), (6, 12, None), "{size}");
        let small = explore_with(Options { most_bytes: 1, ..options }, size, usize::MAX);
        assert_eq!((small.nodes.len(), small.tests, small.ended_by), (1, 0, Some(Limit::Memory)), "{size}");
    }
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

/// Of a graph that is too large, the first whole levels are drawn, and the rest is counted.
#[test]
fn of_large_graphs_the_first_levels_are_drawn() {
    let found = explore(9, 1000, usize::MAX);
    let sizes = |most| {
        let drawn = crate::graph(&found, most);
        (drawn.levels.iter().map(Vec::len).collect::<Vec<_>>(), drawn.left_out)
    };
    assert_eq!(sizes(100), (vec![1, 2, 2, 1], 0));
    assert_eq!(sizes(4), (vec![1, 2], 3));
    let part = crate::graph(&found, 4);
    assert!(part.edges.iter().all(|edge| edge.from.0 < 3 && edge.to.0 < 3), "{:?}", part.edges);
    assert!(crate::dot(&part).contains("digraph"));
    assert_eq!(crate::svg(&part).matches("<circle").count(), 3);
}

/// What was found, as far as the way must not matter.
fn found(explored: &crate::Exploration) -> (usize, u64, Vec<crate::Level>, String) {
    let threw = explored.threw.iter().map(|threw| explored.test_text(threw.first)).collect();
    (explored.nodes.len(), explored.tests, explored.levels.clone(), threw)
}

#[test]
fn a_search_may_change_its_way_at_any_batch() {
    let whole = found(&explore(9, 1000, usize::MAX));
    let mut restored = 0;
    for size in [1, 2, 3, 5] {
        for every in [1, 2, 3] {
            let mut table = OperationTable::new();
            let plan = counter(&mut table);
            let options = Options { may_change: true, ..Options::unlimited(9, Strategy::Rerun) };
            let mut explorer = Explorer::new(plan, table, options);
            let mut batches = 0;
            while let Some(batch) = explorer.batch(size) {
                let is_restore = |item: &&Item| {
                    let first = item.sequence.steps()[0].operation;
                    matches!(explorer.table().get(first), Operation::Restore(_))
                };
                restored += batch.items.iter().filter(is_restore).count();
                let seen = batch.items.iter().map(|item| run(explorer.table(), item)).collect();
                explorer.absorb(batch, seen);
                batches += 1;
                let restores = (batches / every) % 2 == 0;
                explorer.go_on_with(if restores { Strategy::Restore } else { Strategy::Rerun });
            }
            assert_eq!(found(&explorer.finish(None)), whole, "{size} {every}");
        }
    }
    assert!(restored > 0, "some snapshot was put back");
}

/// A sample is a part of the search, whichever of its two forms is absorbed; a snapshot that comes back wrong is seen.
#[test]
fn a_sample_runs_both_ways_and_tells_where_they_differ() {
    let whole = found(&explore(9, 1000, usize::MAX));
    for (skew, takes_snapshots) in [(0, false), (0, true), (1, false)] {
        let mut table = OperationTable::new();
        let plan = counter(&mut table);
        let mut explorer = Explorer::new(plan, table, Options::unlimited(9, Strategy::Rerun));
        assert!(!explorer.has_sample(1), "no state is known");
        let one = |explorer: &mut Explorer| {
            let batch = explorer.batch(3).expect("there is more");
            let seen = batch.items.iter().map(|item| run(explorer.table(), item)).collect();
            explorer.absorb(batch, seen);
        };
        one(&mut explorer);
        one(&mut explorer);
        assert!(explorer.has_sample(2) && !explorer.has_sample(100));
        let calls = explorer.sample(2).expect("there is a sample");
        let taken = explorer.snapshots_for(&calls);
        let taken = taken.iter().map(|item| run(explorer.table(), item)).collect();
        let snapshots = explorer.with_snapshots(&calls, taken).expect("all have snapshots");
        assert_eq!((calls.items.len(), snapshots.items.len()), (2, 2));
        let by_calls: Vec<_> = calls.items.iter().map(|item| run(explorer.table(), item)).collect();
        let by_snapshots: Vec<_> =
            snapshots.items.iter().map(|item| run_with(explorer.table(), item, skew)).collect();
        assert_eq!(calls.agrees(&by_calls, &snapshots, &by_snapshots), skew == 0);
        match takes_snapshots {
            true => explorer.absorb(snapshots, by_snapshots),
            false => explorer.absorb(calls, by_calls),
        }
        while !explorer.is_done() {
            one(&mut explorer);
        }
        assert_eq!(found(&explorer.finish(None)), whole, "{skew} {takes_snapshots}");
    }
}

#[test]
fn a_search_that_begins_again_finds_everything() {
    let mut table = OperationTable::new();
    let plan = counter(&mut table);
    let mut explorer = Explorer::new(plan, table, Options::unlimited(9, Strategy::Restore));
    let all = |explorer: &mut Explorer, skew: i32| {
        while let Some(batch) = explorer.batch(4) {
            let seen = batch.items.iter().map(|item| run_with(explorer.table(), item, skew)).collect();
            explorer.absorb(batch, seen);
        }
    };
    all(&mut explorer, 2);
    let known = explorer.table().len();
    explorer.restart();
    assert_eq!((explorer.progress().states, explorer.strategy()), (0, Strategy::Rerun));
    assert_eq!(explorer.table().len(), known, "workers know these operations");
    all(&mut explorer, 0);
    assert_eq!(found(&explorer.finish(None)), found(&explore(9, 1000, usize::MAX)));
}
