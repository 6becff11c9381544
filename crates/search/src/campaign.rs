//! A search from its first round to its last.
//!
//! In: a catalogue, a seed, observations. Out: rounds of items to run; afterwards the archive, the failures, the reasons for what was not reached.
//!
//! ```text
//! round():   schedule ─▶ callable ─▶ assemble ─▶ candidate ─▶ item            (not yet run)
//! absorb():  observation ─▶ judge: legal, threw, refused, stopped ─▶ pool, store, archive, failures, schedule
//! ```
//!
//! The caller may keep several rounds in flight, as long as it absorbs them in order: a round depends only on what was
//! absorbed before it was drawn, so a fixed number in flight gives the same search on any number of workers.

use std::collections::BTreeMap;

use probat_model::{
    Contract, DeathCause, End, Observation, Sequence, Step, StepId, StepOutcome, Thrown, Type, Value,
    Violation,
};
use probat_protocol::{Item, Observe, Reset, StateRequest, Values};
use rustc_hash::FxHashSet;
use xxhash_rust::xxh3::Xxh3;

use crate::archive::{Archive, Ending, Gain, Witness};
use crate::assemble::{AssembleConfig, Assembler, Candidate, NoCandidate};
use crate::catalogue::{CallableId, Catalogue};
use crate::literals::{LiteralConfig, Literals};
use crate::pool::{Offer, Pool, PoolValue};
use crate::rng::Rng;
use crate::schedule::Schedule;
use crate::store::Store;
use crate::types::{Hierarchy, TypeId};

/// What decides a search, besides the catalogue.
#[derive(Debug, Clone, PartialEq)]
pub struct CampaignConfig {
    pub seed: u64,
    /// Candidates per round.
    pub round: usize,
    pub literals: LiteralConfig,
    pub assemble: AssembleConfig,
    /// Weigh callables by what they may bring.
    pub adaptive: bool,
    /// Keep only values whose state is new.
    pub states: bool,
    pub contracts: bool,
}

impl Default for CampaignConfig {
    fn default() -> Self {
        CampaignConfig {
            seed: 0,
            round: 256,
            literals: LiteralConfig::default(),
            assemble: AssembleConfig::default(),
            adaptive: true,
            states: true,
            contracts: true,
        }
    }
}

/// Tries of a callable with small numbers only, so that one that allocates what it is told is met gently.
const FIRST_TRIES: u32 = 24;

/// Rounds that are smaller than the others, so that the first lessons come early.
const FIRST_ROUNDS: u64 = 6;

/// What went wrong. Match without `_`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum FailureKind {
    Contract(Contract),
    TimedOut,
    Exhausted,
    Died,
}

/// The shortest sequence known that fails in this way at this callable.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    pub callable: CallableId,
    pub kind: FailureKind,
    pub steps: Vec<Step>,
    pub violation: Option<Violation>,
    pub death: Option<DeathCause>,
    /// How often it was seen.
    pub times: u32,
}

/// Running totals.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    pub sequences: u64,
    pub steps: u64,
    pub legal: u64,
    pub threw: u64,
    pub refused: u64,
    pub stopped: u64,
    pub tainted: u64,
    /// Drawn a second time and not run.
    pub duplicates: u64,
    pub unassembled: u64,
}

/// A search.
pub struct Campaign<'h> {
    pub config: CampaignConfig,
    pub catalogue: Catalogue,
    hierarchy: &'h dyn Hierarchy,
    store: Store,
    pool: Pool,
    literals: Literals,
    archive: Archive,
    schedule: Schedule,
    rng: Rng,
    run: FxHashSet<u128>,
    failures: BTreeMap<(CallableId, FailureKind), Failure>,
    /// Callables that exhausted memory or time, and the rest of their classes.
    tame: FxHashSet<CallableId>,
    /// How often a type was wanted and could not be had.
    missing: BTreeMap<TypeId, u64>,
    totals: Totals,
    rounds: u64,
}

impl std::fmt::Debug for Campaign<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Campaign").field("totals", &self.totals).finish_non_exhaustive()
    }
}

impl<'h> Campaign<'h> {
    pub fn new(catalogue: Catalogue, hierarchy: &'h dyn Hierarchy, config: CampaignConfig) -> Self {
        Campaign {
            literals: Literals::new(config.literals.clone(), catalogue.owners.len()),
            archive: Archive::new(catalogue.probes),
            schedule: Schedule::new(catalogue.callables.len(), config.adaptive),
            rng: Rng::new(config.seed),
            store: Store::new(),
            pool: Pool::new(),
            run: FxHashSet::default(),
            failures: BTreeMap::new(),
            tame: FxHashSet::default(),
            missing: BTreeMap::new(),
            totals: Totals::default(),
            rounds: 0,
            hierarchy,
            catalogue,
            config,
        }
    }

