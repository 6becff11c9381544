//! The numbers of a benchmark, and how they compare with what is wanted.

use std::fmt::Write;
use std::time::Duration;

use serde::Serialize;

/// Grows when a key changes its meaning or goes.
pub const SCHEMA: u32 = 1;

/// One run of `probat bench exec`. The six speeds are calls per second.
#[derive(Debug, Serialize)]
pub struct Report {
    pub schema: u32,
    pub java_loop: f64,
    pub raw_jni: f64,
    pub pipeline: f64,
    pub pipeline_observed: f64,
    pub pipeline_two_workers: f64,
    pub reflection: f64,
    pub ratios: Vec<Ratio>,
    /// By way of running.
    pub cpu: Vec<Cpu>,
    pub mix: MixSeen,
    pub java: String,
    pub cores: usize,
    pub rounds: u16,
    pub notes: Vec<String>,
}

/// One comparison.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ratio {
    pub name: &'static str,
    pub value: f64,
    pub wanted: f64,
    pub met: bool,
}

/// CPU time for one call, in nanoseconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cpu {
    pub name: &'static str,
    /// The side that makes sequences and reads results; nothing where there is only one process.
    pub search_ns_per_call: Option<f64>,
    /// The process with the JVM.
    pub worker_ns_per_call: f64,
}

/// What was called.
#[derive(Debug, Serialize)]
pub struct MixSeen {
    pub sequences: usize,
    pub steps: usize,
    pub calls: u64,
    pub operations: usize,
    pub libraries: Vec<String>,
}

/// The speeds a report compares.
#[derive(Debug, Clone, Copy)]
pub struct Speeds {
    pub raw_jni: f64,
    pub pipeline: f64,
    pub observed: f64,
    pub two_workers: f64,
    pub reflection: f64,
}

/// What is wanted of a machine with so many cores.
pub fn ratios(speeds: &Speeds, cores: usize) -> Vec<Ratio> {
    let ratio = |name, value: f64, wanted: f64| Ratio { name, value, wanted, met: value >= wanted };
    let mut ratios = vec![
        ratio("pipeline / raw_jni", speeds.pipeline / speeds.raw_jni, 1.0 / 3.0),
        ratio("pipeline_observed / raw_jni", speeds.observed / speeds.raw_jni, 1.0 / 5.0),
        ratio("pipeline / reflection", speeds.pipeline / speeds.reflection, 1.0),
    ];
    // The search side needs a core too, and so does the compiler of each JVM.
    if cores >= 2 {
        let wanted = if cores > 2 { 1.6 } else { 1.3 };
        ratios.push(ratio("pipeline_two_workers / pipeline", speeds.two_workers / speeds.pipeline, wanted));
    }
    ratios
}

/// The middle of several measurements.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// Nanoseconds of CPU for one of so many calls.
pub fn per_call(cpu: Duration, calls: u64) -> f64 {
    cpu.as_nanos() as f64 / calls.max(1) as f64
}

/// For people.
pub fn render(report: &Report) -> String {
    let mut out = String::new();
    let mix = &report.mix;
    let _ = writeln!(
        out,
        "{} sequences of {} steps, {} calls, {} different operations; {}; {} cores",
        mix.sequences,
        mix.steps,
        mix.calls,
        mix.operations,
        mix.libraries.join(", "),
        report.cores
    );
    let _ = writeln!(out, "{:<22} {:>14} {:>12} {:>12}", "", "calls/s", "search ns", "worker ns");
    for (name, speed) in speeds(report) {
        let cpu = report.cpu.iter().find(|cpu| cpu.name == name);
        let search = cpu.and_then(|cpu| cpu.search_ns_per_call).map_or("-".into(), |ns| format!("{ns:.0}"));
        let worker = cpu.map_or("-".into(), |cpu| format!("{:.0}", cpu.worker_ns_per_call));
        let _ = writeln!(out, "{name:<22} {:>14} {search:>12} {worker:>12}", grouped(speed));
    }
    for ratio in &report.ratios {
        let word = if ratio.met { "met" } else { "missed" };
        let _ = writeln!(out, "{:<34} {:.2} (wanted {:.2}: {word})", ratio.name, ratio.value, ratio.wanted);
    }
    for note in &report.notes {
        let _ = writeln!(out, "note: {note}");
    }
    out
}

fn speeds(report: &Report) -> [(&'static str, f64); 6] {
    [
        ("java_loop", report.java_loop),
        ("raw_jni", report.raw_jni),
        ("pipeline", report.pipeline),
        ("pipeline_observed", report.pipeline_observed),
        ("pipeline_two_workers", report.pipeline_two_workers),
        ("reflection", report.reflection),
    ]
}

/// `12345678` as `12 345 678`.
fn grouped(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wanted_depends_on_the_cores() {
        let speeds =
            Speeds { raw_jni: 9e6, pipeline: 3e6, observed: 1e6, two_workers: 4.5e6, reflection: 2e6 };
        let met = |cores| ratios(&speeds, cores).iter().map(|ratio| ratio.met).collect::<Vec<_>>();
        assert_eq!(met(1), [true, false, true]);
        assert_eq!(met(2), [true, false, true, true]);
        assert_eq!(met(4), [true, false, true, false]);
    }

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(grouped(1234567.8), "1 234 568");
        assert_eq!(grouped(123.0), "123");
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
    }
}
