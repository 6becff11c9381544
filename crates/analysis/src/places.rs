//! Where in a body a method is called.
//!
//! In: a call graph, a caller and a callee. Out: [`CallPlace`]s: the instructions that can lead from one to the other, and how.

use probat_classfile::{Insn, Node};

use crate::callgraph::{CallGraph, is_fixed, special_target};
use crate::dynamic::CallSite;
use crate::links::{HandleLink, MethodLink};
use crate::world::{MethodId, World};

/// How an instruction leads to a method. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Leads {
    /// To this method alone.
    Exactly,
    /// To this one or to what other classes have in its place.
    Dispatched,
    /// It hands the method on, as a lambda or a method reference; whoever gets that may call it.
    Handed,
}

/// An instruction that can lead to a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallPlace {
    /// Index into the nodes of the caller's code.
    pub node: usize,
    pub leads: Leads,
}

impl CallGraph {
    /// The instructions of `from` that can lead to `to`, in the order of the code.
    pub fn places(&self, world: &World<'_>, from: MethodId, to: MethodId) -> Vec<CallPlace> {
        let class = world.method(from).class;
        let Some(code) = world.code(from) else { return Vec::new() };
        let mut found = Vec::new();
        for (node, insn) in code.nodes.iter().enumerate() {
            let Node::Insn(insn) = insn else { continue };
            let leads = match insn {
                Insn::InvokeVirtual(index) | Insn::InvokeInterface(index) => {
                    let link = self.links().method(class, *index);
                    link.and_then(|link| self.leads(world, link, to))
                }
                Insn::InvokeSpecial(index) => {
                    let link = self.links().method(class, *index);
                    let target = link.map(|link| special_target(world, class, link));
                    (target == Some(to)).then_some(Leads::Exactly)
                }
                Insn::InvokeStatic(index) => {
                    let link = self.links().method(class, *index);
                    link.filter(|link| link.method == to).map(|_| Leads::Exactly)
                }
                Insn::InvokeDynamic(index) => self.handed(world, self.links().site(class, *index), to),
                _ => None,
            };
            found.extend(leads.map(|leads| CallPlace { node, leads }));
        }
        found
    }

    fn leads(&self, world: &World<'_>, link: MethodLink, to: MethodId) -> Option<Leads> {
        if is_fixed(world, link) {
            return (link.method == to).then_some(Leads::Exactly);
        }
        let is_target = link.method == to || self.targets(link).iter().any(|target| target.method == to);
        is_target.then_some(Leads::Dispatched)
    }

    fn handed(&self, world: &World<'_>, site: Option<&CallSite>, to: MethodId) -> Option<Leads> {
        let leads = |link: MethodLink| self.leads(world, link, to).is_some();
        let is_handed = match site? {
            CallSite::Lambda(lambda) => {
                matches!(lambda.target, HandleLink::Method(_, link) if leads(link) || link.method == to)
            }
            CallSite::Concat(concat) => concat.conversions.iter().any(|&link| leads(link)),
            CallSite::Record(record) => record.calls.iter().any(|&link| leads(link)),
            CallSite::Other { arguments, .. } => {
                arguments.iter().any(|handle| matches!(handle, HandleLink::Method(_, link) if leads(*link)))
            }
            CallSite::Switch => false,
        };
        is_handed.then_some(Leads::Handed)
    }
}
