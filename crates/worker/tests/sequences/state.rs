//! What a sequence leaves behind is put back, and told.

use probat_model::{End, Leak, Observation, OperationTable, StepOutcome, Value};
use probat_protocol::{Reset, Setting};

use crate::Case;
use crate::bed::{Bed, Script, one_call};
use crate::observing::instrument;
use crate::operations::values;

pub fn cases() -> Vec<Case> {
    vec![
        ("process_wide_state_is_put_back", process_wide_state_is_put_back),
        ("closed_streams_are_replaced", closed_streams_are_replaced),
        ("providers_are_put_back", providers_are_put_back),
        ("statics_are_put_back", statics_are_put_back),
        ("a_fresh_loader_forgets_everything", a_fresh_loader_forgets_everything),
        (
            "a_class_that_always_fails_is_not_worth_a_loader_each_time",
            a_class_that_always_fails_is_not_worth_a_loader_each_time,
        ),
        ("nothing_is_put_back_on_request", nothing_is_put_back_on_request),
        ("unordered_sets_have_one_order", unordered_sets_have_one_order),
        ("another_setting_has_another_time", another_setting_has_another_time),
        ("failed_initialisers_fail_the_same_way", failed_initialisers_fail_the_same_way),
    ]
}

fn text(value: &str) -> Value {
    Value::String { text: value.into(), length: value.len() as u32 }
}

fn process_wide_state_is_put_back(bed: &Bed) {
    let mut worker = bed.worker();
    let mut table = OperationTable::new();
    let look = one_call(&mut table, "fixture/Subject.looksClean", "()Ljava/lang/String;");
    let dirty = one_call(&mut table, "fixture/Subject.dirty", "()V");
    let seen = worker.run(&table, &[look.clone(), dirty, look.clone()]).seen;
    let clean = text("null false en_US UTC true false null");
    assert_eq!(values(&seen[0]), [&clean]);
    assert_eq!(values(&seen[2]), [&clean]);
    for leak in [
        Leak::SystemProperties,
        Leak::Locale,
        Leak::TimeZone,
        Leak::StandardStreams,
        Leak::ThreadLocals,
        Leak::Interrupt,
    ] {
        assert!(seen[1].leaks.contains(&leak), "{leak:?} in {:?}", seen[1].leaks);
    }
    let ours = one_call(&mut table, "fixture/Subject.contextLoaderIsOurs", "()Z");
    assert_eq!(values(&worker.run(&table, &[ours]).seen[0]), [&Value::Boolean(true)]);
    worker.finish();
}

fn closed_streams_are_replaced(bed: &Bed) {
    let mut worker = bed.worker();
    let mut table = OperationTable::new();
    let close = one_call(&mut table, "fixture/Subject.closeStreams", "()V");
    let print = one_call(&mut table, "fixture/Subject.canPrint", "()Z");
    let ours = one_call(&mut table, "fixture/Subject.contextLoaderIsOurs", "()Z");
    let seen = worker.run(&table, &[close, print, ours]).seen;
    assert_eq!(seen[0].leaks, [Leak::StandardStreams, Leak::ThreadLocals]);
    assert_eq!(values(&seen[1]), [&Value::Boolean(true)]);
    assert_eq!(values(&seen[2]), [&Value::Boolean(true)]);
    worker.finish();
}

fn providers_are_put_back(bed: &Bed) {
    let mut worker = bed.worker();
    let mut table = OperationTable::new();
    let add = one_call(&mut table, "fixture/Subject.addProvider", "()V");
    let first = one_call(&mut table, "fixture/Subject.firstProvider", "()Ljava/lang/String;");
    let seen = worker.run(&table, &[add, first]).seen;
    assert!(seen[0].leaks.contains(&Leak::SecurityProviders), "{:?}", seen[0]);
    assert_eq!(values(&seen[1]), [&text("SUN")]);
    worker.finish();
}

