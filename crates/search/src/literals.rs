//! Numbers, texts and classes to pass as arguments.
//!
//! In: literals mined from each class under test, operands seen in comparisons, user seeds. Out: a [`Literal`] of a wanted type.
//! Mined values come with their neighbours; texts are also cut, spliced and mutated, because code that parses
//! is written around the literals it compares with.

use std::collections::VecDeque;

use probat_model::{JavaString, Literal, Type};

use crate::catalogue::{OwnerId, OwnerLiterals};
use crate::rng::Rng;

/// Which sources are in use; each can be switched off to measure it.
#[derive(Debug, Clone, PartialEq)]
pub struct LiteralConfig {
    /// Literals of the class under test.
    pub mined: bool,
    /// Operands of comparisons.
    pub feedback: bool,
    /// Boundaries, neighbours and mutations beyond the plain seeds.
    pub variation: bool,
    /// The plain values everyone can do with.
    pub pool: FixedPool,
    /// How often a number or text is an extreme one, where there is variation.
    pub extremes: f64,
    /// Values always in the pool.
    pub seeds: Vec<Literal>,
}

/// A list of plain values. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FixedPool {
    /// Ours.
    Wide,
    /// The few of spec 001 §2.9.
    Classic,
}

impl Default for LiteralConfig {
    fn default() -> Self {
        LiteralConfig {
            mined: true,
            feedback: true,
            variation: true,
            pool: FixedPool::Wide,
            extremes: 0.04,
            seeds: Vec::new(),
        }
    }
}

/// Recent operands of comparisons, per class under test.
#[derive(Debug, Default, Clone)]
struct Feedback {
    ints: VecDeque<i64>,
    doubles: VecDeque<f64>,
    strings: VecDeque<JavaString>,
}

/// How many operands of each kind are remembered per class.
const REMEMBERED: usize = 256;

/// All literal sources of a search.
#[derive(Debug)]
pub struct Literals {
    config: LiteralConfig,
    feedback: Vec<Feedback>,
}

const INTS: [i64; 12] = [0, 1, -1, 2, 3, 10, 5, 7, 100, 4, -10, 16];
const CLASSIC_INTS: [i64; 5] = [-1, 0, 1, 10, 100];
const CLASSIC_CHARS: [u16; 4] = [0x23, 0x20, 0x34, 0x61];
const CLASSIC_DOUBLES: [f64; 5] = [-1.0, 0.0, 1.0, 10.0, 100.0];
const CLASSIC_TEXTS: [&str; 2] = ["", "hi!"];
const DOUBLES: [f64; 9] = [0.0, 1.0, -1.0, 0.5, 2.0, 10.0, 100.0, -0.0, 3.25];
const CHARS: [u16; 14] =
    [0x61, 0x41, 0x20, 0x30, 0x39, 0x2d, 0x2e, 0x0a, 0x23, 0x7a, 0x5f, 0xe9, 0x4e2d, 0xd83d];
const TEXTS: [&str; 24] = [
    "",
    "a",
    "abc",
    "hi!",
    " ",
    "0",
    "1",
    "-1",
    "10",
    "1.5",
    "1e3",
    "0x1F",
    "true",
    "null",
    "A",
    "aB",
    "a b",
    "a,b",
    "a=b",
    "\n",
    "a.b.C",
    "/tmp/x",
    "2020-01-31",
    "é中",
];

impl Literals {
    pub fn new(config: LiteralConfig, owners: usize) -> Self {
        Literals { config, feedback: vec![Feedback::default(); owners] }
    }

    /// Remembers an integer operand of a comparison in code of this class.
    pub fn saw_int(&mut self, owner: OwnerId, value: i64) {
        remember(&mut self.feedback[owner.0 as usize].ints, value);
    }

    /// Remembers a floating operand.
    pub fn saw_double(&mut self, owner: OwnerId, value: f64) {
        remember(&mut self.feedback[owner.0 as usize].doubles, value);
    }

