//! As much of Java as a straight-line test needs.
//!
//! In: the source of a test class. Out: its tests as lists of statements, and what is around them. What is not understood is refused with a
//! reason, never guessed.

use std::collections::BTreeSet;
use std::ops::Range;

/// A token that matters: comments and blanks are skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Word,
    Literal,
    Sign(u8),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub kind: Kind,
    pub span: Range<usize>,
}

/// One statement, with the comments before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    pub text: String,
    /// The variable it declares, and its type as written.
    pub declares: Option<(String, String)>,
    /// Where the initialiser of a declaration is.
    pub value: Option<Range<usize>>,
    /// Names it mentions.
    pub names: BTreeSet<String>,
}

/// A test method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestMethod {
    pub name: String,
    /// Between its braces.
    pub body: Range<usize>,
    /// Its statements, or why it is left alone.
    pub statements: Result<Vec<Statement>, String>,
}

/// A test class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestClass {
    pub package: String,
    pub name: String,
    /// All before the members, the opening brace included.
    pub head: Range<usize>,
    /// Members that are no tests.
    pub others: Vec<Range<usize>>,
    pub tests: Vec<TestMethod>,
}

/// Annotations that have a test run with more than its own code.
const LIFE_CYCLE: [&str; 14] = [
    "BeforeEach",
    "AfterEach",
    "Before",
    "After",
    "BeforeAll",
    "AfterAll",
    "BeforeClass",
    "AfterClass",
    "Rule",
    "ClassRule",
    "ExtendWith",
    "RunWith",
    "RegisterExtension",
    "TempDir",
];

/// Words that begin statements which are not straight on.
const BRANCHING: [&str; 17] = [
    "if",
    "for",
    "while",
    "do",
    "switch",
    "try",
    "synchronized",
    "return",
    "throw",
    "break",
    "continue",
    "yield",
    "class",
    "interface",
    "enum",
    "record",
    "else",
];

/// The tokens of a text.
pub fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let rest = &text[at..];
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        if rest.starts_with("/*") {
            at += rest.find("*/").ok_or("a comment has no end")? + 2;
            continue;
        }
        let c = rest.chars().next().expect("not at the end");
        let kind = if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        } else if let Some(inside) = rest.strip_prefix("\"\"\"") {
            at += 3 + closing(inside, "\"\"\"")?;
            Kind::Literal
        } else if c == '"' || c == '\'' {
            at += 1 + closing(&rest[1..], if c == '"' { "\"" } else { "'" })?;
            Kind::Literal
        } else if c.is_alphabetic() || c == '_' || c == '$' {
            at += rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).unwrap_or(rest.len());
            Kind::Word
        } else if c.is_ascii_digit() {
            at += rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).unwrap_or(rest.len());
            Kind::Literal
        } else if c.is_ascii() {
            at += 1;
            Kind::Sign(c as u8)
        } else {
            return Err(format!("`{c}` is not expected in Java"));
        };
        found.push(Token { kind, span: start..at });
    }
    Ok(found)
}

/// Bytes up to and with the closing quote; escapes are skipped.
fn closing(text: &str, quote: &str) -> Result<usize, String> {
    let mut at = 0;
    while at < text.len() {
        if text[at..].starts_with(quote) {
            return Ok(at + quote.len());
        }
        let c = text[at..].chars().next().expect("not at the end");
        at += c.len_utf8();
        if c == '\\' {
            at += text[at..].chars().next().map_or(0, char::len_utf8);
        }
    }
    Err("a literal has no end".into())
}

/// Reads a class.
pub fn read(text: &str) -> Result<TestClass, String> {
    let all = tokens(text)?;
    let word = |at: usize| {
        all.get(at).filter(|token| token.kind == Kind::Word).map(|token| &text[token.span.clone()])
    };
    let class_at = (0..all.len())
        .find(|&at| word(at) == Some("class") && (at == 0 || all[at - 1].kind != Kind::Sign(b'.')))
        .ok_or("there is no class in it")?;
    let name = word(class_at + 1).ok_or("the class has no name")?.to_owned();
    let open =
        (class_at..all.len()).find(|&at| all[at].kind == Kind::Sign(b'{')).ok_or("the class has no body")?;
    let close = matching(&all, open).ok_or("a brace is missing")?;
    if close + 1 < all.len() {
        return Err("it holds more than one top-level type".into());
    }
    let annotated = all[..open]
        .windows(2)
        .any(|pair| pair[0].kind == Kind::Sign(b'@') && LIFE_CYCLE.contains(&&text[pair[1].span.clone()]));
    if annotated {
        return Err("the class is run by an extension or runner of its own".into());
    }
    let package = package(text, &all);
    let is_junit = text.contains("org.junit");
    let mut class =
        TestClass { package, name, head: 0..all[open].span.end, others: Vec::new(), tests: Vec::new() };
    let mut at = open + 1;
    while at < close {
        let end = member_end(&all, at, close).ok_or("a member of the class has no end")?;
        member(text, &all[at..=end], is_junit, &mut class)?;
        at = end + 1;
    }
    Ok(class)
}

