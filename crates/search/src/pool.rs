//! Values worth reusing, by type.
//!
//! In: values of legal sequences, with run-time type and state. Out: a value for a wanted type.
//! A value enters only if its state is new for its type, so equal values do not flood the pool (spec 000 §2.2, spec 001 §2.8).
//! Lookup touches only types that have values and fit: a subtype map is kept as types gain their first value.

use probat_model::StateHash;
use rustc_hash::FxHashMap;

use crate::rng::Rng;
use crate::store::SequenceId;
use crate::types::{TypeId, TypeTable};

/// A value: the result of a step of a stored sequence, as it is when the sequence has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolValue {
    pub sequence: SequenceId,
    pub step: u16,
    /// Run-time type.
    pub ty: TypeId,
    pub state: StateHash,
    /// Steps of the sequence.
    pub length: u16,
}

/// What was decided about an offered value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offer {
    Taken,
    /// Its state is known for its type, and no longer to reach.
    Known,
    /// It took the place of a value in the same state that took more steps.
    Shortened,
    /// Its type has as many values as we keep; it took the place of another.
    Replaced,
}

#[derive(Debug, Default)]
struct OfType {
    values: Vec<PoolValue>,
    uses: Vec<u32>,
    /// The states seen, and which value is in them, [`GONE`] if none is any more.
    seen: FxHashMap<StateHash, u32>,
}

impl OfType {
    /// What speaks against drawing a value: how often it was, and its length. In the long run a value of twice the length is drawn a quarter
    /// as often, so that most sequences stay short however many long ones are known.
    fn reluctance(&self, at: usize) -> u64 {
        let length = u64::from(self.values[at].length);
        (u64::from(self.uses[at]) + HEAD_START) * length * length
    }
}

/// Uses that a value is taken to have had when it is new, so that long ones do not all come before short ones for being new.
const HEAD_START: u64 = 4;

/// In place of a value that made room for another or was given up.
const GONE: u32 = u32::MAX;

/// How many values of one type are kept.
const PER_TYPE: usize = 512;

/// The pool.
#[derive(Debug, Default)]
pub struct Pool {
    by_type: FxHashMap<TypeId, OfType>,
    /// Types with values that fit each wanted type, in the order they came.
    fitting: FxHashMap<TypeId, Vec<TypeId>>,
    states: usize,
}

impl Pool {
    pub fn new() -> Self {
        Self::default()
    }

    /// Distinct states seen, over all types.
    pub fn states(&self) -> usize {
        self.states
    }

    /// All states seen, ascending by their lower half.
    pub fn known_states(&self) -> Vec<StateHash> {
        let mut types: Vec<TypeId> = self.by_type.keys().copied().collect();
        types.sort();
        let mut all: Vec<StateHash> =
            types.iter().flat_map(|ty| self.by_type[ty].seen.keys().copied()).collect();
        all.sort_unstable_by_key(|state| state.0 as u64);
        all.dedup_by_key(|state| state.0 as u64);
        all
    }

    /// Whether a value of this type in this state, reached in as many steps, would be taken.
    pub fn wants(&self, ty: TypeId, state: StateHash, length: u16) -> bool {
        let Some(of) = self.by_type.get(&ty) else { return true };
        match of.seen.get(&state) {
            None => true,
            Some(&GONE) => false,
            Some(&at) => of.values[at as usize].length > length,
        }
    }

    /// Takes a value if its state is new, or reached in fewer steps than before.
    pub fn offer(&mut self, value: PoolValue, types: &TypeTable, rng: &mut Rng) -> Offer {
        let is_wanted = self.wants(value.ty, value.state, value.length);
        let of = self.by_type.entry(value.ty).or_default();
        if !is_wanted {
            return Offer::Known;
        }
        if let Some(&at) = of.seen.get(&value.state) {
            of.values[at as usize] = value;
            return Offer::Shortened;
        }
        self.states += 1;
        if of.values.len() < PER_TYPE {
            if of.values.is_empty() {
                for &above in types.supers(value.ty) {
                    self.fitting.entry(above).or_default().push(value.ty);
                }
            }
            of.seen.insert(value.state, of.values.len() as u32);
            of.values.push(value);
            of.uses.push(0);
            return Offer::Taken;
        }
        // A full type forgets one of three at random, the one that would be drawn last.
        let victim = (0..3)
            .map(|_| rng.below(PER_TYPE))
            .max_by_key(|&at| of.reluctance(at))
            .expect("three were drawn");
        of.seen.insert(of.values[victim].state, GONE);
        of.seen.insert(value.state, victim as u32);
        of.values[victim] = value;
        of.uses[victim] = 0;
        Offer::Replaced
    }

