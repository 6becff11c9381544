//! Edge probes: method entry, both outcomes of every conditional jump, each arm of every switch, each handler.
//!
//! In: a class. Out: an [`EdgePlan`] that numbers its edges, and the class with a probe on each.
//! The plan follows from the class's code alone, so whoever plans and whoever inserts agree without talking.
//! A probe is four instructions without a branch (`getstatic map; push id; iconst_1; bastore`); a method's entry also
//! marks the pages its probes lie in. No frame changes; appended code copies the frame of the place it leads to.

mod ahead;
mod plan;
mod scan;
mod weave;

use std::fmt::Write as _;

use probat_model::ProbeId;

use crate::class::ClassFile;
use crate::code::{Code, Cond};
use crate::pool::PoolIndex;

pub use ahead::leads_to;
pub use plan::{MAP_PAGE, plan};
pub(crate) use plan::{Measured, Numbering, measure};
pub(crate) use weave::weave;

/// One way control can go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    /// Counts from 0 within the class; numbers may be left out between methods.
    pub number: u32,
    /// Index in [`ClassFile::methods`].
    pub method: u32,
    pub line: Option<u16>,
    pub kind: EdgeKind,
    /// The node of [`Code::nodes`] that decides: the jump or switch, the first instruction of a handler or a method.
    pub node: usize,
}

/// Which way.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum EdgeKind {
    /// Into the method.
    Entry,
    /// A conditional jump jumped.
    Taken(Cond),
    /// A conditional jump did not.
    NotTaken(Cond),
    /// A switch went where these keys lead, or the default does. Keys that lead to the default's place are not listed.
    SwitchArm { keys: Vec<i32>, default: bool },
    /// An exception of one of these classes (all, if none is named) was caught.
    Handler { catches: Vec<PoolIndex> },
}

/// The edges of one class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EdgePlan {
    /// Ascending by number.
    pub edges: Vec<Edge>,
    /// One for each of [`ClassFile::methods`].
    pub methods: Vec<MethodPlan>,
    /// How many numbers the class takes, those left out included: a multiple of [`MAP_PAGE`], so that classes laid
    /// end to end share no page.
    pub count: u32,
}

/// The edges of one method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MethodPlan {
    /// Number of its first edge.
    pub first: u32,
    /// How many it has.
    pub count: u32,
    pub depth: Depth,
}

/// How thoroughly a method is probed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Depth {
    /// No code, or too much of it.
    Untouched,
    /// On entry only, so that the JIT compiler still takes it (8000 bytes).
    EntryOnly,
    /// Only edges that need no code of their own, for the same reason.
    Inline,
    Full,
}

impl Edge {
    /// A line for people: `size line 12: taken (==)`.
    pub fn describe(&self, class: &ClassFile) -> String {
        let method = class.methods.get(self.method as usize);
        let name = method.and_then(|method| method.name(&class.pool).ok());
        let mut text = name.map_or_else(|| "?".into(), |name| name.into_owned());
        if let Some(line) = self.line {
            let _ = write!(text, " line {line}");
        }
        text.push_str(": ");
        match &self.kind {
            EdgeKind::Entry => text.push_str("entry"),
            EdgeKind::Taken(cond) => text.push_str(condition(*cond)),
            EdgeKind::NotTaken(cond) => text.push_str(condition(cond.inverted())),
            EdgeKind::SwitchArm { default: true, .. } => text.push_str("default"),
            EdgeKind::SwitchArm { keys, .. } => {
                let keys: Vec<String> = keys.iter().map(i32::to_string).collect();
                let _ = write!(text, "case {}", keys.join(", "));
            }
            EdgeKind::Handler { catches } if catches.is_empty() => text.push_str("catch all"),
            EdgeKind::Handler { catches } => {
                let name = |&index: &PoolIndex| class.pool.class_name(index).map(|name| name.to_string());
                let names: Vec<String> = catches.iter().map(|at| name(at).unwrap_or("?".into())).collect();
                let _ = write!(text, "catch {}", names.join(" | "));
            }
        }
        text
    }
}

/// What holds when the condition does; jumps compile to the opposite of what the source says.
fn condition(cond: Cond) -> &'static str {
    match cond {
        Cond::Eq => "== 0",
        Cond::Ne => "!= 0",
        Cond::Lt => "< 0",
        Cond::Ge => ">= 0",
        Cond::Gt => "> 0",
        Cond::Le => "<= 0",
        Cond::IcmpEq => "int ==",
        Cond::IcmpNe => "int !=",
        Cond::IcmpLt => "int <",
        Cond::IcmpGe => "int >=",
        Cond::IcmpGt => "int >",
        Cond::IcmpLe => "int <=",
        Cond::AcmpEq => "same reference",
        Cond::AcmpNe => "other reference",
        Cond::Null => "== null",
        Cond::NonNull => "!= null",
    }
}

/// What was done to the methods of a class.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// Methods with all probes.
    pub instrumented: u32,
    /// Methods with fewer probes, so that the JIT compiler still takes them; indices in [`ClassFile::methods`].
    pub huge: Vec<u32>,
    /// Methods left alone, and why.
    pub skipped: Vec<(u32, Skipped)>,
}

/// Why a method was left alone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Skipped {
    /// Planned: its code with probes could exceed 65535 bytes.
    #[error("would need up to {0} bytes of code")]
    TooLarge(usize),
    #[error("cannot be read: {0}")]
    Unreadable(crate::error::ReadError),
    #[error("cannot be written: {0}")]
    Unwritable(crate::error::EncodeError),
    #[error("constant pool is full")]
    PoolFull,
    #[error("needs more than 65535 stack entries or locals")]
    FrameTooLarge,
}

/// Puts the probes of a plan into the class it was made from; edge `n` becomes probe `first + n`.
///
/// `first` is a multiple of [`MAP_PAGE`]. On return some methods may have been skipped; the class is valid either way.
pub fn apply(class: &mut ClassFile, first: ProbeId, plan: &EdgePlan) -> Report {
    let mut report = Report::default();
    let mut members = super::Members::default();
    for at in 0..class.methods.len() {
        let method = &plan.methods[at];
        match apply_to_method(class, at, first, method, &mut members) {
            Ok(()) if method.depth == Depth::Full => report.instrumented += 1,
            Ok(()) if method.depth > Depth::Untouched => report.huge.push(at as u32),
            Ok(()) => {}
            Err(reason) => report.skipped.push((at as u32, reason)),
        }
    }
    report
}

fn apply_to_method(
    class: &mut ClassFile,
    at: usize,
    first: ProbeId,
    plan: &MethodPlan,
    members: &mut super::Members,
) -> Result<(), Skipped> {
    let code = class.code(&class.methods[at]).map_err(Skipped::Unreadable)?;
    let Some(code) = code else { return Ok(()) };
    let measured = measure(class, at, &code);
    if plan.depth == Depth::Untouched {
        return Err(Skipped::TooLarge(measured.largest));
    }
    let mut edits = super::Edits::new(&code);
    weave(&mut class.pool, members, &code, &measured, ProbeId(first.0 + plan.first), &mut edits)
        .map_err(|_| Skipped::PoolFull)?;
    let code: Code = edits.apply(code).ok_or(Skipped::FrameTooLarge)?;
    class.set_code(at, &code).map_err(Skipped::Unwritable)
}
