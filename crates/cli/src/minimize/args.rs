//! The command line of `minimize`.
//!
//! In: arguments. Out: [`MinimizeArgs`].

use std::path::PathBuf;

use clap::Args;

use crate::args::{Format, JvmArgs};

/// Make failing JUnit tests shorter while they fail in the same way.
///
/// Takes the source of a test class, JUnit 4 or 5, and leaves out or replaces statements of its failing tests as long as the same exception comes
/// from the same method, or the same assertion fails. Candidates are compiled many at a time and run in a sandboxed worker. Only straight-line
/// tests are touched: declarations, calls, assignments, assertions. Your file is never changed; the result goes to --output.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct MinimizeArgs {
    /// The test class: a `.java` file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub jvm: JvmArgs,
    /// Only these tests; may be repeated (default: all that fail)
    #[arg(long = "test", value_name = "NAME")]
    pub tests: Vec<String>,
    /// Where the shorter class goes, below the folder of its package
    #[arg(long, short = 'o', value_name = "DIR", default_value = "probat-minimized")]
    pub output: PathBuf,
    /// The jar `junit-platform-console-standalone` to compile against, if Maven cannot get it; may be repeated
    #[arg(long = "junit-jar", value_name = "JAR")]
    pub junit_jars: Vec<PathBuf>,
    /// Keep Maven from using the network
    #[arg(long)]
    pub offline: bool,
    /// How the result is printed
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

const EXAMPLES: &str = "\
Examples:
  probat minimize --classpath target/classes CartTest.java
  probat minimize --classpath 'app.jar:libs/*' CartTest.java --test emptyCartHasNoTotal --output shorter
  probat minimize --classpath app.jar probat-tests-failing/shop/CartFailingProbatTest.java --format json

Exit codes: 0 fine, 2 bad input, 4 no test fails that can be made shorter, 5 something missing.";
