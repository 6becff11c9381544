//! Which step runs, seen from two threads, and when it has run too long.
//!
//! In: what the executor says it is doing ([`Watch`]), clocks. Out: [`Verdict`]s of the [`Watchdog`].
//! Stops nothing itself; `guardian` acts on the verdicts.
//!
//! One word decides the race between a step that ends and a watchdog that gives up on it: whoever changes it first
//! wins. So a stop is never sent for a step that ended, and a step that is being stopped never counts as done.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

const IDLE: u64 = 0;
const RUNNING: u64 = 1;
const STOPPING: u64 = 2;
const STATE: u64 = 3;
const NEXT: u64 = 4;

/// A step of an item of the current batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Place {
    pub item: u32,
    pub step: u16,
}

/// What the executor is doing. The executor writes, the watchdog and the guards read.
#[derive(Debug, Default)]
pub struct Watch {
    /// Serial number of the step, times four, plus its state.
    word: AtomicU64,
    item: AtomicU32,
    step: AtomicU32,
    /// The word of the last step during which a class was initialised.
    initialised: AtomicU64,
    /// Steps get less CPU time than usual.
    hurried: AtomicBool,
    /// They may wait less than usual.
    impatient: AtomicBool,
}

impl Watch {
    /// The executor begins a step; it has none running.
    #[inline]
    pub fn enter(&self, place: Place) {
        self.item.store(place.item, Ordering::Relaxed);
        self.step.store(u32::from(place.step), Ordering::Relaxed);
        let word = self.word.load(Ordering::Relaxed);
        debug_assert_eq!(word & STATE, IDLE, "steps do not nest");
        self.word.store(word + NEXT + RUNNING, Ordering::Release);
    }

    /// The executor ends the step; true when the watchdog had given up on it.
    #[inline]
    #[must_use]
    pub fn leave(&self) -> bool {
        let word = self.word.load(Ordering::Relaxed);
        self.word.swap(word & !STATE, Ordering::AcqRel) & STATE == STOPPING
    }

    /// From the next step on, whether steps get less CPU time than usual, and may wait less.
    #[inline]
    pub fn hurry(&self, hurried: bool, impatient: bool) {
        self.hurried.store(hurried, Ordering::Relaxed);
        self.impatient.store(impatient, Ordering::Relaxed);
    }

    /// A class is initialised during the step that runs.
    pub fn initialises(&self) {
        self.initialised.store(self.word.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    /// The step that runs, or ran last.
    pub fn place(&self) -> Place {
        Place { item: self.item.load(Ordering::Relaxed), step: self.step.load(Ordering::Relaxed) as u16 }
    }

    /// The watchdog gives up on the step it saw; false when that step has ended meanwhile.
    fn give_up(&self, seen: u64) -> bool {
        let stopping = (seen & !STATE) | STOPPING;
        self.word.compare_exchange(seen, stopping, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }
}

/// What the watchdog wants done. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Wait for the next tick.
    Wait,
    /// Throw something into the executor.
    Stop,
    /// Stopping did not help: the worker has to end.
    Stuck(Place),
}

/// How long a step may run.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    pub cpu: Duration,
    pub wall: Duration,
    /// While nothing in the process uses a processor: it sleeps, or waits for what never comes.
    pub idle: Option<Duration>,
    /// Between the first stop and the end of the worker.
    pub grace: Duration,
}

impl Patience {
    /// How often to look: often enough to matter little against the limits.
    pub fn tick(&self) -> Duration {
        let shortest = self.cpu.min(self.wall).min(self.grace);
        (shortest / 20).clamp(Duration::from_millis(1), Duration::from_millis(10))
    }
}

/// Remembers when the step it watches began.
#[derive(Debug)]
pub struct Watchdog {
    patience: Patience,
    seen: u64,
    wall: Duration,
    cpu: Duration,
    /// CPU time that the process had used then.
    process: Duration,
    stopping_since: Option<Duration>,
    /// Since when the process does nothing, and the CPU time it had used then.
    quiet_since: (Duration, Duration),
}

/// What the watchdog itself and other chores of a JVM use of a processor at most.
const CHORES: u32 = 20;

/// A step that initialises classes gets so many times the CPU time: that happens once, and a class whose initialiser was stopped is spoilt.
const INITIALISERS: u32 = 4;

/// A hurried step gets this part of the CPU time, and of the time it may wait.
const HURRY: u32 = 5;

/// All threads together get so many times the CPU time while a step runs: it may wait for others, which never end, and compilers are among them.
const TOGETHER: u32 = 3;

/// CPU time of other threads is this coarse.
const COARSE: Duration = Duration::from_millis(4);

/// CPU time, asked for only when it can matter.
pub struct Clocks<T, P> {
    /// Of the executor's thread.
    pub thread: T,
    /// Of the whole process.
    pub process: P,
}

impl Watchdog {
    pub fn new(patience: Patience) -> Self {
        let (wall, cpu, quiet_since) = (Duration::ZERO, Duration::ZERO, (Duration::ZERO, Duration::ZERO));
        Watchdog { patience, seen: 0, wall, cpu, process: Duration::ZERO, stopping_since: None, quiet_since }
    }

