//! Several workers behind one interface that gives results in order.
//!
//! In: items to run. Out: their observations, in submission order whatever the number of workers; a worker that dies
//! costs its culprit, nothing else. Chooses no sequences and judges no results.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use probat_model::{Observation, OperationTable};
use probat_os::clock::process_cpu;
use probat_os::pipe::Waker;
use probat_protocol::{Hello, Item};

use crate::board::Shared;
use crate::config::FleetConfig;
use crate::lane::{Lane, MAX_FAILURES, lock};
use crate::ledger::Terms;
use crate::scratch::{RunDirectory, ScratchError};
use crate::stats::FleetStats;
use crate::tail::Tail;

/// Why no worker stands.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(transparent)]
    Scratch(#[from] ScratchError),
    #[error("cannot start the worker `{}`", program.display())]
    Launch {
        program: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("cannot prepare a worker")]
    System(#[source] io::Error),
    /// The worker itself says why.
    #[error("the worker cannot start: {reason}{}", lines(output))]
    Refused { reason: String, output: Vec<String> },
    /// It ended before it said anything.
    #[error("the worker ended before it was ready: {cause}{}", lines(output))]
    Died { cause: String, output: Vec<String> },
}

impl StartError {
    /// Trying again will not help.
    pub(crate) fn is_lasting(&self) -> bool {
        matches!(self, StartError::Scratch(_) | StartError::Launch { .. } | StartError::Refused { .. })
    }
}

/// Why there are no results.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    #[error("workers failed {MAX_FAILURES} times in a row; the last: {reason}{}", lines(output))]
    Broken { reason: String, output: Vec<String> },
    #[error("stopped")]
    Stopped,
    #[error("the table has {given} operations, workers already know {known}: it is not the one used before")]
    OtherTable { given: usize, known: usize },
    #[error("nothing is submitted")]
    Nothing,
}

fn lines(output: &[String]) -> String {
    output.iter().map(|line| format!("\n  {line}")).collect()
}

/// Names items submitted together, in order of submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticket(pub u64);

/// How long the owner waits before it looks at the stop flag again.
const LOOK: Duration = Duration::from_millis(50);

/// Workers that run. Dropping it kills and reaps all of them and removes their directories.
#[derive(Debug)]
pub struct Fleet {
    shared: Arc<Shared>,
    config: Arc<FleetConfig>,
    lanes: Vec<OneLane>,
    hello: Hello,
    cpu_at_start: Duration,
    // After the lanes, whose workers use it.
    run: Arc<RunDirectory>,
}

#[derive(Debug)]
struct OneLane {
    waker: Arc<Waker>,
    tail: Arc<Mutex<Tail>>,
    thread: Option<JoinHandle<()>>,
}

impl Fleet {
    /// Starts all workers and waits until they stand.
    pub fn start(mut config: FleetConfig) -> Result<Fleet, StartError> {
        config.workers = config.workers.max(1);
        let lanes = config.lanes.unwrap_or(config.workers).max(1);
        config.batch_size = config.batch_size.max(1);
        config.in_flight = config.in_flight.max(1);
        let terms = Terms {
            lanes,
            at_once: config.workers,
            steady: config.lanes.is_some(),
            batch_size: config.batch_size,
            in_flight: config.in_flight,
            quarantine_after: config.quarantine_after,
        };
        let run = Arc::new(RunDirectory::create(config.temp.as_deref())?);
        let mut fleet = Fleet {
            shared: Arc::new(Shared::new(terms)),
            config: Arc::new(config),
            lanes: Vec::new(),
            hello: no_hello(),
            cpu_at_start: process_cpu(),
            run,
        };
        let (send, greetings) = channel();
        for index in 0..terms.lanes {
            let lane = fleet.lane(index).map_err(StartError::System)?;
            let send = send.clone();
            let name = format!("probat-lane-{index}");
            let thread = thread::Builder::new().name(name).spawn(move || lane.live(send));
            fleet.lanes[index].thread = Some(thread.map_err(StartError::System)?);
        }
        drop(send);
        // Equal workers greet alike; the first greeting stands for all.
        let mut hello = None;
        for _ in 0..terms.lanes {
            let greeting = greetings.recv().map_err(|e| StartError::System(io::Error::other(e)))?;
            hello.get_or_insert(greeting?);
        }
        fleet.hello = hello.expect("there is at least one lane");
        Ok(fleet)
    }

    fn lane(&mut self, index: usize) -> io::Result<Lane> {
        let waker = Arc::new(Waker::new()?);
        let tail = Arc::new(Mutex::new(Tail::new(self.config.output_bytes)));
        self.lanes.push(OneLane { waker: waker.clone(), tail: tail.clone(), thread: None });
        let (shared, config, run) = (self.shared.clone(), self.config.clone(), self.run.clone());
        Ok(Lane { index, shared, config, run, waker, tail })
    }

    /// What the workers said when they stood.
    pub fn hello(&self) -> &Hello {
        &self.hello
    }

    pub fn config(&self) -> &FleetConfig {
        &self.config
    }

    /// The directory below which workers may write, gone with the fleet.
    pub fn scratch(&self) -> &Path {
        self.run.path()
    }

