//! One instruction, typed (JVMS §6.5).
//!
//! In: nothing. Out: [`Insn`] and the small enums of its operands, and what a pass asks of an instruction: targets,
//! whether the next one follows, what it does to the stack.
//! Encodings that mean the same are one variant: `iload_1`, `iload 1` and `wide iload 1`; `ldc` and `ldc_w`;
//! `goto` and `goto_w`; `iconst_1`, `bipush 1` and `sipush 1`. The writer picks the shortest.

use std::fmt;

use crate::code::Label;
use crate::error::PoolError;
use crate::pool::{ConstantPool, PoolIndex};

/// An instruction. Pool operands are indices into the class's pool, jumps go to labels.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Insn {
    Nop,
    /// `aconst_null`
    Null,
    /// `iconst_*`, `bipush`, `sipush`
    Int(i16),
    /// `lconst_0`, `lconst_1`
    Long(u8),
    /// `fconst_0` to `fconst_2`
    Float(u8),
    /// `dconst_0`, `dconst_1`
    Double(u8),
    /// `ldc`, `ldc_w`, `ldc2_w`
    Ldc(PoolIndex),
    Load(Kind, u16),
    Store(Kind, u16),
    /// `iinc`
    Inc {
        local: u16,
        by: i16,
    },
    ArrayLoad(Element),
    ArrayStore(Element),
    /// `pop` to `swap`
    Stack(StackOp),
    /// `iadd` to `drem`
    Arith(Arith, Number),
    /// `ineg` to `dneg`
    Neg(Number),
    /// `ishl` to `lxor`
    Bits(Bits, Word),
    /// `i2l` to `i2s`
    Convert(Convert),
    /// `lcmp` to `dcmpg`
    Compare(Compare),
    /// A conditional jump.
    If(Cond, Label),
    /// `goto`, `goto_w`
    Goto(Label),
    /// `jsr`, `jsr_w`: in classes before Java 7 only
    Jsr(Label),
    /// Returns from a `jsr`, to the address in a local.
    Ret(u16),
    TableSwitch(Box<TableSwitch>),
    LookupSwitch(Box<LookupSwitch>),
    /// `return` for `None`, else `ireturn` to `areturn`
    Return(Option<Kind>),
    GetStatic(PoolIndex),
    PutStatic(PoolIndex),
    GetField(PoolIndex),
    PutField(PoolIndex),
    InvokeVirtual(PoolIndex),
    InvokeSpecial(PoolIndex),
    InvokeStatic(PoolIndex),
    InvokeInterface(PoolIndex),
    InvokeDynamic(PoolIndex),
    New(PoolIndex),
    NewArray(Primitive),
    ANewArray(PoolIndex),
    MultiANewArray {
        class: PoolIndex,
        dimensions: u8,
    },
    ArrayLength,
    AThrow,
    CheckCast(PoolIndex),
    InstanceOf(PoolIndex),
    MonitorEnter,
    MonitorExit,
}

/// `tableswitch`: the target of key `low + n` is `targets[n]`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TableSwitch {
    pub default: Label,
    pub low: i32,
    pub targets: Vec<Label>,
}

/// `lookupswitch`: the target of `keys[n]` is `targets[n]`; keys ascend.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LookupSwitch {
    pub default: Label,
    pub keys: Vec<i32>,
    pub targets: Vec<Label>,
}

