//! Many methods, a few calls each: what a generator calls, unlike a program.
//!
//! In: the library. Out: sequences for the [`Mix`], made of the public static methods of some classes of java.lang and
//! of commons-lang3 that take only numbers, characters and text and do little. What is called with them is tried first; calls that
//! do not return are left out, so that every way of running them runs the same.

use probat_model::{
    ClassName, End, JavaString, Literal, Observation, Operation, OperationTable, Sequence, Step, StepId, Type,
};
use probat_protocol::{Item, Reset};
use probat_script::{Access, ClassKind, Types};

use super::mix::{Mix, STEPS};
use crate::failure::Failure;
use crate::library::Library;

/// Classes with many short static methods; those of commons-lang3 may be missing.
const CLASSES: [&str; 15] = [
    "java/lang/Boolean",
    "java/lang/Byte",
    "java/lang/Character",
    "java/lang/Double",
    "java/lang/Float",
    "java/lang/Integer",
    "java/lang/Long",
    "java/lang/Math",
    "java/lang/Short",
    "java/lang/StrictMath",
    "org/apache/commons/lang3/BooleanUtils",
    "org/apache/commons/lang3/CharUtils",
    "org/apache/commons/lang3/StringUtils",
    "org/apache/commons/lang3/math/IEEE754rUtils",
    "org/apache/commons/lang3/math/NumberUtils",
];

/// Words in names of methods that answer something else every time, or work so long that the call itself cannot be seen.
const LEFT_OUT: [&str; 6] = ["random", "accents", "normalize", "distance", "create", "tostring"];

/// Runs items; answers what was seen of each.
pub type Try<'a> = dyn FnMut(&OperationTable, Vec<Item>) -> Result<Vec<Observation>, Failure> + 'a;

/// Adds sequences that call every method found about once.
pub fn add(mix: &mut Mix, library: &Library, run: &mut Try<'_>) -> Result<(), Failure> {
    let found = calls(library);
    let (mut table, mut items) = (OperationTable::default(), Vec::new());
    for call in &found {
        let mut one = Draft::default();
        one.call(&mut table, call);
        items.push(Item { sequence: one.finish(&table), reset: Reset::Fields, ..Item::default() });
    }
    let seen = run(&table, items)?;
    let returned = |seen: &Observation| seen.end == End::Completed && seen.taints.is_empty();
    let legal: Vec<&Operation> =
        found.iter().zip(&seen).filter(|(_, seen)| returned(seen)).map(|(call, _)| call).collect();
    for draft in drafts(&legal, &mut mix.table) {
        let sequence = draft.finish(&mix.table);
        mix.sequences.push(sequence);
    }
    Ok(())
}

/// Static methods with plain parameters and a result, those of one class far apart.
fn calls(library: &Library) -> Vec<Operation> {
    let mut found = Vec::new();
    let classes = CLASSES.map(ClassName::internal).map(|name| library.class(&name));
    for facts in classes.into_iter().flatten() {
        if facts.access != Access::Public || facts.kind != ClassKind::Class {
            continue;
        }
        for method in &facts.methods {
            let name = method.name.to_lowercase();
            let is_plain = method.descriptor.params.iter().all(|ty| value(ty).is_some());
            let returns = method.descriptor.returns.is_some();
            let wanted = method.is_static && method.access == Access::Public && !method.is_synthetic;
            if wanted && is_plain && returns && !LEFT_OUT.iter().any(|word| name.contains(word)) {
                found.push(Operation::CallStatic {
                    class: facts.name.clone(),
                    name: method.name.clone(),
                    descriptor: method.descriptor.clone(),
                    interface: false,
                });
            }
        }
    }
    spread(found)
}

/// Takes every 61st, then starts again one further.
fn spread(calls: Vec<Operation>) -> Vec<Operation> {
    const STRIDE: usize = 61;
    let order = (0..STRIDE).flat_map(|start| (start..calls.len()).step_by(STRIDE));
    order.map(|at| calls[at].clone()).collect()
}

