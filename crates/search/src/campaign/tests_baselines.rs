//! What the techniques are held to that ours is compared with (spec 001 §2.2, spec 004 §5).

use std::collections::BTreeMap;

use super::tests::{LINES, counter, run};
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
