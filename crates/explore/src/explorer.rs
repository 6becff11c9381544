//! The breadth-first search.
//!
//! In: a [`Plan`], a bound, observations. Out: batches of items, and in the end an [`Exploration`].
//! States are expanded in the order they were found, and observations are taken in the order of their items, so the result depends
//! neither on the number of workers nor on how items are cut into batches. Knows no clock: the caller says when a limit is reached.

use std::collections::BTreeMap;
use std::fmt;

use probat_model::{
    ClassName, End, Observation, Operation, OperationTable, Sequence, StateSeen, Step, StepId, StepOutcome,
    StoredState,
};
use probat_protocol::{Item, Observe, Reset, StateRequest, Values};

use crate::nodes::{NodeId, Nodes, Target};
use crate::plan::Plan;

/// How the object to call is brought into its state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strategy {
    /// The constructor and the calls that led there are run again.
    Rerun,
    /// A snapshot is put back, without running any code.
    Restore,
}

/// What is explored, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Calls after the constructor.
    pub bound: u16,
    /// How states are reached until [`Explorer::go_on_with`] says otherwise.
    pub strategy: Strategy,
    /// The way may change, so the memory of snapshots must not decide where the search ends; the caller bounds it.
    pub may_change: bool,
    /// Keep what every call led to: for graphs and tests.
    pub keep_links: bool,
    /// States kept at most.
    pub most_states: u64,
    /// Bytes of states kept at most, or hardly more.
    pub most_bytes: usize,
}

impl Options {
    /// Everything up to the bound, however much that is.
    pub fn unlimited(bound: u16, strategy: Strategy) -> Self {
        Options {
            bound,
            strategy,
            may_change: false,
            keep_links: false,
            most_states: u64::MAX,
            most_bytes: usize::MAX,
        }
    }
}

/// What ended the exploration before the bound did. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    Time,
    Memory,
    States,
    Interrupted,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Limit::Time => "the time limit",
            Limit::Memory => "the memory limit",
            Limit::States => "the state limit",
            Limit::Interrupted => "Ctrl-C",
        })
    }
}

/// Items to run; their observations go back with it.
#[derive(Debug)]
pub struct Batch {
    pub items: Vec<Item>,
    pub(crate) tests: Vec<Test>,
}

/// One test: a call on a state, or a constructor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Test {
    pub(crate) node: Option<NodeId>,
    pub(crate) action: u16,
}

/// What one level of the search found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Level {
    /// States first reached with so many calls.
    pub states: u64,
    /// Tests whose last call is this deep.
    pub tests: u64,
    /// Of these, calls that threw.
    pub threw: u64,
    /// Of these, calls that left the state as it was.
    pub preserving: u64,
}

/// An exception that a method throws.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Threw {
    pub method: String,
    pub exception: ClassName,
    pub tests: u64,
    /// The first test that threw it: state and call; `None` for a constructor.
    pub first: (Option<NodeId>, u16),
}

/// A call that gave no state and no exception.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    pub method: String,
    pub how: String,
    pub tests: u64,
    pub first: (Option<NodeId>, u16),
}

/// Where the search is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    pub states: u64,
    pub tests: u64,
    pub depth: u16,
    /// States waiting to be expanded.
    pub waiting: u64,
    pub bytes: usize,
}

/// What was found.
#[derive(Debug)]
pub struct Exploration {
    pub plan: Plan,
    /// The operations of the plan.
    pub table: OperationTable,
    pub nodes: Nodes,
    /// By depth.
    pub levels: Vec<Level>,
    pub constructor_tests: u64,
    pub tests: u64,
    pub threw: Vec<Threw>,
    pub broken: Vec<Broken>,
    /// States too large to compare, each taken for a new one.
    pub too_large: u64,
    /// `None` if all sequences up to the bound were tried.
    pub ended_by: Option<Limit>,
    /// No call led to a new state any more, so no larger bound would either.
    pub is_closed: bool,
    pub bytes: usize,
}

/// How often something was seen, and the test that showed it first.
type Tally = (u64, (Option<NodeId>, u16));

/// A search under way.
#[derive(Debug)]
pub struct Explorer {
    pub(crate) plan: Plan,
    pub(crate) options: Options,
    table: OperationTable,
    pub(crate) nodes: Nodes,
    /// The next state to expand, and its next call.
    pub(crate) next: (u32, u16),
    pub(crate) constructors_sent: bool,
    in_flight: usize,
    levels: Vec<Level>,
    constructor_tests: u64,
    tests: u64,
    threw: BTreeMap<(String, ClassName), Tally>,
    broken: BTreeMap<(String, String), Tally>,
    too_large: u64,
    snapshots: BTreeMap<NodeId, StoredState>,
    snapshot_bytes: usize,
    /// Bytes of snapshots among the operations, which stay there.
    interned_bytes: usize,
    /// What keeps it from taking more.
    full: Option<Limit>,
}

