//! A few words of memory shared by supervisor and worker that say where the worker is.
//!
//! In: the worker's place, stored with relaxed atomics (about a nanosecond each). Out: [`Beat`], readable while
//! the worker runs and after it died. The reader trusts nothing: any bit pattern is a valid, if useless, beat.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use memmap2::MmapRaw;
use nix::fcntl::{FcntlArg, SealFlag, fcntl};
use nix::sys::memfd::{MFdFlags, memfd_create};

/// What the worker is busy with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Before its first batch: creating the JVM, initialising classes.
    Starting = 0,
    /// Waiting for a batch.
    Idle = 1,
    /// Reading or writing a frame.
    Piping = 2,
    /// Putting state back before a sequence.
    Resetting = 3,
    /// Inside the step.
    Running = 4,
    /// Looking at results of the step: states, contracts.
    Observing = 5,
}

const PHASES: [Phase; 6] =
    [Phase::Starting, Phase::Idle, Phase::Piping, Phase::Resetting, Phase::Running, Phase::Observing];

/// Where the worker was when it was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Beat {
    pub batch: u64,
    /// Index of the item in its batch.
    pub item: u32,
    /// `None` before the first step of an item.
    pub step: Option<u16>,
    pub phase: Phase,
    /// Grows with every change; equal counts at two moments mean no progress between them.
    pub count: u64,
}

#[repr(C, align(64))]
struct Cells {
    batch: AtomicU64,
    /// Item in the upper half, then 16 bits of phase and 16 of step.
    place: AtomicU64,
    count: AtomicU64,
}

const NO_STEP: u64 = 0xffff;

struct Shared {
    map: MmapRaw,
}

impl Shared {
    fn map(file: &File) -> io::Result<Arc<Self>> {
        if file.metadata()?.len() < size_of::<Cells>() as u64 {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "heartbeat memory is too small"));
        }
        let map = MmapRaw::map_raw(file)?;
        Ok(Arc::new(Shared { map }))
    }

    #[inline]
    fn cells(&self) -> &Cells {
        let cells: *const Cells = self.map.as_ptr().cast();
        // SAFETY: the map is page-aligned, at least as long as `Cells` (checked in `map`; the file is sealed against
        // shrinking), unmapped only when `self` drops, and holds only atomics, for which every bit pattern is valid
        // and which other processes may change at any time.
        unsafe { &*cells }
    }
}

/// The memory itself, owned by the supervisor; one per worker process.
#[derive(Debug)]
pub struct Heartbeat {
    file: File,
    reader: HeartbeatReader,
}

impl Heartbeat {
    pub fn create() -> io::Result<Self> {
        let fd = memfd_create("probat-heartbeat", MFdFlags::MFD_CLOEXEC | MFdFlags::MFD_ALLOW_SEALING)?;
        let file = File::from(fd);
        file.set_len(size_of::<Cells>() as u64)?;
        // A worker that could shrink the file could make the supervisor's next look at it a bus error.
        let seals = SealFlag::F_SEAL_SHRINK | SealFlag::F_SEAL_GROW | SealFlag::F_SEAL_SEAL;
        fcntl(&file, FcntlArg::F_ADD_SEALS(seals))?;
        let reader = HeartbeatReader { shared: Shared::map(&file)? };
        Ok(Heartbeat { file, reader })
    }

    /// A view that may outlive this handle and the worker.
    pub fn reader(&self) -> HeartbeatReader {
        self.reader.clone()
    }
}

/// The descriptor to hand to the worker.
impl AsFd for Heartbeat {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

/// The worker's end. Meant for the one thread that runs sequences.
#[derive(Clone)]
pub struct HeartbeatWriter {
    shared: Arc<Shared>,
}

impl std::fmt::Debug for HeartbeatWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("HeartbeatWriter").field(&self.reader().beat()).finish()
    }
}

impl HeartbeatWriter {
    /// Maps the memory behind a descriptor received from the supervisor.
    pub fn from_descriptor(fd: OwnedFd) -> io::Result<Self> {
        Ok(HeartbeatWriter { shared: Shared::map(&File::from(fd))? })
    }

