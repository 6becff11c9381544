//! What techniques and switches are held to.

use super::tests::{LINES, counter, plain, run};
use super::*;
use crate::archive::{Ending, Witness};
use crate::catalogue::CallableId;
use crate::fake::{Fake, V};
use crate::strategy::Inputs;
use probat_model::{ClassName, Literal, Operation, OperationId, StepId};

/// The fixture of spec 001 Fig. 5-5: fractions, monomials, polynomials, a stack of them.
pub(super) fn polynomials() -> (Catalogue, Fake, [CallableId; 5]) {
    let (mut catalogue, mut fake) = (Catalogue::new(), Fake::new(&["Rat", "Mono", "Poly", "PStack"]));
    fn keep(heap: &mut crate::fake::Heap, args: &[V]) -> Result<V, &'static str> {
        heap.at(&args[0]).fields = args[1..].to_vec();
        Ok(V::Void)
    }
    let rat = fake.add(&mut catalogue, &LINES, "Rat", "new", "(II)V", keep);
    let mono = fake.add(&mut catalogue, &LINES, "Mono", "new", "(LRat;I)V", |heap, args| match args[2] {
        V::Int(exponent) if exponent < 0 => Err("java/lang/IllegalArgumentException"),
        _ => keep(heap, args),
    });
    let poly = fake.add(&mut catalogue, &LINES, "Poly", "new", "(LMono;)V", keep);
    let stack = fake.add(&mut catalogue, &LINES, "PStack", "new", "()V", keep);
    let push = fake.add(&mut catalogue, &LINES, "PStack", "push", "(LPoly;)V", |heap, args| {
        let pushed = args[1].clone();
        heap.at(&args[0]).fields.push(pushed);
        Ok(V::Void)
    });
    (catalogue, fake, [rat, mono, poly, stack, push])
}

/// A campaign that is fed sequences by hand.
struct Fed {
    campaign: Campaign<'static>,
    fake: Fake,
    callables: [CallableId; 5],
}

impl Fed {
    fn new(pruning: Pruning) -> Self {
        let (catalogue, fake, callables) = polynomials();
        let strategy = Strategy { pruning, ..Strategy::drt() };
        let config = CampaignConfig { strategy, ..CampaignConfig::drt() };
        Fed { campaign: Campaign::new(catalogue, &LINES, config), fake, callables }
    }

    fn int(&mut self, value: i32) -> OperationId {
        self.campaign.catalogue.operations.intern(Operation::Literal(Literal::Int(value)))
    }

    fn op(&self, at: usize) -> OperationId {
        self.campaign.catalogue.callable(self.callables[at]).operation
    }

    /// Runs a sequence with all that it makes the campaign ask, and says which of its steps gave a value that may serve again.
    fn feed(&mut self, steps: &[(OperationId, &[u16])]) -> Vec<u16> {
        let steps: Vec<Step> = steps
            .iter()
            .map(|(operation, args)| Step {
                operation: *operation,
                args: args.iter().map(|&arg| StepId(arg)).collect(),
            })
            .collect();
        let is_object = |step: &Step| {
            let operation = self.campaign.catalogue.operations.get(step.operation);
            matches!(operation, Operation::Construct { .. })
        };
        let touched = (0..steps.len() as u16).filter(|&at| is_object(&steps[usize::from(at)])).collect();
        let call = steps.len() as u16 - 1;
        let callable = CallableId(0);
        let candidate = Candidate {
            callable,
            parts: Default::default(),
            steps,
            tail: 0,
            call,
            touched,
            attempt: None,
            sites: Vec::new(),
            substituted: false,
            receiver: None,
            is_unhurried: false,
            is_weighed: false,
            stem: Default::default(),
        };
        let before = self.campaign.store.len();
        let mut waiting = vec![Draft::Try(candidate)];
        while !waiting.is_empty() {
            let items: Vec<Item> = waiting.iter().map(|draft| self.campaign.item(draft)).collect();
            let table = &self.campaign.catalogue.operations;
            let seen = items.iter().map(|item| self.fake.observe(table, item)).collect();
            self.campaign.absorb(std::mem::take(&mut waiting), seen);
            waiting.extend(self.campaign.equality.as_mut().and_then(Equality::next_question).map(Draft::Ask));
        }
        let mut reusable = Vec::new();
        if self.campaign.store.len() > before {
            let id = crate::store::SequenceId(before as u32);
            self.campaign.store.values(id, 0, &mut |step, _| reusable.push(step));
        }
        reusable
    }

