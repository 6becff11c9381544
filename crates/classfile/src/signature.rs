//! Generic signatures (JVMS §4.7.9.1): what types were before erasure.
//!
//! In: the text of a `Signature` attribute. Out: [`ClassSignature`], [`MethodSignature`], [`TypeSignature`].
//! Does not resolve type variables; the declaration they belong to is not looked at.

use std::fmt;

use probat_model::{ClassName, Type};

/// How deep type arguments and arrays may nest.
const MAX_DEPTH: usize = 128;

/// A generic class: `<T:Ljava/lang/Object;>Ljava/lang/Object;Ljava/util/List<TT;>;`
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClassSignature {
    pub parameters: Vec<TypeParameter>,
    pub superclass: ClassTypeSignature,
    pub interfaces: Vec<ClassTypeSignature>,
}

/// A generic method: `<T:Ljava/lang/Object;>(TT;)V^TE;`
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MethodSignature {
    pub parameters: Vec<TypeParameter>,
    /// Without synthetic parameters the compiler added, so it may be shorter than the descriptor.
    pub arguments: Vec<TypeSignature>,
    /// `None` is `void`.
    pub returns: Option<TypeSignature>,
    /// Classes and variables; empty if no thrown type is generic.
    pub throws: Vec<TypeSignature>,
}

/// A declared type variable with its bounds.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeParameter {
    pub name: String,
    pub class_bound: Option<TypeSignature>,
    pub interface_bounds: Vec<TypeSignature>,
}

/// A type with its arguments.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TypeSignature {
    /// Never a class or array.
    Primitive(Type),
    Class(ClassTypeSignature),
    Variable(String),
    Array(Box<TypeSignature>),
}

/// A class type. An inner class of a generic one has arguments at more than one part.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClassTypeSignature {
    /// The first part's name is internal (`java/util/Map`), the others are simple (`Entry`). Never empty.
    pub parts: Vec<ClassPart>,
}

/// A class name with the arguments that follow it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClassPart {
    pub name: String,
    pub arguments: Vec<TypeArgument>,
}

/// An argument of a generic type.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TypeArgument {
    /// `?`
    Any,
    /// `? extends`
    Extends(TypeSignature),
    /// `? super`
    Super(TypeSignature),
    Exact(TypeSignature),
}

/// A text that is no signature.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a signature (stuck at byte {at})")]
pub struct SignatureError {
    pub text: String,
    pub at: usize,
}

impl ClassSignature {
    pub fn parse(text: &str) -> Result<Self, SignatureError> {
        parse_all(text, |parser| {
            let parameters = parser.type_parameters()?;
            let superclass = parser.class_type(0)?;
            let mut interfaces = Vec::new();
            while parser.peek().is_some() {
                interfaces.push(parser.class_type(0)?);
            }
            Ok(ClassSignature { parameters, superclass, interfaces })
        })
    }
}

impl MethodSignature {
    pub fn parse(text: &str) -> Result<Self, SignatureError> {
        parse_all(text, |parser| {
            let parameters = parser.type_parameters()?;
            parser.expect(b'(')?;
            let mut arguments = Vec::new();
            while !parser.eat(b')') {
                arguments.push(parser.any_type(0)?);
            }
            let returns = if parser.eat(b'V') { None } else { Some(parser.any_type(0)?) };
            let mut throws = Vec::new();
            while parser.eat(b'^') {
                throws.push(parser.reference(0)?);
            }
            Ok(MethodSignature { parameters, arguments, returns, throws })
        })
    }
}

impl TypeSignature {
    /// Parses the signature of a field, record component or local variable.
    pub fn parse(text: &str) -> Result<Self, SignatureError> {
        parse_all(text, |parser| parser.any_type(0))
    }
}

impl ClassTypeSignature {
    /// The class without its arguments.
    pub fn class(&self) -> ClassName {
        let names: Vec<&str> = self.parts.iter().map(|part| part.name.as_str()).collect();
        ClassName::internal(&names.join("$"))
    }

    /// The arguments of the class itself, not of those around it.
    pub fn arguments(&self) -> &[TypeArgument] {
        self.parts.last().map_or(&[], |part| &part.arguments)
    }
}

