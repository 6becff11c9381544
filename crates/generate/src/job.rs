//! One run of `generate`, from classes to sources that passed.
//!
//! In: [`Job`]. Out: [`Outcome`], text only: where files go is the caller's business.
//! The order of things is here; how time is shared out is in `budget`, what becomes of what was found in `wrap_up`.

use std::cell::RefCell;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Instant;

use probat_analysis::{ClassSource, Member, World};
use probat_classpath::{ClassPathError, Classes, ReleaseApi};
use probat_emit::Style;
use probat_model::{ClassName, Operation, Step};
use probat_script::Types;
use probat_search::campaign::{Campaign, CampaignConfig};
use probat_search::catalogue::Catalogue;
use probat_search::feedback::Place;
use probat_search::relevance_table::RelevanceTable;
use probat_search::strategy::Sequences;
use probat_search::substitute::Compares;
use probat_search::visitor::CallCounter;
use probat_supervisor::{
    Fleet, FleetError, ProbeTable, ProbedSite, SiteKind, StartError, WorkerCommand, describe, plan_probes,
};
use probat_survey::{Clues, Lineage, Probes, SourceScope, Untestable, survey};

use crate::account::Account;
use crate::budget::hunt_limits;
use crate::deadly::deadly;
use crate::explain::{self, Evidence};
use crate::hunt::{HuntLimits, HuntProgress, hunt};
use crate::options::{Annotate, Java, JobOptions, Kinds, TableUse};
use crate::outcome::{Outcome, Profile};
use crate::phase::{Clock, Phase, Watch};
use crate::preview::Preview;
use crate::scripts::scripts;
use crate::shard;
use crate::suite::SuiteFile;
use crate::triage::FromClasses;
use crate::unfinished::Keeper;
use crate::verify::{Verification, Verifier, VerifyError, verify};
use crate::workers::{fleet_config, shares_work_alike};
use crate::wrap_up::{Found, WrappedUp, wrap_up};

/// Everything a run needs.
#[derive(Debug)]
pub struct Job<'a> {
    pub classes: &'a Classes,
    pub targets: Vec<ClassName>,
    pub class_path: Vec<PathBuf>,
    pub java: Java,
    /// Jars of the JUnit launcher; needed to verify.
    pub junit: Vec<PathBuf>,
    /// Where tests are written as scripts: the classes these name.
    pub scripts: Option<&'a dyn Types>,
    /// Where sources are compiled; removed by the caller.
    pub work: PathBuf,
    pub worker_command: WorkerCommand,
    pub options: JobOptions,
}

/// Why a run came to nothing.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    #[error("cannot start a worker")]
    Start(#[from] StartError),
    #[error("the workers are gone")]
    Fleet(#[from] FleetError),
    #[error("the tests could not be verified")]
    Verify(#[from] VerifyError),
    #[error("the JDK's table of earlier releases cannot be read")]
    Release(#[from] ClassPathError),
    #[error("the table of relevance is of other code: it has {there} where there is {here}")]
    Table { there: String, here: String },
    #[error("nothing can be tested: {0}")]
    Nothing(String),
}

struct Source<'a> {
    classes: &'a Classes,
    /// What source for the tests' release can name of the JDK, if that is not all.
    api: Option<ReleaseApi>,
}

impl<'a> Source<'a> {
    fn new(job: &'a Job<'_>) -> Result<Self, JobError> {
        let api = match job.java.release {
            Some(release) => ReleaseApi::open(&job.java.home, release)?,
            None => None,
        };
        Ok(Source { classes: job.classes, api })
    }

    fn is_of_jdk(&self, class: &ClassName) -> bool {
        self.classes.jdk.as_ref().is_some_and(|jdk| jdk.contains(class))
    }
}

impl ClassSource for Source<'_> {
    fn bytes(&self, name: &ClassName) -> Option<std::borrow::Cow<'_, [u8]>> {
        self.classes.find(name).ok().flatten().map(|found| found.bytes)
    }

    fn is_closed(&self, class: &ClassName) -> bool {
        self.classes.is_closed(class)
    }

    fn offers(&self, class: &ClassName, member: Option<Member<'_>>) -> bool {
        let Some(api) = self.api.as_ref().filter(|_| self.is_of_jdk(class)) else { return true };
        match member {
            Some(member) => api.declares(class, member.name, member.descriptor),
            None => api.has_class(class),
        }
    }
}

struct Planned<'a>(&'a ProbeTable);

impl Probes for Planned<'_> {
    fn of(&self, class: &ClassName, name: &str, descriptor: &str) -> Option<Range<u32>> {
        self.0.probes_of(class, name, descriptor)
    }

    fn count(&self) -> u32 {
        self.0.instrumentation.probes
    }
}

