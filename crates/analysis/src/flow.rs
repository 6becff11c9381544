//! Abstract interpretation of one method: what may stand in each local and stack slot.
//!
//! In: code, its control-flow graph and a [`Domain`] that says what instructions produce. Out: the domain, having been
//! shown every reachable instruction with its operands until nothing changed.
//! The machine moves values (loads, stores, stack shuffles, joins, handlers); meaning is the domain's alone.

use probat_classfile::code::StackOp;
use probat_classfile::{Code, ConstantPool, Insn, Node};

use crate::cfg::{BlockId, Cfg, EdgeKind, can_throw};

/// What values mean. Joins must climb a lattice of finite height.
pub trait Domain {
    type Value: Clone + PartialEq;

    /// A value that carries nothing of interest: primitives, second slots, unset locals.
    fn plain(&self) -> Self::Value;

    /// An exception as its handler finds it.
    fn caught(&self) -> Self::Value;

    /// What either of two ways can bring.
    fn join(&self, one: &Self::Value, other: &Self::Value) -> Self::Value;

    /// Whether all there is to know is known, so that the rest need not be looked at.
    fn is_settled(&self) -> bool {
        false
    }

    /// The result of an instruction. Operands are stack slots, deepest first; the result is dropped if it pushes
    /// nothing. May be called several times for one node, with operands that only grow.
    fn step(&mut self, node: usize, insn: &Insn, operands: &[Self::Value]) -> Self::Value;
}

/// Values of all slots at one place.
#[derive(Debug, Clone, PartialEq)]
struct State<V> {
    locals: Vec<V>,
    stack: Vec<V>,
}

/// Runs until nothing changes. Stops early on code that no verifier would pass, telling so by `None`.
pub fn interpret<D: Domain>(
    code: &Code,
    cfg: &Cfg,
    pool: &ConstantPool,
    domain: &mut D,
    arguments: Vec<D::Value>,
) -> Option<()> {
    let mut locals = arguments;
    locals.resize(usize::from(code.max_locals).max(locals.len()), domain.plain());
    let mut run = Run { code, cfg, pool, domain, before: vec![None; cfg.blocks.len()], changed: Vec::new() };
    run.before[0] = Some(State { locals, stack: Vec::new() });
    let order = cfg.reverse_post_order();
    let mut waiting = vec![false; cfg.blocks.len()];
    waiting[0] = true;
    while let Some(&block) = order.iter().find(|block| waiting[block.0 as usize]) {
        waiting[block.0 as usize] = false;
        run.block(block)?;
        if run.domain.is_settled() {
            break;
        }
        for changed in run.changed.drain(..) {
            waiting[changed.0 as usize] = true;
        }
    }
    Some(())
}

struct Run<'a, D: Domain> {
    code: &'a Code,
    cfg: &'a Cfg,
    pool: &'a ConstantPool,
    domain: &'a mut D,
    before: Vec<Option<State<D::Value>>>,
    changed: Vec<BlockId>,
}

