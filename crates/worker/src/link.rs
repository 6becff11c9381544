//! The two pipes to the supervisor.
//!
//! In: frames. Out: [`Order`]s in a queue, decoded while earlier ones run; results and last words on the way up.
//! A queue that is full makes the supervisor wait, and a supervisor that does not read makes the worker wait.

use std::io::{Read, Write};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use probat_model::Operation;
use probat_protocol::{
    Farewell, FrameKind, Hello, ResultWriter, WorkerConfig, decode_message, encode_message, read_frame,
    write_frame,
};

use crate::fault::Fault;

/// What the supervisor wants next. Match without `_`.
#[derive(Debug)]
pub enum Order {
    Define(Vec<Operation>),
    /// The payload of a batch.
    Batch(Vec<u8>),
    Finish,
    /// The supervisor is gone; there is nobody to answer.
    Gone,
    Nonsense(String),
}

/// Orders decoded ahead; more wait in the pipe.
const AHEAD: usize = 8;

/// Reads the first frame, which must be the configuration.
pub fn read_config(down: &mut impl Read) -> Result<WorkerConfig, Fault> {
    let frame = read_frame(down).map_err(|error| Fault::Confused(error.to_string()))?;
    match frame {
        Some(frame) if frame.kind == FrameKind::Configure => {
            decode_message(&frame.payload).map_err(|error| Fault::Confused(error.to_string()))
        }
        Some(frame) => {
            Err(Fault::Confused(format!("the first frame is {:?}, not the configuration", frame.kind)))
        }
        None => Err(Fault::Confused("the pipe closed before the configuration came".into())),
    }
}

/// A queue for orders.
pub fn queue() -> (SyncSender<Order>, Receiver<Order>) {
    sync_channel(AHEAD)
}

/// Reads orders until the pipe closes, something is wrong, or nobody listens any more.
pub fn read_orders(mut down: impl Read, orders: &SyncSender<Order>) {
    loop {
        let order = read_order(&mut down);
        let last = matches!(order, Order::Finish | Order::Gone | Order::Nonsense(_));
        if orders.send(order).is_err() || last {
            return;
        }
    }
}

fn read_order(down: &mut impl Read) -> Order {
    let frame = match read_frame(down) {
        Ok(Some(frame)) => frame,
        Ok(None) => return Order::Gone,
        Err(error) => return Order::Nonsense(error.to_string()),
    };
    match frame.kind {
        FrameKind::Define => match decode_message(&frame.payload) {
            Ok(operations) => Order::Define(operations),
            Err(error) => Order::Nonsense(error.to_string()),
        },
        FrameKind::Batch => Order::Batch(frame.payload),
        FrameKind::Finish => Order::Finish,
        FrameKind::Configure | FrameKind::Hello | FrameKind::Results | FrameKind::Farewell => {
            Order::Nonsense(format!("a frame of kind {:?} makes no sense here", frame.kind))
        }
    }
}

/// Results kept back before they are sent although the batch goes on.
const FLUSH_BYTES: usize = 64 << 10;
/// Far below the largest frame: beyond it, what is of no fixed size is left out.
const FULL_BYTES: usize = 64 << 20;
const FLUSH_AFTER: Duration = Duration::from_millis(50);

/// The way up, shared with the watchdog, who has the last word when the executor is stuck.
///
/// The executor holds the lock only while it writes, never while Java code runs.
#[derive(Debug)]
pub struct Up<W> {
    state: Mutex<State<W>>,
}

#[derive(Debug)]
struct State<W> {
    pipe: W,
    results: ResultWriter,
    /// Bytes of items that are complete.
    complete: usize,
    batch: u64,
    /// Frames of results sent for this batch.
    pieces: u32,
    sent: Instant,
}

impl<W: Write> Up<W> {
    pub fn new(pipe: W) -> Self {
        let results = ResultWriter::new();
        let complete = results.len();
        Up { state: Mutex::new(State { pipe, results, complete, batch: 0, pieces: 0, sent: Instant::now() }) }
    }

    pub fn hello(&self, hello: &Hello) -> Result<(), Fault> {
        self.lock().frame(FrameKind::Hello, &encode_message(hello))
    }

    /// A batch begins.
    pub fn start(&self, batch: u64) {
        let mut state = self.lock();
        state.results.start(batch);
        state.complete = state.results.len();
        state.batch = batch;
        state.pieces = 0;
        state.sent = Instant::now();
    }

    /// Adds to the item being written.
    #[inline]
    pub fn write<R>(&self, body: impl FnOnce(&mut ResultWriter) -> R) -> R {
        body(&mut self.lock().results)
    }

    /// Whether the item being written is so large that strings and stored states must be left out.
    pub fn is_full(&self) -> bool {
        self.lock().results.len() > FULL_BYTES
    }

    /// The item being written is complete; sends what has gathered if it is much or old.
    pub fn end_item(&self) -> Result<(), Fault> {
        let mut state = self.lock();
        state.complete = state.results.len();
        if state.complete >= FLUSH_BYTES || state.sent.elapsed() >= FLUSH_AFTER {
            state.flush()
        } else {
            Ok(())
        }
    }

    /// Sends all complete items that are not sent yet; a batch without any is answered too.
    pub fn finish_batch(&self) -> Result<(), Fault> {
        let mut state = self.lock();
        if state.pieces > 0 && state.results.is_empty() { Ok(()) } else { state.flush() }
    }

