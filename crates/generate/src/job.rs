//! One run of `generate`, from classes to sources that passed.
//!
//! In: [`Job`]. Out: [`Outcome`], text only: where files go is the caller's business.
//! Time is shared out here: searching gets what verification will not need.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use probat_analysis::{ClassSource, World};
use probat_classpath::Classes;
use probat_emit::{Framework, Style};
use probat_model::{ClassName, ContractFamily, Operation, OperationTable, Sequence, UserContract};
use probat_protocol::{Instrumentation, Limits, Rule, SandboxSpec, Setting, WorkerConfig};
use probat_script::Types;
use probat_search::campaign::{Campaign, CampaignConfig, Failure, FailureKind, Seeded, Totals};
use probat_search::catalogue::Catalogue;
use probat_search::feedback::Place;
use probat_search::relevance_table::RelevanceTable;
use probat_search::substitute::Compares;
use probat_search::visitor::CallCounter;
use probat_supervisor::{
    Fleet, FleetConfig, FleetError, ProbeTable, ProbedSite, SiteKind, StartError, WorkerCommand, describe,
    plan_probes,
};
use probat_survey::{Clues, Lineage, Probes, SourceScope, SurveyOptions, Untestable, survey};

use crate::account::Account;
use crate::blame::blame;
use crate::compile::{Compiler, PREVIEW};
use crate::deadly::deadly;
use crate::executor::FleetExecutor;
use crate::explain::{self, Evidence, Unreached};
use crate::failing::failing;
use crate::finish::{Deadline, Finish, finish};
use crate::hunt::{HuntEnd, HuntLimits, HuntProgress, Hunted, InFlight, Plateau, hunt};
use crate::pace::{cost_of, tests_in};
use crate::preview::{FirstTest, Preview};
use crate::scripts::scripts;
use crate::shard::Found;
use crate::simplify::{Simplification, simplify};
use crate::size::{LeftOut, Size, choose};
use crate::suite::{Purpose, SuiteFile, group};
use crate::triage::{Doubt, FromClasses, Likelihood, triage};
use crate::unfinished::{Keeper, Unfinished};
use crate::verify::{Dropped, Verification, Verifier, VerifyError, reserve, verify};

/// The user's Java.
#[derive(Debug, Clone)]
pub struct Java {
    pub home: PathBuf,
    pub libjvm: PathBuf,
    /// `None`: there is no compiler, so nothing can be verified.
    pub javac: Option<PathBuf>,
    /// `--release` for the tests.
    pub release: Option<u32>,
    /// Whether the classes under test use preview features, which compilers and JVMs have to be told.
    pub preview: bool,
}

impl Java {
    pub(crate) fn compiler(&self, javac: &Path, class_path: Vec<PathBuf>) -> Compiler {
        Compiler { javac: javac.to_owned(), class_path, release: self.release, preview: self.preview }
    }
}

/// Which tests to write. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kinds {
    #[default]
    Both,
    /// Only tests that pass: what the code does.
    Regression,
    /// Only tests that fail: where it breaks a contract.
    Errors,
}

/// What the user decided.
#[derive(Debug, Clone)]
pub struct JobOptions {
    /// For everything, verification included.
    pub time_limit: Duration,
    pub step_limit: Option<u64>,
    pub workers: usize,
    pub framework: Framework,
    pub marker: String,
    pub campaign: CampaignConfig,
    /// A table of relevance to make, or to go by.
    pub relevance: Option<TableUse>,
    /// Comments that built-in visitors add to tests.
    pub annotate: Vec<Annotate>,
    /// Sequences of the user that the search begins with.
    pub seeds: Vec<SeedSequence>,
    /// Where to keep what was found while the search goes on.
    pub unfinished: Option<PathBuf>,
    /// What earlier runs left behind, to begin with.
    pub resume: Vec<Unfinished>,
    /// Search, and leave it at that: no test is finished, checked or handed out.
    pub search_only: bool,
    /// Hand out what was found, so that it can be merged with what others find.
    pub keep_found: bool,
    pub survey: SurveyOptions,
    pub limits: Limits,
    pub kernel_sandbox: bool,
    /// Stop when nothing new comes.
    pub plateau: Plateau,
    pub max_tests: Option<usize>,
    /// How much of what was found is written.
    pub size: Size,
    pub kinds: Kinds,
    /// Contracts of the user, checked with the others.
    pub contracts: Vec<UserContract>,
    /// Contracts of ours that are not checked.
    pub unchecked: Vec<ContractFamily>,
    /// Failures the user has accepted, as `member kind`: no test is written for them.
    pub accepted: BTreeSet<String>,
    /// Compile and run before anything is handed out.
    pub verify: bool,
    /// Say of every branch that is not reached why.
    pub explain: bool,
    /// Measure how much shorter long failures get.
    pub simplification: bool,
}

