//! commons-lang3 for the mix of calls.
//!
//! In: the class path given, the user's local Maven repository, Maven. Out: a class path with the library on it, or
//! the reason why there is none; then only the JDK is measured.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::progress::Progress;

/// What Maven is asked for when no version is there yet.
const ARTIFACT: &str = "org.apache.commons:commons-lang3:3.17.0";

/// A jar of commons-lang3, or why there is none.
pub fn find() -> Result<PathBuf, String> {
    let repository = home().map(|home| home.join(".m2/repository/org/apache/commons/commons-lang3"));
    let Some(repository) = repository else { return Err("no home directory to look for it in".into()) };
    if let Some(jar) = newest(&repository) {
        return Ok(jar);
    }
    let _progress = Progress::start("fetching commons-lang3 through Maven");
    let mut maven = Command::new("mvn");
    maven.args(["-q", "-B", "dependency:get", &format!("-Dartifact={ARTIFACT}")]);
    match maven.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status() {
        Ok(status) if status.success() => newest(&repository).ok_or_else(|| "Maven put it elsewhere".into()),
        Ok(_) => Err("it is not in the local Maven repository, and Maven could not fetch it".into()),
        Err(_) => Err("it is not in the local Maven repository, and there is no `mvn` to fetch it".into()),
    }
}

fn home() -> Option<PathBuf> {
    std::env::var_os("HOME").map(PathBuf::from)
}

/// The jar of the newest version below a folder of versions.
fn newest(folder: &Path) -> Option<PathBuf> {
    let versions = std::fs::read_dir(folder).ok()?.flatten().filter_map(|entry| {
        let version = entry.file_name().into_string().ok()?;
        let jar = entry.path().join(format!("commons-lang3-{version}.jar"));
        let numbers: Vec<u32> = version.split('.').map_while(|part| part.parse().ok()).collect();
        jar.is_file().then_some((numbers, jar))
    });
    versions.max().map(|(_, jar)| jar)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_version_that_has_a_jar_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        for (version, has_jar) in [("3.9", true), ("3.17.0", true), ("3.21.0", false)] {
            let place = folder.path().join(version);
            std::fs::create_dir(&place).unwrap();
            if has_jar {
                std::fs::write(place.join(format!("commons-lang3-{version}.jar")), b"").unwrap();
            }
        }
        assert!(newest(folder.path()).unwrap().ends_with("3.17.0/commons-lang3-3.17.0.jar"));
        assert_eq!(newest(&folder.path().join("none")), None);
    }
}
