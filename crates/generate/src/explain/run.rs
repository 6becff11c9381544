//! The explanation of a run, after everything else is done.
//!
//! In: the job and what it found. Out: every branch not reached, with its reason and what was compared there. Starts JVMs of its own to look at
//! comparisons; if they cannot be had, operands are missing from the reasons and nothing else.

use std::time::{Duration, Instant};

use probat_search::campaign::Campaign;
use probat_supervisor::{Fleet, ProbeTable};

use super::operands::{Asked, ask};
use super::{Compares, Evidence, Unreached, explain};
use crate::executor::FleetExecutor;
use crate::job::Job;
use crate::workers::fleet_config;

/// Time kept for explaining, of all there is.
pub(crate) fn reserve(time_limit: Duration) -> Duration {
    time_limit.mul_f64(0.05).clamp(Duration::from_secs(1), Duration::from_secs(6)).min(time_limit / 2)
}

/// The reasons alone.
pub(crate) fn reasons(evidence: &Evidence<'_, '_>) -> Reasons {
    let (unreached, compares) = explain(evidence);
    Reasons { unreached, compares }
}

/// Reasons, and the comparisons among them.
pub(crate) struct Reasons {
    unreached: Vec<Unreached>,
    compares: Vec<Compares>,
}

impl Reasons {
    /// Adds what was compared. With a deadline, as far as there is time.
    pub fn with_operands(
        mut self,
        job: &Job<'_>,
        campaign: &Campaign<'_>,
        probes: &mut ProbeTable,
        deadline: Option<Instant>,
    ) -> Vec<Unreached> {
        if probes.sites().is_empty() {
            probes.watch_comparisons(|name| job.classes.find(name).ok().flatten().map(|found| found.bytes));
        }
        let is_late = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let asked = Asked { campaign, probes, compares: &self.compares, is_late: &is_late };
        if let Ok(mut fleet) = Fleet::start(fleet_config(job, &probes.instrumentation)) {
            // Workers that give up here cost operands, no reasons.
            let _ = ask(&asked, &mut FleetExecutor(&mut fleet), &mut self.unreached);
        }
        self.unreached
    }
}
