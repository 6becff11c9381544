//! Tables as the sources print them.
//!
//! In: [`Report`]. Out: text. Means over seeds; the theses' own figures follow once, as theirs are of other code.

use std::fmt::Write;

use super::report::{FIRST, PackageReport, Report, RunReport, SubjectReport, TechniqueReport, share};
use super::{Of, TECHNIQUES, theses};
use crate::generate::numbers::{count, plural};

/// All tables.
pub fn render(report: &Report) -> String {
    let mut out = String::new();
    let limit = match (report.time_limit_seconds, report.step_limit) {
        (_, Some(steps)) => plural(steps, "step"),
        (Some(time), None) => format!("{time} s"),
        (None, None) => "no limit".into(),
    };
    let seeds = plural(report.seeds, "seed");
    let _ = writeln!(
        out,
        "Each search: {limit}, {seeds}, Java {}, {} cores. Coverage is in branches, by the search.",
        report.java, report.cores
    );
    for subject in &report.subjects {
        let _ = writeln!(
            out,
            "\n{}: {}, {}, {} branches",
            subject.subject,
            plural(subject.classes as u64, "class"),
            plural(subject.members as u64, "member"),
            count(subject.branches)
        );
        coverage(subject, &mut out);
        failures(subject, &mut out);
        depth(subject, &mut out);
        packages(subject, &mut out);
    }
    theses_own(&mut out);
    out
}

fn of<'r>(subject: &'r SubjectReport, wanted: &[Of]) -> Vec<&'r TechniqueReport> {
    let is_wanted = |one: &&TechniqueReport| {
        TECHNIQUES.iter().any(|known| known.name == one.technique && wanted.contains(&known.of))
    };
    subject.techniques.iter().filter(is_wanted).collect()
}

fn whole(number: f64) -> String {
    count(number.round() as u64)
}

/// Spec 001 §3.2.
fn coverage(subject: &SubjectReport, out: &mut String) {
    let _ = writeln!(out, "\n  coverage, and when it was reached (001 §3.2)");
    let _ =
        writeln!(out, "    {:<18} {:>9} {:>9} {:>12} {:>7}", "", "branches", "after s", "sequences", "legal");
    for one in &subject.techniques {
        let legal = one.mean(|run| share(run.legal, run.sequences));
        let _ = writeln!(
            out,
            "    {:<18} {:>8.1}% {:>9.1} {:>12} {:>6.0}%",
            one.technique,
            one.mean(RunReport::percent),
            one.mean(|run| run.best_after_seconds),
            whole(one.mean(|run| run.sequences as f64)),
            legal
        );
    }
}

/// Spec 001 §3.3.
fn failures(subject: &SubjectReport, out: &mut String) {
    let _ = writeln!(out, "\n  tests and broken contracts (001 §3.3)");
    let _ = writeln!(
        out,
        "    {:<18} {:>12} {:>10} {:>9} {:>9}",
        "", "tests", "violating", "reported", "members"
    );
    for one in of(subject, &[Of::Spec001, Of::Ours]) {
        let _ = writeln!(
            out,
            "    {:<18} {:>12} {:>10} {:>9.1} {:>9.1}",
            one.technique,
            whole(one.mean(|run| run.legal as f64)),
            whole(one.mean(|run| run.violating as f64)),
            one.mean(|run| run.reported as f64),
            one.mean(|run| run.failing_members as f64)
        );
    }
}

/// Spec 001 §3.4.
fn depth(subject: &SubjectReport, out: &mut String) {
    let _ = writeln!(out, "\n  contracts on values alone, and how deep calls stand (001 §3.4)");
    let _ = writeln!(out, "    {:<18} {:>13} {:>9} {:>11}", "", "failing tests", "classes", "mean depth");
    for one in of(subject, &[Of::Spec001, Of::Ours]) {
        let _ = writeln!(
            out,
            "    {:<18} {:>13} {:>9.1} {:>11.1}",
            one.technique,
            whole(one.mean(|run| run.value_violating as f64)),
            one.mean(|run| run.value_classes as f64),
            one.mean(|run| run.mean_depth)
        );
    }
}

