//! What the whole JVM shares, changed by a sequence and put back before the next.

use probat_model::{Leak, Observation, Value};
use probat_protocol::Item;

use crate::common::{Bed, jvms, survive_on};
use crate::judge::last_value;

/// Runs `change`, then `look` in a sequence of its own, which must see what it sees in a fresh worker.
#[track_caller]
fn put_back(change: &str, args: &[crate::common::Arg], look: &str, leaks: &[Leak]) {
    for jvm in jvms::full() {
        let mut bed = Bed::on(jvm);
        let change = bed.item(|s| s.call(change, args));
        let look: Item = bed.item(|s| s.call(look, &[]));
        let fresh: Vec<Observation> = bed.run(vec![look.clone()]);
        let seen =
            bed.run(vec![look.clone(), change.clone(), look.clone(), change.clone(), change.clone(), look]);
        for at in [0, 2, 5] {
            assert_eq!(seen[at], fresh[0], "{}: {at}", bed.label());
        }
        assert_eq!((&seen[3], &seen[4]), (&seen[1], &seen[1]), "{}", bed.label());
        let it = survive_on(&mut bed, change);
        assert_eq!(it.seen, seen[1], "{}", bed.label());
        leaks.iter().for_each(|&leak| it.leaked(leak));
        it.same_worker();
    }
}

#[test]
fn system_properties_are_put_back() {
    put_back("Global.property", &["x".into()], "Global.readProperty", &[Leak::SystemProperties]);
}

#[test]
fn locale_and_time_zone_are_put_back() {
    put_back("Global.locale", &[], "Global.isJapan", &[Leak::Locale, Leak::TimeZone]);
}

#[test]
fn statics_are_put_back() {
    put_back("Global.statics", &[], "Global.readStatics", &[Leak::Statics]);
}

#[test]
fn security_providers_are_put_back() {
    put_back("Global.providers", &[], "Global.countProviders", &[Leak::SecurityProviders]);
}

#[test]
fn thread_locals_are_put_back() {
    put_back("Global.local", &[], "Global.readLocal", &[Leak::ThreadLocals]);
}

#[test]
fn an_interrupt_left_pending_is_cleared() {
    put_back("Threads.interruptSelf", &[], "Threads.interrupted", &[Leak::Interrupt]);
}

#[test]
fn streams_set_to_null_are_put_back() {
    put_back("Streams.setOutNull", &[], "Streams.hasOut", &[Leak::StandardStreams]);
}

#[test]
fn streams_that_were_closed_are_put_back() {
    put_back("Streams.setOutClosed", &[], "Streams.works", &[]);
}

#[test]
fn the_context_loader_is_put_back() {
    put_back("Global.contextLoader", &[], "Global.readContextLoader", &[]);
}

/// With a fresh loader even what no probe sees is new.
#[test]
fn a_fresh_loader_has_fresh_statics() {
    for jvm in jvms::full() {
        let mut bed = Bed::on(jvm);
        let mut change = bed.item(|s| s.call("Global.statics", &[]));
        change.reset = probat_protocol::Reset::Loader;
        let seen = bed.run(vec![change.clone(), change.clone(), change]);
        for seen in &seen {
            assert_eq!(last_value(seen), Some(&Value::Int(41)), "{}: {seen:?}", bed.label());
        }
    }
}
