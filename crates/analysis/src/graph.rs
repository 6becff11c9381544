//! Directed graphs over small numbers: orders, strongly connected components, dominators.
//!
//! In: successor lists. Out: reverse post order, [`Components`], [`DominatorTree`].
//! Knows nothing of code; recursion is kept on the heap, so depth does not matter.

/// A graph whose nodes are `0..len`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Graph {
    successors: Vec<Vec<u32>>,
}

impl Graph {
    /// A graph without edges.
    pub fn new(nodes: usize) -> Graph {
        Graph { successors: vec![Vec::new(); nodes] }
    }

    pub fn len(&self) -> usize {
        self.successors.len()
    }

    pub fn is_empty(&self) -> bool {
        self.successors.is_empty()
    }

    /// Adds an edge; a second one between the same nodes changes nothing.
    pub fn add(&mut self, from: u32, to: u32) {
        let list = &mut self.successors[from as usize];
        if !list.contains(&to) {
            list.push(to);
        }
    }

    /// Adds an edge known to be new.
    pub(crate) fn push(&mut self, from: u32, to: u32) {
        self.successors[from as usize].push(to);
    }

    /// Adds a node without edges.
    pub fn add_node(&mut self) -> u32 {
        self.successors.push(Vec::new());
        (self.successors.len() - 1) as u32
    }

    /// The nodes a node leads to, in the order they were added.
    pub fn successors(&self, node: u32) -> &[u32] {
        &self.successors[node as usize]
    }

    /// The same nodes with every edge turned round.
    pub fn reversed(&self) -> Graph {
        let mut turned = Graph::new(self.len());
        for (from, list) in self.successors.iter().enumerate() {
            for &to in list {
                turned.successors[to as usize].push(from as u32);
            }
        }
        turned
    }

    /// Nodes reachable from `root`, each before those it leads to except along edges that close a circle.
    pub fn reverse_post_order(&self, root: u32) -> Vec<u32> {
        let mut order = Vec::new();
        let mut seen = vec![false; self.len()];
        let mut stack = vec![(root, 0)];
        seen[root as usize] = true;
        while let Some((node, next)) = stack.last_mut() {
            match self.successors(*node).get(*next) {
                Some(&to) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[to as usize], true) {
                        stack.push((to, 0));
                    }
                }
                None => {
                    order.push(*node);
                    stack.pop();
                }
            }
        }
        order.reverse();
        order
    }

    /// Strongly connected components (Tarjan).
    pub fn components(&self) -> Components {
        let mut search = Tarjan {
            graph: self,
            entered: vec![None; self.len()],
            lowest: vec![0; self.len()],
            waiting: Vec::new(),
            components: Components { of: vec![u32::MAX; self.len()], members: Vec::new() },
            clock: 0,
        };
        for node in 0..self.len() as u32 {
            if search.entered[node as usize].is_none() {
                search.from(node);
            }
        }
        search.components
    }

    /// The dominator tree of what `root` reaches (Cooper, Harvey and Kennedy).
    pub fn dominators(&self, root: u32) -> DominatorTree {
        let order = self.reverse_post_order(root);
        let mut rank = vec![u32::MAX; self.len()];
        for (at, &node) in order.iter().enumerate() {
            rank[node as usize] = at as u32;
        }
        let predecessors = self.reversed();
        let mut parent: Vec<Option<u32>> = vec![None; self.len()];
        parent[root as usize] = Some(root);
        let mut changed = true;
        while changed {
            changed = false;
            for &node in &order[1..] {
                let known = predecessors.successors(node).iter().copied();
                let best = known
                    .filter(|&before| parent[before as usize].is_some())
                    .reduce(|a, b| meet(&parent, &rank, a, b));
                if best != parent[node as usize] {
                    parent[node as usize] = best;
                    changed = true;
                }
            }
        }
        parent[root as usize] = None;
        DominatorTree::new(root, parent, &order)
    }
}

/// The nearest node above both in the tree so far.
fn meet(parent: &[Option<u32>], rank: &[u32], mut a: u32, mut b: u32) -> u32 {
    while a != b {
        let later = if rank[a as usize] > rank[b as usize] { &mut a } else { &mut b };
        *later = parent[*later as usize].expect("nodes being met have parents up to the root");
    }
    a
}

/// Strongly connected components, numbered so that a component only leads to lower or equal numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Components {
    of: Vec<u32>,
    members: Vec<Vec<u32>>,
}

impl Components {
    /// The component of a node.
    pub fn of(&self, node: u32) -> u32 {
        self.of[node as usize]
    }

    pub fn len(&self) -> usize {
        self.members.len()
    }

    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Members of all components, callees before callers: what a component leads to comes earlier.
    pub fn bottom_up(&self) -> impl Iterator<Item = &[u32]> {
        self.members.iter().map(Vec::as_slice)
    }
}

struct Tarjan<'a> {
    graph: &'a Graph,
    entered: Vec<Option<u32>>,
    lowest: Vec<u32>,
    waiting: Vec<u32>,
    components: Components,
    clock: u32,
}

