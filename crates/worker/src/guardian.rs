//! The watchdog's thread: looks at the executor every few milliseconds and acts.
//!
//! In: [`Verdict`]s. Out: an error thrown into a step that runs too long, again and again; and when that does not
//! help, the results so far, last words, and the end of the process.

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use probat_jvm::{Global, Jvmti, Thread, Throwable, Vm};
use probat_model::StepId;
use probat_os::clock::{ThreadCpuClock, process_cpu};
use probat_protocol::Farewell;

use crate::link::Up;
use crate::shared::Shared;
use crate::threads::Restless;
use crate::watch::{Clocks, Patience, Place, Verdict, Watchdog};

/// Exit code after being stuck.
pub const STUCK: i32 = 3;

/// Item number that stands for starting up.
pub const STARTING: u32 = u32::MAX;

/// How often all threads are looked at.
const LOOK_AROUND: Duration = Duration::from_millis(250);

/// What the watchdog acts on.
#[derive(Debug)]
pub struct Guardian<W> {
    pub vm: Vm,
    pub shared: &'static Shared,
    pub up: Arc<Up<W>>,
    pub patience: Patience,
    pub executor: Global<Thread>,
    pub clock: ThreadCpuClock,
    /// Thrown into a step that runs too long.
    pub stop: Global<Throwable>,
}

impl<W: Write + Send + 'static> Guardian<W> {
    /// Starts watching. The thread runs until the process ends.
    pub fn start(self) -> std::io::Result<()> {
        std::thread::Builder::new().name("probat watchdog".into()).spawn(move || self.watch())?;
        Ok(())
    }

    fn watch(self) {
        let Ok(mut attached) = self.vm.attach_daemon("probat watchdog") else { return };
        let mut env = attached.env();
        let jvmti = self.vm.jvmti();
        let (start, tick) = (Instant::now(), self.patience.tick());
        let mut dog = Watchdog::new(self.patience);
        let mut restless = Restless::new(self.patience.cpu);
        let mut looked = Instant::now();
        loop {
            std::thread::sleep(tick);
            if looked.elapsed() >= LOOK_AROUND {
                let busy = restless.look(&mut env, jvmti, self.executor.get(), looked.elapsed());
                looked = Instant::now();
                busy.into_iter().for_each(|name| self.shared.set_busy_thread(name));
            }
            let thread = || self.clock.now().unwrap_or_default();
            let clocks = Clocks { thread, process: process_cpu };
            match dog.tick(&self.shared.watch, start.elapsed(), clocks) {
                Verdict::Wait => {}
                Verdict::Stop => self.stop(jvmti),
                Verdict::Stuck(place) => self.give_up(place),
            }
            self.shared.looked();
        }
    }

    fn stop(&self, jvmti: Jvmti) {
        // Fails only when the thread has ended, and then the process is ending too.
        let _ = jvmti.stop_thread(self.executor.get(), self.stop.get());
    }

    fn give_up(&self, place: Place) -> ! {
        let words = if place.item == STARTING {
            Farewell::CannotStart("initialising a class does not end, although it was stopped".into())
        } else {
            Farewell::Stuck { item: place.item, step: StepId(place.step) }
        };
        // A supervisor that is gone hears nothing, and need not.
        let _ = self.up.farewell(&words);
        probat_os::exit_now(STUCK)
    }
}
