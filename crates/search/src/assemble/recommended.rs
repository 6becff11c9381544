//! Inputs recommended for the method under test (spec 004 §2.5, §2.6).
//!
//! In: a wanted type, and how relevant stored sequences are to the method. Out: where its value comes from; or, once single choices keep
//! failing, all combinations of the sequences that together call every relevant method. Objects are never built on demand.

use probat_model::{Literal, Operation, Step};
use smallvec::SmallVec;

use super::{Assembler, Candidate, NoCandidate, Plan, Source};
use crate::batch::{Pick, combinations, cover, targets};
use crate::catalogue::OwnerId;
use crate::pool::PoolValue;
use crate::relevance::Score;
use crate::strategy::Batch;
use crate::types::TypeId;

/// Candidates weighed against each other; of more, so many are drawn evenly first, which keeps a draw cheap and its odds about the same.
const WEIGHED: usize = 256;

/// Candidates of a batch where nothing weighs them.
const UNWEIGHED: usize = 4;

/// What a batch came to.
#[derive(Debug, Default)]
pub struct Batched {
    pub candidates: Vec<Candidate>,
    /// There were more combinations than the cap allows.
    pub capped: bool,
}

impl Assembler<'_> {
    pub(super) fn recommended(
        &mut self,
        plan: &mut Plan,
        ty: TypeId,
        owner: Option<OwnerId>,
        depth: u8,
        is_receiver: bool,
        receiver: f64,
    ) -> Result<Source, NoCandidate> {
        let kind = self.catalogue.types.get(ty).clone();
        if kind.is_primitive() {
            return self.fixed(plan, &kind, owner, depth).ok_or(NoCandidate::NoValue(ty));
        }
        if !is_receiver {
            if self.config.null > 0.0 && self.rng.chance(self.config.null) {
                return Ok(self.node(plan, Operation::Literal(Literal::Null(kind)), SmallVec::new()));
            }
            let of_receiver = self.of_receiver(plan, ty);
            if !of_receiver.is_empty() && self.rng.chance(receiver) {
                return Ok(of_receiver[self.rng.below(of_receiver.len())]);
            }
        }
        let erased = self.catalogue.types.erasure(ty);
        let first_pooled = self.pool.count(erased) > 0 && self.rng.chance(0.5);
        if first_pooled && let Some(found) = self.pooled(plan, erased) {
            return Ok(found);
        }
        let found = self.fixed(plan, &kind, owner, depth).or_else(|| self.pooled(plan, erased));
        found.ok_or(NoCandidate::NoValue(ty))
    }

    /// Values of the receiver's own sequence that fit: the same objects, not copies.
    fn of_receiver(&self, plan: &Plan, ty: TypeId) -> SmallVec<[Source; 8]> {
        let Some(part) = plan.receiver else { return SmallVec::new() };
        let all = self.at_hand(plan, ty);
        all.into_iter().filter(|source| matches!(source, Source::Part(at, _) if *at == part)).collect()
    }

    /// A stored value, drawn by relevance to the method under test and by length.
    pub(super) fn weighted(&mut self, ty: TypeId) -> Option<PoolValue> {
        let candidates = self.candidates_for(ty);
        let scores = self.scores(&candidates);
        let weights = self.relevance.as_ref()?.weights(&scores);
        let at = self.rng.weighted(weights.iter().copied())?;
        let sequence = candidates[at].sequence;
        let fitting: SmallVec<[PoolValue; 4]> =
            self.pool.candidates(ty).filter(|value| value.sequence == sequence).copied().collect();
        self.rng.pick(&fitting).copied()
    }

    /// One value per sequence that has one of the type.
    fn candidates_for(&mut self, ty: TypeId) -> Vec<PoolValue> {
        let count = self.pool.count(ty);
        let mut all: Vec<PoolValue> = if count <= WEIGHED {
            self.pool.candidates(ty).copied().collect()
        } else {
            (0..WEIGHED).filter_map(|_| self.pool.draw_evenly(ty, self.rng)).collect()
        };
        all.sort_by_key(|value| (value.sequence, value.step));
        all.dedup_by_key(|value| value.sequence);
        all
    }

    fn scores(&mut self, candidates: &[PoolValue]) -> Vec<Score> {
        let Some(relevance) = &mut self.relevance else { return Vec::new() };
        let (catalogue, store, target) = (&*self.catalogue, self.store, self.target);
        candidates.iter().map(|value| relevance.score(catalogue, store, target, value.sequence)).collect()
    }

    /// All combinations of inputs that together call every relevant method; empty if some input has no candidate.
    pub fn batch(&mut self, batch: Batch) -> Result<Batched, NoCandidate> {
        let callable = self.catalogue.callable(self.target).signature();
        let mut choices: Vec<Vec<Pick>> = Vec::new();
        for &param in callable.params.iter() {
            choices.push(self.recommended_set(param)?);
        }
        let of_receiver = |value: &PoolValue, input: usize| -> Vec<u16> {
            let wanted = self.catalogue.types.erasure(callable.params[input]);
            let mut steps = Vec::new();
            self.store.values(value.sequence, 0, &mut |step, ty| {
                if self.catalogue.types.is_subtype(ty, wanted) {
                    steps.push(step);
                }
            });
            steps
        };
        let (rows, all) = combinations(&choices, callable.has_receiver, batch.cap, of_receiver);
        let capped = all > rows.len();
        let candidates = rows.iter().filter_map(|row| self.combined(row).ok()).collect();
        Ok(Batched { candidates, capped })
    }

    /// Sequences for one input, best first, each with a relevant method that no better one calls.
    fn recommended_set(&mut self, ty: TypeId) -> Result<Vec<Pick>, NoCandidate> {
        let kind = self.catalogue.types.get(ty).clone();
        let erased = self.catalogue.types.erasure(ty);
        let candidates = self.candidates_for(erased);
        if kind.is_primitive() || candidates.is_empty() {
            let mut trial = Plan::default();
            let drawable = self.fixed(&mut trial, &kind, None, 0).is_some();
            return if drawable { Ok(vec![Pick::Drawn]) } else { Err(NoCandidate::NoValue(ty)) };
        }
        let scores = self.scores(&candidates);
        let Some(weights) = self.relevance.as_ref().map(|relevance| relevance.weights(&scores)) else {
            // Nothing says which matter: a few of the oldest, which are the shortest.
            return Ok(candidates.into_iter().take(UNWEIGHED).map(Pick::Stored).collect());
        };
        let mut order: Vec<usize> = (0..candidates.len()).collect();
        order.sort_by(|a, b| weights[*b].total_cmp(&weights[*a]).then(a.cmp(b)));
        let mut found = Vec::new();
        for at in order {
            let mut steps: Vec<Step> = Vec::new();
            self.store.flatten(candidates[at].sequence, &mut steps);
            let Some(relevance) = &mut self.relevance else { continue };
            found.push((candidates[at], targets(self.catalogue, relevance, self.target, &steps)));
        }
        let best = found[0].0;
        let mut chosen = cover(found.into_iter());
        // Nothing relevant at all: the best one still is an input.
        if chosen.is_empty() {
            chosen.push(best);
        }
        Ok(chosen.into_iter().map(Pick::Stored).collect())
    }

    fn combined(&mut self, picks: &[Pick]) -> Result<Candidate, NoCandidate> {
        let callable = self.catalogue.callable(self.target).signature();
        let mut plan = Plan::default();
        let mut args: SmallVec<[Source; 4]> = SmallVec::new();
        for (at, pick) in picks.iter().enumerate() {
            args.push(match pick {
                Pick::Stored(value) => {
                    let found = self.include(&mut plan, *value).ok_or(NoCandidate::TooLong)?;
                    if at == 0 && callable.has_receiver {
                        plan.receiver = Some(0);
                    }
                    found
                }
                Pick::OfReceiver(step) => Source::Part(0, *step),
                Pick::Drawn => {
                    let kind = self.catalogue.types.get(callable.params[at]).clone();
                    self.fixed(&mut plan, &kind, callable.owner, 0)
                        .ok_or(NoCandidate::NoValue(callable.params[at]))?
                }
            });
        }
        let first_call = plan.nodes.len();
        plan.nodes.push((callable.operation, args));
        Ok(self.lay_out(plan, first_call, callable.result.is_some()))
    }
}
