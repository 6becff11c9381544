//! Types as written: `int[]`, `java.util.Map.Entry`, `List<? extends String>`.
//!
//! Generic arguments are read and forgotten: a running JVM knows none.

use probat_model::Type;

use super::parser::{Parsed, Parser};
use super::token::TokenKind;
use crate::syntax::{TypeBase, TypeName};

/// The primitive type a word names.
pub(super) fn primitive(word: &str) -> Option<Type> {
    Some(match word {
        "boolean" => Type::Boolean,
        "byte" => Type::Byte,
        "char" => Type::Char,
        "short" => Type::Short,
        "int" => Type::Int,
        "long" => Type::Long,
        "float" => Type::Float,
        "double" => Type::Double,
        _ => return None,
    })
}

/// The primitive type the next token names.
pub(super) fn primitive_ahead(parser: &Parser<'_>) -> Option<Type> {
    match parser.peek() {
        TokenKind::Word(word) => primitive(word),
        _ => None,
    }
}

/// A type without brackets.
pub(super) fn bare(parser: &mut Parser<'_>) -> Parsed<TypeName> {
    let start = parser.span();
    if let Some(ty) = primitive_ahead(parser) {
        parser.bump();
        return Ok(TypeName { base: TypeBase::Primitive(ty), dims: 0, span: start });
    }
    let mut path = vec![parser.ident("a type")?];
    generic_arguments(parser)?;
    while parser.at_sign('.') && parser.ident_ahead(1) {
        parser.bump();
        path.push(parser.ident("a name")?);
        generic_arguments(parser)?;
    }
    Ok(TypeName { base: TypeBase::Named(path), dims: 0, span: start.to(parser.last_span()) })
}

/// A type with its brackets; `...` counts as none.
pub(super) fn whole(parser: &mut Parser<'_>) -> Parsed<TypeName> {
    let mut ty = bare(parser)?;
    brackets(parser, &mut ty)?;
    Ok(ty)
}

/// Adds the empty pairs of brackets that follow.
pub(super) fn brackets(parser: &mut Parser<'_>, ty: &mut TypeName) -> Parsed<()> {
    while parser.at_sign('[') && *parser.ahead(1) == TokenKind::Sign(']') {
        parser.bump();
        parser.bump();
        ty.dims = ty.dims.checked_add(1).ok_or_else(|| parser.unexpected("fewer than 256 dimensions"))?;
    }
    ty.span = ty.span.to(parser.last_span());
    Ok(())
}

/// `<String, ?>` or nothing.
pub(super) fn generic_arguments(parser: &mut Parser<'_>) -> Parsed<()> {
    if !parser.take_sign('<') {
        return Ok(());
    }
    if parser.take_sign('>') {
        return Ok(());
    }
    loop {
        parser.nested(generic_argument)?;
        if parser.take_sign('>') {
            return Ok(());
        }
        if !parser.take_sign(',') {
            return Err(parser.unexpected("`,` or `>`"));
        }
    }
}

fn generic_argument(parser: &mut Parser<'_>) -> Parsed<()> {
    if parser.take_sign('?') {
        if parser.take_word("extends") || parser.take_word("super") {
            whole(parser)?;
        }
        return Ok(());
    }
    whole(parser).map(|_| ())
}
