//! From what was observed to what can be asserted.
//!
//! In: values and stored states. Out: [`Expected`], or nothing where an assertion would be about identity or noise.

use probat_emit::{Expected, text_columns};
use probat_model::state::{Token, tokens};
use probat_model::{ClassName, JavaString, StoredState, Type, Value};

/// Longest text an assertion spells: characters of it, or of the expression that builds it.
const MAX_TEXT: usize = 300;

/// Longest array an assertion spells.
const MAX_ARRAY: usize = 24;

/// What can be asserted of a value.
pub(crate) fn expected(value: &Value, stored: Option<&StoredState>) -> Option<Expected> {
    Some(match value {
        Value::Void => return None,
        Value::Null => Expected::Null,
        Value::Boolean(v) => Expected::Boolean(*v),
        Value::Byte(v) => Expected::Byte(*v),
        Value::Char(v) => Expected::Char(*v),
        Value::Short(v) => Expected::Short(*v),
        Value::Int(v) => Expected::Int(*v),
        Value::Long(v) => Expected::Long(*v),
        Value::Float(v) => Expected::Float(*v),
        Value::Double(v) => Expected::Double(*v),
        Value::String { text, length } => return string(text, *length),
        Value::Object { .. } | Value::Array { .. } => return structure(&tokens(&stored?.tokens).ok()?),
    })
}

fn string(text: &JavaString, length: u32) -> Option<Expected> {
    let units = text.units().len();
    let is_short = units <= MAX_TEXT || text_columns(text) <= MAX_TEXT;
    let whole = units == length as usize && is_short;
    (whole && !names_identity(&text.to_lossy())).then(|| Expected::String(text.clone()))
}

/// Whether a text holds something like `Foo@1b2c3d4`, which is another one in the next JVM.
fn names_identity(text: &str) -> bool {
    text.match_indices('@').any(|(at, _)| {
        let digits = text[at + 1..].chars().take_while(char::is_ascii_hexdigit).count();
        digits >= 4 && text[..at].ends_with(|c: char| c.is_alphanumeric() || c == ';')
    })
}

fn structure(all: &[Token]) -> Option<Expected> {
    match all {
        [Token::Boxed, inside] => scalar(inside),
        [one] => scalar(one),
        [Token::Array(class, length), elements @ ..] if *length as usize <= MAX_ARRAY => {
            array(class, *length as usize, elements)
        }
        _ => None,
    }
}

fn array(class: &ClassName, length: usize, elements: &[Token]) -> Option<Expected> {
    let Type::Array(element) = Type::parse(class.as_internal()).ok()? else { return None };
    let plain = element.is_primitive() || *element == Type::class("java/lang/String");
    if !plain || elements.len() != length {
        return None;
    }
    let values = elements.iter().map(scalar).collect::<Option<Vec<_>>>()?;
    Some(Expected::Array(*element, values))
}

fn scalar(token: &Token) -> Option<Expected> {
    Some(match token {
        Token::Null => Expected::Null,
        Token::Boolean(v) => Expected::Boolean(*v),
        Token::Byte(v) => Expected::Byte(*v),
        Token::Char(v) => Expected::Char(*v),
        Token::Short(v) => Expected::Short(*v),
        Token::Int(v) => Expected::Int(*v),
        Token::Long(v) => Expected::Long(*v),
        Token::Float(bits) => Expected::Float(f32::from_bits(*bits)),
        Token::Double(bits) => Expected::Double(f64::from_bits(*bits)),
        Token::String(text) => return string(text, text.units().len() as u32),
        Token::Enum(class, name) => Expected::Constant(class.clone(), name.clone()),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identity_is_never_asserted() {
        let text = |text: &str| Value::String { text: text.into(), length: text.len() as u32 };
        assert_eq!(expected(&text("a.B@1f2e3d4c"), None), None);
        assert_eq!(expected(&text("me@example.org"), None), Some(Expected::String("me@example.org".into())));
        let cut = Value::String { text: "ab".into(), length: 5 };
        assert_eq!(expected(&cut, None), None);
    }

    #[test]
    fn a_long_text_is_asserted_where_it_is_short_to_write() {
        let seen = |text: String| {
            expected(&Value::String { text: text.as_str().into(), length: text.len() as u32 }, None)
        };
        assert!(seen("-".repeat(4000)).is_some());
        assert_eq!(seen((0..400).map(|at| at.to_string()).collect()), None);
    }

    #[test]
    fn boxes_and_arrays_are_looked_into() {
        assert_eq!(structure(&[Token::Boxed, Token::Int(3)]), Some(Expected::Int(3)));
        let ints = [Token::Array(ClassName::internal("[I"), 2), Token::Int(1), Token::Int(2)];
        assert_eq!(
            structure(&ints),
            Some(Expected::Array(Type::Int, vec![Expected::Int(1), Expected::Int(2)]))
        );
        assert_eq!(structure(&[Token::Object(ClassName::internal("A"))]), None);
    }
}