    /// The six sequences of Fig. 5-5.
    fn figure(&mut self) -> [Vec<u16>; 6] {
        let [rat, mono, poly, stack, push] = [0, 1, 2, 3, 4].map(|at| self.op(at));
        let [one, two, three] = [1, 2, 3].map(|value| self.int(value));
        let fraction: [(OperationId, &[u16]); 3] = [(two, &[]), (three, &[]), (rat, &[0, 1])];
        let monomial = [&fraction[..], &[(one, &[]), (mono, &[2, 3])]].concat();
        let polynomial = [&monomial[..], &[(poly, &[4])]].concat();
        let pushed = [&polynomial[..], &[(stack, &[]), (push, &[6, 5])]].concat();
        [
            self.feed(&fraction),
            self.feed(&[(one, &[]), (rat, &[0, 0])]),
            self.feed(&monomial),
            self.feed(&polynomial),
            self.feed(&[(stack, &[])]),
            self.feed(&pushed),
        ]
    }
}

/// spec 001 row 15: in each sequence only what is new may serve again; the stack of the last is new in its state after the push.
#[test]
fn equality_prunes_as_in_the_figure() {
    let expected: [&[u16]; 6] = [&[2], &[1], &[4], &[5], &[0], &[6]];
    assert_eq!(Fed::new(Pruning::Equals).figure(), expected.map(<[u16]>::to_vec));
    // Field by field comes to the same, as these classes compare by their fields.
    assert_eq!(Fed::new(Pruning::State).figure(), expected.map(<[u16]>::to_vec));
}

/// spec 001 row 16: a second run of equal sequences adds nothing under equality and state, results under mutation, all where pruning is off.
#[test]
fn each_pruning_keeps_what_it_should() {
    let same = |heap: &mut crate::fake::Heap, args: &[V]| {
        let both = [heap.at(&args[0]).class.clone(), heap.at(&args[1]).class.clone()];
        Ok(V::Bool(both[0] == both[1]))
    };
    let kept = |pruning: Pruning| {
        let mut fed = Fed::new(pruning);
        fed.fake.add(
            &mut Catalogue::new(),
            &LINES,
            "Same",
            "static same",
            "(Ljava/lang/Object;Ljava/lang/Object;)Z",
            same,
        );
        let flags = fed.figure();
        flags.iter().map(Vec::len).sum::<usize>()
    };
    let custom = Operation::CallStatic {
        class: ClassName::internal("Same"),
        name: "same".into(),
        descriptor: probat_model::MethodDescriptor::parse("(Ljava/lang/Object;Ljava/lang/Object;)Z").unwrap(),
        interface: false,
    };
    // An equality that takes all of a class for one keeps one value per class.
    assert_eq!(kept(Pruning::Custom(custom)), 4);
    assert_eq!(kept(Pruning::Equals), 6);
    assert_eq!(kept(Pruning::State), 6);
    // Results, and the stack that was pushed to.
    assert_eq!(kept(Pruning::Mutation), 6);
    assert_eq!(kept(Pruning::Syntactic), 1 + 1 + 2 + 3 + 1 + 4);
    assert_eq!(kept(Pruning::Off), 12);
}

/// A box whose `get` may give null or a large number.
fn giver() -> (Catalogue, Fake) {
    let (mut catalogue, mut fake) = (Catalogue::new(), Fake::new(&[]));
    fake.add(&mut catalogue, &LINES, "Giver", "static item", "()LItem;", |_, _| Ok(V::Null));
    fake.add(&mut catalogue, &LINES, "Giver", "static large", "()I", |_, _| Ok(V::Int(2_000_000)));
    fake.add(&mut catalogue, &LINES, "Giver", "static small", "()I", |_, _| Ok(V::Int(1234)));
    fake.add(&mut catalogue, &LINES, "Giver", "static take", "(LItem;)V", |_, _| Ok(V::Void));
    fake.add(&mut catalogue, &LINES, "Giver", "static count", "(I)V", |_, _| Ok(V::Void));
    (catalogue, fake)
}

/// Names of the methods whose results are arguments somewhere.
fn passed_on(campaign: &Campaign<'_>, all: &[Sequence]) -> std::collections::BTreeSet<String> {
    let name = |step: &Step| match campaign.catalogue.operations.get(step.operation) {
        Operation::CallStatic { name, .. } => Some(name.clone()),
        _ => None,
    };
    all.iter()
        .flat_map(|sequence| sequence.steps().iter().map(move |step| (sequence, step)))
        .flat_map(|(sequence, step)| step.args.iter().map(move |arg| &sequence.steps()[usize::from(arg.0)]))
        .filter_map(name)
        .collect()
}

