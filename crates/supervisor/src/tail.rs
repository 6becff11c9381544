//! The end of what a worker printed.
//!
//! In: bytes from its descriptors 1 and 2. Out: the last of them as text. Keeps a bounded number, counts all.

use std::collections::VecDeque;

/// The last bytes of a stream.
#[derive(Debug)]
pub(crate) struct Tail {
    bytes: VecDeque<u8>,
    limit: usize,
    total: u64,
    /// How much had been printed when the present worker started.
    mark: u64,
}

impl Tail {
    pub fn new(limit: usize) -> Self {
        Tail { bytes: VecDeque::new(), limit, total: 0, mark: 0 }
    }

    pub fn push(&mut self, new: &[u8]) {
        self.total += new.len() as u64;
        let kept = &new[new.len().saturating_sub(self.limit)..];
        let excess = (self.bytes.len() + kept.len()).saturating_sub(self.limit);
        self.bytes.drain(..excess);
        self.bytes.extend(kept);
    }

    /// A new worker starts: [`last_lines`](Self::last_lines) forgets what came before.
    pub fn mark(&mut self) {
        self.mark = self.total;
    }

    pub fn total(&self) -> u64 {
        self.total
    }

    pub fn text(&self) -> String {
        self.since(self.bytes.len())
    }

    /// The last lines of the present worker.
    pub fn last_lines(&self, count: usize) -> Vec<String> {
        let new = usize::try_from(self.total - self.mark).unwrap_or(usize::MAX);
        let text = self.since(new.min(self.bytes.len()));
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        lines[lines.len().saturating_sub(count)..].iter().map(|line| (*line).to_owned()).collect()
    }

    fn since(&self, count: usize) -> String {
        let bytes: Vec<u8> = self.bytes.iter().skip(self.bytes.len() - count).copied().collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_is_kept() {
        let mut tail = Tail::new(8);
        tail.push(b"0123456789");
        tail.push(b"ab");
        assert_eq!((tail.text().as_str(), tail.total()), ("456789ab", 12));
    }

    #[test]
    fn lines_of_an_earlier_worker_are_not_blamed_on_the_next() {
        let mut tail = Tail::new(100);
        tail.push(b"old\n");
        tail.mark();
        assert_eq!(tail.last_lines(2), [""; 0]);
        tail.push(b"one\n\ntwo\nthr\xffe");
        assert_eq!(tail.last_lines(2), ["two", "thr\u{fffd}e"]);
        assert_eq!(tail.text(), "old\none\n\ntwo\nthr\u{fffd}e");
    }
}
