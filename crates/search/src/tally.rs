//! What stood in the way, counted while a search goes on.
//!
//! In: every run, and every type that was wanted in vain. Out: [`Tally`]: per callable what became of its tries, per place in the code what
//! was thrown there, per edge why a run that took it counts for nothing. Kept only on request; decides nothing.

use std::collections::BTreeMap;

use probat_model::{
    ClassName, End, Frame, Leak, Observation, OperationId, ProbeId, Refusal, StepId, StepOutcome, TaintKind,
    Thrown,
};
use rustc_hash::FxHashMap;

use crate::archive::Archive;
use crate::assemble::Candidate;
use crate::campaign::Exceptions;
use crate::catalogue::CallableId;
use crate::types::TypeId;

/// What is thrown where a class cannot be initialised.
pub(crate) const UNUSABLE: [&str; 2] =
    ["java/lang/ExceptionInInitializerError", "java/lang/NoClassDefFoundError"];

/// Whether an exception says that a class cannot be initialised.
pub(crate) fn is_unusable(class: &ClassName) -> bool {
    UNUSABLE.contains(&class.as_internal())
}

/// Causes remembered for a place or a callable.
const CAUSES: usize = 16;

/// An exception and where it was thrown.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cause {
    pub exception: ClassName,
    /// The innermost frame, if there is one.
    pub at: Option<Frame>,
}

/// How a run was stopped. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stop {
    TimedOut,
    Exhausted,
    Died,
}

/// Why a run that took an edge counts for nothing. Match without `_`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lost {
    Tainted(TaintKind),
    /// It leaves behind what no test may.
    Outlasting(Leak),
    Stopped(Stop),
    /// A class could not be initialised; what was thrown, and its cause.
    Unusable(ClassName, Option<ClassName>),
    /// A call that was only there to prepare threw this.
    Early(ClassName),
    /// The call threw, and tests of that are not wanted.
    Discarded(ClassName),
}

/// What became of the tries of a callable that brought nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fates {
    pub lost: BTreeMap<Lost, u32>,
    /// Calls that could not be made, in words.
    pub refused: BTreeMap<String, u32>,
    /// What calls that were only there to prepare threw, and which calls.
    pub early: BTreeMap<(ClassName, OperationId), u32>,
}

/// Everything counted.
#[derive(Debug, Default)]
pub struct Tally {
    missing: BTreeMap<CallableId, BTreeMap<TypeId, u32>>,
    fates: BTreeMap<CallableId, Fates>,
    lost: BTreeMap<u32, Lost>,
    thrown: FxHashMap<Frame, Vec<(Cause, u32)>>,
}

impl Tally {
    /// A candidate could not be built for want of a type.
    pub(crate) fn wanted(&mut self, callable: CallableId, ty: TypeId) {
        *self.missing.entry(callable).or_default().entry(ty).or_default() += 1;
    }

    /// A candidate ran.
    pub(crate) fn note(
        &mut self,
        candidate: &Candidate,
        seen: &Observation,
        archive: &Archive,
        exceptions: Exceptions,
    ) {
        let lost = if let Some(taint) = seen.taints.first() {
            Lost::Tainted(taint.kind)
        } else if let Some(leak) = seen.outlasting() {
            Lost::Outlasting(leak)
        } else {
            match &seen.end {
                End::Completed => return,
                End::Threw(step) => {
                    let Some(thrown) = seen.thrown(*step) else { return };
                    self.threw(thrown);
                    match self.lost_by(candidate, *step, thrown, exceptions) {
                        Some(lost) => lost,
                        None => return,
                    }
                }
                End::Refused(step) => {
                    let why = refusal(seen, *step);
                    *self.fates.entry(candidate.callable).or_default().refused.entry(why).or_default() += 1;
                    return;
                }
                End::TimedOut(_) => Lost::Stopped(Stop::TimedOut),
                End::Exhausted(_) => Lost::Stopped(Stop::Exhausted),
                End::Died { .. } => Lost::Stopped(Stop::Died),
            }
        };
        for edge in seen.edges.iter().filter(|edge| !archive.is_covered(edge.0)) {
            self.lost.entry(edge.0).or_insert_with(|| lost.clone());
        }
        *self.fates.entry(candidate.callable).or_default().lost.entry(lost).or_default() += 1;
    }

    fn lost_by(
        &mut self,
        candidate: &Candidate,
        step: StepId,
        thrown: &Thrown,
        exceptions: Exceptions,
    ) -> Option<Lost> {
        if step.0 < candidate.call {
            let early = &mut self.fates.entry(candidate.callable).or_default().early;
            let call = candidate.steps[usize::from(step.0)].operation;
            *early.entry((thrown.class.clone(), call)).or_default() += 1;
            return Some(Lost::Early(thrown.class.clone()));
        }
        if is_unusable(&thrown.class) {
            return Some(Lost::Unusable(thrown.class.clone(), thrown.cause.clone()));
        }
        (exceptions == Exceptions::Discard).then(|| Lost::Discarded(thrown.class.clone()))
    }

    fn threw(&mut self, thrown: &Thrown) {
        let cause = Cause { exception: thrown.class.clone(), at: thrown.frames.first().cloned() };
        for frame in &thrown.frames {
            let causes = match self.thrown.get_mut(frame) {
                Some(causes) => causes,
                None => self.thrown.entry(frame.clone()).or_default(),
            };
            if let Some((_, times)) = causes.iter_mut().find(|(known, _)| *known == cause) {
                *times += 1;
            } else if causes.len() < CAUSES {
                causes.push((cause.clone(), 1));
            }
        }
    }

