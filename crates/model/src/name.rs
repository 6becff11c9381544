//! Names of classes and the types that descriptors spell.
//!
//! In: internal names (`java/util/Map$Entry`) and descriptors (`[I`, `(ILjava/lang/String;)V`).
//! Out: [`ClassName`], [`Type`], [`MethodDescriptor`].
//! Knows nothing of class files, loaders or subtyping.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A class or interface, in the JVM's internal form (`java/lang/String`). Never an array or a primitive.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ClassName(Arc<str>);

impl ClassName {
    /// Takes the internal form, `java/util/Map$Entry`.
    pub fn internal(name: &str) -> Self {
        ClassName(name.into())
    }

    /// Takes the binary name as `Class.getName` prints it, `java.util.Map$Entry`.
    pub fn binary(name: &str) -> Self {
        ClassName(name.replace('.', "/").into())
    }

    /// The internal form.
    pub fn as_internal(&self) -> &str {
        &self.0
    }

    /// The binary name, with dots.
    pub fn to_binary(&self) -> String {
        self.0.replace('/', ".")
    }

    /// The package in internal form, empty for the unnamed one.
    pub fn package(&self) -> &str {
        self.0.rfind('/').map_or("", |at| &self.0[..at])
    }

    /// What follows the package: `Map$Entry`.
    pub fn simple(&self) -> &str {
        self.0.rfind('/').map_or(&self.0, |at| &self.0[at + 1..])
    }

    /// The class it is nested in at the top level, or itself, told by its name; a leading dollar is part of it.
    pub fn host(&self) -> ClassName {
        let simple = self.simple();
        match simple.char_indices().skip(1).find(|(_, c)| *c == '$') {
            Some((at, _)) => ClassName::internal(&self.0[..self.0.len() - simple.len() + at]),
            None => self.clone(),
        }
    }
}

impl fmt::Display for ClassName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_binary())
    }
}

/// A type a field, parameter or array element can have.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Type {
    Boolean,
    Byte,
    Char,
    Short,
    Int,
    Long,
    Float,
    Double,
    Class(ClassName),
    Array(Box<Type>),
}

impl Type {
    /// The class type of an internal name.
    pub fn class(internal: &str) -> Self {
        Type::Class(ClassName::internal(internal))
    }

    /// An array of this type.
    pub fn array(self) -> Self {
        Type::Array(Box::new(self))
    }

    pub fn is_primitive(&self) -> bool {
        !self.is_reference()
    }

    pub fn is_reference(&self) -> bool {
        matches!(self, Type::Class(_) | Type::Array(_))
    }

    /// Parses one field descriptor that fills the whole text.
    pub fn parse(text: &str) -> Result<Self, DescriptorError> {
        let (ty, rest) = Self::parse_prefix(text, text)?;
        if rest.is_empty() { Ok(ty) } else { Err(DescriptorError(text.into())) }
    }

    fn parse_prefix<'a>(text: &'a str, whole: &str) -> Result<(Self, &'a str), DescriptorError> {
        let bad = || DescriptorError(whole.into());
        let dims = text.len() - text.trim_start_matches('[').len();
        if dims > 255 {
            return Err(bad());
        }
        let body = &text[dims..];
        let (mut ty, rest) = match body.as_bytes().first().ok_or_else(bad)? {
            b'Z' => (Type::Boolean, &body[1..]),
            b'B' => (Type::Byte, &body[1..]),
            b'C' => (Type::Char, &body[1..]),
            b'S' => (Type::Short, &body[1..]),
            b'I' => (Type::Int, &body[1..]),
            b'J' => (Type::Long, &body[1..]),
            b'F' => (Type::Float, &body[1..]),
            b'D' => (Type::Double, &body[1..]),
            b'L' => {
                let end = body.find(';').filter(|&end| end > 1).ok_or_else(bad)?;
                (Type::class(&body[1..end]), &body[end + 1..])
            }
            _ => return Err(bad()),
        };
        for _ in 0..dims {
            ty = ty.array();
        }
        Ok((ty, rest))
    }

    /// The field descriptor, `[Ljava/lang/String;`.
    pub fn descriptor(&self) -> String {
        let mut out = String::new();
        self.write_descriptor(&mut out);
        out
    }

    /// Appends the field descriptor.
    pub fn write_descriptor(&self, out: &mut String) {
        match self {
            Type::Boolean => out.push('Z'),
            Type::Byte => out.push('B'),
            Type::Char => out.push('C'),
            Type::Short => out.push('S'),
            Type::Int => out.push('I'),
            Type::Long => out.push('J'),
            Type::Float => out.push('F'),
            Type::Double => out.push('D'),
            Type::Class(name) => {
                out.push('L');
                out.push_str(name.as_internal());
                out.push(';');
            }
            Type::Array(element) => {
                out.push('[');
                element.write_descriptor(out);
            }
        }
    }
}

