//! An input by one of the applicable actions, each as likely as the others (spec 001 §2.4).
//!
//! In: a wanted type. Out: where its value comes from: reused from what the candidate holds, fetched from the component set, or null.
//! Without reuse one object never serves twice. Literals and `new Object()` belong to the component set; nothing is built on demand.

use probat_model::{ClassName, Literal, MethodDescriptor, Operation, Type};
use smallvec::SmallVec;

use super::{Assembler, NoCandidate, Plan, Source};
use crate::catalogue::OwnerId;
use crate::types::TypeId;

/// What can be done for an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Action {
    Reuse,
    Fetch,
    Null,
}

impl Assembler<'_> {
    pub(super) fn by_action(
        &mut self,
        plan: &mut Plan,
        ty: TypeId,
        owner: Option<OwnerId>,
        depth: u8,
        is_receiver: bool,
        reuse: bool,
    ) -> Result<Source, NoCandidate> {
        let kind = self.catalogue.types.get(ty).clone();
        let at_hand = self.at_hand(plan, ty);
        let mut actions: SmallVec<[Action; 3]> = SmallVec::new();
        if reuse && !at_hand.is_empty() {
            actions.push(Action::Reuse);
        }
        actions.push(Action::Fetch);
        if self.config.null > 0.0 && kind.is_reference() && !is_receiver {
            actions.push(Action::Null);
        }
        // An action that turns out not to apply leaves the choice to the others.
        while !actions.is_empty() {
            let action = actions.remove(self.rng.below(actions.len()));
            let found = match action {
                Action::Reuse => self.rng.pick(&at_hand).copied(),
                Action::Fetch => self.fetched(plan, ty, &kind, owner, depth),
                Action::Null => {
                    Some(self.node(plan, Operation::Literal(Literal::Null(kind.clone())), SmallVec::new()))
                }
            };
            if let Some(found) = found {
                return Ok(found);
            }
        }
        Err(NoCandidate::NoValue(ty))
    }

    /// Values of the candidate that fit.
    pub(super) fn at_hand(&self, plan: &Plan, ty: TypeId) -> SmallVec<[Source; 8]> {
        self.held(plan, self.catalogue.types.erasure(ty))
    }

    /// A component: a stored sequence or something from the fixed pools, by how many there are of each.
    fn fetched(
        &mut self,
        plan: &mut Plan,
        ty: TypeId,
        kind: &Type,
        owner: Option<OwnerId>,
        depth: u8,
    ) -> Option<Source> {
        let erased = self.catalogue.types.erasure(ty);
        let (stored, fixed) = (self.pool.count(erased), self.fixed_count(kind));
        if stored + fixed == 0 {
            return None;
        }
        if self.rng.below(stored + fixed) < stored {
            return self.pooled(plan, erased);
        }
        self.fixed(plan, kind, owner, depth)
    }

    /// How many components of the fixed pools fit; rough for what is composed of several.
    pub(super) fn fixed_count(&self, kind: &Type) -> usize {
        match kind {
            Type::Array(_) => 4,
            Type::Class(name) => match name.as_internal() {
                "java/lang/String" | "java/lang/CharSequence" => self.literals.count(kind),
                "java/lang/Object" => 3,
                "java/lang/Comparable" | "java/io/Serializable" | "java/lang/Number" | "java/lang/Class" => 2,
                _ => super::unboxed(name).map_or(0, |inside| self.literals.count(&inside)),
            },
            primitive => self.literals.count(primitive),
        }
    }

    /// A value from the fixed pools: literals, boxes, texts, arrays of what there is, `new Object()`.
    pub(super) fn fixed(
        &mut self,
        plan: &mut Plan,
        kind: &Type,
        owner: Option<OwnerId>,
        depth: u8,
    ) -> Option<Source> {
        let string = Type::class("java/lang/String");
        let integer = ClassName::internal("java/lang/Integer");
        match kind {
            Type::Array(element) if depth < 3 => self.array(plan, element, owner, depth).ok(),
            Type::Array(_) => None,
            Type::Class(name) => match name.as_internal() {
                "java/lang/String" | "java/lang/CharSequence" => self.literal(plan, &string, owner),
                "java/lang/Object" => match self.rng.below(3) {
                    0 => self.literal(plan, &string, owner),
                    1 => self.boxed(plan, &integer, owner),
                    _ => Some(self.new_object(plan)),
                },
                "java/lang/Comparable" | "java/io/Serializable" => match self.rng.below(2) {
                    0 => self.literal(plan, &string, owner),
                    _ => self.boxed(plan, &integer, owner),
                },
                "java/lang/Number" => self.boxed(plan, &integer, owner),
                "java/lang/Class" => Some(self.class_literal(plan, owner)),
                _ => self.boxed(plan, name, owner),
            },
            primitive => self.literal(plan, primitive, owner),
        }
    }

    fn new_object(&mut self, plan: &mut Plan) -> Source {
        let descriptor = MethodDescriptor::parse("()V").expect("a well-formed descriptor");
        let class = ClassName::internal("java/lang/Object");
        let object = self.catalogue.types.intern(&Type::Class(class.clone()), self.hierarchy);
        let operation = self.catalogue.operations.intern(Operation::Construct { class, descriptor });
        self.push(plan, operation, SmallVec::new(), Some(object))
    }
}
