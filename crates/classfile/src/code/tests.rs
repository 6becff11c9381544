//! Broken code says where it is broken; passes get what they ask of instructions.

use expect_test::{Expect, expect};

use super::{Insn, Node, VerificationType};
use crate::attribute::Attribute;
use crate::class::{ClassFile, Method};
use crate::code::text::parse;
use crate::flags::AccessFlags;
use crate::pool::ConstantPool;

/// A class with one static method whose `Code` attribute has this content.
fn class_with_code(content: Vec<u8>) -> ClassFile {
    let mut pool = ConstantPool::new();
    let this_class = pool.add_class("A").unwrap();
    let name = pool.add_text("f").unwrap();
    let descriptor = pool.add_text("()V").unwrap();
    // Index 5: named by the attributes below.
    pool.add_text("StackMapTable").unwrap();
    let attributes = vec![Attribute::new(&mut pool, "Code", content).unwrap()];
    let methods = vec![Method { access: AccessFlags::STATIC, name, descriptor, attributes }];
    ClassFile {
        minor: 0,
        major: 61,
        pool,
        access: AccessFlags::default(),
        this_class,
        super_class: None,
        interfaces: Vec::new(),
        fields: Vec::new(),
        methods,
        attributes: Vec::new(),
    }
}

#[track_caller]
fn check(content: Vec<u8>, expected: Expect) {
    let class = class_with_code(content);
    expected.assert_eq(&class.code(&class.methods[0]).unwrap_err().to_string());
}

/// A `Code` with these instructions and nothing else.
fn insns(code: &[u8]) -> Vec<u8> {
    [&[0, 0, 0, 0, 0, 0, 0, code.len() as u8][..], code, &[0, 0, 0, 0]].concat()
}

/// A `Code` of `nop`, `nop`, `return` with one entry in its exception table: start, end, handler.
fn handler(entry: [u8; 6]) -> Vec<u8> {
    [&[0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0xb1, 0, 1][..], &entry, &[0, 0], &[0, 0]].concat()
}

/// A `Code` of `nop`, `return` with this content of a `StackMapTable`.
fn frames(table: &[u8]) -> Vec<u8> {
    let head = [0, 0, 0, 0, 0, 0, 0, 2, 0, 0xb1, 0, 0, 0, 1, 0, 5, 0, 0, 0, table.len() as u8];
    [&head[..], table].concat()
}

#[test]
fn broken_instructions_say_where() {
    check(vec![0, 0], expect!["Code at byte 2: needs 2 more bytes, 0 are left"]);
    check(insns(&[]), expect!["Code at byte 8: code is 0 bytes long, allowed are 1 to 65535"]);
    check(insns(&[0x00, 0xfe]), expect!["instruction at byte 9: unknown opcode 0xfe"]);
    check(insns(&[0x00, 0x11, 0x01]), expect!["instruction at byte 10: needs 2 more bytes, 1 are left"]);
    check(insns(&[0xc4, 0x00]), expect!["instruction at byte 9: `wide` before opcode 0x00"]);
    check(insns(&[0xbc, 0x03]), expect!["instruction at byte 9: array type code 3 is none of 4 to 11"]);
    check(
        insns(&[0xa7, 0x00, 0x09]),
        expect!["instruction at byte 8: no instruction starts at code offset 9"],
    );
    check(
        insns(&[0xa7, 0xff, 0xff]),
        expect!["instruction at byte 8: no instruction starts at code offset -1"],
    );
    check(
        insns(&[0xa7, 0x00, 0x01]),
        expect!["jump target at byte 9: no instruction starts at code offset 1"],
    );
    let table_switch = [&[0xaa, 0, 0, 0, 0, 0, 0, 0][..], &i32::MIN.to_be_bytes(), &i32::MAX.to_be_bytes()];
    check(
        insns(&table_switch.concat()),
        expect![
            "instruction at byte 8: switch with 4294967296 entries where at least 0 and at most 65535 can stand"
        ],
    );
}

