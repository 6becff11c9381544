//! Whether a script that was read makes the calls it was written for.
//!
//! In: the steps written, the script read. Out: yes or no. Literals, boxing and casts count by their value, everything else by its order;
//! a method is told by its name and parameters, as the receiver decides which class runs it.

use probat_model::{Literal, Operation, OperationTable, Step, StubBehaviour, StubSpec, Type};

use super::Written;
use crate::resolve::Script;

/// A value as its user sees it.
#[derive(Debug, Clone, PartialEq)]
enum Seen {
    /// Of the n-th step that does something.
    Of(usize),
    Literal(Literal),
    Converted(Type, Box<Seen>),
}

/// What a step that does something does, and to what.
#[derive(Debug, PartialEq)]
struct Done {
    what: String,
    args: Vec<Seen>,
}

pub(super) fn is_same(written: &Written<'_>, read: &Script) -> bool {
    all_done(written.table, written.steps) == all_done(&read.table, read.sequence.steps())
}

fn all_done(table: &OperationTable, steps: &[Step]) -> Vec<Done> {
    let mut values: Vec<Seen> = Vec::with_capacity(steps.len());
    let mut done: Vec<Done> = Vec::new();
    for step in steps {
        let args: Vec<Seen> = step.args.iter().map(|arg| values[usize::from(arg.0)].clone()).collect();
        values.push(match table.get(step.operation) {
            // The type of a null is said by its place.
            Operation::Literal(Literal::Null(_)) => {
                Seen::Literal(Literal::Null(Type::class("java/lang/Object")))
            }
            Operation::Literal(literal) => Seen::Literal(literal.clone()),
            Operation::Cast { .. } => args[0].clone(),
            Operation::Convert { to, .. } => Seen::Converted(to.clone(), Box::new(args[0].clone())),
            Operation::GetStatic { class, name, .. } if is_number(class.as_internal(), name) => {
                Seen::Literal(named_number(class.as_internal(), name))
            }
            other => {
                done.push(Done { what: deed(other), args });
                Seen::Of(done.len() - 1)
            }
        });
    }
    done
}

fn is_number(class: &str, name: &str) -> bool {
    matches!(class, "java/lang/Double" | "java/lang/Float")
        && matches!(name, "NaN" | "POSITIVE_INFINITY" | "NEGATIVE_INFINITY")
}

fn named_number(class: &str, name: &str) -> Literal {
    let value = match name {
        "NaN" => f64::NAN,
        "POSITIVE_INFINITY" => f64::INFINITY,
        _ => f64::NEG_INFINITY,
    };
    if class == "java/lang/Double" {
        Literal::Double(value.to_bits())
    } else {
        Literal::Float((value as f32).to_bits())
    }
}

fn deed(operation: &Operation) -> String {
    match operation {
        Operation::Construct { class, descriptor } => format!("new {class} {:?}", descriptor.params),
        Operation::CallStatic { name, descriptor, .. } => format!("static {name} {:?}", descriptor.params),
        Operation::Call { name, descriptor, .. } => format!("call {name} {:?}", descriptor.params),
        Operation::GetStatic { name, ty, .. } => format!("get static {name} {ty}"),
        Operation::PutStatic { name, ty, .. } => format!("put static {name} {ty}"),
        Operation::GetField { name, ty, .. } => format!("get {name} {ty}"),
        Operation::PutField { name, ty, .. } => format!("put {name} {ty}"),
        Operation::Stub(spec) => stub(spec),
        other => format!("{other:?}"),
    }
}

fn stub(spec: &StubSpec) -> String {
    let mut methods: Vec<String> = spec
        .methods
        .iter()
        .filter(|method| method.behaviour != StubBehaviour::Default)
        .map(|method| format!("{} {:?} {:?}", method.name, method.descriptor.params, method.behaviour))
        .collect();
    methods.sort();
    format!("stub {} {:?} {methods:?}", spec.of, spec.constructor)
}
