//! Where the JDKs of this machine are, and the compiler.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use probat_jvm::find_library;

/// Homes with a `libjvm.so`, each VM once.
pub fn homes() -> Vec<PathBuf> {
    let mut candidates: Vec<PathBuf> = Vec::new();
    candidates.extend(std::env::var_os("JAVA_HOME").map(PathBuf::from));
    candidates.extend(java_on_path());
    candidates.extend(std::env::split_paths(&std::env::var_os("PROBAT_TEST_JDKS").unwrap_or_default()));
    let known = std::fs::read_dir("/usr/lib/jvm").into_iter().flatten().flatten().map(|entry| entry.path());
    candidates.extend(known.collect::<BTreeSet<_>>());
    let mut seen = BTreeSet::new();
    candidates.retain(|home| find_library(home).is_ok_and(|path| seen.insert(real(&path))));
    candidates.into_iter().map(|home| real(&home)).collect()
}

/// The version a home says it has.
pub fn label(home: &Path) -> String {
    let release = std::fs::read_to_string(home.join("release")).unwrap_or_default();
    let version = release.lines().find_map(|line| line.strip_prefix("JAVA_VERSION="));
    format!("java-{}", version.unwrap_or("unknown").trim_matches('"'))
}

fn java_on_path() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let java = std::env::split_paths(&path).map(|folder| folder.join("java")).find(|java| java.is_file())?;
    Some(real(&java).parent()?.parent()?.into())
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.into())
}

/// Compiles the fixtures into a directory, for every JVM that is supported.
pub fn compile(home: &Path, into: &Path) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sequences/fixture/Subject.java");
    let done = Command::new(home.join("bin/javac"))
        .args(["-nowarn", "-encoding", "UTF-8", "--release", "11", "-d"])
        .args([into, &source])
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}
