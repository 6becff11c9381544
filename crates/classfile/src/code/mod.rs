//! The code of a method in a form that can be edited (JVMS §4.7.3).
//!
//! In: the `Code` attribute (`decode`). Out: the same, edited (`encode`).
//! Instructions and labels stand in one list; everything that is an offset in the class file is a label here, so
//! inserting an instruction moves nothing else. Frames are kept in full. Never computes frames from nothing.

mod assemble;
mod decode;
mod encode;
pub mod frame;
pub mod insn;
mod opcode;
mod simulate;
mod stack_map;
pub mod text;
mod type_annotations;

pub use frame::{Frame, VerificationType};
pub use insn::{
    Arith, Bits, Compare, Cond, Convert, Element, Insn, Kind, LookupSwitch, Number, Primitive, StackEffect,
    StackOp, TableSwitch, Word,
};

use crate::attribute::Attribute;
use crate::bytes::Bytes;
use crate::pool::PoolIndex;

/// A place between instructions. Only meaningful in the [`Code`] whose [`Labels`] made it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(pub(crate) u32);

impl Label {
    /// Labels of one code count from 0; useful to index a side table of [`Labels::count`] entries.
    pub fn number(self) -> usize {
        self.0 as usize
    }
}

/// Makes the labels of one [`Code`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Labels {
    next: u32,
}

impl Labels {
    /// A label that stands nowhere yet; put it into the list as [`Node::Label`].
    pub fn fresh(&mut self) -> Label {
        self.next += 1;
        Label(self.next - 1)
    }

    /// How many labels were made.
    pub fn count(&self) -> usize {
        self.next as usize
    }
}

/// An item of the instruction list.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Node {
    Label(Label),
    Insn(Insn),
}

impl From<Insn> for Node {
    fn from(insn: Insn) -> Node {
        Node::Insn(insn)
    }
}

impl From<Label> for Node {
    fn from(label: Label) -> Node {
        Node::Label(label)
    }
}

/// A method's code.
///
/// After reading, a place that is a jump target, a range end, a line or a frame has one label; a `new` that frames
/// or type annotations refer to has another, directly before the instruction and behind the first. So code that
/// is inserted after the first label runs on every way to that place and the second keeps naming the `new`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Code {
    pub max_stack: u16,
    pub max_locals: u16,
    pub labels: Labels,
    pub nodes: Vec<Node>,
    /// In the order the JVM searches them.
    pub handlers: Vec<Handler>,
    /// Frames of a class of version 50 or later; order does not matter.
    pub frames: Vec<FrameAt>,
    pub lines: Vec<LineNumber>,
    /// `LocalVariableTable`
    pub locals: Vec<LocalVariable>,
    /// `LocalVariableTypeTable`: `descriptor` is a generic signature
    pub local_types: Vec<LocalVariable>,
    pub type_annotations: Vec<CodeTypeAnnotation>,
    /// Attributes of the code we do not know. If they hold offsets, those are not moved.
    pub unknown: Vec<Attribute>,
    /// In which order the tables above were written.
    pub(crate) layout: Vec<Table>,
}

/// An entry of the exception table: `start` included, `end` excluded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Handler {
    pub start: Label,
    pub end: Label,
    pub handler: Label,
    /// `None` catches everything.
    pub catch_type: Option<PoolIndex>,
}

/// A frame and where it holds.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FrameAt {
    pub at: Label,
    pub frame: Frame,
}

/// From here on, code belongs to this source line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LineNumber {
    pub at: Label,
    pub line: u16,
}

/// A named local variable, known from `start` up to `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LocalVariable {
    pub start: Label,
    pub end: Label,
    pub name: PoolIndex,
    /// Text of a descriptor, or of a signature in [`Code::local_types`].
    pub descriptor: PoolIndex,
    pub slot: u16,
}

/// An annotation on a type used inside the code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeTypeAnnotation {
    /// From `RuntimeVisibleTypeAnnotations`, not from the invisible ones.
    pub visible: bool,
    pub target: CodeTarget,
    /// The type path and the annotation as written; positions do not occur in them.
    pub(crate) content: Bytes,
}

