//! From what a search found to a suite that can be checked.
//!
//! In: a campaign that is over, and its workers. Out: tests that pass, worth their lines, and tests that fail, by file; failures by cause; and what is
//! not among them and why. Against the clock, tests come before failures, and both leave what checking will take.

use std::time::{Duration, Instant};

use probat_model::ProbeId;
use probat_protocol::Instrumentation;
use probat_search::campaign::Campaign;
use probat_search::catalogue::CallableId;
use probat_supervisor::{Fleet, FleetStats};

use crate::alone::drop_dependent;
use crate::blame::blame;
use crate::budget::{finishing, room};
use crate::deadline::Deadline;
use crate::executor::FleetExecutor;
use crate::failing::failing;
use crate::finish::{Finish, Finished, Wanted, finish};
use crate::hunt::Hunted;
use crate::job::{Job, JobError};
use crate::options::Kinds;
use crate::phase::{Clock, Phase};
use crate::simplify::{Simplification, simplify};
use crate::size::{LeftOut, Size, choose};
use crate::suite::{Purpose, SuiteFile, group};
use crate::triage::{Facts, Triaged, triage};
use crate::workers::{fleet_config, second_config};

/// What a search left.
pub(crate) struct Found<'a> {
    pub hunted: &'a Hunted,
    pub instrumentation: &'a Instrumentation,
    pub facts: &'a dyn Facts,
    /// When everything should be done, checks included.
    pub deadline: Option<Instant>,
}

/// What came of it.
pub(crate) struct WrappedUp {
    pub suite: Vec<SuiteFile>,
    /// One per cause, the strongest first.
    pub failures: Vec<Triaged>,
    pub simplification: Option<Simplification>,
    /// Tests there was no time for.
    pub left_out: usize,
    pub too_long: LeftOut,
    /// Whose tests behaved differently in a fresh JVM, and the edges those took.
    pub unstable: Vec<CallableId>,
    pub unstable_edges: Vec<ProbeId>,
    pub fleet: FleetStats,
}

/// Finishes tests and judges failures.
pub(crate) fn wrap_up(
    job: &Job<'_>,
    clock: &mut Clock<'_>,
    campaign: &mut Campaign<'_>,
    mut fleet: Fleet,
    found: &Found<'_>,
    stop: &dyn Fn() -> bool,
) -> Result<WrappedUp, JobError> {
    let mut stats = fleet.stats();
    if found.hunted.is_busy {
        // New workers are sooner ready than those that still have calls to make.
        drop(fleet);
        fleet = Fleet::start(fleet_config(job, found.instrumentation))?;
    }
    let mut second = Fleet::start(second_config(job, found.instrumentation))?;
    let mut one = FleetExecutor(&mut fleet);
    let mut two = FleetExecutor(&mut second);
    let now = Instant::now();
    let time = found.deadline.map(|deadline| {
        let left = deadline.saturating_duration_since(now);
        finishing(&job.options, left, campaign.archive().outcomes(), found.hunted.run)
    });
    let until = |time: Option<Duration>| Deadline { start: now, time, stop };
    let (for_passing, for_all) = (until(time.map(|time| time.passing)), until(time.map(|time| time.all)));
    let simplification = match job.options.simplification {
        true => Some(simplify(campaign, &mut one, &|| for_passing.is_late(1.0))?),
        false => None,
    };
    let size = if job.options.campaign.keep_all { Size::All } else { job.options.size };
    let mut finished = match job.options.kinds {
        Kinds::Both | Kinds::Regression => {
            let wanted = Wanted { size, most: room(&job.options) };
            finish(campaign, &mut one, &mut two, wanted, &for_passing)?
        }
        Kinds::Errors => Finish::default(),
    };
    let mut too_long = std::mem::take(&mut finished.too_long);
    choose(&mut finished.tests, &campaign.catalogue.operations, size, &mut too_long);
    if !job.options.campaign.keep_all {
        drop_dependent(campaign, &mut finished, &mut two, &for_all)?;
    }
    clock.enter(Phase::Judging);
    blame(campaign, &mut one, &|| for_all.is_late(1.0))?;
    let failures = triage(campaign, &mut one, found.facts, &for_all)?;
    let failing = match job.options.kinds {
        Kinds::Both | Kinds::Errors => {
            let (contracts, accepted) = (&job.options.contracts, &job.options.accepted);
            failing(campaign, &mut one, &failures, contracts, accepted)?
        }
        Kinds::Regression => Vec::new(),
    };
    if !found.hunted.is_busy {
        stats = fleet.stats();
    }
    drop(second);
    drop(fleet);
    if let Some(most) = job.options.max_tests {
        finished.tests.sort_by_key(|test| std::cmp::Reverse(test.needs));
        finished.tests.truncate(most);
    }
    let suite = suite(campaign, finished.tests, failing);
    let Finish { unstable, unstable_edges, left_out, .. } = finished;
    let fleet = stats;
    Ok(WrappedUp { suite, failures, simplification, left_out, too_long, unstable, unstable_edges, fleet })
}

/// Tests by file, with what visitors have to say of them.
fn suite(campaign: &Campaign<'_>, mut passing: Vec<Finished>, mut failing: Vec<Finished>) -> Vec<SuiteFile> {
    for test in passing.iter_mut().chain(&mut failing) {
        test.case.notes.extend(campaign.remarks(&test.case.steps));
    }
    let purpose = if campaign.config.keep_all { Purpose::PassingAlone } else { Purpose::Passing };
    let mut suite = group(&campaign.catalogue, passing, purpose);
    suite.extend(group(&campaign.catalogue, failing, Purpose::Failing));
    suite
}
