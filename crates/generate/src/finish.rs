//! From archived sequences to tests with assertions.
//!
//! In: what a campaign archived, and two executors: one that goes on from the hunt, one that is fresh. Out: [`Finished`] tests, each seen to behave
//! alike in both. What differs between the two runs is not asserted; a test that ends otherwise is dropped and counted. Runs are shortened and given
//! assertions a few at a time, in the order of what their tests may be worth.

use std::collections::{BTreeSet, HashMap};
use std::time::Instant;

use probat_emit::{Caught, Check, Ending as Ends, Expected, TestCase};
use probat_model::{
    End, Frame, JavaString, Observation, Operation, ProbeId, Sequence, Step, StepId, StepOutcome,
    StoredState, Thrown, Type, Value,
};
use probat_protocol::{Item, Observe, Reset, StateRequest, Values};
use probat_search::archive::{Ending, Gave, Witness};
use probat_search::campaign::Campaign;
use probat_search::catalogue::{CallableId, OwnerId};
use probat_search::executor::Executor;
use probat_search::minimize::{Subject, minimize};
use probat_search::replace::{Spare, replace_by, spares};
use probat_search::shrink::shrink;
use probat_search::spell::spell;

use crate::change::Compared;
use crate::deadline::{CHUNK, Deadline};
use crate::expect::expected;
use crate::fickle::{Chance, chances, end_alike};
use crate::observers::Observers;
use crate::size::{LeftOut, Ranked, Size, rank};
use crate::split::{Told, split};

/// A test that behaved alike twice.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    pub owner: OwnerId,
    pub callable: CallableId,
    /// Without a name yet.
    pub case: TestCase,
    /// Edges it takes.
    pub edges: Vec<ProbeId>,
    /// How many of them it is there for.
    pub needs: usize,
    /// What the call under test gave, if that is asserted.
    pub result: Option<Expected>,
    /// What kind of thing that is.
    pub gave: Gave,
    /// It takes long to run.
    pub is_slow: bool,
}

impl Finished {
    /// Whether it says what comes of the call.
    pub(crate) fn asserts(&self) -> bool {
        self.case.checks.iter().any(|check| check.expected != Expected::NotNull)
    }
}

/// What came of the archive.
#[derive(Debug, Default)]
pub struct Finish {
    pub tests: Vec<Finished>,
    /// Tests that ended differently in a fresh JVM, by callable.
    pub unstable: Vec<CallableId>,
    /// Edges that those took.
    pub unstable_edges: Vec<ProbeId>,
    /// Those of them that tests took whose call was given something that differs from run to run.
    pub given_edges: Vec<ProbeId>,
    /// Tests there was no time for.
    pub left_out: usize,
    /// Runs not finished in time whose tests would most likely be too long for what they add.
    pub too_long: LeftOut,
}

impl Finish {
    pub(crate) fn drop_unstable(&mut self, callable: CallableId, edges: Vec<ProbeId>) {
        self.unstable.push(callable);
        self.unstable_edges.extend(edges);
    }

    /// There is no time for these, of which the first would be worth it.
    fn leave_out(&mut self, runs: &[(Witness, Vec<ProbeId>)], promising: usize) {
        let (worthy, long) = runs.split_at(promising.min(runs.len()));
        self.left_out += worthy.len();
        self.too_long.tests += long.len();
        self.too_long.edges.extend(long.iter().flat_map(|(_, needs)| needs));
    }
}

/// Observers asserted of what a call gives, and asked of its receiver whether the call changed it.
const OBSERVERS: usize = 2;
const ASKED: usize = 6;

/// Waves of replacements: enough for most tests, and few enough where nobody looks at a clock.
const WAVES: usize = 64;

/// How many tests are wanted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    pub size: Size,
    /// Tests that can be checked.
    pub most: usize,
}

