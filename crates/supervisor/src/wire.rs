//! The supervisor's reading end of one worker.
//!
//! In: the up pipe, the pipe of what the worker prints, its heartbeat. Out: the bytes of the up pipe, through `Read`, so
//! that frames are read as from any stream. While it waits it drains the printed output, so a flood never blocks the
//! worker, and watches the heartbeat. A read fails when the worker has been silent too long or the fleet stops;
//! [`Wire::interruption`] says which.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use probat_os::heartbeat::HeartbeatReader;
use probat_os::pipe::{Waker, wait_readable};

use crate::launch::OUTPUT_BYTES;
use crate::tail::Tail;

/// Why reading ended though the pipe has not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Interruption {
    /// The fleet stops.
    Stopped,
    /// No beat and no byte for this long.
    Silent(Duration),
}

/// How often the heartbeat is looked at.
const TICK: Duration = Duration::from_millis(100);

/// Bytes asked of the pipe at once.
const READ_SIZE: usize = 256 << 10;

/// Bytes of printed output read at once.
const OUTPUT_READ: usize = 16 << 10;

pub(crate) struct Wire<'a> {
    up: File,
    /// `None` once the worker has closed it.
    output: Option<File>,
    waker: &'a Waker,
    tail: Arc<Mutex<Tail>>,
    heartbeat: HeartbeatReader,
    watch: Watch<'a>,
    buffer: Box<[u8]>,
    filled: std::ops::Range<usize>,
    pub interruption: Option<Interruption>,
}

/// When silence counts, and how long it may last.
pub(crate) struct Watch<'a> {
    pub limit: Duration,
    /// Whether the worker owes an answer.
    pub is_busy: Box<dyn Fn() -> bool + 'a>,
    beats: u64,
    since: Instant,
}

impl<'a> Watch<'a> {
    pub fn new(limit: Duration, is_busy: impl Fn() -> bool + 'a) -> Self {
        Watch { limit, is_busy: Box::new(is_busy), beats: 0, since: Instant::now() }
    }

    fn is_silent(&mut self, beats: u64) -> bool {
        if beats != self.beats || !(self.is_busy)() {
            self.beats = beats;
            self.since = Instant::now();
        }
        self.since.elapsed() > self.limit
    }
}

impl<'a> Wire<'a> {
    pub fn new(
        up: File,
        output: File,
        waker: &'a Waker,
        tail: Arc<Mutex<Tail>>,
        heartbeat: HeartbeatReader,
        watch: Watch<'a>,
    ) -> Self {
        Wire {
            up,
            output: Some(output),
            waker,
            tail,
            heartbeat,
            watch,
            buffer: vec![0; READ_SIZE].into(),
            filled: 0..0,
            interruption: None,
        }
    }

    /// From now on silence is judged otherwise.
    pub fn watch(&mut self, watch: Watch<'a>) {
        self.watch = watch;
    }

    /// Reads what the worker has printed so far, at most what fits in its pipe: all it printed before an answer that is
    /// here has been read when this returns.
    pub fn drain_output(&mut self) {
        for _ in 0..=OUTPUT_BYTES / OUTPUT_READ {
            let Some(output) = &self.output else { return };
            match wait_readable([output.as_fd()], Duration::ZERO) {
                Ok([true]) => self.read_output(),
                _ => return,
            }
        }
    }

    fn read_output(&mut self) {
        let mut chunk = [0; OUTPUT_READ];
        let read = self.output.as_mut().map_or(Ok(0), |output| output.read(&mut chunk));
        match read {
            Ok(0) => self.output = None,
            Ok(count) => self.tail.lock().expect("no thread panics with the tail").push(&chunk[..count]),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => self.output = None,
        }
    }

    /// Waits for bytes and reads them into `into`, which is ours or the caller's.
    fn wait_and_read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            let up = self.up.as_fd();
            let (has_bytes, has_output, woken) = match &self.output {
                Some(output) => {
                    let ready = wait_readable([up, self.waker.as_fd(), output.as_fd()], TICK)?;
                    (ready[0], ready[2], ready[1])
                }
                None => {
                    let ready = wait_readable([up, self.waker.as_fd()], TICK)?;
                    (ready[0], false, ready[1])
                }
            };
            if woken {
                return self.interrupt(Interruption::Stopped);
            }
            if has_bytes {
                let count = self.up.read(into)?;
                self.drain_output();
                self.watch.since = Instant::now();
                return Ok(count);
            }
            if has_output {
                self.read_output();
            }
            if self.watch.is_silent(self.heartbeat.beat().count) {
                return self.interrupt(Interruption::Silent(self.watch.limit));
            }
        }
    }

    fn interrupt(&mut self, why: Interruption) -> io::Result<usize> {
        self.interruption = Some(why);
        Err(io::Error::other("interrupted"))
    }
}

impl Read for Wire<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.filled.is_empty() {
            if out.len() >= self.buffer.len() {
                return self.wait_and_read(out);
            }
            let mut buffer = std::mem::take(&mut self.buffer);
            let result = self.wait_and_read(&mut buffer);
            self.buffer = buffer;
            self.filled = 0..result?;
        }
        let count = self.filled.len().min(out.len());
        out[..count].copy_from_slice(&self.buffer[self.filled.start..self.filled.start + count]);
        self.filled.start += count;
        Ok(count)
    }
}