fn statics_are_put_back(bed: &Bed) {
    let names = ["fixture/Plain", "fixture/Subject"];
    let mut worker = bed.worker_with(|config| config.instrumentation = instrument(bed, &names));
    let mut table = OperationTable::new();
    let next = one_call(&mut table, "fixture/Subject.next", "()I");
    let bump = one_call(&mut table, "fixture/Plain.bump", "()I");
    let mut script = Script::new(&mut table);
    let new = script.text("other");
    script.call_static("fixture/Subject.rename", "(Ljava/lang/String;)V", [new]);
    script.call_static("fixture/Subject.named", "()Ljava/lang/String;", []);
    let rename = script.item();
    let named = one_call(&mut table, "fixture/Subject.named", "()Ljava/lang/String;");
    let seen = worker.run(&table, &[next.clone(), next, bump.clone(), bump, rename, named]).seen;
    for pair in [&seen[0..2], &seen[2..4]] {
        for one in pair {
            assert_eq!(values(one), [&Value::Int(1)]);
            assert_eq!(one.leaks, [Leak::Statics]);
        }
    }
    assert_eq!(values(&seen[4])[2], &text("other"));
    assert_eq!(values(&seen[5]), [&text("first")]);
    assert_eq!(seen[5].leaks, []);
    worker.finish();
}

fn a_fresh_loader_forgets_everything(bed: &Bed) {
    let mut worker = bed.worker();
    let mut table = OperationTable::new();
    let next = one_call(&mut table, "fixture/Subject.next", "()I");
    let mut fresh = next.clone();
    fresh.reset = Reset::Loader;
    let seen = worker.run(&table, &[next.clone(), next.clone(), fresh, next]).seen;
    // Without instrumentation nobody notices that the static field was written.
    let counted: Vec<_> = seen.iter().map(|seen| values(seen)[0].clone()).collect();
    assert_eq!(counted, [Value::Int(1), Value::Int(2), Value::Int(1), Value::Int(2)]);
    worker.finish();
}

fn a_class_that_always_fails_is_not_worth_a_loader_each_time(bed: &Bed) {
    let names = ["fixture/NestedBadInit", "fixture/BadInit"];
    let mut worker = bed.worker_with(|config| config.instrumentation = instrument(bed, &names));
    let mut table = OperationTable::new();
    let ask = one_call(&mut table, "fixture/NestedBadInit.ask", "()I");
    let items: Vec<_> = (0..200).map(|_| ask.clone()).collect();
    let answer = worker.run(&table, &items);
    assert_eq!((answer.seen.len(), &answer.farewell), (200, &None));
    assert_eq!(answer.seen[0], answer.seen[1], "at first a fresh loader hides what came before");
    assert!(answer.seen.iter().all(|seen| seen.end == answer.seen[0].end), "it fails every time");
    let StepOutcome::Threw(thrown) = &answer.seen[0].steps[0].1 else { panic!("{:?}", answer.seen[0]) };
    assert_eq!(thrown.class.as_internal(), "java/lang/ExceptionInInitializerError");
}

fn nothing_is_put_back_on_request(bed: &Bed) {
    let mut worker = bed.worker();
    let mut table = OperationTable::new();
    let mut script = Script::new(&mut table);
    let (key, value) = (script.text("probat.test"), script.text("kept"));
    let set = "java/lang/System.setProperty";
    script.call_static(set, "(Ljava/lang/String;Ljava/lang/String;)Ljava/lang/String;", [key, value]);
    let mut set = script.item();
    set.reset = Reset::None;
    let mut script = Script::new(&mut table);
    let key = script.text("probat.test");
    script.call_static("java/lang/System.getProperty", "(Ljava/lang/String;)Ljava/lang/String;", [key]);
    let clean = script.item();
    let mut look = clean.clone();
    look.reset = Reset::None;
    let seen = worker.run(&table, &[set, look, clean]).seen;
    assert_eq!(values(&seen[1])[1], &text("kept"));
    assert_eq!(values(&seen[2])[1], &Value::Null);
    assert!(seen.iter().all(|seen| seen.leaks.is_empty()));
    worker.finish();
}

