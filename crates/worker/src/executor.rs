//! The executor: owns everything that outlives a sequence, and works off batches.
//!
//! In: orders. Out: results; or the reason why this JVM should be replaced.
//! Runs on the JVM's main thread, and on no other.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use probat_jvm::Env;
use probat_model::{End, Leak, Operation};
use probat_os::heartbeat::{HeartbeatWriter, Phase};
use probat_protocol::{BatchReader, ItemBuffer, Reset};
use rustc_hash::FxHashMap;

use crate::clock;
use crate::comparisons::Comparisons;
use crate::contracts::Contracts;
use crate::fault::Fault;
use crate::heap::StateReader;
use crate::jdk::Jdk;
use crate::link::Up;
use crate::loader::{self, Loaders};
use crate::natives;
use crate::observe::Values;
use crate::prepare::{Prepared, Preparer};
use crate::reset::{Baseline, Dirty};
use crate::retire::Pools;
use crate::sequence::{After, Finish, Runner, Stem};
use crate::shared::{self, Shared};
use crate::spoilt::SpoiltClasses;
use crate::stubs::Stubs;
use crate::threads::{self, CommonPool, Left};
use crate::thrown::{Bounds, Sorter};
use crate::types::Types;
use crate::watch::Place;

/// Room for references of our own in the frame of a sequence.
const SPARE_REFERENCES: usize = 64;

/// Items during which a JVM is new.
const COLD_ITEMS: u32 = 2_000;

/// What outlives a sequence.
#[derive(Debug)]
pub struct Executor<W> {
    pub shared: &'static Shared,
    pub up: Arc<Up<W>>,
    pub heartbeat: HeartbeatWriter,
    pub jdk: Jdk,
    pub sorter: Sorter,
    pub stubs: Stubs,
    pub values: Values,
    pub states: StateReader,
    pub contracts: Contracts,
    /// `None` where comparisons are not watched.
    pub comparisons: Option<Comparisons>,
    pub baseline: Baseline,
    pub loaders: Loaders,
    pub types: Types,
    pub bounds: Bounds,
    /// CPU time above which a sequence is slow.
    pub slow: Duration,
    pub operations: Vec<Operation>,
    pub prepared: Vec<Option<Prepared>>,
    pub state: Between,
}

/// What the last sequence left for the next.
#[derive(Debug, Default)]
pub struct Between {
    /// Items before did not put things back.
    pub unclean: bool,
    /// The next sequence needs a fresh loader.
    pub wants_loader: bool,
    /// Classes that failed to initialise.
    pub spoilt: SpoiltClasses,
    pub hit: Vec<u32>,
    /// Looked up when a thread is left behind for the first time.
    pub pools: Option<Pools>,
    pub common: CommonPool,
    /// How often classes failed to initialise, by what was thrown.
    pub failures: FxHashMap<u64, u32>,
    /// Items worked off.
    pub items: u32,
}

/// The item that is next.
struct Due {
    item: ItemBuffer,
    index: u32,
    /// `false` once there is none left.
    is_there: bool,
}

/// Whether a sequence did anything that is not in its objects alone. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trace {
    None,
    Some,
}

/// Whether the worker goes on. Match without `_`.
#[derive(Debug, PartialEq, Eq)]
pub enum Flow {
    GoOn,
    /// It should be replaced, for this reason.
    Spent(String),
}

impl<W: Write> Executor<W> {
    /// Appends to the table of operations.
    pub fn define(&mut self, operations: Vec<Operation>) {
        self.operations.extend(operations);
        self.prepared.resize_with(self.operations.len(), || None);
    }

    /// Works off a batch; all its results are sent.
    pub fn batch(&mut self, env: &mut Env<'_>, payload: &[u8]) -> Result<Flow, Fault> {
        let confused = |error: probat_protocol::WireError| Fault::Confused(error.to_string());
        let mut reader = BatchReader::new(payload).map_err(confused)?;
        self.heartbeat.set_batch(reader.id());
        self.up.start(reader.id());
        let mut due = Due { item: ItemBuffer::default(), index: 0, is_there: false };
        due.is_there = reader.next(&mut due.item).map_err(confused)?;
        let mut flow = Flow::GoOn;
        while due.is_there && flow == Flow::GoOn {
            flow = self.item(env, &mut reader, &mut due)?;
        }
        if flow == Flow::GoOn {
            self.heartbeat.set_phase(Phase::Piping);
        }
        self.up.finish_batch()?;
        Ok(flow)
    }

