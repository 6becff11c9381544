//! Finds the edges of one method and where the probe of each goes.
//!
//! In: code as it was read. Out: [`Site`]s in a fixed order: entry, then by place in the code.
//! Changes nothing; `plan` numbers the sites and `weave` inserts the probes.

use rustc_hash::FxHashMap;

use super::EdgeKind;
use crate::code::{Code, Insn, Label, Node};
use crate::passes::flow::{Flow, Lines};

/// An edge and where its probe goes.
#[derive(Debug)]
pub(super) struct Site {
    pub kind: EdgeKind,
    pub line: Option<u16>,
    pub place: Place,
    /// The instruction that decides; of a handler, its first.
    pub node: usize,
}

/// Where a probe goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Before all code.
    Entry,
    /// Behind this node: every way to that place is this edge.
    After(usize),
    /// Into code of its own between the jump at `jump` and `target`, which has other predecessors too.
    Trampoline { jump: usize, target: Label },
    /// The same for a handler, whose table entries are moved.
    HandlerTrampoline { target: Label },
    /// Behind the jump at this node, which is turned into its opposite: shorter, but the place behind it would
    /// need a frame, so only where code has none.
    Inverted(usize),
}

impl Place {
    /// Whether code is appended to the method for it.
    pub fn is_trampoline(self) -> bool {
        matches!(self, Place::Trampoline { .. } | Place::HandlerTrampoline { .. })
    }
}

/// The edges of a method's code. `framed` code states its types at every target.
pub(super) fn scan(code: &Code, flow: &Flow, framed: bool) -> Vec<Site> {
    let mut lines = Lines::of(code, flow);
    let mut handlers = handlers_by_place(code, flow).into_iter().peekable();
    let mut sites = vec![Site { kind: EdgeKind::Entry, line: lines.first(), place: Place::Entry, node: 0 }];
    for (at, node) in code.nodes.iter().enumerate() {
        let Node::Insn(insn) = node else { continue };
        let line = lines.at(at);
        if let Some((_, target, catches)) = handlers.next_if(|handler| handler.0 == at) {
            let place = if flow.has_one_way(target) {
                Place::After(flow.node[target.number()])
            } else {
                Place::HandlerTrampoline { target }
            };
            sites.push(Site { kind: EdgeKind::Handler { catches }, line, place, node: at });
        }
        match insn {
            Insn::If(cond, target) => {
                let taken = match jump_place(flow, at, *target) {
                    Place::Trampoline { .. } if !framed => Place::Inverted(at),
                    place => place,
                };
                sites.push(Site { kind: EdgeKind::Taken(*cond), line, place: taken, node: at });
                let place = Place::After(fall_through_node(code, flow, at));
                sites.push(Site { kind: EdgeKind::NotTaken(*cond), line, place, node: at });
            }
            Insn::TableSwitch(switch) => {
                let keys = (0..switch.targets.len()).map(|nth| switch.low.wrapping_add(nth as i32));
                let arms = arms(flow, keys, &switch.targets, switch.default);
                sites.extend(arms.into_iter().map(|arm| arm.site(flow, at, line)));
            }
            Insn::LookupSwitch(switch) => {
                let keys = switch.keys.iter().copied();
                let arms = arms(flow, keys, &switch.targets, switch.default);
                sites.extend(arms.into_iter().map(|arm| arm.site(flow, at, line)));
            }
            _ => {}
        }
    }
    sites
}

/// Where the probe of a jump goes.
fn jump_place(flow: &Flow, jump: usize, target: Label) -> Place {
    if flow.has_one_way(target) {
        Place::After(flow.node[target.number()])
    } else {
        Place::Trampoline { jump, target }
    }
}

/// The node behind which the probe of a jump not taken goes.
///
/// If a range of the exception table begins behind the jump and there is no other way into it, the probe goes into
/// it. An instruction that can throw between a range and the place it guards would make HotSpot believe that a
/// monitor can stay locked, and such a method is never compiled.
fn fall_through_node(code: &Code, flow: &Flow, jump: usize) -> usize {
    match code.nodes.get(jump + 1) {
        Some(Node::Label(label))
            if flow.has_one_way(*label) && code.handlers.iter().any(|handler| handler.start == *label) =>
        {
            jump + 1
        }
        _ => jump,
    }
}

/// Keys of a switch that lead to one place.
struct Arm {
    keys: Vec<i32>,
    default: bool,
    target: Label,
}

impl Arm {
    fn site(self, flow: &Flow, at: usize, line: Option<u16>) -> Site {
        let place = jump_place(flow, at, self.target);
        let kind = EdgeKind::SwitchArm { keys: self.keys, default: self.default };
        Site { kind, line, place, node: at }
    }
}

/// The arms of a switch by their first key, the default last. Keys that lead to the default's place belong to it: in
/// a `tableswitch` most of those are no cases at all but holes.
fn arms(flow: &Flow, keys: impl Iterator<Item = i32>, targets: &[Label], default: Label) -> Vec<Arm> {
    let place = |label: Label| flow.place[label.number()];
    let mut arms: Vec<Arm> = Vec::new();
    let mut by_place: FxHashMap<usize, usize> = FxHashMap::default();
    for (key, &target) in keys.zip(targets) {
        if place(target) == place(default) {
            continue;
        }
        let nth = *by_place.entry(place(target)).or_insert_with(|| {
            arms.push(Arm { keys: Vec::new(), default: false, target });
            arms.len() - 1
        });
        arms[nth].keys.push(key);
    }
    arms.push(Arm { keys: Vec::new(), default: true, target: default });
    arms
}

/// Each place where handlers start, ascending, with a label there and what they catch (nothing for everything).
fn handlers_by_place(code: &Code, flow: &Flow) -> Vec<(usize, Label, Vec<crate::PoolIndex>)> {
    let mut found: Vec<(usize, Label, Vec<crate::PoolIndex>)> = Vec::new();
    for handler in &code.handlers {
        let place = flow.place[handler.handler.number()];
        let nth = found.iter().position(|known| known.0 == place).unwrap_or_else(|| {
            found.push((place, handler.handler, Vec::new()));
            found.len() - 1
        });
        if let Some(class) = handler.catch_type
            && !found[nth].2.contains(&class)
        {
            found[nth].2.push(class);
        }
    }
    found.sort_by_key(|handler| handler.0);
    found
}
