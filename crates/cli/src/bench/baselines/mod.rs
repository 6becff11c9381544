//! `probat bench baselines`: the techniques of the sources and what they were compared with, under equal budgets.
//!
//! In: subjects, a budget per search. Out: tables in the form of the sources, with their own figures beside (spec 001 row 48, spec 004 rows R21 and R22). Searches run in this
//! process and write no tests: what is compared is what a search reaches and finds. All share everything but the choice of what to try.

mod report;
mod tables;
mod theses;

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use self::report::{Report, RunReport, SCHEMA, SubjectReport, TechniqueReport};
use super::suite::words;
use crate::args::Format;
use crate::exit::Exit;
use crate::failure::{Failure, message, print, print_json};
use crate::generate::numbers::seconds;
use crate::generate::trial::{Limit, Prepared};

/// The techniques of the two theses and what they compared them with, on your code, for the same time.
///
/// Each technique is a mode of `generate`, and shares all with the others but the choice of what to try. Printed are tables in the
/// form of the theses, with their own figures beside: coverage and when it was reached, tests, failures, coverage per package and by the first
/// so many tests. Coverage is that of the search, in branches; no test is written.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probat bench baselines java.util.TreeMap
  probat bench baselines --time-limit 30s --seeds 3 org.apache.commons:commons-collections4:4.6.0
  probat bench baselines --step-limit 100000 --only drt,drt-unpruned app.jar@com.acme.*
  probat bench baselines --format json app.jar

Without a subject: some of java.util, commons-collections4 and JScience.")]
pub struct BenchBaselinesArgs {
    /// What to search: classes of the JDK, a jar, or an artifact `group:artifact:version`; `@` and classes if not all are meant
    #[arg(value_name = "SUBJECT")]
    pub subjects: Vec<String>,
    /// Time of each search; reading classes and starting JVMs comes on top
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = crate::duration::parse)]
    pub time_limit: Duration,
    /// Executed steps of each search, in place of time: the same on any machine
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub step_limit: Option<u64>,
    /// How many seeds, beginning with 1; shown are means
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=99))]
    pub seeds: u64,
    /// Only these techniques, such as `drt,recgen`
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = named)]
    pub only: Vec<&'static Technique>,
    /// The JDK to use; otherwise JAVA_HOME, then `java` on PATH, then the usual folders
    #[arg(long, value_name = "DIR")]
    pub java_home: Option<PathBuf>,
    /// How results are printed
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

/// What is searched when nothing is named; the theses' subjects, as far as they exist today.
const SUBJECTS: [&str; 3] = [
    "java.util.TreeMap@java.util.PriorityQueue,java.util.LinkedList,java.util.HashMap,java.util.BitSet",
    "org.apache.commons:commons-collections4:4.6.0",
    "org.jscience:jscience:4.3.1",
];

/// Who compared it. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Of {
    Spec001,
    Spec004,
    Ours,
}

/// A technique as `generate` is told of it.
#[derive(Debug, PartialEq, Eq)]
pub struct Technique {
    name: &'static str,
    of: Of,
    options: &'static [&'static str],
}

const TECHNIQUES: [Technique; 14] = [
    Technique { name: "top-down", of: Of::Spec001, options: &["--mode", "top-down"] },
    Technique { name: "bottom-up", of: Of::Spec001, options: &["--mode", "bottom-up"] },
    Technique { name: "bottom-up-legal", of: Of::Spec001, options: &["--mode", "bottom-up-legal"] },
    Technique { name: "random-walk", of: Of::Spec001, options: &["--mode", "random-walk"] },
    Technique { name: "drt-unpruned", of: Of::Spec001, options: &["--mode", "drt-unpruned"] },
    Technique { name: "drt", of: Of::Spec001, options: &["--mode", "drt"] },
    Technique { name: "undirected", of: Of::Spec004, options: &["--mode", "undirected"] },
    Technique { name: "feedback", of: Of::Spec004, options: &["--mode", "feedback"] },
    Technique { name: "adaptive", of: Of::Spec004, options: &["--mode", "adaptive"] },
    Technique { name: "recgen", of: Of::Spec004, options: &["--mode", "recgen"] },
    Technique {
        name: "no-relevance",
        of: Of::Spec004,
        options: &["--mode", "recgen", "--without", "relevance"],
    },
    Technique {
        name: "no-receiver-reuse",
        of: Of::Spec004,
        options: &["--mode", "recgen", "--without", "receiver-reuse"],
    },
    Technique { name: "no-batch", of: Of::Spec004, options: &["--mode", "recgen", "--without", "batch"] },
    Technique { name: "best", of: Of::Ours, options: &[] },
];

