//! What was measured, as data and as a table.

use std::fmt::Write;
use std::time::Duration;

use probat_measure::{Measured, PeerRun};
use serde::Serialize;
use serde_json::Value;

use super::args::BenchGenerateArgs;
use super::explain;
use crate::generate::explain::ReasonGroup;

/// Grows when a key changes its meaning or goes.
const SCHEMA: u32 = 1;

/// One run of `probat bench generate`.
#[derive(Debug, Serialize)]
pub struct Report {
    pub schema: u32,
    pub java: String,
    pub cores: usize,
    pub time_limit_seconds: f64,
    pub subjects: Vec<SubjectReport>,
    /// Means over the subjects, in percent.
    pub branch_percent: f64,
    pub line_percent: f64,
    /// Why branches were not reached, summed over all runs, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<Vec<ReasonGroup>>,
}

/// A subject, with one entry per seed.
#[derive(Debug, Serialize)]
pub struct SubjectReport {
    pub subject: String,
    /// Classes under test, nested ones not counted.
    pub classes: usize,
    pub branch_percent: Spread,
    pub line_percent: Spread,
    pub ours: Vec<Ours>,
    pub peer: Option<Peer>,
    /// Ours by the peer's.
    pub ratios: Option<Ratios>,
}

/// Mean, least and most over the seeds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Spread {
    pub mean: f64,
    pub least: f64,
    pub most: f64,
}

/// One run of `generate`, measured.
#[derive(Debug, Serialize)]
pub struct Ours {
    pub seed: u64,
    /// Of the whole run, checking included.
    pub seconds: f64,
    pub sequences_per_second: f64,
    pub legal_per_second: f64,
    pub legal_percent: f64,
    pub failures: usize,
    pub dropped: usize,
    pub jvms_died: u64,
    /// Seconds by phase, as `generate` tells them.
    pub phases: Value,
    /// Where the time of the search went, as `generate` tells it.
    pub profile: Value,
    /// Why branches were not reached.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unreached: Vec<ReasonGroup>,
    pub measured: Measured,
}

/// The peer, measured.
#[derive(Debug, Serialize)]
pub struct Peer {
    pub run: PeerRun,
    pub measured: Measured,
}

/// Ours by the peer's; nothing where the peer has nothing.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Ratios {
    pub branch: Option<f64>,
    pub line: Option<f64>,
    pub lines_of_test: Option<f64>,
    pub sequences: Option<f64>,
}

impl Ours {
    pub fn new(seed: u64, wall: Duration, said: &Value, measured: Measured) -> Ours {
        let total = |key: &str| said["totals"][key].as_f64().unwrap_or(0.0);
        let searching = phase(&said["seconds"], "searching").max(0.001);
        Ours {
            seed,
            seconds: wall.as_secs_f64(),
            sequences_per_second: total("sequences") / searching,
            legal_per_second: total("legal") / searching,
            legal_percent: 100.0 * total("legal") / total("sequences").max(1.0),
            failures: said["failures"].as_array().map_or(0, Vec::len),
            dropped: said["dropped"].as_array().map_or(0, Vec::len),
            jvms_died: said["totals"]["jvms_died"].as_u64().unwrap_or(0),
            phases: said["seconds"].clone(),
            profile: said["profile"].clone(),
            unreached: explain::groups(said),
            measured,
        }
    }

    fn is_sound(&self) -> bool {
        let runs = &self.measured.runs;
        self.measured.uncompilable.is_empty()
            && runs.iter().all(|run| run.failed.is_empty() && run.trouble.is_none())
    }
}

/// Seconds of a phase.
pub fn phase(phases: &Value, name: &str) -> f64 {
    let phases = phases.as_array().into_iter().flatten();
    phases.filter(|phase| phase["phase"] == name).filter_map(|phase| phase["seconds"].as_f64()).sum()
}

impl Spread {
    pub fn of(values: &[f64]) -> Spread {
        let (least, most) = values.iter().fold((f64::MAX, f64::MIN), |(a, b), &v| (a.min(v), b.max(v)));
        Spread { mean: mean(values.iter().copied()), least, most }
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0u32), |(sum, count), value| (sum + value, count + 1));
    sum / f64::from(count.max(1))
}

