//! Which attempts of the code under test are let through.
//!
//! In: a kind of attempt and what it is aimed at. Out: [`Decision`].
//! Looks at files to resolve links, and puts folders back; remembers nothing and throws nothing, which is `natives`' work.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::{fs, io};

use probat_model::TaintKind;
use probat_protocol::Setting;

/// The kinds in the order the guards number them.
pub const KINDS: [TaintKind; 10] = [
    TaintKind::Exit,
    TaintKind::Process,
    TaintKind::FileWrite,
    TaintKind::Network,
    TaintKind::Threads,
    TaintKind::Stdin,
    TaintKind::NativeLibrary,
    TaintKind::Display,
    TaintKind::Listing,
    TaintKind::Asking,
];

/// Folders below scratch that the JVM is told of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Places {
    /// The working folder.
    pub working: &'static str,
    /// The folder for temporary files. What is written beside it would be in the working folder of whoever runs a test.
    pub temporary: &'static str,
}

/// Where a worker works. Not everywhere in the same places: what is made of their names, or of one lying in the other, is to be noticed.
pub fn places(setting: Setting) -> Places {
    match setting {
        Setting::Fixed | Setting::Still | Setting::User => Places { working: "", temporary: "temporary" },
        Setting::Other => Places { working: "", temporary: "other/place" },
        Setting::Later => Places { working: "project", temporary: "var/run/tmp" },
    }
}

/// What swallows everything.
const NOWHERE: &str = "/dev/null";

/// What to do about an attempt. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    Allow,
    /// Throw, and taint the sequence.
    Forbid,
}

/// What the code under test may touch.
#[derive(Debug, Clone)]
pub struct Policy {
    /// Without links, so that prefixes compare.
    scratch: PathBuf,
    /// What relative paths are relative to.
    working: PathBuf,
    /// The JVM's folder for temporary files, below scratch.
    temporary: PathBuf,
    /// Folders whose native libraries belong to the JDK.
    libraries: PathBuf,
    /// The JDK and the class path: what is not there is not there for the user either.
    known: Vec<PathBuf>,
    threads: u32,
}

impl Policy {
    pub fn new(
        scratch: &Path,
        places: Places,
        java_home: &Path,
        class_path: &[PathBuf],
        threads: u32,
    ) -> Self {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.into());
        let scratch = real(scratch);
        let (working, temporary) = (scratch.join(places.working), scratch.join(places.temporary));
        let home = real(java_home);
        let libraries = home.join("lib");
        let known = std::iter::once(home).chain(class_path.iter().map(|entry| real(entry))).collect();
        Policy { scratch, working, temporary, libraries, known, threads }
    }

    /// Decides on an attempt; `live_threads` counts those the code under test has already.
    pub fn decide(&self, kind: TaintKind, detail: Option<&str>, live_threads: u32) -> Decision {
        let allowed = match kind {
            // No path at all is the default folder for temporary files, which is scratch.
            TaintKind::FileWrite => {
                detail.is_none_or(|path| path == NOWHERE || self.is_in_scratch(Path::new(path)))
            }
            TaintKind::Listing | TaintKind::Asking => true,
            TaintKind::Threads => live_threads < self.threads,
            TaintKind::NativeLibrary => detail.is_some_and(|library| self.is_of_the_jdk(library)),
            TaintKind::Exit
            | TaintKind::Process
            | TaintKind::Network
            | TaintKind::Stdin
            | TaintKind::Display => false,
        };
        if allowed { Decision::Allow } else { Decision::Forbid }
    }

    /// Whether writing this path stays below scratch, links and dots resolved.
    pub fn is_in_scratch(&self, path: &Path) -> bool {
        self.real(path).is_some_and(|real| real.starts_with(&self.scratch))
    }

    /// A path as the code under test means it, without links and dots.
    fn real(&self, path: &Path) -> Option<PathBuf> {
        resolve(&self.working.join(path))
    }

    /// Whether a file that may be written is one that nobody else knows of: nowhere, or below the folder for temporary files and there
    /// in something with a name as the JDK makes them up. Under any other name there may be something of the user's.
    pub fn is_temporary(&self, path: &Path) -> bool {
        path == Path::new(NOWHERE) || self.real(path).is_some_and(|real| self.is_made_up(&real))
    }

    /// Whether a path without links and dots lies in something among the temporary files that the JDK named.
    fn is_made_up(&self, real: &Path) -> bool {
        let Ok(inside) = real.strip_prefix(&self.temporary) else { return false };
        inside.components().next().is_some_and(|first| is_made_up(&first.as_os_str().to_string_lossy()))
    }

    /// Whether it is up to the user's machine if there is something of this name. Code that finds nothing of the name it was to delete does no harm
    /// here, and does so there. What lies outside scratch and is there is part of the system.
    pub fn is_up_to_the_machine(&self, path: &Path) -> bool {
        if path.as_os_str().is_empty() || path == Path::new(NOWHERE) {
            return false;
        }
        let Some(real) = self.real(path) else { return true };
        if self.is_made_up(&real) {
            return false;
        }
        match real.exists() {
            true => {
                let always = [&self.scratch, &self.working, &self.temporary];
                real.starts_with(&self.scratch) && !always.contains(&&real)
            }
            false => !self.known.iter().any(|known| real.starts_with(known)),
        }
    }

    /// Puts back the folders that the JVM was told of, the one for temporary files as empty as at first.
    pub fn tidy(&self) -> io::Result<()> {
        if let Ok(entries) = fs::read_dir(&self.temporary) {
            for entry in entries {
                let entry = entry?;
                match entry.file_type()?.is_dir() {
                    true => fs::remove_dir_all(entry.path())?,
                    false => fs::remove_file(entry.path())?,
                }
            }
        }
        fs::create_dir_all(&self.temporary)?;
        fs::create_dir_all(&self.working)
    }

    /// A library named as `System.loadLibrary` takes it, or by its path.
    fn is_of_the_jdk(&self, library: &str) -> bool {
        let path = Path::new(library);
        if path.is_absolute() {
            return resolve(path).is_some_and(|real| real.starts_with(&self.libraries));
        }
        !library.contains('/') && self.libraries.join(format!("lib{library}.so")).is_file()
    }
}