fn named(text: &str) -> Result<&'static Technique, String> {
    static ALL: [Technique; 14] = TECHNIQUES;
    ALL.iter().find(|technique| technique.name == text).ok_or_else(|| {
        let names: Vec<&str> = ALL.iter().map(|technique| technique.name).collect();
        format!("there are {}", names.join(", "))
    })
}

/// Runs the command.
pub fn run(args: &BenchBaselinesArgs) -> Result<Exit, Failure> {
    let named: Vec<&str> = match args.subjects.as_slice() {
        [] => SUBJECTS.to_vec(),
        some => some.iter().map(String::as_str).collect(),
    };
    let mut java = String::new();
    let mut subjects = Vec::new();
    for text in named {
        let prepared = Prepared::find(&words(text), args.java_home.as_deref())?;
        prepared.java().clone_into(&mut java);
        subjects.push(subject(args, text, &prepared)?);
    }
    let report = Report {
        schema: SCHEMA,
        probat: env!("CARGO_PKG_VERSION"),
        java,
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        time_limit_seconds: args.step_limit.is_none().then_some(args.time_limit.as_secs_f64()),
        step_limit: args.step_limit,
        seeds: args.seeds,
        subjects,
    };
    match args.format {
        Format::Text => print(&tables::render(&report))?,
        Format::Json => print_json(&report)?,
    }
    Ok(Exit::Fine)
}

fn subject(args: &BenchBaselinesArgs, text: &str, prepared: &Prepared) -> Result<SubjectReport, Failure> {
    let limit = args.step_limit.map_or(Limit::Time(args.time_limit), Limit::Steps);
    let chosen: Vec<&Technique> = match args.only.as_slice() {
        [] => TECHNIQUES.iter().collect(),
        some => some.to_vec(),
    };
    let (mut members, mut techniques) = (0, Vec::new());
    for (at, technique) in chosen.iter().enumerate() {
        let left = match limit {
            Limit::Time(time) => {
                let searches = (chosen.len() - at) as u64 * args.seeds;
                format!(", {} left", seconds(time * u32::try_from(searches).unwrap_or(u32::MAX)))
            }
            Limit::Steps(_) => String::new(),
        };
        message("searching", &format!("{text}: {} ({} of {}{left})", technique.name, at + 1, chosen.len()));
        let mut runs = Vec::new();
        for seed in 1..=args.seeds {
            let searched = prepared.search(technique.options, seed, limit)?;
            members = members.max(searched.members);
            runs.push(RunReport::new(seed, &searched));
        }
        techniques.push(TechniqueReport {
            technique: technique.name,
            options: technique.options.to_vec(),
            runs,
        });
    }
    let branches = techniques.iter().flat_map(|one| &one.runs).map(|run| run.branches).max().unwrap_or(0);
    Ok(SubjectReport { subject: text.to_owned(), classes: prepared.classes(), members, branches, techniques })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_technique_is_known_by_its_name() {
        for technique in &TECHNIQUES {
            assert_eq!(named(technique.name), Ok(technique));
        }
        assert!(named("evolution").is_err_and(|said| said.contains("recgen")));
    }
}
