//! The writing half of a lane.
//!
//! In: parcels of the ledger. Out: frames down the pipe, one write per parcel. Ends when its worker does.

use std::fs::File;
use std::io::Write;

use probat_protocol::{FrameKind, encode_batch, write_frame};

use crate::board::Shared;
use crate::ledger::Parcel;

/// Writes the configuration and then every parcel. Returns when the worker is retired or takes no more; either way
/// the reading half learns it from the other pipe.
pub(super) fn write(shared: &Shared, lane: usize, mut down: File, configuration: &[u8]) {
    let mut frames = Vec::new();
    let mut payload = Vec::new();
    if write_frame(&mut frames, FrameKind::Configure, configuration).is_err() {
        return;
    }
    loop {
        if down.write_all(&frames).is_err() {
            return;
        }
        let Some(parcel) = next(shared, lane, frames.len()) else { return };
        frames.clear();
        if encode(&parcel, &mut payload, &mut frames).is_err() {
            return;
        }
    }
}

/// Counts what was written and waits for a parcel; `None` when the worker gets no more.
fn next(shared: &Shared, lane: usize, written: usize) -> Option<Parcel> {
    let mut board = shared.board();
    board.lanes[lane].bytes_down += written as u64;
    loop {
        if board.stopping || board.lanes[lane].retired {
            return None;
        }
        let parcel = board.ledger.take(lane);
        // Taking may settle items that need no worker.
        shared.announce(&board);
        if parcel.is_some() {
            return parcel;
        }
        board = shared.wait_for_work(lane, board);
    }
}

fn encode(parcel: &Parcel, payload: &mut Vec<u8>, frames: &mut Vec<u8>) -> std::io::Result<()> {
    for definitions in &parcel.definitions {
        write_frame(frames, FrameKind::Define, definitions)?;
    }
    payload.clear();
    encode_batch(parcel.batch, parcel.job.items().iter(), payload);
    write_frame(frames, FrameKind::Batch, payload)
}
