//! What a run teaches.
//!
//! In: a candidate and what was seen of it. Out: entries in the archive, the failures, the pool; or a question, where only `equals` can
//! tell whether a value is new.

use probat_model::{
    Contract, DeathCause, End, Frame, JavaString, Leak, Literal, Observation, Operation, StateHash, Step,
    StepId, TaintKind, Thrown, Type, Value,
};
use smallvec::SmallVec;

use super::failures::{FailureKind, Sighting};
use super::own_doing::{is_entangled, is_own_doing};
use super::{Campaign, Exceptions, key};
use crate::archive::{Ending, Gain, Gave, Run};
use crate::assemble::Candidate;
use crate::catalogue::CallableId;
use crate::equality::{Answer, Asked, Question};
use crate::feedback::Known;
use crate::habits::Side;
use crate::length::{LINE, written};
use crate::literals::is_of_one_run;
use crate::novelty::{Fate, fate};
use crate::pool::PoolValue;
use crate::relevance::is_call;
use crate::store::SequenceId;
use crate::strategy::{Inputs, Pruning, Sequences};
use crate::tally::is_unusable;
use crate::types::TypeId;

/// Tokens above which a state is big: to read it again and again costs more than most calls.
const BIG_STATE: u32 = 1500;

/// Values of a type that may be big.
const BIG_VALUES: usize = 6;

/// Units above which a text is long: what makes it says more than the text does.
const LONG_TEXT: u32 = 256;

/// Values of a type that may take long to make: whoever uses one takes as long.
const DEAR_VALUES: usize = 3;

/// What the JDK throws "on a best-effort basis": whether it comes may depend on the order of a hash table, so no test counts on it.
const AT_BEST: &str = "java/util/ConcurrentModificationException";

/// Calls deeper than this are counted together.
const DEEPEST: usize = 100;

/// How much longer a test counts that may behave otherwise next time: no other is as long.
const FICKLE: u32 = 100 * LINE;

/// How many more steps a value counts that may be another one next time: where there are others, they are drawn.
const UNSTEADY: u16 = 12;

/// How much longer a test counts that takes long to run: whatever shows the same sooner is preferred.
const SLOW: u32 = 30 * LINE;