impl JobOptions {
    /// The time for everything but explaining.
    fn time(&self) -> Duration {
        let kept = if self.explain { explain::reserve(self.time_limit) } else { Duration::ZERO };
        self.time_limit - kept
    }
}

impl Default for JobOptions {
    fn default() -> Self {
        JobOptions {
            time_limit: Duration::from_secs(60),
            step_limit: None,
            workers: std::thread::available_parallelism().map_or(1, usize::from),
            framework: Framework::JUnit5,
            marker: "Generated by probat.".into(),
            campaign: CampaignConfig::default(),
            relevance: None,
            annotate: Vec::new(),
            seeds: Vec::new(),
            unfinished: None,
            resume: Vec::new(),
            keep_found: false,
            search_only: false,
            survey: SurveyOptions::default(),
            limits: Limits {
                state_tokens: 20_000,
                heap_bytes: 256 << 20,
                call_idle: Some(Duration::from_millis(500)),
                ..Limits::default()
            },
            kernel_sandbox: true,
            plateau: Plateau::HalfOfTheTime,
            max_tests: None,
            size: Size::Default,
            kinds: Kinds::Both,
            contracts: Vec::new(),
            unchecked: Vec::new(),
            accepted: BTreeSet::new(),
            verify: true,
            explain: false,
            simplification: false,
        }
    }
}

/// What to do with a table of relevance. Match without `_`.
#[derive(Debug, Clone, PartialEq)]
pub enum TableUse {
    Make,
    Use(RelevanceTable),
}

/// What a built-in visitor has to say of a test. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Annotate {
    /// How often the search made its call, and how often that threw.
    Calls,
}

/// A sequence of the user.
#[derive(Debug, Clone)]
pub struct SeedSequence {
    /// Where it came from.
    pub name: String,
    pub table: OperationTable,
    pub sequence: Sequence,
}

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

/// What a run is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    Reading,
    Starting,
    Searching,
    Finishing,
    Judging,
    Compiling,
    Running,
    Explaining,
}

/// Is told how a run goes.
pub trait Watch {
    fn phase(&mut self, phase: Phase);
    fn progress(&mut self, progress: &HuntProgress);
    /// A test to look at while the search goes on.
    fn first_test(&mut self, test: &FirstTest);
}

/// A file to write.
#[derive(Debug, Clone)]
pub struct OutFile {
    pub subject: ClassName,
    /// Internal form, `com/acme`.
    pub package: String,
    /// Simple name of the test class, or of the test where each has a file.
    pub name: String,
    /// `java`, or `probat` for a script.
    pub extension: &'static str,
    pub source: String,
    pub tests: usize,
    /// Whether its tests fail.
    pub fails: bool,
    /// `member kind` of the failure it is a program for, if it is no test.
    pub shows: Option<String>,
}

/// How much of a class under test is covered.
#[derive(Debug, Clone)]
pub struct ClassReport {
    pub class: ClassName,
    /// By the tests handed out.
    pub covered: u32,
    /// By the search.
    pub reached: u32,
    pub edges: u32,
    /// Something in it can be called, and nothing was in the time given.
    pub is_skipped: bool,
}

/// A member no sequence called to the end.
#[derive(Debug, Clone)]
pub struct Untested {
    pub member: Operation,
    pub reason: String,
}

