//! PIT, which counts mutants: fetched through the user's Maven.
//!
//! In: what Maven may do, a folder of ours. Out: PIT's jars.

use std::path::{Path, PathBuf};

use probat_project::{Coordinates, Tools, find_artifacts};

use crate::failure::Failure;
use crate::generate::project_failure;

/// PIT's jars.
pub fn fetch(tools: &Tools, work: &Path) -> Result<Vec<PathBuf>, Failure> {
    let wanted: Result<Vec<Coordinates>, _> = probat_measure::PIT.iter().map(|text| text.parse()).collect();
    let wanted = wanted.expect("they are written in the source");
    find_artifacts(tools, &wanted, work, "fetching PIT").map_err(|error| project_failure(&error))
}
