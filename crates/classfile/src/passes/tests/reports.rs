//! What the passes that report values insert.

use expect_test::expect;

use super::{PassSet, Sample};
use crate::flags::AccessFlags;
use crate::passes::comparisons::Comparison;

const NONE: PassSet = PassSet::NONE;

#[test]
fn nothing_to_do_leaves_the_bytes() {
    let sample = Sample::of("()V");
    let bytes = sample.class("    return\n").write().unwrap();
    assert_eq!(sample.instrument("    return\n", &NONE).bytes, bytes);
}

#[test]
fn arguments_and_results_are_boxed() {
    Sample { access: AccessFlags::PUBLIC, ..Sample::of("(ZJLjava/lang/String;D)J") }.check(
        &PassSet { entry_exit: Some(100), ..NONE },
        "    lload 2\n    lreturn\n",
        expect![[r#"
                push 100
                aload 0
                push 4
                anewarray Object
                dup
                push 0
                iload 1
                invokestatic java/lang/Boolean.valueOf (Z)Ljava/lang/Boolean;
                aastore
                dup
                push 1
                lload 2
                invokestatic java/lang/Long.valueOf (J)Ljava/lang/Long;
                aastore
                dup
                push 2
                aload 4
                aastore
                dup
                push 3
                dload 5
                invokestatic java/lang/Double.valueOf (D)Ljava/lang/Double;
                aastore
                invokestatic $Probat.enter (ILObject;[LObject;)V
            L0:
                lload 2
                dup2
                invokestatic java/lang/Long.valueOf (J)Ljava/lang/Long;
                push 100
                swap
                invokestatic $Probat.exit (ILObject;)V
                lreturn
            L1:
                dup
                push 100
                swap
                invokestatic $Probat.threw (ILjava/lang/Throwable;)V
                athrow
            frame L1 [] [java/lang/Throwable]
            catch L0 L1 L1 any
        "#]],
    );
}

#[test]
fn a_constructor_has_a_handler_before_and_one_after_super() {
    Sample { access: AccessFlags::PUBLIC, name: "<init>", ..Sample::of("(I)V") }.check(
        &PassSet { entry_exit: Some(0), ..NONE },
        "    aload 0\n    new java/lang/Object\n    dup\n    invokespecial java/lang/Object.<init> ()V\n    pop\n\
         invokespecial java/lang/Object.<init> ()V\n    iload 1\n    ifeq L1\n    push 1\n    pop\nL1:\n    return\n\
         frame L1 [T, int] []\n",
        expect![[r#"
                push 0
                aconst_null
                push 1
                anewarray Object
                dup
                push 0
                iload 1
                invokestatic java/lang/Integer.valueOf (I)Ljava/lang/Integer;
                aastore
                invokestatic $Probat.enter (ILObject;[LObject;)V
            L0:
                aload 0
                new Object
                dup
                invokespecial Object.<init> ()V
                pop
            L1:
                invokespecial Object.<init> ()V
            L2:
                iload 1
                ifeq L3
                push 1
                pop
            L3:
                aload 0
                push 0
                swap
                invokestatic $Probat.exit (ILObject;)V
                return
            L4:
                dup
                push 0
                swap
                invokestatic $Probat.threw (ILjava/lang/Throwable;)V
                athrow
            L5:
                dup
                push 0
                swap
                invokestatic $Probat.threw (ILjava/lang/Throwable;)V
                athrow
            frame L3 [T, int] []
            frame L4 [uninit this] [java/lang/Throwable]
            frame L5 [] [java/lang/Throwable]
            catch L0 L1 L4 any
            catch L2 L4 L5 any
        "#]],
    );
}

#[test]
fn fields_are_reported_with_their_object() {
    Sample { access: AccessFlags::PUBLIC, ..Sample::of("()V") }.check(
        &PassSet { fields: Some(40), ..NONE },
        "    aload 0\n    aload 0\n    getfield T.l J\n    putfield T.l J\n\
         aload 0\n    aload 0\n    getfield T.i I\n    putfield T.i I\n\
         getstatic T.s I\n    putstatic T.s I\n    return\n",
        expect![[r#"
                aload 0
                aload 0
                dup
                getfield T.l J
                dup2_x1
                pop2
                push 40
                invokestatic $Probat.fieldRead (LObject;I)V
                dup2_x1
                pop2
                dup_x2
                dup_x2
                pop
                putfield T.l J
                push 40
                invokestatic $Probat.fieldWritten (LObject;I)V
                aload 0
                aload 0
                dup
                getfield T.i I
                swap
                push 41
                invokestatic $Probat.fieldRead (LObject;I)V
                dup2
                putfield T.i I
                pop
                push 41
                invokestatic $Probat.fieldWritten (LObject;I)V
                getstatic T.s I
                aconst_null
                push 42
                invokestatic $Probat.fieldRead (LObject;I)V
                putstatic T.s I
                aconst_null
                push 42
                invokestatic $Probat.fieldWritten (LObject;I)V
                return
        "#]],
    );
}

#[test]
fn a_write_to_an_object_in_the_making_is_reported_without_it() {
    Sample { access: AccessFlags::PUBLIC, name: "<init>", ..Sample::of("(I)V") }.check(
        &PassSet { fields: Some(0), ..NONE },
        "    aload 0\n    iload 1\n    putfield T.i I\n    aload 0\n    invokespecial java/lang/Object.<init> ()V\n\
         aload 0\n    iload 1\n    putfield T.i I\n    return\n",
        expect![[r#"
                aload 0
                iload 1
                putfield T.i I
                aconst_null
                push 0
                invokestatic $Probat.fieldWritten (LObject;I)V
                aload 0
                invokespecial Object.<init> ()V
                aload 0
                iload 1
                dup2
                putfield T.i I
                pop
                push 0
                invokestatic $Probat.fieldWritten (LObject;I)V
                return
        "#]],
    );
}

#[test]
fn array_stores_of_both_widths_and_arraycopy_are_reported() {
    Sample::of("([JLjava/lang/Object;)V").check(
        &PassSet { arrays: true, ..NONE },
        "    aload 0\n    push 0\n    lconst_1\n    lastore\n    aload 1\n    push 0\n    aload 0\n    push 1\n    push 2\n\
         invokestatic java/lang/System.arraycopy (Ljava/lang/Object;ILjava/lang/Object;II)V\n    return\n",
        expect![[r#"
                aload 0
                push 0
                lconst_1
                dup2_x2
                pop2
                dup2_x2
                pop
                invokestatic $Probat.arrayWritten (LObject;)V
                lastore
                aload 1
                push 0
                aload 0
                push 1
                push 2
                dup2_x1
                pop2
                dup_x2
                invokestatic $Probat.arrayWritten (LObject;)V
                invokestatic java/lang/System.arraycopy (LObject;ILObject;II)V
                return
        "#]],
    );
}

#[test]
fn operands_are_copied_before_they_are_compared() {
    let sample = Sample::of("(IJD)V");
    let passes = PassSet { comparisons: Some(0), ..NONE };
    let code = "    iload 0\n    push 7\n    if_icmpge L1\n    lload 1\n    lload 1\n    lcmp\n    ifne L1\n    dload 3\n    dload 3\n\
         dcmpg\n    iflt L1\n    iload 0\n    ifeq L1\nL1:\n    return\nframe L1 [int, long, double] []\n";
    sample.check(
        &passes,
        code,
        expect![[r#"
            iload 0
            push 7
            dup2
            push 0
            invokestatic $Probat.cmpInt (III)V
            if_icmpge L0
            lload 1
            lload 1
            lstore 4
            dup2
            lload 4
            push 1
            invokestatic $Probat.cmpLong (JJI)V
            lload 4
            lcmp
            ifne L0
            dload 3
            dload 3
            dstore 4
            dup2
            dload 4
            push 2
            invokestatic $Probat.cmpDouble (DDI)V
            dload 4
            dcmpg
            iflt L0
            iload 0
            dup
            push 0
            push 3
            invokestatic $Probat.cmpInt (III)V
            ifeq L0
        L0:
            return
        frame L0 [int, long, double] []
    "#]],
    );
    let sites = sample.instrument(code, &passes).comparisons;
    let kinds: Vec<&Comparison> = sites.iter().map(|site| &site.kind).collect();
    expect!["[Ints(IcmpGe), Longs, Doubles, Zero(Eq)]"].assert_eq(&format!("{kinds:?}"));
}

#[test]
fn texts_classes_and_keys_are_compared_too() {
    let sample = Sample::of("(Ljava/lang/String;Ljava/lang/Object;)V");
    let passes = PassSet { comparisons: Some(3), ..NONE };
    let code = "    aload 0\n    ldc string \"x\"\n    invokevirtual java/lang/String.startsWith (Ljava/lang/String;)Z\n\
         ifeq L1\n    aload 1\n    instanceof java/lang/Integer\n    ifeq L1\n    aload 0\n    aload 1\n    if_acmpeq L1\n\
         push 4\n    lookupswitch [9: L1] L1\nL1:\n    return\n\
         frame L1 [java/lang/String, java/lang/Object] []\n";
    sample.check(
        &passes,
        code,
        expect![[r#"
            aload 0
            ldc string "x"
            dup2
            push 3
            invokestatic $Probat.cmpRef (LObject;LObject;I)V
            invokevirtual java/lang/String.startsWith (Ljava/lang/String;)Z
            ifeq L0
            aload 1
            dup
            aconst_null
            push 4
            invokestatic $Probat.instance (LObject;Ljava/lang/Class;I)V
            instanceof java/lang/Integer
            ifeq L0
            aload 0
            aload 1
            dup2
            push 5
            invokestatic $Probat.cmpRef (LObject;LObject;I)V
            if_acmpeq L0
            push 4
            dup
            push 0
            push 6
            invokestatic $Probat.cmpInt (III)V
            lookupswitch [9: L0] L0
        L0:
            return
        frame L0 [java/lang/String, Object] []
    "#]],
    );
    let sites = sample.instrument(code, &passes).comparisons;
    let kinds: Vec<&Comparison> = sites.iter().map(|site| &site.kind).collect();
    expect![[r#"[Call { owner: "java/lang/String", name: "startsWith" }, Class(ClassName("java/lang/Integer")), Identity, Keys([9])]"#]].assert_eq(&format!("{kinds:?}"));
}

#[test]
fn a_written_static_leaves_a_mark() {
    Sample::of("()V").check(
        &PassSet { statics: true, ..NONE },
        "    getstatic T.s I\n    putstatic T.s I\n    return\n",
        expect![[r#"
                getstatic T.s I
                putstatic T.s I
                dirty 5
                return
        "#]],
    );
}