    /// The item that is due, and all after it that go on from its stem.
    fn item(
        &mut self,
        env: &mut Env<'_>,
        reader: &mut BatchReader<'_>,
        due: &mut Due,
    ) -> Result<Flow, Fault> {
        self.heartbeat.set_item(due.index);
        clock::next();
        // Looking up classes may load many.
        self.shared.watch.hurry(false, false);
        self.before(env, &due.item)?;
        if let Some(step) = self.prepare(env, due.index, &due.item)? {
            self.taints();
            self.end(&End::TimedOut(step))?;
            return Ok(Flow::Spent("an initialiser was stopped".into()));
        }
        let capacity = u16::try_from(2 * due.item.operations.len() + SPARE_REFERENCES).unwrap_or(u16::MAX);
        // Values of a stem may be constants held there.
        let prepared = std::mem::take(&mut self.prepared);
        let ran = env.with_frame(capacity, |env| self.run_all(env, reader, due, &prepared));
        self.prepared = prepared;
        if let Ok(ran) = ran {
            return ran;
        }
        // No memory for the frame: the item ends before its first step.
        let finish = Finish { end: End::Exhausted(probat_model::StepId(0)), after: After::Memory };
        self.after(env, &due.item, finish).map(|(flow, _)| flow)
    }

    /// Runs an item whose operations are prepared, and those that go on from its stem.
    fn run_all(
        &mut self,
        env: &mut Env<'_>,
        reader: &mut BatchReader<'_>,
        due: &mut Due,
        prepared: &[Option<Prepared>],
    ) -> Result<Flow, Fault> {
        let mut stem = Stem::default();
        let mut goes_on = false;
        loop {
            let hurries = self.hurries(&due.item);
            self.shared.watch.hurry(hurries, due.item.is_hurried);
            let finish = self.runner(prepared).run(env, due.index, &due.item, &mut stem, goes_on)?;
            if finish.after == After::Stopped {
                self.taints();
                self.end(&finish.end)?;
                return Ok(Flow::Spent("a step was stopped".into()));
            }
            let ended_at_its_end = match finish.end {
                End::Completed => true,
                End::Threw(step) => usize::from(step.0) >= due.item.stem,
                _ => false,
            };
            let can_serve = stem.is_whole && ended_at_its_end && finish.after == After::Nothing;
            let (flow, trace) = self.after(env, &due.item, finish)?;
            due.is_there = reader.next(&mut due.item).map_err(|error| Fault::Confused(error.to_string()))?;
            due.index += 1;
            let is_known = |operation: &u32| prepared.get(*operation as usize).is_some_and(Option::is_some);
            goes_on = can_serve
                && trace == Trace::None
                && !self.state.wants_loader
                && due.item.goes_on
                && due.item.states.iter().all(|request| usize::from(request.after) >= due.item.stem)
                && due.item.operations.iter().all(is_known);
            if !due.is_there || flow != Flow::GoOn || !goes_on {
                return Ok(flow);
            }
            self.heartbeat.set_item(due.index);
            clock::next();
            self.before(env, &due.item)?;
        }
    }

    /// Has everything as it was at the baseline.
    fn before(&mut self, env: &mut Env<'_>, item: &ItemBuffer) -> Result<(), Fault> {
        if item.reset == Reset::Loader || self.state.wants_loader {
            self.fresh_loader(env)?;
        }
        if self.state.unclean && item.reset != Reset::None {
            self.put_back(env)?;
            self.state.unclean = false;
        }
        if item.edges {
            shared::on_executor(|executor| {
                executor.kept.clear();
                executor.probes.discard(env)
            })
            .unwrap_or(Ok(()))?;
        }
        Ok(())
    }

    /// Looks up what was never used with this loader; answers the step whose class had to be stopped initialising.
    fn prepare(
        &mut self,
        env: &mut Env<'_>,
        index: u32,
        item: &ItemBuffer,
    ) -> Result<Option<probat_model::StepId>, Fault> {
        let mut any = false;
        for (at, &operation) in item.operations.iter().enumerate() {
            let place = self.prepared.get(operation as usize);
            match place {
                Some(Some(_)) => continue,
                Some(None) => {}
                None => return Err(Fault::Confused(format!("operation {operation} was never defined"))),
            }
            // Literals and boxes initialise no class.
            any |= !matches!(
                self.operations[operation as usize],
                Operation::Literal(_) | Operation::Convert { .. }
            );
            let step = at as u16;
            self.heartbeat.set_step(step);
            self.shared.watch.enter(Place { item: index, step });
            let prepared = self.prepare_one(env, operation as usize);
            if self.shared.watch.leave() {
                return Ok(Some(probat_model::StepId(step)));
            }
            self.prepared[operation as usize] = Some(prepared?);
        }
        if any {
            self.settle(env)?;
        }
        Ok(None)
    }

