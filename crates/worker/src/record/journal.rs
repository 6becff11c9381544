//! The file of a recording.
//!
//! In: tests as they begin and end, calls. Out: events, on disk whenever a test has ended, so that a test that kills the
//! worker costs its own calls only.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Write};

use probat_model::ClassName;
use probat_protocol::{CallSeen, RECORDING_FILE, RecordEvent, TestEnd, encode_event};
use rustc_hash::FxHashSet;

/// Events on their way to the file.
#[derive(Debug)]
pub struct Journal {
    file: File,
    bytes: Vec<u8>,
    /// The test that runs.
    current: Option<String>,
    /// Distinct calls since the last test ended: of the test that runs, or of what prepares the next.
    calls: Vec<CallSeen>,
    seen: FxHashSet<CallSeen>,
    all: u64,
    /// States that were too large to read.
    large: u64,
    threw: BTreeSet<(u32, ClassName)>,
}

impl Journal {
    /// Creates the file in the directory of this process.
    pub fn create() -> io::Result<Self> {
        let file = File::create(RECORDING_FILE)?;
        Ok(Journal {
            file,
            bytes: Vec::new(),
            current: None,
            calls: Vec::new(),
            seen: FxHashSet::default(),
            all: 0,
            large: 0,
            threw: BTreeSet::new(),
        })
    }

    pub fn event(&mut self, event: &RecordEvent) {
        encode_event(event, &mut self.bytes);
    }

    pub fn call(&mut self, call: CallSeen) {
        self.all += 1;
        if self.seen.insert(call) {
            self.calls.push(call);
        }
    }

    pub fn too_large(&mut self) {
        self.large += 1;
    }

    pub fn threw(&mut self, method: u32, class: ClassName) {
        self.threw.insert((method, class));
    }

    /// A test or container begins. Calls made since the last end belong to it.
    pub fn started(&mut self, id: String, name: String, is_test: bool) {
        if is_test {
            if self.current.as_ref() == Some(&id) {
                return;
            }
            self.current = Some(id.clone());
        }
        self.event(&RecordEvent::Started { id, name, is_test });
        self.flush();
    }

    /// A test ends with the calls made; a container ends, and calls made since its last test belong to nobody.
    pub fn finished(&mut self, id: String, end: TestEnd, elsewhere: u64, edges: Vec<u32>, cut_off: bool) {
        let calls = std::mem::take(&mut self.calls);
        self.seen.clear();
        let (all, large) = (std::mem::take(&mut self.all), std::mem::take(&mut self.large));
        let threw = std::mem::take(&mut self.threw).into_iter().collect();
        if self.current.as_ref() == Some(&id) {
            self.current = None;
            self.event(&RecordEvent::Calls { calls, all, large, cut_off, elsewhere, threw, edges });
        }
        self.event(&RecordEvent::Finished { id, end });
        self.flush();
    }

    /// A full disk ends the recording early, which shows in the file.
    fn flush(&mut self) {
        let _ = self.file.write_all(&self.bytes);
        self.bytes.clear();
    }
}
