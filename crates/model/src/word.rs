//! Words of Java source.
//!
//! In: a text. Out: whether it can be a name there. Knows nothing of where names are declared.

/// Whether a text can be an identifier of Java source.
pub fn is_identifier(text: &str) -> bool {
    let mut chars = text.chars();
    let starts = chars.next().is_some_and(|first| first.is_alphabetic() || matches!(first, '_' | '$'));
    starts && chars.all(|c| c.is_alphanumeric() || matches!(c, '_' | '$')) && !is_reserved(text)
}

/// Whether the word means something to the language wherever it stands.
pub fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
}

/// Reserved words of JLS §3.9 and the literals that look like names.
const RESERVED: [&str; 54] = [
    "_",
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
    "void",
    "volatile",
    "while",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_source_cannot_spell_are_told() {
        for text in ["a", "_a1", "$", "größe", "record"] {
            assert!(is_identifier(text), "{text}");
        }
        for text in ["", "1a", "a-b", "class", "_", "true", "<init>"] {
            assert!(!is_identifier(text), "{text}");
        }
    }
}
