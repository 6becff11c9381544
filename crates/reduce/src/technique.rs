//! Representations of method-entry states, and when two calls are equal under them.

use std::fmt;

use probat_model::StateHash;
use probat_protocol::CallSeen;

/// How entry states are represented, from the least to the most that is merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Technique {
    /// All calls made on the objects since they were made.
    WholeSeq,
    /// Those calls that changed them.
    ModifyingSeq,
    /// Everything reachable from receiver and arguments.
    WholeState,
    /// What the objects' own `equals` reads of them.
    MonitorEquals,
    /// Objects that are equal by their own `equals` are one.
    PairwiseEquals,
}

/// A method with an entry state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Execution {
    pub method: u32,
    pub state: StateHash,
}

impl Technique {
    pub const ALL: [Technique; 5] = [
        Technique::WholeSeq,
        Technique::ModifyingSeq,
        Technique::WholeState,
        Technique::MonitorEquals,
        Technique::PairwiseEquals,
    ];

    /// As on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Technique::WholeSeq => "whole-seq",
            Technique::ModifyingSeq => "modifying-seq",
            Technique::WholeState => "whole-state",
            Technique::MonitorEquals => "monitor-equals",
            Technique::PairwiseEquals => "pairwise-equals",
        }
    }

    /// The technique of a name.
    pub fn parse(text: &str) -> Option<Technique> {
        Technique::ALL.into_iter().find(|technique| technique.name() == text)
    }

    /// A call under this technique; `None` if that was not recorded.
    pub fn execution(self, call: &CallSeen) -> Option<Execution> {
        let state = match self {
            Technique::WholeSeq => call.whole_seq?,
            Technique::ModifyingSeq => call.modifying_seq?,
            Technique::WholeState => call.whole_state,
            Technique::MonitorEquals => call.monitor_equals?,
            Technique::PairwiseEquals => call.pairwise_equals?,
        };
        Some(Execution { method: call.method, state })
    }
}

impl fmt::Display for Technique {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
