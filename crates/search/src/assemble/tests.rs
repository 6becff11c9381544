//! What assembling is held to.

use super::*;
use crate::literals::LiteralConfig;
use crate::types::fake::Lines;
use probat_model::{MethodDescriptor, Sequence, StateHash};

struct World {
    catalogue: Catalogue,
    store: Store,
    pool: Pool,
    literals: Literals,
    config: AssembleConfig,
    strategy: Strategy,
    rng: Rng,
}

const LINES: Lines = Lines("Stack: Coll");

impl World {
    fn new() -> Self {
        World {
            catalogue: Catalogue::new(),
            store: Store::new(),
            pool: Pool::new(),
            literals: Literals::new(LiteralConfig::default(), 0),
            config: AssembleConfig { repeat: 0.0, ..AssembleConfig::default() },
            strategy: Strategy::best(),
            rng: Rng::new(5),
        }
    }

    fn new_of(&mut self, class: &str, descriptor: &str) -> CallableId {
        let descriptor = MethodDescriptor::parse(descriptor).unwrap();
        self.catalogue
            .add_plain(Operation::Construct { class: ClassName::internal(class), descriptor }, &LINES)
    }

    fn method(&mut self, class: &str, name: &str, descriptor: &str) -> CallableId {
        let descriptor = MethodDescriptor::parse(descriptor).unwrap();
        let class = ClassName::internal(class);
        self.catalogue
            .add_plain(Operation::Call { class, name: name.into(), descriptor, interface: false }, &LINES)
    }

    fn candidate(&mut self, id: CallableId) -> Result<Candidate, NoCandidate> {
        Assembler {
            catalogue: &mut self.catalogue,
            hierarchy: &LINES,
            store: &self.store,
            pool: &mut self.pool,
            literals: &self.literals,
            config: &self.config,
            strategy: &self.strategy,
            relevance: None,
            spread: None,
            target: id,
            walk: None,
            receiver: None,
            tame: false,
            tame_calls: &FxHashSet::default(),
            suspicion: &Suspicion::default(),
            types: &[],
            rng: &mut self.rng,
        }
        .candidate()
    }

    fn keep(&mut self, candidate: &Candidate, step: u16, class: &str, state: u128) {
        let ty = self.catalogue.types.intern(&Type::class(class), &LINES);
        let tail = &candidate.steps[usize::from(candidate.tail)..];
        let sequence = self.store.add(&candidate.parts, tail, &[(step, ty)]);
        let length = candidate.steps.len() as u16;
        let value = PoolValue { sequence, step, ty, state: StateHash(state), length };
        self.pool.offer(value, &self.catalogue.types, &mut self.rng);
    }

    fn is_sound(&self, candidate: &Candidate) -> bool {
        Sequence::from_steps(&self.catalogue.operations, candidate.steps.clone()).is_ok()
    }
}

#[test]
fn a_missing_type_is_made_on_demand() {
    let mut world = World::new();
    world.new_of("Rat", "(II)V");
    let mono = world.new_of("Mono", "(LRat;I)V");
    let candidate = world.candidate(mono).unwrap();
    assert!(world.is_sound(&candidate));
    assert_eq!(candidate.steps.len(), 5, "two ints, a Rat, an int, a Mono");
    assert_eq!(candidate.touched.as_slice(), [2, 4]);
}

#[test]
fn a_type_without_producer_is_named() {
    let mut world = World::new();
    let mono = world.new_of("Mono", "(LRat;)V");
    let rat = world.catalogue.types.find(&Type::class("Rat")).unwrap();
    assert_eq!(world.candidate(mono).unwrap_err(), NoCandidate::NoValue(rat));
}

/// spec 001 rows 3 and 4: one value for two parameters, two pushes on one stack, two equal components.
#[test]
fn values_are_shared_and_sequences_concatenated() {
    let mut world = World::new();
    world.config.demand = false;
    let stack = world.new_of("Stack", "()V");
    let push_all = world.method("Stack", "pushAll", "(LColl;)V");
    let made = world.candidate(stack).unwrap();
    world.keep(&made, 0, "Stack", 1);
    let (mut aliased, mut apart) = (0, 0);
    for _ in 0..200 {
        let candidate = world.candidate(push_all).unwrap();
        assert!(world.is_sound(&candidate));
        let args = &candidate.steps.last().unwrap().args;
        if args[0] == args[1] {
            aliased += 1;
            assert_eq!((candidate.steps.len(), candidate.parts.len()), (2, 1));
        } else {
            apart += 1;
            assert_eq!((candidate.steps.len(), candidate.parts.len()), (3, 2));
        }
    }
    assert!(aliased > 20 && apart > 20, "{aliased} {apart}");
    let pushed = world.candidate(push_all).unwrap();
    world.keep(&pushed, 0, "Stack", 2);
    let longest = (0..200).map(|_| world.candidate(push_all).unwrap().steps.len()).max().unwrap();
    assert!(longest > 3, "a stack pushed to twice");
}

