//! What the passes that recordings use insert: reports of outermost calls, notes of reads.

use expect_test::expect;

use super::{PassSet, Sample};
use crate::flags::AccessFlags;
use crate::passes::Outermost;

const OUTERMOST: PassSet =
    PassSet { outermost: Some(Outermost { first: 100, super_reports: false }), ..PassSet::NONE };
const BELOW_ANOTHER: PassSet =
    PassSet { outermost: Some(Outermost { first: 100, super_reports: true }), ..PassSet::NONE };
const READS: PassSet = PassSet { reads: Some(40), ..PassSet::NONE };

#[test]
fn arguments_are_gathered_for_outermost_calls_only() {
    Sample { access: AccessFlags::PUBLIC, ..Sample::of("(I)J") }.check(
        &OUTERMOST,
        "    iload 1\n    i2l\n    lreturn\n",
        expect![[r#"
                invokestatic $Probat.begin ()Z
                ifeq L0
                push 100
                aload 0
                push 1
                anewarray Object
                dup
                push 0
                iload 1
                invokestatic java/lang/Integer.valueOf (I)Ljava/lang/Integer;
                aastore
                invokestatic $Probat.enter (ILObject;[LObject;)V
            L0:
                nop
            L1:
                iload 1
                i2l
                aconst_null
                push 100
                swap
                invokestatic $Probat.left (ILObject;)V
                lreturn
            L2:
                dup
                push 100
                swap
                invokestatic $Probat.failed (ILjava/lang/Throwable;)V
                athrow
            frame L0 [T, int] []
            frame L2 [] [java/lang/Throwable]
            catch L1 L2 L2 any
        "#]],
    );
}

#[test]
fn a_result_with_an_identity_is_passed_on() {
    Sample::of("(Ljava/lang/Object;)Ljava/lang/Object;").check(
        &OUTERMOST,
        "    aload 0\n    areturn\n",
        expect![[r#"
                invokestatic $Probat.begin ()Z
                ifeq L0
                push 100
                aconst_null
                push 1
                anewarray Object
                dup
                push 0
                aload 0
                aastore
                invokestatic $Probat.enter (ILObject;[LObject;)V
            L0:
                nop
            L1:
                aload 0
                dup
                push 100
                swap
                invokestatic $Probat.left (ILObject;)V
                areturn
            L2:
                dup
                push 100
                swap
                invokestatic $Probat.failed (ILjava/lang/Throwable;)V
                athrow
            frame L0 [Object] []
            frame L2 [] [java/lang/Throwable]
            catch L1 L2 L2 any
        "#]],
    );
}

#[test]
fn a_jump_to_the_first_instruction_begins_no_call() {
    Sample::of("(I)V").check(
        &OUTERMOST,
        "L0:\n    iload 0\n    ifeq L0\n    return\nframe L0 [int] []\n",
        expect![[r#"
                invokestatic $Probat.begin ()Z
                ifeq L0
                push 100
                aconst_null
                push 1
                anewarray Object
                dup
                push 0
                iload 0
                invokestatic java/lang/Integer.valueOf (I)Ljava/lang/Integer;
                aastore
                invokestatic $Probat.enter (ILObject;[LObject;)V
            L0:
                nop
            L1:
                iload 0
                ifeq L1
                aconst_null
                push 100
                swap
                invokestatic $Probat.left (ILObject;)V
                return
            L2:
                dup
                push 100
                swap
                invokestatic $Probat.failed (ILjava/lang/Throwable;)V
                athrow
            frame L0 [int] []
            frame L1 [int] []
            frame L2 [] [java/lang/Throwable]
            catch L1 L2 L2 any
        "#]],
    );
}

#[test]
fn a_constructor_announces_a_superclass_that_reports_itself() {
    constructor().check(
        &BELOW_ANOTHER,
        CONSTRUCTOR,
        expect![[r#"
            invokestatic $Probat.begin ()Z
            ifeq L0
            push 100
            aconst_null
            push 0
            anewarray Object
            invokestatic $Probat.enter (ILObject;[LObject;)V
        L0:
            nop
        L1:
            aload 0
        L2:
            invokestatic $Probat.making ()V
            invokespecial S.<init> ()V
            invokestatic $Probat.made ()V
            aload 0
            push 100
            swap
            invokestatic $Probat.left (ILObject;)V
        L3:
            return
        L4:
            dup
            push 100
            swap
            invokestatic $Probat.failed (ILjava/lang/Throwable;)V
            athrow
        L5:
            dup
            push 100
            swap
            invokestatic $Probat.failed (ILjava/lang/Throwable;)V
            athrow
        frame L0 [uninit this] []
        frame L4 [uninit this] [java/lang/Throwable]
        frame L5 [] [java/lang/Throwable]
        catch L1 L2 L4 any
        catch L3 L4 L5 any
    "#]],
    );
}

#[test]
fn a_constructor_stops_counting_while_any_other_superclass_is_made() {
    constructor().check(
        &OUTERMOST,
        CONSTRUCTOR,
        expect![[r#"
            invokestatic $Probat.begin ()Z
            ifeq L0
            push 100
            aconst_null
            push 0
            anewarray Object
            invokestatic $Probat.enter (ILObject;[LObject;)V
        L0:
            nop
        L1:
            aload 0
        L2:
            invokestatic $Probat.pause ()V
            invokespecial S.<init> ()V
            invokestatic $Probat.resume ()V
            aload 0
            push 100
            swap
            invokestatic $Probat.left (ILObject;)V
        L3:
            return
        L4:
            dup
            push 100
            swap
            invokestatic $Probat.failed (ILjava/lang/Throwable;)V
            athrow
        L5:
            dup
            push 100
            swap
            invokestatic $Probat.failed (ILjava/lang/Throwable;)V
            athrow
        frame L0 [uninit this] []
        frame L4 [uninit this] [java/lang/Throwable]
        frame L5 [] [java/lang/Throwable]
        catch L1 L2 L4 any
        catch L3 L4 L5 any
    "#]],
    );
}

#[test]
fn a_constructor_announces_another_of_its_own_class() {
    constructor().check(
        &OUTERMOST,
        "    aload 0\n    push 1\n    invokespecial T.<init> (I)V\n    return\n",
        expect![[r#"
                invokestatic $Probat.begin ()Z
                ifeq L0
                push 100
                aconst_null
                push 0
                anewarray Object
                invokestatic $Probat.enter (ILObject;[LObject;)V
            L0:
                nop
            L1:
                aload 0
                push 1
            L2:
                invokestatic $Probat.making ()V
                invokespecial T.<init> (I)V
                invokestatic $Probat.made ()V
                aload 0
                push 100
                swap
                invokestatic $Probat.left (ILObject;)V
            L3:
                return
            L4:
                dup
                push 100
                swap
                invokestatic $Probat.failed (ILjava/lang/Throwable;)V
                athrow
            L5:
                dup
                push 100
                swap
                invokestatic $Probat.failed (ILjava/lang/Throwable;)V
                athrow
            frame L0 [uninit this] []
            frame L4 [uninit this] [java/lang/Throwable]
            frame L5 [] [java/lang/Throwable]
            catch L1 L2 L4 any
            catch L3 L4 L5 any
        "#]],
    );
}

#[test]
fn reads_of_fields_of_both_widths_are_noted_and_statics_are_not() {
    let sample = Sample { access: AccessFlags::PUBLIC, ..Sample::of("()V") };
    let code = "    aload 0\n    getfield T.l J\n    pop2\n    aload 0\n    getfield T.i I\n    pop\n    aload 0\n    getfield T.l J\n\
         pop2\n    getstatic T.s I\n    pop\n    return\n";
    sample.check(
        &READS,
        code,
        expect![[r#"
        aload 0
        dup
        getfield T.l J
        dup2_x1
        pop2
        push 40
        invokestatic $Probat.read (LObject;I)V
        pop2
        aload 0
        dup
        getfield T.i I
        swap
        push 41
        invokestatic $Probat.read (LObject;I)V
        pop
        aload 0
        dup
        getfield T.l J
        dup2_x1
        pop2
        push 40
        invokestatic $Probat.read (LObject;I)V
        pop2
        getstatic T.s I
        pop
        return
    "#]],
    );
    let names: Vec<String> =
        sample.instrument(code, &READS).reads.iter().map(|read| read.name.clone()).collect();
    assert_eq!(names, ["l", "i"], "a field has one number");
}

#[test]
fn reads_of_elements_are_noted_with_their_index() {
    Sample::of("([D[Ljava/lang/Object;)V").check(
        &READS,
        "    aload 0\n    push 3\n    daload\n    pop2\n    aload 1\n    push 4\n    aaload\n    pop\n    return\n",
        expect![[r#"
            aload 0
            push 3
            dup2
            invokestatic $Probat.read (LObject;I)V
            daload
            pop2
            aload 1
            push 4
            dup2
            invokestatic $Probat.read (LObject;I)V
            aaload
            pop
            return
        "#]],
    );
}

#[test]
fn an_array_that_the_jdk_may_read_counts_as_read() {
    Sample::of("([I[I)V").check(
        &READS,
        "    aload 0\n    aload 1\n    invokestatic java/util/Arrays.equals ([I[I)Z\n    pop\n    aload 0\n\
         invokevirtual [I.clone ()Ljava/lang/Object;\n    pop\n    aload 0\n    invokestatic T.own ([I)V\n    return\n",
        expect![[r#"
            aload 0
            aload 1
            aconst_null
            push -1
            invokestatic $Probat.read (LObject;I)V
            invokestatic java/util/Arrays.equals ([I[I)Z
            pop
            aload 0
            aconst_null
            push -1
            invokestatic $Probat.read (LObject;I)V
            invokevirtual [I.clone ()LObject;
            pop
            aload 0
            invokestatic T.own ([I)V
            return
        "#]],
    );
}

fn constructor() -> Sample {
    Sample { access: AccessFlags::PUBLIC, name: "<init>", ..Sample::of("()V") }
}

const CONSTRUCTOR: &str = "    aload 0\n    invokespecial S.<init> ()V\n    return\n";
