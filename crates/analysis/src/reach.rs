//! How far control came in a method, by the edges that were taken.
//!
//! In: a method's code, and its probed edges with whether each was ever taken. Out: [`Reach`]: for an edge that was not, what stands before it:
//! the method was never entered, a decision always went another way, something in the block throws, nothing was thrown that a handler
//! catches, or another edge that was not taken either.
//! A block entered without a probe of its own is taken for entered if a block before it was: whether that one throws shows only at the next probe.

use std::collections::VecDeque;

use probat_classfile::code::{Code, LineNumber};
use probat_classfile::passes::edges::EdgeKind as Kind;
use probat_classfile::{Insn, Node};

use crate::cfg::{BlockId, Cfg, EdgeKind};

/// An edge with a probe.
#[derive(Debug, Clone)]
pub struct Probed<'k> {
    pub kind: &'k Kind,
    /// The instruction that decides, as the plan of the edges tells it.
    pub node: usize,
    pub taken: bool,
}

/// What stands before an edge that was not taken. Match without `_`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Before {
    /// The method was never entered.
    NotEntered,
    /// The decision at this instruction was made and always went another way; the edge that it took instead, by its place in the list.
    Decided { node: usize, instead: usize },
    /// Control came to these instructions and never to the end of them.
    Throws(Vec<std::ops::Range<usize>>),
    /// Control was where exceptions are caught, and none of these came.
    NothingThrown,
    /// Another edge, by its place in the list, that was not taken either.
    Behind(usize),
    /// No way leads there.
    Dead,
}

/// A way into a block.
#[derive(Debug, Clone, Copy)]
struct Way {
    from: BlockId,
    /// Place of its probe in the list.
    probe: Option<usize>,
    exceptional: bool,
}

/// How far control came.
#[derive(Debug)]
pub struct Reach<'k> {
    pub code: Code,
    cfg: Cfg,
    edges: Vec<Probed<'k>>,
    /// Per block.
    ways: Vec<Vec<Way>>,
    entered: Vec<bool>,
    /// Where source lines begin, by node.
    starts: Vec<(usize, u16)>,
}

impl<'k> Reach<'k> {
    pub fn new(code: Code, edges: Vec<Probed<'k>>) -> Self {
        let cfg = Cfg::of(&code);
        let mut ways = vec![Vec::new(); cfg.blocks.len()];
        for (from, block) in (0u32..).zip(&cfg.blocks) {
            let last = last_insn(&code, block.nodes.clone());
            for edge in &block.edges {
                let exceptional = matches!(edge.kind, EdgeKind::Exception(_));
                let probe = if exceptional {
                    let target = cfg.blocks[edge.to.0 as usize].nodes.clone();
                    first_insn(&code, target).and_then(|first| {
                        edges
                            .iter()
                            .position(|one| one.node == first && matches!(one.kind, Kind::Handler { .. }))
                    })
                } else {
                    last.and_then(|last| probe_of(&code, &edges, last, edge.kind))
                };
                ways[edge.to.0 as usize].push(Way { from: BlockId(from), probe, exceptional });
            }
        }
        let places = code.label_nodes();
        let start = |entry: &LineNumber| Some((places.get(entry.at.number()).copied()??, entry.line));
        let mut starts: Vec<(usize, u16)> = code.lines.iter().filter_map(start).collect();
        starts.sort_unstable();
        let mut reach = Reach { entered: vec![false; cfg.blocks.len()], code, cfg, edges, ways, starts };
        reach.enter();
        reach
    }

    /// Whether the method was entered.
    pub fn is_entered(&self) -> bool {
        self.edges.iter().any(|edge| edge.taken)
    }

    /// Whether control came to the block of an instruction.
    pub fn comes_to(&self, node: usize) -> bool {
        self.cfg.block_at(node).is_some_and(|block| self.entered[block.0 as usize])
    }

