//! Text to code to bytes to code to text: the same text; and what the bytes are.

use expect_test::{Expect, expect};

use super::{parse, render};
use crate::class::{ClassFile, Method};
use crate::code::assemble::{Assembled, Attempt, assemble};
use crate::code::{Code, Insn, Node, VerificationType, opcode};
use crate::error::EncodeError;
use crate::flags::AccessFlags;
use crate::pool::ConstantPool;

/// A class of a version with one static method that takes an int and a string.
fn class(major: u16) -> ClassFile {
    let mut pool = ConstantPool::new();
    let this_class = pool.add_class("Subject").unwrap();
    let super_class = Some(pool.add_class("java/lang/Object").unwrap());
    let name = pool.add_text("f").unwrap();
    let descriptor = pool.add_text("(ILjava/lang/String;)V").unwrap();
    let access = AccessFlags::PUBLIC.with(AccessFlags::STATIC);
    let methods = vec![Method { access, name, descriptor, attributes: Vec::new() }];
    ClassFile {
        minor: 0,
        major,
        pool,
        access: AccessFlags::PUBLIC,
        this_class,
        super_class,
        interfaces: Vec::new(),
        fields: Vec::new(),
        methods,
        attributes: Vec::new(),
    }
}

/// Puts the code into the class, sends the class through bytes and gives the code back.
fn through_bytes(class: &mut ClassFile, code: &Code) -> Result<Code, EncodeError> {
    class.set_code(0, code)?;
    let read = ClassFile::read(&class.write().unwrap()).unwrap();
    assert_eq!(&read, class);
    Ok(read.code(&read.methods[0]).unwrap().unwrap())
}

/// The text comes back as it was.
#[track_caller]
fn check_same(text: &str) {
    let mut class = class(61);
    let code = parse(text, &mut class.pool).unwrap();
    let back = through_bytes(&mut class, &code).unwrap();
    assert_eq!(render(&back, &class.pool), text);
}

/// The code array a text assembles to, in hexadecimal.
#[track_caller]
fn check_bytes(text: &str, expected: Expect) {
    let mut class = class(49);
    let code = parse(text, &mut class.pool).unwrap();
    class.set_code(0, &code).unwrap();
    let content = &class.methods[0].attributes[0].content;
    let length = u32::from_be_bytes(content[4..8].try_into().unwrap()) as usize;
    let shown: Vec<String> = content[8..8 + length].iter().map(|byte| format!("{byte:02x}")).collect();
    expected.assert_eq(&shown.join(" "));
}

#[track_caller]
fn check_error(text: &str, expected: EncodeError) {
    let mut class = class(61);
    let before = class.methods.clone();
    let code = parse(text, &mut class.pool).unwrap();
    assert_eq!(class.set_code(0, &code), Err(expected));
    assert_eq!(class.methods, before);
}

#[test]
fn every_simple_instruction_survives() {
    let names = opcode::NAMES.iter().enumerate().filter(|&(code, name)| {
        let insn = opcode::without_operands(code as u8);
        let short_form = name.contains("load_") || name.contains("store_") || name.starts_with("iconst");
        insn.is_some() && !short_form
    });
    let text: String = names.map(|(_, name)| format!("    {name}\n")).collect();
    assert_eq!(text.lines().count(), 100);
    check_same(&text);
}

