//! Which JVM a command uses.

use std::path::{Path, PathBuf};

use crate::exit::Exit;
use crate::failure::Failure;

/// A JVM to embed.
#[derive(Debug, Clone)]
pub struct Jvm {
    pub home: PathBuf,
    pub libjvm: PathBuf,
}

/// The JVM a command is to use.
pub fn choose(java_home: Option<&Path>) -> Result<Jvm, Failure> {
    let home = java_home.map(Path::to_path_buf).or_else(|| std::env::var_os("JAVA_HOME").map(PathBuf::from));
    let home = home.ok_or_else(|| Failure::new(Exit::Missing, "no JVM found"))?;
    let libjvm = home.join("lib/server/libjvm.so");
    Ok(Jvm { home, libjvm })
}
