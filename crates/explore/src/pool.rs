//! Argument values.
//!
//! In: pools as a user writes them (`int=0..4`, `put.1=0`, `String=a,b`), literals of the class. Out: for each parameter, the values
//! to try. Integers box for reference parameters.
//! Knows types by name only; what is a subtype of what is asked of the caller.

use std::fmt;

use probat_model::{ClassName, JavaString, Literal, Type};

/// A value that can be an argument.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Argument {
    /// A primitive, a string, a class or `null`.
    Plain(Literal),
    /// A primitive in its box.
    Boxed(Literal),
    Constant {
        class: ClassName,
        name: String,
    },
}

impl Argument {
    /// Its type; `None` for `null`, which has any reference type.
    pub fn ty(&self) -> Option<Type> {
        match self {
            Argument::Plain(Literal::Null(_)) => None,
            Argument::Plain(literal) => Some(literal.ty()),
            Argument::Boxed(literal) => Some(box_of(&literal.ty()).unwrap_or_else(|| literal.ty())),
            Argument::Constant { class, .. } => Some(Type::Class(class.clone())),
        }
    }
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Argument::Plain(literal) | Argument::Boxed(literal) => write_literal(literal, f),
            Argument::Constant { class, name } => write!(f, "{}.{name}", class.simple().replace('$', ".")),
        }
    }
}

fn write_literal(literal: &Literal, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match literal {
        Literal::Null(_) => f.write_str("null"),
        Literal::Boolean(value) => write!(f, "{value}"),
        Literal::Byte(value) => write!(f, "{value}"),
        Literal::Short(value) => write!(f, "{value}"),
        Literal::Int(value) => write!(f, "{value}"),
        Literal::Long(value) => write!(f, "{value}L"),
        Literal::Char(unit) => write!(f, "{:?}", char::from_u32(u32::from(*unit)).unwrap_or('\u{fffd}')),
        Literal::Float(bits) => write!(f, "{:?}f", f32::from_bits(*bits)),
        Literal::Double(bits) => write!(f, "{:?}", f64::from_bits(*bits)),
        Literal::String(text) => write!(f, "{:?}", text.to_lossy()),
        Literal::Class(ty) => write!(f, "{ty}.class"),
    }
}

/// What a pool is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Key {
    /// Every parameter of this type; a simple name stands for any class of that name.
    Type(String),
    /// One parameter, counted from 0, of every method of this name; `new` is a constructor.
    Parameter { method: String, index: usize },
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Key::Type(name) => f.write_str(name),
            Key::Parameter { method, index } => write!(f, "{method}.{index}"),
        }
    }
}

/// Values as written; what they are depends on the parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pool {
    pub key: Key,
    pub words: Vec<String>,
}

/// Why a text is no pool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PoolError {
    #[error("`{0}` is no pool: write TYPE=VALUES or METHOD.INDEX=VALUES, such as int=0..4 or put.1=0")]
    Form(String),
    #[error("`{0}` is an empty range: the first number is the smaller one")]
    Empty(String),
    #[error("`{0}` has more than {MOST} values")]
    Many(String),
    #[error("`{word}` is no value of type {ty}")]
    NoValue { word: String, ty: String },
}

/// More values than anybody wants to try one by one.
const MOST: usize = 100_000;

impl Pool {
    /// Parses `int=0..4`, `put.1=0,7`, `String=a,b`, `Comparator=null`.
    pub fn parse(text: &str) -> Result<Pool, PoolError> {
        let form = || PoolError::Form(text.to_owned());
        let (key, values) = text.split_once('=').ok_or_else(form)?;
        let (key, values) = (key.trim(), values.trim());
        if key.is_empty() || values.is_empty() {
            return Err(form());
        }
        let key = match key.rsplit_once('.').map(|(method, index)| (method, index.parse::<usize>())) {
            Some((method, Ok(index))) if !method.is_empty() => {
                Key::Parameter { method: method.to_owned(), index }
            }
            _ => Key::Type(key.to_owned()),
        };
        let mut words = Vec::new();
        for word in values.split(',') {
            match range(word.trim())? {
                Some(range) => words.extend(range.map(|number| number.to_string())),
                None => words.push(word.trim().to_owned()),
            }
            if words.len() > MOST {
                return Err(PoolError::Many(text.to_owned()));
            }
        }
        Ok(Pool { key, words })
    }
}

