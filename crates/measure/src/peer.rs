//! Randoop on the same classes for the same time.
//!
//! In: its class path, the classes under test. Out: [`PeerRun`], with the suite it wrote. If a call hangs and it gives up without a test, it
//! is started once more with its protection against that.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use probat_model::ClassName;
use serde::Serialize;

use crate::run::{apart, wait};
use crate::subject::{io, write};
use crate::{MeasureError, Tools};

/// What it did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PeerRun {
    /// Where its passing tests are.
    pub sources: PathBuf,
    pub seconds: f64,
    pub sequences: Option<u64>,
    pub invalid: Option<u64>,
    /// How it ended if not well.
    pub trouble: Option<String>,
    pub with_threads: bool,
}

impl PeerRun {
    /// Sequences made in a second; none where its log tells of none.
    pub fn sequences_per_second(&self) -> f64 {
        self.sequences.map_or(0.0, |count| count as f64 / self.seconds)
    }
}

/// What it is given.
#[derive(Debug)]
pub struct PeerJob<'a> {
    pub peer_class_path: &'a str,
    pub class_path: &'a [PathBuf],
    pub classes: &'a [ClassName],
    pub time: Duration,
    pub seed: u64,
}

/// Runs it; what it writes goes below `work`.
pub fn run_peer(tools: &Tools, job: &PeerJob<'_>, work: &Path) -> Result<PeerRun, MeasureError> {
    let first = attempt(tools, job, &work.join("peer"), false)?;
    if first.trouble.as_deref() == Some(HUNG) {
        return attempt(tools, job, &work.join("peer-threads"), true);
    }
    Ok(first)
}

const HUNG: &str = "gave up: a call hangs";

fn attempt(tools: &Tools, job: &PeerJob<'_>, folder: &Path, threads: bool) -> Result<PeerRun, MeasureError> {
    let (sources, here, list) = (folder.join("tests"), folder.join("here"), folder.join("classes.txt"));
    for made in [&sources, &here] {
        fs::create_dir_all(made).map_err(|source| io(made, source))?;
    }
    let names: String = job.classes.iter().map(|class| format!("{}\n", class.to_binary())).collect();
    write(&list, names.as_bytes())?;
    let log = folder.join("log");
    let out = fs::File::create(&log).map_err(|source| io(&log, source))?;
    let err = out.try_clone().map_err(|source| io(&log, source))?;
    let program = tools.java_home.join("bin/java");
    let start = Instant::now();
    let apart = apart(folder).map_err(|source| io(folder, source))?;
    let mut child = command(&program, job, &sources, &list, threads, &apart)
        .current_dir(&here)
        .env_remove("JAVA_TOOL_OPTIONS")
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(err)
        .spawn()
        .map_err(|source| MeasureError::Start { program, source })?;
    let patience = job.time * 3 + Duration::from_secs(180);
    let in_time = wait(&mut child, patience).map_err(|source| io(&log, source))?;
    let status = child.wait().map_err(|source| io(&log, source))?;
    remove_drivers(&sources)?;
    let said = fs::read(&log).map_err(|source| io(&log, source))?;
    let said = String::from_utf8_lossy(&said);
    Ok(PeerRun {
        sources,
        seconds: start.elapsed().as_secs_f64(),
        sequences: last_number(&said, "test inputs generated="),
        invalid: last_number(&said, "invalid inputs="),
        trouble: trouble(&said, in_time, status.success()),
        with_threads: threads,
    })
}

fn command(
    program: &Path,
    job: &PeerJob<'_>,
    sources: &Path,
    list: &Path,
    threads: bool,
    apart: &[String],
) -> Command {
    let path: Vec<String> = std::iter::once(job.peer_class_path.to_owned())
        .chain(job.class_path.iter().map(|path| path.display().to_string()))
        .collect();
    let mut command = Command::new(program);
    command
        .arg("-Xmx3000m")
        .args(apart)
        .arg("-classpath")
        .arg(path.join(":"))
        .args(["randoop.main.Main", "gentests", "--silently-ignore-bad-class-names=true"])
        .arg(format!("--classlist={}", list.display()))
        .arg(format!("--time-limit={}", job.time.as_secs()))
        .arg(format!("--randomseed={}", job.seed))
        .args(["--flaky-test-behavior=DISCARD", "--testsperfile=500", "--no-error-revealing-tests=true"])
        .args(["--progressintervalsteps=-1", "--progressintervalmillis=5000"])
        .arg(format!("--junit-output-dir={}", sources.display()));
    if threads {
        command.arg("--usethreads=true");
    }
    command
}

/// Its drivers would run every test a second time.
fn remove_drivers(folder: &Path) -> Result<(), MeasureError> {
    for entry in fs::read_dir(folder).map_err(|source| io(folder, source))? {
        let path = entry.map_err(|source| io(folder, source))?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if name == "RegressionTest.java" || name == "ErrorTest.java" {
            fs::remove_file(&path).map_err(|source| io(&path, source))?;
        }
    }
    Ok(())
}

fn last_number(said: &str, key: &str) -> Option<u64> {
    let (_, rest) = said.rsplit_once(key)?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

fn trouble(said: &str, in_time: bool, success: bool) -> Option<String> {
    if !in_time {
        return Some("was ended: it did not stop by itself".into());
    }
    if success {
        return None;
    }
    Some(if said.contains("Randoop has spent over") {
        HUNG.into()
    } else if said.contains("OutOfMemoryError") {
        "died: out of memory".into()
    } else if said.contains("RandoopBug") || said.contains("failed in an unexpected way") {
        "died: a bug of its own".into()
    } else {
        "died".into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_log_is_understood() {
        let said = "Progress update: steps=10, test inputs generated=7, invalid inputs=1\n\
                    Progress update: steps=90, test inputs generated=61, invalid inputs=5\nRandoop has spent over 10 seconds";
        assert_eq!(last_number(said, "test inputs generated="), Some(61));
        assert_eq!(last_number(said, "invalid inputs="), Some(5));
        assert_eq!(last_number(said, "none="), None);
        assert_eq!(trouble(said, true, false).as_deref(), Some(HUNG));
        assert_eq!(trouble(said, true, true), None);
    }
}
