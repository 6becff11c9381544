//! The same list of sequences gives the same observations, whoever runs it.

use probat_model::{End, Observation, Slow};
use probat_protocol::Reset;

use crate::common::mix::mixed;
use crate::common::{Bed, jvms};

/// Observations as bytes would show them: every NaN is itself.
fn rendered(seen: &[Observation]) -> Vec<String> {
    // However long it took.
    let timeless = |seen: &Observation| Observation { slow: Slow::default(), ..seen.clone() };
    seen.iter().map(|seen| format!("{:?}", timeless(seen))).collect()
}

#[track_caller]
fn assert_same(bed: &Bed, what: &str, one: &[Observation], other: &[Observation]) {
    assert_eq!(one.len(), other.len());
    for (at, (one, other)) in rendered(one).iter().zip(&rendered(other)).enumerate() {
        assert_eq!(one, other, "{}: sequence {at} {what}", bed.label());
    }
}

#[test]
fn one_worker_and_two_see_the_same() {
    for jvm in jvms::full() {
        let mut bed = Bed::on(jvm);
        let items = mixed(&mut bed);
        assert!(items.len() >= 300, "{}", items.len());
        let one = bed.run(items.clone());
        assert!(one.iter().filter(|seen| matches!(seen.end, End::TimedOut(_))).count() >= 2, "too calm");
        bed.config.workers = 2;
        let two = bed.run(items);
        assert_same(&bed, "with two workers", &one, &two);
    }
}

/// Order and company make no difference either: each sequence alone in its batch, backwards.
#[test]
fn any_order_sees_the_same() {
    let mut bed = Bed::on(jvms::newest());
    let mut items = mixed(&mut bed);
    let forwards = bed.run(items.clone());
    items.reverse();
    bed.config.batch_size = 1;
    let mut backwards = bed.run(items);
    backwards.reverse();
    assert_same(&bed, "backwards", &forwards, &backwards);
}

#[test]
fn a_fresh_loader_for_each_sequence_sees_the_same() {
    for jvm in jvms::full() {
        let mut bed = Bed::on(jvm);
        let mut items = mixed(&mut bed);
        items.truncate(110);
        let fields = bed.run(items.clone());
        items.iter_mut().for_each(|item| item.reset = Reset::Loader);
        bed.config.workers = 2;
        let loader = bed.run(items);
        // Statics of classes that are thrown away are not put back, so they are no leak.
        let without_leaks = |seen: &[Observation]| -> Vec<Observation> {
            let clean = |seen: &Observation| Observation { leaks: Vec::new(), ..seen.clone() };
            seen.iter().map(clean).collect()
        };
        assert_same(&bed, "with fresh loaders", &without_leaks(&fields), &without_leaks(&loader));
    }
}

/// The JVM's own checks of our use of JNI find nothing, and change nothing.
#[test]
fn everything_is_clean_under_check_jni() {
    for jvm in jvms::full() {
        let mut bed = Bed::on(jvm);
        bed.config.output_bytes = 16 << 20;
        let items = mixed(&mut bed);
        let plain = bed.run(items.clone());
        bed.config.config.check_jni = true;
        let mut fleet = bed.start();
        let checked = fleet.run(&bed.table, items).unwrap();
        let output = fleet.output_tail();
        for complaint in ["WARNING", "FATAL ERROR"] {
            let found = output.find(complaint).map(|at| output[at..].chars().take(2000).collect::<String>());
            assert_eq!(found, None, "{}", bed.label());
        }
        assert_same(&bed, "under -Xcheck:jni", &plain, &checked);
    }
}
