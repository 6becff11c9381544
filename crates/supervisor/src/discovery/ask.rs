//! Asks a `java` about itself.
//!
//! In: the program. Out: properties it prints. Bounded in time and size; a program that is no Java gives nothing.

use std::fs::File;
use std::io::Read;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

use probat_os::pipe::pipe;
use probat_os::process::{Program, spawn};

use crate::config::WorkerCommand;

/// A JVM starts in a fraction of this on any machine.
const PATIENCE: Duration = Duration::from_secs(20);
/// What is printed fits in a pipe, so nobody has to read while the program runs.
const OUTPUT: usize = 64 << 10;

/// `java.version`.
pub(super) fn version(java: &Path) -> Option<String> {
    property(&settings(java)?, "java.version")
}

/// `java.home`.
pub(super) fn java_home(java: &Path) -> Option<PathBuf> {
    property(&settings(java)?, "java.home").map(PathBuf::from)
}

fn property(settings: &str, name: &str) -> Option<String> {
    let value = |line: &str| {
        let (key, value) = line.split_once('=')?;
        (key.trim() == name).then(|| value.trim().to_owned())
    };
    settings.lines().find_map(value)
}

fn settings(java: &Path) -> Option<String> {
    let nothing = File::open("/dev/null").ok()?;
    let output = pipe(OUTPUT).ok()?;
    let mut child = spawn(&Program {
        path: java,
        args: &["-XshowSettings:properties".into(), "-version".into()],
        environment: &WorkerCommand::default().environment,
        descriptors: &[(nothing.as_fd(), 0), (output.write.as_fd(), 1), (output.write.as_fd(), 2)],
    })
    .ok()?;
    drop(output.write);
    let ended = child.wait_timeout(PATIENCE).ok()?;
    // Dropping the child kills it if it still runs, so that reading ends.
    drop(child);
    ended?;
    let mut text = Vec::new();
    File::from(output.read).take(OUTPUT as u64).read_to_end(&mut text).ok()?;
    Some(String::from_utf8_lossy(&text).into_owned())
}