    pub fn totals(&self) -> Totals {
        self.totals
    }

    pub fn archive(&self) -> &Archive {
        &self.archive
    }

    /// Edges that need no test.
    pub fn credit(&mut self, edges: &[probat_model::ProbeId]) {
        self.archive.credit(edges);
    }

    /// The id of a type met at run time.
    pub fn intern(&mut self, ty: &Type) -> TypeId {
        self.catalogue.types.intern(ty, self.hierarchy)
    }

    pub fn states(&self) -> usize {
        self.pool.states()
    }

    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// One failure per callable and kind.
    pub fn failures(&self) -> impl Iterator<Item = &Failure> {
        self.failures.values()
    }

    /// Types that were wanted in vain, most wanted first.
    pub fn missing(&self) -> Vec<(TypeId, u64)> {
        let mut all: Vec<(TypeId, u64)> = self.missing.iter().map(|(ty, times)| (*ty, *times)).collect();
        all.sort_by_key(|(ty, times)| (std::cmp::Reverse(*times), *ty));
        all
    }

    /// Operands of a comparison in code of a class under test.
    pub fn literals_mut(&mut self) -> &mut Literals {
        &mut self.literals
    }

    /// Draws candidates for one round. Fewer than asked for if most draws repeat or cannot be assembled.
    pub fn round(&mut self) -> Vec<Candidate> {
        self.schedule.renew(&self.catalogue, &self.archive);
        self.rounds += 1;
        let size =
            if self.rounds <= FIRST_ROUNDS { self.config.round.div_ceil(8) } else { self.config.round };
        let mut drawn = Vec::with_capacity(size);
        for _ in 0..size * 4 {
            if drawn.len() == size {
                break;
            }
            let Some(callable) = self.schedule.draw(&mut self.rng) else { break };
            match self.assemble(callable) {
                Ok(candidate) if self.run.insert(key(&candidate.steps)) => drawn.push(candidate),
                Ok(_) => {
                    self.totals.duplicates += 1;
                    self.schedule.record_mut(callable).barren += 1;
                }
                Err(why) => self.unassembled(callable, why),
            }
        }
        drawn
    }

    fn assemble(&mut self, callable: CallableId) -> Result<Candidate, NoCandidate> {
        Assembler {
            catalogue: &mut self.catalogue,
            hierarchy: self.hierarchy,
            store: &self.store,
            pool: &mut self.pool,
            literals: &self.literals,
            config: &self.config.assemble,
            tame: self.tame.contains(&callable) || self.schedule.record(callable).tries < FIRST_TRIES,
            rng: &mut self.rng,
        }
        .candidate(callable)
    }

    fn unassembled(&mut self, callable: CallableId, why: NoCandidate) {
        self.totals.unassembled += 1;
        self.schedule.record_mut(callable).unassembled += 1;
        match why {
            NoCandidate::NoValue(ty) => *self.missing.entry(ty).or_default() += 1,
            NoCandidate::TooLong => {}
        }
    }

    /// The item that runs a candidate and observes what the search learns from.
    pub fn item(&self, candidate: &Candidate) -> Item {
        let last = candidate.steps.len() as u16 - 1;
        let states = if self.config.states {
            let request =
                |&step: &u16| StateRequest { after: last, roots: vec![StepId(step)], stored: false };
            candidate.touched.iter().map(request).collect()
        } else {
            Vec::new()
        };
        let sequence = Sequence::from_steps(&self.catalogue.operations, candidate.steps.clone())
            .expect("assembled steps use earlier results only");
        let observe = Observe { values: Values::All, edges: true, contracts: self.config.contracts, states };
        Item { sequence, observe, reset: Reset::Fields, past_exceptions: false }
    }

    /// Learns from the observations of a round.
    pub fn absorb(&mut self, round: Vec<Candidate>, seen: Vec<Observation>) {
        for (candidate, observation) in round.into_iter().zip(seen) {
            self.judge(candidate, observation);
        }
    }