/// Finishes what may be worth a test, the best first, so that who runs out of time loses the least.
pub(crate) fn finish<E: Executor + Send>(
    campaign: &mut Campaign<'_>,
    first: &mut E,
    second: &mut E,
    wanted: Wanted,
    clock: &Deadline<'_>,
) -> Result<Finish, E::Error>
where
    E::Error: Send,
{
    let mut finish = Finish::default();
    let Waiting { mut runs, mut promising } = waiting(campaign, wanted, &mut finish);
    let keep_all = campaign.config.keep_all;
    let tools = Tools::new(campaign);
    let mut size = clock.first_chunk();
    let mut is_first = true;
    while !runs.is_empty() {
        // The first is for those who had no time at all.
        if !is_first && clock.is_late(1.0) {
            finish.leave_out(&runs, promising);
            break;
        }
        is_first = false;
        let start = Instant::now();
        let count = size.min(runs.len());
        let is_late = clock.part(count, promising.max(count));
        let chunk = runs.drain(..count).collect();
        promising = promising.saturating_sub(count);
        let mut tests = shorten(campaign, &tools, chunk, first, clock.time.is_some(), &is_late)?;
        if !keep_all && !campaign.config.past_exceptions {
            tests = split(campaign, tests, first, &is_late)?;
        }
        finish_chunk(campaign, &tools.observers, first, second, tests, &mut finish)?;
        size = clock.next_chunk(count, start.elapsed());
    }
    if !keep_all {
        let found = instead(campaign, &tools, first, second, &finish, clock)?;
        finish.tests.extend(found);
        drop_twins(&mut finish.tests);
    }
    if clock.time.is_none() {
        finish.tests.iter_mut().for_each(|test| test.is_slow = false);
    }
    Ok(finish)
}

/// What is to be finished, the best first.
struct Waiting {
    /// Runs, each with the edges it is there for.
    runs: Vec<(Witness, Vec<ProbeId>)>,
    /// How many of them may well be written.
    promising: usize,
}

fn waiting(campaign: &Campaign<'_>, wanted: Wanted, finish: &mut Finish) -> Waiting {
    // Where every run is wanted as a test, tests are wanted as they ran.
    let keep_all = campaign.config.keep_all;
    let mut promising = 0;
    let chosen = campaign.archive().select_by(|runs| {
        if keep_all {
            promising = runs.len();
            return (0..runs.len()).collect();
        }
        let mut ranked: Ranked = rank(runs, wanted.size);
        finish.left_out = ranked.order.len().saturating_sub(wanted.most);
        ranked.order.truncate(wanted.most);
        promising = ranked.promising.min(wanted.most);
        ranked.order
    });
    let runs = chosen
        .into_iter()
        .filter(|chosen| keep_all || !needs_assertions(&chosen.witness.ending))
        .map(|chosen| (chosen.witness.clone(), chosen.needs))
        .collect();
    Waiting { runs, promising }
}

/// What tests are finished with.
struct Tools {
    observers: Observers,
    /// What can stand in place of something longer.
    spares: Vec<Spare>,
}

impl Tools {
    fn new(campaign: &mut Campaign<'_>) -> Self {
        let spares = if campaign.config.keep_all { Vec::new() } else { spares(campaign) };
        Tools { observers: Observers::new(campaign), spares }
    }
}