/// What went wrong in the code under test.
#[derive(Debug, Clone)]
pub struct FailureReport {
    pub member: Operation,
    pub failure: Failure,
    pub likelihood: Likelihood,
    /// What speaks against its being a bug.
    pub doubts: Vec<Doubt>,
    /// Other members and kinds of failure that have the same cause.
    pub also: Vec<(Operation, FailureKind)>,
    /// The calls in one line of source, if they have any.
    pub reproduction: Option<String>,
}

/// What came of a run.
#[derive(Debug)]
pub struct Outcome {
    pub files: Vec<OutFile>,
    pub classes: Vec<ClassReport>,
    /// One per cause, the strongest first.
    pub failures: Vec<FailureReport>,
    pub untestable: Vec<Untestable>,
    pub untested: Vec<Untested>,
    pub dropped: Vec<Dropped>,
    /// Tests that were found but never finished, for want of time.
    pub left_out: usize,
    /// Tests that add too little for their length.
    pub left_out_for_size: LeftOut,
    /// Sequences of an earlier run that were run again.
    pub resumed: usize,
    /// What was found, where it is to be merged.
    pub found: Option<Found>,
    /// Members whose tests behaved differently in a fresh JVM.
    pub unstable: Vec<Operation>,
    pub totals: Totals,
    pub states: usize,
    /// Members under test.
    pub members: usize,
    /// Calls executed, by how many calls came before them in their sequence.
    pub depths: Vec<u64>,
    /// The table of relevance, where one was to be made.
    pub relevance: Option<RelevanceTable>,
    /// How much shorter long failures got, where that was measured.
    pub simplification: Option<Simplification>,
    /// What became of the sequences of the user.
    pub seeded: Vec<Seeded>,
    pub end: HuntEnd,
    /// Whether the tests were compiled and run.
    pub verified: bool,
    /// How long each phase took.
    pub times: Vec<(Phase, Duration)>,
    pub fleet: probat_supervisor::FleetStats,
    /// Where the time of the search went.
    pub profile: Profile,
    /// Branches that no test takes, where they were to be explained.
    pub unreached: Option<Vec<Unreached>>,
}

/// Where the time of a search went.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Profile {
    /// By the clock.
    pub searched: Duration,
    /// Of that, how long the search waited for results.
    pub waited: Duration,
    /// CPU time of this process, pipes included, and of all workers, the start of their JVMs included.
    pub own_cpu: Duration,
    pub worker_cpu: Duration,
    pub workers: usize,
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
    #[error("the table of relevance is of other code: it has {there} where there is {here}")]
    Table { there: String, here: String },
    #[error("nothing can be tested: {0}")]
    Nothing(String),
}

struct Source<'a>(&'a Classes);

impl ClassSource for Source<'_> {
    fn bytes(&self, name: &ClassName) -> Option<std::borrow::Cow<'_, [u8]>> {
        self.0.find(name).ok().flatten().map(|found| found.bytes)
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

/// Keeps the time of phases and tells the watcher.
struct Clock<'w> {
    watch: &'w mut dyn Watch,
    times: Vec<(Phase, Duration)>,
    current: Option<(Phase, Instant)>,
}

impl Clock<'_> {
    fn enter(&mut self, phase: Phase) {
        self.leave();
        self.current = Some((phase, Instant::now()));
        self.watch.phase(phase);
    }

    fn leave(&mut self) {
        let Some((phase, start)) = self.current.take() else { return };
        match self.times.iter_mut().find(|(other, _)| *other == phase) {
            Some((_, time)) => *time += start.elapsed(),
            None => self.times.push((phase, start.elapsed())),
        }
    }
}

/// Edges up to which comparisons are watched. Code runs at half the speed then, which pays where most edges are found and the rest is
/// hidden behind values; in large libraries there is enough else to find.
const MOST_WATCHED: usize = 4_000;