    /// Remembers a text operand.
    pub fn saw_string(&mut self, owner: OwnerId, value: JavaString) {
        if !is_of_one_run(&value) {
            remember(&mut self.feedback[owner.0 as usize].strings, value);
        }
    }

    /// How many plain values there are of a primitive type or of `String`.
    pub fn count(&self, ty: &Type) -> usize {
        let plain = match ty {
            Type::Boolean => 2,
            Type::Byte | Type::Short | Type::Int | Type::Long => self.ints().len(),
            Type::Char => self.chars().len(),
            Type::Float | Type::Double => self.doubles().len(),
            Type::Class(name) if name.as_internal() == "java/lang/String" => self.texts().len(),
            Type::Class(_) | Type::Array(_) => 0,
        };
        plain + self.config.seeds.iter().filter(|seed| seed.ty() == *ty).count()
    }

    fn ints(&self) -> &'static [i64] {
        match self.config.pool {
            FixedPool::Wide => &INTS,
            FixedPool::Classic => &CLASSIC_INTS,
        }
    }

    fn chars(&self) -> &'static [u16] {
        match self.config.pool {
            FixedPool::Wide => &CHARS,
            FixedPool::Classic => &CLASSIC_CHARS,
        }
    }

    fn doubles(&self) -> &'static [f64] {
        match self.config.pool {
            FixedPool::Wide => &DOUBLES,
            FixedPool::Classic => &CLASSIC_DOUBLES,
        }
    }

    fn texts(&self) -> &'static [&'static str] {
        match self.config.pool {
            FixedPool::Wide => &TEXTS,
            FixedPool::Classic => &CLASSIC_TEXTS,
        }
    }

    /// A literal of a primitive type or of `String`; `None` for other types.
    ///
    /// With `tame`, numbers stay small: for calls that were seen to exhaust memory or time.
    pub fn draw(
        &self,
        ty: &Type,
        owner: Option<(OwnerId, &OwnerLiterals)>,
        tame: bool,
        rng: &mut Rng,
    ) -> Option<Literal> {
        let literal = self.wild(ty, owner, rng)?;
        Some(if tame { tamed(literal, self.ints(), rng) } else { literal })
    }

    fn wild(&self, ty: &Type, owner: Option<(OwnerId, &OwnerLiterals)>, rng: &mut Rng) -> Option<Literal> {
        let fitting: Vec<&Literal> = self.config.seeds.iter().filter(|seed| seed.ty() == *ty).collect();
        if !fitting.is_empty() && rng.chance(0.25) {
            return rng.pick(&fitting).map(|&seed| seed.clone());
        }
        Some(match ty {
            Type::Boolean => Literal::Boolean(rng.chance(0.5)),
            Type::Byte => Literal::Byte(self.int(owner, i64::from(i8::MIN), i64::from(i8::MAX), rng) as i8),
            Type::Short => {
                Literal::Short(self.int(owner, i64::from(i16::MIN), i64::from(i16::MAX), rng) as i16)
            }
            Type::Int => Literal::Int(self.int(owner, i64::from(i32::MIN), i64::from(i32::MAX), rng) as i32),
            Type::Long => Literal::Long(self.int(owner, i64::MIN, i64::MAX, rng)),
            Type::Char => Literal::Char(self.char(owner, rng)),
            Type::Float => Literal::Float((self.double(owner, rng) as f32).to_bits()),
            Type::Double => Literal::Double(self.double(owner, rng).to_bits()),
            Type::Class(name) if name.as_internal() == "java/lang/String" => {
                Literal::String(self.string(owner, rng))
            }
            Type::Class(_) | Type::Array(_) => return None,
        })
    }

    fn int(&self, owner: Option<(OwnerId, &OwnerLiterals)>, min: i64, max: i64, rng: &mut Rng) -> i64 {
        let fits = |value: i64| (min..=max).contains(&value);
        let drawn = match self.source(owner, |feedback| feedback.ints.len(), |mined| mined.ints.len(), rng) {
            Source::Feedback(owner, at) => self.feedback[owner].ints[at],
            Source::Mined(mined, at) => mined.ints[at].0,
            Source::Seed => one_of(self.ints(), rng),
            // Numbers in between are worst: memory for them is there, and takes long to clear.
            Source::Boundary => match rng.below(16) {
                0 => min,
                1 => max,
                2 => max - 1,
                3 => min + 1,
                4 => 1i64 << (40 + rng.below(22)),
                5..=7 => 1i64 << rng.below(15),
                _ => (rng.next_u64() % 2001) as i64 - 1000,
            },
        };
        let moved = if self.config.variation && rng.chance(0.25) {
            match rng.below(4) {
                0 => drawn.wrapping_add(1),
                1 => drawn.wrapping_sub(1),
                2 => drawn.wrapping_neg(),
                _ => drawn.wrapping_mul(2),
            }
        } else {
            drawn
        };
        if fits(moved) {
            moved
        } else if fits(drawn) {
            drawn
        } else {
            one_of(self.ints(), rng)
        }
    }

    fn char(&self, owner: Option<(OwnerId, &OwnerLiterals)>, rng: &mut Rng) -> u16 {
        if !self.config.variation && !self.config.mined {
            return one_of(self.chars(), rng);
        }
        if rng.chance(0.3) {
            let text = self.string(owner, rng);
            if let Some(&unit) = rng.pick(text.units()) {
                return unit;
            }
        }
        if rng.chance(0.4) {
            return self.int(owner, 0, i64::from(u16::MAX), rng) as u16;
        }
        one_of(self.chars(), rng)
    }

    fn double(&self, owner: Option<(OwnerId, &OwnerLiterals)>, rng: &mut Rng) -> f64 {
        match self.source(owner, |feedback| feedback.doubles.len(), |mined| mined.doubles.len(), rng) {
            Source::Feedback(owner, at) => self.feedback[owner].doubles[at],
            Source::Mined(mined, at) => mined.doubles[at].0,
            Source::Seed => one_of(self.doubles(), rng),
            Source::Boundary => match rng.below(8) {
                0 => f64::NAN,
                1 => f64::INFINITY,
                2 => f64::NEG_INFINITY,
                3 => f64::MAX,
                4 => f64::from_bits(1),
                _ => self.int(owner, -1_000_000, 1_000_000, rng) as f64 / 8.0,
            },
        }
    }

    /// A text: mined, seen, seeded, and now and then changed.
    pub fn string(&self, owner: Option<(OwnerId, &OwnerLiterals)>, rng: &mut Rng) -> JavaString {
        let base = self.plain_string(owner, rng);
        if !self.config.variation || rng.chance(0.6) {
            return base;
        }
        let mut units = base.units().to_vec();
        for _ in 0..=rng.below(3) {
            self.mutate(&mut units, owner, rng);
        }
        units.truncate(256);
        JavaString::from_units(&units)
    }

    fn plain_string(&self, owner: Option<(OwnerId, &OwnerLiterals)>, rng: &mut Rng) -> JavaString {
        match self.source(owner, |feedback| feedback.strings.len(), |mined| mined.strings.len(), rng) {
            Source::Feedback(owner, at) => self.feedback[owner].strings[at].clone(),
            Source::Mined(mined, at) => mined.strings[at].0.clone(),
            Source::Seed => one_of(self.texts(), rng).into(),
            Source::Boundary => {
                let number = self.int(owner, i64::MIN, i64::MAX, rng);
                match rng.below(3) {
                    0 => number.to_string().as_str().into(),
                    1 => format!("{}", self.double(owner, rng)).as_str().into(),
                    _ => {
                        let unit = CHARS[rng.below(CHARS.len())];
                        JavaString::from_units(&vec![unit; rng.below(20)])
                    }
                }
            }
        }
    }

    fn mutate(&self, units: &mut Vec<u16>, owner: Option<(OwnerId, &OwnerLiterals)>, rng: &mut Rng) {
        let at = if units.is_empty() { 0 } else { rng.below(units.len() + 1) };
        match rng.below(9) {
            0 if at < units.len() => {
                units.remove(at);
            }
            1 => units.truncate(at),
            2 => {
                units.drain(..at);
            }
            3 if at < units.len() => units[at] = CHARS[rng.below(CHARS.len())],
            4 if at < units.len() => units[at] ^= 0x20,
            5 => units.insert(at, CHARS[rng.below(CHARS.len())]),
            6 => {
                let again = units.clone();
                units.extend(again);
            }
            _ => {
                let other = self.plain_string(owner, rng);
                let tail = units.split_off(at);
                units.extend_from_slice(other.units());
                units.extend(tail);
            }
        }
    }

    fn source<'m>(
        &self,
        owner: Option<(OwnerId, &'m OwnerLiterals)>,
        seen: impl Fn(&Feedback) -> usize,
        mined: impl Fn(&OwnerLiterals) -> usize,
        rng: &mut Rng,
    ) -> Source<'m> {
        let draw = rng.unit();
        if let Some((id, literals)) = owner {
            let index = id.0 as usize;
            let count = seen(&self.feedback[index]);
            if self.config.feedback && count > 0 && draw < 0.3 {
                return Source::Feedback(index, rng.below(count));
            }
            let count = mined(literals);
            if self.config.mined && count > 0 && draw < 0.6 {
                return Source::Mined(literals, rng.below(count));
            }
        }
        if self.config.variation && draw > 1.0 - self.config.extremes {
            Source::Boundary
        } else {
            Source::Seed
        }
    }
}