/// Tests for edges that only tests took whose call was given something that differs: the shortest runs that take them may leave less to chance.
/// What ended otherwise in a fresh JVM gets no second try, since that JVM is no longer fresh.
fn instead<E: Executor + Send>(
    campaign: &mut Campaign<'_>,
    tools: &Tools,
    first: &mut E,
    second: &mut E,
    finish: &Finish,
    clock: &Deadline<'_>,
) -> Result<Vec<Finished>, E::Error>
where
    E::Error: Send,
{
    let taken: BTreeSet<ProbeId> = finish.tests.iter().flat_map(|test| test.edges.iter().copied()).collect();
    let lost: BTreeSet<ProbeId> =
        finish.given_edges.iter().copied().filter(|edge| !taken.contains(edge)).collect();
    let mut witnesses: Vec<(Witness, Vec<ProbeId>)> = Vec::new();
    for edge in lost {
        let Some(witness) = campaign.archive().witness(edge) else { continue };
        match witnesses.iter_mut().find(|(known, _)| known == witness) {
            Some((_, needs)) => needs.push(edge),
            None => witnesses.push((witness.clone(), vec![edge])),
        }
    }
    witnesses.retain(|(witness, _)| !needs_assertions(&witness.ending));
    if witnesses.is_empty() || clock.is_late(1.0) {
        return Ok(Vec::new());
    }
    witnesses.truncate(CHUNK);
    let tests = shorten(campaign, tools, witnesses, first, clock.time.is_some(), &|| clock.is_late(1.0))?;
    // Those that are dropped again were counted.
    let mut again = Finish::default();
    finish_chunk(campaign, &tools.observers, first, second, tests, &mut again)?;
    Ok(again.tests)
}

/// Finishes a few runs as tests while a search goes on; shortens them until `stop` says so.
pub(crate) fn finish_few<E: Executor + Send>(
    campaign: &mut Campaign<'_>,
    witnesses: Vec<Witness>,
    first: &mut E,
    second: &mut E,
    stop: &dyn Fn() -> bool,
) -> Result<Vec<Finished>, E::Error>
where
    E::Error: Send,
{
    let witnesses: Vec<(Witness, Vec<ProbeId>)> =
        witnesses.into_iter().map(|witness| (witness.clone(), witness.edges)).collect();
    let tools = Tools::new(campaign);
    let tests = shorten(campaign, &tools, witnesses, first, true, stop)?;
    let mut finish = Finish::default();
    finish_chunk(campaign, &tools.observers, first, second, tests, &mut finish)?;
    Ok(finish.tests)
}

/// Each witness as short as it gets, with what was seen of it then.
fn shorten<E: Executor>(
    campaign: &mut Campaign<'_>,
    tools: &Tools,
    witnesses: Vec<(Witness, Vec<ProbeId>)>,
    executor: &mut E,
    is_hurried: bool,
    stop: &dyn Fn() -> bool,
) -> Result<Vec<Told>, E::Error> {
    let past_exceptions = campaign.config.past_exceptions;
    let mut subjects: Vec<Subject<'_>> = witnesses
        .iter()
        .map(|(witness, needs)| {
            let keeps = Box::new(move |steps: &[Step], seen: &Observation| {
                ends_alike(&witness.ending, steps, seen)
                    && takes(needs, seen)
                    && (!needs.is_empty() || gives_alike(witness, steps, seen))
            });
            Subject { past_exceptions, is_hurried, ..Subject::new(witness.steps.clone(), keeps) }
        })
        .collect();
    // Where every run is wanted as a test, tests are wanted as they ran.
    if !campaign.config.keep_all {
        minimize(&campaign.catalogue.operations, &mut subjects, executor, stop)?;
        spell(&mut campaign.catalogue.operations, &mut subjects, executor, stop)?;
        let before: Vec<_> =
            subjects.iter().map(|subject| (subject.steps.clone(), subject.seen.clone())).collect();
        let mut asked = 0;
        let enough = || {
            asked += 1;
            asked > WAVES || stop()
        };
        replace_by(campaign, &tools.spares, &mut subjects, executor, enough)?;
        // What came in from elsewhere may be out of reach for the test.
        for ((subject, before), (witness, _)) in subjects.iter_mut().zip(before).zip(&witnesses) {
            if !campaign.is_gathered(witness.callable, &subject.steps) {
                (subject.steps, subject.seen) = before;
            }
        }
        shrink(&mut campaign.catalogue.operations, &mut subjects, executor, stop)?;
    }
    let short: Vec<_> = subjects.into_iter().map(|subject| (subject.steps, subject.seen)).collect();
    let told = |((witness, needs), (steps, seen))| Told { witness, needs, steps, seen };
    Ok(witnesses.into_iter().zip(short).map(told).collect())
}