impl Explorer {
    /// A search that has not begun. The table is the one the plan was made with.
    pub fn new(plan: Plan, table: OperationTable, options: Options) -> Self {
        Explorer {
            nodes: Nodes::new(plan.calls.len()),
            plan,
            options,
            table,
            next: (0, 0),
            constructors_sent: false,
            in_flight: 0,
            levels: Vec::new(),
            constructor_tests: 0,
            tests: 0,
            threw: BTreeMap::new(),
            broken: BTreeMap::new(),
            too_large: 0,
            snapshots: BTreeMap::new(),
            snapshot_bytes: 0,
            interned_bytes: 0,
            full: None,
        }
    }

    /// The operations of all items so far.
    pub fn table(&self) -> &OperationTable {
        &self.table
    }

    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The next items, at most about `size`; `None` if there is nothing to run until more is known, or at all.
    pub fn batch(&mut self, size: usize) -> Option<Batch> {
        self.batch_by(size, self.options.strategy)
    }

    pub(crate) fn batch_by(&mut self, size: usize, strategy: Strategy) -> Option<Batch> {
        let mut batch = Batch { items: Vec::new(), tests: Vec::new() };
        if !self.constructors_sent {
            self.constructors_sent = true;
            for action in 0..self.plan.constructors.len() as u16 {
                self.push(Test { node: None, action }, &[], strategy, &mut batch);
            }
        }
        let calls = self.plan.calls.len() as u16;
        while batch.items.len() < size && self.has_more() {
            let node = NodeId(self.next.0);
            let base = self.base(node, strategy);
            while batch.items.len() < size && self.next.1 < calls {
                self.push(Test { node: Some(node), action: self.next.1 }, &base, strategy, &mut batch);
                self.next.1 += 1;
            }
            if self.next.1 == calls {
                self.next = (node.0 + 1, 0);
                self.forget_snapshot(node);
            }
        }
        if batch.items.is_empty() {
            return None;
        }
        self.in_flight += 1;
        Some(batch)
    }

    /// Nothing is left to run and nothing is awaited.
    pub fn is_done(&self) -> bool {
        self.constructors_sent && self.in_flight == 0 && !self.has_more()
    }

    /// A state above the bound waits to be expanded; later states are no less deep.
    fn has_more(&self) -> bool {
        (self.next.0 as usize) < self.nodes.len()
            && self.nodes.depth(NodeId(self.next.0)) < self.options.bound
    }

    /// Steps that bring an object into a state; its first step that is no argument gives the object.
    fn base(&mut self, node: NodeId, strategy: Strategy) -> Vec<Step> {
        match self.snapshots.get(&node) {
            Some(snapshot) if strategy == Strategy::Restore => {
                let snapshot = snapshot.clone();
                vec![self.restoring(snapshot)]
            }
            _ => self.way(node),
        }
    }

    /// The constructor and the calls that led to a state.
    pub(crate) fn way(&self, node: NodeId) -> Vec<Step> {
        let mut steps = Vec::new();
        let (constructor, calls) = self.nodes.path(node);
        let receiver = self.plan.constructors[usize::from(constructor)].append(StepId(0), &mut steps);
        for call in calls {
            self.plan.calls[usize::from(call)].append(receiver, &mut steps);
        }
        steps
    }

    /// The step that puts a snapshot back.
    pub(crate) fn restoring(&mut self, snapshot: StoredState) -> Step {
        let (known, bytes) = (self.table.len(), size_of_snapshot(&snapshot));
        let operation = self.table.intern(Operation::Restore(snapshot));
        self.interned_bytes += if self.table.len() > known { bytes } else { 0 };
        Step { operation, args: Default::default() }
    }

    fn forget_snapshot(&mut self, node: NodeId) {
        if let Some(snapshot) = self.snapshots.remove(&node) {
            self.snapshot_bytes -= size_of_snapshot(&snapshot);
        }
    }

    /// The step that gives the object in a base.
    pub(crate) fn receiver(&self, node: NodeId, base: &[Step]) -> StepId {
        match self.table.get(base[0].operation) {
            Operation::Restore(_) => StepId(0),
            _ => {
                let (constructor, _) = self.nodes.path(node);
                StepId(self.plan.constructors[usize::from(constructor)].len() as u16 - 1)
            }
        }
    }

