//! The result as data, and as text.
//!
//! In: suites and judgements. Out: [`Report`]. `docs/guide/reduce.md` documents the keys.

use serde::Serialize;

use super::mutants::Mutants;
use super::source::Copies;
use crate::generate::numbers::{count, percent, plural};

/// Version of this form.
pub const SCHEMA: &str = "probat/reduce/1";

/// Everything found.
#[derive(Debug, Serialize)]
pub struct Report {
    pub schema: &'static str,
    pub java_version: String,
    /// Classes whose calls were recorded.
    pub classes: usize,
    /// Tests that passed, and are assessed.
    pub tests: usize,
    /// All tests were recorded; Ctrl-C leaves some out.
    pub complete: bool,
    /// Tests that passed without recording and did not come to their end with it. Nothing is known of them, so a build should run them.
    pub not_recorded: Vec<String>,
    /// The technique that the suite is reduced by.
    pub by: &'static str,
    pub techniques: Vec<TechniqueReport>,
    /// Ids of a minimal suite, or with existing tests of the new tests that add something.
    pub kept: Vec<String>,
    pub redundant: Vec<String>,
    /// All tests, those that add most first.
    pub order: Vec<Ordered>,
    /// Tests that call nothing of the classes under test.
    pub without_calls: usize,
    pub problems: Vec<ProblemReport>,
    pub equals: Vec<EqualsReport>,
    /// Classes that stood for their whole states under the techniques that ask `equals`.
    pub compared_by_state: Vec<ByState>,
    /// How many existing tests the new ones are measured against, if there are any.
    pub existing: Option<usize>,
    /// With all tests and with those kept, existing ones included.
    pub before: Quality,
    pub after: Quality,
    /// Mutants that PIT counted, if asked for.
    pub mutants: Option<Mutants>,
    /// Copies of the sources without redundant tests, if asked for.
    pub source: Option<Copies>,
    /// Calls recorded.
    pub calls: u64,
    /// States too large to read, each taken to be unlike every other.
    pub too_large: u64,
    /// Tests whose calls were too many, on too large states, to look at all; they count as adding something.
    pub cut_off: Vec<String>,
    /// Calls on other threads, which are not recorded.
    pub calls_elsewhere: u64,
    /// Tests with such calls; they count as adding something.
    pub used_threads: Vec<String>,
    pub static_inputs: bool,
    /// Tests that ended otherwise when recorded.
    pub changed_by_recording: Vec<String>,
    pub seconds: f64,
    pub seconds_plain: f64,
    pub slowdown: Option<f64>,
    /// The same by processor time of the JVM, which says more on a busy machine.
    pub cpu_seconds: f64,
    pub cpu_seconds_plain: f64,
    pub cpu_slowdown: Option<f64>,
    pub files: Vec<String>,
}

/// One representation of states.
#[derive(Debug, Serialize)]
pub struct TechniqueReport {
    pub technique: &'static str,
    pub states: usize,
    pub executions: usize,
    pub tests: usize,
    pub redundant: usize,
    pub redundant_percent: f64,
}

/// A test in its place.
#[derive(Debug, Serialize)]
pub struct Ordered {
    pub id: String,
    /// Executions it is the first to make.
    pub new: usize,
}

/// A test that is not assessed.
#[derive(Debug, Serialize)]
pub struct ProblemReport {
    pub id: String,
    pub name: String,
    pub kind: &'static str,
    pub detail: String,
}

/// A pair that breaks the contract of `equals`.
#[derive(Debug, Serialize)]
pub struct EqualsReport {
    pub class: String,
    pub rule: String,
    pub left: String,
    pub right: String,
}

/// A class whose `equals` is of no use.
#[derive(Debug, Serialize)]
pub struct ByState {
    pub class: String,
    pub reason: String,
}

/// What a suite reaches.
#[derive(Debug, Serialize)]
pub struct Quality {
    pub tests: usize,
    pub edges: usize,
    /// Distinct pairs of method and exception.
    pub exceptions: usize,
}

/// Lines of a list before the rest is only counted.
const SHOWN: usize = 15;

pub fn render(report: &Report) -> String {
    let mut out = String::new();
    let problems = report.problems.iter().filter(|problem| problem.kind != "skipped").count();
    let cost = match (report.slowdown, report.cpu_slowdown) {
        (Some(slowdown), Some(cpu)) => format!(
            "{slowdown:.1} times the time ({:.1}s, {:.1}s without), {cpu:.1} times the processor time ({:.1}s, {:.1}s)",
            report.seconds, report.seconds_plain, report.cpu_seconds, report.cpu_seconds_plain
        ),
        // Not all that ran without recording ran with it.
        _ => format!("in {:.1}s", report.seconds),
    };
    out.push_str(&format!(
        "{}, {} not passing; calls on {} recorded, {cost}\n\n",
        plural(report.tests as u64, "test"),
        count(problems as u64),
        plural(report.classes as u64, "class"),
    ));
    if !report.complete {
        out.push_str(&format!(
            "INCOMPLETE, ended by Ctrl-C: nothing is said of {}, which must stay\n\n",
            plural(report.not_recorded.len() as u64, "test")
        ));
    }
    table(report, &mut out);
    summary(report, &mut out);
    list(
        "not assessed",
        report.problems.iter().map(|problem| {
            format!("{} {}: {}", problem.kind, problem.name_and_id(), first_line(&problem.detail))
        }),
        &mut out,
    );
    list(
        "equals breaks its contract",
        report
            .equals
            .iter()
            .map(|pair| format!("{} is not {}: {} and {}", pair.class, pair.rule, pair.left, pair.right)),
        &mut out,
    );
    list("ended otherwise when recorded", report.changed_by_recording.iter().cloned(), &mut out);
    if report.too_large > 0 {
        out.push_str(&format!(
            "\n{} of {} were too large to read and count as unlike every other\n",
            plural(report.too_large, "state"),
            plural(report.calls, "call")
        ));
    }
    list(
        "not looked at to their end, for the size of their states (`--token-limit-per-test`)",
        report.cut_off.iter().map(|id| short(id)),
        &mut out,
    );
    let elsewhere = plural(report.calls_elsewhere, "call");
    list(
        &format!("kept whatever they do, for {elsewhere} on other threads, which are not recorded"),
        report.used_threads.iter().map(|id| short(id)),
        &mut out,
    );
    list("written", report.files.iter().cloned(), &mut out);
    out
}