    /// Marks blocks that were entered, as far as probes and what follows from them tell.
    fn enter(&mut self) {
        if !self.is_entered() {
            return;
        }
        self.entered[0] = true;
        let mut changed = true;
        while changed {
            changed = false;
            for to in 0..self.ways.len() {
                for at in 0..self.ways[to].len() {
                    let way = self.ways[to][at];
                    let from = way.from.0 as usize;
                    let passed = match way.probe {
                        Some(probe) => self.edges[probe].taken,
                        None => self.entered[from] && !way.exceptional,
                    };
                    // Handlers guard several blocks; which of them threw is not known.
                    for block in [Some(to), (!way.exceptional).then_some(from)].into_iter().flatten() {
                        if passed && !std::mem::replace(&mut self.entered[block], true) {
                            changed = true;
                        }
                    }
                }
            }
        }
    }

    /// What stands before an edge that was not taken.
    pub fn before(&self, edge: usize) -> Before {
        let probed = &self.edges[edge];
        if !self.is_entered() {
            return Before::NotEntered;
        }
        let Some(block) = self.cfg.block_at(probed.node) else { return Before::Dead };
        match probed.kind {
            Kind::Entry => Before::NotEntered,
            Kind::Handler { .. } => {
                let guarded = self.ways[block.0 as usize].iter().filter(|way| way.exceptional);
                let mut guarded = guarded.map(|way| way.from).peekable();
                let first = guarded.peek().copied();
                match guarded.any(|from| self.entered[from.0 as usize]) {
                    true => Before::NothingThrown,
                    false => first.map_or(Before::Dead, |first| self.nearest(first, edge)),
                }
            }
            Kind::Taken(_) | Kind::NotTaken(_) | Kind::SwitchArm { .. } => {
                let sibling = self.edges.iter().position(|other| {
                    other.node == probed.node && other.taken && !matches!(other.kind, Kind::Handler { .. })
                });
                match sibling {
                    Some(instead) => Before::Decided { node: probed.node, instead },
                    None => self.before_block(block, edge),
                }
            }
        }
    }

    /// What stands before the end of the block of an instruction; of an edge from it, if one asks for that.
    pub fn before_node(&self, node: usize) -> Before {
        match self.cfg.block_at(node) {
            _ if !self.is_entered() => Before::NotEntered,
            Some(block) => self.before_block(block, usize::MAX),
            None => Before::Dead,
        }
    }

    fn before_block(&self, block: BlockId, edge: usize) -> Before {
        match self.entered[block.0 as usize] {
            true => Before::Throws(self.region(block)),
            false => self.nearest(block, edge),
        }
    }

    /// The block and those that lead to it without a probe, in which something may throw unseen.
    fn region(&self, block: BlockId) -> Vec<std::ops::Range<usize>> {
        let mut found = vec![block];
        let mut at = 0;
        while at < found.len() {
            let ways = &self.ways[found[at].0 as usize];
            for way in ways.iter().filter(|way| way.probe.is_none() && !way.exceptional) {
                if self.entered[way.from.0 as usize] && !found.contains(&way.from) {
                    found.push(way.from);
                }
            }
            at += 1;
        }
        found.into_iter().map(|block| self.cfg.blocks[block.0 as usize].nodes.clone()).collect()
    }

    /// The nearest edge on the way to a block whose source was entered; by handlers only if there is no other way.
    fn nearest(&self, block: BlockId, edge: usize) -> Before {
        for through_handlers in [false, true] {
            let mut seen = vec![false; self.ways.len()];
            let mut queue = VecDeque::from([block]);
            while let Some(to) = queue.pop_front() {
                if std::mem::replace(&mut seen[to.0 as usize], true) {
                    continue;
                }
                for way in &self.ways[to.0 as usize] {
                    if way.exceptional && !through_handlers {
                        continue;
                    }
                    match way.probe {
                        Some(probe) if self.entered[way.from.0 as usize] && probe != edge => {
                            return Before::Behind(probe);
                        }
                        _ => queue.push_back(way.from),
                    }
                }
            }
        }
        Before::Dead
    }

    /// The source line of an instruction.
    pub fn line(&self, node: usize) -> Option<u16> {
        let at = self.starts.partition_point(|(start, _)| *start <= node);
        at.checked_sub(1).map(|at| self.starts[at].1)
    }

    /// The source lines of some instructions, ascending.
    pub fn lines(&self, nodes: std::ops::Range<usize>) -> Vec<u16> {
        let insns = nodes.filter(|&node| matches!(self.code.nodes.get(node), Some(Node::Insn(_))));
        let mut lines: Vec<u16> = insns.filter_map(|node| self.line(node)).collect();
        lines.sort_unstable();
        lines.dedup();
        lines
    }
}

