//! What the threads of a fleet share.
//!
//! In: reports of lanes and calls of the owner. Out: one lock around the ledger and the counts, and who to wake when.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use probat_os::process::CpuClock;

use crate::ledger::{Ledger, Terms};
use crate::stats::{Death, MAX_DEATHS};

/// Shared by the owner and all lanes.
#[derive(Debug)]
pub(crate) struct Shared {
    board: Mutex<Board>,
    /// One per lane: there may be something to send.
    work: Vec<Condvar>,
    /// The awaited ticket may be settled, or the fleet broken.
    done: Condvar,
}

#[derive(Debug)]
pub(crate) struct Board {
    pub ledger: Ledger,
    pub stopping: bool,
    /// The fleet can go on no more.
    pub failure: Option<Failure>,
    /// The ticket the owner waits for.
    pub awaited: Option<u64>,
    pub lanes: Vec<LaneCounts>,
    pub deaths: Vec<Death>,
    pub death_count: u64,
    pub spent: u64,
    pub spent_because: BTreeMap<String, u64>,
    /// CPU time of workers that ended.
    pub ended_cpu: Duration,
}

/// What a lane tells of itself.
#[derive(Debug, Default)]
pub(crate) struct LaneCounts {
    pub starts: u64,
    /// The present worker, while it lives.
    pub pid: Option<u32>,
    pub clock: Option<CpuClock>,
    /// The present worker's writer must end.
    pub retired: bool,
    pub bytes_down: u64,
    pub bytes_up: u64,
}

/// Why a fleet broke.
#[derive(Debug, Clone)]
pub(crate) struct Failure {
    pub reason: String,
    pub output: Vec<String>,
}

impl Shared {
    pub fn new(terms: Terms) -> Self {
        Shared {
            board: Mutex::new(Board {
                ledger: Ledger::new(terms),
                stopping: false,
                failure: None,
                awaited: None,
                lanes: (0..terms.lanes).map(|_| LaneCounts::default()).collect(),
                deaths: Vec::new(),
                death_count: 0,
                spent: 0,
                spent_because: BTreeMap::new(),
                ended_cpu: Duration::ZERO,
            }),
            work: (0..terms.lanes).map(|_| Condvar::new()).collect(),
            done: Condvar::new(),
        }
    }

    /// The board, even if a lane panicked: the owner then reports that instead of hanging.
    pub fn board(&self) -> MutexGuard<'_, Board> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until something may be there for a lane.
    pub fn wait_for_work<'a>(&self, lane: usize, board: MutexGuard<'a, Board>) -> MutexGuard<'a, Board> {
        self.work[lane].wait(board).unwrap_or_else(PoisonError::into_inner)
    }

    /// The same, but not for ever.
    pub fn pause<'a>(
        &self,
        lane: usize,
        board: MutexGuard<'a, Board>,
        most: Duration,
    ) -> MutexGuard<'a, Board> {
        self.work[lane].wait_timeout(board, most).unwrap_or_else(PoisonError::into_inner).0
    }

    /// Waits until the owner may have something to look at.
    pub fn wait_for_results<'a>(
        &self,
        board: MutexGuard<'a, Board>,
        most: Duration,
    ) -> MutexGuard<'a, Board> {
        self.done.wait_timeout(board, most).unwrap_or_else(PoisonError::into_inner).0
    }

    /// There is work for anyone.
    pub fn wake_all_lanes(&self) {
        self.work.iter().for_each(Condvar::notify_all);
    }

    pub fn wake_lane(&self, lane: usize) {
        self.work[lane].notify_all();
    }

    /// Wakes the owner if what it waits for is there.
    pub fn announce(&self, board: &Board) {
        if board.failure.is_some() || board.awaited.is_some_and(|ticket| board.ledger.is_settled(ticket)) {
            self.done.notify_all();
        }
    }

    pub fn fail(&self, failure: Failure) {
        let mut board = self.board();
        board.failure.get_or_insert(failure);
        self.announce(&board);
    }
}

impl Board {
    pub fn record(&mut self, death: Death) {
        self.death_count += 1;
        if self.deaths.len() == MAX_DEATHS {
            self.deaths.remove(0);
        }
        self.deaths.push(death);
    }
}
