//! What is said of scripts that mean nothing.

use expect_test::expect;

use super::check;

#[test]
fn unknown_methods_get_near_matches() {
    check(
        r#"
import java.util.*
list = new ArrayList()
list.ad("x")
list.lenght
list.size
list.clear().size()
"#,
        expect![[r#"
            error: `java.util.ArrayList` has no method `ad`
             --> s:4:6
              |
            4 | list.ad("x")
              |      ^^
            hint: did you mean `add`?
            error: `java.util.ArrayList` has no field `lenght`
             --> s:5:6
              |
            5 | list.lenght
              |      ^^^^^^
              = it has size
            error: `list.clear()` gives no value
             --> s:7:1
              |
            7 | list.clear().size()
              | ^^^^^^^^^^^^
        "#]],
    );
}

#[test]
fn unknown_classes_are_found_in_other_packages() {
    check(
        r#"
l = new ArrayList()
m = new java.util.ArayList()
import java.utli.*
import java.util.Lits
Zzz.foo()
"#,
        expect![[r#"
            error: there is no class `ArrayList`
             --> s:2:9
              |
            2 | l = new ArrayList()
              |         ^^^^^^^^^
            hint: import it: `import java.util.ArrayList`
            error: there is no class `java.util.ArayList`
             --> s:3:9
              |
            3 | m = new java.util.ArayList()
              |         ^^^^^^^^^^^^^^^^^^
            hint: did you mean `java.util.ArrayList`?
            error: there is no package or class `java.utli`
             --> s:4:8
              |
            4 | import java.utli.*
              |        ^^^^^^^^^
            hint: is its jar or directory on the class path? `--classpath a.jar:classes`
            error: there is no class `java.util.Lits`
             --> s:5:8
              |
            5 | import java.util.Lits
              |        ^^^^^^^^^^^^^^
            hint: did you mean `java.util.List` or `java.awt.List`?
            error: there is no class `Zzz`
             --> s:6:1
              |
            6 | Zzz.foo()
              | ^^^
            hint: is its jar or directory on the class path? `--classpath a.jar:classes`
        "#]],
    );
}

#[test]
fn unknown_variables_get_near_matches() {
    check(
        r#"
counter = 5
Math.max(conuter, 1)
Math.max(q, 1)
"#,
        expect![[r#"
            error: there is no variable `conuter`
             --> s:3:10
              |
            3 | Math.max(conuter, 1)
              |          ^^^^^^^
            hint: did you mean `counter`?
            error: there is no variable `q`
             --> s:4:10
              |
            4 | Math.max(q, 1)
              |          ^
            hint: give it a value first: `q = …`
        "#]],
    );
}

#[test]
fn wrong_arguments_list_the_candidates() {
    check(
        r#"
import java.util.*
l = new ArrayList("x", "y")
Math.max("a", 1)
Byte.valueOf(5)
new StringBuilder().append(null)
new p.Jobs().two(1, 2)
"#,
        expect![[r#"
            error: no constructor of `java.util.ArrayList` takes (String, String)
             --> s:3:9
              |
            3 | l = new ArrayList("x", "y")
              |         ^^^^^^^^^
              = java.util.ArrayList()
              = java.util.ArrayList(int)
              = java.util.ArrayList(java.util.Collection)
            error: no method `max` of `Math` takes (String, int)
             --> s:4:6
              |
            4 | Math.max("a", 1)
              |      ^^^
              = static max(double, double) gives double
              = static max(int, int) gives int
              = static max(long, long) gives long
            error: no method `valueOf` of `Byte` takes (int)
             --> s:5:6
              |
            5 | Byte.valueOf(5)
              |      ^^^^^^^ argument 1 is `int`; cast it to `byte`
              = static valueOf(byte) gives Byte
            error: `append` with (null) could be more than one method
             --> s:6:21
              |
            6 | new StringBuilder().append(null)
              |                     ^^^^^^
              = append(Object) gives StringBuilder
              = append(String) gives StringBuilder
              = append(char[]) gives StringBuilder
            hint: choose by a cast: `(char[]) null`
            error: `two` with (int, int) could be more than one method
             --> s:7:14
              |
            7 | new p.Jobs().two(1, 2)
              |              ^^^
              = two(Object, int)
              = two(int, Object)
            hint: choose by a cast: `(Object) 1`
        "#]],
    );
}

#[test]
fn a_failed_name_gives_no_further_messages() {
    check(
        r#"
x = new Nowhere()
x.foo()
y = x
"#,
        expect![[r#"
            error: there is no class `Nowhere`
             --> s:2:9
              |
            2 | x = new Nowhere()
              |         ^^^^^^^
            hint: is its jar or directory on the class path? `--classpath a.jar:classes`
        "#]],
    );
}

#[test]
fn objects_of_erased_types_need_a_cast() {
    check(
        r#"
import java.util.*
l = new ArrayList()
l.get(0).length()
"#,
        expect![[r#"
            error: `Object` has no method `length`
             --> s:4:10
              |
            4 | l.get(0).length()
              |          ^^^^^^
              = generic types are unknown here, so `l.get(0)` is an `Object`
            hint: say what it is: `((String) l.get(0)).length(…)`
        "#]],
    );
}

#[test]
fn syntax_errors_point_at_the_column() {
    check(
        r#"
a = 
b = new int[
c = 1 + 2
if (a) b
x = list.
y = "abc
z = 'ab'
w = 99999999999
f = String::length
(a = 5
ok = Math.max(c,
  "x")
Math.max(1,
  "x")
"#,
        expect![[r#"
            error: expected a value, found the end of the line
             --> s:2:5
              |
            2 | a = 
              |     ^
            error: expected a value, found the end of the line
             --> s:3:13
              |
            3 | b = new int[
              |             ^
            error: operators such as `+` are not part of scripts
             --> s:4:7
              |
            4 | c = 1 + 2
              |       ^
            hint: call a method instead: `Math.addExact(a, b)`, `a.equals(b)`, `a.concat(b)`
            error: `if` has no place here
             --> s:5:1
              |
            5 | if (a) b
              | ^^
            hint: a script is a plain list of steps: assignments, calls, fields, arrays
            error: expected a name, found the end of the line
             --> s:6:10
              |
            6 | x = list.
              |          ^
            error: this string has no end on its line
             --> s:7:5
              |
            7 | y = "abc
              |     ^^^^
            hint: close it with `"`; a line break inside is written `\n`
            error: a character is one UTF-16 unit, this has 2
             --> s:8:5
              |
            8 | z = 'ab'
              |     ^^^^
            hint: write strings in double quotes
            error: `99999999999` does not fit `int`: a `long` ends in `L`
             --> s:9:5
              |
            9 | w = 99999999999
              |     ^^^^^^^^^^^
            error: method references are not part of scripts
              --> s:10:11
               |
            10 | f = String::length
               |           ^^
            hint: write a lambda: `x -> x`
            error: expected `)`, found `=`
              --> s:11:4
               |
            11 | (a = 5
               |    ^
            error: no method `max` of `Math` takes (int, String)
              --> s:14:6
               |
            14 | Math.max(1,
               |      ^^^
               = static max(double, double) gives double
               = static max(int, int) gives int
               = static max(long, long) gives long
        "#]],
    );
}

#[test]
fn lambda_mistakes() {
    check(
        r#"
import java.util.function.*
r = () -> 5
Runnable r = () -> 5
Supplier s = () -> new Object()
Supplier t = (a, b) -> 1
IntSupplier u = () -> "x"
Runnable w = () -> { throw new String() }
Runnable q = () -> { throw new Argless() }
Object o = () -> { }
"#,
        expect![[r#"
            error: this lambda has no type
             --> s:3:5
              |
            3 | r = () -> 5
              |     ^^^^^^^
            hint: cast it, `(Runnable) () -> { }`, or declare the name, `Runnable r = () -> { }`
            error: the method returns nothing, so this value goes nowhere
             --> s:4:20
              |
            4 | Runnable r = () -> 5
              |                    ^
            hint: write `{ }` for doing nothing
            error: the body of a lambda is a literal, a parameter or a variable
             --> s:5:20
              |
            5 | Supplier s = () -> new Object()
              |                    ^^^^^^^^^^^^
            hint: name the value first: `v = new Object()`, then `-> v`
            error: `java.util.function.Supplier` wants a lambda of 0, this takes 2
             --> s:6:14
              |
            6 | Supplier t = (a, b) -> 1
              |              ^^^^^^^^^^^
            error: `String` does not fit `int`
             --> s:7:23
              |
            7 | IntSupplier u = () -> "x"
              |                       ^^^
            error: `String` is no exception
             --> s:8:32
              |
            8 | Runnable w = () -> { throw new String() }
              |                                ^^^^^^
            error: `Argless` cannot be made without arguments
             --> s:9:32
              |
            9 | Runnable q = () -> { throw new Argless() }
              |                                ^^^^^^^
            hint: throw another, or a subclass of it
            error: `Object` is no interface with one abstract method
              --> s:10:12
               |
            10 | Object o = () -> { }
               |            ^^^^^^^^^
            hint: cast the lambda to one: `(Runnable) () -> { }`
        "#]],
    );
}

#[test]
fn stub_mistakes() {
    check(
        r#"
import java.util.*
a = stub String
b = stub p.Closed
c = stub List { sise: 3 }
d = stub List { size: "x" }
e = stub p.Shape(1)
f = stub List(1)
g = new List()
"#,
        expect![[r#"
            error: `String` cannot be stubbed: it is final
             --> s:3:10
              |
            3 | a = stub String
              |          ^^^^^^
            hint: make a real one: `new String(…)`
            error: `p.Closed` cannot be stubbed: it is sealed
             --> s:4:10
              |
            4 | b = stub p.Closed
              |          ^^^^^^^^
            hint: make a real one: `new Closed(…)`
            error: `java.util.List` has no method `sise` that can be overridden
             --> s:5:17
              |
            5 | c = stub List { sise: 3 }
              |                 ^^^^
            hint: did you mean `size`?
            error: `String` does not fit `int`
             --> s:6:23
              |
            6 | d = stub List { size: "x" }
              |                       ^^^
            error: no constructor of `p.Shape` takes (int)
             --> s:7:10
              |
            7 | e = stub p.Shape(1)
              |          ^^^^^^^
              = p.Shape(int, String)
            error: `java.util.List` is an interface and takes no arguments
             --> s:8:15
              |
            8 | f = stub List(1)
              |               ^
            error: `java.util.List` is an interface
             --> s:9:9
              |
            9 | g = new List()
              |         ^^^^
            hint: take a class that implements it, or a stub: `stub List`
        "#]],
    );
}

#[test]
fn other_mistakes() {
    check(
        r#"
x = 5
x.foo()
x[0]
null.foo()
String
v = new java.util.ArrayList().clear()
new p.Point(1, 2).id = 5L
Integer.MAX_VALUE = 3
java.util.List.size()
foo(1)
byte b = 300
boolean t = 1
import java.util.*
import java.awt.*
List.of(1)
"#,
        expect![[r#"
            error: `x` is a primitive `int` and has no members
             --> s:3:1
              |
            3 | x.foo()
              | ^
            hint: box it: `((Integer) x)`
            error: `x` is no array but `int`
             --> s:4:1
              |
            4 | x[0]
              | ^
            hint: of a list: `list.get(0)`
            error: `null` has no members
             --> s:5:1
              |
            5 | null.foo()
              | ^^^^
            hint: say which type it is: `((String) null)`
            error: `String` is a class, not a value
             --> s:6:1
              |
            6 | String
              | ^^^^^^
            hint: its class object is `String.class`, a new one `new String()`
            error: `new java.util.ArrayList().clear()` gives no value
             --> s:7:5
              |
            7 | v = new java.util.ArrayList().clear()
              |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
            error: field `id` of `p.Point` is final
             --> s:8:19
              |
            8 | new p.Point(1, 2).id = 5L
              |                   ^^
              = compiled code may have kept its value, so writing it proves nothing
            error: field `MAX_VALUE` of `Integer` is final
             --> s:9:9
              |
            9 | Integer.MAX_VALUE = 3
              |         ^^^^^^^^^
              = compiled code may have kept its value, so writing it proves nothing
            error: `size` of `java.util.List` is no static method
              --> s:10:16
               |
            10 | java.util.List.size()
               |                ^^^^
            hint: call it on a value: `x.size(…)`
            error: there is no function `foo`
              --> s:11:1
               |
            11 | foo(1)
               | ^^^
            hint: call it on a value or class: `list.size()`, `Math.max(1, 2)`
            hint: or import it: `import static java.lang.Math.max`
            error: `int` does not fit `byte`
              --> s:12:10
               |
            12 | byte b = 300
               |          ^^^
            hint: a cast may help: `(byte) 300`
            error: `int` does not fit `boolean`
              --> s:13:13
               |
            13 | boolean t = 1
               |             ^
            error: `List` means more than one class
              --> s:16:1
               |
            16 | List.of(1)
               | ^^^^
               = java.awt.List
               = java.util.List
            hint: import one of them: `import java.awt.List`
        "#]],
    );
}
