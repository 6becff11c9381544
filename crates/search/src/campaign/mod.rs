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

mod baselines;
mod failures;
mod hurry;
mod judge;
mod meetings;
mod own_doing;
mod packages;
mod resume;
mod seeds;
mod siblings;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_baselines;
#[cfg(test)]
mod tests_modes;
mod walks;

use std::collections::{BTreeMap, VecDeque};

use probat_model::{Observation, Operation, OperationId, Sequence, Step, Thrown, Type};
use probat_protocol::{Item, Observe, Reset, Values};
use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::Xxh3;

use crate::archive::Archive;
use crate::assemble::{AssembleConfig, Assembler, Batched, Candidate, NoCandidate};
use crate::batch::Attempts;
use crate::catalogue::{CallableId, Catalogue};
use crate::costs::Costs;
use crate::distance::Spread;
use crate::earnings::Earnings;
use crate::equality::{Equality, Question};
use crate::feedback::{Feedback, Place};
use crate::habits::{Habits, Side};
use crate::homes::Homes;
use crate::literals::{FixedPool, LiteralConfig, Literals};
use crate::novelty;
use crate::pairs::{Meeting, Pairs};
use crate::pool::Pool;
use crate::relevance::Relevance;
use crate::relevance_table::RelevanceTable;
use crate::rng::Rng;
use crate::schedule::Schedule;
use crate::stems::{Members, Stem};
use crate::store::{SequenceId, Store};
use crate::strategy::{Batch, Grades, Inputs, Pruning, Sequences, Strategy};
use crate::suspicion::Suspicion;
use crate::tally::Tally;
use crate::types::{Hierarchy, TypeId};
use crate::visitor::Visitor;

use failures::Failures;
pub use failures::{Blame, Failure, FailureKind, FaultConfig};
pub use own_doing::is_entangled;
pub use seeds::{Seed, Seeded};

/// What becomes of a call that throws. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exceptions {
    /// It ends a test, which asserts it.
    Assert,
    /// It is taken for misuse and appears in no test (spec 001 §2.5).
    Discard,
}

/// What decides a search, besides the catalogue.
#[derive(Debug, Clone, PartialEq)]
pub struct CampaignConfig {
    pub seed: u64,
    /// Candidates per round.
    pub round: usize,
    pub strategy: Strategy,
    pub literals: LiteralConfig,
    pub assemble: AssembleConfig,
    pub contracts: bool,
    pub exceptions: Exceptions,
    pub faults: FaultConfig,
    /// A sequence stays extendable after a call that threw (spec 001 §2.14).
    pub past_exceptions: bool,
    /// Objects made alike meet, and laws between two objects are asked of every pair, where contracts are checked.
    pub pairs: bool,
    /// Keep every sequence that ran for the suite, not only those that add something.
    pub keep_all: bool,
    /// Run only what was found before: nothing new is tried.
    pub resumed_only: bool,
    /// Calls are given up sooner than they may be, and those of them that are new to that run once more with all the time there is. What is near the limit
    /// comes out either way, so a search that is to be repeated does without.
    pub hurry: bool,
    /// Tell failures by the first sequence of so many steps, where there is one; otherwise by the shortest.
    pub long_failures: Option<usize>,
}

impl Default for CampaignConfig {
    fn default() -> Self {
        CampaignConfig {
            seed: 0,
            round: 256,
            strategy: Strategy::best(),
            literals: LiteralConfig::default(),
            assemble: AssembleConfig::default(),
            contracts: true,
            exceptions: Exceptions::Assert,
            faults: FaultConfig::default(),
            past_exceptions: false,
            pairs: true,
            keep_all: false,
            resumed_only: false,
            hurry: false,
            long_failures: None,
        }
    }
}

impl CampaignConfig {
    /// Directed random testing with its author's settings (spec 001 §2.18).
    pub fn drt() -> Self {
        CampaignConfig {
            // Its author's tool learned from every run; a small round comes close.
            round: 64,
            strategy: Strategy::drt(),
            literals: LiteralConfig {
                mined: false,
                feedback: false,
                variation: false,
                pool: FixedPool::Classic,
                ..LiteralConfig::default()
            },
            assemble: AssembleConfig {
                repeat: 0.1,
                repeat_max: 100,
                max_steps: 500,
                stubs: false,
                demand: false,
                ..AssembleConfig::default()
            },
            exceptions: Exceptions::Discard,
            pairs: false,
            ..CampaignConfig::default()
        }
    }

