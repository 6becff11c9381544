//! Random choice that is the same on every machine and in every release.
//!
//! In: a seed. Out: numbers, choices. The generator is named (xoshiro256++), so no dependency can change it under us.

use rand_core::{Rng as _, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Source of all randomness of a search.
#[derive(Debug, Clone)]
pub struct Rng(Xoshiro256PlusPlus);

impl Rng {
    pub fn new(seed: u64) -> Self {
        Rng(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `bound`, which must not be zero. The bias of one part in 2^32 and less is of no consequence here.
    pub fn below(&mut self, bound: usize) -> usize {
        debug_assert!(bound > 0 && bound <= u32::MAX as usize);
        (((self.next_u64() >> 32) * bound as u64) >> 32) as usize
    }

    /// True with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// A number in `0.0..1.0`.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// One of the elements; `None` of an empty slice.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        if from.is_empty() { None } else { Some(&from[self.below(from.len())]) }
    }

    /// An index, drawn in proportion to its weight; `None` if no weight is positive.
    pub fn weighted(&mut self, weights: impl Iterator<Item = f64> + Clone) -> Option<usize> {
        let total: f64 = weights.clone().sum();
        if total <= 0.0 {
            return None;
        }
        let mut left = self.unit() * total;
        let mut last = None;
        for (at, weight) in weights.enumerate() {
            if weight > 0.0 {
                last = Some(at);
                left -= weight;
                if left < 0.0 {
                    return last;
                }
            }
        }
        last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_fixes_the_stream() {
        let mut rng = Rng::new(7);
        let first: Vec<usize> = (0..8).map(|_| rng.below(100)).collect();
        let mut again = Rng::new(7);
        assert_eq!(first, (0..8).map(|_| again.below(100)).collect::<Vec<_>>());
        assert!(first.iter().all(|&n| n < 100));
    }

    /// spec 004 row R11
    #[test]
    fn draws_follow_the_weights() {
        let mut rng = Rng::new(1);
        let weights = [1.0, 0.0, 3.0, 6.0];
        let mut counts = [0u32; 4];
        let draws = 100_000;
        for _ in 0..draws {
            counts[rng.weighted(weights.iter().copied()).unwrap()] += 1;
        }
        assert_eq!(counts[1], 0);
        let chi: f64 = [0, 2, 3]
            .iter()
            .map(|&at| {
                let expected = f64::from(draws) * weights[at] / 10.0;
                (f64::from(counts[at]) - expected).powi(2) / expected
            })
            .sum();
        // Two degrees of freedom: 13.8 is the 0.1 % point.
        assert!(chi < 13.8, "{counts:?}");
    }

    #[test]
    fn nothing_is_drawn_from_nothing() {
        let mut rng = Rng::new(1);
        assert_eq!(rng.weighted([0.0, 0.0].into_iter()), None);
        assert_eq!(rng.pick::<u8>(&[]), None);
    }
}
