//! The words of a script.

use probat_model::JavaString;

use crate::diagnostic::Span;

/// One word and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token {
    pub kind: TokenKind,
    pub span: Span,
}

/// Kinds of words.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum TokenKind {
    /// Names and the words Java reserves; told apart by the parser.
    Word(String),
    /// Digits as written; turned into a value once a sign before them is known.
    Number(String),
    Char(u16),
    Text(JavaString),
    /// `(` `)` `[` `]` `{` `}` `.` `,` `;` `:` `=` `<` `>` `?` `-` `@` and other single signs.
    Sign(char),
    /// `->`
    Arrow,
    /// `::`, `==`, `++` and the like, which no script needs.
    Operator(&'static str),
    /// The end of a line on which a statement can end.
    Newline,
    End,
}

impl TokenKind {
    pub fn is_word(&self, word: &str) -> bool {
        matches!(self, TokenKind::Word(text) if text == word)
    }

    /// As shown in "expected … found …".
    pub fn describe(&self) -> String {
        match self {
            TokenKind::Word(text) | TokenKind::Number(text) => format!("`{text}`"),
            TokenKind::Char(_) => "a character".into(),
            TokenKind::Text(_) => "a string".into(),
            TokenKind::Sign(sign) => format!("`{sign}`"),
            TokenKind::Arrow => "`->`".into(),
            TokenKind::Operator(text) => format!("`{text}`"),
            TokenKind::Newline => "the end of the line".into(),
            TokenKind::End => "the end of the script".into(),
        }
    }
}
