//! What was compared where a branch was not taken.
//!
//! In: comparisons that always came out one way, and the runs that made them. Out: their operands, seen by running those again with the
//! comparisons watched. The search itself watches comparisons only where that pays.

use std::collections::BTreeMap;

use probat_model::{Operand, ProbeId};
use probat_protocol::{Item, Observe, Reset, Values};
use probat_search::campaign::Campaign;
use probat_search::executor::Executor;
use probat_supervisor::{ProbeTable, SiteKind};

use super::{Compares, Unreached, Why};

/// Runs made to learn operands.
const RUNS: usize = 3000;

/// Runs made together, between looks at the clock.
const AT_ONCE: usize = 250;

/// Pairs of operands told per comparison.
const PAIRS: usize = 3;

/// Units of a text that are shown.
const SHOWN: usize = 40;

/// What to find out, and how long that may take.
pub(crate) struct Asked<'a> {
    pub campaign: &'a Campaign<'a>,
    /// With comparisons watched.
    pub probes: &'a ProbeTable,
    pub compares: &'a [Compares],
    pub is_late: &'a dyn Fn() -> bool,
}

/// Runs what made the comparisons again and notes what was compared.
pub(crate) fn ask<E: Executor>(
    asked: &Asked<'_>,
    executor: &mut E,
    unreached: &mut [Unreached],
) -> Result<(), E::Error> {
    // Sites to watch, by the edge whose shortest run passes them.
    let mut wanted: BTreeMap<ProbeId, Vec<u32>> = BTreeMap::new();
    let mut sites: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for one in asked.compares {
        if let Some(site) = asked.probes.site_at(one.method, one.node) {
            let at = wanted.entry(one.instead).or_default();
            if !at.contains(&site) {
                at.push(site);
            }
            sites.entry(site).or_default().push(one.unreached);
        }
    }
    let runs: Vec<(ProbeId, Vec<u32>)> = wanted.into_iter().take(RUNS).collect();
    for chunk in runs.chunks(AT_ONCE) {
        if (asked.is_late)() {
            break;
        }
        let items = chunk.iter().filter_map(|(edge, sites)| item(asked.campaign, *edge, sites)).collect();
        for seen in executor.run(&asked.campaign.catalogue.operations, items)? {
            for compared in &seen.compared {
                let Some(branches) = sites.get(&compared.site) else { continue };
                let kind = &asked.probes.sites()[compared.site as usize].kind;
                let pair = (in_words(&compared.left, kind), right(&compared.right, kind));
                branches.iter().for_each(|&at| note(&mut unreached[at].why, &pair));
            }
        }
    }
    Ok(())
}

fn item(campaign: &Campaign<'_>, edge: ProbeId, sites: &[u32]) -> Option<Item> {
    let witness = campaign.archive().witness(edge)?;
    let table = &campaign.catalogue.operations;
    let sequence = probat_model::Sequence::from_steps(table, witness.steps.clone()).ok()?;
    let observe = Observe { values: Values::All, sites: sites.to_vec(), ..Observe::default() };
    Some(Item {
        sequence,
        observe,
        reset: Reset::Fields,
        past_exceptions: campaign.config.past_exceptions,
        ..Item::default()
    })
}

fn note(why: &mut Why, pair: &(String, String)) {
    if let Why::Comparison { seen, .. } = why
        && seen.len() < PAIRS
        && !seen.contains(pair)
    {
        seen.push(pair.clone());
    }
}

/// The right operand; of a switch or a class there is none.
fn right(operand: &Operand, kind: &SiteKind) -> String {
    match kind {
        SiteKind::Keys(_) | SiteKind::Class(_) => String::new(),
        SiteKind::Integers { .. } | SiteKind::Floats | SiteKind::References => in_words(operand, kind),
    }
}

fn in_words(operand: &Operand, kind: &SiteKind) -> String {
    match (operand, kind) {
        (Operand::Bits(bits), SiteKind::Floats) => f64::from_bits(bits.cast_unsigned()).to_string(),
        (Operand::Bits(bits), _) => bits.to_string(),
        (Operand::Text(text), _) => {
            let text = text.to_lossy();
            let cut: String = text.chars().take(SHOWN).collect();
            let dots = if cut.len() < text.len() { "…" } else { "" };
            format!("{cut:?}{dots}")
        }
        (Operand::Null, _) => "null".into(),
        (Operand::Object { class }, _) => class.to_string(),
    }
}
