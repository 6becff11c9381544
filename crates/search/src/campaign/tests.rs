//! What a search is held to, on a counter run by an interpreter of its three operations.

use super::*;
use crate::archive::{Ending, Witness};
use crate::fake::{Fake, V};
use crate::types::fake::Lines;
use probat_model::{ClassName, MethodDescriptor, Operation};

pub(super) const LINES: Lines = Lines("");

/// A counter with `new`, `up(int)` and `down()`.
pub(super) fn counter() -> (Catalogue, Fake) {
    let (mut catalogue, mut fake) = (Catalogue::new(), Fake::new(&["Counter"]));
    fake.add(&mut catalogue, &LINES, "Counter", "new", "()V", |heap, args| {
        heap.at(&args[0]).fields = vec![V::Int(0)];
        Ok(V::Void)
    });
    fake.add(&mut catalogue, &LINES, "Counter", "up", "(I)V", |heap, args| {
        let V::Int(by) = args[1] else { panic!() };
        let sum = heap.int(&args[0], 0).wrapping_add(by);
        heap.at(&args[0]).fields[0] = V::Int(sum);
        Ok(V::Void)
    });
    fake.add(&mut catalogue, &LINES, "Counter", "down", "()V", |heap, args| match heap.int(&args[0], 0) {
        0 => Err("Empty"),
        left => {
            heap.at(&args[0]).fields[0] = V::Int(left.wrapping_sub(1));
            Ok(V::Void)
        }
    });
    (catalogue, fake)
}

pub(super) fn run(
    (catalogue, mut fake): (Catalogue, Fake),
    config: CampaignConfig,
    rounds: usize,
) -> (Campaign<'static>, Vec<Sequence>) {
    let mut campaign = Campaign::new(catalogue, &LINES, config);
    let mut all = Vec::new();
    for _ in 0..rounds {
        let round = campaign.round();
        let items: Vec<Item> = round.iter().map(|draft| campaign.item(draft)).collect();
        let seen = items.iter().map(|item| fake.observe(&campaign.catalogue.operations, item)).collect();
        let tried = items.into_iter().zip(&round).filter(|(_, draft)| matches!(draft, Draft::Try(_)));
        all.extend(tried.map(|(item, _)| item.sequence));
        campaign.absorb(round, seen);
    }
    (campaign, all)
}

pub(super) fn plain(seed: u64) -> CampaignConfig {
    let assemble = AssembleConfig { repeat: 0.0, ..AssembleConfig::default() };
    CampaignConfig { seed, round: 32, assemble, ..CampaignConfig::default() }
}

fn search(seed: u64, rounds: usize) -> (Campaign<'static>, Vec<Sequence>) {
    run(counter(), plain(seed), rounds)
}

#[test]
fn every_edge_of_the_counter_is_found() {
    let (campaign, _) = search(1, 100);
    // Each member returns; `down` throws as well.
    assert_eq!(campaign.archive().edges(), 4);
    assert!(campaign.totals().legal > 0 && campaign.totals().threw > 0);
    assert!(campaign.states() > 3);
}

/// spec 001 rows 7 and 8
#[test]
fn nothing_runs_twice_and_nothing_continues_past_an_exception() {
    let (campaign, all) = search(2, 40);
    let mut keys: Vec<u128> = all.iter().map(|sequence| key(sequence.steps())).collect();
    keys.sort_unstable();
    let before = keys.len();
    keys.dedup();
    assert_eq!(keys.len(), before);
    let threw: Vec<&Witness> = campaign
        .archive()
        .select()
        .into_iter()
        .map(|chosen| chosen.witness)
        .filter(|witness| matches!(witness.ending, Ending::Threw(_)))
        .collect();
    assert_eq!(threw.len(), 1);
    let prefix = &threw[0].steps;
    assert!(
        all.iter().all(|sequence| sequence.len() == prefix.len() || !sequence.steps().starts_with(prefix))
    );
}

/// spec 001 row 24, spec 004 row R20
#[test]
fn the_seed_decides_everything() {
    assert_eq!(search(3, 20).1, search(3, 20).1);
    assert_ne!(search(3, 20).1, search(4, 20).1);
}

