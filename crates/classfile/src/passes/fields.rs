//! Reports reads and writes of fields.
//!
//! In: the four field instructions. Out: a call of `$Probat.fieldRead` or `fieldWritten` behind each, with the object
//! (null for statics) and a number that stands for the field. Accesses that throw are not reported.
//! Writes to `this` before its superclass's constructor was called are reported with null: it is no object yet.

use rustc_hash::FxHashMap;

use super::constructor::This;
use super::context::{Context, PassError};
use super::member::Member;
use crate::code::{Insn, Node, StackOp};
use crate::pool::PoolIndex;

/// A field that a class's code uses, as it names it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FieldUse {
    /// The class named, which may have inherited the field; an internal name.
    pub owner: String,
    pub name: String,
    pub descriptor: String,
    pub is_static: bool,
}

/// The fields a class uses, numbered in the order of their first use.
#[derive(Debug, Default)]
pub(crate) struct FieldTable {
    pub first: u32,
    pub uses: Vec<FieldUse>,
    known: FxHashMap<(PoolIndex, bool), u32>,
}

impl FieldTable {
    pub fn new(first: u32) -> FieldTable {
        FieldTable { first, ..FieldTable::default() }
    }

    pub fn number(&mut self, cx: &Context<'_>, field: PoolIndex, is_static: bool) -> Result<u32, PassError> {
        if let Some(&number) = self.known.get(&(field, is_static)) {
            return Ok(number);
        }
        let member = cx.pool.member_ref(field)?;
        let number = self.first + self.uses.len() as u32;
        self.uses.push(FieldUse {
            owner: member.owner.into_owned(),
            name: member.name.into_owned(),
            descriptor: member.descriptor.into_owned(),
            is_static,
        });
        self.known.insert((field, is_static), number);
        Ok(number)
    }
}

/// How an access leaves the object behind it.
struct Shape {
    before: &'static [StackOp],
    after: &'static [StackOp],
    has_object: bool,
    report: Member,
}

/// Puts a report behind every access of a field.
pub(crate) fn weave(cx: &mut Context<'_>, table: &mut FieldTable) -> Result<(), PassError> {
    let code = cx.code;
    for (at, node) in code.nodes.iter().enumerate() {
        let Node::Insn(insn) = node else { continue };
        let Some((field, shape)) = shape(cx, at, insn)? else { continue };
        let is_static = matches!(insn, Insn::GetStatic(_) | Insn::PutStatic(_));
        let number = table.number(cx, field, is_static)?;
        let number = cx.push_int(number)?;
        let report = cx.call(shape.report)?;
        let moves = |ops: &'static [StackOp]| ops.iter().map(|&op| Insn::Stack(op));
        if !shape.before.is_empty() {
            cx.edits.before(at, moves(shape.before));
        }
        let null = (!shape.has_object).then_some(Insn::Null);
        cx.edits.after(at, moves(shape.after).chain(null).chain([number, report]));
        cx.edits.need_stack(3);
    }
    Ok(())
}

fn shape(cx: &Context<'_>, at: usize, insn: &Insn) -> Result<Option<(PoolIndex, Shape)>, PassError> {
    use StackOp::{Dup, Dup2, Dup2X1, DupX2, Pop, Pop2, Swap};
    if !matches!(insn, Insn::GetStatic(_) | Insn::PutStatic(_) | Insn::GetField(_) | Insn::PutField(_)) {
        return Ok(None);
    }
    let effect = insn.stack_effect(cx.pool)?;
    let shape = |before, after, has_object, report| Shape { before, after, has_object, report };
    Ok(Some(match insn {
        Insn::GetStatic(field) => (*field, shape(&[], &[], false, Member::FieldRead)),
        Insn::PutStatic(field) => (*field, shape(&[], &[], false, Member::FieldWritten)),
        Insn::GetField(field) if effect.pushes == 2 => {
            (*field, shape(&[Dup], &[Dup2X1, Pop2], true, Member::FieldRead))
        }
        Insn::GetField(field) => (*field, shape(&[Dup], &[Swap], true, Member::FieldRead)),
        Insn::PutField(field) if may_be_raw(cx, at, *field)? => {
            (*field, shape(&[], &[], false, Member::FieldWritten))
        }
        Insn::PutField(field) if effect.pops == 3 => {
            (*field, shape(&[Dup2X1, Pop2, DupX2, DupX2, Pop], &[], true, Member::FieldWritten))
        }
        Insn::PutField(field) => (*field, shape(&[Dup2], &[Pop], true, Member::FieldWritten)),
        _ => return Ok(None),
    }))
}

/// Whether the object written to may be `this` before it is an object: only fields of its own class can be.
fn may_be_raw(cx: &Context<'_>, at: usize, field: PoolIndex) -> Result<bool, PassError> {
    if !cx.method.is_constructor || cx.this_at(at)? == This::Made {
        return Ok(false);
    }
    Ok(cx.pool.member_ref(field)?.owner == cx.pool.class_text(cx.method.this_class)?)
}