impl Campaign<'_> {
    pub(super) fn judge(&mut self, candidate: Candidate, mut seen: Observation) {
        self.totals.sequences += 1;
        self.totals.steps += candidate.steps.len() as u64 - u64::from(candidate.stem.saved());
        self.count_depth(&candidate);
        self.note_calm(&candidate, &mut seen);
        self.count_stands(&candidate, &seen.end);
        let callable = candidate.callable;
        if let Some(tally) = &mut self.tally {
            tally.note(&candidate, &seen, &self.archive, self.config.exceptions);
        }
        let is_slow = self.costs.note(&self.catalogue.operations, &candidate.steps, seen.slow.0);
        let record = self.schedule.record_mut(callable);
        record.tries += 1;
        // Threads that were started are waited for.
        record.slow += u32::from(is_slow || seen.leaks.contains(&Leak::Threads));
        let (attempt, legal_before) = (candidate.attempt, self.totals.legal);
        let (substituted, edges_before) = (candidate.substituted, self.archive.edges());
        if seen.is_harmless() && matches!(seen.end, End::Completed | End::Threw(_)) {
            self.learn(&candidate, &seen);
        }
        let fruitful = if !seen.is_harmless() {
            self.totals.tainted += 1;
            self.exits(&candidate, &seen);
            false
        } else {
            self.violations(&candidate, &seen);
            match seen.end.clone() {
                End::Completed => match last_thrown(&candidate, &seen) {
                    // The run went past it.
                    Some(step) => {
                        let gained = self.threw(&candidate, &seen, step, is_slow);
                        self.extend(candidate, &seen, is_slow) || gained
                    }
                    None => self.legal(candidate, &seen, is_slow),
                },
                End::Threw(step) => {
                    self.extend_illegal(&candidate);
                    self.threw(&candidate, &seen, step, is_slow)
                }
                End::Refused(_) => {
                    self.totals.refused += 1;
                    self.extend_illegal(&candidate);
                    false
                }
                End::TimedOut(step) => self.timed_out(&candidate, step),
                End::Exhausted(step) => self.stopped(&candidate, FailureKind::Exhausted, Some(step), None),
                End::Died { step, cause } => self.stopped(&candidate, FailureKind::Died, step, Some(cause)),
            }
        };
        self.earnings.note(substituted, self.archive.edges() > edges_before);
        let record = self.schedule.record_mut(callable);
        if fruitful {
            record.fruitful += 1;
            record.barren = 0;
        } else {
            record.barren += 1;
        }
        if let Some(attempt) = attempt {
            // What failed is what was illegal or built before (spec 004 §2.6).
            self.attempts.ended(attempt, self.totals.legal > legal_before);
        }
    }

    /// Operations by depth: how many calls came before (spec 001 row 54).
    fn count_depth(&mut self, candidate: &Candidate) {
        let mut depth = 0;
        let saved = usize::from(candidate.stem.saved());
        for (at, step) in candidate.steps.iter().enumerate() {
            if is_call(self.catalogue.operations.get(step.operation)) {
                if self.depths.len() <= depth {
                    self.depths.resize(depth + 1, 0);
                }
                self.depths[depth] += u64::from(at >= saved);
                depth = (depth + 1).min(DEEPEST);
            }
        }
    }

    /// How stand-ins fare, and calls that were stopped before.
    fn count_stands(&mut self, candidate: &Candidate, end: &End) {
        let stopped_at = match end {
            End::TimedOut(step) | End::Exhausted(step) => Some(usize::from(step.0)),
            End::Died { step, .. } => {
                Some(step.map_or(candidate.steps.len() - 1, |step| usize::from(step.0)))
            }
            End::Completed | End::Threw(_) | End::Refused(_) => None,
        };
        for (at, step) in candidate.steps.iter().enumerate() {
            match self.catalogue.operations.get(step.operation) {
                Operation::Stub(_) => self.suspicion.used(step.operation, stopped_at.is_some()),
                _ if stopped_at == Some(at) => self.suspicion.used(step.operation, true),
                _ => self.suspicion.used_again(step.operation),
            }
        }
    }

    /// Takes what was compared with what as a hint.
    fn learn(&mut self, candidate: &Candidate, seen: &Observation) {
        if seen.compared.is_empty() {
            return;
        }
        let mut known = Known {
            tame: self.tame.contains(&candidate.callable),
            catalogue: &mut self.catalogue,
            hierarchy: self.hierarchy,
            literals: &mut self.literals,
        };
        self.feedback.learn(candidate, &seen.compared, &self.archive, &mut known);
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

    /// The callable behind a step.
    fn called_by(&self, candidate: &Candidate, step: StepId) -> Option<CallableId> {
        let operation = candidate.steps.get(usize::from(step.0))?.operation;
        self.catalogue.callable_of(operation)
    }

    fn violations(&mut self, candidate: &Candidate, seen: &Observation) {
        for violation in &seen.violations {
            // What an earlier call threw was noted when that call was new.
            let is_thrown = matches!(violation.contract, Contract::NullPointer | Contract::AssertionError);
            if is_thrown && violation.steps.iter().all(|step| step.0 < candidate.call) {
                continue;
            }
            if !self.is_held_against(violation.contract, &candidate.steps) {
                continue;
            }
            self.failures.note(Sighting {
                callable: candidate.callable,
                kind: FailureKind::Contract(violation.contract),
                steps: &candidate.steps,
                violation: Some(violation.clone()),
                thrown: None,
                death: None,
                after_steps: self.totals.steps,
            });
        }
    }

    /// A call that would have ended the JVM is worth knowing (spec 001 row 22).
    fn exits(&mut self, candidate: &Candidate, seen: &Observation) {
        let Some(taint) = seen.taints.iter().find(|taint| taint.kind == TaintKind::Exit) else { return };
        let length = (usize::from(taint.step.0) + 1).min(candidate.steps.len());
        self.failures.note(Sighting {
            callable: candidate.callable,
            kind: FailureKind::Exits,
            steps: &candidate.steps[..length],
            violation: None,
            thrown: None,
            death: None,
            after_steps: self.totals.steps,
        });
    }

    /// Whether breaking a contract is the code's fault. Members that only their own package can use may leave a collection half done, and
    /// whoever puts a collection into itself gets no copy that is equal to it.
    fn is_held_against(&mut self, contract: Contract, steps: &[Step]) -> bool {
        let table = &self.catalogue.operations;
        match contract {
            Contract::CloneEquals if is_entangled(table, steps) => false,
            Contract::CloneSame
            | Contract::CloneClass
            | Contract::CloneEquals
            | Contract::IteratorNext
            | Contract::IterableNext
            | Contract::CollectionSize
            | Contract::CollectionEmpty
            | Contract::CollectionArray
            | Contract::CollectionIterator
            | Contract::MapSize
            | Contract::MapEmpty => self.homes.are_public(steps, table, self.hierarchy),
            _ => true,
        }
    }

    /// Gives up parts that were there too often when a sequence was stopped, where uses are counted.
    fn suspect(&mut self, parts: &[SequenceId]) {
        if self.config.strategy.sequences != Sequences::LeastUsed {
            return;
        }
        for &part in parts {
            if let Some(most_uses) = self.suspicion.note(part) {
                for ty in self.store.own_types(part) {
                    self.pool.forget(part, ty, most_uses);
                }
            }
        }
    }

    fn timed_out(&mut self, candidate: &Candidate, step: StepId) -> bool {
        if self.config.hurry && candidate.is_unhurried {
            self.was_not_hurried(candidate, step);
        } else if self.config.hurry && self.gets_second_chance(candidate, step) {
            return false;
        }
        self.stopped(candidate, FailureKind::TimedOut, Some(step), None)
    }

    fn stopped(
        &mut self,
        candidate: &Candidate,
        kind: FailureKind,
        step: Option<StepId>,
        death: Option<DeathCause>,
    ) -> bool {
        self.totals.stopped += 1;
        self.schedule.record_mut(candidate.callable).stopped += 1;
        self.tame_owner(candidate.callable);
        self.tame.extend(step.and_then(|step| self.called_by(candidate, step)));
        self.suspect(&candidate.parts);
        let length = step.map_or(candidate.steps.len(), |step| usize::from(step.0) + 1);
        if kind != FailureKind::Died && is_own_doing(&self.catalogue.operations, &candidate.steps[..length]) {
            return false;
        }
        let was_hurried = self.config.hurry && !candidate.is_unhurried;
        if kind == FailureKind::TimedOut && was_hurried {
            return false;
        }
        self.failures.note(Sighting {
            callable: candidate.callable,
            kind,
            steps: &candidate.steps[..length],
            violation: None,
            thrown: None,
            death,
            after_steps: self.totals.steps,
        });
        false
    }

    /// A sequence that ran to its end: coverage for the archive, new values for the pool.
    fn legal(&mut self, candidate: Candidate, seen: &Observation, is_slow: bool) -> bool {
        self.totals.legal += 1;
        self.schedule.record_mut(candidate.callable).legal += 1;
        let gain = self.archive.consider(Run {
            callable: candidate.callable,
            steps: &candidate.steps,
            ending: &Ending::Returned,
            gave: Gave::of(seen.value(StepId(candidate.steps.len() as u16 - 1))),
            edges: &seen.edges,
            length: self.length(&candidate.steps, seen, is_slow),
        });
        let gained = gain != Gain::default();
        let sound = seen.violations.is_empty() || self.config.strategy.extend_violators;
        (sound && self.extend(candidate, seen, is_slow)) || gained
    }

    /// How long a test of these steps is, where one that may behave otherwise next time stands behind all that do not, and a slow one behind many.
    fn length(&self, steps: &[Step], seen: &Observation, is_slow: bool) -> u32 {
        let fickle = if self.catalogue.left_to_chance(steps, &seen.edges) { FICKLE } else { 0 };
        written(&self.catalogue.operations, steps) + fickle + if is_slow { SLOW } else { 0 }
    }

    /// Keeps the new values of a sequence; whether there are any, or may be.
    pub(super) fn extend(&mut self, candidate: Candidate, seen: &Observation, is_slow: bool) -> bool {
        // What tells the sequence from all others, where that is asked for.
        let distinct = match self.config.strategy.pruning {
            Pruning::State | Pruning::Equals | Pruning::Custom(_) => 0,
            Pruning::Mutation | Pruning::Syntactic => key(&candidate.steps),
            Pruning::Off => key(&candidate.steps) ^ u128::from(self.totals.sequences),
        };
        let is_ours = self.config.strategy.sequences == Sequences::LeastUsed;
        let unsteady = if is_ours && self.catalogue.left_to_chance(&candidate.steps, &seen.edges) {
            UNSTEADY
        } else {
            0
        };
        let mut found: Vec<PoolValue> = Vec::new();
        let mut texts: Vec<(JavaString, TypeId, StateHash)> = Vec::new();
        let mut asked: Vec<(u16, TypeId)> = Vec::new();
        for (at, step) in self.serving(&candidate) {
            let strategy = &self.config.strategy;
            let declared = self.declared(&candidate.steps[usize::from(step)]);
            match fate(strategy, &candidate, seen, at, distinct, declared) {
                Fate::Pruned => {}
                Fate::Ask(ty) => asked.push((step, self.intern(&ty))),
                Fate::Keyed(ty, state) => {
                    let ty = self.intern(&ty);
                    let tokens = seen.states.get(at).and_then(Option::as_ref).map_or(0, |state| state.tokens);
                    if let (Some(spread), Some(stored)) = (
                        &mut self.spread,
                        seen.states.get(at).and_then(Option::as_ref).and_then(|state| state.stored.as_ref()),
                    ) {
                        spread.learn(state, stored);
                    }
                    let is_big = tokens > BIG_STATE && self.pool.of_type(ty) >= BIG_VALUES;
                    // What is slow once is slow in everything built on it.
                    let is_dear = is_slow && self.pool.of_type(ty) >= DEAR_VALUES;
                    let text = text_at(seen, step).filter(|_| self.config.strategy.literal_texts);
                    let length = if text.is_some() { 1 } else { candidate.steps.len() as u16 + unsteady };
                    if is_big || is_dear || !self.pool.wants(ty, state, length) {
                        continue;
                    }
                    if let Some(text) = text {
                        if is_of_one_run(text) {
                            continue;
                        }
                        texts.push((text.clone(), ty, state));
                    } else {
                        found.push(PoolValue { sequence: SequenceId(0), step, ty, state, length });
                    }
                }
            }
        }
        self.note_habits(&candidate, &found, !texts.is_empty());
        let fruitful = !found.is_empty() || !texts.is_empty() || !asked.is_empty();
        texts.into_iter().for_each(|(text, ty, state)| self.keep_text(text, ty, state));
        match self.config.strategy.inputs {
            Inputs::Walk => self.keep_walking(&candidate, &found),
            // Nothing is learned.
            Inputs::TopDown { .. } => return false,
            _ if found.is_empty() => {}
            _ => {
                self.keep(&candidate, &found);
            }
        }
        if !asked.is_empty()
            && let Some(equality) = &mut self.equality
        {
            equality.ask(&self.store, candidate, &asked);
        }
        fruitful
    }

    /// Learns where it is worth to look. One more value of a type that has all it can hold is no news.
    fn note_habits(&mut self, candidate: &Candidate, found: &[PoolValue], gave_text: bool) {
        let last = candidate.steps.len() as u16 - 1;
        let pool = &self.pool;
        let news = |of_last: bool| {
            found.iter().any(|value| (value.step == last) == of_last && !pool.is_full(value.ty))
        };
        if candidate.touched.iter().any(|&step| step != last) {
            self.habits.note(candidate.callable, Side::Given, news(false));
        }
        if candidate.touched.contains(&last) {
            self.habits.note(candidate.callable, Side::Result, gave_text || news(true));
        }
    }

    /// The steps whose values may serve again, with their places among those touched: all, but of a term only what it stands for, which is what
    /// the call gave, or else the object it was made on.
    fn serving(&self, candidate: &Candidate) -> Vec<(usize, u16)> {
        let all = candidate.touched.iter().copied().enumerate();
        let last = candidate.steps.len() as u16 - 1;
        let meant = match candidate.touched.last() {
            Some(&step) if step == last => candidate.touched.len() - 1,
            _ => 0,
        };
        all.filter(|(at, _)| self.config.strategy.inputs != Inputs::Components || *at == meant).collect()
    }

    /// Where legality is not looked at, keeps a sequence that failed with the values its members declare.
    fn extend_illegal(&mut self, candidate: &Candidate) {
        if !self.config.strategy.extend_illegal {
            return;
        }
        let mut values = Vec::new();
        for (_, step) in self.serving(candidate) {
            let operation = candidate.steps[usize::from(step)].operation;
            let Some(ty) = self.catalogue.operations.get(operation).result() else { continue };
            let ty = self.intern(&ty);
            let unlike = key(&candidate.steps) ^ u128::from(self.totals.sequences) ^ u128::from(step);
            let (sequence, length) = (SequenceId(0), candidate.steps.len() as u16);
            values.push(PoolValue { sequence, step, ty, state: StateHash(unlike), length });
        }
        self.keep(candidate, &values);
    }

    /// The type a null has that this step gave.
    fn declared(&self, step: &Step) -> Option<Type> {
        if self.config.strategy.prune_null {
            return None;
        }
        self.catalogue.operations.get(step.operation).result().filter(Type::is_reference)
    }

    pub(super) fn keep(&mut self, candidate: &Candidate, values: &[PoolValue]) -> SequenceId {
        let tail = &candidate.steps[usize::from(candidate.tail)..];
        let reusable: Vec<(u16, TypeId)> = values.iter().map(|value| (value.step, value.ty)).collect();
        let sequence = self.store.add(&candidate.parts, tail, &reusable);
        self.suspicion.inherit(sequence, &candidate.parts);
        for value in values {
            let value = PoolValue { sequence, ..*value };
            self.pool.offer(value, &self.catalogue.types, &mut self.rng);
        }
        sequence
    }

    /// Keeps a text by itself: whoever uses it needs none of the calls that gave it, and it stays the same where they give another one next time.
    fn keep_text(&mut self, text: JavaString, ty: TypeId, state: StateHash) {
        let operation = self.catalogue.operations.intern(Operation::Literal(Literal::String(text)));
        let sequence = self.store.add(&[], &[Step { operation, args: SmallVec::new() }], &[(0, ty)]);
        let value = PoolValue { sequence, step: 0, ty, state, length: 1 };
        self.pool.offer(value, &self.catalogue.types, &mut self.rng);
    }

    /// Learns whether values equal earlier ones.
    pub(super) fn answer(&mut self, question: Question, seen: &Observation) {
        self.totals.questions += 1;
        self.totals.steps += question.steps.len() as u64;
        let Some(equality) = &mut self.equality else { return };
        if !seen.is_harmless() {
            return;
        }
        let Answer::New(candidate, values) = equality.answered(&self.store, question, seen) else { return };
        if values.is_empty() {
            return;
        }
        let length = candidate.steps.len() as u16;
        let sequence = key(&candidate.steps);
        let value = |asked: &Asked| PoolValue {
            sequence: SequenceId(0),
            step: asked.step,
            ty: asked.ty,
            state: StateHash(sequence ^ u128::from(asked.step)),
            length,
        };
        let kept: Vec<PoolValue> = values.iter().map(value).collect();
        let sequence = self.keep(&candidate, &kept);
        if let Some(equality) = &mut self.equality {
            equality.accept(&values, sequence);
        }
    }

    /// A sequence that a step ended: an outcome worth a test if it is the call under test that threw.
    fn threw(&mut self, candidate: &Candidate, seen: &Observation, step: StepId, is_slow: bool) -> bool {
        self.totals.threw += 1;
        self.schedule.record_mut(candidate.callable).threw += 1;
        if step.0 < candidate.call {
            return false;
        }
        let Some(thrown) = seen.thrown(step) else { return false };
        if is_unusable(&thrown.class) {
            // The second use throws another exception than the first: nothing to build a test on.
            self.schedule.record_mut(candidate.callable).stopped += 1;
            let (times, last) =
                self.unusable.entry(candidate.callable).or_insert_with(|| (0, thrown.clone()));
            *times += 1;
            last.clone_from(thrown);
            return false;
        }
        let steps = &candidate.steps[..=usize::from(step.0)];
        let is_contract = seen.violations.iter().any(|violation| violation.thrown.is_some());
        let callable = self.catalogue.callable(candidate.callable);
        if !is_contract && self.config.faults.is_fault(callable, &thrown.class, self.hierarchy) {
            self.failures.note(Sighting {
                callable: candidate.callable,
                kind: FailureKind::Exception(thrown.class.clone()),
                steps,
                violation: None,
                thrown: Some(thrown.clone()),
                death: None,
                after_steps: self.totals.steps,
            });
        }
        match self.config.exceptions {
            Exceptions::Discard => false,
            Exceptions::Assert if is_at_best(thrown) => false,
            Exceptions::Assert => {
                let gain = self.archive.consider(Run {
                    callable: candidate.callable,
                    steps,
                    ending: &Ending::Threw(thrown.class.clone()),
                    gave: Gave::Nothing,
                    edges: &seen.edges,
                    length: self.length(steps, seen, is_slow),
                });
                gain != Gain::default()
            }
        }
    }
}

