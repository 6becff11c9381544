//! What scripts mean, step by step.

use expect_test::expect;

use super::check;

#[test]
fn assignments_calls_and_nested_calls_become_steps() {
    check(
        r#"
import java.util.*
list = new ArrayList<String>()      # generic arguments are ignored
list.add("x"); list.add(Integer.valueOf(3)) // two on one line
n = list.size();
"#,
        expect![[r#"
            0 as list: new java.util.ArrayList()V []
            1: literal String("x") []
            2: call java.util.ArrayList.add(Ljava/lang/Object;)Z [0 1]
            3: literal Int(3) []
            4: static java.lang.Integer.valueOf(I)Ljava/lang/Integer; [3]
            5: call java.util.ArrayList.add(Ljava/lang/Object;)Z [0 4]
            6 as n: call java.util.ArrayList.size()I [0]
        "#]],
    );
}

#[test]
fn primitives_are_boxed_widened_and_packed() {
    check(
        r#"
import java.util.*
List<Integer> l = new ArrayList<>(2)
l.add(3)
l.add(0, 'c')
Math.max(1, 2L)
String.format("%d %s", 5, null)
String.format("none")
List.of(new String[] {"a"})
p.Point.sum(1, 2)
"#,
        expect![[r#"
            0: literal Int(2) []
            1 as l: new java.util.ArrayList(I)V [0]
            2: literal Int(3) []
            3: convert int java.lang.Integer [2]
            4: call java.util.List.add(Ljava/lang/Object;)Z interface [1 3]
            5: literal Int(0) []
            6: literal Char(99) []
            7: convert char java.lang.Character [6]
            8: call java.util.List.add(ILjava/lang/Object;)V interface [1 5 7]
            9: literal Long(1) []
            10: literal Long(2) []
            11: static java.lang.Math.max(JJ)J [9 10]
            12: literal String("%d %s") []
            13: literal Int(5) []
            14: convert int java.lang.Integer [13]
            15: literal Null(Class(ClassName("java/lang/Object"))) []
            16: arrayof java.lang.Object 2 [14 15]
            17: static java.lang.String.format(Ljava/lang/String;[Ljava/lang/Object;)Ljava/lang/String; [12 16]
            18: literal String("none") []
            19: arrayof java.lang.Object 0 []
            20: static java.lang.String.format(Ljava/lang/String;[Ljava/lang/Object;)Ljava/lang/String; [18 19]
            21: literal String("a") []
            22: arrayof java.lang.String 1 [21]
            23: static java.util.List.of([Ljava/lang/Object;)Ljava/util/List; interface [22]
            24: literal Int(1) []
            25: literal Int(2) []
            26: arrayof int 2 [24 25]
            27: static p.Point.sum([I)I [26]
        "#]],
    );
}

#[test]
fn overloads_follow_the_three_phases() {
    check(
        r#"
sb = new StringBuilder()
sb.append('c').append(1).append("s").append((Object) "o")
sb.append((String) null)
sb.capacity()
"a".compareTo("b")
"#,
        expect![[r#"
            0 as sb: new java.lang.StringBuilder()V []
            1: literal Char(99) []
            2: call java.lang.StringBuilder.append(C)Ljava/lang/StringBuilder; [0 1]
            3: literal Long(1) []
            4: call java.lang.StringBuilder.append(J)Ljava/lang/StringBuilder; [2 3]
            5: literal String("s") []
            6: call java.lang.StringBuilder.append(Ljava/lang/String;)Ljava/lang/StringBuilder; [4 5]
            7: literal String("o") []
            8: call java.lang.StringBuilder.append(Ljava/lang/Object;)Ljava/lang/StringBuilder; [6 7]
            9: literal Null(Class(ClassName("java/lang/String"))) []
            10: call java.lang.StringBuilder.append(Ljava/lang/String;)Ljava/lang/StringBuilder; [0 9]
            11: call java.lang.StringBuilder.capacity()I [0]
            12: literal String("a") []
            13: literal String("b") []
            14: call java.lang.String.compareTo(Ljava/lang/String;)I [12 13]
        "#]],
    );
}

#[test]
fn fields_statics_and_enums() {
    check(
        r#"
o = new p.Point(1, -2)
o.x = 3
o.b = 5
o.box = 6
x = o.x
p.Point.count = x
Integer.MAX_VALUE
d = Double.NaN
c = o.hidden
p.Color.RED
"#,
        expect![[r#"
            0: literal Int(1) []
            1: literal Int(-2) []
            2 as o: new p.Point(II)V [0 1]
            3: literal Int(3) []
            4: putfield p.Point.x int [2 3]
            5: literal Byte(5) []
            6: putfield p.Point.b byte [2 5]
            7: literal Int(6) []
            8: convert int java.lang.Integer [7]
            9: putfield p.Point.box java.lang.Integer [2 8]
            10 as x: getfield p.Point.x int [2]
            11: putstatic p.Point.count int [10]
            12: getstatic java.lang.Integer.MAX_VALUE int []
            13 as d: getstatic java.lang.Double.NaN double []
            14 as c: getfield p.Point.hidden int [2]
            15: getstatic p.Color.RED p.Color []
            note: field `hidden` of `p.Point` is package-private
              --> s:10:7
               |
            10 | c = o.hidden
               |       ^^^^^^ only a test in the same package can use it
        "#]],
    );
}

#[test]
fn arrays() {
    check(
        r#"
a = new int[] {1, 2, 3}
a[0] = 7
x = a[1]
a.length
s = new String[3]
byte[] b = {1, 2}
int[][] g = {{1}, {}}
h = new long[2][3]
k = new long[2][]
c = a.clone()
"#,
        expect![[r#"
            0: literal Int(1) []
            1: literal Int(2) []
            2: literal Int(3) []
            3 as a: arrayof int 3 [0 1 2]
            4: literal Int(0) []
            5: literal Int(7) []
            6: arrayset int [3 4 5]
            7: literal Int(1) []
            8 as x: arrayget int [3 7]
            9: arraylength [3]
            10: literal Int(3) []
            11 as s: newarray java.lang.String [10]
            12: literal Byte(1) []
            13: literal Byte(2) []
            14 as b: arrayof byte 2 [12 13]
            15: literal Int(1) []
            16: arrayof int 1 [15]
            17: arrayof int 0 []
            18 as g: arrayof int[] 2 [16 17]
            19: literal Int(3) []
            20: newarray long [19]
            21: literal Int(3) []
            22: newarray long [21]
            23 as h: arrayof long[] 2 [20 22]
            24: literal Int(2) []
            25 as k: newarray long[] [24]
            26: call java.lang.Object.clone()Ljava/lang/Object; [3]
            27 as c: cast int[] [26]
        "#]],
    );
}

#[test]
fn literals() {
    check(
        r#"
0x10; 1L; 1f; 1.5; 'a'; '\u0041'; "a\ud800\n\0"; true; null
int.class; String[].class; java.util.Map.Entry.class; Map$Entry.class
import java.util.*
(byte) 300; (char) 65; (long) 1.9e30; (Object) 5; (int) (Object) 5
"#,
        expect![[r#"
            0: literal Int(16) []
            1: literal Long(1) []
            2: literal Float(1065353216) []
            3: literal Double(4609434218613702656) []
            4: literal Char(97) []
            5: literal Char(65) []
            6: literal String("a\ud800\n\u0000") []
            7: literal Boolean(true) []
            8: literal Null(Class(ClassName("java/lang/Object"))) []
            9: literal Class(Int) []
            10: literal Class(Array(Class(ClassName("java/lang/String")))) []
            11: literal Class(Class(ClassName("java/util/Map$Entry"))) []
            12: literal Class(Class(ClassName("java/util/Map$Entry"))) []
            13: literal Byte(44) []
            14: literal Char(65) []
            15: literal Long(9223372036854775807) []
            16: literal Int(5) []
            17: convert int java.lang.Integer [16]
            18: literal Int(5) []
            19: convert int java.lang.Integer [18]
            20: cast java.lang.Integer [19]
            21: convert java.lang.Integer int [20]
        "#]],
    );
}

#[test]
fn lambdas() {
    check(
        r#"
import java.util.function.*
j = new p.Jobs()
other = new Object()
j.map(x -> x)
j.map(x -> other)
j.map((Object x) -> { return "k"; })
j.submit(() -> 5)
j.submit(() -> { })
j.submit(() -> { throw new IllegalStateException() })
j.number(() -> 'c')
c = (java.util.Comparator) (a, b) -> 1
Supplier s = () -> null
Function f = y -> Integer.MAX_VALUE
"#,
        expect![[r#"
            0 as j: new p.Jobs()V []
            1 as other: new java.lang.Object()V []
            2: stub java.util.function.Function apply(Ljava/lang/Object;)Ljava/lang/Object;=Parameter(0) []
            3: call p.Jobs.map(Ljava/util/function/Function;)V [0 2]
            4: stub java.util.function.Function apply(Ljava/lang/Object;)Ljava/lang/Object;=Captured(0) [1]
            5: call p.Jobs.map(Ljava/util/function/Function;)V [0 4]
            6: stub java.util.function.Function apply(Ljava/lang/Object;)Ljava/lang/Object;=String("k") []
            7: call p.Jobs.map(Ljava/util/function/Function;)V [0 6]
            8: stub java.util.function.Supplier get()Ljava/lang/Object;=Int(5) []
            9: call p.Jobs.submit(Ljava/util/function/Supplier;)Ljava/lang/Object; [0 8]
            10: stub java.lang.Runnable run()V=Default []
            11: call p.Jobs.submit(Ljava/lang/Runnable;)V [0 10]
            12: stub java.util.function.Supplier get()Ljava/lang/Object;=Throw(ClassName("java/lang/IllegalStateException")) []
            13: call p.Jobs.submit(Ljava/util/function/Supplier;)Ljava/lang/Object; [0 12]
            14: stub java.util.function.IntSupplier getAsInt()I=Int(99) []
            15: call p.Jobs.number(Ljava/util/function/IntSupplier;)V [0 14]
            16 as c: stub java.util.Comparator compare(Ljava/lang/Object;Ljava/lang/Object;)I=Int(1) []
            17 as s: stub java.util.function.Supplier get()Ljava/lang/Object;=Default []
            18: getstatic java.lang.Integer.MAX_VALUE int []
            19: convert int java.lang.Integer [18]
            20 as f: stub java.util.function.Function apply(Ljava/lang/Object;)Ljava/lang/Object;=Captured(0) [19]
        "#]],
    );
}

#[test]
fn stubs() {
    check(
        r#"
import java.util.*
l = stub List { size: 3, get: "x", add(Object): true }
s = stub p.Shape(1, "n") { area: 2, name: "circle" }
t = "kept"
stub p.Shape(1, "n") { name: t }
m = stub Map { get: k -> k }
v = stub Number { intValue: { throw new IllegalStateException() } }
"#,
        expect![[r#"
            0 as l: stub java.util.List add(ILjava/lang/Object;)V=Default add(Ljava/lang/Object;)Z=Boolean(true) get(I)Ljava/lang/Object;=String("x") iterator()Ljava/util/Iterator;=Default size()I=Int(3) []
            1: literal Int(1) []
            2: literal String("n") []
            3 as s: stub p.Shape(ILjava/lang/String;)V area()D=Double(4611686018427387904) name()Ljava/lang/String;=String("circle") [1 2]
            4 as t: literal String("kept") []
            5: literal Int(1) []
            6: literal String("n") []
            7: stub p.Shape(ILjava/lang/String;)V area()D=Default name()Ljava/lang/String;=Captured(0) [5 6 4]
            8 as m: stub java.util.Map get(Ljava/lang/Object;)Ljava/lang/Object;=Parameter(0) []
            9 as v: stub java.lang.Number()V intValue()I=Throw(ClassName("java/lang/IllegalStateException")) []
        "#]],
    );
}

#[test]
fn inner_classes_static_imports_and_packages() {
    check(
        r#"
package p
import static java.lang.Math.*
import static java.lang.Integer.MAX_VALUE
o = new Point(1, 2)
o.new Inner(5)
new Point.Inner(o, 5)
new Point$Inner(o, 6)
max(1, MAX_VALUE)
PI
o.secret()
"#,
        expect![[r#"
            0: literal Int(1) []
            1: literal Int(2) []
            2 as o: new p.Point(II)V [0 1]
            3: literal Int(5) []
            4: new p.Point$Inner(Lp/Point;I)V [2 3]
            5: literal Int(5) []
            6: new p.Point$Inner(Lp/Point;I)V [2 5]
            7: literal Int(6) []
            8: new p.Point$Inner(Lp/Point;I)V [2 7]
            9: getstatic java.lang.Integer.MAX_VALUE int []
            10: literal Int(1) []
            11: static java.lang.Math.max(II)I [10 9]
            12: getstatic java.lang.Math.PI double []
            13: call p.Point.secret()V [2]
            note: `secret()` of `p.Point` is package-private
              --> s:11:3
               |
            11 | o.secret()
               |   ^^^^^^ only a test in the same package can use it
        "#]],
    );
}

#[test]
fn names_are_aliases() {
    check(
        r#"
a = new Object()
b = a
b.hashCode()
n = null
String s = n
new String(s)
"#,
        expect![[r#"
            0 as a: new java.lang.Object()V []
            1: call java.lang.Object.hashCode()I [0]
            2 as n: literal Null(Class(ClassName("java/lang/Object"))) []
            3: new java.lang.String(Ljava/lang/String;)V [2]
        "#]],
    );
}

#[test]
fn statements_may_span_lines() {
    check(
        r#"
sb = new StringBuilder()
  .append(
     "x"
  )
  .append('y')
n = Math.max(1,

  2)
"#,
        expect![[r#"
            0: new java.lang.StringBuilder()V []
            1: literal String("x") []
            2: call java.lang.StringBuilder.append(Ljava/lang/String;)Ljava/lang/StringBuilder; [0 1]
            3: literal Char(121) []
            4 as sb: call java.lang.StringBuilder.append(C)Ljava/lang/StringBuilder; [2 3]
            5: literal Int(1) []
            6: literal Int(2) []
            7 as n: static java.lang.Math.max(II)I [5 6]
        "#]],
    );
}
