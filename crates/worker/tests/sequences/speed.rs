//! How many steps a worker takes per second.

use std::time::Instant;

use probat_model::OperationTable;
use probat_protocol::{Item, Reset, StateRequest, Values};

use crate::bed::{Bed, Script};

const BATCHES: usize = 200;
const ITEMS: usize = 128;

/// Nanoseconds per step of 20-step sequences on a list, plain and observed.
pub fn measure(bed: &Bed) -> String {
    let mut table = OperationTable::new();
    let mut script = Script::new(&mut table);
    let list = script.new_object("java/util/ArrayList", "()V", []);
    let text = script.text("x");
    while script.sequence.len() < 18 {
        script.call("java/util/ArrayList.add", "(Ljava/lang/Object;)Z", [list, text]);
        script.call("java/util/ArrayList.size", "()I", [list]);
    }
    let zero = script.int(0);
    script.call("java/util/ArrayList.get", "(I)Ljava/lang/Object;", [list, zero]);
    let mut item = script.item();
    item.observe.values = Values::Last;
    let steps = item.sequence.len();
    let mut unobserved = item.clone();
    unobserved.reset = Reset::None;
    unobserved.observe.values = Values::None;
    let mut observed = item.clone();
    observed.observe.edges = true;
    observed.observe.states =
        vec![StateRequest { after: steps as u16 - 1, roots: vec![list], stored: false }];
    let mut all = item.clone();
    all.observe.values = Values::All;
    let mut line = String::new();
    for (name, item) in [("bare", unobserved), ("last", item), ("all", all), ("observed", observed)] {
        line.push_str(&format!("{name} {:.0} ns  ", time(bed, &table, item, steps)));
    }
    line
}

fn time(bed: &Bed, table: &OperationTable, item: Item, steps: usize) -> f64 {
    let mut worker = bed.worker();
    let items = vec![item; ITEMS];
    for _ in 0..50 {
        worker.run(table, &items);
    }
    let start = Instant::now();
    for _ in 0..3 {
        worker.send(table, &items);
    }
    for _ in 3..BATCHES {
        worker.send(table, &items);
        assert_eq!(worker.answer(ITEMS).farewell, None);
    }
    for _ in 0..3 {
        worker.answer(ITEMS);
    }
    let elapsed = start.elapsed();
    worker.finish();
    elapsed.as_nanos() as f64 / (BATCHES * ITEMS * steps) as f64
}
