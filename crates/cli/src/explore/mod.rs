//! `probat explore`: every state that so many calls can reach.
//!
//! In: classes, a bound, argument values. Out: states and tests counted, shown and, on demand, written.
//!
//! ```text
//! args ─▶ subject (classes) ─▶ plan (calls × arguments) ─▶ drive (explorer ⇄ workers) ─▶ report
//! ```

mod args;
pub mod drive;
mod export;
mod forecast;
pub mod live;
mod output;
mod report;
mod subject;
mod text;
mod trial;

use std::borrow::Cow;
use std::time::Instant;

use probat_analysis::{ClassSource, World};
use probat_explore::{Argument, Choices, Explorer, Options, Plan, PlanError, Pools, plan};
use probat_model::{ClassName, OperationTable};
use probat_protocol::{Rule, WorkerConfig};
use probat_supervisor::{Fleet, FleetConfig};

pub use args::ExploreArgs;
use args::StrategyChoice;
pub use report::{round, strategy_name};

use crate::args::Format;
use crate::exit::Exit;
use crate::failure::{Failure, chain, print, print_json};
use crate::fleet;
use crate::java;
use crate::library::Library;
use crate::run::worker_config;
use drive::{Bounds, Done, drive};
use live::Live;
use report::{Report, SCHEMA};

/// Runs the command.
pub fn run(args: &ExploreArgs) -> Result<Exit, Failure> {
    let start = Instant::now();
    let jvm = java::choose(args.jvm.java_home.as_deref())?;
    let library = Library::open(&jvm.home, &args.jvm.classpath)?;
    let classes =
        args.classes.iter().map(|word| subject::class(&library, word)).collect::<Result<Vec<_>, _>>()?;
    let plans = plans(args, &library, &classes)?;
    let mut config = worker_config(&args.jvm, &jvm, &library)?;
    settle(args, &mut config);
    let (mut done, mut files) = (Vec::new(), Vec::new());
    let mut java_version = String::new();
    let workers = args.workers.map_or_else(cores, usize::from);
    for (plan, table) in plans {
        let mut fleet = start_fleet(&config, workers, &plan.class)?;
        java_version.clone_from(&fleet.hello().java_version);
        let time = args.time_limit.saturating_sub(start.elapsed());
        let one = explore_one(args, plan, table, &mut fleet, time)?;
        if let Some(folder) = args.output.as_ref().filter(|_| !is_stopped(&fleet)) {
            files.extend(output::write_tests(&one, folder, &mut fleet, &library, args.max_tests)?);
        }
        let ended = one.exploration.ended_by;
        done.push(one);
        if ended == Some(probat_explore::Limit::Interrupted) {
            break;
        }
    }
    let mut report = gather(args, &done, java_version, workers, start);
    if let Some(folder) = &args.output {
        report.files = output::write(&done, folder)?;
        report.files.append(&mut files);
    }
    match args.format {
        Format::Text => print(&text::render(&report))?,
        Format::Json => print_json(&report)?,
    }
    let interrupted =
        done.iter().any(|one| one.exploration.ended_by == Some(probat_explore::Limit::Interrupted));
    Ok(if interrupted { Exit::Interrupted } else { Exit::Fine })
}

fn is_stopped(fleet: &Fleet) -> bool {
    fleet.config().stop.is_some_and(|stop| stop.load(std::sync::atomic::Ordering::Relaxed))
}

/// Workers unless the user says otherwise.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn gather(args: &ExploreArgs, done: &[Done], java_version: String, workers: usize, start: Instant) -> Report {
    let classes: Vec<_> = done.iter().map(report::class_report).collect();
    Report {
        schema: SCHEMA,
        java_version,
        states: classes.iter().map(|class| class.states).sum(),
        tests: classes.iter().map(|class| class.tests).sum(),
        complete: classes.len() == args.classes.len() && classes.iter().all(|class| class.complete),
        seconds: round(start.elapsed().as_secs_f64()),
        bound: args.bound,
        strategy: args.strategy.name(),
        workers,
        classes,
        files: Vec::new(),
    }
}

fn explore_one(
    args: &ExploreArgs,
    plan: Plan,
    table: OperationTable,
    fleet: &mut Fleet,
    time: std::time::Duration,
) -> Result<Done, Failure> {
    let bounds = Bounds { bound: args.bound, time, memory: args.memory_limit };
    let options = Options {
        keep_links: args.output.is_some(),
        most_states: args.max_states.unwrap_or(u64::MAX),
        most_bytes: args.memory_limit,
        may_change: args.strategy == StrategyChoice::Auto,
        ..Options::unlimited(args.bound, args.strategy.first())
    };
    let mut live = Live::new(&plan.class.to_string());
    let stop = fleet.config().stop;
    let done = drive(Explorer::new(plan, table, options), fleet, &bounds, stop, &mut live)?;
    if done.exploration.nodes.is_empty() && done.exploration.ended_by.is_none() {
        return Err(never_made(&done));
    }
    Ok(done)
}

