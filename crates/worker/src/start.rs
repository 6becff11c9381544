//! From an empty process to a worker that stands.
//!
//! In: three descriptors and a configuration. Out: a JVM with `$Probat` and guards in place, classes initialised, and
//! an [`Executor`] ready for its first batch; or the reason why there is none.
//!
//! Order matters. Limits and sandbox come before the JVM, since they bind only threads started later. Class hooks are
//! switched on after the JVM is up, so that it can use its archive. Guards come before any class of the code under test.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use probat_classfile::build::{ProbatClassSpec, probat_class};
use probat_classfile::passes::{PROBAT, guards};
use probat_jvm::{Class, Env, Global, Loader, Ref, Throwable, Vm};
use probat_model::{ClassName, ProbeId, Type};
use probat_os::clock::ThreadCpuClock;
use probat_os::heartbeat::{HeartbeatWriter, Phase};
use probat_os::limits::{self, ProcessLimits};
use probat_os::sandbox;
use probat_protocol::{Guard, Hello, SandboxReport, Setting, WorkerConfig};
use rustc_hash::FxHashSet;

use crate::class_key::ClassKeys;
use crate::comparisons::{self, Comparisons, Counts};
use crate::contracts::Contracts;
use crate::executor::{Between, Executor};
use crate::fault::Fault;
use crate::guardian::{Guardian, STARTING};
use crate::heap::StateReader;
use crate::hooks::Arm;
use crate::jdk::{self, Jdk};
use crate::link::Up;
use crate::loader::Loaders;
use crate::natives::{self, Details};
use crate::observe::Values;
use crate::policy::places;
use crate::probes::Probes;
use crate::reset::Baseline;
use crate::shared::{self, Jvm, Shared};
use crate::spoilt::SpoiltClasses;
use crate::stubs::Stubs;
use crate::thrown::{Bounds, Sorter};
use crate::types::Types;
use crate::watch::{Patience, Place};
use crate::{clock, rewrite, salt};

/// Descriptors a worker may have open; a JVM opens each jar once.
const OPEN_FILES: u64 = 1024;

/// A project as it might be, in a working folder that is empty otherwise: what lists that folder behaves differently there.
const PROJECT: [(&str, &str); 2] = [("pom.xml", "<project/>\n"), ("src/main/resources/note.txt", "a note\n")];

/// Puts files where others find none.
fn furnish(setting: Setting) -> std::io::Result<()> {
    match setting {
        Setting::Fixed | Setting::Still | Setting::User => {}
        Setting::Other | Setting::Later => {
            for (name, text) in PROJECT {
                std::fs::create_dir_all(Path::new(name).parent().unwrap_or(Path::new("")))?;
                std::fs::write(name, text)?;
            }
        }
    }
    Ok(())
}

/// Goes to scratch and gives up what the worker may not do. Binds this thread and those it starts.
pub fn confine(config: &WorkerConfig) -> Result<SandboxReport, Fault> {
    let cannot = |doing: &str, error: &dyn std::fmt::Display| Fault::Failed {
        doing: doing.into(),
        why: error.to_string(),
    };
    // A supervisor that is killed takes its workers along, and when memory runs out they go before it. Without either
    // they end when they next look at their pipe.
    let _ = limits::die_with_parent();
    let _ = limits::first_to_go();
    let (scratch, places) = (&config.sandbox.scratch, places(config.setting));
    for folder in [places.temporary, places.working] {
        let made = std::fs::create_dir_all(scratch.join(folder));
        made.map_err(|error| cannot("make a folder in scratch", &error))?;
    }
    std::env::set_current_dir(scratch.join(places.working))
        .map_err(|error| cannot("go to scratch", &error))?;
    furnish(config.setting).map_err(|error| cannot("write to scratch", &error))?;
    limits::apply(&ProcessLimits {
        file_bytes: config.limits.file_bytes,
        open_files: OPEN_FILES,
        cpu: None,
        processes: None,
    });
    let mut report = SandboxReport::default();
    if config.sandbox.kernel {
        let force = sandbox::apply(&config.sandbox.scratch);
        report.landlock = force.landlock;
        report.landlock_missing = force.landlock_missing;
        report.seccomp = force.seccomp;
        report.seccomp_missing = force.seccomp_missing;
    } else {
        report.landlock_missing = Some("switched off".into());
        report.seccomp_missing = Some("switched off".into());
    }
    Ok(report)
}

/// What starting needs from the thread that read the configuration.
#[derive(Debug)]
pub struct Parts {
    pub config: WorkerConfig,
    pub sandbox: SandboxReport,
    pub shared: &'static Shared,
    pub up: Arc<Up<File>>,
    pub heartbeat: HeartbeatWriter,
    pub arm: Arm,
}

