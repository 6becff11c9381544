//! What is seen while an exploration goes on.
//!
//! In: progress. Out: one line on a terminal, renewed; nothing elsewhere but warnings.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use probat_explore::Explorer;

use crate::failure::warn;
use crate::generate::numbers::{count, plural, seconds};

/// How often the line is renewed.
const RENEW: Duration = Duration::from_millis(150);

/// A line on the terminal.
#[derive(Debug)]
pub struct Live {
    bar: Option<ProgressBar>,
    drawn: Option<Instant>,
    name: String,
    /// Reaching a limit is what is wanted.
    expects_limits: bool,
}

impl Live {
    /// A line for one class; quiet where standard error is no terminal.
    pub fn new(name: &str) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new_spinner();
            let style = ProgressStyle::with_template("{spinner} {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            bar
        });
        Live { bar, drawn: None, name: name.to_owned(), expects_limits: false }
    }

    pub fn show(&mut self, explorer: &Explorer, elapsed: Duration) {
        let Some(bar) = &self.bar else { return };
        if self.drawn.is_some_and(|drawn| drawn.elapsed() < RENEW) {
            return;
        }
        self.drawn = Some(Instant::now());
        let now = explorer.progress();
        bar.set_message(format!(
            "{}: {}, {}, at {}, {} waiting ({})",
            self.name,
            plural(now.states, "state"),
            plural(now.tests, "test"),
            plural(u64::from(now.depth), "call"),
            count(now.waiting),
            seconds(elapsed)
        ));
        bar.tick();
    }

    /// Nobody wants to be warned of limits.
    pub fn expect_limits(&mut self) {
        self.expects_limits = true;
    }

    /// Something to know at once.
    pub fn warn(&self, text: &str) {
        if self.expects_limits {
            return;
        }
        match &self.bar {
            Some(bar) => bar.suspend(|| warn(text)),
            None => warn(text),
        }
    }

    pub fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
