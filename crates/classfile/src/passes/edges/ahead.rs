//! What certainly or possibly runs behind an edge, before the next edge.
//!
//! In: a method and which of its instructions are looked for. Out: for each edge, in the order of their numbers, whether one of them stands on the
//! way from it to where control next divides. An instruction that ran had one of its edges taken.

use super::scan::Site;
use super::{Depth, EdgeKind, measure};
use crate::class::ClassFile;
use crate::code::{Code, Insn, Label, Node};
use crate::passes::flow::Flow;

/// Which edges of the method at `at` lead to what is looked for; `None` where not every edge has a probe.
pub fn leads_to(class: &ClassFile, at: usize, is_wanted: &dyn Fn(&Insn) -> bool) -> Option<Vec<bool>> {
    let code = class.code(class.methods.get(at)?).ok()??;
    let measured = measure(class, at, &code);
    let has_subroutines = code.insns().any(|insn| matches!(insn, Insn::Jsr(_) | Insn::Ret(_)));
    if measured.depth != Depth::Full || has_subroutines {
        return None;
    }
    let flow = &measured.flow;
    let leads = |site: &Site| Some(meets(&code, flow, start(&code, flow, site)?, is_wanted));
    measured.sites.iter().map(leads).collect()
}

/// The node that comes first behind an edge.
fn start(code: &Code, flow: &Flow, site: &Site) -> Option<usize> {
    let place = |label: Label| flow.place[label.number()];
    let Some(Node::Insn(insn)) = code.nodes.get(site.node) else {
        // The entry may begin with a label.
        return (site.kind == EdgeKind::Entry).then_some(0);
    };
    Some(match (&site.kind, insn) {
        (EdgeKind::Entry | EdgeKind::Handler { .. }, _) => site.node,
        (EdgeKind::NotTaken(_), _) => site.node + 1,
        (EdgeKind::Taken(_), Insn::If(_, target)) => place(*target),
        (EdgeKind::SwitchArm { default: true, .. }, Insn::TableSwitch(switch)) => place(switch.default),
        (EdgeKind::SwitchArm { default: true, .. }, Insn::LookupSwitch(switch)) => place(switch.default),
        (EdgeKind::SwitchArm { keys, .. }, Insn::TableSwitch(switch)) => {
            let nth = usize::try_from(keys.first()?.wrapping_sub(switch.low)).ok()?;
            place(*switch.targets.get(nth)?)
        }
        (EdgeKind::SwitchArm { keys, .. }, Insn::LookupSwitch(switch)) => {
            let nth = switch.keys.iter().position(|key| Some(key) == keys.first())?;
            place(switch.targets[nth])
        }
        (EdgeKind::Taken(_), _) | (EdgeKind::SwitchArm { .. }, _) => return None,
    })
}

/// Whether something wanted stands between a node and where control next divides.
fn meets(code: &Code, flow: &Flow, from: usize, is_wanted: &dyn Fn(&Insn) -> bool) -> bool {
    let mut at = from;
    // A jump back without any condition never ends otherwise.
    for _ in 0..=code.nodes.len() {
        match code.nodes.get(at) {
            None => return false,
            Some(Node::Label(_)) => at += 1,
            Some(Node::Insn(insn)) if is_wanted(insn) => return true,
            Some(Node::Insn(Insn::Goto(target))) => at = flow.place[target.number()],
            Some(Node::Insn(Insn::If(..))) => return false,
            Some(Node::Insn(insn)) if insn.can_fall_through() => at += 1,
            Some(Node::Insn(_)) => return false,
        }
    }
    false
}
