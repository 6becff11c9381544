//! The linearisation on heaps written as text.

use probat_model::state::{Token, tokens};

use super::fake::Fake;

const PLENTY: u32 = 1 << 20;

fn bytes(heap: &str, roots: &str) -> Vec<u8> {
    Fake::new(heap).linearise(roots, PLENTY).bytes().to_vec()
}

fn read(heap: &str, roots: &str) -> Vec<Token> {
    tokens(&bytes(heap, roots)).expect("a walk writes well-formed tokens")
}

#[track_caller]
fn same(left: (&str, &str), right: (&str, &str)) {
    assert_eq!(read(left.0, left.1), read(right.0, right.1));
    assert_eq!(bytes(left.0, left.1), bytes(right.0, right.1));
}

#[track_caller]
fn different(left: (&str, &str), right: (&str, &str)) {
    assert_ne!(bytes(left.0, left.1), bytes(right.0, right.1));
}

/// The tokens as text, one line.
#[track_caller]
fn check(heap: &str, roots: &str, expected: &str) {
    let words: Vec<String> = read(heap, roots).iter().map(|token| format!("{token:?}")).collect();
    let text = words.join(" ").replace("ClassName(", "(").replace("\\\"", "'");
    assert_eq!(text, expected);
}

const NODES: &str = "class a/Node next:La/Node; value:I\nclass a/Other next:La/Node; value:I\n";

fn ring(order: [&str; 3], values: [i32; 3]) -> String {
    let [a, b, c] = order;
    let lines = [(a, b, values[0]), (b, c, values[1]), (c, a, values[2])];
    let mut sorted = lines.map(|(name, next, value)| format!("{name} = a/Node next=@{next} value={value}\n"));
    sorted.sort();
    format!("{NODES}{}", sorted.concat())
}

/// spec 000 row 1
#[test]
fn isomorphic_cyclic_heaps_give_equal_bytes() {
    same((&ring(["x", "y", "z"], [1, 2, 3]), "x"), (&ring(["z", "x", "y"], [1, 2, 3]), "z"));
}

/// spec 000 row 1
#[test]
fn one_primitive_class_or_alias_changes_the_bytes() {
    let ring_of_three = ring(["x", "y", "z"], [1, 2, 3]);
    different((&ring_of_three, "x"), (&ring(["x", "y", "z"], [1, 2, 4]), "x"));
    different((&ring_of_three, "x"), (&ring_of_three.replace("z = a/Node", "z = a/Other"), "x"));
    different(
        (&ring_of_three, "x"),
        (&ring_of_three.replace("z = a/Node next=@x", "z = a/Node next=@y"), "x"),
    );
    different(
        (&ring_of_three, "x"),
        (&ring_of_three.replace("z = a/Node next=@x", "z = a/Node next=null"), "x"),
    );
}

