//! What is seen of a sequence: edges, states, contracts.

use probat_classfile::ClassFile;
use probat_classfile::passes::{PassSet, edges};
use probat_model::{
    ClassName, Compared, Contract, End, Operand, OperationTable, ProbeId, StepId, StepOutcome, Value,
};
use probat_protocol::{ClassProbes, Instrumentation, Values};

use crate::Case;
use crate::bed::{Bed, Script, one_call};
use crate::operations::values;

pub fn cases() -> Vec<Case> {
    vec![
        ("edges_are_those_taken", edges_are_those_taken),
        ("initialisers_credit_nobody", initialisers_credit_nobody),
        ("states_tell_objects_apart", states_tell_objects_apart),
        ("states_can_be_restored", states_can_be_restored),
        ("contracts_are_judged", contracts_are_judged),
        ("exceptions_are_judged", exceptions_are_judged),
        ("only_the_values_asked_for", only_the_values_asked_for),
        ("comparisons_are_told_where_asked_for", comparisons_are_told_where_asked_for),
    ]
}

/// Numbers the probes of some fixture classes.
pub fn instrument(bed: &Bed, names: &[&str]) -> Instrumentation {
    let mut instrumentation = Instrumentation::default();
    for name in names {
        let bytes = std::fs::read(bed.classes.join(format!("{name}.class"))).unwrap();
        let count = edges::plan(&ClassFile::read(&bytes).unwrap()).count;
        let first = ProbeId(instrumentation.probes);
        instrumentation.classes.push(ClassProbes {
            class: ClassName::internal(name),
            first,
            count,
            first_site: 0,
        });
        instrumentation.probes += count;
    }
    instrumentation
}

fn comparisons_are_told_where_asked_for(bed: &Bed) {
    let bytes = std::fs::read(bed.classes.join("fixture/Subject.class")).unwrap();
    let passes = PassSet { edges: Some(ProbeId(0)), comparisons: Some(0), ..PassSet::NONE };
    let sites = probat_classfile::passes::instrument(&bytes, &passes).unwrap().comparisons.len() as u32;
    let mut worker = bed.worker_with(|config| {
        config.instrumentation = instrument(bed, &["fixture/Subject"]);
        config.instrumentation.sites = sites;
    });
    let mut table = OperationTable::new();
    let items: Vec<_> = [(3, true), (11, true), (3, false), (3, true)]
        .into_iter()
        .map(|(n, asked)| {
            let mut script = Script::new(&mut table);
            let n = script.int(n);
            script.call_static("fixture/Subject.branch", "(I)I", [n]);
            let mut item = script.item();
            item.observe.sites = if asked { (0..sites).collect() } else { Vec::new() };
            item
        })
        .collect();
    let answer = worker.run(&table, &items);
    let compared: Vec<_> = answer.seen.iter().map(|seen| &seen.compared).collect();
    let about = |number: i64| move |seen: &&Compared| seen.left == Operand::Bits(number);
    assert!(compared[0].iter().any(|seen| about(3)(&seen)), "{compared:?}");
    assert!(compared[1].iter().any(|seen| about(11)(&seen)), "{compared:?}");
    assert!(compared[2].is_empty());
    assert_eq!(compared[0], compared[3]);
    worker.finish();
}

fn edges_are_those_taken(bed: &Bed) {
    let mut worker = bed.worker_with(|config| config.instrumentation = instrument(bed, &["fixture/Subject"]));
    let mut table = OperationTable::new();
    let items: Vec<_> = [3, 4, 11, 3]
        .into_iter()
        .map(|n| {
            let mut script = Script::new(&mut table);
            let n = script.int(n);
            script.call_static("fixture/Subject.branch", "(I)I", [n]);
            let mut item = script.item();
            item.observe.edges = true;
            item
        })
        .collect();
    let answer = worker.run(&table, &items);
    let edges: Vec<_> = answer.seen.iter().map(|seen| &seen.edges).collect();
    assert!(!edges[0].is_empty());
    assert_eq!(edges[0], edges[3]);
    assert!(edges[0] != edges[1] && edges[1] != edges[2] && edges[0] != edges[2], "{edges:?}");
    assert!(edges.iter().all(|edges| edges.is_sorted()));
    assert!(edges[0].iter().any(|edge| edges[2].contains(edge)), "the entry is common");
    worker.finish();
}

