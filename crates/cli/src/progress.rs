//! A line on the terminal while something takes long.
//!
//! In: what is being done. Out: a spinner on standard error after two seconds, gone when done. Nothing is drawn
//! where standard error is no terminal.

use std::io::IsTerminal;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// What is quicker needs no line.
const PATIENCE: Duration = Duration::from_secs(2);

/// How often what is shown is asked for.
const RENEW: Duration = Duration::from_millis(250);

/// Shows until dropped.
#[derive(Debug)]
pub struct Progress {
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Progress {
    /// Begins something.
    pub fn start(what: &str) -> Progress {
        let what = what.to_owned();
        Progress::watching(move || what.clone())
    }

    /// Begins something that can be watched: what is shown is asked for again and again.
    pub fn watching(mut look: impl FnMut() -> String + Send + 'static) -> Progress {
        if !std::io::stderr().is_terminal() {
            return Progress { end: None, thread: None };
        }
        let (end, ended) = channel::<()>();
        let thread = std::thread::spawn(move || {
            if ended.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let style = ProgressStyle::with_template("{spinner} {msg} ({elapsed})");
            let bar = ProgressBar::new_spinner().with_message(look());
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            bar.enable_steady_tick(Duration::from_millis(100));
            while ended.recv_timeout(RENEW) == Err(RecvTimeoutError::Timeout) {
                bar.set_message(look());
            }
            bar.finish_and_clear();
        });
        Progress { end: Some(end), thread: Some(thread) }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            // It only draws; if it panicked the notice has been printed.
            let _ = thread.join();
        }
    }
}
