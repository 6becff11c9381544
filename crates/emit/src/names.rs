//! Names of variables.
//!
//! In: types, members and parameters. Out: identifiers that do not clash.

use std::collections::BTreeMap;

use probat_model::Type;
use probat_model::word::is_reserved;

use crate::java::JavaType;

/// Words that mean something in some places only; a variable so named reads badly.
const CONTEXTUAL: [&str; 3] = ["record", "var", "yield"];

/// Whether the word cannot be a variable's name, or should not.
pub fn is_keyword(word: &str) -> bool {
    is_reserved(word) || CONTEXTUAL.contains(&word)
}

/// Variables of one method.
#[derive(Debug, Clone, Default)]
pub(crate) struct Variables {
    taken: BTreeMap<String, u32>,
    /// Those that later cases can use, with their types, by how they are made.
    pub shared: BTreeMap<String, (String, JavaType)>,
}

impl Variables {
    /// The first wish that is free, or the first one with a number.
    pub fn first_free(&mut self, wishes: &[String]) -> String {
        let free = wishes.iter().find(|wish| !self.taken.contains_key(&identifier(wish)));
        let wish = free.or(wishes.first()).map_or("value", String::as_str);
        self.fresh(wish)
    }

    /// A fresh name close to the wish.
    pub fn fresh(&mut self, wish: &str) -> String {
        let base = identifier(wish);
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

/// The wish as a variable's name.
fn identifier(wish: &str) -> String {
    let clean: String = wish.chars().filter(|&c| is_part(c)).collect();
    let mut base = decapitalise(&clean);
    if base.is_empty() || base.starts_with(|c: char| c.is_ascii_digit()) {
        base.insert(0, 'v');
    }
    if is_keyword(&base) || PACKAGES.contains(&base.as_str()) {
        base.push_str("Value");
    }
    base
}

/// Whether a Java identifier may have the character (JLS §3.8); circled letters are letters to Unicode alone.
fn is_part(c: char) -> bool {
    let is_circled = matches!(c, '\u{24b6}'..='\u{24e9}' | '\u{1f130}'..='\u{1f189}');
    c.is_ascii_alphanumeric() || c == '_' || (!c.is_ascii() && c.is_alphabetic() && !is_circled)
}

/// Names that qualified names start with; a variable would hide them (JLS §6.4.2).
const PACKAGES: [&str; 6] = ["java", "javax", "org", "com", "net", "io"];

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