    pub(crate) fn push(&self, test: Test, base: &[Step], strategy: Strategy, batch: &mut Batch) {
        let mut steps = Vec::with_capacity(base.len() + 4);
        steps.extend_from_slice(base);
        let receiver = match test.node {
            None => self.plan.constructors[usize::from(test.action)].append(StepId(0), &mut steps),
            Some(node) => {
                let receiver = self.receiver(node, base);
                self.plan.calls[usize::from(test.action)].append(receiver, &mut steps);
                receiver
            }
        };
        batch.items.push(self.item(steps, receiver, strategy == Strategy::Restore));
        batch.tests.push(test);
    }

    /// Runs steps and asks for the state of one object in the end.
    pub(crate) fn item(&self, steps: Vec<Step>, of: StepId, stored: bool) -> Item {
        let after = steps.len() as u16 - 1;
        let sequence = Sequence::from_steps(&self.table, steps).expect("a plan's steps fit its table");
        let states = vec![StateRequest { after, roots: vec![of], stored }];
        let observe = Observe { values: Values::None, states, ..Observe::default() };
        Item { sequence, observe, reset: Reset::Fields, past_exceptions: false, ..Item::default() }
    }

    /// Goes on in this way. What was found and what will be stay the same.
    pub fn go_on_with(&mut self, strategy: Strategy) {
        self.options.strategy = strategy;
        if strategy == Strategy::Rerun {
            self.snapshots.clear();
            self.snapshot_bytes = 0;
        }
    }

    /// How states are reached now.
    pub fn strategy(&self) -> Strategy {
        self.options.strategy
    }

    pub fn may_change(&self) -> bool {
        self.options.may_change
    }

    /// Begins again, running calls; operations that workers know keep their numbers. Nothing may be under way.
    pub fn restart(&mut self) {
        let options = Options { strategy: Strategy::Rerun, ..self.options.clone() };
        let table = std::mem::take(&mut self.table);
        *self = Explorer::new(self.plan.clone(), table, options);
    }

    /// Bytes that snapshots take: here, twice among the operations, and on their way to the workers.
    pub fn snapshot_memory(&self) -> usize {
        self.snapshot_bytes + 3 * self.interned_bytes
    }

    /// Takes the observations of a batch; those of batches must come in the order the batches were handed out. Fewer
    /// observations than items are those of the first items. Once it is full, nothing more is taken, so that what a limit leaves does not
    /// depend on the size of batches.
    pub fn absorb(&mut self, batch: Batch, seen: Vec<Observation>) {
        self.in_flight -= 1;
        for ((test, item), seen) in batch.tests.into_iter().zip(&batch.items).zip(seen) {
            if self.full.is_none() && self.is_one_too_many(&seen) {
                self.full = Some(Limit::States);
            }
            if self.full.is_some() {
                return;
            }
            self.one(test, item, seen);
            if self.bytes() >= self.options.most_bytes {
                self.full = Some(Limit::Memory);
            }
        }
    }

    /// The limit of states or memory that was reached. A search that ends with as many states as allowed is complete.
    pub fn full(&self) -> Option<Limit> {
        self.full
    }

    /// A state that is new when there may be no more.
    fn is_one_too_many(&self, seen: &Observation) -> bool {
        if (self.nodes.len() as u64) < self.options.most_states {
            return false;
        }
        let state = seen.states.first().and_then(Option::as_ref);
        let is_state = seen.end == End::Completed && seen.taints.is_empty();
        is_state && state.is_some_and(|state| state.truncated || !self.nodes.contains(state.hash))
    }

    fn one(&mut self, test: Test, item: &Item, seen: Observation) {
        let depth = test.node.map_or(0, |node| self.nodes.depth(node) + 1);
        match test.node {
            None => self.constructor_tests += 1,
            Some(_) => self.tests += 1,
        }
        let mut level = Level { tests: u64::from(test.node.is_some()), ..Level::default() };
        let last = StepId(item.sequence.len() as u16 - 1);
        let target = match &seen.end {
            _ if !seen.taints.is_empty() => {
                self.breaks(test, format!("tries what tests must not ({})", seen.taints[0].detail))
            }
            End::Completed => self.state(test, seen.states.into_iter().next().flatten(), &mut level),
            End::Threw(step) if *step == last => {
                level.threw = 1;
                self.throws(test, &seen)
            }
            End::Threw(_) => self.breaks(test, "threw on the way to a state that was reached before".into()),
            End::Refused(_) => self.breaks(test, refusal(&seen)),
            End::TimedOut(_) => self.breaks(test, "did not end in time".into()),
            End::Exhausted(_) => self.breaks(test, "exhausted memory or stack".into()),
            End::Died { cause, .. } => self.breaks(test, format!("killed the JVM ({cause:?})")),
        };
        self.add_level(depth, level);
        if let (Some(node), true) = (test.node, self.options.keep_links) {
            self.nodes.link(node, test.action, target);
        }
    }

