//! A little of everything on every JVM there is.

use probat_model::{End, StepId, StepOutcome, TaintKind, Value};

use crate::common::script::first_state;
use crate::common::{Bed, Script, jvms};

#[test]
fn values_edges_states_limits_and_guards_on_every_jvm() {
    for jvm in jvms::all() {
        let mut bed = Bed::on(jvm);
        let mut items = vec![
            bed.item(|s| s.call("Branches.calls", &[3.into()])),
            bed.item(|s| s.call("Calm.divide", &[1.into(), 0.into()])),
            bed.item(|s| s.call("Loops.endless", &[])),
            bed.item(|s| s.call("Exits.exit", &[])),
            bed.item(|s| s.call("Global.property", &["x".into()])),
            bed.item(|s| s.call("Global.readProperty", &[])),
            bed.item(|s| s.call("InitThrows.value", &[])),
        ];
        let mut script = Script::new(&mut bed.table);
        let mixed = script.construct("Mixed", &[]);
        items.push(script.item_with_state(&[mixed]));
        let mut fleet = bed.start();
        let seen = fleet.run(&bed.table, items).unwrap();
        let label = bed.label();
        let last = |at: usize| seen[at].steps.last().map(|(_, outcome)| outcome);
        assert_eq!(last(0), Some(&StepOutcome::Returned(Value::Int(4))), "{label}");
        assert_eq!(seen[0].edges.len(), 7, "{label}: {:?}", seen[0]);
        assert!(
            matches!(last(1), Some(StepOutcome::Threw(thrown)) if thrown.class.simple() == "ArithmeticException"),
            "{label}: {:?}",
            seen[1]
        );
        assert_eq!(seen[2].end, End::TimedOut(StepId(0)), "{label}");
        assert_eq!(seen[3].taints[0].kind, TaintKind::Exit, "{label}");
        assert_eq!(seen[4].end, End::Completed, "{label}");
        let read = Value::String { text: "null,true".into(), length: 9 };
        assert_eq!(last(5), Some(&StepOutcome::Returned(read)), "{label}");
        let cause = match last(6) {
            Some(StepOutcome::Threw(thrown)) => thrown.cause.clone(),
            other => panic!("{label}: {other:?}"),
        };
        assert_eq!(cause.unwrap().simple(), "IllegalStateException", "{label}");
        // What was seen of an object can be made again.
        let state = first_state(&seen[7]).clone();
        let mut script = Script::new(&mut bed.table);
        let restored = script.restore(&state);
        script.call("Mixed.show", &[restored.into()]);
        let again = script.item_with_state(&[restored]);
        let again = fleet.run(&bed.table, vec![again]).unwrap();
        assert_eq!(again[0].end, End::Completed, "{label}: {again:?}");
        assert_eq!(first_state(&again[0]).tokens, state.tokens, "{label}");
    }
}
