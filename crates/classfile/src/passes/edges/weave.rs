//! Puts the probes of one method into its code.
//!
//! In: the sites `scan` found and the number of the first. Out: edits.
//! A trampoline stands behind all code: the frame of its target, the probe, a jump to the target. It is covered by
//! copies of the exception table entries that cover its target: were it not, HotSpot would take a method with
//! `synchronized` blocks for one that can leave a monitor locked, and never compile it.

use probat_model::ProbeId;

use super::plan::{MAP_PAGE, Measured};
use super::scan::Place;
use crate::code::{Code, Frame, Handler, Insn, Label, Node};
use crate::error::AppendError;
use crate::passes::Edits;
use crate::passes::flow::Flow;
use crate::passes::member::{MARK_STACK, Member, Members};
use crate::pool::{ConstantPool, PoolIndex};

/// Code between a jump and its target.
struct Trampoline {
    label: Label,
    target: Label,
    probe: [Insn; 4],
}

/// Collects the edits for all sites; the n-th site is probe `first + n`.
pub(crate) fn weave(
    pool: &mut ConstantPool,
    members: &mut Members,
    code: &Code,
    measured: &Measured,
    first: ProbeId,
    edits: &mut Edits,
) -> Result<(), AppendError> {
    let Some(last) = measured.count().checked_sub(1) else { return Ok(()) };
    edits.need_stack(MARK_STACK);
    for page in first.0 / MAP_PAGE..=(first.0 + last) / MAP_PAGE {
        edits.before(0, members.mark(pool, Member::Pages, page)?);
    }
    let mut trampolines = Vec::new();
    let mut jumps = Jumps::default();
    for (id, site) in (first.0..).zip(&measured.sites) {
        let probe = members.mark(pool, Member::Map, id)?;
        match site.place {
            Place::Entry => edits.before(0, probe),
            Place::After(node) => edits.after(node, probe),
            Place::Trampoline { jump, target } => {
                let label = edits.fresh_label();
                jumps.redirect(code, &measured.flow, edits, jump, target, label);
                trampolines.push(Trampoline { label, target, probe });
            }
            Place::HandlerTrampoline { target } => {
                let label = edits.fresh_label();
                move_handlers(code, &measured.flow, edits, target, label);
                trampolines.push(Trampoline { label, target, probe });
            }
            Place::Inverted(node) => invert(code, edits, node, probe),
        }
    }
    jumps.finish(edits);
    append_trampolines(code, &measured.flow, trampolines, edits);
    Ok(())
}

/// The jump that is being given new targets.
#[derive(Default)]
struct Jumps {
    open: Option<(usize, Insn)>,
}

impl Jumps {
    /// Lets the jump at a node go to `to` wherever it went to the place of `from`.
    fn redirect(&mut self, code: &Code, flow: &Flow, edits: &mut Edits, at: usize, from: Label, to: Label) {
        if self.open.as_ref().is_none_or(|open| open.0 != at) {
            self.finish(edits);
            let Node::Insn(insn) = &code.nodes[at] else { return };
            self.open = Some((at, insn.clone()));
        }
        let place = |label: Label| flow.place.get(label.number()).copied();
        if let Some((_, insn)) = &mut self.open {
            insn.change_targets(|target| {
                if place(*target) == place(from) {
                    *target = to;
                }
            });
        }
    }

    fn finish(&mut self, edits: &mut Edits) {
        if let Some((at, insn)) = self.open.take() {
            edits.replace(at, insn);
        }
    }
}

fn move_handlers(code: &Code, flow: &Flow, edits: &mut Edits, from: Label, to: Label) {
    let place = |label: Label| flow.place[label.number()];
    let mut moved: Vec<Label> = Vec::new();
    for handler in &code.handlers {
        if place(handler.handler) == place(from) && !moved.contains(&handler.handler) {
            moved.push(handler.handler);
            edits.move_handlers(handler.handler, to);
        }
    }
}

/// `if c goto T` becomes `if !c goto over; probe; goto T; over:`.
fn invert(code: &Code, edits: &mut Edits, at: usize, probe: [Insn; 4]) {
    let Node::Insn(Insn::If(cond, target)) = code.nodes[at] else { return };
    let over = edits.fresh_label();
    edits.replace(at, Insn::If(cond.inverted(), over));
    edits.after(at, probe);
    edits.after(at, [Node::Insn(Insn::Goto(target)), Node::Label(over)]);
}

/// Appends the trampolines, those with equal exception ranges side by side.
fn append_trampolines(code: &Code, flow: &Flow, trampolines: Vec<Trampoline>, edits: &mut Edits) {
    let frames = if trampolines.is_empty() { Vec::new() } else { code.frames_by_label() };
    let mut groups: Vec<(Vec<Catch>, Vec<Trampoline>)> = Vec::new();
    for trampoline in trampolines {
        let covering = covering(code, flow, trampoline.target);
        match groups.iter_mut().find(|group| group.0 == covering) {
            Some(group) => group.1.push(trampoline),
            None => groups.push((covering, vec![trampoline])),
        }
    }
    for (covering, trampolines) in groups {
        let start = trampolines[0].label;
        for Trampoline { label, target, probe } in trampolines {
            edits.append([label]);
            edits.append(probe);
            edits.append([Insn::Goto(target)]);
            let frame: Option<&Frame> = frames.get(target.number()).copied().flatten();
            if let Some(frame) = frame {
                edits.add_frame(label, frame.clone());
            }
        }
        if !covering.is_empty() {
            let end = edits.fresh_label();
            edits.append([end]);
            for (handler, catch_type) in covering {
                edits.add_handler(Handler { start, end, handler, catch_type });
            }
        }
    }
}

/// A handler and what it catches.
type Catch = (Label, Option<PoolIndex>);

/// What the exception table has for the place of a label, in its order.
fn covering(code: &Code, flow: &Flow, label: Label) -> Vec<Catch> {
    let place = |label: Label| flow.place[label.number()];
    let at = place(label);
    let covers = |handler: &&Handler| (place(handler.start)..place(handler.end)).contains(&at);
    code.handlers.iter().filter(covers).map(|handler| (handler.handler, handler.catch_type)).collect()
}
