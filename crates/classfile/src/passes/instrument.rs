//! All passes over one class in one go.
//!
//! In: the bytes of a class and a [`PassSet`]. Out: the bytes of the instrumented class and what was done.
//! A method that gets too large with all passes gets only its edge probes and guards; if even those do not fit it is
//! left alone and counted.

use probat_model::ProbeId;

use super::edges::{self, Depth, Numbering, Report, Skipped};
use super::{Edits, Members};
use crate::class::ClassFile;
use crate::code::Code;
use crate::error::{AppendError, PoolError, ReadError, WriteError};

/// What to insert. The default inserts nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PassSet {
    /// Edge probes; the class's first probe is this one, a multiple of [`edges::MAP_PAGE`].
    pub edges: Option<ProbeId>,
}

/// An instrumented class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instrumented {
    pub bytes: Vec<u8>,
    pub report: Report,
    /// How many probe numbers the class takes.
    pub probes: u32,
}

/// A class that cannot be instrumented.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InstrumentError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Pool(#[from] PoolError),
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Reads a class, runs the passes over it and writes it.
pub fn instrument(bytes: &[u8], passes: &PassSet) -> Result<Instrumented, InstrumentError> {
    let mut class = ClassFile::read(bytes)?;
    let mut run = Run { passes, members: Members::default(), report: Report::default() };
    let mut numbering = Numbering::default();
    for at in 0..class.methods.len() {
        run.method(&mut class, at, &mut numbering);
    }
    Ok(Instrumented { bytes: class.write()?, report: run.report, probes: numbering.total() })
}

/// The passes on their way through a class.
struct Run<'a> {
    passes: &'a PassSet,
    members: Members,
    report: Report,
}

impl Run<'_> {
    fn method(&mut self, class: &mut ClassFile, at: usize, numbering: &mut Numbering) {
        let code = match class.code(&class.methods[at]) {
            Ok(Some(code)) => code,
            Ok(None) => return,
            Err(error) => return self.report.skipped.push((at as u32, Skipped::Unreadable(error))),
        };
        match self.rewrite(class, at, code, numbering) {
            Ok(Depth::Full) => self.report.instrumented += 1,
            Ok(_) => self.report.huge.push(at as u32),
            Err(reason) => self.report.skipped.push((at as u32, reason)),
        }
    }

    fn rewrite(
        &mut self,
        class: &mut ClassFile,
        at: usize,
        code: Code,
        numbering: &mut Numbering,
    ) -> Result<Depth, Skipped> {
        let measured = edges::measure(class, at, &code);
        let mut edits = Edits::new(&code);
        if let Some(first) = self.passes.edges {
            let number = ProbeId(first.0 + numbering.place(measured.count()));
            if measured.depth() == Depth::Untouched {
                return Err(Skipped::TooLarge(measured.largest()));
            }
            edges::weave(&mut class.pool, &mut self.members, &code, &measured, number, &mut edits)
                .map_err(|_: AppendError| Skipped::PoolFull)?;
        }
        let code = edits.apply(code).ok_or(Skipped::FrameTooLarge)?;
        class.set_code(at, &code).map_err(Skipped::Unwritable)?;
        Ok(measured.depth())
    }
}