/// Edges up to which comparisons are watched. Code runs at half the speed then, which pays where most edges are found and the rest is
/// hidden behind values; in large libraries there is enough else to find.
const MOST_WATCHED: usize = 4_000;

/// Runs a job; `stop` ends the search early, and what was found is still finished.
pub fn run(job: &Job<'_>, watch: &mut dyn Watch, stop: &dyn Fn() -> bool) -> Result<Outcome, JobError> {
    let start = Instant::now();
    let mut clock = Clock::new(watch);
    clock.enter(Phase::Reading);
    let bytes =
        job.targets.iter().filter_map(|name| Some((name.clone(), job.classes.find(name).ok()??.bytes)));
    let mut probes = plan_probes(bytes);
    if job.options.campaign.literals.feedback && probes.edges().len() <= MOST_WATCHED {
        probes.watch_comparisons(|name| job.classes.find(name).ok().flatten().map(|found| found.bytes));
    }
    let source = Source::new(job)?;
    let world = RefCell::new(World::new(&source));
    let surveyed = survey(&world, &job.targets, &Planned(&probes), &job.options.survey);
    if surveyed.catalogue.callables.iter().all(|callable| callable.owner.is_none()) {
        return Err(JobError::Nothing(nothing_in_words(&surveyed.untestable)));
    }
    let lineage = Lineage { world: &world };
    clock.enter(Phase::Starting);
    let mut fleet = Fleet::start(fleet_config(job, &probes.instrumentation))?;
    let mut campaign = Campaign::new(surveyed.catalogue, &lineage, campaign_config(job));
    let initial = fleet.hello().initial_edges.clone();
    campaign.credit(&initial);
    campaign.watch(probes.sites().iter().map(place).collect());
    let relevance = relevance(job, &mut campaign)?;
    for annotate in &job.options.annotate {
        campaign.visit(match annotate {
            Annotate::Calls => Box::new(CallCounter::default()),
        });
    }
    job.options.seeds.iter().for_each(|seed| campaign.plant(&seed.table, &seed.sequence));
    if job.options.explain {
        campaign.keep_tally();
    }
    let resumed = job.options.resume.iter().map(|resume| resume.plant(&mut campaign)).sum();

    clock.enter(Phase::Searching);
    let limits = hunt_limits(&job.options, start.elapsed());
    let is_paced = !shares_work_alike(job);
    let limits = HuntLimits { in_flight: limits.in_flight.paced(is_paced), ..limits };
    // Probe ids have gaps; a person is told of edges.
    let of_edges = probes.edges().len() as u32;
    // With a step limit the same bytes come out every time, so nothing may depend on the clock.
    let is_shown = job.options.step_limit.is_none() && job.scripts.is_none();
    let mut preview = Preview::new(is_shown.then(|| fleet_config(job, &probes.instrumentation)));
    let style = style(&job.options);
    let scope = SourceScope::new(&world, job.java.release);
    let mut keeper = Keeper::new(job.options.unfinished.as_deref());
    let began = Instant::now();
    let hunted = hunt(&mut campaign, &mut fleet, &limits, stop, &mut |progress, campaign| {
        keeper.look(campaign);
        clock.watch.progress(&HuntProgress { of_edges, ..*progress });
        if let Some(test) = preview.look(campaign, &scope, &style) {
            clock.watch.first_test(&test);
        }
    })?;

    let stats = fleet.stats();
    let printed = job.options.show_output.then(|| fleet.output_tail());
    if job.options.search_only {
        clock.leave();
        let account = Account { campaign: &campaign, probes: &probes, targets: &job.targets };
        return Ok(Outcome { resumed, fleet: stats, times: clock.times, ..account.searched(hunted.end) });
    }
    clock.enter(Phase::Finishing);
    let profile = Profile {
        searched: began.elapsed(),
        waited: hunted.waited,
        own_cpu: stats.supervisor_cpu,
        worker_cpu: stats.worker_cpu,
        workers: job.options.workers,
    };
    let deadline = job.options.step_limit.is_none().then(|| start + job.options.time());
    let facts = FromClasses { clues: Clues { world: &world }, lineage: &lineage, scope: &scope };
    let found = Found { hunted: &hunted, instrumentation: &probes.instrumentation, facts: &facts, deadline };
    let WrappedUp {
        suite,
        mut failures,
        simplification,
        left_out,
        too_long,
        unstable,
        unstable_edges,
        fleet,
    } = wrap_up(job, &mut clock, &mut campaign, fleet, &found, stop)?;
    let mut checked = check(job, &mut clock, &campaign.catalogue, &world, suite, deadline)?;
    if job.options.kinds != Kinds::Regression {
        checked.files.extend(deadly(job, &campaign, &scope).map_err(VerifyError::from)?);
    }
    let passed = |steps: &Vec<Step>| checked.dropped.iter().any(|one| one.passed.as_ref() == Some(steps));
    failures.iter_mut().filter(|one| passed(&one.failure.steps)).for_each(|one| one.did_not_repeat());
    checked.edges.extend(initial);
    let reasons = job.options.explain.then(|| {
        clock.enter(Phase::Explaining);
        explain::reasons(&Evidence {
            campaign: &campaign,
            probes: &probes,
            world: &world,
            graph: &surveyed.graph,
            written: &checked.edges,
            dropped: &checked.dropped,
            unstable: &unstable_edges,
            too_long: &too_long.edges,
            excluded: &job.options.survey.excluded,
        })
    });
    let until = job.options.step_limit.is_none().then(|| start + job.options.time_limit);
    let unreached = reasons.map(|reasons| reasons.with_operands(job, &campaign, &mut probes, until));
    clock.leave();
    let campaign_report = Account { campaign: &campaign, probes: &probes, targets: &job.targets };
    Ok(Outcome {
        classes: campaign_report.classes(&checked.edges),
        left_out,
        left_out_for_size: too_long,
        resumed,
        found: job.options.keep_found.then(|| shard::Found::of(&campaign)),
        failures: campaign_report.failures(&failures, &scope),
        untested: campaign_report.untested(),
        untestable: surveyed.untestable,
        unstable: members(&campaign.catalogue, &unstable),
        totals: campaign.totals(),
        states: campaign.states(),
        members: campaign_report.members(),
        depths: campaign.depths().to_vec(),
        relevance,
        simplification,
        printed,
        seeded: campaign.seeded().to_vec(),
        end: hunted.end,
        verified: checked.verified,
        dropped: checked.dropped,
        files: checked.files,
        times: clock.times,
        fleet,
        profile,
        unreached,
    })
}

