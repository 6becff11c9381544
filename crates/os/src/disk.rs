//! Room on a file system.
//!
//! In: a path. Out: bytes that may still be written there.

use std::io;
use std::path::Path;

use nix::sys::statvfs::statvfs;

/// Bytes that an ordinary user may still write to the file system of a path.
pub fn free_bytes(path: &Path) -> io::Result<u64> {
    let found = statvfs(path)?;
    Ok(found.blocks_available().saturating_mul(found.fragment_size()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_that_is_not_there_has_no_room() {
        assert!(free_bytes(Path::new("/")).is_ok());
        assert!(free_bytes(Path::new("/nowhere/at/all")).is_err());
    }
}
