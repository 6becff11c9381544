//! Reports calls on the classes that are recorded, of which only the outermost leave the JVM.
//!
//! In: any method of a recorded class. Out: like `entry_exit`, but arguments are gathered only if `$Probat.begin` says that the call
//! is an outermost one, and `left` and `failed` pass on the end of such calls only. No handler can watch over the call of `super(…)`
//! (see `entry_exit`), so it is announced: a superclass that reports itself by `making` and `made`; before any other the method stops
//! counting, by `pause`, and begins again behind it. `Object` is not announced: its constructor neither throws nor calls anything.

use super::constructor::This;
use super::context::{Context, PassError};
use super::entry_exit::{catch, exits, report_entry};
use super::member::Member;
use crate::code::{Cond, Frame, Insn, Node};

/// Which class it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outermost {
    /// Number of the class's first method.
    pub first: u32,
    /// Its superclass is recorded, too.
    pub super_reports: bool,
}

/// Puts the reports into a method; `entry` is what holds when it is entered.
pub(crate) fn weave(cx: &mut Context<'_>, class: Outermost, entry: Frame) -> Result<(), PassError> {
    let number = class.first + cx.method.index;
    let descriptor = cx.pool.method_descriptor(cx.method.descriptor)?;
    let report = report_entry(cx, number, &descriptor)?;
    let over = cx.edits.fresh_label();
    let mut nodes: Vec<Node> = vec![cx.call(Member::Begin)?.into(), Insn::If(Cond::Eq, over).into()];
    nodes.extend(report.into_iter().map(Node::Insn));
    // An instruction of its own for the frame: the method's first one may have another.
    nodes.extend([Node::Label(over), Node::Insn(Insn::Nop)]);
    if cx.method.framed {
        cx.edits.add_frame(over, entry);
    }
    cx.edits.before(0, nodes);
    if cx.method.is_constructor {
        announce(cx, class)?;
    }
    exits(cx, number, descriptor.returns.as_ref(), Member::Left)?;
    catch(cx, number, Member::Failed)
}

/// Announces the calls that make `this` an object.
fn announce(cx: &mut Context<'_>, class: Outermost) -> Result<(), PassError> {
    for (at, node) in cx.code.nodes.iter().enumerate() {
        let Node::Insn(Insn::InvokeSpecial(method)) = node else { continue };
        if cx.this_at(at)? != This::Making {
            continue;
        }
        let owner = cx.pool.member_ref(*method)?.owner;
        if owner == "java/lang/Object" {
            continue;
        }
        let is_own = owner == cx.pool.class_text(cx.method.this_class)?;
        let (before, after) = if is_own || class.super_reports {
            (Member::Making, Member::Made)
        } else {
            (Member::Pause, Member::Resume)
        };
        let (before, after) = (cx.call(before)?, cx.call(after)?);
        cx.edits.before(at, [before]);
        cx.edits.after(at, [after]);
    }
    Ok(())
}