/// Runs a job; `stop` ends the search early, and what was found is still finished.
pub fn run(job: &Job<'_>, watch: &mut dyn Watch, stop: &dyn Fn() -> bool) -> Result<Outcome, JobError> {
    let start = Instant::now();
    let mut clock = Clock { watch, times: Vec::new(), current: None };
    clock.enter(Phase::Reading);
    let bytes =
        job.targets.iter().filter_map(|name| Some((name.clone(), job.classes.find(name).ok()??.bytes)));
    let mut probes = plan_probes(bytes);
    if job.options.campaign.literals.feedback && probes.edges().len() <= MOST_WATCHED {
        probes.watch_comparisons(|name| job.classes.find(name).ok().flatten().map(|found| found.bytes));
    }
    let source = Source(job.classes);
    let world = RefCell::new(World::new(&source));
    let surveyed = survey(&world, &job.targets, &Planned(&probes), &job.options.survey);
    if surveyed.catalogue.callables.iter().all(|callable| callable.owner.is_none()) {
        return Err(JobError::Nothing(nothing_in_words(&surveyed.untestable)));
    }
    let lineage = Lineage { world: &world };
    clock.enter(Phase::Starting);
    let mut fleet = Fleet::start(fleet_config(job, &probes.instrumentation))?;
    let mut campaign = Campaign::new(surveyed.catalogue, &lineage, job.options.campaign.clone());
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
    // Probe ids have gaps; a person is told of edges.
    let of_edges = probes.edges().len() as u32;
    // With a step limit the same bytes come out every time, so nothing may depend on the clock.
    let is_shown = job.options.step_limit.is_none() && job.scripts.is_none();
    let mut preview = Preview::new(is_shown.then(|| fleet_config(job, &probes.instrumentation)));
    let style = style(&job.options);
    let scope = SourceScope::new(&world, job.java.release);
    let mut keeper = Keeper::new(job.options.unfinished.as_deref());
    let began = Instant::now();
    let Hunted { end, is_busy, waited } =
        hunt(&mut campaign, &mut fleet, &limits, stop, &mut |progress, campaign| {
            keeper.look(campaign);
            clock.watch.progress(&HuntProgress { of_edges, ..*progress });
            if let Some(test) = preview.look(campaign, &scope, &style) {
                clock.watch.first_test(&test);
            }
        })?;

    let mut stats = fleet.stats();
    if job.options.search_only {
        clock.leave();
        let account = Account { campaign: &campaign, probes: &probes, targets: &job.targets };
        return Ok(Outcome { resumed, fleet: stats, times: clock.times, ..account.searched(end) });
    }
    clock.enter(Phase::Finishing);
    let profile = Profile {
        searched: began.elapsed(),
        waited,
        own_cpu: stats.supervisor_cpu,
        worker_cpu: stats.worker_cpu,
        workers: job.options.workers,
    };
    if is_busy {
        // New workers are sooner ready than those that still have calls to make.
        drop(fleet);
        fleet = Fleet::start(fleet_config(job, &probes.instrumentation))?;
    }
    let mut second = Fleet::start(second_config(job, &probes.instrumentation))?;
    let (mut one, mut two) = (FleetExecutor(&mut fleet), FleetExecutor(&mut second));
    let limit = job.options.time();
    let deadline = job.options.step_limit.is_none().then(|| start + limit);
    let kept = kept_for_checks(&job.options, campaign.archive().outcomes());
    // However late the search ended, what it found is worth some time.
    let now = Instant::now();
    let time = deadline
        .map(|deadline| (deadline - kept).saturating_duration_since(now).max(limit.mul_f64(FINISHING)));
    let finishing = Deadline { start: now, time, stop };
    let simplification = match job.options.simplification {
        true => Some(simplify(&mut campaign, &mut one, &|| finishing.is_late(1.0))?),
        false => None,
    };
    let mut finished = match job.options.kinds {
        Kinds::Both | Kinds::Regression => {
            finish(&mut campaign, &mut one, &mut two, room(&job.options), &finishing)?
        }
        Kinds::Errors => Finish::default(),
    };
    clock.enter(Phase::Judging);
    blame(&mut campaign, &mut one, &|| finishing.is_late(1.2))?;
    let facts = FromClasses { clues: Clues { world: &world }, lineage: &lineage, scope: &scope };
    let triaged = triage(&mut campaign, &mut one, &facts, &|| finishing.is_late(1.2))?;
    let mut failures = match job.options.kinds {
        Kinds::Both | Kinds::Errors => {
            let (contracts, accepted) = (&job.options.contracts, &job.options.accepted);
            failing(&mut campaign, &mut one, &triaged, contracts, accepted)?
        }
        Kinds::Regression => Vec::new(),
    };
    if !is_busy {
        stats = fleet.stats();
    }
    drop(second);
    drop(fleet);
    let size = if job.options.campaign.keep_all { Size::All } else { job.options.size };
    let left_out_for_size = choose(&mut finished.tests, &campaign.catalogue.operations, size);
    if let Some(most) = job.options.max_tests {
        finished.tests.sort_by_key(|test| std::cmp::Reverse(test.needs));
        finished.tests.truncate(most);
    }
    let unstable = members(&campaign.catalogue, &finished.unstable);
    let left_out = finished.left_out;
    let unstable_edges = std::mem::take(&mut finished.unstable_edges);
    for test in finished.tests.iter_mut().chain(&mut failures) {
        test.case.notes.extend(campaign.remarks(&test.case.steps));
    }
    let purpose = if job.options.campaign.keep_all { Purpose::PassingAlone } else { Purpose::Passing };
    let mut suite = group(&campaign.catalogue, finished.tests, purpose);
    suite.extend(group(&campaign.catalogue, failures, Purpose::Failing));
    let mut checked = check(job, &mut clock, &campaign.catalogue, &world, suite, deadline)?;
    if job.options.kinds != Kinds::Regression {
        checked.files.extend(deadly(job, &campaign, &scope).map_err(VerifyError::from)?);
    }
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
        left_out_for_size,
        resumed,
        found: job.options.keep_found.then(|| Found::of(&campaign)),
        failures: campaign_report.failures(&triaged, &scope),
        untested: campaign_report.untested(),
        untestable: surveyed.untestable,
        unstable,
        totals: campaign.totals(),
        states: campaign.states(),
        members: campaign_report.members(),
        depths: campaign.depths().to_vec(),
        relevance,
        simplification,
        seeded: campaign.seeded().to_vec(),
        end,
        verified: checked.verified,
        dropped: checked.dropped,
        files: checked.files,
        times: clock.times,
        fleet: stats,
        profile,
        unreached,
    })
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

