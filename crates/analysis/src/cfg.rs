//! Control-flow graphs of methods.
//!
//! In: the instruction list of a method. Out: [`Cfg`]: basic blocks and the edges between them, normal and
//! exceptional; dominators, post-dominators and loops of it.
//! An instruction that cannot throw leads to no handler. Code that is not well formed loses edges, nothing else.

use std::ops::Range;

use probat_classfile::code::{Arith, Number};
use probat_classfile::{Code, Insn, Label, Node};

use crate::graph::{DominatorTree, Graph};

/// Index of a block in its [`Cfg`]; block 0 is the entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockId(pub u32);

/// Instructions that run one after the other unless one of them throws.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Indices into [`Code::nodes`], labels included.
    pub nodes: Range<usize>,
    pub edges: Vec<Edge>,
    /// The method can be left from here: by return, by an uncaught `athrow`, or by running off its end.
    pub leaves: bool,
}

/// A way from one block to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge {
    pub to: BlockId,
    pub kind: EdgeKind,
}

/// What makes control take an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EdgeKind {
    /// The next instruction follows; after a conditional jump, because its condition was false.
    Next,
    /// A jump; after a conditional one, because its condition was true.
    Jump,
    /// A switch whose key is this.
    Case(i32),
    /// A switch none of whose keys matched.
    Default,
    /// An exception caught by the handler of this number in [`Code::handlers`].
    Exception(u16),
    /// A `ret` back behind some `jsr`.
    Subroutine,
}

/// The blocks of a method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cfg {
    pub blocks: Vec<Block>,
    graph: Graph,
}

/// A loop entered only at its head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loop {
    pub head: BlockId,
    /// Sources of the edges back to the head.
    pub tails: Vec<BlockId>,
    /// All blocks of the loop, head included, sorted.
    pub body: Vec<BlockId>,
}

/// Which blocks lie on every way from a block to the method's end.
#[derive(Debug, Clone)]
pub struct PostDominators {
    tree: DominatorTree,
    exit: u32,
}

impl Cfg {
    /// Splits code into blocks. Code without instructions gives one empty block.
    pub fn of(code: &Code) -> Cfg {
        Builder::new(code).build()
    }

    /// Where a block's edges lead, each block once.
    pub fn successors(&self, block: BlockId) -> impl Iterator<Item = BlockId> {
        self.graph.successors(block.0).iter().map(|&to| BlockId(to))
    }

    /// The block whose nodes include the one at this index of [`Code::nodes`].
    pub fn block_at(&self, node: usize) -> Option<BlockId> {
        let at = self.blocks.partition_point(|block| block.nodes.end <= node);
        self.blocks.get(at).filter(|block| block.nodes.contains(&node)).map(|_| BlockId(at as u32))
    }

    /// Blocks the entry reaches, each before those it leads to except along loops.
    pub fn reverse_post_order(&self) -> Vec<BlockId> {
        self.graph.reverse_post_order(0).into_iter().map(BlockId).collect()
    }

    /// Which blocks lie on every way from the entry to a block.
    pub fn dominators(&self) -> DominatorTree {
        self.graph.dominators(0)
    }

    /// Which blocks lie on every way from a block to the end of the method, explicit throws included.
    ///
    /// A loop without way out is given one, from the last of its blocks in reverse post order.
    pub fn post_dominators(&self) -> PostDominators {
        let mut onward = self.graph.clone();
        let exit = onward.add_node();
        for (at, block) in self.blocks.iter().enumerate() {
            if block.leaves {
                onward.add(at as u32, exit);
            }
        }
        let order = self.graph.reverse_post_order(0);
        loop {
            let backward = onward.reversed();
            let mut ends = vec![false; onward.len()];
            for node in backward.reverse_post_order(exit) {
                ends[node as usize] = true;
            }
            match order.iter().rev().find(|&&node| !ends[node as usize]) {
                Some(&endless) => onward.add(endless, exit),
                None => return PostDominators { tree: backward.dominators(exit), exit },
            }
        }
    }

