//! What a JVM says about its own crash.
//!
//! In: a worker's scratch directory. Out: the signal and the frame that HotSpot's `hs_err` log blames. Reads a bounded
//! amount.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

/// Enough for the head of a log, which names the frame.
const HEAD: u64 = 16 << 10;

/// A crash as its log tells it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Crash {
    /// The signal, which the JVM itself does not die of: it writes its log and exits.
    pub signal: Option<i32>,
    /// The blamed frame, `C  [libc.so.6+0x18a1b0]`.
    pub frame: Option<String>,
}

/// What the log in this directory says, if there is one.
pub(crate) fn crash(scratch: &Path) -> Option<Crash> {
    let logs = fs::read_dir(scratch).ok()?.flatten().filter(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        name.starts_with("hs_err_pid") && name.ends_with(".log")
    });
    // One worker, one log; should there be more, any is as good, but always the same.
    let path = logs.map(|entry| entry.path()).min()?;
    let mut head = Vec::new();
    File::open(path).ok()?.take(HEAD).read_to_end(&mut head).ok()?;
    Some(crash_in(&String::from_utf8_lossy(&head)))
}

fn crash_in(log: &str) -> Crash {
    let mut lines = log.lines().skip_while(|line| !line.starts_with("# Problematic frame:"));
    let frame = lines.nth(1).map(|line| line.trim_start_matches('#').trim());
    Crash {
        signal: log.lines().find_map(signal_in),
        frame: frame.filter(|frame| !frame.is_empty()).map(str::to_owned),
    }
}

/// The number in `#  SIGSEGV (0xb) at pc=0x…`.
fn signal_in(line: &str) -> Option<i32> {
    let told = line.strip_prefix('#')?.trim_start();
    let (_, number) = told.starts_with("SIG").then(|| told.split_once("(0x"))??;
    i32::from_str_radix(number.split_once(')')?.0, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signal_and_frame_are_found() {
        let scratch = tempfile::tempdir().unwrap();
        assert_eq!(crash(scratch.path()), None);
        let log = "#\n# A fatal error\n#\n#  SIGSEGV (0xb) at pc=0x00007f, pid=7, tid=8\n#\n\
            # Problematic frame:\n# V  [libjvm.so+0x1]  Unsafe_PutInt+0x9e\n#\n";
        fs::write(scratch.path().join("hs_err_pid7.log"), log).unwrap();
        let frame = Some("V  [libjvm.so+0x1]  Unsafe_PutInt+0x9e".to_owned());
        assert_eq!(crash(scratch.path()), Some(Crash { signal: Some(11), frame }));
    }

    #[test]
    fn a_log_that_tells_nothing_is_no_trouble() {
        for log in ["", "# Problematic frame:", "#  Internal Error (x.cpp:1), pid=7\n", "#  SIG (0xzz)"] {
            assert_eq!(crash_in(log), Crash { signal: None, frame: None }, "{log}");
        }
    }
}
