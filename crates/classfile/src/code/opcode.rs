//! Opcodes by number (JVMS §6.5, §7), and the instructions that are nothing but an opcode.
//!
//! In: an opcode, or an [`Insn`]. Out: the other. Operands are read and written by `decode` and `encode`.

use super::insn::{Arith, Bits, Compare, Cond, Convert, Element, Insn, Kind, Number, StackOp, Word};

pub(super) const ACONST_NULL: u8 = 0x01;
pub(super) const ICONST_0: u8 = 0x03;
pub(super) const LCONST_0: u8 = 0x09;
pub(super) const FCONST_0: u8 = 0x0b;
pub(super) const DCONST_0: u8 = 0x0e;
pub(super) const BIPUSH: u8 = 0x10;
pub(super) const SIPUSH: u8 = 0x11;
pub(super) const LDC: u8 = 0x12;
pub(super) const LDC_W: u8 = 0x13;
pub(super) const LDC2_W: u8 = 0x14;
pub(super) const ILOAD: u8 = 0x15;
pub(super) const ILOAD_0: u8 = 0x1a;
pub(super) const IALOAD: u8 = 0x2e;
pub(super) const ISTORE: u8 = 0x36;
pub(super) const ISTORE_0: u8 = 0x3b;
pub(super) const IASTORE: u8 = 0x4f;
pub(super) const POP: u8 = 0x57;
pub(super) const IADD: u8 = 0x60;
pub(super) const INEG: u8 = 0x74;
pub(super) const ISHL: u8 = 0x78;
pub(super) const IINC: u8 = 0x84;
pub(super) const I2L: u8 = 0x85;
pub(super) const LCMP: u8 = 0x94;
pub(super) const IFEQ: u8 = 0x99;
pub(super) const GOTO: u8 = 0xa7;
pub(super) const JSR: u8 = 0xa8;
pub(super) const RET: u8 = 0xa9;
pub(super) const TABLESWITCH: u8 = 0xaa;
pub(super) const LOOKUPSWITCH: u8 = 0xab;
pub(super) const IRETURN: u8 = 0xac;
pub(super) const RETURN: u8 = 0xb1;
pub(super) const GETSTATIC: u8 = 0xb2;
pub(super) const PUTSTATIC: u8 = 0xb3;
pub(super) const GETFIELD: u8 = 0xb4;
pub(super) const PUTFIELD: u8 = 0xb5;
pub(super) const INVOKEVIRTUAL: u8 = 0xb6;
pub(super) const INVOKESPECIAL: u8 = 0xb7;
pub(super) const INVOKESTATIC: u8 = 0xb8;
pub(super) const INVOKEINTERFACE: u8 = 0xb9;
pub(super) const INVOKEDYNAMIC: u8 = 0xba;
pub(super) const NEW: u8 = 0xbb;
pub(super) const NEWARRAY: u8 = 0xbc;
pub(super) const ANEWARRAY: u8 = 0xbd;
pub(super) const ARRAYLENGTH: u8 = 0xbe;
pub(super) const ATHROW: u8 = 0xbf;
pub(super) const CHECKCAST: u8 = 0xc0;
pub(super) const INSTANCEOF: u8 = 0xc1;
pub(super) const MONITORENTER: u8 = 0xc2;
pub(super) const MONITOREXIT: u8 = 0xc3;
pub(super) const WIDE: u8 = 0xc4;
pub(super) const MULTIANEWARRAY: u8 = 0xc5;
pub(super) const IFNULL: u8 = 0xc6;
pub(super) const GOTO_W: u8 = 0xc8;
pub(super) const JSR_W: u8 = 0xc9;