impl Tarjan<'_> {
    fn from(&mut self, root: u32) {
        let mut stack = vec![(root, 0)];
        self.enter(root);
        while let Some(&mut (node, ref mut next)) = stack.last_mut() {
            if let Some(&to) = self.graph.successors(node).get(*next) {
                *next += 1;
                match self.entered[to as usize] {
                    None => {
                        self.enter(to);
                        stack.push((to, 0));
                    }
                    Some(time) if self.components.of[to as usize] == u32::MAX => {
                        self.lowest[node as usize] = self.lowest[node as usize].min(time);
                    }
                    Some(_) => {}
                }
                continue;
            }
            stack.pop();
            if let Some(&(above, _)) = stack.last() {
                self.lowest[above as usize] = self.lowest[above as usize].min(self.lowest[node as usize]);
            }
            if self.entered[node as usize] == Some(self.lowest[node as usize]) {
                self.close(node);
            }
        }
    }

    fn enter(&mut self, node: u32) {
        self.entered[node as usize] = Some(self.clock);
        self.lowest[node as usize] = self.clock;
        self.clock += 1;
        self.waiting.push(node);
    }

    /// Everything that waits since `node` is its component.
    fn close(&mut self, node: u32) {
        let from = self.waiting.iter().rposition(|&other| other == node).expect("an entered node waits");
        let mut members = self.waiting.split_off(from);
        members.sort_unstable();
        for &member in &members {
            self.components.of[member as usize] = self.components.members.len() as u32;
        }
        self.components.members.push(members);
    }
}

/// Which nodes lie on every way from the root to a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DominatorTree {
    parent: Vec<Option<u32>>,
    /// When a walk over the tree enters and leaves each node; `None` for those the root does not reach.
    span: Vec<Option<(u32, u32)>>,
}

impl DominatorTree {
    fn new(root: u32, parent: Vec<Option<u32>>, order: &[u32]) -> DominatorTree {
        let mut children = Graph::new(parent.len());
        for &node in order {
            if let Some(above) = parent[node as usize] {
                children.successors[above as usize].push(node);
            }
        }
        let mut span = vec![None; parent.len()];
        let mut clock = 0;
        let mut stack = vec![(root, 0, 0)];
        while let Some(&mut (node, ref mut next, ref mut since)) = stack.last_mut() {
            if *next == 0 {
                *since = clock;
            }
            match children.successors(node).get(*next) {
                Some(&child) => {
                    *next += 1;
                    clock += 1;
                    stack.push((child, 0, 0));
                }
                None => {
                    span[node as usize] = Some((*since, clock));
                    stack.pop();
                }
            }
        }
        DominatorTree { parent, span }
    }

    /// The nearest other node on every way to this one; none for the root and what it does not reach.
    pub fn immediate(&self, node: u32) -> Option<u32> {
        self.parent[node as usize]
    }

    /// Whether every way from the root to `node` passes `above`; a node dominates itself.
    pub fn dominates(&self, above: u32, node: u32) -> bool {
        match (self.span[above as usize], self.span[node as usize]) {
            (Some((from, to)), Some((at, _))) => from <= at && at <= to,
            _ => false,
        }
    }

    /// Whether the root reaches the node at all.
    pub fn is_reachable(&self, node: u32) -> bool {
        self.span[node as usize].is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `"0>1 1>2"`
    fn graph(text: &str) -> Graph {
        let edges: Vec<(u32, u32)> = text
            .split_whitespace()
            .map(|edge| {
                let (from, to) = edge.split_once('>').unwrap();
                (from.parse().unwrap(), to.parse().unwrap())
            })
            .collect();
        let nodes = edges.iter().map(|&(from, to)| from.max(to) + 1).max().unwrap_or(1);
        let mut graph = Graph::new(nodes as usize);
        for (from, to) in edges {
            graph.add(from, to);
        }
        graph
    }

    #[test]
    fn reverse_post_order_goes_forward_and_skips_the_unreachable() {
        assert_eq!(graph("0>1 0>2 1>3 2>3 4>3").reverse_post_order(0), [0, 2, 1, 3]);
    }

    #[test]
    fn components_come_callees_first() {
        let components = graph("0>1 1>2 2>1 2>3 3>4 4>3 0>5").components();
        let members: Vec<_> = components.bottom_up().collect();
        assert_eq!(members, [&[3, 4][..], &[1, 2], &[5], &[0]]);
        assert_eq!(components.of(2), 1);
    }

    #[test]
    fn a_chain_of_a_million_nodes_needs_no_deep_stack() {
        let mut long = Graph::new(1_000_000);
        for node in 0..999_999 {
            long.add(node, node + 1);
        }
        assert_eq!(long.components().len(), 1_000_000);
        assert!(long.dominators(0).dominates(17, 999_999));
    }

    /// Every way is tried by leaving one node out: slow and plainly right.
    fn dominates_by_definition(graph: &Graph, above: u32, node: u32) -> bool {
        let reaches = |without: Option<u32>| {
            let mut seen = vec![false; graph.len()];
            let mut work = vec![0];
            while let Some(at) = work.pop() {
                if Some(at) != without && !std::mem::replace(&mut seen[at as usize], true) {
                    work.extend(graph.successors(at));
                }
            }
            seen[node as usize]
        };
        reaches(None) && (above == node || !reaches(Some(above)))
    }

    #[test]
    fn dominators_agree_with_the_definition_on_irreducible_graphs_too() {
        let mut state = 7u32;
        for _ in 0..200 {
            let mut random = Graph::new(9);
            for _ in 0..14 {
                state = state.wrapping_mul(1_103_515_245).wrapping_add(12345);
                random.add((state >> 8) % 9, (state >> 16) % 9);
            }
            let tree = random.dominators(0);
            for above in 0..9 {
                for node in 0..9 {
                    let expected = dominates_by_definition(&random, above, node)
                        && dominates_by_definition(&random, 0, above);
                    assert_eq!(tree.dominates(above, node), expected, "{above} over {node} in {random:?}");
                }
            }
        }
    }

    #[test]
    fn the_immediate_dominator_of_a_join_is_the_fork() {
        let tree = graph("0>1 1>2 1>3 2>4 3>4").dominators(0);
        assert_eq!(tree.immediate(4), Some(1));
        assert_eq!(tree.immediate(0), None);
    }
}
