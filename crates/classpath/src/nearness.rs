//! What the user may have meant.
//!
//! In: a name nobody knows, and the known ones. Out: the few that are near it, best first.
//! Decides nothing: the caller shows them.

use probat_model::ClassName;

/// Known classes near `wanted` (internal, binary or source form), best first.
///
/// First come those that differ only in case or separators, then those of the same simple name in another
/// package, then those whose simple name is a small edit away.
pub fn near_matches<'a>(
    wanted: &str,
    candidates: impl IntoIterator<Item = &'a ClassName>,
    limit: usize,
) -> Vec<&'a ClassName> {
    let whole = folded(wanted);
    let simple = last_part(&whole);
    let mut ranked: Vec<_> = candidates
        .into_iter()
        .filter_map(|candidate| Some((class_rank(&whole, simple, candidate)?, candidate)))
        .collect();
    ranked.sort();
    ranked.dedup();
    ranked.into_iter().take(limit).map(|(_, candidate)| candidate).collect()
}

/// Known names (of methods, fields, options) near `wanted`, best first.
pub fn near_names<'a>(
    wanted: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    limit: usize,
) -> Vec<&'a str> {
    let folded = wanted.to_lowercase();
    let mut ranked: Vec<_> = candidates
        .into_iter()
        .filter_map(|candidate| {
            let distance = edit_distance(&folded, &candidate.to_lowercase(), tolerance(&folded))?;
            Some((distance, candidate))
        })
        .collect();
    ranked.sort();
    ranked.dedup();
    ranked.into_iter().take(limit).map(|(_, candidate)| candidate).collect()
}

/// Smaller is nearer: (kind of match, edits in the simple name, edits in the whole).
fn class_rank(whole: &str, simple: &str, candidate: &ClassName) -> Option<(u8, usize, usize)> {
    let other = folded(candidate.as_internal());
    if other == whole {
        return Some((0, 0, 0));
    }
    let other_simple = last_part(&other);
    let edits = edit_distance(simple, other_simple, tolerance(simple))?;
    let apart = edit_distance(whole, &other, 64).unwrap_or(usize::MAX);
    Some((if edits == 0 { 1 } else { 2 }, edits, apart))
}

/// Lower case with one separator for packages and nesting alike.
fn folded(name: &str) -> String {
    name.chars().map(|c| if matches!(c, '.' | '$') { '/' } else { c }).flat_map(char::to_lowercase).collect()
}

fn last_part(folded: &str) -> &str {
    folded.rfind('/').map_or(folded, |at| &folded[at + 1..])
}

/// How many edits still look like a slip: a third of the letters, one at least.
fn tolerance(name: &str) -> usize {
    (name.chars().count() / 3).max(1)
}

/// Edits (insert, delete, replace, swap of neighbours) from one text to the other, if at most `most`.
fn edit_distance(a: &str, b: &str, most: usize) -> Option<usize> {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    if a.len().abs_diff(b.len()) > most {
        return None;
    }
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        if row.iter().all(|&cost| cost > most) {
            return None;
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last.last().copied().filter(|&cost| cost <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(wanted: &str, known: &[&str], expected: &[&str]) {
        let known: Vec<_> = known.iter().map(|name| ClassName::binary(name)).collect();
        let found: Vec<_> = near_matches(wanted, &known, 3).iter().map(|name| name.to_binary()).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn case_comes_before_package_and_both_before_spelling() {
        check(
            "com.acme.billing.invoice",
            &["com.acme.Invoices", "org.other.Invoice", "com.acme.billing.Invoice", "com.acme.Ledger"],
            &["com.acme.billing.Invoice", "org.other.Invoice", "com.acme.Invoices"],
        );
    }

    #[test]
    fn nested_classes_may_be_written_with_a_dot() {
        check("java.util.Map.Entry", &["java.util.Map", "java.util.Map$Entry"], &["java.util.Map$Entry"]);
    }

    #[test]
    fn the_nearer_package_wins() {
        check("a.b.List", &["z.y.x.List", "a.c.List"], &["a.c.List", "z.y.x.List"]);
    }

    #[test]
    fn nothing_near_gives_nothing() {
        check("Zebra", &["java.util.Map", "java.util.List"], &[]);
    }

    #[test]
    fn swapped_letters_are_one_edit() {
        assert_eq!(edit_distance("lenght", "length", 3), Some(1));
        assert_eq!(edit_distance("abc", "", 3), Some(3));
        assert_eq!(edit_distance("abcd", "wxyz", 3), None);
        assert_eq!(near_names("lenght", ["length", "size", "depth"], 2), ["length"]);
    }
}
