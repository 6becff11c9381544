//! Lambdas and stubs: objects of classes that exist only for a script.

use super::expression::{arguments, expression};
use super::parser::{Parsed, Parser};
use super::token::TokenKind;
use super::type_name;
use crate::diagnostic::Diagnostic;
use crate::syntax::{Body, Expr, ExprKind, Lambda, LambdaParam, StubEntry};

/// `x -> body`; the caller has seen the arrow ahead.
pub(super) fn lambda(parser: &mut Parser<'_>) -> Parsed<Expr> {
    let start = parser.span();
    let params = params(parser)?;
    let body = body(parser)?;
    let span = start.to(parser.last_span());
    Ok(Expr { kind: ExprKind::Lambda(Box::new(Lambda { params, body, span })), span })
}

/// The parameters and the arrow.
fn params(parser: &mut Parser<'_>) -> Parsed<Vec<LambdaParam>> {
    let params = if parser.take_sign('(') {
        parser.list(')', param)?
    } else {
        vec![LambdaParam { ty: None, name: parser.ident("a parameter")? }]
    };
    match parser.peek() {
        TokenKind::Arrow => {
            parser.bump();
            Ok(params)
        }
        _ => Err(parser.unexpected("`->`")),
    }
}

fn param(parser: &mut Parser<'_>) -> Parsed<LambdaParam> {
    let typed = parser.attempt(|parser| {
        let ty = type_name::whole(parser)?;
        Ok(LambdaParam { ty: Some(ty), name: parser.ident("a parameter")? })
    });
    match typed {
        Some(param) => Ok(param),
        None => Ok(LambdaParam { ty: None, name: parser.ident("a parameter")? }),
    }
}

/// A value, or braces around one `return`, one `throw` or nothing.
fn body(parser: &mut Parser<'_>) -> Parsed<Body> {
    if parser.peek().is_word("throw") {
        return throw(parser);
    }
    if !parser.take_sign('{') {
        return Ok(Body::Value(expression(parser)?));
    }
    let body = if parser.take_word("return") {
        Body::Value(expression(parser)?)
    } else if parser.peek().is_word("throw") {
        throw(parser)?
    } else if parser.at_sign('}') || parser.at_sign(';') {
        Body::Nothing
    } else {
        return Err(Box::new(Diagnostic::error(parser.span(), "a lambda does one thing").hint(
            "it gives a value (`x -> 5`), throws (`x -> { throw new E() }`) or does nothing (`x -> { }`)",
        )));
    };
    parser.take_sign(';');
    parser.expect_sign('}')?;
    Ok(body)
}

fn throw(parser: &mut Parser<'_>) -> Parsed<Body> {
    parser.bump();
    if !parser.take_word("new") {
        return Err(parser.unexpected("`new`"));
    }
    let class = type_name::bare(parser)?;
    parser.expect_sign('(')?;
    if !parser.at_sign(')') {
        return Err(Box::new(
            Diagnostic::error(parser.span(), "the exception of a lambda takes no arguments")
                .hint("write `throw new E()`"),
        ));
    }
    parser.bump();
    Ok(Body::Throw(class))
}

/// `stub C(args) { name: value, … }`; arguments and braces may be missing.
pub(super) fn stub(parser: &mut Parser<'_>) -> Parsed<Expr> {
    let start = parser.bump().span;
    let class = type_name::bare(parser)?;
    let args = if parser.at_sign('(') { arguments(parser)? } else { Vec::new() };
    let mut methods = Vec::new();
    if parser.take_sign('{') {
        while !parser.at_sign('}') {
            methods.push(parser.nested(entry)?);
            if !parser.take_sign(',') && !parser.take_sign(';') {
                break;
            }
        }
        if !parser.at_sign('}') {
            return Err(parser.unexpected("`,` or `}`"));
        }
        parser.bump();
    }
    Ok(Expr { kind: ExprKind::Stub { class, args, methods }, span: start.to(parser.last_span()) })
}

fn entry(parser: &mut Parser<'_>) -> Parsed<StubEntry> {
    let name = parser.ident("a method")?;
    let overload = if parser.take_sign('(') { Some(parser.list(')', type_name::whole)?) } else { None };
    parser.expect_sign(':')?;
    if let Some(params) = parser.attempt(params) {
        return Ok(StubEntry { name, overload, params: Some(params), body: body(parser)? });
    }
    Ok(StubEntry { name, overload, params: None, body: body(parser)? })
}