    /// Types that a callable wanted in vain, most wanted first.
    pub fn missing(&self, callable: CallableId) -> Vec<(TypeId, u32)> {
        let found = self.missing.get(&callable).into_iter().flatten();
        let mut all: Vec<(TypeId, u32)> = found.map(|(ty, times)| (*ty, *times)).collect();
        all.sort_by_key(|(ty, times)| (std::cmp::Reverse(*times), *ty));
        all
    }

    pub fn fates(&self, callable: CallableId) -> Option<&Fates> {
        self.fates.get(&callable)
    }

    /// Why runs that took an edge count for nothing, if there were such.
    pub fn lost(&self, edge: ProbeId) -> Option<&Lost> {
        self.lost.get(&edge.0)
    }

    /// What left or passed a place in the code most often, and how often.
    pub fn thrown_at(&self, place: &Frame) -> Option<(&Cause, u32)> {
        let causes = self.thrown.get(place)?;
        let most = causes.iter().max_by(|a, b| a.1.cmp(&b.1).then_with(|| b.0.cmp(&a.0)))?;
        Some((&most.0, most.1))
    }
}

fn refusal(seen: &Observation, step: StepId) -> String {
    let refused = seen.steps.iter().find_map(|(at, outcome)| match outcome {
        StepOutcome::Refused(refusal) if *at == step => Some(refusal),
        _ => None,
    });
    match refused {
        Some(Refusal::Unresolved(what)) => format!("the JVM does not know {what}"),
        Some(Refusal::ArgumentType { wanted, found, .. }) => format!("{found} is no {wanted}"),
        Some(Refusal::NullReceiver) => "the receiver was null".into(),
        Some(Refusal::MissingArgument { .. }) => "an argument was never made".into(),
        Some(Refusal::CannotRestore(why)) => format!("a state could not be rebuilt: {why}"),
        Some(Refusal::CannotStub(why)) => format!("no stand-in could be made: {why}"),
        None => "calls of it killed JVMs".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probat_model::{Slow, Step, Taint};
    use smallvec::SmallVec;

    fn frame(method: &str, line: u32) -> Frame {
        Frame { class: ClassName::internal("a/A"), method: method.into(), line: Some(line) }
    }

    fn thrown(class: &str) -> Thrown {
        let frames = vec![frame("inner", 3), frame("outer", 9)];
        Thrown { class: ClassName::internal(class), message: None, cause: None, frames }
    }

    /// `new A(); a.go()`, of which the second call is the one of interest.
    fn run(end: End, steps: Vec<(StepId, StepOutcome)>, taints: Vec<Taint>) -> Tally {
        let (make, go) = (OperationId(0), OperationId(1));
        let candidate = Candidate {
            callable: CallableId(0),
            parts: SmallVec::new(),
            steps: vec![
                Step { operation: make, args: SmallVec::new() },
                Step { operation: go, args: SmallVec::from_slice(&[StepId(0)]) },
            ],
            tail: 0,
            call: 1,
            touched: SmallVec::new(),
            attempt: None,
            sites: Vec::new(),
            substituted: false,
            receiver: None,
            is_unhurried: false,
            is_weighed: false,
            stem: Default::default(),
        };
        let seen = Observation {
            end,
            steps,
            edges: vec![ProbeId(1), ProbeId(2)],
            states: Vec::new(),
            violations: Vec::new(),
            taints,
            leaks: Vec::new(),
            compared: Vec::new(),
            slow: Slow(false),
        };
        let mut archive = Archive::new(4, false);
        archive.credit(&[ProbeId(1)]);
        let mut tally = Tally::default();
        tally.note(&candidate, &seen, &archive, Exceptions::Assert);
        tally
    }

    fn threw(step: u16, class: &str) -> Tally {
        let steps = vec![(StepId(step), StepOutcome::Threw(thrown(class)))];
        run(End::Threw(StepId(step)), steps, Vec::new())
    }

    #[test]
    fn what_is_thrown_is_known_at_every_place_it_passed() {
        let tally = threw(1, "a/Oops");
        for place in [frame("inner", 3), frame("outer", 9)] {
            let (cause, times) = tally.thrown_at(&place).unwrap();
            assert_eq!(
                (cause.exception.as_internal(), cause.at.as_ref(), times),
                ("a/Oops", Some(&frame("inner", 3)), 1)
            );
        }
        assert_eq!(tally.thrown_at(&frame("inner", 4)), None);
        assert_eq!(tally.lost(ProbeId(2)), None, "a call that throws is worth a test");
    }

    #[test]
    fn edges_of_runs_that_count_for_nothing_are_remembered() {
        let early = threw(0, "a/Oops");
        assert_eq!(early.lost(ProbeId(2)), Some(&Lost::Early(ClassName::internal("a/Oops"))));
        assert_eq!(early.lost(ProbeId(1)), None, "covered by another run");
        let key = (ClassName::internal("a/Oops"), OperationId(0));
        assert_eq!(early.fates(CallableId(0)).unwrap().early[&key], 1);
        let class = "java/lang/ExceptionInInitializerError";
        assert_eq!(threw(1, class).lost(ProbeId(2)), Some(&Lost::Unusable(ClassName::internal(class), None)));
        let taint = Taint { step: StepId(1), kind: TaintKind::Network, detail: String::new() };
        let tainted = run(End::Completed, Vec::new(), vec![taint]);
        assert_eq!(tainted.lost(ProbeId(2)), Some(&Lost::Tainted(TaintKind::Network)));
        let stopped = run(End::TimedOut(StepId(1)), Vec::new(), Vec::new());
        assert_eq!(stopped.lost(ProbeId(2)), Some(&Lost::Stopped(Stop::TimedOut)));
    }
}
