//! From all failures of a search to a short list a person can work through.
//!
//! In: the failures of a campaign, each noted for the call that caused it. Out: one [`Triaged`] per cause, the strongest first: the
//! shortest test known, what speaks against it, and the other members it was seen through. Nothing is thrown away: what is hardly a bug
//! comes last. `docs/decisions/0010-which-failures-come-first.md` says why.
//!
//! ```text
//! failures ─▶ run again: classes of the objects ─▶ causes ─▶ a few of each shortened ─▶ run with fresh classes ─▶ doubts ─▶ the best of each, ranked
//! ```

mod cause;
mod doubt;
mod facts;
mod null;
mod shorten;

use std::collections::BTreeMap;

use probat_model::{
    ClassName, Contract, Observation, OperationTable, Step, StepId, StepOutcome, Type, Value,
};
use probat_search::campaign::{Campaign, Failure, FailureKind};
use probat_search::catalogue::CallableId;
use probat_search::executor::Executor;
use probat_search::replace::calls;
use probat_supervisor::describe;

use cause::{Cause, cause, settle};
pub use doubt::{Doubt, Likelihood, likelihood};
use doubt::{Evidence, doubts};
pub(crate) use facts::{Facts, FromClasses};
pub(crate) use shorten::item;
use shorten::{cut, observe, observe_afresh, shorten};

use crate::deadline::Deadline;

/// One cause, told by the test that shows it best.
#[derive(Debug, Clone)]
pub struct Triaged {
    pub failure: Failure,
    pub likelihood: Likelihood,
    /// What speaks against it.
    pub doubts: Vec<Doubt>,
    /// Other members and kinds it was seen through.
    pub also: Vec<(CallableId, FailureKind)>,
}

impl Triaged {
    /// Its test passed where nothing had been run before.
    pub(crate) fn did_not_repeat(&mut self) {
        self.doubts.insert(0, Doubt::NotRepeated);
        self.doubts.sort_unstable();
        self.doubts.dedup();
        self.likelihood = likelihood(&self.doubts);
    }
}

/// Failures of one cause that are shortened to find the best.
const CANDIDATES: usize = 3;

/// A failure, what was seen of it, and what that says.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub failure: Failure,
    /// Run-time classes of what the steps gave.
    pub classes: Vec<Option<ClassName>>,
    /// Steps that gave null.
    pub nulls: Vec<StepId>,
    pub is_repeated: bool,
    doubts: Vec<Doubt>,
    calls: usize,
}

impl Case {
    pub fn new(failure: Failure) -> Self {
        let (classes, nulls, doubts) = (Vec::new(), Vec::new(), Vec::new());
        Case { failure, classes, nulls, is_repeated: true, doubts, calls: 0 }
    }

    /// Takes objects for what source says that they are, until a run tells more: there may be no time for one.
    fn guess(&mut self, table: &OperationTable) {
        let class = |step: &Step| match table.get(step.operation).result() {
            Some(Type::Class(class)) => Some(class),
            _ => None,
        };
        self.classes = self.failure.steps.iter().map(class).collect();
    }

    /// Takes note of a run, and of whether the failure was in it.
    pub fn saw(&mut self, seen: &Observation, is_repeated: bool) {
        self.is_repeated = is_repeated;
        self.classes = vec![None; self.failure.steps.len()];
        let is_null = |outcome: &StepOutcome| matches!(outcome, StepOutcome::Returned(Value::Null));
        self.nulls =
            seen.steps.iter().filter(|(_, outcome)| is_null(outcome)).map(|(step, _)| *step).collect();
        for (step, outcome) in &seen.steps {
            if let (StepOutcome::Returned(Value::Object { class }), Some(place)) =
                (outcome, self.classes.get_mut(usize::from(step.0)))
            {
                *place = Some(class.clone());
            }
        }
    }

    fn evidence<'a>(&'a self, campaign: &'a Campaign<'_>) -> Evidence<'a> {
        let violation = self.failure.violation.as_ref();
        Evidence {
            table: &campaign.catalogue.operations,
            steps: &self.failure.steps,
            kind: &self.failure.kind,
            thrown: violation.and_then(|found| found.thrown.as_ref()).or(self.failure.thrown.as_ref()),
            of: violation.map_or(&[], |found| &found.steps),
            classes: &self.classes,
            nulls: &self.nulls,
            is_repeated: self.is_repeated,
        }
    }

    fn weigh(&mut self, campaign: &Campaign<'_>, facts: &dyn Facts) {
        self.doubts = doubts(&self.evidence(campaign), facts);
        self.calls = calls(&campaign.catalogue.operations, &self.failure.steps);
    }

    /// Less is stronger; what is no rule broken comes last.
    fn rank(&self) -> (bool, Likelihood, usize, u8, usize, usize, CallableId) {
        let (steps, weight) = (self.failure.steps.len(), weight(&self.failure.kind));
        let doubts = self.doubts.len();
        let callable = self.failure.callable;
        (weight > WEAKEST, likelihood(&self.doubts), doubts, weight, self.calls, steps, callable)
    }
}

/// The last weight of what breaks a rule.
const WEAKEST: u8 = 3;