/// The share of the time that checking tests may take.
const CHECKS: f64 = 0.25;

/// The share of the time that shortening tests and adding assertions may take.
const FINISHING: f64 = 0.15;

/// Time kept for checking as many tests.
fn kept_for_checks(options: &JobOptions, tests: usize) -> Duration {
    if !options.verify {
        return Duration::ZERO;
    }
    let most = options.time().mul_f64(CHECKS);
    match options.size.most_lines() {
        Some(lines) => reserve(tests).min(most).min(reserve(0) + cost_of(lines)),
        None => reserve(tests).min(most),
    }
}

/// Tests that can be checked in the time kept for it.
fn room(options: &JobOptions) -> usize {
    if options.step_limit.is_some() || !options.verify || options.campaign.keep_all {
        return usize::MAX;
    }
    tests_in(options.time().mul_f64(CHECKS))
}

/// Search gets what finishing and verification will not need.
fn hunt_limits(options: &JobOptions, spent: Duration) -> HuntLimits {
    let in_flight = InFlight::of(&options.campaign);
    if options.search_only {
        let time = options.step_limit.is_none().then_some(options.time_limit);
        let (per_test, most_kept) = (Duration::ZERO, Duration::ZERO);
        let (steps, plateau) = (options.step_limit, options.plateau);
        return HuntLimits { time, per_test, most_kept, steps, plateau, in_flight };
    }
    let total = options.time();
    let fixed = kept_for_checks(options, 0);
    let search = total.saturating_sub(total.mul_f64(FINISHING) + fixed).saturating_sub(spent);
    HuntLimits {
        // A step limit alone decides where it is given, so that the same steps are run on any machine.
        time: options.step_limit.is_none().then_some(search),
        per_test: reserve(1).saturating_sub(reserve(0)),
        most_kept: kept_for_checks(options, usize::MAX).saturating_sub(fixed),
        steps: options.step_limit,
        plateau: if options.step_limit.is_none() { options.plateau } else { Plateau::Never },
        in_flight,
    }
}

