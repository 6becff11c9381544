//! What a JDK offers to source for an earlier release.
//!
//! In: a JDK home and a release, as in `javac --release 8`. Out: [`ReleaseApi`], which knows the classes and members of the JDK that there were then.
//! The compiler's own table says so: `lib/ct.sym`, a zip of class files without code. The first part of an entry's name is the releases it is of, one
//! character each (`7`, `89`, `BCD` for 11 to 13), the second its module where there were modules.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

use probat_classfile::ClassFile;
use probat_model::ClassName;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::archive::Archive;
use crate::jar::class_of;
use crate::{ClassPathError, MAX_CLASS_BYTES};

/// The classes and members of one release.
#[derive(Debug)]
pub struct ReleaseApi {
    archive: Archive,
    entries: FxHashMap<ClassName, u32>,
    read: RefCell<FxHashMap<ClassName, Rc<Members>>>,
}

/// Names and descriptors of a class.
type Members = FxHashSet<(String, String)>;

impl ReleaseApi {
    /// The table of a release; none where the JDK has none of it, as for its own release and for those that it no longer knows.
    pub fn open(home: &Path, release: u32) -> Result<Option<ReleaseApi>, ClassPathError> {
        let path = home.join("lib").join("ct.sym");
        let Some(digit) = char::from_digit(release, 36).map(|digit| digit.to_ascii_uppercase()) else {
            return Ok(None);
        };
        if !path.is_file() {
            return Ok(None);
        }
        let archive = Archive::open(path)?;
        let entries: FxHashMap<ClassName, u32> =
            archive.names().filter_map(|(number, name)| Some((class_in(&name, digit)?, number))).collect();
        let read = RefCell::default();
        Ok((!entries.is_empty()).then_some(ReleaseApi { archive, entries, read }))
    }

    /// Whether the release had a class.
    pub fn has_class(&self, class: &ClassName) -> bool {
        self.entries.contains_key(class)
    }

    /// Whether a class of the release declared a method or field.
    pub fn declares(&self, class: &ClassName, name: &str, descriptor: &str) -> bool {
        let Some(&number) = self.entries.get(class) else { return false };
        let known = self.read.borrow().get(class).cloned();
        let members = known.unwrap_or_else(|| {
            let members = Rc::new(self.members(number).unwrap_or_default());
            self.read.borrow_mut().insert(class.clone(), members.clone());
            members
        });
        members.contains(&(name.to_owned(), descriptor.to_owned()))
    }

    fn members(&self, number: u32) -> Option<Members> {
        let bytes = self.archive.read(number, MAX_CLASS_BYTES).ok()?;
        let file = ClassFile::read(&bytes).ok()?;
        let of = |name, descriptor| {
            Some((file.pool.text(name).ok()?.into_owned(), file.pool.text(descriptor).ok()?.into_owned()))
        };
        let methods = file.methods.iter().filter_map(|method| of(method.name, method.descriptor));
        let fields = file.fields.iter().filter_map(|field| of(field.name, field.descriptor));
        Some(methods.chain(fields).collect())
    }
}

/// The class of an entry, if it is of a release.
fn class_in(entry: &str, digit: char) -> Option<ClassName> {
    let (releases, path) = entry.split_once('/')?;
    if !releases.contains(digit) || releases.contains('-') {
        return None;
    }
    // Names of modules have dots, those of packages none.
    let path = match path.split_once('/') {
        Some((module, rest)) if module.contains('.') => rest,
        _ => path,
    };
    class_of(&format!("{}.class", path.strip_suffix(".sig")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_name_releases_modules_and_classes() {
        let list = Some(ClassName::internal("java/util/List"));
        assert_eq!(class_in("89A/java.base/java/util/List.sig", '9'), list);
        assert_eq!(class_in("7/java/util/List.sig", '7'), list);
        assert_eq!(class_in("89A/java.base/java/util/List.sig", 'B'), None);
        assert_eq!(class_in("9-modules/java.base/module-info.sig", '9'), None);
        assert_eq!(class_in("9/java.base/module-info.sig", '9'), None);
    }
}
