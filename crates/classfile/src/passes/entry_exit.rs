//! Reports how methods are entered and left.
//!
//! In: any method. Out: `$Probat.enter` first of all, with receiver and boxed arguments; `exit` before each return,
//! with the boxed result; `threw` for an exception that leaves the method, which is then thrown on.
//! A constructor has no receiver to show on entry; it gives its object as the result. Its code before `super(…)`
//! has a handler of its own, for there `this` is no object yet and frames must say so (JVMS §4.10.1.4). The call of
//! `super(…)` itself can have none: HotSpot wants its handler to fit both what holds before and what holds after.
//! So if that call throws, the constructor's `enter` is followed by no `exit` and no `threw`.

use probat_model::{MethodDescriptor, Type};

use super::constructor::This;
use super::context::{Context, PassError};
use super::member::Member;
use crate::build::convert::{box_value, kind_of};
use crate::code::{Frame, Handler, Insn, Kind, Label, Node, StackOp, VerificationType};
use crate::flags::AccessFlags;

/// Puts the reports into a method; `number` stands for it.
pub(crate) fn weave(cx: &mut Context<'_>, number: u32) -> Result<(), PassError> {
    let descriptor = cx.pool.method_descriptor(cx.method.descriptor)?;
    let entered = report_entry(cx, number, &descriptor)?;
    cx.edits.before(0, entered);
    exits(cx, number, descriptor.returns.as_ref(), Member::Exit)?;
    catch(cx, number, Member::Threw)
}

/// Reports exceptions that leave the method.
pub(super) fn catch(cx: &mut Context<'_>, number: u32, report: Member) -> Result<(), PassError> {
    if cx.method.is_constructor {
        catch_in_constructor(cx, number, report)
    } else {
        catch_all(cx, number, report)
    }
}

/// The call of `enter` with receiver and boxed arguments.
pub(super) fn report_entry(
    cx: &mut Context<'_>,
    number: u32,
    descriptor: &MethodDescriptor,
) -> Result<Vec<Insn>, PassError> {
    let is_static = cx.method.access.has(AccessFlags::STATIC);
    let mut insns = vec![cx.push_int(number)?];
    insns.push(if is_static || cx.method.is_constructor {
        Insn::Null
    } else {
        Insn::Load(Kind::Reference, 0)
    });
    insns.push(cx.push_int(descriptor.params.len() as u32)?);
    insns.push(Insn::ANewArray(cx.pool.add_class("java/lang/Object")?));
    let mut local = u16::from(!is_static);
    for (nth, ty) in descriptor.params.iter().enumerate() {
        insns.push(Insn::Stack(StackOp::Dup));
        insns.push(cx.push_int(nth as u32)?);
        insns.push(Insn::Load(kind_of(ty), local));
        insns.extend(box_value(cx.pool, ty)?);
        insns.push(Insn::ArrayStore(crate::code::Element::Reference));
        local += kind_of(ty).slots();
    }
    insns.push(cx.call(Member::Enter)?);
    cx.edits.need_stack(7);
    Ok(insns)
}

/// Reports before each return. `left` has no use for primitives, so they are not boxed for it.
pub(super) fn exits(
    cx: &mut Context<'_>,
    number: u32,
    returns: Option<&Type>,
    report: Member,
) -> Result<(), PassError> {
    let code = cx.code;
    let keeps_this = !code.insns().any(|insn| matches!(insn, Insn::Store(_, 0)));
    for (at, node) in code.nodes.iter().enumerate() {
        let Node::Insn(Insn::Return(kind)) = node else { continue };
        let mut insns = match (kind, returns) {
            (Some(kind), Some(ty)) if report == Member::Exit || ty.is_reference() => {
                let dup = if kind.slots() == 2 { StackOp::Dup2 } else { StackOp::Dup };
                let mut insns = vec![Insn::Stack(dup)];
                insns.extend(box_value(cx.pool, ty)?);
                insns
            }
            _ if cx.method.is_constructor && keeps_this && cx.this_at(at)? == This::Made => {
                vec![Insn::Load(Kind::Reference, 0)]
            }
            _ => vec![Insn::Null],
        };
        insns.extend([cx.push_int(number)?, Insn::Stack(StackOp::Swap), cx.call(report)?]);
        cx.edits.before(at, insns);
        cx.edits.need_stack(3);
    }
    Ok(())
}

/// One handler over all code, that inserted so far included.
fn catch_all(cx: &mut Context<'_>, number: u32, report: Member) -> Result<(), PassError> {
    let (start, end) = (cx.edits.fresh_label(), cx.edits.fresh_label());
    cx.edits.before(0, [start]);
    cx.edits.append([end]);
    let handler = handler(cx, number, report, Vec::new())?;
    cx.edits.add_handler(Handler { start, end, handler, catch_type: None });
    Ok(())
}

/// One handler for the code where `this` is raw, one for the rest.
fn catch_in_constructor(cx: &mut Context<'_>, number: u32, report: Member) -> Result<(), PassError> {
    for (this, locals) in [(This::Raw, vec![VerificationType::UninitializedThis]), (This::Made, Vec::new())] {
        let ranges = ranges(cx, this)?;
        if ranges.is_empty() || this == This::Raw && loses_this(cx)? {
            continue;
        }
        let handler = handler(cx, number, report, locals)?;
        for (first, last) in ranges {
            let (start, end) = (cx.edits.fresh_label(), cx.edits.fresh_label());
            cx.edits.before(first, [start]);
            cx.edits.after(last, [end]);
            cx.edits.add_handler(Handler { start, end, handler, catch_type: None });
        }
    }
    Ok(())
}

/// Runs of instructions, by first and last node, where `this` is in one state.
fn ranges(cx: &Context<'_>, this: This) -> Result<Vec<(usize, usize)>, PassError> {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    let mut open = false;
    for (at, node) in cx.code.nodes.iter().enumerate() {
        if let Node::Label(_) = node {
            continue;
        }
        let inside = cx.this_at(at)? == this;
        match ranges.last_mut() {
            Some(range) if inside && open => range.1 = at,
            _ if inside => ranges.push((at, at)),
            _ => {}
        }
        open = inside;
    }
    Ok(ranges)
}

/// Whether local 0 is overwritten while it holds the raw `this`.
fn loses_this(cx: &Context<'_>) -> Result<bool, PassError> {
    for (at, node) in cx.code.nodes.iter().enumerate() {
        if matches!(node, Node::Insn(Insn::Store(_, 0))) && cx.this_at(at)? != This::Made {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Appends code that reports an exception and throws it on. It uses no local, so its frame need know none.
fn handler(
    cx: &mut Context<'_>,
    number: u32,
    report: Member,
    locals: Vec<VerificationType>,
) -> Result<Label, PassError> {
    let label = cx.edits.fresh_label();
    cx.edits.append([label]);
    if cx.method.framed {
        let throwable = cx.pool.add_class("java/lang/Throwable")?;
        let stack = vec![VerificationType::Object(throwable)];
        cx.edits.add_frame(label, Frame { locals, stack });
    }
    let number = cx.push_int(number)?;
    let report = cx.call(report)?;
    let dup = Insn::Stack(StackOp::Dup);
    cx.edits.append([dup, number, Insn::Stack(StackOp::Swap), report, Insn::AThrow]);
    cx.edits.need_stack(3);
    Ok(label)
}
