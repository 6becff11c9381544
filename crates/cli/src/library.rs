//! The classes a command can see: the JDK's and the class path's.
//!
//! In: a JDK home and a class path as written. Out: [`Library`], which answers for scripts, and what is wrong with the
//! class path: what cannot be used stops the command, what is only odd is a warning.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use probat_classfile::{AccessFlags, ClassFile, NEWEST_MAJOR, PoolError};
use probat_classpath::{ClassPath, ClassPathError, Classes, JdkImage, OpenOptions, split};
use probat_model::ClassName;
use probat_script::{Access, ClassFacts, ClassKind, FieldFacts, MethodFacts, Types};

use crate::exit::Exit;
use crate::failure::{Failure, chain, warn};

/// How many duplicates are named one by one.
const DUPLICATES_SHOWN: usize = 3;

/// Java releases and class file versions differ by this.
const VERSION_OFFSET: u16 = 44;

/// Classes by name, and complaints about those that were asked for and are odd.
#[derive(Debug)]
pub struct Library {
    pub classes: Classes,
    packages: OnceCell<BTreeSet<String>>,
    /// One line per class that is there but cannot be read.
    damaged: RefCell<BTreeSet<String>>,
    newer: RefCell<BTreeSet<String>>,
    /// Where nested jars are while workers use them.
    unpacked: RefCell<Vec<tempfile::TempDir>>,
}

impl Library {
    /// Opens the JDK's library and the class path; warns of what is odd.
    pub fn open(java_home: &Path, class_path: &str) -> Result<Library, Failure> {
        let jdk = JdkImage::open(java_home).map_err(|error| {
            Failure::caused(Exit::Missing, &error).hint("choose another JVM with `--java-home`")
        })?;
        let release = jdk.release().unwrap_or(u32::from(NEWEST_MAJOR - VERSION_OFFSET));
        let written: Vec<PathBuf> = split(class_path);
        let path = ClassPath::open(&written, &OpenOptions { release });
        for problem in path.problems() {
            complain(problem)?;
        }
        let library = Library {
            classes: Classes { jdk: Some(jdk), path },
            packages: OnceCell::new(),
            damaged: RefCell::default(),
            newer: RefCell::default(),
            unpacked: RefCell::default(),
        };
        library.warn_of_duplicates();
        Ok(library)
    }

    /// Directories and jars in the form a JVM wants them; nested jars are unpacked to a directory that lives as long
    /// as this library.
    pub fn jvm_class_path(&self) -> Result<Vec<PathBuf>, Failure> {
        let path = &self.classes.path;
        let has_nested = path.entries().iter().any(|entry| entry.origin.path().is_none());
        if !has_nested {
            return Ok(path.entries().iter().filter_map(|entry| entry.origin.path()).map(absolute).collect());
        }
        let no_room = |error: &dyn std::error::Error| {
            let failure = Failure::caused(Exit::Missing, error);
            failure.hint("nested jars are unpacked to TMPDIR: free some space there or point it elsewhere")
        };
        let directory =
            tempfile::Builder::new().prefix("probat-jars-").tempdir().map_err(|error| no_room(&error))?;
        let paths = path.extract_nested(directory.path()).map_err(|error| no_room(&error))?;
        self.unpacked.borrow_mut().push(directory);
        Ok(paths.iter().map(|path| absolute(path)).collect())
    }

    /// What was asked for and could not be read, in words.
    pub fn damaged(&self) -> Vec<String> {
        self.damaged.borrow().iter().cloned().collect()
    }

    /// What was asked for and is newer than any class file known to us, in words.
    pub fn newer(&self) -> Vec<String> {
        self.newer.borrow().iter().cloned().collect()
    }

    /// A class file, if it is there and can be read.
    pub fn file(&self, name: &ClassName) -> Option<ClassFile> {
        let found = match self.classes.find(name) {
            Ok(found) => found?,
            Err(error) => return self.damage(format!("class `{name}` cannot be read: {}", chain(&error))),
        };
        let file = match ClassFile::read(&found.bytes) {
            Ok(file) => file,
            Err(error) => {
                return self.damage(format!("class `{name}` in `{}` is damaged: {error}", found.origin));
            }
        };
        if file.is_newer_than_supported() {
            let line = format!(
                "class `{name}` in `{}` has version {} (Java {}), newest known is {NEWEST_MAJOR} (Java {})",
                found.origin,
                file.major,
                file.major - VERSION_OFFSET,
                NEWEST_MAJOR - VERSION_OFFSET
            );
            self.newer.borrow_mut().insert(line);
        }
        Some(file)
    }

    fn damage<T>(&self, line: String) -> Option<T> {
        self.damaged.borrow_mut().insert(line);
        None
    }