fn unordered_sets_have_one_order(bed: &Bed) {
    if bed.label.starts_with("java-11.") {
        // There the salt decides where entries lie, and is left alone.
        return;
    }
    let mut table = OperationTable::new();
    let order = one_call(&mut table, "fixture/Subject.order", "()Ljava/lang/String;");
    let mut orders = Vec::new();
    for _ in 0..3 {
        let mut worker = bed.worker();
        orders.push(worker.run(&table, std::slice::from_ref(&order)).seen.remove(0));
        worker.finish();
    }
    assert!(orders.iter().all(|seen| *seen == orders[0]), "{orders:?}");
}

fn failed_initialisers_fail_the_same_way(bed: &Bed) {
    let mut worker = bed.worker();
    let mut table = OperationTable::new();
    let bad = one_call(&mut table, "fixture/BadInit.answer", "()I");
    let other = {
        let mut script = Script::new(&mut table);
        script.new_object("fixture/BadInit", "()V", []);
        script.item()
    };
    let exit = one_call(&mut table, "fixture/ExitInit.answer", "()I");
    let fine = one_call(&mut table, "fixture/Subject.looksClean", "()Ljava/lang/String;");
    let answer = worker.run(&table, &[bad.clone(), bad, other, exit.clone(), exit, fine]);
    assert_eq!(answer.farewell, None);
    let seen = answer.seen;
    assert!(matches!(seen[0].end, End::Threw(_)), "{:?}", seen[0]);
    assert_eq!((&seen[0], &seen[0]), (&seen[1], &seen[2]));
    let StepOutcome::Threw(thrown) = &seen[0].steps[0].1 else { panic!() };
    assert_eq!(thrown.class.as_internal(), "java/lang/ExceptionInInitializerError");
    assert_eq!(thrown.cause.as_ref().unwrap().as_internal(), "java/lang/IllegalStateException");
    assert_eq!(seen[3], seen[4]);
    assert_eq!(seen[3].taints.len(), 1, "{:?}", seen[3]);
    assert_eq!(seen[5].end, End::Completed);
    worker.finish();
}

fn another_setting_has_another_time(bed: &Bed) {
    let days = |setting: Setting| -> Vec<i64> {
        let mut worker = bed.worker_with(|config| config.setting = setting);
        let mut table = OperationTable::new();
        // The first is asked often enough for the JVM to compile it.
        let days = one_call(&mut table, "fixture/Subject.today", "()J");
        let instant = one_call(&mut table, "fixture/Subject.todayByInstant", "()J");
        let seen = worker.run(&table, &[days, instant]).seen;
        worker.finish();
        let day = |seen: &Observation| match values(seen)[..] {
            [Value::Long(day)] => *day,
            ref other => panic!("{other:?}"),
        };
        seen.iter().map(day).collect()
    };
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let today = i64::try_from(now.as_secs() / 86_400).unwrap();
    for setting in [Setting::Fixed, Setting::User] {
        assert!(days(setting).iter().all(|day| (today..=today + 1).contains(day)), "{setting:?}");
    }
    // The 29th of February 2024, 19,782 days after the first of January 1970.
    assert_eq!(days(Setting::Still), [19_782, 19_782]);
    let later = days(Setting::Later);
    assert!(later.iter().all(|day| (today + 1172..=today + 1174).contains(day)), "{later:?}");
    let other = days(Setting::Other);
    // Weeks after that, whatever day it is today.
    let first = 19_782 + 1172 + 37;
    assert!((first..=first + 2).contains(&other[0]), "{other:?}");
    assert!((other[0] + 37..=other[0] + 39).contains(&other[1]), "{other:?}");
}
