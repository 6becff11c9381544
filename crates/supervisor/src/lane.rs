//! The life of one worker after another, on a thread of its own.
//!
//! In: the shared board. Out: results and deaths reported to it. This thread starts workers, reads what they answer, kills
//! and reaps them; a second one, per worker, writes, so full pipes in both directions cannot block each other.

mod writer;

use std::path::Path;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use probat_model::{DeathCause, StepId};
use probat_os::heartbeat::{Beat, HeartbeatReader, Phase};
use probat_os::pipe::Waker;
use probat_os::process::{Child, Ended, ExitStatus};
use probat_protocol::{
    Farewell, FrameError, FrameKind, Hello, decode_message, decode_results, encode_message, read_frame,
};

use crate::board::{Failure, Shared};
use crate::config::FleetConfig;
use crate::crash_log::{Crash, crash};
use crate::fleet::StartError;
use crate::launch::{Launched, launch};
use crate::ledger::{Ending, Place, Settlement};
use crate::scratch::RunDirectory;
use crate::stats::{Death, in_words};
use crate::tail::Tail;
use crate::wire::{Interruption, Watch, Wire};

/// One of the workers of a fleet, through all its processes.
#[derive(Debug, Clone)]
pub(crate) struct Lane {
    pub index: usize,
    pub shared: Arc<Shared>,
    pub config: Arc<FleetConfig>,
    pub run: Arc<RunDirectory>,
    pub waker: Arc<Waker>,
    pub tail: Arc<Mutex<Tail>>,
}

/// Processes in a row that brought nothing before the fleet is given up.
pub(crate) const MAX_FAILURES: u32 = 3;
/// Attempts at the very first process, which most likely fails for a lasting reason.
const FIRST_ATTEMPTS: u32 = 2;
/// How long a worker that closed its pipe may take to end.
const PATIENCE: Duration = Duration::from_secs(2);
/// Pause before a failed start is tried again.
const PAUSE: Duration = Duration::from_millis(100);
/// Lines of output kept with a death.
const LAST_LINES: usize = 20;

/// What became of one process.
enum Life {
    Stopped,
    NeverStood(StartError),
    Stood(Settlement, Option<DeathCause>),
}

/// Why the conversation with a worker ended.
#[derive(Debug)]
enum Parting {
    Stopped,
    Silent(Duration),
    /// The pipe ended, cleanly or not.
    Closed,
    Broken(String),
    Farewell(Farewell),
}

impl Lane {
    /// Lives until the fleet stops or breaks; the first worker's greeting goes to `first`.
    pub fn live(self, first: Sender<Result<Hello, StartError>>) {
        let _alarm = Alarm(&self.shared);
        let mut first = Some(first);
        let mut failures = 0;
        while self.wait_until_wanted(first.is_some()) {
            let mut greeted = |hello| {
                if let Some(first) = first.take() {
                    // A fleet that has stopped listening is being dropped.
                    let _ = first.send(Ok(hello));
                }
            };
            match self.one_worker(&mut greeted) {
                Life::Stopped => return,
                Life::Stood(settlement, _) if settlement.progress || !settlement.had_work => failures = 0,
                Life::Stood(_, cause) => {
                    failures += 1;
                    if failures == MAX_FAILURES {
                        let reason = format!("a worker {} before it gave any result", told(cause.as_ref()));
                        return self.shared.fail(Failure { reason, output: self.last_lines() });
                    }
                }
                Life::NeverStood(error) => {
                    failures += 1;
                    let last = if first.is_some() { FIRST_ATTEMPTS } else { MAX_FAILURES };
                    if failures >= last || (first.is_some() && error.is_lasting()) {
                        return self.give_up(first.take(), error);
                    }
                    drop(self.shared.pause(self.index, self.shared.board(), PAUSE * failures));
                }
            }
        }
    }

    /// No worker stands: an error of the start, or the end of a fleet that stood before.
    fn give_up(&self, first: Option<Sender<Result<Hello, StartError>>>, error: StartError) {
        match first {
            Some(first) => drop(first.send(Err(error))),
            // Its text already holds the last lines.
            None => self.shared.fail(Failure { reason: error.to_string(), output: Vec::new() }),
        }
    }

    /// A worker that is gone is replaced when there is work for it. False when the fleet stops.
    fn wait_until_wanted(&self, at_once: bool) -> bool {
        let mut board = self.shared.board();
        while !at_once && !board.stopping && !board.ledger.has_work_for(self.index) {
            board = self.shared.wait_for_work(self.index, board);
        }
        !board.stopping
    }

