//! What a command that cannot go on says.
//!
//! In: a message, its causes, ways out and the exit code. Out: `error:` and `hint:` lines on standard error.
//! Data never goes through here.

use std::error::Error;
use std::fmt;
use std::io::{self, Write};

use crate::exit::Exit;

/// The end of a command that cannot go on.
#[derive(Debug)]
pub struct Failure {
    pub exit: Exit,
    /// Lower case, no full stop, names the thing.
    pub message: String,
    pub hints: Vec<String>,
}

impl Failure {
    pub fn new(exit: Exit, message: impl Into<String>) -> Self {
        Failure { exit, message: message.into(), hints: Vec::new() }
    }

    /// An error with its chain of causes.
    pub fn caused(exit: Exit, error: &dyn Error) -> Self {
        Failure::new(exit, chain(error))
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Prints it.
    pub fn print(&self) {
        message("error", &self.message);
        for hint in &self.hints {
            message("hint", hint);
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// `error: cause: cause of that`, each said once.
pub fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let said = cause.to_string();
        if !text.contains(&said) {
            text.push_str(": ");
            text.push_str(&said);
        }
        next = cause.source();
    }
    text
}

/// A line for the person on standard error. Nobody is left to tell if that fails.
pub fn message(word: &str, text: &str) {
    let _ = writeln!(io::stderr().lock(), "{word}: {text}");
}

/// Something worth knowing that does not stop the command.
pub fn warn(text: &str) {
    message("warning", text);
}

/// Already rendered text for the person.
pub fn show(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Writes a report to standard output, for programs.
pub fn print_json(report: &impl serde::Serialize) -> Result<(), Failure> {
    print(&(serde_json::to_string_pretty(report).expect("a report has only plain data") + "\n"))
}

/// Writes data to standard output. A reader that went away is no error; a full disk is.
pub fn print(data: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(data.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            let failure = Failure::new(Exit::Missing, format!("cannot write the output: {error}"));
            Err(match error.kind() {
                io::ErrorKind::StorageFull => failure.hint("free some space, or send the output elsewhere"),
                _ => failure,
            })
        }
        _ => Ok(()),
    }
}

/// Takes the place of Rust's own report of a panic: short, and with what to do.
pub fn install_panic_notice() {
    std::panic::set_hook(Box::new(|panic| {
        let payload = panic.payload();
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let what = text.or(payload.downcast_ref::<&str>().copied()).unwrap_or("no message");
        let place = panic.location().map_or(String::new(), |at| format!(" ({}:{})", at.file(), at.line()));
        message("error", &format!("probat has a bug: {what}{place}"));
        message("hint", "please report this line with the command you ran; your files are untouched");
    }));
}
