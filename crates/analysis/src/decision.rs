//! What a jump or switch asks.
//!
//! In: code, the instruction that decides, and the way it should go. Out: [`Decision`]: what is looked at, and what it would have to be.
//! Looks one instruction back, as compilers write it; where that tells nothing, the decision is about a number.

use probat_classfile::code::{Code, Cond};
use probat_classfile::passes::edges::EdgeKind;
use probat_classfile::pool::ConstantPool;
use probat_classfile::{Insn, Node, PoolIndex};

/// What a decision looks at. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Looks {
    /// At what a call gave: true or false.
    Call,
    /// At a field that is true or false.
    Flag,
    /// At numbers.
    Number,
    /// Whether there is an object.
    Null,
    /// At the class of an object.
    Class,
    /// Whether two references are the same.
    Identity,
    /// At the key of a switch.
    Key,
    /// Whether assertions are enabled, which they always are where we run code.
    Assertions,
}

/// What a decision asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    pub looks: Looks,
    /// The call, field or class: `java.util.List.isEmpty`; empty where there is none.
    pub at: String,
    /// What it never was: `true`, `< 0`, `case 3`.
    pub wanted: String,
    /// The instruction whose operands are compared.
    pub compared: usize,
}

/// What would make control take an edge.
pub fn decision(code: &Code, pool: &ConstantPool, node: usize, kind: &EdgeKind) -> Option<Decision> {
    let cond = match kind {
        EdgeKind::Taken(cond) => *cond,
        EdgeKind::NotTaken(cond) => cond.inverted(),
        EdgeKind::SwitchArm { keys, default } => {
            let wanted = match default {
                true => "another key".to_owned(),
                false => format!("case {}", keys.iter().map(i32::to_string).collect::<Vec<_>>().join(", ")),
            };
            return Some(Decision { looks: Looks::Key, at: String::new(), wanted, compared: node });
        }
        EdgeKind::Entry | EdgeKind::Handler { .. } => return None,
    };
    let (before, insn) = insn_before(code, node)?;
    let (looks, at) = match cond {
        Cond::Null | Cond::NonNull => (Looks::Null, given_by(pool, insn).unwrap_or_default()),
        Cond::AcmpEq | Cond::AcmpNe => (Looks::Identity, String::new()),
        Cond::Eq | Cond::Ne => truth(pool, insn).unwrap_or((Looks::Number, String::new())),
        _ => (Looks::Number, String::new()),
    };
    let is_own = matches!(looks, Looks::Number | Looks::Identity) && !matches!(insn, Insn::Compare(_));
    Some(Decision { wanted: wanted(looks, cond), looks, at, compared: if is_own { node } else { before } })
}

fn insn_before(code: &Code, node: usize) -> Option<(usize, &Insn)> {
    code.nodes.get(..node)?.iter().enumerate().rev().find_map(|(at, node)| match node {
        Node::Insn(insn) => Some((at, insn)),
        Node::Label(_) => None,
    })
}

/// The member whose value an instruction leaves.
fn given_by(pool: &ConstantPool, insn: &Insn) -> Option<String> {
    match insn {
        Insn::InvokeVirtual(at)
        | Insn::InvokeSpecial(at)
        | Insn::InvokeStatic(at)
        | Insn::InvokeInterface(at) => member(pool, *at),
        Insn::GetField(at) | Insn::GetStatic(at) => member(pool, *at),
        _ => None,
    }
}

fn member(pool: &ConstantPool, at: PoolIndex) -> Option<String> {
    let member = pool.member_ref(at).ok()?;
    Some(format!("{}.{}", member.owner.replace('/', "."), member.name))
}

/// What leaves true or false.
fn truth(pool: &ConstantPool, insn: &Insn) -> Option<(Looks, String)> {
    match insn {
        Insn::InstanceOf(class) => Some((Looks::Class, pool.class_text(*class).ok()?.replace('/', "."))),
        Insn::GetField(at) | Insn::GetStatic(at) => {
            let field = pool.member_ref(*at).ok()?;
            let looks = if field.name == "$assertionsDisabled" { Looks::Assertions } else { Looks::Flag };
            (field.descriptor == "Z").then(|| Some((looks, member(pool, *at)?)))?
        }
        _ => {
            let called = given_by(pool, insn)?;
            let at = match insn {
                Insn::InvokeVirtual(at)
                | Insn::InvokeSpecial(at)
                | Insn::InvokeStatic(at)
                | Insn::InvokeInterface(at) => at,
                _ => return None,
            };
            let method = pool.member_ref(*at).ok()?;
            let looks = if method.name == "desiredAssertionStatus" { Looks::Assertions } else { Looks::Call };
            method.descriptor.ends_with(")Z").then_some((looks, called))
        }
    }
}

fn wanted(looks: Looks, cond: Cond) -> String {
    let yes = matches!(cond, Cond::Ne | Cond::Null);
    let words = match looks {
        Looks::Call | Looks::Flag | Looks::Assertions if yes => "true",
        Looks::Call | Looks::Flag | Looks::Assertions => "false",
        Looks::Class if yes => "an instance",
        Looks::Class => "no instance",
        Looks::Null if yes => "null",
        Looks::Null => "an object",
        Looks::Identity if cond == Cond::AcmpEq => "the same object",
        Looks::Identity => "another object",
        Looks::Number | Looks::Key => match cond {
            Cond::Eq | Cond::IcmpEq => "equal",
            Cond::Ne | Cond::IcmpNe => "different",
            Cond::Lt | Cond::IcmpLt => "less",
            Cond::Ge | Cond::IcmpGe => "as large",
            Cond::Gt | Cond::IcmpGt => "greater",
            Cond::Le | Cond::IcmpLe => "as small",
            Cond::AcmpEq | Cond::AcmpNe | Cond::Null | Cond::NonNull => "",
        },
    };
    words.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use probat_classfile::code::{Compare, Kind};

    fn asks(before: Insn, cond: Cond, kind: fn(Cond) -> EdgeKind) -> Decision {
        let mut code = Code::default();
        let out = code.labels.fresh();
        code.nodes = vec![before.into(), Insn::If(cond, out).into(), out.into(), Insn::Return(None).into()];
        decision(&code, &ConstantPool::default(), 1, &kind(cond)).unwrap()
    }

    #[test]
    fn a_jump_not_taken_wants_the_opposite() {
        let load = Insn::Load(Kind::Int, 0);
        let taken = asks(load.clone(), Cond::Lt, EdgeKind::Taken);
        assert_eq!((taken.looks, taken.wanted.as_str(), taken.compared), (Looks::Number, "less", 1));
        assert_eq!(asks(load, Cond::Lt, EdgeKind::NotTaken).wanted, "as large");
        let null = asks(Insn::Load(Kind::Reference, 0), Cond::Null, EdgeKind::NotTaken);
        assert_eq!((null.looks, null.wanted.as_str()), (Looks::Null, "an object"));
    }

    #[test]
    fn long_numbers_are_compared_one_instruction_earlier() {
        assert_eq!(asks(Insn::Compare(Compare::Lcmp), Cond::Gt, EdgeKind::Taken).compared, 0);
    }
}
