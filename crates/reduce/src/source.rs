//! Java source without some of its methods.
//!
//! In: the text of a compilation unit, methods by class and name. Out: the text without them, their annotations and their comments; the
//! rest is untouched. Reads brackets, strings and comments, not the whole language: what it does not understand it leaves in.

use std::collections::BTreeSet;
use std::ops::Range;

/// A method as its class file has it: `Outer$Inner` without package, and its name. All methods of the name are meant.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceMethod {
    pub class: String,
    pub name: String,
}

/// A source with methods taken out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thinned {
    pub text: String,
    pub removed: BTreeSet<SourceMethod>,
}

/// Takes methods out of a source.
pub fn without_methods(text: &str, unwanted: &BTreeSet<SourceMethod>) -> Thinned {
    let tokens = tokens(text);
    let mut members = Members { text, tokens: &tokens, unwanted, cuts: Vec::new(), removed: BTreeSet::new() };
    members.types(0..tokens.len(), "");
    let Members { cuts, removed, .. } = members;
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for cut in cuts {
        out.push_str(&text[from..cut.start]);
        from = cut.end;
    }
    out.push_str(&text[from..]);
    Thinned { text: out, removed }
}

/// A word, a literal or a sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Token<'a> {
    text: &'a str,
    start: usize,
    end: usize,
}

/// Splits a source, comments left out.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        let end = if rest.starts_with("//") {
            at = rest.find('\n').map_or(bytes.len(), |length| at + length);
            continue;
        } else if rest.starts_with("/*") {
            at = rest.find("*/").map_or(bytes.len(), |length| at + length + 2);
            continue;
        } else if let Some(block) = rest.strip_prefix("\"\"\"") {
            at + 3 + closing(block, "\"\"\"")
        } else if let Some(string) = rest.strip_prefix('"') {
            at + 1 + closing(string, "\"")
        } else if let Some(character) = rest.strip_prefix('\'') {
            at + 1 + closing(character, "'")
        } else {
            let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
            let length = rest.chars().take_while(|c| is_word(*c)).map(char::len_utf8).sum::<usize>();
            at + length.max(rest.chars().next().map_or(1, char::len_utf8))
        };
        let token = Token { text: &text[at..end], start: at, end };
        if !token.text.trim().is_empty() {
            found.push(token);
        }
        at = end;
    }
    found
}

/// Where a literal ends, its closing sign included; a backslash hides what follows it.
fn closing(text: &str, sign: &str) -> usize {
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with(sign) {
            return at + sign.len();
        }
        let mut characters = rest.chars();
        let first = characters.next().map_or(1, char::len_utf8);
        at += first;
        if rest.starts_with('\\') {
            at += characters.next().map_or(0, char::len_utf8);
        }
    }
    text.len()
}

struct Members<'a> {
    text: &'a str,
    tokens: &'a [Token<'a>],
    unwanted: &'a BTreeSet<SourceMethod>,
    cuts: Vec<Range<usize>>,
    removed: BTreeSet<SourceMethod>,
}

/// What stands between the end of one member and the end of the next.
enum Member {
    /// A type of its own; its body's tokens.
    Type {
        name: String,
        body: Range<usize>,
        is_enum: bool,
    },
    Method {
        name: String,
    },
    Other,
}

