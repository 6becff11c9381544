//! Reports what is compared with what.
//!
//! In: conditional jumps, `lcmp` and its like, switches, `instanceof`, and calls that compare texts or objects.
//! Out: a call of a `$Probat.cmp…` method before each, with the operands and the number of the site; what the site is
//! stands in the table of [`ComparisonSite`]s.
//! A jump that only looks at the result of such a comparison, or of a call that gives a boolean, is left out, and so
//! are comparisons with null. The class of an `instanceof` is not resolved; its site names it.

use probat_model::ClassName;

use super::constructor::This;
use super::context::{Context, PassError};
use super::flow::Lines;
use super::member::Member;
use crate::code::{Compare, Cond, Convert, Insn, Kind, Node, StackOp};
use crate::error::PoolError;
use crate::pool::{ConstantPool, MemberKind, PoolIndex};

/// A place where values are compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparisonSite {
    /// Index in the class's methods.
    pub method: u32,
    pub line: Option<u16>,
    /// The instruction, in the nodes of the method's code as it was read.
    pub node: usize,
    pub kind: Comparison,
}

/// What is compared at a site, and how the report gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Comparison {
    /// Two ints, as `cmpInt`.
    Ints(Cond),
    /// An int with 0, as `cmpInt`.
    Zero(Cond),
    /// Two longs, as `cmpLong`.
    Longs,
    /// Two floats, as `cmpDouble`.
    Floats,
    /// Two doubles, as `cmpDouble`.
    Doubles,
    /// Two references, as `cmpRef`.
    Identity,
    /// An int with these keys, as `cmpInt` of the int and 0.
    Keys(Vec<i32>),
    /// Receiver and argument of a call, as `cmpRef`.
    Call { owner: String, name: String },
    /// An object with a class, as `instance` of the object and null.
    Class(ClassName),
    /// The same where the class is an array's; its descriptor.
    ArrayClass(String),
}

/// The sites of a class, numbered in their order.
#[derive(Debug, Default)]
pub(crate) struct SiteTable {
    pub first: u32,
    pub sites: Vec<ComparisonSite>,
}

/// Puts a report before every comparison.
pub(crate) fn weave(cx: &mut Context<'_>, table: &mut SiteTable) -> Result<(), PassError> {
    let code = cx.code;
    let mut lines = Lines::of(code, cx.flow);
    let mut before: Option<&Insn> = None;
    for (at, node) in code.nodes.iter().enumerate() {
        let Node::Insn(insn) = node else {
            before = None;
            continue;
        };
        if let Some((kind, shape)) = comparison(cx, at, insn, before)? {
            let number = table.first + table.sites.len() as u32;
            table.sites.push(ComparisonSite { method: cx.method.index, line: lines.at(at), node: at, kind });
            report(cx, at, shape, number)?;
        }
        before = Some(insn);
    }
    Ok(())
}

/// How the operands stand on the stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    TwoInts,
    OneInt,
    TwoReferences,
    Object,
    Longs,
    Floats,
    Doubles,
}

fn comparison(
    cx: &Context<'_>,
    at: usize,
    insn: &Insn,
    before: Option<&Insn>,
) -> Result<Option<(Comparison, Shape)>, PassError> {
    Ok(Some(match insn {
        Insn::If(Cond::AcmpEq | Cond::AcmpNe, _) => {
            if cx.method.is_constructor && cx.this_at(at)? != This::Made {
                return Ok(None);
            }
            (Comparison::Identity, Shape::TwoReferences)
        }
        Insn::If(Cond::Null | Cond::NonNull, _) => return Ok(None),
        Insn::If(cond, _) if cond.operands() == 2 => (Comparison::Ints(*cond), Shape::TwoInts),
        Insn::If(cond, _) => match before {
            Some(before) if gives_truth(cx.pool, before)? => return Ok(None),
            _ => (Comparison::Zero(*cond), Shape::OneInt),
        },
        Insn::Compare(Compare::Lcmp) => (Comparison::Longs, Shape::Longs),
        Insn::Compare(Compare::Fcmpl | Compare::Fcmpg) => (Comparison::Floats, Shape::Floats),
        Insn::Compare(Compare::Dcmpl | Compare::Dcmpg) => (Comparison::Doubles, Shape::Doubles),
        Insn::TableSwitch(switch) => {
            let keys = (0..switch.targets.len()).filter(|&nth| switch.targets[nth] != switch.default);
            let keys = keys.map(|nth| switch.low.wrapping_add(nth as i32)).collect();
            (Comparison::Keys(keys), Shape::OneInt)
        }
        Insn::LookupSwitch(switch) => (Comparison::Keys(switch.keys.clone()), Shape::OneInt),
        Insn::InstanceOf(class) => (class_of(cx.pool, *class)?, Shape::Object),
        Insn::InvokeVirtual(method) | Insn::InvokeInterface(method) | Insn::InvokeStatic(method) => {
            let is_static = matches!(insn, Insn::InvokeStatic(_));
            match call(cx.pool, *method, is_static)? {
                Some(call) => (call, Shape::TwoReferences),
                None => return Ok(None),
            }
        }
        _ => return Ok(None),
    }))
}