/// Gives tests their assertions: what both executors see alike.
fn finish_chunk<E: Executor + Send>(
    campaign: &mut Campaign<'_>,
    observers: &Observers,
    first: &mut E,
    second: &mut E,
    mut chunk: Vec<Told>,
    finish: &mut Finish,
) -> Result<(), E::Error>
where
    E::Error: Send,
{
    let past = campaign.config.past_exceptions;
    let unseen: Vec<&mut Told> = chunk.iter_mut().filter(|told| told.seen.is_none()).collect();
    let plain = unseen.iter().map(|told| item(campaign, &told.steps, &[], true)).collect();
    for (told, seen) in unseen.into_iter().zip(first.run(&campaign.catalogue.operations, plain)?) {
        told.seen = Some(seen);
    }
    let chances = chances(campaign, &mut chunk, first, second)?;
    let mut drafts = Vec::with_capacity(chunk.len());
    for (told, chance) in chunk.into_iter().zip(chances) {
        let seen = told.seen.expect("seen above");
        // What comes of a random text or of today's date says nothing of the call.
        if chance == Chance::WhatItIsGiven {
            finish.given_edges.extend(&seen.edges);
            finish.drop_unstable(told.witness.callable, seen.edges);
            continue;
        }
        let draft = draft(campaign, observers, told.steps, &seen, &told.witness, chance);
        drafts.push((draft, told.witness, seen.edges, told.needs.len()));
    }
    let items: Vec<Item> =
        drafts.iter().map(|(draft, ..)| item(campaign, &draft.steps, &draft.checked, true)).collect();
    let was = before_calls(campaign, &drafts, first)?;
    let table = &campaign.catalogue.operations;
    let (once, again) = std::thread::scope(|threads| {
        let once = threads.spawn(|| first.run(table, items.clone()));
        let again = second.run(table, items.clone());
        (once.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), again)
    });
    let runs = once?.into_iter().zip(again?);
    let mut finished = Vec::new();
    for (((draft, witness, edges, needs), was), (once, again)) in drafts.into_iter().zip(was).zip(runs) {
        let Some(owner) = campaign.catalogue.callable(witness.callable).owner else { continue };
        let (callable, chance) = (witness.callable, draft.chance);
        let gave = Gave::of(once.value(draft.call));
        let wavers = [&once, &again].iter().any(|seen| campaign.catalogue.wavers(&seen.edges));
        match assemble(draft, &witness, was.as_ref(), [&once, &again], past, wavers) {
            Some((case, result)) => {
                let is_slow = once.slow.0 && again.slow.0;
                let test = Finished { owner, callable, case, edges, needs, result, gave, is_slow };
                finished.push((test, witness.ending, chance));
            }
            None => finish.drop_unstable(callable, edges),
        }
    }
    let left = finished.iter().filter(|(.., chance)| *chance != Chance::Nothing);
    let left: Vec<(&[Step], &Ending)> =
        left.map(|(test, ending, _)| (test.case.steps.as_slice(), ending)).collect();
    let mut alike = end_alike(campaign, &left, first, second)?.into_iter();
    for (test, _, chance) in finished {
        if chance == Chance::Nothing || alike.next().unwrap_or(false) {
            finish.tests.push(test);
        } else {
            finish.drop_unstable(test.callable, test.edges);
        }
    }
    Ok(())
}