/// spec 001 row 18
#[test]
fn repetition_follows_its_probability() {
    let mut world = World::new();
    world.config.repeat = 0.1;
    world.config.repeat_max = 100;
    world.config.max_steps = 1000;
    let stack = world.new_of("Stack", "()V");
    let mut repeated = 0;
    for _ in 0..5000 {
        let candidate = world.candidate(stack).unwrap();
        let calls = candidate.steps.len() - usize::from(candidate.call);
        assert!(calls <= 100);
        repeated += usize::from(calls > 1);
    }
    assert!((400..600).contains(&repeated), "{repeated}");
    world.config.repeat = 0.0;
    assert!((0..500).all(|_| world.candidate(stack).unwrap().steps.len() == 1));
}

/// spec 001 row 5
#[test]
fn null_is_passed_only_if_allowed() {
    let mut world = World::new();
    world.new_of("Rat", "()V");
    let mono = world.new_of("Mono", "(LRat;)V");
    let has_null = |world: &mut World| {
        let candidate = world.candidate(mono).unwrap();
        candidate.steps.iter().any(|step| {
            matches!(world.catalogue.operations.get(step.operation), Operation::Literal(Literal::Null(_)))
        })
    };
    assert!((0..300).all(|_| !has_null(&mut world)));
    world.config.null = 0.2;
    assert!((0..300).any(|_| has_null(&mut world)));
}

/// spec 001 row 20
#[test]
fn arrays_are_empty_and_longer() {
    let mut world = World::new();
    let sum = world.new_of("Sum", "([I)V");
    let mut lengths = std::collections::BTreeSet::new();
    for _ in 0..300 {
        let candidate = world.candidate(sum).unwrap();
        for step in &candidate.steps {
            if let Operation::ArrayOf { length, .. } = world.catalogue.operations.get(step.operation) {
                lengths.insert(*length);
            }
        }
    }
    assert!(lengths.contains(&0) && lengths.contains(&1) && lengths.contains(&3), "{lengths:?}");
}

/// spec 004 row R12: half of the time the argument is what the receiver's own sequence put into it, the same object.
#[test]
fn the_receivers_own_sequence_gives_the_argument() {
    let mut world = World::new();
    let item = world.new_of("Item", "()V");
    let list = world.new_of("List", "()V");
    let add = world.method("List", "add", "(LItem;)V");
    let remove = world.method("List", "remove", "(LItem;)V");
    let made = world.candidate(item).unwrap();
    world.keep(&made, 0, "Item", 1);
    let made = world.candidate(list).unwrap();
    world.keep(&made, 0, "List", 2);
    // A list with an item in it, and nothing else of its kind.
    world.strategy = Strategy::recgen();
    world.strategy.sequences = Sequences::Uniform;
    let added = world.candidate(add).unwrap();
    let receiver = added.steps.last().unwrap().args[0].0;
    world.pool = Pool::new();
    world.keep(&made_item(), 0, "Item", 3);
    world.keep(&added, receiver, "List", 4);
    let draws = 20_000;
    let mut contained = 0;
    for _ in 0..draws {
        let candidate = world.candidate(remove).unwrap();
        let args = &candidate.steps.last().unwrap().args;
        contained += usize::from(candidate.parts.len() == 1 && args[0] != args[1]);
    }
    let share = contained as f64 / f64::from(draws);
    assert!((share - 0.5).abs() < 0.02, "{share}");

    fn made_item() -> Candidate {
        let operation = OperationId(0);
        Candidate {
            callable: CallableId(0),
            parts: SmallVec::new(),
            steps: vec![Step { operation, args: SmallVec::new() }],
            tail: 0,
            call: 0,
            touched: SmallVec::new(),
            attempt: None,
            sites: Vec::new(),
            substituted: false,
            receiver: None,
            is_unhurried: false,
            is_weighed: false,
            stem: Default::default(),
        }
    }
}

/// spec 001 row 5: in mode drt all actions are chosen, null only if allowed.
#[test]
fn all_actions_are_chosen() {
    let mut world = World::new();
    world.strategy = Strategy::drt();
    let stack = world.new_of("Stack", "()V");
    let push_all = world.method("Stack", "pushAll", "(LColl;)V");
    let made = world.candidate(stack).unwrap();
    world.keep(&made, 0, "Stack", 1);
    let count = |world: &mut World| {
        let (mut reused, mut fetched, mut null) = (0, 0, 0);
        for _ in 0..900 {
            let candidate = world.candidate(push_all).unwrap();
            let args = &candidate.steps.last().unwrap().args;
            let given = world.catalogue.operations.get(candidate.steps[usize::from(args[1].0)].operation);
            if matches!(given, Operation::Literal(Literal::Null(_))) {
                null += 1;
            } else if args[0] == args[1] {
                reused += 1;
            } else {
                fetched += 1;
            }
        }
        (reused, fetched, null)
    };
    let (reused, fetched, null) = count(&mut world);
    assert!(reused > 380 && fetched > 380 && null == 0, "{reused} {fetched} {null}");
    world.config.null = 0.05;
    let (reused, fetched, null) = count(&mut world);
    assert!(reused > 240 && fetched > 240 && null > 240, "{reused} {fetched} {null}");
}
