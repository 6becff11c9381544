//! Inputs made from the top down: a term over the operations under test (spec 001 §2.2).
//!
//! In: a wanted type and how deep it stands. Out: a call that yields it, or a literal, each as likely, with inputs come by in the same way.
//! At the greatest depth only literals and calls without inputs are left. Nothing is taken from earlier runs, and no value serves twice.

use super::{Assembler, NoCandidate, Plan, Source};
use crate::catalogue::{CallableId, OwnerId};
use crate::types::TypeId;

impl Assembler<'_> {
    pub(super) fn top_down(
        &mut self,
        plan: &mut Plan,
        ty: TypeId,
        owner: Option<OwnerId>,
        depth: u8,
        deepest: u8,
    ) -> Result<Source, NoCandidate> {
        let erased = self.catalogue.types.erasure(ty);
        let kind = self.catalogue.types.get(erased).clone();
        let catalogue = &*self.catalogue;
        let is_open = |id: &&CallableId| {
            let callable = catalogue.callable(**id);
            callable.owner.is_some() && (depth < deepest || callable.params.is_empty())
        };
        let calls: Vec<CallableId> = catalogue.producers(erased).iter().filter(is_open).copied().collect();
        let fixed = self.fixed_count(&kind);
        if calls.len() + fixed == 0 {
            return Err(NoCandidate::NoValue(ty));
        }
        let found = match calls.get(self.rng.below(calls.len() + fixed)) {
            Some(&call) => self.call(plan, call, owner, depth),
            None => self.fixed(plan, &kind, owner, depth),
        };
        found.ok_or(NoCandidate::NoValue(ty))
    }
}