fn first_insn(code: &Code, nodes: std::ops::Range<usize>) -> Option<usize> {
    nodes.into_iter().find(|&node| matches!(code.nodes[node], Node::Insn(_)))
}

fn last_insn(code: &Code, nodes: std::ops::Range<usize>) -> Option<usize> {
    nodes.into_iter().rev().find(|&node| matches!(code.nodes[node], Node::Insn(_)))
}

/// The probe of a normal edge from the block that ends with this instruction.
fn probe_of(code: &Code, edges: &[Probed<'_>], last: usize, kind: EdgeKind) -> Option<usize> {
    let is_conditional = matches!(code.nodes[last], Node::Insn(Insn::If(..)));
    edges.iter().position(|edge| {
        edge.node == last
            && match (edge.kind, kind) {
                (Kind::Taken(_), EdgeKind::Jump) | (Kind::NotTaken(_), EdgeKind::Next) => is_conditional,
                (Kind::SwitchArm { keys, .. }, EdgeKind::Case(key)) => keys.contains(&key),
                (Kind::SwitchArm { default, .. }, EdgeKind::Default) => *default,
                _ => false,
            }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use probat_classfile::build::ClassBuilder;
    use probat_classfile::code::Cond;
    use probat_classfile::passes::edges::{EdgePlan, plan};
    use probat_classfile::{AccessFlags, ClassFile};

    /// `f(a, b) { if (a) { a / b; if (b) {} } return; }` as the assembler sees it.
    fn nested() -> (Code, EdgePlan) {
        let mut code = Code::default();
        let (out, inner) = (code.labels.fresh(), code.labels.fresh());
        let int = probat_classfile::code::Kind::Int;
        use probat_classfile::code::{Arith, Number, StackOp};
        code.nodes = vec![
            Insn::Load(int, 0).into(),
            Insn::If(Cond::Eq, out).into(),
            Insn::Load(int, 0).into(),
            Insn::Load(int, 1).into(),
            Insn::Arith(Arith::Div, Number::Int).into(),
            Insn::Stack(StackOp::Pop).into(),
            Insn::Load(int, 1).into(),
            Insn::If(Cond::Eq, inner).into(),
            Insn::Nop.into(),
            inner.into(),
            Insn::Nop.into(),
            out.into(),
            Insn::Return(None).into(),
        ];
        (code.max_stack, code.max_locals) = (2, 2);
        let mut builder = ClassBuilder::new(AccessFlags::PUBLIC, "a/A", "java/lang/Object", &[]).unwrap();
        builder.straight_method(AccessFlags::STATIC, "f", "(II)V", 2, vec![Insn::Return(None)]).unwrap();
        let mut class = ClassFile::read(&builder.finish().unwrap()).unwrap();
        class.major = 49;
        class.set_code(0, &code).unwrap();
        let class = ClassFile::read(&class.write().unwrap()).unwrap();
        let code = class.code(&class.methods[0]).unwrap().unwrap();
        let plan = plan(&class);
        (code, plan)
    }

    fn before(taken: &[usize], edge: usize) -> Before {
        let (code, plan) = nested();
        let edges = plan.edges.iter().enumerate();
        let edges =
            edges.map(|(at, edge)| Probed { kind: &edge.kind, node: edge.node, taken: taken.contains(&at) });
        Reach::new(code, edges.collect()).before(edge)
    }

    #[test]
    fn what_stands_before_an_edge_follows_from_the_others() {
        // 0: entry, 1 and 2: a is 0 or not, 3 and 4: b is 0 or not.
        assert_eq!(before(&[], 2), Before::NotEntered);
        assert!(matches!(before(&[0, 1], 2), Before::Decided { instead: 1, .. }));
        assert_eq!(before(&[0, 1], 4), Before::Behind(2), "a decision that always went the other way");
        assert!(matches!(before(&[0, 2], 3), Before::Throws(_)), "the division never came out");
        assert!(matches!(before(&[0, 2, 4], 3), Before::Decided { instead: 4, .. }));
        assert!(matches!(before(&[0], 1), Before::Throws(_)));
    }
}