fn parse_all<T>(
    text: &str,
    parse: impl FnOnce(&mut Parser<'_>) -> Result<T, Stuck>,
) -> Result<T, SignatureError> {
    let mut parser = Parser { text, at: 0 };
    match parse(&mut parser) {
        Ok(value) if parser.at == text.len() => Ok(value),
        _ => Err(SignatureError { text: text.into(), at: parser.at }),
    }
}

/// The parser cannot go on; its position says where.
struct Stuck;

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, byte: u8) -> Result<(), Stuck> {
        if self.eat(byte) { Ok(()) } else { Err(Stuck) }
    }

    /// A name up to one of the characters no identifier has; `/` is one of them unless it is allowed.
    fn name(&mut self, slashes: bool) -> Result<String, Stuck> {
        let rest = &self.text[self.at..];
        let stops = |c: char| matches!(c, '.' | ';' | '[' | '<' | '>' | ':') || (c == '/' && !slashes);
        let length = rest.find(stops).unwrap_or(rest.len());
        if length == 0 {
            return Err(Stuck);
        }
        self.at += length;
        Ok(rest[..length].into())
    }

    fn type_parameters(&mut self) -> Result<Vec<TypeParameter>, Stuck> {
        let mut parameters = Vec::new();
        if self.eat(b'<') {
            while !self.eat(b'>') {
                parameters.push(self.type_parameter()?);
            }
        }
        Ok(parameters)
    }

    fn type_parameter(&mut self) -> Result<TypeParameter, Stuck> {
        let name = self.name(false)?;
        self.expect(b':')?;
        let class_bound = match self.peek() {
            Some(b'L' | b'T' | b'[') => Some(self.reference(0)?),
            _ => None,
        };
        let mut interface_bounds = Vec::new();
        while self.eat(b':') {
            interface_bounds.push(self.reference(0)?);
        }
        Ok(TypeParameter { name, class_bound, interface_bounds })
    }

    fn any_type(&mut self, depth: usize) -> Result<TypeSignature, Stuck> {
        let ty = match self.peek() {
            Some(b'Z') => Type::Boolean,
            Some(b'B') => Type::Byte,
            Some(b'C') => Type::Char,
            Some(b'S') => Type::Short,
            Some(b'I') => Type::Int,
            Some(b'J') => Type::Long,
            Some(b'F') => Type::Float,
            Some(b'D') => Type::Double,
            _ => return self.reference(depth),
        };
        self.at += 1;
        Ok(TypeSignature::Primitive(ty))
    }

    fn reference(&mut self, depth: usize) -> Result<TypeSignature, Stuck> {
        if depth > MAX_DEPTH {
            return Err(Stuck);
        }
        if self.eat(b'[') {
            return Ok(TypeSignature::Array(Box::new(self.any_type(depth + 1)?)));
        }
        if self.eat(b'T') {
            let name = self.name(false)?;
            self.expect(b';')?;
            return Ok(TypeSignature::Variable(name));
        }
        Ok(TypeSignature::Class(self.class_type(depth)?))
    }

    fn class_type(&mut self, depth: usize) -> Result<ClassTypeSignature, Stuck> {
        self.expect(b'L')?;
        let mut parts = vec![self.class_part(true, depth)?];
        while self.eat(b'.') {
            parts.push(self.class_part(false, depth)?);
        }
        self.expect(b';')?;
        Ok(ClassTypeSignature { parts })
    }

    fn class_part(&mut self, slashes: bool, depth: usize) -> Result<ClassPart, Stuck> {
        let name = self.name(slashes)?;
        let mut arguments = Vec::new();
        if self.eat(b'<') {
            while !self.eat(b'>') {
                arguments.push(self.argument(depth + 1)?);
            }
        }
        Ok(ClassPart { name, arguments })
    }

    fn argument(&mut self, depth: usize) -> Result<TypeArgument, Stuck> {
        if self.eat(b'*') {
            Ok(TypeArgument::Any)
        } else if self.eat(b'+') {
            self.reference(depth).map(TypeArgument::Extends)
        } else if self.eat(b'-') {
            self.reference(depth).map(TypeArgument::Super)
        } else {
            self.reference(depth).map(TypeArgument::Exact)
        }
    }
}

/// Writes items with a separator.
fn separated<T: fmt::Display>(f: &mut fmt::Formatter<'_>, items: &[T], separator: &str) -> fmt::Result {
    items.iter().enumerate().try_for_each(|(at, item)| {
        f.write_str(if at > 0 { separator } else { "" })?;
        item.fmt(f)
    })
}

/// Writes `<…>` around a list that is not empty.
fn bracketed<T: fmt::Display>(f: &mut fmt::Formatter<'_>, items: &[T]) -> fmt::Result {
    if items.is_empty() {
        return Ok(());
    }
    f.write_str("<")?;
    separated(f, items, ", ")?;
    f.write_str(">")
}

/// Prints as source would: `java.util.Map<K, ? extends V>[]`.
impl fmt::Display for TypeSignature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TypeSignature::Primitive(ty) => ty.fmt(f),
            TypeSignature::Class(class) => class.fmt(f),
            TypeSignature::Variable(name) => f.write_str(name),
            TypeSignature::Array(element) => write!(f, "{element}[]"),
        }
    }
}

