//! Names of variables, and the imports of a file.
//!
//! In: types and members. Out: identifiers that do not clash, simple class names where they are unambiguous.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use probat_model::{ClassName, Type};

use crate::scope::Scope;

const KEYWORDS: [&str; 56] = [
    "abstract",
    "assert",
    "boolean",
    "break",
    "byte",
    "case",
    "catch",
    "char",
    "class",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extends",
    "false",
    "final",
    "finally",
    "float",
    "for",
    "goto",
    "if",
    "implements",
    "import",
    "instanceof",
    "int",
    "interface",
    "long",
    "native",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "record",
    "return",
    "short",
    "static",
    "strictfp",
    "super",
    "switch",
    "synchronized",
    "this",
    "throw",
    "throws",
    "transient",
    "true",
    "try",
    "var",
    "void",
    "volatile",
    "while",
    "yield",
];

/// Whether the word cannot be a variable's name.
pub fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word) || word == "_"
}

/// Variables of one method.
#[derive(Debug, Default)]
pub(crate) struct Variables {
    taken: BTreeMap<String, u32>,
}

impl Variables {
    /// A fresh name close to the wish.
    pub fn fresh(&mut self, wish: &str) -> String {
        let clean: String = wish.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        let mut base = decapitalise(&clean);
        if base.is_empty() || base.starts_with(|c: char| c.is_ascii_digit()) {
            base.insert(0, 'v');
        }
        if is_keyword(&base) {
            base.push_str("Value");
        }
        loop {
            let count = self.taken.entry(base.clone()).or_insert(0);
            *count += 1;
            let name = if *count == 1 { base.clone() } else { format!("{base}{count}") };
            if *count == 1 || !self.taken.contains_key(&name) {
                return name;
            }
        }
    }
}

fn decapitalise(word: &str) -> String {
    let upper = word.chars().take_while(char::is_ascii_uppercase).count();
    // `URLCodec` becomes `urlCodec`, `Map` becomes `map`.
    let lower = if upper > 1 && upper < word.len() { upper - 1 } else { upper };
    word.char_indices().map(|(at, c)| if at < lower { c.to_ascii_lowercase() } else { c }).collect()
}

/// What to call a variable of this type.
pub(crate) fn wish_for_type(ty: &Type) -> String {
    match ty {
        Type::Class(name) => {
            let simple = name.simple();
            simple.rsplit('$').next().unwrap_or(simple).to_owned()
        }
        Type::Array(element) => format!("{}s", wish_for_type(element)),
        primitive => primitive.to_string().chars().take(1).collect(),
    }
}

/// What to call the result of a method: `getName` gives a `name`.
pub(crate) fn wish_for_method(method: &str, ty: &Type) -> String {
    for prefix in ["get", "is", "has", "to", "as", "create", "new", "build", "of", "parse", "with"] {
        if let Some(rest) = method.strip_prefix(prefix)
            && rest.len() > 1
            && rest.starts_with(|c: char| c.is_ascii_uppercase())
        {
            return rest.to_owned();
        }
    }
    if ty.is_primitive() && method.chars().all(|c| c.is_ascii_alphanumeric()) {
        return method.to_owned();
    }
    wish_for_type(ty)
}

/// Names classes in one file and collects what must be imported.
pub(crate) struct Imports<'s> {
    scope: &'s dyn Scope,
    package: String,
    /// Simple name → the class it stands for in this file.
    simple: BTreeMap<String, String>,
    imported: BTreeSet<String>,
}

impl<'s> Imports<'s> {
    /// `own` are simple names the file must not import over: its own class, and annotations it uses.
    pub fn new(scope: &'s dyn Scope, package: &str, own: &[String]) -> Self {
        let simple = own.iter().map(|name| (name.clone(), String::new())).collect();
        Imports { scope, package: package.replace('/', "."), simple, imported: BTreeSet::new() }
    }

    /// The class as this file says it.
    pub fn class(&mut self, class: &ClassName) -> String {
        let full = self.scope.source_name(class);
        let package = class.package().replace('/', ".");
        let nested = if package.is_empty() { full.as_str() } else { &full[package.len() + 1..] };
        let top = nested.split('.').next().unwrap_or(nested);
        let qualified_top = if package.is_empty() { top.to_owned() } else { format!("{package}.{top}") };
        match self.simple.get(top) {
            Some(known) if *known == qualified_top => nested.to_owned(),
            Some(_) => full,
            None => {
                self.simple.insert(top.to_owned(), qualified_top.clone());
                if package != "java.lang" && package != self.package {
                    self.imported.insert(qualified_top);
                }
                nested.to_owned()
            }
        }
    }

    /// The type as this file says it, raw where it is generic.
    pub fn ty(&mut self, ty: &Type) -> String {
        match ty {
            Type::Class(name) => {
                let nameable = self.nameable(name);
                self.class(&nameable)
            }
            Type::Array(element) => format!("{}[]", self.ty(element)),
            primitive => primitive.to_string(),
        }
    }

    /// The class itself if this file can name it, else its nearest supertype that it can.
    pub fn nameable(&self, class: &ClassName) -> ClassName {
        self.scope.nameable(class, &self.package.replace('.', "/"))
    }

    /// Import lines, sorted.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        self.imported.iter().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_fresh_and_readable() {
        let mut variables = Variables::default();
        let names: Vec<String> = ["ArrayList", "ArrayList", "URLCodec", "int", "class", "1x", ""]
            .map(|wish| variables.fresh(wish))
            .into();
        assert_eq!(names, ["arrayList", "arrayList2", "urlCodec", "intValue", "classValue", "v1x", "v"]);
    }

    #[test]
    fn results_are_named_after_getters() {
        assert_eq!(wish_for_method("getName", &Type::class("java/lang/String")), "Name");
        assert_eq!(wish_for_method("size", &Type::Int), "size");
        assert_eq!(wish_for_method("reduce", &Type::class("a/Fraction")), "Fraction");
        assert_eq!(wish_for_type(&Type::class("java/util/Map$Entry").array()), "Entrys");
    }
}
