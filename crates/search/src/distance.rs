//! How far objects are from each other, and inputs far from those used before (spec 004 §5, adaptive random generation).
//!
//! In: stored states of values. Out: of some values the one farthest from those last used for its type. A distance is 0 for equal states; values
//! of other classes are 1 apart, numbers and texts the further the more they differ, and fields count half with each level, as the source's
//! model does. Comparing deep structures is dear: a state is read to [`SHOWN`] tokens, and so many of the last used count.

use std::collections::VecDeque;

use probat_model::state::{Token, tokens};
use probat_model::{StateHash, StoredState};
use rustc_hash::FxHashMap;

use crate::pool::PoolValue;
use crate::types::TypeId;

/// Values drawn for one that is used.
pub const OF: usize = 8;

/// Used values that are remembered per type.
const USED: usize = 16;

/// Tokens of a state that count.
const SHOWN: usize = 64;

/// A state as far as it counts: each token with how deep it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape(Vec<(u8, Token)>);

impl Shape {
    /// Reads a stored state; one that cannot be read is like nothing.
    pub fn of(state: &StoredState) -> Self {
        let slots = |class: &probat_model::ClassName| {
            state.layouts.iter().find(|layout| layout.class == *class).map_or(0, |layout| layout.slots.len())
        };
        let mut shape = Vec::new();
        // How many tokens are still to come at each level.
        let mut open: Vec<usize> = vec![1];
        for token in tokens(&state.tokens).unwrap_or_default().into_iter().take(SHOWN) {
            while open.len() > 1 && open.last() == Some(&0) {
                open.pop();
            }
            if let Some(left) = open.last_mut() {
                *left = left.saturating_sub(1);
            }
            let depth = open.len() - 1;
            let inside = match &token {
                Token::Object(class) => slots(class),
                Token::Array(_, length) => *length as usize,
                Token::Sorted(class, entries) => slots(class) + 2 * *entries as usize,
                Token::Roots(count) => *count as usize,
                Token::Boxed => 1,
                _ => 0,
            };
            shape.push((u8::try_from(depth).unwrap_or(u8::MAX), token));
            if inside > 0 {
                open.push(inside);
            }
        }
        Shape(shape)
    }
}

/// How far two values are from each other; 0 where they are equal as far as they are looked at.
pub fn distance(one: &Shape, other: &Shape) -> f64 {
    let both = one.0.iter().zip(&other.0);
    let shared: f64 = both.map(|((depth, a), (_, b))| apart(a, b) * weight(*depth)).sum();
    let (short, long) = if one.0.len() < other.0.len() { (one, other) } else { (other, one) };
    let rest: f64 = long.0[short.0.len()..].iter().map(|(depth, _)| weight(*depth)).sum();
    shared + rest
}

fn weight(depth: u8) -> f64 {
    0.5f64.powi(i32::from(depth))
}

/// How far two tokens are from each other, from 0 to 1.
fn apart(one: &Token, other: &Token) -> f64 {
    match (one, other) {
        _ if one == other => 0.0,
        (Token::Array(a, left), Token::Array(b, right)) if a == b => {
            squeezed(f64::from(left.abs_diff(*right)))
        }
        (Token::String(a), Token::String(b)) => {
            let (a, b) = (a.units(), b.units());
            let unlike = a.iter().zip(b).filter(|(a, b)| a != b).count() + a.len().abs_diff(b.len());
            squeezed(unlike as f64)
        }
        _ => match (number(one), number(other)) {
            (Some(a), Some(b)) => squeezed((a - b).abs()),
            _ => 1.0,
        },
    }
}

/// Any size into 0 to 1.
fn squeezed(difference: f64) -> f64 {
    if difference.is_nan() { 1.0 } else { 1.0 - 1.0 / (1.0 + difference) }
}

