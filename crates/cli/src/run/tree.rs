//! States as text, through `model::tree`.
//!
//! In: stored states. Out: lines for people. A state that cannot be read says so in place of itself.

use probat_model::StoredState;
use probat_model::tree::{Node, RenderOptions, Tree, render, render_changes};

/// The whole state.
pub fn whole(state: &StoredState) -> String {
    match Tree::of(state) {
        Ok(tree) => render(&tree, &RenderOptions::default()),
        Err(error) => format!("{error}\n"),
    }
}

/// What differs from an earlier state.
pub fn difference(before: &StoredState, after: &StoredState) -> String {
    match (Tree::of(before), Tree::of(after)) {
        (Ok(before), Ok(after)) => render_changes(&before, &after, &RenderOptions::default()),
        (_, Err(error)) | (Err(error), _) => format!("{error}\n"),
    }
}

/// Whether the value's own text says as much: `null`, a string, a class object.
pub fn is_plain(state: &StoredState) -> bool {
    Tree::of(state).is_ok_and(|tree| {
        let plain = |node: &Node| matches!(node, Node::Null | Node::Text(_) | Node::Class { .. });
        tree.roots().iter().all(|&root| plain(tree.node(root)))
    })
}
