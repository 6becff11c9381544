//! All checks, in the order in which they fail cheapest.
//!
//! In: the workspace. Out: `Ok` if everything passes. Runs `cargo` and nothing of its own.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::materials::Materials;
use crate::{materials, tidy};

pub fn run(root: &Path, quick: bool) -> Result<()> {
    cargo(root, "formatting", &["fmt", "--all", "--check"], None)?;
    println!("== tidy");
    tidy::run(root)?;
    cargo(
        root,
        "lints",
        &["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"],
        None,
    )?;
    if quick {
        return cargo(root, "tests", &["test", "--workspace", "--quiet"], None);
    }
    deny(root)?;
    let found = materials::fetch(root)?;
    cargo(root, "tests", &["test", "--workspace", "--no-fail-fast"], Some(&found))
}

/// Licences, sources and bans; advisories need a database that is not on any registry.
fn deny(root: &Path) -> Result<()> {
    let installed = Command::new("cargo")
        .args(["deny", "--version"])
        .output()
        .is_ok_and(|output| output.status.success());
    if !installed {
        cargo(root, "installing cargo-deny", &["install", "--locked", "--quiet", "cargo-deny"], None)?;
    }
    cargo(
        root,
        "dependency policy",
        &["deny", "--log-level", "error", "check", "bans", "licenses", "sources"],
        None,
    )
}

fn cargo(root: &Path, title: &str, args: &[&str], found: Option<&Materials>) -> Result<()> {
    println!("== {title}: cargo {}", args.join(" "));
    let mut command = Command::new("cargo");
    command.current_dir(root).args(args);
    if let Some(found) = found {
        command.env("PROBAT_TEST_JARS", &found.jars).env("PROBAT_TEST_JDKS", &found.jdks);
        command.env("PROBAT_TEST_MAVEN", "1");
    }
    let status = command.status().with_context(|| format!("cannot run cargo {}", args.join(" ")))?;
    if status.success() { Ok(()) } else { bail!("{title} failed") }
}
