//! What a new version of a file of ours says that the old one did not.
//!
//! In: two sources in our own layout. Out: [`Difference`]: tests added, removed, and those that make the same calls and
//! expect something else, which is where behaviour changed. Cases that share a method are compared one by one.

/// Names of tests.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Difference {
    pub added: Vec<String>,
    pub removed: Vec<String>,
    pub changed: Vec<Change>,
}

/// A test whose calls are the same and whose outcome is not.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Change {
    pub before: String,
    pub after: String,
    /// The first assertion that differs, as it was and as it is.
    pub was: String,
    pub is: String,
}

/// A case of a test.
struct Test {
    /// Of the method.
    name: String,
    lines: Vec<String>,
}

/// Compares; numbers at the end of names carry no meaning.
pub fn compare(old: &str, new: &str) -> Difference {
    let (mut old, mut new) = (cases(old), cases(new));
    drop_pairs(&mut old, &mut new, |a, b| a.lines == b.lines);
    let mut changed = Vec::new();
    let pairs = drop_pairs(&mut old, &mut new, |a, b| calls(&a.lines) == calls(&b.lines));
    for (before, after) in pairs {
        let differs = before.lines.iter().zip(&after.lines).find(|(a, b)| a != b);
        let (was, is) = differs.map(|(a, b)| (a.clone(), b.clone())).unwrap_or_default();
        changed.push(Change { before: before.name, after: after.name, was, is });
    }
    let names = |tests: Vec<Test>| {
        let mut names: Vec<String> = tests.into_iter().map(|test| test.name).collect();
        names.dedup();
        names
    };
    Difference { added: names(new), removed: names(old), changed }
}

/// Takes out the tests of both sides that fit each other.
fn drop_pairs(
    old: &mut Vec<Test>,
    new: &mut Vec<Test>,
    fits: impl Fn(&Test, &Test) -> bool,
) -> Vec<(Test, Test)> {
    let mut pairs = Vec::new();
    let mut at = 0;
    while at < old.len() {
        match new.iter().position(|other| fits(&old[at], other)) {
            Some(found) => pairs.push((old.remove(at), new.remove(found))),
            None => at += 1,
        }
    }
    pairs
}

/// Cases of all methods: paragraphs, and single assertions that need no variable.
fn cases(source: &str) -> Vec<Test> {
    let mut found = Vec::new();
    for Test { name, lines } in methods(source) {
        for paragraph in lines.split(|line| line.is_empty()) {
            let is_list = paragraph.iter().all(|line| line.starts_with("assert") && line.ends_with(");"));
            let size = if is_list { 1 } else { paragraph.len().max(1) };
            let parts = paragraph.chunks(size);
            found.extend(parts.map(|lines| Test { name: name.clone(), lines: lines.to_vec() }));
        }
    }
    found
}

/// Test methods of our own layout: a head with four spaces, the end with four spaces and a brace.
fn methods(source: &str) -> Vec<Test> {
    let mut found: Vec<Test> = Vec::new();
    let mut inside = false;
    for line in source.lines().map(str::trim_end) {
        let head = line.strip_prefix("    ").filter(|rest| !rest.starts_with(' '));
        let name = head.and_then(|head| {
            let head = head.strip_prefix("public ").unwrap_or(head).strip_prefix("void ")?;
            head.split_once('(').map(|(name, _)| name.to_owned())
        });
        match (name, head) {
            (Some(name), _) => {
                found.push(Test { name, lines: Vec::new() });
                inside = true;
            }
            (None, Some("}")) => inside = false,
            _ => {
                if let (true, Some(test)) = (inside, found.last_mut()) {
                    push(&mut test.lines, line.trim_start());
                }
            }
        }
    }
    found
}

/// Adds a line, to the statement before if that is not over yet.
fn push(lines: &mut Vec<String>, line: &str) {
    let is_over =
        |last: &String| last.is_empty() || last.starts_with("//") || last.ends_with([';', '{', '}']);
    match lines.last_mut().filter(|last| !is_over(last) && !line.is_empty()) {
        Some(last) => {
            last.push(' ');
            last.push_str(line);
        }
        None => lines.push(line.to_owned()),
    }
}

/// What is called, without what is expected of it.
fn calls(lines: &[String]) -> Vec<&str> {
    lines.iter().map(|line| subject(line)).filter(|call| !call.is_empty()).collect()
}