/// The name of each opcode.
#[rustfmt::skip]
pub(super) const NAMES: [&str; 202] = [
    "nop", "aconst_null", "iconst_m1", "iconst_0", "iconst_1", "iconst_2", "iconst_3", "iconst_4",
    "iconst_5", "lconst_0", "lconst_1", "fconst_0", "fconst_1", "fconst_2", "dconst_0", "dconst_1",
    "bipush", "sipush", "ldc", "ldc_w", "ldc2_w", "iload", "lload", "fload", "dload", "aload", "iload_0",
    "iload_1", "iload_2", "iload_3", "lload_0", "lload_1", "lload_2", "lload_3", "fload_0", "fload_1",
    "fload_2", "fload_3", "dload_0", "dload_1", "dload_2", "dload_3", "aload_0", "aload_1", "aload_2",
    "aload_3", "iaload", "laload", "faload", "daload", "aaload", "baload", "caload", "saload", "istore",
    "lstore", "fstore", "dstore", "astore", "istore_0", "istore_1", "istore_2", "istore_3", "lstore_0",
    "lstore_1", "lstore_2", "lstore_3", "fstore_0", "fstore_1", "fstore_2", "fstore_3", "dstore_0",
    "dstore_1", "dstore_2", "dstore_3", "astore_0", "astore_1", "astore_2", "astore_3", "iastore",
    "lastore", "fastore", "dastore", "aastore", "bastore", "castore", "sastore", "pop", "pop2", "dup",
    "dup_x1", "dup_x2", "dup2", "dup2_x1", "dup2_x2", "swap", "iadd", "ladd", "fadd", "dadd", "isub",
    "lsub", "fsub", "dsub", "imul", "lmul", "fmul", "dmul", "idiv", "ldiv", "fdiv", "ddiv", "irem", "lrem",
    "frem", "drem", "ineg", "lneg", "fneg", "dneg", "ishl", "lshl", "ishr", "lshr", "iushr", "lushr",
    "iand", "land", "ior", "lor", "ixor", "lxor", "iinc", "i2l", "i2f", "i2d", "l2i", "l2f", "l2d", "f2i",
    "f2l", "f2d", "d2i", "d2l", "d2f", "i2b", "i2c", "i2s", "lcmp", "fcmpl", "fcmpg", "dcmpl", "dcmpg",
    "ifeq", "ifne", "iflt", "ifge", "ifgt", "ifle", "if_icmpeq", "if_icmpne", "if_icmplt", "if_icmpge",
    "if_icmpgt", "if_icmple", "if_acmpeq", "if_acmpne", "goto", "jsr", "ret", "tableswitch", "lookupswitch",
    "ireturn", "lreturn", "freturn", "dreturn", "areturn", "return", "getstatic", "putstatic", "getfield",
    "putfield", "invokevirtual", "invokespecial", "invokestatic", "invokeinterface", "invokedynamic", "new",
    "newarray", "anewarray", "arraylength", "athrow", "checkcast", "instanceof", "monitorenter",
    "monitorexit", "wide", "multianewarray", "ifnull", "ifnonnull", "goto_w", "jsr_w",
];

/// The instruction an opcode without operand bytes stands for.
pub(super) fn without_operands(opcode: u8) -> Option<Insn> {
    let kind = |base: u8| Kind::ALL[usize::from((opcode - base) / 4)];
    let number = |base: u8| Number::ALL[usize::from((opcode - base) % 4)];
    let word = || Word::ALL[usize::from((opcode - ISHL) % 2)];
    let nth = |base: u8| usize::from(opcode - base);
    Some(match opcode {
        0x00 => Insn::Nop,
        0x01 => Insn::Null,
        0x02..=0x08 => Insn::Int(i16::from(opcode) - i16::from(ICONST_0)),
        0x09..=0x0a => Insn::Long(opcode - LCONST_0),
        0x0b..=0x0d => Insn::Float(opcode - FCONST_0),
        0x0e..=0x0f => Insn::Double(opcode - DCONST_0),
        0x1a..=0x2d => Insn::Load(kind(ILOAD_0), u16::from((opcode - ILOAD_0) % 4)),
        0x2e..=0x35 => Insn::ArrayLoad(Element::ALL[nth(IALOAD)]),
        0x3b..=0x4e => Insn::Store(kind(ISTORE_0), u16::from((opcode - ISTORE_0) % 4)),
        0x4f..=0x56 => Insn::ArrayStore(Element::ALL[nth(IASTORE)]),
        0x57..=0x5f => Insn::Stack(StackOp::ALL[nth(POP)]),
        0x60..=0x73 => Insn::Arith(Arith::ALL[nth(IADD) / 4], number(IADD)),
        0x74..=0x77 => Insn::Neg(number(INEG)),
        0x78..=0x83 => Insn::Bits(Bits::ALL[nth(ISHL) / 2], word()),
        0x85..=0x93 => Insn::Convert(Convert::ALL[nth(I2L)]),
        0x94..=0x98 => Insn::Compare(Compare::ALL[nth(LCMP)]),
        0xac..=0xb0 => Insn::Return(Some(Kind::ALL[nth(IRETURN)])),
        0xb1 => Insn::Return(None),
        0xbe => Insn::ArrayLength,
        0xbf => Insn::AThrow,
        0xc2 => Insn::MonitorEnter,
        0xc3 => Insn::MonitorExit,
        _ => return None,
    })
}

