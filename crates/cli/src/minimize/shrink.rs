//! Which shorter tests to try (spec 001 §2.16, on source).
//!
//! In: the statements of a test whose last one fails, and a judge that says of many candidates whether they fail in the same way. Out: statements
//! no more than before. Removal first, a statement with all that needs it; then a simpler value in place of a variable's, then simpler
//! arguments; again until nothing helps. The last statement stays the last.

use super::java::{Statement, reread};
use super::parts::{complexity, simpler_texts};

/// Says of each candidate whether it fails as the test does.
pub trait Judge {
    type Error;
    fn judge(&mut self, candidates: &[Vec<Statement>]) -> Result<Vec<bool>, Self::Error>;
}

/// Rounds of removal and replacement.
const ROUNDS: usize = 8;

/// Makes a test shorter.
pub fn shrink<J: Judge>(statements: Vec<Statement>, judge: &mut J) -> Result<Vec<Statement>, J::Error> {
    let mut best = statements;
    for _ in 0..ROUNDS {
        let before = best.clone();
        best = remove(best, judge)?;
        best = replace(best, judge)?;
        best = simplify(best, judge)?;
        if best == before {
            break;
        }
    }
    Ok(best)
}

/// Removes what can go: all that can go alone is found in one wave, as much of it as can go together in the next.
fn remove<J: Judge>(mut best: Vec<Statement>, judge: &mut J) -> Result<Vec<Statement>, J::Error> {
    loop {
        let mut groups: Vec<Vec<usize>> =
            (0..best.len().saturating_sub(1)).filter_map(|at| closure(&best, at)).collect();
        groups.reverse();
        let mut candidates: Vec<Vec<Statement>> = groups.iter().map(|group| without(&best, group)).collect();
        if candidates.is_empty() {
            return Ok(best);
        }
        candidates.push(slice(&best));
        let mut verdicts = judge.judge(&candidates)?;
        if verdicts.pop() == Some(true)
            && let Some(sliced) = candidates.pop().filter(|sliced| sliced.len() < best.len())
        {
            best = sliced;
            continue;
        }
        let alone: Vec<&Vec<usize>> =
            groups.iter().zip(verdicts).filter(|(_, fails)| *fails).map(|(group, _)| group).collect();
        if alone.is_empty() {
            return Ok(best);
        }
        // Ever more of them together; the first alone is known to do.
        let together: Vec<Vec<Statement>> = (1..=alone.len())
            .map(|count| {
                let mut gone: Vec<usize> =
                    alone[..count].iter().flat_map(|group| group.iter().copied()).collect();
                gone.sort_unstable();
                gone.dedup();
                without(&best, &gone)
            })
            .collect();
        let verdicts = judge.judge(&together)?;
        let most = verdicts.iter().rposition(|fails| *fails).unwrap_or(0);
        best = together[most].clone();
    }
}

/// A statement and all that cannot be without it; none if the last one is among them.
fn closure(statements: &[Statement], at: usize) -> Option<Vec<usize>> {
    let mut gone = vec![at];
    let mut names: Vec<&str> = statements[at].declares.iter().map(|(name, _)| name.as_str()).collect();
    for (later, statement) in statements.iter().enumerate().skip(at + 1) {
        if names.iter().any(|name| statement.names.contains(*name)) {
            gone.push(later);
            names.extend(statement.declares.iter().map(|(name, _)| name.as_str()));
        }
    }
    (gone.last() != Some(&(statements.len() - 1))).then_some(gone)
}

fn without(statements: &[Statement], gone: &[usize]) -> Vec<Statement> {
    let kept = statements.iter().enumerate().filter(|(at, _)| !gone.contains(at));
    kept.map(|(_, statement)| statement.clone()).collect()
}

/// Only the declarations that the last statement needs.
fn slice(statements: &[Statement]) -> Vec<Statement> {
    let Some(last) = statements.last() else { return Vec::new() };
    let mut needed = last.names.clone();
    let mut kept = vec![last.clone()];
    for statement in statements[..statements.len() - 1].iter().rev() {
        if statement.declares.as_ref().is_some_and(|(name, _)| needed.contains(name)) {
            needed.extend(statement.names.iter().cloned());
            kept.push(statement.clone());
        }
    }
    kept.reverse();
    kept
}

