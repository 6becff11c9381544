//! Who runs what, what came back, and who is to blame: the fleet's bookkeeping.
//!
//! In: items submitted, results and deaths reported by lanes. Out: parcels to send, results in submission order.
//! Pure state: no processes, pipes, clocks or threads, so every rule here is tested without them.
//!
//! Results must not depend on the number of workers. An item's own result hardly does: a worker puts back what items change, but not what caches deep inside
//! static fields remember. Where results must be the same to the byte, every job has a lane of its own ([`Terms::steady`]), so that each JVM runs the same items in
//! the same order whoever is free. Otherwise only the quarantine could bring timing in. It is therefore decided at the *frontier*: items are settled in
//! submission order, deaths are counted there, and what the quarantine refuses depends only on items before it.

mod blame;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::sync::Arc;

use probat_model::{DeathCause, End, Observation, Operation, OperationId, Slow, StepId};
use probat_protocol::{Item, decode_message, encode_message};

pub(crate) use blame::{Ending, Place, Settlement};

use crate::describe::describe;
use crate::stats::Quarantined;

/// Numbers the ledger works with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terms {
    pub lanes: usize,
    /// Lanes that may have something to do at once.
    pub at_once: usize,
    /// Every job has its lane; otherwise whoever is free takes the next.
    pub steady: bool,
    pub batch_size: usize,
    pub in_flight: usize,
    pub quarantine_after: Option<u32>,
}

/// Smaller batches than this are not worth a trip through the pipe.
const LEAST_BATCH: usize = 8;

/// Operations travel in messages of at most this many.
const DEFINE_CHUNK: usize = 4096;

#[derive(Debug)]
pub(crate) struct Ledger {
    terms: Terms,
    tickets: BTreeMap<u64, Ticketed>,
    next_ticket: u64,
    next_batch: u64,
    /// The lane of the next job.
    next_home: usize,
    /// First ticket with items that are not settled.
    frontier: u64,
    pending: VecDeque<Job>,
    suspects: VecDeque<Suspect>,
    lanes: Vec<Lane>,
    definitions: Vec<Definitions>,
    operations: usize,
    faults: BTreeMap<OperationId, Fault>,
    /// Operations whose count reached the threshold, ascending.
    quarantine: Vec<OperationId>,
    pub items_done: u64,
    pub items_refused: u64,
}

#[derive(Debug)]
struct Ticketed {
    items: Arc<Vec<Item>>,
    results: Vec<Option<Observation>>,
    settled: usize,
}

/// A stretch of a ticket's items.
#[derive(Debug, Clone)]
pub(crate) struct Job {
    ticket: u64,
    items: Arc<Vec<Item>>,
    range: Range<usize>,
    /// The lane it belongs to, where that is fixed.
    home: usize,
}

impl Job {
    pub fn items(&self) -> &[Item] {
        &self.items[self.range.clone()]
    }

    fn part(&self, range: Range<usize>) -> Job {
        Job { items: self.items.clone(), range, ..*self }
    }
}

/// An item to be run alone in a fresh worker, because one died of it.
#[derive(Debug)]
struct Suspect {
    job: Job,
    /// Fresh workers that died before they came to it.
    tries: u32,
}

/// What a lane has been given and not wholly answered.
#[derive(Debug)]
struct Assigned {
    batch: u64,
    job: Job,
    done: usize,
    /// Present for a suspect, with its tries so far.
    suspect: Option<u32>,
}

#[derive(Debug, Default)]
struct Lane {
    assigned: VecDeque<Assigned>,
    open: bool,
    /// Nothing was sent to this worker yet.
    fresh: bool,
    /// How many operations this worker knows.
    defined: usize,
    /// This worker gave at least one result.
    progress: bool,
}

#[derive(Debug)]
struct Definitions {
    first: usize,
    count: usize,
    payload: Arc<[u8]>,
}

#[derive(Debug)]
struct Fault {
    deaths: u32,
    cause: DeathCause,
}

/// Something to send to a worker.
#[derive(Debug)]
pub(crate) struct Parcel {
    pub batch: u64,
    pub job: Job,
    /// Payloads of operations to define first.
    pub definitions: Vec<Arc<[u8]>>,
}

impl Ledger {
    pub fn new(terms: Terms) -> Self {
        Ledger {
            terms,
            tickets: BTreeMap::new(),
            next_ticket: 0,
            next_batch: 1,
            next_home: 0,
            frontier: 0,
            pending: VecDeque::new(),
            suspects: VecDeque::new(),
            lanes: (0..terms.lanes).map(|_| Lane::default()).collect(),
            definitions: Vec::new(),
            operations: 0,
            faults: BTreeMap::new(),
            quarantine: Vec::new(),
            items_done: 0,
            items_refused: 0,
        }
    }

    /// How many operations have been defined.
    pub fn operations(&self) -> usize {
        self.operations
    }