impl<D: Domain> Run<'_, D> {
    fn block(&mut self, id: BlockId) -> Option<()> {
        let mut state = self.before[id.0 as usize].clone()?;
        let block = &self.cfg.blocks[id.0 as usize];
        let handlers: Vec<BlockId> = block
            .edges
            .iter()
            .filter(|edge| matches!(edge.kind, EdgeKind::Exception(_)))
            .map(|edge| edge.to)
            .collect();
        for node in block.nodes.clone() {
            let Node::Insn(insn) = &self.code.nodes[node] else { continue };
            if can_throw(insn) {
                for &handler in &handlers {
                    let caught = State { locals: state.locals.clone(), stack: vec![self.domain.caught()] };
                    self.merge(handler, &caught)?;
                }
            }
            self.insn(node, insn, &mut state)?;
            if self.domain.is_settled() {
                return Some(());
            }
        }
        for edge in &block.edges {
            if !matches!(edge.kind, EdgeKind::Exception(_)) {
                self.merge(edge.to, &state)?;
            }
        }
        Some(())
    }

    fn merge(&mut self, into: BlockId, state: &State<D::Value>) -> Option<()> {
        let before = &mut self.before[into.0 as usize];
        let Some(known) = before else {
            *before = Some(state.clone());
            self.changed.push(into);
            return Some(());
        };
        if known.stack.len() != state.stack.len() {
            return None;
        }
        let mut is_changed = false;
        let slots = known.locals.iter_mut().chain(&mut known.stack);
        for (own, new) in slots.zip(state.locals.iter().chain(&state.stack)) {
            if own != new {
                let joined = self.domain.join(own, new);
                is_changed |= joined != *own;
                *own = joined;
            }
        }
        if is_changed {
            self.changed.push(into);
        }
        Some(())
    }

    fn insn(&mut self, node: usize, insn: &Insn, state: &mut State<D::Value>) -> Option<()> {
        match insn {
            Insn::Load(kind, slot) => {
                let value = state.locals.get(usize::from(*slot))?.clone();
                self.push(state, value, kind.slots());
            }
            Insn::Store(kind, slot) => {
                let height = state.stack.len().checked_sub(usize::from(kind.slots()))?;
                let value = state.stack.get(height)?.clone();
                state.stack.truncate(height);
                *state.locals.get_mut(usize::from(*slot))? = value;
                if kind.slots() == 2 {
                    *state.locals.get_mut(usize::from(*slot) + 1)? = self.domain.plain();
                }
            }
            Insn::Stack(op) => shuffle(*op, &mut state.stack)?,
            Insn::CheckCast(_) | Insn::Nop => {}
            _ => {
                let effect = insn.stack_effect(self.pool).ok()?;
                let height = state.stack.len().checked_sub(usize::from(effect.pops))?;
                let operands = state.stack.split_off(height);
                let result = self.domain.step(node, insn, &operands);
                self.push(state, result, effect.pushes);
            }
        }
        Some(())
    }

    /// Pushes a value of so many slots; the second one of a long or double is plain.
    fn push(&self, state: &mut State<D::Value>, value: D::Value, slots: u16) {
        if slots > 0 {
            state.stack.push(value);
        }
        if slots > 1 {
            state.stack.push(self.domain.plain());
        }
    }
}

/// Moves slots as JVMS §6.5 says for `pop` to `swap`.
fn shuffle<V: Clone>(op: StackOp, stack: &mut Vec<V>) -> Option<()> {
    let (takes, order): (usize, &[usize]) = match op {
        StackOp::Pop => (1, &[]),
        StackOp::Pop2 => (2, &[]),
        StackOp::Dup => (1, &[0, 0]),
        StackOp::DupX1 => (2, &[1, 0, 1]),
        StackOp::DupX2 => (3, &[2, 0, 1, 2]),
        StackOp::Dup2 => (2, &[0, 1, 0, 1]),
        StackOp::Dup2X1 => (3, &[1, 2, 0, 1, 2]),
        StackOp::Dup2X2 => (4, &[2, 3, 0, 1, 2, 3]),
        StackOp::Swap => (2, &[1, 0]),
    };
    let taken = stack.split_off(stack.len().checked_sub(takes)?);
    stack.extend(order.iter().map(|&at| taken[at].clone()));
    Some(())
}

/// For each argument of a call, the receiver first if there is one, the slot its value stands in.
pub(crate) fn argument_slots(params: &[probat_model::Type], has_receiver: bool) -> Vec<usize> {
    let mut slots = Vec::with_capacity(params.len() + 1);
    let mut next = 0;
    if has_receiver {
        slots.push(0);
        next = 1;
    }
    for param in params {
        slots.push(next);
        next += if matches!(param, probat_model::Type::Long | probat_model::Type::Double) { 2 } else { 1 };
    }
    slots
}
