//! Makes sequences shorter by putting shorter ones in place of their parts (spec 001 §2.16, phase 2).
//!
//! In: sequences as removal left them, and stored sequences that give values, shortest first. Out: sequences no longer than before for which
//! their predicate still holds. From the last step to the first, a step's result is replaced by a value of a stored sequence that is
//! shorter than everything that served only that step; of equally short ones the more general type comes first.

use probat_model::{Operation, OperationTable, Step, StepId, Type};

use crate::campaign::Campaign;
use crate::executor::Executor;
use crate::minimize::{Subject, try_wave};
use crate::relevance::is_call;
use crate::types::TypeId;

/// A stored sequence that gives a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spare {
    pub steps: Vec<Step>,
    pub value: StepId,
    pub ty: TypeId,
    /// Method and constructor calls, and methods of stand-ins; literals are written in place and do not count.
    pub calls: usize,
    /// How many supertypes its type has: fewer is more general.
    pub depth: usize,
}

/// Stored sequences tried for one hole.
const TRIED: usize = 24;

/// Spares kept per type.
const PER_TYPE: usize = 24;

/// What can be put in place of something else: values of the pool, and `new Object()`; shortest first, general types before special ones.
pub fn spares(campaign: &mut Campaign<'_>) -> Vec<Spare> {
    let mut found = Vec::new();
    let object = Operation::Construct {
        class: probat_model::ClassName::internal("java/lang/Object"),
        descriptor: probat_model::MethodDescriptor::parse("()V").expect("a well-formed descriptor"),
    };
    let ty = campaign.intern(&Type::class("java/lang/Object"));
    let operation = campaign.catalogue.operations.intern(object);
    let steps = vec![Step { operation, args: Default::default() }];
    found.push(Spare { steps, value: StepId(0), ty, calls: 1, depth: 0 });
    for values in campaign.pool().by_type() {
        let mut values: Vec<_> = values.to_vec();
        values.sort_by_key(|value| (value.length, value.sequence, value.step));
        for value in values.into_iter().take(PER_TYPE) {
            let mut steps = Vec::new();
            campaign.store().flatten(value.sequence, &mut steps);
            let calls = weight(&campaign.catalogue.operations, &steps);
            let depth = campaign.catalogue.types.supers(value.ty).len();
            found.push(Spare { steps, value: StepId(value.step), ty: value.ty, calls, depth });
        }
    }
    found.sort_by_key(|spare| (spare.calls, spare.depth, spare.steps.len(), spare.ty));
    found
}

