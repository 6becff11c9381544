//! What the classes under test need and the class path lacks, and classes this JVM is too old for.
//!
//! In: classes under test. Out: [`Missing`] dependencies with what each costs; the newest Java release any class wants.
//! Only names are compared: whether a missing class is ever used is not known here.

use std::collections::{BTreeMap, BTreeSet};

use probat_classfile::{ClassFile, Constant};
use probat_model::{ClassName, Type};

use crate::library::Library;

/// A class that is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    pub class: ClassName,
    /// Classes under test that cannot be loaded without it.
    pub stops: Vec<ClassName>,
    /// Classes under test that name it somewhere.
    pub named_by: usize,
}

/// What reading the class files brought to light.
#[derive(Debug, Default)]
pub struct Needs {
    /// Those that stop classes first.
    pub missing: Vec<Missing>,
    /// Java release of the newest class, and that class.
    pub newest: Option<(u32, ClassName)>,
    /// Java release of the oldest class.
    pub oldest: Option<u32>,
    /// A class that uses preview features, and the one Java release that has them.
    pub preview: Option<(u32, ClassName)>,
}

/// Minor version of classes that use preview features (JVMS §4.1).
const PREVIEW_MINOR: u16 = 65_535;

/// Class file versions and Java releases differ by this.
const VERSION_OFFSET: u16 = 44;

/// Reads all classes under test.
pub fn needs(library: &Library, targets: &[ClassName]) -> Needs {
    let mut needs = Needs::default();
    let mut found: BTreeMap<ClassName, (BTreeSet<ClassName>, usize)> = BTreeMap::new();
    let mut ancestors = Ancestors { library, known: BTreeMap::new() };
    for target in targets {
        let Some(file) = library.file(target) else { continue };
        let release = u32::from(file.major.saturating_sub(VERSION_OFFSET));
        if needs.newest.as_ref().is_none_or(|(newest, _)| release > *newest) {
            needs.newest = Some((release, target.clone()));
        }
        // Below 56, minor versions meant something else.
        if file.minor == PREVIEW_MINOR && file.major >= 56 && needs.preview.is_none() {
            needs.preview = Some((release, target.clone()));
        }
        needs.oldest = Some(needs.oldest.map_or(release, |oldest| oldest.min(release)));
        for name in named(&file) {
            if !library.classes.contains(&name) {
                found.entry(name).or_default().1 += 1;
            }
        }
        for name in ancestors.missing_above(target) {
            found.entry(name).or_default().0.insert(target.clone());
        }
    }
    needs.missing = found
        .into_iter()
        .map(|(class, (stops, named_by))| Missing { class, stops: stops.into_iter().collect(), named_by })
        .collect();
    needs.missing.sort_by_key(|missing| {
        (std::cmp::Reverse(missing.stops.len()), std::cmp::Reverse(missing.named_by), missing.class.clone())
    });
    needs
}

/// Classes a class file names.
fn named(file: &ClassFile) -> BTreeSet<ClassName> {
    let constants = file.pool.iter().filter_map(|(index, constant)| match constant {
        Constant::Class { .. } => file.pool.class_type(index).ok(),
        _ => None,
    });
    constants.filter_map(class_of).collect()
}

fn class_of(ty: Type) -> Option<ClassName> {
    match ty {
        Type::Class(name) => Some(name),
        Type::Array(element) => class_of(*element),
        _ => None,
    }
}

/// Superclasses and interfaces that are not there, remembered per class.
struct Ancestors<'a> {
    library: &'a Library,
    known: BTreeMap<ClassName, BTreeSet<ClassName>>,
}

impl Ancestors<'_> {
    fn missing_above(&mut self, class: &ClassName) -> BTreeSet<ClassName> {
        if let Some(known) = self.known.get(class) {
            return known.clone();
        }
        // Entered before its parents are looked at: a class above itself must not be followed for ever.
        self.known.insert(class.clone(), BTreeSet::new());
        let parents = self.library.file(class).map(|file| {
            let mut parents = file.interface_names().unwrap_or_default();
            parents.extend(file.super_name().ok().flatten());
            parents
        });
        let mut missing = BTreeSet::new();
        for parent in parents.unwrap_or_default() {
            // The JDK is whole.
            if self.library.classes.jdk.as_ref().is_some_and(|jdk| jdk.contains(&parent)) {
                continue;
            }
            if self.library.classes.contains(&parent) {
                missing.extend(self.missing_above(&parent));
            } else {
                missing.insert(parent);
            }
        }
        self.known.insert(class.clone(), missing.clone());
        missing
    }
}