/// How much harm a kind of failure does, less being more: first what the user asked about and what ends everything, then accidents, then
/// what collections trip over, then what only some callers notice.
fn weight(kind: &FailureKind) -> u8 {
    match kind {
        FailureKind::Contract(Contract::User(_)) | FailureKind::Exception(_) | FailureKind::Died => 0,
        FailureKind::Contract(contract) => match contract {
            Contract::User(_) => 0,
            Contract::AssertionError | Contract::NullPointer => 1,
            Contract::EqualsReflexive
            | Contract::EqualsThrows
            | Contract::HashCodeThrows
            | Contract::HashCodeConsistent
            | Contract::EqualsHashCode
            | Contract::ToStringThrows
            | Contract::CompareToReflexive
            | Contract::CompareToAntisymmetric
            | Contract::IteratorNext
            | Contract::IterableNext
            | Contract::CollectionSize
            | Contract::CollectionEmpty
            | Contract::CollectionArray
            | Contract::CollectionIterator
            | Contract::MapSize
            | Contract::MapEmpty => 2,
            Contract::EqualsNull
            | Contract::EqualsSymmetric
            | Contract::ToStringNull
            | Contract::CloneThrows
            | Contract::CloneSame
            | Contract::CloneClass
            | Contract::CloneEquals => 3,
            Contract::CompareToEquals => 6,
        },
        FailureKind::Exits => 4,
        FailureKind::TimedOut | FailureKind::Exhausted => 5,
    }
}

/// Sorts failures by cause, and causes by how much there is to them; as far as there is time, looks at each again and makes it shorter.
pub(crate) fn triage<E: Executor>(
    campaign: &mut Campaign<'_>,
    executor: &mut E,
    facts: &dyn Facts,
    clock: &Deadline<'_>,
) -> Result<Vec<Triaged>, E::Error> {
    let mut cases: Vec<Case> = campaign.failures().cloned().map(Case::new).collect();
    cases.iter_mut().for_each(|case| case.guess(&campaign.catalogue.operations));
    observe(campaign, &mut cases, executor, clock)?;
    cases.iter_mut().for_each(|case| case.weigh(campaign, facts));
    cases.sort_by_key(Case::rank);
    let groups = by_cause(campaign, cases, facts);
    let mut best: Vec<Case> = Vec::new();
    let mut sizes = Vec::new();
    for group in &groups {
        sizes.push(group.len().min(CANDIDATES));
        best.extend(group.iter().take(CANDIDATES).cloned());
    }
    shorten(campaign, &mut best, executor, facts, clock)?;
    cut(campaign, &mut best, executor, clock)?;
    best.iter_mut().for_each(|case| case.weigh(campaign, facts));
    observe_afresh(campaign, &mut best, executor, clock)?;
    best.iter_mut().for_each(|case| case.weigh(campaign, facts));
    let mut best = best.into_iter();
    let mut told: Vec<(Case, Triaged)> = groups
        .into_iter()
        .zip(sizes)
        .filter_map(|(group, size)| {
            let shown = best.by_ref().take(size).min_by_key(Case::rank)?;
            let triaged = triaged(&shown, &group);
            Some((shown, triaged))
        })
        .collect();
    told.sort_by_key(|(case, _)| case.rank());
    Ok(told.into_iter().map(|(_, triaged)| triaged).collect())
}

/// Failures of one cause together, in the order given.
fn by_cause(campaign: &Campaign<'_>, cases: Vec<Case>, facts: &dyn Facts) -> Vec<Vec<Case>> {
    let mut places: BTreeMap<Cause, usize> = BTreeMap::new();
    let mut groups: Vec<(Cause, Vec<Case>)> = Vec::new();
    let catalogue = &campaign.catalogue;
    let member = |case: &Case| catalogue.operations.get(catalogue.callable(case.failure.callable).operation);
    let mut causes: Vec<Cause> =
        cases.iter().map(|case| cause(&case.evidence(campaign), &describe(member(case)), facts)).collect();
    settle(&mut causes);
    for (case, cause) in cases.into_iter().zip(causes) {
        let evidence = case.evidence(campaign);
        let place = places
            .get(&cause)
            .copied()
            .or_else(|| groups.iter().position(|(simpler, _)| simpler.explains(&cause, &evidence, facts)));
        match place {
            Some(place) => groups[place].1.push(case),
            None => {
                places.insert(cause.clone(), groups.len());
                groups.push((cause, vec![case]));
            }
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// The entry of a cause: told by one case, counted over all.
fn triaged(shown: &Case, group: &[Case]) -> Triaged {
    let mut failure = shown.failure.clone();
    failure.times = group.iter().map(|case| case.failure.times).sum();
    failure.after_steps =
        group.iter().map(|case| case.failure.after_steps).min().unwrap_or(failure.after_steps);
    let mut also: Vec<(CallableId, FailureKind)> = group
        .iter()
        .map(|case| (case.failure.callable, case.failure.kind.clone()))
        .filter(|(callable, kind)| (*callable, kind) != (failure.callable, &failure.kind))
        .collect();
    also.sort();
    also.dedup();
    Triaged { likelihood: likelihood(&shown.doubts), doubts: shown.doubts.clone(), also, failure }
}
