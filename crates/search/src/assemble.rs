//! Builds one candidate: a callable, and a value for each of its parameters.
//!
//! In: the callable chosen, the pool, the catalogue, literals. Out: a [`Candidate`], or the type for which there is no value.
//! Stored sequences come first, then the new steps, so that a candidate that proves legal is stored at the cost of its new steps.
//! Chooses values; never which callable, and never runs anything.

use probat_model::{ClassName, Literal, Operation, OperationId, Step, StepId, Type};
use smallvec::SmallVec;

use crate::catalogue::{CallableId, Catalogue, OwnerId};
use crate::literals::Literals;
use crate::pool::{Pool, PoolValue};
use crate::rng::Rng;
use crate::store::{SequenceId, Store};
use crate::types::{Hierarchy, TypeId};

/// How values are chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct AssembleConfig {
    /// Probability that a value already in the candidate serves again.
    pub reuse: f64,
    /// Probability that a value is made anew although the pool has one.
    pub fresh: f64,
    /// Probability of `null` for a reference, if nulls are allowed at all.
    pub null: f64,
    /// Probability that the call is repeated, and how often at most (spec 001 §2.4).
    pub repeat: f64,
    pub repeat_max: u16,
    /// Calls nested to make a value on demand.
    pub depth: u8,
    /// Steps a candidate may have.
    pub max_steps: usize,
    /// Stand-ins for interfaces and abstract classes.
    pub stubs: bool,
    /// Making missing types on demand.
    pub demand: bool,
}

impl Default for AssembleConfig {
    fn default() -> Self {
        AssembleConfig {
            reuse: 0.3,
            fresh: 0.15,
            null: 0.0,
            repeat: 0.05,
            repeat_max: 10,
            depth: 3,
            max_steps: 64,
            stubs: true,
            demand: true,
        }
    }
}

/// A sequence about to be run.
#[derive(Debug, Clone)]
pub struct Candidate {
    pub callable: CallableId,
    pub parts: SmallVec<[SequenceId; 4]>,
    /// All steps, those of the parts first.
    pub steps: Vec<Step>,
    /// Where the new steps begin.
    pub tail: u16,
    /// Where the calls of the callable begin; the last step is one of them.
    pub call: u16,
    /// Steps whose values the last call may have changed or made.
    pub touched: SmallVec<[u16; 6]>,
}

/// Why there is no candidate. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoCandidate {
    /// No value of this type can be had yet.
    NoValue(TypeId),
    /// The steps would be more than allowed.
    TooLong,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    Part(u8, u16),
    Node(u16),
}

/// What assembling draws on.
pub struct Assembler<'a> {
    pub catalogue: &'a mut Catalogue,
    pub hierarchy: &'a dyn Hierarchy,
    pub store: &'a Store,
    pub pool: &'a mut Pool,
    pub literals: &'a Literals,
    pub config: &'a AssembleConfig,
    /// Only small numbers: the call was seen to exhaust memory or time.
    pub tame: bool,
    pub rng: &'a mut Rng,
}

impl std::fmt::Debug for Assembler<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Assembler").finish_non_exhaustive()
    }
}

#[derive(Default)]
struct Plan {
    parts: SmallVec<[SequenceId; 4]>,
    nodes: Vec<(OperationId, SmallVec<[Source; 4]>)>,
    /// Values of the parts, and of nodes worth sharing.
    known: Vec<(Source, TypeId)>,
    steps: usize,
}

