//! What is written inside a statement: arguments that a simpler expression could stand in for.
//!
//! In: the text of a statement. Out: texts with one argument replaced, simplest first: by a literal, by a new object, by a constructor without
//! arguments, by a part of the argument itself. Whether one compiles and fails in the same way is for the judge to say; null is never
//! tried, since a null that was put there explains too much.

use std::ops::Range;

use super::java::{Kind, Token, tokens};

/// Texts of a statement, each with one simpler argument.
pub fn simpler_texts(text: &str) -> Vec<String> {
    let Ok(all) = tokens(text) else { return Vec::new() };
    let now = complexity(text);
    let mut found = Vec::new();
    for place in arguments(&all) {
        let span = span(&all[place.clone()]);
        for value in simpler(text, &all, &place) {
            let changed = format!("{}{value}{}", &text[..span.start], &text[span.end..]);
            if complexity(&changed) < now && !found.contains(&changed) {
                found.push(changed);
            }
        }
    }
    found
}

/// How much there is to read: tokens, then names and how far literals are from the simplest.
pub fn complexity(text: &str) -> (usize, usize) {
    let Ok(all) = tokens(text) else { return (usize::MAX, 0) };
    let far = |token: &Token| match (&text[token.span.clone()], token.kind) {
        ("0" | "\"\"" | "false", _) => 0,
        ("1" | "\"a\"" | "'a'" | "true", _) | (_, Kind::Word) => 1,
        (other, Kind::Literal) => 2 + other.len(),
        (_, Kind::Sign(_)) => 0,
    };
    (all.len(), all.iter().map(far).sum())
}

/// Places of arguments of calls, as ranges of tokens; outer ones first.
fn arguments(all: &[Token]) -> Vec<Range<usize>> {
    (1..all.len())
        .filter(|&at| all[at].kind == Kind::Sign(b'(') && is_callee(&all[at - 1]))
        .flat_map(|open| split(all, open))
        .collect()
}

/// Whether what stands before a parenthesis can be called.
fn is_callee(before: &Token) -> bool {
    before.kind == Kind::Word || before.kind == Kind::Sign(b'>')
}

/// The arguments between a parenthesis and its partner.
fn split(all: &[Token], open: usize) -> Vec<Range<usize>> {
    let (mut depth, mut from, mut found) = (0usize, open + 1, Vec::new());
    for (at, token) in all.iter().enumerate().skip(open) {
        match token.kind {
            Kind::Sign(b'(' | b'{' | b'[') => depth += 1,
            Kind::Sign(b')' | b'}' | b']') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    found.push(from..at);
                    break;
                }
            }
            Kind::Sign(b',') if depth == 1 => {
                found.push(from..at);
                from = at + 1;
            }
            _ => {}
        }
    }
    found.retain(|place| !place.is_empty());
    found
}

fn span(all: &[Token]) -> Range<usize> {
    let (first, last) = (all.first().expect("not empty"), all.last().expect("not empty"));
    first.span.start..last.span.end
}

/// Expressions that could stand in for the one at a place.
fn simpler(text: &str, all: &[Token], place: &Range<usize>) -> Vec<String> {
    let own = &all[place.clone()];
    let written = |tokens: &[Token]| text[span(tokens)].to_owned();
    let mut found: Vec<String> =
        ["0", "1", "\"\"", "\"a\"", "'a'", "false", "new Object()"].map(str::to_owned).to_vec();
    let Some(open) = own.iter().position(|token| token.kind == Kind::Sign(b'(')) else { return found };
    let is_new = text[own[0].span.clone()] == *"new";
    if is_new && open > 1 {
        found.push(format!("{}()", written(&own[..open])));
    }
    // Parts of it: what it was called on, and what it was called with.
    let calls = (1..own.len()).filter(|&at| own[at].kind == Kind::Sign(b'.'));
    found.extend(calls.filter(|&at| is_balanced(&own[..at])).map(|at| written(&own[..at])));
    let called = (1..own.len()).filter(|&at| own[at].kind == Kind::Sign(b'(') && is_callee(&own[at - 1]));
    found.extend(called.flat_map(|at| split(own, at)).map(|inner| written(&own[inner])));
    found
}

fn is_balanced(all: &[Token]) -> bool {
    let open = all.iter().filter(|token| matches!(token.kind, Kind::Sign(b'(' | b'{' | b'['))).count();
    let closed = all.iter().filter(|token| matches!(token.kind, Kind::Sign(b')' | b'}' | b']'))).count();
    open == closed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_become_literals_new_objects_and_their_own_parts() {
        let found = simpler_texts("a.add(new Box(first(x), 7), \"text\");");
        for expected in [
            "a.add(0, \"text\");",
            "a.add(new Object(), \"text\");",
            "a.add(new Box(), \"text\");",
            "a.add(first(x), \"text\");",
            "a.add(x, \"text\");",
            "a.add(new Box(first(x), 0), \"text\");",
            "a.add(new Box(first(x), 7), \"\");",
        ] {
            assert!(found.iter().any(|one| one == expected), "{expected}: {found:#?}");
        }
        assert!(found.iter().all(|one| !one.contains("null")), "{found:#?}");
    }

    #[test]
    fn chains_lose_their_ends() {
        let found = simpler_texts("f(cart.items().get(3).name());");
        assert!(found.contains(&"f(cart.items().get(3));".to_owned()), "{found:#?}");
        assert!(found.contains(&"f(cart);".to_owned()), "{found:#?}");
    }

    #[test]
    fn the_simplest_stays() {
        assert_eq!(simpler_texts("a.add(0);"), Vec::<String>::new());
        assert_eq!(simpler_texts("a.add(\"\");"), Vec::<String>::new());
        assert_eq!(simpler_texts("a.go();"), Vec::<String>::new());
        let one = simpler_texts("a.add(1);");
        assert!(
            one.contains(&"a.add(0);".to_owned()) && one.iter().all(|text| !text.contains("'a'")),
            "{one:?}"
        );
    }
}
