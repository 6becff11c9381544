//! The result for a person.
//!
//! In: a [`Report`]. Out: text: one line that says it all, a table of levels, exceptions, what was left out.

use super::report::{ClassReport, Report};
use crate::generate::numbers::{count, plural};

/// Exceptions and members shown before the rest is only counted.
const SHOWN: usize = 12;

pub fn render(report: &Report) -> String {
    let mut out = String::new();
    for class in &report.classes {
        if !out.is_empty() {
            out.push('\n');
        }
        render_class(class, report.bound, &mut out);
    }
    if !report.files.is_empty() {
        out.push_str("\nwritten\n");
        report.files.iter().for_each(|file| out.push_str(&format!("  {file}\n")));
    }
    out
}

fn render_class(class: &ClassReport, bound: u16, out: &mut String) {
    let bound = plural(u64::from(bound), "call");
    let scope = match (&class.ended_by, class.closed) {
        (Some(limit), _) => format!("INCOMPLETE, ended by {limit} on the way to {bound}"),
        (None, true) => format!("all there are: no longer sequence than {bound} reaches another"),
        (None, false) => format!("all sequences of up to {bound}"),
    };
    let (states, tests) = (plural(class.states, "state"), plural(class.tests, "test"));
    out.push_str(&format!("{}: {states}, {tests}; {scope} ({:.1}s)\n\n", class.class, class.seconds));
    levels(class, out);
    exceptions(class, out);
    listed(
        "no result",
        class.broken.iter().map(|broken| {
            format!("{} {}, {}: {}", broken.method, broken.how, plural(broken.tests, "test"), broken.example)
        }),
        out,
    );
    listed(
        "not called",
        class.not_called.iter().map(|skipped| format!("{}: {}", skipped.member, skipped.reason)),
        out,
    );
    if class.too_large > 0 {
        out.push_str(&format!(
            "\n{} too large to compare, each taken for a new one\n",
            plural(class.too_large, "state")
        ));
    }
    if !class.trials.is_empty() {
        let way =
            if class.strategy == "restore" { "putting snapshots back" } else { "running their calls again" };
        out.push_str(&format!("\nstates were reached by {way}: {}\n", class.strategy_reason));
    }
    if class.ended_by.is_some() {
        out.push_str("\nto go on: a smaller --bound, fewer values with --pool, fewer --methods, or more --time-limit and --memory-limit\n");
    }
}

fn levels(class: &ClassReport, out: &mut String) {
    let mut rows = vec![["calls", "states", "tests", "threw", "unchanged"].map(str::to_owned)];
    for level in &class.levels {
        let tests = |number: u64| if level.calls == 0 { String::new() } else { count(number) };
        rows.push([
            level.calls.to_string(),
            count(level.states),
            tests(level.tests),
            tests(level.threw),
            tests(level.unchanged),
        ]);
    }
    let widths: Vec<usize> =
        (0..5).map(|column| rows.iter().map(|row| row[column].len()).max().unwrap_or(0)).collect();
    for row in rows {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, width)| format!("{cell:>width$}")).collect();
        out.push_str(&format!("  {}\n", cells.join("  ").trim_end()));
    }
}

fn exceptions(class: &ClassReport, out: &mut String) {
    let lines = class.exceptions.iter().map(|threw| {
        format!(
            "{} throws {}, {}: {}",
            threw.method,
            threw.exception,
            plural(threw.tests, "test"),
            threw.example
        )
    });
    listed("exceptions", lines, out);
}

fn listed(head: &str, lines: impl ExactSizeIterator<Item = String>, out: &mut String) {
    let all = lines.len();
    if all == 0 {
        return;
    }
    out.push_str(&format!("\n{head}\n"));
    for line in lines.take(SHOWN) {
        out.push_str(&format!("  {line}\n"));
    }
    if all > SHOWN {
        out.push_str(&format!("  … and {} more\n", all - SHOWN));
    }
}
