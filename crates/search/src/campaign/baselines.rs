//! The techniques that ours and those of the sources are compared with. Everything but the choice of what to try is shared: with directed
//! random testing where spec 001 compares (§3.2–3.4), with RecGen where spec 004 does (§6.1).
//!
//! In: nothing. Out: configurations.

use super::CampaignConfig;
use crate::assemble::AssembleConfig;
use crate::strategy::Strategy;

impl CampaignConfig {
    /// As directed random testing runs, without its repetition of calls.
    fn beside_drt(strategy: Strategy) -> Self {
        let drt = CampaignConfig::drt();
        CampaignConfig { strategy, assemble: AssembleConfig { repeat: 0.0, ..drt.assemble }, ..drt }
    }

    /// Terms from the top down (spec 001 §2.2, TD).
    pub fn top_down() -> Self {
        CampaignConfig::beside_drt(Strategy::top_down())
    }

    /// Terms from the bottom up (spec 001 §2.2, BU), of legal ones only if asked for (BU/L).
    pub fn bottom_up(legal: bool) -> Self {
        CampaignConfig::beside_drt(Strategy::bottom_up(legal))
    }

    /// A random walk (spec 001 §2.2, RW).
    pub fn random_walk() -> Self {
        CampaignConfig::beside_drt(Strategy::random_walk())
    }

    /// Directed random testing without filters and heuristics (spec 001 §2.2, RPu).
    pub fn drt_unpruned() -> Self {
        CampaignConfig::beside_drt(Strategy::drt_unpruned())
    }

    fn beside_recgen(strategy: Strategy) -> Self {
        CampaignConfig { strategy, ..CampaignConfig::recgen() }
    }

    /// Undirected generation over a graph of types (spec 004 §5).
    pub fn undirected() -> Self {
        CampaignConfig::beside_recgen(Strategy::undirected())
    }

    /// Feedback-directed generation (spec 004 §5).
    pub fn feedback() -> Self {
        CampaignConfig::beside_recgen(Strategy::feedback())
    }

    /// Adaptive random generation (spec 004 §5).
    pub fn adaptive() -> Self {
        CampaignConfig::beside_recgen(Strategy::adaptive())
    }
}
