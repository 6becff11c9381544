//! What the techniques are held to that ours is compared with (spec 001 §2.2, spec 004 §5).

use std::collections::BTreeMap;

use super::tests::{LINES, counter, run};
use super::tests_modes::polynomials;
use super::*;
use crate::fake::{Fake, V};
use probat_model::{Literal, StepId};

fn small(config: CampaignConfig) -> CampaignConfig {
    CampaignConfig { round: 32, ..config }
}

/// A call of this name.
fn is_call_of(campaign: &Campaign<'_>, step: &Step, wanted: &str) -> bool {
    match campaign.catalogue.operations.get(step.operation) {
        Operation::Call { name, .. } | Operation::CallStatic { name, .. } => name == wanted,
        Operation::Construct { .. } => wanted == "new",
        _ => false,
    }
}

fn is_literal(campaign: &Campaign<'_>, step: &Step) -> bool {
    matches!(campaign.catalogue.operations.get(step.operation), Operation::Literal(_))
}

/// spec 001 row 48: each run is an earlier legal run and one more call, or the first call of a walk; no walk goes on twice, nor after an exception.
#[test]
fn a_walk_goes_on_with_one_call_until_it_fails() {
    let config = small(CampaignConfig::random_walk());
    let (campaign, all) = run(counter(), config.clone(), 60);
    assert_eq!(all, run(counter(), config, 60).1);
    assert!(campaign.totals().threw > 0);
    let mut ended: BTreeMap<Vec<String>, i64> = BTreeMap::new();
    let spelled = |steps: &[Step]| steps.iter().map(|step| format!("{step:?}")).collect::<Vec<_>>();
    for sequence in &all {
        let steps = sequence.steps();
        // The last call, without the literals it takes.
        let last = steps.len() - 1;
        let before =
            steps[..last].iter().rposition(|step| !is_literal(&campaign, step)).map_or(0, |at| at + 1);
        if before > 0 {
            let walks = ended.get_mut(&spelled(&steps[..before])).expect("an earlier run");
            *walks -= 1;
            assert!(*walks >= 0, "it went on twice");
        }
        assert!((1..last).all(|at| !throws(&campaign, steps, at)), "it went on after an exception");
        *ended.entry(spelled(steps)).or_default() += 1;
    }
    assert!(all.iter().any(|sequence| sequence.len() > 10), "walks get long");
}

/// `down` on a counter that was only just made.
fn throws(campaign: &Campaign<'_>, steps: &[Step], at: usize) -> bool {
    let is_new = is_call_of(campaign, &steps[at - 1], "new");
    is_new && is_call_of(campaign, &steps[at], "down") && steps[at].args[0] == StepId(at as u16 - 1)
}

/// A walk holds only what it made: nothing of another one's sequence is ever brought in.
#[test]
fn a_walk_uses_its_own_values_only() {
    let (mut catalogue, mut fake) = (Catalogue::new(), Fake::new(&[]));
    fake.add(&mut catalogue, &LINES, "Box", "new", "(LItem;)V", |_, _| Ok(V::Void));
    fake.add(&mut catalogue, &LINES, "Item", "new", "()V", |_, _| Ok(V::Void));
    let (campaign, all) = run((catalogue, fake), small(CampaignConfig::random_walk()), 10);
    let made_first = |sequence: &Sequence| is_call_of(&campaign, &sequence.steps()[0], "new");
    assert!(all.iter().all(made_first));
    // One call more with each step: a box of an item is two calls, never a stored item brought in together with a box.
    let boxes = all.iter().filter(|sequence| sequence.steps().last().unwrap().args.len() == 1);
    assert!(boxes.clone().count() > 0);
    assert!(boxes.clone().all(|sequence| sequence.len() >= 2));
    assert!(boxes.clone().any(|sequence| sequence.steps().last().unwrap().args[0] != StepId(0)));
    let numbers = |step: &Step| {
        matches!(campaign.catalogue.operations.get(step.operation), Operation::Literal(Literal::Int(_)))
    };
    assert!(all.iter().all(|sequence| !sequence.steps().iter().any(numbers)));
}

fn search(config: CampaignConfig) -> (Campaign<'static>, Vec<Sequence>) {
    let (catalogue, fake, _) = polynomials();
    run((catalogue, fake), small(config), 60)
}

/// Every value serves once, but for receivers, which are changed from term to term.
fn is_term(campaign: &Campaign<'_>, sequence: &Sequence) -> bool {
    let mut uses = vec![0; sequence.len()];
    for step in sequence.steps() {
        let receivers =
            usize::from(matches!(campaign.catalogue.operations.get(step.operation), Operation::Call { .. }));
        step.args[receivers..].iter().for_each(|arg| uses[usize::from(arg.0)] += 1);
    }
    uses.iter().all(|&times| times <= 1)
}