/// What observers say of receivers that were not called yet.
fn before_calls<E: Executor>(
    campaign: &Campaign<'_>,
    drafts: &[(Draft, Witness, Vec<ProbeId>, usize)],
    executor: &mut E,
) -> Result<Vec<Option<Observation>>, E::Error> {
    let asked = drafts.iter().map(|(draft, ..)| &draft.compared.before).filter(|steps| !steps.is_empty());
    let items = asked.map(|steps| Item { past_exceptions: true, ..item(campaign, steps, &[], false) });
    let items: Vec<Item> = items.collect();
    let mut seen = executor.run(&campaign.catalogue.operations, items)?.into_iter();
    let of = |(draft, ..): &(Draft, _, _, _)| match draft.compared.before.is_empty() {
        true => None,
        false => seen.next(),
    };
    Ok(drafts.iter().map(of).collect())
}

/// Tests that became equal by shortening are one test.
fn drop_twins(tests: &mut Vec<Finished>) {
    let mut seen: HashMap<Vec<Step>, Vec<Ends>> = HashMap::new();
    tests.retain(|test| {
        let endings = seen.entry(test.case.steps.clone()).or_default();
        let is_new = !endings.contains(&test.case.ending);
        if is_new {
            endings.push(test.case.ending.clone());
        }
        is_new
    });
}

/// A failed `assert` is a failure where assertions are enabled, and nothing elsewhere: no test should pass only with them.
fn needs_assertions(ending: &Ending) -> bool {
    matches!(ending, Ending::Threw(class) if class.as_internal() == "java/lang/AssertionError")
}

pub(crate) fn ends_alike(ending: &Ending, steps: &[Step], seen: &Observation) -> bool {
    let last = StepId(steps.len() as u16 - 1);
    seen.is_harmless()
        && match ending {
            Ending::Returned => seen.end == End::Completed && seen.thrown(last).is_none(),
            Ending::Threw(class) => {
                (seen.end == End::Threw(last) || seen.end == End::Completed)
                    && seen.thrown(last).is_some_and(|thrown| thrown.class == *class)
            }
        }
}

/// Whether the last call gives the same kind of thing. Who is there for no edge is there for that.
pub(crate) fn gives_alike(witness: &Witness, steps: &[Step], seen: &Observation) -> bool {
    witness.ending != Ending::Returned || Gave::of(seen.value(StepId(steps.len() as u16 - 1))) == witness.gave
}

pub(crate) fn takes(needs: &[ProbeId], seen: &Observation) -> bool {
    needs.iter().all(|edge| seen.edges.binary_search(edge).is_ok())
}

pub(crate) fn item(campaign: &Campaign<'_>, steps: &[Step], checked: &[StepId], edges: bool) -> Item {
    let sequence = Sequence::from_steps(&campaign.catalogue.operations, steps.to_vec())
        .expect("built from checked sequences");
    let request = |&step: &StepId| StateRequest { after: step.0, roots: vec![step], stored: true };
    let states = checked.iter().map(request).collect();
    let observe = Observe { values: Values::All, edges, states, ..Observe::default() };
    // Observers come last: one that throws must not hide the others.
    let past_exceptions = campaign.config.past_exceptions || !checked.is_empty();
    Item { sequence, observe, reset: Reset::Fields, past_exceptions, ..Item::default() }
}

/// A test before its values are known.
struct Draft {
    steps: Vec<Step>,
    /// The call under test.
    call: StepId,
    /// Steps whose values are asserted if they are stable.
    checked: Vec<StepId>,
    /// Those of them that are not, if code was run that differs from run to run.
    doubtful: Vec<StepId>,
    /// Those of them that are asked of the receiver.
    compared: Compared,
    chance: Chance,
}

