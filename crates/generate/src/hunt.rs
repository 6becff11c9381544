//! The search against the clock.
//!
//! In: a campaign, a fleet, limits. Out: why it ended; everything found is in the campaign.
//! The number of rounds in flight depends on the rounds drawn alone, so that the workers never wait for the search and the result does not depend on how fast they are.
//! A search that need not be repeated keeps fewer and smaller rounds in flight where code is slow: what stops calls is to be learned in moments, not in minutes.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use probat_model::Observation;
use probat_search::campaign::{Campaign, CampaignConfig, Draft};
use probat_search::strategy::Sequences;
use probat_supervisor::{Fleet, FleetError};

use crate::budget::Afterwards;

/// When to stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HuntLimits {
    pub time: Option<Duration>,
    /// What is kept of that time for what comes after the search.
    pub afterwards: Afterwards,
    /// Executed steps.
    pub steps: Option<u64>,
    pub plateau: Plateau,
    pub in_flight: InFlight,
}

/// Rounds under way at a time: few at first, when every lesson counts, and more later, so that workers have something to do while one of them waits
/// for a call that sleeps. Depends on nothing but the rounds drawn, because what is drawn depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InFlight {
    pub first: usize,
    pub most: usize,
    /// Rounds drawn before there is room for one more.
    pub one_more_after: usize,
    /// Rounds follow the pace of the code.
    pub is_paced: bool,
}

/// Rounds under way at a time.
const FEW: usize = 3;

/// The same once a search is in full swing: what two workers do in about half a second.
const MANY: usize = 16;

impl InFlight {
    /// What suits a search. Those of others learn from every run, or as soon as may be.
    pub fn of(campaign: &CampaignConfig) -> Self {
        let is_ours = matches!(campaign.strategy.sequences, Sequences::LeastUsed);
        InFlight { first: FEW, most: if is_ours { MANY } else { FEW }, one_more_after: 8, is_paced: false }
    }

    /// The same, but slow code has less under way.
    pub fn paced(self, is_paced: bool) -> Self {
        InFlight { is_paced, ..self }
    }

    /// How many may be under way once so many were drawn.
    fn room(self, drawn: usize) -> usize {
        (self.first + drawn / self.one_more_after.max(1)).min(self.most.max(self.first))
    }
}

/// How fast sequences are run, lately.
#[derive(Debug, Clone, Copy)]
struct Pace {
    since: Instant,
    sequences: u64,
    /// Sequences per second before that.
    before: f64,
}

/// How long a pace is measured.
const STRIDE: Duration = Duration::from_millis(500);

/// What a pace is taken to be before it is known: slow code is met as often as fast code, and less is lost by thinking too low of it.
const UNKNOWN_PACE: f64 = 2_000.0;

/// Of a round, at least so many, and of what is under way: enough for all workers but one while that one waits for a call that sleeps.
const LEAST_ROUND: usize = 64;
const LEAST_UNDER_WAY: usize = 512;

/// How long what is under way may take, and a round.
const UNDER_WAY: f64 = 1.0;
const ROUND: f64 = 0.1;

impl Pace {
    fn new() -> Self {
        Pace { since: Instant::now(), sequences: 0, before: UNKNOWN_PACE }
    }

    /// Sequences per second as of now.
    fn note(&mut self, sequences: u64) -> f64 {
        let passed = self.since.elapsed();
        let lately = (sequences - self.sequences) as f64 / passed.as_secs_f64().max(0.001);
        if passed < STRIDE {
            return self.before;
        }
        *self = Pace { since: Instant::now(), sequences, before: lately };
        lately
    }
}

/// How many sequences may be under way at a pace, and how many of them in a round of at most so many.
fn at_pace(pace: f64, round: usize) -> (usize, usize) {
    let under_way = (pace * UNDER_WAY) as usize;
    (under_way.max(LEAST_UNDER_WAY), ((pace * ROUND) as usize).clamp(LEAST_ROUND.min(round), round))
}

/// When nothing new is a reason to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plateau {
    Never,
    /// No edge was new for so long.
    After(Duration),
    /// No edge was new for half of the time so far, which is at least [`SETTLE`].
    HalfOfTheTime,
}

