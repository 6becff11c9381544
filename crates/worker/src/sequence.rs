//! Running one sequence, step by step.
//!
//! In: an item of a batch whose operations are prepared. Out: entries in the result payload as they come up, and a
//! [`Finish`] that says how it ended and what that means for the JVM.
//! Knows nothing of batches, loaders or resets. A sequence may go on from a [`Stem`] that another one left.

use std::io::Write;
use std::time::Duration;

use probat_jvm::{Env, Value};
use probat_model::{End, Operation, Refusal, StepId, Taint, Thrown};
use probat_os::clock::thread_cpu;
use probat_os::heartbeat::{HeartbeatWriter, Phase};
use probat_protocol::{ItemBuffer, StateRequest};
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::Xxh3;

use crate::act::{Broken, perform};
use crate::arguments::{Slot, collect};
use crate::comparisons::Comparisons;
use crate::contracts::{Check, Contracts, Interrupted, Lookup, MANY, Subject, holds_null, is_trusted};
use crate::fault::Fault;
use crate::heap::StateReader;
use crate::jdk::Jdk;
use crate::link::Up;
use crate::observe::Values;
use crate::prepare::{Act, Prepared};
use crate::shared::{self, FAILURES, Shared};
use crate::stray::is_caught;
use crate::thrown::{self, Bounds, Sort, Sorter};
use crate::types::{Failure, Types};
use crate::watch::Place;

/// What running a sequence needs. Everything outlives the sequence.
#[derive(Debug)]
pub struct Runner<'r, 'p, W> {
    pub operations: &'r [Operation],
    pub prepared: &'p [Option<Prepared>],
    pub types: &'r mut Types,
    pub values: &'r mut Values,
    pub states: &'r mut StateReader,
    pub contracts: &'r mut Contracts,
    pub comparisons: Option<&'r mut Comparisons>,
    pub jdk: &'r Jdk,
    pub sorter: &'r Sorter,
    pub shared: &'r Shared,
    pub heartbeat: &'r HeartbeatWriter,
    pub up: &'r Up<W>,
    pub bounds: Bounds,
    /// CPU time above which a sequence is slow.
    pub slow: Duration,
    /// How often classes failed to initialise, by what was thrown.
    pub failures: &'r mut FxHashMap<u64, u32>,
    /// Probes hit; kept for its memory.
    pub hit: &'r mut Vec<u32>,
}

/// How a sequence ended, and what the JVM is like afterwards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finish {
    pub end: End,
    pub after: After,
}

/// What has to happen before the next sequence. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum After {
    Nothing,
    /// A class failed to initialise: a fresh loader.
    FreshLoader,
    /// The stack overflowed: look whether an initialiser was hit.
    LookForFailedClasses,
    /// A step was stopped: nothing of this JVM is to be trusted, not even to answer.
    Stopped,
    /// Memory ran out: the JVM can still answer, but not go on.
    Memory,
}

impl Interrupted {
    /// What has to happen where judging was cut off.
    fn after(self) -> After {
        match self {
            Interrupted::Stopped => After::Stopped,
            Interrupted::Ended | Interrupted::Heap => After::LookForFailedClasses,
            Interrupted::Memory => After::Memory,
        }
    }

    /// Whether it took too long.
    fn is_late(self) -> bool {
        match self {
            Interrupted::Stopped | Interrupted::Ended => true,
            Interrupted::Heap | Interrupted::Memory => false,
        }
    }
}

/// How one step ended.
enum StepEnd {
    Gave,
    Threw(Box<Thrown>),
    Refused(Refusal),
    Exhausted(After),
    /// The watchdog's exception came out of the call, so nothing is left of it.
    Ended,
    TimedOut,
}

/// What was noticed on the way.
#[derive(Debug, Clone, Copy, Default)]
struct Noticed {
    saw_null: bool,
    /// An object of ours stood in for one of the code's: what breaks may be its doing.
    has_stub: bool,
    /// A precondition of the user refused a call: what breaks is the caller's fault.
    misused: bool,
}