    /// Loops by their heads, in block order. Circles with several entries are no loops in this sense.
    pub fn loops(&self) -> Vec<Loop> {
        let dominators = self.dominators();
        let mut tails: Vec<Vec<u32>> = vec![Vec::new(); self.blocks.len()];
        for from in 0..self.blocks.len() as u32 {
            for &to in self.graph.successors(from) {
                if dominators.dominates(to, from) {
                    tails[to as usize].push(from);
                }
            }
        }
        let backward = self.graph.reversed();
        let loops = tails.into_iter().enumerate().filter(|(_, tails)| !tails.is_empty());
        loops
            .map(|(head, tails)| Loop {
                head: BlockId(head as u32),
                body: loop_body(&backward, &dominators, head as u32, &tails),
                tails: tails.into_iter().map(BlockId).collect(),
            })
            .collect()
    }
}

impl PostDominators {
    /// The nearest other block on every way to the end; none if that is the end itself.
    pub fn immediate(&self, block: BlockId) -> Option<BlockId> {
        self.tree.immediate(block.0).filter(|&next| next != self.exit).map(BlockId)
    }

    /// Whether every way from `block` to the end passes `later`; a block passes itself.
    pub fn post_dominates(&self, later: BlockId, block: BlockId) -> bool {
        self.tree.dominates(later.0, block.0)
    }
}

/// What reaches a tail without passing the head.
fn loop_body(backward: &Graph, dominators: &DominatorTree, head: u32, tails: &[u32]) -> Vec<BlockId> {
    let mut inside = vec![false; backward.len()];
    inside[head as usize] = true;
    let mut work = tails.to_vec();
    while let Some(block) = work.pop() {
        if dominators.is_reachable(block) && !std::mem::replace(&mut inside[block as usize], true) {
            work.extend(backward.successors(block));
        }
    }
    (0..backward.len() as u32).filter(|&block| inside[block as usize]).map(BlockId).collect()
}

/// Whether an instruction can throw by itself, asynchronous exceptions aside.
pub fn can_throw(insn: &Insn) -> bool {
    match insn {
        Insn::Arith(Arith::Div | Arith::Rem, Number::Int | Number::Long) => true,
        Insn::Ldc(_) | Insn::ArrayLoad(_) | Insn::ArrayStore(_) | Insn::ArrayLength | Insn::AThrow => true,
        Insn::GetStatic(_) | Insn::PutStatic(_) | Insn::GetField(_) | Insn::PutField(_) => true,
        Insn::InvokeVirtual(_) | Insn::InvokeSpecial(_) | Insn::InvokeStatic(_) => true,
        Insn::InvokeInterface(_) | Insn::InvokeDynamic(_) => true,
        Insn::New(_) | Insn::NewArray(_) | Insn::ANewArray(_) | Insn::MultiANewArray { .. } => true,
        Insn::CheckCast(_) | Insn::InstanceOf(_) | Insn::MonitorEnter | Insn::MonitorExit => true,
        // A method that breaks structured locking throws when it returns (JVMS §2.11.10); compilers never make one.
        Insn::Return(_) => false,
        Insn::Nop | Insn::Null | Insn::Int(_) | Insn::Long(_) | Insn::Float(_) | Insn::Double(_) => false,
        Insn::Load(..) | Insn::Store(..) | Insn::Inc { .. } | Insn::Stack(_) => false,
        Insn::Arith(..) | Insn::Neg(_) | Insn::Bits(..) | Insn::Convert(_) | Insn::Compare(_) => false,
        Insn::If(..) | Insn::Goto(_) | Insn::Jsr(_) | Insn::Ret(_) => false,
        Insn::TableSwitch(_) | Insn::LookupSwitch(_) => false,
    }
}

struct Builder<'a> {
    code: &'a Code,
    /// For each label the index of its node.
    places: Vec<Option<usize>>,
    starts: Vec<usize>,
    /// Blocks behind each `jsr`.
    returns: Vec<BlockId>,
}