fn draft(
    campaign: &mut Campaign<'_>,
    observers: &Observers,
    mut steps: Vec<Step>,
    seen: &Observation,
    witness: &Witness,
    chance: Chance,
) -> Draft {
    let call = StepId(steps.len() as u16 - 1);
    // What may reach such code by its calls did not, if none of it was run.
    let varies =
        campaign.catalogue.callable(witness.callable).varies && campaign.catalogue.wavers(&seen.edges);
    if witness.ending != Ending::Returned || varies || chance != Chance::Nothing {
        let (checked, doubtful, compared) = (Vec::new(), Vec::new(), Compared::default());
        return Draft { steps, call, checked, doubtful, compared, chance };
    }
    let operation = campaign.catalogue.operations.get(steps[usize::from(call.0)].operation).clone();
    let (mut checked, mut doubtful, mut compared) = (Vec::new(), Vec::new(), Compared::default());
    if operation.result().is_some() && !matches!(operation, Operation::Construct { .. }) {
        checked.push(call);
    }
    // A call that changes nothing is told by its result alone.
    let tells_all = campaign.catalogue.callable(witness.callable).pure && operation.result().is_some();
    let has_receiver = matches!(operation, Operation::Call { .. }) && !tells_all;
    let receiver = has_receiver.then(|| steps[usize::from(call.0)].args[0]);
    for object in receiver.into_iter().chain([call]) {
        let Some(Value::Object { class }) = seen.value(object) else { continue };
        let ty = campaign.intern(&Type::Class(class.clone()));
        let is_receiver = Some(object) == receiver;
        let most = if is_receiver { ASKED } else { OBSERVERS };
        for observer in observers.of(&campaign.catalogue, ty, most) {
            let is_other = observer != steps[usize::from(call.0)].operation;
            if is_other && campaign.is_usable(witness.callable, observer) {
                let step = StepId(steps.len() as u16);
                checked.push(step);
                doubtful.extend(observers.varies(observer).then_some(step));
                let asked = Step { operation: observer, args: [object].into_iter().collect() };
                if is_receiver {
                    compared.ask(&steps[..usize::from(call.0)], &asked, step);
                }
                steps.push(asked);
            }
        }
    }
    Draft { steps, call, checked, doubtful, compared, chance }
}

/// The finished case, if both runs agree on how it ends.
fn assemble(
    draft: Draft,
    witness: &Witness,
    was: Option<&Observation>,
    [once, again]: [&Observation; 2],
    past_exceptions: bool,
    wavers: bool,
) -> Option<(TestCase, Option<Expected>)> {
    for seen in [once, again] {
        let ended = match seen.outcome(draft.call)? {
            StepOutcome::Returned(_) => Ending::Returned,
            StepOutcome::Threw(thrown) => Ending::Threw(thrown.class.clone()),
            StepOutcome::Refused(_) => return None,
        };
        if ended != witness.ending || !seen.is_harmless() {
            return None;
        }
    }
    let caught = caught(once, again, draft.call)?;
    if !caught.is_empty() && !past_exceptions {
        return None;
    }
    let mut checks = Vec::new();
    let mut kept = vec![true; draft.steps.len()];
    let mut result = None;
    let of_receiver = |step: &StepId| draft.compared.pairs.iter().any(|(_, after)| after == step);
    let is_told = draft
        .checked
        .iter()
        .enumerate()
        .any(|(request, step)| !of_receiver(step) && agreed(once, again, request, *step).is_some());
    let dull = draft.compared.dull(was, once, is_told);
    for (request, &step) in draft.checked.iter().enumerate() {
        let is_doubtful = wavers && draft.doubtful.contains(&step);
        let asserted =
            if is_doubtful || dull.contains(&step) { None } else { agreed(once, again, request, step) };
        match asserted {
            Some(found) => {
                if step == draft.call {
                    result = Some(found.clone());
                }
                checks.push(Check { step, expected: found });
            }
            None if step != draft.call => kept[usize::from(step.0)] = false,
            None => {}
        }
    }
    let is_given =
        draft.checked.contains(&draft.call) && [once, again].iter().all(|seen| is_object(seen, draft.call));
    if checks.is_empty() && is_given {
        result = Some(Expected::NotNull);
        checks.push(Check { step: draft.call, expected: Expected::NotNull });
    }
    let (steps, place) = compact(&draft.steps, &kept);
    for check in &mut checks {
        check.step = StepId(place[usize::from(check.step.0)]);
    }
    let ending = match &witness.ending {
        Ending::Returned => Ends::Returns,
        Ending::Threw(class) => {
            let message = stable_message(once.thrown(draft.call)?, again.thrown(draft.call)?);
            let message = message.filter(|_| draft.chance == Chance::Nothing);
            Ends::Throws { class: class.clone(), message }
        }
    };
    let (name, notes) = (String::new(), Vec::new());
    Some((TestCase { name, steps, checks, caught, ending, notes, raw: false }, result))
}

