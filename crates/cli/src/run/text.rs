//! A report for people.
//!
//! In: a [`Report`]. Out: text that reads from top to bottom like the script: each line, what it gave, what it
//! changed, which branches it was the first to take. Readable without colour.

use std::fmt::Write;

use super::edges::EdgeFound;
use super::report::{EndSeen, LineSeen, OutcomeSeen, Report, StateShown, ThrownSeen, ViolationSeen};

/// Stack frames shown.
const FRAMES: usize = 5;

/// Edges shown per line.
const EDGES: usize = 12;

/// Lines of a state shown.
const STATE_LINES: usize = 40;

/// The whole report.
pub fn render(report: &Report) -> String {
    let mut out = String::new();
    let width = report.lines.last().map_or(1, |line| line.line.to_string().len());
    for line in &report.lines {
        if line.outcome == OutcomeSeen::NotRun && report.end != EndSeen::Completed {
            continue;
        }
        render_line(&mut out, line, width);
    }
    render_end(&mut out, report);
    out
}

fn render_line(out: &mut String, line: &LineSeen, width: usize) {
    let margin = " ".repeat(width);
    for (at, source) in line.source.lines().enumerate() {
        let number = if at == 0 { line.line.to_string() } else { String::new() };
        let _ = writeln!(out, "{number:>width$} | {}", source.trim_end());
    }
    let inline = inline_result(line);
    match inline.and_then(|at| line.states[at].tree.lines().next()) {
        Some(tree) => {
            let _ = writeln!(out, "{margin}   = {tree}");
        }
        None => render_outcome(out, &margin, &line.outcome),
    }
    for (at, state) in line.states.iter().enumerate() {
        if inline != Some(at) {
            render_state(out, &margin, state);
        }
    }
    render_edges(out, &margin, &line.edges);
}

/// The state of a line's own result, if it is new and fits on the line of the result.
fn inline_result(line: &LineSeen) -> Option<usize> {
    let is_object = |outcome: &OutcomeSeen| match outcome {
        OutcomeSeen::Returned { value } => value.class.is_some(),
        _ => false,
    };
    let fits = |state: &StateShown| {
        !state.changed && !state.truncated && state.name == line.name && state.tree.lines().count() == 1
    };
    line.states.iter().position(fits).filter(|_| is_object(&line.outcome))
}