#[test]
fn broken_tables_say_where() {
    check(
        handler([0, 2, 0, 2, 0, 0]),
        expect!["exception table at byte 21: code range 2..2 is empty or backwards"],
    );
    check(
        handler([0, 0, 0, 2, 0, 3]),
        expect!["exception table at byte 21: no instruction starts at code offset 3"],
    );
    check(frames(&[0, 1, 5]), expect!["StackMapTable at byte 22: no instruction starts at code offset 5"]);
    check(frames(&[0, 1, 200]), expect!["StackMapTable at byte 22: unknown frame type 200"]);
    check(
        frames(&[0, 1, 248, 0, 0]),
        expect!["StackMapTable at byte 22: takes 3 locals from a frame that has fewer"],
    );
    check(frames(&[0, 1, 64, 9]), expect!["StackMapTable at byte 23: unknown verification type 9"]);
    check(frames(&[0, 0, 0]), expect!["StackMapTable at byte 22: 1 bytes follow where it should end"]);
}

#[test]
fn frames_that_explode_are_refused() {
    // Each frame keeps 60,000 locals and is one byte long.
    let count = 60_000u16;
    let full: Vec<u8> = [&[255, 0, 0][..], &count.to_be_bytes(), &[1; 60_000], &[0, 0]].concat();
    let table = [&1_000u16.to_be_bytes()[..], &full, &[0; 999]].concat();
    let mut content = vec![0, 0, 0, 0, 0, 0, 0x03, 0xe8];
    content.extend([0; 1000]);
    content.extend([0, 0, 0, 1, 0, 5]);
    content.extend((table.len() as u32).to_be_bytes());
    content.extend(table);
    check(
        content,
        expect!["StackMapTable at byte 61095: frames of one method have more than 4194304 entries"],
    );
}

#[test]
fn instructions_stay_small() {
    assert_eq!(size_of::<Insn>(), 16);
    assert_eq!(size_of::<Node>(), 16);
    assert_eq!(size_of::<VerificationType>(), 8);
}

#[test]
fn instructions_know_their_effect() {
    #[track_caller]
    fn check(text: &str, pops: u16, pushes: u16) {
        let mut pool = ConstantPool::new();
        let code = parse(text, &mut pool).unwrap();
        let effect = code.insns().next().unwrap().stack_effect(&pool).unwrap();
        assert_eq!((effect.pops, effect.pushes), (pops, pushes), "{text}");
    }
    check("ldc long 1", 0, 2);
    check("ldc dynamic 0 x D", 0, 2);
    check("ldc string \"\"", 0, 1);
    check("lastore", 4, 0);
    check("daload", 2, 2);
    check("dup2_x1", 3, 5);
    check("lshl", 3, 2);
    check("land", 4, 2);
    check("dcmpg", 4, 1);
    check("l2i", 2, 1);
    check("if_acmpne a", 2, 0);
    check("ifnull a", 1, 0);
    check("putfield a/B.f J", 3, 0);
    check("getstatic a/B.f J", 0, 2);
    check("invokevirtual a/B.m (IJ[[DLa/B;)J", 6, 2);
    check("invokestatic a/B.m ()V", 0, 0);
    check("invokedynamic 0 m (D)La/B;", 2, 1);
    check("multianewarray [[I 2", 2, 1);
}

#[test]
fn jumps_list_and_change_their_targets() {
    let mut pool = ConstantPool::new();
    let mut code = parse("a:\nb:\nc:\nlookupswitch [1: a, 2: b] c\nifeq a\nreturn", &mut pool).unwrap();
    let targets: Vec<Vec<usize>> =
        code.insns().map(|insn| insn.jump_targets().map(|label| label.number()).collect()).collect();
    assert_eq!(targets, [vec![2, 0, 1], vec![0], vec![]]);
    let falls: Vec<bool> = code.insns().map(Insn::can_fall_through).collect();
    assert_eq!(falls, [false, true, false]);
    let fresh = code.labels.fresh();
    for node in &mut code.nodes {
        if let Node::Insn(insn) = node {
            insn.change_targets(|label| *label = fresh);
        }
    }
    assert!(code.insns().flat_map(Insn::jump_targets).all(|label| label == fresh));
    assert_eq!(code.insns().flat_map(Insn::jump_targets).count(), 4);
}
