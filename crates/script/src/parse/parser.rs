//! A place in the token list, and what every rule needs: look, take, expect.
//!
//! In: tokens. Out: the next one, or a message naming what was wanted. The grammar lives in the files beside this one.

use super::token::{Token, TokenKind};
use crate::diagnostic::{Diagnostic, Span};
use crate::syntax::Ident;

/// What a rule gives.
pub(super) type Parsed<T> = Result<T, Box<Diagnostic>>;

/// Brackets, casts and lambdas nest at most this deep, so that no text exhausts our stack.
const MAX_DEPTH: u32 = 64;

/// Words of Java that begin what no script has.
const CONTROL: [&str; 13] = [
    "if",
    "for",
    "while",
    "do",
    "switch",
    "try",
    "return",
    "throw",
    "class",
    "interface",
    "enum",
    "record",
    "assert",
];

const RESERVED: [&str; 12] = [
    "new",
    "null",
    "true",
    "false",
    "import",
    "package",
    "instanceof",
    "this",
    "super",
    "static",
    "void",
    "final",
];

/// Reads tokens from front to back.
pub(super) struct Parser<'a> {
    pub text: &'a str,
    tokens: &'a [Token],
    at: usize,
    depth: u32,
}

impl<'a> Parser<'a> {
    pub fn new(text: &'a str, tokens: &'a [Token]) -> Self {
        Parser { text, tokens, at: 0, depth: 0 }
    }

    pub fn peek(&self) -> &'a TokenKind {
        self.ahead(0)
    }

    /// The kind of the token so many places on; `End` for ever after the last.
    pub fn ahead(&self, places: usize) -> &'a TokenKind {
        &self.tokens[(self.at + places).min(self.tokens.len() - 1)].kind
    }

    pub fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    /// The span of the token taken last.
    pub fn last_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    pub fn bump(&mut self) -> &'a Token {
        let token = &self.tokens[self.at];
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        token
    }

    pub fn at_sign(&self, sign: char) -> bool {
        *self.peek() == TokenKind::Sign(sign)
    }

    pub fn take_sign(&mut self, sign: char) -> bool {
        let found = self.at_sign(sign);
        if found {
            self.bump();
        }
        found
    }

    pub fn take_word(&mut self, word: &str) -> bool {
        let found = self.peek().is_word(word);
        if found {
            self.bump();
        }
        found
    }

    pub fn expect_sign(&mut self, sign: char) -> Parsed<Span> {
        if self.at_sign(sign) { Ok(self.bump().span) } else { Err(self.unexpected(&format!("`{sign}`"))) }
    }

    /// A name that is no reserved word.
    pub fn ident(&mut self, what: &str) -> Parsed<Ident> {
        match self.peek() {
            TokenKind::Word(text) if !is_reserved(text) => {
                Ok(Ident { text: text.clone(), span: self.bump().span })
            }
            _ => Err(self.unexpected(what)),
        }
    }

    /// Whether a name that is no reserved word comes so many places on.
    pub fn ident_ahead(&self, places: usize) -> bool {
        matches!(self.ahead(places), TokenKind::Word(text) if !is_reserved(text))
    }

    /// "expected … , found …" at the current token, or a better sentence where the slip is a known one.
    pub fn unexpected(&self, wanted: &str) -> Box<Diagnostic> {
        let span = self.span();
        let found = self.peek();
        let plain = Diagnostic::error(span, format!("expected {wanted}, found {}", found.describe()));
        Box::new(match found {
            TokenKind::Word(word) if CONTROL.contains(&word.as_str()) => {
                Diagnostic::error(span, format!("`{word}` has no place here"))
                    .hint("a script is a plain list of steps: assignments, calls, fields, arrays")
            }
            TokenKind::Operator("::") => Diagnostic::error(span, "method references are not part of scripts")
                .hint("write a lambda: `x -> x`"),
            TokenKind::Operator(text) => no_operators(span, text),
            TokenKind::Sign(
                sign @ ('+' | '*' | '/' | '%' | '&' | '|' | '^' | '!' | '~' | '?' | '<' | '>'),
            ) => no_operators(span, &sign.to_string()),
            TokenKind::Sign('-') if wanted != "a value" => no_operators(span, "-"),
            _ => plain,
        })
    }

    /// Runs a rule one level deeper.
    pub fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            let message = format!("more than {MAX_DEPTH} levels of nesting");
            return Err(Box::new(
                Diagnostic::error(self.span(), message).hint("name the inner values first"),
            ));
        }
        self.depth += 1;
        let result = rule(self);
        self.depth -= 1;
        result
    }

    /// Tries a rule; where it fails, nothing was taken.
    pub fn attempt<T>(&mut self, rule: impl FnOnce(&mut Self) -> Parsed<T>) -> Option<T> {
        let (at, depth) = (self.at, self.depth);
        let result = rule(self).ok();
        if result.is_none() {
            (self.at, self.depth) = (at, depth);
        }
        result
    }

    /// `open a, b close`; the opening sign is already taken.
    pub fn list<T>(&mut self, close: char, mut rule: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut out = Vec::new();
        while !self.at_sign(close) {
            out.push(rule(self)?);
            if !self.take_sign(',') {
                break;
            }
        }
        if self.at_sign(close) {
            self.bump();
            return Ok(out);
        }
        Err(self.unexpected(&format!("`,` or `{close}`")))
    }

    /// The name before the first `=` of the statement that begins here.
    pub fn name_assigned(&self) -> Option<String> {
        let rest = &self.tokens[self.at..];
        let end = rest.iter().position(|token| matches!(token.kind, TokenKind::Newline | TokenKind::End))?;
        let equals = rest[..end].iter().position(|token| token.kind == TokenKind::Sign('='))?;
        match &rest[equals.checked_sub(1)?].kind {
            TokenKind::Word(name) => Some(name.clone()),
            _ => None,
        }
    }

    /// Skips to the beginning of the next statement.
    pub fn recover(&mut self) {
        let mut open = 0u32;
        loop {
            match self.peek() {
                TokenKind::End => return,
                TokenKind::Newline => {
                    self.bump();
                    return;
                }
                TokenKind::Sign(';') if open == 0 => {
                    self.bump();
                    return;
                }
                TokenKind::Sign('{' | '(' | '[') => open += 1,
                TokenKind::Sign('}' | ')' | ']') => open = open.saturating_sub(1),
                _ => {}
            }
            self.bump();
        }
    }
}

fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word) || CONTROL.contains(&word) || super::type_name::primitive(word).is_some()
}

fn no_operators(span: Span, operator: &str) -> Diagnostic {
    Diagnostic::error(span, format!("operators such as `{operator}` are not part of scripts"))
        .hint("call a method instead: `Math.addExact(a, b)`, `a.equals(b)`, `a.concat(b)`")
}