impl SubjectReport {
    pub fn new(subject: &str, classes: usize, ours: Vec<Ours>, peer: Option<Peer>) -> SubjectReport {
        let spread = |of: fn(&Measured) -> f64| {
            Spread::of(&ours.iter().map(|one| of(&one.measured)).collect::<Vec<_>>())
        };
        let branch = spread(|measured| measured.branch.percent());
        let line = spread(|measured| measured.line.percent());
        let ratios = peer.as_ref().map(|peer| {
            let ratio = |ours: f64, theirs: f64| (theirs > 0.0).then(|| ours / theirs);
            let theirs = &peer.measured;
            let lines = mean(ours.iter().map(|one| one.measured.lines as f64));
            let speed = peer.run.sequences_per_second();
            Ratios {
                branch: ratio(branch.mean, theirs.branch.percent()),
                line: ratio(line.mean, theirs.line.percent()),
                lines_of_test: ratio(lines, theirs.lines as f64),
                sequences: ratio(mean(ours.iter().map(|one| one.sequences_per_second)), speed),
            }
        });
        SubjectReport {
            subject: subject.to_owned(),
            classes,
            branch_percent: branch,
            line_percent: line,
            ours,
            peer,
            ratios,
        }
    }
}

impl Report {
    pub fn new(args: &BenchGenerateArgs, java: &str, subjects: Vec<SubjectReport>) -> Report {
        Report {
            schema: SCHEMA,
            java: java.to_owned(),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            time_limit_seconds: args.time_limit.as_secs_f64(),
            branch_percent: mean(subjects.iter().map(|subject| subject.branch_percent.mean)),
            line_percent: mean(subjects.iter().map(|subject| subject.line_percent.mean)),
            explain: args.explain.then(|| {
                let runs = subjects.iter().flat_map(|subject| &subject.ours);
                explain::summed(runs.flat_map(|ours| &ours.unreached))
            }),
            subjects,
        }
    }

    /// Whether every suite compiled and every test passed every time.
    pub fn is_sound(&self) -> bool {
        self.subjects.iter().flat_map(|subject| &subject.ours).all(Ours::is_sound)
    }
}

/// For people.
pub fn render(report: &Report) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "Java {}, {} cores, {} s per run, checking included",
        report.java, report.cores, report.time_limit_seconds
    );
    let _ = writeln!(
        out,
        "{:<34} {:>7} {:>9} {:>7} {:>8} {:>7} {:>6} {:>7} {:>7} {:>7} {:>6}",
        "",
        "classes",
        "seq/s",
        "legal %",
        "branch %",
        "line %",
        "tests",
        "lines",
        "uncomp.",
        "failing",
        "wall s"
    );
    for subject in &report.subjects {
        for ours in &subject.ours {
            row(&mut out, subject, ours);
        }
        if let Some(peer) = &subject.peer {
            peer_rows(&mut out, peer, subject.ratios.as_ref());
        }
    }
    let _ = writeln!(out, "{:<60} {:>8.1} {:>7.1}", "mean", report.branch_percent, report.line_percent);
    mutants(&mut out, report);
    for ours in report.subjects.iter().flat_map(|subject| &subject.ours) {
        troubles(&mut out, &ours.measured);
    }
    if let Some(groups) = &report.explain {
        explain::render(&mut out, groups, &report.subjects);
    }
    out
}

fn row(out: &mut String, subject: &SubjectReport, ours: &Ours) {
    let name = format!("{} (seed {})", short(&subject.subject), ours.seed);
    let (classes, legal) = (subject.classes.to_string(), format!("{:.1}", ours.legal_percent));
    measured_row(out, [&name, &classes, &legal], ours.sequences_per_second, &ours.measured, ours.seconds);
    out.push('\n');
}

