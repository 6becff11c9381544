//! The imports of a file.
//!
//! In: classes the file mentions. Out: their shortest names that mean them, and the lines that import them.

use std::collections::{BTreeMap, BTreeSet};

use probat_model::ClassName;

use crate::scope::Scope;

/// Names classes in one file and collects what must be imported.
#[derive(Clone)]
pub(crate) struct Imports<'s> {
    scope: &'s dyn Scope,
    /// In internal form.
    package: String,
    /// Simple name → the class it stands for in this file.
    simple: BTreeMap<String, String>,
    imported: BTreeSet<String>,
}

impl<'s> Imports<'s> {
    /// `own` are simple names the file must not import over: its own class, and annotations it uses.
    pub fn new(scope: &'s dyn Scope, package: &str, own: &[String]) -> Self {
        let simple = own.iter().map(|name| (name.clone(), String::new())).collect();
        Imports { scope, package: package.to_owned(), simple, imported: BTreeSet::new() }
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
            None if package == "java.lang" && self.is_shadowed(top) => full,
            None => {
                self.simple.insert(top.to_owned(), qualified_top.clone());
                if package != "java.lang" && class.package() != self.package {
                    self.imported.insert(qualified_top);
                }
                nested.to_owned()
            }
        }
    }

    /// Whether the package has a class of this name, which the names of `java.lang` stand back for (JLS §6.4.1).
    fn is_shadowed(&self, simple: &str) -> bool {
        let name =
            if self.package.is_empty() { simple.to_owned() } else { format!("{}/{simple}", self.package) };
        self.package != "java/lang" && self.scope.exists(&ClassName::internal(&name))
    }

    /// Import lines, sorted.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        self.imported.iter().map(String::as_str)
    }
}
