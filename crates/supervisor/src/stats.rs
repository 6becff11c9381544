//! What a fleet has been through.
//!
//! In: counts from its lanes. Out: [`FleetStats`], plain data for reports.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use probat_model::{DeathCause, OperationId, StepId};
use probat_os::process::signal_name;

/// Everything counted since the fleet started.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FleetStats {
    /// Worker processes started, the first of each lane included.
    pub starts: u64,
    /// Workers replaced because their JVM was no longer as it was; no fault of a step.
    pub spent: u64,
    /// Why, in the workers' own words, and how often.
    pub spent_because: BTreeMap<String, u64>,
    /// Workers that died, in the order of their deaths; the newest [`MAX_DEATHS`] are kept.
    pub deaths: Vec<Death>,
    /// All deaths, also those no longer listed.
    pub death_count: u64,
    /// Operations no longer run, ascending.
    pub quarantined: Vec<Quarantined>,
    /// Items answered without being run because of those.
    pub refused_items: u64,
    /// Items with a result.
    pub items: u64,
    pub bytes_down: u64,
    pub bytes_up: u64,
    /// Bytes workers wrote to descriptors 1 and 2.
    pub bytes_printed: u64,
    /// CPU time of this process since the fleet started, whatever it was used for.
    pub supervisor_cpu: Duration,
    /// CPU time of all workers, dead and alive.
    pub worker_cpu: Duration,
}

/// No more deaths than this are kept in detail.
pub const MAX_DEATHS: usize = 1000;

/// One worker that died.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Death {
    pub cause: DeathCause,
    /// Where it was; `None` if it was between items.
    pub culprit: Option<Culprit>,
    /// It died of the same item again, alone in a fresh worker.
    pub confirmed: bool,
    /// The frame a JVM's crash log blames.
    pub crash: Option<String>,
    /// The last lines it printed.
    pub last_output: Vec<String>,
}

/// The step a worker died in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Culprit {
    /// Ticket of the item and its position there.
    pub ticket: u64,
    pub item: usize,
    pub step: Option<StepId>,
    pub operation: Option<OperationId>,
    /// The operation in words; empty if the step is not known.
    pub description: String,
}

/// An operation that killed too often.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quarantined {
    pub operation: OperationId,
    pub description: String,
    pub deaths: u32,
    /// How the last of them died.
    pub cause: DeathCause,
}

impl fmt::Display for Death {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", in_words(&self.cause))?;
        if let Some(culprit) = self.culprit.as_ref().filter(|culprit| !culprit.description.is_empty()) {
            write!(f, " in `{}`", culprit.description)?;
        }
        if let Some(crash) = &self.crash {
            write!(f, " ({crash})")?;
        }
        Ok(())
    }
}

/// A cause as a sentence part: `killed by SIGSEGV`.
pub fn in_words(cause: &DeathCause) -> String {
    match cause {
        DeathCause::Exited(code) => format!("exited with code {code}"),
        DeathCause::Signalled(signal) => format!("killed by {}", signal_name(*signal)),
        DeathCause::Unresponsive(limit) => format!("no answer within {limit:?}"),
        DeathCause::Protocol(what) => format!("broke the protocol: {what}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_death_names_its_culprit() {
        let culprit = Culprit {
            ticket: 0,
            item: 3,
            step: Some(StepId(1)),
            operation: Some(OperationId(7)),
            description: "a.B.c()".into(),
        };
        let death = Death {
            cause: DeathCause::Signalled(11),
            culprit: Some(culprit),
            confirmed: true,
            crash: Some("libx.so+0x10".into()),
            last_output: Vec::new(),
        };
        assert_eq!(death.to_string(), "killed by SIGSEGV in `a.B.c()` (libx.so+0x10)");
    }
}
