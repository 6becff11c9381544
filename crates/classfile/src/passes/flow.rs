//! Where labels stand, how control reaches a place, and which source line it belongs to.
//!
//! In: code as it was read. Out: side tables by label and by node.
//! A place is the node of an instruction; labels before it name that place.

use crate::code::{Code, Label, Node};

/// Where labels stand, and how control reaches each instruction. A place is the node of an instruction.
#[derive(Debug)]
pub(crate) struct Flow {
    /// By label: the instruction it stands before, the number of nodes if at the end or nowhere.
    pub place: Vec<usize>,
    /// By label: its node.
    pub node: Vec<usize>,
    /// By node of an instruction: how many edges lead to it.
    predecessors: Vec<u32>,
}

impl Flow {
    pub fn of(code: &Code) -> Flow {
        let mut flow = Flow {
            place: vec![code.nodes.len(); code.labels.count()],
            node: vec![0; code.labels.count()],
            predecessors: vec![0; code.nodes.len() + 1],
        };
        let mut first_label = 0;
        for (at, node) in code.nodes.iter().enumerate() {
            match node {
                Node::Label(label) => flow.node[label.number()] = at,
                Node::Insn(_) => {
                    for above in &code.nodes[first_label..at] {
                        if let Node::Label(label) = above {
                            flow.place[label.number()] = at;
                        }
                    }
                    first_label = at + 1;
                }
            }
        }
        flow.count_predecessors(code);
        flow
    }

    fn count_predecessors(&mut self, code: &Code) {
        let mut falls_in = true;
        let mut seen: Vec<usize> = Vec::new();
        for (at, node) in code.nodes.iter().enumerate() {
            let Node::Insn(insn) = node else { continue };
            self.predecessors[at] += u32::from(falls_in);
            falls_in = insn.can_fall_through();
            seen.clear();
            seen.extend(insn.jump_targets().map(|target| self.place[target.number()]));
            seen.sort_unstable();
            seen.dedup();
            for &target in &seen {
                self.predecessors[target] += 1;
            }
        }
        seen.clear();
        seen.extend(code.handlers.iter().map(|handler| self.place[handler.handler.number()]));
        seen.sort_unstable();
        seen.dedup();
        for &target in &seen {
            self.predecessors[target] += 1;
        }
    }

    /// Whether a label is reached in one way only.
    pub fn has_one_way(&self, label: Label) -> bool {
        self.predecessors[self.place[label.number()]] == 1
    }
}

/// Walks along the line numbers.
#[derive(Debug)]
pub(crate) struct Lines {
    starts: Vec<(usize, u16)>,
    next: usize,
    line: Option<u16>,
}

impl Lines {
    pub fn of(code: &Code, flow: &Flow) -> Lines {
        let mut starts: Vec<(usize, u16)> =
            code.lines.iter().map(|entry| (flow.place[entry.at.number()], entry.line)).collect();
        starts.sort_by_key(|start| start.0);
        Lines { starts, next: 0, line: None }
    }

    pub fn first(&self) -> Option<u16> {
        self.starts.first().map(|start| start.1)
    }

    /// The line of a node; nodes must be asked for in ascending order.
    pub fn at(&mut self, node: usize) -> Option<u16> {
        while let Some(&(_, line)) = self.starts.get(self.next).filter(|start| start.0 <= node) {
            self.line = Some(line);
            self.next += 1;
        }
        self.line
    }
}
