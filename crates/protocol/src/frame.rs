//! Length-prefixed frames over a byte stream.
//!
//! In: a reader or writer. Out: [`Frame`]. Refuses frames above [`MAX_FRAME`], so a broken peer cannot make us allocate.

use std::io::{self, Read, Write};

/// No frame is larger than this.
pub const MAX_FRAME: usize = 256 << 20;

/// What a frame carries. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameKind {
    /// Down: a [`WorkerConfig`](crate::WorkerConfig).
    Configure = 1,
    /// Down: operations to append to the worker's table (`Vec<Operation>`).
    Define = 2,
    /// Down: a [`batch`](crate::batch).
    Batch = 3,
    /// Down: end after the batches sent so far.
    Finish = 4,
    /// Up: a [`Hello`](crate::Hello).
    Hello = 17,
    /// Up: [`results`](crate::results) of one batch.
    Results = 18,
    /// Up: a [`Farewell`](crate::Farewell).
    Farewell = 19,
}

impl FrameKind {
    fn from_byte(byte: u8) -> Option<Self> {
        [
            FrameKind::Configure,
            FrameKind::Define,
            FrameKind::Batch,
            FrameKind::Finish,
            FrameKind::Hello,
            FrameKind::Results,
            FrameKind::Farewell,
        ]
        .into_iter()
        .find(|&kind| kind as u8 == byte)
    }
}

/// One message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    pub kind: FrameKind,
    pub payload: Vec<u8>,
}

/// Why no frame could be read.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    #[error("the stream ended inside a frame")]
    Truncated,
    #[error("a frame of kind {0} is not known")]
    UnknownKind(u8),
    #[error("a frame of {0} bytes is larger than any we send")]
    TooLarge(usize),
    #[error("cannot read from the pipe")]
    Io(#[source] io::Error),
}

/// Writes one frame; the caller flushes.
pub fn write_frame(out: &mut impl Write, kind: FrameKind, payload: &[u8]) -> io::Result<()> {
    let length = u32::try_from(payload.len())
        .ok()
        .filter(|&length| length as usize <= MAX_FRAME)
        .ok_or_else(|| io::Error::other("frame too large"))?;
    let mut head = [0; 5];
    head[..4].copy_from_slice(&length.to_le_bytes());
    head[4] = kind as u8;
    out.write_all(&head)?;
    out.write_all(payload)
}

/// Reads one frame into `payload`; `None` at a clean end of the stream.
pub fn read_frame(input: &mut impl Read) -> Result<Option<Frame>, FrameError> {
    let mut head = [0; 5];
    let mut filled = 0;
    while filled < head.len() {
        match input.read(&mut head[filled..]) {
            Ok(0) if filled == 0 => return Ok(None),
            Ok(0) => return Err(FrameError::Truncated),
            Ok(n) => filled += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(FrameError::Io(e)),
        }
    }
    let length = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
    if length > MAX_FRAME {
        return Err(FrameError::TooLarge(length));
    }
    let kind = FrameKind::from_byte(head[4]).ok_or(FrameError::UnknownKind(head[4]))?;
    let mut payload = Vec::new();
    let read = input.take(length as u64).read_to_end(&mut payload).map_err(FrameError::Io)?;
    if read < length {
        return Err(FrameError::Truncated);
    }
    Ok(Some(Frame { kind, payload }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_read_back_until_the_end() {
        let mut bytes = Vec::new();
        write_frame(&mut bytes, FrameKind::Batch, b"abc").unwrap();
        write_frame(&mut bytes, FrameKind::Finish, b"").unwrap();
        let mut input = bytes.as_slice();
        let first = read_frame(&mut input).unwrap().unwrap();
        assert_eq!((first.kind, first.payload.as_slice()), (FrameKind::Batch, &b"abc"[..]));
        assert_eq!(read_frame(&mut input).unwrap().unwrap().kind, FrameKind::Finish);
        assert!(read_frame(&mut input).unwrap().is_none());
    }

    #[test]
    fn broken_streams_are_errors() {
        assert!(matches!(read_frame(&mut &[1u8, 0][..]), Err(FrameError::Truncated)));
        assert!(matches!(read_frame(&mut &[9u8, 0, 0, 0, 3, 1][..]), Err(FrameError::Truncated)));
        assert!(matches!(read_frame(&mut &[0u8, 0, 0, 0, 99][..]), Err(FrameError::UnknownKind(99))));
        assert!(matches!(read_frame(&mut &[255u8, 255, 255, 255, 3][..]), Err(FrameError::TooLarge(_))));
    }
}
