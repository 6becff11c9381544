//! Runs an exploration on workers until it is done or a limit is reached.
//!
//! In: an [`Explorer`], a fleet, limits. Out: an [`Exploration`] and how long it took. Every limit leaves what was found.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use probat_explore::{Bar, Batch, Chooser, Exploration, Explorer, Limit, Strategy};
use probat_supervisor::{Fleet, FleetError};

use super::forecast::Forecast;
use super::live::Live;
use super::trial::{self, Tried};
use crate::failure::Failure;
use crate::fleet;

/// Items in the first batch of the search, and at most. What comes out does not depend on it.
const BATCH: (usize, usize) = (16, 4096);

/// At most, until both ways of reaching states were compared: what is under way by then is done in a way that may be slow.
const BEFORE_TRIAL: usize = 512;

/// A batch that takes longer is followed by smaller ones, so that limits are seen in time.
const SLOW: Duration = Duration::from_millis(500);

/// Batches that are run or wait while others are judged.
const IN_FLIGHT: usize = 3;

/// Of the memory for states, what snapshots may take on top where nobody asked for them: one part in so many.
const SNAPSHOTS: usize = 4;

/// When to stop.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    pub bound: u16,
    pub time: Duration,
    pub memory: usize,
}

/// What came of it.
#[derive(Debug)]
pub struct Done {
    pub exploration: Exploration,
    pub took: Duration,
    /// The way states were reached in the end.
    pub strategy: Strategy,
    /// How it was chosen; `None` if it was given.
    pub chooser: Option<Chooser>,
}

/// Explores; the time limit counts from now. Without a strategy, the faster one is found out.
pub fn drive(
    explorer: Explorer,
    fleet: &mut Fleet,
    bounds: &Bounds,
    stop: Option<&'static AtomicBool>,
    live: &mut Live,
) -> Result<Done, Failure> {
    let start = Instant::now();
    let chooser = explorer.may_change().then(Chooser::default);
    let deadline = start + bounds.time;
    let mut run = Drive { explorer, fleet, flying: VecDeque::new(), chooser, start, deadline };
    let mut forecast = Forecast::new(*bounds);
    let mut size = BATCH.0;
    let limit = loop {
        if let Some(limit) = reached(&run.explorer, bounds, start, stop) {
            break Some(limit);
        }
        let waited = Instant::now();
        match run.step(size, bounds)? {
            Step::Went => {}
            Step::Done => break None,
            Step::Ended(limit) => break Some(limit),
        }
        size = if waited.elapsed() < SLOW { size * 2 } else { size / 2 }.clamp(BATCH.0, run.most());
        live.show(&run.explorer, start.elapsed());
        forecast.look(&run.explorer, start.elapsed(), live);
    };
    let Drive { mut explorer, fleet, flying, chooser, .. } = run;
    keep_rest(&mut explorer, fleet, flying);
    live.end();
    let strategy = explorer.strategy();
    Ok(Done { exploration: explorer.finish(limit), took: start.elapsed(), strategy, chooser })
}

/// What came of one step.
enum Step {
    Went,
    /// Nothing is left to do.
    Done,
    Ended(Limit),
}

/// A search and the batches of it that are under way.
struct Drive<'f> {
    explorer: Explorer,
    fleet: &'f mut Fleet,
    flying: VecDeque<Batch>,
    chooser: Option<Chooser>,
    start: Instant,
    deadline: Instant,
}

impl Drive<'_> {
    /// Hands out batches and takes the results of one; or, when it is time, compares both ways of reaching states.
    fn step(&mut self, size: usize, bounds: &Bounds) -> Result<Step, Failure> {
        let tests = self.explorer.progress().tests;
        let sample = self.chooser.as_ref().and_then(|chooser| chooser.sample(tests, self.start.elapsed()));
        let sample = sample.filter(|size| self.explorer.has_sample(*size));
        match sample {
            Some(size) if self.flying.is_empty() => return self.compare(size),
            // Nothing else is to run meanwhile.
            Some(_) => {}
            None => self.hand_out(size)?,
        }
        let Some(batch) = self.flying.pop_front() else { return Ok(Step::Done) };
        match self.fleet.collect_until(self.deadline) {
            Ok(Some((_, seen))) => self.explorer.absorb(batch, seen),
            Ok(None) => {
                self.flying.push_front(batch);
                return Ok(Step::Ended(Limit::Time));
            }
            Err(FleetError::Stopped) => {
                self.flying.push_front(batch);
                return Ok(Step::Ended(Limit::Interrupted));
            }
            Err(error) => return Err(fleet::failure(&error)),
        }
        if self.explorer.snapshot_memory() > bounds.memory / SNAPSHOTS {
            self.forbid(Bar::Memory);
        }
        Ok(Step::Went)
    }

    /// Items in a batch, at most.
    fn most(&self) -> usize {
        let waits = self.chooser.as_ref().is_some_and(|one| one.trials.is_empty() && one.bar.is_none());
        if waits { BEFORE_TRIAL } else { BATCH.1 }
    }

    fn hand_out(&mut self, size: usize) -> Result<(), Failure> {
        while self.flying.len() < IN_FLIGHT
            && let Some(mut batch) = self.explorer.batch(size)
        {
            let items = std::mem::take(&mut batch.items);
            let sent = items.clone();
            batch.items = items;
            self.fleet.submit(self.explorer.table(), sent).map_err(|error| fleet::failure(&error))?;
            self.flying.push_back(batch);
        }
        Ok(())
    }

    fn compare(&mut self, size: usize) -> Result<Step, Failure> {
        let Some(chooser) = &mut self.chooser else { return Ok(Step::Went) };
        let tried = trial::compare(&mut self.explorer, self.fleet, chooser, size, self.deadline)?;
        chooser.postpone(self.explorer.progress().tests, self.start.elapsed());
        match tried {
            Tried::Agreed => self.explorer.go_on_with(chooser.current()),
            Tried::Differs => {
                let is_tainted = chooser.trials.iter().any(|trial| trial.chosen == Strategy::Restore);
                self.forbid(Bar::Differs);
                if is_tainted {
                    self.explorer.restart();
                }
            }
            Tried::Ended(limit) => return Ok(Step::Ended(limit)),
        }
        Ok(Step::Went)
    }

    /// Snapshots are no longer put back, unless the user said so.
    fn forbid(&mut self, bar: Bar) {
        if let Some(chooser) = self.chooser.as_mut().filter(|chooser| chooser.bar.is_none()) {
            chooser.forbid(bar);
            self.explorer.go_on_with(Strategy::Rerun);
        }
    }
}

fn reached(
    explorer: &Explorer,
    bounds: &Bounds,
    start: Instant,
    stop: Option<&'static AtomicBool>,
) -> Option<Limit> {
    if stop.is_some_and(|stop| stop.load(Relaxed)) {
        Some(Limit::Interrupted)
    } else if start.elapsed() >= bounds.time {
        Some(Limit::Time)
    } else {
        explorer.full()
    }
}

/// Of batches under way, what was answered without a gap counts.
fn keep_rest(explorer: &mut Explorer, fleet: &mut Fleet, flying: VecDeque<Batch>) {
    if flying.is_empty() {
        return;
    }
    let mut complete = true;
    for (batch, (_, seen)) in flying.into_iter().zip(fleet.salvage()) {
        let wanted = seen.len();
        let first: Vec<_> = seen.into_iter().map_while(|seen| seen).collect();
        if !complete {
            return;
        }
        complete = first.len() == wanted;
        explorer.absorb(batch, first);
    }
}
