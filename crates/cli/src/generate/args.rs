//! The command line of `generate`.
//!
//! In: arguments. Out: [`GenerateArgs`]. Full words, units in values, examples first.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use probat_model::Literal;

use super::shard::ShardChoice;
use super::technique::TechniqueArgs;
use crate::args::Format;
use crate::duration;

/// Write tests for a jar, a project, an artifact, or classes.
///
/// Calls the code in many ways on your own JVM, watched and sandboxed, keeps the calls that reach something new, and
/// writes them as short JUnit tests that pass: what the code does today. Where it breaks a rule that all Java code
/// should keep (equals, hashCode, compareTo, no stray NullPointerException …) you are told.
///
/// Every test was compiled and passed twice in fresh JVMs before it is written. Your own files are never overwritten.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub struct GenerateArgs {
    /// What to test: a jar, a folder with classes, a Maven or Gradle project (`.`), an artifact `group:artifact:version`,
    /// or classes (`com.acme.Cart`, `Cart`, `com.acme.*`); classes may follow any of the others
    #[arg(value_name = "WHAT")]
    pub what: Vec<String>,

    /// Jars and folders with the code under test and what it needs, as for `java`: `classes:libs/*`
    #[arg(long, short = 'p', visible_alias = "class-path", value_name = "PATH", default_value = "", help_heading = SUBJECT)]
    pub classpath: String,
    /// Classes to leave out, such as `com.acme.internal.*`; may be repeated
    #[arg(long, value_name = "CLASSES", help_heading = SUBJECT)]
    pub exclude: Vec<String>,
    /// Test only these methods, as `add` or `Cart.add`; constructors are `new`; may be repeated
    #[arg(long = "method", value_name = "METHOD", help_heading = SUBJECT)]
    pub methods: Vec<String>,
    /// Methods never to call, as `close` or `Cart.close`; may be repeated
    #[arg(long = "exclude-method", value_name = "METHOD", help_heading = SUBJECT)]
    pub excluded_methods: Vec<String>,
    /// Leave package-private members alone
    #[arg(long, help_heading = SUBJECT)]
    pub public_only: bool,
    /// The JDK to use; otherwise JAVA_HOME, then `java` on PATH, then the usual folders
    #[arg(long, value_name = "DIR", help_heading = SUBJECT)]
    pub java_home: Option<PathBuf>,
    /// Options from this file (default: `probat.toml` of the current folder, if there is one)
    #[arg(long, value_name = "FILE", help_heading = SUBJECT)]
    pub config: Option<PathBuf>,
    /// Keep Maven and Gradle from using the network
    #[arg(long, help_heading = SUBJECT)]
    pub offline: bool,

    /// Time for everything, checking the tests included, such as 30s or 5m (default: 10s per class, 3m at most)
    #[arg(long, value_name = "TIME", value_parser = duration::parse, help_heading = BUDGET)]
    pub time_limit: Option<Duration>,
    /// Time per class; the total is that times the number of classes
    #[arg(long, value_name = "TIME", value_parser = duration::parse, help_heading = BUDGET)]
    pub time_limit_per_class: Option<Duration>,
    /// Stop after so many executed steps: the same steps and seed give the same files on any machine
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = BUDGET)]
    pub step_limit: Option<u64>,
    /// Decides every choice of the search
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = BUDGET)]
    pub seed: u64,
    /// JVMs that work at once (default: one per core)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256), help_heading = BUDGET)]
    pub workers: Option<u16>,
    /// CPU time one call may take; four times that if it initialises a class
    #[arg(long, value_name = "TIME", default_value = "250ms", value_parser = duration::parse, help_heading = BUDGET)]
    pub time_limit_per_call: Duration,
    /// This run is one of several that `probat merge` puts together, such as 2/4: it searches with a seed of its own
    #[arg(long, value_name = "I/N", help_heading = BUDGET)]
    pub shard: Option<ShardChoice>,
    /// Stop when nothing new has come for so long (default: half of the time so far, 10s at least)
    #[arg(long, value_name = "TIME", value_parser = duration::parse, help_heading = BUDGET)]
    pub plateau: Option<Duration>,
    /// Use all the time, even when nothing new has come for long
    #[arg(long, conflicts_with = "plateau", help_heading = BUDGET)]
    pub no_plateau: bool,

    /// Where tests go (default: `src/test/java` of a project, otherwise `probat-tests`)
    #[arg(long, short = 'o', value_name = "DIR", help_heading = OUTPUT)]
    pub output: Option<PathBuf>,
    /// Where tests go that fail because the code breaks a rule (default: `probat-failing-tests` in a project, otherwise beside the
    /// others, in `probat-tests-failing`); keep it out of the build
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    pub failing_output: Option<PathBuf>,
    /// Write only tests that pass; failures are reported without a test
    #[arg(long, conflicts_with = "errors_only", help_heading = OUTPUT)]
    pub regression_only: bool,
    /// Write only tests that fail
    #[arg(long, help_heading = OUTPUT)]
    pub errors_only: bool,
    /// What the tests are written for (default: what the project uses, otherwise JUnit 5)
    #[arg(long, value_enum, help_heading = OUTPUT)]
    pub framework: Option<FrameworkChoice>,
    /// Write no more tests than this; those that reach most come first
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = OUTPUT)]
    pub max_tests: Option<u32>,
    /// How much of what was found to write: the longer a suite gets, the more each further line has to bring
    #[arg(long, value_enum, default_value_t = SizeChoice::Default, conflicts_with = "emit_all", help_heading = OUTPUT)]
    pub size: SizeChoice,
    /// Write every sequence that was run as a test of its own, not only those that add something; rarely what you want
    #[arg(long, conflicts_with = "max_tests", help_heading = OUTPUT)]
    pub emit_all: bool,
    /// The jar `junit-platform-console-standalone` to check tests with, if Maven cannot get it; may be repeated
    #[arg(long = "junit-jar", value_name = "JAR", help_heading = OUTPUT)]
    pub junit_jars: Vec<PathBuf>,
    /// Write tests without compiling or running them
    #[arg(long, help_heading = OUTPUT)]
    pub unverified: bool,
    /// Go on from what a run into the same output had found before it was killed
    #[arg(long, help_heading = OUTPUT)]
    pub resume: bool,
    /// Note the failures found as known: they are no longer reported, and no reason to exit with 3
    #[arg(long, help_heading = OUTPUT)]
    pub accept: bool,
    /// Measure how much shorter failures of 30 calls or more get (`simplification` of the report); see `bench minimize`
    #[arg(long, help_heading = OUTPUT)]
    pub simplification: bool,
    /// What to say of each test in a comment above it; may be repeated
    #[arg(long, value_enum, value_name = "WHAT", value_delimiter = ',', help_heading = OUTPUT)]
    pub annotate: Vec<AnnotateChoice>,
    /// Only list the operations of the classes, with the literals found in them; nothing runs (with `--public-only`: what `javap -public` shows)
    #[arg(long, help_heading = OUTPUT)]
    pub list: bool,
    /// Say why branches were not reached: by reason, and for the classes with most of them; all of it in the report
    #[arg(long, help_heading = OUTPUT)]
    pub explain: bool,
    /// Show the last of what the code under test printed while it was searched
    #[arg(long, help_heading = OUTPUT)]
    pub show_output: bool,
    /// How the result is printed
    #[arg(long, value_enum, default_value = "text", help_heading = OUTPUT)]
    pub format: Format,

    #[command(flatten)]
    pub technique: TechniqueArgs,
    /// Do not ask the kernel to keep the code under test from files, network and processes
    #[arg(long, help_heading = SEARCH)]
    pub no_sandbox: bool,
}