    /// Queues items. Must always be given the same table, which may have grown since.
    pub fn submit(&mut self, table: &OperationTable, items: Vec<Item>) -> Result<Ticket, FleetError> {
        let mut board = self.shared.board();
        let known = board.ledger.operations();
        if table.len() < known {
            return Err(FleetError::OtherTable { given: table.len(), known });
        }
        board.ledger.define(table.since(known));
        let ticket = Ticket(board.ledger.submit(items));
        drop(board);
        self.shared.wake_all_lanes();
        Ok(ticket)
    }

    /// Waits for the oldest submission and returns its observations in order.
    pub fn collect(&mut self) -> Result<(Ticket, Vec<Observation>), FleetError> {
        let oldest = self.shared.board().ledger.oldest();
        let ticket = Ticket(oldest.ok_or(FleetError::Nothing)?);
        Ok((ticket, self.wait_for(ticket)?))
    }

    /// As [`collect`](Self::collect), but waits no longer than until `deadline`; the submission then stays to be collected.
    pub fn collect_until(
        &mut self,
        deadline: Instant,
    ) -> Result<Option<(Ticket, Vec<Observation>)>, FleetError> {
        let oldest = self.shared.board().ledger.oldest();
        let ticket = Ticket(oldest.ok_or(FleetError::Nothing)?);
        Ok(self.wait_until(ticket, Some(deadline))?.map(|results| (ticket, results)))
    }

    /// Submits items and waits for them; earlier submissions stay to be collected.
    pub fn run(&mut self, table: &OperationTable, items: Vec<Item>) -> Result<Vec<Observation>, FleetError> {
        let ticket = self.submit(table, items)?;
        self.wait_for(ticket)
    }

    fn wait_for(&self, ticket: Ticket) -> Result<Vec<Observation>, FleetError> {
        Ok(self.wait_until(ticket, None)?.expect("without a deadline there are results or an error"))
    }

    /// `None` once the deadline is over.
    fn wait_until(
        &self,
        ticket: Ticket,
        deadline: Option<Instant>,
    ) -> Result<Option<Vec<Observation>>, FleetError> {
        let mut board = self.shared.board();
        board.awaited = Some(ticket.0);
        loop {
            if let Some(results) = board.ledger.take_results(ticket.0) {
                return Ok(Some(results));
            }
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return Ok(None);
            }
            if let Some(failure) = board.failure.clone() {
                return Err(FleetError::Broken { reason: failure.reason, output: failure.output });
            }
            if self.config.stop.is_some_and(|stop| stop.load(Relaxed)) {
                return Err(FleetError::Stopped);
            }
            board = self.shared.wait_for_results(board, LOOK);
        }
    }

    /// After an error: what was found all the same, by ticket; `None` where an item has no result.
    pub fn salvage(&mut self) -> Vec<(Ticket, Vec<Option<Observation>>)> {
        let mut board = self.shared.board();
        let mut found = Vec::new();
        while let Some(ticket) = board.ledger.oldest() {
            found.extend(board.ledger.abandon(ticket).map(|results| (Ticket(ticket), results)));
        }
        found
    }

    /// Process ids of the workers that live now.
    pub fn pids(&self) -> Vec<u32> {
        self.shared.board().lanes.iter().filter_map(|lane| lane.pid).collect()
    }

    /// The last of what workers printed to their descriptors 1 and 2, worker by worker.
    pub fn output_tail(&self) -> String {
        self.lanes.iter().map(|lane| lock(&lane.tail).text()).collect()
    }

    pub fn stats(&self) -> FleetStats {
        let printed = self.lanes.iter().map(|lane| lock(&lane.tail).total()).sum();
        let board = self.shared.board();
        let living = board.lanes.iter().filter_map(|lane| lane.clock?.now());
        let worker_cpu = board.ended_cpu + living.sum::<Duration>();
        FleetStats {
            starts: board.lanes.iter().map(|lane| lane.starts).sum(),
            spent: board.spent,
            spent_because: board.spent_because.clone(),
            deaths: board.deaths.clone(),
            death_count: board.death_count,
            quarantined: board.ledger.quarantined(),
            refused_items: board.ledger.items_refused,
            items: board.ledger.items_done,
            bytes_down: board.lanes.iter().map(|lane| lane.bytes_down).sum(),
            bytes_up: board.lanes.iter().map(|lane| lane.bytes_up).sum(),
            bytes_printed: printed,
            supervisor_cpu: process_cpu().saturating_sub(self.cpu_at_start),
            worker_cpu,
        }
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        self.shared.board().stopping = true;
        self.shared.wake_all_lanes();
        self.lanes.iter().for_each(|lane| lane.waker.wake());
        for lane in &mut self.lanes {
            if let Some(thread) = lane.thread.take() {
                // A lane that panicked has already said so through the board.
                let _ = thread.join();
            }
        }
    }
}

/// Stands in until the first worker greets.
fn no_hello() -> Hello {
    Hello {
        java_version: String::new(),
        java_vendor: String::new(),
        sandbox: probat_protocol::SandboxReport::default(),
        missing_guards: Vec::new(),
        initial_edges: Vec::new(),
        uninitialised: Vec::new(),
        initial_leaks: Vec::new(),
    }
}
