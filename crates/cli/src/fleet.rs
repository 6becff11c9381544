//! Starting workers for a command, and saying why they do not start.
//!
//! In: a fleet's configuration. Out: a fleet that stands, stopped by Ctrl-C; or a failure with a way out.

use probat_protocol::Hello;
use probat_supervisor::{Fleet, FleetConfig, FleetError, ScratchError, StartError};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::progress::Progress;

/// Starts workers; Ctrl-C ends waiting for them.
pub fn start(mut config: FleetConfig) -> Result<Fleet, Failure> {
    let _progress = Progress::start("starting the JVM");
    config.stop = probat_os::signals::stop_flag().ok();
    Fleet::start(config).map_err(|error| start_failure(&error))
}

/// Why no worker stands.
pub fn start_failure(error: &StartError) -> Failure {
    let failure = Failure::caused(Exit::Missing, error);
    match error {
        StartError::Scratch(ScratchError::Full(_)) => {
            failure.hint("free some space, or point TMPDIR to a directory on another disk")
        }
        StartError::Scratch(ScratchError::Unwritable { .. }) => {
            failure.hint("point TMPDIR to a directory you may write to")
        }
        StartError::Launch { .. } | StartError::System(_) => {
            failure.hint("`probat doctor` shows what is there and what is not")
        }
        StartError::Refused { .. } | StartError::Died { .. } => failure
            .hint("try another JVM with `--java-home`; `probat doctor` lists those it finds")
            .hint("`--no-sandbox` tells whether the sandbox is at fault"),
    }
}

/// Why there are no results.
pub fn failure(error: &FleetError) -> Failure {
    let failure = Failure::caused(Exit::Missing, error);
    match error {
        FleetError::Broken { .. } => failure.hint("`probat doctor` shows whether a worker can stand at all"),
        FleetError::Stopped => Failure::new(Exit::Interrupted, "stopped"),
        FleetError::OtherTable { .. } | FleetError::Nothing => {
            Failure { exit: Exit::Bug, ..Failure::caused(Exit::Bug, error) }
        }
    }
}

/// What does not protect this machine from the code under test, and why; nothing if all is in force.
pub fn missing_protection(hello: &Hello) -> Vec<String> {
    let sandbox = &hello.sandbox;
    let mut missing = Vec::new();
    if sandbox.landlock.is_none() {
        let why = sandbox.landlock_missing.as_deref().unwrap_or("not asked for");
        missing.push(format!("no Landlock (files): {why}"));
    }
    if !sandbox.seccomp {
        let why = sandbox.seccomp_missing.as_deref().unwrap_or("not asked for");
        missing.push(format!("no seccomp (network, processes): {why}"));
    }
    if !sandbox.guards {
        missing.push("no guards inside the JVM".into());
    }
    missing
}