    fn judge(&mut self, candidate: Candidate, seen: Observation) {
        self.totals.sequences += 1;
        self.totals.steps += candidate.steps.len() as u64;
        let callable = candidate.callable;
        self.schedule.record_mut(callable).tries += 1;
        let fruitful = if !seen.taints.is_empty() {
            self.totals.tainted += 1;
            false
        } else {
            self.violations(&candidate, &seen);
            match seen.end.clone() {
                End::Completed => self.legal(&candidate, &seen),
                End::Threw(step) => self.threw(&candidate, &seen, step),
                End::Refused(_) => {
                    self.totals.refused += 1;
                    false
                }
                End::TimedOut(step) => self.stopped(&candidate, FailureKind::TimedOut, Some(step), None),
                End::Exhausted(step) => self.stopped(&candidate, FailureKind::Exhausted, Some(step), None),
                End::Died { step, cause } => self.stopped(&candidate, FailureKind::Died, step, Some(cause)),
            }
        };
        let record = self.schedule.record_mut(callable);
        if fruitful {
            record.fruitful += 1;
            record.barren = 0;
        } else {
            record.barren += 1;
        }
    }

    /// What exhausted memory or time once will do so again: its class gets small numbers from now on.
    fn tame_owner(&mut self, callable: CallableId) {
        let owner = self.catalogue.callable(callable).owner;
        for (at, other) in self.catalogue.callables.iter().enumerate() {
            if other.owner == owner {
                self.tame.insert(CallableId(at as u32));
            }
        }
    }

    fn violations(&mut self, candidate: &Candidate, seen: &Observation) {
        for violation in &seen.violations {
            let kind = FailureKind::Contract(violation.contract);
            self.failure(candidate, candidate.steps.len(), kind, Some(violation.clone()), None);
        }
    }

    fn stopped(
        &mut self,
        candidate: &Candidate,
        kind: FailureKind,
        step: Option<StepId>,
        death: Option<DeathCause>,
    ) -> bool {
        self.totals.stopped += 1;
        self.tame_owner(candidate.callable);
        let length = step.map_or(candidate.steps.len(), |step| usize::from(step.0) + 1);
        self.failure(candidate, length, kind, None, death);
        false
    }

    fn failure(
        &mut self,
        candidate: &Candidate,
        length: usize,
        kind: FailureKind,
        violation: Option<Violation>,
        death: Option<DeathCause>,
    ) {
        let steps = &candidate.steps[..length];
        let key = (candidate.callable, kind.clone());
        let known = self.failures.entry(key).or_insert_with(|| Failure {
            callable: candidate.callable,
            kind,
            steps: steps.to_vec(),
            violation: violation.clone(),
            death,
            times: 0,
        });
        known.times += 1;
        if steps.len() < known.steps.len() {
            known.steps = steps.to_vec();
            known.violation = violation;
        }
    }

    /// A sequence that ran to its end: coverage for the archive, new values for the pool.
    fn legal(&mut self, candidate: &Candidate, seen: &Observation) -> bool {
        self.totals.legal += 1;
        self.schedule.record_mut(candidate.callable).legal += 1;
        let gain = self.archive.consider(Witness {
            callable: candidate.callable,
            steps: candidate.steps.clone(),
            ending: Ending::Returned,
            edges: seen.edges.clone(),
        });
        let values = self.new_values(candidate, seen);
        let fruitful = !values.is_empty() || gain != Gain::default();
        if !fruitful {
            return false;
        }
        let tail = &candidate.steps[usize::from(candidate.tail)..];
        let reusable: Vec<(u16, TypeId)> = values.iter().map(|value| (value.step, value.ty)).collect();
        let sequence = self.store.add(&candidate.parts, tail, &reusable);
        for value in values {
            let value = PoolValue { sequence, ..value };
            let offer = self.pool.offer(value, &self.catalogue.types, &mut self.rng);
            debug_assert!(offer != Offer::Known || reusable.len() > 1);
        }
        true
    }

    /// Values touched by the last call whose state is new for their type.
    fn new_values(&mut self, candidate: &Candidate, seen: &Observation) -> Vec<PoolValue> {
        let mut found = Vec::new();
        for (at, &step) in candidate.touched.iter().enumerate() {
            let Some(ty) = self.run_time_type(seen, step) else { continue };
            let Some(Some(state)) = seen.states.get(at) else { continue };
            if !state.truncated && !self.pool.knows(ty, state.hash) {
                found.push(PoolValue {
                    sequence: crate::store::SequenceId(0),
                    step,
                    ty,
                    state: state.hash,
                    length: candidate.steps.len() as u16,
                });
            }
        }
        found
    }

