//! Inputs of a random walk (spec 001 §2.2).
//!
//! In: a wanted type, and the walk so far. Out: one of the walk's own values or of the fixed pools, each as likely. A walk knows no other
//! sequence: what it does not hold and what no literal gives cannot be had.

use super::{Assembler, NoCandidate, Plan, Source};
use crate::catalogue::OwnerId;
use crate::types::TypeId;

impl Assembler<'_> {
    pub(super) fn walked(
        &mut self,
        plan: &mut Plan,
        ty: TypeId,
        owner: Option<OwnerId>,
        depth: u8,
    ) -> Result<Source, NoCandidate> {
        let kind = self.catalogue.types.get(ty).clone();
        let (at_hand, fixed) = (self.at_hand(plan, ty), self.fixed_count(&kind));
        let drawn = match at_hand.len() + fixed {
            0 => None,
            all => Some(self.rng.below(all)),
        };
        let found = match drawn {
            Some(at) if at < at_hand.len() => Some(at_hand[at]),
            Some(_) => self.fixed(plan, &kind, owner, depth).or_else(|| self.rng.pick(&at_hand).copied()),
            None => None,
        };
        found.ok_or(NoCandidate::NoValue(ty))
    }
}