#[test]
fn operands_survive() {
    check_same(
        "    push -1
    push 127
    push -32768
    iload 3
    lstore 255
    aload 256
    dstore 65534
    iinc 1 -128
    iinc 256 1
    iinc 1 128
    ret 300
    ldc int 100000
    ldc float -0.0
    ldc long 9223372036854775807
    ldc double NaN
    ldc string \"http://a\\\"\\ud800é\"
    ldc class [I
    ldc methodtype (I)V
    ldc dynamic 0 x J
    getstatic a/B.f I
    putfield a/B.f [[J
    invokevirtual [I.clone ()Ljava/lang/Object;
    invokespecial a/B.<init> ()V
    invokestatic interface a/I.s ()V
    invokeinterface a/I.m (JD)V
    invokedynamic 1 run ()Ljava/lang/Runnable;
    new a/B
    newarray boolean
    newarray long
    anewarray [La/B;
    multianewarray [[[I 2
    checkcast a/B
    instanceof a/B
",
    );
}

#[test]
fn jumps_switches_and_tables_survive() {
    check_same(
        "L0:
    iload 0
    ifeq L3
L1:
    iload 0
    tableswitch -1 [L2, L3, L2] L4
L2:
    iload 0
    lookupswitch [-5: L3, 7: L4] L2
L3:
    aload 1
    ifnonnull L0
    goto L5
L4:
    astore 2
L5:
    return
L6:
frame L2 [int, java/lang/String] []
frame L3 [int, java/lang/String, long, top, null] []
frame L4 [int] [java/lang/Throwable]
frame L5 [int, java/lang/String, uninit this] [double, float]
line L0 10
line L3 9
catch L0 L3 L4 java/lang/Exception
catch L0 L6 L4 any
local L0 L6 0 number I
localtype L1 L5 1 text TT;
",
    );
}

#[test]
fn frames_name_the_new_and_not_the_jump_target() {
    let mut class = class(61);
    let text = "
        start:
            new a/B
            iload 0
            ifeq over
        over:
            invokespecial a/B.<init> ()V
            goto start
        frame start [int, java/lang/String] []
        frame over [int, java/lang/String] [uninit start]";
    let code = parse(text, &mut class.pool).unwrap();
    let mut code = through_bytes(&mut class, &code).unwrap();
    // Code after the first label runs on every way there; the second stays with the `new`.
    code.insert(1, [Node::Insn(Insn::Nop)]);
    let back = through_bytes(&mut class, &code).unwrap();
    expect![[r#"
        L0:
            nop
        L1:
            new a/B
            iload 0
            ifeq L2
        L2:
            invokespecial a/B.<init> ()V
            goto L0
        frame L0 [int, java/lang/String] []
        frame L2 [int, java/lang/String] [uninit L1]
    "#]]
    .assert_eq(&render(&back, &class.pool));
}

#[test]
fn parameters_without_class_constant_are_named_by_number() {
    let mut class = class(61);
    let text = "
            iload 0
            ifeq end
        end:
            return
        frame end [int, parameter 1] []";
    let mut code = parse(text, &mut class.pool).unwrap();
    let before = class.pool.clone();
    let back = through_bytes(&mut class, &code).unwrap();
    assert_eq!(render(&back, &class.pool).lines().last(), Some("frame L0 [int, parameter 1] []"));
    // Only the names of the attributes were added: the frame repeats the entry.
    assert_eq!(class.pool.count(), before.count() + 2);
    // Where it must be spelled out, its class is added.
    code.frames[0].frame.stack = vec![VerificationType::Int; 2];
    let back = through_bytes(&mut class, &code).unwrap();
    let last = render(&back, &class.pool).lines().last().map(str::to_string);
    assert_eq!(last.as_deref(), Some("frame L0 [int, java/lang/String] [int, int]"));
}

#[test]
fn the_shortest_forms_are_chosen() {
    check_bytes(
        "push -1\npush 5\npush 6\npush 128\niload 3\niload 4\nastore 0\nlload 256",
        expect!["02 08 10 06 11 00 80 1d 15 04 4b c4 16 01 00"],
    );
    check_bytes("iinc 1 1\niinc 1 200\nret 1", expect!["84 01 01 c4 84 00 01 00 c8 a9 01"]);
}

#[test]
fn switches_are_padded_by_their_place() {
    for (nops, expected) in [
        (0, expect!["aa 00 00 00 00 00 00 10 00 00 00 05 00 00 00 04"]),
        (1, expect!["00 aa 00 00 00 00 00 0f 00 00 00 05 00 00 00 04"]),
        (3, expect!["00 00 00 aa 00 00 00 0d 00 00 00 05 00 00 00 04"]),
    ] {
        let text = format!("{}tableswitch 5 [] end\nend:", "nop\n".repeat(nops));
        check_bytes(&text, expected);
    }
}

#[test]
fn interface_calls_count_their_slots() {
    check_bytes("invokeinterface a/I.m (J[DLa/B;I)V", expect!["b9 00 0c 06 00"]);
}

#[test]
fn frames_take_their_smallest_form() {
    let mut class = class(61);
    let text = "
            nop
        a:
            nop
        b:
            nop
        c:
            nop
        d:
            nop
        e:
            return
        frame a [int, java/lang/String] []
        frame b [int, java/lang/String] [int]
        frame c [int, java/lang/String, long] []
        frame d [int] []
        frame e [long] []";
    let code = parse(text, &mut class.pool).unwrap();
    class.set_code(0, &code).unwrap();
    let content = &class.methods[0].attributes[0].content;
    let table = &content[8 + 6 + 2 + 2 + 6..];
    // five frames: same at 1, one stack item at +1, append 1, chop 2, full
    assert_eq!(table, [0, 5, 1, 64, 1, 252, 0, 0, 4, 249, 0, 0, 255, 0, 0, 0, 1, 4, 0, 0]);
}

#[test]
fn classes_before_version_50_have_no_frames() {
    let mut class = class(49);
    let code = parse("a:\nreturn\nframe a [int] []", &mut class.pool).unwrap();
    assert_eq!(through_bytes(&mut class, &code).unwrap().frames, []);
}

#[test]
fn the_oldest_classes_have_a_short_head() {
    let mut class = class(45);
    let code = parse("return", &mut class.pool).unwrap();
    class.set_code(0, &code).unwrap();
    assert_eq!(&*class.methods[0].attributes[0].content, [0, 0, 0, 1, 0xb1, 0, 0, 0, 0]);
    assert_eq!(through_bytes(&mut class, &code).unwrap().nodes, code.nodes);
}

#[test]
fn mistakes_of_passes_are_named() {
    let label = |number: u32| crate::code::Label(number);
    check_error("", EncodeError::NoInstructions);
    check_error("goto a", EncodeError::LabelNotPlaced(label(0)));
    check_error("a:\na:\nreturn", EncodeError::LabelPlacedTwice(label(0)));
    check_error("a:\nreturn\ncatch a a a any", EncodeError::BadRange(label(0), label(0)));
    check_error("return\na:\nframe a [] []", EncodeError::FrameBehindCode(1));
    check_error("a:\nb:\nreturn\nframe a [] []\nframe b [int] []", EncodeError::FrameConflict(0));
    check_error("a:\nlookupswitch [2: a, 1: a] a", EncodeError::UnsortedSwitch);
    check_error(&"nop\n".repeat(65536), EncodeError::MethodTooLarge(65536));
}

#[test]
fn far_jumps_become_wide() {
    let filler = "nop\n".repeat(40000);
    check_wide(
        &format!("start:\ngoto end\n{filler}end:\ngoto start"),
        expect![[r#"
            0: goto 40005
            40005: goto 0
        "#]],
    );
    check_wide(
        &format!(
            "start:\nnop\nmiddle:\niload 0\nifeq end\nafter:\n{filler}end:\naload 1\nifnull start\nreturn
            frame start [int, java/lang/String] []\nframe middle [int, java/lang/String] []
            frame end [int, java/lang/String] []"
        ),
        expect![[r#"
            2: ifne 10
            5: goto 40010
            40011: ifnonnull 40019
            40014: goto 0
            frame 0 [int, java/lang/String] []
            frame 1 [int, java/lang/String] []
            frame 10 [int, java/lang/String] []
            frame 40010 [int, java/lang/String] []
            frame 40019 [int, java/lang/String] []
        "#]],
    );
}

#[test]
fn the_frame_behind_a_far_jump_has_the_types_that_hold_there() {
    let filler = "nop\n".repeat(40000);
    check_wide(
        &format!(
            "new java/lang/Integer\ndup\nldc long 5\nlstore 2\npush 3\nanewarray java/lang/String\npush 0\naaload
            iload 0\nifeq end\npop\npush 1\ninvokespecial java/lang/Integer.<init> (I)V\npop
            {filler}end:\nathrow\nframe end [int, java/lang/String] [top, top, java/lang/Throwable]"
        ),
        expect![[r#"
            15: ifne 23
            18: goto 40029
            frame 23 [int, java/lang/String, long] [uninit 0, uninit 0, java/lang/String]
            frame 40029 [int, java/lang/String] [top, top, java/lang/Throwable]
        "#]],
    );
}

/// Shows jumps and frames of the code a text becomes, with offsets for labels.
#[track_caller]
fn check_wide(text: &str, expected: Expect) {
    let mut class = class(61);
    let code = parse(text, &mut class.pool).unwrap();
    let mut back = through_bytes(&mut class, &code).unwrap();
    // Before each jump a label, so that its offset is known.
    let mut jumps = Vec::new();
    back.rewrite(|node, labels, out| {
        if let Node::Insn(insn @ (Insn::If(..) | Insn::Goto(_))) = &node {
            let mark = labels.fresh();
            jumps.push((mark, insn.clone()));
            out.push(mark.into());
        }
        out.push(node);
    });
    let Attempt::Done(assembled) = assemble(&class.pool, &back).unwrap() else { panic!("still too far") };
    let mut shown = String::new();
    for (mark, insn) in jumps {
        let name = opcode::NAMES[usize::from(opcode::of(&insn))];
        let target = insn.jump_targets().next().unwrap();
        let (from, to) = (assembled.offset_of(mark).unwrap(), assembled.offset_of(target).unwrap());
        shown += &format!("{from}: {name} {to}\n");
    }
    let listing = render(&back, &class.pool);
    let offsets = label_offsets(&back, &assembled);
    for line in listing.lines().filter(|line| line.starts_with("frame")) {
        shown += &(with_offsets(line, &offsets) + "\n");
    }
    expected.assert_eq(&shown);
}

/// Offsets of the labels in the order they stand, which is how `render` numbers them.
fn label_offsets(code: &Code, assembled: &Assembled) -> Vec<u32> {
    let labels = code.nodes.iter().filter_map(|node| match node {
        Node::Label(label) => Some(assembled.offset_of(*label).unwrap()),
        Node::Insn(_) => None,
    });
    labels.collect()
}

/// The line with the offset of each label in place of its name.
fn with_offsets(line: &str, offsets: &[u32]) -> String {
    let words = line.split_inclusive([' ', ',', ']']).map(|word| {
        let name = word.trim_matches([' ', ',', '[', ']']);
        match name.strip_prefix('L').and_then(|number| number.parse::<usize>().ok()) {
            Some(number) => word.replace(name, &offsets[number].to_string()),
            None => word.to_string(),
        }
    });
    words.collect()
}
