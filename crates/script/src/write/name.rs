//! Names of variables and classes in a script.

use std::collections::{BTreeMap, BTreeSet};

use probat_model::{ClassName, Type};

/// Words that are no variable.
const WORDS: [&str; 10] =
    ["stub", "new", "null", "true", "false", "import", "package", "throw", "return", "class"];

/// Hands out names.
#[derive(Debug, Default)]
pub(super) struct Names {
    variables: BTreeSet<String>,
    /// Simple name of a top-level class → its full name.
    classes: BTreeMap<String, String>,
}

impl Names {
    /// A new variable for a value of the type.
    pub fn variable(&mut self, ty: &Type) -> String {
        let wish = wish(ty);
        let mut name = wish.clone();
        let mut number = 2;
        while self.variables.contains(&name) || WORDS.contains(&name.as_str()) {
            name = format!("{wish}{number}");
            number += 1;
        }
        self.variables.insert(name.clone());
        name
    }

    /// A class as the script says it.
    pub fn class(&mut self, class: &ClassName) -> String {
        let full = class.to_binary();
        let simple = class.simple();
        let top = simple.split('$').next().unwrap_or(simple);
        let full_top = format!("{}{top}", &full[..full.len() - simple.len()]);
        let known = self.classes.entry(top.to_owned()).or_insert_with(|| full_top.clone());
        let written = if *known == full_top { simple } else { full.as_str() };
        written.replace('$', ".")
    }

    pub fn ty(&mut self, ty: &Type) -> String {
        match ty {
            Type::Class(name) => self.class(name),
            Type::Array(element) => format!("{}[]", self.ty(element)),
            primitive => primitive.to_string(),
        }
    }

    /// What to import.
    pub fn imports(&self) -> impl Iterator<Item = &String> {
        self.classes.values().filter(|full| {
            full.contains('.') && full.strip_prefix("java.lang.").is_none_or(|rest| rest.contains('.'))
        })
    }
}

/// `java.util.ArrayList` gives an `arrayList`.
fn wish(ty: &Type) -> String {
    match ty {
        Type::Class(name) => {
            let simple = name.simple().rsplit('$').next().unwrap_or("value");
            let mut chars = simple.chars();
            let head = chars.next().filter(|c| c.is_alphabetic()).map(|c| c.to_lowercase().to_string());
            head.map_or("value".into(), |head| head + chars.as_str())
        }
        Type::Array(element) => format!("{}s", wish(element)),
        primitive => primitive.to_string().chars().take(1).collect(),
    }
}