impl<'a> Builder<'a> {
    fn new(code: &'a Code) -> Builder<'a> {
        let mut builder =
            Builder { code, places: code.label_nodes(), starts: Vec::new(), returns: Vec::new() };
        let mut starts = vec![0];
        for (at, node) in code.nodes.iter().enumerate() {
            let Node::Insn(insn) = node else { continue };
            let mut is_jump = false;
            for target in insn.jump_targets() {
                is_jump = true;
                starts.extend(builder.start_of(target));
            }
            if is_jump || !insn.can_fall_through() {
                starts.push(at + 1);
            }
        }
        for handler in &code.handlers {
            for label in [handler.start, handler.end, handler.handler] {
                starts.extend(builder.start_of(label));
            }
        }
        starts.sort_unstable();
        starts.dedup();
        let last = code.nodes.iter().rposition(|node| matches!(node, Node::Insn(_))).unwrap_or(0);
        starts.retain(|&start| start <= last);
        builder.starts = starts;
        builder
    }

    /// The first of the labels that stand together with this one, so that no block is without instructions.
    fn start_of(&self, label: Label) -> Option<usize> {
        let place = (*self.places.get(label.number())?)?;
        let before = self.code.nodes[..place].iter().rposition(|node| matches!(node, Node::Insn(_)));
        Some(before.map_or(0, |insn| insn + 1))
    }

    fn block_of(&self, label: Label) -> Option<BlockId> {
        let start = self.start_of(label)?;
        self.starts.binary_search(&start).ok().map(|at| BlockId(at as u32))
    }

    fn build(mut self) -> Cfg {
        for at in 0..self.starts.len() {
            if let Some(Insn::Jsr(_)) = self.last_insn(&self.range(at))
                && at + 1 < self.starts.len()
            {
                self.returns.push(BlockId(at as u32 + 1));
            }
        }
        let blocks: Vec<Block> = (0..self.starts.len()).map(|at| self.block(at)).collect();
        let mut graph = Graph::new(blocks.len());
        for (from, block) in blocks.iter().enumerate() {
            for edge in &block.edges {
                graph.add(from as u32, edge.to.0);
            }
        }
        Cfg { blocks, graph }
    }

    fn range(&self, at: usize) -> Range<usize> {
        self.starts[at]..self.starts.get(at + 1).copied().unwrap_or(self.code.nodes.len())
    }

    fn last_insn(&self, nodes: &Range<usize>) -> Option<&'a Insn> {
        self.code.nodes[nodes.clone()].iter().rev().find_map(|node| match node {
            Node::Insn(insn) => Some(insn),
            Node::Label(_) => None,
        })
    }

    fn block(&self, at: usize) -> Block {
        let nodes = self.range(at);
        let next = (at + 1 < self.starts.len()).then_some(BlockId(at as u32 + 1));
        let mut edges = Vec::new();
        let last = self.last_insn(&nodes);
        if let Some(insn) = last {
            self.normal_edges(insn, next, &mut edges);
        }
        let is_caught = self.exception_edges(&nodes, &mut edges);
        let leaves = match last {
            None | Some(Insn::Return(_)) => true,
            Some(Insn::AThrow) => !is_caught,
            Some(insn) => insn.can_fall_through() && next.is_none(),
        };
        Block { nodes, edges, leaves }
    }

    fn normal_edges(&self, insn: &Insn, next: Option<BlockId>, edges: &mut Vec<Edge>) {
        let mut add = |to: Option<BlockId>, kind| edges.extend(to.map(|to| Edge { to, kind }));
        match insn {
            Insn::If(_, target) => {
                add(next, EdgeKind::Next);
                add(self.block_of(*target), EdgeKind::Jump);
            }
            Insn::Goto(target) | Insn::Jsr(target) => add(self.block_of(*target), EdgeKind::Jump),
            Insn::Ret(_) => self.returns.iter().for_each(|&back| add(Some(back), EdgeKind::Subroutine)),
            Insn::TableSwitch(switch) => {
                for (key, target) in (i64::from(switch.low)..).zip(&switch.targets) {
                    add(self.block_of(*target), EdgeKind::Case(key as i32));
                }
                add(self.block_of(switch.default), EdgeKind::Default);
            }
            Insn::LookupSwitch(switch) => {
                for (key, target) in switch.keys.iter().zip(&switch.targets) {
                    add(self.block_of(*target), EdgeKind::Case(*key));
                }
                add(self.block_of(switch.default), EdgeKind::Default);
            }
            insn if insn.can_fall_through() => add(next, EdgeKind::Next),
            _ => {}
        }
    }

