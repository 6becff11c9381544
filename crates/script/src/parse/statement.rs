//! Statements: imports, assignments, calls.

use super::expression::{array_braces, expression};
use super::parser::{Parsed, Parser};
use super::token::TokenKind;
use super::type_name;
use crate::diagnostic::Diagnostic;
use crate::syntax::{Expr, ExprKind, Import, Program, Statement, StatementKind, TypeBase, TypeName};

/// All statements; a broken one gives a message and is skipped.
pub(super) fn program(parser: &mut Parser<'_>, problems: &mut Vec<Diagnostic>) -> Program {
    let mut program = Program::default();
    loop {
        match parser.peek() {
            TokenKind::End => return program,
            TokenKind::Newline | TokenKind::Sign(';') => {
                parser.bump();
            }
            _ => {
                let named = parser.name_assigned();
                if let Err(problem) = item(parser, &mut program) {
                    problems.push(*problem);
                    program.broken.extend(named);
                    parser.recover();
                }
            }
        }
    }
}

fn item(parser: &mut Parser<'_>, program: &mut Program) -> Parsed<()> {
    if parser.peek().is_word("import") || parser.peek().is_word("package") {
        let import = import(parser)?;
        end(parser)?;
        program.imports.push(import);
    } else {
        let statement = statement(parser)?;
        end(parser)?;
        program.statements.push(statement);
    }
    Ok(())
}

/// A statement ends with its line or a semicolon.
fn end(parser: &mut Parser<'_>) -> Parsed<()> {
    match parser.peek() {
        TokenKind::Newline | TokenKind::Sign(';') => {
            parser.bump();
            Ok(())
        }
        TokenKind::End => Ok(()),
        _ => Err(parser.unexpected("the end of the statement")),
    }
}

fn import(parser: &mut Parser<'_>) -> Parsed<Import> {
    let start = parser.span();
    let package = parser.peek().is_word("package");
    parser.bump();
    let is_static = !package && parser.take_word("static");
    let mut path = vec![parser.ident("a package or class")?];
    let mut all = package;
    while parser.take_sign('.') {
        if !package && parser.take_sign('*') {
            all = true;
            break;
        }
        path.push(parser.ident("a name or `*`")?);
    }
    Ok(Import { path, all, is_static, is_package: package, span: start.to(parser.last_span()) })
}

fn statement(parser: &mut Parser<'_>) -> Parsed<Statement> {
    let start = parser.span();
    let kind = match declaration(parser) {
        Some((declared, name)) => {
            let value = value(parser)?;
            StatementKind::Name { declared, name, value }
        }
        None => plain(parser)?,
    };
    Ok(Statement { kind, span: start.to(parser.last_span()) })
}

/// `List<String> l =`, `var l =`, `final int[] a =`, up to and with the equals sign.
fn declaration(parser: &mut Parser<'_>) -> Option<(Option<TypeName>, crate::syntax::Ident)> {
    parser.attempt(|parser| {
        parser.take_word("final");
        let mut ty = type_name::whole(parser)?;
        let name = parser.ident("a name")?;
        type_name::brackets(parser, &mut ty)?;
        parser.expect_sign('=')?;
        let is_var = matches!(&ty.base, TypeBase::Named(path) if path.len() == 1 && path[0].text == "var");
        Ok((if is_var { None } else { Some(ty) }, name))
    })
}

fn plain(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    let target = expression(parser)?;
    if !parser.at_sign('=') {
        return Ok(StatementKind::Run(target));
    }
    let sign = parser.span();
    parser.bump();
    let value = value(parser)?;
    match target.kind {
        ExprKind::Name(name) => Ok(StatementKind::Name { declared: None, name, value }),
        ExprKind::Member { .. } | ExprKind::Index { .. } => Ok(StatementKind::Set { target, value }),
        _ => {
            Err(Box::new(Diagnostic::error(target.span, "nothing can be assigned to this").hint(format!(
                "left of `{}` stands a name, a field or an array element",
                sign.of(parser.text)
            ))))
        }
    }
}

/// What stands right of `=`; here braces alone make an array.
fn value(parser: &mut Parser<'_>) -> Parsed<Expr> {
    if parser.at_sign('{') { array_braces(parser, None) } else { expression(parser) }
}
