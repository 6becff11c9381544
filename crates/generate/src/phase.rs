//! What a run is doing, who is told, and how long it took.
//!
//! In: the phases as they are entered. Out: their times.

use std::time::{Duration, Instant};

use crate::hunt::HuntProgress;
use crate::preview::FirstTest;

/// What a run is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    Reading,
    Starting,
    Searching,
    Finishing,
    Judging,
    Compiling,
    Running,
    Explaining,
}

/// Is told how a run goes.
pub trait Watch {
    fn phase(&mut self, phase: Phase);
    fn progress(&mut self, progress: &HuntProgress);
    /// A test to look at while the search goes on.
    fn first_test(&mut self, test: &FirstTest);
}

/// Keeps the time of phases and tells the watcher.
pub(crate) struct Clock<'w> {
    pub watch: &'w mut dyn Watch,
    pub times: Vec<(Phase, Duration)>,
    current: Option<(Phase, Instant)>,
}

impl<'w> Clock<'w> {
    pub fn new(watch: &'w mut dyn Watch) -> Self {
        Clock { watch, times: Vec::new(), current: None }
    }

    pub fn enter(&mut self, phase: Phase) {
        self.leave();
        self.current = Some((phase, Instant::now()));
        self.watch.phase(phase);
    }

    pub fn leave(&mut self) {
        let Some((phase, start)) = self.current.take() else { return };
        match self.times.iter_mut().find(|(other, _)| *other == phase) {
            Some((_, time)) => *time += start.elapsed(),
            None => self.times.push((phase, start.elapsed())),
        }
    }
}