/// Replaces parts of all subjects by what the search has stored.
pub fn replace_from<E: Executor>(
    campaign: &mut Campaign<'_>,
    subjects: &mut [Subject<'_>],
    executor: &mut E,
    stop: impl FnMut() -> bool,
) -> Result<(), E::Error> {
    let spares = spares(campaign);
    replace_by(campaign, &spares, subjects, executor, stop)
}

/// Replaces parts of all subjects by spares that were gathered before.
pub fn replace_by<E: Executor>(
    campaign: &Campaign<'_>,
    spares: &[Spare],
    subjects: &mut [Subject<'_>],
    executor: &mut E,
    stop: impl FnMut() -> bool,
) -> Result<(), E::Error> {
    let types = &campaign.catalogue.types;
    let fits = |ty: TypeId, wanted: &[Type]| {
        wanted.iter().all(|want| types.find(want).is_some_and(|want| types.is_subtype(ty, want)))
    };
    replace(&campaign.catalogue.operations, subjects, spares, &fits, executor, stop)
}

/// Replaces parts of all subjects; `fits(ty, step's users)` says whether a value of a type can stand for a step. `stop` is asked between waves.
pub fn replace<E: Executor>(
    table: &OperationTable,
    subjects: &mut [Subject<'_>],
    spares: &[Spare],
    fits: &dyn Fn(TypeId, &[Type]) -> bool,
    executor: &mut E,
    mut stop: impl FnMut() -> bool,
) -> Result<(), E::Error> {
    let mut holes: Vec<Hole> = subjects.iter().map(|subject| Hole::last(&subject.steps)).collect();
    while holes.iter().any(|hole| hole.at.is_some()) && !stop() {
        let trials: Vec<Option<Vec<Step>>> = subjects
            .iter()
            .zip(&mut holes)
            .map(|(subject, hole)| {
                hole.at = hole.at.filter(|_| !subject.is_stuck);
                hole.next_trial(table, &subject.steps, spares, fits)
            })
            .collect();
        let before: Vec<Vec<Step>> = subjects.iter().map(|subject| subject.steps.clone()).collect();
        try_wave(table, subjects, trials, executor, &mut stop)?;
        for (at, subject) in subjects.iter().enumerate() {
            if subject.steps != before[at] {
                holes[at].accepted(before[at].len(), subject.steps.len());
            }
        }
    }
    Ok(())
}

/// Where a subject is at.
#[derive(Debug)]
struct Hole {
    /// The step whose result is to be replaced; `None` when all are done.
    at: Option<usize>,
    /// The next spare to try there.
    next: usize,
    tried: usize,
}

impl Hole {
    fn last(steps: &[Step]) -> Self {
        Hole { at: steps.len().checked_sub(1), next: 0, tried: 0 }
    }

    fn step_back(&mut self) {
        self.at = self.at.and_then(|at| at.checked_sub(1));
        (self.next, self.tried) = (0, 0);
    }

    /// Goes on where the replacement leaves what was not yet looked at: before it, nothing but the replacement itself is new.
    fn accepted(&mut self, before: usize, after: usize) {
        let shrunk = before - after.min(before);
        self.at = self.at.map(|at| at.saturating_sub(shrunk.max(1)));
        (self.next, self.tried) = (0, 0);
    }

    fn next_trial(
        &mut self,
        table: &OperationTable,
        steps: &[Step],
        spares: &[Spare],
        fits: &dyn Fn(TypeId, &[Type]) -> bool,
    ) -> Option<Vec<Step>> {
        while let Some(at) = self.at {
            if let Some(open) = opened(table, steps, at) {
                while self.next < spares.len() && self.tried < TRIED {
                    let spare = &spares[self.next];
                    self.next += 1;
                    if spare.calls >= open.dropped {
                        self.next = spares.len();
                    } else if fits(spare.ty, &open.wanted) {
                        self.tried += 1;
                        return Some(filled(steps, at, &open.kept, spare));
                    }
                }
            }
            self.step_back();
        }
        None
    }
}

/// A sequence with a hole.
struct Opened {
    /// Steps that stay.
    kept: Vec<bool>,
    /// Calls that go, and methods of stand-ins, with the one in the hole.
    dropped: usize,
    /// The types its users want.
    wanted: Vec<Type>,
}

/// Takes out a step and what served only it: earlier steps that share no object with anything that the steps after it use.
fn opened(table: &OperationTable, steps: &[Step], at: usize) -> Option<Opened> {
    let hole = StepId(at as u16);
    let mut wanted = Vec::new();
    for step in &steps[at + 1..] {
        let params = table.get(step.operation).params();
        wanted.extend(step.args.iter().zip(params).filter(|(arg, _)| **arg == hole).map(|(_, ty)| ty));
    }
    if wanted.is_empty() || weight(table, &steps[at..=at]) == 0 {
        return None;
    }
    // What the steps after the hole depend on, the hole left out.
    let mut kept: Vec<bool> = (0..steps.len()).map(|step| step > at).collect();
    let mut alive = vec![false; steps.len()];
    for step in &steps[at + 1..] {
        step.args.iter().filter(|arg| **arg != hole).for_each(|arg| alive[usize::from(arg.0)] = true);
    }
    for earlier in (0..at).rev() {
        let shares = steps[earlier]
            .args
            .iter()
            .any(|arg| alive[usize::from(arg.0)] && is_call(table.get(steps[usize::from(arg.0)].operation)));
        if alive[earlier] || shares {
            kept[earlier] = true;
            steps[earlier].args.iter().for_each(|arg| alive[usize::from(arg.0)] = true);
        }
    }
    // What stays must not use what goes.
    let uses_gone =
        |step: usize| steps[step].args.iter().any(|arg| !kept[usize::from(arg.0)] && *arg != hole);
    if (0..steps.len()).any(|step| kept[step] && uses_gone(step)) {
        return None;
    }
    let gone = steps.iter().zip(&kept).filter(|(_, kept)| !**kept).map(|(step, _)| step.clone());
    let dropped = weight(table, &gone.collect::<Vec<_>>());
    Some(Opened { kept, dropped, wanted })
}

/// The spare first, then what stays, with the spare's value in place of the hole.
fn filled(steps: &[Step], at: usize, kept: &[bool], spare: &Spare) -> Vec<Step> {
    let mut out = spare.steps.clone();
    let mut place = vec![0u16; steps.len()];
    place[at] = spare.value.0;
    for (step, _) in kept.iter().enumerate().filter(|(_, kept)| **kept) {
        place[step] = out.len() as u16;
        let args = steps[step].args.iter().map(|arg| StepId(place[usize::from(arg.0)])).collect();
        out.push(Step { operation: steps[step].operation, args });
    }
    out
}

/// What a reader has to follow: calls, and each method of a stand-in that is no lambda.
fn weight(table: &OperationTable, steps: &[Step]) -> usize {
    let of = |step: &Step| match table.get(step.operation) {
        Operation::Stub(spec) if spec.methods.len() > 1 => spec.methods.len(),
        operation => usize::from(is_call(operation)),
    };
    steps.iter().map(of).sum()
}

/// Method and constructor calls.
pub fn calls(table: &OperationTable, steps: &[Step]) -> usize {
    steps.iter().filter(|step| is_call(table.get(step.operation))).count()
}

#[cfg(test)]
mod tests;