impl Assembler<'_> {
    /// A candidate that ends in a call of this callable.
    pub fn candidate(&mut self, id: CallableId) -> Result<Candidate, NoCandidate> {
        let callable = self.catalogue.callable(id).clone();
        let mut plan = Plan::default();
        let mut args: SmallVec<[Source; 4]> = SmallVec::new();
        for (at, &param) in callable.params.iter().enumerate() {
            let is_receiver = at == 0 && callable.has_receiver;
            args.push(self.supply(&mut plan, param, callable.owner, 0, is_receiver)?);
        }
        let calls = self.calls();
        if plan.steps + usize::from(calls) > self.config.max_steps {
            return Err(NoCandidate::TooLong);
        }
        let first_call = plan.nodes.len();
        plan.nodes.push((callable.operation, args.clone()));
        for _ in 1..calls {
            let again = self.redraw_primitives(&mut plan, &callable.params, &args, callable.owner)?;
            plan.nodes.push((callable.operation, again));
        }
        Ok(self.lay_out(id, plan, first_call, callable.result.is_some()))
    }

    /// How often the call is made: once, or more where repetition strikes.
    fn calls(&mut self) -> u16 {
        if self.config.repeat > 0.0 && self.config.repeat_max > 1 && self.rng.chance(self.config.repeat) {
            2 + self.rng.below(usize::from(self.config.repeat_max - 1)) as u16
        } else {
            1
        }
    }

    /// Receiver and reference arguments stay, primitives are drawn again (spec 001 §2.4).
    fn redraw_primitives(
        &mut self,
        plan: &mut Plan,
        params: &[TypeId],
        args: &[Source],
        owner: Option<OwnerId>,
    ) -> Result<SmallVec<[Source; 4]>, NoCandidate> {
        let mut again = SmallVec::new();
        for (&param, &arg) in params.iter().zip(args) {
            let redraw = self.catalogue.types.get(param).is_primitive();
            again.push(if redraw { self.supply(plan, param, owner, 0, false)? } else { arg });
        }
        Ok(again)
    }

    fn supply(
        &mut self,
        plan: &mut Plan,
        ty: TypeId,
        owner: Option<OwnerId>,
        depth: u8,
        is_receiver: bool,
    ) -> Result<Source, NoCandidate> {
        let kind = self.catalogue.types.get(ty).clone();
        if kind.is_primitive() {
            return Ok(self.literal(plan, &kind, owner).expect("every primitive type has literals"));
        }
        if !is_receiver && self.config.null > 0.0 && self.rng.chance(self.config.null) {
            return Ok(self.node(plan, Operation::Literal(Literal::Null(kind)), SmallVec::new()));
        }
        if let Some(found) = self.reused(plan, ty) {
            return Ok(found);
        }
        if let Type::Class(name) = &kind
            && let Some(found) = self.plain_value(plan, name, owner)
        {
            return Ok(found);
        }
        if let Type::Array(element) = &kind
            && (self.pool.fitting(ty).is_empty() || self.rng.chance(0.6))
            && let Ok(found) = self.array(plan, element, owner, depth)
        {
            return Ok(found);
        }
        let erased = self.catalogue.types.erasure(ty);
        let is_variant = erased != ty;
        let fresh = is_variant || self.rng.chance(self.config.fresh);
        if !fresh && let Some(found) = self.pooled(plan, ty) {
            return Ok(found);
        }
        if self.config.demand
            && let Some(found) = self.produced(plan, ty, owner, depth)
        {
            return Ok(found);
        }
        if let Some(found) = self.pooled(plan, ty) {
            return Ok(found);
        }
        if is_variant {
            return self.supply(plan, erased, owner, depth, is_receiver);
        }
        Err(NoCandidate::NoValue(ty))
    }

    /// A value the candidate already holds.
    fn reused(&mut self, plan: &Plan, ty: TypeId) -> Option<Source> {
        // A container put into itself is rarely meant, and overflows the stack of whoever prints it.
        let share = if self.is_object(ty) { self.config.reuse / 8.0 } else { self.config.reuse };
        if plan.known.is_empty() || !self.rng.chance(share) {
            return None;
        }
        let types = &self.catalogue.types;
        let fitting: SmallVec<[Source; 8]> = plan
            .known
            .iter()
            .filter(|(_, have)| types.is_subtype(*have, ty))
            .map(|(source, _)| *source)
            .collect();
        self.rng.pick(&fitting).copied()
    }

    fn is_object(&self, ty: TypeId) -> bool {
        matches!(self.catalogue.types.get(ty), Type::Class(name) if name.as_internal() == "java/lang/Object")
    }

    /// Texts, boxes and class literals, for the types that can hold them; drawn often, not always.
    fn plain_value(&mut self, plan: &mut Plan, name: &ClassName, owner: Option<OwnerId>) -> Option<Source> {
        let string = || Type::class("java/lang/String");
        match name.as_internal() {
            "java/lang/String" if self.rng.chance(0.8) => self.literal(plan, &string(), owner),
            "java/lang/CharSequence" if self.rng.chance(0.6) => self.literal(plan, &string(), owner),
            "java/lang/Object" | "java/lang/Comparable" | "java/io/Serializable" if self.rng.chance(0.6) => {
                if self.rng.chance(0.5) {
                    self.literal(plan, &string(), owner)
                } else {
                    self.boxed(plan, &ClassName::internal("java/lang/Integer"), owner)
                }
            }
            "java/lang/Number" if self.rng.chance(0.7) => {
                let boxes = ["java/lang/Integer", "java/lang/Double", "java/lang/Long"];
                let name = ClassName::internal(boxes[self.rng.below(boxes.len())]);
                self.boxed(plan, &name, owner)
            }
            "java/lang/Class" | "java/lang/reflect/Type" | "java/lang/reflect/AnnotatedElement"
                if self.rng.chance(0.8) =>
            {
                Some(self.class_literal(plan, owner))
            }
            _ if self.rng.chance(0.8) => self.boxed(plan, name, owner),
            _ => None,
        }
    }

    fn class_literal(&mut self, plan: &mut Plan, owner: Option<OwnerId>) -> Source {
        let mined = owner.map(|id| &self.catalogue.owners[id.0 as usize]);
        let drawn = mined.and_then(|owner| {
            let own = self.catalogue.types.get(owner.ty).clone();
            let count = owner.literals.classes.len() + 1;
            match self.rng.below(count) {
                0 => Some(own),
                at => owner.literals.classes.get(at - 1).map(|(ty, _)| ty.clone()),
            }
        });
        let common = ["java/lang/String", "java/lang/Object", "java/lang/Integer", "java/util/List"];
        let ty = match drawn {
            Some(ty) if self.rng.chance(0.6) => ty,
            _ => Type::class(common[self.rng.below(common.len())]),
        };
        self.node(plan, Operation::Literal(Literal::Class(ty)), SmallVec::new())
    }

    fn literal(&mut self, plan: &mut Plan, ty: &Type, owner: Option<OwnerId>) -> Option<Source> {
        let mined = owner.map(|id| (id, &self.catalogue.owners[id.0 as usize].literals));
        let literal = self.literals.draw(ty, mined, self.tame, self.rng)?;
        Some(self.node(plan, Operation::Literal(literal), SmallVec::new()))
    }

    fn boxed(&mut self, plan: &mut Plan, name: &ClassName, owner: Option<OwnerId>) -> Option<Source> {
        let from = unboxed(name)?;
        let inside = self.literal(plan, &from, owner)?;
        let to = Type::Class(name.clone());
        Some(self.node(plan, Operation::Convert { from, to }, SmallVec::from_slice(&[inside])))
    }

    fn array(
        &mut self,
        plan: &mut Plan,
        element: &Type,
        owner: Option<OwnerId>,
        depth: u8,
    ) -> Result<Source, NoCandidate> {
        let element_id = self.catalogue.types.intern(element, self.hierarchy);
        let length = [0, 1, 1, 2, 2, 3, 4][self.rng.below(7)];
        let mut args = SmallVec::new();
        for _ in 0..length {
            args.push(self.supply(plan, element_id, owner, depth + 1, false)?);
        }
        Ok(self.node(plan, Operation::ArrayOf { element: element.clone(), length }, args))
    }

    fn pooled(&mut self, plan: &mut Plan, ty: TypeId) -> Option<Source> {
        let value = self.pool.draw(ty, self.rng)?;
        self.include(plan, value)
    }

    /// Brings a stored sequence in and returns the value wanted of it.
    fn include(&mut self, plan: &mut Plan, value: PoolValue) -> Option<Source> {
        let length = self.store.length(value.sequence);
        if plan.steps + length > self.config.max_steps || plan.parts.len() == usize::from(u8::MAX) {
            return None;
        }
        let part = plan.parts.len() as u8;
        plan.parts.push(value.sequence);
        plan.steps += length;
        let known = &mut plan.known;
        self.store.values(value.sequence, 0, &mut |step, ty| known.push((Source::Part(part, step), ty)));
        Some(Source::Part(part, value.step))
    }

    /// A value made by a call that yields the type, or by a stand-in.
    fn produced(&mut self, plan: &mut Plan, ty: TypeId, owner: Option<OwnerId>, depth: u8) -> Option<Source> {
        let stand = self.catalogue.stand(ty).filter(|_| self.config.stubs);
        let producers = self.catalogue.producers(ty).len();
        if let Some(stand) = stand
            && (producers == 0 || depth >= self.config.depth || self.rng.chance(stand.share))
        {
            // Simple behaviours are drawn more often.
            let first = self.rng.below(stand.operations.len());
            let at = self.rng.below(first + 1);
            let operation = stand.operations[at];
            return Some(self.push(plan, operation, SmallVec::new(), Some(ty)));
        }
        if producers == 0 || depth >= self.config.depth {
            return None;
        }
        for _ in 0..3 {
            let chosen = {
                let all = self.catalogue.producers(ty);
                let one = all[self.rng.below(all.len())];
                let two = all[self.rng.below(all.len())];
                let params = |id: CallableId| self.catalogue.callable(id).params.len();
                if params(one) <= params(two) { one } else { two }
            };
            let (nodes, parts, steps) = (plan.nodes.len(), plan.parts.len(), plan.steps);
            if let Some(found) = self.call(plan, chosen, owner, depth) {
                return Some(found);
            }
            plan.nodes.truncate(nodes);
            plan.parts.truncate(parts);
            plan.steps = steps;
            plan.known.retain(|(source, _)| match source {
                Source::Part(part, _) => usize::from(*part) < parts,
                Source::Node(node) => usize::from(*node) < nodes,
            });
        }
        None
    }

    fn call(&mut self, plan: &mut Plan, id: CallableId, owner: Option<OwnerId>, depth: u8) -> Option<Source> {
        let callable = self.catalogue.callable(id).clone();
        let mut args = SmallVec::new();
        for (at, &param) in callable.params.iter().enumerate() {
            let is_receiver = at == 0 && callable.has_receiver;
            args.push(self.supply(plan, param, owner, depth + 1, is_receiver).ok()?);
        }
        Some(self.push(plan, callable.operation, args, callable.result))
    }

    fn node(&mut self, plan: &mut Plan, operation: Operation, args: SmallVec<[Source; 4]>) -> Source {
        let operation = self.catalogue.operations.intern(operation);
        self.push(plan, operation, args, None)
    }

    fn push(
        &mut self,
        plan: &mut Plan,
        operation: OperationId,
        args: SmallVec<[Source; 4]>,
        shared: Option<TypeId>,
    ) -> Source {
        let source = Source::Node(plan.nodes.len() as u16);
        plan.nodes.push((operation, args));
        plan.steps += 1;
        if let Some(ty) = shared {
            plan.known.push((source, ty));
        }
        source
    }

    fn lay_out(&self, callable: CallableId, plan: Plan, first_call: usize, has_result: bool) -> Candidate {
        let mut steps = Vec::with_capacity(plan.steps + 1);
        let mut starts: SmallVec<[u16; 4]> = SmallVec::new();
        for &part in &plan.parts {
            starts.push(steps.len() as u16);
            self.store.flatten(part, &mut steps);
        }
        let tail = steps.len() as u16;
        let place = |source: Source| match source {
            Source::Part(part, step) => StepId(starts[usize::from(part)] + step),
            Source::Node(node) => StepId(tail + node),
        };
        for (operation, args) in &plan.nodes {
            steps.push(Step { operation: *operation, args: args.iter().map(|&arg| place(arg)).collect() });
        }
        let last = steps.len() - 1;
        let mut touched: SmallVec<[u16; 6]> = SmallVec::new();
        for arg in &steps[last].args {
            let watched = self.has_state(steps[usize::from(arg.0)].operation);
            if watched && !touched.contains(&arg.0) && touched.len() < 5 {
                touched.push(arg.0);
            }
        }
        if has_result {
            touched.push(last as u16);
        }
        Candidate { callable, parts: plan.parts, steps, tail, call: tail + first_call as u16, touched }
    }

    /// Whether a step's result can have a state of its own: literals and boxes have none.
    fn has_state(&self, operation: OperationId) -> bool {
        !matches!(self.catalogue.operations.get(operation), Operation::Literal(_) | Operation::Convert { .. })
    }
}

/// The primitive type inside a box.
pub fn unboxed(name: &ClassName) -> Option<Type> {
    Some(match name.as_internal() {
        "java/lang/Boolean" => Type::Boolean,
        "java/lang/Byte" => Type::Byte,
        "java/lang/Character" => Type::Char,
        "java/lang/Short" => Type::Short,
        "java/lang/Integer" => Type::Int,
        "java/lang/Long" => Type::Long,
        "java/lang/Float" => Type::Float,
        "java/lang/Double" => Type::Double,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
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
                tame: false,
                rng: &mut self.rng,
            }
            .candidate(id)
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
}
