//! Values: literals, names, calls, arrays, casts, lambdas.

use probat_model::Literal;

use super::parser::{Parsed, Parser};
use super::stub::{lambda, stub};
use super::token::TokenKind;
use super::{literal, type_name};
use crate::diagnostic::{Diagnostic, Span};
use crate::syntax::{Expr, ExprKind, Ident, TypeBase, TypeName};

/// Any value.
pub(super) fn expression(parser: &mut Parser<'_>) -> Parsed<Expr> {
    parser.nested(|parser| if lambda_ahead(parser) { lambda(parser) } else { unary(parser) })
}

/// `x ->`, `() ->`, `(a, b) ->`, `(int a) ->`.
fn lambda_ahead(parser: &Parser<'_>) -> bool {
    if parser.ident_ahead(0) {
        return *parser.ahead(1) == TokenKind::Arrow;
    }
    if !parser.at_sign('(') {
        return false;
    }
    let mut open = 0;
    for place in 0.. {
        match parser.ahead(place) {
            TokenKind::Sign('(') => open += 1,
            TokenKind::Sign(')') => open -= 1,
            TokenKind::End => return false,
            _ => {}
        }
        if open == 0 {
            return *parser.ahead(place + 1) == TokenKind::Arrow;
        }
    }
    false
}

fn unary(parser: &mut Parser<'_>) -> Parsed<Expr> {
    if parser.at_sign('-') || parser.at_sign('+') {
        return signed(parser);
    }
    if parser.at_sign('(') {
        return match cast(parser)? {
            Some(cast) => Ok(cast),
            None => parenthesised(parser),
        };
    }
    postfix(parser)
}

/// A minus belongs to the number behind it.
fn signed(parser: &mut Parser<'_>) -> Parsed<Expr> {
    let start = parser.span();
    let negative = parser.at_sign('-');
    parser.bump();
    let TokenKind::Number(digits) = parser.peek() else {
        let sign = if negative { "-" } else { "+" };
        return Err(Box::new(
            Diagnostic::error(start, format!("`{sign}` stands only before a number"))
                .hint("call a method instead: `Math.negateExact(a)`"),
        ));
    };
    let span = start.to(parser.bump().span);
    number(digits, negative, span)
}

fn number(digits: &str, negative: bool, span: Span) -> Parsed<Expr> {
    match literal::number(digits, negative) {
        Ok(value) => Ok(Expr { kind: ExprKind::Literal(value), span }),
        Err(message) => Err(Box::new(Diagnostic::error(span, message))),
    }
}

/// `(T) value`, if that is what stands here; `(a).b()` and `(a)` are none.
fn cast(parser: &mut Parser<'_>) -> Parsed<Option<Expr>> {
    let start = parser.span();
    let to = parser.attempt(|parser| {
        parser.expect_sign('(')?;
        let to = type_name::whole(parser)?;
        parser.expect_sign(')')?;
        let certain = to.dims > 0 || matches!(to.base, TypeBase::Primitive(_));
        if certain || value_ahead(parser) { Ok(to) } else { Err(parser.unexpected("a value")) }
    });
    let Some(to) = to else { return Ok(None) };
    let value = Box::new(expression(parser)?);
    let span = start.to(value.span);
    Ok(Some(Expr { kind: ExprKind::Cast { to, value }, span }))
}

/// Whether what follows can only be the operand of a cast.
fn value_ahead(parser: &Parser<'_>) -> bool {
    match parser.peek() {
        TokenKind::Word(_) | TokenKind::Number(_) | TokenKind::Char(_) | TokenKind::Text(_) => true,
        TokenKind::Sign(sign) => *sign == '(',
        TokenKind::Arrow | TokenKind::Operator(_) | TokenKind::Newline | TokenKind::End => false,
    }
}

fn parenthesised(parser: &mut Parser<'_>) -> Parsed<Expr> {
    let start = parser.expect_sign('(')?;
    let inner = expression(parser)?;
    let end = parser.expect_sign(')')?;
    suffixes(parser, Expr { kind: inner.kind, span: start.to(end) })
}

fn postfix(parser: &mut Parser<'_>) -> Parsed<Expr> {
    let value = primary(parser)?;
    suffixes(parser, value)
}

fn primary(parser: &mut Parser<'_>) -> Parsed<Expr> {
    let span = parser.span();
    let literal = |value| Ok(Expr { kind: ExprKind::Literal(value), span });
    match parser.peek() {
        TokenKind::Number(digits) => {
            parser.bump();
            number(digits, false, span)
        }
        TokenKind::Char(unit) => {
            parser.bump();
            literal(Literal::Char(*unit))
        }
        TokenKind::Text(text) => {
            parser.bump();
            literal(Literal::String(text.clone()))
        }
        TokenKind::Word(word) => word_value(parser, word, span),
        _ => Err(parser.unexpected("a value")),
    }
}

fn word_value(parser: &mut Parser<'_>, word: &str, span: Span) -> Parsed<Expr> {
    let kind = match word {
        "true" | "false" => ExprKind::Literal(Literal::Boolean(word == "true")),
        "null" => ExprKind::Null,
        "new" => return creation(parser, None),
        "stub" if parser.ident_ahead(1) => return stub(parser),
        _ if type_name::primitive(word).is_some() => {
            let ty = type_name::whole(parser)?;
            return class_literal(parser, ty);
        }
        _ => return named(parser),
    };
    parser.bump();
    Ok(Expr { kind, span })
}