/// How long a search is given before it can be said to have settled.
const SETTLE: Duration = Duration::from_secs(10);

impl Plateau {
    /// Whether a search that ran for `elapsed` and found nothing for `barren` has settled.
    pub fn is_reached(self, elapsed: Duration, barren: Duration) -> bool {
        match self {
            Plateau::Never => false,
            Plateau::After(patience) => barren >= patience,
            Plateau::HalfOfTheTime => elapsed >= SETTLE && barren * 2 >= elapsed,
        }
    }
}

/// Why the hunt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HuntEnd {
    Time,
    Steps,
    Plateau,
    /// Nothing left to try: every draw repeats.
    Exhausted,
    Stopped,
}

/// Where the hunt is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HuntProgress {
    pub elapsed: Duration,
    pub sequences: u64,
    /// Executed steps; as a step limit, the last number told repeats the search.
    pub steps: u64,
    pub legal: u64,
    pub states: usize,
    pub edges: usize,
    pub of_edges: u32,
    pub failures: usize,
    /// Since the last new edge.
    pub barren: Duration,
}

/// How a hunt went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hunted {
    pub end: HuntEnd,
    /// Rounds were left behind because the time was over; the fleet is still busy with them.
    pub is_busy: bool,
    /// How long the search waited for results.
    pub waited: Duration,
    /// How long a run took, all workers together.
    pub run: Duration,
}

/// How long rounds that are in flight may take when the time is over.
const GRACE: Duration = Duration::from_millis(500);

/// The time kept for them before it is over, at most. Nothing is drawn then, so that as many steps give the same again.
const LONGEST_DRAIN: Duration = Duration::from_secs(1);

