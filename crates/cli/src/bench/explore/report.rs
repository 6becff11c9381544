//! What was measured.

use probat_explore::Strategy;
use serde::Serialize;

use crate::explore::drive::Done;
use crate::explore::{round, strategy_name};
use crate::generate::numbers::count;

/// Version of this form.
pub const SCHEMA: &str = "probat/bench-explore/1";

/// Everything measured.
#[derive(Debug, Serialize)]
pub struct Report {
    pub schema: &'static str,
    pub java_version: String,
    pub workers: usize,
    pub seconds_each: f64,
    pub subjects: Vec<SubjectReport>,
}

/// One structure.
#[derive(Debug, Serialize)]
pub struct SubjectReport {
    pub subject: &'static str,
    pub study_bound: u16,
    pub study_states: u64,
    pub study_seconds: f64,
    pub ways: Vec<Way>,
    pub farthest: Option<Far>,
}

/// One way of reaching states again.
#[derive(Debug, Serialize)]
pub struct Way {
    pub way: &'static str,
    pub bound: u16,
    pub states: u64,
    pub tests: u64,
    pub complete: bool,
    pub seconds: f64,
    pub states_per_second: f64,
    pub tests_per_second: f64,
}

impl Way {
    pub fn of(strategy: Strategy, bound: u16, done: &Done) -> Way {
        let seconds = done.took.as_secs_f64();
        let (states, tests) = (done.exploration.nodes.len() as u64, done.exploration.tests);
        Way {
            way: strategy_name(strategy),
            bound,
            states,
            tests,
            complete: done.exploration.ended_by.is_none(),
            seconds: round(seconds),
            states_per_second: round(states as f64 / seconds),
            tests_per_second: round(tests as f64 / seconds),
        }
    }
}

/// The largest bound finished.
#[derive(Debug, Serialize)]
pub struct Far {
    pub bound: u16,
    pub states: u64,
    pub tests: u64,
    pub seconds: f64,
    pub states_per_second: f64,
    pub tests_per_second: f64,
    pub bytes_per_state: f64,
    /// The way that the run chose.
    pub way: &'static str,
}

impl Far {
    pub fn of(bound: u16, done: &Done) -> Far {
        let seconds = done.took.as_secs_f64();
        let (states, tests) = (done.exploration.nodes.len() as u64, done.exploration.tests);
        Far {
            bound,
            states,
            tests,
            seconds: round(seconds),
            states_per_second: round(states as f64 / seconds),
            tests_per_second: round(tests as f64 / seconds),
            bytes_per_state: round(done.exploration.bytes as f64 / states.max(1) as f64),
            way: strategy_name(done.strategy),
        }
    }
}

pub fn render(report: &Report) -> String {
    let mut rows = vec![
        [
            "structure",
            "2005: calls",
            "states",
            "seconds",
            "now: calls",
            "states",
            "tests",
            "seconds",
            "states/s",
            "tests/s",
            "B/state",
            "tests/s rerun",
            "restore",
            "chosen",
        ]
        .map(str::to_owned),
    ];
    for one in &report.subjects {
        let far = one.farthest.as_ref();
        let of = |show: &dyn Fn(&Far) -> String| far.map_or("-".to_owned(), show);
        let way =
            |at: usize| one.ways.get(at).map_or("-".to_owned(), |way| count(way.tests_per_second as u64));
        rows.push([
            one.subject.to_owned(),
            one.study_bound.to_string(),
            count(one.study_states),
            format!("{:.1}", one.study_seconds),
            of(&|far| far.bound.to_string()),
            of(&|far| count(far.states)),
            of(&|far| count(far.tests)),
            of(&|far| format!("{:.1}", far.seconds)),
            of(&|far| count(far.states_per_second as u64)),
            of(&|far| count(far.tests_per_second as u64)),
            of(&|far| format!("{:.0}", far.bytes_per_state)),
            way(0),
            way(1),
            of(&|far| far.way.to_owned()),
        ]);
    }
    let columns = rows[0].len();
    let widths: Vec<usize> = (0..columns)
        .map(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0))
        .collect();
    let mut out = format!(
        "Java {}, {} workers, at most {:.0}s and 2 GB for each run\n\n",
        report.java_version, report.workers, report.seconds_each
    );
    for row in rows {
        let first = format!("{:<width$}", row[0], width = widths[0]);
        let rest = row.iter().zip(&widths).skip(1).map(|(cell, width)| format!("  {cell:>width$}"));
        out.push_str(&format!("{first}{}\n", rest.collect::<String>()));
    }
    out
}
