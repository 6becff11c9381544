//! Patterns for classes: `com.acme.Cart`, `Cart`, `com.acme.*`, `*Parser`.
//!
//! In: text. Out: [`Pattern`], which says whether a class is meant. A class is meant together with the classes nested in it.

use std::fmt;

use probat_model::ClassName;

use crate::ProjectError;

/// A checked pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// As written, with dots between packages and nested classes.
    text: String,
}

impl Pattern {
    /// Accepts names in binary, source or internal form, with `*` for any text and `?` for one character.
    pub fn parse(text: &str) -> Result<Self, ProjectError> {
        let allowed = |c: char| c.is_alphanumeric() || matches!(c, '.' | '/' | '$' | '_' | '*' | '?' | '-');
        if text.is_empty() || !text.chars().all(allowed) || text.starts_with('-') {
            return Err(ProjectError::BadPattern { pattern: text.to_owned() });
        }
        let mut dotted = text.replace(['/', '$'], ".");
        while dotted.contains("**") {
            dotted = dotted.replace("**", "*");
        }
        Ok(Pattern { text: dotted })
    }

    /// Whether it stands for more than one name.
    pub fn has_wildcard(&self) -> bool {
        self.text.contains(['*', '?'])
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether a class, or one it is nested in, is meant.
    ///
    /// A name without dots is a simple name in any package. A name that ends at a package stands for all of it.
    pub fn matches(&self, class: &ClassName) -> bool {
        let name = class.as_internal().replace(['/', '$'], ".");
        let package = class.package().replace('/', ".");
        let simple = if package.is_empty() { name.as_str() } else { &name[package.len() + 1..] };
        let whole = if self.text.contains('.') { name.as_str() } else { simple };
        if package.strip_prefix(&self.text).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')) {
            return true;
        }
        // The class itself, then its hosts, innermost first; but never a bare package.
        let least = whole.len() - simple.len();
        let mut part = whole;
        loop {
            if wildcard(self.text.as_bytes(), part.as_bytes()) {
                return true;
            }
            match part.rfind('.') {
                Some(at) if at > least => part = &part[..at],
                _ => return false,
            }
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// `*` is any text, dots included; `?` is one character.
fn wildcard(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        if p < pattern.len() && pattern[p] == b'*' {
            star = Some((p, t));
            p += 1;
        } else if p < pattern.len() && (pattern[p] == b'?' || pattern[p] == text[t]) {
            p += 1;
            t += 1;
        } else if let Some((at, from)) = star {
            star = Some((at, from + 1));
            p = at + 1;
            t = from + 1;
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|c| *c == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, yes: &[&str], no: &[&str]) {
        let pattern = Pattern::parse(pattern).unwrap();
        for name in yes {
            assert!(pattern.matches(&ClassName::binary(name)), "{pattern} should match {name}");
        }
        for name in no {
            assert!(!pattern.matches(&ClassName::binary(name)), "{pattern} should not match {name}");
        }
    }

    #[test]
    fn a_name_means_the_class_and_what_is_nested_in_it() {
        check(
            "com.acme.Cart",
            &["com.acme.Cart", "com.acme.Cart$Item", "com.acme.Cart$1"],
            &["com.acme.Carts", "acme.Cart"],
        );
        check("com.acme.Cart$Item", &["com.acme.Cart$Item"], &["com.acme.Cart"]);
        check("com/acme/Cart.Item", &["com.acme.Cart$Item"], &["com.acme.Cart"]);
    }

    #[test]
    fn a_simple_name_is_looked_for_in_every_package() {
        check("Cart", &["Cart", "com.acme.Cart", "x.Cart$Item"], &["com.acme.CartTest", "x.Shop$Cart2"]);
        check("*Parser", &["a.b.CsvParser", "XmlParser"], &["a.b.ParserTest"]);
    }

    #[test]
    fn a_package_and_a_star_mean_everything_below() {
        check("com.acme.*", &["com.acme.Cart", "com.acme.tax.Rate$Kind"], &["com.acmex.Cart", "org.Cart"]);
        check("com.acme.**", &["com.acme.tax.Rate"], &[]);
        check("com.acme", &["com.acme.Cart", "com.acme.tax.Rate"], &["com.Acme", "com.acmex.A"]);
        check("*", &["A", "b.C"], &[]);
    }

    #[test]
    fn names_of_other_alphabets_are_names() {
        check("größe.*", &["größe.Maß"], &["grosse.Mass"]);
        assert!(Pattern::parse("two words").is_err());
        assert!(Pattern::parse("").is_err());
        assert!(Pattern::parse("-x").is_err());
    }
}
