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

fn java_on_path() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let java = std::env::split_paths(&path).map(|folder| folder.join("java")).find(|java| java.is_file())?;
    Some(real(&java).parent()?.parent()?.into())
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.into())
}

/// Compiles the fixtures with the first compiler there is: once for all, and what older JVMs cannot load apart.
pub fn compile(homes: &[PathBuf], into: &Path) {
    let compiler = homes.iter().map(|home| home.join("bin/javac")).find(|javac| javac.is_file());
    let compiler = compiler.expect("one of the JDKs has a compiler");
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/heap/fixture");
    for (release, source) in [("11", "Zoo.java"), ("17", "Records.java")] {
        let done = Command::new(&compiler)
            .args(["-nowarn", "-encoding", "UTF-8", "--release", release, "-cp"])
            .args([into, Path::new("-d"), into, &fixture.join(source)])
            .output()
            .unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }
}
