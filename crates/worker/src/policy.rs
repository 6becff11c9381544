//! Which attempts of the code under test are let through.
//!
//! In: a kind of attempt and what it is aimed at. Out: [`Decision`].
//! Looks at files only to resolve links; remembers nothing and throws nothing, which is `natives`' work.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use probat_model::TaintKind;
use probat_protocol::Setting;

/// The kinds in the order the guards number them.
pub const KINDS: [TaintKind; 8] = [
    TaintKind::Exit,
    TaintKind::Process,
    TaintKind::FileWrite,
    TaintKind::Network,
    TaintKind::Threads,
    TaintKind::Stdin,
    TaintKind::NativeLibrary,
    TaintKind::Display,
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
    threads: u32,
}

impl Policy {
    pub fn new(scratch: &Path, places: Places, java_home: &Path, threads: u32) -> Self {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.into());
        let scratch = real(scratch);
        let (working, temporary) = (scratch.join(places.working), scratch.join(places.temporary));
        Policy { scratch, working, temporary, libraries: real(java_home).join("lib"), threads }
    }

    /// Decides on an attempt; `live_threads` counts those the code under test has already.
    pub fn decide(&self, kind: TaintKind, detail: Option<&str>, live_threads: u32) -> Decision {
        let allowed = match kind {
            // No path at all is the default folder for temporary files, which is scratch.
            TaintKind::FileWrite => {
                detail.is_none_or(|path| path == NOWHERE || self.is_in_scratch(Path::new(path)))
            }
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
        let absolute = self.working.join(path);
        resolve(&absolute).is_some_and(|real| real.starts_with(&self.scratch))
    }

    /// Whether a file that may be written is one that nobody else knows of: below the folder for temporary files, or nowhere.
    pub fn is_temporary(&self, path: &Path) -> bool {
        let real = resolve(&self.working.join(path));
        path == Path::new(NOWHERE)
            || real.is_some_and(|real| real != self.temporary && real.starts_with(&self.temporary))
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
        let policy =
            Policy::new(&root.path().join("scratch"), places(Setting::User), &root.path().join("jdk"), 3);
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
    fn only_what_is_below_the_folder_for_temporary_files_is_temporary() {
        let (root, policy) = policy();
        let folder = root.path().join("scratch/temporary");
        std::fs::create_dir(&folder).unwrap();
        for (path, temporary) in [
            (folder.join("probat123.tmp"), true),
            (folder.join("new/file"), true),
            (PathBuf::from("temporary/file"), true),
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
