//! What a step costs.

use std::time::Instant;

use probat_model::OperationTable;
use probat_protocol::{Item, Reset, StateRequest, Values};

use crate::bed::{Bed, Script};
use crate::observing::instrument;

const WARM_UP: usize = 200;
const BATCHES: usize = 400;
const ITEMS: usize = 128;

/// The cost of steps in 20-step sequences on a list, plain and observed.
pub fn measure(bed: &Bed) -> String {
    let mut table = OperationTable::new();
    let mut script = Script::new(&mut table);
    let list = script.new_object("java/util/ArrayList", "()V", []);
    let text = script.text("x");
    let three = script.int(3);
    while script.sequence.len() < 18 {
        script.call("java/util/ArrayList.add", "(Ljava/lang/Object;)Z", [list, text]);
        script.call("java/util/ArrayList.size", "()I", [list]);
        script.call_static("fixture/Subject.branch", "(I)I", [three]);
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
    let mut line = start(bed);
    for (name, item) in [("bare", unobserved), ("last", item), ("all", all), ("observed", observed)] {
        line.push_str(&format!("{name} {:.0} ns  ", time(bed, &table, item, steps)));
    }
    line
}

/// What it takes to have a worker stand.
fn start(bed: &Bed) -> String {
    let mut best = (f64::INFINITY, f64::INFINITY);
    for _ in 0..5 {
        let begun = Instant::now();
        let worker = bed.worker();
        let (wall, cpu) = (begun.elapsed().as_secs_f64(), worker.cpu().as_secs_f64());
        best = (best.0.min(wall), best.1.min(cpu));
        worker.finish();
    }
    format!("start {:.0} ms wall, {:.0} ms CPU  ", best.0 * 1e3, best.1 * 1e3)
}

/// Nanoseconds of the worker's CPU time per step.
fn time(bed: &Bed, table: &OperationTable, item: Item, steps: usize) -> f64 {
    let mut worker = bed.worker_with(|config| config.instrumentation = instrument(bed, &["fixture/Subject"]));
    let items = vec![item; ITEMS];
    for _ in 0..WARM_UP {
        worker.run(table, &items);
    }
    let start = worker.cpu();
    worker.send(table, &items);
    for _ in 1..BATCHES {
        worker.send(table, &items);
        assert_eq!(worker.answer(ITEMS).farewell, None);
    }
    worker.answer(ITEMS);
    let used = worker.cpu() - start;
    worker.finish();
    used.as_nanos() as f64 / (BATCHES * ITEMS * steps) as f64
}
