//! Insertions into one method's code, collected first and done at once.
//!
//! In: nodes to put before or after nodes of the code as it was read, code to append, handlers, frames, new targets.
//! Out: the edited [`Code`].
//! Every pass looks at the code as it was read, so no pass sees what another one adds, and their order only decides
//! whose nodes come first at one place.

use crate::code::{Code, Frame, FrameAt, Handler, Insn, Label, Labels, Node};

/// What shall be changed in one [`Code`].
#[derive(Debug)]
pub struct Edits {
    labels: Labels,
    inserted: Vec<Node>,
    places: Vec<Place>,
    replaced: Vec<(usize, Insn)>,
    tail: Vec<Node>,
    handlers: Vec<Handler>,
    moved_handlers: Vec<(Label, Label)>,
    frames: Vec<FrameAt>,
    extra_stack: u16,
    extra_locals: u16,
}

/// A run of inserted nodes. Slot `2 n` is before node `n`, `2 n + 1` after it.
#[derive(Debug, Clone, Copy)]
struct Place {
    slot: usize,
    start: usize,
    end: usize,
}

impl Edits {
    /// No changes to `code`.
    pub fn new(code: &Code) -> Edits {
        Edits {
            labels: code.labels.clone(),
            inserted: Vec::new(),
            places: Vec::new(),
            replaced: Vec::new(),
            tail: Vec::new(),
            handlers: Vec::new(),
            moved_handlers: Vec::new(),
            frames: Vec::new(),
            extra_stack: 0,
            extra_locals: 0,
        }
    }

    /// Whether nothing would change.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty() && self.replaced.is_empty() && self.tail.is_empty()
    }

    /// A label that stands nowhere yet.
    pub fn fresh_label(&mut self) -> Label {
        self.labels.fresh()
    }

    /// Puts nodes directly before the node at `at`, behind what others put there already.
    pub fn before<N: Into<Node>>(&mut self, at: usize, nodes: impl IntoIterator<Item = N>) {
        self.put(2 * at, nodes);
    }

    /// Puts nodes directly after the node at `at`, behind what others put there already.
    pub fn after<N: Into<Node>>(&mut self, at: usize, nodes: impl IntoIterator<Item = N>) {
        self.put(2 * at + 1, nodes);
    }

    /// Puts another instruction in the place of the one at `at`.
    pub fn replace(&mut self, at: usize, insn: Insn) {
        self.replaced.push((at, insn));
    }

    /// Puts nodes behind all code; control must not fall into them.
    pub fn append<N: Into<Node>>(&mut self, nodes: impl IntoIterator<Item = N>) {
        self.tail.extend(nodes.into_iter().map(Into::into));
    }

    /// Adds a handler that the JVM asks after all others.
    pub fn add_handler(&mut self, handler: Handler) {
        self.handlers.push(handler);
    }

    /// Lets the handlers that start at `from` start at `to`.
    pub fn move_handlers(&mut self, from: Label, to: Label) {
        self.moved_handlers.push((from, to));
    }

    /// States the types that hold at a label of ours.
    pub fn add_frame(&mut self, at: Label, frame: Frame) {
        self.frames.push(FrameAt { at, frame });
    }

    /// Some inserted code needs this much stack above what is there.
    pub fn need_stack(&mut self, slots: u16) {
        self.extra_stack = self.extra_stack.max(slots);
    }

    /// Some inserted code needs this many locals of its own, from the old `max_locals` on. All inserted code shares
    /// them, so none may expect to find what it left there.
    pub fn need_locals(&mut self, slots: u16) {
        self.extra_locals = self.extra_locals.max(slots);
    }

    fn put<N: Into<Node>>(&mut self, slot: usize, nodes: impl IntoIterator<Item = N>) {
        let start = self.inserted.len();
        self.inserted.extend(nodes.into_iter().map(Into::into));
        self.places.push(Place { slot, start, end: self.inserted.len() });
    }

    /// The code with all changes made, or `None` if its stack or locals would not fit.
    pub fn apply(mut self, mut code: Code) -> Option<Code> {
        code.max_stack = code.max_stack.checked_add(self.extra_stack)?;
        code.max_locals = code.max_locals.checked_add(self.extra_locals)?;
        for (at, insn) in self.replaced {
            code.nodes[at] = Node::Insn(insn);
        }
        self.places.sort_by_key(|place| place.slot);
        let size = code.nodes.len() + self.inserted.len() + self.tail.len();
        let old = std::mem::replace(&mut code.nodes, Vec::with_capacity(size));
        let mut places = self.places.iter().peekable();
        let inserted = &self.inserted;
        let mut insert_up_to = |slot: usize, nodes: &mut Vec<Node>| {
            while let Some(place) = places.next_if(|place| place.slot <= slot) {
                nodes.extend_from_slice(&inserted[place.start..place.end]);
            }
        };
        for (at, node) in old.into_iter().enumerate() {
            insert_up_to(2 * at, &mut code.nodes);
            code.nodes.push(node);
        }
        insert_up_to(usize::MAX, &mut code.nodes);
        code.nodes.append(&mut self.tail);
        code.handlers.append(&mut self.handlers);
        for handler in &mut code.handlers {
            if let Some((_, to)) = self.moved_handlers.iter().find(|(from, _)| *from == handler.handler) {
                handler.handler = *to;
            }
        }
        code.frames.append(&mut self.frames);
        code.labels = self.labels;
        Some(code)
    }
}
