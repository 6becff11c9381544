//! `generate` as a child process, as a user would run it.
//!
//! In: what to test and the options. Out: its report.

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::exit::Exit;
use crate::failure::Failure;

/// Runs `probat generate --format json`; `text` names the subject in messages.
pub fn generate(text: &str, words: &[String], options: &[OsString]) -> Result<Value, Failure> {
    let mut command = Command::new("/proc/self/exe");
    command.arg("generate").args(words).args(["--format", "json"]).args(options);
    let output = command.stdin(Stdio::null()).stderr(Stdio::piped()).output();
    let output =
        output.map_err(|error| Failure::new(Exit::Missing, format!("cannot start probat: {error}")))?;
    let code = output.status.code();
    // A child that had no time to listen yet is ended by the signal itself.
    if code == Some(i32::from(Exit::Interrupted.code())) || output.status.signal().is_some_and(is_interrupt) {
        return Err(Failure::new(Exit::Interrupted, format!("interrupted while testing {text}")));
    }
    // 3 says that the code under test broke a contract, 4 that there was nothing to write.
    if !matches!(code, Some(0 | 3 | 4)) || output.stdout.is_empty() {
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().rev().find(|line| line.contains("error")).unwrap_or("no message");
        return Err(Failure::new(Exit::Bug, format!("`generate` ended with {code:?} on {text}: {last}")));
    }
    serde_json::from_slice(&output.stdout)
        .map_err(|error| Failure::new(Exit::Bug, format!("`generate` printed no report: {error}")))
}

/// SIGINT or SIGTERM, by their numbers on Linux.
fn is_interrupt(signal: i32) -> bool {
    matches!(signal, 2 | 15)
}
