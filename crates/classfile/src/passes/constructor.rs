//! Where in a constructor `this` is not yet an object.
//!
//! In: a constructor's code. Out: for every instruction whether `super(…)` or `this(…)` has returned there.
//! Before that call `this` may be handed to no method (JVMS §4.10.1), so a pass has to know. Code without frames
//! is followed as well as code with them.

use crate::code::{Code, Handler, Insn, Kind, Node, StackOp};
use crate::error::PoolError;
use crate::passes::flow::Flow;
use crate::pool::ConstantPool;

/// What `this` is at an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum This {
    /// Nothing leads here.
    Unreached,
    /// Its constructor has not been called.
    Raw,
    /// This instruction calls it.
    Making,
    /// An object.
    Made,
}

/// What `this` is at each node of a constructor; labels are [`This::Unreached`].
pub(crate) fn follow(pool: &ConstantPool, code: &Code, flow: &Flow) -> Result<Vec<This>, PoolError> {
    let mut walk =
        Walk { pool, code, flow, found: vec![This::Unreached; code.nodes.len()], open: Vec::new() };
    walk.open.push((0, State { locals: vec![0], stack: Vec::new(), made: false }));
    while let Some((at, state)) = walk.open.pop() {
        walk.run(at, state)?;
    }
    Ok(walk.found)
}

/// Where the raw `this` is. Once it is made nothing more needs to be known.
#[derive(Debug, Clone)]
struct State {
    /// Locals that hold it.
    locals: Vec<u16>,
    /// By slot, whether it holds it.
    stack: Vec<bool>,
    made: bool,
}

struct Walk<'a> {
    pool: &'a ConstantPool,
    code: &'a Code,
    flow: &'a Flow,
    found: Vec<This>,
    open: Vec<(usize, State)>,
}

impl Walk<'_> {
    /// Follows code from a node on, until it ends or was seen before.
    fn run(&mut self, mut at: usize, mut state: State) -> Result<(), PoolError> {
        while let Some(node) = self.code.nodes.get(at) {
            if let Node::Insn(insn) = node {
                if self.found[at] != This::Unreached {
                    return Ok(());
                }
                self.found[at] = if state.made { This::Made } else { This::Raw };
                self.enter_handlers(at, &state);
                let raw = !state.made;
                state.step(self.pool, insn)?;
                if raw && state.made {
                    self.found[at] = This::Making;
                }
                for target in insn.jump_targets() {
                    let place = self.flow.place[target.number()];
                    if self.found.get(place) == Some(&This::Unreached) {
                        self.open.push((place, state.clone()));
                    }
                }
                if !insn.can_fall_through() {
                    return Ok(());
                }
            }
            at += 1;
        }
        Ok(())
    }

    /// An exception at `at` leads to the handlers that cover it, with what holds before the instruction.
    fn enter_handlers(&mut self, at: usize, state: &State) {
        let place = |handler: &Handler| self.flow.place[handler.handler.number()];
        for handler in &self.code.handlers {
            let range = self.flow.place[handler.start.number()]..self.flow.place[handler.end.number()];
            if range.contains(&at) && self.found.get(place(handler)) == Some(&This::Unreached) {
                self.open.push((place(handler), State { stack: vec![false], ..state.clone() }));
            }
        }
    }
}

impl State {
    fn step(&mut self, pool: &ConstantPool, insn: &Insn) -> Result<(), PoolError> {
        if self.made {
            return Ok(());
        }
        match insn {
            Insn::Load(Kind::Reference, local) => self.stack.push(self.locals.contains(local)),
            Insn::Store(kind, local) => {
                let holds = self.stack.last() == Some(&true) && *kind == Kind::Reference;
                self.pop(kind.slots());
                self.locals.retain(|known| known != local);
                if holds {
                    self.locals.push(*local);
                }
            }
            Insn::Stack(op) => self.shuffle(*op),
            Insn::InvokeSpecial(index) => {
                let effect = insn.stack_effect(pool)?;
                let receiver = self.stack.len().checked_sub(usize::from(effect.pops));
                let is_this = receiver.is_some_and(|at| self.stack[at]);
                self.made = is_this && pool.member_ref(*index)?.name == "<init>";
                self.pop(effect.pops);
                self.push(effect.pushes);
            }
            other => {
                let effect = other.stack_effect(pool)?;
                self.pop(effect.pops);
                self.push(effect.pushes);
            }
        }
        Ok(())
    }

    fn pop(&mut self, slots: u16) {
        self.stack.truncate(self.stack.len().saturating_sub(usize::from(slots)));
    }

    fn push(&mut self, slots: u16) {
        self.stack.extend(std::iter::repeat_n(false, usize::from(slots)));
    }

    fn shuffle(&mut self, op: StackOp) {
        let (take, under) = match op {
            StackOp::Pop => return self.pop(1),
            StackOp::Pop2 => return self.pop(2),
            StackOp::Swap => {
                let top = self.stack.len();
                if top >= 2 {
                    self.stack.swap(top - 1, top - 2);
                }
                return;
            }
            StackOp::Dup => (1, 0),
            StackOp::DupX1 => (1, 1),
            StackOp::DupX2 => (1, 2),
            StackOp::Dup2 => (2, 0),
            StackOp::Dup2X1 => (2, 1),
            StackOp::Dup2X2 => (2, 2),
        };
        let Some(below) = self.stack.len().checked_sub(take + under) else { return };
        let copies = self.stack[self.stack.len() - take..].to_vec();
        self.stack.splice(below..below, copies);
    }
}
