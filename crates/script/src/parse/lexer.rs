//! Characters to words (JLS §3, with `#` comments added).
//!
//! In: text. Out: tokens, the last of which is `End`. A line break is a token only where a statement can end: not
//! between brackets, not before a line that begins with `.`. A bracket that is never closed joins no lines, so that
//! it costs its own statement and no other.

use probat_model::JavaString;

use super::token::{Token, TokenKind};
use crate::diagnostic::{Diagnostic, Span};

/// All tokens of a text.
pub(super) fn tokens(text: &str, problems: &mut Vec<Diagnostic>) -> Vec<Token> {
    let mut lexer = Lexer { text, at: 0, out: Vec::new(), problems };
    while lexer.at < text.len() {
        lexer.next();
    }
    lexer.push(TokenKind::Newline, text.len());
    lexer.push(TokenKind::End, text.len());
    join_lines(lexer.out)
}

/// Drops the line breaks on which no statement ends.
fn join_lines(tokens: Vec<Token>) -> Vec<Token> {
    let inside = between_brackets(&tokens);
    let mut out: Vec<Token> = Vec::with_capacity(tokens.len());
    for (at, token) in tokens.into_iter().enumerate() {
        let break_before = matches!(out.last(), Some(Token { kind: TokenKind::Newline, .. }));
        match token.kind {
            TokenKind::Newline if inside[at] || break_before || out.is_empty() => continue,
            TokenKind::Sign('.') if break_before => {
                out.pop();
            }
            _ => {}
        }
        out.push(token);
    }
    out
}

/// By token: whether it stands between an opening bracket and the closing one that belongs to it.
fn between_brackets(tokens: &[Token]) -> Vec<bool> {
    let mut inside = vec![false; tokens.len()];
    let mut open: Vec<(usize, char)> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::Sign('(') => open.push((at, ')')),
            TokenKind::Sign('[') => open.push((at, ']')),
            TokenKind::Sign('{') => open.push((at, '}')),
            TokenKind::Sign(sign @ (')' | ']' | '}')) => {
                let Some(level) = open.iter().rposition(|(_, close)| *close == sign) else { continue };
                let start = open[level].0;
                open.truncate(level);
                if open.is_empty() {
                    inside[start..at].fill(true);
                }
            }
            _ => {}
        }
    }
    // What lies below a bracket that stays open was not filled above: its own closed pairs still join lines.
    fill_below_open(tokens, &open, &mut inside);
    inside
}

fn fill_below_open(tokens: &[Token], unclosed: &[(usize, char)], inside: &mut [bool]) {
    let Some(&(first, _)) = unclosed.first() else { return };
    let mut depth = 0u32;
    for at in first..tokens.len() {
        let is_unclosed = unclosed.iter().any(|(open, _)| *open == at);
        match tokens[at].kind {
            TokenKind::Sign('(' | '[' | '{') if !is_unclosed => depth += 1,
            TokenKind::Sign(')' | ']' | '}') => depth = depth.saturating_sub(1),
            _ => {}
        }
        inside[at] |= depth > 0;
    }
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    out: Vec<Token>,
    problems: &'a mut Vec<Diagnostic>,
}

