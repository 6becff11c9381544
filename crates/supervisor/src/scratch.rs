//! Directories the code under test may write to.
//!
//! In: a place for temporary files. Out: a run directory with one empty directory per worker, gone when dropped.
//! Touches nothing it has not made.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use probat_protocol::RECORDING_FILE;

/// Why there is no scratch directory.
#[derive(Debug, thiserror::Error)]
pub enum ScratchError {
    #[error("no space left for temporary files in `{}`", .0.display())]
    Full(PathBuf),
    #[error("cannot write temporary files to `{}`", path.display())]
    Unwritable {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

impl ScratchError {
    fn new(path: &Path, source: io::Error) -> Self {
        let path = path.to_path_buf();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => ScratchError::Full(path),
            _ => ScratchError::Unwritable { path, source },
        }
    }
}

/// A directory made for this run.
#[derive(Debug)]
pub struct RunDirectory {
    path: PathBuf,
}

/// Written once to see that there is room at all: a directory can be made on a full disk.
const ROOM: usize = 64 << 10;

impl RunDirectory {
    /// Makes a new directory below `temp`, or below the system's place for temporary files.
    pub fn create(temp: Option<&Path>) -> Result<Self, ScratchError> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let temp = temp.map_or_else(std::env::temp_dir, Path::to_path_buf);
        let fail = |source| ScratchError::new(&temp, source);
        // Workers run elsewhere, so their path must not depend on where we are.
        let base = fs::canonicalize(&temp).map_err(fail)?;
        let path = loop {
            let number = NEXT.fetch_add(1, Relaxed);
            let path = base.join(format!("probat-{}-{number}", std::process::id()));
            match private_directory(&path) {
                // Left behind by a process of the same number, and not ours to take.
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                made => break made.map(|()| path).map_err(fail)?,
            }
        };
        let run = RunDirectory { path };
        let probe = run.path.join("room");
        fs::write(&probe, vec![1; ROOM]).and_then(|()| fs::remove_file(&probe)).map_err(fail)?;
        Ok(run)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// An empty directory for a worker; what an earlier one left there is removed, but for a recording, which goes
    /// beside it.
    pub fn worker(&self, lane: usize) -> Result<PathBuf, ScratchError> {
        let path = self.path.join(format!("worker-{lane}"));
        self.keep_recording(&path, lane);
        remove_all(&path);
        private_directory(&path).map_err(|e| ScratchError::new(&path, e))?;
        Ok(path)
    }
}

impl RunDirectory {
    fn keep_recording(&self, worker: &Path, lane: usize) {
        let recording = worker.join(RECORDING_FILE);
        if recording.is_file() {
            let places = (0..).map(|number| self.path.join(format!("{lane}-{number}-{RECORDING_FILE}")));
            let free = places.into_iter().find(|place| !place.exists());
            // One that cannot be moved is removed with the rest.
            let _ = free.map(|free| fs::rename(&recording, free));
        }
    }
}

impl Drop for RunDirectory {
    fn drop(&mut self) {
        remove_all(&self.path);
    }
}

fn private_directory(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}

/// Removes a directory of ours as far as that goes; what is left is only rubbish in a temporary place.
fn remove_all(path: &Path) {
    if fs::remove_dir_all(path).is_err() && path.is_dir() {
        make_removable(path, 0);
        let _ = fs::remove_dir_all(path);
    }
}

/// Code under test may have made directories that not even their owner can list. Links are not followed.
fn make_removable(path: &Path, depth: usize) {
    let is_directory = fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
    if !is_directory || depth > 64 {
        return;
    }
    let _ = fs::set_permissions(path, fs::Permissions::from_mode(0o700));
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        make_removable(&entry.path(), depth + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_always_finds_its_directory_empty() {
        let temp = tempfile::tempdir().unwrap();
        let run = RunDirectory::create(Some(temp.path())).unwrap();
        let scratch = run.worker(3).unwrap();
        fs::create_dir_all(scratch.join("a/b")).unwrap();
        fs::set_permissions(scratch.join("a"), fs::Permissions::from_mode(0o000)).unwrap();
        fs::write(scratch.join(RECORDING_FILE), "kept").unwrap();
        assert_eq!(run.worker(3).unwrap(), scratch);
        assert_eq!(fs::read_dir(&scratch).unwrap().count(), 0);
        assert_eq!(fs::read_to_string(run.path().join(format!("3-0-{RECORDING_FILE}"))).unwrap(), "kept");
        assert_eq!(fs::metadata(&scratch).unwrap().permissions().mode() & 0o777, 0o700);
        drop(run);
        assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 0);
    }

    #[test]
    fn two_runs_of_one_process_do_not_meet() {
        let temp = tempfile::tempdir().unwrap();
        let (one, two) = (RunDirectory::create(Some(temp.path())), RunDirectory::create(Some(temp.path())));
        assert_ne!(one.unwrap().path(), two.unwrap().path());
    }

    #[test]
    fn a_place_that_takes_no_files_is_named() {
        let temp = tempfile::tempdir().unwrap();
        let missing = temp.path().join("missing");
        let error = RunDirectory::create(Some(&missing)).unwrap_err();
        assert_eq!(error.to_string(), format!("cannot write temporary files to `{}`", missing.display()));
        // Directories cannot be made here, whoever asks.
        assert!(matches!(
            RunDirectory::create(Some(Path::new("/proc/self"))),
            Err(ScratchError::Unwritable { .. })
        ));
    }

    #[test]
    fn a_full_disk_is_told_apart() {
        let full = io::Error::from(io::ErrorKind::StorageFull);
        let error = ScratchError::new(Path::new("/t"), full);
        assert_eq!(error.to_string(), "no space left for temporary files in `/t`");
    }
}
