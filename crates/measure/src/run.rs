//! One run of a suite under JUnit's own console launcher.
//!
//! In: compiled tests and options for the JVM. Out: [`RunResult`], read from the launcher's XML reports. A run that takes too long is ended,
//! and what it had not reported is not counted.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use serde::Serialize;

use crate::compile::{Compiled, class_path};
use crate::subject::{Folders, io};
use crate::{MeasureError, Suite, Tools};

/// What a run reported.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunResult {
    pub tests: usize,
    /// `class#test`.
    pub failed: BTreeSet<String>,
    pub seconds: f64,
    /// How it ended if not by itself: `took too long`, `no report`.
    pub trouble: Option<String>,
}

/// Options that keep a suite out of the folders of whoever measures it: nobody looks after what it does there.
pub(crate) fn apart(folder: &Path) -> std::io::Result<[String; 2]> {
    let (temporary, home) = (folder.join("temporary"), folder.join("home"));
    fs::create_dir_all(&temporary)?;
    fs::create_dir_all(&home)?;
    Ok([format!("-Djava.io.tmpdir={}", temporary.display()), format!("-Duser.home={}", home.display())])
}

/// Runs the suite; reports go below `folder`.
pub fn run(
    tools: &Tools,
    suite: &Suite<'_>,
    folders: &Folders,
    compiled: &Compiled,
    folder: &Path,
    options: &[String],
) -> Result<RunResult, MeasureError> {
    let (reports, here) = (folder.join("reports"), folder.join("here"));
    fs::create_dir_all(&here).map_err(|source| io(&here, source))?;
    let log = folder.join("log");
    let out = fs::File::create(&log).map_err(|source| io(&log, source))?;
    let err = out.try_clone().map_err(|source| io(&log, source))?;
    let program = tools.java_home.join("bin/java");
    let start = Instant::now();
    let mut child = Command::new(&program)
        .args(["-Xmx2g", "-XX:+UseSerialGC", "-XX:+UnlockExperimentalVMOptions"])
        .args(options)
        .args(apart(folder).map_err(|source| io(folder, source))?)
        .arg("-cp")
        .arg(class_path(tools, suite, folders, &compiled.classes))
        .args(["org.junit.platform.console.ConsoleLauncher", "execute", "--scan-class-path"])
        .arg(&compiled.classes)
        .args(["--include-classname", ".*", "--details=none", "--disable-banner", "--reports-dir"])
        .arg(&reports)
        .current_dir(&here)
        .env_remove("JAVA_TOOL_OPTIONS")
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(err)
        .spawn()
        .map_err(|source| MeasureError::Start { program, source })?;
    let in_time = wait(&mut child, tools.patience).map_err(|source| io(&log, source))?;
    let mut result = RunResult {
        tests: 0,
        failed: BTreeSet::new(),
        seconds: start.elapsed().as_secs_f64(),
        trouble: (!in_time).then(|| "took too long".into()),
    };
    read_reports(&reports, &mut result)?;
    if result.tests == 0 && !compiled.files.is_empty() && result.trouble.is_none() {
        result.trouble = Some("no report: the JVM ended early".into());
    }
    Ok(result)
}

/// Waits for a process of ours and whether it ended by itself; ends it otherwise.
pub fn wait(child: &mut Child, patience: Duration) -> std::io::Result<bool> {
    if probat_os::process::wait_for(child, patience)? {
        return Ok(true);
    }
    child.kill()?;
    child.wait()?;
    Ok(false)
}

fn read_reports(folder: &Path, result: &mut RunResult) -> Result<(), MeasureError> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
    for entry in entries {
        let path = entry.map_err(|source| io(folder, source))?.path();
        if path.extension().is_some_and(|end| end == "xml") {
            let text = fs::read(&path).map_err(|source| io(&path, source))?;
            if read_report(&String::from_utf8_lossy(&text), result).is_err() {
                result.trouble = Some(format!("`{}` cannot be read", path.display()));
            }
        }
    }
    Ok(())
}

/// Adds the tests of one report.
fn read_report(xml: &str, result: &mut RunResult) -> Result<(), quick_xml::Error> {
    let mut reader = Reader::from_str(xml);
    let mut current = String::new();
    loop {
        match reader.read_event()? {
            Event::Start(tag) | Event::Empty(tag) => match tag.name().as_ref() {
                "testcase" => {
                    result.tests += 1;
                    current = format!("{}#{}", attribute(&tag, "classname"), attribute(&tag, "name"));
                }
                "failure" | "error" => {
                    result.failed.insert(current.clone());
                }
                _ => {}
            },
            Event::Eof => return Ok(()),
            _ => {}
        }
    }
}

fn attribute(tag: &BytesStart<'_>, name: &str) -> String {
    let found = tag.attributes().flatten().find(|attribute| attribute.key.as_ref() == name);
    found.map(|attribute| attribute.value.into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_tests_are_named() {
        let xml = r#"<testsuite name="x" tests="3"><testcase name="a()" classname="p.T"/>
            <testcase name="b()" classname="p.T"><failure message="no">trace</failure><system-out>x</system-out></testcase>
            <testcase name="c()" classname="p.T"><error type="E">trace</error></testcase></testsuite>"#;
        let mut result = RunResult { tests: 0, failed: BTreeSet::new(), seconds: 0.0, trouble: None };
        read_report(xml, &mut result).unwrap();
        assert_eq!(result.tests, 3);
        assert_eq!(result.failed.iter().map(String::as_str).collect::<Vec<_>>(), ["p.T#b()", "p.T#c()"]);
        assert!(read_report("<testsuite><testcase", &mut result).is_err());
    }
}
