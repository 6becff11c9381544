//! The result as data.
//!
//! In: explorations. Out: [`Report`], printed as JSON or as text. `docs/guide/explore.md` documents the keys.

use probat_explore::{Bar, Skipped, Strategy, Trial};
use serde::Serialize;

use super::drive::Done;

/// Version of this form.
pub const SCHEMA: &str = "probat/explore/1";

/// All classes of a run; the numbers at the top are sums.
#[derive(Debug, Serialize)]
pub struct Report {
    pub schema: &'static str,
    pub java_version: String,
    pub states: u64,
    pub tests: u64,
    /// Every sequence up to the bound was tried.
    pub complete: bool,
    pub seconds: f64,
    pub bound: u16,
    /// As asked for: `auto`, `rerun`, `restore`.
    pub strategy: &'static str,
    pub workers: usize,
    pub classes: Vec<ClassReport>,
    /// Files written.
    pub files: Vec<String>,
}

/// One class.
#[derive(Debug, Serialize)]
pub struct ClassReport {
    pub class: String,
    pub states: u64,
    pub tests: u64,
    pub complete: bool,
    /// What ended it before the bound did.
    pub ended_by: Option<String>,
    /// No call leads to a new state: a larger bound finds nothing more.
    pub closed: bool,
    pub seconds: f64,
    pub constructors: u64,
    pub calls: usize,
    pub states_per_second: f64,
    pub bytes_per_state: f64,
    pub too_large: u64,
    /// How states were reached again in the end: `rerun`, `restore`.
    pub strategy: &'static str,
    pub strategy_reason: String,
    pub trials: Vec<TrialReport>,
    pub levels: Vec<LevelReport>,
    pub exceptions: Vec<ExceptionReport>,
    pub broken: Vec<BrokenReport>,
    pub not_called: Vec<NotCalled>,
}

/// Both ways of reaching states, on the same tests.
#[derive(Debug, Serialize)]
pub struct TrialReport {
    /// Tests before it.
    pub after: u64,
    /// Calls of the deepest tests by then.
    pub calls: u16,
    pub sample: usize,
    pub rerun_tests_per_second: f64,
    pub restore_tests_per_second: f64,
    /// The way that was gone on with.
    pub chosen: &'static str,
}

/// What so many calls found.
#[derive(Debug, Serialize)]
pub struct LevelReport {
    pub calls: usize,
    pub states: u64,
    pub tests: u64,
    pub threw: u64,
    pub unchanged: u64,
}

/// An exception of a method.
#[derive(Debug, Serialize)]
pub struct ExceptionReport {
    pub method: String,
    pub exception: String,
    pub tests: u64,
    /// The shortest way to it.
    pub example: String,
}

/// A call without result.
#[derive(Debug, Serialize)]
pub struct BrokenReport {
    pub method: String,
    pub how: String,
    pub tests: u64,
    pub example: String,
}

/// A member left out.
#[derive(Debug, Serialize)]
pub struct NotCalled {
    pub member: String,
    pub reason: String,
}

/// What is told of one class.
pub fn class_report(done: &Done) -> ClassReport {
    let found = &done.exploration;
    let seconds = done.took.as_secs_f64();
    let states = found.nodes.len() as u64;
    ClassReport {
        class: found.plan.class.to_string(),
        states,
        tests: found.tests,
        complete: found.ended_by.is_none(),
        ended_by: found.ended_by.map(|limit| limit.to_string()),
        closed: found.is_closed,
        seconds: round(seconds),
        constructors: found.constructor_tests,
        calls: found.plan.calls.len(),
        states_per_second: round(states as f64 / seconds.max(1e-6)),
        bytes_per_state: round(found.bytes as f64 / states.max(1) as f64),
        too_large: found.too_large,
        strategy: strategy_name(done.strategy),
        strategy_reason: strategy_reason(done),
        trials: done.chooser.iter().flat_map(|chooser| &chooser.trials).map(trial_report).collect(),
        levels: found
            .levels
            .iter()
            .enumerate()
            .map(|(calls, level)| LevelReport {
                calls,
                states: level.states,
                tests: level.tests,
                threw: level.threw,
                unchanged: level.preserving,
            })
            .collect(),
        exceptions: found
            .threw
            .iter()
            .map(|threw| ExceptionReport {
                method: threw.method.clone(),
                exception: threw.exception.to_string(),
                tests: threw.tests,
                example: found.test_text(threw.first),
            })
            .collect(),
        broken: found
            .broken
            .iter()
            .map(|broken| BrokenReport {
                method: broken.method.clone(),
                how: broken.how.clone(),
                tests: broken.tests,
                example: found.test_text(broken.first),
            })
            .collect(),
        not_called: found.plan.skipped.iter().map(not_called).collect(),
    }
}

pub fn strategy_name(strategy: Strategy) -> &'static str {
    match strategy {
        Strategy::Rerun => "rerun",
        Strategy::Restore => "restore",
    }
}

fn trial_report(trial: &Trial) -> TrialReport {
    let per_second = |took: std::time::Duration| round(trial.sample as f64 / took.as_secs_f64().max(1e-9));
    TrialReport {
        after: trial.after,
        calls: trial.depth,
        sample: trial.sample,
        rerun_tests_per_second: per_second(trial.rerun),
        restore_tests_per_second: per_second(trial.restore),
        chosen: strategy_name(trial.chosen),
    }
}

/// Why states were reached as they were.
fn strategy_reason(done: &Done) -> String {
    let Some(chooser) = &done.chooser else { return "asked for".into() };
    match (chooser.bar, chooser.trials.last()) {
        (Some(Bar::Differs), _) => "calls on snapshots did something else".into(),
        (Some(Bar::Memory), _) => "snapshots would take more memory than a quarter of that for states".into(),
        (None, None) => "too few tests to measure both ways".into(),
        (None, Some(last)) => {
            let (rerun, restore) = (last.rerun.as_secs_f64().max(1e-9), last.restore.as_secs_f64().max(1e-9));
            let (times, other) = match last.chosen {
                Strategy::Rerun => (restore / rerun, "snapshots put back"),
                Strategy::Restore => (rerun / restore, "calls run again"),
            };
            let measured = format!("on {} tests after {}", last.sample, last.after);
            if times < 1.1 {
                format!("hardly a difference to {other}, {measured}")
            } else {
                format!("{times:.1} times as fast as {other}, {measured}")
            }
        }
    }
}

fn not_called(skipped: &Skipped) -> NotCalled {
    NotCalled { member: skipped.member.clone(), reason: skipped.reason.clone() }
}

/// Three digits after the point are enough.
pub fn round(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}
