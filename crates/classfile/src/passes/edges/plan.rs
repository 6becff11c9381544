//! Numbers the edges of a class.
//!
//! In: a class as it was read. Out: [`EdgePlan`].
//! Looks at code sizes and decides how thoroughly a method is probed; the sizes are bounds that depend on the code
//! alone, never on the numbers or on what else is inserted, so that every reader of the class decides alike.

use super::scan::{Place, Site, scan};
use super::{Depth, Edge, EdgeKind, EdgePlan, MethodPlan};
use crate::class::ClassFile;
use crate::code::{Code, Insn};
use crate::passes::flow::Flow;
use crate::passes::member::MARK_BYTES;

/// Probes whose hits share one byte in the map of pages.
pub const MAP_PAGE: u32 = 64;

/// HotSpot compiles no method with more bytes of code than this (`HugeMethodLimit`).
const JIT_LIMIT: usize = 8000;

/// The most bytes of code a method can have (JVMS §4.7.3).
const CODE_LIMIT: usize = 65535;

/// Jumps farther than this need longer instructions.
const NEAR: usize = 32767;

/// The edges of a method as far as its size allows, and what is known of that size.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(super) sites: Vec<Site>,
    pub(super) flow: Flow,
    pub(super) depth: Depth,
    /// Upper bound of the size with all probes.
    pub(super) largest: usize,
}

impl Measured {
    pub fn count(&self) -> u32 {
        self.sites.len() as u32
    }

    pub fn depth(&self) -> Depth {
        self.depth
    }

    pub fn largest(&self) -> usize {
        self.largest
    }

    pub fn flow(&self) -> &Flow {
        &self.flow
    }
}

/// Finds the edges of the method at `at` and how many of them may have probes.
pub(crate) fn measure(class: &ClassFile, at: usize, code: &Code) -> Measured {
    let flow = Flow::of(code);
    let mut sites = scan(code, &flow, class.major >= 50);
    let original = code_length(class, at);
    let slack = far_jump_slack(code);
    let largest = bound(original, slack, &sites);
    let mut depth = Depth::Full;
    if original <= JIT_LIMIT && largest > JIT_LIMIT {
        depth = fewer(original, slack, &mut sites).unwrap_or(Depth::Full);
    }
    if bound(original, slack, &sites) > CODE_LIMIT {
        sites.clear();
        depth = Depth::Untouched;
    }
    Measured { sites, flow, depth, largest }
}

/// Drops sites until the JIT compiler takes the method; `None`, and all of them kept, if that cannot be reached.
fn fewer(original: usize, slack: usize, sites: &mut Vec<Site>) -> Option<Depth> {
    let size_of = |kept: &dyn Fn(&Site) -> bool| {
        let kept = sites.iter().filter(|site| kept(site));
        bound_of(original, slack, kept)
    };
    let inline = |site: &Site| !site.place.is_trampoline();
    let entry = |site: &Site| site.kind == EdgeKind::Entry;
    if size_of(&inline) <= JIT_LIMIT {
        sites.retain(inline);
        Some(Depth::Inline)
    } else if size_of(&entry) <= JIT_LIMIT {
        sites.retain(entry);
        Some(Depth::EntryOnly)
    } else {
        None
    }
}

fn bound(original: usize, slack: usize, sites: &[Site]) -> usize {
    bound_of(original, slack, sites.iter())
}

/// How many bytes the code can have at most with these probes.
fn bound_of<'a>(original: usize, slack: usize, sites: impl Iterator<Item = &'a Site>) -> usize {
    const GOTO_W: usize = 5;
    let (mut probes, mut size) = (0, original);
    for site in sites {
        probes += 1;
        size += MARK_BYTES;
        size += match site.place {
            Place::Entry | Place::After(_) => 0,
            _ => GOTO_W,
        };
    }
    size += MARK_BYTES * (probes / MAP_PAGE as usize + 2);
    if size > NEAR { size + slack } else { size }
}

/// What the original jumps and switches can grow by when everything moves apart.
fn far_jump_slack(code: &Code) -> usize {
    let growth = |insn: &Insn| match insn {
        Insn::If(..) => 5,
        Insn::Goto(_) | Insn::Jsr(_) => 2,
        Insn::TableSwitch(_) | Insn::LookupSwitch(_) => 3,
        _ => 0,
    };
    code.insns().map(growth).sum()
}

/// The length of the code as it was read.
fn code_length(class: &ClassFile, at: usize) -> usize {
    let attribute = class.methods[at].attributes(&class.pool).find("Code");
    let content: &[u8] = attribute.map_or(&[], |attribute| &attribute.content);
    if class.major == 45 && class.minor < 3 {
        content.get(2..4).map_or(0, |length| usize::from(u16::from_be_bytes([length[0], length[1]])))
    } else {
        let length = content.get(4..8).and_then(|bytes| bytes.try_into().ok());
        length.map_or(0, |length| u32::from_be_bytes(length) as usize)
    }
}

/// Hands out numbers so that no method straddles a page without need.
#[derive(Debug, Default)]
pub(crate) struct Numbering {
    next: u32,
}

impl Numbering {
    /// The first number for a method with this many edges.
    pub fn place(&mut self, count: u32) -> u32 {
        if self.next % MAP_PAGE + count > MAP_PAGE {
            self.next = self.next.next_multiple_of(MAP_PAGE);
        }
        let first = self.next;
        self.next += count;
        first
    }

    /// How many numbers the class takes.
    pub fn total(&self) -> u32 {
        self.next.next_multiple_of(MAP_PAGE)
    }
}

/// Numbers the edges of a class.
pub fn plan(class: &ClassFile) -> EdgePlan {
    let mut numbering = Numbering::default();
    let mut edges = Vec::new();
    let mut methods = Vec::with_capacity(class.methods.len());
    for (at, method) in class.methods.iter().enumerate() {
        let Ok(Some(code)) = class.code(method) else {
            methods.push(MethodPlan { first: numbering.next, count: 0, depth: Depth::Untouched });
            continue;
        };
        let measured = measure(class, at, &code);
        let (count, depth) = (measured.count(), measured.depth);
        let first = numbering.place(count);
        methods.push(MethodPlan { first, count, depth });
        edges.extend((first..).zip(measured.sites).map(|(number, site)| Edge {
            number,
            method: at as u32,
            line: site.line,
            kind: site.kind,
            node: site.node,
        }));
    }
    EdgePlan { edges, methods, count: numbering.total() }
}