    /// Looks once. `wall` only grows.
    pub fn tick<T, P>(&mut self, watch: &Watch, wall: Duration, clocks: Clocks<T, P>) -> Verdict
    where
        T: FnOnce() -> Duration,
        P: Fn() -> Duration,
    {
        let word = watch.word.load(Ordering::Acquire);
        match word & STATE {
            RUNNING if word == self.seen => self.judge(watch, word, wall, clocks),
            RUNNING => {
                self.seen = word;
                self.wall = wall;
                self.cpu = (clocks.thread)();
                self.process = (clocks.process)();
                self.quiet_since = (wall, self.process);
                self.stopping_since = None;
                Verdict::Wait
            }
            STOPPING => match self.stopping_since {
                Some(since) if wall.saturating_sub(since) >= self.patience.grace => {
                    Verdict::Stuck(watch.place())
                }
                _ => Verdict::Stop,
            },
            _ => Verdict::Wait,
        }
    }

    fn judge<T, P>(&mut self, watch: &Watch, word: u64, wall: Duration, clocks: Clocks<T, P>) -> Verdict
    where
        T: FnOnce() -> Duration,
        P: Fn() -> Duration,
    {
        let elapsed = wall.saturating_sub(self.wall);
        let Clocks { thread, process } = clocks;
        let Patience { mut cpu, mut idle, .. } = self.patience;
        if watch.initialised.load(Ordering::Relaxed) == word {
            cpu = cpu.saturating_mul(INITIALISERS);
        } else if watch.hurried.load(Ordering::Relaxed) {
            cpu /= HURRY;
        }
        if watch.impatient.load(Ordering::Relaxed) {
            idle = idle.map(|idle| idle / HURRY);
        }
        let together = self.patience.cpu.max(cpu).saturating_mul(TOGETHER);
        // A thread uses no more CPU time than wall time passes.
        let over = elapsed > self.patience.wall
            || (elapsed > cpu && thread().saturating_sub(self.cpu) > cpu)
            || (elapsed > self.patience.cpu && process().saturating_sub(self.process) > together)
            || idle.is_some_and(|idle| self.is_quiet(wall, process()) > idle);
        if !over || !watch.give_up(word) {
            return Verdict::Wait;
        }
        self.stopping_since = Some(wall);
        Verdict::Stop
    }