/// A name, an unqualified call, or an array type before `.class`.
fn named(parser: &mut Parser<'_>) -> Parsed<Expr> {
    let array_class = parser.attempt(|parser| {
        let ty = type_name::whole(parser)?;
        if ty.dims == 0 { Err(parser.unexpected("`[]`")) } else { class_literal(parser, ty) }
    });
    if let Some(found) = array_class {
        return Ok(found);
    }
    let name = parser.ident("a value")?;
    let span = name.span;
    if parser.at_sign('(') {
        let args = arguments(parser)?;
        let span = span.to(parser.last_span());
        return Ok(Expr { kind: ExprKind::Call { of: None, name, args }, span });
    }
    Ok(Expr { kind: ExprKind::Name(name), span })
}

fn class_literal(parser: &mut Parser<'_>, ty: TypeName) -> Parsed<Expr> {
    parser.expect_sign('.')?;
    if !parser.take_word("class") {
        return Err(parser.unexpected("`class`"));
    }
    let span = ty.span.to(parser.last_span());
    Ok(Expr { kind: ExprKind::ClassLiteral(ty), span })
}

/// Everything that can follow a value: `.name`, `.name(…)`, `.class`, `.new C(…)`, `[i]`.
fn suffixes(parser: &mut Parser<'_>, mut value: Expr) -> Parsed<Expr> {
    loop {
        value = if parser.take_sign('.') {
            dot(parser, value)?
        } else if parser.at_sign('[') {
            parser.bump();
            let index = Box::new(expression(parser)?);
            let span = value.span.to(parser.expect_sign(']')?);
            Expr { kind: ExprKind::Index { array: Box::new(value), index }, span }
        } else {
            return Ok(value);
        };
    }
}

fn dot(parser: &mut Parser<'_>, of: Expr) -> Parsed<Expr> {
    if parser.take_word("class") {
        let span = of.span.to(parser.last_span());
        return match path_of(&of) {
            Some(path) => {
                let ty = TypeName { base: TypeBase::Named(path), dims: 0, span: of.span };
                Ok(Expr { kind: ExprKind::ClassLiteral(ty), span })
            }
            None => Err(Box::new(
                Diagnostic::error(of.span, "`.class` follows a type").hint("of a value: `.getClass()`"),
            )),
        };
    }
    if parser.peek().is_word("new") {
        return creation(parser, Some(of));
    }
    type_name::generic_arguments(parser)?;
    let name = parser.ident("a name")?;
    let span = of.span;
    let of = Box::new(of);
    let kind = if parser.at_sign('(') {
        ExprKind::Call { of: Some(of), name, args: arguments(parser)? }
    } else {
        ExprKind::Member { of, name }
    };
    Ok(Expr { kind, span: span.to(parser.last_span()) })
}

/// The names of `a.b.c`.
fn path_of(expr: &Expr) -> Option<Vec<Ident>> {
    match &expr.kind {
        ExprKind::Name(name) => Some(vec![name.clone()]),
        ExprKind::Member { of, name } => {
            let mut path = path_of(of)?;
            path.push(name.clone());
            Some(path)
        }
        _ => None,
    }
}

/// `(a, b)`.
pub(super) fn arguments(parser: &mut Parser<'_>) -> Parsed<Vec<Expr>> {
    parser.expect_sign('(')?;
    parser.list(')', expression)
}

/// `new C(…)`, `new T[n]`, `new T[] {…}`.
fn creation(parser: &mut Parser<'_>, outer: Option<Expr>) -> Parsed<Expr> {
    let start = outer.as_ref().map_or(parser.span(), |outer| outer.span);
    parser.bump();
    let class = type_name::bare(parser)?;
    if parser.at_sign('[') && outer.is_none() {
        return array(parser, class, start);
    }
    if !parser.at_sign('(') {
        return Err(parser.unexpected("`(` or `[`"));
    }
    let args = arguments(parser)?;
    if parser.at_sign('{') {
        return Err(Box::new(
            Diagnostic::error(parser.span(), "anonymous classes are not part of scripts")
                .hint("write a stub: `stub Shape(1) { area: 2.0 }`"),
        ));
    }
    let outer = outer.map(Box::new);
    let span = start.to(parser.last_span());
    suffixes(parser, Expr { kind: ExprKind::New { outer, class, args }, span })
}

fn array(parser: &mut Parser<'_>, mut element: TypeName, start: Span) -> Parsed<Expr> {
    let mut lengths = Vec::new();
    while parser.at_sign('[') && *parser.ahead(1) != TokenKind::Sign(']') {
        parser.bump();
        lengths.push(expression(parser)?);
        parser.expect_sign(']')?;
    }
    type_name::brackets(parser, &mut element)?;
    if lengths.is_empty() {
        element.dims -= 1;
        let mut value = array_braces(parser, Some(element))?;
        value.span = start.to(value.span);
        return suffixes(parser, value);
    }
    let span = start.to(parser.last_span());
    suffixes(parser, Expr { kind: ExprKind::NewArray { element, lengths }, span })
}

/// `{1, 2}`, where an element may be braces again.
pub(super) fn array_braces(parser: &mut Parser<'_>, element: Option<TypeName>) -> Parsed<Expr> {
    let start = parser.expect_sign('{')?;
    let values = parser.list('}', |parser| {
        if parser.at_sign('{') {
            parser.nested(|parser| array_braces(parser, None))
        } else {
            expression(parser)
        }
    })?;
    let span = start.to(parser.last_span());
    Ok(Expr { kind: ExprKind::ArrayOf { element, values }, span })
}
