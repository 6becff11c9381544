//! Lines of a readable width.
//!
//! In: statements of any width, with line breaks where the text needs them. Out: lines broken after `=`, at commas and before `+`.
//! Never breaks inside a literal; a literal too wide for a line stays whole.

/// Columns a line may have.
pub(crate) const WIDTH: usize = 110;

const CONTINUATION: usize = 8;

/// Breaks a statement that stands at this column.
pub(crate) fn wrap(statement: &str, column: usize) -> Vec<String> {
    let mut out = Vec::new();
    for line in statement.split('\n') {
        let own = line.len() - line.trim_start().len();
        let body = &line[own..];
        out.extend(
            wrap_line(body, column + own).into_iter().map(|piece| format!("{}{piece}", " ".repeat(own))),
        );
    }
    out
}

/// Whether a statement fits on its lines at this column without a break.
pub(crate) fn fits(statement: &str, column: usize) -> bool {
    statement.split('\n').all(|line| column + line.len() <= WIDTH)
}

fn wrap_line(line: &str, column: usize) -> Vec<String> {
    if column + line.len() <= WIDTH {
        return vec![line.to_owned()];
    }
    let marks = marks(line);
    if let Some(at) = marks.assign
        && at + 2 < line.len()
        && column + CONTINUATION + line[at + 2..].len() <= WIDTH
    {
        let rest = wrap_line(&line[at + 2..], column + CONTINUATION);
        return indented(line[..at + 1].to_owned(), rest);
    }
    let Some(depth) = marks.breaks.iter().map(|mark| mark.depth).min() else {
        return after_bracket(line, &marks.brackets, column);
    };
    let cuts: Vec<usize> =
        marks.breaks.iter().filter(|mark| mark.depth == depth).map(|mark| mark.at).collect();
    let pieces = fill(line, &cuts, column);
    if pieces.len() == 1 {
        return after_bracket(line, &marks.brackets, column);
    }
    let mut out = Vec::new();
    for (at, piece) in pieces.iter().enumerate() {
        let column = if at == 0 { column } else { column + CONTINUATION };
        let lines = wrap_line(piece, column);
        let indent = if at == 0 { 0 } else { CONTINUATION };
        out.extend(lines.into_iter().map(|line| format!("{}{line}", " ".repeat(indent))));
    }
    out
}

/// Breaks after the first bracket behind which everything fits, else after the last: what stands there is a literal that is wide by itself.
fn after_bracket(line: &str, brackets: &[usize], column: usize) -> Vec<String> {
    let indent = column + CONTINUATION;
    let fits = |at: usize| indent + line[at..].len() <= WIDTH && column + at <= WIDTH;
    let cut = brackets.iter().copied().find(|&at| fits(at)).or(brackets.last().copied());
    // A line that begins with the literal gains nothing.
    match cut.filter(|&at| at > CONTINUATION) {
        Some(at) => {
            let rest = match fits(at) {
                true => vec![line[at..].to_owned()],
                false => wrap_line(&line[at..], indent),
            };
            indented(line[..at].to_owned(), rest)
        }
        None => vec![line.to_owned()],
    }
}

fn indented(first: String, rest: Vec<String>) -> Vec<String> {
    let rest = rest.into_iter().map(|line| format!("{}{line}", " ".repeat(CONTINUATION)));
    std::iter::once(first).chain(rest).collect()
}

/// Cuts a line at some of the places, as few as will do.
fn fill(line: &str, cuts: &[usize], column: usize) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    let mut start = 0;
    let mut last = None;
    for &cut in cuts.iter().chain([&line.len()]) {
        let indent = if pieces.is_empty() { column } else { column + CONTINUATION };
        if let Some(before) = last
            && indent + line[start..cut].trim_end().len() > WIDTH
        {
            pieces.push(line[start..before].trim_end().to_owned());
            start = before;
        }
        last = Some(cut);
    }
    pieces.push(line[start..].to_owned());
    pieces
}

