//! Sequences that ask for trouble: running out of time, memory or stack says nothing about the code then.
//!
//! In: steps. Out: whether a huge number is among them, or an object may have been put into itself.
//! Errs towards yes; the same code fails in other sequences if the fault is its own.

use probat_model::{Literal, Operation, OperationTable, Step};

/// Numbers beyond this are an order for time or memory.
const HUGE: u64 = 1_000_000;

/// Whether the sequence itself may be to blame.
pub(super) fn is_own_doing(operations: &OperationTable, steps: &[Step]) -> bool {
    steps.iter().any(|step| is_huge(operations.get(step.operation))) || is_cyclic(operations, steps)
}

fn is_huge(operation: &Operation) -> bool {
    match operation {
        Operation::Literal(Literal::Int(value)) => u64::from(value.unsigned_abs()) > HUGE,
        Operation::Literal(Literal::Long(value)) => value.unsigned_abs() > HUGE,
        Operation::Literal(Literal::Float(bits)) => f32::from_bits(*bits).abs() > HUGE as f32,
        Operation::Literal(Literal::Double(bits)) => f64::from_bits(*bits).abs() > HUGE as f64,
        _ => false,
    }
}

/// Whether a call gives an object what it may be made of, or what may be made of it.
pub fn is_entangled(operations: &OperationTable, steps: &[Step]) -> bool {
    meets(operations, steps, &|holds, given, receiver| {
        reaches(holds, given, receiver) || reaches(holds, receiver, given)
    })
}

/// Whether an object may hold itself: a receiver keeps its arguments, a result keeps what it was made from.
fn is_cyclic(operations: &OperationTable, steps: &[Step]) -> bool {
    meets(operations, steps, &|holds, given, receiver| reaches(holds, given, receiver))
}

/// Says of what objects hold, of something given and of a receiver, whether these are bound up.
type Bound = dyn Fn(&[Vec<usize>], usize, usize) -> bool;

/// Whether a call is given something that the test says is bound up with its receiver.
fn meets(operations: &OperationTable, steps: &[Step], bound: &Bound) -> bool {
    let mut holds: Vec<Vec<usize>> = vec![Vec::new(); steps.len()];
    for (at, step) in steps.iter().enumerate() {
        let args: Vec<usize> = step.args.iter().map(|arg| usize::from(arg.0)).collect();
        if let (Operation::Call { .. }, Some((&receiver, given))) =
            (operations.get(step.operation), args.split_first())
        {
            if given.iter().any(|&arg| bound(&holds, arg, receiver)) {
                return true;
            }
            holds[receiver].extend(given);
        }
        holds[at].extend(args);
    }
    false
}

fn reaches(holds: &[Vec<usize>], from: usize, to: usize) -> bool {
    let mut seen = vec![false; holds.len()];
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        if at == to {
            return true;
        }
        if !std::mem::replace(&mut seen[at], true) {
            open.extend(&holds[at]);
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use probat_model::{ClassName, MethodDescriptor, StepId};

    /// `list = new L(); view = list.view(); target.add(given)`, or with a number.
    fn steps(table: &mut OperationTable, target: u16, given: u16) -> Vec<Step> {
        let class = ClassName::internal("L");
        let call = |name: &str, descriptor: &str| Operation::Call {
            class: class.clone(),
            name: name.into(),
            descriptor: MethodDescriptor::parse(descriptor).unwrap(),
            interface: false,
        };
        let descriptor = MethodDescriptor::parse("()V").unwrap();
        let new = table.intern(Operation::Construct { class: class.clone(), descriptor });
        let view = table.intern(call("view", "()LL;"));
        let add = table.intern(call("add", "(LL;)V"));
        let step =
            |operation, args: &[u16]| Step { operation, args: args.iter().map(|&arg| StepId(arg)).collect() };
        vec![step(new, &[]), step(view, &[0]), step(new, &[]), step(add, &[target, given])]
    }

    #[test]
    fn an_object_put_into_itself_asks_for_trouble() {
        let mut table = OperationTable::new();
        for (target, given, blamed) in [(0, 0, true), (0, 1, true), (0, 2, false), (2, 0, false)] {
            let steps = steps(&mut table, target, given);
            assert_eq!(is_own_doing(&table, &steps), blamed, "{target} {given}");
        }
    }

    #[test]
    fn what_a_decorator_decorates_is_bound_up_with_it() {
        let mut table = OperationTable::new();
        for (target, given, bound) in [(1, 0, true), (0, 1, true), (0, 2, false)] {
            let steps = steps(&mut table, target, given);
            assert_eq!(is_entangled(&table, &steps), bound, "{target} {given}");
        }
    }

    #[test]
    fn huge_numbers_ask_for_trouble() {
        let mut table = OperationTable::new();
        for (number, blamed) in [(7, false), (i32::MAX, true), (i32::MIN, true)] {
            let operation = table.intern(Operation::Literal(Literal::Int(number)));
            let step = Step { operation, args: Default::default() };
            assert_eq!(is_own_doing(&table, &[step]), blamed, "{number}");
        }
    }
}