const SUBJECT: &str = "What is tested";
const BUDGET: &str = "How long";
const OUTPUT: &str = "What is written";
const SEARCH: &str = "How it searches";

const EXAMPLES: &str = "\
Examples:
  # all classes of a jar, tests in probat-tests
  probat generate app.jar
  # one package, one minute
  probat generate app.jar 'com.acme.*' --time-limit 60s
  # one class, with what it needs
  probat generate --classpath 'target/classes:libs/*' Cart
  # the Maven or Gradle project you are in
  probat generate .
  # a published library, through your Maven
  probat generate org.apache.commons:commons-csv:1.14.0
  # the same files on every machine
  probat generate app.jar --seed 7 --step-limit 200000
  # one of four runs, for `probat merge`
  probat generate app.jar --shard 2/4 --output shard-2

Ctrl-C ends the search and writes what there is; a second Ctrl-C quits at once.

Exit codes: 0 fine, 2 bad input, 3 failures found, 4 nothing testable, 5 something missing, 130 interrupted.";

/// What a comment above a test says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AnnotateChoice {
    /// How often the search made the call under test, and how often that threw
    Calls,
}

/// How large a suite may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SizeChoice {
    /// What reaches most in few lines
    Small,
    /// What a person can still read
    Default,
    /// Everything that reaches something new
    All,
}

/// What tests are written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FrameworkChoice {
    /// Classes for JUnit 5
    #[value(name = "junit5")]
    JUnit5,
    /// Classes for JUnit 4.13
    #[value(name = "junit4")]
    JUnit4,
    /// Classes with a `main` that runs all tests and ends with 1 if one fails; no library is needed
    Java,
    /// One short script per test, which `probat run` takes
    Text,
}

/// A value as a user writes it; what is no number, character or truth value is text.
pub fn literal(text: &str) -> Result<Literal, String> {
    let number = text.replace('_', "");
    if let Ok(value) = number.parse::<i32>() {
        return Ok(Literal::Int(value));
    }
    if let Some(Ok(value)) = number.strip_suffix(['l', 'L']).map(str::parse::<i64>) {
        return Ok(Literal::Long(value));
    }
    if number.parse::<i64>().is_ok() {
        return Err(format!("`{text}` does not fit an int; write {text}L for a long"));
    }
    if number.contains('.')
        && let Ok(value) = number.parse::<f64>()
    {
        return Ok(Literal::Double(value.to_bits()));
    }
    match text {
        "true" => return Ok(Literal::Boolean(true)),
        "false" => return Ok(Literal::Boolean(false)),
        _ => {}
    }
    let mut units = text.encode_utf16();
    if let (Some(0x27), Some(unit), Some(0x27), None) =
        (units.next(), units.next(), units.next(), units.next())
    {
        return Ok(Literal::Char(unit));
    }
    let inside = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(text);
    Ok(Literal::String(inside.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_told_by_their_form() {
        assert_eq!(literal("1_000"), Ok(Literal::Int(1000)));
        assert_eq!(literal("-7L"), Ok(Literal::Long(-7)));
        assert_eq!(literal("1.5"), Ok(Literal::Double(1.5f64.to_bits())));
        assert_eq!(literal("'c'"), Ok(Literal::Char(u16::from(b'c'))));
        assert_eq!(literal("true"), Ok(Literal::Boolean(true)));
        assert_eq!(literal("\"42\""), Ok(Literal::String("42".into())));
        assert_eq!(literal("yyyy-MM-dd"), Ok(Literal::String("yyyy-MM-dd".into())));
        assert!(literal("3000000000").is_err());
    }
}
