//! States of real objects are canonical: spec 000 rows 1 to 5, and equal bytes from two processes.

use std::process::Output;

use probat_jvm::Value;
use probat_model::state::Token;
use probat_model::{ClassName, JavaString};

use crate::bed::{Bed, PLENTY};
use crate::{Case, judge};

pub fn cases() -> Vec<Case> {
    vec![
        ("spec 000 row 1: isomorphic rings are equal", isomorphic_rings_are_equal),
        ("spec 000 row 1: one change shows", one_change_shows),
        ("spec 000 row 2: tokens never collide", tokens_never_collide),
        ("spec 000 row 3: shadowed fields both appear", shadowed_fields_both_appear),
        ("spec 000 row 4: a long list", a_long_list),
        ("spec 000 row 5: aliasing between roots", aliasing_between_roots),
        ("equal objects are equal states", equal_objects_are_equal_states),
        ("caches and counters are no state", caches_and_counters_are_no_state),
        ("lambdas are told apart", lambdas_are_told_apart),
        ("the token limit", the_token_limit),
        ("forgotten classes come back", forgotten_classes_come_back),
        ("objects look the same in place", objects_look_the_same_in_place),
    ]
}

fn isomorphic_rings_are_equal(bed: &mut Bed<'_, '_>) {
    let (one, two) = (bed.ring(3, 1), bed.ring(3, 1));
    let bytes = bed.bytes(&[one]);
    assert_eq!(bytes, bed.bytes(&[two]));
    assert_ne!(bytes, bed.bytes(&[bed.ring(4, 1)]));
}

fn one_change_shows(bed: &mut Bed<'_, '_>) {
    let ring = bed.bytes(&[bed.ring(3, 1)]);
    for how in ["primitive", "alias"] {
        assert_ne!(ring, bed.bytes(&[bed.changed(how)]), "{how}");
    }
    assert_ne!(bed.bytes(&[bed.changed("class")]), bed.bytes(&[bed.changed("sameClass")]));
}

fn tokens_never_collide(bed: &mut Bed<'_, '_>) {
    let ring = bed.ring(3, 1);
    let states = [Value::Int(1), Value::Long(1), Value::Object(None), bed.make("integer"), ring];
    let bytes: Vec<_> = states.map(|state| bed.bytes(&[state])).into();
    for (at, left) in bytes.iter().enumerate() {
        assert!(bytes[at + 1..].iter().all(|right| left != right && !right.starts_with(left)));
    }
}

fn shadowed_fields_both_appear(bed: &mut Bed<'_, '_>) {
    let derived = bed.make("derived");
    let expected = [
        Token::Object(ClassName::internal("fixture/Zoo$Derived")),
        Token::String(JavaString::from("base")),
        Token::Int(1),
        Token::Long(3),
        Token::Int(7),
    ];
    assert_eq!(bed.tokens(derived), expected);
    let layout = &bed.stored(&[derived]).layouts[0];
    let slots: Vec<_> = layout.slots.iter().map(|slot| (slot.declared_in.simple(), &*slot.name)).collect();
    assert_eq!(slots, [("Zoo$Base", "s"), ("Zoo$Base", "v"), ("Zoo$Derived", "t"), ("Zoo$Derived", "v")]);
}

fn a_long_list(bed: &mut Bed<'_, '_>) {
    // Under -Xcheck:jni every call counts the references of its frame.
    let length = if bed.strict { 2_000 } else { 1_000_000 };
    let list = bed.call("list", "(I)Lfixture/Zoo$Node;", &[Value::Int(length)]);
    let state = bed.read(&[list]);
    assert_eq!((state.tokens, state.truncated), (2 * length as u32 + 1, false));
}

fn aliasing_between_roots(bed: &mut Bed<'_, '_>) {
    let (s, t) = (bed.make("arrayList"), bed.make("arrayList"));
    assert_ne!(bed.bytes(&[s, s]), bed.bytes(&[s, t]));
    assert_eq!(bed.bytes(&[s, t]), bed.bytes(&[t, s]));
    assert_eq!(bed.bytes(&[])[..], [0x12, 0]);
}

fn equal_objects_are_equal_states(bed: &mut Bed<'_, '_>) {
    let mut seen = Vec::new();
    for name in bed.names() {
        let (one, two) = (bed.make(&name), bed.make(&name));
        let bytes = bed.bytes(&[one]);
        assert_eq!(bytes, bed.bytes(&[two]), "{name}");
        assert_eq!(bytes, bed.bytes(&[one]), "{name} read twice");
        assert!(!seen.contains(&bytes), "{name} is like another");
        seen.push(bytes);
    }
}

