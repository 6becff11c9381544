//! Where edge probes go.

use expect_test::expect;

use super::{EDGES, Sample};
use crate::class::ClassFile;
use crate::passes::edges::{self, Depth, EdgeKind, Skipped};
use crate::passes::instrument;
use crate::passes::tests::shown;

#[test]
fn a_branch_whose_target_has_one_way_in_needs_no_trampoline() {
    Sample::of("(I)I").check(
        &EDGES,
        "    iload 0\n    ifeq L1\n    push 1\n    ireturn\nL1:\n    push 0\n    ireturn\nframe L1 [int] []\n",
        expect![[r#"
                page 0
                probe 0
                iload 0
                ifeq L0
                probe 2
                push 1
                ireturn
            L0:
                probe 1
                push 0
                ireturn
            frame L0 [int] []
        "#]],
    );
}

#[test]
fn a_join_is_reached_through_a_trampoline_with_its_frame() {
    Sample::of("(I)V").check(
        &EDGES,
        "    iload 0\n    ifeq L1\n    iinc 0 1\nL1:\n    return\nframe L1 [int] []\n",
        expect![[r#"
                page 0
                probe 0
                iload 0
                ifeq L1
                probe 2
                iinc 0 1
            L0:
                return
            L1:
                probe 1
                goto L0
            frame L0 [int] []
            frame L1 [int] []
        "#]],
    );
}

#[test]
fn a_loop_may_start_with_the_method() {
    Sample::of("(I)V").check(
        &EDGES,
        "L0:\n    iinc 0 -1\n    iload 0\n    ifgt L0\n    return\nframe L0 [int] []\n",
        expect![[r#"
                page 0
                probe 0
            L0:
                iinc 0 -1
                iload 0
                ifgt L1
                probe 2
                return
            L1:
                probe 1
                goto L0
            frame L0 [int] []
            frame L1 [int] []
        "#]],
    );
}

#[test]
fn a_jump_to_itself_gets_a_trampoline() {
    Sample::of("(I)V").check(
        &EDGES,
        "L0:\n    iload 0\nL1:\n    ifeq L0\n    push 1\n    goto L1\nframe L0 [int] []\nframe L1 [int] [int]\n",
        expect![[r#"
                page 0
                probe 0
            L0:
                iload 0
            L1:
                ifeq L2
                probe 2
                push 1
                goto L1
            L2:
                probe 1
                goto L0
            frame L0 [int] []
            frame L1 [int] [int]
            frame L2 [int] []
        "#]],
    );
}

#[test]
fn keys_with_one_target_are_one_arm_and_holes_are_the_default() {
    Sample::of("(I)I").check(
        &EDGES,
        "    iload 0\n    tableswitch 1 [L1, L9, L1, L2] L9\nL1:\n    push 1\n    ireturn\nL2:\n    iinc 0 1\n\
         L9:\n    iload 0\n    ireturn\nframe L1 [int] []\nframe L2 [int] []\nframe L9 [int] []\n",
        expect![[r#"
                page 0
                probe 0
                iload 0
                tableswitch 1 [L0, L3, L0, L1] L3
            L0:
                probe 1
                push 1
                ireturn
            L1:
                probe 2
                iinc 0 1
            L2:
                iload 0
                ireturn
            L3:
                probe 3
                goto L2
            frame L0 [int] []
            frame L1 [int] []
            frame L2 [int] []
            frame L3 [int] []
        "#]],
    );
}

#[test]
fn a_trampoline_is_covered_like_its_target() {
    Sample::of("(Ljava/lang/Object;I)V").check(
        &EDGES,
        "    aload 0\n    monitorenter\nL0:\n    iload 1\n    ifeq L1\n    iinc 1 1\nL1:\n    aload 0\n    monitorexit\n\
         L2:\n    return\nL3:\n    aload 0\n    monitorexit\nL4:\n    athrow\n\
         catch L0 L2 L3 any\ncatch L3 L4 L3 any\n\
         frame L1 [java/lang/Object, int] []\nframe L3 [java/lang/Object, int] [java/lang/Throwable]\n",
        expect![[r#"
                page 0
                probe 0
                aload 0
                monitorenter
            L0:
                iload 1
                ifeq L5
                probe 2
                iinc 1 1
            L1:
                aload 0
                monitorexit
            L2:
                return
            L3:
                probe 3
                aload 0
                monitorexit
            L4:
                athrow
            L5:
                probe 1
                goto L1
            L6:
            frame L1 [Object, int] []
            frame L3 [Object, int] [java/lang/Throwable]
            frame L5 [Object, int] []
            catch L0 L2 L3 any
            catch L3 L4 L3 any
            catch L5 L6 L3 any
        "#]],
    );
}

#[test]
fn a_handler_that_is_also_jumped_to_gets_a_trampoline() {
    Sample::of("(Ljava/lang/Exception;)V").check(
        &EDGES,
        "    aload 0\n    goto L1\nL0:\n    invokestatic T.g ()V\n    return\nL1:\n    pop\n    goto L0\n\
         catch L0 L1 L1 java/lang/Exception\n\
         frame L0 [java/lang/Exception] []\n\
         frame L1 [java/lang/Exception] [java/lang/Exception]\n",
        expect![[r#"
                page 0
                probe 0
                aload 0
                goto L1
            L0:
                invokestatic T.g ()V
                return
            L1:
                pop
                goto L0
            L2:
                probe 1
                goto L1
            frame L0 [java/lang/Exception] []
            frame L1 [java/lang/Exception] [java/lang/Exception]
            frame L2 [java/lang/Exception] [java/lang/Exception]
            catch L0 L1 L2 java/lang/Exception
        "#]],
    );
}

#[test]
fn a_new_object_stays_tied_to_its_instruction() {
    Sample::of("(I)V").check(
        &EDGES,
        "    iload 0\n    ifeq L3\nL0:\n    new T\n    dup\n    iload 0\n    ifgt L1\n    push 1\n    goto L2\nL1:\n\
         push 2\nL2:\n    invokespecial T.<init> (I)V\n    pop\nL3:\n    return\n\
         frame L1 [int] [uninit L0, uninit L0]\nframe L2 [int] [uninit L0, uninit L0, int]\nframe L3 [int] []\n",
        expect![[r#"
                page 0
                probe 0
                iload 0
                ifeq L4
                probe 2
            L0:
                new T
                dup
                iload 0
                ifgt L1
                probe 4
                push 1
                goto L2
            L1:
                probe 3
                push 2
            L2:
                invokespecial T.<init> (I)V
                pop
            L3:
                return
            L4:
                probe 1
                goto L3
            frame L1 [int] [uninit L0, uninit L0]
            frame L2 [int] [uninit L0, uninit L0, int]
            frame L3 [int] []
            frame L4 [int] []
        "#]],
    );
}

#[test]
fn code_without_frames_is_inverted() {
    let old = Sample { major: 48, ..Sample::of("(I)V") };
    old.check(
        &EDGES,
        "    iload 0\n    ifeq L1\n    iinc 0 1\nL1:\n    jsr L2\n    return\nL2:\n    astore 1\n    ret 1\n",
        expect![[r#"
                page 0
                probe 0
                iload 0
                ifne L0
                probe 1
                goto L1
            L0:
                probe 2
                iinc 0 1
            L1:
                jsr L2
                return
            L2:
                astore 1
                ret 1
        "#]],
    );
}

#[test]
fn numbers_of_a_method_stay_in_one_page() {
    let class = Sample::of("(I)V").class("    iload 0\n    ifeq L1\nL1:\n    return\nframe L1 [int] []\n");
    let mut many = class.clone();
    many.methods = vec![class.methods[0].clone(); 30];
    let plan = edges::plan(&many);
    let firsts: Vec<u32> = plan.methods.iter().map(|method| method.first).collect();
    assert_eq!((firsts[20], firsts[21], firsts[22]), (60, 64, 67));
    assert_eq!(plan.count, 128);
    assert_eq!(plan.edges.len(), 90);
}

#[test]
fn a_method_with_many_edges_marks_all_its_pages() {
    let mut code = String::new();
    for nth in 0..40 {
        code.push_str(&format!("    iload 0\n    ifeq L{nth}\nL{nth}:\n"));
    }
    code.push_str("    return\n");
    let old = Sample { major: 49, ..Sample::of("(I)V") };
    let text = shown(&old.instrument(&code, &EDGES).bytes);
    assert!(text.contains("    page 0\n    page 1\n    probe 0\n"), "{text}");
    assert!(text.contains("    probe 80\n") && !text.contains("    probe 81\n"));
}

/// A method of `steps` increments and `jumps` conditional jumps to its end.
fn long_method(steps: usize, jumps: usize) -> ClassFile {
    let mut code = "    iload 0\n    ifeq L0\n".repeat(jumps);
    code.push_str(&"    iinc 0 1\n".repeat(steps));
    code.push_str("L0:\n    return\nframe L0 [int] []\n");
    Sample::of("(I)V").class(&code)
}

#[test]
fn a_method_near_the_limit_of_the_jit_gets_fewer_probes() {
    let depth = |steps, jumps| {
        let class = long_method(steps, jumps);
        let plan = edges::plan(&class);
        let bytes = instrument(&class.write().unwrap(), &EDGES).unwrap();
        assert_eq!(bytes.report.huge.is_empty(), plan.methods[0].depth == Depth::Full);
        (plan.methods[0].depth, plan.edges.len())
    };
    assert_eq!(depth(1000, 100), (Depth::Full, 201));
    assert_eq!(depth(2000, 100), (Depth::Inline, 101));
    assert_eq!(depth(2450, 100), (Depth::EntryOnly, 1));
    assert_eq!(depth(2660, 2), (Depth::Full, 5), "no probe fits below the limit");
    assert_eq!(depth(3000, 100), (Depth::Full, 201), "never compiled anyway");
}

#[test]
fn a_method_without_room_is_left_alone_and_counted() {
    let class = long_method(12000, 2500);
    let bytes = class.write().unwrap();
    let done = instrument(&bytes, &EDGES).unwrap();
    assert!(matches!(done.report.skipped[..], [(0, Skipped::TooLarge(65536..))]), "{:?}", done.report);
    assert_eq!((done.report.instrumented, done.probes), (0, 0));
    assert_eq!(done.bytes, bytes);
}

#[test]
fn far_jumps_are_widened() {
    let class = long_method(11000, 200);
    let done = instrument(&class.write().unwrap(), &EDGES).unwrap();
    assert_eq!((done.report.instrumented, done.report.skipped.len()), (1, 0));
}

#[test]
fn planning_and_applying_agree_with_doing_all_at_once() {
    let class = Sample::of("(I)V").class("    iload 0\n    ifeq L1\nL1:\n    return\nframe L1 [int] []\n");
    let plan = edges::plan(&class);
    let mut applied = class.clone();
    let report = edges::apply(&mut applied, probat_model::ProbeId(0), &plan);
    let done = instrument(&class.write().unwrap(), &EDGES).unwrap();
    assert_eq!((applied.write().unwrap(), report, plan.count), (done.bytes, done.report, done.probes));
}

#[test]
fn edges_are_described_for_people() {
    let class = Sample::of("(I)V").class(
        "L0:\n    iload 0\n    ifne L1\nL1:\n    iload 0\n    lookupswitch [-3: L2, 5: L2] L1\n\
         L2:\n    return\nL3:\n    pop\n    return\ncatch L0 L3 L3 java/lang/Error\nline L0 7\nline L2 9\n\
         frame L1 [int] []\nframe L2 [int] []\nframe L3 [int] [java/lang/Error]\n",
    );
    let plan = edges::plan(&class);
    let lines: Vec<String> = plan.edges.iter().map(|edge| edge.describe(&class)).collect();
    expect![[r#"
        f line 7: entry
        f line 7: != 0
        f line 7: == 0
        f line 7: case -3, 5
        f line 7: default
        f line 9: catch java.lang.Error"#]]
    .assert_eq(&lines.join("\n"));
    assert_eq!(plan.edges[3].kind, EdgeKind::SwitchArm { keys: vec![-3, 5], default: false });
}

#[test]
fn what_is_called_is_known_by_the_edge_before_it() {
    let code = "    iload 0\n    ifeq L1\n    invokestatic T.calm ()V\n    goto L2\nL1:\n    invokestatic T.wild ()V\nL2:\n    \
                iload 0\n    ifeq L3\n    return\nL3:\n    invokestatic T.wild ()V\n    return\n\
                frame L1 [int] []\nframe L2 [int] []\nframe L3 [int] []\n";
    let class = Sample::of("(I)V").class(code);
    let calls = |name: &str| {
        let is_it = |insn: &crate::code::Insn| {
            insn.pool_operand()
                .and_then(|index| class.pool.member_ref(index).ok())
                .is_some_and(|member| member.name == name)
        };
        edges::leads_to(&class, 0, &is_it).unwrap()
    };
    // Entry, both ways at the first jump, both ways at the second.
    assert_eq!(calls("wild"), [false, true, false, true, false]);
    assert_eq!(calls("calm"), [false, false, true, false, false]);
}