/// Declares a small operand enum whose variants stand in the order of their opcodes.
macro_rules! operands {
    ($(#[$doc:meta])* $name:ident { $($variant:ident),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum $name { $($variant),+ }

        impl $name {
            /// All of them, in the order of their opcodes.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];
        }
    };
}

operands!(
    /// What a local variable or the top of the stack holds.
    Kind { Int, Long, Float, Double, Reference }
);
operands!(
    /// What an array instruction moves; `Byte` serves `boolean[]` too.
    Element { Int, Long, Float, Double, Reference, Byte, Char, Short }
);
operands!(
    /// Instructions that only move stack entries.
    StackOp { Pop, Pop2, Dup, DupX1, DupX2, Dup2, Dup2X1, Dup2X2, Swap }
);
operands!(Arith { Add, Sub, Mul, Div, Rem });
operands!(
    /// The operand type of an arithmetic instruction.
    Number { Int, Long, Float, Double }
);
operands!(
    /// Shifts and bitwise logic.
    Bits { Shl, Shr, Ushr, And, Or, Xor }
);
operands!(
    /// The operand type of a shift or bitwise instruction.
    Word { Int, Long }
);
operands!(Convert { I2L, I2F, I2D, L2I, L2F, L2D, F2I, F2L, F2D, D2I, D2L, D2F, I2B, I2C, I2S });
operands!(
    /// Comparisons that push -1, 0 or 1. `L` and `G` say what NaN gives: less or greater.
    Compare { Lcmp, Fcmpl, Fcmpg, Dcmpl, Dcmpg }
);
operands!(
    /// When a conditional jump jumps: against zero, of two ints, of two references, against null.
    Cond {
        Eq, Ne, Lt, Ge, Gt, Le,
        IcmpEq, IcmpNe, IcmpLt, IcmpGe, IcmpGt, IcmpLe,
        AcmpEq, AcmpNe,
        Null, NonNull,
    }
);
operands!(
    /// The element type of `newarray`.
    Primitive { Boolean, Char, Float, Double, Byte, Short, Int, Long }
);

impl Cond {
    /// The condition that holds exactly when this one does not.
    pub fn inverted(self) -> Cond {
        Cond::ALL[self as usize ^ 1]
    }

    /// How many stack entries it looks at.
    pub fn operands(self) -> u16 {
        if (Cond::IcmpEq..=Cond::AcmpNe).contains(&self) { 2 } else { 1 }
    }
}

impl Kind {
    /// How many locals or stack slots a value takes.
    pub fn slots(self) -> u16 {
        if matches!(self, Kind::Long | Kind::Double) { 2 } else { 1 }
    }
}

impl Element {
    /// What one element is on the stack.
    pub fn kind(self) -> Kind {
        match self {
            Element::Int | Element::Byte | Element::Char | Element::Short => Kind::Int,
            Element::Long => Kind::Long,
            Element::Float => Kind::Float,
            Element::Double => Kind::Double,
            Element::Reference => Kind::Reference,
        }
    }
}

impl Number {
    /// How many stack slots a value takes.
    pub fn slots(self) -> u16 {
        if matches!(self, Number::Long | Number::Double) { 2 } else { 1 }
    }
}

impl Convert {
    /// From which type to which.
    pub fn types(self) -> (Number, Number) {
        use Number::{Double, Float, Int, Long};
        match self {
            Convert::I2L => (Int, Long),
            Convert::I2F => (Int, Float),
            Convert::I2D => (Int, Double),
            Convert::L2I => (Long, Int),
            Convert::L2F => (Long, Float),
            Convert::L2D => (Long, Double),
            Convert::F2I => (Float, Int),
            Convert::F2L => (Float, Long),
            Convert::F2D => (Float, Double),
            Convert::D2I => (Double, Int),
            Convert::D2L => (Double, Long),
            Convert::D2F => (Double, Float),
            Convert::I2B | Convert::I2C | Convert::I2S => (Int, Int),
        }
    }
}

/// How many stack slots an instruction takes off, then puts on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StackEffect {
    pub pops: u16,
    pub pushes: u16,
}

