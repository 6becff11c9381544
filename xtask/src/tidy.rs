//! Rules of this project that no other tool knows.
//!
//! In: files git knows of. Out: `Ok`, or all findings at once, each with file and line.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

/// Our crates, highest first: a crate may only depend on crates below it.
const LAYERS: [&str; 19] = [
    "cli",
    "generate",
    "measure",
    "project",
    "supervisor",
    "survey",
    "emit",
    "search",
    "explore",
    "reduce",
    "script",
    "worker",
    "analysis",
    "classpath",
    "jvm",
    "os",
    "classfile",
    "protocol",
    "model",
];

/// Crates that may see only the crates named.
const NARROW: [(&str, &[&str]); 5] = [
    ("worker", &["jvm", "os", "protocol", "classfile", "model"]),
    ("jvm", &["model"]),
    ("protocol", &["model"]),
    ("os", &[]),
    ("model", &[]),
];

const MAX_LINES: usize = 800;

pub fn run(root: &Path) -> Result<()> {
    let mut findings = Vec::new();
    edges(root, &mut findings)?;
    architecture(root, &mut findings)?;
    for file in tracked(root)? {
        let Ok(text) = fs::read_to_string(root.join(&file)) else { continue };
        words(&file, &text, &mut findings);
        if file.ends_with(".rs") {
            rust_file(&file, &text, &mut findings);
        }
    }
    if findings.is_empty() {
        return Ok(());
    }
    for finding in &findings {
        println!("{finding}");
    }
    bail!("tidy found {} things", findings.len())
}

/// Files git tracks or would track.
fn tracked(root: &Path) -> Result<Vec<String>> {
    let output = Command::new("git")
        .current_dir(root)
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .output()
        .context("cannot run git")?;
    let text = String::from_utf8(output.stdout).context("git printed a name that is no UTF-8")?;
    Ok(text.lines().map(str::to_owned).collect())
}

/// Crate edges point down.
fn edges(root: &Path, findings: &mut Vec<String>) -> Result<()> {
    for name in crates(root)? {
        let manifest = format!("crates/{name}/Cargo.toml");
        let Some(rank) = LAYERS.iter().position(|layer| *layer == name) else {
            findings.push(format!("{manifest}: crate `{name}` has no place in xtask's list of layers"));
            continue;
        };
        let text =
            fs::read_to_string(root.join(&manifest)).with_context(|| format!("cannot read {manifest}"))?;
        for used in own_dependencies(&text) {
            let below = LAYERS.iter().position(|layer| *layer == used).is_some_and(|at| at > rank);
            let narrow = NARROW.iter().find(|(layer, _)| *layer == name);
            if !below || narrow.is_some_and(|(_, allowed)| !allowed.contains(&used)) {
                findings.push(format!("{manifest}: `{name}` must not depend on `{used}`"));
            }
        }
    }
    Ok(())
}

/// Our crates that a manifest names under `[dependencies]`.
fn own_dependencies(manifest: &str) -> Vec<&str> {
    let mut inside = false;
    let mut found = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            inside = line.trim() == "[dependencies]";
        } else if inside && let Some(rest) = line.strip_prefix("probat-") {
            found.push(rest.split(['.', ' ', '=']).next().unwrap_or(rest));
        }
    }
    found
}

fn crates(root: &Path) -> Result<Vec<String>> {
    let mut names: Vec<String> = fs::read_dir(root.join("crates"))?
        .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
        .collect();
    names.sort();
    Ok(names)
}

/// The map of the code lists every crate.
fn architecture(root: &Path, findings: &mut Vec<String>) -> Result<()> {
    let text =
        fs::read_to_string(root.join("docs/architecture.md")).context("cannot read docs/architecture.md")?;
    for name in crates(root)? {
        if !text.contains(&format!("`{name}`")) {
            findings.push(format!("docs/architecture.md: crate `{name}` is not listed"));
        }
    }
    Ok(())
}

/// A head that says what the file is for, a size a reader can hold, no test switched off.
fn rust_file(file: &str, text: &str, findings: &mut Vec<String>) {
    let head = text.lines().find(|line| !line.starts_with("#!") && !line.trim().is_empty()).unwrap_or("");
    if !head.starts_with("//!") {
        findings.push(format!("{file}:1: the file does not open with its purpose (`//!`)"));
    }
    let code = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or(text).lines().count();
    if code > MAX_LINES && !file.contains("/tests/") {
        findings.push(format!("{file}: {code} lines without tests; split it by concept"));
    }
    for (at, line) in text.lines().enumerate() {
        let line = line.trim_start();
        if line.starts_with(concat!("#[", "ignore")) {
            findings.push(format!("{file}:{}: a test is switched off", at + 1));
        }
    }
}

/// No registry host and no path of somebody's machine.
fn words(file: &str, text: &str, findings: &mut Vec<String>) {
    let hosts = ["repo1.", "repo.", "search."].map(|head| format!("{head}maven.{}", "org"));
    let others = [
        concat!("index.", "crates.io"),
        concat!("py", "pi.org"),
        concat!("registry.", "npmjs"),
        concat!("/ro", "ot/"),
    ];
    let machine = [concat!("/wo", "rk/"), concat!("/ho", "me/")];
    for (at, line) in text.lines().enumerate() {
        let here = machine.into_iter().find(|path| starts_a_path(line, path));
        let found = hosts.iter().map(String::as_str).chain(others).find(|word| line.contains(word)).or(here);
        if let Some(word) = found {
            findings.push(format!("{file}:{}: `{word}` does not belong into a file", at + 1));
        }
    }
}

/// Whether the path stands by itself, not inside a longer one.
fn starts_a_path(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(at, _)| !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_dependencies_count_as_edges() {
        let manifest = "[package]\nname = \"probat-x\"\n[dependencies]\nprobat-model.workspace = true\nserde = \"1\"\nprobat-os = { path = \"\" }\n[dev-dependencies]\nprobat-cli.workspace = true\n";
        assert_eq!(own_dependencies(manifest), ["model", "os"]);
    }

    #[test]
    fn a_file_without_purpose_is_found() {
        let mut findings = Vec::new();
        rust_file("a.rs", "use std::io;\n", &mut findings);
        rust_file("b.rs", "#![allow(x)]\n\n//! Purpose.\n", &mut findings);
        assert_eq!(findings.len(), 1);
    }

    #[test]
    fn a_machine_path_is_found() {
        let mut findings = Vec::new();
        words("a.md", concat!("see /ho", "me/me/x"), &mut findings);
        assert_eq!(findings.len(), 1);
    }
}