fn render_outcome(out: &mut String, margin: &str, outcome: &OutcomeSeen) {
    match outcome {
        OutcomeSeen::Returned { value } if value.r#type == "void" => {}
        OutcomeSeen::Returned { value } => {
            let cut = value.length.filter(|_| value.r#type == "string");
            let shown = value.literal.chars().count().saturating_sub(2);
            let more = cut.filter(|&length| length as usize > shown);
            let tail = more.map_or(String::new(), |length| format!(" (of {length} characters)"));
            let _ = writeln!(out, "{margin}   = {}{tail}", value.literal);
        }
        OutcomeSeen::Threw { thrown } => render_thrown(out, margin, "threw", thrown),
        OutcomeSeen::Refused { reason } => {
            let _ = writeln!(out, "{margin}   ! not run: {reason}");
        }
        OutcomeSeen::TimedOut => {
            let _ = writeln!(out, "{margin}   ! stopped: it took longer than the limit for one call");
        }
        OutcomeSeen::Exhausted { thrown: Some(thrown) } => render_thrown(out, margin, "ran out:", thrown),
        OutcomeSeen::Exhausted { thrown: None } => {
            let _ = writeln!(out, "{margin}   ! ran out of memory or stack");
        }
        OutcomeSeen::Died { cause } => {
            let _ = writeln!(out, "{margin}   ! took its worker with it: {cause}");
        }
        OutcomeSeen::NotRun => {
            let _ = writeln!(out, "{margin}   ! not run");
        }
    }
}

fn render_thrown(out: &mut String, margin: &str, word: &str, thrown: &ThrownSeen) {
    let message = thrown.message.as_ref().map_or(String::new(), |message| format!(": {message}"));
    let _ = writeln!(out, "{margin}   ! {word} {}{message}", thrown.class);
    if let Some(cause) = &thrown.cause {
        let _ = writeln!(out, "{margin}       caused by {cause}");
    }
    for frame in thrown.frames.iter().take(FRAMES) {
        let line = frame.line.map_or(String::new(), |line| format!(" line {line}"));
        let _ = writeln!(out, "{margin}       at {}.{}{line}", frame.class, frame.method);
    }
    let more = thrown.frames.len().saturating_sub(FRAMES);
    if more > 0 {
        let _ = writeln!(out, "{margin}       and {more} frames more");
    }
}

fn render_state(out: &mut String, margin: &str, state: &StateShown) {
    let name = state.name.as_deref().unwrap_or("result");
    let word = if state.changed { "changed" } else { "is" };
    let cut = if state.truncated { " (cut off: too large)" } else { "" };
    let shown = if state.changed && !state.difference.is_empty() { &state.difference } else { &state.tree };
    let lines: Vec<&str> = shown.lines().collect();
    if let ([line], false) = (&lines[..], state.changed) {
        let _ = writeln!(out, "{margin}   ~ {name} {word} {line}{cut}");
        return;
    }
    let _ = writeln!(out, "{margin}   ~ {name} {word}{cut}");
    for line in lines.iter().take(STATE_LINES) {
        let _ = writeln!(out, "{margin}       {line}");
    }
    if lines.len() > STATE_LINES {
        let _ = writeln!(
            out,
            "{margin}       and {} lines more (`--format json` has all)",
            lines.len() - STATE_LINES
        );
    }
}

fn render_edges(out: &mut String, margin: &str, edges: &[EdgeFound]) {
    if edges.is_empty() {
        return;
    }
    let s = if edges.len() == 1 { "" } else { "s" };
    let _ = writeln!(out, "{margin}   + {} new edge{s}", edges.len());
    let mut class = "";
    for edge in edges.iter().take(EDGES) {
        if edge.class != class {
            class = &edge.class;
            let _ = writeln!(out, "{margin}       in {class}");
        }
        let _ = writeln!(out, "{margin}         {}", edge.edge);
    }
    if edges.len() > EDGES {
        let _ = writeln!(out, "{margin}       and {} more", edges.len() - EDGES);
    }
}

fn render_end(out: &mut String, report: &Report) {
    let _ = writeln!(out);
    for violation in &report.violations {
        render_violation(out, violation);
    }
    for taint in &report.taints {
        let _ = writeln!(
            out,
            "stopped: line {} tried what no test should do: {} ({})",
            taint.line, taint.kind, taint.detail
        );
    }
    if !report.leaks.is_empty() {
        let _ = writeln!(out, "put back afterwards: {}", report.leaks.join(", "));
    }
    for death in &report.deaths {
        let _ = writeln!(out, "worker died: {death}");
    }
    if let Some(coverage) = &report.coverage {
        let _ =
            writeln!(out, "edges: {} of {} in {} classes", coverage.taken, coverage.edges, coverage.classes);
    }
    if let Some(output) = &report.output {
        let _ = writeln!(out, "printed by the code under test:");
        for line in output.lines() {
            let _ = writeln!(out, "  {line}");
        }
    }
    for missing in &report.sandbox.missing {
        let _ = writeln!(out, "sandbox: {missing}");
    }
    let _ = writeln!(out, "{}", end_line(report));
}

fn render_violation(out: &mut String, violation: &ViolationSeen) {
    let thrown =
        violation.thrown.as_ref().map_or(String::new(), |thrown| format!(" (threw {})", thrown.class));
    let _ =
        writeln!(out, "contract broken: {} on {}{thrown}", violation.contract, violation.values.join(", "));
}

fn end_line(report: &Report) -> String {
    let not_run = report.lines.iter().filter(|line| line.outcome == OutcomeSeen::NotRun).count();
    let rest = match not_run {
        0 => String::new(),
        1 => "; 1 line was not run".into(),
        many => format!("; {many} lines were not run"),
    };
    match &report.end {
        EndSeen::Completed => completed(report),
        EndSeen::Threw { line } => format!("ended by the exception in line {line}{rest}"),
        EndSeen::Refused { line } => format!("ended because line {line} could not be run{rest}"),
        EndSeen::TimedOut { line } => format!("ended by the time limit in line {line}{rest}"),
        EndSeen::Exhausted { line } => format!("ended because memory or stack ran out in line {line}{rest}"),
        EndSeen::Died { line: Some(line), cause } => {
            format!("ended because line {line} killed its worker ({cause}){rest}")
        }
        EndSeen::Died { line: None, cause } => format!("ended because the worker died ({cause}){rest}"),
        EndSeen::Interrupted => "interrupted before the script ended; it had reported nothing yet".into(),
    }
}

fn completed(report: &Report) -> String {
    let went_well =
        |line: &&LineSeen| matches!(line.outcome, OutcomeSeen::Returned { .. } | OutcomeSeen::NotRun);
    let (all, well) = (report.lines.len(), report.lines.iter().filter(went_well).count());
    let lines = if all == 1 { "1 line".into() } else { format!("all {all} lines") };
    match all - well {
        0 => format!("{lines} ran"),
        failed => format!("{lines} were tried, {failed} failed"),
    }
}