/// The same sequence hits the same edges whether or not it is the one that initialises a class.
fn initialisers_credit_nobody(bed: &Bed) {
    let names = ["fixture/Lazy", "fixture/UsesLazy"];
    let mut worker = bed.worker_with(|config| config.instrumentation = instrument(bed, &names));
    let mut table = OperationTable::new();
    let mut item = one_call(&mut table, "fixture/UsesLazy.use", "()I");
    item.observe.edges = true;
    let seen = worker.run(&table, &[item.clone(), item.clone()]).seen;
    assert_eq!(values(&seen[0]), values(&seen[1]), "the static field was put back");
    assert_eq!(values(&seen[0]), [&Value::Int(10)]);
    assert_eq!(seen[0].edges, seen[1].edges);
    assert_eq!(seen[0].edges.len(), 2, "the entries of `use` and `get`: {:?}", seen[0].edges);
    worker.finish();
    let started = bed.worker_with(|config| {
        config.instrumentation = instrument(bed, &names);
        config.initialise = vec![ClassName::internal("fixture/Lazy")];
    });
    let hello = started.hello.as_ref().unwrap();
    assert!(hello.initial_edges.len() >= 2, "{:?}", hello.initial_edges);
    started.finish();
}

fn states_tell_objects_apart(bed: &Bed) {
    let mut worker = bed.worker();
    let mut table = OperationTable::new();
    let items: Vec<_> = [1, 2, 1]
        .into_iter()
        .map(|n| {
            let mut script = Script::new(&mut table);
            let n = script.int(n);
            let it = script.new_object("fixture/Subject", "(I)V", [n]);
            script.call("fixture/Subject.twice", "()I", [it]);
            script.item_with_state(&[it])
        })
        .collect();
    let seen = worker.run(&table, &items).seen;
    let states: Vec<_> = seen.iter().map(|seen| seen.states[0].as_ref().unwrap()).collect();
    assert_eq!(states[0], states[2]);
    assert_ne!(states[0].hash, states[1].hash);
    let stored = states[0].stored.as_ref().unwrap();
    assert_eq!(stored.hash(), states[0].hash);
    assert_eq!(stored.layouts[0].slots[0].name, "field");
    worker.finish();
}

fn states_can_be_restored(bed: &Bed) {
    let mut worker = bed.worker();
    let mut table = OperationTable::new();
    let mut script = Script::new(&mut table);
    let n = script.int(21);
    let it = script.new_object("fixture/Subject", "(I)V", [n]);
    let item = script.item_with_state(&[it]);
    let first = worker.run(&table, &[item]).seen.remove(0);
    let state = first.states[0].clone().unwrap();
    let mut script = Script::new(&mut table);
    let again = script.op(probat_model::Operation::Restore(state.stored.clone().unwrap()), []);
    script.call("fixture/Subject.twice", "()I", [again]);
    let item = script.item_with_state(&[again]);
    let second = worker.run(&table, &[item]).seen.remove(0);
    assert_eq!(values(&second)[1], &Value::Int(42));
    assert_eq!(second.states[0].as_ref().unwrap().hash, state.hash);
    worker.finish();
}