    /// Appends operations that workers will need.
    pub fn define(&mut self, added: &[Operation]) {
        for chunk in added.chunks(DEFINE_CHUNK) {
            let payload = encode_message(chunk).into();
            self.definitions.push(Definitions { first: self.operations, count: chunk.len(), payload });
            self.operations += chunk.len();
        }
    }

    /// Queues items and returns their ticket.
    pub fn submit(&mut self, items: Vec<Item>) -> u64 {
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        let count = items.len();
        let items = Arc::new(items);
        let share = count.div_ceil((self.terms.lanes * self.terms.in_flight).max(1));
        let size = share.clamp(LEAST_BATCH.min(self.terms.batch_size), self.terms.batch_size);
        for start in (0..count).step_by(size) {
            let range = start..(start + size).min(count);
            self.pending.push_back(Job { ticket, items: items.clone(), range, home: self.next_home });
            self.next_home = (self.next_home + 1) % self.terms.lanes.max(1);
        }
        let results = (0..count).map(|_| None).collect();
        self.tickets.insert(ticket, Ticketed { items, results, settled: 0 });
        self.settle();
        ticket
    }

    /// The oldest ticket not taken back yet.
    pub fn oldest(&self) -> Option<u64> {
        self.tickets.keys().next().copied()
    }

    pub fn is_settled(&self, ticket: u64) -> bool {
        ticket < self.frontier
    }

    /// Takes a settled ticket's results.
    pub fn take_results(&mut self, ticket: u64) -> Option<Vec<Observation>> {
        if !self.is_settled(ticket) {
            return None;
        }
        let done = self.tickets.remove(&ticket)?;
        Some(done.results.into_iter().map(|seen| seen.expect("a settled ticket has every result")).collect())
    }

    /// Takes whatever results a ticket has; for a fleet that can go on no more.
    pub fn abandon(&mut self, ticket: u64) -> Option<Vec<Option<Observation>>> {
        Some(self.tickets.remove(&ticket)?.results)
    }

    /// Whether a worker would have something to do.
    pub fn has_work(&self) -> bool {
        !self.pending.is_empty() || !self.suspects.is_empty()
    }

    /// Whether the worker of a lane would.
    pub fn has_work_for(&self, lane: usize) -> bool {
        let mut suspects = self.suspects.iter().map(|suspect| &suspect.job);
        self.pending.iter().any(|job| self.is_for(lane, job)) || suspects.any(|job| self.is_for(lane, job))
    }

    /// Whether lanes wait for each other.
    pub fn is_rationed(&self) -> bool {
        self.terms.at_once < self.terms.lanes
    }

    fn is_for(&self, lane: usize, job: &Job) -> bool {
        !self.terms.steady || job.home == lane
    }

    /// Whether a lane owes answers.
    pub fn is_busy(&self, lane: usize) -> bool {
        !self.lanes[lane].assigned.is_empty()
    }

    /// A new worker stands.
    pub fn open(&mut self, lane: usize) {
        self.lanes[lane] = Lane { open: true, fresh: true, ..Lane::default() };
    }

    /// The worker gets nothing more.
    pub fn close(&mut self, lane: usize) {
        self.lanes[lane].open = false;
    }

    /// What to send next on a lane, if it may have more.
    pub fn take(&mut self, lane: usize) -> Option<Parcel> {
        let state = &self.lanes[lane];
        let alone = state.assigned.iter().any(|assigned| assigned.suspect.is_some());
        if !state.open || alone || state.assigned.len() >= self.terms.in_flight {
            return None;
        }
        let others =
            self.lanes.iter().enumerate().filter(|(at, other)| *at != lane && !other.assigned.is_empty());
        if others.count() >= self.terms.at_once {
            return None;
        }
        let mut suspects = self.suspects.iter();
        let suspect = suspects.position(|suspect| state.fresh && self.is_for(lane, &suspect.job));
        let (job, suspect) = match suspect.and_then(|at| self.suspects.remove(at)) {
            Some(suspect) => (suspect.job, Some(suspect.tries)),
            None => (self.next_job(lane)?, None),
        };
        let batch = self.next_batch;
        self.next_batch += 1;
        let state = &mut self.lanes[lane];
        state.fresh = false;
        state.assigned.push_back(Assigned { batch, job: job.clone(), done: 0, suspect });
        let known = std::mem::replace(&mut state.defined, self.operations);
        let new = self.definitions.iter().filter(|defined| defined.first >= known);
        let definitions = new.map(|defined| defined.payload.clone()).collect();
        Some(Parcel { batch, job, definitions })
    }

