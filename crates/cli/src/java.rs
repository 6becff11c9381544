//! Which JVM a command uses.
//!
//! In: what the user said. Out: a JVM that workers can load, or a failure that names every place looked at.

use std::path::Path;

use probat_supervisor::discovery::{DiscoveryError, Jvm, Places, discover};

use crate::exit::Exit;
use crate::failure::{Failure, warn};

/// How to get one where there is none.
pub const INSTALL: &str =
    "install one, on Debian: `apt install openjdk-17-jdk-headless`; or name one with `--java-home`";

/// The JVM a command is to use; warns of what may not work with it.
pub fn choose(java_home: Option<&Path>) -> Result<Jvm, Failure> {
    let places = Places::of_this_machine(java_home.map(Path::to_path_buf));
    let jvm = discover(&places).map_err(|error| {
        let failure = Failure::caused(Exit::Missing, &error);
        match error {
            DiscoveryError::Explicit { .. } => {
                failure.hint("`--java-home` is the folder that holds `bin/java` and `lib`; `probat doctor` lists those found")
            }
            DiscoveryError::Nowhere(_) => failure.hint(INSTALL),
        }
    })?;
    for warning in &jvm.warnings {
        warn(warning);
    }
    Ok(jvm)
}
