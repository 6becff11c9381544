//! The command line of `bench generate`.
//!
//! In: arguments. Out: [`BenchGenerateArgs`] and what a subject's text means.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::args::Format;

/// How good the suites are that `generate` writes, measured with javac, JUnit and JaCoCo.
///
/// For each subject: runs `probat generate`, compiles what it wrote, runs it three times in JVMs of its own (plain; another
/// zone, language and hashes; under JaCoCo), and prints coverage, tests, lines, and what failed. With --peer-classpath, Randoop runs
/// on the same classes for the same time and is measured the same way.
///
/// A SUBJECT is a jar or an artifact `group:artifact:version`, with `@` and classes if not all are meant:
/// `org.jsoup:jsoup:1.21.2@org.jsoup.nodes.*,org.jsoup.parser.*`. Without any, ten libraries are measured.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probat bench generate --time-limit 30s org.apache.commons:commons-csv:1.14.1
  probat bench generate --seeds 3 --format json app.jar@com.acme.billing.*
  probat bench generate --peer-classpath randoop-all.jar commons-cli:commons-cli:1.11.0
  probat bench generate --ablation --seeds 3 --time-limit 10s app.jar
  probat bench generate --mutants --time-limit 30s app.jar@com.acme.Cart
  # what follows `--` goes to `generate`
  probat bench generate app.jar -- --framework junit4

Exit code 1 if a suite did not compile or a test failed: that must never happen.")]
pub struct BenchGenerateArgs {
    /// What to measure on
    #[arg(value_name = "SUBJECT")]
    pub subjects: Vec<String>,
    /// Time for each subject and seed, checking the tests included
    #[arg(long, value_name = "TIME", default_value = "2m", value_parser = crate::duration::parse)]
    pub time_limit: Duration,
    /// How many seeds, beginning with 1; several show the spread
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=99))]
    pub seeds: u64,
    /// Say what each ingredient of the search brings: coverage with it and without, at equal time; take `--seeds 3`
    #[arg(long, conflicts_with = "peer_classpath")]
    pub ablation: bool,
    /// With `--ablation`: executed steps of each search, in place of time
    #[arg(long, value_name = "N", requires = "ablation", conflicts_with = "measured", value_parser = clap::value_parser!(u64).range(1..))]
    pub step_limit: Option<u64>,
    /// With `--ablation`: measure written suites with JaCoCo; otherwise it is what searches reach that counts
    #[arg(long, requires = "ablation")]
    pub measured: bool,
    /// Count the mutants that each suite notices, by PIT, which comes from Maven (slow)
    #[arg(long, conflicts_with = "ablation")]
    pub mutants: bool,
    /// Randoop's class path: run it beside us
    #[arg(long, value_name = "PATH")]
    pub peer_classpath: Option<String>,
    /// The JDK to use; otherwise JAVA_HOME, then `java` on PATH, then the usual folders
    #[arg(long, value_name = "DIR")]
    pub java_home: Option<PathBuf>,
    /// Keep everything that was written in this folder
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
    /// Sum up why branches were not reached, over all runs, and where the time went
    #[arg(long)]
    pub explain: bool,
    /// How results are printed
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
    /// Options for `generate`
    #[arg(last = true, value_name = "OPTION")]
    pub options: Vec<String>,
}

/// What is measured when nothing is named.
pub const SUBJECTS: [&str; 10] = [
    "commons-cli:commons-cli:1.11.0",
    "org.apache.commons:commons-csv:1.14.1",
    "commons-codec:commons-codec:1.23.0",
    "org.apache.commons:commons-lang3:3.21.0",
    "org.apache.commons:commons-collections4:4.6.0",
    "org.apache.commons:commons-math3:3.6.1",
    "joda-time:joda-time:2.15.1",
    "org.jsoup:jsoup:1.23.2",
    "com.google.code.gson:gson:2.15.0",
    "com.google.guava:guava:33.7.2-jre@com.google.common.base.*,com.google.common.collect.*",
];

/// The place and the classes a subject's text names.
pub fn words(subject: &str) -> Vec<String> {
    let (place, classes) = subject.split_once('@').unwrap_or((subject, ""));
    let classes = classes.split(',').filter(|class| !class.is_empty());
    std::iter::once(place).chain(classes).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_is_a_place_and_classes() {
        assert_eq!(words("a.jar"), ["a.jar"]);
        assert_eq!(words("g:a:1@p.*,q.C"), ["g:a:1", "p.*", "q.C"]);
    }
}