/// Spec 004 §6.1: per package, the total, tests, and coverage by the first so many tests.
fn packages(subject: &SubjectReport, out: &mut String) {
    let columns = of(subject, &[Of::Spec004, Of::Ours]);
    let Some(first) = columns.first().and_then(|one| one.runs.first()) else { return };
    let _ = writeln!(out, "\n  coverage by package in percent (004 §6.1)");
    let width = first.packages.iter().map(|one| one.package.len()).max().unwrap_or(0).max(14);
    let _ = write!(out, "    {:<width$} {:>9}", "", "branches");
    columns.iter().for_each(|one| {
        let _ = write!(out, " {:>cell$}", one.technique, cell = cell(one));
    });
    out.push('\n');
    let mut row = |name: &str, branches: &str, value: &dyn Fn(&TechniqueReport) -> String| {
        let _ = write!(out, "    {name:<width$} {branches:>9}");
        columns.iter().for_each(|one| {
            let _ = write!(out, " {:>cell$}", value(one), cell = cell(one));
        });
        out.push('\n');
    };
    for package in &first.packages {
        let reached = |run: &RunReport| {
            let same = |one: &&PackageReport| one.package == package.package;
            run.packages.iter().find(same).map_or(0.0, |one| share(one.branches_reached, one.branches))
        };
        row(&package.package, &count(package.branches), &|one| format!("{:.1}", one.mean(reached)));
    }
    row("total", &count(first.branches), &|one| format!("{:.1}", one.mean(RunReport::percent)));
    row("tests", "", &|one| whole(one.mean(|run| run.legal as f64)));
    for tests in FIRST {
        let reached = |run: &RunReport| {
            let found = run.first.iter().find(|one| one.tests == tests);
            found.map(|one| share(one.branches_reached as u64, run.branches))
        };
        if columns.iter().any(|one| one.runs.iter().any(|run| reached(run).is_some())) {
            row(&format!("first {}", count(tests)), "", &|one| {
                let all: Option<Vec<f64>> = one.runs.iter().map(reached).collect();
                all.map_or("–".into(), |all| format!("{:.1}", all.iter().sum::<f64>() / all.len() as f64))
            });
        }
    }
}

fn cell(one: &TechniqueReport) -> usize {
    one.technique.len().max(9)
}

/// What the theses print.
fn theses_own(out: &mut String) {
    let _ = writeln!(out, "\nThe theses' own figures: other code, machines of 2006 to 2011");
    let _ = writeln!(out, "  001 §3.2, block coverage    directed  undirected");
    for (name, directed, undirected) in theses::CONTAINERS {
        let _ = writeln!(out, "    {name:<22} {directed:>11.2} {undirected:>11.2}");
    }
    let _ = writeln!(out, "  001 §3.3, directed           classes  methods    tests  violating  members");
    for (name, classes, methods, tests, violating, reported) in theses::LIBRARIES {
        let _ = writeln!(
            out,
            "    {name:<22} {classes:>10} {methods:>8} {:>8} {:>10} {reported:>8}",
            count(tests),
            count(violating)
        );
    }
    let _ = writeln!(
        out,
        "  001 §3.4                    failing tests: walk, bottom-up legal, directed     errors"
    );
    for (name, failing, errors) in theses::DEPTH {
        let [a, b, c] = failing.map(count);
        let [x, y, z] = errors;
        let _ = writeln!(out, "    {name:<22} {a:>18} {b:>10} {c:>10} {x:>12} {y:>4} {z:>4}");
    }
    let _ = writeln!(out, "  004 §6.1, statement coverage    lines  undirected  feedback  adaptive  recgen");
    for (name, lines, percent, tests) in theses::RECGEN {
        let [a, b, c, d] = percent;
        let _ = writeln!(out, "    {name:<22} {:>12} {a:>11.1} {b:>9.1} {c:>9.1} {d:>7.1}", count(lines));
        let [a, b, c, d] = tests.map(count);
        let _ = writeln!(out, "    {:<22} {:>12} {a:>11} {b:>9} {c:>9} {d:>7}", "  tests", "");
    }
}
