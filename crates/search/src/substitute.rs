//! Arguments that would have made a comparison come out otherwise.
//!
//! In: a literal that was passed, and two values the code compared. Out: literals to pass instead: where one operand is
//! found in the literal, the other takes its place.
//! Pure; whether a substitute reaches anything is for a run to tell.

use probat_model::{JavaString, Literal, Operand};

use crate::literals::is_of_one_run;

/// What a place compares, as far as substituting goes. Match without `_`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Compares {
    /// Integers; with `exact`, only whether they are equal.
    Integers { exact: bool },
    /// Floating numbers, as the bits of doubles.
    Floats,
    /// An integer with these.
    Keys(Vec<i32>),
    /// Texts or other objects, by a call or by identity.
    Objects,
    /// The class of an object with this one.
    Class(probat_model::Type),
}

/// Longest text that is made by matching a length.
const LONGEST: i64 = 64;

/// Keys of a switch tried at once.
const KEYS: usize = 4;

/// Literals to try in place of one; `turn` chooses among many keys.
pub fn substitutes(
    literal: &Literal,
    compares: &Compares,
    left: &Operand,
    right: &Operand,
    turn: usize,
) -> Vec<Literal> {
    let mut found = Vec::new();
    match (compares, left, right) {
        (Compares::Integers { exact }, Operand::Bits(left), Operand::Bits(right)) => {
            for (from, to) in [(*left, *right), (*right, *left)] {
                integer(literal, from, to, *exact, &mut found);
            }
        }
        (Compares::Keys(keys), Operand::Bits(value), _) => {
            for nth in 0..keys.len().min(KEYS) {
                let key = i64::from(keys[(turn + nth) % keys.len()]);
                integer(literal, *value, key, true, &mut found);
            }
        }
        (Compares::Floats, Operand::Bits(left), Operand::Bits(right)) => {
            let (left, right) = (f64::from_bits(left.cast_unsigned()), f64::from_bits(right.cast_unsigned()));
            for (from, to) in [(left, right), (right, left)] {
                float(literal, from, to, &mut found);
            }
        }
        (Compares::Objects, Operand::Text(left), Operand::Text(right)) => {
            for (from, to) in [(left, right), (right, left)] {
                text(literal, from.units(), to.units(), &mut found);
            }
        }
        _ => {}
    }
    found.retain(|other| other != literal);
    found.dedup();
    found
}

/// An integer as another of the same type, if it fits.
fn as_type_of(literal: &Literal, value: i64) -> Option<Literal> {
    Some(match literal {
        Literal::Byte(_) => Literal::Byte(value.try_into().ok()?),
        Literal::Char(_) => Literal::Char(value.try_into().ok()?),
        Literal::Short(_) => Literal::Short(value.try_into().ok()?),
        Literal::Int(_) => Literal::Int(value.try_into().ok()?),
        Literal::Long(_) => Literal::Long(value),
        Literal::Boolean(_) => Literal::Boolean(value != 0),
        _ => return None,
    })
}

fn integer_of(literal: &Literal) -> Option<i64> {
    Some(match literal {
        Literal::Boolean(value) => i64::from(*value),
        Literal::Byte(value) => i64::from(*value),
        Literal::Char(value) => i64::from(*value),
        Literal::Short(value) => i64::from(*value),
        Literal::Int(value) => i64::from(*value),
        Literal::Long(value) => *value,
        _ => return None,
    })
}

fn integer(literal: &Literal, from: i64, to: i64, exact: bool, found: &mut Vec<Literal>) {
    let near = if exact { vec![to] } else { vec![to, to.wrapping_add(1), to.wrapping_sub(1)] };
    if let Some(value) = integer_of(literal) {
        // Where the operand is the argument moved by something, moving the argument likewise meets the other.
        let moved = value.wrapping_add(to.wrapping_sub(from));
        let all = if value == from { near } else { vec![moved] };
        found.extend(all.into_iter().filter_map(|value| as_type_of(literal, value)));
        return;
    }
    match literal {
        Literal::String(text) => {
            for to in near {
                unit(text.units(), from, to, found);
                length(text.units(), from, to, found);
            }
        }
        Literal::Double(bits) if f64::from_bits(*bits) as i64 == from => {
            found.push(Literal::Double((to as f64).to_bits()));
        }
        Literal::Float(bits) if f64::from(f32::from_bits(*bits)) as i64 == from => {
            found.push(Literal::Float((to as f32).to_bits()));
        }
        _ => {}
    }
}

/// One character for another, at its first and at its last place.
fn unit(text: &[u16], from: i64, to: i64, found: &mut Vec<Literal>) {
    let (Ok(from), Ok(to)) = (u16::try_from(from), u16::try_from(to)) else { return };
    let first = text.iter().position(|&unit| unit == from);
    let last = text.iter().rposition(|&unit| unit == from);
    for at in first.into_iter().chain(last.filter(|last| first != Some(*last))) {
        let mut units = text.to_vec();
        units[at] = to;
        found.push(Literal::String(JavaString::from_units(&units)));
    }
}

fn length(text: &[u16], from: i64, to: i64, found: &mut Vec<Literal>) {
    if text.len() as i64 != from || !(0..=LONGEST).contains(&to) {
        return;
    }
    let filler = text.last().copied().unwrap_or(u16::from(b'a'));
    let mut units = text.to_vec();
    units.resize(to as usize, filler);
    found.push(Literal::String(JavaString::from_units(&units)));
}

