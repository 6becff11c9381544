//! Which results are written where they are used.
//!
//! In: the steps of a test. Out: per step, whether it has no statement of its own. What has an effect keeps its order: a
//! value moves into the expression that uses it only if nothing else happens in between, and arguments are evaluated left to right.

use std::collections::BTreeSet;

use probat_model::{Contract, Operation, OperationTable, StepId, StubBehaviour};

use crate::case::{Asked, Ending, Expected, TestCase};

/// Uses of a step's result.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Uses {
    /// By later steps; what an assertion needs a variable for counts twice.
    pub count: u32,
    pub checks: u32,
    /// The step that uses it and at which place, if it is one.
    pub by: Option<(StepId, usize)>,
}

/// What was decided for one test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Plan {
    pub uses: Vec<Uses>,
    pub inline: Vec<bool>,
}

pub(crate) fn plan(case: &TestCase, table: &OperationTable, named: &BTreeSet<StepId>) -> Plan {
    let uses = uses(case);
    let mut inline = vec![false; case.steps.len()];
    let mut pending: Vec<usize> = Vec::new();
    for at in 0..case.steps.len() {
        let operation = table.get(case.steps[at].operation);
        let step = StepId(at as u16);
        let is_forced = named.contains(&step) || uses[at].checks > 0 || is_caught(case, step);
        if is_plain(operation) {
            inline[at] = !is_forced && is_worth_inlining(operation, &uses[at]);
            if inline[at] {
                continue;
            }
        }
        let goes_on = !is_forced
            && uses[at].count == 1
            && is_inlinable(operation)
            && !is_throwing(case, user(case, table, &uses, at));
        let evaluated = consumed(case, &inline, at);
        let kept = suffix(&pending, &evaluated);
        let rest = pending.len() - kept;
        // What is evaluated here but must come before something that still waits gets a statement, and all before it.
        let flushed = if goes_on {
            pending[..rest].iter().rposition(|waiting| evaluated.contains(waiting)).map_or(0, |last| last + 1)
        } else {
            rest
        };
        for &step in &pending[..flushed] {
            inline[step] = false;
        }
        pending.truncate(rest);
        pending.drain(..flushed);
        if goes_on {
            inline[at] = true;
            pending.push(at);
        }
    }
    for flushed in pending {
        inline[flushed] = false;
    }
    Plan { uses, inline }
}

/// About how many lines a case takes in a method.
pub fn lines(case: &TestCase, table: &OperationTable) -> usize {
    let plan = plan(case, table, &BTreeSet::new());
    let of_step = |at: usize| {
        let Uses { count, checks, .. } = plan.uses[at];
        let statement = match plan.inline[at] {
            true => 0,
            // A result that serves for nothing else is asserted where it comes from.
            false if count == 0 && checks == 1 => 1,
            false => 1 + checks as usize,
        };
        statement + stub_lines(table.get(case.steps[at].operation))
    };
    (0..case.steps.len()).map(of_step).sum()
}

/// Lines of an anonymous class, besides the first.
fn stub_lines(operation: &Operation) -> usize {
    match operation {
        Operation::Stub(spec) if !spec.is_interface || spec.methods.len() != 1 => 1 + spec.methods.len(),
        _ => 0,
    }
}

fn uses(case: &TestCase) -> Vec<Uses> {
    let mut all = vec![Uses::default(); case.steps.len()];
    for (at, step) in case.steps.iter().enumerate() {
        for (place, arg) in step.args.iter().enumerate() {
            let of = &mut all[usize::from(arg.0)];
            of.count += 1;
            of.by = Some((StepId(at as u16), place));
        }
    }
    for check in &case.checks {
        all[usize::from(check.step.0)].checks += 1;
        if let Expected::Same(other) = check.expected {
            all[usize::from(other.0)].count += 2;
        }
    }
    if let Ending::Breaks { contract, steps, .. } = &case.ending
        && !matches!(contract, Contract::NullPointer | Contract::AssertionError)
    {
        for step in steps {
            all[usize::from(step.0)].count += 2;
        }
    }
    if let Ending::BreaksRule { rule, .. } = &case.ending
        && let Asked::Reflection { of, .. } = &rule.asked
    {
        all[usize::from(of.0)].count += 2;
    }
    all
}

/// The step whose statement a result ends up in, if plain steps around it are inlined.
fn user(case: &TestCase, table: &OperationTable, uses: &[Uses], at: usize) -> StepId {
    match uses[at].by {
        Some((user, _)) if is_plain(table.get(case.steps[usize::from(user.0)].operation)) => {
            if uses[usize::from(user.0)].by.is_some() {
                self::user(case, table, uses, usize::from(user.0))
            } else {
                user
            }
        }
        Some((user, _)) => user,
        None => StepId(at as u16),
    }
}

/// Whether this is the step that throws: it must be alone in its assertion.
fn is_throwing(case: &TestCase, step: StepId) -> bool {
    let is_last = usize::from(step.0) + 1 == case.steps.len();
    (is_last && !matches!(case.ending, Ending::Returns)) || is_caught(case, step)
}

fn is_caught(case: &TestCase, step: StepId) -> bool {
    case.caught.iter().any(|caught| caught.step == step)
}

/// Operations without an effect that anyone could see.
fn is_plain(operation: &Operation) -> bool {
    match operation {
        Operation::Literal(_) | Operation::Convert { .. } | Operation::GetStatic { .. } => true,
        Operation::ArrayOf { .. } => true,
        Operation::Stub(spec) => spec.constructor.is_none(),
        _ => false,
    }
}

fn is_worth_inlining(operation: &Operation, uses: &Uses) -> bool {
    match operation {
        Operation::Literal(_) => true,
        Operation::GetStatic { name, .. } => {
            uses.count <= 1 || !name.contains(|c: char| c.is_ascii_lowercase())
        }
        Operation::Stub(spec) => {
            let is_short =
                spec.methods.iter().all(|method| !matches!(method.behaviour, StubBehaviour::Captured(_)));
            uses.count <= 1 && spec.methods.len() == 1 && is_short
        }
        Operation::Convert { .. } => true,
        _ => uses.count <= 1,
    }
}

fn is_inlinable(operation: &Operation) -> bool {
    matches!(
        operation,
        Operation::Construct { .. }
            | Operation::Call { .. }
            | Operation::CallStatic { .. }
            | Operation::GetField { .. }
            | Operation::ArrayGet { .. }
            | Operation::ArrayLength
            | Operation::Cast { .. }
    )
}

/// Inlined steps with an effect below an expression, in the order of evaluation.
fn consumed(case: &TestCase, inline: &[bool], at: usize) -> Vec<usize> {
    let mut found = Vec::new();
    for arg in &case.steps[at].args {
        let arg = usize::from(arg.0);
        if inline[arg] {
            found.extend(consumed(case, inline, arg));
            found.push(arg);
        }
    }
    found
}

/// How many of the last pending steps the expression evaluates, in their order.
fn suffix(pending: &[usize], consumed: &[usize]) -> usize {
    let relevant: Vec<usize> = consumed.iter().copied().filter(|at| pending.contains(at)).collect();
    let mut kept = 0;
    while kept < pending.len()
        && kept < relevant.len()
        && pending[pending.len() - 1 - kept] == relevant[relevant.len() - 1 - kept]
    {
        kept += 1;
    }
    kept
}