/// `0..4` with both ends; what is no range is `None`.
fn range(word: &str) -> Result<Option<std::ops::RangeInclusive<i64>>, PoolError> {
    let Some((first, last)) = word.split_once("..") else { return Ok(None) };
    let (Ok(first), Ok(last)) = (first.trim().parse::<i64>(), last.trim().parse::<i64>()) else {
        return Ok(None);
    };
    if first > last {
        return Err(PoolError::Empty(word.to_owned()));
    }
    if last.abs_diff(first) >= MOST as u64 {
        return Err(PoolError::Many(word.to_owned()));
    }
    Ok(Some(first..=last))
}

/// What a user gave, and whether anything used it.
#[derive(Debug, Clone, Default)]
pub struct Pools {
    pub given: Vec<Pool>,
    /// By pool.
    pub used: Vec<bool>,
    /// Values of existing tests, tried wherever their type fits and no pool was given.
    pub harvested: Vec<Argument>,
}

impl Pools {
    pub fn new(given: Vec<Pool>) -> Self {
        let used = vec![false; given.len()];
        Pools { given, used, harvested: Vec::new() }
    }

    /// Values for a parameter; empty if nobody said any. `fits` tells whether a type can be passed to another.
    pub fn values(
        &mut self,
        method: &str,
        index: usize,
        ty: &Type,
        fits: &mut dyn FnMut(&Type, &Type) -> bool,
    ) -> Result<Vec<Argument>, PoolError> {
        let mut values = Vec::new();
        for at in 0..self.given.len() {
            let Key::Parameter { method: wanted, index: place } = &self.given[at].key else { continue };
            if wanted == method && *place == index {
                self.used[at] = true;
                collect(&self.given[at].words, ty, fits, &mut values)?;
            }
        }
        if !values.is_empty() {
            return Ok(values);
        }
        for at in 0..self.given.len() {
            let Key::Type(name) = &self.given[at].key else { continue };
            if is_named(ty, name) {
                self.used[at] = true;
                collect(&self.given[at].words, ty, fits, &mut values)?;
            } else if let Some(other) = known_type(name)
                && boxes_to(&other, ty, fits)
            {
                self.used[at] = true;
                for word in &self.given[at].words {
                    values.push(boxed(value(word, &other).ok_or_else(|| no_value(word, &other))?));
                }
            }
        }
        if values.is_empty() {
            let fitting = self.harvested.iter().filter_map(|argument| harvested(argument, ty, fits));
            values.extend(fitting);
        }
        dedup(&mut values);
        Ok(values)
    }
}

/// A harvested value as an argument of a type.
fn harvested(argument: &Argument, ty: &Type, fits: &mut dyn FnMut(&Type, &Type) -> bool) -> Option<Argument> {
    let own = argument.ty()?;
    if own == *ty || (ty.is_reference() && own.is_reference() && fits(&own, ty)) {
        return Some(argument.clone());
    }
    match argument {
        Argument::Plain(literal) if ty.is_reference() => {
            let wrapped = box_of(&own)?;
            fits(&wrapped, ty).then(|| Argument::Boxed(literal.clone()))
        }
        Argument::Boxed(literal) if literal.ty() == *ty => Some(Argument::Plain(literal.clone())),
        _ => None,
    }
}

fn dedup(values: &mut Vec<Argument>) {
    let mut seen = std::collections::BTreeSet::new();
    values.retain(|value| seen.insert(value.clone()));
}

fn no_value(word: &str, ty: &Type) -> PoolError {
    PoolError::NoValue { word: word.to_owned(), ty: ty.to_string() }
}

/// The values that words are for a parameter of a type.
fn collect(
    words: &[String],
    ty: &Type,
    fits: &mut dyn FnMut(&Type, &Type) -> bool,
    values: &mut Vec<Argument>,
) -> Result<(), PoolError> {
    for word in words {
        values.push(argument(word, ty, fits).ok_or_else(|| no_value(word, ty))?);
    }
    Ok(())
}

