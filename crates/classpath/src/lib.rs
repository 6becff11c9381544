//! Finds the bytes of classes.
//!
//! In: class path entries as a user writes them (directories, jars, `libs/*`, Spring Boot jars) and a JDK home.
//! Out: [`ClassPath`] and [`JdkImage`], joined as the JVM joins them by [`Classes`].
//! Bad entries become [`ClassPath::problems`] and do not stop the rest. Parses no class file and loads nothing, but for [`ReleaseApi`], which lists members.

mod archive;
mod classes;
mod classpath;
mod directory;
mod error;
mod extract;
mod image;
mod jar;
mod jdk;
mod manifest;
mod nearness;
mod release;
mod written;

pub use classes::Classes;
pub use classpath::{ClassBytes, ClassEntry, ClassPath, Duplicate, Entry, OpenOptions};
pub use error::{ClassPathError, Origin};
pub use extract::extract_resources;
pub use jar::{JarFacts, ModuleKind};
pub use jdk::{JdkClass, JdkImage};
pub use manifest::Manifest;
pub use nearness::{near_matches, near_names};
pub use release::ReleaseApi;
pub use written::{expand, split};

/// No class file is read beyond this size; a method body alone is bound to 64 KiB by JVMS §4.7.3.
pub const MAX_CLASS_BYTES: u64 = 64 << 20;

/// No nested jar is unpacked beyond this size.
pub const MAX_NESTED_JAR_BYTES: u64 = 512 << 20;

/// All nested jars and classes of one class path together stay below this size.
pub const MAX_NESTED_TOTAL_BYTES: u64 = 4 << 30;

/// No directory or archive is listed beyond this number of files.
pub const MAX_FILES: usize = 1 << 20;