    /// Gives up the values that a sequence has of a type and that were not drawn more often than this; their states stay known.
    pub fn forget(&mut self, sequence: SequenceId, ty: TypeId, most_uses: u32) {
        let Some(of) = self.by_type.get_mut(&ty).filter(|of| !of.values.is_empty()) else { return };
        for at in (0..of.values.len()).rev() {
            if of.values[at].sequence == sequence && of.uses[at] <= most_uses {
                let gone = of.values.swap_remove(at);
                of.uses.swap_remove(at);
                of.seen.insert(gone.state, GONE);
                if let Some(moved) = of.values.get(at) {
                    of.seen.insert(moved.state, at as u32);
                }
            }
        }
        if of.values.is_empty() {
            self.fitting.values_mut().for_each(|types| types.retain(|&other| other != ty));
        }
    }

    /// Whether a value in a new state makes another one of its type give way.
    pub fn is_full(&self, ty: TypeId) -> bool {
        self.of_type(ty) == PER_TYPE
    }

    /// How many values are exactly of this type.
    pub fn of_type(&self, ty: TypeId) -> usize {
        self.by_type.get(&ty).map_or(0, |of| of.values.len())
    }

    /// Types that have values usable as `ty`.
    pub fn fitting(&self, ty: TypeId) -> &[TypeId] {
        self.fitting.get(&ty).map_or(&[], Vec::as_slice)
    }

    /// The values of each type, in the order of types.
    pub fn by_type(&self) -> impl Iterator<Item = &[PoolValue]> {
        let mut types: Vec<TypeId> = self.by_type.keys().copied().collect();
        types.sort();
        types.into_iter().map(|ty| self.by_type[&ty].values.as_slice())
    }

    /// All values usable as `ty`, for strategies that weigh every candidate.
    pub fn candidates(&self, ty: TypeId) -> impl Iterator<Item = &PoolValue> + Clone {
        self.fitting(ty).iter().flat_map(|ty| self.by_type[ty].values.iter())
    }

    /// How many values are usable as `ty`.
    pub fn count(&self, ty: TypeId) -> usize {
        self.fitting(ty).iter().map(|ty| self.by_type[ty].values.len()).sum()
    }

    /// Draws a value usable as `ty`, each as likely as the others.
    pub fn draw_evenly(&self, ty: TypeId, rng: &mut Rng) -> Option<PoolValue> {
        let count = self.count(ty);
        let mut at = if count == 0 { return None } else { rng.below(count) };
        for exact in self.fitting(ty) {
            let values = &self.by_type[exact].values;
            match values.get(at) {
                Some(value) => return Some(*value),
                None => at -= values.len(),
            }
        }
        None
    }

