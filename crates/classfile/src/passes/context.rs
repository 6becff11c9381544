//! What a pass is given: one method of a class, and where its insertions go.
//!
//! In: the parts of a class while one of its methods is instrumented. Out: nothing of its own.

use std::cell::OnceCell;

use super::constructor::{self, This};
use super::flow::Flow;
use super::{Edits, Member, Members, push_int};
use crate::code::{Code, Insn};
use crate::error::{AppendError, PoolError};
use crate::flags::AccessFlags;
use crate::pool::{ConstantPool, PoolIndex};

/// Why a pass cannot go on with a method.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PassError {
    #[error(transparent)]
    Append(#[from] AppendError),
    #[error(transparent)]
    Pool(#[from] PoolError),
}

/// One method on its way through the passes.
#[derive(Debug)]
pub(crate) struct Context<'a> {
    pub pool: &'a mut ConstantPool,
    pub members: &'a mut Members,
    pub edits: &'a mut Edits,
    pub code: &'a Code,
    pub flow: &'a Flow,
    pub method: MethodFacts,
    /// What `this` is at each node; only of constructors, and only once asked for.
    pub this: OnceCell<Vec<This>>,
}

/// What passes ask about a method besides its code.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MethodFacts {
    /// Index in the class's methods.
    pub index: u32,
    pub access: AccessFlags,
    pub descriptor: PoolIndex,
    pub is_constructor: bool,
    /// The class it is in.
    pub this_class: PoolIndex,
    /// Whether the class has frames: version 50 and later.
    pub framed: bool,
}

impl Context<'_> {
    /// Pushes an `int`.
    pub fn push_int(&mut self, value: u32) -> Result<Insn, AppendError> {
        push_int(self.pool, value as i32)
    }

    /// Calls a method of `$Probat`.
    pub fn call(&mut self, method: Member) -> Result<Insn, AppendError> {
        self.members.call(self.pool, method)
    }

    /// What `this` is at a node. Everywhere an object outside constructors.
    pub fn this_at(&self, node: usize) -> Result<This, PoolError> {
        if !self.method.is_constructor {
            return Ok(This::Made);
        }
        if let Some(known) = self.this.get() {
            return Ok(known[node]);
        }
        let known = constructor::follow(self.pool, self.code, self.flow)?;
        Ok(self.this.get_or_init(|| known)[node])
    }
}
