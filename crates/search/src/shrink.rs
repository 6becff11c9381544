//! Texts cut down to what matters.
//!
//! In: sequences whose literals are as plain as they get. Out: sequences for which their predicate still holds, whose texts have lost every
//! piece that makes no difference: halves first, single characters last. What is left of odd characters is `a` where that does.
//! A text stays a text: nothing here adds a step or takes one away.

use probat_model::{JavaString, Literal, Operation, OperationTable, Step};

use crate::executor::Executor;
use crate::minimize::{Subject, try_wave};

/// Trials for all texts of one sequence: enough for a line of text, and a bound for pages.
const TRIALS: usize = 96;

/// Texts that are not longer than this are left alone: who reads `"-1"` loses nothing.
const SHORT: usize = 2;

/// And so are texts longer than this, whose length is likely what they are there for: `"xy".repeat(20000)` says more than what is left of it.
const LONG: usize = 1_000;

/// Cuts the texts of all subjects; `stop` is asked again and again.
pub fn shrink<E: Executor>(
    table: &mut OperationTable,
    subjects: &mut [Subject<'_>],
    executor: &mut E,
    mut stop: impl FnMut() -> bool,
) -> Result<(), E::Error> {
    let mut cuts: Vec<Cut> = subjects.iter().map(|subject| Cut::before(subject.steps.len())).collect();
    for _ in 0..TRIALS {
        let trials: Vec<Option<Vec<Step>>> = subjects
            .iter()
            .zip(&mut cuts)
            .map(|(subject, cut)| {
                let is_open = !subject.is_stuck;
                is_open.then(|| cut.next_trial(table, &subject.steps)).flatten()
            })
            .collect();
        if stop() || trials.iter().all(Option::is_none) {
            break;
        }
        let before: Vec<Vec<Step>> = subjects.iter().map(|subject| subject.steps.clone()).collect();
        try_wave(table, subjects, trials, executor, &mut stop)?;
        for ((subject, before), cut) in subjects.iter().zip(before).zip(&mut cuts) {
            if subject.steps != before {
                cut.took_place();
            }
        }
    }
    Ok(())
}

/// Where a subject is at.
#[derive(Debug, Clone)]
struct Cut {
    /// One behind the step whose text is being cut; zero when all are done.
    behind: usize,
    /// How many characters go at once; none before the first look at a text.
    piece: Option<usize>,
    /// Where the next piece begins.
    from: usize,
    /// Where the last trial's piece began, if it was a cut.
    tried: Option<usize>,
}

impl Cut {
    fn before(steps: usize) -> Self {
        Cut { behind: steps, piece: None, from: 0, tried: None }
    }

    /// The piece is gone, so what follows it begins where it began.
    fn took_place(&mut self) {
        if let Some(tried) = self.tried {
            self.from = tried;
        }
    }

    fn next_trial(&mut self, table: &mut OperationTable, steps: &[Step]) -> Option<Vec<Step>> {
        while self.behind > 0 {
            let at = self.behind - 1;
            if let Operation::Literal(Literal::String(text)) = table.get(steps[at].operation)
                && let Some(shorter) = self.next_text(text.units())
            {
                let literal = Literal::String(JavaString::from_units(&shorter));
                let mut steps = steps.to_vec();
                steps[at].operation = table.intern(Operation::Literal(literal));
                return Some(steps);
            }
            *self = Cut::before(at);
        }
        None
    }

    /// The text without its next piece, and when none can go any more, with `a` for its next odd character.
    fn next_text(&mut self, units: &[u16]) -> Option<Vec<u16>> {
        if self.piece.is_none() && !(SHORT + 1..=LONG).contains(&units.len()) {
            return None;
        }
        let mut piece = self.piece.unwrap_or(units.len() / 2).min(units.len());
        while piece > 0 && units.len() > 1 {
            while self.from < units.len() {
                let (from, mut to) = (self.from, (self.from + piece).min(units.len()));
                to += usize::from(!is_between(units, to));
                self.from = to;
                let is_all = to - from == units.len();
                if !is_all {
                    (self.piece, self.tried) = (Some(piece), Some(from));
                    return Some([&units[..from], &units[to..]].concat());
                }
            }
            (piece, self.from) = (piece / 2, 0);
        }
        if self.piece != Some(0) {
            (self.piece, self.from) = (Some(0), 0);
        }
        self.tried = None;
        let odd = (self.from..units.len()).find(|&at| is_odd(units[at]) && is_whole(units, at))?;
        self.from = odd + 1;
        let mut plain = units.to_vec();
        plain[odd] = u16::from(b'a');
        Some(plain)
    }
}

/// Whether no character that takes two units lies across this place.
fn is_between(units: &[u16], at: usize) -> bool {
    let is_high = at > 0 && (0xd800..0xdc00).contains(&units[at - 1]);
    let is_low = units.get(at).is_some_and(|unit| (0xdc00..0xe000).contains(unit));
    !(is_high && is_low)
}

/// Whether the unit at a place is a character by itself.
fn is_whole(units: &[u16], at: usize) -> bool {
    is_between(units, at) && is_between(units, at + 1)
}

/// Neither a printable character of ASCII nor a line break or tab.
fn is_odd(unit: u16) -> bool {
    !matches!(unit, 0x20..0x7f | 0x09 | 0x0a)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is left of a text if a version of it is kept whenever `keeps` says so, and in how many trials.
    fn left(text: &str, keeps: impl Fn(&str) -> bool) -> (String, usize) {
        let mut table = OperationTable::new();
        let operation = table.intern(Operation::Literal(Literal::String(text.into())));
        let mut steps = vec![Step { operation, args: Default::default() }];
        let (mut cut, mut trials) = (Cut::before(1), 0);
        while let Some(trial) = cut.next_trial(&mut table, &steps) {
            trials += 1;
            let Operation::Literal(Literal::String(shorter)) = table.get(trial[0].operation) else {
                panic!("a text stays a text");
            };
            if keeps(&shorter.to_lossy()) {
                steps = trial;
                cut.took_place();
            }
        }
        let Operation::Literal(Literal::String(text)) = table.get(steps[0].operation) else { unreachable!() };
        (text.to_lossy().to_string(), trials)
    }

    #[test]
    fn what_matters_stays_and_everything_else_goes() {
        let (text, trials) = left("nterminated string.[7,null,true]\n   and more", |text| {
            text.find('[').is_some_and(|open| text[open..].contains(']'))
        });
        assert_eq!(text, "[]");
        assert!(trials < 40, "{trials} trials");
    }

    #[test]
    fn parts_that_belong_together_stay_together() {
        assert_eq!(left("a.b.C(x,y)z", |text| text.contains("(x") && text.contains('z')).0, "(xz");
    }

    #[test]
    fn no_text_gets_empty_and_very_short_and_long_ones_are_left_alone() {
        assert_eq!(left("abcdefgh", |_| true).0.len(), 1);
        assert_eq!(left("-1", |_| true), ("-1".to_owned(), 0));
        let long = "xy".repeat(20_000);
        assert_eq!(left(&long, |_| true), (long, 0));
    }

    #[test]
    fn odd_characters_become_plain_where_that_does() {
        assert_eq!(left("\u{7}\u{4e2d}x", |text| text.chars().count() == 3).0, "aax");
        assert_eq!(left("ab\u{4e2d}", |text| text.contains('\u{4e2d}')).0, "\u{4e2d}");
    }

    #[test]
    fn no_character_is_cut_in_two() {
        let whole = |text: &str| !text.contains('\u{fffd}');
        assert_eq!(
            left("a\u{1f600}b\u{1f600}c", |text| whole(text) && text.contains('\u{1f600}')).0,
            "\u{1f600}"
        );
        assert!(
            left("\u{1f600}\u{1f600}\u{1f600}", |text| {
                assert!(whole(text), "{text:?}");
                false
            })
            .1 > 0
        );
    }
}