fn float(literal: &Literal, from: f64, to: f64, found: &mut Vec<Literal>) {
    match literal {
        Literal::Double(bits) => {
            let value = f64::from_bits(*bits);
            if value == from {
                found.extend([to, to.next_up(), to.next_down()].map(|to| Literal::Double(to.to_bits())));
            } else {
                found.push(Literal::Double((value + (to - from)).to_bits()));
            }
        }
        Literal::Float(bits) => {
            let value = f32::from_bits(*bits);
            if f64::from(value) == from {
                let to = to as f32;
                found.extend([to, to.next_up(), to.next_down()].map(|to| Literal::Float(to.to_bits())));
            } else {
                found.push(Literal::Float((value + (to - from) as f32).to_bits()));
            }
        }
        other => {
            if integer_of(other).is_some_and(|value| value as f64 == from) && to.abs() < 9e15 {
                found.extend(as_type_of(other, to as i64));
            }
        }
    }
}

fn text(literal: &Literal, from: &[u16], to: &[u16], found: &mut Vec<Literal>) {
    if is_of_one_run(&JavaString::from_units(to)) {
        return;
    }
    let mut add = |units: &[u16]| found.push(Literal::String(JavaString::from_units(units)));
    match literal {
        Literal::String(text) => {
            let units = text.units();
            let inside = (!from.is_empty()).then(|| {
                let fits = |window: &[u16]| {
                    window.iter().zip(from).all(|(one, other)| folded(*one) == folded(*other))
                };
                units.windows(from.len()).position(fits)
            });
            if let Some(at) = inside.flatten() {
                let (head, tail) = (&units[..at], &units[at + from.len()..]);
                add(&[head, to, tail].concat());
                if !(head.is_empty() && tail.is_empty()) {
                    add(to);
                }
            } else if units.is_empty() == from.is_empty() {
                // The operand came about in another way; the other one may be met whole or as a beginning.
                add(to);
                add(&[to, units].concat());
            }
        }
        Literal::Char(unit) if from == [*unit] => {
            found.extend(to.first().map(|&unit| Literal::Char(unit)));
        }
        _ => {}
    }
}

/// Letters of ASCII in one case: what is compared is often folded first.
fn folded(unit: u16) -> u16 {
    if (0x41..=0x5a).contains(&unit) { unit | 0x20 } else { unit }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(literal: Literal, compares: Compares, left: Operand, right: Operand) -> Vec<Literal> {
        substitutes(&literal, &compares, &left, &right, 0)
    }

    fn text(text: &str) -> Literal {
        Literal::String(text.into())
    }

    #[test]
    fn what_only_this_run_has_is_not_met() {
        let operand = |text: &str| Operand::Text(text.into());
        let met = |to: &str| of(text("abc"), Compares::Objects, operand("abc"), operand(to));
        assert!(!met("a.B@3dda8a2e").iter().any(|literal| format!("{literal:?}").contains('@')));
        assert!(met("a.B").contains(&text("a.B")));
    }

    #[test]
    fn a_number_that_was_compared_gives_way_to_the_other_and_its_neighbours() {
        let less = Compares::Integers { exact: false };
        let made = of(Literal::Int(5), less.clone(), Operand::Bits(5), Operand::Bits(100));
        assert_eq!(&made[..3], [Literal::Int(100), Literal::Int(101), Literal::Int(99)]);
        let moved = of(Literal::Int(5), less, Operand::Bits(6), Operand::Bits(100));
        assert!(moved.contains(&Literal::Int(99)), "{moved:?}");
    }

    #[test]
    fn a_character_or_the_length_of_a_text_is_met() {
        let equal = Compares::Integers { exact: true };
        let made = of(text("abc"), equal.clone(), Operand::Bits(i64::from(b'c')), Operand::Bits(0x5b));
        assert_eq!(made, [text("ab[")]);
        assert_eq!(of(text("abc"), equal, Operand::Bits(3), Operand::Bits(5)), [text("abccc")]);
    }

    #[test]
    fn switches_give_their_keys() {
        let keys = Compares::Keys(vec![0x64, 0x44]);
        let made = of(text("5x"), keys, Operand::Bits(i64::from(b'x')), Operand::Bits(0));
        assert_eq!(made, [text("5d"), text("5D")]);
    }

    #[test]
    fn part_of_a_text_is_replaced_whatever_its_case() {
        let made =
            of(text("x=TRUE;"), Compares::Objects, Operand::Text("true".into()), Operand::Text("yes".into()));
        assert_eq!(made[..2], [text("x=yes;"), text("yes")]);
    }

    #[test]
    fn floating_numbers_are_met_exactly() {
        let bits = |value: f64| Operand::Bits(value.to_bits().cast_signed());
        let made = of(Literal::Double(1f64.to_bits()), Compares::Floats, bits(1.0), bits(2.5));
        assert!(made.contains(&Literal::Double(2.5f64.to_bits())));
    }

    #[test]
    fn values_stay_in_their_type() {
        let equal = Compares::Integers { exact: true };
        assert_eq!(of(Literal::Byte(1), equal, Operand::Bits(1), Operand::Bits(300)), []);
    }
}