/// Puts simpler values in place of variables' values, from the last to the first.
fn replace<J: Judge>(mut best: Vec<Statement>, judge: &mut J) -> Result<Vec<Statement>, J::Error> {
    let mut at = best.len().saturating_sub(1);
    while at > 0 {
        at -= 1;
        let candidates: Vec<Vec<Statement>> = simpler(&best, at)
            .into_iter()
            .map(|value| {
                let mut changed = best.clone();
                changed[at] = with_value(&best[at], &value, &best[..at]);
                tidy(changed)
            })
            .filter(|candidate| weight(candidate) < weight(&best))
            .collect();
        let verdicts = judge.judge(&candidates)?;
        if let Some(found) = verdicts.iter().position(|fails| *fails) {
            best = candidates[found].clone();
            at = at.min(best.len().saturating_sub(1));
        }
    }
    Ok(best)
}

/// Waves of simpler arguments: each may leave one to be simplified further.
const WAVES: usize = 16;

/// Puts simpler expressions in place of arguments: what can be simpler alone is found in one wave, as much of it as can be together in the
/// next.
fn simplify<J: Judge>(mut best: Vec<Statement>, judge: &mut J) -> Result<Vec<Statement>, J::Error> {
    for _ in 0..WAVES {
        let mut changes: Vec<(usize, Statement)> = Vec::new();
        for (at, statement) in best.iter().enumerate() {
            let texts = simpler_texts(&statement.text);
            changes.extend(texts.iter().filter_map(|text| reread(text)).map(|changed| (at, changed)));
        }
        let candidates: Vec<Vec<Statement>> =
            changes.iter().map(|change| changed(&best, std::slice::from_ref(change))).collect();
        let verdicts = judge.judge(&candidates)?;
        let good = changes.into_iter().zip(verdicts).filter(|(_, fails)| *fails).map(|(change, _)| change);
        let chosen = simplest(good.collect());
        if chosen.is_empty() {
            break;
        }
        let together: Vec<Vec<Statement>> =
            (1..=chosen.len()).map(|count| changed(&best, &chosen[..count])).collect();
        let verdicts = judge.judge(&together)?;
        best = together[verdicts.iter().rposition(|fails| *fails).unwrap_or(0)].clone();
    }
    Ok(best)
}

/// Of several changes of one statement, the one that leaves least to read.
fn simplest(mut changes: Vec<(usize, Statement)>) -> Vec<(usize, Statement)> {
    changes.sort_by_key(|(at, changed)| (*at, complexity(&changed.text)));
    changes.dedup_by_key(|(at, _)| *at);
    changes
}

/// The statements with some of them changed, and without what nobody uses then.
fn changed(statements: &[Statement], changes: &[(usize, Statement)]) -> Vec<Statement> {
    let mut all = statements.to_vec();
    for (at, changed) in changes {
        all[*at] = changed.clone();
    }
    tidy(all)
}

/// Statements first, then text.
fn weight(statements: &[Statement]) -> (usize, usize) {
    (statements.len(), statements.iter().map(|one| one.text.len()).sum())
}

/// Values that could stand in for a declared one: general ones first.
fn simpler(statements: &[Statement], at: usize) -> Vec<String> {
    let (Some((_, ty)), Some(value)) = (&statements[at].declares, &statements[at].value) else {
        return Vec::new();
    };
    let now = statements[at].text[value.clone()].trim();
    let bare = ty.split('<').next().unwrap_or(ty).trim();
    let mut found: Vec<String> = match bare {
        "int" | "long" | "short" | "byte" | "double" | "float" => vec!["0".into(), "1".into()],
        "boolean" => vec!["false".into(), "true".into()],
        "char" => vec!["'a'".into()],
        "String" | "CharSequence" => vec!["\"\"".into(), "\"a\"".into()],
        "var" => Vec::new(),
        _ if ty.ends_with(']') => Vec::new(),
        "Object" => vec!["new Object()".into()],
        class if ty.contains('<') => vec![format!("new {class}<>()")],
        class => vec![format!("new {class}()")],
    };
    let same = |one: &Statement| {
        one.declares.as_ref().filter(|(_, other)| other == ty).map(|(name, _)| name.clone())
    };
    found.extend(statements[..at].iter().filter_map(same));
    found.retain(|value| value != now);
    found
}