    fn one_worker(&self, greeted: &mut dyn FnMut(Hello)) -> Life {
        let scratch = match self.run.worker(self.index) {
            Ok(scratch) => scratch,
            Err(e) => return Life::NeverStood(StartError::Scratch(e)),
        };
        lock(&self.tail).mark();
        let Launched { mut child, down, up, output, heartbeat } = match launch(&self.config.worker_command) {
            Ok(launched) => launched,
            Err(source) => {
                let program = self.config.worker_command.program.clone();
                return Life::NeverStood(StartError::Launch { program, source });
            }
        };
        self.entered(&child);
        let mut configuration = self.config.config.clone();
        configuration.sandbox.scratch = scratch.clone();
        let writer = {
            let (shared, lane) = (self.shared.clone(), self.index);
            let configuration = encode_message(&configuration);
            thread::spawn(move || writer::write(&shared, lane, down, &configuration))
        };
        let watch = Watch::new(self.config.start_timeout, || true);
        let mut wire = Wire::new(up, output, &self.waker, self.tail.clone(), heartbeat.clone(), watch);
        let (stood, parting) = match self.greeting(&mut wire) {
            Ok(hello) => {
                self.open(&mut wire);
                greeted(hello);
                (true, self.converse(&mut wire))
            }
            Err(parting) => (false, parting),
        };
        self.retire();
        let ended = end(&mut child, &parting);
        wire.drain_output();
        self.left(&ended);
        // The worker is dead, so a write it was blocked in has failed.
        let _ = writer.join();
        self.settle(stood, &parting, &ended, &heartbeat, &scratch)
    }

    fn entered(&self, child: &Child) {
        let mut board = self.shared.board();
        let lane = &mut board.lanes[self.index];
        lane.starts += 1;
        (lane.pid, lane.clock, lane.retired) = (Some(child.pid()), child.cpu_clock(), false);
    }

    fn open<'w>(&'w self, wire: &mut Wire<'w>) {
        let is_busy = || self.shared.board().ledger.is_busy(self.index);
        wire.watch(Watch::new(self.config.silence(), is_busy));
        self.shared.board().ledger.open(self.index);
        self.shared.wake_lane(self.index);
    }

    /// Nothing more is sent to the present worker.
    fn retire(&self) {
        let mut board = self.shared.board();
        board.ledger.close(self.index);
        board.lanes[self.index].retired = true;
        self.shared.wake_lane(self.index);
    }

    fn left(&self, ended: &Result<Ended, String>) {
        let mut board = self.shared.board();
        if let Ok(ended) = ended {
            board.ended_cpu += ended.cpu;
        }
        let lane = &mut board.lanes[self.index];
        (lane.pid, lane.clock) = (None, None);
    }

    fn greeting(&self, wire: &mut Wire<'_>) -> Result<Hello, Parting> {
        let frame = read_frame(wire).map_err(|e| parting(wire, &e))?.ok_or(Parting::Closed)?;
        match frame.kind {
            FrameKind::Hello => decode_message(&frame.payload).map_err(|e| Parting::Broken(e.to_string())),
            FrameKind::Farewell => Err(farewell(&frame.payload)),
            other => Err(Parting::Broken(format!("its first frame is of kind {other:?}"))),
        }
    }

    fn converse(&self, wire: &mut Wire<'_>) -> Parting {
        loop {
            let frame = match read_frame(wire) {
                Ok(Some(frame)) => frame,
                Ok(None) => return Parting::Closed,
                Err(e) => return parting(wire, &e),
            };
            let taken = match frame.kind {
                FrameKind::Results => self.take_in(&frame.payload),
                FrameKind::Farewell => return farewell(&frame.payload),
                other => Err(format!("a frame of kind {other:?} came up")),
            };
            if let Err(what) = taken {
                return Parting::Broken(what);
            }
        }
    }

    fn take_in(&self, payload: &[u8]) -> Result<(), String> {
        let (batch, seen) = decode_results(payload).map_err(|e| e.to_string())?;
        let mut board = self.shared.board();
        board.lanes[self.index].bytes_up += payload.len() as u64;
        board.ledger.results(self.index, batch, seen)?;
        self.shared.announce(&board);
        if board.ledger.has_work() {
            match board.ledger.is_rationed() {
                true => self.shared.wake_all_lanes(),
                false => self.shared.wake_lane(self.index),
            }
        }
        Ok(())
    }

    /// Queues again what the worker owed, and records its death if it was one.
    fn settle(
        &self,
        stood: bool,
        parting: &Parting,
        ended: &Result<Ended, String>,
        heartbeat: &HeartbeatReader,
        scratch: &Path,
    ) -> Life {
        if matches!(parting, Parting::Stopped) {
            return Life::Stopped;
        }
        let (cause, crash) = told_by_log(self.cause(parting, ended), scratch);
        if !stood {
            return Life::NeverStood(self.never_stood(parting, cause.as_ref()));
        }
        let ending = match &cause {
            None => Ending::Blameless,
            Some(cause) => Ending::Died { cause: cause.clone(), place: place(parting, heartbeat.beat()) },
        };
        let mut board = self.shared.board();
        let settlement = board.ledger.ended(self.index, &ending);
        match &cause {
            None => {
                board.spent += 1;
                if let Parting::Farewell(Farewell::Spent(why)) = parting {
                    *board.spent_because.entry(why.clone()).or_default() += 1;
                }
            }
            Some(cause) => board.record(Death {
                cause: cause.clone(),
                culprit: settlement.culprit.clone(),
                confirmed: settlement.confirmed,
                crash,
                last_output: self.last_lines(),
            }),
        }
        self.shared.announce(&board);
        drop(board);
        self.shared.wake_all_lanes();
        Life::Stood(settlement, cause)
    }

    fn never_stood(&self, parting: &Parting, cause: Option<&DeathCause>) -> StartError {
        let output = self.last_lines();
        match parting {
            Parting::Farewell(Farewell::CannotStart(reason)) => {
                StartError::Refused { reason: reason.clone(), output }
            }
            _ => StartError::Died { cause: told(cause), output },
        }
    }

    /// Why it died; `None` for one that only wants to be replaced. Holds no measured time, so that equal runs give
    /// equal results.
    fn cause(&self, parting: &Parting, ended: &Result<Ended, String>) -> Option<DeathCause> {
        let limits = &self.config.config.limits;
        Some(match parting {
            Parting::Stopped | Parting::Farewell(Farewell::Spent(_)) => return None,
            Parting::Silent(limit) => DeathCause::Unresponsive(*limit),
            Parting::Broken(what)
            | Parting::Farewell(Farewell::Confused(what) | Farewell::CannotStart(what)) => {
                DeathCause::Protocol(what.clone())
            }
            Parting::Farewell(Farewell::Stuck { .. }) => {
                DeathCause::Unresponsive(limits.call_wall + limits.grace)
            }
            Parting::Closed => match ended {
                Ok(Ended { status: ExitStatus::Exited(code), .. }) => DeathCause::Exited(*code),
                Ok(Ended { status: ExitStatus::Signalled(signal), .. }) => DeathCause::Signalled(*signal),
                Err(what) => DeathCause::Protocol(what.clone()),
            },
        })
    }

    fn last_lines(&self) -> Vec<String> {
        lock(&self.tail).last_lines(LAST_LINES)
    }
}