/// spec 001 row 17
#[test]
fn nulls_and_large_numbers_are_not_passed_on() {
    let drt = || CampaignConfig { round: 32, ..CampaignConfig::drt() };
    let (campaign, all) = run(giver(), drt(), 60);
    assert_eq!(passed_on(&campaign, &all), ["small".to_owned()].into());
    let mut config = drt();
    config.strategy.prune_null = false;
    config.strategy.largest = None;
    let (campaign, all) = run(giver(), config, 60);
    let all = passed_on(&campaign, &all);
    assert_eq!(all, ["item", "large", "small"].map(str::to_owned).into());
}

/// spec 001 row 9: a call that throws is in no test and gives no argument.
#[test]
fn misuse_is_discarded() {
    let (catalogue, fake, [_, mono, ..]) = polynomials();
    let config = CampaignConfig { round: 32, ..CampaignConfig::drt() };
    let (campaign, _) = run((catalogue, fake), config, 60);
    let record = campaign.schedule().record(mono);
    assert!(record.threw > 0 && record.legal > 0);
    let selected = campaign.archive().select();
    assert!(selected.iter().all(|chosen| chosen.witness.ending == Ending::Returned));
}

/// spec 001 row 14, row 49
#[test]
fn exceptions_are_failures_only_where_asked_for() {
    let failures = |faults: FaultConfig, throws: &[&str]| {
        let (mut catalogue, fake) = counter();
        catalogue.callables[2].throws = throws.iter().map(|name| ClassName::internal(name)).collect();
        let (campaign, _) = run((catalogue, fake), CampaignConfig { faults, ..plain(1) }, 20);
        campaign.failures().map(|failure| failure.kind.clone()).collect::<Vec<_>>()
    };
    let empty = ClassName::internal("Empty");
    let listed = |name: &str| FaultConfig { exceptions: vec![ClassName::internal(name)], robust: false };
    let robust = || FaultConfig { exceptions: Vec::new(), robust: true };
    assert_eq!(failures(FaultConfig::default(), &[]), []);
    assert_eq!(failures(listed("Other"), &[]), []);
    assert_eq!(failures(listed("Empty"), &[]), [FailureKind::Exception(empty.clone())]);
    assert_eq!(failures(robust(), &[]), [FailureKind::Exception(empty)]);
    assert_eq!(failures(robust(), &["Empty"]), []);
}

/// spec 001 row 38: sequences go on after a call that threw, only if that is asked for.
#[test]
fn sequences_go_past_exceptions_if_asked_to() {
    let goes_on = |past_exceptions: bool| {
        let mut config = CampaignConfig { past_exceptions, ..plain(2) };
        // A counter that threw is in the state of a new one, which is reached in fewer steps.
        config.strategy.pruning = Pruning::Syntactic;
        let (campaign, all) = run(counter(), config, 40);
        let down = |step: &Step| matches!(campaign.catalogue.operations.get(step.operation), Operation::Call { name, .. } if name == "down");
        // Its first call is `down` on a new counter, which throws.
        all.iter().any(|sequence| sequence.len() > 2 && down(&sequence.steps()[1]))
    };
    assert!(goes_on(true) && !goes_on(false));
}

/// spec 001 row 39
#[test]
fn every_run_is_kept_where_all_are_wanted() {
    let (campaign, all) = run(counter(), CampaignConfig { keep_all: true, ..plain(2) }, 10);
    assert_eq!(campaign.archive().select().len(), all.len());
    let (campaign, all) = run(counter(), plain(2), 10);
    assert!(campaign.archive().select().len() < all.len() / 4);
}

/// spec 001 row 3 and row 24, spec 004 rows R7, R8 and R20, in every mode
#[test]
fn every_mode_repeats_itself_and_builds_on_nothing_that_threw() {
    for mut config in [plain(5), CampaignConfig::drt(), CampaignConfig::recgen()] {
        // A repeated call may throw at first and be there again behind it, not run.
        config.assemble.repeat = 0.0;
        let config = || CampaignConfig { round: 32, exceptions: Exceptions::Assert, ..config.clone() };
        let (campaign, all) = run(counter(), config(), 30);
        assert_eq!(all, run(counter(), config(), 30).1);
        let chosen: Vec<&Witness> =
            campaign.archive().select().into_iter().map(|chosen| chosen.witness).collect();
        for (at, witness) in chosen.iter().enumerate() {
            assert!(chosen[..at].iter().all(|other| other.steps != witness.steps), "a twin");
            let prefix = &witness.steps;
            let is_built_upon = all
                .iter()
                .any(|sequence| sequence.len() > prefix.len() && sequence.steps().starts_with(prefix));
            assert!(matches!(witness.ending, Ending::Returned) || !is_built_upon);
        }
        assert!(all.iter().any(|sequence| sequence.len() > 4), "two calls on one counter");
    }
}