/// Whether the JDK threw it and might as well not have; code under test that counts its own changes throws it every time.
fn is_at_best(thrown: &Thrown) -> bool {
    let is_of_jdk = |frame: &Frame| frame.class.as_internal().starts_with("java/");
    thrown.class.as_internal() == AT_BEST && thrown.frames.first().is_none_or(is_of_jdk)
}

/// The last step, if it threw and the run went on.
fn last_thrown(candidate: &Candidate, seen: &Observation) -> Option<StepId> {
    let last = StepId(candidate.steps.len() as u16 - 1);
    seen.thrown(last).map(|_| last)
}

/// The whole text that a step gave, unless it is long.
fn text_at(seen: &Observation, step: u16) -> Option<&JavaString> {
    match seen.value(StepId(step))? {
        Value::String { text, length } => {
            let is_whole = text.units().len() == *length as usize;
            (is_whole && *length <= LONG_TEXT).then_some(text)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probat_model::ClassName;

    #[test]
    fn only_the_jdk_throws_at_best() {
        let thrown = |class: &str, by: &str| {
            let frame = Frame { class: ClassName::internal(by), method: "next".into(), line: None };
            Thrown { class: ClassName::internal(class), message: None, cause: None, frames: vec![frame] }
        };
        assert!(is_at_best(&thrown(AT_BEST, "java/util/HashMap$HashIterator")));
        assert!(!is_at_best(&thrown(AT_BEST, "shop/Shelf$Walk")));
        assert!(!is_at_best(&thrown("java/util/NoSuchElementException", "java/util/HashMap$HashIterator")));
    }
}
