//! Objects whose `equals`, `hashCode`, `toString` and `getMessage` turn on whoever calls them.

use probat_model::{Contract, End, StepId, TaintKind};
use probat_protocol::Item;

use crate::common::{Bed, Survived, jvms, survive, survive_on};

/// Makes an object of the class and has its contracts checked.
fn checked(bed: &mut Bed, class: &str) -> Item {
    let mut item = bed.item(|s| s.construct(class, &[]));
    item.observe.contracts = true;
    item
}

fn check(class: &str, judge: impl Fn(&Survived)) {
    for jvm in jvms::full() {
        let mut bed = Bed::on(jvm);
        let item = checked(&mut bed, class);
        judge(&survive_on(&mut bed, item));
    }
}

fn broken(it: &Survived) -> Vec<Contract> {
    let mut broken: Vec<Contract> = it.seen.violations.iter().map(|violation| violation.contract).collect();
    broken.dedup();
    broken
}

#[test]
fn methods_of_object_that_throw_are_violations() {
    check("Evil", |it| {
        assert_eq!(it.seen.end, End::Completed, "{it:#?}");
        let broken = broken(it);
        assert!(broken.contains(&Contract::EqualsThrows), "{it:#?}");
        assert!(broken.contains(&Contract::HashCodeThrows), "{it:#?}");
        // Its `toString` overflows the stack, which says nothing about a contract.
        assert!(!broken.contains(&Contract::ToStringThrows), "{it:#?}");
        it.same_worker();
    });
}

#[test]
fn methods_of_object_that_do_not_end_are_stopped() {
    check("Evil$Endless", |it| it.timed_out(0));
}

#[test]
fn methods_of_object_that_exit_are_intercepted() {
    check("Evil$Quitter", |it| {
        it.tainted(TaintKind::Exit, "");
        it.same_worker();
    });
}

#[test]
fn methods_of_object_that_lie_are_violations() {
    check("Evil$Liar", |it| {
        assert_eq!(it.seen.end, End::Completed, "{it:#?}");
        assert!(!it.seen.violations.is_empty(), "{it:#?}");
        it.same_worker();
    });
}

#[test]
fn an_exception_that_throws_when_asked_is_reported_all_the_same() {
    survive(
        |s| s.call("Evil.throwMessage", &[]),
        |it| {
            it.threw("hostile/Evil$Message");
            assert_eq!(it.thrown().message, None, "{it:#?}");
            assert_eq!(it.thrown().frames[0].method, "throwMessage", "{it:#?}");
            it.same_worker();
        },
    );
}

#[test]
fn an_exception_that_never_answers_is_stopped() {
    survive(|s| s.call("Evil.throwEndless", &[]), |it| it.timed_out(0));
}

/// A value is described by its class alone: none of its methods runs.
#[test]
fn observing_a_hostile_object_calls_nothing_of_it() {
    for jvm in jvms::full() {
        let mut bed = Bed::on(jvm);
        let mut script = crate::common::Script::new(&mut bed.table);
        let object = script.construct("Evil$Endless", &[]);
        let item = script.item_with_state(&[object]);
        let it = survive_on(&mut bed, item);
        assert_eq!(it.seen.end, End::Completed, "{it:#?}");
        assert!(it.seen.states[0].is_some(), "{it:#?}");
        it.same_worker();
    }
}

/// Hash tables call `hashCode` and `equals` of their keys while a step runs, which is the step's own affair.
#[test]
fn a_hostile_key_throws_through_the_table() {
    survive(
        |s| {
            let map = s.jdk("java/util/HashMap.<init>()V", &[]);
            let key = s.construct("Evil", &[]);
            let put = "java/util/HashMap.put(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;";
            s.jdk(put, &[map.into(), key.into(), key.into()])
        },
        |it| {
            assert_eq!(it.seen.end, End::Threw(StepId(2)), "{it:#?}");
            it.threw("java/lang/IllegalStateException");
            it.same_worker();
        },
    );
}