/// Whether a monomial is built upon that threw because of its negative exponent.
fn is_built_on_failure(campaign: &Campaign<'_>, sequence: &Sequence) -> bool {
    let steps = sequence.steps();
    let operation = |at: StepId| campaign.catalogue.operations.get(steps[usize::from(at.0)].operation);
    steps[..steps.len() - 1].iter().any(|step| match campaign.catalogue.operations.get(step.operation) {
        Operation::Construct { class, .. } if class.as_internal() == "Mono" => {
            matches!(operation(step.args[1]), Operation::Literal(Literal::Int(number)) if *number < 0)
        }
        _ => false,
    })
}

/// spec 001 row 48: terms are built anew each time, no deeper than allowed, and nothing is kept of what ran.
#[test]
fn from_the_top_down_terms_are_made_of_nothing_but_calls() {
    for config in [CampaignConfig::top_down(), CampaignConfig::undirected()] {
        let (campaign, all) = search(config.clone());
        assert_eq!(all, search(config).1);
        assert!(campaign.totals().legal > 0 && campaign.store().is_empty() && campaign.states() == 0);
        assert!(all.iter().all(|one| is_term(&campaign, one)));
        let depth = |sequence: &Sequence| {
            let mut depths: Vec<usize> = Vec::new();
            for step in sequence.steps() {
                let below = step.args.iter().map(|arg| depths[usize::from(arg.0)] + 1).max();
                depths.push(below.unwrap_or(0));
            }
            depths.last().copied().unwrap_or(0)
        };
        let deepest = all.iter().map(depth).max();
        // A stack, the polynomial pushed, its monomial, the fraction of that, its numbers.
        assert_eq!(deepest, Some(4));
        assert!(all.iter().any(|sequence| is_built_on_failure(&campaign, sequence)));
    }
}

/// spec 001 row 48: terms grow from what is there; whether that was legal matters only where asked for.
#[test]
fn from_the_bottom_up_terms_grow_from_terms() {
    let (any, all) = search(CampaignConfig::bottom_up(false));
    assert!(all.iter().all(|one| is_term(&any, one)) && any.totals().threw > 0);
    assert!(all.iter().any(|sequence| is_built_on_failure(&any, sequence)));
    let (legal, all) = search(CampaignConfig::bottom_up(true));
    assert!(all.iter().all(|one| is_term(&legal, one)) && legal.totals().threw > 0);
    assert!(!all.iter().any(|sequence| is_built_on_failure(&legal, sequence)));
    assert!(all.iter().any(|sequence| sequence.len() > 7), "a polynomial on a stack");
}

/// spec 001 row 48: without filters the same is run again, what failed is built upon, and objects serve twice as in the full tool.
#[test]
fn without_filters_everything_is_built_upon() {
    let count = |config: CampaignConfig| {
        let (campaign, all) = search(config);
        let mut distinct: Vec<String> = all.iter().map(|one| format!("{:?}", one.steps())).collect();
        distinct.sort();
        distinct.dedup();
        let on_failure = all.iter().filter(|one| is_built_on_failure(&campaign, one)).count();
        (all.len() - distinct.len(), on_failure, all.iter().any(|one| !is_term(&campaign, one)))
    };
    let (again, on_failure, shares) = count(CampaignConfig::drt_unpruned());
    assert!(again > 0 && on_failure > 0 && shares);
    let mut filtered = CampaignConfig::drt();
    filtered.assemble.repeat = 0.0;
    let (again, on_failure, shares) = count(filtered);
    assert!(again == 0 && on_failure == 0 && shares);
}

/// spec 004 row R21: what the four have in common is RecGen's; they differ in what they choose.
#[test]
fn the_modes_beside_recgen_differ_in_their_choices_only() {
    let modes = [CampaignConfig::undirected(), CampaignConfig::feedback(), CampaignConfig::adaptive()];
    let recgen = CampaignConfig::recgen();
    let runs: Vec<Vec<Sequence>> = modes.iter().chain([&recgen]).map(|mode| search(mode.clone()).1).collect();
    for (at, mode) in modes.iter().enumerate() {
        assert_eq!(CampaignConfig { strategy: recgen.strategy.clone(), ..mode.clone() }, recgen);
        assert!(runs[at + 1..].iter().all(|other| *other != runs[at]));
        assert_eq!(search(mode.clone()).1, runs[at]);
    }
}