/// Largest magnitude of a tame number.
const TAME: i64 = 64;

fn tamed(literal: Literal, plain: &[i64], rng: &mut Rng) -> Literal {
    let small = |rng: &mut Rng| {
        let gentle: Vec<i64> = plain.iter().copied().filter(|value| (-TAME..=TAME).contains(value)).collect();
        one_of(&gentle, rng)
    };
    let is_wild = |value: i64| !(-TAME..=TAME).contains(&value);
    let is_wild_float = |value: f64| value.is_nan() || value.abs() > TAME as f64;
    match literal {
        Literal::Short(value) if is_wild(i64::from(value)) => Literal::Short(small(rng) as i16),
        Literal::Int(value) if is_wild(i64::from(value)) => Literal::Int(small(rng) as i32),
        Literal::Long(value) if is_wild(value) => Literal::Long(small(rng)),
        Literal::Float(bits) if is_wild_float(f64::from(f32::from_bits(bits))) => {
            Literal::Float((small(rng) as f32).to_bits())
        }
        Literal::Double(bits) if is_wild_float(f64::from_bits(bits)) => {
            Literal::Double((small(rng) as f64).to_bits())
        }
        other => other,
    }
}

enum Source<'m> {
    Feedback(usize, usize),
    Mined(&'m OwnerLiterals, usize),
    Seed,
    Boundary,
}

