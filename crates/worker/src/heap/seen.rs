//! Which objects a walk has met, and the number each got.
//!
//! In: identity hashes, and a test that two handles are one object. Out: numbers from 0 in order of first visit.
//! Reusable: emptying it costs as much as was put in, and the latest objects can be forgotten again.

/// A hash table from objects to their numbers, which are their places in the order of visits.
#[derive(Debug)]
pub(crate) struct Seen<R> {
    /// `number + 1`, or 0 where the place is free. The length is a power of two.
    places: Vec<u32>,
    objects: Vec<Met<R>>,
}

#[derive(Debug, Clone, Copy)]
struct Met<R> {
    object: R,
    hash: u32,
    place: u32,
}

const SMALLEST: usize = 64;

impl<R> Default for Seen<R> {
    fn default() -> Self {
        Seen { places: vec![0; SMALLEST], objects: Vec::new() }
    }
}

impl<R: Copy> Seen<R> {
    /// How many objects have numbers.
    pub(crate) fn len(&self) -> usize {
        self.objects.len()
    }

    /// The number of an object met before, or `None`, and then it has the next number from now on.
    #[inline]
    pub(crate) fn visit(
        &mut self,
        object: R,
        hash: u32,
        mut is_same: impl FnMut(R, R) -> bool,
    ) -> Option<u32> {
        let place = match self.search(object, hash, &mut is_same) {
            Ok(number) => return Some(number),
            Err(place) => place,
        };
        self.objects.push(Met { object, hash, place: place as u32 });
        self.places[place] = self.objects.len() as u32;
        if self.objects.len() * 2 > self.places.len() {
            self.grow();
        }
        None
    }

    /// The number of an object, if it was met.
    pub(crate) fn find(&self, object: R, hash: u32, mut is_same: impl FnMut(R, R) -> bool) -> Option<u32> {
        self.search(object, hash, &mut is_same).ok()
    }

    /// The number of an object met before, or the place that is free for it.
    #[inline]
    fn search(&self, object: R, hash: u32, is_same: &mut impl FnMut(R, R) -> bool) -> Result<u32, usize> {
        let mask = self.places.len() - 1;
        let mut place = spread(hash) & mask;
        while self.places[place] != 0 {
            let number = self.places[place] - 1;
            let met = &self.objects[number as usize];
            if met.hash == hash && is_same(met.object, object) {
                return Ok(number);
            }
            place = (place + 1) & mask;
        }
        Err(place)
    }

    /// Forgets all but the first `count` objects.
    ///
    /// Taking the latest away first never breaks a chain of probes: what was put in later is gone already.
    pub(crate) fn forget_after(&mut self, count: usize) {
        for met in self.objects.drain(count..).rev() {
            self.places[met.place as usize] = 0;
        }
    }

    /// The same table, empty, for handles of another lifetime.
    pub(crate) fn recycle<S>(mut self) -> Seen<S> {
        if self.places.len() > KEPT {
            return Seen::default();
        }
        self.forget_after(0);
        Seen { places: self.places, objects: recycle(self.objects) }
    }

    fn grow(&mut self) {
        let mask = self.places.len() * 2 - 1;
        self.places.clear();
        self.places.resize(mask + 1, 0);
        for (number, met) in self.objects.iter_mut().enumerate() {
            let mut place = spread(met.hash) & mask;
            while self.places[place] != 0 {
                place = (place + 1) & mask;
            }
            met.place = place as u32;
            self.places[place] = number as u32 + 1;
        }
    }
}

/// Places kept from walk to walk; after a huge state the memory is given back.
const KEPT: usize = 1 << 16;

/// An empty vector in the memory of another.
///
/// The standard library collects in place where both element types have one layout, which types that differ only in
/// a lifetime do; otherwise this merely allocates.
pub(crate) fn recycle<A, B>(mut vector: Vec<A>) -> Vec<B> {
    vector.clear();
    if vector.capacity() > KEPT {
        return Vec::new();
    }
    vector.into_iter().map(|_| unreachable!("the vector was emptied")).collect()
}

#[inline]
fn spread(hash: u32) -> usize {
    (hash.wrapping_mul(0x9e37_79b9) >> 7) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_of_one_hash_get_numbers_of_their_own() {
        let mut seen = Seen::default();
        for object in 0..1000u32 {
            assert_eq!(seen.visit(object, object % 7, |a, b| a == b), None);
        }
        for object in 0..1000u32 {
            assert_eq!(seen.visit(object, object % 7, |a, b| a == b), Some(object));
        }
    }

    #[test]
    fn forgotten_objects_are_new_again() {
        let mut seen = Seen::default();
        for object in 0..100u32 {
            seen.visit(object, object % 3, |a, b| a == b);
        }
        seen.forget_after(40);
        assert_eq!(seen.len(), 40);
        assert_eq!(seen.visit(39, 0, |a, b| a == b), Some(39));
        assert_eq!(seen.visit(77, 77 % 3, |a, b| a == b), None);
        assert_eq!(seen.visit(77, 77 % 3, |a, b| a == b), Some(40));
        let mut again: Seen<u64> = seen.recycle();
        assert_eq!(again.visit(39, 0, |a, b| a == b), None);
    }

    #[test]
    fn recycled_vectors_keep_their_memory() {
        let vector: Vec<&'static u32> = Vec::with_capacity(100);
        let address = vector.as_ptr() as usize;
        let again: Vec<&u32> = recycle(vector);
        assert_eq!((again.as_ptr() as usize, again.capacity()), (address, 100));
    }
}