    /// What initialisers did while operations were looked up belongs to no sequence: state they changed is the baseline
    /// from now on, as if they had run at the start.
    fn settle(&mut self, env: &mut Env<'_>) -> Result<(), Fault> {
        // What failed is remembered with the operation.
        self.shared.failed_class.store(false, Ordering::Relaxed);
        shared::on_executor(|executor| {
            executor.kept.clear();
            executor.probes.discard(env)
        })
        .unwrap_or(Ok(()))?;
        // After items that left things behind nobody can tell whose change it was.
        if self.state.unclean { Ok(()) } else { self.baseline.settle(env, self.shared).map(|_| ()) }
    }

    fn prepare_one(&mut self, env: &mut Env<'_>, operation: usize) -> Result<Prepared, Fault> {
        let shared = self.shared;
        let mut preparer = Preparer {
            types: &mut self.types,
            jdk: &self.jdk,
            stubs: &mut self.stubs,
            sorter: &self.sorter,
            shared,
            bounds: self.bounds,
        };
        let operation = &self.operations[operation];
        let prepared =
            env.with_frame(128, |env| preparer.prepare(env, operation, &mut || shared.take_taints()));
        match prepared {
            Ok(prepared) => prepared,
            Err(exception) => Err(Fault::threw(env, "prepare an operation", exception)),
        }
    }

    fn runner<'r, 'p>(&'r mut self, prepared: &'p [Option<Prepared>]) -> Runner<'r, 'p, W> {
        Runner {
            operations: &self.operations,
            prepared,
            types: &mut self.types,
            values: &mut self.values,
            states: &mut self.states,
            contracts: &mut self.contracts,
            comparisons: self.comparisons.as_mut(),
            jdk: &self.jdk,
            sorter: &self.sorter,
            shared: self.shared,
            heartbeat: &self.heartbeat,
            up: &self.up,
            bounds: self.bounds,
            slow: self.slow,
            failures: &mut self.state.failures,
            hit: &mut self.state.hit,
        }
    }

    /// Whether an item gets less CPU time than it may have. Not in a JVM that is new: what is done for the first time takes long.
    fn hurries(&mut self, item: &ItemBuffer) -> bool {
        self.state.items = self.state.items.saturating_add(1);
        item.is_hurried && self.state.items > COLD_ITEMS
    }

    /// Tells what was attempted and what leaked, ends the item, and decides whether this JVM can go on.
    fn after(
        &mut self,
        env: &mut Env<'_>,
        item: &ItemBuffer,
        finish: Finish,
    ) -> Result<(Flow, Trace), Fault> {
        self.heartbeat.set_phase(Phase::Resetting);
        let jvmti = self.jdk.jvmti;
        let has_threads = self.shared.has_extra_threads() || self.state.common.is_busy(jvmti);
        let mut trace = if has_threads { Trace::Some } else { Trace::None };
        let left = if has_threads {
            let Between { pools, common, .. } = &mut self.state;
            let left = threads::survivor(env, jvmti, self.shared, pools, common)?;
            // What they reached on their way out is no part of the next sequence.
            shared::on_executor(|executor| executor.probes.clear(env)).unwrap_or(Ok(()))?;
            left
        } else {
            Left::default()
        };
        if self.taints() {
            trace = Trace::Some;
        }
        if finish.after == After::Memory {
            self.end(&finish.end)?;
            return Ok((Flow::Spent("memory ran out".into()), trace));
        }
        if left.is_late {
            self.shared.started_threads.store(true, Ordering::Relaxed);
        }
        let unmarked = self.unmarked();
        if item.reset == Reset::None {
            self.state.unclean = true;
        } else {
            // The JVM interrupts a thread that is made to stop.
            let is_ours = |leak: &Leak| *leak == Leak::Interrupt && matches!(finish.end, End::TimedOut(_));
            let leaks = self.put_back(env)?.into_iter().filter(|leak| !is_ours(leak));
            for leak in leaks.chain(unmarked) {
                if leak == Leak::Files {
                    // What cannot be put back is found by later sequences, which are looked at again in other JVMs.
                    let _ = self.shared.policy.tidy();
                }
                trace = Trace::Some;
                self.up.write(|results| results.leak(leak));
            }
        }
        self.end(&finish.end)?;
        if let Some(name) = left.survivor {
            return Ok((Flow::Spent(format!("thread `{name}` outlived its sequence")), trace));
        }
        if let Some(name) = self.shared.busy_thread() {
            return Ok((Flow::Spent(format!("thread `{name}` does not come to rest")), trace));
        }
        Ok((self.next(env, finish.after)?, trace))
    }

