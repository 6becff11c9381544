//! A temporary place with scripts and classes, and what the real binary says when run there.
//!
//! Classes are written by hand, so that no compiler is needed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use probat_classfile::build::ClassBuilder;
use probat_classfile::{AccessFlags, ClassFile, Insn, code::Kind};

use crate::jvms;

/// A directory of its own, gone afterwards.
pub struct Place {
    root: tempfile::TempDir,
}

/// What a command said.
pub struct Said {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Place {
    pub fn new() -> Place {
        Place { root: tempfile::tempdir().unwrap() }
    }

    pub fn root(&self) -> &Path {
        self.root.path()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// The script `s`.
    pub fn script(&self, text: &str) {
        self.write("s", text.as_bytes());
    }

    /// Runs probat here, on the newest JVM unless the arguments name one.
    pub fn run(&self, args: &[&str]) -> Said {
        self.run_with(args, |_| {})
    }

    pub fn run_with(&self, args: &[&str], change: impl FnOnce(&mut Command)) -> Said {
        let mut command = Command::new(env!("CARGO_BIN_EXE_probat"));
        command.args(args).env("JAVA_HOME", &jvms::newest().home);
        change(&mut command);
        self.output(&mut command)
    }

    pub fn output(&self, command: &mut Command) -> Said {
        let output = command.current_dir(self.root()).stdin(Stdio::null()).output().unwrap();
        Said {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl Said {
    /// Ended with this code, an `error:` line that has these words, and a way out that has those.
    #[track_caller]
    pub fn fails(&self, code: i32, words: &str, way_out: &str) {
        assert_eq!(self.code, code, "{}{}", self.stdout, self.stderr);
        assert!(self.stderr.contains("error: "), "{}", self.stderr);
        assert!(self.stderr.contains(words), "no `{words}` in\n{}", self.stderr);
        assert!(self.stderr.contains(way_out), "no `{way_out}` in\n{}", self.stderr);
        self.is_calm();
    }

    /// As `fails`, where the words are data: what `doctor` prints.
    #[track_caller]
    pub fn fails_in_data(&self, code: i32, words: &str, way_out: &str) {
        assert_eq!(self.code, code, "{}{}", self.stdout, self.stderr);
        assert!(self.stdout.contains(words), "no `{words}` in\n{}", self.stdout);
        assert!(self.stdout.contains(way_out), "no `{way_out}` in\n{}", self.stdout);
        self.is_calm();
    }

    /// No panic, no Java stack trace.
    #[track_caller]
    pub fn is_calm(&self) {
        for loud in ["panicked", "has a bug", "RUST_BACKTRACE", "Exception in thread", "\tat "] {
            assert!(!self.stderr.contains(loud), "`{loud}` in\n{}", self.stderr);
        }
    }
}

/// A class with `public static int total()` that gives a number; in another version if wanted.
pub fn class_returning(name: &str, number: i16, major: Option<u16>) -> Vec<u8> {
    let access = AccessFlags::PUBLIC.with(AccessFlags::SUPER);
    let mut builder = ClassBuilder::new(access, name, "java/lang/Object", &[]).unwrap();
    let body = vec![Insn::Int(number), Insn::Return(Some(Kind::Int))];
    let access = AccessFlags::PUBLIC.with(AccessFlags::STATIC);
    builder.straight_method(access, "total", "()I", 0, body).unwrap();
    let bytes = builder.finish().unwrap();
    let mut class = ClassFile::read(&bytes).unwrap();
    class.major = major.unwrap_or(class.major);
    class.write().unwrap()
}