/// Steps before the call that threw the same in both runs; none if the runs differ.
pub(crate) fn caught(once: &Observation, again: &Observation, call: StepId) -> Option<Vec<Caught>> {
    let mut found = Vec::new();
    for step in (0..call.0).map(StepId) {
        match (once.thrown(step), again.thrown(step)) {
            (None, None) => {}
            (Some(one), Some(other)) if one.class == other.class => {
                let message = stable_message(one, other);
                found.push(Caught { step, class: one.class.clone(), message });
            }
            _ => return None,
        }
    }
    Some(found)
}

/// The message of an exception, if it is worth asserting.
fn stable_message(one: &Thrown, other: &Thrown) -> Option<JavaString> {
    let stable = one.message.clone().filter(|text| Some(text) == other.message.as_ref());
    stable.filter(|text| is_plain_message(&text.to_lossy()) && !is_worded_by_the_jdk(one))
}

/// Whether an exception comes from within the JDK, which words its messages anew from release to release.
fn is_worded_by_the_jdk(thrown: &Thrown) -> bool {
    // What is handed to `Objects.requireNonNull` are the caller's own words.
    let hands_on = |frame: &&Frame| {
        frame.class.as_internal() == "java/util/Objects" && frame.method.starts_with("requireNonNull")
    };
    let thrower = thrown.frames.iter().find(|frame| !hands_on(frame));
    thrower.is_some_and(|frame| {
        let class = frame.class.as_internal();
        ["java/", "javax/", "jdk/", "sun/", "com/sun/"].iter().any(|jdk| class.starts_with(jdk))
    })
}

/// Whether a step gave an object.
pub(crate) fn is_object(seen: &Observation, step: StepId) -> bool {
    matches!(seen.value(step), Some(Value::Object { .. } | Value::Array { .. } | Value::String { .. }))
}

/// Parts of names that stand-ins have in one JVM only.
const NAMED_BY_US: [&str; 3] = ["Probat$", "$$Lambda", "ProbatTest$"];

/// Messages that name classes, modules or addresses differ between JVMs.
fn is_plain_message(text: &str) -> bool {
    text.len() <= 200
        && !text.contains('@')
        && !text.contains("module ")
        && !text.contains("because \"")
        && !NAMED_BY_US.iter().any(|name| text.contains(name))
}

/// What both runs saw of a step, if an assertion can spell it.
fn agreed(once: &Observation, again: &Observation, request: usize, step: StepId) -> Option<Expected> {
    let of = |seen: &Observation| {
        let stored: Option<StoredState> =
            seen.states.get(request).cloned().flatten().and_then(|state| state.stored);
        expected(seen.value(step)?, stored.as_ref())
    };
    let (one, two) = (of(once)?, of(again)?);
    // Through text, so that a NaN agrees with itself.
    (format!("{one:?}") == format!("{two:?}")).then_some(one)
}

pub(crate) fn compact(steps: &[Step], kept: &[bool]) -> (Vec<Step>, Vec<u16>) {
    let mut place = vec![0u16; steps.len()];
    let mut out: Vec<Step> = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        if kept[at] {
            place[at] = out.len() as u16;
            let args = step.args.iter().map(|arg| StepId(place[usize::from(arg.0)])).collect();
            out.push(Step { operation: step.operation, args });
        }
    }
    (out, place)
}
