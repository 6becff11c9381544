//! Which values of a legal sequence may serve again, as far as one run can tell (spec 001 §2.8).
//!
//! In: a candidate and what was seen of it. Out: for each value the last call touched or made, the key under which it is new or known;
//! values that only `equals` can judge are handed to `equality`. Values are judged as they are when the sequence has ended.

use probat_model::{Observation, StateHash, StepId, Type, Value};
use probat_protocol::StateRequest;
use xxhash_rust::xxh3::xxh3_128;

use crate::assemble::Candidate;
use crate::strategy::{Pruning, Sequences, Strategy};

/// What is known of a value after one run. Match without `_`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// It may not serve again.
    Pruned,
    /// It may if its type has no value of this key yet.
    Keyed(Type, StateHash),
    /// It may if it equals no earlier value.
    Ask(Type),
}

/// The states that judging a candidate needs, in ascending order of their steps.
pub fn requests(strategy: &Strategy, candidate: &Candidate) -> Vec<StateRequest> {
    let last = candidate.steps.len() as u16 - 1;
    let stored = strategy.sequences == Sequences::Farthest;
    let request = |after: u16, step: u16| StateRequest { after, roots: vec![StepId(step)], stored };
    let after = candidate.touched.iter().map(|&step| request(last, step));
    match strategy.pruning {
        Pruning::State => {
            let weighed = candidate.receiver.filter(|_| candidate.is_weighed);
            weighed.map(|receiver| request(last - 1, receiver.step)).into_iter().chain(after).collect()
        }
        Pruning::Mutation => {
            let before = candidate.touched.iter().filter(|&&step| step < last);
            before.map(|&step| request(last - 1, step)).chain(after).collect()
        }
        Pruning::Equals | Pruning::Custom(_) | Pruning::Syntactic | Pruning::Off => Vec::new(),
    }
}

/// Judges the value at `candidate.touched[at]`. `sequence` tells the sequence from all others; `declared` is the type a null has.
pub fn fate(
    strategy: &Strategy,
    candidate: &Candidate,
    seen: &Observation,
    at: usize,
    sequence: u128,
    declared: Option<Type>,
) -> Fate {
    let step = candidate.touched[at];
    let Some(value) = seen.value(StepId(step)) else { return Fate::Pruned };
    if *value == Value::Null {
        return match declared {
            Some(ty) if !strategy.prune_null => Fate::Keyed(ty, StateHash(0)),
            _ => Fate::Pruned,
        };
    }
    if let Some((ty, bits)) = number(value) {
        let kept = strategy.numbers && strategy.largest.is_none_or(|largest| !is_larger(value, largest));
        return if kept { Fate::Keyed(ty, StateHash(u128::from(bits))) } else { Fate::Pruned };
    }
    let Some(ty) = run_time_type(value) else { return Fate::Pruned };
    let unique = || {
        let mut bytes = sequence.to_le_bytes().to_vec();
        bytes.extend(step.to_le_bytes());
        StateHash(xxh3_128(&bytes))
    };
    match strategy.pruning {
        Pruning::State => match state(seen, at) {
            Some(state) => Fate::Keyed(ty, state),
            None => Fate::Pruned,
        },
        Pruning::Mutation => {
            let before = usize::from(candidate.steps.len() as u16 - 1 != step).min(1);
            let arguments = candidate.touched.iter().filter(|&&s| usize::from(s) + 1 < candidate.steps.len());
            let is_changed = before == 0 || state(seen, at) != state(seen, arguments.count() + at);
            if is_changed { Fate::Keyed(ty, unique()) } else { Fate::Pruned }
        }
        Pruning::Syntactic | Pruning::Off => Fate::Keyed(ty, unique()),
        Pruning::Equals => match value {
            Value::String { text, length } if text.units().len() == *length as usize => {
                let bytes: Vec<u8> = text.units().iter().flat_map(|unit| unit.to_le_bytes()).collect();
                Fate::Keyed(ty, StateHash(xxh3_128(&bytes)))
            }
            _ => Fate::Ask(ty),
        },
        Pruning::Custom(_) => Fate::Ask(ty),
    }
}

/// A state above the token limit is unlike every other, and so says nothing.
fn state(seen: &Observation, at: usize) -> Option<StateHash> {
    let state = seen.states.get(at)?.as_ref()?;
    (!state.truncated).then_some(state.hash)
}

fn run_time_type(value: &Value) -> Option<Type> {
    match value {
        Value::Object { class } => Some(Type::Class(class.clone())),
        Value::Array { class, .. } => Type::parse(class.as_internal()).ok(),
        Value::String { .. } => Some(Type::class("java/lang/String")),
        _ => None,
    }
}

fn number(value: &Value) -> Option<(Type, u64)> {
    Some(match value {
        Value::Boolean(value) => (Type::Boolean, u64::from(*value)),
        Value::Byte(value) => (Type::Byte, *value as u64),
        Value::Char(value) => (Type::Char, u64::from(*value)),
        Value::Short(value) => (Type::Short, *value as u64),
        Value::Int(value) => (Type::Int, *value as u64),
        Value::Long(value) => (Type::Long, *value as u64),
        Value::Float(value) => (Type::Float, u64::from(value.to_bits())),
        Value::Double(value) => (Type::Double, value.to_bits()),
        Value::Void | Value::Null | Value::String { .. } | Value::Object { .. } | Value::Array { .. } => {
            return None;
        }
    })
}

fn is_larger(value: &Value, largest: u64) -> bool {
    match value {
        Value::Short(value) => u64::from(value.unsigned_abs()) > largest,
        Value::Int(value) => u64::from(value.unsigned_abs()) > largest,
        Value::Long(value) => value.unsigned_abs() > largest,
        Value::Float(value) => f64::from(value.abs()) > largest as f64,
        Value::Double(value) => value.abs() > largest as f64,
        _ => false,
    }
}