fn number(token: &Token) -> Option<f64> {
    Some(match token {
        Token::Byte(value) => f64::from(*value),
        Token::Char(value) => f64::from(*value),
        Token::Short(value) => f64::from(*value),
        Token::Int(value) => f64::from(*value),
        Token::Long(value) => *value as f64,
        Token::Float(bits) => f64::from(f32::from_bits(*bits)),
        Token::Double(bits) => f64::from_bits(*bits),
        _ => return None,
    })
}

/// Shapes of the values there are, and which were used last.
#[derive(Debug, Default)]
pub struct Spread {
    shapes: FxHashMap<StateHash, Shape>,
    used: FxHashMap<TypeId, VecDeque<StateHash>>,
}

impl Spread {
    /// Notes what a value looks like.
    pub fn learn(&mut self, state: StateHash, stored: &StoredState) {
        self.shapes.entry(state).or_insert_with(|| Shape::of(stored));
    }

    /// The value farthest from those used for this type, which counts as used then. The first of several as far.
    pub fn choose(&mut self, wanted: TypeId, drawn: &[PoolValue]) -> Option<PoolValue> {
        let used = self.used.entry(wanted).or_default();
        let far = |value: &PoolValue| -> f64 {
            let Some(shape) = self.shapes.get(&value.state) else { return 0.0 };
            let others = used.iter().filter_map(|state| self.shapes.get(state));
            others.map(|other| distance(shape, other)).sum()
        };
        let (mut best, mut farthest) = (*drawn.first()?, f64::MIN);
        for value in drawn {
            let away = far(value);
            if away > farthest {
                (best, farthest) = (*value, away);
            }
        }
        if used.len() == USED {
            used.pop_front();
        }
        used.push_back(best.state);
        Some(best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::SequenceId;
    use probat_model::state::{ClassOperand, TokenWriter};
    use probat_model::{ClassLayout, ClassName, Slot};

    /// A `Point` with an `int` and a text.
    fn point(x: i32, name: &str) -> StoredState {
        let class = ClassName::internal("Point");
        let mut writer = TokenWriter::new();
        writer.object(ClassOperand::First("Point"));
        writer.int(x);
        writer.string(&name.encode_utf16().collect::<Vec<_>>());
        let slot =
            |name: &str| Slot { declared_in: class.clone(), name: name.into(), descriptor: "I".into() };
        let layouts = vec![ClassLayout { class: class.clone(), slots: vec![slot("x"), slot("name")] }];
        StoredState { tokens: writer.bytes().to_vec(), layouts }
    }

    fn value(at: u32, state: &StoredState) -> PoolValue {
        PoolValue { sequence: SequenceId(at), step: 0, ty: TypeId(0), state: state.hash(), length: 1 }
    }

    #[test]
    fn equal_states_are_no_distance_apart_and_other_values_the_further_the_more_they_differ() {
        let shape = |x, name| Shape::of(&point(x, name));
        let base = shape(0, "a");
        assert_eq!(distance(&base, &shape(0, "a")), 0.0);
        let (near, far) = (distance(&base, &shape(1, "a")), distance(&base, &shape(100, "a")));
        assert!(0.0 < near && near < far && far <= 0.5, "{near} {far}: a field counts half");
        assert!(distance(&base, &shape(100, "b")) > far);
        assert_eq!(distance(&base, &shape(7, "x")), distance(&shape(7, "x"), &base));
    }

    /// spec 004 row R21: of the values drawn the one farthest from those used is next.
    #[test]
    fn what_is_far_from_what_was_used_is_next() {
        let (mut spread, wanted) = (Spread::default(), TypeId(3));
        let states = [point(0, ""), point(1, ""), point(1000, "far away")];
        states.iter().for_each(|state| spread.learn(state.hash(), state));
        let drawn: Vec<PoolValue> = (0..).zip(&states).map(|(at, state)| value(at, state)).collect();
        let next = |spread: &mut Spread| spread.choose(wanted, &drawn).unwrap().sequence.0;
        assert_eq!(next(&mut spread), 0, "nothing was used yet");
        assert_eq!(next(&mut spread), 2);
        assert_ne!(next(&mut spread), 2, "it was just used");
        assert_eq!(spread.choose(wanted, &[]), None);
    }
}