fn package(text: &str, all: &[Token]) -> String {
    let Some(at) = all.iter().position(|token| &text[token.span.clone()] == "package") else {
        return String::new();
    };
    let end = all[at..].iter().position(|token| token.kind == Kind::Sign(b';')).unwrap_or(1);
    all[at + 1..at + end].iter().map(|token| &text[token.span.clone()]).collect()
}

/// The bracket that closes the one at a place.
fn matching(all: &[Token], open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (at, token) in all.iter().enumerate().skip(open) {
        match token.kind {
            Kind::Sign(b'(' | b'{' | b'[') => depth += 1,
            Kind::Sign(b')' | b'}' | b']') => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

fn member_end(all: &[Token], from: usize, close: usize) -> Option<usize> {
    let mut at = from;
    let mut assigned = false;
    while at < close {
        match all[at].kind {
            Kind::Sign(b';') => return Some(at),
            Kind::Sign(b'=') => assigned = true,
            Kind::Sign(b'{') if !assigned => return matching(all, at),
            Kind::Sign(b'(' | b'{' | b'[') => at = matching(all, at)?,
            _ => {}
        }
        at += 1;
    }
    None
}

fn member(text: &str, all: &[Token], is_junit: bool, class: &mut TestClass) -> Result<(), String> {
    let words = |token: &Token| text[token.span.clone()].to_owned();
    let annotations: Vec<String> =
        all.windows(2).filter(|pair| pair[0].kind == Kind::Sign(b'@')).map(|pair| words(&pair[1])).collect();
    if let Some(found) = annotations.iter().find(|name| LIFE_CYCLE.contains(&name.as_str())) {
        return Err(format!("tests of a class with `@{found}` are more than their own statements"));
    }
    let whole = all[0].span.start..all[all.len() - 1].span.end;
    let void = all.iter().position(|token| words(token) == "void");
    let is_method = void.is_some_and(|at| {
        all.get(at + 2).is_some_and(|token| token.kind == Kind::Sign(b'('))
            && all.get(at + 3).is_some_and(|token| token.kind == Kind::Sign(b')'))
            && all[all.len() - 1].kind == Kind::Sign(b'}')
    });
    let (Some(at), true) = (void, is_method) else {
        class.others.push(whole);
        return Ok(());
    };
    let before: Vec<String> = all[..at].iter().map(words).collect();
    let is_test = annotations.iter().any(|name| name == "Test")
        || (!is_junit && !before.iter().any(|word| word == "static"));
    if !is_test {
        class.others.push(whole);
        return Ok(());
    }
    let open = all.iter().position(|token| token.kind == Kind::Sign(b'{')).ok_or("a method has no body")?;
    let body = all[open].span.end..all[all.len() - 1].span.start;
    let has_arguments = before.windows(2).any(|pair| pair[0] == "Test" && pair[1] == "(");
    let statements = if has_arguments {
        Err("its annotation `@Test` has arguments".into())
    } else {
        statements(text, &all[open + 1..all.len() - 1], body.start)
    };
    class.tests.push(TestMethod { name: words(&all[at + 1]), body, statements });
    Ok(())
}

/// Splits a body into statements, if it is straight.
fn statements(text: &str, all: &[Token], start: usize) -> Result<Vec<Statement>, String> {
    let mut found = Vec::new();
    let (mut first, mut depth, mut from) = (0, 0usize, start);
    for (at, token) in all.iter().enumerate() {
        match token.kind {
            Kind::Sign(b'(' | b'{' | b'[') => depth += 1,
            Kind::Sign(b')' | b'}' | b']') => depth = depth.saturating_sub(1),
            Kind::Sign(b';') if depth == 0 => {
                found.push(statement(text, &all[first..=at], from)?);
                from = token.span.end;
                first = at + 1;
            }
            _ => {}
        }
    }
    if let Some(rest) = all.get(first) {
        let word = &text[rest.span.clone()];
        let branches = BRANCHING.contains(&word);
        return Err(if branches { format!("it has `{word}`") } else { "it has a block of its own".into() });
    }
    if found.is_empty() {
        return Err("it is empty".into());
    }
    Ok(found)
}

/// Reads one statement anew, after its text was changed.
pub fn reread(text: &str) -> Option<Statement> {
    let all = tokens(text).ok().filter(|all| !all.is_empty())?;
    statement(text, &all, 0).ok()
}

fn statement(text: &str, all: &[Token], from: usize) -> Result<Statement, String> {
    let word = |token: &Token| &text[token.span.clone()];
    let first = word(&all[0]);
    if BRANCHING.contains(&first) || first == "{" {
        return Err(format!("it has `{first}`"));
    }
    let end = all[all.len() - 1].span.end;
    let raw = &text[from..end];
    let skipped = raw.len() - raw.trim_start().len();
    let offset = from + skipped;
    let mut names = BTreeSet::new();
    for (at, token) in all.iter().enumerate() {
        let is_member = at > 0 && all[at - 1].kind == Kind::Sign(b'.');
        if token.kind == Kind::Word && !is_member {
            names.insert(word(token).to_owned());
        }
    }
    let (declares, value) = declaration(text, all, offset);
    Ok(Statement { text: raw.trim_start().to_owned(), declares, value, names })
}

/// `Type name = value;` or `Type name;`.
fn declaration(text: &str, all: &[Token], offset: usize) -> (Option<(String, String)>, Option<Range<usize>>) {
    let word = |token: &Token| &text[token.span.clone()];
    let assign = all.iter().position(|token| token.kind == Kind::Sign(b'='));
    let end = assign.unwrap_or(all.len() - 1);
    let skip = usize::from(all.first().is_some_and(|token| word(token) == "final"));
    if end < skip + 2 {
        return (None, None);
    }
    let (name, before) = (&all[end - 1], &all[end - 2]);
    let is_type = |token: &Token| {
        let signs = |sign| b".<>[],?&".contains(&sign);
        matches!(token.kind, Kind::Word) || matches!(token.kind, Kind::Sign(sign) if signs(sign))
    };
    let is_end = before.kind == Kind::Word || matches!(before.kind, Kind::Sign(b'>' | b']'));
    let is_declaration = name.kind == Kind::Word
        && is_end
        && all[skip..end - 1].iter().all(is_type)
        && word(&all[skip]) != "new";
    if !is_declaration {
        return (None, None);
    }
    let ty = text[all[skip].span.start..before.span.end].to_owned();
    let value = assign.map(|at| all[at].span.end - offset..all[all.len() - 1].span.start - offset);
    (Some((word(name).to_owned(), ty)), value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(body: &str) -> TestClass {
        read(&format!("package a.b;\nimport org.junit.Test;\npublic class T {{\n int help() {{ return 1; }}\n @Test public void t() throws Exception {{ {body} }}\n}}\n"))
            .unwrap()
    }

    fn alone(body: &str) -> String {
        class(body).tests[0].statements.clone().unwrap_err()
    }

    #[test]
    fn straight_tests_are_lists_of_statements() {
        let class = class(
            "List<String> a = new ArrayList<>(); a.add(\"x;}\"); // c;\n int[] n = {1, 2}; a.b = n[0]; assertEquals(1, a.size());",
        );
        assert_eq!((class.package.as_str(), class.name.as_str(), class.others.len()), ("a.b", "T", 1));
        let statements = class.tests[0].statements.as_ref().unwrap();
        let declared: Vec<Option<&str>> =
            statements.iter().map(|one| one.declares.as_ref().map(|(name, _)| name.as_str())).collect();
        assert_eq!(declared, [Some("a"), None, Some("n"), None, None]);
        let value = statements[0].value.clone().unwrap();
        assert_eq!(statements[0].text[value].trim(), "new ArrayList<>()");
        assert!(statements[4].names.contains("a") && !statements[4].names.contains("size"));
    }

    #[test]
    fn what_branches_is_left_alone() {
        assert_eq!(alone("int n = 1; if (n > 0) { f(); }"), "it has `if`");
        assert_eq!(alone("f(); { g(); }"), "it has a block of its own");
        assert_eq!(alone("try { f(); } catch (Exception e) { } g();"), "it has `try`");
        assert_eq!(alone(""), "it is empty");
        let expecting =
            read("import org.junit.Test; class T { @Test(expected = E.class) public void t() { f(); } }")
                .unwrap();
        assert!(expecting.tests[0].statements.is_err());
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        assert!(read("interface I { }").is_err());
        assert!(read("class A { } class B { }").is_err());
        assert!(
            read(
                "import org.junit.jupiter.api.*; class A { @BeforeEach void b() { } @Test void t() { f(); } }"
            )
            .is_err()
        );
        assert!(read("class A { String s = \"x; }").is_err());
    }
}
