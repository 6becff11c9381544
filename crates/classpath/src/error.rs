//! Where a class came from, and what can be wrong there.
//!
//! In: paths and the errors of the file system and of archives.
//! Out: [`Origin`] and [`ClassPathError`], whose texts name the thing at fault.
//! Gives no advice: hints belong to the command line.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A place that holds classes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// A directory of class files.
    Directory(PathBuf),
    /// A jar, war or zip file.
    Jar(PathBuf),
    /// Something inside an archive: `BOOT-INF/classes/` (ends with a slash) or `BOOT-INF/lib/a.jar`.
    Nested { archive: PathBuf, inside: String },
    /// A module of the JDK.
    Jdk { module: String },
}

impl Origin {
    /// The file or directory on disk, if there is one of its own.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Origin::Directory(path) | Origin::Jar(path) => Some(path),
            Origin::Nested { .. } | Origin::Jdk { .. } => None,
        }
    }
}

/// Prints paths as they are, nested ones as `app.jar!/BOOT-INF/lib/a.jar`, modules as `jrt:/java.base`.
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Directory(path) | Origin::Jar(path) => path.display().fmt(f),
            Origin::Nested { archive, inside } => write!(f, "{}!/{inside}", archive.display()),
            Origin::Jdk { module } => write!(f, "jrt:/{module}"),
        }
    }
}

/// What keeps a class or a class path entry from being read.
#[derive(Debug, thiserror::Error)]
pub enum ClassPathError {
    #[error("class path entry `{path}` does not exist")]
    Missing { path: PathBuf },
    #[error("cannot read `{path}`")]
    Unreadable {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("`{origin}` is neither a directory nor a jar")]
    NotAnArchive { origin: Origin },
    #[error("jar `{origin}` is damaged: {reason}")]
    DamagedArchive { origin: Origin, reason: String },
    #[error("entry `{entry}` of `{origin}` is damaged: {reason}")]
    DamagedEntry { origin: Origin, entry: String, reason: String },
    #[error("entry `{entry}` of `{origin}` is larger than {limit} bytes")]
    TooLarge { origin: Origin, entry: String, limit: u64 },
    #[error("`{origin}` holds more than {limit} files")]
    TooMany { origin: Origin, limit: usize },
    #[error("nested jars of `{origin}` are larger than {limit} bytes together")]
    NestedTooLarge { origin: Origin, limit: u64 },
    #[error("`{home}` holds no class library: neither `lib/modules` nor `lib/rt.jar` is there")]
    NoClassLibrary { home: PathBuf },
    #[error("module image `{path}` is damaged: {reason}")]
    DamagedImage { path: PathBuf, reason: String },
    #[error("cannot write `{path}`")]
    Unwritable {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}
