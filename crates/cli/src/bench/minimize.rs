//! `probat bench minimize`: how much shorter failures get that random walks run into.
//!
//! In: subjects. Out: calls of each failure as it was found, after removal, after replacement, and after delta debugging, with the runs
//! and the time each took, beside the figures of the source (spec 001 row 43). `generate` is run as a process of its own.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use serde_json::Value;

use super::child;
use super::suite::words;
use crate::args::Format;
use crate::exit::Exit;
use crate::failure::{Failure, message, print, print_json};
use crate::progress::Progress;

/// How much shorter failing sequences get, on failures that random walks run into.
///
/// For each subject and seed, walks make sequences longer call by call until one breaks a rule; an exception does not end them, as few calls of a library
/// come without one. Failures of 30 calls or more are shortened by removal and replacement, and by delta debugging for comparison.
///
/// A SUBJECT is what `bench generate` takes. Without any, four libraries are measured.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probat bench minimize
  probat bench minimize --step-limit 100000 --seeds 3 org.apache.commons:commons-collections4:4.6.0
  probat bench minimize --format json app.jar@com.acme.billing.*")]
pub struct BenchMinimizeArgs {
    /// What to measure on
    #[arg(value_name = "SUBJECT")]
    pub subjects: Vec<String>,
    /// Steps of walks for each subject and seed
    #[arg(long, value_name = "N", default_value_t = 600_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub step_limit: u64,
    /// How many seeds, beginning with 1
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=99))]
    pub seeds: u64,
    /// The JDK to use; otherwise JAVA_HOME, then `java` on PATH, then the usual folders
    #[arg(long, value_name = "DIR")]
    pub java_home: Option<PathBuf>,
    /// How results are printed
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
    /// Options for `generate`
    #[arg(last = true, value_name = "OPTION")]
    pub options: Vec<String>,
}

/// What is measured when nothing is named.
const SUBJECTS: [&str; 4] = [
    "org.apache.commons:commons-collections4:4.6.0",
    "com.google.guava:guava:33.4.0-jre@com.google.common.collect.*",
    "org.jsoup:jsoup:1.18.3",
    "joda-time:joda-time:2.13.0",
];

/// Mean calls before and after, in the source.
const SOURCE: (f64, f64) = (42.0, 5.0);

/// The result.
#[derive(Debug, Serialize)]
struct Report {
    step_limit: u64,
    seeds: u64,
    subjects: Vec<SubjectReport>,
    all: Means,
}

#[derive(Debug, Serialize)]
struct SubjectReport {
    subject: String,
    #[serde(flatten)]
    means: Means,
    /// Failures of too few calls, and those that did not happen again.
    short: u64,
    unrepeated: u64,
    /// Runs and seconds, by way.
    efforts: Vec<Effort>,
    failures: Vec<Value>,
}

#[derive(Debug, Serialize)]
struct Effort {
    way: &'static str,
    runs: u64,
    seconds: f64,
}

/// Mean numbers of calls over failures.
#[derive(Debug, Default, Serialize)]
struct Means {
    measured: usize,
    found: f64,
    removed: f64,
    replaced: f64,
    ddmin: f64,
    /// The mean over failures of how many times shorter each got.
    times_shorter: f64,
    times_shorter_by_ddmin: f64,
}

const WAYS: [&str; 3] = ["removal", "replacement", "ddmin"];

/// Runs the command.
pub fn run(args: &BenchMinimizeArgs) -> Result<Exit, Failure> {
    let work = tempfile::Builder::new().prefix("probat-bench-").tempdir().map_err(|error| {
        Failure::new(Exit::Missing, format!("cannot make a temporary folder: {error}"))
            .hint("point TMPDIR to a directory you may write to")
    })?;
    let named: Vec<&str> = match args.subjects.as_slice() {
        [] => SUBJECTS.to_vec(),
        some => some.iter().map(String::as_str).collect(),
    };
    let mut subjects = Vec::new();
    for (at, text) in named.iter().enumerate() {
        let mut told = Vec::new();
        for seed in 1..=args.seeds {
            message("walking", &format!("{text}, seed {seed}"));
            let _progress = Progress::start("walking, and shortening what failed");
            let output = work.path().join(format!("{at}-{seed}"));
            let said = child::generate(text, &words(text), &options(args, seed, &output))?;
            told.push(said["simplification"].clone());
        }
        subjects.push(subject(text, &told));
    }
    let all = means(&subjects.iter().flat_map(|one| one.failures.iter()).collect::<Vec<_>>());
    let report = Report { step_limit: args.step_limit, seeds: args.seeds, subjects, all };
    match args.format {
        Format::Text => print(&render(&report))?,
        Format::Json => print_json(&report)?,
    }
    Ok(Exit::Fine)
}

fn options(args: &BenchMinimizeArgs, seed: u64, output: &std::path::Path) -> Vec<OsString> {
    let mut options: Vec<OsString> = [
        "--mode",
        "random-walk",
        "--past-exceptions",
        "--errors-only",
        "--unverified",
        "--simplification",
        "--step-limit",
    ]
    .map(OsString::from)
    .to_vec();
    options.extend([args.step_limit.to_string(), "--seed".to_owned(), seed.to_string()].map(OsString::from));
    options.extend(["--output".into(), output.into()]);
    if let Some(home) = &args.java_home {
        options.extend(["--java-home".into(), home.into()]);
    }
    options.extend(args.options.iter().map(OsString::from));
    options
}