struct Mark {
    /// A new line may start here.
    at: usize,
    /// Brackets open around it.
    depth: usize,
}

struct Marks {
    /// Of ` = ` outside brackets: where the `=` is.
    assign: Option<usize>,
    breaks: Vec<Mark>,
    /// Where what is in a bracket begins.
    brackets: Vec<usize>,
}

fn marks(line: &str) -> Marks {
    let bytes = line.as_bytes();
    let mut found = Marks { assign: None, breaks: Vec::new(), brackets: Vec::new() };
    let (mut depth, mut quote, mut at) = (0usize, None, 0);
    while at < bytes.len() {
        match (quote, bytes[at]) {
            (Some(_), b'\\') => at += 1,
            (Some(open), byte) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, byte @ (b'"' | b'\'')) => quote = Some(byte),
            (None, open @ (b'(' | b'{' | b'[')) => {
                depth += 1;
                // Of a call, not of a cast.
                let is_call = at > 0
                    && matches!(bytes[at - 1], b'_' | b'$' | b'>' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z');
                if open == b'(' && is_call && !matches!(bytes.get(at + 1), None | Some(b')')) {
                    found.brackets.push(at + 1);
                }
            }
            (None, b')' | b'}' | b']') => depth = depth.saturating_sub(1),
            (None, b',') if depth > 0 && bytes.get(at + 1) == Some(&b' ') => {
                found.breaks.push(Mark { at: at + 2, depth });
            }
            (None, b'+') if line[at..].starts_with("+ \"") && at > 0 => found.breaks.push(Mark { at, depth }),
            (None, b'=') if depth == 0 && found.assign.is_none() && line[at..].starts_with("= ") => {
                found.assign = Some(at);
            }
            _ => {}
        }
        at += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(statement: &str, expected: Expect) {
        let lines: String = wrap(statement, 8).into_iter().map(|line| format!("{line}\n")).collect();
        assert!(lines.lines().all(|line| 8 + line.len() <= WIDTH), "{lines}");
        expected.assert_eq(&lines);
    }

    #[test]
    fn an_assignment_breaks_after_its_sign() {
        check(
            "IllegalArgumentException thrown = assertThrows(IllegalArgumentException.class, () -> fraction.divideBy(other));",
            expect![[r#"
                        IllegalArgumentException thrown =
                                assertThrows(IllegalArgumentException.class, () -> fraction.divideBy(other));
            "#]],
        );
    }

    #[test]
    fn a_wide_literal_starts_a_line() {
        let wide = "x".repeat(84);
        check(
            &format!("Builder builder = new Builder(\"{wide}\");"),
            expect![[r#"
                Builder builder = new Builder(
                        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
            "#]],
        );
        let wide = "x".repeat(70);
        check(
            &format!("assertThrows(Exception.class, () -> Lookup.INSTANCE.lookup((Object) \"{wide}\"));"),
            expect![[r#"
                assertThrows(Exception.class,
                        () -> Lookup.INSTANCE.lookup(
                                (Object) "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"));
            "#]],
        );
    }

    #[test]
    fn arguments_fill_lines() {
        let numbers: Vec<String> = (0..60).map(|at| (at * 7).to_string()).collect();
        check(
            &format!(
                "assertArrayEquals(new byte[] {{{}}}, codec.encode(\"a, b(\", other));",
                numbers.join(", ")
            ),
            expect![[r#"
                assertArrayEquals(new byte[] {0, 7, 14, 21, 28, 35, 42, 49, 56, 63, 70, 77, 84, 91, 98, 105, 112, 119,
                        126, 133, 140, 147, 154, 161, 168, 175, 182, 189, 196, 203, 210, 217, 224, 231, 238, 245, 252,
                        259, 266, 273, 280, 287, 294, 301, 308, 315, 322, 329, 336, 343, 350, 357, 364, 371, 378, 385,
                        392, 399, 406, 413},
                        codec.encode("a, b(", other));
            "#]],
        );
    }
}
