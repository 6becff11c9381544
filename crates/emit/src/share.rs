//! Objects that several cases of a method use.
//!
//! In: cases of one method that end in an exception. Out: which of their objects are made alike and serve for the throwing call alone: a call
//! that throws leaves them as they were, so that the next case can use the same variable.

use probat_model::{Operation, OperationTable, StepId};

use crate::case::{Ending, TestCase};

/// How an object is made, if another case could use it: equal text, equal making.
pub(crate) fn making(case: &TestCase, table: &OperationTable, step: StepId) -> Option<String> {
    let last = StepId(case.steps.len().checked_sub(1)? as u16);
    let is_made = matches!(
        table.get(case.steps[usize::from(step.0)].operation),
        Operation::Construct { .. } | Operation::CallStatic { .. } | Operation::Call { .. }
    );
    let is_sharable = is_made
        && step < last
        && case.caught.is_empty()
        && matches!(case.ending, Ending::Throws { .. })
        && is_used_only_by(case, step, last);
    if is_sharable { spelled(case, table, step) } else { None }
}

/// The calls and literals behind a step, none of which serves for anything else.
fn spelled(case: &TestCase, table: &OperationTable, step: StepId) -> Option<String> {
    let made = &case.steps[usize::from(step.0)];
    let mut text = format!("{}(", made.operation.0);
    for &arg in &made.args {
        let is_literal = matches!(table.get(case.steps[usize::from(arg.0)].operation), Operation::Literal(_));
        if !is_literal && !is_used_only_by(case, arg, step) {
            return None;
        }
        text.push_str(&spelled(case, table, arg)?);
    }
    text.push(')');
    Some(text)
}

fn is_used_only_by(case: &TestCase, step: StepId, user: StepId) -> bool {
    case.steps.iter().zip(0..).all(|(other, at)| StepId(at) == user || !other.args.contains(&step))
}
