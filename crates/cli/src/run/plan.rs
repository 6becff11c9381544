//! Which states to ask for while a script runs.
//!
//! In: a script. Out: state requests, and for each which line and variable it belongs to. Whether a state is worth
//! showing is decided when it is there.

use std::collections::BTreeSet;

use probat_model::{StepId, Type};
use probat_protocol::StateRequest;
use probat_script::{Line, Script};

use crate::args::States;

/// Above so many requests only what a line touches is watched.
const MOST_REQUESTS: usize = 4096;

/// One state asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Watch {
    /// Index of the line after which it is taken.
    pub line: usize,
    /// The step whose result it is of.
    pub root: StepId,
    /// The variable, or `None` for a result without name.
    pub name: Option<String>,
}

/// The states to ask for and what they are, in the same order.
pub fn watches(script: &Script, states: States) -> (Vec<StateRequest>, Vec<Watch>) {
    let last = match script.lines.iter().rposition(|line| !line.steps.is_empty()) {
        Some(last) => last,
        None => return (Vec::new(), Vec::new()),
    };
    let variables: Vec<StepId> =
        (0..script.sequence.len() as u16).map(StepId).filter(|&id| is_variable(script, id)).collect();
    let few = variables.len() * script.lines.len() <= MOST_REQUESTS;
    let mut found = Vec::new();
    for (at, line) in script.lines.iter().enumerate() {
        let wanted = match states {
            States::All => true,
            States::Last => at == last,
            States::None => false,
        };
        if !wanted || line.steps.is_empty() {
            continue;
        }
        let touched = touched(script, line);
        let known = variables.iter().filter(|id| id.0 < line.steps.end);
        let roots = known.filter(|id| few || touched.contains(id)).copied();
        for root in roots.chain(unnamed_result(script, line)) {
            found.push(Watch { line: at, root, name: script.names[usize::from(root.0)].clone() });
        }
    }
    let request = |watch: &Watch| StateRequest {
        after: script.lines[watch.line].steps.end - 1,
        roots: vec![watch.root],
        stored: true,
    };
    (found.iter().map(request).collect(), found)
}

/// A named result that can change or has parts: no primitive, string or class object.
fn is_variable(script: &Script, id: StepId) -> bool {
    script.names[usize::from(id.0)].is_some() && has_state(script, id)
}

fn has_state(script: &Script, id: StepId) -> bool {
    let step = &script.sequence.steps()[usize::from(id.0)];
    match script.table.get(step.operation).result() {
        Some(Type::Class(class)) => !matches!(class.as_internal(), "java/lang/String" | "java/lang/Class"),
        Some(Type::Array(_)) => true,
        _ => false,
    }
}

/// Results that steps of this line use.
fn touched(script: &Script, line: &Line) -> BTreeSet<StepId> {
    let steps = &script.sequence.steps()[usize::from(line.steps.start)..usize::from(line.steps.end)];
    let args = steps.iter().flat_map(|step| step.args.iter().copied());
    args.chain(line.result).collect()
}

fn unnamed_result(script: &Script, line: &Line) -> Option<StepId> {
    line.result.filter(|&id| script.names[usize::from(id.0)].is_none() && has_state(script, id))
}
