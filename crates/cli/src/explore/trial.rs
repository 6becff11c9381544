//! Times both ways of reaching a state on the same tests.
//!
//! In: a search with nothing under way, workers. Out: what each way took, told to the [`Chooser`]; the tests of the sample are absorbed.
//! Each way runs three times, in turns, and its best time counts: what else the machine does only adds to it.

use std::time::{Duration, Instant};

use probat_explore::{Batch, Chooser, Explorer, Limit, Strategy};
use probat_model::Observation;
use probat_protocol::Item;
use probat_supervisor::{Fleet, FleetError};

use crate::failure::Failure;
use crate::fleet;

/// How often each way runs.
const ROUNDS: usize = 3;

/// What a comparison showed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tried {
    /// Both ways did the same, or there was nothing to compare.
    Agreed,
    /// Tests on snapshots ended otherwise.
    Differs,
    Ended(Limit),
}

/// What came before there was a result.
enum Halt {
    Limit(Limit),
    Failed(Failure),
}

/// What both ways did with the sample.
struct Measured {
    by_calls: Ran,
    /// `None` if some state has no snapshot.
    by_snapshots: Option<(Batch, Ran)>,
}

/// What items did, and how long they took.
struct Ran {
    seen: Vec<Observation>,
    took: Duration,
}

/// Compares on the next `size` tests.
pub fn compare(
    explorer: &mut Explorer,
    fleet: &mut Fleet,
    chooser: &mut Chooser,
    size: usize,
    deadline: Instant,
) -> Result<Tried, Failure> {
    let after = explorer.progress().tests;
    let Some(calls) = explorer.sample(size) else { return Ok(Tried::Agreed) };
    let (by_calls, by_snapshots) = match measure(explorer, fleet, &calls, deadline) {
        Ok(Measured { by_calls, by_snapshots }) => (by_calls, by_snapshots),
        Err(Halt::Limit(limit)) => {
            explorer.absorb(calls, Vec::new());
            return Ok(Tried::Ended(limit));
        }
        Err(Halt::Failed(failure)) => return Err(failure),
    };
    let Some((snapshots, by_snapshots)) = by_snapshots else {
        explorer.absorb(calls, by_calls.seen);
        return Ok(Tried::Agreed);
    };
    if !calls.agrees(&by_calls.seen, &snapshots, &by_snapshots.seen) {
        explorer.absorb(calls, by_calls.seen);
        return Ok(Tried::Differs);
    }
    let depth = explorer.progress().depth;
    chooser.learn(after, depth, calls.items.len(), by_calls.took, by_snapshots.took);
    // Going on with snapshots needs those of the states found here.
    match chooser.current() {
        Strategy::Rerun => explorer.absorb(calls, by_calls.seen),
        Strategy::Restore => explorer.absorb(snapshots, by_snapshots.seen),
    }
    Ok(Tried::Agreed)
}

/// Runs a sample both ways, in turns.
fn measure(
    explorer: &mut Explorer,
    fleet: &mut Fleet,
    calls: &Batch,
    deadline: Instant,
) -> Result<Measured, Halt> {
    let taken = run(explorer, fleet, explorer.snapshots_for(calls), deadline)?.seen;
    let mut by_calls = run(explorer, fleet, calls.items.clone(), deadline)?;
    let Some(snapshots) = explorer.with_snapshots(calls, taken) else {
        return Ok(Measured { by_calls, by_snapshots: None });
    };
    let mut by_snapshots = run(explorer, fleet, snapshots.items.clone(), deadline)?;
    for _ in 1..ROUNDS {
        by_calls.took = by_calls.took.min(run(explorer, fleet, calls.items.clone(), deadline)?.took);
        let again = run(explorer, fleet, snapshots.items.clone(), deadline)?;
        by_snapshots.took = by_snapshots.took.min(again.took);
    }
    Ok(Measured { by_calls, by_snapshots: Some((snapshots, by_snapshots)) })
}

fn run(explorer: &Explorer, fleet: &mut Fleet, items: Vec<Item>, deadline: Instant) -> Result<Ran, Halt> {
    let start = Instant::now();
    let failed = |error: &FleetError| Halt::Failed(fleet::failure(error));
    fleet.submit(explorer.table(), items).map_err(|error| failed(&error))?;
    let limit = match fleet.collect_until(deadline) {
        Ok(Some((_, seen))) => return Ok(Ran { seen, took: start.elapsed() }),
        Ok(None) => Limit::Time,
        Err(FleetError::Stopped) => Limit::Interrupted,
        Err(error) => return Err(failed(&error)),
    };
    fleet.salvage();
    Err(Halt::Limit(limit))
}
