//! What becomes of a worker's unfinished items when it ends.
//!
//! In: how it ended and where it was. Out: items queued again, one of them perhaps as a suspect to be run alone, or the
//! verdict on a suspect. Nothing a worker has answered is run again.

use probat_model::{DeathCause, OperationId, StepId};

use super::{Assigned, Job, Ledger, Suspect, died};
use crate::stats::Culprit;

/// How a worker ended, as far as its items are concerned.
#[derive(Debug, Clone)]
pub(crate) enum Ending {
    /// It asked to be replaced, or we stop: nobody's fault.
    Blameless,
    Died {
        cause: DeathCause,
        place: Place,
    },
}

/// Where a worker was. Read from memory the code under test could have overwritten, so believed only where it fits.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Place {
    Unknown,
    /// In this item of this batch; no batch means the one that is due.
    At {
        batch: Option<u64>,
        item: u32,
        step: Option<StepId>,
    },
    /// Somewhere in the batch that is due: what came up the pipe was broken between its results and those before, while
    /// the worker may have gone on.
    InDueBatch,
}

/// What came of an ending.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Settlement {
    pub culprit: Option<Culprit>,
    /// The culprit died alone in a fresh worker.
    pub confirmed: bool,
    /// The worker brought the run forward: a result, a verdict, or an item seen to kill, which is then run apart.
    pub progress: bool,
    /// There was something to do.
    pub had_work: bool,
}

/// A suspect whose fresh workers die this often before they come to it is found guilty all the same.
const TRIES: u32 = 3;

impl Ledger {
    /// A worker ended: queues again what it owed and finds the culprit.
    pub fn ended(&mut self, lane: usize, ending: &Ending) -> Settlement {
        let state = &mut self.lanes[lane];
        state.open = false;
        let progress = state.progress;
        let assigned: Vec<Assigned> = std::mem::take(&mut state.assigned).into();
        let mut settlement = Settlement {
            progress,
            had_work: !assigned.is_empty() || self.has_work(),
            ..Settlement::default()
        };
        let blamed = match ending {
            Ending::Blameless => None,
            Ending::Died { place, .. } => blame(&assigned, place, progress),
        };
        let one_by_one = matches!(ending, Ending::Died { place: Place::InDueBatch, .. });
        settlement.culprit = blamed.as_ref().map(|blamed| self.culprit(blamed));
        for (at, assigned) in assigned.into_iter().enumerate().rev() {
            let blamed = blamed.as_ref().filter(|blamed| blamed.assigned == at);
            match (assigned.suspect, ending) {
                (None, _) if one_by_one && at == 0 && blamed.is_none() => self.queue_singly(&assigned),
                (None, _) => {
                    // No item is set apart twice, so a fleet cannot go on like this for ever.
                    settlement.progress |= blamed.is_some_and(|blamed| blamed.seen_there);
                    self.queue_again(&assigned, blamed);
                }
                (Some(tries), Ending::Died { cause, .. }) => {
                    let seen_there = blamed.is_some_and(|blamed| blamed.seen_there);
                    if seen_there || tries + 1 >= TRIES {
                        let step = blamed.and_then(|blamed| blamed.step);
                        self.store(assigned.job.ticket, assigned.job.range.start, died(step, cause.clone()));
                        self.settle();
                        (settlement.confirmed, settlement.progress) = (true, true);
                    } else {
                        self.suspects.push_front(Suspect { job: assigned.job, tries: tries + 1 });
                    }
                }
                (Some(tries), Ending::Blameless) => {
                    self.suspects.push_front(Suspect { job: assigned.job, tries });
                }
            }
        }
        settlement
    }

    /// Puts what is not answered back in front, the blamed item apart.
    fn queue_again(&mut self, assigned: &Assigned, blamed: Option<&Blamed>) {
        let job = &assigned.job;
        let rest = job.range.start + assigned.done..job.range.end;
        let parts = match blamed {
            None => [rest, 0..0],
            Some(blamed) => {
                let job = job.part(blamed.item..blamed.item + 1);
                self.suspects.push_back(Suspect { job, tries: 0 });
                [rest.start..blamed.item, blamed.item + 1..rest.end]
            }
        };
        for part in parts.into_iter().rev().filter(|part| !part.is_empty()) {
            self.pending.push_front(job.part(part));
        }
    }

    /// Puts what is not answered back in front as batches of one, so that the next death tells whose it is.
    fn queue_singly(&mut self, assigned: &Assigned) {
        let job = &assigned.job;
        for item in (job.range.start + assigned.done..job.range.end).rev() {
            self.pending.push_front(job.part(item..item + 1));
        }
    }

    fn culprit(&self, blamed: &Blamed) -> Culprit {
        let operation = blamed.step.map(|step| blamed.operation_at(step));
        Culprit {
            ticket: blamed.job.ticket,
            item: blamed.item,
            step: blamed.step,
            operation,
            description: operation.map(|operation| self.describe(operation)).unwrap_or_default(),
        }
    }
}

/// The item a worker died in.
struct Blamed {
    /// Position among what the lane owed.
    assigned: usize,
    job: Job,
    /// Position in the ticket.
    item: usize,
    step: Option<StepId>,
    /// The worker said it was there, rather than that being a guess.
    seen_there: bool,
}

impl Blamed {
    fn operation_at(&self, step: StepId) -> OperationId {
        self.job.items[self.item].sequence.steps()[usize::from(step.0)].operation
    }
}

/// Finds the item the worker was in. Where its place fits nothing, the next item due is a guess, made only if the worker
/// gave no result at all: otherwise running the rest again brings the run forward without accusing anyone.
fn blame(assigned: &[Assigned], place: &Place, progress: bool) -> Option<Blamed> {
    match place {
        Place::At { batch, item, step } => {
            let at = match batch {
                None => Some(0),
                Some(batch) => assigned.iter().position(|assigned| assigned.batch == *batch),
            };
            let found = at.and_then(|at| blame_item(assigned, at, *item as usize, *step));
            found.or_else(|| guess(assigned, progress))
        }
        Place::Unknown => guess(assigned, progress),
        Place::InDueBatch => {
            let owed = assigned.first().filter(|owed| owed.job.range.len() == 1)?;
            blame_item(assigned, 0, owed.done, None)
        }
    }
}

fn blame_item(assigned: &[Assigned], at: usize, item: usize, step: Option<StepId>) -> Option<Blamed> {
    let owed = assigned.get(at)?;
    let item = owed.job.range.start + item;
    let due = owed.job.range.start + owed.done..owed.job.range.end;
    due.contains(&item).then(|| {
        let steps = owed.job.items[item].sequence.len();
        let step = step.filter(|step| usize::from(step.0) < steps);
        Blamed { assigned: at, job: owed.job.clone(), item, step, seen_there: true }
    })
}

fn guess(assigned: &[Assigned], progress: bool) -> Option<Blamed> {
    let owed = assigned.first().filter(|_| !progress)?;
    let item = owed.job.range.start + owed.done;
    Some(Blamed { assigned: 0, job: owed.job.clone(), item, step: None, seen_there: false })
}
