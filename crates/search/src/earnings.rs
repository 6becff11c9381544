//! How much of a round goes to candidates with substituted values: as much as they earn.
//!
//! In: which candidates were tried and which of them reached a new edge. Out: a share of the next round. Counts only, no clock, so that the
//! search stays the same on any machine.

/// Tries and gains of late.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Account {
    tries: u32,
    gains: u32,
}

/// Older tries count half when there are so many.
const RECENT: u32 = 1024;

/// Parts of a round, in 32nds: something is always tried, and never more than half.
const LEAST: usize = 1;
const MOST: usize = 16;
const PARTS: usize = 32;

/// New edges are rare when fewer than one in so many sequences reach one, of at least so many.
const LEAN: u32 = 16;
const LEAN_TRIES: u32 = 128;

impl Account {
    fn note(&mut self, gained: bool) {
        if self.tries == RECENT {
            *self = Account { tries: self.tries / 2, gains: self.gains / 2 };
        }
        self.tries += 1;
        self.gains += u32::from(gained);
    }

    /// Gains in a million tries; a little for who has none yet.
    fn rate(self) -> u64 {
        (u64::from(self.gains) * 4 + 1) * 250_000 / (u64::from(self.tries) + 1)
    }
}

/// What candidates earned by where they came from.
#[derive(Debug, Clone, Copy, Default)]
pub struct Earnings {
    substituted: Account,
    drawn: Account,
}

impl Earnings {
    /// Notes a candidate that ran.
    pub fn note(&mut self, substituted: bool, gained: bool) {
        let account = if substituted { &mut self.substituted } else { &mut self.drawn };
        account.note(gained);
    }

    /// Whether new edges have become rare. While every few sequences reach one, asking for more than that only costs.
    pub fn is_lean(&self) -> bool {
        self.drawn.tries >= LEAN_TRIES && self.drawn.gains * LEAN < self.drawn.tries
    }

    /// Of `size` candidates, how many should have substituted values.
    pub fn share(&self, size: usize) -> usize {
        let (ours, theirs) = (self.substituted.rate(), self.drawn.rate());
        let parts = (ours * PARTS as u64 / (ours + theirs).max(1)) as usize;
        size * parts.clamp(LEAST, MOST) / PARTS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_earns_more_gets_more() {
        let mut earnings = Earnings::default();
        for at in 0..300 {
            earnings.note(false, at % 10 == 0);
            earnings.note(true, false);
        }
        assert_eq!(earnings.share(64), 2, "the least there is");
        for at in 0..3000 {
            earnings.note(false, false);
            earnings.note(true, at % 10 == 0);
        }
        assert_eq!(earnings.share(64), 32, "the most there is");
    }

    #[test]
    fn a_search_is_lean_when_gains_are_rare() {
        let mut earnings = Earnings::default();
        assert!(!earnings.is_lean());
        (0..200).for_each(|at| earnings.note(false, at % 4 == 0));
        assert!(!earnings.is_lean());
        (0..2000).for_each(|at| earnings.note(false, at % 40 == 0));
        assert!(earnings.is_lean());
    }

    #[test]
    fn what_was_long_ago_is_forgotten() {
        let mut earnings = Earnings::default();
        (0..1000).for_each(|_| earnings.note(true, true));
        (0..20_000).for_each(|_| earnings.note(true, false));
        (0..1000).for_each(|at| earnings.note(false, at % 20 == 0));
        assert_eq!(earnings.share(64), 2);
    }
}