impl Members<'_> {
    /// Goes through the members among some tokens, of a class or of the file itself.
    fn types(&mut self, range: Range<usize>, outer: &str) {
        let mut at = range.start;
        while at < range.end {
            let (member, end) = self.member(at, range.end);
            match member {
                Member::Type { name, body, is_enum: false } => {
                    let class = if outer.is_empty() { name } else { format!("{outer}${name}") };
                    self.types(body, &class);
                }
                Member::Method { name } => {
                    let method = SourceMethod { class: outer.to_owned(), name };
                    if self.unwanted.contains(&method) {
                        self.cuts.push(self.cut(at, end));
                        self.removed.insert(method);
                    }
                }
                Member::Type { .. } | Member::Other => {}
            }
            at = end;
        }
    }

    /// Bytes of a member from the end of what is before it, so that its comments go too.
    fn cut(&self, first: usize, end: usize) -> Range<usize> {
        let last = self.tokens[end - 1].end;
        let before = if first == 0 { 0 } else { self.tokens[first - 1].end };
        // A comment behind the member before it, on the same line, stays.
        let gap = &self.text[before..self.tokens[first].start];
        let start = before + gap.find('\n').unwrap_or(0);
        start..last
    }

    /// The member that begins at a token, and the token behind it.
    fn member(&self, first: usize, limit: usize) -> (Member, usize) {
        let text = |at: usize| if at < limit { self.tokens[at].text } else { "" };
        let mut kind: Option<Member> = None;
        let mut at = first;
        while at < limit {
            match text(at) {
                ";" => return (kind.unwrap_or(Member::Other), at + 1),
                "@" if text(at + 1) != "interface" => {
                    at += 2;
                    while text(at) == "." {
                        at += 2;
                    }
                    if text(at) == "(" {
                        at = self.closed(at, limit);
                    }
                }
                // A field: its value may have any brackets.
                "=" => return (Member::Other, self.statement(at, limit)),
                "{" => {
                    let end = self.closed(at, limit);
                    let kind = match kind {
                        Some(Member::Type { name, is_enum, .. }) => {
                            Member::Type { name, is_enum, body: at + 1..end.saturating_sub(1) }
                        }
                        Some(other) => other,
                        None => Member::Other,
                    };
                    return (kind, end);
                }
                "(" | "[" => {
                    let before = if at > first { text(at - 1) } else { "" };
                    if text(at) == "(" && kind.is_none() && is_name(before) {
                        kind = Some(Member::Method { name: before.to_owned() });
                    }
                    at = self.closed(at, limit);
                }
                word @ ("class" | "interface" | "enum" | "record")
                    if kind.is_none()
                        && is_name(text(at + 1))
                        && (word != "record" || matches!(text(at + 2), "(" | "<")) =>
                {
                    let name = text(at + 1).to_owned();
                    kind = Some(Member::Type { name, body: 0..0, is_enum: word == "enum" });
                    at += 2;
                }
                _ => at += 1,
            }
        }
        (Member::Other, limit)
    }

    /// The token behind the bracket that closes the one at `at`.
    fn closed(&self, at: usize, limit: usize) -> usize {
        let mut depth = 0usize;
        for (place, token) in self.tokens[at..limit].iter().enumerate() {
            match token.text {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return at + place + 1;
            }
        }
        limit
    }

    /// The token behind the semicolon that ends a statement.
    fn statement(&self, mut at: usize, limit: usize) -> usize {
        while at < limit {
            match self.tokens[at].text {
                ";" => return at + 1,
                "(" | "[" | "{" => at = self.closed(at, limit),
                _ => at += 1,
            }
        }
        limit
    }
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$')
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    const SOURCE: &str = r#"package a;

import java.util.*;

/** A test class. */
@Tag("x{")
class CartTest {
    private final Map<String, int[]> map = new HashMap<>() {{ put("}", new int[] {1}); }}; // stays

    /** Goes: "adds(". */
    @Test
    @ParameterizedTest(name = "{0}")
    @ValueSource(ints = {4, 4})
    <T extends Comparable<T>> void adds(int value) throws Exception {
        String text = """
            } " adds(
            """;
        char brace = '}';
    }

    static { init(); }

    @Test void stays() { if (true) { adds(1); } }

    @Nested
    class Inner {
        // Goes too.
        @Test
        void adds() {}

        @Test
        void other() { Runnable r = () -> { }; }
    }

    enum Kind { ONE { void adds() {} }; }

    record Pair(int a, int b) { void adds() {} }
}
"#;

    fn check(methods: &[(&str, &str)], expected: expect_test::Expect) {
        let unwanted = methods
            .iter()
            .map(|(class, name)| SourceMethod { class: (*class).into(), name: (*name).into() })
            .collect();
        let thinned = without_methods(SOURCE, &unwanted);
        let old: Vec<&str> = SOURCE.lines().collect();
        let gone: Vec<&str> = {
            let mut new = thinned.text.lines().peekable();
            old.into_iter()
                .filter(|line| if new.peek() == Some(line) { new.next().is_none() } else { true })
                .collect()
        };
        let gone: String = gone
            .iter()
            .map(|line| line.trim())
            .filter(|line| !line.is_empty())
            .map(|line| format!("{line}\n"))
            .collect();
        expected.assert_eq(&gone);
    }

    #[test]
    fn methods_go_with_their_annotations_and_comments() {
        check(
            &[("CartTest", "adds"), ("CartTest", "absent")],
            expect![[r#"
                /** Goes: "adds(". */
                @Test
                @ParameterizedTest(name = "{0}")
                @ValueSource(ints = {4, 4})
                <T extends Comparable<T>> void adds(int value) throws Exception {
                String text = """
                } " adds(
                """;
                char brace = '}';
                }
            "#]],
        );
    }

    #[test]
    fn nested_classes_are_classes_of_their_own() {
        check(
            &[("CartTest$Inner", "adds")],
            expect![[r#"
                // Goes too.
                @Test
                void adds() {}
            "#]],
        );
    }

    #[test]
    fn nothing_wanted_changes_nothing() {
        let thinned = without_methods(SOURCE, &BTreeSet::new());
        assert_eq!((thinned.text.as_str(), thinned.removed.len()), (SOURCE, 0));
        assert_eq!(
            without_methods("class A { void f() { \"", &BTreeSet::new()).text,
            "class A { void f() { \""
        );
    }
}