#[test]
fn a_shared_object_is_not_two_equal_ones() {
    let classes = "class a/Pair l:La/Box; r:La/Box;\nclass a/Box v:I\nb = a/Box v=1\nc = a/Box v=1\n";
    let shared = format!("{classes}p = a/Pair l=@b r=@b");
    let apart = format!("{classes}p = a/Pair l=@b r=@c");
    different((&shared, "p"), (&apart, "p"));
    check(&shared, "p", r#"Object(("a/Pair")) Object(("a/Box")) Int(1) Ref(1)"#);
    check(&apart, "p", r#"Object(("a/Pair")) Object(("a/Box")) Int(1) Object(("a/Box")) Int(1)"#);
}

/// spec 000 row 2
#[test]
fn an_int_slot_is_never_a_reference_slot() {
    let heap = |field: &str| format!("class a/A s:La/A; f:{field}\nx = a/A s=@x");
    check(&heap("I"), "x", r#"Object(("a/A")) Int(0) Ref(0)"#);
    different((&heap("I"), "x"), (&heap("J"), "x"));
    different((&heap("I"), "x"), (&heap("La/A;"), "x"));
}

/// spec 000 row 3
#[test]
fn shadowed_and_inherited_fields_both_appear() {
    check(
        "class a/Z v:I\nclass b/A < a/Z v:I\nx = b/A b/A.v=2 a/Z.v=1",
        "x",
        r#"Object(("b/A")) Int(1) Int(2)"#,
    );
}

/// spec 000 row 4
#[test]
fn a_list_of_a_million_nodes_linearises() {
    let mut heap = Fake::long_list(1_000_000);
    let stream = heap.linearise("head", 3_000_000);
    assert_eq!((stream.tokens(), stream.is_truncated()), (1_000_001, false));
}

/// spec 000 row 5
#[test]
fn several_roots_keep_the_aliasing_between_them() {
    let heap = "class a/S v:I\ns = a/S v=1\nt = a/S v=1";
    different((heap, "s s"), (heap, "s t"));
    check(heap, "s s", r#"Roots(2) Object(("a/S")) Int(1) Ref(0)"#);
    check(heap, "s 7 nothing", r#"Roots(3) Object(("a/S")) Int(1) Int(7) Null"#);
    check(heap, "", "Roots(0)");
    check(heap, "s", r#"Object(("a/S")) Int(1)"#);
}

#[test]
fn identity_survives_colliding_hash_codes() {
    let text = ring(["x", "y", "z"], [1, 2, 3]);
    let mut fake = Fake::new(&text);
    fake.hashes = 1;
    assert_eq!(fake.linearise("x", PLENTY).bytes(), bytes(&text, "x"));
}

#[test]
fn values_have_no_identity() {
    let heap = "
        class a/Color < java/lang/Enum
        class a/Color$1 < a/Color
        class a/All s:Ljava/lang/String; t:Ljava/lang/String; i:Ljava/lang/Object; e:La/Color; k:Ljava/lang/Class;
        i = java/lang/Integer value=5
        e = a/Color$1 name=\"RED\" ordinal=3
        k = java/lang/Class [I
        x = a/All s=\"ab\" t=\"ab\" i=@i e=@e k=@k";
    check(
        heap,
        "x",
        r#"Object(("a/All")) Enum(("a/Color"), "RED") Boxed Int(5) Class("[I") String("ab") String("ab")"#,
    );
}

#[test]
fn arrays_know_their_class_and_length() {
    let heap = "
        r = [[I @a null @a
        a = [I 1 2
        z = [Z true false
        d = [D 1.5
        o = [Ljava/lang/Object;";
    check(heap, "r", r#"Array(("[[I"), 3) Array(("[I"), 2) Int(1) Int(2) Null Ref(1)"#);
    check(heap, "z", r#"Array(("[Z"), 2) Boolean(true) Boolean(false)"#);
    check(heap, "d", r#"Array(("[D"), 1) Double(4609434218613702656)"#);
    check(heap, "o", r#"Array(("[Ljava/lang/Object;"), 0)"#);
}

#[test]
fn what_a_lambda_captured_tells_it_apart() {
    let heap = |n: i32| {
        format!(
            "class a/H$$Lambda.0x1f arg$1:I arg$2:La/H;\nclass a/H\nh = a/H\n\
             l = a/H$$Lambda.0x1f arg$1={n} arg$2=@h"
        )
    };
    check(&heap(1), "l", r#"Opaque(("a/H"), "java/lang/Runnable Int(1) a/H")"#);
    different((&heap(1), "l"), (&heap(2), "l"));
}

#[test]
fn opaque_things_keep_their_identity() {
    let heap = "class java/lang/Thread id:J\nclass a/P l:Ljava/lang/Thread; r:Ljava/lang/Thread;\n\
                t = java/lang/Thread id=17\nx = a/P l=@t r=@t";
    check(heap, "x", r#"Object(("a/P")) Opaque(("java/lang/Thread"), "") Ref(1)"#);
}

#[test]
fn the_limit_cuts_off_and_says_so() {
    let text = ring(["x", "y", "z"], [1, 2, 3]);
    let whole = read(&text, "x").len() as u32;
    assert!(!Fake::new(&text).linearise("x", whole).is_truncated());
    let cut = Fake::new(&text).linearise("x", whole - 1);
    assert!(cut.is_truncated());
    assert_eq!(tokens(cut.bytes()).unwrap().last(), Some(&Token::Truncated));
    let mut long = Fake::new("a = [I 1 2 3 4 5 6 7 8");
    assert_eq!(tokens(long.linearise("a", 8).bytes()).unwrap()[1..], [Token::Truncated]);
    let mut text = Fake::new("class a/A s:Ljava/lang/String;\nx = a/A s=\"0123456789012345\"");
    assert!(text.linearise("x", 5).is_truncated());
    assert!(!text.linearise("x", 6).is_truncated());
}

const MAP: &str = "
    class java/util/HashMap table:[Ljava/util/HashMap$Node; size:I
    class java/util/HashMap$Node hash:I key:Ljava/lang/Object; next:Ljava/util/HashMap$Node; value:Ljava/lang/Object;
    class a/Key id:I
    class a/ByValue id:I hash
    class a/Color < java/lang/Enum
    class a/Tinted c:La/Color; hash
    red = a/Color name=\"RED\"
    k1 = a/Key id=1
    k2 = a/Key id=2
    v1 = a/ByValue id=1
    v2 = a/ByValue id=2
    t1 = a/Tinted c=@red
";

fn map(first: &str, second: &str) -> String {
    format!(
        "{MAP}
        m = java/util/HashMap table=@a size=2
        a = [Ljava/util/HashMap$Node; @n null @o
        n = java/util/HashMap$Node hash=17 {first}
        o = java/util/HashMap$Node hash=4 {second}"
    )
}

fn chained(first: &str, second: &str) -> String {
    map(&format!("next=@o {first}"), second).replace("@n null @o", "null @n null")
}

#[test]
fn a_map_with_identity_keys_is_its_entries() {
    let (one, two) = ("key=@k1 value=\"one\"", "key=@k2 value=\"two\"");
    same((&map(one, two), "m"), (&map(two, one), "m"));
    same((&map(one, two), "m"), (&chained(two, one), "m"));
    check(
        &map(two, one),
        "m",
        concat!(
            r#"Sorted(("java/util/HashMap"), 2) Int(2) Null Object(("a/Key")) Int(1) String("one") "#,
            r#"Object(("a/Key")) Int(2) String("two")"#
        ),
    );
    different((&map(one, two), "m"), (&map(one, "key=@k2 value=\"other\""), "m"));
}

#[test]
fn a_map_with_value_keys_keeps_its_layout() {
    let (one, two) = ("key=@v1 value=\"one\"", "key=@v2 value=\"two\"");
    different((&map(one, two), "m"), (&map(two, one), "m"));
    different((&map(one, two), "m"), (&chained(one, two), "m"));
    let (one, two) = ("key=\"a\"", "key=\"b\"");
    different((&map(one, two), "m"), (&map(two, one), "m"));
}

#[test]
fn enum_constants_in_a_key_hash_by_identity() {
    let (one, two) = ("key=@red", "key=\"b\"");
    same((&map(one, two), "m"), (&map(two, one), "m"));
    let (one, two) = ("key=@t1", "key=\"b\"");
    same((&map(one, two), "m"), (&map(two, one), "m"));
}

#[test]
fn keys_that_point_back_at_their_map_and_at_each_other_are_ordered() {
    let graph = |first: &str, second: &str| {
        map(first, second)
            .replace("class a/Key id:I", "class a/Key id:I m:Ljava/util/HashMap; to:La/Key;")
            .replace(
                "k1 = a/Key id=1\n    k2 = a/Key id=2",
                "k1 = a/Key id=1 m=@m to=@k2\n    k2 = a/Key id=2 m=@m to=@k1",
            )
    };
    let (one, two) = ("key=@k1", "key=@k2");
    same((&graph(one, two), "m"), (&graph(two, one), "m"));
}

#[test]
fn a_map_that_is_too_much_work_to_sort_is_too_large() {
    // Every entry holds the same array, which the state has once and each signature has anew.
    let names: String = (0..20).map(|at| format!(" @n{at}")).collect();
    let mut text =
        format!("{MAP}m = java/util/HashMap table=@a size=20\na = [Ljava/util/HashMap$Node;{names}\n");
    for at in 0..20 {
        text += &format!("n{at} = java/util/HashMap$Node key=@x{at} value=@v\nx{at} = a/Key id={at}\n");
    }
    text += &format!("v = [I{}\n", " 7".repeat(100));
    let tokens = Fake::new(&text).linearise("m", PLENTY).tokens();
    assert!(Fake::new(&text).linearise("m", tokens).is_truncated());
    assert!(!Fake::new(&text).linearise("m", 2 * tokens).is_truncated());
}

#[test]
fn nested_identity_maps_take_time_in_proportion() {
    // Each of 40 keys holds the map of the next: doubling per level would never end.
    let mut text = String::from(MAP).replace("class a/Key id:I", "class a/Key id:I m:Ljava/util/HashMap;");
    for level in 0..40 {
        let below = if level == 39 { "null".into() } else { format!("@m{}", level + 1) };
        text += &format!(
            "m{level} = java/util/HashMap table=@a{level} size=2
             a{level} = [Ljava/util/HashMap$Node; @n{level} @o{level}
             n{level} = java/util/HashMap$Node key=@x{level}
             o{level} = java/util/HashMap$Node key=@y{level}
             x{level} = a/Key id={level} m={below}
             y{level} = a/Key id=100 m={below}\n"
        );
    }
    let tokens = read(&text, "m0");
    let maps = tokens.iter().filter(|token| matches!(token, Token::Sorted(..))).count();
    assert_eq!(maps, 40);
}

#[test]
fn an_entry_met_alone_leaves_its_place_out() {
    let (one, two) = ("key=@k1 value=\"one\"", "key=@k2 value=\"two\"");
    check(
        &chained(one, two),
        "n",
        r#"Object(("java/util/HashMap$Node")) Int(0) Object(("a/Key")) Int(1) Null String("one")"#,
    );
    different((&map("key=\"a\"", two), "n"), (&chained("key=\"a\"", two), "n"));
}

#[test]
fn identity_maps_hide_how_they_store_null() {
    let heap = "
        class java/util/IdentityHashMap table:[Ljava/lang/Object; size:I
        class a/K v:I
        NULL_KEY = a/K
        k = a/K v=1
        m = java/util/IdentityHashMap table=@t size=2
        t = [Ljava/lang/Object; null null @k \"x\" @NULL_KEY null null null";
    check(
        heap,
        "m",
        concat!(
            r#"Sorted(("java/util/IdentityHashMap"), 2) Int(2) Null Null Null "#,
            r#"Object(("a/K")) Int(1) String("x")"#
        ),
    );
}

#[test]
fn linked_maps_keep_the_order_of_their_list() {
    let linked = |first: &str, second: &str| {
        format!(
            "{MAP}
            class java/util/LinkedHashMap < java/util/HashMap head:Ljava/lang/Object; tail:Ljava/lang/Object;
            class java/util/LinkedHashMap$Entry < java/util/HashMap$Node after:Ljava/lang/Object;
            m = java/util/LinkedHashMap table=@a size=2 head=@n tail=@o
            a = [Ljava/util/HashMap$Node; @o @n
            n = java/util/LinkedHashMap$Entry after=@o {first}
            o = java/util/LinkedHashMap$Entry {second}"
        )
    };
    let (one, two) = ("key=@k1", "key=@k2");
    different((&linked(one, two), "m"), (&linked(two, one), "m"));
    same((&linked(one, two), "m"), (&linked(one, two).replace("@o @n", "@n @o"), "m"));
}
