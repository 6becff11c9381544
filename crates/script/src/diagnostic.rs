//! Messages that point into a script.
//!
//! In: a message, the place, and what may help. Out: text with the source line and a caret below the place.
//! The form is the same with and without a terminal; colour is never needed to read it.

use std::fmt::Write;

/// Bytes `start..end` of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub(crate) fn new(start: usize, end: usize) -> Self {
        Span { start: start as u32, end: end as u32 }
    }

    /// From the beginning of this one to the end of the other.
    pub(crate) fn to(self, other: Span) -> Span {
        Span { start: self.start, end: other.end.max(self.end) }
    }

    /// The text it covers.
    pub fn of(self, text: &str) -> &str {
        &text[self.start as usize..self.end as usize]
    }
}

/// Line and column, both from 1; columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    pub line: u32,
    pub column: u32,
}

impl Position {
    /// The place of a byte offset.
    pub fn of(text: &str, offset: u32) -> Position {
        let before = &text[..offset as usize];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Position {
            line: before.matches('\n').count() as u32 + 1,
            column: before[line_start..].chars().count() as u32 + 1,
        }
    }
}

/// How bad it is. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The script cannot run.
    Error,
    /// It runs, but perhaps not as meant.
    Warning,
    /// Worth knowing.
    Note,
}

impl Severity {
    /// The word that begins the message.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// One message about one place of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    pub severity: Severity,
    pub message: String,
    pub span: Span,
    /// Stands behind the caret.
    pub label: Option<String>,
    /// Lines that belong to the message, such as candidates.
    pub details: Vec<String>,
    /// Ways out.
    pub hints: Vec<String>,
}

impl Diagnostic {
    fn new(severity: Severity, span: Span, message: impl Into<String>) -> Self {
        let message = message.into();
        Diagnostic { severity, message, span, label: None, details: Vec::new(), hints: Vec::new() }
    }

    pub(crate) fn error(span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, span, message)
    }

    pub(crate) fn note(span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Note, span, message)
    }

    pub(crate) fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    pub(crate) fn detail(mut self, detail: impl Into<String>) -> Self {
        self.details.push(detail.into());
        self
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// The whole message, ending in a line break.
    pub fn render(&self, file: &str, text: &str) -> String {
        let at = Position::of(text, self.span.start);
        let source = text.lines().nth(at.line as usize - 1).unwrap_or("");
        let number = at.line.to_string();
        let margin = " ".repeat(number.len());
        let mut out = String::new();
        let word = self.severity.word();
        let label = self.label.as_ref().map_or(String::new(), |label| format!(" {label}"));
        let _ = writeln!(out, "{word}: {}", self.message);
        let _ = writeln!(out, "{margin}--> {file}:{}:{}", at.line, at.column);
        let _ = writeln!(out, "{margin} |");
        let _ = writeln!(out, "{number} | {source}");
        let _ = writeln!(out, "{margin} | {}{label}", self.caret(text, source, at));
        for detail in &self.details {
            let _ = writeln!(out, "{margin} = {detail}");
        }
        for hint in &self.hints {
            let _ = writeln!(out, "hint: {hint}");
        }
        out
    }

    /// Blanks up to the column, tabs kept so that the caret stays below its text, then carets.
    fn caret(&self, text: &str, source: &str, at: Position) -> String {
        let lead = source.chars().take(at.column as usize - 1);
        let mut out: String = lead.map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        let width = self.span.of(text).lines().next().map_or(0, |line| line.chars().count());
        out.push_str(&"^".repeat(width.max(1)));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn the_caret_stands_below_its_text() {
        let text = "a = 1\n\tlist.ad(\"ä\", x)\n";
        let at = text.find("ad").unwrap();
        let problem = Diagnostic::error(Span::new(at, at + 2), "no method `ad`")
            .label("not in `List`")
            .detail("it has 12 methods")
            .hint("did you mean `add`?");
        expect![[r#"
            error: no method `ad`
             --> f:2:7
              |
            2 | 	list.ad("ä", x)
              | 	     ^^ not in `List`
              = it has 12 methods
            hint: did you mean `add`?
        "#]]
        .assert_eq(&problem.render("f", text));
    }

    #[test]
    fn a_place_at_the_very_end_has_a_caret_too() {
        let text = "a = ";
        let problem = Diagnostic::error(Span::new(4, 4), "a value is missing");
        expect![[r#"
            error: a value is missing
             --> -:1:5
              |
            1 | a = 
              |     ^
        "#]]
        .assert_eq(&problem.render("-", text));
    }
}
