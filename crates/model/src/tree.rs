//! States as people read them: a graph with names, rendered as an indented tree, and what differs between two.
//!
//! In: a [`StoredState`]. Out: a [`Tree`]; [`render`] makes text of it, [`diff`] lists changed paths, and
//! [`render_changes`] shows a state with what changed since another.
//! Shows less than the state holds: collections of the JDK appear by their content, unless asked otherwise.

mod build;
mod content;
mod diff;
mod numbers;
mod render;

use crate::name::ClassName;
use crate::state::{StateError, StoredState};
use crate::text::JavaString;

pub use diff::{Change, diff};
pub use render::{RenderOptions, render, render_changes};

/// Index of a node in its [`Tree`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

/// A state that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TreeError {
    #[error(transparent)]
    Malformed(#[from] StateError),
    #[error("the state ends before it is complete, at token {0}")]
    Incomplete(usize),
    #[error("the state has no layout of class `{0}`")]
    NoLayout(ClassName),
}

/// A primitive value; floating point as raw bits, so that every value equals itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scalar {
    Boolean(bool),
    Byte(i8),
    Char(u16),
    Short(i16),
    Int(i32),
    Long(i64),
    Float(u32),
    Double(u64),
}

/// A value or an object of a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    Null,
    Scalar(Scalar),
    Boxed(Scalar),
    Text(JavaString),
    Enum {
        class: ClassName,
        name: String,
    },
    Class {
        descriptor: String,
    },
    Opaque {
        class: ClassName,
        site: String,
    },
    Object {
        class: ClassName,
        fields: Vec<Field>,
    },
    Array {
        class: ClassName,
        elements: Vec<NodeId>,
    },
    /// A hash table whose layout is no state.
    Table {
        class: ClassName,
        fields: Vec<Field>,
        entries: Vec<(NodeId, NodeId)>,
    },
    /// The state was cut off here.
    Truncated,
}

/// A field of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    pub declared_in: ClassName,
    pub name: String,
    pub value: NodeId,
}

/// The values and objects of a state. Objects that are met twice are one node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    nodes: Vec<Node>,
    roots: Vec<NodeId>,
}

impl Tree {
    /// Reads a stored state.
    pub fn of(state: &StoredState) -> Result<Self, TreeError> {
        build::build(state)
    }

    /// The values the state was taken of.
    pub fn roots(&self) -> &[NodeId] {
        &self.roots
    }

    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }
}

/// How much of JDK collections to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum View {
    /// Collections by what they contain.
    #[default]
    Content,
    /// Every field of every object.
    Fields,
}

/// What a node is called by the one that holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Label {
    Field(String),
    Index(usize),
    /// The value of this key.
    Key(NodeId),
}

/// A node as a view shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Shown {
    /// One word.
    Leaf(String),
    /// A string, which may have to be cut.
    Text(JavaString),
    /// Something with parts.
    Parts { class: ClassName, sort: Sort, parts: Vec<(Label, NodeId)> },
}

/// What the parts of a node are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    Fields,
    Elements,
    Entries,
}

impl Tree {
    fn shown(&self, id: NodeId, view: View) -> Shown {
        match self.node(id) {
            Node::Null => Shown::Leaf("null".into()),
            Node::Scalar(scalar) => Shown::Leaf(numbers::scalar(*scalar)),
            Node::Boxed(scalar) => Shown::Leaf(numbers::boxed(*scalar)),
            Node::Text(text) => Shown::Text(text.clone()),
            Node::Enum { class, name } => Shown::Leaf(format!("{}.{name}", short(class))),
            Node::Class { descriptor } => Shown::Leaf(format!("{}.class", type_name(descriptor))),
            Node::Opaque { class, site } if site.is_empty() => Shown::Leaf(format!("<{}>", short(class))),
            Node::Opaque { class, site } => Shown::Leaf(format!("<{} {site}>", short(class))),
            Node::Truncated => Shown::Leaf("… (cut off)".into()),
            Node::Array { class, elements } => {
                let parts = elements.iter().enumerate().map(|(at, &id)| (Label::Index(at), id)).collect();
                Shown::Parts { class: class.clone(), sort: Sort::Elements, parts }
            }
            Node::Object { class, fields } => match view {
                View::Content => content::shown(self, class, fields),
                View::Fields => fields_shown(class, fields),
            },
            Node::Table { class, fields, entries } => {
                let mut parts: Vec<_> = content::own_fields(fields);
                parts.extend(entries.iter().map(|&(key, value)| (Label::Key(key), value)));
                let is_set = class.as_internal() == "java/util/ImmutableCollections$SetN";
                if is_set {
                    let keys = entries.iter().enumerate().map(|(at, &(key, _))| (Label::Index(at), key));
                    return Shown::Parts {
                        class: class.clone(),
                        sort: Sort::Elements,
                        parts: keys.collect(),
                    };
                }
                Shown::Parts { class: class.clone(), sort: Sort::Entries, parts }
            }
        }
    }

    /// Whether the node is an object, which can be met twice.
    fn has_identity(&self, id: NodeId) -> bool {
        match self.node(id) {
            Node::Object { .. } | Node::Array { .. } | Node::Table { .. } | Node::Opaque { .. } => true,
            Node::Null
            | Node::Scalar(_)
            | Node::Boxed(_)
            | Node::Text(_)
            | Node::Enum { .. }
            | Node::Class { .. }
            | Node::Truncated => false,
        }
    }
}

/// Every field by name; one that hides another is told apart by its class.
fn fields_shown(class: &ClassName, fields: &[Field]) -> Shown {
    let parts = fields.iter().map(|field| (Label::Field(field_name(field, fields)), field.value)).collect();
    Shown::Parts { class: class.clone(), sort: Sort::Fields, parts }
}

fn field_name(field: &Field, among: &[Field]) -> String {
    let twins = among.iter().filter(|other| other.name == field.name).count();
    if twins > 1 { format!("{}.{}", short(&field.declared_in), field.name) } else { field.name.clone() }
}

/// The name without its package, nested classes with dots; arrays as `int[][]`.
fn short(class: &ClassName) -> String {
    let internal = class.as_internal();
    if internal.starts_with('[') {
        return type_name(internal);
    }
    class.simple().replace('$', ".").trim_start_matches('.').to_owned()
}

/// A descriptor as source spells it, without packages.
fn type_name(descriptor: &str) -> String {
    let element = descriptor.trim_start_matches('[');
    let name = match element {
        "V" => "void".into(),
        other => match crate::name::Type::parse(other) {
            Ok(crate::name::Type::Class(class)) => short(&class),
            Ok(ty) => ty.to_string(),
            Err(_) => other.to_owned(),
        },
    };
    format!("{name}{}", "[]".repeat(descriptor.len() - element.len()))
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod written;
