//! The graph as a picture: levels are rows, states are circles, calls are arrows.
//!
//! In: a [`Graph`]. Out: SVG that needs nothing else. States of a row are ordered by where their parents stand, so that arrows
//! to new states hardly cross; arrows back and across are thin and grey.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::graph::{Graph, GraphEdge, GraphNode, describe};
use crate::nodes::NodeId;

const RADIUS: f64 = 13.0;
const ROW: f64 = 110.0;
const COLUMN: f64 = 64.0;
/// Widest column, where labels are drawn.
const LABELLED_COLUMN: f64 = 150.0;
/// Of a letter of a label, about.
const LETTER: f64 = 5.2;
const MARGIN: f64 = 40.0;

/// Labels are drawn on arrows while there are few; otherwise they show when pointed at.
const LABELLED: usize = 60;

/// The picture.
pub fn svg(graph: &Graph) -> String {
    let column = column(graph);
    let places = places(graph, column);
    let widest = graph.levels.iter().map(Vec::len).max().unwrap_or(1) as f64;
    let width = widest * column + 2.0 * MARGIN;
    let height = graph.levels.len() as f64 * ROW + 2.0 * MARGIN;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" font-family=\"sans-serif\">\n\
         <title>{title}</title>\n<defs><marker id=\"a\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#555\"/></marker></defs>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n<text x=\"{MARGIN}\" y=\"24\" font-size=\"15\">{title}</text>\n",
        title = escaped(&graph.title),
    );
    for edge in &graph.edges {
        arrow(edge, &places, graph.edges.len() <= LABELLED, &mut out);
    }
    for node in graph.levels.iter().flatten() {
        circle(node, places[&node.id], &mut out);
    }
    if graph.left_out > 0 {
        let _ = writeln!(
            out,
            "<text x=\"{MARGIN}\" y=\"{:.0}\" font-size=\"12\" fill=\"#555\">{} states of deeper levels are not drawn</text>",
            height - 14.0,
            graph.left_out
        );
    }
    out.push_str("</svg>\n");
    out
}

type Place = (f64, f64);

/// Room for a state: labels of arrows to neighbours should stand beside each other.
fn column(graph: &Graph) -> f64 {
    if graph.edges.len() > LABELLED {
        return COLUMN;
    }
    let longest = graph.edges.iter().map(|edge| edge.calls.join(", ").chars().count()).max().unwrap_or(0);
    // Labels to neighbours are half a column apart, or a whole one.
    (longest as f64 * LETTER * 1.6).clamp(COLUMN, LABELLED_COLUMN)
}

/// Rows from top to bottom; within a row by the middle of the parents.
fn places(graph: &Graph, column: f64) -> BTreeMap<NodeId, Place> {
    let widest = graph.levels.iter().map(Vec::len).max().unwrap_or(1) as f64;
    let mut parents: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
    for edge in &graph.edges {
        parents.entry(edge.to).or_default().push(edge.from);
    }
    let mut places: BTreeMap<NodeId, Place> = BTreeMap::new();
    for (row, level) in graph.levels.iter().enumerate() {
        let mut order: Vec<(f64, NodeId)> =
            level.iter().map(|node| (middle(parents.get(&node.id), &places), node.id)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let step = widest * column / level.len().max(1) as f64;
        for (at, (_, id)) in order.into_iter().enumerate() {
            places.insert(id, (MARGIN + (at as f64 + 0.5) * step, MARGIN + 30.0 + row as f64 * ROW));
        }
    }
    places
}

/// Where the parents above stand, on average.
fn middle(parents: Option<&Vec<NodeId>>, places: &BTreeMap<NodeId, Place>) -> f64 {
    let known: Vec<f64> =
        parents.into_iter().flatten().filter_map(|parent| Some(places.get(parent)?.0)).collect();
    if known.is_empty() { 0.0 } else { known.iter().sum::<f64>() / known.len() as f64 }
}

fn arrow(edge: &GraphEdge, places: &BTreeMap<NodeId, Place>, is_labelled: bool, out: &mut String) {
    let ((x1, y1), (x2, y2)) = (places[&edge.from], places[&edge.to]);
    let (dx, dy) = (x2 - x1, y2 - y1);
    let length = (dx * dx + dy * dy).sqrt().max(1.0);
    let (ux, uy) = (dx / length, dy / length);
    let is_down = y2 > y1;
    // Arrows bend to their left, so that two in opposite directions are apart.
    let bend = if is_down { 0.0 } else { 18.0 };
    let (mx, my) = ((x1 + x2) / 2.0 - uy * bend, (y1 + y2) / 2.0 + ux * bend);
    let (sx, sy, ex, ey) = (x1 + ux * RADIUS, y1 + uy * RADIUS, x2 - ux * RADIUS, y2 - uy * RADIUS);
    let (colour, thickness) = if is_down { ("#2a6", 1.4) } else { ("#bbb", 0.8) };
    let calls = escaped(&edge.calls.join(", "));
    let _ = writeln!(
        out,
        "<path d=\"M{sx:.1} {sy:.1}Q{mx:.1} {my:.1} {ex:.1} {ey:.1}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{thickness}\" marker-end=\"url(#a)\"><title>{calls}</title></path>"
    );
    if is_labelled {
        // New states' labels stand near them, where arrows have spread; those of the way back near where it begins.
        let part = if is_down { 0.62 } else { 0.3 };
        let (lx, ly) = (on_curve(sx, mx, ex, part), on_curve(sy, my, ey, part));
        let colour = if is_down { "#174" } else { "#777" };
        let _ = writeln!(
            out,
            "<text x=\"{lx:.1}\" y=\"{ly:.1}\" font-size=\"9\" text-anchor=\"middle\" fill=\"{colour}\" stroke=\"#fff\" stroke-width=\"3\" paint-order=\"stroke\">{calls}</text>"
        );
    }
}

/// A coordinate on a curve with one control point.
fn on_curve(start: f64, control: f64, end: f64, part: f64) -> f64 {
    let rest = 1.0 - part;
    rest * rest * start + 2.0 * rest * part * control + part * part * end
}

fn circle(node: &GraphNode, (x, y): Place, out: &mut String) {
    let fill = if node.throws.is_empty() { "#e8f0ff" } else { "#ffe8e0" };
    let _ = writeln!(
        out,
        "<g><circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{RADIUS}\" fill=\"{fill}\" stroke=\"#447\"/><text x=\"{x:.1}\" y=\"{:.1}\" font-size=\"10\" text-anchor=\"middle\">{}</text><title>{}</title></g>",
        y + 3.5,
        node.id.0,
        escaped(&describe(node))
    );
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