    fn add_level(&mut self, depth: u16, level: Level) {
        let depth = usize::from(depth);
        if self.levels.len() <= depth {
            self.levels.resize(depth + 1, Level::default());
        }
        let sum = &mut self.levels[depth];
        sum.states += level.states;
        sum.tests += level.tests;
        sum.threw += level.threw;
        sum.preserving += level.preserving;
    }

    fn state(&mut self, test: Test, seen: Option<StateSeen>, level: &mut Level) -> Target {
        let Some(seen) = seen else { return self.breaks(test, "has no state afterwards".into()) };
        let hash = (!seen.truncated).then_some(seen.hash);
        self.too_large += u64::from(seen.truncated);
        let (node, is_new) = self.nodes.enter(hash, test.node, test.action);
        level.states = u64::from(is_new);
        level.preserving = u64::from(Some(node) == test.node);
        if is_new
            && self.nodes.depth(node) < self.options.bound
            && let Some(stored) = seen.stored
        {
            self.snapshot_bytes += size_of_snapshot(&stored);
            self.snapshots.insert(node, stored);
        }
        Target::State(node)
    }

    fn method(&self, test: Test) -> String {
        let actions = if test.node.is_some() { &self.plan.calls } else { &self.plan.constructors };
        actions[usize::from(test.action)].method.clone()
    }

    fn throws(&mut self, test: Test, seen: &Observation) -> Target {
        let class = match seen.steps.last() {
            Some((_, StepOutcome::Threw(thrown))) => thrown.class.clone(),
            _ => ClassName::internal("java/lang/Throwable"),
        };
        let entry = self.threw.entry((self.method(test), class)).or_insert((0, (test.node, test.action)));
        entry.0 += 1;
        Target::Threw
    }

    fn breaks(&mut self, test: Test, how: String) -> Target {
        let entry = self.broken.entry((self.method(test), how)).or_insert((0, (test.node, test.action)));
        entry.0 += 1;
        Target::Broken
    }

    pub fn progress(&self) -> Progress {
        let waiting = self.nodes.len().saturating_sub(self.next.0 as usize) as u64;
        let depth = self.levels.len().saturating_sub(1) as u16;
        Progress { states: self.nodes.len() as u64, tests: self.tests, depth, waiting, bytes: self.bytes() }
    }

    /// What each level found so far.
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    fn bytes(&self) -> usize {
        self.nodes.bytes() + if self.options.may_change { 0 } else { self.snapshot_memory() }
    }

    /// What was found; `limit` is what ended it, if anything did.
    pub fn finish(self, limit: Option<Limit>) -> Exploration {
        let bytes = self.bytes();
        let reached_all = self.constructors_sent && !self.has_more();
        let deepest_new = self.levels.iter().rposition(|level| level.states > 0).unwrap_or(0);
        Exploration {
            is_closed: limit.is_none() && reached_all && deepest_new < usize::from(self.options.bound),
            plan: self.plan,
            table: self.table,
            nodes: self.nodes,
            levels: self.levels,
            constructor_tests: self.constructor_tests,
            tests: self.tests,
            threw: self
                .threw
                .into_iter()
                .map(|((method, exception), (tests, first))| Threw { method, exception, tests, first })
                .collect(),
            broken: self
                .broken
                .into_iter()
                .map(|((method, how), (tests, first))| Broken { method, how, tests, first })
                .collect(),
            too_large: self.too_large,
            ended_by: limit,
            bytes,
        }
    }
}

/// Names of classes are shared; those of fields are not.
fn size_of_snapshot(snapshot: &StoredState) -> usize {
    let slots: usize = snapshot.layouts.iter().map(|layout| layout.slots.len()).sum();
    snapshot.tokens.len() + 48 * snapshot.layouts.len() + 96 * slots
}

fn refusal(seen: &Observation) -> String {
    match seen.steps.last() {
        Some((_, StepOutcome::Refused(refusal))) => format!("could not be called: {refusal:?}"),
        _ => "could not be called".into(),
    }
}

impl Exploration {
    /// The calls that lead to a state, as a person reads them.
    pub fn path_text(&self, node: NodeId) -> String {
        let (constructor, calls) = self.nodes.path(node);
        let mut text = self.plan.constructors[usize::from(constructor)].text.clone();
        for call in calls {
            text.push_str("; ");
            text.push_str(&self.plan.calls[usize::from(call)].text);
        }
        text
    }

    /// A test as a person reads it.
    pub fn test_text(&self, (node, action): (Option<NodeId>, u16)) -> String {
        match node {
            None => self.plan.constructors[usize::from(action)].text.clone(),
            Some(node) => format!("{}; {}", self.path_text(node), self.plan.calls[usize::from(action)].text),
        }
    }
}