/// Every constructor threw or worse.
fn never_made(done: &Done) -> Failure {
    let found = &done.exploration;
    let mut text = format!("no constructor of `{}` gives an object", found.plan.class);
    for threw in &found.threw {
        text.push_str(&format!("\n  {} throws {}", found.test_text(threw.first), threw.exception));
    }
    for broken in &found.broken {
        text.push_str(&format!("\n  {} {}", found.test_text(broken.first), broken.how));
    }
    Failure::new(Exit::Nothing, text).hint("give its constructor other arguments, such as `--pool new.0=16`")
}

/// Workers for one class, which is initialised before anything is explored.
pub fn start_fleet(config: &WorkerConfig, workers: usize, class: &ClassName) -> Result<Fleet, Failure> {
    let mut config = config.clone();
    config.initialise = vec![class.clone()];
    // Exceptions are counted by their class; where they come from is not asked.
    config.limits.frames = 1;
    let mut settings = FleetConfig::new(config);
    settings.workers = workers;
    settings.batch_size = 512;
    fleet::start(settings)
}

fn settle(args: &ExploreArgs, config: &mut WorkerConfig) {
    config.limits.call_cpu = args.time_limit_per_call;
    config.limits.call_wall = config.limits.call_wall.max(3 * args.time_limit_per_call);
    for field in &args.ignored_fields {
        config.rules.push(match field.rsplit_once('.') {
            Some((class, field)) => {
                Rule::IgnoreField { class: Some(ClassName::binary(class)), field: field.to_owned() }
            }
            None => Rule::IgnoreField { class: None, field: field.clone() },
        });
    }
}

/// Class files for the analysis.
#[derive(Debug)]
pub struct Source<'l>(pub &'l Library);

impl ClassSource for Source<'_> {
    fn bytes(&self, class: &ClassName) -> Option<Cow<'_, [u8]>> {
        Some(self.0.classes.find(class).ok()??.bytes)
    }
}

fn plans(
    args: &ExploreArgs,
    library: &Library,
    classes: &[ClassName],
) -> Result<Vec<(Plan, OperationTable)>, Failure> {
    let source = Source(library);
    let mut world = World::new(&source);
    let mut pools = Pools::new(args.pools.clone());
    if let Some(tests) = &args.harvest {
        let found = crate::reduce::harvest(&args.jvm, tests, &args.junit_jars, classes)?;
        pools.harvested = found.into_iter().map(Argument::Plain).collect();
    }
    let choices = Choices {
        methods: args.methods.iter().flat_map(|methods| methods.0.clone()).collect(),
        package_private: args.package_private,
        mine_literals: !args.no_literals,
    };
    let mut plans = Vec::new();
    for class in classes {
        let mut table = OperationTable::new();
        let made = plan(&mut world, class, &choices, &mut pools, &mut table);
        plans.push((made.map_err(|error| plan_failure(&error))?, table));
    }
    let unused = pools.given.iter().zip(&pools.used).find(|(_, used)| !**used);
    match unused {
        None => Ok(plans),
        Some((pool, _)) => {
            let calls: Vec<&str> = plans
                .iter()
                .flat_map(|(plan, _)| plan.calls.iter().map(|call| call.method.as_str()))
                .collect();
            let mut names = calls;
            names.dedup();
            let text = format!("no parameter takes the pool `{}`; called are {}", pool.key, names.join(", "));
            Err(Failure::new(Exit::BadInput, text)
                .hint("a pool names the type of a parameter, or a method and the place of a parameter from 0, such as put.1"))
        }
    }
}

/// Why there is nothing to explore, with the way out.
pub fn plan_failure(error: &PlanError) -> Failure {
    let failure = |exit| Failure::new(exit, chain(error));
    match error {
        PlanError::NotMade(..) | PlanError::Private(_) => {
            failure(Exit::Nothing).hint("name a class that can be made with `new`")
        }
        PlanError::NoConstructor { .. } => failure(Exit::Nothing)
            .hint("give values for its parameters, such as `--pool java.util.Comparator=null`"),
        PlanError::NoMethod { .. } => failure(Exit::BadInput),
        PlanError::NothingToCall { .. } => {
            failure(Exit::Nothing).hint("give values for their parameters with `--pool`")
        }
        PlanError::TooMany { .. } => failure(Exit::BadInput).hint("give fewer values with `--pool`"),
        PlanError::Pool { .. } => failure(Exit::BadInput),
    }
}