fn caches_and_counters_are_no_state(bed: &mut Bed<'_, '_>) {
    for (name, how) in [
        ("treeMap", "views"),
        ("treeMap", "history"),
        ("bigDecimal", "bigDecimalUsed"),
        ("bigInteger", "bigIntegerUsed"),
        ("locale", "localeUsed"),
        ("uri", "uriUsed"),
        ("hashMap", "hashMapUsed"),
        ("concurrentHashMap", "concurrentHashMapUsed"),
        ("string", "stringUsed"),
    ] {
        let (fresh, used) = (bed.make(name), bed.changed(how));
        assert_eq!(bed.tokens(fresh), bed.tokens(used), "{name}, {how}");
    }
}

fn lambdas_are_told_apart(bed: &mut Bed<'_, '_>) {
    let lambda = |bed: &Bed<'_, '_>, n| {
        let value = bed.call("lambda", "(I)Ljava/util/function/IntSupplier;", &[Value::Int(n)]);
        let Value::Object(Some(object)) = value else { panic!("no lambda") };
        bed.env.global(object).unwrap()
    };
    let (one, again, two) = (lambda(bed, 1), lambda(bed, 1), lambda(bed, 2));
    let [one, again, two] = [&one, &again, &two].map(|lambda| Value::Object(Some(lambda.get())));
    let bytes = bed.bytes(&[one]);
    assert_eq!(bytes, bed.bytes(&[again]));
    assert_ne!(bytes, bed.bytes(&[two]));
    let token = bed.tokens(one);
    assert!(
        matches!(&token[..], [Token::Opaque(host, _)] if host.as_internal() == "fixture/Zoo"),
        "{token:?}"
    );
    let other = bed.call("other", "()Ljava/util/function/Supplier;", &[]);
    let another = bed.call("another", "()Ljava/util/function/Supplier;", &[]);
    assert_ne!(bed.tokens(other), bed.tokens(another));
}

fn the_token_limit(bed: &mut Bed<'_, '_>) {
    let ring = bed.ring(100, 1);
    let rules = probat_protocol::Rule::defaults();
    bed.reader = probat_worker::heap::StateReader::new(bed.env, bed.vm.jvmti(), &rules, 50).unwrap();
    let cut = bed.read(&[ring]);
    assert!(cut.truncated);
    assert_eq!(cut.tokens, 51);
    let small = bed.ring(10, 1);
    assert!(!bed.read(&[small]).truncated);
}

fn forgotten_classes_come_back(bed: &mut Bed<'_, '_>) {
    let names = ["ring", "hashMap", "everything", "graph", "record"];
    let before: Vec<_> = names.map(|name| bed.bytes(&[bed.make(name)])).into();
    bed.reader.forget_classes();
    let after: Vec<_> = names.map(|name| bed.bytes(&[bed.make(name)])).into();
    assert_eq!(before, after);
}

fn objects_look_the_same_in_place(bed: &mut Bed<'_, '_>) {
    let names = bed.names();
    let through_jni: Vec<_> = names.iter().map(|name| bed.bytes(&[bed.make(name)])).collect();
    let rules = probat_protocol::Rule::defaults();
    bed.reader = probat_worker::heap::StateReader::new(bed.env, bed.vm.jvmti(), &rules, PLENTY).unwrap();
    assert!(bed.reader.read_in_place(bed.env), "this JVM lays objects out in a way that is not known");
    // The first state with a class that is new comes through JNI.
    for round in 0..3 {
        for (name, expected) in names.iter().zip(&through_jni) {
            assert_eq!(&bed.bytes(&[bed.make(name)]), expected, "{name}, round {round}");
        }
        bed.call("collect", "()V", &[]);
    }
    let (read, all) = (bed.reader.states_in_place() as usize, 3 * names.len());
    assert!(read * 2 >= all, "{read} of {all} states were read in place");
    bed.reader.forget_classes();
    for (name, expected) in names.iter().zip(&through_jni) {
        assert_eq!(&bed.bytes(&[bed.make(name)]), expected, "{name}, of forgotten classes");
    }
}

/// Prints the state of every object of the fixture.
pub fn digest(bed: &mut Bed<'_, '_>) {
    if bed.skewed {
        bed.call("skew", "(I)V", &[Value::Int(12345)]);
    }
    for name in bed.names() {
        let value = bed.make(&name);
        println!("{name} {} {:?}", bed.read(&[value]).hash, bed.tokens(value));
    }
}

/// Compares what two processes printed.
pub fn agree(left: &Output, right: &Output) -> Result<(), String> {
    let (left, right) = (judge(left)?, judge(right)?);
    let differing: Vec<String> = left
        .lines()
        .zip(right.lines())
        .filter(|(left, right)| left != right)
        .map(|(left, right)| format!("{left}\n{right}"))
        .collect();
    if differing.is_empty() && left.lines().count() > 50 { Ok(()) } else { Err(differing.join("\n")) }
}
