//! All passes over one class in one go.
//!
//! In: the bytes of a class and a [`PassSet`]. Out: the bytes of the instrumented class and what was done.
//! A method that gets too large with all passes gets only its edge probes and guards; if even those do not fit it is
//! left alone and counted.

use std::cell::OnceCell;

use probat_model::ProbeId;

use super::comparisons::{self, ComparisonSite, SiteTable};
use super::context::{Context, MethodFacts, PassError};
use super::edges::{self, Depth, Measured, Numbering, Report, Skipped};
use super::fields::{self, FieldTable, FieldUse};
use super::outermost::{self, Outermost};
use super::{Edits, Members, arrays, entry_exit, guards, reads, statics};
use crate::class::ClassFile;
use crate::code::{Code, Frame};
use crate::error::{EncodeError, PoolError, ReadError, WriteError};
use crate::pool::PoolIndex;

/// What to insert. The default inserts nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PassSet {
    /// Edge probes; the class's first probe is this one, a multiple of [`edges::MAP_PAGE`].
    pub edges: Option<ProbeId>,
    /// Guards, if [`guards::table`] has some for the class.
    pub guards: bool,
    /// Method entry and exit; the class's first method has this number.
    pub entry_exit: Option<u32>,
    /// Calls that come from outside the classes that have this.
    pub outermost: Option<Outermost>,
    /// Field and array reads that are noted without leaving the JVM; the first field read has this number.
    pub reads: Option<u32>,
    /// Field reads and writes; the first field used has this number.
    pub fields: Option<u32>,
    /// Array writes.
    pub arrays: bool,
    /// Marks for statics.
    pub statics: bool,
    /// Operands of comparisons; the first site has this number.
    pub comparisons: Option<u32>,
}

impl PassSet {
    /// Inserts nothing.
    pub const NONE: PassSet = PassSet {
        edges: None,
        guards: false,
        entry_exit: None,
        outermost: None,
        reads: None,
        fields: None,
        arrays: false,
        statics: false,
        comparisons: None,
    };

    /// Every pass but those that only recordings use, all numbers from 0 on.
    pub const ALL: PassSet = PassSet {
        edges: Some(ProbeId(0)),
        guards: true,
        entry_exit: Some(0),
        outermost: None,
        reads: None,
        fields: Some(0),
        arrays: true,
        statics: true,
        comparisons: Some(0),
    };
}

/// An instrumented class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instrumented {
    pub bytes: Vec<u8>,
    pub report: Report,
    /// How many probe numbers the class takes.
    pub probes: u32,
    /// The fields used, in the order of their numbers.
    pub fields: Vec<FieldUse>,
    /// The fields whose reads are noted, in the order of their numbers.
    pub reads: Vec<FieldUse>,
    /// The comparisons, in the order of their numbers.
    pub comparisons: Vec<ComparisonSite>,
    /// The guards put in place, as indices in [`guards::table`].
    pub guards: Vec<usize>,
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
    let mut run = Run::new(&class, passes)?;
    for at in 0..class.methods.len() {
        run.method(&mut class, at);
    }
    Ok(Instrumented {
        bytes: class.write()?,
        report: run.report,
        probes: run.numbering.total(),
        fields: run.optional.fields.uses,
        reads: run.optional.reads.uses,
        comparisons: run.optional.sites.sites,
        guards: run.placed,
    })
}

/// The passes on their way through a class.
struct Run<'a> {
    members: Members,
    report: Report,
    numbering: Numbering,
    edges: Option<ProbeId>,
    guards: Vec<usize>,
    placed: Vec<usize>,
    optional: Optional<'a>,
}

/// The passes that a method can do without.
struct Optional<'a> {
    passes: &'a PassSet,
    fields: FieldTable,
    reads: FieldTable,
    sites: SiteTable,
    finals: Vec<(PoolIndex, PoolIndex)>,
}