const OPERATORS: [&str; 16] =
    ["::", "==", "!=", "<=", "&&", "||", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="];

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// A token from `start` to where we are.
    fn push(&mut self, kind: TokenKind, start: usize) {
        self.out.push(Token { kind, span: Span::new(start, self.at) });
    }

    fn problem(&mut self, start: usize, message: impl Into<String>) -> &mut Diagnostic {
        self.problems.push(Diagnostic::error(Span::new(start, self.at), message));
        self.problems.last_mut().expect("just pushed")
    }

    fn next(&mut self) {
        let start = self.at;
        let rest = self.rest();
        let c = rest.chars().next().expect("called before the end of the text");
        if rest.starts_with("//") || c == '#' {
            self.at += rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            self.block_comment();
        } else if c == '\n' {
            self.at += 1;
            self.push(TokenKind::Newline, start);
        } else if c.is_whitespace() || c == '\u{feff}' {
            self.at += c.len_utf8();
        } else if c.is_alphabetic() || c == '_' || c == '$' {
            self.word();
        } else if c.is_ascii_digit() || (c == '.' && rest[1..].starts_with(|d: char| d.is_ascii_digit())) {
            self.number();
        } else if c == '"' {
            self.string();
        } else if c == '\'' {
            self.character();
        } else {
            self.sign(c);
        }
    }

    fn block_comment(&mut self) {
        let start = self.at;
        match self.rest().find("*/") {
            Some(length) => self.at += length + 2,
            None => {
                self.at = self.text.len();
                self.problem(start, "this comment has no end").hints.push("close it with `*/`".into());
            }
        }
    }

    fn word(&mut self) {
        let start = self.at;
        let rest = self.rest();
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let length = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
        let word = rest[..length].to_owned();
        self.at += length;
        self.push(TokenKind::Word(word), start);
    }

    /// Takes everything that can belong to a number; whether it is one is decided with its sign.
    fn number(&mut self) {
        let start = self.at;
        let hex = self.rest().starts_with("0x") || self.rest().starts_with("0X");
        let mut last = ' ';
        while let Some(c) = self.peek() {
            let is_exponent_sign = matches!(c, '+' | '-')
                && (if hex { matches!(last, 'p' | 'P') } else { matches!(last, 'e' | 'E') });
            let is_point = c == '.' && !self.rest()[1..].starts_with(|d: char| d.is_alphabetic());
            if !(c.is_ascii_alphanumeric() || c == '_' || is_point || is_exponent_sign) {
                break;
            }
            last = c;
            self.at += 1;
        }
        let digits = self.text[start..self.at].to_owned();
        self.push(TokenKind::Number(digits), start);
    }

    fn string(&mut self) {
        let start = self.at;
        self.at += 1;
        let mut units = Vec::new();
        loop {
            match self.peek() {
                Some('"') => break self.at += 1,
                None | Some('\n') => {
                    let hint = "close it with `\"`; a line break inside is written `\\n`".to_owned();
                    self.problem(start, "this string has no end on its line").hints.push(hint);
                    break;
                }
                Some(_) => self.unit(&mut units),
            }
        }
        self.push(TokenKind::Text(JavaString::from_units(&units)), start);
    }

    fn character(&mut self) {
        let start = self.at;
        self.at += 1;
        let mut units = Vec::new();
        while !matches!(self.peek(), None | Some('\'' | '\n')) {
            self.unit(&mut units);
        }
        let closed = self.peek() == Some('\'');
        if closed {
            self.at += 1;
        }
        if !closed {
            self.problem(start, "this character has no end").hints.push("close it with `'`".into());
        } else if units.len() != 1 {
            let hint = "write strings in double quotes".to_owned();
            let message = format!("a character is one UTF-16 unit, this has {}", units.len());
            self.problem(start, message).hints.push(hint);
        }
        self.push(TokenKind::Char(units.first().copied().unwrap_or(0)), start);
    }

    /// One character or escape sequence (JLS §3.10.7, §3.3).
    fn unit(&mut self, units: &mut Vec<u16>) {
        let start = self.at;
        let c = self.peek().expect("caller saw one");
        self.at += c.len_utf8();
        if c != '\\' {
            units.extend_from_slice(c.encode_utf16(&mut [0; 2]));
            return;
        }
        let Some(escape) = self.peek() else { return };
        self.at += escape.len_utf8();
        match escape {
            'n' => units.push(0x0a),
            't' => units.push(0x09),
            'r' => units.push(0x0d),
            'b' => units.push(0x08),
            'f' => units.push(0x0c),
            's' => units.push(0x20),
            '"' | '\'' | '\\' => units.push(escape as u16),
            'u' => self.unicode_escape(start, units),
            '0'..='7' => self.octal_escape(escape, units),
            _ => {
                let hint = r#"escapes are \n \t \r \b \f \s \0 \" \' \\ and \uXXXX"#.to_owned();
                self.problem(start, format!("`\\{escape}` is no escape")).hints.push(hint);
            }
        }
    }

    fn unicode_escape(&mut self, start: usize, units: &mut Vec<u16>) {
        while self.peek() == Some('u') {
            self.at += 1;
        }
        let digits = self.rest().get(..4).filter(|four| four.chars().all(|c| c.is_ascii_hexdigit()));
        match digits.and_then(|four| u16::from_str_radix(four, 16).ok()) {
            Some(unit) => {
                units.push(unit);
                self.at += 4;
            }
            None => {
                self.problem(start, "`\\u` wants four hexadecimal digits");
            }
        }
    }

    fn octal_escape(&mut self, first: char, units: &mut Vec<u16>) {
        let most = if first <= '3' { 2 } else { 1 };
        let mut value = first.to_digit(8).expect("caller matched an octal digit");
        for _ in 0..most {
            let Some(digit) = self.peek().and_then(|c| c.to_digit(8)) else { break };
            value = value * 8 + digit;
            self.at += 1;
        }
        units.push(value as u16);
    }

    fn sign(&mut self, c: char) {
        let start = self.at;
        if self.rest().starts_with("->") {
            self.at += 2;
            return self.push(TokenKind::Arrow, start);
        }
        if let Some(operator) = OPERATORS.into_iter().find(|operator| self.rest().starts_with(operator)) {
            self.at += operator.len();
            return self.push(TokenKind::Operator(operator), start);
        }
        self.at += c.len_utf8();
        if c.is_ascii_graphic() && !matches!(c, '`' | '\\') {
            self.push(TokenKind::Sign(c), start);
        } else {
            self.problem(start, format!("`{}` means nothing here", c.escape_debug()));
        }
    }
}