/// Puts the runs on one subject together.
fn subject(text: &str, told: &[Value]) -> SubjectReport {
    let failures: Vec<Value> =
        told.iter().filter_map(|one| one["failures"].as_array()).flatten().cloned().collect();
    let sum = |key: &str| told.iter().filter_map(|one| one[key].as_u64()).sum();
    let efforts = WAYS.map(|way| Effort {
        way,
        runs: told.iter().filter_map(|one| one[way]["runs"].as_u64()).sum(),
        seconds: told.iter().filter_map(|one| one[way]["seconds"].as_f64()).sum(),
    });
    SubjectReport {
        subject: text.to_owned(),
        means: means(&failures.iter().collect::<Vec<_>>()),
        short: sum("short"),
        unrepeated: sum("unrepeated"),
        efforts: efforts.into(),
        failures,
    }
}

fn means(failures: &[&Value]) -> Means {
    if failures.is_empty() {
        return Means::default();
    }
    let number = |failure: &Value, key: &str| failure[key].as_f64().unwrap_or(0.0);
    let mean = |of: &dyn Fn(&Value) -> f64| {
        failures.iter().map(|failure| of(failure)).sum::<f64>() / failures.len() as f64
    };
    // What is down to nothing is down to one call: the one that fails.
    let shorter = |failure: &Value, key: &str| number(failure, "found") / number(failure, key).max(1.0);
    Means {
        measured: failures.len(),
        found: mean(&|failure| number(failure, "found")),
        removed: mean(&|failure| number(failure, "removed")),
        replaced: mean(&|failure| number(failure, "replaced")),
        ddmin: mean(&|failure| number(failure, "ddmin")),
        times_shorter: mean(&|failure| shorter(failure, "replaced")),
        times_shorter_by_ddmin: mean(&|failure| shorter(failure, "ddmin")),
    }
}

fn render(report: &Report) -> String {
    let mut out = format!(
        "Failures of 30 calls or more that random walks ran into, {} steps, {} seed(s) each: mean calls\n\n",
        report.step_limit, report.seeds
    );
    let width = report.subjects.iter().map(|one| one.subject.len()).max().unwrap_or(0).max(10);
    out.push_str(&format!(
        "{:<width$}  {:>8} {:>7} {:>8} {:>9} {:>7} {:>7}\n",
        "", "failures", "found", "removal", "+replaced", "shorter", "ddmin"
    ));
    let mut row = |name: &str, means: &Means| {
        out.push_str(&format!(
            "{name:<width$}  {:>8} {:>7.1} {:>8.1} {:>9.1} {:>6.1}× {:>7.1}\n",
            means.measured, means.found, means.removed, means.replaced, means.times_shorter, means.ddmin
        ));
    };
    report.subjects.iter().for_each(|one| row(&one.subject, &one.means));
    row("all", &report.all);
    let (found, left) = SOURCE;
    out.push_str(&format!(
        "{:<width$}  {:>8} {found:>7.1} {:>8} {left:>9.1} {:>6.1}×\n\n",
        "source",
        "",
        "",
        found / left
    ));
    for one in &report.subjects {
        let efforts: Vec<String> = one
            .efforts
            .iter()
            .map(|effort| format!("{} {} runs in {:.1} s", effort.way, effort.runs, effort.seconds))
            .collect();
        out.push_str(&format!(
            "{}: {}; {} shorter than 30 calls, {} did not fail again\n",
            one.subject,
            efforts.join(", "),
            one.short,
            one.unrepeated
        ));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn means_are_over_failures() {
        let told = json!({
            "failures": [
                {"found": 40, "removed": 10, "replaced": 4, "ddmin": 8},
                {"found": 30, "removed": 6, "replaced": 5, "ddmin": 15},
            ],
            "short": 3, "unrepeated": 1,
            "removal": {"runs": 70, "seconds": 0.5},
            "replacement": {"runs": 30, "seconds": 0.25},
            "ddmin": {"runs": 90, "seconds": 1.0},
        });
        let one = subject("a.jar", &[told]);
        assert_eq!((one.means.measured, one.means.found, one.means.replaced), (2, 35.0, 4.5));
        assert_eq!((one.means.times_shorter, one.means.times_shorter_by_ddmin), (8.0, 3.5));
        assert_eq!((one.short, one.unrepeated, one.efforts[1].runs), (3, 1, 30));
        let all = means(&one.failures.iter().collect::<Vec<_>>());
        let report = Report { step_limit: 100, seeds: 1, subjects: vec![one], all };
        let text = render(&report);
        assert!(text.contains("source") && text.contains("42.0") && text.contains("8.0×"), "{text}");
    }

    #[test]
    fn nothing_measured_is_no_number() {
        assert_eq!(means(&[]).measured, 0);
    }
}