    fn run_time_type(&mut self, seen: &Observation, step: u16) -> Option<TypeId> {
        let at = seen.steps.binary_search_by_key(&StepId(step), |(step, _)| *step).ok()?;
        let StepOutcome::Returned(value) = &seen.steps[at].1 else { return None };
        let ty = match value {
            Value::Object { class } => Type::Class(class.clone()),
            Value::Array { class, .. } => Type::parse(class.as_internal()).ok()?,
            Value::String { .. } => Type::class("java/lang/String"),
            _ => return None,
        };
        Some(self.catalogue.types.intern(&ty, self.hierarchy))
    }

    /// A sequence that a step ended: an outcome worth a test if it is the call under test that threw.
    fn threw(&mut self, candidate: &Candidate, seen: &Observation, step: StepId) -> bool {
        self.totals.threw += 1;
        self.schedule.record_mut(candidate.callable).threw += 1;
        if step.0 < candidate.call {
            return false;
        }
        let Some(Thrown { class, .. }) = thrown_at(seen, step) else { return false };
        let gain = self.archive.consider(Witness {
            callable: candidate.callable,
            steps: candidate.steps[..=usize::from(step.0)].to_vec(),
            ending: Ending::Threw(class.clone()),
            edges: seen.edges.clone(),
        });
        gain != Gain::default()
    }
}

fn thrown_at(seen: &Observation, step: StepId) -> Option<&Thrown> {
    seen.steps.iter().find_map(|(at, outcome)| match outcome {
        StepOutcome::Threw(thrown) if *at == step => Some(thrown),
        _ => None,
    })
}

