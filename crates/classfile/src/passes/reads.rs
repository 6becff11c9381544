//! Notes which fields and array elements are read.
//!
//! In: reads of instance fields and of array elements, calls that hand arrays to the JDK. Out: a call of `$Probat.read` at each, with
//! the object and a number for the field, or the array and the index. An array that goes to a method of the JDK may be read there,
//! unseen: null and -1 say so.

use super::context::{Context, PassError};
use super::fields::FieldTable;
use super::member::Member;
use crate::code::{Insn, Node, StackOp};
use crate::pool::{ConstantPool, PoolIndex};

/// Puts a note at every read.
pub(crate) fn weave(cx: &mut Context<'_>, table: &mut FieldTable) -> Result<(), PassError> {
    let code = cx.code;
    let stack = |ops: &'static [StackOp]| ops.iter().map(|&op| Insn::Stack(op));
    for (at, node) in code.nodes.iter().enumerate() {
        let Node::Insn(insn) = node else { continue };
        match insn {
            Insn::GetField(field) => {
                let is_wide = insn.stack_effect(cx.pool)?.pushes == 2;
                let number = table.number(cx, *field, false)?;
                let (number, note) = (cx.push_int(number)?, cx.call(Member::Read)?);
                let behind: &[StackOp] =
                    if is_wide { &[StackOp::Dup2X1, StackOp::Pop2] } else { &[StackOp::Swap] };
                cx.edits.before(at, stack(&[StackOp::Dup]));
                cx.edits.after(at, stack(behind).chain([number, note]));
            }
            Insn::ArrayLoad(_) => {
                let note = cx.call(Member::Read)?;
                cx.edits.before(at, stack(&[StackOp::Dup2]).chain([note]));
            }
            Insn::InvokeStatic(method) | Insn::InvokeVirtual(method) if takes_arrays(cx.pool, *method)? => {
                let note = cx.call(Member::Read)?;
                cx.edits.before(at, [Insn::Null, Insn::Int(-1), note]);
            }
            _ => continue,
        }
        cx.edits.need_stack(3);
    }
    Ok(())
}

/// Whether a method of the JDK can be given an array: `Arrays.equals`, `System.arraycopy`, `clone` of an array.
fn takes_arrays(pool: &ConstantPool, method: PoolIndex) -> Result<bool, PassError> {
    let member = pool.member_ref(method)?;
    let params = member.descriptor.split(')').next().unwrap_or_default();
    Ok(member.owner.starts_with('[')
        || member.owner.starts_with("java/") && (params.contains('[') || member.name == "arraycopy"))
}