    fn warn_of_duplicates(&self) {
        let differing = self.classes.path.duplicates().filter(|found| found.differs().unwrap_or(true));
        let mut more = 0;
        for (at, duplicate) in differing.enumerate() {
            if at >= DUPLICATES_SHOWN {
                more += 1;
                continue;
            }
            let places: Vec<String> =
                duplicate.entries.iter().map(|entry| format!("`{}`", entry.entry.origin)).collect();
            warn(&format!(
                "class `{}` is on the class path in {} versions: {}; the first is used",
                duplicate.name,
                places.len(),
                places.join(", ")
            ));
        }
        if more > 0 {
            warn(&format!("{more} more classes are on the class path in several versions"));
        }
    }

    fn facts(&self, name: &ClassName) -> Option<ClassFacts> {
        let file = self.file(name)?;
        match facts_of(&file) {
            Ok(facts) if facts.name == *name => Some(facts),
            Ok(facts) => self.damage(format!("the file of class `{name}` holds class `{}`", facts.name)),
            Err(error) => self.damage(format!("class `{name}` is damaged: {error}")),
        }
    }
}

impl Types for Library {
    fn class(&self, name: &ClassName) -> Option<Arc<ClassFacts>> {
        self.facts(name).map(Arc::new)
    }

    fn near_classes(&self, wanted: &str, limit: usize) -> Vec<ClassName> {
        self.classes.near(wanted, limit).into_iter().cloned().collect()
    }

    fn has_package(&self, package: &str) -> bool {
        let packages = self.packages.get_or_init(|| {
            let jdk = self.classes.jdk.iter().flat_map(|jdk| jdk.iter()).map(|class| class.name.package());
            let path = self.classes.path.iter().map(|class| class.name.package());
            jdk.chain(path).map(str::to_owned).collect()
        });
        packages.contains(package)
    }
}

/// Workers run elsewhere, so paths must not depend on where we are.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}

/// Stops for entries that cannot be used; warns of single files inside.
fn complain(problem: &ClassPathError) -> Result<(), Failure> {
    let failure = Failure::caused(Exit::BadInput, problem);
    Err(match problem {
        ClassPathError::Missing { .. } => failure.hint("check `--classpath`; entries are separated by `:`"),
        ClassPathError::Unreadable { .. } => failure.hint("give yourself read permission, or leave it out"),
        ClassPathError::NotAnArchive { .. } => {
            failure.hint("a class path has jars and directories with classes")
        }
        ClassPathError::DamagedArchive { .. } => {
            failure.hint("build or download it again, or leave it out of `--classpath`")
        }
        ClassPathError::DamagedEntry { .. }
        | ClassPathError::TooLarge { .. }
        | ClassPathError::TooMany { .. }
        | ClassPathError::NestedTooLarge { .. } => {
            warn(&chain(problem));
            return Ok(());
        }
        ClassPathError::NoClassLibrary { .. }
        | ClassPathError::DamagedImage { .. }
        | ClassPathError::Unwritable { .. } => failure,
    })
}

fn facts_of(file: &ClassFile) -> Result<ClassFacts, PoolError> {
    let has = |flag| file.access.has(flag);
    let kind = if has(AccessFlags::INTERFACE) {
        ClassKind::Interface
    } else if has(AccessFlags::ENUM) {
        ClassKind::Enum
    } else {
        ClassKind::Class
    };
    let mut methods = Vec::with_capacity(file.methods.len());
    for method in &file.methods {
        let has = |flag| method.access.has(flag);
        methods.push(MethodFacts {
            name: method.name(&file.pool)?.into_owned(),
            descriptor: method.descriptor(&file.pool)?,
            access: access_of(method.access),
            is_static: has(AccessFlags::STATIC),
            is_abstract: has(AccessFlags::ABSTRACT),
            is_final: has(AccessFlags::FINAL),
            is_varargs: has(AccessFlags::VARARGS),
            is_synthetic: has(AccessFlags::SYNTHETIC) || has(AccessFlags::BRIDGE),
        });
    }
    let mut fields = Vec::with_capacity(file.fields.len());
    for field in &file.fields {
        fields.push(FieldFacts {
            name: field.name(&file.pool)?.into_owned(),
            ty: field.ty(&file.pool)?,
            access: access_of(field.access),
            is_static: field.access.has(AccessFlags::STATIC),
            is_final: field.access.has(AccessFlags::FINAL),
        });
    }
    Ok(ClassFacts {
        name: file.name()?,
        kind,
        access: access_of(file.access),
        is_abstract: has(AccessFlags::ABSTRACT),
        is_final: has(AccessFlags::FINAL),
        is_sealed: file.attributes().has("PermittedSubclasses"),
        superclass: file.super_name()?,
        interfaces: file.interface_names()?,
        methods,
        fields,
    })
}

fn access_of(flags: AccessFlags) -> Access {
    if flags.has(AccessFlags::PUBLIC) {
        Access::Public
    } else if flags.has(AccessFlags::PROTECTED) {
        Access::Protected
    } else if flags.has(AccessFlags::PRIVATE) {
        Access::Private
    } else {
        Access::Package
    }
}
