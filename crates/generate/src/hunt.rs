//! The search against the clock.
//!
//! In: a campaign, a fleet, limits. Out: why it ended; everything found is in the campaign.
//! A fixed number of rounds is in flight, so that the workers never wait for the search and the result does not depend on how fast they are.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use probat_search::campaign::Campaign;
use probat_supervisor::{Fleet, FleetError};

/// When to stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HuntLimits {
    pub time: Option<Duration>,
    /// Executed steps.
    pub steps: Option<u64>,
    /// Stop when no edge was new for this share of the time so far, in percent, but not before `settle`.
    pub plateau_percent: Option<u32>,
    pub settle: Duration,
    /// Rounds in flight.
    pub in_flight: usize,
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

/// Runs rounds until a limit is reached or `stop` says so.
pub fn hunt(
    campaign: &mut Campaign<'_>,
    fleet: &mut Fleet,
    limits: &HuntLimits,
    stop: &dyn Fn() -> bool,
    progress: &mut dyn FnMut(&HuntProgress),
) -> Result<HuntEnd, FleetError> {
    let start = Instant::now();
    let mut last_gain = (Instant::now(), campaign.archive().edges());
    let mut flying = VecDeque::new();
    let mut empty_rounds = 0;
    let end = loop {
        if let Some(end) = over(campaign, limits, start, last_gain.0) {
            break end;
        }
        if stop() {
            break HuntEnd::Stopped;
        }
        while flying.len() < limits.in_flight {
            let round = campaign.round();
            let items = round.iter().map(|candidate| campaign.item(candidate)).collect::<Vec<_>>();
            empty_rounds = if items.is_empty() { empty_rounds + 1 } else { 0 };
            if items.is_empty() {
                break;
            }
            fleet.submit(&campaign.catalogue.operations, items)?;
            flying.push_back(round);
        }
        if empty_rounds > 20 && flying.is_empty() {
            break HuntEnd::Exhausted;
        }
        let Some(round) = flying.pop_front() else { continue };
        let (_, seen) = fleet.collect()?;
        campaign.absorb(round, seen);
        if campaign.archive().edges() > last_gain.1 {
            last_gain = (Instant::now(), campaign.archive().edges());
        }
        progress(&now(campaign, start, last_gain.0));
    };
    for round in flying {
        let (_, seen) = fleet.collect()?;
        campaign.absorb(round, seen);
    }
    Ok(end)
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

fn over(campaign: &Campaign<'_>, limits: &HuntLimits, start: Instant, last_gain: Instant) -> Option<HuntEnd> {
    let elapsed = start.elapsed();
    if limits.time.is_some_and(|limit| elapsed >= limit) {
        return Some(HuntEnd::Time);
    }
    if limits.steps.is_some_and(|limit| campaign.totals().steps >= limit) {
        return Some(HuntEnd::Steps);
    }
    let percent = limits.plateau_percent?;
    let barren = last_gain.elapsed();
    (elapsed >= limits.settle && barren.as_millis() * 100 >= elapsed.as_millis() * u128::from(percent))
        .then_some(HuntEnd::Plateau)
}