/// What a type annotation inside code stands on (JVMS table 4.7.20-B).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum CodeTarget {
    /// A local variable or, if `resource`, one of `try (…)`.
    Local { resource: bool, ranges: Vec<LocalRange> },
    /// The exception type of a handler, by its place in [`Code::handlers`].
    Catch { handler: u16 },
    /// `instanceof` (0x43), `new` (0x44), `::new` (0x45), `::name` (0x46) at a label.
    Insn { target_type: u8, at: Label },
    /// A cast (0x47) or a type argument of a call (0x48 to 0x4b) at a label.
    Argument { target_type: u8, at: Label, argument: u8 },
}

/// Where an annotated local variable lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LocalRange {
    pub start: Label,
    pub end: Label,
    pub slot: u16,
}

/// A table of the `Code` attribute, with the constant that names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Table {
    Lines(PoolIndex),
    Locals(PoolIndex),
    LocalTypes(PoolIndex),
    Frames(PoolIndex),
    VisibleTypeAnnotations(PoolIndex),
    InvisibleTypeAnnotations(PoolIndex),
    /// The next of [`Code::unknown`].
    Unknown,
}

impl Code {
    /// The instructions without labels.
    pub fn insns(&self) -> impl Iterator<Item = &Insn> {
        self.nodes.iter().filter_map(|node| match node {
            Node::Insn(insn) => Some(insn),
            Node::Label(_) => None,
        })
    }

    /// Rebuilds the list: `each` gets every node and appends what shall stand in its place.
    pub fn rewrite(&mut self, mut each: impl FnMut(Node, &mut Labels, &mut Vec<Node>)) {
        let old = std::mem::take(&mut self.nodes);
        self.nodes.reserve(old.len() + old.len() / 4);
        for node in old {
            each(node, &mut self.labels, &mut self.nodes);
        }
    }

    /// Puts nodes before the node at `at`. Moves all that follow: for many insertions use [`Self::rewrite`].
    pub fn insert(&mut self, at: usize, nodes: impl IntoIterator<Item = Node>) {
        self.nodes.splice(at..at, nodes);
    }

    /// Puts a label before every `new` that has none, so that frames can name it.
    pub fn label_allocations(&mut self) {
        let labelled = |pair: &[Node]| !matches!(pair, [Node::Insn(_), Node::Insn(Insn::New(_))]);
        let first_is_new = matches!(self.nodes.first(), Some(Node::Insn(Insn::New(_))));
        if self.nodes.windows(2).all(labelled) && !first_is_new {
            return;
        }
        self.rewrite(|node, labels, out| {
            if matches!(node, Node::Insn(Insn::New(_))) && !matches!(out.last(), Some(Node::Label(_))) {
                out.push(labels.fresh().into());
            }
            out.push(node);
        });
    }

    /// Puts a handler at a place of the search order and keeps type annotations on the handlers they were on.
    pub fn insert_handler(&mut self, at: usize, handler: Handler) {
        self.handlers.insert(at, handler);
        for annotation in &mut self.type_annotations {
            if let CodeTarget::Catch { handler } = &mut annotation.target
                && usize::from(*handler) >= at
            {
                *handler = handler.saturating_add(1);
            }
        }
    }

    /// For each label its node's index in [`Self::nodes`], `None` where it does not stand.
    pub fn label_nodes(&self) -> Vec<Option<usize>> {
        let mut places = vec![None; self.labels.count()];
        for (at, node) in self.nodes.iter().enumerate() {
            if let Node::Label(label) = node
                && let Some(place) = places.get_mut(label.number())
            {
                *place = Some(at);
            }
        }
        places
    }

    /// For each label the frame that holds at its place, also where the frame was given at a neighbouring label.
    pub fn frames_by_label(&self) -> Vec<Option<&Frame>> {
        let mut frames = vec![None; self.labels.count()];
        for FrameAt { at, frame } in &self.frames {
            if let Some(slot) = frames.get_mut(at.number()) {
                *slot = Some(frame);
            }
        }
        for group in self.nodes.split(|node| matches!(node, Node::Insn(_))) {
            let labels = || {
                group.iter().filter_map(|node| match node {
                    Node::Label(label) => Some(label.number()),
                    Node::Insn(_) => None,
                })
            };
            if let Some(frame) = labels().find_map(|label| frames.get(label).copied().flatten()) {
                labels()
                    .filter(|&label| label < self.labels.count())
                    .for_each(|label| frames[label] = Some(frame));
            }
        }
        frames
    }
}

#[cfg(test)]
mod tests;
