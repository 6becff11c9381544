//! What a JVM says about its own crash.
//!
//! In: a worker's scratch directory. Out: the frame that HotSpot's `hs_err` log blames. Reads a bounded amount.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

/// Enough for the head of a log, which names the frame.
const HEAD: u64 = 16 << 10;

/// The blamed frame, `C  [libc.so.6+0x18a1b0]`, if a log is there and names one.
pub(crate) fn blamed_frame(scratch: &Path) -> Option<String> {
    let logs = fs::read_dir(scratch).ok()?.flatten().filter(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        name.starts_with("hs_err_pid") && name.ends_with(".log")
    });
    // One worker, one log; should there be more, any is as good, but always the same.
    let path = logs.map(|entry| entry.path()).min()?;
    let mut head = Vec::new();
    File::open(path).ok()?.take(HEAD).read_to_end(&mut head).ok()?;
    frame_in(&String::from_utf8_lossy(&head))
}

fn frame_in(log: &str) -> Option<String> {
    let mut lines = log.lines().skip_while(|line| !line.starts_with("# Problematic frame:"));
    let frame = lines.nth(1)?.trim_start_matches('#').trim();
    (!frame.is_empty()).then(|| frame.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_frame_is_found() {
        let scratch = tempfile::tempdir().unwrap();
        assert_eq!(blamed_frame(scratch.path()), None);
        let log = "#\n# A fatal error\n# Problematic frame:\n# V  [libjvm.so+0x1]  Unsafe_PutInt+0x9e\n#\n";
        fs::write(scratch.path().join("hs_err_pid7.log"), log).unwrap();
        assert_eq!(blamed_frame(scratch.path()).unwrap(), "V  [libjvm.so+0x1]  Unsafe_PutInt+0x9e");
        assert_eq!(frame_in("# Problematic frame:"), None);
    }
}
