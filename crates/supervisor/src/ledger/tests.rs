//! The ledger's rules, shown without processes.

use super::*;
use probat_model::{Literal, OperationTable, Sequence};

/// Items of one step each; the step's operation is the number given.
fn items(operations: &[i32]) -> (OperationTable, Vec<Item>) {
    let mut table = OperationTable::new();
    for value in 0..10 {
        table.intern(Operation::Literal(Literal::Int(value)));
    }
    let item = |&value: &i32| {
        let mut sequence = Sequence::new();
        sequence.push(&table, OperationId(value as u32), []).unwrap();
        Item { sequence, ..Item::default() }
    };
    let items = operations.iter().map(item).collect();
    (table, items)
}

fn terms(lanes: usize, batch_size: usize) -> Terms {
    Terms { lanes, at_once: lanes, steady: false, batch_size, in_flight: 2, quarantine_after: Some(2) }
}

fn ledger(lanes: usize, batch_size: usize, operations: &[i32]) -> (Ledger, u64) {
    ledger_on(terms(lanes, batch_size), operations)
}

fn ledger_on(terms: Terms, operations: &[i32]) -> (Ledger, u64) {
    let lanes = terms.lanes;
    let mut ledger = Ledger::new(terms);
    let (table, items) = items(operations);
    ledger.define(table.since(0));
    let ticket = ledger.submit(items);
    for lane in 0..lanes {
        ledger.open(lane);
    }
    (ledger, ticket)
}

/// A result that can be told from others.
fn seen(number: u16) -> Observation {
    Observation { end: End::Threw(StepId(number)), ..died(None, DeathCause::Exited(0)) }
}

fn numbers(results: &[Observation]) -> Vec<i64> {
    let number = |seen: &Observation| match &seen.end {
        End::Threw(step) => i64::from(step.0),
        End::Died { step: Some(_), .. } => -1,
        _ => -2,
    };
    results.iter().map(number).collect()
}

fn dies(batch: Option<u64>, item: u32) -> Ending {
    let place = Place::At { batch, item, step: Some(StepId(0)) };
    Ending::Died { cause: DeathCause::Signalled(11), place }
}

/// Answers a parcel with the position of each item in its ticket.
fn answer(ledger: &mut Ledger, lane: usize, parcel: &Parcel) {
    let results = parcel.job.range.clone().map(|at| seen(at as u16)).collect();
    ledger.results(lane, parcel.batch, results).unwrap();
}

#[test]
fn results_come_in_order_whoever_answers_first() {
    let (mut ledger, ticket) = ledger(2, 2, &[0, 1, 2, 3]);
    let (first, second) = (ledger.take(0).unwrap(), ledger.take(1).unwrap());
    answer(&mut ledger, 1, &second);
    assert_eq!(ledger.take_results(ticket), None);
    answer(&mut ledger, 0, &first);
    assert_eq!(numbers(&ledger.take_results(ticket).unwrap()), [0, 1, 2, 3]);
    assert_eq!(ledger.oldest(), None);
}

#[test]
fn a_lane_is_fed_ahead_but_not_without_bound() {
    let (mut ledger, _) = ledger(1, 1, &[0, 1, 2]);
    let first = ledger.take(0).unwrap();
    assert!(ledger.take(0).is_some());
    assert!(ledger.take(0).is_none());
    answer(&mut ledger, 0, &first);
    assert!(ledger.take(0).is_some());
}

/// Which items each lane is sent, in order, if lanes are asked in turn as the list says.
fn sent(terms: Terms, asked: &[usize]) -> Vec<Vec<usize>> {
    let (mut ledger, _) = ledger_on(terms, &[0; 8]);
    let mut sent = vec![Vec::new(); terms.lanes];
    for &lane in asked {
        if let Some(parcel) = ledger.take(lane) {
            sent[lane].extend(parcel.job.range.clone());
            answer(&mut ledger, lane, &parcel);
        }
    }
    sent
}

