//! Which mutants a suite kills, by PIT.
//!
//! In: compiled classes and tests, PIT's jars. Out: one [`Mutation`] per mutant. PIT runs outside our sandbox, in the user's own JVM. It is
//! asked for no more tests per mutant than it takes to kill it, unless someone wants to know all of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::MeasureError;
use crate::run::{apart, wait};
use crate::subject::io;

/// PIT and what it needs; JUnit's platform is there already.
pub const PIT: [&str; 14] = [
    "org.pitest:pitest-command-line:1.17.4",
    "org.pitest:pitest:1.17.4",
    "org.pitest:pitest-entry:1.17.4",
    "org.pitest:pitest-html-report:1.17.4",
    "org.pitest:pitest-junit5-plugin:1.2.1",
    "net.sf.jopt-simple:jopt-simple:4.9",
    "org.apache.commons:commons-text:1.12.0",
    "org.apache.commons:commons-lang3:3.14.0",
    "org.ow2.asm:asm:9.7.1",
    "org.ow2.asm:asm-tree:9.7.1",
    "org.ow2.asm:asm-analysis:9.7.1",
    "org.ow2.asm:asm-commons:9.7.1",
    "org.ow2.asm:asm-util:9.7.1",
    "org.antlr:stringtemplate:3.2.1",
];

/// What PIT is given.
#[derive(Debug)]
pub struct PitJob<'a> {
    pub java: &'a Path,
    pub pit: &'a [PathBuf],
    /// Classes, tests, and all they need.
    pub class_path: &'a [PathBuf],
    /// Binary names.
    pub classes: &'a [String],
    pub tests: &'a [String],
    /// Name every test that kills a mutant, not one.
    pub all_killers: bool,
    /// JVMs at a time.
    pub workers: usize,
    pub patience: Duration,
    /// A folder of ours; the report goes below it.
    pub work: &'a Path,
}

/// A change that a suite might notice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mutation {
    pub detected: bool,
    /// The tests that noticed it; of one that went on for ever, those that run its code.
    pub tests: Vec<String>,
}

/// Runs PIT.
pub fn mutate(job: &PitJob<'_>) -> Result<Vec<Mutation>, MeasureError> {
    let report = job.work.join("mutants");
    fs::create_dir_all(&report).map_err(|source| io(&report, source))?;
    let log = report.join("log");
    let out = fs::File::create(&log).map_err(|source| io(&log, source))?;
    let err = out.try_clone().map_err(|source| io(&log, source))?;
    let start = |source| MeasureError::Start { program: job.java.to_owned(), source };
    let apart = apart(&report).map_err(|source| io(&report, source))?;
    let mut child = command(job, &report, &apart).stdout(out).stderr(err).spawn().map_err(start)?;
    let in_time = wait(&mut child, job.patience).map_err(|source| io(&log, source))?;
    if !in_time {
        return Err(MeasureError::Mutants { why: "it took too long".into() });
    }
    let text = fs::read_to_string(report.join("mutations.xml")).map_err(|_| {
        let said = fs::read(&log).unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        let why = said.lines().find(|line| line.contains("Exception") || line.contains("SEVERE"));
        MeasureError::Mutants { why: why.unwrap_or("it does not say why").to_owned() }
    })?;
    Ok(read(&text))
}

fn command(job: &PitJob<'_>, report: &Path, apart: &[String]) -> Command {
    let own: Vec<String> = job.class_path.iter().map(|path| path.display().to_string()).collect();
    let class_path = std::env::join_paths(job.class_path.iter().chain(job.pit)).unwrap_or_default();
    let yes_no = |yes: bool| if yes { "true" } else { "false" };
    let mut command = Command::new(job.java);
    command
        .args(apart)
        .arg("-cp")
        .arg(class_path)
        .arg("org.pitest.mutationtest.commandline.MutationCoverageReport")
        .args(["--outputFormats", "XML", "--timestampedReports", "false"])
        .args(["--fullMutationMatrix", yes_no(job.all_killers)])
        .args(["--skipFailingTests", "true", "--verbose", "false", "--failWhenNoMutations", "false"])
        .args(["--jvmArgs", &apart.join(",")])
        .args(["--threads", &job.workers.to_string()])
        .args(["--targetClasses", &job.classes.join(","), "--targetTests", &job.tests.join(",")])
        .args(["--classPath", &own.join(",")])
        // It would take code for its own to mutate in folders only, not in jars.
        .args(["--mutableCodePaths", &own.join(",")])
        .arg("--reportDir")
        .arg(report)
        .arg("--sourceDirs")
        .arg(job.work)
        .current_dir(job.work)
        .env_remove("JAVA_TOOL_OPTIONS")
        .stdin(Stdio::null());
    command
}

/// The mutants of PIT's report.
fn read(report: &str) -> Vec<Mutation> {
    let one = |mutation: &str| {
        let named = ["killingTests", "coveringTests"].iter().find_map(|tag| {
            let (_, rest) = mutation.split_once(&format!("<{tag}>"))?;
            let (tests, _) = rest.split_once('<')?;
            (!tests.is_empty()).then(|| plain(tests).split('|').map(str::to_owned).collect())
        });
        let detected = mutation.starts_with("detected='true'");
        Mutation { detected, tests: named.filter(|_| detected).unwrap_or_default() }
    };
    report.split("<mutation ").skip(1).map(one).collect()
}

/// Text of XML.
fn plain(text: &str) -> String {
    let signs = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&apos;", "'"),
        ("&#39;", "'"),
        ("&#34;", "\""),
        ("&amp;", "&"),
    ];
    signs.iter().fold(text.to_owned(), |text, (written, sign)| text.replace(written, sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mutant_comes_with_the_tests_that_noticed_it() {
        let report = "<mutations>\n\
            <mutation detected='true' status='KILLED'><killingTests>a.T.x(&lt;&gt;)|a.T.y()</killingTests></mutation>\n\
            <mutation detected='true' status='TIMED_OUT'><killingTests></killingTests><coveringTests>a.T.x()</coveringTests></mutation>\n\
            <mutation detected='false' status='SURVIVED'><killingTests></killingTests><coveringTests>a.T.x()</coveringTests></mutation>";
        let tests = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        let wanted = [
            Mutation { detected: true, tests: tests(&["a.T.x(<>)", "a.T.y()"]) },
            Mutation { detected: true, tests: tests(&["a.T.x()"]) },
            Mutation { detected: false, tests: Vec::new() },
        ];
        assert_eq!(read(report), wanted);
        assert_eq!(read("<mutations></mutations>"), []);
    }
}