/// What a crash log adds to a death: the signal behind the exit code of a JVM, and the frame.
fn told_by_log(cause: Option<DeathCause>, scratch: &Path) -> (Option<DeathCause>, Option<String>) {
    let log = match &cause {
        Some(DeathCause::Exited(_) | DeathCause::Signalled(_)) => crash(scratch),
        Some(DeathCause::Unresponsive(_) | DeathCause::Protocol(_)) | None => None,
    };
    match (cause, log) {
        (Some(DeathCause::Exited(_)), Some(Crash { signal: Some(signal), frame })) => {
            (Some(DeathCause::Signalled(signal)), frame)
        }
        (cause, log) => (cause, log.and_then(|log| log.frame)),
    }
}

/// Breaks the fleet instead of leaving its owner to wait, should a lane ever panic.
struct Alarm<'a>(&'a Shared);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.fail(Failure { reason: "a thread of the supervisor panicked".into(), output: Vec::new() });
        }
    }
}

pub(crate) fn lock(tail: &Mutex<Tail>) -> std::sync::MutexGuard<'_, Tail> {
    tail.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn told(cause: Option<&DeathCause>) -> String {
    cause.map_or_else(|| "asked to be replaced".into(), in_words)
}

fn parting(wire: &Wire<'_>, error: &FrameError) -> Parting {
    match (wire.interruption, error) {
        (Some(Interruption::Stopped), _) => Parting::Stopped,
        (Some(Interruption::Silent(limit)), _) => Parting::Silent(limit),
        (None, FrameError::Truncated) => Parting::Closed,
        (None, FrameError::UnknownKind(_) | FrameError::TooLarge(_) | FrameError::Io(_)) => {
            Parting::Broken(error.to_string())
        }
    }
}

fn farewell(payload: &[u8]) -> Parting {
    decode_message(payload).map_or_else(|e| Parting::Broken(e.to_string()), Parting::Farewell)
}

/// Ends and reaps the process. One that closed its pipe gets a moment to end by itself, so that its exit code is seen.
fn end(child: &mut Child, parting: &Parting) -> Result<Ended, String> {
    if matches!(parting, Parting::Closed | Parting::Farewell(_)) {
        match child.wait_timeout(PATIENCE) {
            Ok(Some(ended)) => return Ok(ended),
            Ok(None) => {
                child.kill();
                let _ = child.wait();
                return Err("it closed its pipe but did not end".into());
            }
            Err(e) => return Err(e.to_string()),
        }
    }
    child.kill();
    child.wait().map_err(|e| e.to_string())
}

fn place(parting: &Parting, beat: Beat) -> Place {
    match parting {
        Parting::Broken(_) | Parting::Farewell(Farewell::Confused(_) | Farewell::CannotStart(_)) => {
            return Place::InDueBatch;
        }
        Parting::Farewell(Farewell::Stuck { item, step }) => {
            return Place::At { batch: None, item: *item, step: Some(*step) };
        }
        Parting::Stopped | Parting::Silent(_) | Parting::Closed | Parting::Farewell(Farewell::Spent(_)) => {}
    }
    let step = beat.step.map(StepId);
    match beat.phase {
        Phase::Starting | Phase::Idle => Place::Unknown,
        Phase::Piping | Phase::Resetting | Phase::Running | Phase::Observing => {
            Place::At { batch: Some(beat.batch), item: beat.item, step }
        }
    }
}