/// Runs rounds until a limit is reached or `stop` says so.
///
/// Only whole rounds count, in order, so that as many steps as were executed in them give the same again.
pub fn hunt(
    campaign: &mut Campaign<'_>,
    fleet: &mut Fleet,
    limits: &HuntLimits,
    stop: &dyn Fn() -> bool,
    progress: &mut dyn FnMut(&HuntProgress, &mut Campaign<'_>),
) -> Result<Hunted, FleetError> {
    let start = Instant::now();
    // Until when results are waited for: as long as the search may take, as it looks then.
    let mut last_call;
    // When, how many edges there were, and after how many runs.
    let mut last_gain = (Instant::now(), campaign.archive().edges(), 0);
    let mut flying = VecDeque::new();
    let (mut drawn, mut empty_rounds) = (0, 0);
    let mut waited = Duration::ZERO;
    // How long the last round collected was under way, as those still under way will be.
    let mut latency = Duration::ZERO;
    // Steps submitted so far: counted ahead of time, so that a limit is met almost to the step.
    let (mut planned, most) = (0u64, limits.steps.unwrap_or(u64::MAX));
    let (mut pace, largest_round) = (Pace::new(), campaign.config.round);
    let mut under_way = 0;
    let end = loop {
        let sequences = campaign.totals().sequences;
        let sofar = Sofar {
            elapsed: start.elapsed() + latency.min(LONGEST_DRAIN),
            sequences,
            tests: campaign.archive().outcomes(),
            barren: last_gain.0.elapsed(),
            barren_runs: sequences - last_gain.2,
        };
        last_call = search_time(&sofar, limits).map(|time| start + time + GRACE);
        if let Some(end) = over(&sofar, limits) {
            break end;
        }
        if stop() {
            break HuntEnd::Stopped;
        }
        let mut most_under_way = usize::MAX;
        if limits.in_flight.is_paced {
            (most_under_way, campaign.config.round) = at_pace(pace.note(sequences), largest_round);
        }
        while flying.len() < limits.in_flight.room(drawn) && under_way < most_under_way && planned < most {
            let mut round = campaign.round();
            drawn += 1;
            cut(&mut round, &mut planned, most);
            let items = round.iter().map(|candidate| campaign.item(candidate)).collect::<Vec<_>>();
            empty_rounds = if items.is_empty() { empty_rounds + 1 } else { 0 };
            if items.is_empty() {
                break;
            }
            under_way += items.len();
            fleet.submit(&campaign.catalogue.operations, items)?;
            flying.push_back((round, Instant::now()));
        }
        if flying.is_empty() && planned >= most {
            break HuntEnd::Steps;
        }
        if empty_rounds > 20 && flying.is_empty() {
            break HuntEnd::Exhausted;
        }
        let Some((round, submitted)) = flying.pop_front() else { continue };
        let asked = Instant::now();
        let collected = collect(fleet, last_call, stop)?;
        waited += asked.elapsed();
        let Some(seen) = collected else {
            flying.push_front((round, submitted));
            break if stop() { HuntEnd::Stopped } else { HuntEnd::Time };
        };
        latency = submitted.elapsed();
        under_way -= round.len();
        campaign.absorb(round, seen);
        if campaign.archive().edges() > last_gain.1 {
            last_gain = (Instant::now(), campaign.archive().edges(), campaign.totals().sequences);
        }
        progress(&now(campaign, start, last_gain.0), campaign);
    };
    let is_busy = drain(campaign, fleet, flying, last_wait(end, last_call))?;
    progress(&now(campaign, start, last_gain.0), campaign);
    let run = per_run(start.elapsed(), campaign.totals().sequences);
    Ok(Hunted { end, is_busy, waited, run })
}

/// How often it is looked whether to stop while results are waited for.
const LOOK: Duration = Duration::from_millis(100);

/// The results of the oldest round, or nothing if they are not there in time, or before the search is stopped.
fn collect(
    fleet: &mut Fleet,
    last_call: Option<Instant>,
    stop: &dyn Fn() -> bool,
) -> Result<Option<Vec<Observation>>, FleetError> {
    loop {
        let next_look = Instant::now() + LOOK;
        let until = last_call.map_or(next_look, |last_call| last_call.min(next_look));
        if let Some((_, seen)) = fleet.collect_until(until)? {
            return Ok(Some(seen));
        }
        if stop() || last_call.is_some_and(|last_call| Instant::now() >= last_call) {
            return Ok(None);
        }
    }
}

/// Until when rounds that are under way are waited for once the search has ended.
fn last_wait(end: HuntEnd, last_call: Option<Instant>) -> Option<Instant> {
    let now = Instant::now();
    match last_call {
        _ if end == HuntEnd::Stopped => Some(now + GRACE),
        Some(over) if over <= now => Some(over),
        last_call => last_call.map(|last_call| last_call.max(now + GRACE)),
    }
}

/// A round with when it was submitted.
type Flying = (Vec<Draft>, Instant);

/// Learns from the rounds under way, as far as their results come in time; whether any are left behind.
fn drain(
    campaign: &mut Campaign<'_>,
    fleet: &mut Fleet,
    mut flying: VecDeque<Flying>,
    last_call: Option<Instant>,
) -> Result<bool, FleetError> {
    while let Some((round, submitted)) = flying.pop_front() {
        let Some(seen) = collect(fleet, last_call, &|| false)? else {
            flying.push_front((round, submitted));
            break;
        };
        campaign.absorb(round, seen);
    }
    let is_busy = !flying.is_empty();
    if is_busy && campaign.totals().sequences == 0 {
        // Not even the first round came to its end: what did end of the rounds is all there is to tell.
        for ((round, _), (_, seen)) in flying.into_iter().zip(fleet.salvage()) {
            let ended = round.into_iter().zip(seen).filter_map(|(draft, seen)| Some((draft, seen?)));
            let (round, seen) = ended.unzip();
            campaign.absorb(round, seen);
        }
    }
    Ok(is_busy)
}

/// Leaves of a round what the step limit allows, and counts it. Nothing is drawn after a round that was cut.
fn cut(round: &mut Vec<Draft>, planned: &mut u64, most: u64) {
    let fits = |draft: &Draft| {
        let before = *planned;
        *planned += draft.cost();
        before < most
    };
    let kept = round.iter().map(fits).take_while(|fits| *fits).count();
    round.truncate(kept);
}

fn now(campaign: &Campaign<'_>, start: Instant, last_gain: Instant) -> HuntProgress {
    let totals = campaign.totals();
    HuntProgress {
        elapsed: start.elapsed(),
        sequences: totals.sequences,
        steps: totals.steps,
        legal: totals.legal,
        states: campaign.states(),
        edges: campaign.archive().edges(),
        of_edges: campaign.catalogue.probes,
        failures: campaign.failures().count(),
        barren: last_gain.elapsed(),
    }
}

/// Runs without news after which there may be none, however long they took: on a busy machine, or with slow calls, a long time without news can
/// be a short search.
const BARREN_RUNS: u64 = 2_000;

/// How far a search has come.
struct Sofar {
    elapsed: Duration,
    sequences: u64,
    /// Tests found.
    tests: usize,
    /// Since the last news.
    barren: Duration,
    barren_runs: u64,
}

fn over(sofar: &Sofar, limits: &HuntLimits) -> Option<HuntEnd> {
    if search_time(sofar, limits).is_some_and(|time| sofar.elapsed >= time) {
        return Some(HuntEnd::Time);
    }
    let settled = sofar.barren_runs >= BARREN_RUNS || matches!(limits.plateau, Plateau::After(_));
    (settled && limits.plateau.is_reached(sofar.elapsed, sofar.barren)).then_some(HuntEnd::Plateau)
}

/// How long a search may take, if its tests are to be finished and checked.
fn search_time(sofar: &Sofar, limits: &HuntLimits) -> Option<Duration> {
    let kept = limits.afterwards.time(sofar.tests, per_run(sofar.elapsed, sofar.sequences));
    limits.time.map(|time| time.saturating_sub(kept))
}

/// How long a run takes, all workers together.
fn per_run(elapsed: Duration, runs: u64) -> Duration {
    elapsed.div_f64(runs.max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_rounds_are_under_way_later() {
        let in_flight = InFlight { first: 3, most: 12, one_more_after: 8, is_paced: false };
        assert_eq!([0, 7, 8, 40, 72, 5000].map(|drawn| in_flight.room(drawn)), [3, 3, 4, 8, 12, 12]);
        let fixed = InFlight { first: 3, most: 3, one_more_after: 1, is_paced: false };
        assert_eq!([0, 100].map(|drawn| fixed.room(drawn)), [3, 3]);
    }

    #[test]
    fn slow_code_has_little_under_way() {
        assert_eq!(at_pace(50_000.0, 256), (50_000, 256));
        assert_eq!(at_pace(1_000.0, 256), (1_000, 100));
        assert_eq!(at_pace(3.0, 256), (512, 64));
        assert_eq!(at_pace(3.0, 8), (512, 8), "no more than a technique asks for");
    }

    #[test]
    fn few_runs_make_no_plateau() {
        let limits = HuntLimits {
            time: Some(Duration::from_secs(100)),
            afterwards: Afterwards::default(),
            steps: None,
            plateau: Plateau::HalfOfTheTime,
            in_flight: InFlight { first: 1, most: 1, one_more_after: 1, is_paced: false },
        };
        let sofar = |barren_runs| Sofar {
            elapsed: Duration::from_secs(30),
            sequences: 5_000,
            tests: 10,
            barren: Duration::from_secs(20),
            barren_runs,
        };
        assert_eq!(over(&sofar(100), &limits), None, "the machine had something else to do");
        assert_eq!(over(&sofar(4_000), &limits), Some(HuntEnd::Plateau));
        let told = HuntLimits { plateau: Plateau::After(Duration::from_secs(10)), ..limits };
        assert_eq!(over(&sofar(100), &told), Some(HuntEnd::Plateau), "the user said so");
    }

    /// spec 001 row 25
    #[test]
    fn a_plateau_is_time_without_news() {
        let seconds = Duration::from_secs;
        let patient = Plateau::After(seconds(100));
        assert!(
            !patient.is_reached(seconds(500), seconds(99)) && patient.is_reached(seconds(500), seconds(100))
        );
        let half = Plateau::HalfOfTheTime;
        assert!(!half.is_reached(seconds(9), seconds(9)), "too early to tell");
        assert!(!half.is_reached(seconds(60), seconds(29)) && half.is_reached(seconds(60), seconds(30)));
        assert!(!Plateau::Never.is_reached(seconds(5000), seconds(5000)));
    }
}