/// The expression an assertion is about; other statements are about themselves.
fn subject(line: &str) -> &str {
    let line = line.trim_end_matches(';');
    // `Type thrown = assertThrows(…)` is an assertion too.
    let Some(at) = line.find("assert").filter(|at| *at == 0 || line[..*at].ends_with(" = ")) else {
        return line;
    };
    let Some((name, inside)) = line[at..].split_once('(') else { return line };
    let inside = inside.strip_suffix(')').unwrap_or(inside);
    let parts = arguments(inside);
    match (name, parts.as_slice()) {
        (_, [_, second, ..]) if second.starts_with("assertThrows(") && second.ends_with(").getMessage()") => {
            subject(second.trim_end_matches(".getMessage()"))
        }
        // What a message says is expectation, not a call.
        (_, [_, second, ..]) if second.ends_with(".getMessage()") => "",
        ("assertThrows", [_, second, ..]) => second.trim_start_matches("() -> "),
        (_, [only]) => only,
        (_, [_, second, ..]) => second.trim_start_matches("(Object) "),
        (_, []) => line,
    }
}

/// Splits at commas that stand outside of brackets and quotes.
fn arguments(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0usize, 0);
    let mut quote: Option<char> = None;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            (None, _) => {}
        }
    }
    if !text.trim().is_empty() {
        parts.push(text[start..].trim());
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(tests: &[(&str, &str)]) -> String {
        let methods: Vec<String> = tests
            .iter()
            .map(|(name, body)| format!("    @Test\n    void {name}() {{\n        {body}\n    }}\n"))
            .collect();
        format!("// x\nclass T {{\n{}}}\n", methods.join("\n"))
    }

    #[test]
    fn other_numbers_are_no_difference() {
        let old = class(&[("a", "f(1);"), ("a_2", "f(2);")]);
        let new = class(&[("a", "f(2);"), ("a_2", "f(1);")]);
        assert_eq!(compare(&old, &new), Difference::default());
    }

    #[test]
    fn the_same_calls_with_another_outcome_are_a_change() {
        let old = class(&[("add_returns3", "assertEquals(3, Calc.add(1, 2));"), ("gone", "g();")]);
        let new = class(&[
            ("add_throws", "assertThrows(Oops.class, () -> Calc.add(1, 2));"),
            ("fresh", "assertTrue(h(\"a, (b\"));"),
        ]);
        let difference = compare(&old, &new);
        assert_eq!(difference.added, ["fresh"]);
        assert_eq!(difference.removed, ["gone"]);
        assert_eq!(difference.changed.len(), 1);
        assert_eq!(difference.changed[0].was, "assertEquals(3, Calc.add(1, 2));");
    }

    #[test]
    fn true_and_false_of_one_call_are_a_change_and_messages_too() {
        let old = class(&[("x", "assertTrue(c.isEmpty());")]);
        let new = class(&[("y", "assertFalse(c.isEmpty());")]);
        assert_eq!(compare(&old, &new).changed.len(), 1);
        let thrown = |text: &str| {
            class(&[(
                "t",
                &format!(
                    "E thrown = assertThrows(E.class, () -> f(\"x\"));\n        assertEquals({text}, thrown.getMessage());"
                ),
            )])
        };
        assert_eq!(compare(&thrown("\"a\""), &thrown("\"b\"")).changed.len(), 1);
        let at_once = |text: &str| {
            class(&[("t", &format!("assertEquals({text}, assertThrows(E.class, () -> f(1)).getMessage());"))])
        };
        assert_eq!(compare(&at_once("\"a\""), &at_once("\"b\"")).changed.len(), 1);
    }

    #[test]
    fn cases_that_share_a_method_are_compared_one_by_one() {
        let old = class(&[(
            "f",
            "assertEquals(1, f(1));\n        assertEquals(2, f(2));\n\n        C c = g();\n        assertNull(c.h());",
        )]);
        let new = class(&[
            ("f", "assertEquals(3, f(2));\n        assertEquals(1, f(1));"),
            ("h", "C c = g();\n        assertNull(c.h());"),
        ]);
        let difference = compare(&old, &new);
        assert_eq!((difference.added.len(), difference.removed.len()), (0, 0));
        assert_eq!(difference.changed.len(), 1);
        assert_eq!(difference.changed[0].is, "assertEquals(3, f(2));");
    }

    #[test]
    fn other_calls_in_a_statement_of_two_lines_are_no_change() {
        let at = |text: &str, call: &str| {
            let thrown = format!("assertThrows(E.class, () -> {call}).getMessage());");
            class(&[("t", &format!("assertEquals({text},\n                {thrown}"))])
        };
        let other = compare(&at("\"a\"", "f(1)"), &at("\"a\"", "f(2)"));
        assert_eq!((other.changed.len(), other.added.len(), other.removed.len()), (0, 1, 1));
        let changed = compare(&at("\"a\"", "f(1)"), &at("\"b\"", "f(1)")).changed;
        assert_eq!(changed[0].is, "assertEquals(\"b\", assertThrows(E.class, () -> f(1)).getMessage());");
    }

    #[test]
    fn commas_inside_of_quotes_and_brackets_do_not_split() {
        assert_eq!(arguments(r#"",\"", f(a, b), ',', new int[] {1, 2}"#).len(), 4);
        assert_eq!(arguments(""), Vec::<&str>::new());
    }
}
