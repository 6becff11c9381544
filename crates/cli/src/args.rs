//! The command line.
//!
//! In: arguments. Out: [`Cli`]. Help teaches by example; every flag is a full word, with its unit in the value.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Automatic tests for JVM code that nobody specified.
///
/// probat runs code on your own JVM, watched and sandboxed, and tells what it did.
#[derive(Debug, Parser)]
#[command(name = "probat", version, propagate_version = true, after_help = EXAMPLES)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: &str = "\
Examples:
  probat doctor                                       is everything there that probat needs?
  probat run steps.probat                             run a few calls and see what they do
  echo 'Integer.parseInt(\"x\")' | probat run -         the same without a file
  probat run --classpath 'libs/*' --edges s.probat    with your jars, and the branches taken

Exit codes: 0 fine, 1 bug in probat, 2 bad input, 3 the code under test failed, 4 nothing to test,
5 something missing, 130 interrupted.";

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    Generate(Box<crate::generate::GenerateArgs>),
    Merge(crate::generate::MergeArgs),
    Explore(Box<crate::explore::ExploreArgs>),
    Reduce(Box<crate::reduce::ReduceArgs>),
    Minimize(Box<crate::minimize::MinimizeArgs>),
    Run(RunArgs),
    Doctor(DoctorArgs),
    #[command(subcommand)]
    Bench(BenchCommand),
    /// Runs sequences for another probat process.
    #[command(hide = true)]
    Worker,
    /// Measures calls from native code for another probat process.
    #[command(hide = true, name = "bench-raw")]
    BenchRaw(BenchRawArgs),
}

/// How results are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// Which JVM and which classes.
#[derive(Debug, Clone, Args)]
pub struct JvmArgs {
    /// Jars and directories with the code under test, as for `java`: `classes:libs/*`
    #[arg(long, short = 'p', visible_alias = "class-path", value_name = "PATH", default_value = "")]
    pub classpath: String,
    /// The JDK or JRE to use; otherwise JAVA_HOME, then `java` on PATH, then the usual folders
    #[arg(long, value_name = "DIR")]
    pub java_home: Option<PathBuf>,
    /// An option for the JVM, such as -Dname=value; may be repeated
    #[arg(long = "jvm-option", value_name = "OPTION", allow_hyphen_values = true)]
    pub jvm_options: Vec<String>,
    /// Do not ask the kernel to keep the code under test from files, network and processes
    #[arg(long)]
    pub no_sandbox: bool,
    /// Let the JVM check our every use of JNI (slow; for finding bugs in probat)
    #[arg(long)]
    pub check_jni: bool,
}

/// Which states are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum States {
    /// After every line, what changed
    All,
    /// Every variable after the last line
    Last,
    /// None
    None,
}

/// What is put back before the sequence runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ResetChoice {
    /// Static fields, properties, locale and the like
    Fields,
    /// All that, and fresh classes
    Loader,
    /// Nothing
    None,
}

/// Run a short list of calls on a JVM and show what each did.
///
/// FILE holds one step per line, written as in Java: assignments, calls, fields, arrays, literals, lambdas. `-` reads
/// standard input. Shown are results, exceptions, how objects changed, and with --edges which branches were taken.
#[derive(Debug, Args)]
#[command(after_help = RUN_EXAMPLES)]
pub struct RunArgs {
    /// The script; `-` for standard input
    pub file: PathBuf,
    #[command(flatten)]
    pub jvm: JvmArgs,
    /// How results are printed
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
    /// Worker processes; one is enough unless the script is long and --edges is given
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub workers: u16,
    /// CPU time one call may take, such as 500ms or 2s
    #[arg(long, value_name = "TIME", default_value = "2s", value_parser = crate::duration::parse)]
    pub time_limit_per_call: Duration,
    /// Which object states are shown
    #[arg(long, value_enum, default_value = "all")]
    pub states: States,
    /// Show which branches each line was the first to take
    #[arg(long)]
    pub edges: bool,
    /// Classes whose branches are watched, such as `com.acme.*`; may be repeated (default: the class path, and the
    /// classes the script names)
    #[arg(long, value_name = "PATTERN", requires = "edges")]
    pub instrument: Vec<String>,
    /// What is put back before the script runs
    #[arg(long, value_enum, default_value = "fields")]
    pub reset: ResetChoice,
    /// Go on after a line that threw
    #[arg(long)]
    pub past_exceptions: bool,
    /// Do not check the contracts of equals, hashCode, toString and compareTo
    #[arg(long)]
    pub no_contracts: bool,
    /// Show what the code under test printed
    #[arg(long)]
    pub show_output: bool,
}

const RUN_EXAMPLES: &str = "\
Examples:
  probat run steps.probat
  probat run --classpath target/classes:libs/* --edges steps.probat
  probat run --format json - < steps.probat

A script:
  import java.util.*
  list = new ArrayList()
  list.add(\"b\"); list.add(\"a\")
  Collections.sort(list)
  first = list.get(0)
  list.sort((Comparator) (x, y) -> 0)
  stub List { size: 3 }

Without --classpath only the JDK's own classes are there.";

/// Say which JVM, compiler, build tool and sandbox are there, and what to do about what is missing.
///
/// Starts one worker to see which limits are really in force. Exit code 0 means probat can work; 5 that it cannot.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probat doctor
  probat doctor --java-home /opt/jdk-25
  probat doctor --format json")]
pub struct DoctorArgs {
    /// The JDK or JRE to use; otherwise JAVA_HOME, then `java` on PATH, then the usual folders
    #[arg(long, value_name = "DIR")]
    pub java_home: Option<PathBuf>,
    /// How results are printed
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
    /// Do not ask for the kernel's sandbox
    #[arg(long)]
    pub no_sandbox: bool,
}

/// Measure how fast this machine runs sequences, and how good generated suites are.
#[derive(Debug, Subcommand)]
pub enum BenchCommand {
    Exec(BenchExecArgs),
    Generate(crate::bench::suite::BenchGenerateArgs),
    Explore(crate::bench::explore::BenchExploreArgs),
    Minimize(crate::bench::minimize::BenchMinimizeArgs),
    Baselines(crate::bench::baselines::BenchBaselinesArgs),
}

/// Calls per second, from compiled Java (the limit) to the whole pipeline, measured in one run.
///
/// The mix of calls comes from java.util, java.lang and, if it is on the class path or in your local Maven repository,
/// commons-lang3.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probat bench exec
  probat bench exec --format json --classpath commons-lang3-3.17.0.jar")]
pub struct BenchExecArgs {
    #[command(flatten)]
    pub jvm: JvmArgs,
    /// How results are printed
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
    /// How long each way is measured, in each round
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = crate::duration::parse)]
    pub time_each: Duration,
    /// How often all ways are measured in turn; the median counts
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=99))]
    pub rounds: u16,
}

/// For the child process of `bench exec`.
#[derive(Debug, Args)]
pub struct BenchRawArgs {
    #[arg(value_enum)]
    pub mode: RawMode,
    pub millis: u64,
}

/// Ways of making calls that need no supervisor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RawMode {
    JavaLoop,
    RawJni,
    Reflection,
}

impl RawMode {
    /// As on the command line.
    pub fn name(self) -> &'static str {
        match self {
            RawMode::JavaLoop => "java-loop",
            RawMode::RawJni => "raw-jni",
            RawMode::Reflection => "reflection",
        }
    }
}
