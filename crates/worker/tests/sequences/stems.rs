//! Items that go on from a stem.

use probat_model::{End, OperationTable, Value};
use probat_protocol::Item;

use crate::Case;
use crate::bed::{Bed, Script};
use crate::observing::instrument;
use crate::operations::values;

pub fn cases() -> Vec<Case> {
    vec![
        ("a_stem_is_run_once", a_stem_is_run_once),
        ("who_goes_on_sees_what_it_would_see_alone", who_goes_on_sees_what_it_would_see_alone),
        ("nobody_goes_on_from_what_left_a_trace", nobody_goes_on_from_what_left_a_trace),
        ("nobody_goes_on_from_an_iterator_that_was_judged", nobody_goes_on_from_an_iterator_that_was_judged),
    ]
}

/// Steps that make a list of one text; what comes after them differs.
const STEM: u16 = 3;

fn item(table: &mut OperationTable, stem: u16, last: impl FnOnce(&mut Script<'_>)) -> Item {
    let mut script = Script::new(table);
    let list = script.new_object("java/util/ArrayList", "()V", []);
    let text = script.text("x");
    script.call("java/util/ArrayList.add", "(Ljava/lang/Object;)Z", [list, text]);
    last(&mut script);
    Item { stem, ..script.item() }
}

fn adding(script: &mut Script<'_>) {
    let [list, text] = [0, 1].map(probat_model::StepId);
    script.call("java/util/ArrayList.add", "(Ljava/lang/Object;)Z", [list, text]);
}

fn size(script: &mut Script<'_>) {
    script.call("java/util/ArrayList.size", "()I", [probat_model::StepId(0)]);
}

/// Who is told to go on from a stem does, even where that was not as it should be: nothing looks whether the call before kept its promise.
fn a_stem_is_run_once(bed: &Bed) {
    let mut table = OperationTable::new();
    let adds = item(&mut table, STEM, adding);
    let sizes = item(&mut table, STEM, size);
    let apart = item(&mut table, 0, size);
    let mut worker = bed.worker();
    // The first batch looks the operations up.
    worker.run(&table, std::slice::from_ref(&apart));
    let seen = worker.run(&table, &[adds, sizes.clone(), sizes, apart]).seen;
    let sizes: Vec<_> = seen[1..].iter().map(|seen| values(seen)[3]).collect();
    assert_eq!(sizes, [&Value::Int(2), &Value::Int(2), &Value::Int(1)]);
    assert_eq!(values(&seen[1])[2], &Value::Boolean(true), "the steps of the stem are told too");
    let printed = worker.finish();
    assert!(!printed.contains("WARNING in native method"), "{printed}");
}

fn who_goes_on_sees_what_it_would_see_alone(bed: &Bed) {
    let mut worker = bed.worker_with(|config| config.instrumentation = instrument(bed, &["fixture/Subject"]));
    let mut table = OperationTable::new();
    let mut grown = |stem: u16, n: i32| {
        let mut script = Script::new(&mut table);
        let five = script.int(5);
        let subject = script.new_object("fixture/Subject", "(I)V", [five]);
        script.call_static("fixture/Subject.branch", "(I)I", [five]);
        let n = script.int(n);
        script.call_static("fixture/Subject.branch", "(I)I", [n]);
        script.call("fixture/Subject.twice", "()I", [subject]);
        let mut item = script.item_with_state(&[subject]);
        item.observe.edges = true;
        Item { stem, ..item }
    };
    let alone: Vec<Item> = [3, 4, 11].map(|n| grown(0, n)).into();
    let together: Vec<Item> = [3, 4, 11].map(|n| grown(3, n)).into();
    let first = worker.run(&table, &alone).seen;
    let second = worker.run(&table, &together).seen;
    assert_eq!(first, second);
    assert!(first[0].edges != first[1].edges, "what comes after the stem reaches something else");
    worker.finish();
}

fn nobody_goes_on_from_what_left_a_trace(bed: &Bed) {
    let mut table = OperationTable::new();
    let apart = item(&mut table, 0, size);
    let sizes = item(&mut table, STEM, size);
    let leaves = |script: &mut Script<'_>| {
        adding(script);
        script.call_static("fixture/Subject.next", "()I", []);
    };
    let throws = |script: &mut Script<'_>| {
        adding(script);
        let nothing = script.null("java/lang/Object");
        script.call_static("fixture/Subject.dereference", "(Ljava/lang/Object;)V", [nothing]);
    };
    let mut script = Script::new(&mut table);
    let text = script.text("boom");
    let list = script.new_object("java/util/ArrayList", "()V", []);
    script.call_static("fixture/Subject.fail", "(Ljava/lang/String;)V", [text]);
    script.call("java/util/ArrayList.size", "()I", [list]);
    let broken = Item { stem: STEM, ..script.item() };
    let items = [
        item(&mut table, STEM, leaves),
        sizes.clone(),
        item(&mut table, STEM, throws),
        sizes.clone(),
        broken.clone(),
        broken,
    ];
    let mut worker = bed.worker_with(|config| config.instrumentation = instrument(bed, &["fixture/Subject"]));
    worker.run(&table, &[vec![apart], items.to_vec()].concat());
    let seen = worker.run(&table, &items).seen;
    assert_eq!(values(&seen[1])[3], &Value::Int(1), "a static field was written: all is run again");
    assert_eq!(values(&seen[3])[3], &Value::Int(2), "an exception at the end is no reason to");
    let ends: Vec<&End> = [4, 5].map(|at: usize| &seen[at].end).into();
    assert!(ends.iter().all(|end| matches!(end, End::Threw(step) if step.0 == 2)), "{ends:?}");
    worker.finish();
}

/// The contract of iterators takes an element.
fn nobody_goes_on_from_an_iterator_that_was_judged(bed: &Bed) {
    let mut table = OperationTable::new();
    let mut asks = |stem: u16| {
        let mut script = Script::new(&mut table);
        let once = script.new_object("fixture/Once", "()V", []);
        script.call("fixture/Once.hasNext", "()Z", [once]);
        let mut item = Item { stem, ..script.item() };
        item.observe.contracts = true;
        item
    };
    let (apart, asks) = (asks(0), asks(1));
    let mut worker = bed.worker();
    worker.run(&table, &[apart]);
    let seen = worker.run(&table, &[asks.clone(), asks.clone(), asks]).seen;
    let answers: Vec<_> = seen.iter().map(|seen| values(seen)[1]).collect();
    assert_eq!(answers, [&Value::Boolean(true); 3]);
    worker.finish();
}