/// Whether a name has so many digits in a row that it is none that somebody chose.
fn is_made_up(name: &str) -> bool {
    const DIGITS: usize = 15;
    name.split(|letter: char| !letter.is_ascii_digit()).any(|digits| digits.len() >= DIGITS)
}

/// The path without links and dots; what does not exist yet is appended to what does. `None` where that is unclear.
fn resolve(path: &Path) -> Option<PathBuf> {
    let mut missing: Vec<OsString> = Vec::new();
    let mut existing = path.to_path_buf();
    let real = loop {
        match existing.canonicalize() {
            Ok(real) => break real,
            Err(_) => match existing.components().next_back()? {
                Component::Normal(name) => missing.push(name.to_owned()),
                // A dot-dot below something that does not exist, or a link to nowhere.
                _ => return None,
            },
        }
        if existing.symlink_metadata().is_ok() {
            return None;
        }
        existing.pop();
    };
    Some(missing.into_iter().rev().fold(real, |path, name| path.join(name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use Decision::{Allow, Forbid};

    fn policy() -> (tempfile::TempDir, Policy) {
        let root = tempfile::tempdir().unwrap();
        for folder in ["scratch/inner", "jdk/lib", "outside"] {
            std::fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        std::fs::write(root.path().join("jdk/lib/libnet.so"), "").unwrap();
        let policy = Policy::new(
            &root.path().join("scratch"),
            places(Setting::User),
            &root.path().join("jdk"),
            &[root.path().join("classes")],
            3,
        );
        (root, policy)
    }

    #[test]
    fn only_scratch_is_written() {
        let (root, policy) = policy();
        std::os::unix::fs::symlink(root.path().join("outside"), root.path().join("scratch/link")).unwrap();
        let inside = root.path().join("scratch/new/file.txt");
        let outside = root.path().join("outside/file.txt");
        for (path, decision) in [
            (inside.to_str(), Allow),
            (Some("relative.txt"), Allow),
            (Some("inner/../relative.txt"), Allow),
            (Some("new/deep/relative.txt"), Allow),
            (outside.to_str(), Forbid),
            (Some("../outside/file.txt"), Forbid),
            (Some("new/../../outside/x"), Forbid),
            (Some("link/file.txt"), Forbid),
            (Some("/dev/null"), Allow),
            (None, Allow),
        ] {
            assert_eq!(policy.decide(TaintKind::FileWrite, path, 0), decision, "{path:?}");
        }
    }

    #[test]
    fn only_what_has_a_made_up_name_among_temporary_files_is_temporary() {
        let (root, policy) = policy();
        let folder = root.path().join("scratch/temporary");
        std::fs::create_dir(&folder).unwrap();
        for (path, temporary) in [
            (folder.join("new123456789012345/file"), true),
            (folder.join("7834567890123456789.tmp"), true),
            (PathBuf::from("temporary/x123456789012345"), true),
            (folder.join("new/file"), false),
            (folder.join("new/file123456789012345"), false),
            (folder.join("31122026"), false),
            (PathBuf::from(NOWHERE), true),
            (folder.clone(), false),
            (folder.join("../file"), false),
            (PathBuf::from("file"), false),
            (PathBuf::from(""), false),
        ] {
            assert_eq!(policy.is_temporary(&path), temporary, "{path:?}");
        }
    }

    #[test]
    fn what_may_be_there_or_not_is_up_to_the_machine() {
        let (root, policy) = policy();
        policy.tidy().unwrap();
        std::fs::write(root.path().join("scratch/pom.xml"), "x").unwrap();
        let temporary = root.path().join("scratch/temporary");
        for (path, is) in [
            (PathBuf::from("src"), true),
            (PathBuf::from("pom.xml"), true),
            (temporary.join("draft"), true),
            (PathBuf::from("/nowhere/at/all"), true),
            (PathBuf::from(""), false),
            (PathBuf::from("."), false),
            (temporary.clone(), false),
            (temporary.join("x123456789012345"), false),
            (root.path().join("outside"), false),
            (root.path().join("classes/Absent.class"), false),
            (root.path().join("jdk/conf/absent"), false),
        ] {
            assert_eq!(policy.is_up_to_the_machine(&path), is, "{path:?}");
        }
    }

    #[test]
    fn folders_that_were_deleted_or_filled_are_put_back() {
        let (root, policy) = policy();
        let folder = root.path().join("scratch/temporary");
        policy.tidy().unwrap();
        assert!(folder.is_dir());
        std::fs::create_dir_all(folder.join("left/behind")).unwrap();
        std::fs::write(folder.join("left/note"), "x").unwrap();
        std::os::unix::fs::symlink(root.path().join("outside"), folder.join("link")).unwrap();
        policy.tidy().unwrap();
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
        assert!(root.path().join("outside").is_dir());
    }

    #[test]
    fn a_link_to_nowhere_is_not_followed() {
        let (root, policy) = policy();
        std::os::unix::fs::symlink(root.path().join("elsewhere"), root.path().join("scratch/dangling"))
            .unwrap();
        assert_eq!(policy.decide(TaintKind::FileWrite, Some("dangling"), 0), Forbid);
    }

    #[test]
    fn libraries_of_the_jdk_may_load() {
        let (root, policy) = policy();
        let full = root.path().join("jdk/lib/libnet.so");
        for (library, decision) in [
            (Some("net"), Allow),
            (full.to_str(), Allow),
            (Some("mine"), Forbid),
            (Some("../libnet"), Forbid),
            (None, Forbid),
        ] {
            assert_eq!(policy.decide(TaintKind::NativeLibrary, library, 0), decision, "{library:?}");
        }
    }

    #[test]
    fn threads_are_counted_and_exits_never_allowed() {
        let (_root, policy) = policy();
        assert_eq!(policy.decide(TaintKind::Listing, Some("/"), 0), Allow);
        assert_eq!(policy.decide(TaintKind::Threads, None, 2), Allow);
        assert_eq!(policy.decide(TaintKind::Threads, None, 3), Forbid);
        for kind in
            [TaintKind::Exit, TaintKind::Process, TaintKind::Network, TaintKind::Stdin, TaintKind::Display]
        {
            assert_eq!(policy.decide(kind, Some("x"), 0), Forbid);
        }
    }

    #[test]
    fn kinds_are_numbered_as_the_model_has_them() {
        for (at, kind) in KINDS.iter().enumerate() {
            assert_eq!(*kind as usize, at);
        }
    }
}
