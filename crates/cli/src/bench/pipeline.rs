//! Measuring the whole way: search side, pipe, worker, pipe.
//!
//! In: a fleet and a mix. Out: calls answered in the time, and the CPU time of both sides. Items are made anew for
//! every round, as a search would make them, and a round is always waiting while another runs.

use std::time::{Duration, Instant};

use probat_model::{End, Observation, ProbeId};
use probat_protocol::{Item, Observe, Reset, StateRequest, Values, WorkerConfig};
use probat_supervisor::{Fleet, FleetConfig};

use super::mix::Mix;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::fleet;

/// How often each sequence is in a round.
const REPEATS: usize = 128;

/// Rounds submitted and not yet collected.
const IN_FLIGHT: usize = 2;

/// What was measured after warming up.
#[derive(Debug, Clone, Copy)]
pub struct Piped {
    pub calls: u64,
    pub wall: Duration,
    pub search_cpu: Duration,
    pub worker_cpu: Duration,
}

/// Starts workers and measures.
pub fn measure(
    config: &WorkerConfig,
    workers: usize,
    observed: bool,
    mix: &Mix,
    time: Duration,
) -> Result<Piped, Failure> {
    let mut settings = FleetConfig::new(config.clone());
    settings.workers = workers;
    let mut fleet = fleet::start(settings)?;
    let mut run = Run { fleet: &mut fleet, mix, observed, submitted: 0 };
    run.check()?;
    run.spin(time.mul_f32(0.75))?;
    let before = run.fleet.stats();
    let start = Instant::now();
    let rounds = run.spin(time)?;
    let wall = start.elapsed();
    let after = run.fleet.stats();
    run.drain()?;
    Ok(Piped {
        calls: rounds * REPEATS as u64 * mix.calls(),
        wall,
        search_cpu: after.supervisor_cpu - before.supervisor_cpu,
        worker_cpu: after.worker_cpu - before.worker_cpu,
    })
}

struct Run<'a> {
    fleet: &'a mut Fleet,
    mix: &'a Mix,
    observed: bool,
    submitted: usize,
}

impl Run<'_> {
    /// Every sequence must run to its end, or the numbers mean nothing.
    fn check(&mut self) -> Result<(), Failure> {
        self.submit(1)?;
        for (at, seen) in self.collect()?.iter().enumerate() {
            if seen.end != End::Completed {
                let message =
                    format!("sequence {at} of the mix ended early: {:?} {:?}", seen.end, seen.steps);
                return Err(Failure::new(Exit::Bug, message));
            }
        }
        Ok(())
    }

    fn spin(&mut self, time: Duration) -> Result<u64, Failure> {
        let start = Instant::now();
        let mut rounds = 0;
        while start.elapsed() < time {
            while self.submitted < IN_FLIGHT {
                self.submit(REPEATS)?;
            }
            let seen = self.collect()?;
            std::hint::black_box(edges_of(&seen));
            rounds += 1;
        }
        Ok(rounds)
    }

    fn drain(&mut self) -> Result<(), Failure> {
        while self.submitted > 0 {
            self.collect()?;
        }
        Ok(())
    }

    fn submit(&mut self, repeats: usize) -> Result<(), Failure> {
        let mut items = Vec::with_capacity(repeats * self.mix.sequences.len());
        for _ in 0..repeats {
            items.extend(self.mix.sequences.iter().map(|sequence| Item {
                sequence: sequence.clone(),
                observe: self.observe(sequence),
                reset: Reset::Fields,
                past_exceptions: false,
                ..Item::default()
            }));
        }
        self.fleet.submit(&self.mix.table, items).map_err(|error| fleet::failure(&error))?;
        self.submitted += 1;
        Ok(())
    }

    fn observe(&self, sequence: &probat_model::Sequence) -> Observe {
        let root = self.mix.last_receiver(sequence).filter(|_| self.observed);
        let state =
            |root| StateRequest { after: sequence.len() as u16 - 1, roots: vec![root], stored: false };
        Observe {
            values: Values::Last,
            edges: self.observed,
            contracts: false,
            states: root.map(state).into_iter().collect(),
            ..Observe::default()
        }
    }

    fn collect(&mut self) -> Result<Vec<Observation>, Failure> {
        let (_, seen) = self.fleet.collect().map_err(|error| fleet::failure(&error))?;
        self.submitted -= 1;
        Ok(seen)
    }
}

/// What a search would look at.
fn edges_of(seen: &[Observation]) -> Option<ProbeId> {
    seen.iter().filter_map(|seen| seen.edges.last().copied()).max()
}