    /// How long the process has done nothing.
    fn is_quiet(&mut self, wall: Duration, used: Duration) -> Duration {
        let (since, before) = self.quiet_since;
        let passed = wall.saturating_sub(since);
        if used.saturating_sub(before) > passed / CHORES + COARSE {
            self.quiet_since = (wall, used);
            return Duration::ZERO;
        }
        passed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn patience() -> Patience {
        Patience { cpu: 100 * MS, wall: 300 * MS, idle: None, grace: 50 * MS }
    }

    fn place(step: u16) -> Place {
        Place { item: 4, step }
    }

    /// Feeds the watchdog a step that runs for ever, using this share of CPU; returns the tick of each verdict.
    fn run(watch: &Watch, dog: &mut Watchdog, percent: u32, from: u32, to: u32) -> Vec<(u32, Verdict)> {
        (from..to)
            .map(|at| {
                let used = || MS * (at * percent / 100);
                (at, dog.tick(watch, MS * at, Clocks { thread: used, process: used }))
            })
            .filter(|(_, verdict)| *verdict != Verdict::Wait)
            .collect()
    }

    #[test]
    fn a_busy_step_is_stopped_by_its_cpu_time_then_given_up() {
        let (watch, mut dog) = (Watch::default(), Watchdog::new(patience()));
        watch.enter(place(7));
        let verdicts = run(&watch, &mut dog, 100, 0, 152);
        assert_eq!(verdicts[0], (101, Verdict::Stop));
        assert_eq!(verdicts[49], (150, Verdict::Stop));
        assert_eq!(verdicts[50], (151, Verdict::Stuck(place(7))));
        assert_eq!(verdicts.len(), 51);
    }

    #[test]
    fn a_hurried_step_gets_less_time_unless_it_initialises_a_class() {
        let patience = Patience { wall: 1_000 * MS, ..patience() };
        let (watch, mut dog) = (Watch::default(), Watchdog::new(patience));
        watch.hurry(true, false);
        watch.enter(place(1));
        assert_eq!(run(&watch, &mut dog, 100, 0, 22), [(21, Verdict::Stop)]);
        assert!(watch.leave());
        watch.enter(place(2));
        watch.initialises();
        assert_eq!(run(&watch, &mut dog, 100, 22, 424), [(423, Verdict::Stop)]);
        assert!(watch.leave());
        watch.hurry(false, false);
        watch.enter(place(3));
        assert_eq!(run(&watch, &mut dog, 100, 424, 526), [(525, Verdict::Stop)]);
    }

    #[test]
    fn a_step_that_initialises_a_class_gets_more_time() {
        let patience = Patience { wall: 1_000 * MS, ..patience() };
        let (watch, mut dog) = (Watch::default(), Watchdog::new(patience));
        watch.enter(place(1));
        watch.initialises();
        assert_eq!(run(&watch, &mut dog, 100, 0, 402), [(401, Verdict::Stop)]);
        assert!(watch.leave());
        watch.enter(place(2));
        assert_eq!(run(&watch, &mut dog, 100, 402, 504), [(503, Verdict::Stop)], "only that step does");
    }

    #[test]
    fn an_idle_step_is_stopped_by_the_clock_on_the_wall() {
        let (watch, mut dog) = (Watch::default(), Watchdog::new(patience()));
        watch.enter(place(0));
        assert_eq!(run(&watch, &mut dog, 10, 0, 302), [(301, Verdict::Stop)]);
    }

    #[test]
    fn a_step_that_waits_for_busy_threads_is_stopped_by_what_they_use() {
        let patience = Patience { wall: 10_000 * MS, idle: Some(120 * MS), ..patience() };
        let (watch, mut dog) = (Watch::default(), Watchdog::new(patience));
        watch.enter(place(0));
        let stopped = (0..400).find(|&at| {
            let clocks = Clocks { thread: || Duration::ZERO, process: || MS * at };
            dog.tick(&watch, MS * at, clocks) == Verdict::Stop
        });
        assert_eq!(stopped, Some(301));
    }

    #[test]
    fn a_step_in_a_process_that_rests_is_stopped_early() {
        let patience = Patience { idle: Some(120 * MS), ..patience() };
        let (watch, mut dog) = (Watch::default(), Watchdog::new(patience));
        watch.enter(place(0));
        assert_eq!(run(&watch, &mut dog, 0, 0, 122), [(121, Verdict::Stop)]);
        let (watch, mut dog) = (Watch::default(), Watchdog::new(patience));
        watch.enter(place(0));
        assert_eq!(run(&watch, &mut dog, 30, 0, 300), [], "something is done");
    }

    #[test]
    fn each_step_has_its_own_time() {
        let (watch, mut dog) = (Watch::default(), Watchdog::new(patience()));
        for step in 0..10u16 {
            watch.enter(place(step));
            let from = u32::from(step) * 90;
            assert_eq!(run(&watch, &mut dog, 100, from, from + 90), []);
            assert!(!watch.leave());
        }
    }

    #[test]
    fn a_step_being_stopped_knows_it() {
        let (watch, mut dog) = (Watch::default(), Watchdog::new(patience()));
        watch.enter(place(1));
        assert_eq!(run(&watch, &mut dog, 100, 0, 102), [(101, Verdict::Stop)]);
        assert!(watch.leave());
        assert_eq!(run(&watch, &mut dog, 100, 102, 400), []);
    }

    #[test]
    fn a_step_that_ended_is_not_stopped() {
        let watch = Watch::default();
        watch.enter(place(1));
        let seen = watch.word.load(Ordering::Relaxed);
        assert!(!watch.leave());
        watch.enter(place(2));
        assert!(!watch.give_up(seen));
        assert!(!watch.leave());
    }

    #[test]
    fn ticks_are_short_against_the_limits() {
        assert_eq!(patience().tick(), 50 * MS / 20 + Duration::from_micros(0));
        let long = Patience { cpu: MS * 60_000, wall: MS * 60_000, idle: None, grace: MS * 60_000 };
        assert_eq!(long.tick(), 10 * MS);
    }
}