impl Insn {
    /// The labels this instruction can jump to; a switch gives its default first.
    pub fn jump_targets(&self) -> impl Iterator<Item = Label> + '_ {
        let (first, rest): (Option<Label>, &[Label]) = match self {
            Insn::If(_, target) | Insn::Goto(target) | Insn::Jsr(target) => (Some(*target), &[]),
            Insn::TableSwitch(switch) => (Some(switch.default), &switch.targets),
            Insn::LookupSwitch(switch) => (Some(switch.default), &switch.targets),
            _ => (None, &[]),
        };
        first.into_iter().chain(rest.iter().copied())
    }

    /// Lets `change` replace every label this instruction can jump to, a switch's default first.
    pub fn change_targets(&mut self, mut change: impl FnMut(&mut Label)) {
        match self {
            Insn::If(_, target) | Insn::Goto(target) | Insn::Jsr(target) => change(target),
            Insn::TableSwitch(switch) => {
                change(&mut switch.default);
                switch.targets.iter_mut().for_each(change);
            }
            Insn::LookupSwitch(switch) => {
                change(&mut switch.default);
                switch.targets.iter_mut().for_each(change);
            }
            _ => {}
        }
    }

    /// Whether the instruction that follows in the list can be the next to run. True for `jsr`, whose subroutine
    /// returns there.
    pub fn can_fall_through(&self) -> bool {
        !matches!(
            self,
            Insn::Goto(_)
                | Insn::Ret(_)
                | Insn::TableSwitch(_)
                | Insn::LookupSwitch(_)
                | Insn::Return(_)
                | Insn::AThrow
        )
    }

    /// The constant this instruction names.
    pub fn pool_operand(&self) -> Option<PoolIndex> {
        match self {
            Insn::Ldc(index)
            | Insn::GetStatic(index)
            | Insn::PutStatic(index)
            | Insn::GetField(index)
            | Insn::PutField(index)
            | Insn::InvokeVirtual(index)
            | Insn::InvokeSpecial(index)
            | Insn::InvokeStatic(index)
            | Insn::InvokeInterface(index)
            | Insn::InvokeDynamic(index)
            | Insn::New(index)
            | Insn::ANewArray(index)
            | Insn::CheckCast(index)
            | Insn::InstanceOf(index)
            | Insn::MultiANewArray { class: index, .. } => Some(*index),
            _ => None,
        }
    }

    /// Slots taken off and put on the stack; the pool tells the sizes of members and constants.
    pub fn stack_effect(&self, pool: &ConstantPool) -> Result<StackEffect, PoolError> {
        let (pops, pushes) = match self {
            Insn::Nop | Insn::Inc { .. } | Insn::Goto(_) | Insn::Ret(_) | Insn::Return(None) => (0, 0),
            Insn::Null | Insn::Int(_) | Insn::Float(_) | Insn::New(_) | Insn::Jsr(_) => (0, 1),
            Insn::Long(_) | Insn::Double(_) => (0, 2),
            Insn::Ldc(index) => (0, 1 + u16::from(pool.is_two_slots(*index)?)),
            Insn::Load(kind, _) => (0, kind.slots()),
            Insn::Store(kind, _) | Insn::Return(Some(kind)) => (kind.slots(), 0),
            Insn::ArrayLoad(element) => (2, element.kind().slots()),
            Insn::ArrayStore(element) => (2 + element.kind().slots(), 0),
            Insn::Stack(op) => op.effect(),
            Insn::Arith(_, number) => (2 * number.slots(), number.slots()),
            Insn::Neg(number) => (number.slots(), number.slots()),
            Insn::Bits(Bits::Shl | Bits::Shr | Bits::Ushr, word) => (1 + word.slots(), word.slots()),
            Insn::Bits(_, word) => (2 * word.slots(), word.slots()),
            Insn::Convert(convert) => {
                let (from, to) = convert.types();
                (from.slots(), to.slots())
            }
            Insn::Compare(Compare::Fcmpl | Compare::Fcmpg) => (2, 1),
            Insn::Compare(_) => (4, 1),
            Insn::If(cond, _) => (cond.operands(), 0),
            Insn::TableSwitch(_) | Insn::LookupSwitch(_) | Insn::AThrow => (1, 0),
            Insn::MonitorEnter | Insn::MonitorExit => (1, 0),
            Insn::GetStatic(index) => (0, field_slots(pool, *index)?),
            Insn::PutStatic(index) => (field_slots(pool, *index)?, 0),
            Insn::GetField(index) => (1, field_slots(pool, *index)?),
            Insn::PutField(index) => (1 + field_slots(pool, *index)?, 0),
            Insn::InvokeStatic(index) | Insn::InvokeDynamic(index) => call_slots(pool, *index)?,
            Insn::InvokeVirtual(index) | Insn::InvokeSpecial(index) | Insn::InvokeInterface(index) => {
                let (pops, pushes) = call_slots(pool, *index)?;
                (pops + 1, pushes)
            }
            Insn::NewArray(_) | Insn::ANewArray(_) | Insn::ArrayLength => (1, 1),
            Insn::CheckCast(_) | Insn::InstanceOf(_) => (1, 1),
            Insn::MultiANewArray { dimensions, .. } => (u16::from(*dimensions), 1),
        };
        Ok(StackEffect { pops, pushes })
    }
}

