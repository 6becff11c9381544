//! The command line of `reduce`.
//!
//! In: arguments. Out: [`ReduceArgs`].

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use probat_reduce::Technique;

use crate::args::{Format, JvmArgs};
use crate::duration;

/// Tell which tests of a JUnit suite add something, and which do not.
///
/// Runs the suite in JUnit's own launcher, records the calls that tests make on the classes under test with the states of receivers and
/// arguments, and compares: a test is redundant if every call it makes was made before in an equal state. Gives a minimal suite, the
/// new tests worth adding to an existing suite, and an order for running all. Nothing of yours is changed.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ReduceArgs {
    #[command(flatten)]
    pub jvm: JvmArgs,
    /// A folder or jar with compiled tests, JUnit 4 or 5
    #[arg(long, value_name = "DIR_OR_JAR")]
    pub tests: PathBuf,
    /// Existing tests: only those of --tests that add something to them are selected
    #[arg(long, value_name = "DIR_OR_JAR")]
    pub existing: Option<PathBuf>,
    /// Classes under test, such as `com.acme.*`; may be repeated (default: all outside the tests, the JDK and test frameworks)
    #[arg(long = "classes", value_name = "PATTERN")]
    pub classes: Vec<String>,
    /// What makes two states equal when the suite is reduced
    #[arg(long, value_enum, default_value = "whole-state")]
    pub by: TechniqueChoice,
    /// What the suite is assessed by besides; recording less is faster
    #[arg(long, value_enum, value_delimiter = ',', default_values = ["whole-seq", "modifying-seq", "whole-state", "monitor-equals", "pairwise-equals"])]
    pub techniques: Vec<TechniqueChoice>,
    /// A field that is no state, as `modCount` (always left out) or `com.acme.Cart.cache`; may be repeated
    #[arg(long = "ignore-field", value_name = "FIELD")]
    pub ignored_fields: Vec<String>,
    /// CPU time one test may take
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = duration::parse)]
    pub time_limit_per_test: Duration,
    /// Parts of states (fields, elements) that are read for one test; a test that needs more counts as adding something
    #[arg(long, value_name = "COUNT", default_value = "1000000")]
    pub token_limit_per_test: u64,
    /// The jar `junit-platform-console-standalone` to run tests with, if Maven cannot get it; may be repeated
    #[arg(long = "junit-jar", value_name = "JAR")]
    pub junit_jars: Vec<PathBuf>,
    /// Keep Maven from using the network
    #[arg(long)]
    pub offline: bool,
    /// Sources of the tests: with --output, copies of them without the redundant tests are written
    #[arg(long, value_name = "DIR", requires = "output")]
    pub source: Option<PathBuf>,
    /// Count the mutants that the suite kills before and after, by PIT, which comes from Maven and runs outside the sandbox (slow)
    #[arg(long)]
    pub mutants: bool,
    /// Write the result there in forms that a build can use
    #[arg(long, short = 'o', value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// How the result is printed
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

const EXAMPLES: &str = "\
Examples:
  probat reduce --classpath target/classes:libs/* --tests target/test-classes
  # which generated tests add something?
  probat reduce --classpath app.jar --tests generated.jar --existing tests.jar
  probat reduce --classpath app.jar --tests tests.jar --by modifying-seq --techniques modifying-seq --output reduced

With --output: `kept-ids.txt` and `order-ids.txt`, unique ids for JUnit's launcher, and `launcher-args.txt` for its console (`@launcher-args.txt`); `includes.txt` and
`excludes.txt` for Surefire (`-Dsurefire.includesFile`, `-Dsurefire.excludesFile`), `kept.gradle` for Gradle (`--init-script`), `redundant.txt`, and with --source `source/`.

Exit codes: 0 fine, 2 bad input, 3 tests failed, hung or ended their JVM (the rest is assessed), 4 no tests, 5 something missing.";

/// When two states are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TechniqueChoice {
    /// The same calls were made on the objects
    WholeSeq,
    /// The same calls changed the objects
    ModifyingSeq,
    /// The objects hold the same
    WholeState,
    /// The objects hold the same where their own `equals` looks
    MonitorEquals,
    /// The objects are equal by their own `equals`
    PairwiseEquals,
}

impl TechniqueChoice {
    pub fn technique(self) -> Technique {
        match self {
            TechniqueChoice::WholeSeq => Technique::WholeSeq,
            TechniqueChoice::ModifyingSeq => Technique::ModifyingSeq,
            TechniqueChoice::WholeState => Technique::WholeState,
            TechniqueChoice::MonitorEquals => Technique::MonitorEquals,
            TechniqueChoice::PairwiseEquals => Technique::PairwiseEquals,
        }
    }
}