impl ProblemReport {
    fn name_and_id(&self) -> String {
        match probat_reduce::includes(&self.id) {
            Some((class, Some(method))) => format!("{class}.{method}"),
            Some((class, None)) => class,
            None => self.name.clone(),
        }
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(160).collect()
}

fn table(report: &Report, out: &mut String) {
    let mut rows = vec![["states by", "states", "executions", "redundant tests", ""].map(str::to_owned)];
    for one in &report.techniques {
        rows.push([
            one.technique.to_owned(),
            count(one.states as u64),
            count(one.executions as u64),
            count(one.redundant as u64),
            percent(one.redundant as u64, one.tests as u64),
        ]);
    }
    let widths: Vec<usize> =
        (0..5).map(|column| rows.iter().map(|row| row[column].len()).max().unwrap_or(0)).collect();
    for row in rows {
        let first = format!("  {:<width$}", row[0], width = widths[0]);
        let rest: String =
            row.iter().zip(&widths).skip(1).map(|(cell, width)| format!("  {cell:>width$}")).collect();
        out.push_str(format!("{first}{rest}").trim_end());
        out.push('\n');
    }
}

fn summary(report: &Report, out: &mut String) {
    out.push_str(&format!(
        "\nby {}: {} of {} {}; {} of {} edges and {} of {} exceptions remain\n",
        report.by,
        count(report.kept.len() as u64),
        plural(report.tests as u64, "test"),
        match (report.existing, report.kept.len()) {
            (None, _) => "enough".to_owned(),
            (Some(existing), 1) => format!("adds something to the {} there are", count(existing as u64)),
            (Some(existing), _) => format!("add something to the {} there are", count(existing as u64)),
        },
        count(report.after.edges as u64),
        count(report.before.edges as u64),
        report.after.exceptions,
        report.before.exceptions,
    ));
    if let Some(mutants) = &report.mutants {
        out.push_str(&format!(
            "{} of {} killed mutants are still killed, of {} in all\n",
            count(mutants.killed_after as u64),
            count(mutants.killed_before as u64),
            count(mutants.mutants as u64)
        ));
    }
    if let Some(source) = &report.source {
        copies(source, out);
    }
    if report.without_calls > 0 {
        let call = if report.without_calls == 1 { "calls" } else { "call" };
        out.push_str(&format!(
            "{} {call} nothing of the classes under test\n",
            plural(report.without_calls as u64, "test")
        ));
    }
    list("redundant", report.redundant.iter().map(|id| short(id)), out);
}

fn copies(source: &Copies, out: &mut String) {
    let compiles = match source.compiles {
        Some(true) => ", which compile",
        Some(false) => ", which do NOT compile",
        None => "",
    };
    out.push_str(&format!(
        "{} copied without {}{compiles}\n",
        plural(source.files as u64, "source"),
        plural(source.removed.len() as u64, "redundant test")
    ));
    if let Some(complaint) = &source.complaint {
        out.push_str(&format!("  {complaint}\n"));
    }
    list("redundant, but left in the sources", source.left.iter().cloned(), out);
}

/// `com.acme.CartTest.add` where the id says so.
pub fn short(id: &str) -> String {
    match probat_reduce::includes(id) {
        Some((class, Some(method))) => {
            let number =
                id.rsplit_once("invocation:#").map(|(_, rest)| format!(" #{}", rest.trim_end_matches(']')));
            // The Vintage engine counts from 0, in brackets.
            let number = number.or_else(|| {
                let (_, rest) = id.rsplit_once(":%5B")?;
                Some(format!(" [{}]", rest.split('%').next().unwrap_or_default()))
            });
            format!("{class}.{method}{}", number.unwrap_or_default())
        }
        _ => id.to_owned(),
    }
}

fn list(head: &str, lines: impl ExactSizeIterator<Item = String>, out: &mut String) {
    let all = lines.len();
    if all == 0 {
        return;
    }
    out.push_str(&format!("\n{head}\n"));
    lines.take(SHOWN).for_each(|line| out.push_str(&format!("  {line}\n")));
    if all > SHOWN {
        out.push_str(&format!("  … and {} more\n", all - SHOWN));
    }
}
