//! Marks that a static field was written.
//!
//! In: `putstatic`. Out: a store of 1 at [`DIRTY_STATICS`] of `$Probat.dirty` behind each.
//! Final fields of the class itself are left out: they are written once, by its initialiser.

use super::context::{Context, PassError};
use super::member::{MARK_STACK, Member};
use crate::class::ClassFile;
use crate::code::{Insn, Node};
use crate::flags::AccessFlags;
use crate::pool::PoolIndex;

/// Index in `$Probat.dirty` for statics.
pub const DIRTY_STATICS: u32 = 5;

/// Field references of a class that name final fields of its own.
pub(crate) fn final_fields(class: &ClassFile) -> Vec<(PoolIndex, PoolIndex)> {
    let is_final = |field: &&crate::class::Field| field.access.has(AccessFlags::FINAL);
    class.fields.iter().filter(is_final).map(|field| (field.name, field.descriptor)).collect()
}

/// Puts a mark behind every write of a static that may change after its class was initialised.
pub(crate) fn weave(cx: &mut Context<'_>, finals: &[(PoolIndex, PoolIndex)]) -> Result<(), PassError> {
    let code = cx.code;
    for (at, node) in code.nodes.iter().enumerate() {
        let Node::Insn(Insn::PutStatic(field)) = node else { continue };
        if is_own_final(cx, *field, finals)? {
            continue;
        }
        let mark = cx.members.mark(cx.pool, Member::Dirty, DIRTY_STATICS)?;
        cx.edits.after(at, mark);
        cx.edits.need_stack(MARK_STACK);
    }
    Ok(())
}

fn is_own_final(
    cx: &Context<'_>,
    field: PoolIndex,
    finals: &[(PoolIndex, PoolIndex)],
) -> Result<bool, PassError> {
    if finals.is_empty() {
        return Ok(false);
    }
    let member = cx.pool.member_ref(field)?;
    if member.owner != cx.pool.class_text(cx.method.this_class)? {
        return Ok(false);
    }
    for (name, descriptor) in finals {
        if member.name == cx.pool.text(*name)? && member.descriptor == cx.pool.text(*descriptor)? {
            return Ok(true);
        }
    }
    Ok(false)
}