    /// RecGen with its author's settings (spec 004 §2.3).
    pub fn recgen() -> Self {
        CampaignConfig {
            strategy: Strategy::recgen(),
            assemble: AssembleConfig {
                repeat: 0.0,
                max_steps: 500,
                stubs: false,
                demand: false,
                ..AssembleConfig::default()
            },
            exceptions: Exceptions::Assert,
            ..CampaignConfig::drt()
        }
    }
}

/// Tries of a callable with small numbers only, so that one that allocates what it is told is met gently.
const FIRST_TRIES: u32 = 24;

/// Rounds that are smaller than the others, so that the first lessons come early.
const FIRST_ROUNDS: u64 = 6;

/// Rounds before each of which every callable is weighed anew, while much is learned from each.
const RESTLESS_ROUNDS: u64 = 64;

/// Later, before one of so many rounds.
const RENEWAL: u64 = 4;

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
    /// Runs that only compared values with earlier ones.
    pub questions: u64,
    /// Runs that only brought objects together.
    pub meetings: u64,
    /// Attempts that tried all combinations, and those of them that were cut short.
    pub batches: u64,
    pub batches_capped: u64,
}

/// Something to run.
#[derive(Debug, Clone)]
pub enum Draft {
    /// A new sequence.
    Try(Candidate),
    /// Whether values of a legal sequence are new.
    Ask(Question),
    /// A sequence of the user.
    Seed(Seed),
    /// Objects whose laws are checked in pairs.
    Meet(Meeting),
}

impl Draft {
    /// The steps to run.
    pub fn steps(&self) -> &[Step] {
        match self {
            Draft::Try(candidate) => &candidate.steps,
            Draft::Ask(question) => &question.steps,
            Draft::Seed(seed) => &seed.candidate.steps,
            Draft::Meet(meeting) => &meeting.steps,
        }
    }

    /// What it shares with those beside it.
    fn stem(&self) -> Stem {
        match self {
            Draft::Try(candidate) => candidate.stem,
            Draft::Ask(_) | Draft::Seed(_) | Draft::Meet(_) => Stem::None,
        }
    }

    /// How many steps are executed for it.
    pub fn cost(&self) -> u64 {
        self.steps().len() as u64 - u64::from(self.stem().saved())
    }
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
    relevance: Option<Relevance>,
    spread: Option<Spread>,
    equality: Option<Equality>,
    attempts: Attempts,
    rng: Rng,
    run: FxHashSet<u128>,
    failures: Failures,
    feedback: Feedback,
    earnings: Earnings,
    /// Operations that make sequences take long.
    costs: Costs,
    /// How often calls were given more time after they had been hurried.
    second_chances: FxHashMap<OperationId, u32>,
    chances_given: u64,
    /// Callables that exhausted memory or time, and the rest of their classes.
    tame: FxHashSet<CallableId>,
    /// Stored sequences and stand-ins that make calls run out of memory or time.
    suspicion: Suspicion,
    /// Who changes what it is given.
    habits: Habits,
    /// Who can be called beside whom.
    members: Members,
    /// How often a type was wanted and could not be had.
    missing: BTreeMap<TypeId, u64>,
    homes: Homes,
    /// Sequences of the user that are still to be run, and what became of all.
    waiting: Vec<Seed>,
    /// What an earlier search found and is to be run again.
    resumed: VecDeque<Candidate>,
    /// Walks that can go on, where sequences are walks.
    walks: VecDeque<SequenceId>,
    /// There if laws between two objects are asked of pairs.
    pairs: Option<Pairs>,
    visitors: Vec<Box<dyn Visitor>>,
    /// What stood in the way, where somebody wants to know.
    tally: Option<Tally>,
    /// Of callables that met a class that cannot be used: how often, and what was thrown last.
    unusable: BTreeMap<CallableId, (u32, Thrown)>,
    seeded: Vec<Seeded>,
    /// Calls executed, by how many calls came before them.
    depths: Vec<u64>,
    totals: Totals,
    rounds: u64,
}

impl std::fmt::Debug for Campaign<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Campaign").field("totals", &self.totals).finish_non_exhaustive()
    }
}