/// What the first steps of a sequence left for those that begin alike.
#[derive(Debug, Default)]
pub struct Stem<'v> {
    /// All of the last sequence's; those of the stem come first.
    slots: Vec<Slot<'v>>,
    noticed: Noticed,
    /// What the stem alone reached.
    edges: Vec<u32>,
    /// Its last step was run.
    pub is_whole: bool,
}

/// A sequence on its way.
struct Run<'v, 'i> {
    index: u32,
    item: &'i ItemBuffer,
    slots: Vec<Slot<'v>>,
    args: Vec<Value<'v>>,
    noticed: Noticed,
    next_state: usize,
    after: After,
    /// A contract changed an object, so nobody goes on from it.
    is_used_up: bool,
    /// The exception that ended the sequence.
    last_threw: Option<Box<Thrown>>,
}

impl Run<'_, '_> {
    fn last_step(&self) -> StepId {
        StepId(self.slots.len().saturating_sub(1) as u16)
    }
}

impl<'r, 'p, W: Write> Runner<'r, 'p, W> {
    /// Runs the steps and observes them; everything but the end of the item is written. With `goes_on`, those of the stem are taken as run.
    pub fn run<'v, 'f: 'v>(
        &mut self,
        env: &mut Env<'f>,
        index: u32,
        item: &ItemBuffer,
        stem: &mut Stem<'v>,
        goes_on: bool,
    ) -> Result<Finish, Fault>
    where
        'p: 'v,
    {
        if !goes_on {
            *stem = Stem::default();
        }
        let mut slots = std::mem::take(&mut stem.slots);
        slots.truncate(item.stem);
        slots.reserve(item.operations.len());
        let mut run = Run {
            index,
            item,
            slots,
            args: Vec::with_capacity(8),
            noticed: stem.noticed,
            next_state: 0,
            after: After::Nothing,
            is_used_up: false,
            last_threw: None,
        };
        let finish = self.run_on(env, &mut run, stem);
        stem.slots = run.slots;
        finish
    }

    fn run_on<'v, 'f: 'v>(
        &mut self,
        env: &mut Env<'f>,
        run: &mut Run<'v, '_>,
        stem: &mut Stem<'v>,
    ) -> Result<Finish, Fault>
    where
        'p: 'v,
    {
        let item = run.item;
        if let Some(comparisons) = self.comparisons.as_deref().filter(|_| !item.sites.is_empty()) {
            comparisons.want(env, &item.sites)?;
        }
        let start = thread_cpu();
        let mut end = self.steps(env, run, stem)?;
        if thread_cpu().saturating_sub(start) > self.slow {
            self.up.write(|results| results.slow());
        }
        if run.after == After::Stopped {
            return Ok(Finish { end, after: run.after });
        }
        self.edges(env, item, stem)?;
        self.compared(env, item)?;
        if item.contracts
            && let Err(interrupted) = self.contracts(env, run, &end)
        {
            run.after = interrupted.after();
            if interrupted.is_late() {
                end = End::TimedOut(run.last_step());
            }
        }
        stem.is_whole &= !run.is_used_up;
        Ok(Finish { end, after: run.after })
    }

    fn steps<'v, 'f: 'v>(
        &mut self,
        env: &mut Env<'f>,
        run: &mut Run<'v, '_>,
        stem: &mut Stem<'v>,
    ) -> Result<End, Fault>
    where
        'p: 'v,
    {
        let item = run.item;
        for at in (0..run.slots.len()).filter(|&at| is_told(item, at)) {
            self.value(env, run, at);
        }
        for at in run.slots.len()..item.operations.len() {
            let step = StepId(at as u16);
            match self.step(env, run, at) {
                StepEnd::Gave => {
                    if is_told(item, at) {
                        self.value(env, run, at);
                    }
                }
                StepEnd::Threw(thrown) => {
                    let ends = !item.past_exceptions;
                    if ends || is_told(item, at) {
                        self.up.write(|results| results.threw(step.0, &thrown));
                    }
                    if ends {
                        run.last_threw = Some(thrown);
                        self.states(env, run, at)?;
                        return Ok(End::Threw(step));
                    }
                }
                StepEnd::Refused(refusal) => {
                    let goes_on = item.past_exceptions && matches!(refusal, Refusal::MissingArgument { .. });
                    if !goes_on || is_told(item, at) {
                        self.up.write(|results| results.refused(step.0, &refusal));
                    }
                    if !goes_on {
                        return Ok(End::Refused(step));
                    }
                }
                StepEnd::Exhausted(after) => {
                    run.after = after;
                    return Ok(End::Exhausted(step));
                }
                StepEnd::Ended => {
                    run.after = After::LookForFailedClasses;
                    return Ok(End::TimedOut(step));
                }
                StepEnd::TimedOut => {
                    run.after = After::Stopped;
                    return Ok(End::TimedOut(step));
                }
            }
            if run.next_state < item.states.len() {
                self.states(env, run, at)?;
            }
            if at + 1 == item.stem {
                self.leave_stem(env, run, stem)?;
            }
        }
        Ok(End::Completed)
    }

    /// The stem was run: what others need of it is kept.
    fn leave_stem(&mut self, env: &mut Env<'_>, run: &Run<'_, '_>, stem: &mut Stem<'_>) -> Result<(), Fault> {
        stem.noticed = run.noticed;
        if run.item.edges {
            drain(env, &mut stem.edges)?;
        }
        stem.is_whole = true;
        Ok(())
    }

    /// One step, watched from its first argument to its exception's message.
    #[inline]
    fn step<'v, 'f: 'v>(&mut self, env: &mut Env<'f>, run: &mut Run<'v, '_>, at: usize) -> StepEnd
    where
        'p: 'v,
    {
        let prepared: &'p [Option<Prepared>] = self.prepared;
        let operation = run.item.operations[at] as usize;
        let step = prepared[operation].as_ref().expect("every operation of the item was prepared");
        self.heartbeat.set_step(at as u16);
        if run.item.contracts && self.contracts.user.judges_calls() && !matches!(step.act, Act::Failed(_)) {
            match self.is_misuse(env, run, step, at) {
                Ok(misuse) => run.noticed.misused |= misuse,
                Err(interrupted) => {
                    run.slots.push(Slot { value: None, ty: step.result });
                    return interrupted;
                }
            }
        }
        self.shared.watch.enter(Place { item: run.index, step: at as u16 });
        if let Act::Failed(failure) = &step.act {
            run.slots.push(Slot { value: None, ty: step.result });
            let stopped = self.shared.watch.leave();
            return if stopped { StepEnd::TimedOut } else { self.failed(failure, at) };
        }
        let given = self.give(env, run, step, at, operation);
        let (value, end) = match given {
            Ok(value) => (value, StepEnd::Gave),
            Err(Broken::Refused(refusal)) => (None, StepEnd::Refused(refusal)),
            Err(Broken::Threw(exception)) => (None, self.threw(env, run, exception)),
        };
        run.slots.push(Slot { value, ty: step.result });
        match (self.shared.watch.leave(), end) {
            (false, end) => end,
            (true, StepEnd::Ended) => StepEnd::Ended,
            // The exception is still on its way, or something caught it.
            (true, _) if is_caught(env, self.jdk, self.shared) => StepEnd::Ended,
            (true, _) => StepEnd::TimedOut,
        }
    }

    /// Asks the preconditions of the user. What they run is no part of the sequence, so its edges are not either.
    #[cold]
    fn is_misuse<'v>(
        &mut self,
        env: &mut Env<'_>,
        run: &mut Run<'v, '_>,
        step: &Prepared,
        at: usize,
    ) -> Result<bool, StepEnd> {
        let args = run.item.args_of(at);
        if collect(env, step, args, &run.slots, self.types, &mut run.args).is_err() {
            return Ok(false);
        }
        self.prepare_contracts(env);
        let _ = shared::on_executor(|executor| executor.probes.drain(env, &mut executor.kept));
        let id = run.item.operations[at];
        let place = Place { item: run.index, step: at as u16 };
        let mut check = self.check(env, place);
        let operation = (id, &self.operations[id as usize]);
        let refused = self.contracts.user.refuses(&mut check, self.types, operation, &run.args);
        let _ = shared::on_executor(|executor| executor.probes.discard(env));
        refused.map_err(|interrupted| match interrupted {
            Interrupted::Stopped => StepEnd::TimedOut,
            Interrupted::Ended => StepEnd::Ended,
            Interrupted::Heap | Interrupted::Memory => StepEnd::Exhausted(interrupted.after()),
        })
    }

    /// What contracts are checked with.
    fn check<'e, 'f>(&self, env: &'e mut Env<'f>, place: Place) -> Check<'r, 'e, 'f> {
        let (shared, sorter, bounds) = (self.shared, self.sorter, self.bounds);
        Check { env, shared, sorter, bounds, place, violations: Vec::new(), took_element: false }
    }

    fn prepare_contracts(&mut self, env: &mut Env<'_>) {
        let (sorter, bounds) = (self.sorter, self.bounds);
        let mut lookup = Lookup { types: self.types, sorter, bounds };
        self.contracts.user.prepare(env, &mut lookup);
    }

    #[inline]
    fn give<'v, 'f: 'v>(
        &mut self,
        env: &mut Env<'f>,
        run: &mut Run<'v, '_>,
        step: &'p Prepared,
        at: usize,
        operation: usize,
    ) -> Result<Option<Value<'v>>, Broken<'f>>
    where
        'p: 'v,
    {
        run.noticed.has_stub |= matches!(self.operations[operation], Operation::Stub(_));
        match &step.act {
            Act::Constant(value) => Ok(Some(*value)),
            Act::Reference(global) => Ok(Some(Value::Object(Some(global.get())))),
            Act::Unresolved(why) => Err(Broken::Refused(Refusal::Unresolved(why.clone()))),
            Act::CannotStub(why) => Err(Broken::Refused(Refusal::CannotStub(why.clone()))),
            Act::Failed(_) => unreachable!("`step` tells of these"),
            Act::Restore => self.restore(env, operation).map_err(Broken::Refused),
            act => {
                let args = run.item.args_of(at);
                run.noticed.saw_null |= collect(env, step, args, &run.slots, self.types, &mut run.args)
                    .map_err(Broken::Refused)?;
                if matches!(act, Act::PutStatic(_)) {
                    self.shared.wrote_static.store(true, std::sync::atomic::Ordering::Relaxed);
                }
                perform(env, act, &run.args, self.jdk, self.types)
            }
        }
    }

    #[cold]
    fn threw(
        &mut self,
        env: &mut Env<'_>,
        run: &mut Run<'_, '_>,
        exception: probat_jvm::Thrown<'_>,
    ) -> StepEnd {
        let exception = exception.into_local();
        if self.shared.is_stop(env, exception.get()) {
            env.delete(exception);
            return StepEnd::Ended;
        }
        let sort = self.sorter.sort(env, exception.get());
        let end = match sort {
            // Memory that an object of the sequence held is free again once the sequence is over.
            Sort::Memory if thrown::is_about_the_heap(env, exception.get()) => {
                StepEnd::Exhausted(After::LookForFailedClasses)
            }
            Sort::Memory => StepEnd::Exhausted(After::Memory),
            Sort::Stack => StepEnd::Exhausted(After::LookForFailedClasses),
            Sort::Ordinary | Sort::Initialiser => {
                let thrown = thrown::report(env, exception.get(), self.bounds);
                let failed = sort == Sort::Initialiser || is_about_a_failed_class(&thrown);
                if failed && self.is_new_failure(&thrown) {
                    run.after = After::FreshLoader;
                }
                StepEnd::Threw(Box::new(thrown))
            }
        };
        env.delete(exception);
        end
    }

    /// Whether a class that failed has not failed in this way several times before.
    fn is_new_failure(&mut self, thrown: &Thrown) -> bool {
        let mut hasher = Xxh3::new();
        let message = thrown.message.as_ref().map(probat_model::JavaString::to_lossy).unwrap_or_default();
        let cause = thrown.cause.as_ref().map_or("", |cause| cause.as_internal());
        for text in [thrown.class.as_internal(), &message, cause] {
            hasher.update(text.as_bytes());
            hasher.update(&[0]);
        }
        let times = self.failures.entry(hasher.digest()).or_default();
        *times += 1;
        *times <= FAILURES
    }

    /// Tells what the initialiser of the step's class threw when it was first tried.
    #[cold]
    fn failed(&mut self, failure: &Failure, at: usize) -> StepEnd {
        for taint in &failure.taints {
            let taint = Taint { step: StepId(at as u16), ..taint.clone() };
            self.up.write(|results| results.taint(&taint));
        }
        match failure.sort {
            // The class is lost to this JVM for a reason that lies in the machine.
            Sort::Memory | Sort::Stack => StepEnd::Exhausted(After::Memory),
            Sort::Ordinary | Sort::Initialiser => StepEnd::Threw(Box::new(failure.thrown.clone())),
        }
    }

    #[cold]
    fn restore<'f>(&mut self, env: &mut Env<'f>, operation: usize) -> Result<Option<Value<'f>>, Refusal> {
        let Operation::Restore(state) = &self.operations[operation] else {
            unreachable!("an operation is prepared as what it is");
        };
        let restored = self.states.restore(env, Some(self.types.loader()), state);
        let mut roots = restored.map_err(|error| Refusal::CannotRestore(error.to_string()))?;
        match (roots.pop(), roots.len()) {
            (Some(root), 0) => match self.jdk.boxes.wrap(env, root) {
                Ok(value) => Ok(Some(value)),
                Err(_) => Err(Refusal::CannotRestore("its primitive cannot be boxed".into())),
            },
            _ => Err(Refusal::CannotRestore("it has not one root".into())),
        }
    }

    fn value(&mut self, env: &mut Env<'_>, run: &Run<'_, '_>, at: usize) {
        let step = self.prepared[run.item.operations[at] as usize].as_ref();
        let last = &step.expect("every operation of the item was prepared").last_class;
        self.values.returned(env, self.up, at as u16, run.slots[at].value, last);
    }

    /// Answers the requests for states after a step.
    fn states(&mut self, env: &mut Env<'_>, run: &mut Run<'_, '_>, at: usize) -> Result<(), Fault> {
        while let Some(request) = run.item.states.get(run.next_state)
            && usize::from(request.after) <= at
        {
            let number = run.next_state as u32;
            run.next_state += 1;
            if usize::from(request.after) == at {
                self.heartbeat.set_phase(Phase::Observing);
                self.state(env, run, request, number)?;
            }
        }
        Ok(())
    }

    fn state(
        &mut self,
        env: &mut Env<'_>,
        run: &mut Run<'_, '_>,
        request: &StateRequest,
        number: u32,
    ) -> Result<(), Fault> {
        run.args.clear();
        for root in &request.roots {
            match run.slots[usize::from(root.0)].value {
                Some(value) => run.args.push(value),
                // A root that threw or gave nothing has no state.
                None => return Ok(()),
            }
        }
        let seen = self.states.linearise(env, &run.args);
        let seen =
            seen.map_err(|error| Fault::Failed { doing: "read a state".into(), why: error.to_string() })?;
        let stored = (request.stored && !self.up.is_full()).then(|| self.states.stored());
        self.up
            .write(|results| results.state(number, seen.hash, seen.tokens, seen.truncated, stored.as_ref()));
        Ok(())
    }

    fn edges(&mut self, env: &mut Env<'_>, item: &ItemBuffer, stem: &Stem<'_>) -> Result<(), Fault> {
        if !item.edges {
            return Ok(());
        }
        let hit = &mut *self.hit;
        hit.clear();
        drain(env, hit)?;
        if !stem.edges.is_empty() {
            hit.extend(&stem.edges);
            hit.sort_unstable();
            hit.dedup();
        }
        self.up.write(|results| results.edges(hit));
        Ok(())
    }

    /// Reports what was compared at the places asked about.
    fn compared(&mut self, env: &mut Env<'_>, item: &ItemBuffer) -> Result<(), Fault> {
        let Some(comparisons) = self.comparisons.as_deref_mut().filter(|_| !item.sites.is_empty()) else {
            return Ok(());
        };
        for compared in comparisons.take(env, &item.sites, &mut self.values.keys)? {
            self.up.write(|results| results.compared(compared));
        }
        Ok(())
    }

    /// Judges the exception, or else the objects of the last step.
    fn contracts(&mut self, env: &mut Env<'_>, run: &mut Run<'_, '_>, end: &End) -> Result<(), Interrupted> {
        if let (End::Threw(step), Some(thrown)) = (end, &run.last_threw) {
            // A stub gives null where nothing better is known, so null came in through it.
            let null_came_in =
                run.noticed.saw_null || run.noticed.has_stub || self.handed_on_null(env, run, thrown)?;
            let verdict = self.contracts.verdict(*step, thrown, null_came_in);
            if let Some(violation) = verdict.filter(|_| !run.noticed.misused) {
                self.up.write(|results| results.violation(&violation));
            }
            return Ok(());
        }
        if *end != End::Completed || run.slots.is_empty() || run.noticed.has_stub || run.noticed.misused {
            return Ok(());
        }
        self.heartbeat.set_phase(Phase::Observing);
        if !self.contracts.user.is_empty() {
            self.prepare_contracts(env);
        }
        let subjects = self.subjects(env, run);
        let returned = self.returned(env, run);
        let place = Place { item: run.index, step: run.last_step().0 };
        let mut check = self.check(env, place);
        let mut checked = self.contracts.check(&mut check, &subjects);
        if let (Ok(()), Some(steps)) = (checked, returned) {
            let id = *run.item.operations.last().expect("there is a last step");
            let operation = (id, &self.operations[id as usize]);
            checked = self.contracts.user.after(&mut check, self.types, operation, &run.args, &steps);
        }
        for violation in &check.violations {
            self.up.write(|results| results.violation(violation));
        }
        run.is_used_up = check.took_element;
        checked
    }

    /// Whether a null sits in something that was an argument, where that could explain the exception.
    fn handed_on_null(
        &mut self,
        env: &mut Env<'_>,
        run: &Run<'_, '_>,
        thrown: &Thrown,
    ) -> Result<bool, Interrupted> {
        if thrown.class.as_internal() != "java/lang/NullPointerException" {
            return Ok(false);
        }
        let mut given: Vec<usize> =
            (0..run.slots.len()).flat_map(|at| run.item.args_of(at)).map(|&arg| usize::from(arg)).collect();
        given.sort_unstable();
        given.dedup();
        let place = Place { item: run.index, step: run.last_step().0 };
        for at in given {
            let Some(Value::Object(Some(object))) = run.slots[at].value else { continue };
            let step = self.prepared[run.item.operations[at] as usize].as_ref();
            let last_class = &step.expect("every operation of the item was prepared").last_class;
            let is_jdk = is_trusted(self.values.keys.of(env, object, last_class).name);
            let mut check = self.check(env, place);
            if holds_null(self.contracts, &mut check, object, is_jdk)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Collects what the last call took and gave into the arguments, if a contract may judge calls; answers the steps they come from.
    fn returned(&mut self, env: &mut Env<'_>, run: &mut Run<'_, '_>) -> Option<Vec<StepId>> {
        if !self.contracts.user.judges_calls() {
            return None;
        }
        let last = run.slots.len() - 1;
        let step = self.prepared[run.item.operations[last] as usize].as_ref()?;
        let args = run.item.args_of(last);
        collect(env, step, args, &run.slots, self.types, &mut run.args).ok()?;
        let mut steps: Vec<StepId> = args.iter().map(|&arg| StepId(arg)).collect();
        if let Some(value) = run.slots[last].value {
            run.args.push(value);
            steps.push(StepId(last as u16));
        }
        Some(steps)
    }

    /// The objects the last step touched, each once; where roots alone are wanted, those whose state after it is asked for, unless the user has a say.
    fn subjects<'v>(&mut self, env: &mut Env<'_>, run: &Run<'v, '_>) -> Vec<Subject<'v>> {
        let last = run.slots.len() - 1;
        let item = run.item;
        let all = !item.only_roots || !self.contracts.user.is_empty();
        let is_root = |at: &usize| {
            let asked = item.states.iter().filter(|request| usize::from(request.after) == last);
            asked.flat_map(|request| &request.roots).any(|root| usize::from(root.0) == *at)
        };
        let touched = item.args_of(last).iter().map(|&arg| usize::from(arg)).chain([last]);
        let mut subjects: Vec<Subject<'v>> = Vec::new();
        for at in touched.filter(|at| all || is_root(at)) {
            let Some(Value::Object(Some(object))) = run.slots[at].value else { continue };
            let known = subjects.iter().any(|subject| env.is_same(subject.object, object));
            if known || subjects.len() == MANY {
                continue;
            }
            let step = self.prepared[run.item.operations[at] as usize].as_ref();
            let last_class = &step.expect("every operation of the item was prepared").last_class;
            let named = self.values.keys.of(env, object, last_class);
            let class = named.key.0;
            let profile = self.contracts.profile(env, object, named);
            if !self.contracts.user.is_empty() {
                self.contracts.user.note(env, self.types, object, class);
            }
            subjects.push(Subject { step: StepId(at as u16), object, class, profile });
        }
        subjects
    }
}