/// Prints as binary names with brackets: `java.lang.String[]`, `int`.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Boolean => f.write_str("boolean"),
            Type::Byte => f.write_str("byte"),
            Type::Char => f.write_str("char"),
            Type::Short => f.write_str("short"),
            Type::Int => f.write_str("int"),
            Type::Long => f.write_str("long"),
            Type::Float => f.write_str("float"),
            Type::Double => f.write_str("double"),
            Type::Class(name) => name.fmt(f),
            Type::Array(element) => write!(f, "{element}[]"),
        }
    }
}

/// Parameter types and result of a method; a `None` result is `void`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct MethodDescriptor {
    pub params: Vec<Type>,
    pub returns: Option<Type>,
}

impl MethodDescriptor {
    /// Parses `(ILjava/lang/String;)V`.
    pub fn parse(text: &str) -> Result<Self, DescriptorError> {
        let bad = || DescriptorError(text.into());
        let mut rest = text.strip_prefix('(').ok_or_else(bad)?;
        let mut params = Vec::new();
        while !rest.starts_with(')') {
            let (ty, after) = Type::parse_prefix(rest, text)?;
            params.push(ty);
            rest = after;
        }
        let returns = match &rest[1..] {
            "V" => None,
            other => Some(Type::parse(other).map_err(|_| bad())?),
        };
        Ok(MethodDescriptor { params, returns })
    }

    /// The descriptor text, `(I)V`.
    pub fn descriptor(&self) -> String {
        let mut out = String::from("(");
        for param in &self.params {
            param.write_descriptor(&mut out);
        }
        out.push(')');
        match &self.returns {
            Some(ty) => ty.write_descriptor(&mut out),
            None => out.push('V'),
        }
        out
    }
}

/// Prints the parameter list as source would: `(int, java.lang.String)`.
impl fmt::Display for MethodDescriptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        for (at, param) in self.params.iter().enumerate() {
            if at > 0 {
                f.write_str(", ")?;
            }
            param.fmt(f)?;
        }
        f.write_str(")")
    }
}

/// A text that is no descriptor of JVMS §4.3.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a descriptor")]
pub struct DescriptorError(pub String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nested_class_has_a_host() {
        for (nested, host) in
            [("a/B$C$D", "a/B"), ("a/B", "a/B"), ("$B", "$B"), ("a$b/$C", "a$b/$C"), ("a/$C$D", "a/$C")]
        {
            assert_eq!(ClassName::internal(nested).host(), ClassName::internal(host));
        }
    }

    #[test]
    fn descriptors_survive_a_round_trip() {
        for text in ["()V", "(I[[JLjava/util/Map$Entry;D)[Ljava/lang/String;", "(ZBCSF)J"] {
            assert_eq!(MethodDescriptor::parse(text).unwrap().descriptor(), text);
        }
    }

    #[test]
    fn malformed_descriptors_are_named() {
        for text in ["", "(", "(I", "()", "(L;)V", "(V)V", "()VV", "([)V", "(Ljava)V"] {
            assert_eq!(MethodDescriptor::parse(text), Err(DescriptorError(text.into())));
        }
    }

    #[test]
    fn names_know_their_package() {
        let entry = ClassName::binary("java.util.Map$Entry");
        assert_eq!(
            (entry.package(), entry.simple(), entry.to_string().as_str()),
            ("java/util", "Map$Entry", "java.util.Map$Entry")
        );
        assert_eq!(ClassName::internal("Top").package(), "");
    }
}