    /// A batch begins; the phase becomes `Piping` and the item 0.
    #[inline]
    pub fn set_batch(&self, batch: u64) {
        self.shared.cells().batch.store(batch, Relaxed);
        self.store(place(0, Phase::Piping, NO_STEP));
    }

    /// An item begins; the phase becomes `Resetting`.
    #[inline]
    pub fn set_item(&self, item: u32) {
        self.store(place(item, Phase::Resetting, NO_STEP));
    }

    /// A step begins; the phase becomes `Running`.
    #[inline]
    pub fn set_step(&self, step: u16) {
        let item = self.shared.cells().place.load(Relaxed) & (u64::MAX << 32);
        self.store(item | (Phase::Running as u64) << 16 | u64::from(step));
    }

    /// The phase changes within the same item and step.
    #[inline]
    pub fn set_phase(&self, phase: Phase) {
        let kept = self.shared.cells().place.load(Relaxed) & !(NO_STEP << 16);
        self.store(kept | (phase as u64) << 16);
    }

    #[inline]
    fn store(&self, place: u64) {
        let cells = self.shared.cells();
        cells.place.store(place, Relaxed);
        // One writer, so load and store need not be one atomic addition.
        cells.count.store(cells.count.load(Relaxed).wrapping_add(1), Relaxed);
    }

    /// A view for the watchdog inside the worker.
    pub fn reader(&self) -> HeartbeatReader {
        HeartbeatReader { shared: self.shared.clone() }
    }
}

#[inline]
fn place(item: u32, phase: Phase, step: u64) -> u64 {
    u64::from(item) << 32 | (phase as u64) << 16 | step
}

/// Reads beats, from either process.
#[derive(Clone)]
pub struct HeartbeatReader {
    shared: Arc<Shared>,
}

impl std::fmt::Debug for HeartbeatReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("HeartbeatReader").field(&self.beat()).finish()
    }
}

impl HeartbeatReader {
    /// Where the worker is. While it runs, batch and place may be of different moments.
    pub fn beat(&self) -> Beat {
        let cells = self.shared.cells();
        let count = cells.count.load(Relaxed);
        let place = cells.place.load(Relaxed);
        let step = place & NO_STEP;
        let phase = PHASES.get((place >> 16 & 0xffff) as usize).copied().unwrap_or(Phase::Starting);
        Beat {
            batch: cells.batch.load(Relaxed),
            item: (place >> 32) as u32,
            step: if step == NO_STEP || phase == Phase::Starting { None } else { Some(step as u16) },
            phase,
            count,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair() -> (HeartbeatReader, HeartbeatWriter) {
        let memory = Heartbeat::create().unwrap();
        let sent = memory.as_fd().try_clone_to_owned().unwrap();
        (memory.reader(), HeartbeatWriter::from_descriptor(sent).unwrap())
    }

    #[test]
    fn a_place_written_is_a_place_read() {
        let (reader, writer) = pair();
        let start = reader.beat();
        assert_eq!((start.phase, start.step, start.count), (Phase::Starting, None, 0));
        writer.set_batch(1 << 40);
        writer.set_item(70_000);
        assert_eq!(reader.beat().step, None);
        writer.set_step(65_534);
        writer.set_phase(Phase::Observing);
        let beat =
            Beat { batch: 1 << 40, item: 70_000, step: Some(65_534), phase: Phase::Observing, count: 4 };
        assert_eq!((reader.beat(), writer.reader().beat()), (beat, beat));
    }

    #[test]
    fn the_memory_cannot_be_shrunk() {
        let memory = Heartbeat::create().unwrap();
        assert!(memory.file.set_len(0).is_err());
        assert!(HeartbeatWriter::from_descriptor(File::open("/dev/null").unwrap().into()).is_err());
    }

    #[test]
    fn garbage_is_a_beat_too() {
        let (reader, writer) = pair();
        writer.shared.cells().place.store(u64::MAX, Relaxed);
        assert_eq!((reader.beat().phase, reader.beat().step), (Phase::Starting, None));
    }

    #[test]
    fn every_phase_reads_back() {
        let (reader, writer) = pair();
        for phase in PHASES {
            writer.set_phase(phase);
            assert_eq!(reader.beat().phase, phase);
        }
    }
}
