//! Guards on methods of the JDK: what code under test must not do, and what it must not change unnoticed.
//!
//! In: the bytes of a JDK class that [`table`] names. Out: the same class; the methods named call `$Probat.guard`
//! first, leave a mark in `$Probat.dirty`, or do nothing any more.
//! The callee is changed and not the caller, so reflection, method references and libraries are caught as well.
//! Whether an attempt is forbidden is decided by `$Probat.guard`, which throws if it is. What a JDK does not have is
//! reported by [`missing`], never an error.

mod table;

use probat_model::{MethodDescriptor, TaintKind, Type};

use super::context::{Context, PassError};
use super::member::{MARK_STACK, Member};
use crate::build::convert::kind_of;
use crate::code::{Bits, Cond, Frame, Insn, Kind, Label, Node, Word};
use crate::flags::AccessFlags;
use table::TABLE;

/// What is done at the entry of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guard {
    /// Entries with equal purpose stand in for each other: a JDK needs one of them.
    pub purpose: &'static str,
    /// Internal name.
    pub class: &'static str,
    pub method: &'static str,
    /// `None` for all methods of the name that have code.
    pub descriptor: Option<&'static str>,
    pub action: Action,
}

/// What a guard does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Calls `$Probat.guard` with the kind as its number in [`TaintKind`].
    Ask { kind: TaintKind, detail: Detail, when: When },
    /// Stores 1 at this index of `$Probat.dirty`.
    Mark(Dirty),
    /// Returns at once, so that the method, which gives nothing, does nothing.
    Skip,
}

/// The object a guard is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    Nothing,
    /// The receiver.
    This,
    /// The parameter with this number; a path, file, address, name, thread or command line.
    Argument(u8),
    /// A field of the receiver: name and descriptor.
    Field(&'static str, &'static str),
}

/// When a guard asks at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    Always,
    /// If an int parameter has one of these bits.
    Bits {
        argument: u8,
        mask: i16,
    },
    /// If the receiver, a `FileInputStream`, reads standard input.
    Stdin,
    /// If a parameter of type `Class` was not defined by the boot loader: a caller outside the JDK's core.
    ForeignClass {
        argument: u8,
    },
}

/// What may have changed for the whole process; the number is the index in `$Probat.dirty`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Dirty {
    SystemProperties = 0,
    Locale = 1,
    TimeZone = 2,
    StandardStreams = 3,
    SecurityProviders = 4,
    Statics = 5,
    ThreadLocals = 6,
}

/// All guards.
pub fn table() -> &'static [Guard] {
    TABLE
}

/// The classes that have guards, each once, in the order of the table.
pub fn classes() -> Vec<&'static str> {
    let mut classes: Vec<&'static str> = Vec::new();
    for guard in TABLE {
        if !classes.contains(&guard.class) {
            classes.push(guard.class);
        }
    }
    classes
}

/// The guards of one class, as indices in [`table`].
pub fn of_class(class: &str) -> impl Iterator<Item = usize> + '_ {
    (0..TABLE.len()).filter(move |&nth| TABLE[nth].class == class)
}

/// The guards that a JDK lacks, given those that were put in place: one for each purpose without any.
pub fn missing(placed: &[usize]) -> Vec<&'static Guard> {
    let mut missing: Vec<&'static Guard> = Vec::new();
    for guard in TABLE {
        let same = |nth: &usize| TABLE[*nth].purpose == guard.purpose;
        let known = missing.iter().any(|other| other.purpose == guard.purpose);
        if !known && !placed.iter().any(same) {
            missing.push(guard);
        }
    }
    missing
}

impl Guard {
    fn matches(&self, name: &str, descriptor: &str) -> bool {
        self.method == name && self.descriptor.is_none_or(|wanted| wanted == descriptor)
    }
}

/// Puts the guards of a method in place; gives their indices in the table. `candidates` are those of its class,
/// `entry` is what holds when it is entered.
pub(crate) fn weave(
    cx: &mut Context<'_>,
    name: &str,
    candidates: &[usize],
    entry: &Frame,
) -> Result<Vec<usize>, PassError> {
    let mut placed = Vec::new();
    for &nth in candidates {
        let guard = &TABLE[nth];
        let descriptor = cx.pool.text(cx.method.descriptor)?;
        if !guard.matches(name, &descriptor) {
            continue;
        }
        let descriptor = cx.pool.method_descriptor(cx.method.descriptor)?;
        let done = match guard.action {
            Action::Mark(dirty) => {
                let mark = cx.members.mark(cx.pool, Member::Dirty, dirty as u32)?;
                cx.edits.before(0, mark);
                cx.edits.need_stack(MARK_STACK);
                true
            }
            Action::Ask { kind, detail, when } => ask(cx, guard, &descriptor, entry, (kind, detail, when))?,
            Action::Skip => skip(cx, &descriptor, entry),
        };
        if done {
            placed.push(nth);
        }
    }
    Ok(placed)
}