/// Names carry no meaning: equal steps are equal sequences (spec 001 §2.7).
fn key(steps: &[Step]) -> u128 {
    let mut hasher = Xxh3::new();
    for step in steps {
        hasher.update(&step.operation.0.to_le_bytes());
        for arg in &step.args {
            hasher.update(&arg.0.to_le_bytes());
        }
        hasher.update(&[0xff, 0xff]);
    }
    hasher.digest128()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::{Body, BodyId, Owner, OwnerId};
    use crate::types::fake::Lines;
    use probat_model::{ClassName, Literal, MethodDescriptor, Operation, ProbeId, StateHash, StateSeen};

    const LINES: Lines = Lines("");

    /// A counter with `new`, `up(int)` and `down()`, run by an interpreter of these three operations.
    fn catalogue() -> Catalogue {
        let mut catalogue = Catalogue::new();
        let class = ClassName::internal("Counter");
        let ty = catalogue.types.intern(&Type::Class(class.clone()), &LINES);
        catalogue.owners.push(Owner { ty, literals: Default::default() });
        let call = |name: &str, descriptor: &str| Operation::Call {
            class: class.clone(),
            name: name.into(),
            descriptor: MethodDescriptor::parse(descriptor).unwrap(),
            interface: false,
        };
        let construct = Operation::Construct {
            class: class.clone(),
            descriptor: MethodDescriptor::parse("()V").unwrap(),
        };
        for (at, operation) in [construct, call("up", "(I)V"), call("down", "()V")].into_iter().enumerate() {
            let id = catalogue.add_plain(operation, &LINES);
            catalogue.callables[id.0 as usize].owner = Some(OwnerId(0));
            catalogue.callables[id.0 as usize].body = Some(BodyId(at as u32));
            let first = at as u32 * 2;
            catalogue.bodies.push(Body {
                owner: OwnerId(0),
                probes: first..first + 2,
                callees: Box::from([]),
            });
        }
        catalogue.probes = 6;
        catalogue
    }

    fn interpret(campaign: &Campaign<'_>, item: &Item) -> Observation {
        let class = ClassName::internal("Counter");
        let mut counters: Vec<Option<i64>> = Vec::new();
        let mut seen = Observation {
            end: End::Completed,
            steps: Vec::new(),
            edges: Vec::new(),
            states: Vec::new(),
            violations: Vec::new(),
            taints: Vec::new(),
            leaks: Vec::new(),
        };
        let mut ints: Vec<i64> = Vec::new();
        for (at, step) in item.sequence.steps().iter().enumerate() {
            let id = StepId(at as u16);
            counters.push(None);
            ints.push(0);
            let value = match campaign.catalogue.operations.get(step.operation) {
                Operation::Literal(Literal::Int(value)) => {
                    ints[at] = i64::from(*value);
                    Value::Int(*value)
                }
                Operation::Construct { .. } => {
                    counters[at] = Some(0);
                    seen.edges.push(ProbeId(0));
                    Value::Object { class: class.clone() }
                }
                Operation::Call { name, .. } if name == "up" => {
                    let counter = &mut counters[usize::from(step.args[0].0)];
                    *counter = Some(counter.unwrap() + ints[usize::from(step.args[1].0)]);
                    seen.edges.push(ProbeId(if counter.unwrap() == 15 { 3 } else { 2 }));
                    Value::Void
                }
                Operation::Call { .. } => {
                    let counter = &mut counters[usize::from(step.args[0].0)];
                    if counter.unwrap() == 0 {
                        seen.edges.push(ProbeId(5));
                        let class = ClassName::internal("Empty");
                        let thrown = Thrown { class, message: None, cause: None, frames: Vec::new() };
                        seen.steps.push((id, StepOutcome::Threw(thrown)));
                        seen.end = End::Threw(id);
                        break;
                    }
                    *counter = Some(counter.unwrap() - 1);
                    seen.edges.push(ProbeId(4));
                    Value::Void
                }
                other => panic!("{other:?}"),
            };
            seen.steps.push((id, StepOutcome::Returned(value)));
        }
        seen.edges.sort();
        seen.edges.dedup();
        if seen.end == End::Completed {
            for request in &item.observe.states {
                let counter = counters[usize::from(request.roots[0].0)];
                let hash = StateHash(counter.unwrap_or(i64::MIN) as u128);
                seen.states.push(Some(StateSeen { hash, tokens: 1, truncated: false, stored: None }));
            }
        }
        seen
    }

    fn search(seed: u64, rounds: usize) -> (Campaign<'static>, Vec<Sequence>) {
        let assemble = AssembleConfig { repeat: 0.0, ..AssembleConfig::default() };
        let config = CampaignConfig { seed, round: 32, assemble, ..CampaignConfig::default() };
        let mut campaign = Campaign::new(catalogue(), &LINES, config);
        let mut all = Vec::new();
        for _ in 0..rounds {
            let round = campaign.round();
            let items: Vec<Item> = round.iter().map(|candidate| campaign.item(candidate)).collect();
            let seen = items.iter().map(|item| interpret(&campaign, item)).collect();
            all.extend(items.into_iter().map(|item| item.sequence));
            campaign.absorb(round, seen);
        }
        (campaign, all)
    }

    #[test]
    fn every_edge_of_the_counter_is_found() {
        let (campaign, _) = search(1, 100);
        // Probe 1 belongs to no edge; the others are reached, 3 only by adding up to 15.
        assert_eq!(campaign.archive().edges(), 5);
        assert!(campaign.totals().legal > 0 && campaign.totals().threw > 0);
        assert!(campaign.states() > 3);
    }

    /// spec 001 rows 7 and 8
    #[test]
    fn nothing_runs_twice_and_nothing_continues_past_an_exception() {
        let (campaign, all) = search(2, 40);
        let mut keys: Vec<u128> = all.iter().map(|sequence| key(sequence.steps())).collect();
        keys.sort_unstable();
        let before = keys.len();
        keys.dedup();
        assert_eq!(keys.len(), before);
        let threw: Vec<&Witness> = campaign
            .archive()
            .select()
            .into_iter()
            .map(|chosen| chosen.witness)
            .filter(|witness| matches!(witness.ending, Ending::Threw(_)))
            .collect();
        assert_eq!(threw.len(), 1);
        let prefix = &threw[0].steps;
        assert!(
            all.iter()
                .all(|sequence| sequence.len() == prefix.len() || !sequence.steps().starts_with(prefix))
        );
    }

    /// spec 001 row 24, spec 004 row R20
    #[test]
    fn the_seed_decides_everything() {
        assert_eq!(search(3, 20).1, search(3, 20).1);
        assert_ne!(search(3, 20).1, search(4, 20).1);
    }

    #[test]
    fn a_type_wanted_in_vain_is_named() {
        let mut catalogue = catalogue();
        let operation = Operation::Construct {
            class: ClassName::internal("Counter"),
            descriptor: MethodDescriptor::parse("(LNowhere;)V").unwrap(),
        };
        let id = catalogue.add_plain(operation, &LINES);
        catalogue.callables[id.0 as usize].owner = Some(OwnerId(0));
        let mut campaign = Campaign::new(catalogue, &LINES, CampaignConfig::default());
        campaign.round();
        let nowhere = campaign.catalogue.types.find(&Type::class("Nowhere")).unwrap();
        assert_eq!(campaign.missing().first().map(|(ty, _)| *ty), Some(nowhere));
    }
}
