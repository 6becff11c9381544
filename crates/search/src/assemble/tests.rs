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
            target: id,
            tame: false,
            tame_calls: &FxHashSet::default(),
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
