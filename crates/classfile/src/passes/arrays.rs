//! Reports which arrays are written.
//!
//! In: array stores of every kind, and `System.arraycopy`. Out: a call of `$Probat.arrayWritten` before each, with
//! the array (for `arraycopy` the destination). The store may still fail, the array may be null: a report says that
//! a write was tried. Writes inside other library calls (`Arrays.fill`) are not seen.

use super::context::{Context, PassError};
use super::member::Member;
use crate::code::{Insn, Kind, Node, StackOp};
use crate::pool::{ConstantPool, PoolIndex};

/// Puts a report before every write of an array.
pub(crate) fn weave(cx: &mut Context<'_>) -> Result<(), PassError> {
    let code = cx.code;
    for (at, node) in code.nodes.iter().enumerate() {
        let wide = match node {
            Node::Insn(Insn::ArrayStore(element)) => {
                matches!(element.kind(), Kind::Long | Kind::Double)
            }
            // Its last three arguments stand like array, index and value.
            Node::Insn(Insn::InvokeStatic(method)) if is_array_copy(cx.pool, *method)? => false,
            _ => continue,
        };
        let report = cx.call(Member::ArrayWritten)?;
        let ops = if wide {
            [StackOp::Dup2X2, StackOp::Pop2, StackOp::Dup2X2, StackOp::Pop].as_slice()
        } else {
            &[StackOp::Dup2X1, StackOp::Pop2, StackOp::DupX2]
        };
        cx.edits.before(at, ops.iter().map(|&op| Insn::Stack(op)).chain([report]));
        cx.edits.need_stack(2);
    }
    Ok(())
}

fn is_array_copy(pool: &ConstantPool, method: PoolIndex) -> Result<bool, PassError> {
    let member = pool.member_ref(method)?;
    Ok(member.name == "arraycopy"
        && member.owner == "java/lang/System"
        && member.descriptor == "(Ljava/lang/Object;ILjava/lang/Object;II)V")
}
