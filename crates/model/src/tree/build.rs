//! From tokens to nodes.
//!
//! In: a [`StoredState`]. Out: a [`Tree`] in which every reference leads to its object.
//! Keeps its own stack, so that long lists are read too.

use std::collections::HashMap;

use crate::name::ClassName;
use crate::state::{Slot, StoredState, Token, tokens};
use crate::tree::{Field, Node, NodeId, Scalar, Tree, TreeError};

pub(super) fn build(state: &StoredState) -> Result<Tree, TreeError> {
    let tokens = tokens(&state.tokens)?;
    let layouts = state.layouts.iter().map(|layout| (&layout.class, &layout.slots[..])).collect();
    let mut builder = Builder { tokens: &tokens, at: 0, layouts, nodes: Vec::new(), objects: Vec::new() };
    let count = match tokens.first() {
        Some(Token::Roots(count)) => {
            builder.at = 1;
            *count
        }
        _ => 1,
    };
    let mut roots = Vec::new();
    for _ in 0..count {
        let open = builder.value()?;
        roots.push(open.id());
        builder.fill(open)?;
    }
    if builder.at != tokens.len() && !matches!(tokens.last(), Some(Token::Truncated)) {
        return Err(TreeError::Incomplete(builder.at));
    }
    Ok(Tree { nodes: builder.nodes, roots })
}

struct Builder<'a> {
    tokens: &'a [Token],
    at: usize,
    layouts: HashMap<&'a ClassName, &'a [Slot]>,
    nodes: Vec<Node>,
    /// By number, as `Token::Ref` has it.
    objects: Vec<NodeId>,
}

/// A node, and what of it is still to be read.
enum Open<'a> {
    Whole(NodeId),
    Slots {
        id: NodeId,
        slots: &'a [Slot],
        next: usize,
    },
    Elements {
        id: NodeId,
        left: usize,
    },
    /// Slots of a table, then its entries.
    Table {
        id: NodeId,
        slots: &'a [Slot],
        next: usize,
        entries: usize,
    },
}

impl Open<'_> {
    fn id(&self) -> NodeId {
        match self {
            Open::Whole(id) | Open::Slots { id, .. } | Open::Elements { id, .. } | Open::Table { id, .. } => {
                *id
            }
        }
    }
}

impl<'a> Builder<'a> {
    fn add(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        NodeId(self.nodes.len() as u32 - 1)
    }

    fn object(&mut self, node: Node) -> NodeId {
        let id = self.add(node);
        self.objects.push(id);
        id
    }