fn worker_config(job: &Job<'_>, instrumentation: &Instrumentation, jvm_options: &[&str]) -> WorkerConfig {
    WorkerConfig {
        libjvm: job.java.libjvm.clone(),
        java_home: job.java.home.clone(),
        jvm_options: jvm_options
            .iter()
            .copied()
            .chain(job.java.preview.then_some(PREVIEW))
            .map(str::to_owned)
            .collect(),
        class_path: job.class_path.clone(),
        check_jni: false,
        assertions: true,
        limits: job.options.limits.clone(),
        sandbox: SandboxSpec { kernel: job.options.kernel_sandbox, scratch: PathBuf::new() },
        instrumentation: instrumentation.clone(),
        initialise: Vec::new(),
        rules: Rule::defaults(),
        contracts: job.options.contracts.clone(),
        unchecked: job.options.unchecked.clone(),
        setting: Setting::Fixed,
    }
}

pub(crate) fn fleet_config(job: &Job<'_>, instrumentation: &Instrumentation) -> FleetConfig {
    FleetConfig {
        workers: job.options.workers,
        worker_command: job.worker_command.clone(),
        ..FleetConfig::new(worker_config(job, instrumentation, &[]))
    }
}

/// Another time zone and language, other hash codes and members, and no history: what behaves differently here is not asserted.
fn second_config(job: &Job<'_>, instrumentation: &Instrumentation) -> FleetConfig {
    // Far east of us, by no whole number of hours, and, when tests are checked, far west: it is another day there, and another minute; both have a summer time, at opposite ends of
    // the year. Turkish has its own capital letters; with it come digits that are not ours.
    let other = [
        "-Duser.timezone=Pacific/Chatham",
        "-Duser.language=tr",
        "-Duser.country=TR",
        "-Duser.extensions=u-nu-arab",
        // Hash codes of objects that have none of their own: one after the other, where they are random elsewhere.
        "-XX:+UnlockExperimentalVMOptions",
        "-XX:hashCode=3",
    ];
    let config = WorkerConfig { setting: Setting::Other, ..worker_config(job, instrumentation, &other) };
    FleetConfig {
        workers: job.options.workers.min(2),
        worker_command: job.worker_command.clone(),
        ..FleetConfig::new(config)
    }
}

/// Configuration of a worker that hosts the JUnit launcher.
pub(crate) fn junit_config(job: &Job<'_>, tests: PathBuf, other: bool) -> FleetConfig {
    // Nobody else's JVM is told that there is no display.
    let options: &[&str] = if other {
        &[
            "-Duser.timezone=America/Adak",
            "-Duser.language=ar",
            "-Duser.country=EG",
            "-Djava.awt.headless=false",
            // All objects without a hash code of their own have the same.
            "-XX:+UnlockExperimentalVMOptions",
            "-XX:hashCode=2",
            // What is only weakly or softly reachable goes soon.
            "-XX:-UseSerialGC",
            "-XX:+UseParallelGC",
            "-XX:MaxNewSize=4m",
            "-XX:SoftRefLRUPolicyMSPerMB=0",
        ]
    } else {
        &[]
    };
    let mut config = worker_config(job, &Instrumentation::default(), options);
    config.setting = Setting::User;
    // Some launchers enable assertions, others do not.
    config.assertions = !other;
    config.class_path =
        std::iter::once(tests).chain(config.class_path).chain(job.junit.iter().cloned()).collect();
    let patience = Duration::from_secs(300);
    config.limits =
        Limits { call_cpu: patience, call_wall: patience, heap_bytes: 1 << 30, ..Limits::default() };
    FleetConfig { workers: 1, worker_command: job.worker_command.clone(), ..FleetConfig::new(config) }
}

fn members(catalogue: &Catalogue, ids: &[probat_search::catalogue::CallableId]) -> Vec<Operation> {
    ids.iter().map(|&id| catalogue.operations.get(catalogue.callable(id).operation).clone()).collect()
}