impl<'h> Campaign<'h> {
    pub fn new(mut catalogue: Catalogue, hierarchy: &'h dyn Hierarchy, config: CampaignConfig) -> Self {
        let equality = match &config.strategy.pruning {
            Pruning::Equals => Some(Equality::new(&mut catalogue.operations, None)),
            Pruning::Custom(method) => Some(Equality::new(&mut catalogue.operations, Some(method))),
            Pruning::State | Pruning::Mutation | Pruning::Syntactic | Pruning::Off => None,
        };
        let relevance = match config.strategy.sequences {
            Sequences::Relevant(grades) => Some(Relevance::new(&catalogue, grades)),
            Sequences::LeastUsed | Sequences::Uniform | Sequences::Farthest => None,
        };
        let spread = (config.strategy.sequences == Sequences::Farthest).then(Spread::default);
        Campaign {
            literals: Literals::new(config.literals.clone(), catalogue.owners.len()),
            archive: Archive::new(catalogue.probes, config.keep_all),
            schedule: Schedule::new(catalogue.callables.len(), config.strategy.methods),
            relevance,
            pairs: (config.pairs && config.contracts).then(|| Pairs::new(&catalogue, config.seed)),
            spread,
            equality,
            attempts: Attempts::default(),
            rng: Rng::new(config.seed),
            store: Store::new(),
            pool: Pool::new(),
            run: FxHashSet::default(),
            failures: Failures::new(config.long_failures),
            feedback: Feedback::default(),
            earnings: Earnings::default(),
            costs: Costs::default(),
            second_chances: FxHashMap::default(),
            chances_given: 0,
            tame: FxHashSet::default(),
            suspicion: Suspicion::default(),
            habits: Habits::new(catalogue.callables.len()),
            members: Members::new(&catalogue),
            missing: BTreeMap::new(),
            homes: Homes::default(),
            waiting: Vec::new(),
            resumed: VecDeque::new(),
            walks: VecDeque::new(),
            visitors: Vec::new(),
            tally: None,
            unusable: BTreeMap::new(),
            seeded: Vec::new(),
            depths: Vec::new(),
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

    /// Legal sequences with values that may serve again: what replacement draws on when a test is made shorter.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Values that may serve again.
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Calls executed, by how many calls came before them in their sequence; the last entry counts all deeper ones.
    pub fn depths(&self) -> &[u64] {
        &self.depths
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
        self.failures.iter()
    }

    /// The relevance of members to each other, graded as this search does.
    pub fn relevance_table(&self, name: &dyn Fn(&Operation) -> String) -> RelevanceTable {
        let grades = match self.config.strategy.sequences {
            Sequences::Relevant(grades) => grades,
            Sequences::LeastUsed | Sequences::Uniform | Sequences::Farthest => Grades::PLAIN,
        };
        RelevanceTable::of(&self.catalogue, grades, name)
    }

    /// Takes relevance from a table in place of computing it, where this search draws by relevance.
    pub fn load_relevance(&mut self, table: &RelevanceTable) {
        if let Some(relevance) = &mut self.relevance {
            relevance.load(&self.catalogue, table);
        }
    }

    /// Has someone watch.
    pub fn visit(&mut self, visitor: Box<dyn Visitor>) {
        self.visitors.push(visitor);
    }

    /// Has it counted from now on what stands in the way.
    pub fn keep_tally(&mut self) {
        self.tally = Some(Tally::default());
    }

    /// What stood in the way, if that was counted.
    pub fn tally(&self) -> Option<&Tally> {
        self.tally.as_ref()
    }

    /// What a callable threw last, if it never came to anything else because a class cannot be initialised or is missing.
    pub fn unusable(&self, callable: CallableId) -> Option<&Thrown> {
        let (times, thrown) = self.unusable.get(&callable)?;
        let record = self.schedule.record(callable);
        (record.legal == 0 && record.threw == *times).then_some(thrown)
    }

    /// What visitors have to say of a test.
    pub fn remarks(&self, steps: &[Step]) -> Vec<String> {
        let table = &self.catalogue.operations;
        self.visitors.iter().flat_map(|visitor| visitor.remarks(table, steps)).collect()
    }

    /// Notes a failure for another callable than the one whose call came last.
    pub fn blame(&mut self, blame: Blame) {
        self.failures.blame(blame);
    }

    /// Types that were wanted in vain, most wanted first.
    pub fn missing(&self) -> Vec<(TypeId, u64)> {
        let mut all: Vec<(TypeId, u64)> = self.missing.iter().map(|(ty, times)| (*ty, *times)).collect();
        all.sort_by_key(|(ty, times)| (std::cmp::Reverse(*times), *ty));
        all
    }

    /// Places where the code under test compares values, by their numbers. Without them nothing is asked.
    pub fn watch(&mut self, places: Vec<Place>) {
        self.feedback = Feedback::new(places, &self.catalogue);
    }

    /// Draws what to run in one round: questions first, then candidates. Fewer than asked for if most draws repeat or cannot be assembled.
    pub fn round(&mut self) -> Vec<Draft> {
        if self.rounds <= RESTLESS_ROUNDS || self.rounds.is_multiple_of(RENEWAL) {
            self.schedule.renew(&self.catalogue, &self.archive);
        }
        self.rounds += 1;
        let size =
            if self.rounds <= FIRST_ROUNDS { self.config.round.div_ceil(8) } else { self.config.round };
        let mut drawn = Vec::with_capacity(size);
        drawn.extend(self.waiting.drain(..).map(Draft::Seed));
        self.draw_resumed(&mut drawn, size);
        if !self.config.resumed_only {
            self.draw_new(&mut drawn, size);
        }
        for draft in &drawn {
            for visitor in &mut self.visitors {
                visitor.before(&self.catalogue.operations, draft.steps());
            }
        }
        drawn
    }

    /// Questions, substitutions and new candidates, until the round is full.
    fn draw_new(&mut self, drawn: &mut Vec<Draft>, size: usize) {
        while drawn.len() < size
            && let Some(question) = self.equality.as_mut().and_then(Equality::next_question)
        {
            drawn.push(Draft::Ask(question));
        }
        self.draw_meetings(drawn, size);
        let share = drawn.len() + self.earnings.share(size.saturating_sub(drawn.len()));
        while drawn.len() < share
            && let Some(candidate) = self.feedback.next_candidate()
        {
            if self.run.insert(key(&candidate.steps)) {
                drawn.push(Draft::Try(self.with_interests(candidate)));
            }
        }
        for _ in 0..size * self.draws() {
            if drawn.len() >= size {
                break;
            }
            let Some(callable) = self.schedule.draw(&mut self.rng) else { break };
            match self.config.strategy.batch {
                _ if self.config.strategy.inputs == Inputs::Walk => self.walk_on(callable, drawn),
                Some(batch) => self.attempt(callable, batch, drawn),
                None => match self.gathered(callable) {
                    Ok(candidate) => {
                        if let Some(candidate) = self.unless_run_before(candidate) {
                            self.with_siblings(candidate, drawn, size);
                        }
                    }
                    Err(why) => self.unassembled(callable, why),
                },
            }
        }
    }

    /// One attempt where attempts are counted: a candidate, or all combinations after too many failures.
    fn attempt(&mut self, callable: CallableId, batch: Batch, drawn: &mut Vec<Draft>) {
        let is_batch = self.attempts.is_batch_due(callable, batch);
        let assembled = if is_batch {
            self.totals.batches += 1;
            self.assembler(callable).batch(batch)
        } else {
            let one = self.gathered(callable);
            one.map(|candidate| Batched { candidates: vec![candidate], capped: false })
        };
        match assembled {
            Ok(Batched { candidates, capped }) => {
                self.totals.batches_capped += u64::from(capped);
                let new: Vec<Candidate> = candidates
                    .into_iter()
                    .filter_map(|one| {
                        let one = self.unless_run_before(one)?;
                        self.is_gathered(callable, &one.steps).then_some(one)
                    })
                    .collect();
                let attempt = Some(self.attempts.open(callable, new.len(), is_batch));
                drawn.extend(new.into_iter().map(|one| Draft::Try(Candidate { attempt, ..one })));
            }
            Err(why) => self.unassembled(callable, why),
        }
    }

    fn unless_run_before(&mut self, candidate: Candidate) -> Option<Candidate> {
        let is_new = self.run.insert(key(&candidate.steps)) || self.config.strategy.pruning == Pruning::Off;
        if is_new {
            return Some(self.with_interests(candidate));
        }
        self.totals.duplicates += 1;
        self.schedule.record_mut(candidate.callable).barren += 1;
        None
    }

    /// Has it reported what is of interest: what was compared where, and what became of the arguments.
    fn with_interests(&mut self, mut candidate: Candidate) -> Candidate {
        let callable = candidate.callable;
        if self.earnings.is_lean() {
            candidate.sites = self.feedback.sites(callable, self.rounds, &self.catalogue, &self.archive);
        }
        if self.goes_by_habit() {
            let last = candidate.steps.len() as u16 - 1;
            // What others were called on before says nothing of this call.
            let given = candidate.stem.saved() == 0 && self.habits.looks(callable, Side::Given);
            let result = self.habits.looks(callable, Side::Result);
            candidate.touched.retain(|step| if *step == last { result } else { given });
            candidate.is_weighed = candidate.call == last
                && candidate.receiver.is_some_and(|receiver| candidate.touched.contains(&receiver.step))
                && self.members.is_worth_a_look(callable);
        }
        candidate
    }

    /// Whether values are looked at where that brought something before, and seldom elsewhere.
    fn goes_by_habit(&self) -> bool {
        let strategy = &self.config.strategy;
        !strategy.watch_all && strategy.pruning == Pruning::State
    }

    fn assembler(&mut self, target: CallableId) -> Assembler<'_> {
        Assembler {
            catalogue: &mut self.catalogue,
            hierarchy: self.hierarchy,
            store: &self.store,
            pool: &mut self.pool,
            literals: &self.literals,
            config: &self.config.assemble,
            strategy: &self.config.strategy,
            relevance: self.relevance.as_mut(),
            spread: self.spread.as_mut(),
            target,
            walk: self.walks.front().copied(),
            receiver: None,
            tame: self.tame.contains(&target) || self.schedule.record(target).tries < FIRST_TRIES,
            tame_calls: &self.tame,
            suspicion: &self.suspicion,
            types: self.feedback.types(target),
            rng: &mut self.rng,
        }
    }

    fn unassembled(&mut self, callable: CallableId, why: NoCandidate) {
        self.totals.unassembled += 1;
        self.schedule.record_mut(callable).unassembled += 1;
        match why {
            NoCandidate::NoValue(ty) => {
                *self.missing.entry(ty).or_default() += 1;
                if let Some(tally) = &mut self.tally {
                    tally.wanted(callable, ty);
                }
            }
            NoCandidate::TooLong | NoCandidate::Scattered => {}
        }
    }

    /// The item that runs a draft and observes what the search learns from.
    pub fn item(&self, draft: &Draft) -> Item {
        let sequence = Sequence::from_steps(&self.catalogue.operations, draft.steps().to_vec())
            .expect("assembled steps use earlier results only");
        let (observe, past_exceptions) = match draft {
            Draft::Try(candidate) => {
                let states = novelty::requests(&self.config.strategy, candidate);
                let contracts = self.config.contracts;
                let sites = candidate.sites.clone();
                // What nobody looks at is believed to be as it was, and was judged when it came to be so.
                let only_roots = self.goes_by_habit();
                let observe =
                    Observe { values: self.values(), edges: true, contracts, only_roots, states, sites };
                (observe, self.config.past_exceptions)
            }
            Draft::Ask(_) => (Observe { values: Values::All, ..Observe::default() }, true),
            Draft::Seed(seed) => {
                let states = novelty::requests(&self.config.strategy, &seed.candidate);
                (Observe { values: Values::All, states, ..Observe::default() }, false)
            }
            Draft::Meet(_) => (Observe { contracts: true, ..Observe::default() }, false),
        };
        let (stem, is_hurried) = (draft.stem().steps(), self.is_hurried(draft));
        Item { sequence, observe, reset: Reset::Fields, past_exceptions, stem, is_hurried }
    }

    /// Which values are looked at: where states tell what is new, those whose states are.
    fn values(&self) -> Values {
        let by_state = matches!(self.config.strategy.pruning, Pruning::State);
        let for_all = self.config.past_exceptions || !self.visitors.is_empty();
        if by_state && !for_all { Values::Rooted } else { Values::All }
    }

    /// Learns from the observations of a round.
    pub fn absorb(&mut self, round: Vec<Draft>, seen: Vec<Observation>) {
        for (draft, observation) in round.into_iter().zip(seen) {
            for visitor in &mut self.visitors {
                visitor.after(&self.catalogue.operations, draft.steps(), &observation);
            }
            match draft {
                Draft::Try(candidate) => self.judge(candidate, observation),
                Draft::Ask(question) => self.answer(question, &observation),
                Draft::Seed(seed) => self.sprout(seed, &observation),
                Draft::Meet(meeting) => self.met(meeting, &observation),
            }
        }
    }
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