/// Leaves the method before it begins; false if it has a result to give.
fn skip(cx: &mut Context<'_>, descriptor: &MethodDescriptor, entry: &Frame) -> bool {
    if descriptor.returns.is_some() {
        return false;
    }
    // What follows is never reached, and still needs a frame that says what holds there.
    let rest = cx.edits.fresh_label();
    cx.edits.before(0, vec![Node::Insn(Insn::Return(None)), Node::Label(rest), Node::Insn(Insn::Nop)]);
    if cx.method.framed {
        cx.edits.add_frame(rest, entry.clone());
    }
    true
}

/// Inserts the question; false if the method's parameters are not what the table expects.
fn ask(
    cx: &mut Context<'_>,
    guard: &Guard,
    descriptor: &MethodDescriptor,
    entry: &Frame,
    (kind, detail, when): (TaintKind, Detail, When),
) -> Result<bool, PassError> {
    let is_static = cx.method.access.has(AccessFlags::STATIC);
    let locals = Locals { descriptor, is_static };
    let Some(when) = locals.test(when) else { return Ok(false) };
    let Some(detail) = locals.detail(cx, guard, detail)? else { return Ok(false) };
    let call = cx.call(Member::Guard)?;
    let question = [Insn::Int(kind as i16)].into_iter().chain(detail).chain([call]).map(Node::Insn);
    let mut nodes = Vec::new();
    if when == Test::None {
        nodes.extend(question);
    } else {
        let over = cx.edits.fresh_label();
        nodes.extend(test(cx, when, over)?.into_iter().map(Node::Insn));
        nodes.extend(question);
        // An instruction of its own for the frame: the method's first one may have another.
        nodes.extend([Node::Label(over), Node::Insn(Insn::Nop)]);
        if cx.method.framed {
            cx.edits.add_frame(over, entry.clone());
        }
    }
    cx.edits.before(0, nodes);
    cx.edits.need_stack(2);
    Ok(true)
}

/// Where the parameters of a method are on its entry.
struct Locals<'a> {
    descriptor: &'a MethodDescriptor,
    is_static: bool,
}

impl Locals<'_> {
    /// Type and local of a parameter.
    fn of(&self, argument: u8) -> Option<(&Type, u16)> {
        let ty = self.descriptor.params.get(usize::from(argument))?;
        let before = &self.descriptor.params[..usize::from(argument)];
        let slots: u16 = before.iter().map(|ty| kind_of(ty).slots()).sum();
        Some((ty, slots + u16::from(!self.is_static)))
    }

    /// Pushes the object a guard is shown.
    fn detail(
        &self,
        cx: &mut Context<'_>,
        guard: &Guard,
        detail: Detail,
    ) -> Result<Option<Vec<Insn>>, PassError> {
        let this = Insn::Load(Kind::Reference, 0);
        Ok(match detail {
            Detail::Nothing => Some(vec![Insn::Null]),
            Detail::This if !self.is_static => Some(vec![this]),
            Detail::Field(name, ty) if !self.is_static => {
                Some(vec![this, Insn::GetField(cx.pool.add_field_ref(guard.class, name, ty)?)])
            }
            Detail::Argument(nth) => match self.of(nth) {
                Some((ty, at)) if ty.is_reference() => Some(vec![Insn::Load(Kind::Reference, at)]),
                _ => None,
            },
            Detail::This | Detail::Field(..) => None,
        })
    }

    fn test(&self, when: When) -> Option<Test> {
        match when {
            When::Always => Some(Test::None),
            When::Stdin => (!self.is_static).then_some(Test::Stdin),
            When::Bits { argument, mask } => match self.of(argument)? {
                (Type::Int, at) => Some(Test::Bits { at, mask }),
                _ => None,
            },
            When::ForeignClass { argument } => match self.of(argument)? {
                (ty, at) if *ty == Type::class("java/lang/Class") => Some(Test::ForeignClass { at }),
                _ => None,
            },
        }
    }
}

/// [`When`] with parameters found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Test {
    None,
    Bits { at: u16, mask: i16 },
    Stdin,
    ForeignClass { at: u16 },
}

/// Jumps to `over` if the guard need not ask.
fn test(cx: &mut Context<'_>, test: Test, over: Label) -> Result<Vec<Insn>, PassError> {
    Ok(match test {
        Test::None => Vec::new(),
        Test::Bits { at, mask } => vec![
            Insn::Load(Kind::Int, at),
            Insn::Int(mask),
            Insn::Bits(Bits::And, Word::Int),
            Insn::If(Cond::Eq, over),
        ],
        Test::Stdin => {
            const DESCRIPTOR: &str = "Ljava/io/FileDescriptor;";
            let fd = cx.pool.add_field_ref("java/io/FileInputStream", "fd", DESCRIPTOR)?;
            let stdin = cx.pool.add_field_ref("java/io/FileDescriptor", "in", DESCRIPTOR)?;
            vec![
                Insn::Load(Kind::Reference, 0),
                Insn::GetField(fd),
                Insn::GetStatic(stdin),
                Insn::If(Cond::AcmpNe, over),
            ]
        }
        Test::ForeignClass { at } => {
            let loader =
                cx.pool.add_method_ref("java/lang/Class", "getClassLoader0", "()Ljava/lang/ClassLoader;")?;
            vec![Insn::Load(Kind::Reference, at), Insn::InvokeVirtual(loader), Insn::If(Cond::Null, over)]
        }
    })
}