    /// Sends complete items, drops the one being written, and says farewell.
    pub fn farewell(&self, words: &Farewell) -> Result<(), Fault> {
        let mut state = self.lock();
        if !state.results.is_empty() {
            state.flush()?;
        }
        state.frame(FrameKind::Farewell, &encode_message(words))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State<W>> {
        // A panic while writing leaves an incomplete item, which is never sent.
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl<W: Write> State<W> {
    fn flush(&mut self) -> Result<(), Fault> {
        let complete = self.complete;
        let payload = &self.results.payload()[..complete];
        write_frame(&mut self.pipe, FrameKind::Results, payload).map_err(Fault::Pipe)?;
        self.pipe.flush().map_err(Fault::Pipe)?;
        self.pieces += 1;
        self.results.start(self.batch);
        self.complete = self.results.len();
        self.sent = Instant::now();
        Ok(())
    }

    fn frame(&mut self, kind: FrameKind, payload: &[u8]) -> Result<(), Fault> {
        write_frame(&mut self.pipe, kind, payload).map_err(Fault::Pipe)?;
        self.pipe.flush().map_err(Fault::Pipe)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probat_model::{End, Literal, StepId, Value};
    use probat_protocol::{Frame, decode_results};

    fn frames(bytes: &[u8]) -> Vec<Frame> {
        let mut input = bytes;
        std::iter::from_fn(|| read_frame(&mut input).unwrap()).collect()
    }

    fn item(up: &Up<Vec<u8>>, value: i32) {
        up.write(|results| {
            results.returned(0, &Value::Int(value));
            results.end(&End::Completed);
        });
        up.end_item().unwrap();
    }

    fn sent(up: Up<Vec<u8>>) -> Vec<Frame> {
        frames(&up.state.into_inner().unwrap().pipe)
    }

    #[test]
    fn a_batch_is_one_frame_when_it_is_small_and_quick() {
        let up = Up::new(Vec::new());
        up.start(9);
        item(&up, 1);
        item(&up, 2);
        up.finish_batch().unwrap();
        let sent = sent(up);
        assert_eq!(sent.len(), 1);
        let (batch, items) = decode_results(&sent[0].payload).unwrap();
        assert_eq!((batch, items.len()), (9, 2));
    }

    #[test]
    fn a_large_batch_comes_in_pieces_that_add_up() {
        let up = Up::new(Vec::new());
        up.start(3);
        for value in 0..10_000 {
            item(&up, value);
        }
        up.finish_batch().unwrap();
        let sent = sent(up);
        assert!(sent.len() > 1);
        let items: Vec<_> = sent.iter().map(|frame| decode_results(&frame.payload).unwrap()).collect();
        assert!(items.iter().all(|(batch, _)| *batch == 3));
        assert_eq!(items.iter().map(|(_, items)| items.len()).sum::<usize>(), 10_000);
    }

    #[test]
    fn last_words_come_after_what_is_complete_and_without_what_is_not() {
        let up = Up::new(Vec::new());
        up.start(3);
        item(&up, 5);
        up.write(|results| results.returned(0, &Value::Int(6)));
        let words = Farewell::Stuck { item: 1, step: StepId(0) };
        up.farewell(&words).unwrap();
        let sent = sent(up);
        assert_eq!(decode_results(&sent[0].payload).unwrap().1.len(), 1);
        assert_eq!(decode_message::<Farewell>(&sent[1].payload), Ok(words));
    }

    #[test]
    fn orders_are_read_until_one_is_the_last() {
        let mut bytes = Vec::new();
        let operations = vec![Operation::Literal(Literal::Int(1))];
        write_frame(&mut bytes, FrameKind::Define, &encode_message(&operations)).unwrap();
        write_frame(&mut bytes, FrameKind::Batch, b"abc").unwrap();
        write_frame(&mut bytes, FrameKind::Finish, b"").unwrap();
        write_frame(&mut bytes, FrameKind::Batch, b"never read").unwrap();
        let (send, receive) = queue();
        read_orders(bytes.as_slice(), &send);
        drop(send);
        let orders: Vec<Order> = receive.iter().collect();
        assert!(matches!(&orders[0], Order::Define(all) if *all == operations));
        assert!(matches!(&orders[1], Order::Batch(payload) if payload == b"abc"));
        assert!(matches!(orders[2], Order::Finish));
        assert_eq!(orders.len(), 3);
    }

    #[test]
    fn frames_that_make_no_sense_end_the_reading() {
        let mut bytes = Vec::new();
        write_frame(&mut bytes, FrameKind::Hello, b"").unwrap();
        let (send, receive) = queue();
        read_orders(bytes.as_slice(), &send);
        read_orders(&b""[..], &send);
        drop(send);
        let orders: Vec<Order> = receive.iter().collect();
        assert!(matches!(orders[0], Order::Nonsense(_)));
        assert!(matches!(orders[1], Order::Gone));
    }

    #[test]
    fn the_first_frame_is_the_configuration() {
        let mut bytes = Vec::new();
        write_frame(&mut bytes, FrameKind::Finish, b"").unwrap();
        assert!(matches!(read_config(&mut bytes.as_slice()), Err(Fault::Confused(_))));
        assert!(matches!(read_config(&mut &b""[..]), Err(Fault::Confused(_))));
    }
}