/// References made while starting, all of which are given back.
const REFERENCES: u16 = 1024;

/// Sets the JVM up around this thread and greets the supervisor.
pub fn stand(env: &mut Env<'_>, vm: Vm, parts: Parts) -> Result<Executor<File>, Fault> {
    match env.with_frame(REFERENCES, |env| set_up(env, vm, parts)) {
        Ok(standing) => standing,
        Err(exception) => Err(Fault::threw(env, "start", exception)),
    }
}

fn set_up(env: &mut Env<'_>, vm: Vm, parts: Parts) -> Result<Executor<File>, Fault> {
    let jvmti = vm.jvmti();
    let sorter = Sorter::new(env)?;
    let Ground { mut baseline, missing: missing_guards, comparisons } = lay_ground(env, vm, &parts)?;
    start_watchdog(env, vm, &parts)?;
    let Parts { config, sandbox, shared, up, heartbeat, .. } = parts;
    let mut loaders = Loaders::new(env, &config)?;
    let loader = loaders.fresh(env)?;
    baseline.set_context_loader(env, loader.get())?;
    shared.set_loader(second(env, &loader)?);
    let mut types = Types::new(jvmti, loader);
    types.load_object(env)?;
    let beat = || heartbeat.set_phase(Phase::Starting);
    let bounds = bounds(&config);
    let uninitialised = initialise(env, shared, &mut types, &sorter, bounds, &config.initialise, &beat)?;
    let initial_leaks = baseline.settle(env, shared)?;
    let version = jvmti.version()?;
    let hello = Hello {
        java_version: version.full,
        java_vendor: version.vendor,
        sandbox: SandboxReport { guards: missing_guards.len() < guards::table().len(), ..sandbox },
        missing_guards,
        initial_edges: initial_edges(env)?,
        uninitialised,
        initial_leaks,
    };
    let jdk = Jdk::new(env, jvmti)?;
    let mut executor = Executor {
        shared,
        up,
        heartbeat,
        jdk,
        sorter,
        stubs: Stubs::new(jvmti),
        values: Values::new(ClassKeys::new(jvmti), config.limits.string_units as usize),
        states: state_reader(env, vm, &config)?,
        contracts: Contracts::new(env, &config)?,
        comparisons,
        baseline,
        loaders,
        types,
        bounds,
        slow: config.limits.slow,
        operations: Vec::new(),
        prepared: Vec::new(),
        state: Between::default(),
    };
    if let Some(spec) = &config.instrumentation.recording {
        let reader = state_reader(env, vm, &config)?;
        crate::record::start(env, spec, reader, shared)?;
    }
    executor.state.spoilt = SpoiltClasses::so_far(env, executor.jdk.jvmti, shared.failures())?;
    shared.set_thread_baseline();
    executor.up.hello(&hello)?;
    Ok(executor)
}

/// What has to be there before any class of the code under test.
struct Ground {
    baseline: Baseline,
    /// Guards that this JVM has no method for.
    missing: Vec<Guard>,
    comparisons: Option<Comparisons>,
}

/// Takes the baseline of the JVM, defines `$Probat` and places the guards; answers which of them are missing.
fn lay_ground(env: &mut Env<'_>, vm: Vm, parts: &Parts) -> Result<Ground, Fault> {
    let Parts { config, shared, heartbeat, arm, .. } = parts;
    let jvmti = vm.jvmti();
    let detail = Details::new(env)?;
    let refuse = jdk::method(env, "java/lang/SecurityException", "<init>", "(Ljava/lang/String;)V")?;
    shared.set_jvm(Jvm { jvmti, refuse, detail });
    salt::fix(env, jvmti, config.setting)?;
    clock::shift(env, config.setting)?;
    let thread = jvmti.current_thread(env)?;
    let baseline = Baseline::take(env, thread.get(), config.prints)?;
    heartbeat.set_phase(Phase::Starting);
    // The JDK's own cleaner starts now; those of the code under test never do.
    if let Ok(factory) = env.load_class("jdk.internal.ref.CleanerFactory", true, None) {
        env.delete(factory);
    }
    let comparisons = define_probat(env, config)?;
    arm.set();
    jvmti.set_class_hook(true)?;
    let missing = place_guards(env, vm, shared, config)?;
    heartbeat.set_phase(Phase::Starting);
    Ok(Ground { baseline, missing, comparisons })
}

