//! Runs an exploration on workers until it is done or a limit is reached.
//!
//! In: an [`Explorer`], a fleet, limits. Out: an [`Exploration`] and how long it took. Every limit leaves what was found.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use probat_explore::{Batch, Exploration, Explorer, Limit};
use probat_supervisor::{Fleet, FleetError};

use super::forecast::Forecast;
use super::live::Live;
use crate::failure::Failure;
use crate::fleet;

/// Items in a batch of the search.
const BATCH: usize = 4096;

/// Batches that are run or wait while others are judged.
const IN_FLIGHT: usize = 3;

/// When to stop.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    pub bound: u16,
    pub time: Duration,
    pub memory: usize,
    pub states: Option<u64>,
}

/// What came of it.
#[derive(Debug)]
pub struct Done {
    pub exploration: Exploration,
    pub took: Duration,
}

/// Explores; the time limit counts from `start`.
pub fn drive(
    mut explorer: Explorer,
    fleet: &mut Fleet,
    bounds: &Bounds,
    stop: Option<&'static AtomicBool>,
    live: &mut Live,
) -> Result<Done, Failure> {
    let start = Instant::now();
    let mut flying: VecDeque<Batch> = VecDeque::new();
    let mut forecast = Forecast::new(*bounds);
    let limit = loop {
        if let Some(limit) = reached(&explorer, bounds, start, stop) {
            break Some(limit);
        }
        while flying.len() < IN_FLIGHT
            && let Some(mut batch) = explorer.batch(BATCH)
        {
            let items = std::mem::take(&mut batch.items);
            let sent = items.clone();
            batch.items = items;
            fleet.submit(explorer.table(), sent).map_err(|error| fleet::failure(&error))?;
            flying.push_back(batch);
        }
        let Some(batch) = flying.pop_front() else { break None };
        match fleet.collect() {
            Ok((_, seen)) => explorer.absorb(batch, seen),
            Err(FleetError::Stopped) => {
                flying.push_front(batch);
                break Some(Limit::Interrupted);
            }
            Err(error) => return Err(fleet::failure(&error)),
        }
        live.show(&explorer, start.elapsed());
        forecast.look(&explorer, start.elapsed(), live);
    };
    keep_rest(&mut explorer, fleet, flying);
    live.end();
    Ok(Done { exploration: explorer.finish(limit), took: start.elapsed() })
}

fn reached(
    explorer: &Explorer,
    bounds: &Bounds,
    start: Instant,
    stop: Option<&'static AtomicBool>,
) -> Option<Limit> {
    let progress = explorer.progress();
    if stop.is_some_and(|stop| stop.load(Relaxed)) {
        Some(Limit::Interrupted)
    } else if start.elapsed() >= bounds.time {
        Some(Limit::Time)
    } else if progress.bytes >= bounds.memory {
        Some(Limit::Memory)
    } else if bounds.states.is_some_and(|most| progress.states >= most) {
        Some(Limit::States)
    } else {
        None
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
