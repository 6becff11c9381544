//! Literals in place of calls, and plain literals in place of odd ones.
//!
//! In: sequences as removal left them. Out: sequences for which their predicate still holds, whose numbers and texts are written down: a call
//! that gave `""` and served for nothing else is `""`, and what led to it is gone. Then each literal is the plainest that does: what matters in
//! a test stands out where everything else is `"a"` and `1`.

use probat_model::{Literal, Operation, OperationTable, Step, StepId, StepOutcome, Type, Value};

use crate::executor::Executor;
use crate::literals::is_of_one_run;
use crate::minimize::{Subject, slice, try_wave};
use crate::relevance::is_call;

/// Rounds in which calls are replaced one by one, and literals.
const CALL_ROUNDS: usize = 4;
const LITERAL_ROUNDS: usize = 48;

/// Longest text that is written in place of a call.
const LONGEST: usize = 60;

/// Writes values down in all subjects; `stop` is asked again and again.
pub fn spell<E: Executor>(
    table: &mut OperationTable,
    subjects: &mut [Subject<'_>],
    executor: &mut E,
    mut stop: impl FnMut() -> bool,
) -> Result<(), E::Error> {
    // Values are known of what was run.
    let unseen = subjects
        .iter()
        .map(|subject| {
            let is_asked = subject.seen.is_none() && !subject.is_stuck && has_calls(table, &subject.steps);
            is_asked.then(|| subject.steps.clone())
        })
        .collect();
    try_wave(table, subjects, unseen, executor, &mut stop)?;
    let all = subjects.iter().map(|subject| spelled(table, subject, 0..subject.steps.len())).collect();
    try_wave(table, subjects, all, executor, &mut stop)?;
    let mut next: Vec<usize> = subjects.iter().map(|subject| subject.steps.len()).collect();
    for _ in 0..CALL_ROUNDS {
        let trials: Vec<Option<Vec<Step>>> = subjects
            .iter()
            .zip(&mut next)
            .map(|(subject, next)| {
                *next = (*next).min(subject.steps.len());
                while *next > 0 && !subject.is_stuck {
                    *next -= 1;
                    let shorter = spelled(table, subject, *next..*next + 1);
                    if shorter.is_some() {
                        return shorter;
                    }
                }
                None
            })
            .collect();
        if stop() || trials.iter().all(Option::is_none) {
            break;
        }
        try_wave(table, subjects, trials, executor, &mut stop)?;
    }
    plainer(table, subjects, executor, stop)
}

fn has_calls(table: &OperationTable, steps: &[Step]) -> bool {
    steps.split_last().is_some_and(|(_, before)| before.iter().any(|step| is_call(table.get(step.operation))))
}

/// The steps with what some of them gave in place of them; none if nothing changes.
fn spelled(
    table: &mut OperationTable,
    subject: &Subject<'_>,
    which: std::ops::Range<usize>,
) -> Option<Vec<Step>> {
    let seen = subject.seen.as_ref().filter(|_| !subject.is_stuck)?;
    let mut steps = subject.steps.clone();
    let mut changed = false;
    for at in which.filter(|at| at + 1 < subject.steps.len()) {
        let id = StepId(at as u16);
        let is_used = subject.steps[at + 1..].iter().any(|step| step.args.contains(&id));
        let operation = table.get(steps[at].operation);
        if !is_used || !is_call(operation) {
            continue;
        }
        let value = seen.steps.iter().find(|(step, _)| *step == id).and_then(|(_, outcome)| match outcome {
            StepOutcome::Returned(value) => Some(value),
            _ => None,
        });
        let Some(literal) = operation.result().zip(value).and_then(|(ty, value)| literal(&ty, value)) else {
            continue;
        };
        steps[at] = Step { operation: table.intern(Operation::Literal(literal)), args: Default::default() };
        changed = true;
    }
    changed.then(|| slice(table, &steps))
}

/// A value as source can spell it in place of an expression of a type.
fn literal(ty: &Type, value: &Value) -> Option<Literal> {
    let literal = match value {
        Value::Boolean(value) => Literal::Boolean(*value),
        Value::Byte(value) => Literal::Byte(*value),
        Value::Char(value) => Literal::Char(*value),
        Value::Short(value) => Literal::Short(*value),
        Value::Int(value) => Literal::Int(*value),
        Value::Long(value) => Literal::Long(*value),
        Value::Float(value) => Literal::Float(value.to_bits()),
        Value::Double(value) => Literal::Double(value.to_bits()),
        Value::String { text, length }
            if text.units().len() == *length as usize
                && text.units().len() <= LONGEST
                && !is_of_one_run(text) =>
        {
            Literal::String(text.clone())
        }
        // A text that is null says so; of other types null may need a cast, and the call tells where it comes from.
        Value::Null if *ty == Type::class("java/lang/String") => Literal::Null(ty.clone()),
        Value::Void | Value::Null | Value::String { .. } | Value::Object { .. } | Value::Array { .. } => {
            return None;
        }
    };
    (literal.ty() == *ty).then_some(literal)
}

/// Puts plain literals in place of odd ones, from the last to the first.
fn plainer<E: Executor>(
    table: &mut OperationTable,
    subjects: &mut [Subject<'_>],
    executor: &mut E,
    mut stop: impl FnMut() -> bool,
) -> Result<(), E::Error> {
    // The step to look at, and which of the literals to try there.
    let mut next: Vec<(usize, usize)> = subjects.iter().map(|subject| (subject.steps.len(), 0)).collect();
    for _ in 0..LITERAL_ROUNDS {
        let trials: Vec<Option<Vec<Step>>> = subjects
            .iter()
            .zip(&mut next)
            .map(
                |(subject, next)| {
                    if subject.is_stuck { None } else { next_plainer(table, &subject.steps, next) }
                },
            )
            .collect();
        if stop() || trials.iter().all(Option::is_none) {
            break;
        }
        let before: Vec<Vec<Step>> = subjects.iter().map(|subject| subject.steps.clone()).collect();
        try_wave(table, subjects, trials, executor, &mut stop)?;
        for ((subject, before), next) in subjects.iter().zip(before).zip(&mut next) {
            if subject.steps != before {
                *next = (next.0 - 1, 0);
            }
        }
    }
    Ok(())
}

/// The next trial: `next.0` is one behind the step.
fn next_plainer(table: &mut OperationTable, steps: &[Step], next: &mut (usize, usize)) -> Option<Vec<Step>> {
    while next.0 > 0 {
        let at = next.0 - 1;
        let plain = match table.get(steps[at].operation) {
            Operation::Literal(literal) => plain(literal),
            _ => Vec::new(),
        };
        if let Some(literal) = plain.into_iter().nth(next.1) {
            next.1 += 1;
            let mut steps = steps.to_vec();
            steps[at].operation = table.intern(Operation::Literal(literal));
            return Some(steps);
        }
        *next = (at, 0);
    }
    None
}

/// Literals that are plainer than one, the plainest first.
fn plain(literal: &Literal) -> Vec<Literal> {
    let text = |text: &str| Literal::String(text.into());
    match literal {
        Literal::String(old) if old.units().len() > 1 => {
            let mut all = vec![text("a"), text("")];
            let half = old.to_lossy().chars().take(old.units().len() / 2).collect::<String>();
            if old.units().len() > 8 && half.is_ascii() {
                all.push(text(&half));
            }
            all
        }
        Literal::String(old) if !old.units().iter().all(|unit| (0x20..0x7f).contains(unit)) => {
            vec![text("a")]
        }
        Literal::Int(old) => rounder(i64::from(*old)).map(|value| Literal::Int(value as i32)).collect(),
        Literal::Long(old) => rounder(*old).map(Literal::Long).collect(),
        Literal::Short(old) => rounder(i64::from(*old)).map(|value| Literal::Short(value as i16)).collect(),
        Literal::Byte(old) => rounder(i64::from(*old)).map(|value| Literal::Byte(value as i8)).collect(),
        Literal::Char(old) if !matches!(old, 0x21..0x7f) => vec![Literal::Char(u16::from(b'a'))],
        Literal::Double(old) if !is_small(f64::from_bits(*old)) => {
            vec![Literal::Double(1.0f64.to_bits()), Literal::Double(0.0f64.to_bits())]
        }
        Literal::Float(old) if !is_small(f64::from(f32::from_bits(*old))) => {
            vec![Literal::Float(1.0f32.to_bits()), Literal::Float(0.0f32.to_bits())]
        }
        _ => Vec::new(),
    }
}

/// Numbers that say less than one: nearer to zero, and round.
fn rounder(value: i64) -> impl Iterator<Item = i64> {
    let round = [1, 0, -1, 2, -2, 10, -10, 100, -100, 1000, -1000];
    // One is plain whatever was there; of the others, those of the same sign say the same with less.
    let is_rounder = move |&round: &i64| {
        value.unsigned_abs() > round.unsigned_abs().max(1) && (round == 1 || value.signum() * round >= 0)
    };
    round.into_iter().filter(is_rounder)
}

fn is_small(value: f64) -> bool {
    value == 0.0 || value.abs() == 1.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Catalogue;
    use crate::fake::{Fake, V};
    use crate::types::fake::Lines;
    use probat_model::{End, Observation, OperationId};

    const LINES: Lines = Lines("Set: java/lang/Object\nDoor: java/lang/Object");

    /// A set that is asked for its size, which a door is then asked to take; a door opens to one number alone.
    fn steps(opens: i32, keeps: fn(&Observation) -> bool) -> (Vec<Step>, OperationTable) {
        let (mut catalogue, mut fake) = (Catalogue::new(), Fake::new(&[]));
        fake.add(&mut catalogue, &LINES, "Set", "new", "()V", |_, _| Ok(V::Void));
        fake.add(&mut catalogue, &LINES, "Set", "size", "()I", |_, _| Ok(V::Int(7)));
        fake.add(&mut catalogue, &LINES, "Door", "new", "(I)V", |heap, args| {
            heap.at(&args[0]).fields = args[1..].to_vec();
            Ok(V::Void)
        });
        fake.add(&mut catalogue, &LINES, "Door", "open", "(I)V", |heap, args| {
            let opens = heap.int(&args[0], 0);
            if matches!(args[1], V::Int(key) if key == opens) { Ok(V::Void) } else { Err("java/lang/Error") }
        });
        let number = catalogue.operations.intern(Operation::Literal(Literal::Int(opens)));
        let step = |operation: OperationId, args: &[u16]| Step {
            operation,
            args: args.iter().map(|&arg| StepId(arg)).collect(),
        };
        let operations: Vec<OperationId> = catalogue.callables.iter().map(|one| one.operation).collect();
        let all = vec![
            step(operations[0], &[]),
            step(operations[1], &[0]),
            step(number, &[]),
            step(operations[2], &[2]),
            step(operations[3], &[3, 1]),
        ];
        let mut subjects = [Subject::new(all, Box::new(move |_, seen| keeps(seen)))];
        spell(&mut catalogue.operations, &mut subjects, &mut fake, || false).unwrap();
        let [subject] = subjects;
        (subject.steps, catalogue.operations)
    }

    fn numbers(steps: &[Step], table: &OperationTable) -> Vec<i32> {
        let number = |step: &Step| match table.get(step.operation) {
            Operation::Literal(Literal::Int(value)) => Some(*value),
            _ => None,
        };
        steps.iter().filter_map(number).collect()
    }

    #[test]
    fn a_call_that_gives_a_number_is_that_number() {
        let (steps, table) = steps(7, |seen| seen.end == End::Completed);
        assert_eq!((steps.len(), numbers(&steps, &table)), (4, vec![7, 7]), "the set is gone");
    }

    #[test]
    fn numbers_that_do_not_matter_are_plain() {
        let (steps, table) = steps(99, |seen| matches!(seen.end, End::Threw(_)));
        assert_eq!((steps.len(), numbers(&steps, &table)), (4, vec![0, 1]));
    }
}