fn one_of<T: Copy>(all: &[T], rng: &mut Rng) -> T {
    all[rng.below(all.len())]
}

/// Whether a text names an object by its identity hash code, as `Object.toString` does: no other run has it, and nobody would write it.
pub(crate) fn is_of_one_run(text: &JavaString) -> bool {
    let units = text.units();
    let is = |at: usize, of: fn(&char) -> bool| {
        units.get(at).and_then(|&unit| char::from_u32(u32::from(unit))).is_some_and(|c| of(&c))
    };
    let is_hash = |at: usize| {
        let digits = (at + 1..).take_while(|&at| is(at, char::is_ascii_hexdigit)).count();
        let has_class =
            at > 0 && (is(at - 1, char::is_ascii_alphanumeric) || units[at - 1] == u16::from(b';'));
        has_class && (5..=8).contains(&digits) && !is(at + 1 + digits, char::is_ascii_alphanumeric)
    };
    (0..units.len()).any(|at| units[at] == u16::from(b'@') && is_hash(at))
}

fn remember<T: PartialEq>(values: &mut VecDeque<T>, value: T) {
    if values.contains(&value) {
        return;
    }
    if values.len() == REMEMBERED {
        values.pop_front();
    }
    values.push_back(value);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(literals: &Literals, ty: &Type, mined: &OwnerLiterals) -> Vec<Literal> {
        let mut rng = Rng::new(3);
        (0..2000).filter_map(|_| literals.draw(ty, Some((OwnerId(0), mined)), false, &mut rng)).collect()
    }

    #[test]
    fn identity_hash_codes_are_of_one_run() {
        let is = |text: &str| is_of_one_run(&text.into());
        assert!(is("a.b.C@3dda8a2e") && is("[a.b.C@1e730495['x']]") && is("[Ljava.lang.String;@61191"));
        assert!(
            !is("ann@example.org")
                && !is("@deadbeef")
                && !is("a@12")
                && !is("x@123456789")
                && !is("C@12345z")
        );
    }

    #[test]
    fn compared_texts_of_one_run_are_no_literals() {
        let mut literals = Literals::new(LiteralConfig::default(), 1);
        literals.saw_string(OwnerId(0), "a.B@3dda8a2e".into());
        assert!(literals.feedback[0].strings.is_empty());
    }

    #[test]
    fn mined_and_seen_values_come_with_neighbours() {
        let mined = OwnerLiterals { ints: vec![(1977, 1)], ..OwnerLiterals::default() };
        let mut literals = Literals::new(LiteralConfig::default(), 1);
        literals.saw_int(OwnerId(0), 424_242);
        let all = drawn(&literals, &Type::Int, &mined);
        for wanted in [1977, 1978, 1976, -1977, 424_242, 424_241, i32::MAX, i32::MIN] {
            assert!(all.contains(&Literal::Int(wanted)), "{wanted}");
        }
    }

    #[test]
    fn values_fit_their_type() {
        let mined = OwnerLiterals { ints: vec![(70_000, 1)], ..OwnerLiterals::default() };
        let literals = Literals::new(LiteralConfig::default(), 1);
        let bytes = drawn(&literals, &Type::Byte, &mined);
        assert!(bytes.contains(&Literal::Byte(i8::MIN)) && bytes.contains(&Literal::Byte(1)));
        assert_eq!(literals.draw(&Type::class("A"), None, false, &mut Rng::new(1)), None);
    }

    #[test]
    fn tame_numbers_are_small() {
        let mined = OwnerLiterals { ints: vec![(70_000, 1)], ..OwnerLiterals::default() };
        let literals = Literals::new(LiteralConfig::default(), 1);
        let mut rng = Rng::new(3);
        for _ in 0..500 {
            let drawn = literals.draw(&Type::Int, Some((OwnerId(0), &mined)), true, &mut rng);
            assert!(matches!(drawn, Some(Literal::Int(value)) if value.abs() <= 64), "{drawn:?}");
        }
    }

    /// spec 001 row 19
    #[test]
    fn a_seed_of_the_user_is_drawn() {
        let config =
            LiteralConfig { seeds: vec![Literal::String("mine".into())], ..LiteralConfig::default() };
        let literals = Literals::new(config, 1);
        let texts = drawn(&literals, &Type::class("java/lang/String"), &OwnerLiterals::default());
        assert!(texts.contains(&Literal::String("mine".into())));
    }

    /// spec 004 row R9
    #[test]
    fn without_other_sources_only_the_pool_is_drawn() {
        let config =
            LiteralConfig { mined: false, feedback: false, variation: false, ..LiteralConfig::default() };
        let literals = Literals::new(config, 1);
        let mined = OwnerLiterals { ints: vec![(1977, 1)], ..OwnerLiterals::default() };
        for literal in drawn(&literals, &Type::Int, &mined) {
            let Literal::Int(value) = literal else { panic!("{literal:?}") };
            assert!(INTS.contains(&i64::from(value)));
        }
    }
}