#[test]
fn a_type_wanted_in_vain_is_named() {
    let (mut catalogue, _) = counter();
    let operation = Operation::Construct {
        class: ClassName::internal("Counter"),
        descriptor: MethodDescriptor::parse("(LNowhere;)V").unwrap(),
    };
    let id = catalogue.add_plain(operation, &LINES);
    catalogue.callables[id.0 as usize].owner = Some(crate::catalogue::OwnerId(0));
    let mut campaign = Campaign::new(catalogue, &LINES, CampaignConfig::default());
    campaign.round();
    let nowhere = campaign.catalogue.types.find(&Type::class("Nowhere")).unwrap();
    assert_eq!(campaign.missing().first().map(|(ty, _)| *ty), Some(nowhere));
}

/// spec 004 row R18
#[test]
fn what_a_seed_made_serves_and_one_that_throws_gives_nothing() {
    let (catalogue, mut fake) = counter();
    let operations: Vec<Operation> = catalogue
        .callables
        .iter()
        .map(|callable| catalogue.operations.get(callable.operation).clone())
        .collect();
    let mut campaign = Campaign::new(catalogue, &LINES, CampaignConfig::default());
    let mut table = probat_model::OperationTable::new();
    let [new, up, down] = [0, 1, 2].map(|at| table.intern(operations[at].clone()));
    let number = table.intern(Operation::Literal(probat_model::Literal::Int(4711)));
    let (mut good, mut bad) = (Sequence::new(), Sequence::new());
    let counter = good.push(&table, new, []).unwrap();
    let by = good.push(&table, number, []).unwrap();
    good.push(&table, up, [counter, by]).unwrap();
    let counter = bad.push(&table, new, []).unwrap();
    bad.push(&table, down, [counter]).unwrap();
    campaign.plant(&table, &good);
    campaign.plant(&table, &bad);
    let mut is_used = false;
    for _ in 0..20 {
        let round = campaign.round();
        let items: Vec<Item> = round.iter().map(|draft| campaign.item(draft)).collect();
        is_used |= round.iter().zip(&items).any(|(draft, item)| {
            let table = &campaign.catalogue.operations;
            let is_it = |operation| {
                matches!(table.get(operation), Operation::Literal(probat_model::Literal::Int(4711)))
            };
            matches!(draft, Draft::Try(_)) && item.sequence.steps().iter().any(|step| is_it(step.operation))
        });
        let seen = items.iter().map(|item| fake.observe(&campaign.catalogue.operations, item)).collect();
        campaign.absorb(round, seen);
    }
    assert!(is_used);
    assert!(
        matches!(campaign.seeded(), [Seeded::Gave(1), Seeded::Failed(Some(_))]),
        "{:?}",
        campaign.seeded()
    );
}

/// spec 001 row 35
#[test]
fn visitors_see_every_run_and_change_none() {
    use crate::visitor::{CallCounter, Visitor};
    use std::cell::Cell;
    use std::rc::Rc;

    #[derive(Default)]
    struct Balance(Rc<Cell<(usize, usize)>>);
    impl Visitor for Balance {
        fn before(&mut self, _: &probat_model::OperationTable, _: &[Step]) {
            self.0.set((self.0.get().0 + 1, self.0.get().1));
        }
        fn after(&mut self, _: &probat_model::OperationTable, _: &[Step], _: &Observation) {
            self.0.set((self.0.get().0, self.0.get().1 + 1));
        }
        fn remarks(&self, _: &probat_model::OperationTable, steps: &[Step]) -> Vec<String> {
            vec![format!("{} steps", steps.len())]
        }
    }

    let (catalogue, mut fake) = counter();
    let mut campaign = Campaign::new(catalogue, &LINES, CampaignConfig::default());
    let seen_by = Rc::new(Cell::new((0, 0)));
    campaign.visit(Box::new(Balance(Rc::clone(&seen_by))));
    campaign.visit(Box::new(CallCounter::default()));
    let down = campaign.catalogue.callables[2].operation;
    let (mut all, mut calls) = (Vec::new(), 0);
    for _ in 0..10 {
        let round = campaign.round();
        let items: Vec<Item> = round.iter().map(|draft| campaign.item(draft)).collect();
        let seen: Vec<Observation> =
            items.iter().map(|item| fake.observe(&campaign.catalogue.operations, item)).collect();
        for (item, seen) in items.iter().zip(&seen) {
            let steps = item.sequence.steps();
            calls += seen.steps.iter().filter(|(at, _)| steps[usize::from(at.0)].operation == down).count();
        }
        all.extend(items.into_iter().map(|item| item.sequence));
        campaign.absorb(round, seen);
    }
    assert_eq!(seen_by.get(), (all.len(), all.len()));
    let (_, unwatched) = run(counter(), CampaignConfig::default(), 10);
    assert_eq!(all, unwatched);
    let test: Vec<Step> = all
        .iter()
        .map(|sequence| sequence.steps().to_vec())
        .find(|steps| steps.last().is_some_and(|step| step.operation == down))
        .unwrap();
    let said = campaign.remarks(&test);
    assert_eq!(said[0], format!("{} steps", test.len()));
    assert!(
        said[1].starts_with(&format!("down was called {calls} times in the search and threw ")),
        "{said:?}"
    );
}