    fn slots(&self, class: &ClassName) -> Result<&'a [Slot], TreeError> {
        self.layouts.get(class).copied().ok_or_else(|| TreeError::NoLayout(class.clone()))
    }

    /// Reads a value; what is inside an object follows. After the end of a truncated state all is missing.
    fn value(&mut self) -> Result<Open<'a>, TreeError> {
        let Some(token) = self.tokens.get(self.at) else { return self.missing() };
        self.at += 1;
        let node = match token {
            Token::Null => Node::Null,
            Token::Ref(number) => {
                let object = self.objects.get(*number as usize);
                return object.map(|&id| Open::Whole(id)).ok_or(TreeError::Incomplete(self.at - 1));
            }
            Token::Object(class) => {
                let slots = self.slots(class)?;
                let fields = Vec::with_capacity(slots.len());
                let id = self.object(Node::Object { class: class.clone(), fields });
                return Ok(Open::Slots { id, slots, next: 0 });
            }
            Token::Array(class, length) => {
                let id = self.object(Node::Array { class: class.clone(), elements: Vec::new() });
                return Ok(Open::Elements { id, left: *length as usize });
            }
            Token::Sorted(class, entries) => {
                let slots = self.slots(class)?;
                let (fields, none) = (Vec::with_capacity(slots.len()), Vec::new());
                let id = self.object(Node::Table { class: class.clone(), fields, entries: none });
                return Ok(Open::Table { id, slots, next: 0, entries: *entries as usize * 2 });
            }
            Token::Opaque(class, site) => {
                let (class, site) = (class.clone(), site.clone());
                return Ok(Open::Whole(self.object(Node::Opaque { class, site })));
            }
            Token::Boxed => {
                let inside = self.tokens.get(self.at).and_then(scalar);
                self.at += 1;
                Node::Boxed(inside.ok_or(TreeError::Incomplete(self.at - 1))?)
            }
            Token::String(text) => Node::Text(text.clone()),
            Token::Enum(class, name) => Node::Enum { class: class.clone(), name: name.clone() },
            Token::Class(descriptor) => Node::Class { descriptor: descriptor.clone() },
            Token::Truncated => Node::Truncated,
            Token::Roots(_) => return Err(TreeError::Incomplete(self.at - 1)),
            Token::Boolean(_)
            | Token::Byte(_)
            | Token::Char(_)
            | Token::Short(_)
            | Token::Int(_)
            | Token::Long(_)
            | Token::Float(_)
            | Token::Double(_) => Node::Scalar(scalar(token).expect("these are the primitives")),
        };
        Ok(Open::Whole(self.add(node)))
    }

    fn missing(&mut self) -> Result<Open<'a>, TreeError> {
        match self.tokens.last() {
            Some(Token::Truncated) => Ok(Open::Whole(self.add(Node::Truncated))),
            _ => Err(TreeError::Incomplete(self.at)),
        }
    }

    fn is_cut_off(&self) -> bool {
        self.at >= self.tokens.len() && matches!(self.tokens.last(), Some(Token::Truncated))
    }

    /// Reads what is inside a node, and inside that.
    fn fill(&mut self, first: Open<'a>) -> Result<(), TreeError> {
        let mut open = vec![first];
        while let Some(innermost) = open.last_mut() {
            if self.is_cut_off() || is_done(innermost) {
                open.pop();
                continue;
            }
            let value = self.value()?;
            self.hang(innermost, value.id());
            if !matches!(value, Open::Whole(_)) {
                open.push(value);
            }
        }
        Ok(())
    }

    /// Gives a node its next part.
    fn hang(&mut self, open: &mut Open<'_>, part: NodeId) {
        let (Open::Whole(id) | Open::Slots { id, .. } | Open::Elements { id, .. } | Open::Table { id, .. }) =
            open;
        let node = &mut self.nodes[id.0 as usize];
        match (open, node) {
            (Open::Slots { slots, next, .. }, Node::Object { fields, .. }) => {
                fields.push(field(&slots[*next], part));
                *next += 1;
            }
            (Open::Elements { left, .. }, Node::Array { elements, .. }) => {
                elements.push(part);
                *left -= 1;
            }
            (Open::Table { slots, next, .. }, Node::Table { fields, .. }) if *next < slots.len() => {
                fields.push(field(&slots[*next], part));
                *next += 1;
            }
            (Open::Table { entries: left, .. }, Node::Table { entries, .. }) => {
                if *left % 2 == 0 {
                    entries.push((part, part));
                } else if let Some(entry) = entries.last_mut() {
                    entry.1 = part;
                }
                *left -= 1;
            }
            _ => unreachable!("each node is filled as what it was opened as"),
        }
    }
}

fn is_done(open: &Open<'_>) -> bool {
    match open {
        Open::Whole(_) => true,
        Open::Slots { slots, next, .. } => *next == slots.len(),
        Open::Elements { left, .. } => *left == 0,
        Open::Table { slots, next, entries, .. } => *next == slots.len() && *entries == 0,
    }
}

fn field(slot: &Slot, value: NodeId) -> Field {
    Field { declared_in: slot.declared_in.clone(), name: slot.name.clone(), value }
}

fn scalar(token: &Token) -> Option<Scalar> {
    Some(match token {
        Token::Boolean(value) => Scalar::Boolean(*value),
        Token::Byte(value) => Scalar::Byte(*value),
        Token::Char(value) => Scalar::Char(*value),
        Token::Short(value) => Scalar::Short(*value),
        Token::Int(value) => Scalar::Int(*value),
        Token::Long(value) => Scalar::Long(*value),
        Token::Float(bits) => Scalar::Float(*bits),
        Token::Double(bits) => Scalar::Double(*bits),
        _ => return None,
    })
}
