//! What a worker may not do, enforced by the kernel.
//!
//! In: the scratch directory. Out: a [`Report`] of what is in force, or why a part is not.
//! Landlock: everything may be read, nothing executed, only scratch written; no TCP, no signals outward.
//! seccomp: no sockets, no programs, no new processes, no changes to owners, modes or the system.
//! Irrevocable, for the calling thread and all it starts: apply before the JVM exists.

mod calls;

use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, LandlockStatus, PathBeneath, PathFd, RestrictionStatus,
    Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};

/// What is in force. Every `Some` in a `missing` field says why that part is not, or not wholly.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// Landlock ABI in force.
    pub landlock: Option<u32>,
    pub landlock_missing: Option<String>,
    pub seccomp: bool,
    pub seccomp_missing: Option<String>,
}

/// The newest Landlock features asked for; older kernels give what they have.
const NEWEST: ABI = ABI::V7;

/// Devices that may be written besides scratch.
const SINKS: [&str; 2] = ["/dev/null", "/dev/zero"];

/// Restricts the calling thread and everything it will start.
pub fn apply(scratch: &Path) -> Report {
    let mut report = Report::default();
    match restrict_files(scratch) {
        Ok(status) => report_landlock(&status, &mut report),
        Err(e) => report.landlock_missing = Some(chain(&e)),
    }
    match calls::deny() {
        Ok(()) => report.seccomp = true,
        Err(e) => report.seccomp_missing = Some(chain(&e)),
    }
    report
}

fn restrict_files(scratch: &Path) -> Result<RestrictionStatus, LandlockError> {
    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    let write: BitFlags<AccessFs> = AccessFs::WriteFile | AccessFs::ReadFile | AccessFs::Truncate;
    let mut rules = Ruleset::default()
        .handle_access(AccessFs::from_all(NEWEST))?
        .handle_access(AccessNet::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?
        .create()?
        .add_rule(PathBeneath::new(PathFd::new("/")?, read))?
        .add_rule(PathBeneath::new(PathFd::new(scratch)?, AccessFs::from_all(NEWEST) & !AccessFs::Execute))?;
    for sink in SINKS {
        // A container without the device needs no rule for it.
        if let Ok(fd) = PathFd::new(sink) {
            rules = rules.add_rule(PathBeneath::new(fd, write))?;
        }
    }
    Ok(rules.restrict_self()?)
}

fn report_landlock(status: &RestrictionStatus, report: &mut Report) {
    match status.landlock {
        LandlockStatus::NotEnabled => {
            report.landlock_missing = Some("the kernel has Landlock but it is not enabled at boot".into());
        }
        LandlockStatus::NotImplemented => {
            report.landlock_missing = Some("the kernel has no Landlock (needs 5.13 or newer)".into());
        }
        LandlockStatus::Available { effective_abi, .. } => {
            report.landlock = Some(effective_abi as u32);
            report.landlock_missing = match status.ruleset {
                RulesetStatus::FullyEnforced => None,
                RulesetStatus::PartiallyEnforced => Some("only the parts this kernel knows".into()),
                RulesetStatus::NotEnforced => Some("the kernel enforced nothing of it".into()),
            };
            if status.ruleset == RulesetStatus::NotEnforced {
                report.landlock = None;
            }
        }
    }
}

#[derive(Debug, thiserror::Error)]
enum LandlockError {
    #[error("cannot open a path for Landlock")]
    Path(#[from] landlock::PathFdError),
    #[error("Landlock refused the rules")]
    Rules(#[from] RulesetError),
}

/// The message of an error and of all its causes.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text.push_str(": ");
        text.push_str(&inner.to_string());
        cause = inner.source();
    }
    text
}