fn argument(word: &str, ty: &Type, fits: &mut dyn FnMut(&Type, &Type) -> bool) -> Option<Argument> {
    if !ty.is_reference() {
        return value(word, ty).map(Argument::Plain);
    }
    if word == "null" {
        return Some(Argument::Plain(Literal::Null(ty.clone())));
    }
    if let Some(inside) = unbox(ty) {
        return value(word, &inside).map(Argument::Boxed);
    }
    let guesses = [Type::Int, Type::Long, Type::Double, Type::Boolean, Type::Char];
    for guess in guesses {
        let wrapped = box_of(&guess).expect("a primitive has a box");
        if fits(&wrapped, ty)
            && let Some(literal) = value(word, &guess)
        {
            return Some(Argument::Boxed(literal));
        }
    }
    let string = Type::class("java/lang/String");
    if *ty == string || fits(&string, ty) {
        return value(word, &string).map(Argument::Plain);
    }
    match ty {
        Type::Class(class) if !word.is_empty() && !word.contains(['.', '"', '(']) => {
            Some(Argument::Constant { class: class.clone(), name: word.to_owned() })
        }
        _ => None,
    }
}

fn boxed(literal: Literal) -> Argument {
    match literal {
        Literal::String(_) | Literal::Class(_) | Literal::Null(_) => Argument::Plain(literal),
        other => Argument::Boxed(other),
    }
}

/// Whether values of a pool's type, boxed if need be, can be passed to a reference parameter.
fn boxes_to(of: &Type, ty: &Type, fits: &mut dyn FnMut(&Type, &Type) -> bool) -> bool {
    if !ty.is_reference() {
        return false;
    }
    match box_of(of) {
        Some(wrapped) => wrapped == *ty || fits(&wrapped, ty),
        None => fits(of, ty),
    }
}

/// A word as a literal of a type.
fn value(word: &str, ty: &Type) -> Option<Literal> {
    let number = || word.strip_suffix(['l', 'L']).unwrap_or(word).parse::<i64>().ok();
    Some(match ty {
        Type::Boolean => Literal::Boolean(word.parse().ok()?),
        Type::Byte => Literal::Byte(number()?.try_into().ok()?),
        Type::Short => Literal::Short(number()?.try_into().ok()?),
        Type::Int => Literal::Int(word.parse().ok()?),
        Type::Long => Literal::Long(number()?),
        Type::Char => Literal::Char(character(word)?),
        Type::Float => Literal::Float(word.parse::<f32>().ok()?.to_bits()),
        Type::Double => Literal::Double(word.parse::<f64>().ok()?.to_bits()),
        Type::Class(name) if name.as_internal() == "java/lang/String" => {
            let inside = word.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(word);
            Literal::String(inside.into())
        }
        Type::Class(_) | Type::Array(_) => return None,
    })
}

fn character(word: &str) -> Option<u16> {
    let inside = word.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')).unwrap_or(word);
    let mut units = inside.encode_utf16();
    match (units.next(), units.next()) {
        (Some(unit), None) => Some(unit),
        _ => None,
    }
}

/// The box of a primitive.
pub(crate) fn box_of(ty: &Type) -> Option<Type> {
    Some(Type::class(match ty {
        Type::Boolean => "java/lang/Boolean",
        Type::Byte => "java/lang/Byte",
        Type::Char => "java/lang/Character",
        Type::Short => "java/lang/Short",
        Type::Int => "java/lang/Integer",
        Type::Long => "java/lang/Long",
        Type::Float => "java/lang/Float",
        Type::Double => "java/lang/Double",
        Type::Class(_) | Type::Array(_) => return None,
    }))
}

const PRIMITIVES: [Type; 8] =
    [Type::Boolean, Type::Byte, Type::Char, Type::Short, Type::Int, Type::Long, Type::Float, Type::Double];

fn unbox(ty: &Type) -> Option<Type> {
    PRIMITIVES.into_iter().find(|primitive| box_of(primitive).as_ref() == Some(ty))
}

/// Types whose values a word can name wherever they are passed.
fn known_type(name: &str) -> Option<Type> {
    PRIMITIVES.into_iter().find(|ty| ty.to_string() == name).or_else(|| {
        let boxes =
            PRIMITIVES.into_iter().find(|ty| box_of(ty).is_some_and(|wrapped| is_named(&wrapped, name)));
        boxes.or_else(|| {
            matches!(name, "String" | "java.lang.String").then(|| Type::class("java/lang/String"))
        })
    })
}

/// Whether a type is meant by a name, which may leave the package out.
pub(crate) fn is_named(ty: &Type, name: &str) -> bool {
    let full = ty.to_string();
    full == name
        || full.replace('$', ".") == name
        || full.rsplit(['.', '$']).next().is_some_and(|simple| simple == name)
}