    /// The next stretch for a lane without quarantined operations; items with them are answered here.
    fn next_job(&mut self, lane: usize) -> Option<Job> {
        while let Some(at) = self.pending.iter().position(|job| self.is_for(lane, job)) {
            let job = self.pending.remove(at)?;
            if self.quarantine.is_empty() {
                return Some(job);
            }
            let at = job.items().iter().position(|item| self.quarantined_step(item).is_some());
            let Some(at) = at.map(|at| job.range.start + at) else { return Some(job) };
            let (before, after) = (job.range.start..at, at + 1..job.range.end);
            if !after.is_empty() {
                self.pending.push_front(job.part(after));
            }
            // Settling replaces this by the verdict that the frontier reaches for the item.
            let died = died(None, DeathCause::Protocol("quarantined".into()));
            self.store(job.ticket, at, died);
            self.settle();
            if !before.is_empty() {
                return Some(job.part(before));
            }
        }
        None
    }

    /// Results came back on a lane; says what is wrong if they cannot be.
    pub fn results(&mut self, lane: usize, batch: u64, seen: Vec<Observation>) -> Result<(), String> {
        let state = &mut self.lanes[lane];
        let Some(assigned) = state.assigned.front_mut().filter(|assigned| assigned.batch == batch) else {
            return Err(format!("results of batch {batch}, which is not the one due"));
        };
        let first = assigned.job.range.start + assigned.done;
        if seen.len() > assigned.job.range.end - first {
            return Err(format!("more results of batch {batch} than it has items"));
        }
        let ticket = assigned.job.ticket;
        assigned.done += seen.len();
        state.progress |= !seen.is_empty();
        if first + seen.len() == assigned.job.range.end {
            state.assigned.pop_front();
        }
        for (at, seen) in seen.into_iter().enumerate() {
            self.store(ticket, first + at, seen);
        }
        self.settle();
        Ok(())
    }

    fn store(&mut self, ticket: u64, item: usize, seen: Observation) {
        // A ticket given up on is no longer there.
        if let Some(ticket) = self.tickets.get_mut(&ticket) {
            ticket.results[item] = Some(seen);
            self.items_done += 1;
        }
    }

    /// Moves the frontier over all items whose results are in.
    fn settle(&mut self) {
        while let Some(mut ticket) = self.tickets.remove(&self.frontier) {
            while let Some(Some(seen)) = ticket.results.get_mut(ticket.settled) {
                self.judge(&ticket.items[ticket.settled], seen);
                ticket.settled += 1;
            }
            let whole = ticket.settled == ticket.results.len();
            self.tickets.insert(self.frontier, ticket);
            if !whole {
                return;
            }
            self.frontier += 1;
        }
    }

    /// The verdict on an item, all items before it being settled.
    fn judge(&mut self, item: &Item, seen: &mut Observation) {
        if let Some(step) = self.quarantined_step(item) {
            let operation = item.sequence.steps()[usize::from(step.0)].operation;
            let cause = self.faults[&operation].cause.clone();
            *seen = died(Some(step), cause);
            self.items_refused += 1;
            return;
        }
        let End::Died { step: Some(step), cause } = &seen.end else { return };
        let Some(step) = item.sequence.steps().get(usize::from(step.0)) else { return };
        let fault = self.faults.entry(step.operation).or_insert(Fault { deaths: 0, cause: cause.clone() });
        fault.deaths += 1;
        fault.cause = cause.clone();
        if Some(fault.deaths) == self.terms.quarantine_after {
            let at = self.quarantine.partition_point(|&known| known < step.operation);
            self.quarantine.insert(at, step.operation);
        }
    }

    fn quarantined_step(&self, item: &Item) -> Option<StepId> {
        if self.quarantine.is_empty() {
            return None;
        }
        let at = item.sequence.steps().iter().position(|step| self.quarantine.contains(&step.operation))?;
        Some(StepId(at as u16))
    }

    /// Operations no longer run.
    pub fn quarantined(&self) -> Vec<Quarantined> {
        let of = |&operation: &OperationId| {
            let fault = &self.faults[&operation];
            let description = self.describe(operation);
            Quarantined { operation, description, deaths: fault.deaths, cause: fault.cause.clone() }
        };
        self.quarantine.iter().map(of).collect()
    }

    /// An operation in words, read back from what workers are sent.
    pub fn describe(&self, operation: OperationId) -> String {
        let at = operation.0 as usize;
        let within = |defined: &&Definitions| (defined.first..defined.first + defined.count).contains(&at);
        let Some(defined) = self.definitions.iter().find(within) else { return String::new() };
        let decoded: Result<Vec<Operation>, _> = decode_message(&defined.payload);
        decoded.ok().and_then(|all| all.get(at - defined.first).map(describe)).unwrap_or_default()
    }
}

/// The observation of an item that killed its worker.
fn died(step: Option<StepId>, cause: DeathCause) -> Observation {
    Observation {
        end: End::Died { step, cause },
        steps: Vec::new(),
        edges: Vec::new(),
        states: Vec::new(),
        violations: Vec::new(),
        taints: Vec::new(),
        leaks: Vec::new(),
        compared: Vec::new(),
        slow: Slow(false),
    }
}