/// Has this thread watched from now on.
fn start_watchdog(env: &mut Env<'_>, vm: Vm, parts: &Parts) -> Result<(), Fault> {
    let thread = vm.jvmti().current_thread(env)?;
    let stop = stop_error(env)?;
    parts.shared.set_stop(env.global(stop.get()).map_err(|_| Fault::missing("memory"))?);
    let guardian = Guardian {
        vm,
        shared: parts.shared,
        up: Arc::clone(&parts.up),
        patience: patience(&parts.config),
        executor: env.global(thread.get()).map_err(|_| Fault::missing("memory"))?,
        clock: ThreadCpuClock::of_this_thread().map_err(|_| Fault::missing("CPU clock of a thread"))?,
        stop,
    };
    guardian
        .start()
        .map_err(|error| Fault::Failed { doing: "start the watchdog".into(), why: error.to_string() })
}

fn state_reader(env: &mut Env<'_>, vm: Vm, config: &WorkerConfig) -> Result<StateReader, Fault> {
    let mut reader = StateReader::new(env, vm.jvmti(), &config.rules, config.limits.state_tokens)
        .map_err(|error| Fault::Failed { doing: "prepare to read states".into(), why: error.to_string() })?;
    // Another collector, which the user may choose, may move objects although one is held.
    if !config.jvm_options.iter().any(|option| option.starts_with("-XX")) {
        let _ = reader.read_in_place(env);
    }
    Ok(reader)
}

fn bounds(config: &WorkerConfig) -> Bounds {
    Bounds { message: config.limits.string_units as usize, frames: config.limits.frames as usize }
}

fn patience(config: &WorkerConfig) -> Patience {
    let limits = &config.limits;
    Patience { cpu: limits.call_cpu, wall: limits.call_wall, idle: limits.call_idle, grace: limits.grace }
}

/// Defines `$Probat` in the boot loader, where every class sees it.
fn define_probat(env: &mut Env<'_>, config: &WorkerConfig) -> Result<Option<Comparisons>, Fault> {
    let instrumentation = &config.instrumentation;
    let sites = instrumentation.sites;
    let comparisons = if sites > 0 { comparisons::REMEMBERED } else { 0 };
    let monitors = instrumentation.recording.as_ref().is_some_and(|recording| recording.monitor);
    let reads = if monitors { crate::record::reads::NOTED } else { 0 };
    let spec = ProbatClassSpec { probes: instrumentation.probes, comparisons, sites, reads };
    let bytes = probat_class(&spec)
        .map_err(|error| Fault::Failed { doing: format!("build {PROBAT}"), why: error.to_string() })?;
    let class = match env.define_class(PROBAT, None, &bytes) {
        Ok(class) => class,
        Err(exception) => return Err(Fault::threw(env, &format!("define {PROBAT}"), exception)),
    };
    if let Err(exception) = env.register_natives(class.get(), &natives::entries()) {
        return Err(Fault::threw(env, "register natives", exception));
    }
    let probes = Probes::find(env, class.get(), instrumentation.probes)?;
    let watched = match sites {
        0 => None,
        sites => Some((Counts::find(env, class.get())?, Comparisons::find(env, class.get(), sites)?)),
    };
    env.delete(class);
    let (counts, comparisons) = watched.unzip();
    shared::become_executor(probes, counts);
    Ok(comparisons)
}

/// Rewrites the JDK's classes that were loaded before the hook was armed; those loaded later pass it. Answers what is
/// missing.
fn place_guards(
    env: &mut Env<'_>,
    vm: Vm,
    shared: &Shared,
    config: &WorkerConfig,
) -> Result<Vec<Guard>, Fault> {
    let mut names = rewrite::Rewriter::guarded_classes();
    names.extend(config.instrumentation.classes.iter().map(|probes| probes.class.as_internal().to_owned()));
    let early = loaded_early(env, vm, &names)?;
    let reasons = retransform(vm, &early);
    for name in rewrite::Rewriter::guarded_classes() {
        // Loading a class places its guards, or shows that this JDK has none such.
        if let Ok(class) = env.load_class(&name.replace('/', "."), false, None) {
            env.delete(class);
        }
    }
    let missing = guards::missing(&shared.guards());
    Ok(missing
        .into_iter()
        .map(|guard| Guard {
            method: format!("{}.{}", guard.class.replace('/', "."), guard.method),
            reason: reasons
                .iter()
                .find(|(class, _)| class == guard.class)
                .map_or_else(|| "this JDK has no such method".into(), |(_, why)| why.clone()),
        })
        .collect())
}