/// The opcode of an instruction in the form that takes operand bytes: `iload` for a load, `sipush` for an int,
/// `ldc_w` for a constant, `goto` for a jump.
pub(super) fn of(insn: &Insn) -> u8 {
    match *insn {
        Insn::Nop => 0,
        Insn::Null => ACONST_NULL,
        Insn::Int(_) => SIPUSH,
        Insn::Long(value) => LCONST_0 + value,
        Insn::Float(value) => FCONST_0 + value,
        Insn::Double(value) => DCONST_0 + value,
        Insn::Ldc(_) => LDC_W,
        Insn::Load(kind, _) => ILOAD + kind as u8,
        Insn::Store(kind, _) => ISTORE + kind as u8,
        Insn::Inc { .. } => IINC,
        Insn::ArrayLoad(element) => IALOAD + element as u8,
        Insn::ArrayStore(element) => IASTORE + element as u8,
        Insn::Stack(op) => POP + op as u8,
        Insn::Arith(arith, number) => IADD + arith as u8 * 4 + number as u8,
        Insn::Neg(number) => INEG + number as u8,
        Insn::Bits(bits, word) => ISHL + bits as u8 * 2 + word as u8,
        Insn::Convert(convert) => I2L + convert as u8,
        Insn::Compare(compare) => LCMP + compare as u8,
        Insn::If(cond, _) => of_cond(cond),
        Insn::Goto(_) => GOTO,
        Insn::Jsr(_) => JSR,
        Insn::Ret(_) => RET,
        Insn::TableSwitch(_) => TABLESWITCH,
        Insn::LookupSwitch(_) => LOOKUPSWITCH,
        Insn::Return(None) => RETURN,
        Insn::Return(Some(kind)) => IRETURN + kind as u8,
        Insn::GetStatic(_) => GETSTATIC,
        Insn::PutStatic(_) => PUTSTATIC,
        Insn::GetField(_) => GETFIELD,
        Insn::PutField(_) => PUTFIELD,
        Insn::InvokeVirtual(_) => INVOKEVIRTUAL,
        Insn::InvokeSpecial(_) => INVOKESPECIAL,
        Insn::InvokeStatic(_) => INVOKESTATIC,
        Insn::InvokeInterface(_) => INVOKEINTERFACE,
        Insn::InvokeDynamic(_) => INVOKEDYNAMIC,
        Insn::New(_) => NEW,
        Insn::NewArray(_) => NEWARRAY,
        Insn::ANewArray(_) => ANEWARRAY,
        Insn::MultiANewArray { .. } => MULTIANEWARRAY,
        Insn::ArrayLength => ARRAYLENGTH,
        Insn::AThrow => ATHROW,
        Insn::CheckCast(_) => CHECKCAST,
        Insn::InstanceOf(_) => INSTANCEOF,
        Insn::MonitorEnter => MONITORENTER,
        Insn::MonitorExit => MONITOREXIT,
    }
}

/// The opcode of a conditional jump.
fn of_cond(cond: Cond) -> u8 {
    match cond {
        Cond::Null | Cond::NonNull => IFNULL + (cond as u8 - Cond::Null as u8),
        _ => IFEQ + cond as u8,
    }
}