impl<'a> Run<'a> {
    fn new(class: &ClassFile, passes: &'a PassSet) -> Result<Run<'a>, PoolError> {
        let guards = match passes.guards {
            true => guards::of_class(&class.pool.class_text(class.this_class)?).collect(),
            false => Vec::new(),
        };
        let optional = Optional {
            passes,
            fields: FieldTable::new(passes.fields.unwrap_or_default()),
            reads: FieldTable::new(passes.reads.unwrap_or_default()),
            sites: SiteTable { first: passes.comparisons.unwrap_or_default(), sites: Vec::new() },
            finals: if passes.statics { statics::final_fields(class) } else { Vec::new() },
        };
        Ok(Run {
            members: Members::default(),
            report: Report::default(),
            numbering: Numbering::default(),
            edges: passes.edges,
            guards,
            placed: Vec::new(),
            optional,
        })
    }

    fn method(&mut self, class: &mut ClassFile, at: usize) {
        let code = match class.code(&class.methods[at]) {
            Ok(Some(code)) => code,
            Ok(None) => return,
            Err(error) => return self.report.skipped.push((at as u32, Skipped::Unreadable(error))),
        };
        let measured = edges::measure(class, at, &code);
        let mut first = None;
        let mut depth = Depth::Full;
        if let Some(class_first) = self.edges {
            depth = measured.depth();
            first = Some(ProbeId(class_first.0 + self.numbering.place(measured.count())));
        }
        let mut result = self.rewrite(class, at, code, &measured, first, true);
        if let Err(Skipped::Unwritable(EncodeError::MethodTooLarge(_)) | Skipped::FrameTooLarge) = result
            && let Ok(Some(code)) = class.code(&class.methods[at])
        {
            result = self.rewrite(class, at, code, &measured, first, false);
        }
        match (result, depth) {
            (Err(reason), _) => self.report.skipped.push((at as u32, reason)),
            (Ok(()), Depth::Full) => self.report.instrumented += 1,
            (Ok(()), Depth::Inline | Depth::EntryOnly) => self.report.huge.push(at as u32),
            (Ok(()), Depth::Untouched) => {
                self.report.skipped.push((at as u32, Skipped::TooLarge(measured.largest())));
            }
        }
    }

    fn rewrite(
        &mut self,
        class: &mut ClassFile,
        at: usize,
        code: Code,
        measured: &Measured,
        first: Option<ProbeId>,
        all: bool,
    ) -> Result<(), Skipped> {
        let facts = facts(class, at)?;
        let mut edits = Edits::new(&code);
        if let Some(first) = first {
            edges::weave(&mut class.pool, &mut self.members, &code, measured, first, &mut edits)
                .map_err(|_| Skipped::PoolFull)?;
        }
        let guarded = match self.guards.is_empty() {
            true => None,
            false => Some((
                class.pool.text(class.methods[at].name).map_err(bad_constant)?.into_owned(),
                class.entry_frame(&class.methods[at]).map_err(bad_constant)?,
            )),
        };
        let entry = match self.optional.passes.outermost {
            Some(_) if all => Some(class.entry_frame(&class.methods[at]).map_err(bad_constant)?),
            _ => None,
        };
        let mut cx = Context {
            pool: &mut class.pool,
            members: &mut self.members,
            edits: &mut edits,
            code: &code,
            flow: measured.flow(),
            method: facts,
            this: OnceCell::new(),
        };
        let mut placed = Vec::new();
        if let Some((name, entry)) = guarded {
            placed = guards::weave(&mut cx, &name, &self.guards, &entry).map_err(skipped)?;
        }
        if all {
            self.optional.weave(&mut cx, entry).map_err(skipped)?;
        }
        if edits.is_empty() {
            return Ok(());
        }
        let code = edits.apply(code).ok_or(Skipped::FrameTooLarge)?;
        class.set_code(at, &code).map_err(Skipped::Unwritable)?;
        self.placed.extend(placed);
        Ok(())
    }
}

impl Optional<'_> {
    /// `entry` is what holds when the method is entered, for the pass that asks for it.
    fn weave(&mut self, cx: &mut Context<'_>, entry: Option<Frame>) -> Result<(), PassError> {
        if let Some(first) = self.passes.entry_exit {
            entry_exit::weave(cx, first + cx.method.index)?;
        }
        if let (Some(class), Some(entry)) = (self.passes.outermost, entry) {
            outermost::weave(cx, class, entry)?;
        }
        if self.passes.reads.is_some() {
            reads::weave(cx, &mut self.reads)?;
        }
        if self.passes.fields.is_some() {
            fields::weave(cx, &mut self.fields)?;
        }
        if self.passes.arrays {
            arrays::weave(cx)?;
        }
        if self.passes.statics {
            statics::weave(cx, &self.finals)?;
        }
        if self.passes.comparisons.is_some() {
            comparisons::weave(cx, &mut self.sites)?;
        }
        Ok(())
    }
}

fn facts(class: &ClassFile, at: usize) -> Result<MethodFacts, Skipped> {
    let method = &class.methods[at];
    let is_init = class.pool.utf8(method.name).map_err(bad_constant)? == b"<init>";
    Ok(MethodFacts {
        index: at as u32,
        access: method.access,
        descriptor: method.descriptor,
        // The constructor of `Object` calls no other one; its `this` is an object at once.
        is_constructor: is_init && class.super_class.is_some(),
        this_class: class.this_class,
        framed: class.major >= 50,
    })
}

fn bad_constant(error: PoolError) -> Skipped {
    Skipped::Unwritable(error.into())
}

fn skipped(error: PassError) -> Skipped {
    match error {
        PassError::Append(_) => Skipped::PoolFull,
        PassError::Pool(error) => bad_constant(error),
    }
}