/// A declaration with another value.
fn with_value(statement: &Statement, value: &str, earlier: &[Statement]) -> Statement {
    let range = statement.value.clone().expect("only declarations with a value are changed");
    let text = format!("{} {value}{}", &statement.text[..range.start], &statement.text[range.end..]);
    let shift = statement.text[..range.start].len();
    let mut names = statement.names.clone();
    // Variables of the old value are no longer needed.
    for one in earlier {
        if let Some((name, _)) = &one.declares {
            names.remove(name);
        }
    }
    if earlier.iter().any(|one| one.declares.as_ref().is_some_and(|(name, _)| name == value)) {
        names.insert(value.to_owned());
    }
    let end = shift + 1 + value.len();
    Statement { text, declares: statement.declares.clone(), value: Some(shift..end), names }
}

/// Declarations that nobody uses go, whatever they call: the judge tells whether that was right.
fn tidy(mut statements: Vec<Statement>) -> Vec<Statement> {
    let mut at = statements.len().saturating_sub(1);
    while at > 0 {
        at -= 1;
        let unused = statements[at]
            .declares
            .as_ref()
            .is_some_and(|(name, _)| !statements[at + 1..].iter().any(|later| later.names.contains(name)));
        if unused {
            statements.remove(at);
        }
    }
    statements
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::minimize::java::read;

    /// Fails as long as a text holds all of some words in order.
    struct Words(&'static [&'static str], usize);

    impl Judge for Words {
        type Error = ();

        fn judge(&mut self, candidates: &[Vec<Statement>]) -> Result<Vec<bool>, ()> {
            self.1 += 1;
            let fails = |candidate: &Vec<Statement>| {
                let text: String = candidate.iter().map(|one| one.text.as_str()).collect();
                let mut rest = text.as_str();
                self.0.iter().all(|word| match rest.split_once(word) {
                    Some((_, after)) => {
                        rest = after;
                        true
                    }
                    None => false,
                })
            };
            Ok(candidates.iter().map(fails).collect())
        }
    }

    fn shrunk(body: &str, words: &'static [&'static str]) -> (Vec<String>, usize) {
        let class = read(&format!("class T {{ void t() {{ {body} }} }}")).unwrap();
        let mut judge = Words(words, 0);
        let found = shrink(class.tests[0].statements.clone().unwrap(), &mut judge).unwrap();
        (found.into_iter().map(|one| one.text).collect(), judge.1)
    }

    /// spec 001 rows 40 and 41, on source
    #[test]
    fn what_does_not_matter_goes_and_values_become_simple() {
        let body = "int n = other(); Cart c = Cart.of(n); c.add(1); Cart d = new Cart(); d.add(2); c.add(3); check(c);";
        let (found, waves) = shrunk(body, &["c.add(1)", "check(c)"]);
        assert_eq!(
            found,
            ["Cart c = new Cart();", "c.add(1);", "check(c);"],
            "the judge wants this argument"
        );
        assert!(waves < 20, "{waves}");
    }

    #[test]
    fn arguments_become_simple_and_what_they_needed_goes() {
        let body = "Box b = new Box(9); Cart c = new Cart(b, \"list\", 3); c.put(wrap(b), 77); check(c);";
        let (found, waves) = shrunk(body, &["c.put(", "check(c)"]);
        assert_eq!(found, ["Cart c = new Cart();", "c.put(0, 0);", "check(c);"]);
        assert!(waves < 20, "{waves}");
    }

    #[test]
    fn a_variable_goes_with_what_uses_it() {
        let (found, _) =
            shrunk("A a = new A(); B b = a.b(); b.go(); C c = new C(); c.fail();", &["c.fail()"]);
        assert_eq!(found, ["C c = new C();", "c.fail();"]);
        let (found, _) = shrunk("fail(\"x\");", &["fail(\"x\")"]);
        assert_eq!(found, ["fail(\"x\");"]);
    }
}