impl Word {
    /// How many stack slots a value takes.
    pub fn slots(self) -> u16 {
        if self == Word::Long { 2 } else { 1 }
    }
}

impl StackOp {
    fn effect(self) -> (u16, u16) {
        match self {
            StackOp::Pop => (1, 0),
            StackOp::Pop2 => (2, 0),
            StackOp::Dup => (1, 2),
            StackOp::DupX1 => (2, 3),
            StackOp::DupX2 => (3, 4),
            StackOp::Dup2 => (2, 4),
            StackOp::Dup2X1 => (3, 5),
            StackOp::Dup2X2 => (4, 6),
            StackOp::Swap => (2, 2),
        }
    }
}

/// Where the descriptor of the member or call site at `index` is.
pub(crate) fn descriptor_of(pool: &ConstantPool, index: PoolIndex) -> Result<PoolIndex, PoolError> {
    use crate::pool::Constant;
    match pool.get(index)? {
        Constant::FieldRef { name_and_type, .. }
        | Constant::MethodRef { name_and_type, .. }
        | Constant::InterfaceMethodRef { name_and_type, .. }
        | Constant::Dynamic { name_and_type, .. }
        | Constant::InvokeDynamic { name_and_type, .. } => Ok(pool.name_and_type_indices(name_and_type)?.1),
        other => Err(PoolError::WrongKind { index, found: other.kind(), expected: "member or call site" }),
    }
}

fn field_slots(pool: &ConstantPool, index: PoolIndex) -> Result<u16, PoolError> {
    Ok(if matches!(pool.utf8(descriptor_of(pool, index)?)?, b"J" | b"D") { 2 } else { 1 })
}

/// Slots of the arguments (without receiver) and of the result of the call at `index`.
pub(crate) fn call_slots(pool: &ConstantPool, index: PoolIndex) -> Result<(u16, u16), PoolError> {
    let descriptor = descriptor_of(pool, index)?;
    let text = pool.utf8(descriptor)?;
    method_slots(text).ok_or_else(|| PoolError::NotADescriptor {
        index: descriptor,
        text: String::from_utf8_lossy(text).into_owned(),
    })
}

/// Slots of parameters and result of a method descriptor; `None` if it is none.
fn method_slots(descriptor: &[u8]) -> Option<(u16, u16)> {
    let mut rest = descriptor.strip_prefix(b"(")?;
    let mut arguments = 0u16;
    while let Some(&first) = rest.first() {
        if first == b')' {
            let result = match rest.get(1)? {
                b'V' => 0,
                b'J' | b'D' => 2,
                _ => 1,
            };
            return Some((arguments, result));
        }
        let (slots, length) = match first {
            b'J' | b'D' => (2, 1),
            b'L' => (1, rest.iter().position(|&byte| byte == b';')? + 1),
            b'[' => {
                let dimensions = rest.iter().position(|&byte| byte != b'[')?;
                let element = &rest[dimensions..];
                let length = match element[0] {
                    b'L' => element.iter().position(|&byte| byte == b';')? + 1,
                    _ => 1,
                };
                (1, dimensions + length)
            }
            _ => (1, 1),
        };
        arguments = arguments.checked_add(slots)?;
        rest = &rest[length..];
    }
    None
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "L{}", self.0)
    }
}
