//! Real JDKs for tests: compile Java source, run it, with `$Probat` put into `java.base`.
//!
//! In: the JDKs `corpus` finds. Out: what `javac` and `java` printed.
//! Writes only below a temporary directory that goes away with the [`Bench`].

#![allow(clippy::unwrap_used, dead_code, reason = "tests stop at surprises; not each one needs all of this")]

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::corpus;

/// An installed JDK with a compiler.
#[derive(Debug, Clone)]
pub struct Jdk {
    pub home: PathBuf,
    pub image: PathBuf,
    pub release: u32,
}

/// The JDKs with a compiler, oldest first. At least one, or the test cannot tell anything.
pub fn jdks() -> Vec<Jdk> {
    let mut found: Vec<Jdk> = corpus::images().into_iter().filter_map(jdk_of).collect();
    found.sort_by_key(|jdk| jdk.release);
    assert!(!found.is_empty(), "no JDK with javac found in JAVA_HOME, PATH or the usual folders");
    found
}

fn jdk_of(image: PathBuf) -> Option<Jdk> {
    let home = image.parent()?.parent()?.to_path_buf();
    let release = fs::read_to_string(home.join("release")).ok()?;
    let version = release.lines().find_map(|line| line.strip_prefix("JAVA_VERSION=\""))?;
    let release = version.split(['.', '"', '-', '+']).next()?.parse().ok()?;
    home.join("bin/javac").is_file().then_some(Jdk { home, image, release })
}

/// What a process printed.
#[derive(Debug)]
pub struct Printed {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Printed {
    /// The standard output of a process that ended well.
    #[track_caller]
    pub fn ok(self) -> String {
        assert_eq!(self.code, Some(0), "{}\n{}", self.out, self.err);
        self.out
    }
}

/// A JDK and a directory to work in.
pub struct Bench {
    pub jdk: Jdk,
    pub dir: tempfile::TempDir,
}

impl Bench {
    pub fn new(jdk: Jdk) -> Bench {
        Bench { jdk, dir: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn run(&self, tool: &str, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Printed {
        let mut command = Command::new(self.jdk.home.join("bin").join(tool));
        let command = command.args(arguments).current_dir(self.dir.path()).env_remove("JDK_JAVA_OPTIONS");
        let Output { status, stdout, stderr } = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Printed { code: status.code(), out: text(stdout), err: text(stderr) }
    }

    pub fn java(&self, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Printed {
        self.run("java", arguments)
    }

    /// Compiles sources of `tests/java` into the folder `classes`; they may use `$Probat`.
    #[track_caller]
    pub fn compile(&self, sources: &[&str], classes: &str) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java");
        let sources = sources.iter().map(|source| folder.join(source));
        self.compile_files(sources, classes);
    }

    #[track_caller]
    pub fn compile_files(&self, sources: impl IntoIterator<Item = PathBuf>, classes: &str) {
        let mut arguments: Vec<PathBuf> = ["-nowarn", "-g", "-d"].iter().map(PathBuf::from).collect();
        arguments.push(self.path(classes));
        if self.path("standin").is_dir() {
            arguments.extend(["--patch-module".into(), self.patch_of_base(None)]);
        }
        arguments.extend(sources);
        self.run("javac", arguments).ok();
    }

    /// Compiles the class that stands in for `$Probat` into the folder `standin`.
    #[track_caller]
    pub fn compile_standin(&self) {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java/standin");
        let file = sources.join("java/lang/$Probat.java");
        let patch = format!("java.base={}", sources.display());
        let out = self.path("standin");
        let arguments =
            [OsStr::new("-d"), out.as_os_str(), "--patch-module".as_ref(), patch.as_ref(), file.as_os_str()];
        self.run("javac", arguments).ok();
    }

    /// `java.base=` with the stand-in, and with other classes of `java.base` before it.
    pub fn patch_of_base(&self, more: Option<&Path>) -> PathBuf {
        let mut patch = std::ffi::OsString::from("java.base=");
        if let Some(more) = more {
            patch.push(more);
            patch.push(":");
        }
        patch.push(self.path("standin"));
        patch.into()
    }

    /// All class files below a folder, by path relative to it, sorted.
    pub fn classes(&self, folder: &str) -> Vec<(String, Vec<u8>)> {
        let root = self.path(folder);
        let mut found = Vec::new();
        let mut open = vec![root.clone()];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path);
                } else if path.extension() == Some("class".as_ref()) {
                    let name = path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
                    found.push((name, fs::read(path).unwrap()));
                }
            }
        }
        found.sort();
        found
    }

    /// Writes a file below the working directory, with its folders.
    pub fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

/// Writes an archive without compression.
pub fn write_jar(path: &Path, classes: &[(String, Vec<u8>)]) {
    use std::io::Write;
    let mut jar = zip::ZipWriter::new(std::io::BufWriter::new(fs::File::create(path).unwrap()));
    let stored = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (name, bytes) in classes {
        jar.start_file(name.as_str(), stored).unwrap();
        jar.write_all(bytes).unwrap();
    }
    jar.finish().unwrap();
}