/// A text that calls gave is an argument of others without those calls, unless that is switched off.
#[test]
fn texts_that_calls_gave_serve_as_literals() {
    let passes_on_results = |literal_texts: bool| {
        let (mut catalogue, mut fake) = (Catalogue::new(), Fake::new(&[]));
        fake.add(&mut catalogue, &LINES, "Texts", "static shown", "(I)Ljava/lang/String;", |_, args| {
            Ok(V::Text(format!("shown {:?}", args[0])))
        });
        fake.add(&mut catalogue, &LINES, "Texts", "static taken", "(Ljava/lang/String;)V", |_, _| {
            Ok(V::Void)
        });
        let mut config = plain(5);
        config.strategy.literal_texts = literal_texts;
        config.assemble.demand = false;
        let (campaign, all) = run((catalogue, fake), config, 20);
        let table = &campaign.catalogue.operations;
        let is = |step: &Step, wanted: &str| match table.get(step.operation) {
            Operation::CallStatic { name, .. } => name == wanted,
            _ => false,
        };
        let shown = |step: &Step| match table.get(step.operation) {
            Operation::Literal(probat_model::Literal::String(text)) => {
                text.to_lossy().starts_with("shown Int")
            }
            _ => false,
        };
        let taking = all.iter().filter(|sequence| is(sequence.steps().last().unwrap(), "taken"));
        let (mut by_call, mut by_literal) = (0, 0);
        for sequence in taking {
            by_call += usize::from(sequence.steps().iter().any(|step| is(step, "shown")));
            by_literal += usize::from(sequence.steps().iter().any(shown));
        }
        (by_call > 0, by_literal > 0)
    };
    assert_eq!(passes_on_results(true), (false, true));
    assert_eq!(passes_on_results(false), (true, false));
}

/// The share of the tries that make a `Dear`, beside counters.
fn share_of_dear(is_slow: bool) -> f64 {
    let (mut catalogue, mut fake) = counter();
    fake.add(&mut catalogue, &LINES, "Dear", "new", "()V", |heap, args| {
        heap.at(&args[0]).fields = vec![V::Int(0)];
        Ok(V::Void)
    });
    fake.add(&mut catalogue, &LINES, "Dear", "up", "(I)V", |heap, args| {
        let V::Int(by) = args[1] else { panic!() };
        heap.at(&args[0]).fields[0] = V::Int(by);
        Ok(V::Void)
    });
    let mut campaign = Campaign::new(catalogue, &LINES, plain(1));
    let (mut all, mut dear) = (0, 0);
    for _ in 0..60 {
        let round = campaign.round();
        let mut seen = Vec::new();
        for draft in &round {
            let table = &campaign.catalogue.operations;
            let makes = |step: &Step| match table.get(step.operation) {
                Operation::Construct { class, .. } => class.as_internal() == "Dear",
                _ => false,
            };
            let is_dear = draft.steps().iter().any(makes);
            let slow = probat_model::Slow(is_slow && is_dear);
            seen.push(Observation { slow, ..fake.observe(table, &campaign.item(draft)) });
            (all, dear) = (all + 1, dear + u32::from(is_dear));
        }
        campaign.absorb(round, seen);
    }
    f64::from(dear) / f64::from(all)
}

#[test]
fn what_takes_long_gets_a_small_share_of_the_tries() {
    let (usual, slow) = (share_of_dear(false), share_of_dear(true));
    assert!(slow > 0.0 && slow * 3.0 < usual, "{slow} {usual}");
}
