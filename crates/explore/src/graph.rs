//! The states and calls as a graph, and as DOT.
//!
//! In: an [`Exploration`] that kept its links. Out: [`Graph`]: as many whole levels as fit, calls between the same two states on one edge.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::explorer::Exploration;
use crate::nodes::{NodeId, Target};

/// States and edges to draw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    pub title: String,
    /// By level; states in the order they were found.
    pub levels: Vec<Vec<GraphNode>>,
    pub edges: Vec<GraphEdge>,
    /// States of deeper levels that are not drawn.
    pub left_out: usize,
}

/// A state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphNode {
    pub id: NodeId,
    /// The shortest way to it.
    pub path: String,
    /// Calls that leave the state as it is.
    pub unchanged: Vec<String>,
    /// Calls that throw.
    pub throws: Vec<String>,
}

/// Calls that lead from one state to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphEdge {
    pub from: NodeId,
    pub to: NodeId,
    pub calls: Vec<String>,
}

/// The graph of at most so many states, cut after a whole level.
pub fn graph(found: &Exploration, most: usize) -> Graph {
    let mut levels: Vec<Vec<GraphNode>> = Vec::new();
    let mut drawn = 0;
    let mut level: Vec<NodeId> = Vec::new();
    let count = found.nodes.len();
    for at in 0..=count {
        let node = NodeId(at as u32);
        let is_next = at < count
            && level.first().is_some_and(|first| found.nodes.depth(*first) != found.nodes.depth(node));
        if at == count || is_next {
            if drawn + level.len() > most && drawn > 0 {
                break;
            }
            drawn += level.len();
            levels.push(level.drain(..).map(|node| graph_node(found, node)).collect());
        }
        if at < count {
            level.push(node);
        }
    }
    let edges = edges(found, drawn);
    Graph { title: found.plan.class.to_string(), levels, edges, left_out: count - drawn }
}

fn graph_node(found: &Exploration, node: NodeId) -> GraphNode {
    let calls = |wanted: Target| {
        let all = found.plan.calls.iter().enumerate();
        all.filter(|(at, _)| found.nodes.target(node, *at as u16) == wanted)
            .map(|(_, call)| call.text.clone())
            .collect()
    };
    GraphNode {
        id: node,
        path: found.path_text(node),
        unchanged: calls(Target::State(node)),
        throws: calls(Target::Threw),
    }
}

fn edges(found: &Exploration, drawn: usize) -> Vec<GraphEdge> {
    let mut edges: BTreeMap<(NodeId, NodeId), Vec<String>> = BTreeMap::new();
    for at in 0..drawn {
        let from = NodeId(at as u32);
        for (call, action) in found.plan.calls.iter().enumerate() {
            if let Target::State(to) = found.nodes.target(from, call as u16)
                && to != from
                && (to.0 as usize) < drawn
            {
                edges.entry((from, to)).or_default().push(action.text.clone());
            }
        }
    }
    edges.into_iter().map(|((from, to), calls)| GraphEdge { from, to, calls }).collect()
}

/// The graph in the language of Graphviz.
pub fn dot(graph: &Graph) -> String {
    let mut out = format!(
        "digraph {} {{\n  rankdir=TB;\n  node [shape=circle, fontsize=10];\n  edge [fontsize=9];\n",
        quoted(&graph.title)
    );
    for level in &graph.levels {
        out.push_str("  { rank=same;");
        for node in level {
            let _ = write!(
                out,
                " s{} [label=\"{}\", tooltip={}];",
                node.id.0,
                node.id.0,
                quoted(&describe(node))
            );
        }
        out.push_str(" }\n");
    }
    for edge in &graph.edges {
        let _ =
            writeln!(out, "  s{} -> s{} [label={}];", edge.from.0, edge.to.0, quoted(&edge.calls.join(", ")));
    }
    if graph.left_out > 0 {
        let _ = writeln!(
            out,
            "  rest [shape=plaintext, label=\"{} states of deeper levels are not drawn\"];",
            graph.left_out
        );
    }
    out.push_str("}\n");
    out
}

/// What there is to say of a state.
pub(crate) fn describe(node: &GraphNode) -> String {
    let mut text = node.path.clone();
    if !node.unchanged.is_empty() {
        text.push_str(&format!("\nunchanged by {}", node.unchanged.join(", ")));
    }
    if !node.throws.is_empty() {
        text.push_str(&format!("\nthrown by {}", node.throws.join(", ")));
    }
    text
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
