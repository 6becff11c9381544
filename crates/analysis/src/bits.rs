//! Sets of small numbers.
//!
//! In: indices of fields or methods. Out: [`BitSet`] with union and intersection by machine words.
//! Grows as needed; two sets are equal if they hold the same numbers.

/// A set of indices.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BitSet {
    /// Never ends with a zero word, so that equal sets are equal vectors.
    words: Vec<u64>,
}

impl BitSet {
    pub fn new() -> BitSet {
        BitSet::default()
    }

    pub fn insert(&mut self, index: usize) {
        let word = index / 64;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (index % 64);
    }

    pub fn contains(&self, index: usize) -> bool {
        self.words.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 == 1)
    }

    pub fn union_with(&mut self, other: &BitSet) {
        if other.words.len() > self.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        for (own, more) in self.words.iter_mut().zip(&other.words) {
            *own |= more;
        }
    }

    pub fn intersects(&self, other: &BitSet) -> bool {
        self.words.iter().zip(&other.words).any(|(own, more)| own & more != 0)
    }

    /// How many indices both hold.
    pub fn common(&self, other: &BitSet) -> usize {
        self.words.iter().zip(&other.words).map(|(own, more)| (own & more).count_ones() as usize).sum()
    }

    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The indices, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(at, &word)| {
            std::iter::successors(Some(word), |rest| Some(rest & rest.wrapping_sub(1)))
                .take_while(|&rest| rest != 0)
                .map(move |rest| at * 64 + rest.trailing_zeros() as usize)
        })
    }
}

impl FromIterator<usize> for BitSet {
    fn from_iter<I: IntoIterator<Item = usize>>(indices: I) -> Self {
        let mut set = BitSet::new();
        indices.into_iter().for_each(|index| set.insert(index));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_behave_as_sets() {
        let mut small: BitSet = [3, 64, 3].into_iter().collect();
        let large: BitSet = [64, 700].into_iter().collect();
        assert_eq!((small.len(), small.contains(64), small.contains(65)), (2, true, false));
        assert!(small.intersects(&large) && small.common(&large) == 1);
        small.union_with(&large);
        assert_eq!(small.iter().collect::<Vec<_>>(), [3, 64, 700]);
        assert!(BitSet::new().is_empty() && !BitSet::new().intersects(&small));
    }
}