    /// Adds the edges to handlers in search order; tells whether one of them catches everything.
    fn exception_edges(&self, nodes: &Range<usize>, edges: &mut Vec<Edge>) -> bool {
        let throws = self.code.nodes[nodes.clone()]
            .iter()
            .any(|node| matches!(node, Node::Insn(insn) if can_throw(insn)));
        if !throws {
            return false;
        }
        for (number, handler) in self.code.handlers.iter().enumerate() {
            let end = self.places.get(handler.end.number()).copied().flatten();
            let covers = self.start_of(handler.start).is_some_and(|start| start <= nodes.start)
                && end.is_some_and(|end| nodes.start < end);
            if let (true, Some(to)) = (covers, self.block_of(handler.handler)) {
                edges.push(Edge { to, kind: EdgeKind::Exception(number as u16) });
                if handler.catch_type.is_none() {
                    return true;
                }
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use expect_test::{Expect, expect};
    use probat_classfile::PoolIndex;
    use probat_classfile::code::{Cond, Handler, Kind, LookupSwitch, TableSwitch};

    use super::*;

    /// Builds code from words: `a:` places a label, `if a` and `goto a` jump, `switch 1=a 5=b c` ends with the
    /// default, `table 7 a b c` too, `try a b c` adds a catch-all handler and `catch a b c` a typed one.
    fn code(text: &str) -> Code {
        let mut code = Code::default();
        let mut names: BTreeMap<String, Label> = BTreeMap::new();
        for line in text.split(['\n', ';']).map(str::trim).filter(|line| !line.is_empty()) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let mut label = |name: &str| {
                *names.entry(name.trim_end_matches(':').into()).or_insert_with(|| code.labels.fresh())
            };
            let insn = match words[0] {
                name if name.ends_with(':') => {
                    let placed = label(name);
                    code.nodes.push(placed.into());
                    continue;
                }
                "try" | "catch" => {
                    let [start, end, handler] = [1, 2, 3].map(|at| label(words[at]));
                    let catch_type = (words[0] == "catch").then_some(PoolIndex(1));
                    code.handlers.push(Handler { start, end, handler, catch_type });
                    continue;
                }
                "if" => Insn::If(Cond::Eq, label(words[1])),
                "goto" => Insn::Goto(label(words[1])),
                "jsr" => Insn::Jsr(label(words[1])),
                "ret" => Insn::Ret(0),
                "table" => {
                    let mut targets: Vec<_> = words[2..].iter().map(|word| label(word)).collect();
                    let default = targets.pop().unwrap();
                    Insn::TableSwitch(Box::new(TableSwitch {
                        default,
                        low: words[1].parse().unwrap(),
                        targets,
                    }))
                }
                "switch" => {
                    let (keys, targets) = words[1..words.len() - 1]
                        .iter()
                        .map(|word| word.split_once('=').unwrap())
                        .map(|(key, target)| (key.parse::<i32>().unwrap(), label(target)))
                        .unzip();
                    let default = label(words[words.len() - 1]);
                    Insn::LookupSwitch(Box::new(LookupSwitch { default, keys, targets }))
                }
                "load" => Insn::Load(Kind::Int, 0),
                "call" => Insn::InvokeStatic(PoolIndex(1)),
                "throw" => Insn::AThrow,
                "return" => Insn::Return(None),
                other => panic!("unknown word {other}"),
            };
            code.nodes.push(insn.into());
        }
        code
    }

    /// Prints per block the number of instructions, its edges, its dominator and its post-dominator.
    #[track_caller]
    fn check(text: &str, expected: Expect) {
        let code = code(text);
        let cfg = Cfg::of(&code);
        let (dominators, post) = (cfg.dominators(), cfg.post_dominators());
        let mut out = String::new();
        for (at, block) in cfg.blocks.iter().enumerate() {
            let insns = code.nodes[block.nodes.clone()].iter().filter(|n| matches!(n, Node::Insn(_))).count();
            out += &format!("{at}: {insns} insn");
            for edge in &block.edges {
                out += &format!(" {:?}>{}", edge.kind, edge.to.0);
            }
            if block.leaves {
                out += " leaves";
            }
            let show = |id: Option<u32>| id.map_or("-".into(), |id| id.to_string());
            let after = post.immediate(BlockId(at as u32)).map(|id| id.0);
            out += &format!(" | dom {} post {}\n", show(dominators.immediate(at as u32)), show(after));
        }
        for found in cfg.loops() {
            let list = |ids: &[BlockId]| ids.iter().map(|id| id.0.to_string()).collect::<Vec<_>>().join(" ");
            out +=
                &format!("loop {}: from {} body {}\n", found.head.0, list(&found.tails), list(&found.body));
        }
        expected.assert_eq(&out);
    }

    #[test]
    fn a_condition_forks_and_joins() {
        check(
            "load; if else; load; goto end; else:; load; load; end:; return",
            expect![[r#"
                0: 2 insn Next>1 Jump>2 | dom - post 3
                1: 2 insn Jump>3 | dom 0 post 3
                2: 2 insn Next>3 | dom 0 post 3
                3: 1 insn leaves | dom 0 post -
            "#]],
        );
    }

    #[test]
    fn nested_loops_are_told_apart() {
        check(
            "outer:; load; if end; inner:; load; if outer; goto inner; end:; return",
            expect![[r#"
                0: 2 insn Next>1 Jump>3 | dom - post 3
                1: 2 insn Next>2 Jump>0 | dom 0 post 0
                2: 1 insn Jump>1 | dom 1 post 1
                3: 1 insn leaves | dom 0 post -
                loop 0: from 1 body 0 1 2
                loop 1: from 2 body 1 2
            "#]],
        );
    }

    #[test]
    fn an_endless_loop_still_has_post_dominators() {
        check(
            "load; if spin; return; spin:; load; goto spin",
            expect![[r#"
                0: 2 insn Next>1 Jump>2 | dom - post -
                1: 1 insn leaves | dom 0 post -
                2: 2 insn Jump>2 | dom 0 post -
                loop 2: from 2 body 2
            "#]],
        );
    }

    #[test]
    fn switches_have_an_edge_per_key() {
        check(
            "load; switch -5=a 9=b c; a:; load; table 7 a b c; b:; return; c:; return",
            expect![[r#"
                0: 2 insn Case(-5)>1 Case(9)>2 Default>3 | dom - post -
                1: 2 insn Case(7)>1 Case(8)>2 Default>3 | dom 0 post -
                2: 1 insn leaves | dom 0 post -
                3: 1 insn leaves | dom 0 post -
                loop 1: from 1 body 1
            "#]],
        );
    }

    #[test]
    fn what_can_throw_leads_to_its_handlers_up_to_the_one_for_all() {
        check(
            "catch a b h; try a b f; catch a b never
             a:; load; goto m; m:; call; goto out; b:; call; out:; return
             h:; return; f:; throw; never:; return",
            expect![[r#"
                0: 2 insn Jump>1 | dom - post 1
                1: 2 insn Jump>3 Exception(0)>4 Exception(1)>5 | dom 0 post -
                2: 1 insn Next>3 | dom - post 3
                3: 1 insn leaves | dom 1 post -
                4: 1 insn leaves | dom 1 post -
                5: 1 insn leaves | dom 1 post -
                6: 1 insn leaves | dom - post -
            "#]],
        );
    }

    #[test]
    fn a_throw_inside_its_own_try_does_not_leave() {
        check(
            "try a b a; a:; throw; b:; return",
            expect![[r#"
                0: 1 insn Exception(0)>0 | dom - post -
                1: 1 insn leaves | dom - post -
                loop 0: from 0 body 0
            "#]],
        );
    }

    #[test]
    fn subroutines_return_behind_every_call_of_them() {
        check(
            "jsr s; jsr s; return; s:; load; ret",
            expect![[r#"
                0: 1 insn Jump>3 | dom - post 3
                1: 1 insn Jump>3 | dom 3 post 3
                2: 1 insn leaves | dom 3 post -
                3: 2 insn Subroutine>1 Subroutine>2 | dom 0 post 2
                loop 3: from 1 body 1 3
            "#]],
        );
    }

    #[test]
    fn labels_that_stand_together_make_one_block() {
        check(
            "load; goto b; a:; b:; c:; load; if a; if c; return; d:",
            expect![[r#"
                0: 2 insn Jump>1 | dom - post 1
                1: 2 insn Next>2 Jump>1 | dom 0 post 2
                2: 1 insn Next>3 Jump>1 | dom 1 post 3
                3: 1 insn leaves | dom 2 post -
                loop 1: from 1 2 body 1 2
            "#]],
        );
    }

    #[test]
    fn blocks_are_found_by_node() {
        let code = code("load; if a; load; a:; return");
        let cfg = Cfg::of(&code);
        let blocks: Vec<_> = (0..6).map(|node| cfg.block_at(node).map(|id| id.0)).collect();
        assert_eq!(blocks, [Some(0), Some(0), Some(1), Some(2), Some(2), None]);
        assert_eq!(Cfg::of(&Code::default()).blocks.len(), 1);
    }
}