    /// Draws a value usable as `ty`: a type evenly, then the least used and shortest of three.
    pub fn draw(&mut self, ty: TypeId, rng: &mut Rng) -> Option<PoolValue> {
        let exact = *rng.pick(self.fitting.get(&ty)?)?;
        let of = self.by_type.get_mut(&exact)?;
        let at = (0..3).map(|_| rng.below(of.values.len())).min_by_key(|&at| of.reluctance(at))?;
        of.uses[at] += 1;
        Some(of.values[at])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::fake::Lines;
    use probat_model::Type;

    fn value(ty: TypeId, state: u128) -> PoolValue {
        PoolValue { sequence: SequenceId(0), step: 0, ty, state: StateHash(state), length: 1 }
    }

    /// spec 001 row 6
    #[test]
    fn a_wanted_supertype_is_served_by_a_subtype() {
        let lines = Lines("ArrayList: List\nList: Collection");
        let mut types = TypeTable::new();
        let list = types.intern(&Type::class("ArrayList"), &lines);
        let collection = types.intern(&Type::class("Collection"), &lines);
        let (mut pool, mut rng) = (Pool::new(), Rng::new(0));
        assert_eq!(pool.draw(collection, &mut rng), None);
        assert_eq!(pool.offer(value(list, 1), &types, &mut rng), Offer::Taken);
        assert_eq!(pool.draw(collection, &mut rng).map(|v| v.ty), Some(list));
    }

    #[test]
    fn a_known_state_is_not_kept_twice() {
        let lines = Lines("");
        let mut types = TypeTable::new();
        let a = types.intern(&Type::class("A"), &lines);
        let (mut pool, mut rng) = (Pool::new(), Rng::new(0));
        assert_eq!(pool.offer(value(a, 1), &types, &mut rng), Offer::Taken);
        assert_eq!(pool.offer(value(a, 1), &types, &mut rng), Offer::Known);
        assert_eq!((pool.states(), pool.candidates(a).count()), (1, 1));
    }

    #[test]
    fn a_known_state_is_kept_in_its_shortest_form() {
        let lines = Lines("");
        let mut types = TypeTable::new();
        let a = types.intern(&Type::class("A"), &lines);
        let (mut pool, mut rng) = (Pool::new(), Rng::new(0));
        let of_length =
            |length, sequence| PoolValue { length, sequence: SequenceId(sequence), ..value(a, 1) };
        assert_eq!(pool.offer(of_length(3, 0), &types, &mut rng), Offer::Taken);
        assert_eq!(pool.offer(of_length(3, 1), &types, &mut rng), Offer::Known);
        assert!(pool.wants(a, StateHash(1), 2) && !pool.wants(a, StateHash(1), 3));
        assert_eq!(pool.offer(of_length(2, 2), &types, &mut rng), Offer::Shortened);
        assert_eq!(pool.candidates(a).collect::<Vec<_>>(), [&of_length(2, 2)]);
        pool.forget(SequenceId(2), a, 0);
        assert!(!pool.wants(a, StateHash(1), 1), "what was given up is not made again");
    }

    #[test]
    fn short_values_are_drawn_more_often_than_long_ones() {
        let lines = Lines("");
        let mut types = TypeTable::new();
        let a = types.intern(&Type::class("A"), &lines);
        let (mut pool, mut rng) = (Pool::new(), Rng::new(0));
        pool.offer(PoolValue { length: 2, ..value(a, 1) }, &types, &mut rng);
        pool.offer(PoolValue { length: 20, ..value(a, 2) }, &types, &mut rng);
        let long = (0..2000).filter(|_| pool.draw(a, &mut rng).is_some_and(|found| found.length == 20));
        let long = long.count();
        assert!(
            (200..400).contains(&long),
            "one in eight draws sees the long one alone, few others want it: {long}"
        );
    }

    #[test]
    fn a_full_type_makes_room() {
        let lines = Lines("");
        let mut types = TypeTable::new();
        let a = types.intern(&Type::class("A"), &lines);
        let (mut pool, mut rng) = (Pool::new(), Rng::new(0));
        for state in 0..PER_TYPE as u128 {
            pool.offer(value(a, state), &types, &mut rng);
        }
        assert_eq!(pool.offer(value(a, u128::MAX), &types, &mut rng), Offer::Replaced);
        assert_eq!(pool.candidates(a).count(), PER_TYPE);
    }

    #[test]
    fn what_is_forgotten_is_drawn_no_more() {
        let lines = Lines("A: B");
        let mut types = TypeTable::new();
        let (a, b) = (types.intern(&Type::class("A"), &lines), types.intern(&Type::class("B"), &lines));
        let (mut pool, mut rng) = (Pool::new(), Rng::new(0));
        pool.offer(value(a, 1), &types, &mut rng);
        let other = PoolValue { sequence: SequenceId(1), ..value(a, 2) };
        pool.offer(other, &types, &mut rng);
        pool.forget(SequenceId(0), a, 0);
        assert_eq!(pool.candidates(b).collect::<Vec<_>>(), [&other]);
        assert_eq!(pool.draw(b, &mut rng), Some(other));
        pool.forget(SequenceId(1), a, 0);
        assert_eq!(pool.draw(b, &mut rng), Some(other), "it was of use");
        pool.forget(SequenceId(1), a, 2);
        assert_eq!((pool.draw(b, &mut rng), pool.fitting(b).len()), (None, 0));
        assert_eq!(pool.offer(value(a, 1), &types, &mut rng), Offer::Known);
        assert_eq!(pool.offer(value(a, 3), &types, &mut rng), Offer::Taken);
        assert_eq!(pool.draw(b, &mut rng).map(|found| found.state), Some(StateHash(3)));
    }

    /// spec 001 row 27: what is looked at for a type does not grow with values of other types.
    #[test]
    fn values_of_other_types_are_never_looked_at() {
        let lines = Lines("ArrayList: List");
        let mut types = TypeTable::new();
        let list = types.intern(&Type::class("List"), &lines);
        let array_list = types.intern(&Type::class("ArrayList"), &lines);
        let (mut pool, mut rng) = (Pool::new(), Rng::new(0));
        pool.offer(value(array_list, 1), &types, &mut rng);
        for at in 0..100_000u32 {
            let other = types.intern(&Type::class(&format!("T{}", at % 1000)), &lines);
            pool.offer(value(other, u128::from(at)), &types, &mut rng);
        }
        assert_eq!((pool.fitting(list), pool.count(list)), ([array_list].as_slice(), 1));
        assert_eq!(pool.draw(list, &mut rng).map(|found| found.ty), Some(array_list));
    }
}