#[test]
fn where_lanes_are_fixed_each_gets_the_same_whoever_is_free() {
    let steady = Terms { steady: true, ..terms(2, 2) };
    let even = sent(steady, &[0, 1, 0, 1]);
    assert_eq!(even, [vec![0, 1, 4, 5], vec![2, 3, 6, 7]]);
    assert_eq!(sent(steady, &[1, 1, 1, 0, 0, 0]), even);
    assert_ne!(sent(terms(2, 2), &[1, 1, 1, 0, 0, 0]), even);
}

#[test]
fn a_dead_lanes_items_wait_for_its_next_worker_where_lanes_are_fixed() {
    let (mut ledger, ticket) = ledger_on(Terms { steady: true, ..terms(2, 4) }, &[0; 8]);
    let (first, second) = (ledger.take(0).unwrap(), ledger.take(1).unwrap());
    ledger.ended(0, &dies(Some(first.batch), 1));
    answer(&mut ledger, 1, &second);
    assert!(ledger.take(1).is_none() && !ledger.has_work_for(1) && ledger.has_work_for(0));
    ledger.open(0);
    let alone = ledger.take(0).unwrap();
    assert_eq!(alone.job.range, 1..2);
    answer(&mut ledger, 0, &alone);
    for rest in [0..1, 2..4] {
        let parcel = ledger.take(0).unwrap();
        assert_eq!(parcel.job.range, rest);
        answer(&mut ledger, 0, &parcel);
    }
    assert_eq!(numbers(&ledger.take_results(ticket).unwrap()), [0, 1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn no_more_lanes_work_at_once_than_may() {
    let (mut ledger, _) = ledger_on(Terms { steady: true, at_once: 1, ..terms(2, 4) }, &[0; 8]);
    let first = ledger.take(0).unwrap();
    assert!(ledger.take(1).is_none());
    answer(&mut ledger, 0, &first);
    assert!(ledger.take(1).is_some());
}

#[test]
fn small_rounds_are_shared_among_lanes() {
    let (mut ledger, _) = ledger(2, 64, &[0; 64]);
    assert_eq!(ledger.take(0).unwrap().job.items().len(), 16);
}

#[test]
fn operations_are_defined_once_per_worker() {
    let (mut ledger, _) = ledger(1, 1, &[0, 1, 2]);
    assert_eq!(ledger.take(0).unwrap().definitions.len(), 1);
    assert_eq!(ledger.take(0).unwrap().definitions.len(), 0);
    ledger.define(&[Operation::ArrayLength]);
    ledger.ended(0, &Ending::Blameless);
    ledger.open(0);
    assert_eq!(ledger.take(0).unwrap().definitions.len(), 2);
    assert_eq!((ledger.operations(), ledger.describe(OperationId(10)).as_str()), (11, "array length"));
}

#[test]
fn the_culprit_is_run_alone_and_the_rest_again() {
    let (mut ledger, ticket) = ledger(1, 4, &[0, 1, 2, 3]);
    let parcel = ledger.take(0).unwrap();
    ledger.results(0, parcel.batch, vec![seen(0)]).unwrap();
    let settlement = ledger.ended(0, &dies(Some(parcel.batch), 2));
    let culprit = settlement.culprit.unwrap();
    assert_eq!((culprit.item, culprit.description.as_str()), (2, "2"));
    assert_eq!((settlement.confirmed, settlement.progress), (false, true));
    ledger.open(0);
    let alone = ledger.take(0).unwrap();
    assert_eq!(alone.job.range, 2..3);
    assert!(ledger.take(0).is_none(), "nothing else while a suspect runs");
    answer(&mut ledger, 0, &alone);
    let rest: Vec<_> = std::iter::from_fn(|| ledger.take(0)).collect();
    assert_eq!(rest.iter().map(|parcel| parcel.job.range.clone()).collect::<Vec<_>>(), [1..2, 3..4]);
    rest.iter().for_each(|parcel| answer(&mut ledger, 0, parcel));
    assert_eq!(numbers(&ledger.take_results(ticket).unwrap()), [0, 1, 2, 3]);
}

#[test]
fn a_worker_that_is_not_fresh_gets_no_suspect() {
    let (mut ledger, _) = ledger(2, 1, &[0, 1, 2, 3]);
    let (used, dying) = (ledger.take(0).unwrap(), ledger.take(1).unwrap());
    ledger.ended(1, &dies(Some(dying.batch), 0));
    answer(&mut ledger, 0, &used);
    assert_eq!(ledger.take(0).unwrap().job.range, 2..3);
    ledger.open(1);
    assert_eq!(ledger.take(1).unwrap().job.range, 1..2);
}

/// Runs everything, dying of operation 5; lanes answer in the order given by `turns`.
fn run_with_killer(lanes: usize, operations: &[i32], turns: &[usize]) -> Vec<i64> {
    let (mut ledger, ticket) = ledger(lanes, 2, operations);
    let mut waiting: Vec<VecDeque<Parcel>> = (0..lanes).map(|_| VecDeque::new()).collect();
    for turn in turns.iter().cycle().take(1000) {
        let lane = turn % lanes;
        while let Some(parcel) = ledger.take(lane) {
            waiting[lane].push_back(parcel);
        }
        let Some(parcel) = waiting[lane].pop_front() else { continue };
        let killer = |item: &Item| item.sequence.steps()[0].operation == OperationId(5);
        match parcel.job.items().iter().position(killer) {
            None => answer(&mut ledger, lane, &parcel),
            Some(at) => {
                ledger.ended(lane, &dies(Some(parcel.batch), at as u32));
                waiting[lane].clear();
                ledger.open(lane);
            }
        }
    }
    numbers(&ledger.take_results(ticket).unwrap())
}

#[test]
fn what_is_refused_depends_on_order_alone() {
    let operations = [0, 5, 1, 5, 5, 2, 3, 5, 4, 5, 1, 1];
    let expected = [0, -1, 2, -1, -1, 5, 6, -1, 8, -1, 10, 11];
    for (lanes, turns) in [(1, &[0][..]), (2, &[0, 1]), (2, &[1, 1, 1, 0]), (3, &[2, 1, 0, 2, 2])] {
        assert_eq!(run_with_killer(lanes, &operations, turns), expected, "{lanes} lanes, {turns:?}");
    }
}

#[test]
fn quarantine_begins_after_the_threshold_in_submission_order() {
    let (mut ledger, ticket) = ledger(1, 1, &[5, 5, 5]);
    for _ in 0..2 {
        for confirmed in [false, true] {
            let parcel = ledger.take(0).unwrap();
            assert_eq!(ledger.ended(0, &dies(Some(parcel.batch), 0)).confirmed, confirmed);
            ledger.open(0);
        }
    }
    assert!(ledger.take(0).is_none(), "the third is answered without a worker");
    assert_eq!(numbers(&ledger.take_results(ticket).unwrap()), [-1, -1, -1]);
    assert_eq!((ledger.items_refused, ledger.quarantined().len()), (1, 1));
    assert_eq!(ledger.quarantined()[0].deaths, 2);
}

#[test]
fn the_spent_are_replaced_without_blame() {
    let (mut ledger, ticket) = ledger(1, 4, &[0, 1, 2]);
    let parcel = ledger.take(0).unwrap();
    ledger.results(0, parcel.batch, vec![seen(0), seen(1)]).unwrap();
    let settlement = ledger.ended(0, &Ending::Blameless);
    assert_eq!((settlement.culprit, settlement.had_work), (None, true));
    ledger.open(0);
    let rest = ledger.take(0).unwrap();
    assert_eq!(rest.job.range, 2..3);
    answer(&mut ledger, 0, &rest);
    assert_eq!(numbers(&ledger.take_results(ticket).unwrap()), [0, 1, 2]);
}

#[test]
fn a_place_that_fits_nothing_accuses_only_without_progress() {
    let (mut ledger, _) = ledger(1, 2, &[0, 1, 2, 3]);
    let parcel = ledger.take(0).unwrap();
    answer(&mut ledger, 0, &parcel);
    ledger.take(0).unwrap();
    // The place is of the batch already answered.
    assert_eq!(ledger.ended(0, &dies(Some(parcel.batch), 1)).culprit, None);
    ledger.open(0);
    ledger.take(0).unwrap();
    let settlement = ledger.ended(0, &dies(Some(999), 70_000));
    assert_eq!(settlement.culprit.map(|culprit| (culprit.item, culprit.step)), Some((2, None)));
    assert!(!settlement.progress);
}

/// A lane may meet one killer after another while other lanes run the suspects: that is no fleet to give up.
#[test]
fn an_item_seen_to_kill_is_progress_though_others_judge_it() {
    let (mut ledger, ticket) = ledger(2, 1, &[5, 6, 7, 8]);
    for _ in 0..4 {
        let parcel = ledger.take(0).unwrap();
        let settlement = ledger.ended(0, &dies(Some(parcel.batch), 0));
        assert_eq!((settlement.confirmed, settlement.progress), (false, true));
        ledger.open(0);
        let suspect = ledger.take(1).unwrap();
        assert_eq!(suspect.job.range, parcel.job.range);
        assert!(ledger.ended(1, &dies(Some(suspect.batch), 0)).confirmed);
        ledger.open(1);
    }
    assert_eq!(numbers(&ledger.take_results(ticket).unwrap()), [-1; 4]);
}

#[test]
fn a_broken_pipe_leads_to_its_item_one_by_one() {
    let (mut ledger, ticket) = ledger(1, 4, &[0, 1, 2, 3]);
    let broken = || Ending::Died { cause: DeathCause::Protocol("garbage".into()), place: Place::InDueBatch };
    ledger.take(0).unwrap();
    assert_eq!(ledger.ended(0, &broken()).culprit, None);
    ledger.open(0);
    let (first, second) = (ledger.take(0).unwrap(), ledger.take(0).unwrap());
    assert_eq!((first.job.range.clone(), second.job.range), (0..1, 1..2));
    answer(&mut ledger, 0, &first);
    assert_eq!(ledger.ended(0, &broken()).culprit.unwrap().item, 1);
    ledger.open(0);
    assert_eq!(ledger.take(0).unwrap().job.range, 1..2);
    assert!(ledger.ended(0, &broken()).confirmed);
    ledger.open(0);
    while let Some(parcel) = ledger.take(0) {
        answer(&mut ledger, 0, &parcel);
    }
    assert_eq!(numbers(&ledger.take_results(ticket).unwrap()), [0, -2, 2, 3]);
}

#[test]
fn a_suspect_never_reached_is_tried_again_and_then_condemned() {
    let (mut ledger, ticket) = ledger(1, 1, &[0]);
    let parcel = ledger.take(0).unwrap();
    ledger.ended(0, &dies(Some(parcel.batch), 0));
    let mut confirmed = Vec::new();
    for _ in 0..3 {
        ledger.open(0);
        ledger.take(0).unwrap();
        confirmed.push(ledger.ended(0, &dies(Some(0), 0)).confirmed);
    }
    assert_eq!(confirmed, [false, false, true]);
    assert_eq!(numbers(&ledger.take_results(ticket).unwrap()), [-2]);
}

#[test]
fn results_nobody_asked_for_are_refused() {
    let (mut ledger, _) = ledger(1, 2, &[0, 1]);
    assert!(ledger.results(0, 1, vec![]).is_err());
    let parcel = ledger.take(0).unwrap();
    assert!(ledger.results(0, parcel.batch + 1, vec![]).is_err());
    assert!(ledger.results(0, parcel.batch, vec![seen(0), seen(1), seen(2)]).is_err());
}

#[test]
fn an_empty_ticket_is_settled_at_once() {
    let (mut ledger, _) = ledger(1, 2, &[]);
    assert_eq!(ledger.take_results(0), Some(Vec::new()));
}