/// Those of the classes that are there already, with their names.
fn loaded_early(env: &mut Env<'_>, vm: Vm, names: &[String]) -> Result<Vec<(String, Global<Class>)>, Fault> {
    let jvmti = vm.jvmti();
    let wanted: FxHashSet<&str> = names.iter().map(String::as_str).collect();
    let found = env.with_frame(u16::MAX, |env| -> Result<_, Fault> {
        let mut early = Vec::new();
        for class in jvmti.loaded_classes(env)? {
            let (descriptor, _) = jvmti.class_signature(class.get())?;
            let name = descriptor.strip_prefix('L').and_then(|name| name.strip_suffix(';'));
            if let Some(name) = name.filter(|name| wanted.contains(name)) {
                early.push((name.to_owned(), env.global(class.get()).map_err(|_| Fault::missing("memory"))?));
            }
        }
        Ok(early)
    });
    match found {
        Ok(early) => early,
        Err(exception) => Err(Fault::threw(env, "list classes", exception)),
    }
}

/// Has the classes pass the hook, all at once if possible; answers those that could not, and why.
fn retransform(vm: Vm, classes: &[(String, Global<Class>)]) -> Vec<(String, String)> {
    let jvmti = vm.jvmti();
    let all: Vec<Ref<'_, Class>> = classes.iter().map(|(_, class)| class.get()).collect();
    if jvmti.retransform(&all).is_ok() {
        return Vec::new();
    }
    let one_by_one = classes.iter().filter_map(|(name, class)| {
        let failed = jvmti.retransform(&[class.get()]).err()?;
        Some((name.clone(), failed.to_string()))
    });
    one_by_one.collect()
}

/// What is thrown into a step that runs too long: nothing that code expects to catch.
fn stop_error(env: &mut Env<'_>) -> Result<Global<Throwable>, Fault> {
    let error = match jdk::method(env, "java/lang/ThreadDeath", "<init>", "()V") {
        Ok(make) => jdk::new_object(env, &make, &[])?,
        Err(_) => {
            let make = jdk::method(env, "java/lang/Error", "<init>", "()V")?;
            jdk::new_object(env, &make, &[])?
        }
    };
    let error = env.cast::<Throwable>(error.keep()).ok_or_else(|| Fault::missing("ThreadDeath"))?;
    env.global(error).map_err(|_| Fault::missing("memory"))
}

fn second(env: &mut Env<'_>, loader: &Global<Loader>) -> Result<Global<Loader>, Fault> {
    env.global(loader.get()).map_err(|_| Fault::missing("memory"))
}

/// Initialises the listed classes in their order, each watched; answers those that could not be, and why.
fn initialise(
    env: &mut Env<'_>,
    shared: &Shared,
    types: &mut Types,
    sorter: &Sorter,
    bounds: Bounds,
    classes: &[ClassName],
    beat: &dyn Fn(),
) -> Result<Vec<(ClassName, String)>, Fault> {
    let mut failed = Vec::new();
    for class in classes {
        beat();
        let id = types.id(&Type::Class(class.clone()));
        shared.watch.enter(Place { item: STARTING, step: 0 });
        let tried = env.with_frame(64, |env| {
            if let Err(why) = types.load(env, id) {
                return Some(why.to_owned());
            }
            let failure = types.initialise(env, id, sorter, bounds, || shared.take_taints())?;
            let message =
                failure.thrown.message.map_or(String::new(), |text| format!(": {}", text.to_lossy()));
            let cause = failure.thrown.cause.map_or(String::new(), |cause| format!(", caused by {cause}"));
            Some(format!("{}{message}{cause}", failure.thrown.class))
        });
        let stopped = shared.watch.leave();
        match tried {
            Ok(None) if !stopped => {}
            Ok(_) if stopped => {
                failed.push((class.clone(), "its initialiser exceeded the limits of a call".into()))
            }
            Ok(why) => failed.extend(why.map(|why| (class.clone(), why))),
            Err(exception) => return Err(Fault::threw(env, "initialise a class", exception)),
        }
    }
    shared.failed_class.store(false, std::sync::atomic::Ordering::Relaxed);
    shared.take_taints();
    Ok(failed)
}

fn initial_edges(env: &mut Env<'_>) -> Result<Vec<ProbeId>, Fault> {
    let taken = shared::on_executor(|executor| -> Result<Vec<u32>, Fault> {
        executor.starting = false;
        let mut hit = std::mem::take(&mut executor.kept);
        executor.probes.drain(env, &mut hit)?;
        Ok(hit)
    });
    let mut hit = taken.unwrap_or(Ok(Vec::new()))?;
    hit.sort_unstable();
    hit.dedup();
    Ok(hit.into_iter().map(ProbeId).collect())
}