fn class_of(pool: &ConstantPool, class: PoolIndex) -> Result<Comparison, PoolError> {
    let text = pool.class_text(class)?;
    Ok(match text.starts_with('[') {
        true => Comparison::ArrayClass(text.into_owned()),
        false => Comparison::Class(ClassName::internal(&text)),
    })
}

/// Whether an instruction leaves a boolean, or -1, 0 or 1, of which the jump behind it says nothing new.
fn gives_truth(pool: &ConstantPool, insn: &Insn) -> Result<bool, PoolError> {
    Ok(match insn {
        Insn::Compare(_) | Insn::InstanceOf(_) => true,
        Insn::InvokeVirtual(method)
        | Insn::InvokeSpecial(method)
        | Insn::InvokeStatic(method)
        | Insn::InvokeInterface(method) => pool.member_ref(*method)?.descriptor.ends_with(")Z"),
        Insn::GetField(field) | Insn::GetStatic(field) => pool.member_ref(*field)?.descriptor == "Z",
        _ => false,
    })
}

/// Calls that compare two references which stand on top of the stack.
fn call(pool: &ConstantPool, method: PoolIndex, is_static: bool) -> Result<Option<Comparison>, PoolError> {
    const TEXT: [(&str, &str); 8] = [
        ("equalsIgnoreCase", "(Ljava/lang/String;)Z"),
        ("startsWith", "(Ljava/lang/String;)Z"),
        ("endsWith", "(Ljava/lang/String;)Z"),
        ("contains", "(Ljava/lang/CharSequence;)Z"),
        ("contentEquals", "(Ljava/lang/CharSequence;)Z"),
        ("compareTo", "(Ljava/lang/String;)I"),
        ("compareToIgnoreCase", "(Ljava/lang/String;)I"),
        ("indexOf", "(Ljava/lang/String;)I"),
    ];
    let member = pool.member_ref(method)?;
    if member.kind == MemberKind::Field {
        return Ok(None);
    }
    let signature = (&*member.name, &*member.descriptor);
    let known = match &*member.owner {
        "java/util/Objects" if is_static => {
            signature == ("equals", "(Ljava/lang/Object;Ljava/lang/Object;)Z")
        }
        _ if is_static => false,
        "java/lang/String" if TEXT.contains(&signature) => true,
        _ => {
            matches!(signature, ("equals", "(Ljava/lang/Object;)Z") | ("compareTo", "(Ljava/lang/Object;)I"))
        }
    };
    Ok(known.then(|| Comparison::Call { owner: member.owner.into_owned(), name: member.name.into_owned() }))
}

fn report(cx: &mut Context<'_>, at: usize, shape: Shape, number: u32) -> Result<(), PassError> {
    let number = cx.push_int(number)?;
    let temporary = cx.code.max_locals;
    let dup = Insn::Stack(StackOp::Dup);
    let dup2 = Insn::Stack(StackOp::Dup2);
    let (member, operands): (Member, Vec<Insn>) = match shape {
        Shape::TwoInts => (Member::CmpInt, vec![dup2]),
        Shape::OneInt => (Member::CmpInt, vec![dup, Insn::Int(0)]),
        Shape::TwoReferences => (Member::CmpRef, vec![dup2]),
        Shape::Object => (Member::Instance, vec![dup, Insn::Null]),
        Shape::Longs => (Member::CmpLong, copy_second(Kind::Long, temporary, dup2, None)),
        Shape::Doubles => (Member::CmpDouble, copy_second(Kind::Double, temporary, dup2, None)),
        Shape::Floats => {
            let widen = Some(Insn::Convert(Convert::F2D));
            (Member::CmpDouble, copy_second(Kind::Float, temporary, dup, widen))
        }
    };
    let call = cx.call(member)?;
    let restore = match shape {
        Shape::Longs => Some(Insn::Load(Kind::Long, temporary)),
        Shape::Doubles => Some(Insn::Load(Kind::Double, temporary)),
        Shape::Floats => Some(Insn::Load(Kind::Float, temporary)),
        _ => None,
    };
    if let Some(Insn::Load(kind, _)) = &restore {
        cx.edits.need_locals(kind.slots());
    }
    cx.edits.before(at, operands.into_iter().chain([number, call]).chain(restore));
    // Two doubles more and the number, less the one that waits in a local.
    cx.edits.need_stack(4);
    Ok(())
}

/// Moves the second operand to a local and pushes copies of both.
fn copy_second(kind: Kind, local: u16, dup: Insn, widen: Option<Insn>) -> Vec<Insn> {
    let mut insns = vec![Insn::Store(kind, local), dup];
    insns.extend(widen.clone());
    insns.push(Insn::Load(kind, local));
    insns.extend(widen);
    insns
}