/// spec 004 row R13: a method that cannot be called legally is tried in batches, and the others are not.
#[test]
fn failures_lead_to_batches() {
    let (mut catalogue, mut fake, _) = polynomials();
    fake.add(&mut catalogue, &LINES, "Poly", "never", "(LMono;)V", |_, _| Err("No"));
    let config = CampaignConfig { round: 32, ..CampaignConfig::recgen() };
    let (campaign, _) = run((catalogue, fake), config.clone(), 60);
    assert!(campaign.totals().batches > 0);
    let (catalogue, fake, _) = polynomials();
    let mut without = config;
    without.strategy.batch = None;
    assert_eq!(run((catalogue, fake), without, 60).0.totals().batches, 0);
}

/// spec 001 row 54
#[test]
fn operations_are_counted_by_depth() {
    let (campaign, all) = run(counter(), plain(1), 30);
    let calls = |sequence: &Sequence| {
        let is_call =
            |step: &&Step| crate::relevance::is_call(campaign.catalogue.operations.get(step.operation));
        sequence.steps().iter().filter(is_call).count()
    };
    assert_eq!(campaign.depths()[0], all.len() as u64);
    assert_eq!(campaign.depths().iter().sum::<u64>(), all.iter().map(calls).sum::<usize>() as u64);
    assert!(campaign.depths().len() > 3);
    let first = campaign.failures().next();
    assert!(first.is_none_or(|failure| failure.after_steps > 0));
}

/// spec 001 row 8 under the default rule of spec 001 §2.4: what broke a contract is not built upon in mode drt.
#[test]
fn what_broke_a_contract_is_not_built_upon() {
    let build = || {
        let (mut catalogue, mut fake) = (Catalogue::new(), Fake::new(&[]));
        fake.add(&mut catalogue, &LINES, "Odd", "new", "()V", |_, _| Ok(V::Void));
        fake.add(&mut catalogue, &LINES, "Odd", "equals", "(Ljava/lang/Object;)Z", |_, _| Ok(V::Bool(false)));
        (catalogue, fake)
    };
    let longest = |config: CampaignConfig| {
        let assemble = AssembleConfig { repeat: 0.0, ..config.assemble.clone() };
        let (campaign, all) = run(build(), CampaignConfig { round: 16, assemble, ..config }, 20);
        assert!(campaign.failures().count() > 0);
        all.iter().map(Sequence::len).max().unwrap_or(0)
    };
    assert_eq!(longest(CampaignConfig::drt()), 1);
    let mut built = CampaignConfig::drt();
    built.strategy.extend_violators = true;
    built.strategy.pruning = Pruning::State;
    assert!(longest(built) > 1);
}

#[test]
fn a_strategy_is_made_of_answers() {
    assert_eq!(Strategy::recgen().inputs, Inputs::Recommended { receiver: 0.5 });
    assert_eq!(Strategy::drt().pruning, Pruning::Equals);
}

/// Every ingredient can be left out, together with any other.
#[test]
fn ingredients_can_be_left_out() {
    for config in [CampaignConfig::drt(), CampaignConfig::recgen(), plain(1)] {
        for sequences in
            [Sequences::Uniform, Sequences::LeastUsed, Sequences::Relevant(crate::strategy::Grades::PLAIN)]
        {
            for inputs in [Inputs::Eager, Inputs::Actions, Inputs::Recommended { receiver: 0.0 }] {
                let (mut catalogue, mut fake, _) = polynomials();
                fake.add(&mut catalogue, &LINES, "Poly", "never", "(LMono;)V", |_, _| Err("No"));
                let mut config = CampaignConfig { round: 16, ..config.clone() };
                config.strategy.sequences = sequences;
                config.strategy.inputs = inputs;
                config.strategy.batch = Some(Batch { after: 2, cap: 8 });
                let (campaign, _) = run((catalogue, fake), config, 30);
                assert!(campaign.totals().legal > 0 && campaign.totals().batches > 0);
            }
        }
    }
}