/// Appends the probes hit since the last look, ascending.
fn drain(env: &mut Env<'_>, hit: &mut Vec<u32>) -> Result<(), Fault> {
    let drained = shared::on_executor(|executor| -> Result<(), Fault> {
        hit.append(&mut executor.kept);
        let cut = hit.len();
        executor.probes.drain(env, hit)?;
        if cut > 0 {
            hit.sort_unstable();
            hit.dedup();
        }
        Ok(())
    });
    drained.unwrap_or(Ok(()))
}

/// Whether the outcome of a step is to be reported.
#[inline]
fn is_told(item: &ItemBuffer, at: usize) -> bool {
    use probat_protocol::Values::{All, Last, None, Rooted};
    let is_last = at + 1 == item.operations.len();
    match item.values {
        None => false,
        Last => is_last,
        All => true,
        Rooted => {
            let is_root = |root: &StepId| usize::from(root.0) == at;
            is_last || item.states.iter().any(|request| request.roots.iter().any(is_root))
        }
    }
}

/// The second use of a class whose initialiser failed gives another exception than the first.
fn is_about_a_failed_class(thrown: &Thrown) -> bool {
    thrown.class.as_internal() == "java/lang/NoClassDefFoundError"
        && thrown
            .message
            .as_ref()
            .is_some_and(|message| message.to_lossy().starts_with("Could not initialize class"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use probat_model::{ClassName, JavaString};

    #[test]
    fn missing_classes_are_not_failed_ones() {
        let thrown = |message: &str| Thrown {
            class: ClassName::internal("java/lang/NoClassDefFoundError"),
            message: Some(JavaString::from(message)),
            cause: None,
            frames: Vec::new(),
        };
        assert!(is_about_a_failed_class(&thrown("Could not initialize class a.B")));
        assert!(!is_about_a_failed_class(&thrown("a/B")));
    }
}