/// Against the clock, our own search waits for no call as long as it may take.
fn campaign_config(job: &Job<'_>) -> CampaignConfig {
    let config = &job.options.campaign;
    let is_ours = matches!(config.strategy.sequences, Sequences::LeastUsed);
    CampaignConfig { hurry: is_ours && !shares_work_alike(job), ..config.clone() }
}

/// Makes the table of relevance, or goes by the one given.
fn relevance(job: &Job<'_>, campaign: &mut Campaign<'_>) -> Result<Option<RelevanceTable>, JobError> {
    match &job.options.relevance {
        None => Ok(None),
        Some(TableUse::Make) => Ok(Some(campaign.relevance_table(&describe))),
        Some(TableUse::Use(table)) => match table.differs(&campaign.catalogue, &describe) {
            None => {
                campaign.load_relevance(table);
                Ok(None)
            }
            Some((there, here)) => Err(JobError::Table {
                there: there.unwrap_or_else(|| "nothing".into()),
                here: here.unwrap_or_else(|| "nothing".into()),
            }),
        },
    }
}

fn place(site: &ProbedSite) -> Place {
    Place {
        probes: site.edges.iter().map(|probe| probe.0).collect(),
        compares: match &site.kind {
            SiteKind::Integers { exact } => Compares::Integers { exact: *exact },
            SiteKind::Floats => Compares::Floats,
            SiteKind::Keys(keys) => Compares::Keys(keys.clone()),
            SiteKind::References => Compares::Objects,
            SiteKind::Class(ty) => Compares::Class(ty.clone()),
        },
    }
}

/// Compiles and runs the suite, or only prints it where that was asked for.
fn check(
    job: &Job<'_>,
    clock: &mut Clock<'_>,
    catalogue: &Catalogue,
    world: &RefCell<World<'_>>,
    suite: Vec<SuiteFile>,
    deadline: Option<Instant>,
) -> Result<Verification, VerifyError> {
    if let Some(types) = job.scripts {
        return Ok(scripts(&suite, &catalogue.operations, types, &job.options.marker));
    }
    let scope = SourceScope::new(world, job.java.release);
    let style = style(&job.options);
    let with = Verifier { job, catalogue, scope: &scope, style: &style, deadline };
    verify(&with, suite, &mut |phase| clock.enter(phase))
}

fn style(options: &JobOptions) -> Style {
    Style { framework: options.framework, marker: options.marker.clone() }
}

fn nothing_in_words(untestable: &[Untestable]) -> String {
    match untestable {
        [] => "no class was given".into(),
        [only] => format!("`{}`: {}", only.class, only.reason),
        many => format!("{} classes, the first `{}`: {}", many.len(), many[0].class, many[0].reason),
    }
}

fn members(catalogue: &Catalogue, ids: &[probat_search::catalogue::CallableId]) -> Vec<Operation> {
    ids.iter().map(|&id| catalogue.operations.get(catalogue.callable(id).operation).clone()).collect()
}