    fn next(&mut self, env: &mut Env<'_>, after: After) -> Result<Flow, Fault> {
        if self.shared.failed_class.swap(false, Ordering::Relaxed) || after == After::FreshLoader {
            self.state.wants_loader = true;
        }
        if after == After::LookForFailedClasses {
            let told = self.shared.failures();
            if let Some(name) = self.state.spoilt.look(env, self.jdk.jvmti, told)? {
                return Ok(Flow::Spent(format!(
                    "class `{name}` could not be initialised for want of stack, memory or time"
                )));
            }
        }
        let many = self.loaders.made() >= loader::MANY && self.state.wants_loader;
        Ok(if many { Flow::Spent(format!("{} class loaders were used", loader::MANY)) } else { Flow::GoOn })
    }

    /// Tells what was attempted; whether anything was.
    fn taints(&self) -> bool {
        let taints = self.shared.take_taints();
        for taint in &taints {
            self.up.write(|results| results.taint(taint));
        }
        !taints.is_empty()
    }

    fn end(&self, end: &End) -> Result<(), Fault> {
        self.up.write(|results| results.end(end));
        self.up.end_item()
    }

    /// What the guards saw happen since the last time, and nothing puts back.
    fn unmarked(&self) -> impl Iterator<Item = Leak> + use<W> {
        let seen = [(&self.shared.touched_files, Leak::Files), (&self.shared.started_threads, Leak::Threads)];
        seen.map(|(flag, leak)| flag.swap(false, Ordering::Relaxed).then_some(leak)).into_iter().flatten()
    }

    /// Puts back what is marked as changed, and answers what was.
    fn put_back(&mut self, env: &mut Env<'_>) -> Result<Vec<Leak>, Fault> {
        self.shared.statics().restore_constants(env)?;
        let marked =
            shared::on_executor(|executor| executor.probes.dirty(env)).unwrap_or(Ok(Dirty::default()))?;
        let mut dirty = marked.and(self.baseline.look(env));
        if self.shared.wrote_static.swap(false, Ordering::Relaxed) {
            dirty = dirty.with(Leak::Statics);
        }
        if dirty.is_empty() {
            return Ok(Vec::new());
        }
        natives::remember_plain_classes(env, self.shared);
        let (baseline, shared) = (&mut self.baseline, self.shared);
        let restored = shared::for_ourselves(|| {
            env.with_frame(128, |env| baseline.restore(env, &mut shared.statics(), dirty))
        });
        let leaks = match restored {
            Ok(leaks) => leaks?,
            Err(exception) => return Err(Fault::threw(env, "put things back", exception)),
        };
        shared::on_executor(|executor| executor.probes.clean(env)).unwrap_or(Ok(()))?;
        Ok(leaks)
    }

    /// Replaces the loader; everything looked up through the old one is forgotten.
    pub fn fresh_loader(&mut self, env: &mut Env<'_>) -> Result<(), Fault> {
        let (loaders, baseline) = (&mut self.loaders, &mut self.baseline);
        let made = shared::for_ourselves(|| {
            env.with_frame(64, |env| -> Result<_, Fault> {
                let loader = loaders.fresh(env)?;
                baseline.set_context_loader(env, loader.get())?;
                let second = env.global(loader.get()).map_err(|_| Fault::missing("memory"))?;
                Ok((loader, second))
            })
        });
        let (loader, second) = match made {
            Ok(made) => made?,
            Err(exception) => return Err(Fault::threw(env, "make a class loader", exception)),
        };
        self.shared.statics().forget();
        // Those of the old loader; the new one tells of its own.
        self.shared.take_plain_classes();
        self.shared.set_loader(second);
        self.types = Types::new(self.jdk.jvmti, loader);
        self.types.load_object(env)?;
        self.prepared.iter_mut().for_each(|prepared| *prepared = None);
        self.values.keys.forget();
        self.states.forget_classes();
        self.contracts.forget();
        self.state.wants_loader = false;
        Ok(())
    }
}
