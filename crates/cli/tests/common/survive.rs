//! A hostile sequence among calm ones.
//!
//! In: what is hostile. Out: what was seen of it. The calm sequences before and after it in its batch, and those of a
//! later batch, must give exactly what they give in a fleet that never saw anything hostile.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use probat_model::{Observation, StepId};
use probat_protocol::Item;
use probat_supervisor::discovery::Jvm;
use probat_supervisor::{Fleet, FleetStats};

use super::bed::Bed;
use super::jvms;
use super::script::Script;

/// What was seen of a hostile sequence.
#[derive(Debug)]
pub struct Survived {
    /// `Java 17`.
    pub label: String,
    pub feature: u32,
    pub seen: Observation,
    pub stats: FleetStats,
    /// What workers printed last.
    pub output: String,
}

/// Runs one hostile sequence on every JVM; `judge` sees what came of it.
#[track_caller]
pub fn survive(build: impl Fn(&mut Script<'_>) -> StepId, judge: impl Fn(&Survived)) {
    survive_in(Bed::on, build, judge);
}

/// The same, where workers are set up otherwise.
#[track_caller]
pub fn survive_in(
    bed: impl Fn(&'static Jvm) -> Bed,
    build: impl Fn(&mut Script<'_>) -> StepId,
    judge: impl Fn(&Survived),
) {
    for jvm in jvms::full() {
        let mut bed = bed(jvm);
        let item = bed.item(&build);
        judge(&survive_on(&mut bed, item));
    }
}

/// Runs one hostile item among calm ones.
#[track_caller]
pub fn survive_on(bed: &mut Bed, hostile: Item) -> Survived {
    let calm = calm_items(bed);
    let expected = expected(bed);
    let mut fleet = bed.start();
    let mut items = calm.clone();
    items.truncate(3);
    items.push(hostile);
    items.extend(calm.iter().cloned());
    let mut seen = fleet.run(&bed.table, items).unwrap();
    let hostile = seen.remove(3);
    assert_calm(bed, &fleet, "before it", &seen[..3], &expected[..3]);
    assert_calm(bed, &fleet, "after it", &seen[3..], &expected);
    let later = fleet.run(&bed.table, calm).unwrap();
    assert_calm(bed, &fleet, "in the next batch", &later, &expected);
    let (stats, output) = (fleet.stats(), fleet.output_tail());
    Survived { label: bed.label(), feature: bed.jvm.version.feature, seen: hostile, stats, output }
}

#[track_caller]
fn assert_calm(bed: &Bed, fleet: &Fleet, place: &str, seen: &[Observation], expected: &[Observation]) {
    for (at, (seen, expected)) in seen.iter().zip(expected).enumerate() {
        assert_eq!(seen, expected, "{}: calm sequence {at} {place}; {:#?}", bed.label(), fleet.stats());
    }
    assert_eq!(seen.len(), expected.len());
}

/// Harmless sequences that would notice: they print, count, throw, hash, and look at what all share.
pub fn calm_items(bed: &mut Bed) -> Vec<Item> {
    let mut items = Vec::new();
    let mut add = |build: &dyn Fn(&mut Script<'_>) -> StepId| items.push(bed.item(build));
    add(&|s| {
        s.call("Calm.next", &[]);
        s.call("Calm.next", &[])
    });
    add(&|s| {
        let calm = s.construct("Calm", &[]);
        s.call("Calm.add", &[calm.into(), "a".into()]);
        s.call("Calm.add", &[calm.into(), "b".into()])
    });
    add(&|s| s.call("Calm.surroundings", &[]));
    add(&|s| s.call("Calm.divide", &[1.into(), 0.into()]));
    add(&|s| {
        s.call("Calm.print", &["calm".into()]);
        s.call("Calm.work", &[2000.into()])
    });
    let mut script = Script::new(&mut bed.table);
    let map = script.jdk("java/util/HashMap.<init>()V", &[]);
    for key in ["one", "two", "three"] {
        let put = "java/util/HashMap.put(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;";
        script.jdk(put, &[map.into(), key.into(), "value".into()]);
    }
    items.push(script.item_with_state(&[map]));
    items
}

/// What the calm sequences give where nothing is hostile; asked of each JVM once.
pub fn expected(bed: &Bed) -> Arc<Vec<Observation>> {
    static KNOWN: Mutex<BTreeMap<PathBuf, Arc<Vec<Observation>>>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap();
    let asked = known.entry(bed.jvm.home.clone()).or_insert_with(|| {
        let mut fresh = Bed::on(bed.jvm);
        let items = calm_items(&mut fresh);
        Arc::new(fresh.run(items))
    });
    Arc::clone(asked)
}
