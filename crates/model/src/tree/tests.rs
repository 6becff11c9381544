//! Rendering and comparing states; `written` says how their texts are read.

use expect_test::{Expect, expect};

use super::written::state;
use super::*;
use crate::state::{ClassLayout, ClassOperand, Slot, TokenWriter};

fn tree(text: &str) -> Tree {
    Tree::of(&state(text)).unwrap()
}

#[track_caller]
fn check(text: &str, expected: Expect) {
    expected.assert_eq(&render(&tree(text), &RenderOptions::default()));
}

#[track_caller]
fn check_diff(before: &str, after: &str, expected: Expect) {
    let changes = diff(&tree(before), &tree(after), View::Content);
    let lines: Vec<String> = changes.iter().map(|change| format!("{change}\n")).collect();
    expected.assert_eq(&lines.concat());
}

#[track_caller]
fn check_changes(before: &str, after: &str, expected: Expect) {
    let shown = render_changes(&tree(before), &tree(after), &RenderOptions::default());
    // A bar keeps the column of the marks from being taken for indentation.
    let lines: Vec<String> = shown.lines().map(|line| format!("|{line}\n")).collect();
    expected.assert_eq(&lines.concat());
}

const CART: &str =
    "(a/Cart items=(java/util/ArrayList elementData=[[Ljava/lang/Object; (a/Item name=\"pen\" price=3)
    (a/Item name=\"ink\" price=9) null ] size=2) total=12 owner=null)";

#[test]
fn values_stand_alone() {
    check(
        "5",
        expect![[r#"
        5
    "#]],
    );
    check(
        "box:5L",
        expect![[r#"
        5L
    "#]],
    );
    check(
        "null",
        expect![[r#"
        null
    "#]],
    );
    check(
        "\"a_b\"",
        expect![[r#"
        "a b"
    "#]],
    );
    check(
        "enum:a/B$Color.RED",
        expect![[r#"
        B.Color.RED
    "#]],
    );
    check(
        "class:[[I",
        expect![[r#"
        int[][].class
    "#]],
    );
    check(
        "<java/lang/Thread>",
        expect![[r#"
        <Thread>
    "#]],
    );
}

#[test]
fn small_objects_fit_on_a_line() {
    check(
        "(a/Point x=1 y=2)",
        expect![[r#"
        Point {x: 1, y: 2}
    "#]],
    );
    check(
        "(java/lang/Object)",
        expect![[r#"
        Object
    "#]],
    );
    check(
        "[[I 1 2 3 ]",
        expect![[r#"
        int[] [1, 2, 3]
    "#]],
    );
    check(
        "[[I]",
        expect![[r#"
        int[] []
    "#]],
    );
}

#[test]
fn objects_are_indented_and_lists_shown_by_content() {
    check(
        CART,
        expect![[r#"
        Cart
          items: ArrayList (2 elements)
            [0]: Item {name: "pen", price: 3}
            [1]: Item {name: "ink", price: 9}
          total: 12
          owner: null
    "#]],
    );
}

#[test]
fn several_roots_are_numbered() {
    check(
        "(a/P x=1) 7 @0",
        expect![[r#"
        [0]: P #1 {x: 1}
        [1]: 7
        [2]: #1
    "#]],
    );
}

#[test]
fn shared_objects_and_cycles_have_numbers() {
    check(
        "(a/Node next=(a/Node next=@0 value=2) value=1)",
        expect![[r#"
        Node #1
          next: Node
            next: #1
            value: 2
          value: 1
    "#]],
    );
    check(
        "(a/Pair l=(a/Box v=1) r=@1)",
        expect![[r#"
        Pair
          l: Box #1 {v: 1}
          r: #1
    "#]],
    );
}

#[test]
fn fields_that_hide_each_other_are_told_apart() {
    check(
        "(a/Derived a/Base::v=1 v=2 w=3)",
        expect![[r#"
        Derived {Base.v: 1, Derived.v: 2, w: 3}
    "#]],
    );
}

#[test]
fn maps_are_shown_by_content() {
    let node =
        |key: &str, next: &str| format!("(java/util/HashMap$Node hash=7 key=\"{key}\" next={next} value=1)");
    let map = format!(
        "(java/util/HashMap loadFactor=float:0.75 size=3 table=[[Ljava/util/HashMap$Node; null {} {} ] threshold=12)",
        node("a", &node("b", "null")),
        node("c", "null")
    );
    check(
        &map,
        expect![[r#"
        HashMap {"a" → 1, "b" → 1, "c" → 1}
    "#]],
    );
    check(
        "{java/util/HashMap size=2 table=null | (a/Key id=1) \"one\" | (a/Key id=2) (a/Item name=\"x\" more=(a/P x=1))}",
        expect![[r#"
        HashMap (2 entries)
          Key {id: 1} → "one"
          Key {id: 2} → Item
            name: "x"
            more: P {x: 1}
    "#]],
    );
    check(
        "{java/util/IdentityHashMap size=1 table=null | (a/Key id=1 deep=(a/P x=1)) null}",
        expect![[r#"
        IdentityHashMap (1 entry)
          entry 0
            key: Key
              id: 1
              deep: P {x: 1}
            value: null
    "#]],
    );
    check(
        "{java/util/ImmutableCollections$SetN elements=null size=2 | \"a\" null | \"b\" null}",
        expect![[r#"
        ImmutableCollections.SetN ["a", "b"]
    "#]],
    );
}

#[test]
fn trees_are_shown_in_order() {
    check(
        "(java/util/TreeMap comparator=null root=(java/util/TreeMap$Entry color=true key=\"m\"
            left=(java/util/TreeMap$Entry color=false key=\"a\" left=null parent=@1 right=null value=1) parent=null
            right=(java/util/TreeMap$Entry color=false key=\"z\" left=null parent=@1 right=null value=3) value=2) size=3)",
        expect![[r#"
            TreeMap {"a" → 1, "m" → 2, "z" → 3}
        "#]],
    );
}

#[test]
fn what_a_subclass_adds_is_shown_beside_the_content() {
    check(
        "(a/Log java/util/ArrayList::elementData=[[Ljava/lang/Object; \"x\" ] java/util/ArrayList::size=1 a/Log::level=3)",
        expect![[r#"
        Log [level: 3, "x"]
    "#]],
    );
}

#[test]
fn other_classes_of_the_jdk() {
    check(
        "(java/util/HashSet map={java/util/HashMap size=2 table=null | enum:a/C.R @0 | enum:a/C.G @0})",
        expect![[r#"
        HashSet [C.R, C.G]
    "#]],
    );
    check(
        "(java/util/LinkedList first=(java/util/LinkedList$Node item=\"a\" next=(java/util/LinkedList$Node item=\"b\" next=null prev=@1) prev=null) last=@2 size=2)",
        expect![[r#"
        LinkedList ["a", "b"]
    "#]],
    );
    check(
        "(java/util/ArrayDeque elements=[[Ljava/lang/Object; \"c\" null \"a\" \"b\" ] head=2 tail=1)",
        expect![[r#"
        ArrayDeque ["a", "b", "c"]
    "#]],
    );
    check(
        "(java/lang/StringBuilder java/lang/AbstractStringBuilder::coder=byte:0 java/lang/AbstractStringBuilder::count=2 java/lang/AbstractStringBuilder::value=[[B byte:104 byte:105 byte:0 ])",
        expect![[r#"
        StringBuilder "hi"
    "#]],
    );
    check(
        "(java/math/BigInteger mag=[[I 1 0 ] signum=-1)",
        expect![[r#"
        BigInteger -4294967296
    "#]],
    );
    check(
        "(java/math/BigDecimal intCompact=12345L intVal=null scale=2)",
        expect![[r#"
        BigDecimal 123.45
    "#]],
    );
    check(
        "(java/time/LocalDate day=short:29 month=short:2 year=2024)",
        expect![[r#"
        LocalDate 2024-02-29
    "#]],
    );
    check(
        "(java/util/UUID leastSigBits=2L mostSigBits=1L)",
        expect![[r#"
        UUID 00000000-0000-0001-0000-000000000002
    "#]],
    );
    check(
        "(java/util/RegularEnumSet java/util/EnumSet::elementType=class:La/C; java/util/EnumSet::universe=[[La/C; enum:a/C.R enum:a/C.G enum:a/C.B ] elements=5L)",
        expect![[r#"
        RegularEnumSet [C.R, C.B]
    "#]],
    );
    check(
        "(java/util/ImmutableCollections$List12 e0=1 e1=(java/lang/Object))",
        expect![[r#"
        ImmutableCollections.List12 [1]
    "#]],
    );
}

#[test]
fn what_is_not_built_as_expected_is_shown_by_its_fields() {
    check(
        "(java/util/ArrayList elementData=null size=2)",
        expect![[r#"
        ArrayList {elementData: null, size: 2}
    "#]],
    );
    check(
        "(java/util/ArrayDeque elements=[[Ljava/lang/Object; null ] head=5 tail=1)",
        expect![[r#"
        ArrayDeque
          elements: Object[] [null]
          head: 5
          tail: 1
    "#]],
    );
}

#[test]
fn bounds_hold() {
    let deep = "(a/N n=".repeat(30) + "null" + &")".repeat(30);
    let options = RenderOptions { depth: 2, elements: 3, width: 40, ..RenderOptions::default() };
    expect![[r#"
        N
          n: N
            n: N …
    "#]]
    .assert_eq(&render(&tree(&deep), &options));
    let long = format!("[[I {} ]", "7 ".repeat(100));
    expect![[r#"
        int[] (100 elements)
          [0]: 7
          [1]: 7
          [2]: 7
          … 97 more
    "#]]
    .assert_eq(&render(&tree(&long), &options));
    let text = format!("(a/T s=\"{}\" t=(a/P x=1))", "x".repeat(500));
    let shown = render(&tree(&text), &options);
    expect![[r#"
        T
          s: "xxxxxxxxxxxxxxxxxxxx…" (500 units)
          t: P {x: 1}
    "#]]
    .assert_eq(&shown);
    assert!(shown.lines().all(|line| line.chars().count() <= 40));
}

#[test]
fn every_field_on_request() {
    let options = RenderOptions { view: View::Fields, ..RenderOptions::default() };
    expect![[r#"
        Cart
          items: ArrayList
            elementData: Object[] (3 elements)
              [0]: Item {name: "pen", price: 3}
              [1]: Item {name: "ink", price: 9}
              [2]: null
            size: 2
          total: 12
          owner: null
    "#]]
    .assert_eq(&render(&tree(CART), &options));
}

#[test]
fn states_that_were_cut_off_end_there() {
    check(
        "(a/Node next=(a/Node next=! ) )",
        expect![[r#"
        Node
          next: Node {next: … (cut off)}
    "#]],
    );
}

#[test]
fn long_lists_are_read() {
    let mut writer = TokenWriter::new();
    let node = writer.object(ClassOperand::First("a/Node"));
    for _ in 1..100_000 {
        writer.object(ClassOperand::Known(node));
    }
    writer.null();
    let slot = Slot {
        declared_in: ClassName::internal("a/Node"),
        name: "next".into(),
        descriptor: "La/Node;".into(),
    };
    let layouts = vec![ClassLayout { class: ClassName::internal("a/Node"), slots: vec![slot] }];
    let state = StoredState { tokens: writer.bytes().to_vec(), layouts };
    let tree = Tree::of(&state).unwrap();
    assert!(render(&tree, &RenderOptions::default()).lines().count() < 20);
    assert_eq!(diff(&tree, &tree, View::Content), []);
}

#[test]
fn broken_states_are_refused() {
    let mut whole = state(CART);
    for end in 0..whole.tokens.len() {
        let part = StoredState { tokens: whole.tokens[..end].to_vec(), layouts: whole.layouts.clone() };
        assert!(Tree::of(&part).is_err(), "{end}");
    }
    whole.layouts.retain(|layout| layout.class.simple() != "Item");
    assert_eq!(Tree::of(&whole).unwrap_err().to_string(), "the state has no layout of class `a.Item`");
    let mut twice = state("5");
    twice.tokens.extend(state("6").tokens);
    assert_eq!(Tree::of(&twice), Err(TreeError::Incomplete(1)));
}

#[test]
fn equal_states_do_not_differ() {
    check_diff(CART, CART, expect![[""]]);
    check_changes(CART, CART, expect![[""]]);
}

#[test]
fn changed_paths_are_named() {
    let after = CART.replace("price=9", "price=8").replace("total=12", "total=11");
    check_diff(
        CART,
        &after,
        expect![[r#"
        items[1].price: 9 → 8
        total: 12 → 11
    "#]],
    );
    let longer = CART.replace("null ] size=2", "(a/Item name=\"cap\" price=1) ] size=3");
    check_diff(
        CART,
        &longer,
        expect![[r#"
        + items[2]: Item {name: "cap", price: 1}
    "#]],
    );
    check_diff(
        &longer,
        CART,
        expect![[r#"
        - items[2]: Item {name: "cap", price: 1}
    "#]],
    );
    check_diff(
        "5",
        "6",
        expect![[r#"
        5 → 6
    "#]],
    );
    check_diff(
        "5 6",
        "5 7 8",
        expect![[r#"
        [1]: 6 → 7
        + [2]: 8
    "#]],
    );
    check_diff(
        "(a/P x=1)",
        "(a/Q x=1)",
        expect![[r#"
        P {x: 1} → Q {x: 1}
    "#]],
    );
    check_diff(
        "(a/P x=null)",
        "(a/P x=(a/P x=null))",
        expect![[r#"
        x: null → P {x: null}
    "#]],
    );
}

#[test]
fn entries_are_matched_by_their_keys() {
    let map = |entries: &str| format!("{{java/util/HashMap size=1 table=null {entries}}}");
    check_diff(
        &map("| \"a\" 1 | \"b\" 2"),
        &map("| \"b\" 3 | \"c\" 4"),
        expect![[r#"
        ["b"]: 2 → 3
        + ["c"]: 4
        - ["a"]: 1
    "#]],
    );
    check_diff(
        &map("| (a/Key id=1 deep=(a/P x=1 y=(a/P x=1 y=null))) 1"),
        &map("| (a/Key id=1 deep=(a/P x=1 y=(a/P x=2 y=null))) 1"),
        expect![[r#"
            [Key].key.deep.y.x: 1 → 2
        "#]],
    );
}

#[test]
fn values_that_read_alike_still_differ() {
    check_diff(
        "box:byte:5",
        "box:5",
        expect![[r#"
        (byte) 5 → 5
    "#]],
    );
    check_diff(
        "enum:a/C.R",
        "enum:b/C.R",
        expect![[r#"
        C.R → C.R
    "#]],
    );
    check_diff(
        "(java/math/BigInteger mag=[[I 5 ] signum=1)",
        "box:5",
        expect![[r#"
        BigInteger 5 → 5
    "#]],
    );
}

#[test]
fn aliasing_that_changed_shows() {
    check_diff(
        "(a/Pair l=(a/Box v=1) r=@1)",
        "(a/Pair l=(a/Box v=1) r=(a/Box v=1))",
        expect![[r#"
        r: same as l → another Box {v: 1}
    "#]],
    );
    check_diff(
        "(a/Pair l=(a/Box v=1) r=(a/Box v=1))",
        "(a/Pair l=(a/Box v=1) r=@1)",
        expect![[r#"
        r: another Box {v: 1} → same as l
    "#]],
    );
    check_diff(
        "(a/Node next=@0)",
        "(a/Node next=(a/Node next=@0))",
        expect![[r#"
        next: same as the root → another Node
    "#]],
    );
}

#[test]
fn changes_are_marked_in_the_tree() {
    let after = CART
        .replace("price=9", "price=8")
        .replace("null ] size=2", "(a/Item name=\"cap\" price=1) ] size=3")
        .replace("owner=null", "owner=\"me\"");
    check_changes(
        CART,
        &after,
        expect![[r#"
            |  Cart
            |    items: ArrayList (3 elements)
            |      … 1 unchanged
            |      [1]: Item
            |        name: "ink"
            |      ~ price: 9 → 8
            |    + [2]: Item {name: "cap", price: 1}
            |    total: 12
            |  ~ owner: null → "me"
        "#]],
    );
    check_changes(
        &after,
        CART,
        expect![[r#"
            |  Cart
            |    items: ArrayList (2 elements)
            |      … 1 unchanged
            |      [1]: Item
            |        name: "ink"
            |      ~ price: 8 → 9
            |    - [2]: Item {name: "cap", price: 1}
            |    total: 12
            |  ~ owner: "me" → null
        "#]],
    );
    let map = |entries: &str| format!("(a/M m={{java/util/HashMap size=1 table=null {entries}}})");
    check_changes(
        &map("| \"a\" 1 | \"b\" 2 | \"x\" 0"),
        &map("| \"b\" 3 | \"c\" 4 | \"x\" 0"),
        expect![[r#"
            |  M
            |    m: HashMap (3 entries)
            |    ~ ["b"]: 2 → 3
            |    + ["c"]: 4
            |      … 1 unchanged
            |    - ["a"]: 1
        "#]],
    );
    let keyed = |x: i32| map(&format!("| (a/Key id=1 deep=(a/P x={x} y=(a/P x=1 y=null))) \"v\""));
    check_changes(
        &keyed(1),
        &keyed(2),
        expect![[r#"
            |  M
            |    m: HashMap (1 entry)
            |      [Key].key: Key
            |        id: 1
            |        deep: P
            |        ~ x: 1 → 2
            |          y: P {x: 1, y: null}
            |      [Key]: "v"
        "#]],
    );
    check_changes(
        "5 (a/P x=1)",
        "5 (a/P x=2)",
        expect![[r#"
            |  [0]: 5
            |  [1]: P
            |  ~ x: 1 → 2
        "#]],
    );
    check_changes(
        "5",
        "6",
        expect![[r#"
            |~ 5 → 6
        "#]],
    );
}

#[test]
fn layout_is_shown_where_the_content_is_equal() {
    let capacity = |n: usize| {
        let spare = "null ".repeat(n);
        format!("(java/util/ArrayList elementData=[[Ljava/lang/Object; 1 {spare}] size=1)")
    };
    check_changes(
        &capacity(1),
        &capacity(2),
        expect![[r#"
            |  ArrayList
            |    elementData: Object[] (3 elements)
            |      … 2 unchanged
            |    + [2]: null
            |    size: 1
        "#]],
    );
}