fn contracts_are_judged(bed: &Bed) {
    let mut worker = bed.worker();
    let mut table = OperationTable::new();
    let cases = [
        ("NotReflexive", Some(Contract::EqualsReflexive)),
        ("EqualToNull", Some(Contract::EqualsNull)),
        ("HashThrows", Some(Contract::HashCodeThrows)),
        ("HashChanges", Some(Contract::HashCodeConsistent)),
        ("PrintsNull", Some(Contract::ToStringNull)),
        ("PrintThrows", Some(Contract::ToStringThrows)),
        ("BadOrder", Some(Contract::CompareToReflexive)),
        ("BadClone", Some(Contract::CloneThrows)),
        ("Subject", None),
    ];
    for (name, expected) in cases {
        let mut script = Script::new(&mut table);
        script.new_object(&format!("fixture/{name}"), "()V", []);
        let mut item = script.item();
        item.observe.contracts = true;
        let seen = worker.run(&table, &[item]).seen.remove(0);
        let found: Vec<_> = seen.violations.iter().map(|violation| violation.contract).collect();
        assert_eq!(found, Vec::from_iter(expected), "{name}");
    }
    let mut script = Script::new(&mut table);
    let one = script.int(1);
    let left = script.new_object("fixture/Fine", "(I)V", [one]);
    let right = script.new_object("fixture/Fine", "(I)V", [one]);
    script.call("fixture/Fine.compareTo", "(Lfixture/Fine;)I", [left, right]);
    let mut item = script.item();
    item.observe.contracts = true;
    assert_eq!(worker.run(&table, &[item]).seen[0].violations, []);
    let mut script = Script::new(&mut table);
    let odd = script.new_object("fixture/EqualToNull", "()V", []);
    let text = script.text("x");
    script.call("java/lang/String.equals", "(Ljava/lang/Object;)Z", [text, odd]);
    let mut item = script.item();
    item.observe.contracts = true;
    let seen = worker.run(&table, &[item]).seen.remove(0);
    let symmetric = seen.violations.iter().find(|found| found.contract == Contract::EqualsSymmetric);
    assert_eq!(symmetric.map(|found| found.steps.len()), Some(2), "{:?}", seen.violations);
    // Who was asked about whom is told where it throws.
    let mut script = Script::new(&mut table);
    let odd = script.new_object("fixture/CastsOthers", "()V", []);
    let text = script.text("x");
    script.call("java/lang/String.equals", "(Ljava/lang/Object;)Z", [text, odd]);
    let mut item = script.item();
    item.observe.contracts = true;
    let seen = worker.run(&table, &[item]).seen.remove(0);
    let found: Vec<_> = seen.violations.iter().map(|found| (found.contract, found.steps.clone())).collect();
    assert_eq!(found, [(Contract::EqualsThrows, vec![odd, text])]);
    worker.finish();
}

fn exceptions_are_judged(bed: &Bed) {
    let mut worker = bed.worker();
    let mut table = OperationTable::new();
    let mut judge = |build: fn(&mut Script<'_>)| {
        let mut script = Script::new(&mut table);
        build(&mut script);
        let mut item = script.item();
        item.observe.contracts = true;
        let seen = worker.run(&table, &[item]).seen.remove(0);
        seen.violations.iter().map(|violation| violation.contract).collect::<Vec<_>>()
    };
    let given_null = judge(|s| {
        let null = s.null("java/lang/Object");
        s.call_static("fixture/Subject.dereference", "(Ljava/lang/Object;)V", [null]);
    });
    assert_eq!(given_null, []);
    let assertion = judge(|s| {
        s.call_static("fixture/Subject.assertion", "()V", []);
    });
    assert_eq!(assertion, [Contract::AssertionError]);
    worker.finish();
}

fn only_the_values_asked_for(bed: &Bed) {
    let mut worker = bed.worker();
    let mut table = OperationTable::new();
    let mut script = Script::new(&mut table);
    script.int(1);
    script.int(2);
    let mut item = script.item();
    item.observe.values = Values::Last;
    let mut none = item.clone();
    none.observe.values = Values::None;
    let text = "t";
    let mut script = Script::new(&mut table);
    let text = script.text(text);
    script.call_static("fixture/Subject.fail", "(Ljava/lang/String;)V", [text]);
    let mut thrown = script.item();
    thrown.observe.values = Values::None;
    let mut script = Script::new(&mut table);
    let (_, text) = (script.int(1), script.text("t"));
    script.int(2);
    let mut rooted = script.item_with_state(&[text]);
    rooted.observe.values = Values::Rooted;
    let seen = worker.run(&table, &[item, none, thrown, rooted]).seen;
    assert_eq!(seen[0].steps, [(StepId(1), StepOutcome::Returned(Value::Int(2)))]);
    assert_eq!(seen[3].steps.iter().map(|(step, _)| step.0).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(seen[1].steps, []);
    assert_eq!(seen[2].end, End::Threw(StepId(1)));
    assert!(matches!(seen[2].steps[..], [(StepId(1), StepOutcome::Threw(_))]));
    worker.finish();
}