/// Values to try where nobody said any: a few of each kind, with the literals of the class before them.
pub fn default_values(
    ty: &Type,
    mined: &[Literal],
    fits: &mut dyn FnMut(&Type, &Type) -> bool,
) -> Vec<Argument> {
    let string = Type::class("java/lang/String");
    let plain = |ty: &Type| -> Vec<Literal> {
        let usual: Vec<Literal> = match ty {
            Type::Boolean => vec![Literal::Boolean(false), Literal::Boolean(true)],
            Type::Byte => vec![Literal::Byte(0), Literal::Byte(1), Literal::Byte(-1)],
            Type::Char => vec![Literal::Char(97), Literal::Char(98)],
            Type::Short => vec![Literal::Short(0), Literal::Short(1), Literal::Short(-1)],
            Type::Int => vec![Literal::Int(0), Literal::Int(1), Literal::Int(-1)],
            Type::Long => vec![Literal::Long(0), Literal::Long(1), Literal::Long(-1)],
            Type::Float => vec![Literal::Float(0), Literal::Float(1.5f32.to_bits())],
            Type::Double => vec![Literal::Double(0), Literal::Double(1.5f64.to_bits())],
            Type::Class(_) | Type::Array(_) => {
                vec![Literal::String(JavaString::from("")), Literal::String(JavaString::from("a"))]
            }
        };
        let mut all = usual;
        for literal in mined.iter().filter(|literal| literal.ty() == *ty) {
            if !all.contains(literal) && all.len() < DEFAULT_MOST {
                all.push(literal.clone());
            }
        }
        all
    };
    if !ty.is_reference() {
        return plain(ty).into_iter().map(Argument::Plain).collect();
    }
    if let Some(inside) = unbox(ty) {
        return plain(&inside).into_iter().map(Argument::Boxed).collect();
    }
    if fits(&string, ty) && !fits(&Type::class("java/lang/Integer"), ty) {
        return plain(&string).into_iter().map(Argument::Plain).collect();
    }
    if fits(&Type::class("java/lang/Integer"), ty) {
        return plain(&Type::Int).into_iter().map(Argument::Boxed).collect();
    }
    Vec::new()
}

/// Values of one type that are tried without being asked for.
const DEFAULT_MOST: usize = 6;

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(of: &Type, to: &Type) -> bool {
        of == to || *to == Type::class("java/lang/Object")
    }

    fn values(pools: &[&str], method: &str, index: usize, ty: Type) -> String {
        let mut pools = Pools::new(pools.iter().map(|text| Pool::parse(text).unwrap()).collect());
        match pools.values(method, index, &ty, &mut fits) {
            Ok(values) => values
                .iter()
                .map(|value| format!("{value}:{}", value.ty().map_or("?".into(), |ty| ty.to_string())))
                .collect::<Vec<_>>()
                .join(" "),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn integers_box_for_references_and_parameters_come_first() {
        let object = Type::class("java/lang/Object");
        assert_eq!(values(&["int=0..2"], "add", 0, Type::Int), "0:int 1:int 2:int");
        assert_eq!(
            values(&["int=0..1"], "put", 0, object.clone()),
            "0:java.lang.Integer 1:java.lang.Integer"
        );
        assert_eq!(values(&["int=0..1", "put.1=7"], "put", 1, object.clone()), "7:java.lang.Integer");
        assert_eq!(values(&["int=0..1"], "put", 0, Type::class("java/util/Map")), "");
        assert_eq!(values(&["Map=null"], "put", 0, Type::class("java/util/Map")), "null:?");
        assert_eq!(
            values(&["String=a,\"b\""], "put", 0, object),
            "\"a\":java.lang.String \"b\":java.lang.String"
        );
        assert_eq!(values(&["int=x"], "put", 0, Type::Int), "`x` is no value of type int");
        assert_eq!(values(&["Color=RED"], "paint", 0, Type::class("a/Color")), "Color.RED:a.Color");
    }

    #[test]
    fn mistakes_in_pools_are_named() {
        for (text, said) in [
            ("int", "no pool"),
            ("=3", "no pool"),
            ("int=4..0", "empty range"),
            ("int=0..999999", "more than"),
        ] {
            let error = Pool::parse(text).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
        assert_eq!(Pool::parse("int=-2..-1").unwrap().words, ["-2", "-1"]);
    }
}