impl fmt::Display for ClassTypeSignature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parts.iter().enumerate().try_for_each(|(at, part)| {
            f.write_str(if at > 0 { "." } else { "" })?;
            f.write_str(&part.name.replace('/', "."))?;
            bracketed(f, &part.arguments)
        })
    }
}

impl fmt::Display for TypeArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TypeArgument::Any => f.write_str("?"),
            TypeArgument::Extends(bound) => write!(f, "? extends {bound}"),
            TypeArgument::Super(bound) => write!(f, "? super {bound}"),
            TypeArgument::Exact(ty) => ty.fmt(f),
        }
    }
}

impl fmt::Display for TypeParameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        let bounds: Vec<&TypeSignature> = self.class_bound.iter().chain(&self.interface_bounds).collect();
        if !bounds.is_empty() {
            f.write_str(" extends ")?;
        }
        separated(f, &bounds, " & ")
    }
}

/// Prints as a class declaration's header would read.
impl fmt::Display for ClassSignature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        bracketed(f, &self.parameters)?;
        write!(f, " extends {}", self.superclass)?;
        if !self.interfaces.is_empty() {
            f.write_str(" implements ")?;
        }
        separated(f, &self.interfaces, ", ")
    }
}

/// Prints as a method declaration would read, without its name.
impl fmt::Display for MethodSignature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        bracketed(f, &self.parameters)?;
        match &self.returns {
            Some(ty) => write!(f, " {ty} (")?,
            None => f.write_str(" void (")?,
        }
        separated(f, &self.arguments, ", ")?;
        f.write_str(")")?;
        if !self.throws.is_empty() {
            f.write_str(" throws ")?;
        }
        separated(f, &self.throws, ", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let shown = match text.contains('(') {
            true => MethodSignature::parse(text).map(|signature| signature.to_string()),
            false => TypeSignature::parse(text).map(|signature| signature.to_string()),
        };
        assert_eq!(shown.as_deref(), Ok(expected));
    }

    #[test]
    fn types_print_as_source() {
        check("I", "int");
        check("[[J", "long[][]");
        check("TT;", "T");
        check("Ljava/util/List<*>;", "java.util.List<?>");
        check("Ljava/util/Map<TK;+[TV;>;", "java.util.Map<K, ? extends V[]>");
        check("La/Outer<-TT;>.Inner<Lb/C;[I>.Leaf;", "a.Outer<? super T>.Inner<b.C, int[]>.Leaf");
    }

    #[test]
    fn methods_print_as_source() {
        check("()V", " void ()");
        check(
            "<T:Ljava/lang/Object;:Ljava/lang/Comparable<-TT;>;E:Ljava/lang/Exception;>(Ljava/util/Collection<+TT;>;I)TT;^TE;^La/B;",
            "<T extends java.lang.Object & java.lang.Comparable<? super T>, E extends java.lang.Exception> T (java.util.Collection<? extends T>, int) throws E, a.B",
        );
        check("<T::Ljava/lang/Runnable;>(TT;)[TT;", "<T extends java.lang.Runnable> T[] (T)");
    }

    #[test]
    fn classes_print_as_source() {
        let text = "<K:Ljava/lang/Object;>Lx/Base<TK;>;Ljava/util/Map<TK;TK;>;Ljava/lang/Runnable;";
        let signature = ClassSignature::parse(text).unwrap();
        assert_eq!(
            signature.to_string(),
            "<K extends java.lang.Object> extends x.Base<K> implements java.util.Map<K, K>, java.lang.Runnable"
        );
    }

    #[test]
    fn inner_classes_have_their_binary_name() {
        let TypeSignature::Class(class) = TypeSignature::parse("La/Outer<TT;>.Inner<TU;>;").unwrap() else {
            panic!("a class type")
        };
        assert_eq!(class.class(), ClassName::internal("a/Outer$Inner"));
        assert_eq!(class.arguments(), [TypeArgument::Exact(TypeSignature::Variable("U".into()))]);
    }

    #[test]
    fn errors_say_where() {
        for (text, at) in
            [("", 0), ("V", 0), ("Ljava/util/List<", 16), ("TT", 2), ("II", 1), ("L;", 1), ("La<I>;", 3)]
        {
            assert_eq!(TypeSignature::parse(text), Err(SignatureError { text: text.into(), at }), "{text}");
        }
        assert_eq!(MethodSignature::parse("(V)V").unwrap_err().at, 1);
    }

    #[test]
    fn deep_nesting_is_refused() {
        assert!(TypeSignature::parse(&"[".repeat(100_000)).is_err());
        assert!(TypeSignature::parse(&"La<".repeat(100_000)).is_err());
    }
}