/// The columns that ours and the peer's have in common; name, classes and legal share come as text.
fn measured_row(out: &mut String, words: [&str; 3], speed: f64, measured: &Measured, seconds: f64) {
    let [name, classes, legal] = words;
    let _ = write!(
        out,
        "{name:<34} {classes:>7} {speed:>9.0} {legal:>7} {:>8.1} {:>7.1} {:>6} {:>7} {:>7} {:>7} {seconds:>6.1}",
        measured.branch.percent(),
        measured.line.percent(),
        measured.tests,
        measured.lines,
        measured.uncompilable.len(),
        measured.failing().len(),
    );
}

/// `g:commons-lang3:3.21.0@a.b.Range` as `commons-lang3 Range`, `libs/app.jar` as `app.jar`.
pub fn short(subject: &str) -> String {
    let (place, classes) = subject.split_once('@').unwrap_or((subject, ""));
    let file = place.rsplit('/').next().unwrap_or(place);
    let file = file.split_once(':').map_or(file, |(_, rest)| rest);
    match classes.split(',').collect::<Vec<_>>().as_slice() {
        [one] if !one.is_empty() && !one.ends_with('*') => {
            format!("{} {}", file.split(':').next().unwrap_or(file), one.rsplit('.').next().unwrap_or(one))
        }
        _ => file.to_owned(),
    }
}

fn peer_rows(out: &mut String, peer: &Peer, ratios: Option<&Ratios>) {
    let run = &peer.run;
    measured_row(out, ["  peer", "", ""], run.sequences_per_second(), &peer.measured, run.seconds);
    let _ = writeln!(out, " {}", run.trouble.as_deref().unwrap_or(""));
    if let Some(ratios) = ratios {
        let show = |ratio: Option<f64>| ratio.map_or("-".into(), |ratio| format!("{ratio:.2}"));
        let _ = writeln!(
            out,
            "{:<34} {:>7} {:>9} {:>7} {:>8} {:>7} {:>6} {:>7}",
            "  ours / peer",
            "",
            show(ratios.sequences),
            "",
            show(ratios.branch),
            show(ratios.line),
            "",
            show(ratios.lines_of_test)
        );
    }
}

/// Mutants noticed, where they were counted.
fn mutants(out: &mut String, report: &Report) {
    let mut row = |name: &str, measured: &Measured| {
        if let Some(share) = measured.mutants {
            let (killed, all) = (share.covered, share.all);
            let _ = writeln!(out, "{name:<34} {killed} of {all} mutants killed, {:.1} %", share.percent());
        }
    };
    for subject in &report.subjects {
        for ours in &subject.ours {
            row(&format!("{} (seed {})", short(&subject.subject), ours.seed), &ours.measured);
        }
        if let Some(peer) = &subject.peer {
            row("  peer", &peer.measured);
        }
    }
}

/// What must not happen, by name.
fn troubles(out: &mut String, measured: &Measured) {
    const SHOWN: usize = 5;
    for one in measured.uncompilable.iter().take(SHOWN) {
        let _ = writeln!(out, "does not compile: {one}");
    }
    for one in measured.failing().iter().take(SHOWN) {
        let _ = writeln!(out, "fails: {one}");
    }
    for trouble in measured.runs.iter().filter_map(|run| run.trouble.as_ref()) {
        let _ = writeln!(out, "a run of the suite: {trouble}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spreads_have_a_middle_and_ends() {
        assert_eq!(Spread::of(&[50.0, 70.0, 60.0]), Spread { mean: 60.0, least: 50.0, most: 70.0 });
    }

    #[test]
    fn subjects_have_short_names() {
        assert_eq!(short("g:lang3:3.21.0@a.b.Range"), "lang3 Range");
        assert_eq!(short("g:guava:33@a.*,b.*"), "guava:33");
        assert_eq!(short("libs/app.jar"), "app.jar");
    }

    #[test]
    fn time_is_read_by_phase() {
        let said =
            serde_json::json!([{"phase": "reading", "seconds": 1.0}, {"phase": "searching", "seconds": 2.5}]);
        assert_eq!(phase(&said, "searching"), 2.5);
        assert_eq!(phase(&said, "other"), 0.0);
    }
}
