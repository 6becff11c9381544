//! How far a suite is, while it runs.
//!
//! In: the file that a worker writes of it, which grows. Out: how many tests began, and the last of them. Reads only what is new.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use probat_protocol::{RecordEvent, read_events};

use super::launch::newest;
use super::report::short;
use crate::generate::numbers::count;

/// Events that tell of the beginning of a test are short; longer ones are not looked into.
const SHORT: usize = 4096;

/// What was seen so far.
#[derive(Debug)]
pub struct Watch {
    what: String,
    /// Tests that there are, if that is known.
    all: Option<usize>,
    scratch: PathBuf,
    /// The file that is read, and how much of it was.
    file: Option<(PathBuf, u64)>,
    begun: u64,
    last: Option<String>,
}

impl Watch {
    /// Watches the workers of a folder.
    pub fn new(what: &str, all: Option<usize>, scratch: &Path) -> Watch {
        let (what, scratch) = (what.to_owned(), scratch.to_owned());
        Watch { what, all, scratch, file: None, begun: 0, last: None }
    }

    /// `recording the tests: 812 of 11,677, a.CartTest.add`.
    pub fn look(&mut self) -> String {
        self.read();
        let Some(last) = &self.last else { return self.what.clone() };
        let all = self.all.map(|all| format!(" of {}", count(all as u64))).unwrap_or_default();
        format!("{}: {}{all}, {last}", self.what, count(self.begun))
    }

    fn read(&mut self) {
        let grown = |(path, at): &(PathBuf, u64)| fs::metadata(path).is_ok_and(|file| file.len() > *at);
        if !self.file.as_ref().is_some_and(grown) {
            let Some(path) = newest(&self.scratch) else { return };
            // A worker that died is followed by another, which begins again.
            if self.file.as_ref().is_none_or(|(known, _)| *known != path) {
                (self.file, self.begun) = (Some((path, 0)), 0);
            }
        }
        let Some((path, at)) = &mut self.file else { return };
        let mut new = Vec::new();
        let read = File::open(path).and_then(|mut file| {
            file.seek(SeekFrom::Start(*at))?;
            file.read_to_end(&mut new)
        });
        if read.is_err() {
            return;
        }
        let mut rest = &new[..];
        while let Some((length, after)) = rest.split_first_chunk::<4>() {
            let length = u32::from_le_bytes(*length) as usize;
            // The last one may have been written in part.
            if after.len() < length {
                break;
            }
            let whole = &rest[..4 + length];
            rest = &after[length..];
            *at += whole.len() as u64;
            if length > SHORT {
                continue;
            }
            if let Ok(events) = read_events(whole)
                && let Some(RecordEvent::Started { id, is_test: true, .. }) = events.into_iter().next()
            {
                self.begun += 1;
                self.last = Some(short(&id));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use probat_protocol::{RECORDING_FILE, encode_event};

    use super::*;

    #[test]
    fn what_is_new_is_read_even_if_cut() {
        let folder = tempfile::tempdir().unwrap();
        let mut watch = Watch::new("recording", Some(1234), folder.path());
        assert_eq!(watch.look(), "recording");
        let mut bytes = Vec::new();
        for (id, is_test) in [
            ("[engine:junit-jupiter]/[class:a.T]", false),
            ("[engine:junit-jupiter]/[class:a.T]/[method:x()]", true),
            ("[engine:junit-jupiter]/[class:a.T]/[method:y()]", true),
        ] {
            encode_event(&RecordEvent::Started { id: id.into(), name: id.into(), is_test }, &mut bytes);
        }
        let path = folder.path().join(RECORDING_FILE);
        fs::write(&path, &bytes[..bytes.len() - 7]).unwrap();
        assert_eq!(watch.look(), "recording: 1 of 1,234, a.T.x");
        fs::write(&path, &bytes).unwrap();
        assert_eq!(watch.look(), "recording: 2 of 1,234, a.T.y");
        assert_eq!(watch.look(), "recording: 2 of 1,234, a.T.y");
    }
}