/// The one value of a type that is used everywhere.
fn value(ty: &Type) -> Option<Literal> {
    Some(match ty {
        Type::Boolean => Literal::Boolean(true),
        Type::Char => Literal::Char(u16::from(b'7')),
        Type::Int => Literal::Int(7),
        Type::Long => Literal::Long(7),
        Type::Double => Literal::Double(7.5f64.to_bits()),
        Type::Class(name) if name.as_internal() == "java/lang/String" => {
            Literal::String(JavaString::from("17"))
        }
        _ => return None,
    })
}

/// Fills sequences of [`STEPS`] steps.
fn drafts(calls: &[&Operation], table: &mut OperationTable) -> Vec<Draft> {
    let mut done = Vec::new();
    let mut draft = Draft::default();
    for &call in calls {
        if draft.steps.len() + draft.cost(call) > STEPS {
            done.push(std::mem::take(&mut draft).padded());
        }
        draft.call(table, call);
    }
    if !draft.steps.is_empty() {
        done.push(draft.padded());
    }
    done
}

/// A sequence in the making.
#[derive(Debug, Default)]
struct Draft {
    steps: Vec<Step>,
    values: Vec<(Literal, StepId)>,
}

impl Draft {
    /// Steps a call would add.
    fn cost(&self, call: &Operation) -> usize {
        let mut fresh = self.missing(call);
        fresh.sort_by_key(|literal| format!("{literal:?}"));
        fresh.dedup();
        fresh.len() + 1
    }

    fn missing(&self, call: &Operation) -> Vec<Literal> {
        let wanted = call.params().iter().filter_map(value).collect::<Vec<_>>();
        wanted.into_iter().filter(|literal| self.values.iter().all(|(known, _)| known != literal)).collect()
    }

    fn call(&mut self, table: &mut OperationTable, call: &Operation) {
        let mut args = Vec::new();
        for literal in call.params().iter().filter_map(value) {
            let known = self.values.iter().find(|(known, _)| *known == literal).map(|(_, step)| *step);
            args.push(known.unwrap_or_else(|| {
                let step = StepId(self.steps.len() as u16);
                let operation = table.intern(Operation::Literal(literal.clone()));
                self.steps.push(Step { operation, args: Default::default() });
                self.values.push((literal, step));
                step
            }));
        }
        self.steps.push(Step { operation: table.intern(call.clone()), args: args.into_iter().collect() });
    }

    /// Repeats the last call until the sequence is full.
    fn padded(mut self) -> Self {
        while let (true, Some(last)) = (self.steps.len() < STEPS, self.steps.last().cloned()) {
            self.steps.push(last);
        }
        self
    }

    fn finish(self, table: &OperationTable) -> Sequence {
        Sequence::from_steps(table, self.steps).expect("arguments are literals of the parameters' types")
    }
}

#[cfg(test)]
mod tests {
    use probat_model::MethodDescriptor;

    use super::*;

    fn call(name: &str, params: Vec<Type>) -> Operation {
        Operation::CallStatic {
            class: ClassName::internal("java/lang/Math"),
            name: name.into(),
            descriptor: MethodDescriptor { params, returns: Some(Type::Int) },
            interface: false,
        }
    }

    #[test]
    fn every_sequence_is_full_and_every_call_is_in_one() {
        let calls: Vec<Operation> = (0..50)
            .map(|at| {
                let params = [Type::Int, Type::Long, Type::Double][..at % 4].to_vec();
                call(&format!("m{at}"), params)
            })
            .collect();
        let mut table = OperationTable::default();
        let drafts = drafts(&calls.iter().collect::<Vec<_>>(), &mut table);
        let mut called = std::collections::BTreeSet::new();
        for draft in drafts {
            let sequence = draft.finish(&table);
            assert_eq!(sequence.len(), STEPS);
            called.extend(sequence.steps().iter().map(|step| step.operation));
        }
        assert_eq!(called.len(), 53, "50 calls and a literal of each of three types");
    }

    #[test]
    fn spreading_keeps_all() {
        let calls: Vec<Operation> = (0..200).map(|at| call(&format!("m{at}"), Vec::new())).collect();
        let spread = spread(calls.clone());
        assert_ne!(spread, calls);
        assert!(spread.len() == 200 && calls.iter().all(|call| spread.contains(call)));
    }
}
