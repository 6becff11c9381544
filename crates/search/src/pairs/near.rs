//! Values near to others: what laws between two objects break on is seldom far apart.
//!
//! In: literals of a sequence. Out: the same sequence with one or two of them changed a little. Numbers move by small amounts and powers of
//! ten, zeros change their sign, texts their case, their zeros or their ends.

use probat_model::{JavaString, Literal, Operation, OperationTable, Step};

use crate::rng::Rng;

/// Integers as wide as this are moved freely; larger ones only a little, so that nothing that allocates is asked for much.
const SMALL: i64 = 1000;

/// What an integer is moved by.
const MOVES: [i64; 10] = [1, -1, 10, -10, 2, -2, 100, -100, 31, -31];

/// Special values of `double`.
const ODD: [f64; 6] = [0.0, -0.0, f64::NAN, f64::INFINITY, f64::MIN_POSITIVE, 1.0];

/// Probability that a second literal changes as well.
const TWO: f64 = 0.4;

/// Probability that two literals of one type change places.
const SWAP: f64 = 0.15;

/// Changes one literal or two of these steps; false if there is none that could change.
pub fn vary(steps: &mut [Step], table: &mut OperationTable, rng: &mut Rng) -> bool {
    let literals: Vec<usize> = (0..steps.len())
        .filter(|&at| match table.get(steps[at].operation) {
            Operation::Literal(literal) => !matches!(literal, Literal::Null(_) | Literal::Class(_)),
            _ => false,
        })
        .collect();
    let Some(&first) = rng.pick(&literals) else { return false };
    if rng.chance(SWAP)
        && let Some(&other) = rng.pick(&literals)
        && of_one_type(table, &steps[first], &steps[other])
        && steps[first].operation != steps[other].operation
    {
        let operation = steps[first].operation;
        steps[first].operation = steps[other].operation;
        steps[other].operation = operation;
        return true;
    }
    change(&mut steps[first], table, rng);
    if literals.len() > 1 && rng.chance(TWO) {
        let other = literals[rng.below(literals.len())];
        change(&mut steps[other], table, rng);
    }
    true
}

fn of_one_type(table: &OperationTable, one: &Step, other: &Step) -> bool {
    match (table.get(one.operation), table.get(other.operation)) {
        (Operation::Literal(one), Operation::Literal(other)) => one.ty() == other.ty(),
        _ => false,
    }
}

fn change(step: &mut Step, table: &mut OperationTable, rng: &mut Rng) {
    let Operation::Literal(literal) = table.get(step.operation) else { return };
    let changed = near(literal, rng);
    step.operation = table.intern(Operation::Literal(changed));
}

/// A literal of the same type that is near to this one.
pub fn near(literal: &Literal, rng: &mut Rng) -> Literal {
    match literal {
        Literal::Boolean(value) => Literal::Boolean(!value),
        Literal::Byte(value) => Literal::Byte(integer(i64::from(*value), rng) as i8),
        Literal::Short(value) => Literal::Short(integer(i64::from(*value), rng) as i16),
        Literal::Int(value) => Literal::Int(integer(i64::from(*value), rng) as i32),
        Literal::Long(value) => Literal::Long(integer(*value, rng)),
        Literal::Char(value) => Literal::Char(if rng.chance(0.5) { value ^ 0x20 } else { value ^ 1 }),
        Literal::Float(bits) => {
            Literal::Float((floating(f64::from(f32::from_bits(*bits)), rng) as f32).to_bits())
        }
        Literal::Double(bits) => Literal::Double(floating(f64::from_bits(*bits), rng).to_bits()),
        Literal::String(text) => Literal::String(JavaString::from_units(&units(text.units(), rng))),
        Literal::Null(_) | Literal::Class(_) => literal.clone(),
    }
}

fn integer(value: i64, rng: &mut Rng) -> i64 {
    if value.unsigned_abs() > SMALL as u64 {
        return match rng.below(4) {
            0 => value.wrapping_neg(),
            1 => value.wrapping_add(1),
            2 => value.wrapping_sub(1),
            // Equal in its lower half: what a cast to `int` cuts off.
            _ => value.wrapping_add(1 << 32),
        };
    }
    match rng.below(8) {
        0 => -value,
        1 => value * 10,
        2 => value / 10,
        3 => 0,
        _ => value.wrapping_add(MOVES[rng.below(MOVES.len())]),
    }
}

fn floating(value: f64, rng: &mut Rng) -> f64 {
    match rng.below(6) {
        0 => -value,
        1 => ODD[rng.below(ODD.len())],
        2 => f64::from_bits(value.to_bits().wrapping_add(1)),
        3 => value * 10.0,
        4 => value + 1.0,
        _ => value * (1.0 + 1e-10),
    }
}

fn units(text: &[u16], rng: &mut Rng) -> Vec<u16> {
    let mut units = text.to_vec();
    let at = if units.is_empty() { 0 } else { rng.below(units.len()) };
    match rng.below(6) {
        0 => units.iter_mut().filter(|unit| is_letter(**unit)).for_each(|unit| *unit ^= 0x20),
        1 if !units.is_empty() && is_letter(units[at]) => units[at] ^= 0x20,
        2 => units.push(u16::from(b'0')),
        3 => units.insert(0, u16::from(b'0')),
        4 => units.push(u16::from(b' ')),
        _ if units.is_empty() => units.push(u16::from(b'a')),
        _ => {
            units.remove(at);
        }
    }
    units
}

fn is_letter(unit: u16) -> bool {
    u8::try_from(unit).is_ok_and(|unit| unit.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_near(literal: &Literal) -> Vec<Literal> {
        let mut rng = Rng::new(1);
        (0..2000).map(|_| near(literal, &mut rng)).collect()
    }

    #[test]
    fn numbers_move_by_one_and_by_ten_and_turn_round() {
        let found = all_near(&Literal::Int(7));
        for wanted in [8, 6, 17, -3, -7, 70, 0] {
            assert!(found.contains(&Literal::Int(wanted)), "{wanted}");
        }
        assert!(all_near(&Literal::Int(i32::MAX)).contains(&Literal::Int(i32::MIN)));
    }

    #[test]
    fn zeros_have_two_signs() {
        assert!(all_near(&Literal::Double(0.0f64.to_bits())).contains(&Literal::Double((-0.0f64).to_bits())));
    }

    #[test]
    fn texts_change_their_case_and_their_zeros() {
        let found = all_near(&Literal::String("aB1".into()));
        for wanted in ["Ab1", "AB1", "aB10", "0aB1", "aB1 ", "aB"] {
            assert!(found.contains(&Literal::String(wanted.into())), "{wanted}");
        }
    }

    #[test]
    fn a_sequence_without_literals_stays_as_it_is() {
        let mut table = OperationTable::new();
        let null = Operation::Literal(Literal::Null(probat_model::Type::class("A")));
        let mut steps = vec![Step { operation: table.intern(null), args: Default::default() }];
        assert!(!vary(&mut steps, &mut table, &mut Rng::new(1)));
    }
}
