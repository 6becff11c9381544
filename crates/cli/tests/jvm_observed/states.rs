//! States of objects: spec 000 §2.1, rows 1 to 5 of its checklist, and objects rebuilt from them.

use probat_model::state::{Token, tokens};
use probat_model::{
    ClassName, Literal, Observation, Operation, StepId, StepOutcome, StoredState, Type, Value,
};
use probat_protocol::{Item, StateRequest};

use crate::common::script::{first_hash, first_state};
use crate::common::{Arg, Bed, Script, jvms};

/// Builds an item whose steps return the roots of its state.
fn item(bed: &mut Bed, build: impl FnOnce(&mut Script<'_>) -> Vec<StepId>) -> Item {
    let mut script = Script::new(&mut bed.table);
    let roots = build(&mut script);
    script.item_with_state(&roots)
}

fn run(bed: &Bed, items: Vec<Item>) -> Vec<Observation> {
    let seen = bed.run(items);
    for seen in &seen {
        assert_eq!(seen.end, probat_model::End::Completed, "{}: {seen:?}", bed.label());
    }
    seen
}

fn ring(s: &mut Script<'_>, backwards: bool) -> StepId {
    s.call("Node.ring", &[5.into(), Arg::Literal(Literal::Boolean(backwards))])
}

fn set(s: &mut Script<'_>, node: StepId, field: &str, ty: Type, value: impl Into<Arg>) {
    let class = ClassName::internal("observed/Node");
    s.op(Operation::PutField { class, name: field.into(), ty }, &[node.into(), value.into()]);
}

#[test]
fn spec_000_row_1_isomorphic_cycles_are_equal_and_every_change_shows() {
    for jvm in jvms::full() {
        let mut bed = Bed::on(jvm);
        let node = || Type::class("observed/Node");
        let items = vec![
            item(&mut bed, |s| vec![ring(s, false)]),
            item(&mut bed, |s| vec![ring(s, true)]),
            // One primitive.
            item(&mut bed, |s| {
                let root = ring(s, false);
                let third = s.call("Node.at", &[root.into(), 3.into()]);
                set(s, third, "value", Type::Int, 7);
                vec![root]
            }),
            // One class.
            item(&mut bed, |s| {
                let root = ring(s, false);
                let (last, fourth) =
                    (s.call("Node.at", &[root.into(), 3.into()]), s.construct("Node$Special", &[4.into()]));
                set(s, last, "next", node(), fourth);
                set(s, fourth, "next", node(), root);
                vec![root]
            }),
            // One alias: the ring closes one node later.
            item(&mut bed, |s| {
                let root = ring(s, false);
                let last = s.call("Node.at", &[root.into(), 4.into()]);
                let second = s.call("Node.at", &[root.into(), 1.into()]);
                set(s, last, "next", node(), second);
                vec![root]
            }),
        ];
        let seen = run(&bed, items);
        assert_eq!(first_state(&seen[0]), first_state(&seen[1]), "{}", bed.label());
        let hashes: Vec<_> = seen[1..].iter().map(first_hash).collect();
        for (at, hash) in hashes.iter().enumerate() {
            assert!(!hashes[..at].contains(hash), "{}: change {at} does not show", bed.label());
        }
    }
}

#[test]
fn spec_000_row_2_numbers_and_references_never_collide() {
    for jvm in jvms::full() {
        let mut bed = Bed::on(jvm);
        let boxes = [
            "java/lang/Integer.valueOf(I)Ljava/lang/Integer;",
            "java/lang/Long.valueOf(J)Ljava/lang/Long;",
            "java/lang/Short.valueOf(S)Ljava/lang/Short;",
            "java/lang/Byte.valueOf(B)Ljava/lang/Byte;",
            "java/lang/Character.valueOf(C)Ljava/lang/Character;",
        ];
        let twos = [Literal::Int(2), Literal::Long(2), Literal::Short(2), Literal::Byte(2), Literal::Char(2)];
        let object = Type::class("java/lang/Object");
        let triple = Operation::ArrayOf { element: object, length: 3 };
        // The array is object 0, its elements are 1 and 2; the third is a reference to object 2.
        let mut items = vec![item(&mut bed, |s| {
            let (one, two) = (s.construct("Node", &[0.into()]), s.construct("Node", &[0.into()]));
            vec![s.op(triple.clone(), &[one.into(), two.into(), two.into()])]
        })];
        for (make, two) in boxes.into_iter().zip(twos) {
            items.push(item(&mut bed, |s| {
                let (one, two_node) = (s.construct("Node", &[0.into()]), s.construct("Node", &[0.into()]));
                let two = s.jdk(make, &[Arg::Literal(two)]);
                vec![s.op(triple.clone(), &[one.into(), two_node.into(), two.into()])]
            }));
        }
        items.push(item(&mut bed, |s| {
            let (one, two) = (s.construct("Node", &[0.into()]), s.construct("Node", &[0.into()]));
            vec![s.op(triple.clone(), &[one.into(), two.into(), "2".into()])]
        }));
        let seen = run(&bed, items);
        assert!(tokens(&first_state(&seen[0]).tokens).unwrap().contains(&Token::Ref(2)));
        let hashes: Vec<_> = seen.iter().map(first_hash).collect();
        for (at, hash) in hashes.iter().enumerate() {
            assert!(!hashes[..at].contains(hash), "{}: {at} collides", bed.label());
        }
    }
}

#[test]
fn spec_000_row_3_shadowed_fields_both_appear() {
    for jvm in jvms::full() {
        let mut bed = Bed::on(jvm);
        let values = [(1, 2), (2, 1), (1, 1)];
        let items = values.map(|(base, own)| {
            item(&mut bed, |s| {
                let object = s.construct("Shadow$Derived", &[]);
                s.call("Shadow$Derived.set", &[object.into(), base.into(), own.into()]);
                vec![object]
            })
        });
        let seen = run(&bed, items.to_vec());
        let hashes: Vec<_> = seen.iter().map(first_hash).collect();
        assert!(hashes[0] != hashes[1] && hashes[0] != hashes[2] && hashes[1] != hashes[2]);
        let layout = &first_state(&seen[0]).layouts[0];
        let slots: Vec<(&str, &str)> =
            layout.slots.iter().map(|slot| (slot.declared_in.simple(), slot.name.as_str())).collect();
        let both = [("Shadow", "name"), ("Shadow", "x"), ("Shadow$Derived", "name"), ("Shadow$Derived", "x")];
        assert_eq!(slots, both, "{}", bed.label());
        let text = |text: &str| Token::String(text.into());
        let found = tokens(&first_state(&seen[0]).tokens).unwrap();
        assert_eq!(found[1..], [text("base"), Token::Int(1), text("derived"), Token::Int(2)]);
    }
}

#[test]
fn spec_000_row_4_a_million_nodes_are_no_deeper_than_one() {
    for jvm in jvms::full() {
        let mut bed = Bed::on(jvm);
        bed.config.config.limits.heap_bytes = 256 << 20;
        bed.config.config.limits.state_tokens = 4_000_000;
        bed.config.config.limits.call_cpu = std::time::Duration::from_secs(20);
        bed.config.config.limits.call_wall = std::time::Duration::from_secs(60);
        let chain = |bed: &mut Bed, size: i32| {
            let mut item = item(bed, |s| vec![s.call("Node.chain", &[size.into()])]);
            item.observe.states[0].stored = false;
            item
        };
        let items = vec![chain(&mut bed, 1_000_000), chain(&mut bed, 1_000_000), chain(&mut bed, 1_000_001)];
        let seen = run(&bed, items);
        let state = seen[0].states[0].as_ref().unwrap();
        assert!(!state.truncated && state.tokens > 2_000_000, "{}: {state:?}", bed.label());
        assert_eq!(first_hash(&seen[0]), first_hash(&seen[1]), "{}", bed.label());
        assert_ne!(first_hash(&seen[0]), first_hash(&seen[2]), "{}", bed.label());
    }
}

#[test]
fn spec_000_row_5_aliasing_between_roots_shows() {
    for jvm in jvms::full() {
        let mut bed = Bed::on(jvm);
        let items = vec![
            item(&mut bed, |s| {
                let node = s.construct("Node", &[1.into()]);
                vec![node, node]
            }),
            item(&mut bed, |s| {
                let (one, other) = (s.construct("Node", &[1.into()]), s.construct("Node", &[1.into()]));
                vec![one, other]
            }),
        ];
        let seen = run(&bed, items);
        assert_ne!(first_hash(&seen[0]), first_hash(&seen[1]), "{}", bed.label());
        let same = tokens(&first_state(&seen[0]).tokens).unwrap();
        assert_eq!((same.first(), same.last()), (Some(&Token::Roots(2)), Some(&Token::Ref(0))));
    }
}

/// A state above the limit is unlike every other, and says so.
#[test]
fn a_state_above_the_limit_is_truncated() {
    let mut bed = Bed::on(jvms::newest());
    bed.config.config.limits.state_tokens = 1000;
    let items = vec![item(&mut bed, |s| vec![s.call("Node.chain", &[2000.into()])])];
    let seen = run(&bed, items);
    assert!(seen[0].states[0].as_ref().unwrap().truncated);
}

/// A state is what was there after its step, not at the end.
#[test]
fn states_are_taken_right_after_their_step() {
    let mut bed = Bed::on(jvms::newest());
    let mut script = Script::new(&mut bed.table);
    let calm = script.construct("Calm", &[]);
    let one = script.call("Calm.add", &[calm.into(), "a".into()]);
    let two = script.call("Calm.add", &[calm.into(), "b".into()]);
    let mut item = script.item();
    for step in [calm, one, two] {
        item.observe.states.push(StateRequest { after: step.0, roots: vec![calm], stored: false });
    }
    let seen = run(&bed, vec![item]);
    let hashes: Vec<_> = seen[0].states.iter().map(|state| state.as_ref().unwrap().hash).collect();
    assert!(hashes[0] != hashes[1] && hashes[1] != hashes[2] && hashes[0] != hashes[2]);
}

/// Rebuilds a state and reads it back: the same bytes; and the object works.
#[test]
fn restored_objects_are_what_they_were() {
    for jvm in jvms::full() {
        let mut bed = Bed::on(jvm);
        let list = "java/util/ArrayList";
        let originals = vec![
            item(&mut bed, |s| vec![s.construct("Mixed", &[])]),
            item(&mut bed, |s| vec![ring(s, false)]),
            item(&mut bed, |s| vec![s.construct("Shadow$Derived", &[])]),
            item(&mut bed, |s| {
                let made = s.jdk(&format!("{list}.<init>()V"), &[]);
                s.jdk(&format!("{list}.add(Ljava/lang/Object;)Z"), &[made.into(), "x".into()]);
                vec![made]
            }),
            item(&mut bed, |s| vec![s.literal("just text")]),
        ];
        let states: Vec<StoredState> =
            run(&bed, originals).iter().map(|seen| first_state(seen).clone()).collect();
        let rebuilt = states.iter().map(|state| item(&mut bed, |s| vec![s.restore(state)])).collect();
        for (seen, state) in run(&bed, rebuilt).iter().zip(&states) {
            assert_eq!(first_state(seen), state, "{}", bed.label());
        }
        let show = |s: &mut Script<'_>, made: StepId| s.call("Mixed.show", &[made.into()]);
        let used = vec![
            bed.item(|s| {
                let made = s.construct("Mixed", &[]);
                show(s, made)
            }),
            bed.item(|s| {
                let made = s.restore(&states[0]);
                show(s, made)
            }),
            bed.item(|s| {
                let made = s.restore(&states[1]);
                s.call("Node.sum", &[made.into(), 7.into()])
            }),
        ];
        let seen = run(&bed, used);
        let last = |seen: &Observation| seen.steps.last().unwrap().1.clone();
        assert_eq!(last(&seen[0]), last(&seen[1]), "{}", bed.label());
        // Values 0 to 4, and once around: 0 and 1.
        assert_eq!(last(&seen[2]), StepOutcome::Returned(Value::Int(11)), "{}", bed.label());
    }
}
