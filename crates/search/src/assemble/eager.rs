//! Our own way to come by an input: what is at hand, literals, the pool, and calls that make the type.
//!
//! In: a wanted type. Out: where its value comes from. Probabilities come from the configuration; those written here were found to work.

use probat_model::{ClassName, Literal, Operation, OperationId, Type};
use smallvec::SmallVec;

use super::{Assembler, NoCandidate, Plan, Source};
use crate::catalogue::{CallableId, OwnerId};
use crate::types::TypeId;

impl Assembler<'_> {
    pub(super) fn eager(
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
        let is_empty = plan.known.is_empty() && plan.parts.is_empty();
        if is_empty || !self.rng.chance(share) {
            return None;
        }
        let fitting = self.held(plan, ty);
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

    /// A value made by a call that yields the type, or by a stand-in.
    fn produced(&mut self, plan: &mut Plan, ty: TypeId, owner: Option<OwnerId>, depth: u8) -> Option<Source> {
        let producers = self.catalogue.producers(ty).len();
        // A stand-in takes many lines to write; what is made of nothing takes one.
        if depth >= self.config.depth
            && producers > 0
            && let Some(plain) = self.made_of_nothing(ty)
        {
            return self.call(plan, plain, owner, depth);
        }
        let stand = self.catalogue.stand(ty).filter(|_| self.config.stubs);
        if let Some(stand) = stand
            && (producers == 0 || depth >= self.config.depth || self.rng.chance(stand.share))
        {
            // Simple behaviours are drawn more often.
            let first = self.rng.below(stand.operations.len());
            let drawn = self.rng.below(first + 1);
            let willing = |operation: &&OperationId| !self.suspicion.is_shunned(**operation);
            let upto = &stand.operations[..=drawn];
            let operation = *upto.iter().rev().find(willing).unwrap_or(&upto[0]);
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
            if self.suspicion.is_shunned(self.catalogue.callable(chosen).operation) {
                continue;
            }
            let (nodes, parts, steps) = (plan.nodes.len(), plan.parts.len(), plan.steps);
            if let Some(found) = self.call(plan, chosen, owner, depth) {
                return Some(found);
            }
            plan.nodes.truncate(nodes);
            plan.parts.truncate(parts);
            plan.steps = steps;
            plan.known.retain(|(source, _)| match source {
                Source::Part(..) => true,
                Source::Node(node) => usize::from(*node) < nodes,
            });
        }
        None
    }

    /// A call without arguments that yields the type.
    fn made_of_nothing(&mut self, ty: TypeId) -> Option<CallableId> {
        let all = self.catalogue.producers(ty);
        let bare = |id: &CallableId| {
            let callable = self.catalogue.callable(*id);
            callable.params.is_empty() && !self.suspicion.is_shunned(callable.operation)
        };
        let bare: SmallVec<[CallableId; 8]> = all.iter().copied().filter(bare).collect();
        self.rng.pick(&bare).copied()
    }

    pub(super) fn call(
        &mut self,
        plan: &mut Plan,
        id: CallableId,
        owner: Option<OwnerId>,
        depth: u8,
    ) -> Option<Source> {
        let callable = self.catalogue.callable(id).signature();
        let before = self.tame;
        self.tame |= self.tame_calls.contains(&id);
        let args: Option<SmallVec<[Source; 4]>> = (0..callable.params.len())
            .map(|at| {
                let is_receiver = at == 0 && callable.has_receiver;
                self.supply(plan, callable.params[at], owner, depth + 1, is_receiver).ok()
            })
            .collect();
        self.tame = before;
        Some(self.push(plan, callable.operation, args?, callable.result))
    }
}
