//! Builds one candidate: a callable, and a value for each of its parameters.
//!
//! In: the callable chosen, the pool, the catalogue, literals. Out: a [`Candidate`], or the type for which there is no value.
//! Stored sequences come first, then the new steps, so that a candidate that proves legal is stored at the cost of its new steps.
//! Chooses values; never which callable, and never runs anything. Where a value comes from is the business of one module per [`Inputs`].

mod actions;
mod eager;
mod recommended;
mod terms;
mod walk;

use probat_model::{ClassName, Literal, Operation, OperationId, Step, StepId, Type};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use crate::batch::AttemptId;
use crate::catalogue::{CallableId, Catalogue, OwnerId};
use crate::distance::{OF, Spread};
use crate::literals::Literals;
use crate::pool::{Pool, PoolValue};
use crate::relevance::Relevance;
use crate::rng::Rng;
use crate::stems::Stem;
use crate::store::{SequenceId, Store};
use crate::strategy::{Inputs, Sequences, Strategy};
use crate::suspicion::Suspicion;
use crate::types::{Hierarchy, TypeId};

pub use recommended::Batched;

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
    /// Calls on a receiver that another candidate made already, at most.
    pub followers: usize,
}

impl Default for AssembleConfig {
    fn default() -> Self {
        AssembleConfig {
            reuse: 0.3,
            fresh: 0.15,
            null: 0.0,
            repeat: 0.0,
            repeat_max: 10,
            depth: 3,
            max_steps: 64,
            stubs: true,
            demand: true,
            followers: 12,
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
    /// What it is part of, where attempts are counted.
    pub attempt: Option<AttemptId>,
    /// Places whose comparisons are of interest.
    pub sites: Vec<u32>,
    /// Whether it is an earlier one with a value that a comparison asked for.
    pub substituted: bool,
    /// The stored value it calls the member on, if no step of its own stands in between.
    pub receiver: Option<PoolValue>,
    /// It was stopped once for taking long, and gets all the time there is.
    pub is_unhurried: bool,
    /// Whether that value is looked at before the call, too.
    pub is_weighed: bool,
    /// What it shares with those run beside it.
    pub stem: Stem,
}

/// Why there is no candidate. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoCandidate {
    /// No value of this type can be had yet.
    NoValue(TypeId),
    /// The steps would be more than allowed.
    TooLong,
    /// No source could use all of the steps.
    Scattered,
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
    pub strategy: &'a Strategy,
    /// There if sequences are chosen by relevance.
    pub relevance: Option<&'a mut Relevance>,
    /// There if values are chosen by how far they are from others.
    pub spread: Option<&'a mut Spread>,
    /// The callable to call.
    pub target: CallableId,
    /// The sequence to go on with, where sequences are walks.
    pub walk: Option<SequenceId>,
    /// The receiver of the call, where another candidate made it already.
    pub receiver: Option<PoolValue>,
    /// Only small numbers: the call was seen to exhaust memory or time.
    pub tame: bool,
    /// Callables that get only small numbers wherever they are called.
    pub tame_calls: &'a FxHashSet<CallableId>,
    /// Stand-ins to avoid.
    pub suspicion: &'a Suspicion,
    /// Types that the code called was seen to ask its objects for.
    pub types: &'a [TypeId],
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
    /// Values of nodes worth sharing.
    known: Vec<(Source, TypeId)>,
    steps: usize,
    /// The part that gives the receiver of the call.
    receiver: Option<u8>,
    /// The stored value that was taken last.
    taken: Option<PoolValue>,
}

impl Assembler<'_> {
    /// A candidate that ends in a call of the target.
    pub fn candidate(&mut self) -> Result<Candidate, NoCandidate> {
        let callable = self.catalogue.callable(self.target).signature();
        let mut plan = Plan::default();
        if let Some(walk) = self.walk {
            self.bring(&mut plan, walk).ok_or(NoCandidate::TooLong)?;
        }
        let mut args: SmallVec<[Source; 4]> = SmallVec::new();
        let mut receiver = None;
        for (at, &param) in callable.params.iter().enumerate() {
            let is_receiver = at == 0 && callable.has_receiver;
            let param = if is_receiver { param } else { self.asked_for(param) };
            let found = match self.receiver {
                Some(value) if is_receiver => self.include(&mut plan, value).ok_or(NoCandidate::TooLong)?,
                _ => self.supply(&mut plan, param, callable.owner, 0, is_receiver)?,
            };
            if let (true, Source::Part(part, _)) = (is_receiver, found) {
                plan.receiver = Some(part);
                receiver = plan.taken.filter(|_| part == 0);
            }
            args.push(found);
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
        let candidate = self.lay_out(plan, first_call, callable.result.is_some());
        Ok(Candidate { receiver, ..candidate })
    }

    /// How often the call is made: once, or more where repetition strikes.
    fn calls(&mut self) -> u16 {
        if self.config.repeat > 0.0 && self.config.repeat_max > 1 && self.rng.chance(self.config.repeat) {
            1 + self.rng.below(usize::from(self.config.repeat_max)) as u16
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

    /// Now and then a type that `instanceof` asked for, where it fits.
    fn asked_for(&mut self, param: TypeId) -> TypeId {
        if self.types.is_empty() || !self.rng.chance(0.25) {
            return param;
        }
        let types = &self.catalogue.types;
        let fitting: SmallVec<[TypeId; 8]> = self
            .types
            .iter()
            .copied()
            .filter(|ty| types.is_subtype(*ty, param))
            .filter(|ty| !self.pool.fitting(*ty).is_empty() || !self.catalogue.producers(*ty).is_empty())
            .collect();
        self.rng.pick(&fitting).copied().unwrap_or(param)
    }

    /// A value for one input, come by as the strategy says.
    fn supply(
        &mut self,
        plan: &mut Plan,
        ty: TypeId,
        owner: Option<OwnerId>,
        depth: u8,
        is_receiver: bool,
    ) -> Result<Source, NoCandidate> {
        match self.strategy.inputs {
            Inputs::Eager => self.eager(plan, ty, owner, depth, is_receiver),
            Inputs::Actions => self.by_action(plan, ty, owner, depth, is_receiver, true),
            Inputs::Components => self.by_action(plan, ty, owner, depth, is_receiver, false),
            Inputs::TopDown { depth: deepest } => self.top_down(plan, ty, owner, depth, deepest),
            Inputs::Recommended { receiver } => {
                self.recommended(plan, ty, owner, depth, is_receiver, receiver)
            }
            Inputs::Walk => self.walked(plan, ty, owner, depth),
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
        let value = match self.strategy.sequences {
            Sequences::LeastUsed => self.pool.draw(ty, self.rng),
            Sequences::Uniform => self.pool.draw_evenly(ty, self.rng),
            Sequences::Relevant(_) => self.weighted(ty),
            Sequences::Farthest => self.farthest(ty),
        }?;
        self.include(plan, value)
    }

    /// Of some stored values the one farthest from those used.
    fn farthest(&mut self, ty: TypeId) -> Option<PoolValue> {
        let drawn: SmallVec<[PoolValue; OF]> =
            (0..OF).filter_map(|_| self.pool.draw_evenly(ty, self.rng)).collect();
        self.spread.as_mut()?.choose(ty, &drawn)
    }

    /// Brings a stored sequence in and returns the value wanted of it.
    fn include(&mut self, plan: &mut Plan, value: PoolValue) -> Option<Source> {
        let part = self.bring(plan, value.sequence)?;
        plan.taken = Some(value);
        Some(Source::Part(part, value.step))
    }

    /// Brings a stored sequence in with all its values; `None` if there is no room.
    fn bring(&mut self, plan: &mut Plan, sequence: SequenceId) -> Option<u8> {
        let length = self.store.length(sequence);
        if plan.steps + length > self.config.max_steps || plan.parts.len() == usize::from(u8::MAX) {
            return None;
        }
        let part = plan.parts.len() as u8;
        plan.parts.push(sequence);
        plan.steps += length;
        Some(part)
    }

    /// Values that the candidate holds already and that fit.
    fn held(&self, plan: &Plan, ty: TypeId) -> SmallVec<[Source; 8]> {
        let types = &self.catalogue.types;
        let mut fitting: SmallVec<[Source; 8]> = SmallVec::new();
        for (part, &sequence) in plan.parts.iter().enumerate() {
            self.store.values(sequence, 0, &mut |step, have| {
                if types.is_subtype(have, ty) {
                    fitting.push(Source::Part(part as u8, step));
                }
            });
        }
        let nodes = plan.known.iter().filter(|(_, have)| types.is_subtype(*have, ty));
        fitting.extend(nodes.map(|(source, _)| *source));
        fitting
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

    fn lay_out(&self, plan: Plan, first_call: usize, has_result: bool) -> Candidate {
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
        let call = tail + first_call as u16;
        Candidate {
            callable: self.target,
            parts: plan.parts,
            steps,
            tail,
            call,
            touched,
            attempt: None,
            sites: Vec::new(),
            substituted: false,
            receiver: None,
            is_unhurried: false,
            is_weighed: false,
            stem: Stem::None,
        }
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
mod tests;
