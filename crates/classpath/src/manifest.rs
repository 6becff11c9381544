//! The manifest of a jar.
//!
//! In: the bytes of `META-INF/MANIFEST.MF`. Out: [`Manifest`], main attributes and those of single entries.
//! Follows the JAR file specification but forgives what the JDK forgives: any line ending, a missing last one.

use std::collections::BTreeMap;

/// Attribute names are kept in lower case, as their case carries no meaning.
type Section = BTreeMap<String, String>;

/// Attributes of a jar and of single packages or entries in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Manifest {
    main: Section,
    entries: BTreeMap<String, Section>,
}

impl Manifest {
    /// Reads the text; lines without a colon are passed over.
    pub fn parse(bytes: &[u8]) -> Manifest {
        let mut manifest = Manifest::default();
        let mut current: Option<Section> = Some(Section::new());
        let mut is_main = true;
        for line in logical_lines(bytes) {
            if line.is_empty() {
                if let Some(section) = current.take() {
                    manifest.keep(section, is_main);
                    is_main = false;
                }
                continue;
            }
            let Some((name, value)) = line.split_once(':') else { continue };
            let value = value.strip_prefix(' ').unwrap_or(value);
            current.get_or_insert_default().insert(name.trim().to_ascii_lowercase(), value.to_string());
        }
        if let Some(section) = current {
            manifest.keep(section, is_main);
        }
        manifest
    }

    fn keep(&mut self, mut section: Section, is_main: bool) {
        if is_main {
            self.main = section;
        } else if let Some(name) = section.remove("name") {
            self.entries.entry(name).or_default().extend(section);
        }
    }

    /// A main attribute; the name's case does not matter.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.main.get(&name.to_ascii_lowercase()).map(String::as_str)
    }

    /// An attribute that only counts if its value is `true`.
    pub fn flag(&self, name: &str) -> bool {
        self.attribute(name).is_some_and(is_true)
    }

    /// An attribute of one entry, such as `com/acme/`.
    pub fn entry_attribute(&self, entry: &str, name: &str) -> Option<&str> {
        self.entries.get(entry)?.get(&name.to_ascii_lowercase()).map(String::as_str)
    }

    /// Whether classes of a package (internal form) must all come from this jar.
    pub fn seals(&self, package: &str) -> bool {
        match self.entry_attribute(&format!("{package}/"), "sealed") {
            Some(value) => is_true(value),
            None => self.flag("sealed"),
        }
    }

    /// The URLs of `Class-Path`, in order.
    pub fn class_path(&self) -> impl Iterator<Item = &str> {
        self.attribute("class-path").into_iter().flat_map(str::split_whitespace)
    }
}

fn is_true(value: &str) -> bool {
    value.trim().eq_ignore_ascii_case("true")
}

/// Joins continuation lines, which start with one space.
fn logical_lines(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n").replace('\r', "\n");
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        match (line.strip_prefix(' '), lines.last_mut()) {
            (Some(more), Some(last)) if !last.is_empty() => last.push_str(more),
            _ => lines.push(line.to_string()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Manifest-Version: 1.0\r\nMulti-Release: TRUE\r\nClass-Path: lib/a.jar li\r\n b/b.jar\r\n\r\n\
                        Name: com/acme/\r\nSealed: true\r\n\r\nName: com/open/\r\nSealed: false\r\n";

    #[test]
    fn continuation_lines_are_joined() {
        let manifest = Manifest::parse(TEXT.as_bytes());
        assert_eq!(manifest.class_path().collect::<Vec<_>>(), ["lib/a.jar", "lib/b.jar"]);
        assert!(manifest.flag("multi-release"));
        assert_eq!(manifest.attribute("MANIFEST-VERSION"), Some("1.0"));
    }

    #[test]
    fn packages_can_be_sealed_one_by_one_or_all_but_some() {
        let one = Manifest::parse(TEXT.as_bytes());
        assert_eq!([one.seals("com/acme"), one.seals("com/open"), one.seals("com")], [true, false, false]);
        let all = Manifest::parse(format!("Sealed: true\n{TEXT}").as_bytes());
        assert_eq!([all.seals("com/acme"), all.seals("com/open"), all.seals("com")], [true, false, true]);
    }

    #[test]
    fn lone_carriage_returns_and_rubbish_are_forgiven() {
        let manifest = Manifest::parse(b"rubbish\rSealed: true\rlast: line");
        assert!(manifest.flag("sealed"));
        assert_eq!(manifest.attribute("last"), Some("line"));
        assert_eq!(Manifest::parse(b""), Manifest::default());
    }
}
