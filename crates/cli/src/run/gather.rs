//! Observations to a report.
//!
//! In: the script, what was seen of its run, and the edges of its beginnings. Out: the parts of a [`Report`] that
//! follow from them. A line stands for all its steps: it threw if one of them did.

use std::collections::{BTreeMap, BTreeSet};

use probat_model::{End, Observation, ProbeId, Refusal, StateSeen, StepId, StepOutcome};
use probat_script::{Line, Position, Script};
use probat_supervisor::{ProbeTable, in_words};

use super::edges;
use super::plan::Watch;
use super::report::{
    EndSeen, LineSeen, OutcomeSeen, StateShown, TaintSeen, ThrownSeen, ValueSeen, ViolationSeen,
};
use super::tree;

/// What belongs together for reading an observation.
#[derive(Debug)]
pub struct Seen<'a> {
    pub text: &'a str,
    pub script: &'a Script,
    pub watches: &'a [Watch],
    /// `None` if the run was stopped before there was any.
    pub observation: Option<&'a Observation>,
}

impl Seen<'_> {
    /// The number in the file of the line a step belongs to.
    fn line_number(&self, step: StepId) -> u32 {
        let at = self.script.lines.partition_point(|line| line.steps.end <= step.0);
        let line = self.script.lines.get(at).or(self.script.lines.last());
        line.map_or(1, |line| Position::of(self.text, line.span.start).line)
    }

    fn outcome_of(&self, step: StepId) -> Option<&StepOutcome> {
        self.observation?.outcome(step)
    }

    /// Every line with what it did; edges are added later.
    pub fn lines(&self) -> Vec<LineSeen> {
        let mut states = self.states();
        let lines = self.script.lines.iter().enumerate();
        lines
            .map(|(at, line)| LineSeen {
                line: Position::of(self.text, line.span.start).line,
                source: line.span.of(self.text).to_owned(),
                name: line.name.clone(),
                outcome: self.line_outcome(line),
                states: states.remove(&at).unwrap_or_default(),
                edges: Vec::new(),
            })
            .collect()
    }

    fn line_outcome(&self, line: &Line) -> OutcomeSeen {
        let Some(observation) = self.observation else { return OutcomeSeen::NotRun };
        if let Some(ended) = self.ended_here(line, &observation.end) {
            return ended;
        }
        for step in line.steps.clone().map(StepId) {
            match self.outcome_of(step) {
                Some(StepOutcome::Threw(thrown)) => return OutcomeSeen::Threw { thrown: thrown.into() },
                Some(StepOutcome::Refused(refusal)) => {
                    return OutcomeSeen::Refused { reason: self.refusal(step, refusal) };
                }
                Some(StepOutcome::Returned(_)) | None => {}
            }
        }
        let last = line.result.or(line.steps.end.checked_sub(1).map(StepId));
        match last.and_then(|step| self.outcome_of(step)) {
            Some(StepOutcome::Returned(value)) => OutcomeSeen::Returned { value: ValueSeen::from(value) },
            _ => OutcomeSeen::NotRun,
        }
    }

    /// The outcome of a line in which the whole sequence ended, where no step of it can say so itself.
    fn ended_here(&self, line: &Line, end: &End) -> Option<OutcomeSeen> {
        let here = |step: &StepId| line.steps.contains(&step.0);
        let thrown = |step: &StepId| match self.outcome_of(*step) {
            Some(StepOutcome::Threw(thrown)) => Some(ThrownSeen::from(thrown)),
            _ => None,
        };
        match end {
            End::TimedOut(step) if here(step) => Some(OutcomeSeen::TimedOut),
            End::Exhausted(step) if here(step) => Some(OutcomeSeen::Exhausted { thrown: thrown(step) }),
            End::Died { step: Some(step), cause } if here(step) => {
                Some(OutcomeSeen::Died { cause: in_words(cause) })
            }
            _ => None,
        }
    }

    fn refusal(&self, step: StepId, refusal: &Refusal) -> String {
        let argument = |nth: u8| {
            let args = &self.script.sequence.steps()[usize::from(step.0)].args;
            args.get(usize::from(nth)).map_or(String::new(), |&arg| self.value_name(arg))
        };
        match refusal {
            Refusal::Unresolved(what) => format!("the JVM does not know {what}"),
            Refusal::ArgumentType { argument: nth, wanted, found } => {
                format!("`{}` is a `{found}`, wanted is `{wanted}`", argument(*nth))
            }
            Refusal::NullReceiver => format!("`{}` is null", argument(0)),
            Refusal::MissingArgument { argument: nth } => {
                format!("`{}` has no value, because the line that makes it failed", argument(*nth))
            }
            Refusal::CannotRestore(why) => format!("the state cannot be rebuilt: {why}"),
            Refusal::CannotStub(why) => format!("the stub cannot be made: {why}"),
        }
    }

    /// By line: states that are new or changed.
    fn states(&self) -> BTreeMap<usize, Vec<StateShown>> {
        let mut shown: BTreeMap<usize, Vec<StateShown>> = BTreeMap::new();
        let mut before: BTreeMap<StepId, &StateSeen> = BTreeMap::new();
        let answers = self.observation.map_or(&[][..], |seen| &seen.states);
        for (watch, answer) in self.watches.iter().zip(answers) {
            let Some(state) = answer else { continue };
            let earlier = before.insert(watch.root, state);
            if earlier.is_some_and(|earlier| earlier.hash == state.hash && !state.truncated) {
                continue;
            }
            let plain = state.stored.as_ref().is_some_and(tree::is_plain);
            if !(plain && earlier.is_none()) {
                shown.entry(watch.line).or_default().push(state_shown(watch, earlier, state));
            }
        }
        shown
    }

    pub fn end(&self) -> EndSeen {
        let Some(observation) = self.observation else { return EndSeen::Interrupted };
        match &observation.end {
            End::Completed => EndSeen::Completed,
            End::Threw(step) => EndSeen::Threw { line: self.line_number(*step) },
            End::Refused(step) => EndSeen::Refused { line: self.line_number(*step) },
            End::TimedOut(step) => EndSeen::TimedOut { line: self.line_number(*step) },
            End::Exhausted(step) => EndSeen::Exhausted { line: self.line_number(*step) },
            End::Died { step, cause } => {
                EndSeen::Died { line: step.map(|step| self.line_number(step)), cause: in_words(cause) }
            }
        }
    }

    pub fn taints(&self) -> Vec<TaintSeen> {
        let taints = self.observation.iter().flat_map(|seen| &seen.taints);
        taints
            .map(|taint| TaintSeen {
                line: self.line_number(taint.step),
                kind: format!("{:?}", taint.kind),
                detail: taint.detail.clone(),
            })
            .collect()
    }

    pub fn leaks(&self) -> Vec<String> {
        self.observation.iter().flat_map(|seen| &seen.leaks).map(|leak| format!("{leak:?}")).collect()
    }

    pub fn violations(&self) -> Vec<ViolationSeen> {
        let violations = self.observation.iter().flat_map(|seen| &seen.violations);
        violations
            .map(|violation| ViolationSeen {
                contract: format!("{:?}", violation.contract),
                values: violation.steps.iter().map(|&step| self.value_name(step)).collect(),
                thrown: violation.thrown.as_ref().map(ThrownSeen::from),
            })
            .collect()
    }

    /// The variable a step's result is in, or the text that made it.
    fn value_name(&self, step: StepId) -> String {
        let at = usize::from(step.0);
        match self.script.names.get(at).cloned().flatten() {
            Some(name) => name,
            None => self.script.spans.get(at).map_or(String::new(), |span| span.of(self.text).to_owned()),
        }
    }
}

fn state_shown(watch: &Watch, earlier: Option<&StateSeen>, state: &StateSeen) -> StateShown {
    let now = state.stored.as_ref();
    let then = earlier.and_then(|seen| seen.stored.as_ref());
    let difference = match (then, now) {
        (Some(then), Some(now)) => tree::difference(then, now),
        _ => String::new(),
    };
    StateShown {
        name: watch.name.clone(),
        hash: state.hash.to_string(),
        tokens: state.tokens,
        truncated: state.truncated,
        changed: earlier.is_some(),
        tree: now.map_or(String::new(), tree::whole),
        difference,
    }
}

/// Gives each line the edges that no earlier beginning of the script took. `beginnings[i]` are the edges of the
/// script up to and with line `lines[i]`.
pub fn add_edges(lines: &mut [LineSeen], beginnings: &[(usize, Vec<ProbeId>)], table: &ProbeTable) -> usize {
    let mut known: BTreeSet<ProbeId> = BTreeSet::new();
    for (at, taken) in beginnings {
        for &probe in taken {
            if known.insert(probe)
                && let Some(found) = edges::describe(table, probe)
            {
                lines[*at].edges.push(found);
            }
        }
        lines[*at].edges.sort();
    }
    known.len()
}
